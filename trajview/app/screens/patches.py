"""What has changed on a screen, drawn by the widgets that are in front there, and written where the terminal shows other.

Textual has every widget draw itself that reaches into the rectangle around all that has changed, those behind others
too, cuts each line where any of them begins or ends, and writes all of it, also what stands there already.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from textual._compositor import ChopsUpdate, Compositor, CompositorUpdate, ReflowResult
from textual.geometry import Region, Size

if TYPE_CHECKING:
    from rich.console import Console
    from textual.strip import Strip
    from textual.widget import Widget

__all__ = ["PatchCompositor", "Patches", "Shown"]

_OF_COMPOSITOR: Final = ("_dirty_regions", "_full_map", "visible_widgets")
"""Names of Textual's that are its own business, and may be others in its next version."""


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
    """Pieces of lines, to be written where `shown` knows of no such piece; all of them without it."""

    def __init__(self, pieces: Iterable[tuple[int, int, Strip]]) -> None:
        self.pieces = list(pieces)
        self.shown: Shown | None = None

    def render_segments(self, console: Console) -> str:
        """The characters and codes for the terminal."""
        written: list[str] = []
        shown = self.shown if self.shown is not None else Shown()
        for x, y, strip in self.pieces:
            text = strip.render(console)
            if shown.put(x, y, strip.cell_length, text):
                written.append(f"\x1b[{y + 1};{x + 1}H{text}")
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
        # Textual says ChopsUpdate, and asks of it what any CompositorUpdate has.
        return Patches(self._drawn(changed)) if changed else None  # type: ignore[return-value]

    def _drawn(self, changed: Iterable[Region]) -> Iterator[tuple[int, int, Strip]]:
        # All of a line that changes in part: a character of two cells may have been cut where something stood over it.
        lines = {Region(seen.x, part.y, seen.width, part.height) for _, _, seen, part in self._in_front(changed)}
        for widget, region, seen, part in self._in_front(lines):
            strips = widget.render_lines(Region(seen.x - region.x, part.y - region.y, seen.width, part.height))
            start, end = part.x - seen.x, part.right - seen.x
            for y, strip in enumerate(strips[: part.height], part.y):
                piece = strip.crop(start, end) if (start, end) != (0, strip.cell_length) else strip
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
