"""Runs to be exported, and what is read back of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trajview.export.exported import Exported
from trajview.formats.base import Origin
from trajview.formats.contract import Format
from trajview.models.messages import ChatMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript


def run_of(*messages: ChatMessage, **more: Any) -> AgentRun:
    """A run of one transcript."""
    return AgentRun(id="r", transcripts=[Transcript(id="r/0", messages=list(messages))], **more)


@dataclass(frozen=True)
class Taken:
    """An export of which all pieces were taken."""

    text: str
    lost: list[str]
    kinds: list[str]


def taken(found: Exported) -> Taken:
    """All of an export: its text, and what is lost."""
    text = "".join(found.pieces)
    return Taken(text, found.lost.sentences(), found.lost.kinds())


def read_lines(known: Format, text: str) -> list[AgentRun]:
    """The runs of an export of one record a line."""
    return [known.read(json.loads(line), Origin(Path("run.jsonl"))) for line in text.splitlines()]
