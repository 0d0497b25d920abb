"""How large messages are: what their heights are estimated from before anything is laid out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from trajview.app.render.layout import MEASURE
from trajview.app.render.options import Fold, ViewOptions
from trajview.models.messages import ChatMessage

__all__ = ["Size", "estimates", "sizes_of"]

Size = tuple[int, int, int, bool]
"""Lines and characters of a message's text, the lines of its tool calls, and whether it is a tool's output."""


def sizes_of(messages: Iterable[ChatMessage]) -> list[Size]:
    """The size of each message, of those that are not read yet from their bytes."""
    return [(*message.size, message.role == "tool") for message in messages]


def estimates(sizes: Sequence[Size], options: ViewOptions, fold: Fold) -> list[int]:
    """A guess at the rows of each message without its unit's header. `fold` PREVIEW is of tool output only."""
    around = 1 if options.bare else 2
    if fold is Fold.CLOSED:
        return [around + 1] * len(sizes)
    width = max(8, options.width - 4)
    measure = min(width, MEASURE)
    most = _rows_of_output(options, fold)
    return [
        around + calls + (min(most, lines + length // width) if output else lines + length // measure)
        for lines, length, calls, output in sizes
    ]


def _rows_of_output(options: ViewOptions, fold: Fold) -> int:
    """The most rows that are shown of a tool's output."""
    if not options.show_tools:
        return 1
    return sys.maxsize if fold is Fold.OPEN else options.preview_lines + 1
