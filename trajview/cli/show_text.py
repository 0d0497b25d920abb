"""A run as text for people, as `trajview show` prints it: headings at the margin, and what the log says indented below them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple

from trajview.compare.plain import call_lines, speaker
from trajview.export.shown import reward_text, visible
from trajview.export.spoken import stand_in
from trajview.models.messages import (
    AssistantMessage,
    ChatMessage,
    OtherPart,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolMessage,
)
from trajview.models.run import AgentRun
from trajview.models.text import value_text
from trajview.textsafe import one_line

__all__ = ["Piece", "blocks_of_run", "blocks_of_unit"]

_BOLD, _DIM, _CYAN, _RED = "1", "2", "36", "31"
_ROLES: Final = {"system": "1;35", "user": "1;36", "assistant": "1;32", "tool": "1;33"}
_INDENT: Final = "  "
_FILLED: Final = re.compile("^(?=[^\n])", re.MULTILINE)


class Piece(NamedTuple):
    """Some lines that are safe for a terminal, the code of their colour, if they have one, and what stands before each."""

    text: str
    sgr: str = ""
    prefix: str = ""

    def printed(self, colour: bool) -> str:
        """The lines as they are printed, with a newline at their end."""
        text = self.text
        if self.prefix.isspace():
            text = _FILLED.sub(self.prefix, text)  # an empty line stays one
        elif self.prefix:
            text = self.prefix + text.replace("\n", f"\n{self.prefix}")
        if colour and self.sgr:  # on each line, as pagers forget it at the end of one
            text = "\n".join(f"\x1b[{self.sgr}m{line}\x1b[0m" for line in text.split("\n"))
        return text + "\n"


Block = Iterable[Piece]
"""Pieces that belong together, made as they are taken: an empty line stands between two blocks."""


def blocks_of_run(run: AgentRun) -> Iterator[Block]:
    """The whole run, block by block: what it is called and rated, its transcripts by action unit, then all else about it."""
    facts = {
        "name": run.name if run.name != run.id else None,
        "description": run.description,
        "agents": ", ".join(run.agents or ()),
    }
    first = _fields({name: text for name, text in facts.items() if text})
    first += [Piece(f"reward: {line}") for line in reward_text(run)]
    if first:
        yield first
    for index, transcript in enumerate(run.transcripts):
        if transcript.name or len(run.transcripts) > 1:
            name = f": {one_line(transcript.name)}" if transcript.name else ""
            yield [Piece(f"Transcript {index}{name}", _BOLD)]
        if not transcript.messages:
            yield [Piece("no messages", _DIM)]
        for unit in range(len(transcript.unit_starts)):
            yield from blocks_of_unit(run, unit, index)
        if transcript.metadata:
            yield [Piece(f"metadata of transcript {index}", _BOLD), *_indented(_fields(transcript.metadata))]
    if run.reasoning:
        yield [Piece("the evaluator's reasoning", _BOLD), *_indented([_piece(run.reasoning)])]
    if run.metadata:
        yield [Piece("metadata", _BOLD), *_indented(_fields(run.metadata))]


def blocks_of_unit(run: AgentRun, unit: int, transcript: int = 0) -> Iterator[Block]:
    """An action unit of a transcript: its heading, and a block for each message."""
    yield [Piece(f"── unit {unit} ──", _DIM)]
    messages = run.transcripts[transcript].messages
    for index in run.transcripts[transcript].units_of_action[unit]:
        message = messages[index]
        heading = Piece(f"T{transcript}B{index} {_heading(message)}", _ROLES.get(message.role, _BOLD))
        yield chain([heading], _indented(_body(message)))


def _heading(message: ChatMessage) -> str:
    to = f" → {one_line(message.recipient, 80)}" if message.recipient else ""
    reward = f" · reward {message.reward:g}" if message.reward is not None else ""
    return f"{one_line(speaker(message), 80)}{to}{reward}"


def _body(message: ChatMessage) -> Iterator[Piece]:
    for part in message.parts:
        if isinstance(part, TextPart):
            if part.text:
                yield _piece(part.text)
        elif isinstance(part, ReasoningPart):
            yield _piece(part.readable or "hidden by the provider", _DIM, "┆ ")
        elif isinstance(part, OtherPart):
            yield _piece(value_text(part.plain()))
        else:
            yield Piece(one_line(stand_in(part), 400), _DIM)
    if isinstance(message, AssistantMessage):
        for call in message.tool_calls or ():
            yield from _call(call)
    elif isinstance(message, ToolMessage) and message.error:
        yield from (piece._replace(sgr=_RED, prefix="✗ " + piece.prefix) for piece in _fields(message.error))


def _call(call: ToolCall) -> Iterator[Piece]:
    name, *arguments = call_lines(call)
    yield _piece(name, _CYAN)
    if arguments:
        yield _piece("\n".join(arguments))
    if call.parse_error:
        yield _piece(call.parse_error, _RED, "✗ ")
    if call.view is not None and call.view.content:
        yield _piece(f"{call.view.title}\n{call.view.content}" if call.view.title else call.view.content)


def _fields(values: Mapping[str, Any]) -> list[Piece]:
    """A line `name: value` for each value; one of several lines stands indented below its name."""
    found: list[Piece] = []
    for name, value in values.items():
        text = visible(value if isinstance(value, str) else value_text(value)).rstrip("\n")
        key = one_line(str(name), 200)
        found += [Piece(f"{key}:"), Piece(text, "", _INDENT)] if "\n" in text else [Piece(f"{key}: {text}")]
    return found


def _indented(pieces: Block) -> Iterator[Piece]:
    return (piece._replace(prefix=_INDENT + piece.prefix) for piece in pieces)


def _piece(text: str, sgr: str = "", prefix: str = "") -> Piece:
    return Piece(visible(text).rstrip("\n"), sgr, prefix)
