"""The transcript as one widget that renders the rows on the screen, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.strip import Strip

from trajview.app.render.layout import Palette, row_segments
from trajview.app.render.lines import Picture, Said
from trajview.app.shared.positions import Position
from trajview.app.shared.rows_view import GUTTER, RowsView
from trajview.app.shared.strips import LookedFor, with_matches
from trajview.app.transcript.session import TranscriptSession
from trajview.rules.rule import Rule

__all__ = ["TranscriptView"]

MARGIN = 1
"""Empty columns at the right, between the text and what stands beside it."""


class TranscriptView(RowsView, can_focus=True, inherit_bindings=False):
    """Shows a `TranscriptSession`."""

    EDGES = GUTTER + MARGIN

    def __init__(self, session: TranscriptSession | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.session: TranscriptSession | None = session
        self.open_image: Callable[[Picture], None] | None = None
        """Called when an image is clicked."""

    @property
    def text_width(self) -> int:
        """The columns that text has here, 0 before the first layout."""
        return max(0, self.scrollable_content_region.width - self.EDGES)

    @property
    def _transcript(self) -> TranscriptSession:
        """What rows are drawn of."""
        assert self.session is not None
        return self.session

    def show(self, session: TranscriptSession) -> None:
        """Show another session, at its own position."""
        self.session = session
        self._shown_anew()

    def _made_for(self) -> tuple[object, ...]:
        return id(self._transcript), self._transcript.revision, self._transcript.options

    def _look(self, item: int) -> object:
        return self._transcript.folds.get(item), item == self._transcript.message

    def _drawn(self, item: int, number: int, palette: Palette, *, here: bool) -> Strip:
        session = self._transcript
        width = session.options.width
        layout = session.layout(item)
        picture = session.pictures.row(layout.lines[layout.rows[number][0]])
        segments: Iterable[Segment] = row_segments(layout, number, palette, self._base, picture)
        looked_for: list[LookedFor] = [
            (rule.pattern, partial(_looks_at, rule), palette[f"rule.{rule.colour or 'yellow'}"])
            for rule in session.highlights.rules_on(item)
        ]
        if session.search is not None:
            looks = partial(session.search.looks_at, session.roles[item])
            looked_for.append((session.search.pattern, looks, palette["match.current" if here else "match"]))
        if looked_for:
            segments = with_matches(Strip(segments, width), layout, number, looked_for)
        if here and self.has_focus:
            segments = Segment.apply_style(segments, palette["cursor"])
        edges = self._gutter(item, number, palette), Segment(" " * MARGIN, self._base)
        return Strip([edges[0], *segments, edges[1]], width + self.EDGES)

    def _selectable(self, strip: Strip, position: Position) -> tuple[int, int] | None:
        is_drawn = self._transcript.line_at(position).picture_row is not None
        return None if is_drawn else super()._selectable(strip, position)

    def _gutter(self, message: int, number: int, palette: Palette) -> Segment:
        session = self._transcript
        here = (message, number) == session.cursor
        if session.options.bare:
            return Segment("❯ " if here and self.has_focus else "  ", self._base + palette["gutter.cursor"])
        style = self._base + palette.get(f"gutter.{session.voice(message)}", Style.null())
        if here:
            return Segment("❯ ", self._base + palette["gutter.cursor"])
        if number < session.header_row(message) or number == session.map.height(message) - 1:
            return Segment("  ", self._base)
        if message == session.message:
            return Segment("┃ ", style)
        return Segment("│ ", style)

    def on_click(self, event: events.Click) -> None:
        session, clicked = self.session, self._position_of(event)
        if session is None or clicked is None:
            return
        session.cursor = clicked
        line = session.line_at(clicked)
        if line.picture is not None and self.open_image is not None:
            if event.chain == 1 and self.text_selection is None:
                self.open_image(line.picture)
        elif line.action == "fold" or event.chain == 2:
            session.toggle_fold(clicked[0])
        self.sync()

    def picture_drawn(self) -> None:
        """A picture of the session has been drawn: show it."""
        self._forget()
        self.refresh()


def _looks_at(rule: Rule, said: Said) -> bool:
    return rule.looks_at(said.field, said.tool)
