"""The action units of a transcript, one line each: number, sign, first words. It follows the cursor; a click jumps."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from trajview.app.palette import component_styles
from trajview.app.render.headers import first_words, sign_of
from trajview.app.rule_colours import rule_classes, rule_css
from trajview.app.session import TranscriptSession
from trajview.textsafe import one_line

__all__ = ["Outline"]

STRIPS_KEPT = 2_000

LONGEST_SCORE = 12
"""Characters of a score at the right of a unit's line; a narrower outline than twice that shows none."""

_STYLES = ("number", "words", "current", "error", "hit", "mark", "user", "dim", "score")


class Outline(ScrollView, can_focus=False):
    """Lists action units; posts `Picked` when one is clicked. Labels are made for the lines on the screen only."""

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

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.session: TranscriptSession | None = None
        self._labels: dict[int, str] = {}
        self._current = -1
        self._styles: dict[str, Style] = {}
        self._base = Style.null()
        self._strips: dict[tuple[int, bool, int, int], Strip] = {}

    def show(self, session: TranscriptSession) -> None:
        """Show the units of another session."""
        self.session = session
        self._labels.clear()
        self._strips.clear()
        self._current = -1
        self.virtual_size = Size(self.size.width, len(session.unit_starts))
        self.follow()
        self.refresh()

    def follow(self) -> None:
        """Bring the unit under the cursor into view."""
        session = self.session
        if session is None:
            return
        unit = session.unit
        if unit == self._current:
            return
        self._current = unit
        top, height = self.scroll_offset.y, self.size.height
        if height and not top + 1 <= unit <= top + height - 2:
            self.scroll_to(y=max(0, unit - height // 2), animate=False)
        self.refresh()

    def _palette(self) -> dict[str, Style]:
        if not self._styles:
            self._base = self.rich_style
            self._styles = component_styles(self, self.COMPONENT_CLASSES)
        return self._styles

    def _sign_colour(self, kind: str) -> Style:
        return Style(color=self._palette()[f"outline--{kind.replace('.', '-')}"].color) if kind else Style.null()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles = {}
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        palette = self._palette()
        session = self.session
        unit = self.scroll_offset.y + y
        if session is None or unit >= len(session.unit_starts):
            return Strip.blank(width, self._base)
        key = (unit, unit == session.unit, width, session.highlights_revision)
        strip = self._strips.get(key)
        if strip is None:
            if len(self._strips) > STRIPS_KEPT:
                self._strips.clear()
            strip = self._strips[key] = self._line(session, unit, width, palette)
        return strip

    def _line(self, session: TranscriptSession, unit: int, width: int, palette: dict[str, Style]) -> Strip:
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
        segments = [
            Segment(f" {unit:>{digits}} ", number),
            Segment("⚑" if mark else sign, words + self._sign_colour("mark" if mark else kind)),
            Segment(" ", words),
            Segment(set_cell_size(label, max(0, width - digits - 4 - cell_len(right))), words),
            Segment(right, words + self._sign_colour("score")),
        ]
        return Strip(segments).adjust_cell_length(width, words)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or self.session is None:
            return
        unit = self.scroll_offset.y + offset.y
        if unit < len(self.session.unit_starts):
            self.post_message(self.Picked(unit))
