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
from trajview.app.shared.row_styles import SIGNS, SIGNS_IN_ANSI, SPEAKERS, SPEAKERS_IN_ANSI
from trajview.app.shared.styled import Dragged, PlainLines, Styled
from trajview.app.transcript.session import TranscriptSession

__all__ = ["FEW", "Minimap", "OverviewLine", "overview", "window_of"]

_BARS = "▎▌▊█"
FEW = 6
"""Messages on one line up to which a user's among them is shown, wherever it is."""


class OverviewLine(NamedTuple):
    """One line: who speaks there, whether that is folded, what stands out, and whether it is on the screen."""

    voice: str
    """A role, or the number of one of several speakers (see `TranscriptSession.voice`)."""
    """Empty where no bar is shown."""
    folded: bool
    kind: str
    """`error`, `hit`, `mark` or `sign.COLOUR` (a rule's), the gravest; empty for nothing."""
    weight: int
    """Messages of that kind."""
    message: int
    """The first message of that kind, or the one in the middle of the line."""
    window: bool


class Minimap(Dragged, PlainLines, Styled, Widget, can_focus=False):
    """Shows an overview: who speaks, dotted where folded, and how much stands out; posts `Picked` when clicked or dragged.

    In one column a sign hides the bar; in two they stand side by side.
    """

    LOOKS: ClassVar[Mapping[str, str]] = {
        "error": "$error", "hit": "$warning", "mark": "$accent", "system": "$foreground 25%", "user": "$primary",
        "assistant": "$secondary 45%", "tool": "$foreground 15%", "window": "on $foreground 22%", **SPEAKERS, **SIGNS,
    }  # fmt: skip
    IN_ANSI: ClassVar[Mapping[str, str]] = {
        "window": "on ansi_bright_black", **SPEAKERS_IN_ANSI, **SIGNS_IN_ANSI,
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
        sign = self._sign(line)
        look = line.voice, line.folded, line.kind, sign, line.window, width
        if look not in self._strips:
            self._strips[look] = self._drawn(line, sign, width)
        return self._strips[look]

    def _sign(self, line: OverviewLine) -> str:
        """How much stands out on a line, as a bar: full on the line with most. A dot where no line has more than one."""
        if not line.kind:
            return " "
        most = max(other.weight for other in self._lines)
        return "▪" if most == 1 else _BARS[(line.weight * len(_BARS) - 1) // most]

    def _drawn(self, line: OverviewLine, sign: str, width: int) -> Strip:
        style = self._base + self._styles["window"] if line.window else self._base
        bar = Segment(
            "┊" if line.folded else "▎" if line.voice else " ", style + self._styles.get(line.voice, Style.null())
        )
        signed = Segment(sign, style + self._styles[line.kind]) if line.kind else Segment(sign, style)
        if width > 1:
            return Strip([bar, signed]).adjust_cell_length(width, style)
        return Strip([signed if line.kind else bar])

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
        return OverviewLine(session.voice(message), session.is_folded(message), "", 0, message, window)
    message = session.map.find((first_row + after - 1) // 2)[0]
    begun, within = session.map.find(first_row)
    begun += within > 0
    last = session.map.find(after - 1)[0]
    few = range(begun, last + 1) if last - begun < FEW else ()
    speaker = next((index for index in few if session.roles[index] == "user"), message)
    voice, folded = session.voice(speaker), session.is_folded(speaker)
    strongest = session.highlights.strongest(begun, last)
    if strongest is None:
        return OverviewLine(voice, folded, "", 0, message, window)
    found, count = strongest
    return OverviewLine(voice, folded, sign_of([found])[1], count, found.message, window)
