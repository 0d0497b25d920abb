"""What has changed on a screen, drawn by the widgets that are in front there, and written where the terminal shows other.

Textual has every widget draw itself that reaches into the rectangle around all that has changed, those behind others
too, cuts each line where any of them begins or ends, and writes all of it, also what stands there already.

Terminals don't agree how many cells some characters take. A line with any of them is written so that what stands beside
them is in its place in every terminal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from textual._compositor import ChopsUpdate, Compositor, CompositorUpdate, LayoutUpdate, ReflowResult
from textual.geometry import Region, Size
from textual.strip import Strip

if TYPE_CHECKING:
    from rich.console import Console
    from textual.widget import Widget

__all__ = ["PatchCompositor", "Patches", "Shown"]

Piece: TypeAlias = "tuple[int, int, Strip]"
"""Column and line where a piece of a line begins, and the piece."""

_OF_COMPOSITOR: Final = ("_dirty_regions", "_full_map", "visible_widgets")
"""Names of Textual's that are its own business, and may be others in its next version."""
_LOOSE: Final = (
    "[^\\x00-\u02ff\u0370-\u0482\u048a-\u058f\u2010-\u2027\u202f-\u205f\u2070-\u20cf\u2100-\u2bff\u2e80-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]"
)
"""All but the characters that take as many cells in one terminal as in another: emoji, and what joins or adorns others."""
_OURS: Final = frozenset(map(chr, range(0x20, 0x7F))) | set("▌…·✓○◆▁▂▃▄▅▆▇█⏎─│▾▸")
"""Characters that we draw with ourselves, none of them loose."""
_ADORNS: Final = "\u200d\ufe0e\ufe0f\u20e3"
"""Characters that make another one of the character before."""
_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"


def _is_loose(strip: Strip) -> bool:
    """Whether terminals may give it more cells, or fewer, than it is taken for."""
    return any(_is_loose_text(text) for text, _, _ in strip)


def _is_loose_text(text: str) -> bool:
    return not text.isascii() and not _OURS.issuperset(text) and _loose_in()(text) is not None


@cache
def _loose_in() -> Callable[[str], re.Match[str] | None]:
    # Such a set takes 3 ms to compile, and the first screen mostly needs none.
    return re.compile(_LOOSE).search


def _in_place(x: int, y: int, strip: Strip, console: Console) -> str:
    """A loose piece of a line: over cells that are empty, for what it leaves, and not on into the next line.

    What follows on what is loose in it, as where a screen below shows through, is in its place as well.
    """
    written = [_NO_WRAP]
    for part in _to_loose(strip):
        there = f"\x1b[{y + 1};{x + 1}H"
        empty = Segment(" " * part.cell_length, part._segments[-1].style)
        written += there, Strip([empty], part.cell_length).render(console), there, part.render(console)
        x += part.cell_length
    written.append(_WRAP)
    return "".join(written)


def _to_loose(strip: Strip) -> Iterator[Strip]:
    """A piece of a line in parts that end where something loose does."""
    part: list[Segment] = []
    for segment in strip:
        part.append(segment)
        if _is_loose_text(segment.text):
            yield Strip(part)
            part = []
    if part:
        yield Strip(part)


def _uncut(strip: Strip) -> Strip:
    """A piece that was cut, as long as it says that it is: of a sign that was cut too much may be left, or too little."""
    segments = list(strip)
    lost = strip.cell_length - sum(cell_len(text) for text, _, _ in segments)
    if not lost or not segments:
        return strip
    text, style, control = segments[0]
    room = max(0, cell_len(text) + lost)
    while text and (text[0] in _ADORNS or cell_len(text) > room):
        text = text[1:]
    segments[:1] = Segment(" " * (room - cell_len(text)), style), Segment(text, style, control)
    return Strip(segments)


class Shown:
    """What a terminal shows, as far as it is known: pieces of lines that do not overlap."""

    __slots__ = ("_lines",)

    def __init__(self) -> None:
        self._lines: dict[int, dict[int, tuple[int, str]]] = {}

    def forget(self) -> None:
        """Anything may be shown."""
        self._lines.clear()

    def put(self, x: int, y: int, width: int, text: str) -> bool:
        """A piece of a line is to be shown; returns whether it has to be written."""
        line = self._lines.setdefault(y, {})
        known = line.get(x)
        if known is None or known[0] != width:
            for begin, (cells, _) in list(line.items()):
                if begin < x + width and x < begin + cells:
                    del line[begin]
        elif known[1] == text:
            return False
        line[x] = width, text
        return True


class Patches(CompositorUpdate):
    """Pieces of lines, to be written where `shown` knows of no such piece; all of them without it.

    Lines that are `loose` must be all there, from left to right.
    """

    def __init__(self, pieces: Iterable[Piece], loose: Collection[int] = ()) -> None:
        self.pieces, self.loose = list(pieces), loose
        self.shown: Shown | None = None

    def render_segments(self, console: Console) -> str:
        """The characters and codes for the terminal."""
        written: list[str] = []
        shown = self.shown if self.shown is not None else Shown()
        lines: dict[int, list[str]] = {y: [] for y in self.loose}
        ends: dict[int, int] = {}
        for x, y, strip in self.pieces:
            if y in lines:
                lines[y].append(_in_place(x, y, strip, console))
                ends[y] = x + strip.cell_length
                continue
            text = strip.render(console)
            if shown.put(x, y, strip.cell_length, text):
                written.append(f"\x1b[{y + 1};{x + 1}H{text}")
        for y, pieces in lines.items():
            text = "".join(pieces)
            # Not as wide as the console says: it may go by COLUMNS, and the terminal not.
            if shown.put(0, y, ends.get(y, 0), text):
                written.append(text)
        return "".join(written)


