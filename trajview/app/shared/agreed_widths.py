"""Characters that terminals give different widths, drawn as what all of them agree on.

One terminal draws a family of emoji in two cells, another in six; a red heart takes one cell or two. Whatever follows on
the line would then stand in another column than Textual believes. So the screen shows the first emoji of a sequence,
and no variation selector, in exactly the cells that Rich gives the whole. Only what is drawn changes: search,
selections, copies, citations, and exports have the text as it is in the log.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.cells import cell_len, split_graphemes
from rich.segment import Segment
from textual.filter import LineFilter

if TYPE_CHECKING:
    from textual.color import Color

__all__ = ["AgreedWidths", "agreed_text"]

_FLAG_LETTERS = {0x1F1E6 + number: chr(ord("A") + number) for number in range(26)}
"""Regional indicators, two of which are a flag in some terminals, and the letters that they stand for."""
_DROPPED = dict.fromkeys(
    (
        0x20E3,  # the frame of a key
        0x3164, 0xFFA0,  # Hangul fillers, which nobody sees
        0xFE0E, 0xFE0F,  # as text, as an emoji
        *range(0x1F3FB, 0x1F400),  # tones of skin
        *range(0xE0020, 0xE0080),  # tags: the flag of a region
    )
)  # fmt: skip
_SHOWN = _FLAG_LETTERS | _DROPPED
_DISPUTED = re.compile("[\u200d" + "".join(map(chr, sorted(_SHOWN))) + "]")


def agreed_text(text: str) -> str:
    """The text as every terminal draws it, in as many cells as Rich counts for it."""
    if text.isascii() or not _DISPUTED.search(text):
        return text
    while text.startswith("\u200d"):  # it was cut apart within a sequence, and Rich counts nothing for what is joined
        text = text[2:]
    graphemes, _ = split_graphemes(text)
    return "".join(_drawn(text[start:end], cells) for start, end, cells in graphemes)


def _drawn(grapheme: str, cells: int) -> str:
    """A character that the reader sees as one, filled up with spaces to its cells."""
    if not _DISPUTED.search(grapheme):
        return grapheme
    shown = grapheme.partition("\u200d")[0].translate(_SHOWN)
    return shown + " " * (cells - cell_len(shown))


class AgreedWidths(LineFilter):
    """Draws every line of every widget so that what follows such characters is in its column."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual passes it
        if all(text.isascii() or not _DISPUTED.search(text) for text, _, _ in segments):
            return segments
        return [Segment(text if control else agreed_text(text), style, control) for text, style, control in segments]
