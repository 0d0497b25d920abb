"""The header of an action unit, and the one-line label that the outline shows of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from trajview.app.render.lines import Line, Span
from trajview.app.transcript.unit_facts import duration_of, short_duration
from trajview.highlight import Highlight
from trajview.models.messages import AssistantMessage, AudioPart, ChatMessage, ImagePart, ToolMessage, VideoPart
from trajview.models.transcript import Transcript
from trajview.textsafe import one_line

__all__ = ["NOTED", "SIGNS", "Scored", "first_words", "media_in", "sign_of", "unit_header"]

SIGNS = {"error": ("✗", "error"), "search": ("●", "hit"), "rule": ("●", "hit"), "unit": ("◆", "hit"),
         "citation": ("◆", "hit"), "mark": ("⚑", "mark")}  # fmt: skip


NOTED = "✎"
"""The sign of a unit that someone has written a note on."""

_GRAVEST_FIRST = ("error", "search", "rule", "unit", "citation", "mark")

MOST_LOOKED_AT = 300
"""Messages of a unit whose roles and calls its header tells."""


class Scored(NamedTuple):
    """What a person has said of a unit: the score in a few characters, and the note; either may be empty."""

    score: str
    note: str

    @property
    def sign(self) -> str:
        """`✎ 0.5`, without what there is not."""
        return " ".join(filter(None, (NOTED if self.note else "", self.score)))


def sign_of(reasons: Sequence[Highlight]) -> tuple[str, str]:
    """One sign and its style for the highlights of a unit; a blank for none. The gravest reason wins."""
    colours: dict[str, str] = {}
    for found in reasons:
        colours.setdefault(found.source, found.colour)
    for source in _GRAVEST_FIRST:
        if source in colours:
            sign, style = SIGNS[source]
            return sign, f"sign.{colours[source]}" if colours[source] else style
    return " ", ""


def unit_header(
    transcript: Transcript,
    unit: int,
    reasons: Sequence[Highlight],
    *,
    marked: bool = False,
    scored: Scored | None = None,
) -> Line:
    """`3  assistant → tool ×2 · 2 calls · reward 0.5  0.5 ✎ note`, and at the right why the unit is highlighted."""
    indices = range(transcript.unit_starts[unit], _end(transcript, unit))
    messages = [transcript.messages[i] for i in indices[:MOST_LOOKED_AT]]
    speakers = [_speaker(m) for m in messages]
    chain = []
    for who, group in groupby(speakers):
        count = sum(1 for _ in group)
        chain.append(f"{who} ×{count}" if count > 1 else who)
    flow = " → ".join(chain[:6]) + (" → …" if len(chain) > 6 else "")
    number = f" {unit} "
    text = f"{number} {flow}"
    spans: list[Span] = [(0, len(number), "unit.number"), (len(number), len(text), "unit.roles")]
    facts = _facts(messages) if len(indices) <= MOST_LOOKED_AT else [f"{len(indices):,} messages"]
    seconds = duration_of(transcript, unit)
    if seconds is not None:
        facts.append(short_duration(seconds))
    if facts:
        extra = "  " + " · ".join(facts)
        spans.append((len(text), len(text) + len(extra), "unit.facts"))
        text += extra
    line = Line(text, spans, fill="unit.header", ours=True, one_row=True)
    if scored is not None:
        if scored.score:
            line.extend(f"  {one_line(scored.score, 12)}", "unit.score")
        if scored.note:
            line.extend(f"  {NOTED} {one_line(scored.note, 200)}", "unit.note")
    if reasons:
        sign, style = sign_of(reasons)
        gravest_first = sorted(reasons, key=lambda found: _GRAVEST_FIRST.index(found.source))
        said = list(dict.fromkeys(one_line(found.reason, 48) for found in gravest_first))
        shown = "; ".join(said[:2]) + (f" +{len(said) - 2}" if len(said) > 2 else "")
        line.right = (f"{sign} {shown}", style)
        if marked and not any(found.source == "mark" for found in reasons):
            line.right = (f"⚑ {line.right[0]}", style)
    return line


def _end(transcript: Transcript, unit: int) -> int:
    starts = transcript.unit_starts
    return starts[unit + 1] if unit + 1 < len(starts) else len(transcript.messages)


def _speaker(message: ChatMessage) -> str:
    return message.role if isinstance(message, ToolMessage) or not message.name else one_line(message.name, 24)


def _facts(messages: Sequence[ChatMessage]) -> list[str]:
    facts = []
    calls = sum(len(m.tool_calls or ()) for m in messages if isinstance(m, AssistantMessage))
    if calls:
        facts.append(f"{calls} call{'s' * (calls > 1)}")
    rewards = [m.reward for m in messages if m.reward is not None]
    if rewards:
        facts.append(f"reward {sum(rewards):g}")
    return facts


def first_words(transcript: Transcript, unit: int, limit: int = 120) -> str:
    """What a unit is about, on one line: what is said first in it, else what is called, else what came back."""
    start = transcript.unit_starts[unit]
    places = range(start, min(_end(transcript, unit), start + 8))
    for message in map(
        transcript.messages.__getitem__, places
    ):  # of a long run, one that is not asked for is not built
        said = one_line(message.text, limit)
        if said and not isinstance(message, ToolMessage):
            named = message.name and message.name.lower() != message.role
            return f"{one_line(message.name or '', 24)}: {said}" if named else said
        if isinstance(message, AssistantMessage) and message.tool_calls:
            call = message.tool_calls[0]
            first = next((value for value in call.arguments.values() if isinstance(value, str)), "")
            return one_line(f"▸ {call.function} {first}", limit)
    for message in map(transcript.messages.__getitem__, places):
        said = one_line(message.text, limit) or one_line(" ".join(message.reasoning), limit)
        if said:
            return said
    return next(filter(None, map(media_in, map(transcript.messages.__getitem__, places))), "(empty)")


def media_in(message: ChatMessage) -> str:
    """The kind of the first picture, sound or film in a message; "" where it has none."""
    found = (part.type for part in message.parts if isinstance(part, ImagePart | AudioPart | VideoPart))
    kind = next(found, "")
    return f"▣ {kind}" if kind else ""
