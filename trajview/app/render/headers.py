"""The header of an action unit, and the one-line label that the outline shows of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

from trajview.app.render.calls import first_argument
from trajview.app.render.lines import Line
from trajview.app.render.markdown import prose_line
from trajview.app.transcript.unit_facts import duration_of, messages_of, short_duration
from trajview.highlight import Highlight
from trajview.models.messages import AssistantMessage, AudioPart, ChatMessage, ImagePart, ToolMessage, VideoPart
from trajview.models.transcript import Transcript
from trajview.textsafe import one_line

__all__ = ["GRAVEST_FIRST", "NOTED", "SIGNS", "Scored", "first_words", "media_in", "sign_of", "unit_header"]

SIGNS = {"error": ("✗", "error"), "search": ("●", "hit"), "rule": ("●", "hit"), "unit": ("◆", "hit"),
         "citation": ("◆", "hit"), "mark": ("⚑", "mark")}  # fmt: skip
"""By source, the gravest first: the sign of a highlight, and its style."""

NOTED = "✎"
"""The sign of a unit that someone has written a note on."""

GRAVEST_FIRST = tuple(SIGNS)

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
    for source in GRAVEST_FIRST:
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
    """`3  assistant → tool ×2 · 2 calls · reward 0.5  0.5 ✎ note`, and at the right why the unit is highlighted.

    Of a unit of one message, who speaks is left out.
    """
    places = messages_of(transcript, unit)
    messages = [transcript.messages[place] for place in places[:MOST_LOOKED_AT]]
    line = Line("", fill="unit.header", ours=True, one_row=True)
    line.extend(f" {unit} ", "unit.number")
    if len(messages) > 1:  # the name of one speaker stands right below
        line.extend(f" {_speakers(messages)}", "unit.roles")
    facts = _facts(messages) if len(places) <= MOST_LOOKED_AT else [f"{len(places):,} messages"]
    seconds = duration_of(transcript, unit)
    if seconds is not None:
        facts.append(short_duration(seconds))
    if facts:
        line.extend("  " + " · ".join(facts), "unit.facts")
    if scored is not None and scored.score:
        line.extend(f"  {one_line(scored.score, 12)}", "unit.score")
    if scored is not None and scored.note:
        line.extend(f"  {NOTED} {one_line(scored.note, 200)}", "unit.note")
    if reasons:
        line.right = _why(reasons, marked=marked)
    return line


def _speakers(messages: Iterable[ChatMessage]) -> str:
    """`assistant → tool ×2`: who speaks, in turn."""
    turns = []
    for who, group in groupby(map(_speaker, messages)):
        count = sum(1 for _ in group)
        turns.append(f"{who} ×{count}" if count > 1 else who)
    return " → ".join(turns[:6] + ["…"] * (len(turns) > 6))


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


def _why(reasons: Sequence[Highlight], *, marked: bool) -> tuple[str, str]:
    """A sign and the gravest reasons, and their style; a mark that is no highlight now has its sign all the same."""
    sign, style = sign_of(reasons)
    gravest_first = sorted(reasons, key=lambda found: GRAVEST_FIRST.index(found.source))
    said = list(dict.fromkeys(_reason(found, sign) for found in gravest_first))
    shown = "; ".join(said[:2]) + (f" +{len(said) - 2}" if len(said) > 2 else "")
    switched_off = marked and not any(found.source == "mark" for found in reasons)
    return f"{'⚑ ' * switched_off}{sign} {shown}", style


def _reason(found: Highlight, sign: str) -> str:
    """Why a unit stands out, on one line; the note of a mark behind another sign has its own."""
    own_sign = "⚑ " if found.source == "mark" and sign != "⚑" else ""
    return own_sign + one_line(found.reason, 48)


def first_words(transcript: Transcript, unit: int, limit: int = 120) -> str:
    """What a unit is about, on one line: what is said first in it, else what is called, else what came back."""
    messages, places = transcript.messages, messages_of(transcript, unit)[:8]
    tries = (partial(_opening, limit=limit), partial(_any_text, limit=limit), media_in)
    return next((found for words in tries for place in places if (found := words(messages[place]))), "(empty)")


def _opening(message: ChatMessage, limit: int) -> str:
    """What a message that answers no call says, by whom, and which functions it calls; or else its first call."""
    said = "" if isinstance(message, ToolMessage) else prose_line(message.text, limit)
    calls = (message.tool_calls if isinstance(message, AssistantMessage) else None) or ()
    if said:
        named = message.name and message.name.lower() != message.role
        called = f"  ▸ {one_line(', '.join(call.function for call in calls[:3]), 60)}" if calls else ""
        return f"{one_line(message.name or '', 24)}: {said}{called}" if named else said + called
    return one_line(f"▸ {calls[0].function} {first_argument(calls[0])}", limit) if calls else ""


def _any_text(message: ChatMessage, limit: int) -> str:
    return one_line(message.text, limit) or prose_line(" ".join(message.reasoning), limit)


def media_in(message: ChatMessage) -> str:
    """`▣ image ×2, audio`: the pictures, sounds and films in a message; "" where it has none."""
    kinds = Counter(part.type for part in message.parts if isinstance(part, ImagePart | AudioPart | VideoPart))
    named = ", ".join(f"{kind} ×{count}" if count > 1 else kind for kind, count in kinds.items())
    return f"▣ {named}" if named else ""