class Whole(LayoutUpdate):
    """All of a screen."""

    def render_segments(self, console: Console) -> str:
        """The characters and codes for the terminal."""
        written: list[str] = []
        left, top = self.region.x, self.region.y
        for y, line in enumerate(map(list, self.strips), top):
            x = left
            if any(map(_is_loose, line)):
                for strip in line:
                    written.append(_in_place(x, y, strip, console))
                    x += strip.cell_length
            else:
                written.append(f"\x1b[{y + 1};{x + 1}H")
                written += [strip.render(console) for strip in line]
        return "".join(written)


class PatchCompositor(Compositor):
    """Draws what has changed piece by piece, and all of a screen as Textual does."""

    _placed: Mapping[Widget, Any] = MappingProxyType({})
    """Where everything was, at the last layout."""

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        """Lay out anew. What is elsewhere now, or gone, has changed.

        Textual compares with where it last looked for a widget, and where that was in between, it misses one that is gone.
        """
        result = super().reflow(parent, size)
        if all(hasattr(self, name) for name in _OF_COMPOSITOR):
            before, self._placed = self._placed, self._full_map
            regions = {at.clip.intersection(at.region) for _, at in before.items() ^ self._placed.items()}
            self._dirty_regions.update(region for region in regions if region)
        return result

    def render_partial_update(self) -> ChopsUpdate | None:
        """What has changed; None where nothing has. Where Textual is not made as it was, it draws that itself."""
        if not all(hasattr(self, name) for name in _OF_COMPOSITOR):
            return super().render_partial_update()
        changed = list(self._dirty_regions)
        self._dirty_regions.clear()
        if not changed:
            return None
        pieces = list(self._drawn(changed))
        loose = {y for _, y, strip in pieces if _is_loose(strip)}
        if loose:
            pieces = [piece for piece in pieces if piece[1] not in loose]
            whole = self._drawn(Region(0, y, self.size.width, 1) for y in loose)
            pieces += sorted(whole, key=lambda piece: (piece[1], piece[0]))
        # Textual says ChopsUpdate, and asks of it what any CompositorUpdate has.
        return Patches(pieces, loose)  # type: ignore[return-value]

    def render_full_update(self, simplify: bool = False) -> LayoutUpdate:
        """All of the screen."""
        update = super().render_full_update(simplify)
        return Whole([list(line) for line in update.strips], update.region)

    def _render_chops(self, crop: Region, is_rendered_line: Callable[[int], bool]) -> Sequence[Mapping[int, Strip]]:
        chops = super()._render_chops(crop, is_rendered_line)
        return [{x: _uncut(strip) if strip else strip for x, strip in line.items()} for line in chops]

    def _drawn(self, changed: Iterable[Region]) -> Iterator[Piece]:
        # All of a line that changes in part: a character of two cells may have been cut where something stood over it.
        lines = {Region(seen.x, part.y, seen.width, part.height) for _, _, seen, part in self._in_front(changed)}
        for widget, region, seen, part in self._in_front(lines):
            strips = widget.render_lines(Region(seen.x - region.x, part.y - region.y, seen.width, part.height))
            start, end = part.x - seen.x, part.right - seen.x
            for y, strip in enumerate(strips[: part.height], part.y):
                piece = _uncut(strip.crop(start, end)) if (start, end) != (0, strip.cell_length) else strip
                if piece.cell_length:
                    yield part.x, y, piece

    def _in_front(self, changed: Iterable[Region]) -> Iterator[tuple[Widget, Region, Region, Region]]:
        """Each widget that is in front somewhere in what has changed, its region, what is seen of that, and the part."""
        left = _apart(self.size.region.intersection(region) for region in changed)
        for widget, (region, clip) in self.visible_widgets.items():
            if not left:
                break
            seen = region.intersection(clip)
            behind: list[Region] = []
            for each in left:
                part = each.intersection(seen)
                if part:
                    yield widget, region, seen, part
                    behind += _without(each, part)
                else:
                    behind.append(each)
            left = behind


def _apart(regions: Iterable[Region]) -> list[Region]:
    """The same cells in regions that do not overlap."""
    apart: list[Region] = []
    # The large ones first: what lies in them is not cut out of them.
    for region in sorted(regions, key=lambda each: -each.area):
        pieces = [region] if region else []
        for known in apart:
            pieces = [rest for piece in pieces for rest in _without(piece, piece.intersection(known))]
        apart += pieces
    return apart


def _without(region: Region, part: Region) -> list[Region]:
    """What is left of a region where a part of it is taken away: above, below, and beside it."""
    if not part:
        return [region]
    around = (
        Region(region.x, region.y, region.width, part.y - region.y),
        Region(region.x, part.bottom, region.width, region.bottom - part.bottom),
        Region(region.x, part.y, part.x - region.x, part.height),
        Region(part.right, part.y, region.right - part.right, part.height),
    )
    return [each for each in around if each]
