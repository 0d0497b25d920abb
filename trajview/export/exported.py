"""Exports: the text of a run, the part of it that is exported, and the list of what the format cannot hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from trajview.models.messages import ChatMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript

__all__ = ["Exported", "Lost", "Part", "cut", "parts_of_run", "placed"]


@dataclass(frozen=True, slots=True)
class Exported:
    """A run as text, in pieces that are made as they are taken, and what the format cannot hold of it."""

    pieces: Iterator[str]
    lost: Lost
    """Complete when the last piece was taken."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a run: the messages `first` to `last`, both included, of a transcript; all count from 0."""

    transcript: int
    first: int
    last: int


@dataclass(slots=True)
class _Places:
    """How many messages lose something: the first of them, and the last that was counted."""

    first: str
    last: str
    count: int = 1


class Lost:
    """Collects what a format loses of a run, or holds in another form; the same thing is said once, with the number of
    messages and the first of them."""

    def __init__(self) -> None:
        self._of_run: dict[str, None] = {}
        self._of_messages: dict[tuple[str, str], _Places] = {}
        self._of_run_last: list[str] = []

    def say(self, sentence: str) -> None:
        """Add a sentence about the run as a whole."""
        self._of_run[sentence] = None

    def say_last(self, sentence: str) -> None:
        """Add a sentence about the run that stands behind those about its messages."""
        self._of_run_last.append(sentence)

    def of(self, place: str, what: str, fate: str = "left out") -> None:
        """Add something that a message loses: `what` in the plural, and its `fate`."""
        places = self._of_messages.get((what, fate))
        if places is None:
            self._of_messages[what, fate] = _Places(place, place)
        elif places.last != place:
            places.last = place
            places.count += 1

    def sentences(self) -> list[str]:
        """The losses in a sentence each: those of the run, then those of messages."""
        return [*self._of_run, *self._sentences(), *self._of_run_last]

    def kinds(self) -> list[str]:
        """The sentences without numbers and places, for counting over many runs."""
        of_messages = (f"The {what} of messages are {fate}." for what, fate in self._of_messages)
        return [*self._of_run, *of_messages, *self._of_run_last]

    def _sentences(self) -> Iterator[str]:
        for (what, fate), places in self._of_messages.items():
            if places.count == 1:
                yield f"The {what} of message {places.first} are {fate}."
            else:
                yield f"The {what} of {places.count:,} messages are {fate}; the first is {places.first}."


def placed(transcript: Transcript, index: int, part: Part | None = None) -> Iterator[tuple[str, ChatMessage]]:
    """The messages of a transcript with their labels (`T0B12`); only those of the part, where there is one."""
    messages = transcript.messages
    span = range(len(messages)) if part is None else range(part.first, min(part.last + 1, len(messages)))
    for message in span:
        yield f"T{index}B{message}", messages[message]


def parts_of_run(run: AgentRun, part: Part | None) -> list[tuple[int, Transcript]]:
    """The transcripts to write, with their numbers: all, or the one that a part is of."""
    return list(enumerate(run.transcripts)) if part is None else [(part.transcript, run.transcripts[part.transcript])]


def cut(run: AgentRun, part: Part | None) -> AgentRun:
    """The run with only the messages of the part; all of the run without one."""
    transcripts = [
        replace(
            transcript,
            messages=[message for _, message in placed(transcript, index, part)],
            units=_units_within(transcript.units, part),
        )
        for index, transcript in parts_of_run(run, part)
    ]
    return replace(run, transcripts=transcripts)


def _units_within(units: Sequence[Sequence[int]] | None, part: Part | None) -> list[list[int]] | None:
    """The source's own units, as far as they are in the part, counted from its first message."""
    if units is None:
        return None
    if part is None:
        return [list(unit) for unit in units]
    inside = ([index - part.first for index in unit if part.first <= index <= part.last] for unit in units)
    return [unit for unit in inside if unit]
