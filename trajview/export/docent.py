"""A run as Docent's AgentRun JSON: all of it is kept; Docent passes over the keys of ours, and we read them again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec.structs import replace

from trajview.models.run import AgentRun
from trajview.models.said import is_deep
from trajview.models.transcript import Transcript

from .exported import Exported, Lost, Part, cut
from .json_text import json_list, json_text, line_of, list_of, shallow

__all__ = ["export_docent"]

_DEEP: Final = 250
"""Levels from which on readers give up, Docent's own among them."""
_OF_RUN, _OF_TRANSCRIPT, _OF_MESSAGE = 1, 3, 4
"""How many levels deep in the line values of these stand."""


def export_docent(run: AgentRun, part: Part | None = None) -> Exported:
    """Export a run, or a part of it, as one JSON object on one line."""
    lost = Lost()
    return Exported(_line(run if part is None else cut(run, part), lost), lost)


def _line(run: AgentRun, lost: Lost) -> Iterator[str]:
    yield from line_of(_run(run, lost), lost)
    yield "\n"


def _run(run: AgentRun, lost: Lost) -> Iterator[str]:
    plain = replace(run, transcripts=[replace(run.transcripts[0], messages=[])]).to_docent()
    transcripts = (_transcript(transcript, lost) for transcript in run.transcripts)
    yield from _object(plain, "transcripts", list_of(transcripts), _OF_RUN, lost)


def _transcript(transcript: Transcript, lost: Lost) -> Iterator[str]:
    messages = (_fitting(message.plain(), _OF_MESSAGE, lost) for message in transcript.messages)
    plain = replace(transcript, messages=[]).to_docent()
    yield from _object(plain, "messages", json_list(messages, lost, _OF_MESSAGE), _OF_TRANSCRIPT, lost)


def _object(plain: dict[str, Any], long: str, pieces: Iterable[str], depth: int, lost: Lost) -> Iterator[str]:
    """An object in pieces, of which the value at one key is `long`."""
    for number, (key, value) in enumerate(plain.items()):
        yield f'{", " if number else "{"}"{key}": '
        if key == long:
            yield from pieces
        else:
            yield json_text(_fitting(value, depth, lost), lost, depth)
    yield "}"


def _fitting(value: Any, depth: int, lost: Lost) -> Any:
    return shallow(value, lost, depth) if is_deep(value, _DEEP - depth) else value
