"""A run as a few readable lines, for goldens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trajview.formats.base import Origin
from trajview.models.messages import AssistantMessage, ChatMessage, ToolMessage
from trajview.models.run import AgentRun

FIXTURES = Path(__file__).parent.parent / "fixtures"


def load(name: str) -> Any:
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))


def load_lines(name: str) -> list[Any]:
    return [json.loads(line) for line in (FIXTURES / name).read_text(encoding="utf-8").splitlines()]


def origin(name: str, record: int = 0, *, alone: bool = True) -> Origin:
    return Origin(FIXTURES / name, record, None if alone else record + 1, alone)


def outline(run: AgentRun, transcript: int = 0) -> list[str]:
    """`role name>recipient: content; calls; …` for each message."""
    return [_line(message) for message in run.transcripts[transcript].messages]


def _line(message: ChatMessage) -> str:
    pieces = []
    for part in message.parts:
        data = {key: value for key, value in part.plain().items() if value is not None}
        kind = data.pop("type")
        pieces.append(data["text"] if kind == "text" and len(data) == 1 else f"<{kind} {json.dumps(data)}>")
    if isinstance(message, AssistantMessage):
        for call in message.tool_calls or ():
            error = f" !{call.parse_error}" if call.parse_error else ""
            pieces.append(f"{call.function}({json.dumps(call.arguments)})#{call.id}{error}")
    head = message.role + (f" {message.name}" if message.name else "")
    if isinstance(message, ToolMessage):
        head += f" {message.function}#{message.tool_call_id}"
        if message.error:
            pieces.append(f"!{json.dumps(message.error)}")
    return f"{head}: {' | '.join(pieces)}"
