"""The action units of a transcript, one line each: number, sign, first words, what it took. A click jumps there."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from trajview.app.keys import key_of
from trajview.app.render.headers import first_words, sign_of
from trajview.app.shared.row_styles import SIGNS, SIGNS_IN_ANSI, SPEAKERS, SPEAKERS_IN_ANSI
from trajview.app.shared.styled import PlainLines, Styled
from trajview.app.transcript.session import TranscriptSession
from trajview.app.transcript.unit_facts import UnitFacts, short_count, short_duration
from trajview.textsafe import one_line

__all__ = ["Outline"]

LONGEST_SCORE = 12
"""Characters of a score at the right of a unit's line; a narrower outline than twice that shows none."""

WIDE = 46
"""Columns from which on a line says calls, time and tokens of its unit; from `SOME` on the time, or else the tokens."""
SOME = 36
_FACTS = 18
"""Columns of all that is said at the right of a line."""
_ASKED = 60
"""Lines that are asked how wide they are."""
_KEPT = 1_000  # lines that are kept as they were drawn


class Outline(PlainLines, Styled, ScrollView, can_focus=False):
    """Lists action units, all or the highlighted ones; posts `Picked` when one is clicked.

    Labels are made for the lines on the screen only.
    """

    LOOKS: ClassVar[Mapping[str, str]] = {
        "number": "$foreground 40%", "words": "$foreground 75%", "user": "$text-primary",
        "current": "bold $foreground on $primary 25%", "error": "$error", "hit": "$warning", "mark": "$accent",
        "score": "$text-success", "dim": "$foreground 40%", **SPEAKERS, **SIGNS,
    }  # fmt: skip
    IN_ANSI: ClassVar[Mapping[str, str]] = {
        "number": "dim", "current": "bold reverse $foreground", **SPEAKERS_IN_ANSI, **SIGNS_IN_ANSI,
    }  # fmt: skip
    DEFAULT_CSS = """
    Outline {
        width: 1fr; height: 1fr; background: $surface; overflow-y: auto; overflow-x: hidden; scrollbar-size-vertical: 1;
        scrollbar-background: $surface; scrollbar-background-hover: $surface; scrollbar-background-active: $surface;
        scrollbar-color: $foreground 15%; scrollbar-gutter: stable;

    }
    """

    class Picked(Message):
        """A unit was clicked."""

        def __init__(self, unit: int) -> None:
            super().__init__()
            self.unit = unit

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.session: TranscriptSession | None = None
        self.only_highlighted = False
        """Whether other units are left out."""
        self._units: Sequence[int] = ()
        """The units that are listed."""
        self._current = -1
        self._strips: dict[tuple[object, ...], Strip] = {}
        """Lines as they were drawn, by all that they are made of."""
        self._timed = self._called = False
        """Whether some unit has a time, and calls."""

    def show(self, session: TranscriptSession) -> None:
        """Show the units of another session."""
        self.session = session
        self._strips.clear()
        self._list()
        self.facts_changed()

    @property
    def width_needed(self) -> int:
        """Columns in which the first lines would be whole, with their facts; more lines change nothing while a log grows."""
        session = self.session
        if session is None:
            return 0
        count = len(session.unit_starts)
        asked = range(min(count, _ASKED))
        longest = max((cell_len(first_words(session.transcript, unit)) for unit in asked), default=0)
        return len(str(count)) + 4 + longest + _FACTS

    def toggle_highlighted(self) -> int:
        """List the highlighted units only, or all again; returns how many are listed."""
        self.only_highlighted = not self.only_highlighted
        self._list()
        return len(self._units)

    def highlights_changed(self) -> None:
        """Other units are highlighted now."""
        if self.only_highlighted:
            self._list()
        self.refresh()

    def facts_changed(self) -> None:
        """It is known of other units what they took."""
        facts = self.session.facts.values() if self.session is not None else ()
        self._timed = any(one.seconds is not None for one in facts)
        self._called = any(one.calls for one in facts)
        self.refresh()

    def _list(self) -> None:
        session = self.session
        if session is not None:
            self._units = session.highlights.units if self.only_highlighted else range(len(session.unit_starts))
            self.virtual_size = Size(self.size.width, len(self._units) + self._above)
            self.on_resize()

    @property
    def _above(self) -> int:
        """Lines above the first unit: that which says that others are left out."""
        return int(self.only_highlighted)

    def unit_at(self, y: int) -> int | None:
        """The unit on a line of the widget."""
        line = self.scroll_offset.y + y - self._above
        return self._units[line] if y >= self._above and 0 <= line < len(self._units) else None

    def follow(self) -> None:
        """Bring the unit under the cursor into view."""
        if self.session is None or self.session.unit == self._current:
            return
        self._current = self.session.unit
        top, height = self.scroll_offset.y, self.size.height
        line = bisect_left(self._units, self._current) + self._above
        if height and not top + 1 <= line <= top + height - 2:
            self.scroll_to(y=max(0, line - height // 2), animate=False)
        self.refresh()

    def on_resize(self) -> None:
        self._current = -1
        self.follow()

    # -- rendering -----------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        self._find_styles()
        session, unit, width = self.session, self.unit_at(y), self.scrollable_content_region.width
        if session is not None and y < self._above:
            return self._heading(session, width)
        if session is None or unit is None:
            return Strip.blank(width, self._base)
        return self._line(session, unit, width)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def _sign_colour(self, kind: str) -> Style:
        return Style(color=self._styles[kind].color) if kind else Style.null()

    def _line(self, session: TranscriptSession, unit: int, width: int) -> Strip:
        sign, kind = ("⚑", "mark") if unit in session.highlights.marks else sign_of(session.highlights.reasons(unit))
        scored = session.scored.get(unit)
        score = f" {one_line(scored.sign, LONGEST_SCORE)} " if scored is not None and width >= 2 * LONGEST_SCORE else ""
        facts = self._facts_text(session.facts, unit, width)
        made_of = unit, width, unit == session.unit, sign, kind, score, facts
        strip = self._strips.get(made_of)
        if strip is None:  # Strips keep what filters make of them, so that a line that stays is drawn in no time.
            if len(self._strips) >= _KEPT:
                self._strips.clear()
            strip = self._strips[made_of] = self._draw(session, unit, width, sign, kind, score, facts)
        return strip

    def _draw(
        self, session: TranscriptSession, unit: int, width: int, sign: str, kind: str, score: str, facts: str
    ) -> Strip:
        digits, label = len(str(len(session.unit_starts) - 1)), first_words(session.transcript, unit)
        if unit == session.unit:
            number = words = self._style("current")
        else:
            voice = session.voice(session.unit_starts[unit])
            number, words = self._style("number"), self._style(voice if voice in self._styles else "words")
        segments = [
            Segment(f" {unit:>{digits}} ", number),
            Segment(sign, words + self._sign_colour(kind)),
            Segment(" ", words),
            Segment(set_cell_size(label, max(0, width - digits - 4 - cell_len(score) - len(facts))), words),
            Segment(score, words + self._sign_colour("score")),
            Segment(facts, words + self._sign_colour("dim")),
        ]
        return Strip(segments).adjust_cell_length(width, words)

    def _heading(self, session: TranscriptSession, width: int) -> Strip:
        count, of = len(self._units), len(session.unit_starts)
        said = f" {count:,} of {of:,} units · {key_of('outline.highlighted')} shows all"
        return Strip([Segment(set_cell_size(said, width), self._style("dim"))])

    def _facts_text(self, facts: Mapping[int, UnitFacts], unit: int, width: int) -> str:
        """Calls, time and tokens in columns, as far as there is room and they are known."""
        if width < SOME or not facts:
            return ""
        calls, time, tokens = _columns(facts.get(unit))
        if width < WIDE:
            return f" {time if self._timed else tokens:>5} "
        return " " + f"{calls:>4} " * self._called + f"{time:>5} " * self._timed + f"{tokens:>4} "

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        unit = self.unit_at(offset.y) if offset is not None else None
        if unit is not None:
            self.post_message(self.Picked(unit))


def _columns(facts: UnitFacts | None) -> tuple[str, str, str]:
    """Calls, time and tokens of a unit; empty where there are none, or they are not known."""
    if facts is None:
        return "", "", ""
    return (
        f"{short_count(facts.calls)}▸" if facts.calls else "",
        short_duration(facts.seconds) if facts.seconds is not None else "",
        short_count(facts.tokens),
    )
