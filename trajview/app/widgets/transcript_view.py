"""The transcript as one widget that renders the rows on the screen, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Offset, Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer

from trajview.app.palette import component_style
from trajview.app.render.layout import Palette, margins, row_segments, whole_characters
from trajview.app.session import TranscriptSession

__all__ = ["TranscriptView"]

GUTTER = 2
MARGIN = 1
"""Empty columns at the right, between the text and what stands beside it."""
STRIPS_KEPT = 4_000
WHEEL_ROWS = 3
MOST_MEASURED = 3_000

_STYLES = (
    "role.system", "role.user", "role.assistant", "role.tool", "dim", "mark", "error", "hit", "fold",
    "unit.header", "unit.number", "unit.roles", "unit.facts", "output", "reasoning", "reasoning.bar", "reasoning.hidden",
    "call.name", "call.key", "call.value", "md.heading", "md.subheading", "md.bold", "md.em", "md.strike", "md.code",
    "md.link", "md.url", "md.bullet", "md.quote", "md.rule", "code.block", "code.comment", "code.keyword", "code.name",
    "code.builtin", "code.string", "code.number", "diff.added", "diff.removed", "diff.hunk", "diff.file",
    "gutter.system", "gutter.user", "gutter.assistant", "gutter.tool", "gutter.cursor", "cursor", "match", "match.current",
    "citation", "quoted", "unit.score", "unit.note",
)  # fmt: skip


def _class(name: str) -> str:
    return "tv--" + name.replace(".", "-")


class TranscriptView(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows a `TranscriptSession`; calls `follow` when the cursor or the window has moved.

    Only rows on the screen are rendered. The session's position is the truth; the scroll offset follows it. It has no
    keys of its own (a ScrollView has arrows, home and end): those of the key table move the cursor.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {_class(name) for name in _STYLES}
    ALLOW_SELECT = True
    DEFAULT_CSS = """
    TranscriptView {
        overflow-y: scroll; overflow-x: hidden; background: $background;
        scrollbar-size-vertical: 1; scrollbar-background: $background; scrollbar-background-hover: $background;
        scrollbar-background-active: $background; scrollbar-color: $foreground 20%;
        scrollbar-color-hover: $foreground 40%; scrollbar-color-active: $primary;

        & > .tv--role-system { color: $foreground-muted; text-style: bold; }
        & > .tv--role-user { color: $primary; text-style: bold; }
        & > .tv--role-assistant { color: $secondary; text-style: bold; }
        & > .tv--role-tool { color: $foreground-muted; }
        & > .tv--dim { color: $foreground 45%; }
        & > .tv--mark { color: $accent; }
        & > .tv--error { color: $error; }
        & > .tv--hit { color: $warning; }
        & > .tv--fold { color: $foreground 55%; text-style: italic; }
        & > .tv--unit-header { background: $surface; }
        & > .tv--unit-number { text-style: bold; background: $panel; }
        & > .tv--unit-roles { color: $foreground 75%; }
        & > .tv--unit-facts { color: $foreground 50%; }
        & > .tv--unit-score { color: $text-success; text-style: bold; }
        & > .tv--unit-note { color: $text-success; }
        & > .tv--output { color: $foreground 80%; }
        & > .tv--reasoning { color: $foreground 62%; text-style: italic; }
        & > .tv--reasoning-bar { color: $foreground 35%; }
        & > .tv--reasoning-hidden { color: $foreground 35%; text-style: italic; }
        & > .tv--call-name { color: $accent; text-style: bold; }
        & > .tv--call-key { color: $foreground 55%; }
        & > .tv--call-value { color: $foreground 90%; }
        & > .tv--md-heading { text-style: bold underline; }
        & > .tv--md-subheading { text-style: bold; }
        & > .tv--md-bold { text-style: bold; }
        & > .tv--md-em { text-style: italic; }
        & > .tv--md-strike { text-style: strike; }
        & > .tv--md-code { color: $text-accent; }
        & > .tv--md-link { color: $text-primary; text-style: underline; }
        & > .tv--md-url { color: $foreground 45%; }
        & > .tv--md-bullet { color: $foreground 50%; }
        & > .tv--md-quote { color: $foreground 70%; text-style: italic; }
        & > .tv--md-rule { color: $foreground 25%; }
        & > .tv--code-block { background: $surface; }
        & > .tv--code-comment { color: $foreground 50%; text-style: italic; }
        & > .tv--code-keyword { color: $text-secondary; }
        & > .tv--code-name { color: $text-primary; }
        & > .tv--code-builtin { color: $text-accent; }
        & > .tv--code-string { color: $text-success; }
        & > .tv--code-number { color: $text-warning; }
        & > .tv--diff-added { color: $text-success; background: $success 12%; }
        & > .tv--diff-removed { color: $text-error; background: $error 12%; }
        & > .tv--diff-hunk { color: $text-secondary; }
        & > .tv--diff-file { text-style: bold; }
        & > .tv--gutter-system { color: $foreground 25%; }
        & > .tv--gutter-user { color: $primary; }
        & > .tv--gutter-assistant { color: $secondary 60%; }
        & > .tv--gutter-tool { color: $foreground 18%; }
        & > .tv--gutter-cursor { color: $warning; text-style: bold; }
        & > .tv--cursor { background: $foreground 6%; }
        & > .tv--citation { color: $text-warning; text-style: underline; }
        & > .tv--quoted { background: $warning 30%; }
        & > .tv--match { background: $warning 45%; color: $foreground; }
        & > .tv--match-current { background: $warning; color: $background; text-style: bold; }

        /* The terminal's own sixteen colours have no shades: what is faint elsewhere is dim here. */
        &:ansi {
            & > .tv--dim, & > .tv--fold, & > .tv--reasoning, & > .tv--reasoning-bar, & > .tv--reasoning-hidden,
            & > .tv--call-key, & > .tv--md-url, & > .tv--md-bullet, & > .tv--md-rule, & > .tv--unit-facts,
            & > .tv--role-system, & > .tv--role-tool, & > .tv--gutter-system, & > .tv--gutter-tool,
            & > .tv--code-comment { color: ansi_default; text-style: dim; }
            & > .tv--unit-header { background: ansi_default; text-style: underline; }
            & > .tv--unit-number { background: ansi_default; text-style: bold reverse; }
            & > .tv--diff-added, & > .tv--diff-removed, & > .tv--code-block { background: ansi_default; }
            & > .tv--cursor { background: ansi_default; }
            & > .tv--quoted { background: ansi_default; text-style: bold underline; }
            & > .tv--match { background: ansi_yellow; color: ansi_black; }
            & > .tv--match-current { background: ansi_bright_yellow; color: ansi_black; }
        }
    }
    """

    def __init__(self, session: TranscriptSession | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.session = session
        self._palette: Palette = {}
        self._base = Style.null()
        self._strips: dict[tuple[int, int, int], Strip] = {}
        self._strips_for: tuple[object, ...] = ()
        self._following = False
        self._fitted = Size(0, 0)
        self._measuring: Timer | None = None
        self._changed = False
        self._painting = False
        self.follow: Callable[[], None] | None = None
        """Called when the cursor or the window has moved. No message: what follows belongs into the same repaint."""

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

    def sync(self, *, moved: bool = True) -> None:
        """Bring the screen in line with the session: lay out what is visible, set the scroll offset, repaint."""
        session = self.session
        if session is None or not self.size.width:
            return
        y = session.settle()
        self._following = True
        try:
            size = Size(session.options.width + GUTTER + MARGIN, session.map.total)
            if size != self.virtual_size:
                self._set_size(size)
            self._put(y)
        finally:
            self._following = False
        self.refresh()
        if moved and self.follow is not None:
            self.follow()
        self._measure_later()

    def _set_size(self, size: Size) -> None:
        """Set the size of the document without the layout of the whole screen that Textual would make of it."""
        self.set_reactive(TranscriptView.virtual_size, size)
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.window_virtual_size = size.height
            self.vertical_scrollbar.window_size = self.scrollable_content_region.height

    def _put(self, y: int) -> None:
        """Set the scroll offset at once, without the animation and the clamping to a stale size."""
        self.set_reactive(TranscriptView.scroll_target_y, float(y))
        self.scroll_y = y

    def validate_scroll_y(self, value: float) -> float:
        """The session has clamped the position already; Textual's own limit may lag behind a change of size."""
        return max(0.0, value) if self._following else super().validate_scroll_y(value)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self.scrollable_content_region.size != self._fitted:
            return  # Textual clamps to a size that the session does not know yet: nobody has scrolled
        if not self._following and self.session is not None and round(old_value) != round(new_value):
            # The scroll bar was dragged: the session follows, and settles on exact heights.
            self.session.scroll_to_row(round(new_value))
            self.sync()

    def _measure_later(self) -> None:
        """Replace estimates while nothing else is to be done, a few milliseconds at a time.

        Of a long transcript only what is near the window is ever measured.
        """
        if self._measuring is None and self.session is not None and len(self.session.messages) <= MOST_MEASURED:
            self._measuring = self.set_timer(0.05, self._measure)

    def _measure(self) -> None:
        self._measuring = None
        session = self.session
        if session is None or not self.is_attached:
            return
        if self.text_selection is not None:  # it is kept in rows of the document: they must not move under it
            self._measuring = self.set_timer(0.5, self._measure)
            return
        before = session.map.total
        more = session.measure(0.004)
        # What is on the screen does not change, so nothing is repainted until all is measured.
        y = float(session.y_of(session.top))
        self.set_reactive(TranscriptView.scroll_target_y, y)
        self.set_reactive(TranscriptView.scroll_y, y)
        if more:
            self._changed = self._changed or session.map.total != before
            self._measuring = self.set_timer(0.02, self._measure)
        elif self._changed or session.map.total != before:
            self._changed = False
            self.sync()

    def on_resize(self) -> None:
        if self.session is not None:
            region = self.scrollable_content_region
            self._fitted = region.size
            self.session.set_view(region.width - GUTTER - MARGIN, region.height)
            self.sync()

    def _notice_size(self) -> None:
        """Textual does not always tell of a new size when a panel opens beside: what is drawn notices."""
        size = self.scrollable_content_region.size
        if size != self._fitted and self.is_attached:
            self._fitted = size
            self.call_later(self.on_resize)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._palette = {}
        self._strips.clear()

    def _styles(self) -> Palette:
        if not self._palette:
            self._base = self.rich_style
            self._palette = {name: component_style(self, _class(name)) for name in _STYLES}
        return self._palette

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
        """Colour the matches of the search on a row; a match that wraps is coloured on each of its rows."""
        session = self.session
        assert session is not None
        search = session.search
        if search is None:
            return strip
        layout = session.layout(message)
        index, start, end = layout.rows[number]
        line = layout.lines[index]
        if line.ours:
            return strip
        found = [
            (max(m.start(), start), min(m.end(), end))
            # Not the whole of a line that may be a megabyte, for every row of it.
            for m in search.pattern.finditer(line.text, max(0, start - 2_000), end + 200)
            if m.end() > start and m.start() < end
        ]
        if not found:
            return strip
        first = number == 0 or layout.rows[number - 1][0] != index
        margin = margins(line, layout.width)[0 if first else 1]
        style = palette["match.current" if (message, number) == session.cursor else "match"]
        before = len(next(iter(strip)).text) if margin else 0
        for a, b in found:
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

    def _on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._wheel(WHEEL_ROWS, event)

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._wheel(-WHEEL_ROWS, event)

    def _wheel(self, rows: int, event: events.MouseEvent) -> None:
        event.stop()
        event.prevent_default()
        if self.session is not None:
            self.session.scroll_window(rows)
            self.sync()

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
