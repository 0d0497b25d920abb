"""The colours of terminal output in a log, as spans; every other escape sequence is shown, never obeyed."""

from __future__ import annotations

import re
from typing import Any

from rich.color import Color
from rich.style import Style

from trajview.app.render.lines import TERMINAL_TAB, Span, expand_tabs
from trajview.textsafe import safe_text

__all__ = ["AnsiState", "cut_line", "decode_line", "has_ansi"]

_TOKEN = re.compile(r"(?:\x1b\[|\x9b)([0-9;:]*)m|(?:\x1b\[|\x9b)[0-9;?]*[KJGH]|\x1b\(B|\x1b\[\?25[hl]|\x0f")
_CHANGES: dict[int, dict[str, Any]] = {
    1: {"bold": True}, 2: {"dim": True}, 3: {"italic": True}, 4: {"underline": True}, 7: {"reverse": True},
    9: {"strike": True}, 53: {"overline": True}, 22: {"bold": None, "dim": None}, 23: {"italic": None},
    24: {"underline": None}, 27: {"reverse": None}, 29: {"strike": None}, 55: {"overline": None},
    39: {"color": None}, 49: {"bgcolor": None},
}  # fmt: skip
"""What an SGR parameter changes in a style; None takes something away."""
for _ground, _first in (("color", 30), ("bgcolor", 40)):
    _CHANGES |= {_first + n: {_ground: Color.from_ansi(n)} for n in range(8)}
    _CHANGES |= {_first + 60 + n: {_ground: Color.from_ansi(8 + n)} for n in range(8)}


def has_ansi(text: str) -> bool:
    """Whether a text holds escape sequences or carriage returns within its lines."""
    return "\x1b" in text or "\r" in text or "\x9b" in text


class AnsiState:
    """The colours in force, carried from line to line. Blink and concealment are not obeyed."""

    def __init__(self) -> None:
        self._in_force: dict[str, Any] = {}
        self.style: Style | None = None
        """The style in force, None for plain text."""

    def apply(self, parameters: str) -> None:
        """Obey the parameters of one SGR sequence."""
        codes = [code for group in parameters.split(";", 40)[:40] for code in _codes(group)]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self._in_force.clear()
            elif code in (38, 48):
                self._in_force["color" if code == 38 else "bgcolor"] = _extended(codes)
            else:
                self._in_force |= _CHANGES.get(code, {})
        known = {name: value for name, value in self._in_force.items() if value is not None}
        self.style = Style(**known) if known else None


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


def _extended(codes: list[int]) -> Color | None:
    """A colour from `5;n` or `2;r;g;b` after a 38 or 48, which it takes from the codes; from anything else, all of them."""
    if codes[:1] == [5] and len(codes) > 1:
        _, number = codes[:2]
        del codes[:2]
        return Color.from_ansi(number & 255)
    if codes[:1] == [2] and len(codes) > 3:
        red, green, blue = (code & 255 for code in codes[1:4])
        del codes[:4]
        return Color.from_rgb(red, green, blue)
    codes.clear()
    return None


def decode_line(line: str, state: AnsiState) -> tuple[str, list[Span]]:
    """One line of terminal output as safe text and spans; `state` is brought forward.

    What a carriage return has drawn over is dropped, as a terminal would show it; a glyph marks that.
    """
    text = ""
    spans: list[Span] = []
    position = 0
    if "\r" in line:
        line = _overdrawn(line, state)
    for match in (*_TOKEN.finditer(line), None):
        raw = safe_text(line[position : match.start() if match else None])
        column = len(text) % TERMINAL_TAB
        piece = expand_tabs(" " * column + raw, TERMINAL_TAB)[column:]
        if piece and state.style is not None:
            spans.append((len(text), len(text) + len(piece), state.style))
        text += piece
        if match:
            position = match.end()
            _obey(match, state)
    return text, spans


def _obey(escape: re.Match[str], state: AnsiState) -> None:
    if escape[1] is not None:
        state.apply(escape[1])


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
    before, drawn_over, last = line.rstrip("\r").rpartition("\r")
    for match in _TOKEN.finditer(before):
        _obey(match, state)
    return f"␍ {last}" if drawn_over else last
