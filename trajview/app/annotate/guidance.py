"""What a rubric says of the score under the cursor, in the lines that the panel can spare."""

from __future__ import annotations

from typing import ClassVar, Literal, NamedTuple

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from trajview.annotation.rubric import Band, Dimension, Rubric, parse_score, written
from trajview.app.annotate.score_grid import ScoreGrid
from trajview.app.render.lines import wrap
from trajview.textsafe import one_line

__all__ = ["GuidanceBox", "GuideLine", "band_of", "cut", "guide"]

_LONGEST = 2_000
"""Characters of a text that are shown at most."""


class GuideLine(NamedTuple):
    """A line of guidance: the head with the dimension's name, a plain text, a band, or the band of the present score.

    In the place of the head may stand what is `bad` about the score, or what a key has to say, a `notice`.
    """

    kind: Literal["head", "text", "band", "current", "bad", "notice"]
    text: str


class GuidanceBox(Widget):
    """Name, range and description of a dimension and its bands, that of the present score marked; errors come first."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"guidance-box--{name}" for name in ("head", "text", "band", "current", "bad", "notice")
    }
    DEFAULT_CSS = """
    GuidanceBox {
        width: 1fr; text-wrap: nowrap; padding: 0 1 0 0; background: $surface;
        & > .guidance-box--head { color: $text-primary; }
        & > .guidance-box--text { color: $foreground 70%; }
        & > .guidance-box--band { color: $foreground 50%; }
        & > .guidance-box--current { color: $foreground; text-style: bold; }
        & > .guidance-box--bad { color: $text-error; text-style: bold; }
        & > .guidance-box--notice { color: $text-accent; }
        &:ansi > .guidance-box--band { color: ansi_default; text-style: dim; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._grid = ScoreGrid(Rubric("", ()), ())
        self._instead = ""

    def show(self, grid: ScoreGrid, instead: str = "") -> None:
        """Show the guidance for the cell under the cursor of a grid, or a sentence `instead` of it."""
        is_other = grid is not self._grid
        self._grid, self._instead = grid, instead
        self.refresh(layout=is_other)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - Textual's
        """Ask for the lines that show the longest guidance of the rubric in full, so that nothing moves with the cursor."""
        longest = (len(guide(dimension, "", width, 1_000)) for dimension in self._grid.dimensions)
        return max(longest, default=1)

    def content_lines(self, width: int, height: int) -> list[GuideLine]:
        """What is shown, line by line."""
        grid = self._grid
        if self._instead or grid.place is None or grid.dimension is None:
            return [GuideLine("text", cut(self._instead, width))]
        place = grid.place
        whose = grid.names[place.agent] if len(grid.names) > 1 else ""
        guidance = guide(grid.dimension, grid.text(place), width, height, whose)
        # What a key has to say takes the head's line: the name is marked in the table, and nothing moves.
        bad = grid.red(place)
        if bad is not None:
            guidance[:1] = [GuideLine("bad", cut(f"{one_line(grid.dimension.label, 40)}: {bad.sentence}", width))]
        elif grid.notice:
            guidance[:1] = [GuideLine("notice", cut(one_line(grid.notice, 300), width))]
        return guidance

    def render(self) -> Content:
        lines = self.content_lines(self.size.width, self.size.height)
        styled = (Content.styled(text, self.get_visual_style(f"guidance-box--{kind}")) for kind, text in lines)
        return Content("\n").join(styled)


def band_of(dimension: Dimension, text: str) -> Band | None:
    """The band that a typed score is in, the nearer one where it falls between two; None for what is no score."""
    score = parse_score(text, dimension)
    if not isinstance(score, float) or not dimension.bands:
        return None
    return min(dimension.bands, key=lambda band: max(band.low - score, score - band.high, 0.0))


def guide(dimension: Dimension, text: str, width: int, height: int, whose: str = "") -> list[GuideLine]:
    """At most `height` lines of at most `width` cells: name and range, description, and all bands if they fit.

    Where they do not, the band of the score that is typed in `text` comes first, then the description's first line, then
    the bands beside it, a line each. Without a score the bands count from the lowest.
    """
    if height <= 0 or width <= 0:
        return []
    about = "the episode as a whole" if dimension.per == "episode" else whose
    head = f"{one_line(dimension.label, 60)} {dimension.range_text}" + (f" · {one_line(about, 60)}" if about else "")
    current = band_of(dimension, text)
    margin = _margin(dimension)
    parts = [[GuideLine("text", line) for line in _wrapped(dimension.description, width)]]
    parts += [_band_lines(band, width, band is current, margin) for band in dimension.bands]
    centre = dimension.bands.index(current) + 1 if current else 1

    def rank(place: tuple[int, int]) -> tuple[int, int, int, int]:
        """Sorts the lines of all parts by what they are worth where not all of them fit."""
        part, line = place
        distance = abs(part - centre)
        if current and part == centre:
            return (0 if line == 0 else 2, 0, 0, line)
        if part == 0:
            return (1 if line == 0 else 4, 0, 0, line)
        return (3 if line == 0 else 5, distance, part, line)

    places = [(part, line) for part, lines in enumerate(parts) for line in range(len(lines))]
    kept = set(sorted(places, key=rank)[: height - 1])
    found = [GuideLine("head", cut(head, width))]
    for part, line in sorted(kept):
        shown = parts[part][line]
        goes_on = line + 1 < len(parts[part]) and (part, line + 1) not in kept
        found.append(GuideLine(shown.kind, cut(f"{shown.text} …", width)) if goes_on else shown)
    return found


def _margin(dimension: Dimension) -> int:
    return max((len(_ends(band)) for band in dimension.bands), default=0) + 3


def _ends(band: Band) -> str:
    return written(band.low) if band.low == band.high else f"{written(band.low)}..{written(band.high)}"


def _band_lines(band: Band, width: int, current: bool, margin: int) -> list[GuideLine]:
    lead = f"{'▸' if current else ' '}{_ends(band):>{margin - 3}}  "
    lines = _wrapped(band.text, max(1, width - margin)) or [""]
    kind: Literal["band", "current"] = "current" if current else "band"
    return [GuideLine(kind, cut((" " * margin if i else lead) + line, width)) for i, line in enumerate(lines)]


def _wrapped(text: str, width: int) -> list[str]:
    line = one_line(text, _LONGEST)
    return [line[start:end].rstrip() for start, end in wrap(line, width, words=True)] if line.strip() else []


def cut(text: str, width: int) -> str:
    """A line of at most so many cells, its end shown as `…` where it is longer."""
    return text if cell_len(text) <= width else set_cell_size(text, max(0, width - 1)).rstrip(" …") + "…"
