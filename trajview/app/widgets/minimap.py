"""The scroll bar of a transcript: one column that stands for all of it, with its highlights and the window."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from trajview.app.palette import component_styles
from trajview.app.render.headers import SIGNS
from trajview.app.rule_colours import rule_classes, rule_css
from trajview.app.session import TranscriptSession

__all__ = ["Minimap"]

MOST_HITS = 1_000
"""Hits of a search that are looked at one by one; of more, as many spread over all of them."""

_RANK = {"error": 4, "search": 3, "rule": 3, "unit": 2, "citation": 2, "mark": 1}


class Minimap(Widget, can_focus=False):
    """Shows highlights by their place among the rows; posts `Picked` with a share (0 to 1) when clicked or dragged."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "minimap--error", "minimap--hit", "minimap--mark", "minimap--window", *rule_classes("minimap"),
    }  # fmt: skip
    DEFAULT_CSS = (
        rule_css("Minimap", "minimap")
        + """
    Minimap {
        width: 1; height: 1fr; background: $background;
        & > .minimap--error { color: $error; }
        & > .minimap--hit { color: $warning; }
        & > .minimap--mark { color: $accent; }
        & > .minimap--window { background: $foreground 22%; }
        &:ansi > .minimap--window { background: ansi_bright_black; }
    }
    """
    )

    class Picked(Message):
        """A place was clicked; `share` is how far down it is, 0 to 1."""

        def __init__(self, share: float) -> None:
            super().__init__()
            self.share = share

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.session: TranscriptSession | None = None
        self._signs: dict[int, tuple[str, str]] = {}
        self._signs_for: tuple[object, ...] = ()
        self._total = 0
        self._shown: tuple[object, ...] = ()
        self._styles: dict[str, Style] = {}
        self._base = Style.null()

    def show(self, session: TranscriptSession) -> None:
        """Show the highlights of another session."""
        self.session = session
        self.refresh()

    def follow(self) -> None:
        """The window has moved, or highlights have changed: repaint where that shows."""
        session, height = self.session, self.size.height
        if session is not None and height:
            shown = (self._window(session, height), session.highlights_revision, self._signs_for)
            if shown != self._shown:
                self._shown = shown
                self.refresh()

    def _window(self, session: TranscriptSession, height: int) -> tuple[int, int]:
        """The first and last line that stand for what is on the screen."""
        total, top = max(1, session.map.total), session.y_of(session.top)
        return top * height // total, min(height - 1, (top + session.height - 1) * height // total)

    def _by_line(self, session: TranscriptSession, height: int) -> dict[int, tuple[str, str]]:
        """The sign of each line. Made anew when highlights change, or the document by half a line's worth of rows."""
        known, total = (id(session), session.highlights_revision, height), max(1, session.map.total)
        if known != self._signs_for or abs(total - self._total) * 2 * height > total:
            self._signs_for, self._total = known, total
            ranks: dict[int, int] = {}
            self._signs = {}
            places = list(session.index.places)
            if session.search is not None and "search" not in session.sources_off:
                hits = session.search.messages
                places += [(message, "search", "") for message in hits[:: max(1, len(hits) // MOST_HITS)]]
            for message, source, colour in places:
                line = min(height - 1, session.map.start(message) * height // total)
                if _RANK.get(source, 0) > ranks.get(line, 0):
                    ranks[line] = _RANK[source]
                    self._signs[line] = ("▪", f"sign-{colour}" if colour else SIGNS[source][1])
        return self._signs

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles = {}

    def render_line(self, y: int) -> Strip:
        if not self._styles:
            self._base = self.rich_style
            self._styles = component_styles(self, self.COMPONENT_CLASSES)
        session, height = self.session, self.size.height
        if session is None or not session.messages or not height:
            return Strip([Segment(" ", self._base)])
        first, last = self._window(session, height)
        style = self._base + self._styles["minimap--window"] if first <= y <= last else self._base
        sign = self._by_line(session, height).get(y)
        if sign is None:
            return Strip([Segment(" ", style)])
        return Strip([Segment(sign[0], style + self._styles[f"minimap--{sign[1]}"])])

    def on_mouse_down(self, event: events.MouseDown) -> None:
        event.stop()
        self.capture_mouse()
        self._pick(event.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self.app.mouse_captured is self:
            self._pick(event.y)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        event.stop()
        self.release_mouse()

    def _pick(self, y: int) -> None:
        last = max(1, self.size.height - 1)
        self.post_message(self.Picked(max(0, min(y, last)) / last))
