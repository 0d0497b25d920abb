"""The JSON of every command: the same text on a terminal and in a file, and nothing in it acts on a terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from .test_commands import call, chat

_HOSTILE = "a\x7fb\x9b31mc\u202ed\u2066e\u200ff\u061cg\u2028h\u2029i"
_READABLE = "é 中 \U0001f600"
_ACTING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "hostile.json"
    text = f"needle {_HOSTILE} {_READABLE}"
    path.write_text(json.dumps({**chat(f"run {text}", text, text), "model": text, "metadata": {"task": text}}))
    return path


@pytest.mark.parametrize(
    "command",
    [
        ["ls", "--json"], ["ls", "--json", "--columns", "id,metadata.task"], ["search", "needle", "--json"],
        ["search", "needle", "--json", "-c"], ["stats", "--json"], ["export", "-f", "docent"], ["export", "-f", "openai"],
        ["export", "-f", "adp"],
    ],
)  # fmt: skip
@pytest.mark.parametrize("terminal", [False, True])
def test_json_acts_on_no_terminal_and_stands_for_the_text_of_the_log(
    log: Path, command: list[str], terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("front", "common", "ls", "export"):
        monkeypatch.setattr(f"trajview.cli.{module}.is_terminal", lambda: terminal)
    result = call(*command, log)
    assert not _ACTING.search(result.stdout)
    assert _READABLE in result.stdout, "other characters stay readable"
    assert _HOSTILE in repr_of([json.loads(line) for line in result.stdout.splitlines()])


def repr_of(value: object) -> str:
    """All texts within a value."""
    if isinstance(value, dict):
        return "".join(map(repr_of, [*value, *value.values()]))
    return "".join(map(repr_of, value)) if isinstance(value, list) else str(value)
