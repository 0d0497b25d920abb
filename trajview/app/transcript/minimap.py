"""The scroll bar of a transcript: all of it in a column or two: who speaks, what is folded or stands out, the window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from trajview.app.render.headers import sign_of
from trajview.app.shared.positions import Positions
from trajview.app.shared.row_styles import SIGNS, SIGNS_IN_ANSI
from trajview.app.shared.styled import Dragged, PlainLines, Styled
from trajview.app.transcript.session import TranscriptSession

__all__ = ["FEW", "Minimap", "OverviewLine", "overview", "window_of"]

FEW = 6
"""Messages on one line up to which a user's among them is shown, wherever it is."""


class OverviewLine(NamedTuple):
    """One line: the role of what is there, whether that is folded, what stands out, and whether it is on the screen."""

    role: str
    """Empty where no bar is shown."""
    folded: bool
    kind: str
    """`error`, `hit`, `mark` or `sign.COLOUR` (a rule's), the gravest; empty for nothing."""
    message: int
    """The first message of that kind, or the one in the middle of the line."""
    window: bool


class Minimap(Dragged, PlainLines, Styled, Widget, can_focus=False):
    """Shows an overview: roles as a bar, dotted where folded, and signs; posts `Picked` when clicked or dragged.

    In one column a sign hides the bar; in two they stand side by side.
    """

    LOOKS: ClassVar[Mapping[str, str]] = {
        "error": "$error", "hit": "$warning", "mark": "$accent", "system": "$foreground 25%", "user": "$primary",
        "assistant": "$secondary 45%", "tool": "$foreground 15%", "window": "on $foreground 22%", **SIGNS,
    }  # fmt: skip
    IN_ANSI: ClassVar[Mapping[str, str]] = {
        "window": "on ansi_bright_black", **SIGNS_IN_ANSI,
    }  # fmt: skip
    DEFAULT_CSS = """
    Minimap {
        width: 1; height: 1fr; background: $background;
    }
    """

    class Picked(Message):
        """A place was clicked: `share` is how far down it is, 0 to 1, and `message` what stands out there, if anything."""

        def __init__(self, share: float, message: int | None = None) -> None:
            super().__init__()
            self.share, self.message = share, message

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._overview: Callable[[int], list[OverviewLine]] = lambda _: []
        """Gives what is on so many lines."""
        self._lines: list[OverviewLine] = []
        """What is on the screen."""
        self._strips: dict[tuple[object, ...], Strip] = {}
        """The few looks that a line can have. Drawn anew for each key, they would be most of the garbage that it makes."""

    def show(self, session: TranscriptSession) -> None:
        """Show another session."""
        self.show_overview(partial(overview, session))

    def show_overview(self, overview: Callable[[int], list[OverviewLine]]) -> None:
        """Show another document; `overview` gives what is on so many lines of it."""
        self._overview = overview
        self.follow()

    def follow(self) -> None:
        """The window has moved, or something else has changed: repaint where that shows."""
        before, self._lines = self._lines, self._overview(self.size.height)
        if self._lines != before:
            self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        self._find_styles()
        if len(self._lines) != self.size.height:
            self._lines = self._overview(self.size.height)
        width = self.size.width
        if y >= len(self._lines):
            return Strip.blank(width, self._base)
        line = self._lines[y]
        look = line.role, line.folded, line.kind, line.window, width
        if look not in self._strips:
            self._strips[look] = self._drawn(line, width)
        return self._strips[look]

    def _drawn(self, line: OverviewLine, width: int) -> Strip:
        style = self._base + self._styles["window"] if line.window else self._base
        bar = Segment(
            "┊" if line.folded else "▎" if line.role else " ", style + self._styles.get(line.role, Style.null())
        )
        sign = Segment("▪", style + self._styles[line.kind]) if line.kind else Segment(" ", style)
        if width > 1:
            return Strip([bar, sign]).adjust_cell_length(width, style)
        return Strip([sign if line.kind else bar])

    def _pick(self, y: int, *, exactly: bool = False) -> None:
        last = self.size.height - 1
        y = max(0, min(y, last))
        line = self._lines[y] if exactly and y < len(self._lines) else None
        self.post_message(self.Picked(y / max(1, last), line.message if line is not None and line.kind else None))


def window_of(session: Positions, height: int) -> tuple[int, int]:
    """The first and last line, of so many, that stand for what is on the screen."""
    total, top = max(1, session.map.total), session.y_of(session.top)
    return top * height // total, min(height - 1, (top + session.height - 1) * height // total)


def overview(session: TranscriptSession, height: int) -> list[OverviewLine]:
    """A session on so many lines; none where it has no messages.

    A line is made from heights and sorted lists in O(log messages): those of a hundred thousand take as long as of a hundred.
    """
    first, last = window_of(session, height)
    return [_line(session, y, height, window=first <= y <= last) for y in range(height) if session.messages]


def _line(session: TranscriptSession, y: int, height: int, *, window: bool) -> OverviewLine:
    total = session.map.total
    first_row = -(-y * total // height)
    after = -(-(y + 1) * total // height)
    if first_row >= after:  # fewer rows than lines: the line shows the row that it is a part of, and no sign
        message = session.map.find(y * total // height)[0]
        return OverviewLine(session.roles[message], session.is_folded(message), "", message, window)
    message = session.map.find((first_row + after - 1) // 2)[0]
    begun, within = session.map.find(first_row)
    begun += within > 0
    last = session.map.find(after - 1)[0]
    few = range(begun, last + 1) if last - begun < FEW else ()
    speaker = next((index for index in few if session.roles[index] == "user"), message)
    role, folded = session.roles[speaker], session.is_folded(speaker)
    found = session.highlights.gravest(begun, last)
    if found is None:
        return OverviewLine(role, folded, "", message, window)
    return OverviewLine(role, folded, sign_of([found])[1], found.message, window)
