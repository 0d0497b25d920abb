"""The common part of the formats for people: safe text, highlights, and what they leave to the other formats."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trajview.annotation.citations import find_citations
from trajview.annotation.unit_notes import UnitNotes
from trajview.compare.facts import models_of
from trajview.highlight import Highlight, Rule, highlights_in
from trajview.models.brief import counted
from trajview.models.messages import (
    AssistantMessage,
    AudioPart,
    ChatMessage,
    ImagePart,
    OtherPart,
    ReasoningPart,
    TextPart,
    ToolMessage,
    UserMessage,
    VideoPart,
)
from trajview.models.run import AgentRun
from trajview.textsafe import one_line, safe_text

from .exported import Lost, Part, parts_of_run

if TYPE_CHECKING:
    from trajview.models.sotopia import AnnotationForEpisode

__all__ = [
    "Annotated", "facts_of", "highlights_of", "length_of", "number", "reward_text", "unshown_of_message", "unshown_of_run", "visible",
]  # fmt: skip

_COLOUR = re.compile(r"\x1b\[[0-9;:]*m")


@dataclass(frozen=True, slots=True)
class Annotated:
    """The annotations of a run by people, and each annotator's notes and marks on its units."""

    records: Sequence[AnnotationForEpisode] = ()
    notes: Mapping[str, UnitNotes] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.records) or any(notes.units or notes.marks for notes in self.notes.values())


def visible(text: str) -> str:
    """A text for a page: colours of a terminal gone, all else that acts on one as a visible sign."""
    return safe_text(_COLOUR.sub("", text) if "\x1b" in text else text)


def highlights_of(run: AgentRun, index: int, rules: Sequence[Rule], annotated: Annotated) -> dict[int, list[Highlight]]:
    """The highlights of a transcript, by message: errors, matches of rules, marks, and citations in a reasoning."""
    transcript = run.transcripts[index]
    found = highlights_in(transcript, rules)
    for notes in annotated.notes.values():
        for mark in notes.marks:
            first = transcript.get_first_block_in_action_unit(mark.unit) if mark.transcript == index else None
            if first is not None:
                found.append(Highlight(mark.unit, first, "mark", mark.note or "marked"))
    for reasoning in (run.reasoning, *(record.reasoning for record in annotated.records)):
        for citation in find_citations(reasoning or ""):
            unit = transcript.get_action_unit_for_block(citation.message) if citation.transcript == index else None
            if unit is not None and not citation.run:
                found.append(Highlight(unit, citation.message, "citation", citation.quote or "cited"))
    by_message: dict[int, list[Highlight]] = {}
    for highlight in sorted(set(found), key=lambda each: (each.message, each.source, each.reason)):
        by_message.setdefault(highlight.message, []).append(highlight)
    return by_message


def number(value: float) -> str:
    """Write a score as people do."""
    return f"{value:.4g}"


def reward_text(run: AgentRun) -> list[str]:
    """A line per agent: its name, its overall reward and the dimensions."""
    lines = []
    for name, reward in zip(run.agent_names, run.rewards or (), strict=False):
        overall, dimensions = reward if isinstance(reward, tuple) else (reward, {})
        scores = ", ".join(f"{one_line(key, 60)} {number(score)}" for key, score in dimensions.items())
        lines.append(f"{one_line(name, 60)}: {number(overall)}{f' ({scores})' if scores else ''}")
    return lines


def facts_of(run: AgentRun, part: Part | None = None) -> list[tuple[str, str]]:
    """The facts above the messages of a run: pairs of a word and a line of text."""
    facts = [("run", one_line(run.id, 200))]
    if run.description:
        facts.append(("description", one_line(run.description, 500)))
    if run.source_format:
        facts.append(("format", one_line(run.source_format, 40)))
    if run.agents:
        facts.append(("agents", ", ".join(one_line(name, 60) for name in run.agents)))
    models: dict[str, None] = {}
    for transcript in run.transcripts:
        models |= models_of(transcript)
    if models:
        facts.append(("models", ", ".join(one_line(model, 80) for model in models)))
    facts.append(("length", length_of(run)))
    if part is not None:
        facts.append(("shown", f"messages {part.first} to {part.last} of transcript {part.transcript}"))
    facts += [("reward", line) for line in reward_text(run)]
    return facts


def length_of(run: AgentRun) -> str:
    """The numbers of messages, action units and transcripts."""
    messages = sum(len(transcript.messages) for transcript in run.transcripts)
    units = sum(len(transcript.unit_starts) for transcript in run.transcripts)
    several = f", {len(run.transcripts)} transcripts" if len(run.transcripts) > 1 else ""
    return f"{counted(messages, 'message')}, {counted(units, 'action unit')}{several}"


def unshown_of_run(run: AgentRun, part: Part | None, lost: Lost) -> None:
    """Name the parts of a run, apart from its messages, that a page for people does not show."""
    if run.transcript_groups:
        lost.say("The groups of transcripts are left out.")
    if any(each.description or each.created_at or each.metadata for _, each in parts_of_run(run, part)):
        lost.say("The descriptions, times and metadata of transcripts are left out.")


def unshown_of_message(message: ChatMessage, place: str, lost: Lost, *, images: bool = False) -> None:
    """Name the parts of a message that a page for people does not show; `images`: it says itself which it does not."""
    if message.metadata:
        lost.of(place, "metadata")
    if message.id or _refers_to_calls(message):
        lost.of(place, "ids")
    if message.usage:
        lost.of(place, "token counts")
    if isinstance(message, AssistantMessage):
        if message.citations:
            lost.of(place, "citations by the model")
        if message.suggested_messages:
            lost.of(place, "suggested messages")
        if message.tool_calls and any(call.view or call.extras for call in message.tool_calls):
            lost.of(place, "views and other remarks on tool calls")
    _unshown_of_parts(message, place, lost, images=images)
    if any(map(_acts, (message.text, *message.reasoning))):
        lost.of(place, "control characters and terminal colours", "shown as signs or left out")


def _refers_to_calls(message: ChatMessage) -> bool:
    """Whether there are ids of calls, made or answered."""
    if isinstance(message, AssistantMessage):
        return any(call.id for call in message.tool_calls or ())
    return isinstance(message, UserMessage | ToolMessage) and bool(message.tool_call_id)


def _unshown_of_parts(message: ChatMessage, place: str, lost: Lost, *, images: bool) -> None:
    for part in message.parts:
        if isinstance(part, TextPart) and (part.temporal or part.refusal or part.extras):
            lost.of(place, "remarks on pieces of text")
        elif isinstance(part, ReasoningPart) and (part.signature or part.extras or _hides(part)):
            lost.of(place, "signatures and other marks of reasoning")
        elif isinstance(part, AudioPart | VideoPart | OtherPart) or (isinstance(part, ImagePart) and not images):
            what = {"image": "images", "audio": "sounds", "video": "videos"}.get(part.type, "parts of unknown types")
            lost.of(place, what, "named, not shown")


def _acts(text: str) -> bool:
    """Whether a text holds characters that are not shown as they are: control characters, colours."""
    if "\x1b" in text:
        return True
    shown = safe_text(text)
    return shown is not text and shown != text.replace("\r\n", "\n")


def _hides(part: ReasoningPart) -> bool:
    """Whether there is a text beside the one that is shown."""
    return bool(part.reasoning and part.summary)
