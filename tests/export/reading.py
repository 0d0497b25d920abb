"""Runs to be exported, and what is read back of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trajview.formats.base import Origin
from trajview.formats.contract import Format
from trajview.models.messages import ChatMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript


def run_of(*messages: ChatMessage, **more: Any) -> AgentRun:
    """A run of one transcript."""
    return AgentRun(id="r", transcripts=[Transcript(id="r/0", messages=list(messages))], **more)


def read_lines(known: Format, text: str) -> list[AgentRun]:
    """The runs of an export of one record a line."""
    return [known.read(json.loads(line), Origin(Path("run.jsonl"))) for line in text.splitlines()]
