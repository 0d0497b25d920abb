"""Small logs for the tests of a corpus, and what it lists of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trajview.corpus.corpus import Corpus


def chat(run_id: str | None, text: str = "hi", **more: Any) -> dict[str, Any]:
    """A question and its answer, under a name if there is one."""
    named = {} if run_id is None else {"id": run_id}
    return {**named, "messages": [{"role": "user", "content": text}, {"role": "assistant", "content": "ok"}], **more}


def write_lines(path: Path, records: list[Any]) -> Path:
    """A file of one record a line."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def ids(corpus: Corpus) -> list[str]:
    """The ids of its runs, in the order of the list."""
    return [info.id for info in corpus]
