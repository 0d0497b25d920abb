"""The action units of a transcript, one line each: number, sign, first words, what it took. A click jumps there."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events, work
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer
from textual.worker import get_current_worker

from trajview.app.keys import key_of
from trajview.app.render.headers import first_words, sign_of
from trajview.app.shared.faults import ReportsFaults
from trajview.app.shared.rule_colours import rule_classes, rule_css
from trajview.app.shared.styled import Styled
from trajview.app.transcript.overview import highlighted_units
from trajview.app.transcript.session import TranscriptSession
from trajview.app.transcript.unit_facts import UnitFacts, facts_of, short_count, short_duration
from trajview.corpus.process_wide import give_way, short_turns
from trajview.textsafe import one_line

__all__ = ["Outline"]

STRIPS_KEPT = 2_000

LONGEST_SCORE = 12
"""Characters of a score at the right of a unit's line; a narrower outline than twice that shows none."""

WIDE = 46
"""Columns from which on a line says calls, time and tokens of its unit; from `SOME` on the time, or else the tokens."""
SOME = 36

_STYLES = ("number", "words", "current", "error", "hit", "mark", "user", "dim", "score")


class Outline(ReportsFaults, Styled, ScrollView, can_focus=False):
    """Lists action units, all or the highlighted ones; posts `Picked` when one is clicked.

    Labels are made for the lines on the screen only, and for those alone calls, time and tokens are counted, in a thread.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"outline--{name}" for name in _STYLES} | rule_classes("outline")
    DEFAULT_CSS = (
        rule_css("Outline", "outline")
        + """
    Outline {
        width: 1fr; height: 1fr; background: $surface; overflow-y: auto; overflow-x: hidden; scrollbar-size-vertical: 1;
        scrollbar-background: $surface; scrollbar-background-hover: $surface; scrollbar-background-active: $surface;
        scrollbar-color: $foreground 15%; scrollbar-gutter: stable;

        & > .outline--number { color: $foreground 40%; }
        & > .outline--words { color: $foreground 75%; }
        & > .outline--user { color: $text-primary; }
        & > .outline--current { background: $primary 25%; color: $foreground; text-style: bold; }
        & > .outline--error { color: $error; }
        & > .outline--hit { color: $warning; }
        & > .outline--mark { color: $accent; }
        & > .outline--score { color: $text-success; }
        & > .outline--dim { color: $foreground 40%; }
        &:ansi > .outline--number { color: ansi_default; text-style: dim; }
        &:ansi > .outline--current { background: ansi_default; text-style: bold reverse; }
    }
    """
    )

    class Picked(Message):
        """A unit was clicked."""

        def __init__(self, unit: int) -> None:
            super().__init__()
            self.unit = unit

    class _Counted(Message):
        """What some units took."""

        def __init__(self, session: TranscriptSession, facts: dict[int, UnitFacts]) -> None:
            super().__init__()
            self.session, self.facts = session, facts

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.session: TranscriptSession | None = None
        self._labels: dict[int, str] = {}
        self._current = -1
        self._strips: dict[tuple[object, ...], Strip] = {}
        self.only_highlighted = False
        """Whether other units are left out."""
        self._units: Sequence[int] = ()
        """The units that are listed."""
        self._units_for: tuple[object, ...] = ()
        self._facts: dict[int, UnitFacts] = {}
        self._counted: set[int] = set()
        """The units that were counted in this session; what is known of another was true of an earlier one."""
        self._timed = self._called = False
        """Whether some unit has a time, and calls."""
        self._worker_busy = False
        self._facts_of = ""
        self._counting: Timer | None = None

    def show(self, session: TranscriptSession) -> None:
        """Show the units of another session. What is known of the same transcript, read again, stands until it is counted."""
        if session is not self.session:
            self._counted.clear()
            if session.transcript.id != self._facts_of:
                self._facts.clear()
                self._timed = self._called = False
        self.session, self._facts_of = session, session.transcript.id
        self._labels.clear()
        self._strips.clear()
        self._current, self._units_for = -1, ()
        self._list()
        self.follow()
        self.refresh()

    def toggle_highlighted(self) -> int:
        """List the highlighted units only, or all again; returns how many are listed."""
        self.only_highlighted = not self.only_highlighted
        self._current = -1
        self.follow()
        self.refresh()
        return len(self._units)

    def highlights_changed(self) -> None:
        """Other units are highlighted now."""
        self._list()
        self.refresh()

    def _list(self) -> None:
        session = self.session
        if session is None:
            return
        found = session.search.messages if session.search is not None else ()
        made_for = (id(session), self.only_highlighted and (session.highlights_revision, len(found)))
        if made_for != self._units_for:
            self._units_for = made_for
            every = range(len(session.unit_starts))
            self._units = (
                [unit for unit in highlighted_units(session) if unit in every] if self.only_highlighted else every
            )
            self._strips.clear()
            size = Size(self.size.width, len(self._units) + self._above)
            if size != self.virtual_size:
                self.virtual_size = size

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
        session = self.session
        if session is None:
            return
        self._list()
        unit, before = session.unit, self._current
        if unit == before:
            return
        self._current = unit
        top, height = self.scroll_offset.y, self.size.height
        line = bisect_left(self._units, unit) + self._above
        scrolls = height and not top + 1 <= line <= top + height - 2
        if scrolls:
            self.scroll_to(y=max(0, line - height // 2), animate=False)
        if scrolls or before < 0:
            self.refresh()
        else:
            shown = line - top, bisect_left(self._units, before) + self._above - top
            self.refresh(*(Region(0, y, self.size.width, 1) for y in shown if 0 <= y < height))

    def on_resize(self) -> None:
        self._current = -1
        self.follow()

    def _palette(self) -> Mapping[str, Style]:
        self._find_styles()
        return self._styles

    def _sign_colour(self, kind: str) -> Style:
        return Style(color=self._palette()[f"outline--{kind.replace('.', '-')}"].color) if kind else Style.null()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        width, palette, session = self.scrollable_content_region.width, self._palette(), self.session
        line = self.scroll_offset.y + y - self._above
        if session is not None and y < self._above:
            return self._heading(session, width)
        if session is None or not 0 <= line < len(self._units) or self._units[line] >= len(session.unit_starts):
            return Strip.blank(width, self._base)
        unit = self._units[line]
        if width >= SOME and unit not in self._counted:
            self._count_soon()
        key = unit, unit == session.unit, width, session.highlights_revision, self._facts.get(unit)
        strip = self._strips.get(key)
        if strip is None:
            if len(self._strips) > STRIPS_KEPT:
                self._strips.clear()
            strip = self._strips[key] = self._line(session, unit, width, palette)
        return strip

    def _line(self, session: TranscriptSession, unit: int, width: int, palette: Mapping[str, Style]) -> Strip:
        def style(name: str) -> Style:
            return self._base + palette[f"outline--{name}"]

        digits = len(str(len(session.unit_starts) - 1))
        sign, kind = sign_of(session.reasons(unit))
        label = self._labels.get(unit)
        if label is None:
            label = self._labels[unit] = first_words(session.transcript, unit)
        role = session.roles[session.unit_starts[unit]]
        words = style("current" if unit == session.unit else "user" if role == "user" else "words")
        number = style("current" if unit == session.unit else "number")
        mark = unit in session.marks
        scored = session.scored.get(unit)
        right = f" {one_line(scored.sign, LONGEST_SCORE)} " if scored is not None and width >= 2 * LONGEST_SCORE else ""
        facts = self._facts_text(unit, width)
        room = max(0, width - digits - 4 - cell_len(right) - len(facts))
        segments = [
            Segment(f" {unit:>{digits}} ", number),
            Segment("⚑" if mark else sign, words + self._sign_colour("mark" if mark else kind)),
            Segment(" ", words),
            # Most are ASCII, of which a character is a cell.
            Segment(label[:room].ljust(room) if label.isascii() else set_cell_size(label, room), words),
            Segment(right, words + self._sign_colour("score")),
            Segment(facts, words + self._sign_colour("dim")),
        ]
        return Strip(segments).adjust_cell_length(width, words)

    def _heading(self, session: TranscriptSession, width: int) -> Strip:
        count, of = len(self._units), len(session.unit_starts)
        said = f" {count:,} of {of:,} units · {key_of('outline.highlighted')} shows all"
        style = self._base + self._palette()["outline--dim"]
        return Strip([Segment(set_cell_size(said, width), style)])

    # -- what units took -----------------------------------------------------------------------------------------------

    def _facts_text(self, unit: int, width: int) -> str:
        """Calls, time and tokens in columns, as far as there is room and they are known."""
        facts = self._facts.get(unit)
        if width < SOME or not self._facts:
            return ""
        calls = f"{short_count(facts.calls)}▸" if facts and facts.calls else ""
        time = short_duration(facts.seconds) if facts and facts.seconds is not None else ""
        tokens = short_count(facts.tokens) if facts and facts.tokens is not None else "many" if facts else ""
        if width < WIDE:
            return f" {time if self._timed else tokens:>5} "
        columns = [f"{calls:>4}"] * self._called + [f"{time:>5}"] * self._timed + [f"{tokens:>4}"]
        return f" {' '.join(columns)} "

    def _count_soon(self) -> None:
        # Once for all lines of a screen, and not for each that is passed while scrolling.
        if self._counting is None and self.is_attached:
            self._counting = self.set_timer(0.1, self._count_shown)

    def _count_shown(self) -> None:
        self._counting = None
        session = self.session
        if session is not None and not self._worker_busy:
            shown = (self.unit_at(y) for y in range(self.size.height))
            wanted = [unit for unit in shown if unit is not None and unit not in self._counted]
            if wanted:
                self._worker_busy = True
                self._count(session, wanted)

    @work(thread=True, group="unit-facts", exit_on_error=False)
    def _count(self, session: TranscriptSession, units: list[int]) -> None:
        worker = get_current_worker()
        found: dict[int, UnitFacts] = {}
        with short_turns():
            for unit in units:
                give_way()
                facts = facts_of(session.transcript, unit, lambda: worker.is_cancelled or self.session is not session)
                if facts is None:
                    break
                found[unit] = facts
        self.post_message(self._Counted(session, found))

    def on_outline__counted(self, message: _Counted) -> None:
        message.stop()
        self._worker_busy = False
        if message.session is self.session:
            self._timed = self._timed or any(facts.seconds is not None for facts in message.facts.values())
            self._called = self._called or any(facts.calls for facts in message.facts.values())
            self._counted |= message.facts.keys()
            self._facts.update(message.facts)
            self._strips.clear()
        self.refresh()  # which asks for those that are on the screen by now

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        unit = self.unit_at(offset.y) if offset is not None and self.session is not None else None
        if unit is not None:
            self.post_message(self.Picked(unit))
