"""The colours of terminal output in a log, as spans; every other escape sequence is shown, never obeyed."""

from __future__ import annotations

import re
from functools import lru_cache

from rich.color import Color
from rich.style import Style

from trajview.app.render.lines import TERMINAL_TAB, Span, expand_tabs
from trajview.textsafe import safe_text

__all__ = ["AnsiState", "cut_line", "decode_line", "has_ansi"]

_TOKEN = re.compile(r"(?:\x1b\[|\x9b)([0-9;:]*)m|(?:\x1b\[|\x9b)[0-9;?]*[KJGH]|\x1b\(B|\x1b\[\?25[hl]|\x0f")
_ATTRIBUTES = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "strike", 53: "overline"}
_OFF = {
    22: ("bold", "dim"),
    23: ("italic",),
    24: ("underline",),
    27: ("reverse",),
    29: ("strike",),
    55: ("overline",),
}


def has_ansi(text: str) -> bool:
    """Whether a text holds escape sequences or carriage returns within its lines."""
    return "\x1b" in text or "\r" in text or "\x9b" in text


class AnsiState:
    """The colours in force, carried from line to line. Blink and concealment are not obeyed."""

    __slots__ = ("attributes", "background", "colour")

    def __init__(self) -> None:
        self.colour: Color | None = None
        self.background: Color | None = None
        self.attributes: frozenset[str] = frozenset()

    def style(self) -> Style | None:
        """The style in force, None for plain text."""
        if self.colour is None and self.background is None and not self.attributes:
            return None
        return _style(self.colour, self.background, self.attributes)

    def apply(self, parameters: str) -> None:
        """Obey the parameters of one SGR sequence."""
        codes = [code for group in parameters.split(";", 40)[:40] for code in _codes(group)]
        index = 0
        while index < len(codes):
            code = codes[index]
            index += 1
            if code == 0:
                self.colour = self.background = None
                self.attributes = frozenset()
            elif code in _ATTRIBUTES:
                self.attributes |= {_ATTRIBUTES[code]}
            elif code in _OFF:
                self.attributes -= set(_OFF[code])
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.colour = Color.from_ansi(code - 30 if code < 90 else code - 82)
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.background = Color.from_ansi(code - 40 if code < 100 else code - 92)
            elif code == 39:
                self.colour = None
            elif code == 49:
                self.background = None
            elif code in (38, 48):
                colour, index = _extended(codes, index)
                if code == 38:
                    self.colour = colour
                else:
                    self.background = colour


def _codes(group: str) -> list[int]:
    """The numbers of one parameter. ITU T.416 writes what belongs together with colons: `38:2::r:g:b`, `4:3`."""
    first, *rest = [int(part) if 0 < len(part) < 5 else 0 for part in group.split(":", 8)[:8]]
    if not rest:
        return [first]
    if first == 4:  # a kind of underline; 0 is none
        return [4 if rest[0] else 24]
    if first in (38, 48) and rest[0] == 2 and len(rest) > 4:  # the colour space comes before red
        return [first, 2, *rest[2:5]]
    return [first, *rest] if first in (38, 48) else []


def _extended(codes: list[int], index: int) -> tuple[Color | None, int]:
    """A colour from `5;n` or `2;r;g;b` after a 38 or 48, and the index after it."""
    kind = codes[index] if index < len(codes) else None
    if kind == 5 and index + 1 < len(codes):
        return Color.from_ansi(codes[index + 1] & 255), index + 2
    if kind == 2 and index + 3 < len(codes):
        red, green, blue = (code & 255 for code in codes[index + 1 : index + 4])
        return Color.from_rgb(red, green, blue), index + 4
    return None, len(codes)


@lru_cache(maxsize=1024)
def _style(colour: Color | None, background: Color | None, attributes: frozenset[str]) -> Style:
    return Style(color=colour, bgcolor=background, **dict.fromkeys(attributes, True))  # type: ignore[arg-type]


def decode_line(line: str, state: AnsiState) -> tuple[str, list[Span]]:
    """One line of terminal output as safe text and spans; `state` is brought forward.

    What a carriage return has drawn over is dropped, as a terminal would show it; a glyph marks that.
    """
    pieces: list[str] = []
    spans: list[Span] = []
    length = 0
    if "\r" in line:
        line = _overdrawn(line, state)
    position = 0
    column = 0

    def add(raw: str) -> None:
        nonlocal length, column
        if not raw:
            return
        text = safe_text(raw)
        if "\t" in text:
            before = column % TERMINAL_TAB
            text = expand_tabs(" " * before + text, TERMINAL_TAB)[before:]
        pieces.append(text)
        style = state.style()
        if style is not None:
            spans.append((length, length + len(text), style))
        length += len(text)
        column += len(text)

    for match in _TOKEN.finditer(line):
        add(line[position : match.start()])
        position = match.end()
        if match.group(1) is not None:
            state.apply(match.group(1))
    add(line[position:])
    return "".join(pieces), spans


def cut_line(line: str, most: int) -> str:
    """The start of a line that shows so many characters: no escape sequence is cut in half, and none counts.

    Nor does what a carriage return has drawn over. The line itself where it shows no more than that.
    """
    if len(line) <= most:
        return line
    position = line.rstrip("\r").rfind("\r") + 1
    left = most
    for match in _TOKEN.finditer(line, position):
        if match.start() - position > left:
            break
        left -= match.start() - position
        position = match.end()
    return line if len(line.rstrip("\r")) <= position + left else line[: position + left]


def _overdrawn(line: str, state: AnsiState) -> str:
    parts = line.rstrip("\r").split("\r")
    if len(parts) == 1:
        return parts[0]
    for part in parts[:-1]:
        for match in _TOKEN.finditer(part):
            if match.group(1) is not None:
                state.apply(match.group(1))
    return "␍ " + parts[-1]
