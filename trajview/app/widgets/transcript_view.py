"""The transcript as one widget that renders the rows on the screen, and nothing else."""

from __future__ import annotations

from functools import partial
from itertools import chain

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Offset, Region
from textual.selection import Selection
from textual.strip import Strip

from trajview.app.render.layout import Palette, margins, row_segments, whole_characters
from trajview.app.render.lines import Said
from trajview.app.session import TranscriptSession
from trajview.app.widgets.rows_view import RowsView
from trajview.rules.rule import Rule

__all__ = ["TranscriptView"]

GUTTER = 2
MARGIN = 1
"""Empty columns at the right, between the text and what stands beside it."""
STRIPS_KEPT = 4_000


class TranscriptView(RowsView, can_focus=True, inherit_bindings=False):
    """Shows a `TranscriptSession`; calls `follow` when the cursor or the window has moved.

    Only rows on the screen are rendered. The session's position is the truth; the scroll offset follows it. It has no
    keys of its own (a ScrollView has arrows, home and end): those of the key table move the cursor.
    """

    ALLOW_SELECT = True
    EDGES = GUTTER + MARGIN

    def __init__(self, session: TranscriptSession | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.session: TranscriptSession | None = session
        self._strips: dict[tuple[int, int, int], Strip] = {}
        self._strips_for: tuple[object, ...] = ()
        self._painting = False

    # -- content -------------------------------------------------------------------------------------------------------

    @property
    def text_width(self) -> int:
        """The columns that text has here, 0 before the first layout."""
        return max(0, self.scrollable_content_region.width - GUTTER - MARGIN)

    def show(self, session: TranscriptSession) -> None:
        """Show another session, at its own position."""
        self.session = session
        self._strips.clear()
        self._strips_for = ()
        if self.size.width:
            region = self.scrollable_content_region
            self._fitted = region.size
            session.set_view(region.width - GUTTER - MARGIN, region.height)
        self.sync()

    def _forget(self) -> None:
        self._strips.clear()

    # -- rendering -----------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        self._notice_size()
        width = self.scrollable_content_region.width
        palette = self._styles()
        session = self.session
        row = self.scroll_offset.y + y
        if (
            session is None
            or not session.messages
            or row >= session.map.total
            or width != session.options.width + GUTTER + MARGIN
        ):
            return Strip.blank(width, self._base)
        message, number = session.at_row(row)
        layout = session.layout(message)
        if number >= len(layout.rows):
            return Strip.blank(width, self._base)
        strip = self._strip(message, number, palette)
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(row)) is not None:
            strip = self._with_selection(strip, span)
        # Textual asks for a line by itself where the mouse is: only then it wants to know which text that is.
        return strip if self._painting else strip.apply_offsets(0, row)

    def render_lines(self, crop: Region) -> list[Strip]:
        self._painting = True
        try:
            return super().render_lines(crop)
        finally:
            self._painting = False

    def _strip(self, message: int, number: int, palette: Palette) -> Strip:
        """A row from edge to edge, selection apart. The same object while nothing changes it: strips cache what is cut
        from them."""
        session = self.session
        assert session is not None
        width = session.options.width
        made_for = (id(session), session.revision, session.options)
        if made_for != self._strips_for or len(self._strips) > STRIPS_KEPT:
            self._strips.clear()
            self._strips_for = made_for
        here = (message, number) == session.cursor
        key = (message, number, 2 + self.has_focus if here else int(message == session.message))
        strip = self._strips.get(key)
        if strip is None:
            strip = Strip(row_segments(session.layout(message), number, palette, self._base), width)
            strip = self._with_matches(strip, message, number, palette)
            if here and self.has_focus:
                strip = strip.apply_style(palette["cursor"])
            edges = self._gutter(message, number, palette), Segment(" " * MARGIN, self._base)
            strip = Strip([edges[0], *strip, edges[1]], width + GUTTER + MARGIN)
            self._strips[key] = strip
        return strip

    def _gutter(self, message: int, number: int, palette: Palette) -> Segment:
        session = self.session
        assert session is not None
        here = (message, number) == session.cursor
        if session.options.bare:
            return Segment("❯ " if here and self.has_focus else "  ", self._base + palette["gutter.cursor"])
        role = session.roles[message]
        style = self._base + palette.get(f"gutter.{role}", Style.null())
        if here:
            return Segment("❯ ", self._base + palette["gutter.cursor"])
        if number < session.header_row(message) or number == session.map.height(message) - 1:
            return Segment("  ", self._base)
        if message == session.message:
            return Segment("┃ ", style)
        return Segment("│ ", style)

    def _with_matches(self, strip: Strip, message: int, number: int, palette: Palette) -> Strip:
        """Colour what rules and the search match on a row; a match that wraps is coloured on each of its rows.

        Each in the fields that it looks at.
        """
        session = self.session
        assert session is not None
        layout = session.layout(message)
        index, start, end = layout.rows[number]
        line = layout.lines[index]
        looked_for = [
            (rule.pattern, palette[f"rule.{rule.colour or 'yellow'}"], line.places(partial(_looks_at, rule)))
            for rule in session.rules_on(message)
        ]
        if session.search is not None:
            style = palette["match.current" if (message, number) == session.cursor else "match"]
            looks = partial(session.search.looks_at, session.roles[message])
            looked_for.append((session.search.pattern, style, line.places(looks)))
        first = number == 0 or layout.rows[number - 1][0] != index
        before: int | None = None
        for pattern, style, places in looked_for:
            # Not the whole of a line that may be a megabyte, for every row of it.
            for match in chain.from_iterable(
                pattern.finditer(line.text, max(begin, start - 2_000), min(stop, end + 200)) for begin, stop in places
            ):
                if match.end() <= start or match.start() >= end:
                    continue
                if before is None:
                    margin = margins(line, layout.width)[0 if first else 1]
                    before = len(next(iter(strip)).text) if margin else 0
                a, b = max(match.start(), start), min(match.end(), end)
                strip = _restyle(strip, before + a - start, before + b - start, style)
        return strip

    def _with_selection(self, strip: Strip, span: tuple[int, int]) -> Strip:
        start, end = span
        end = len(strip.text) if end < 0 else end
        style = self.screen.get_component_rich_style("screen--selection")
        return _restyle(strip, max(GUTTER, start), end, style)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, gutter and padding left out."""
        session = self.session
        if session is None or not session.messages:
            return None
        start = selection.start or Offset(0, 0)
        end = selection.end or Offset(10**9, session.map.total - 1)
        palette = self._styles()
        lines = []
        for row in range(max(0, start.y), min(end.y, session.map.total - 1, start.y + 100_000) + 1):
            message, number = session.at_row(row)
            layout = session.layout(message)
            if number >= len(layout.rows):
                continue
            text = self._strip(message, number, palette).text
            a = start.x if row == start.y else 0
            b = end.x if row == end.y else len(text)
            lines.append(text[max(GUTTER, a) : b].rstrip())
        return "\n".join(lines), "\n"

    # -- mouse ---------------------------------------------------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        session = self.session
        offset = event.get_content_offset(self)
        if session is None or offset is None or not session.messages:
            return
        row = self.scroll_offset.y + offset.y
        if row >= session.map.total:
            return
        session.cursor = session.at_row(row)
        message, number = session.cursor
        layout = session.layout(message)
        line = layout.lines[layout.rows[min(number, len(layout.rows) - 1)][0]]
        if line.action == "fold" or event.chain == 2:
            session.toggle_fold(message)
        self.sync()


def _looks_at(rule: Rule, said: Said) -> bool:
    return rule.looks_at(said.field, said.tool)


def _restyle(strip: Strip, left: int, right: int, style: Style) -> Strip:
    """The strip with a style on top of its characters from `left` to `right`. Cells would not do: a mark has none."""
    text = strip.text
    if right <= left or left >= len(text):
        return strip
    if "\u200d" in text or "\ufe0f" in text:
        [(left, right, _)] = whole_characters(text, 0, [(left, right, style)])
    segments: list[Segment] = []
    at = 0
    for piece, own, control in strip:
        a, b = max(0, min(len(piece), left - at)), max(0, min(len(piece), right - at))
        # On top of the segment's own style: a search colour must win.
        on_top = (own or Style.null()) + style
        parts = ((piece[:a], own), (piece[a:b], on_top), (piece[b:], own))
        segments += [Segment(part, look, control) for part, look in parts if part]
        at += len(piece)
    return Strip(segments, strip.cell_length)
