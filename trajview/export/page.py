"""The content of a page for people in any format: units and messages, highlights, and losses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from trajview.annotation.unit_notes import UnitNote
from trajview.highlight import Highlight, Rule
from trajview.models.branches import Branches, branches_of
from trajview.models.messages import AssistantMessage, ChatMessage, ToolMessage
from trajview.models.run import AgentRun
from trajview.models.speakers import speakers_of
from trajview.models.transcript import Transcript
from trajview.textsafe import one_line

from .exported import Lost, Part, parts_of_run
from .marks import excerpt
from .shown import Annotated, highlights_of, number, unshown_of_run

__all__ = ["Page", "UnitShown", "about", "page_of"]


class UnitShown(NamedTuple):
    """An action unit: its number, its messages on the page, and the notes of annotators on it."""

    unit: int
    members: list[int]
    notes: list[tuple[str, UnitNote]]


@dataclass(slots=True)
class Page:
    """A run, or a part of it, as a page shows it. Transcripts and messages are indices."""

    run: AgentRun
    part: Part | None
    annotated: Annotated
    transcripts: list[tuple[int, Transcript]]
    reasons: dict[int, dict[int, list[Highlight]]] = field(default_factory=dict)
    """The reasons why messages stand out, by transcript and message; only of those on the page."""
    lost: Lost = field(default_factory=Lost)
    """The losses of the run; those of its messages once they are written."""
    rules: dict[str, Rule] = field(default_factory=dict)
    """The rules that were applied, by name."""
    speakers: dict[int, Mapping[str, int]] = field(default_factory=dict)
    """The numbers of speakers that share a role, by transcript and name."""
    branches: Branches = field(default_factory=Branches)
    """Which calls started which transcripts, where all of them are shown."""

    def started(self, transcript: int, message: int, call: int) -> list[int]:
        """The transcripts that a call led to; `call` -1: that an answer did."""
        return [entry.child for entry in self.branches.at(transcript, message) if entry.call == call]

    def name_of(self, transcript: int) -> str:
        """The name of a transcript: its number, and its own name where it has one."""
        name = self.run.transcripts[transcript].name
        return f"Transcript {transcript}: {one_line(name, 100)}" if name else f"Transcript {transcript}"

    def voice(self, transcript: int, message: ChatMessage) -> str:
        """What colours a message by its speaker: the number of one of several that share a role, else the role."""
        number = self.speakers[transcript].get(message.name or "")
        return message.role if number is None else str(number)

    @property
    def title(self) -> str:
        """The run's name, on one line."""
        return one_line(self.run.name or self.run.id, 200)

    @property
    def highlights(self) -> Iterator[tuple[int, int, Highlight]]:
        """All highlights in order, with the transcript and the message."""
        for index, by_message in self.reasons.items():
            for message, why in by_message.items():
                for one in why:
                    yield index, message, one

    def matching(self, reasons: Sequence[Highlight]) -> list[Rule]:
        """The rules among the reasons why a message stands out."""
        return [self.rules[why.reason] for why in reasons if why.source == "rule" and why.reason in self.rules]

    def excerpt(self, transcript: int, message: int, why: Highlight) -> tuple[str, str, str] | None:
        """A few words of a rule's match in a message, with those before and after."""
        rule = self.rules.get(why.reason) if why.source == "rule" else None
        return excerpt(self.run.transcripts[transcript].messages[message], rule) if rule is not None else None

    def within(self, message: int) -> bool:
        """Whether a message of a transcript that is shown is on the page."""
        return self.part is None or self.part.first <= message <= self.part.last

    def exists(self, transcript: int, message: int) -> bool:
        """Whether there is such a message on the page."""
        shown = next((one for index, one in self.transcripts if index == transcript), None)
        return shown is not None and message < len(shown.messages) and self.within(message)

    def units(self, index: int, transcript: Transcript) -> Iterator[UnitShown]:
        """The action units of a transcript that have messages on the page."""
        for unit, members in enumerate(transcript.units_of_action):
            shown = [member for member in members if self.within(member)]
            if shown:
                said = ((who, notes.note_on(index, unit)) for who, notes in self.annotated.notes.items())
                yield UnitShown(unit, shown, [(who, note) for who, note in said if note is not None])

    def stands_out(self, index: int, unit: UnitShown) -> bool:
        """Whether a unit has a highlight."""
        reasons = self.reasons[index]
        return any(member in reasons for member in unit.members)


def page_of(run: AgentRun, part: Part | None, annotated: Annotated | None, rules: Sequence[Rule]) -> Page:
    """The page of a run, or of a part of it, with the losses so far."""
    page = Page(run, part, annotated or Annotated(), parts_of_run(run, part))
    page.speakers = {index: speakers_of(shown.messages, run.agents or ()) for index, shown in page.transcripts}
    page.rules = {rule.name: rule for rule in rules}
    unshown_of_run(run, part, page.lost)
    if part is None:
        page.branches = branches_of(run)
    page.reasons = {
        index: {
            message: why
            for message, why in highlights_of(run, index, rules, page.annotated).items()
            if page.within(message)
        }
        for index, _ in page.transcripts
    }
    return page


def about(message: ChatMessage) -> list[tuple[str, str]]:
    """The speaker, model and time of a message, as far as they are known: pairs of a name and a short text."""
    said = [
        ("name", message.name and one_line(message.name, 80)),
        ("recipient", message.recipient and one_line(message.recipient, 80)),
        ("function", isinstance(message, ToolMessage) and message.function and one_line(message.function, 80)),
        ("model", isinstance(message, AssistantMessage) and message.model and one_line(message.model, 80)),
        ("time", message.timestamp and one_line(message.timestamp, 60)),
        ("reward", message.reward is not None and number(message.reward)),
    ]
    return [(what, text) for what, text in said if text]
