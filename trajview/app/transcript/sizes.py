"""How large the parts of a message are: what heights are estimated from before anything is laid out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import repeat

from trajview.app.render.blocks import Fold, ViewOptions
from trajview.app.render.layout import MEASURE
from trajview.models.messages import ChatMessage

__all__ = ["Size", "Sizes", "estimates", "sizes_of"]

Size = tuple[tuple[int, int], tuple[int, int], tuple[int, int], int]
"""Lines and characters of prose, of reasoning and of tool output, and the lines of tool calls."""


def sizes_of(messages: Sequence[ChatMessage]) -> list[Size]:
    """The size of each message, of those that are not read yet from their bytes."""
    nothing = (0, 0)
    sizes: list[Size] = []
    for message in messages:
        lines, length, calls = message.size
        if message.role == "tool":
            sizes.append((nothing, nothing, (lines, length), calls))
        else:
            sizes.append(((lines, length), nothing, nothing, calls))
    return sizes


def estimates(sizes: Sequence[Size], options: ViewOptions, fold: Fold) -> list[int]:
    """A guess at the rows of each message without its unit's header. `fold` PREVIEW is of tool output only."""
    extra = _rows_around(options)
    if fold is Fold.CLOSED:
        return [extra + 1] * len(sizes)
    width, measure = _text_widths(options)
    keep = _kept_of_output(options, fold)
    thoughts = options.show_reasoning
    heights = []
    for prose, reasoning, output, calls in sizes:
        rows = extra + prose[0] + prose[1] // measure + calls
        if reasoning[0]:
            rows += reasoning[0] + reasoning[1] // measure if thoughts else 1
        if output[0]:
            rows += min(keep, output[0] + output[1] // width)
        heights.append(rows)
    return heights


class Sizes:
    """The sizes of a transcript's messages, and estimates of all heights at once, the headers of units included.

    Each new width and each fold of everything asks for those, and there may be a hundred thousand. Most messages say one
    thing, or say one and call: their lines, characters and the most rows that are shown of them are columns.
    """

    def __init__(self, sizes: Sequence[Size], starts: Iterable[int] = ()) -> None:
        self._sizes = sizes
        self._headers = [0] * len(sizes)
        for start in starts:
            self._headers[start] = 1
        self._lines: list[int] = []
        self._lengths: list[int] = []
        self._is_output: list[bool] = []
        self._others: list[int] = []
        """The messages that fit into no column."""
        for index, (prose, reasoning, output, calls) in enumerate(sizes):
            besides = prose[0] + calls + self._headers[index]
            if reasoning[0] or (output[0] and besides):
                self._others.append(index)
            lines, length = output if output[0] else prose
            self._lines.append(lines if output[0] else besides)
            self._lengths.append(length)
            self._is_output.append(output[0] > 0)
        self._kept: dict[str, tuple[tuple[int, int], list[int]]] = {}

    @property
    def characters(self) -> int:
        """How long all texts are, about."""
        return sum(prose[1] + reasoning[1] + output[1] for prose, reasoning, output, _ in self._sizes)

    def heights(self, options: ViewOptions, fold: Fold) -> list[int]:
        """A guess at the rows of each message with the header of its unit, where it begins one."""
        extra = _rows_around(options)
        if fold is Fold.CLOSED:
            return [extra + 1 + header for header in self._headers]
        width, measure = _text_widths(options)
        most = _kept_of_output(options, fold)
        widths = self._column("widths", width, measure) if measure < width else repeat(width, len(self._sizes))
        limits = self._column("limits", most, sys.maxsize)
        heights = [
            extra + (rows if (rows := lines + length // columns) < limit else limit)
            for lines, length, columns, limit in zip(self._lines, self._lengths, widths, limits, strict=True)
        ]
        for index in self._others:
            heights[index] = self.height(index, options, fold)
        return heights

    def _column(self, name: str, of_output: int, of_prose: int) -> list[int]:
        """One number for each message, by what it says. The last one of a name is kept."""
        found = self._kept.get(name)
        if found is None or found[0] != (of_output, of_prose):
            column = [of_output if each else of_prose for each in self._is_output]
            found = self._kept[name] = (of_output, of_prose), column
        return found[1]

    def height(self, message: int, options: ViewOptions, fold: Fold) -> int:
        """The same of one message."""
        return estimates([self._sizes[message]], options, fold)[0] + self._headers[message]


def _rows_around(options: ViewOptions) -> int:
    return 1 if options.bare else 2


def _text_widths(options: ViewOptions) -> tuple[int, int]:
    """The columns of output, and those of prose."""
    width = max(8, options.width - 4)
    return width, min(width, MEASURE)


def _kept_of_output(options: ViewOptions, fold: Fold) -> int:
    """The most rows that are shown of a tool's output."""
    if not options.show_tools:
        return 1
    return sys.maxsize if fold is Fold.OPEN else options.preview_lines + 1
