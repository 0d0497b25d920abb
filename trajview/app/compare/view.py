"""Two transcripts beside each other in one widget that renders the rows on the screen; their map, and what stands above."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.content import Content
from textual.strip import Strip
from textual.widgets import Static

from trajview.app.compare.comparison import GUTTER, MIDDLE, Comparison, side_width
from trajview.app.compare.paired import PairedRow
from trajview.app.compare.search import SideSearch
from trajview.app.keys import key_of
from trajview.app.render.layout import Palette, row_segments
from trajview.app.shared.cells import fit
from trajview.app.shared.positions import Position
from trajview.app.shared.rows_view import RowsView
from trajview.app.shared.strips import characters_before, with_matches
from trajview.app.transcript.minimap import Minimap, OverviewLine, window_of
from trajview.compare.alignment import Kind
from trajview.compare.facts import Fact

__all__ = ["CompareHead", "CompareMap", "CompareView"]

_SIGNS = {Kind.CHANGED: "≠", Kind.OTHER: "≠", Kind.LEFT: "◂", Kind.RIGHT: "▸"}
_MOST = 2_000
"""Differences that the map shows one by one; of more, as many spread over all of them."""
_FEW: Final = 5
"""Facts that are shown unasked, where the screen is high enough."""
_LOW: Final = 30
"""Rows of a screen that has room for no more than two."""
_COLOURS: Final = "$text-primary", "$text-warning"
_NAME_SIGNS: Final = "◂ ", "▸ "
_DIM: Final = "$foreground 55%"


class CompareView(RowsView, can_focus=True, inherit_bindings=False):
    """Shows a comparison. What is selected is of the side that the mouse, or the cursor, is on."""

    def __init__(self) -> None:
        super().__init__()
        self.session: Comparison | None = None
        self._search: SideSearch | None = None

    def show(self, session: Comparison) -> None:
        """Show another comparison, at its own position."""
        self.session, self._search = session, None
        self._shown_anew()

    def show_search(self, search: SideSearch | None) -> None:
        """Show what a search of the comparison has found, or nothing any more."""
        self._search = search
        self.sync()

    @property
    def _comparison(self) -> Comparison:
        assert self.session is not None
        return self.session

    def _made_for(self) -> tuple[object, ...]:
        session = self._comparison
        return session, session.revision, session.width, session.sides, session.side, self._search

    def _drawn(self, item: int, number: int, palette: Palette, *, here: bool) -> Strip:
        strip = Strip([*self._pieces(item, number, palette, here)])
        if here and self.has_focus:
            strip = strip.apply_style(palette["cursor"])
        return strip.adjust_cell_length(self._comparison.width, self._base)

    def _pieces(self, item: int, number: int, palette: Palette, here: bool) -> Iterable[Segment]:
        session = self._comparison
        row = session.layout(item).rows[number]
        base = self._base
        cursor = Segment("❯ ", base + palette["gutter.cursor"])
        header = number < session.header_row(item)
        if not session.sides:
            yield cursor if here else Segment("  ", base)
            yield self._sign(row.kind, header, palette)
            yield from self._side(item, row, 0 if row.left is not None else 1, palette, here)
        else:
            yield cursor if here and session.side == 0 else Segment("  ", base)
            yield from self._side(item, row, 0, palette, here)
            sign = Segment(" ", base) if header else self._middle(row.kind, palette)
            yield from (sign, cursor) if here and session.side == 1 else (Segment(" ", base), sign, Segment(" ", base))
            yield from self._side(item, row, 1, palette, here)
        yield Segment(" ", base)

    def _side(self, item: int, row: PairedRow, side: int, palette: Palette, here: bool) -> Iterable[Segment]:
        laid_out = self._comparison.layout(item)
        layout, shown = (laid_out.left, row.left) if side == 0 else (laid_out.right, row.right)
        if shown is None:
            return [Segment(" " * layout.width, self._base)]
        segments = row_segments(layout, shown, palette, self._base)
        search = self._search
        if search is None or not search.covers(row, side):
            return segments
        style = palette["match.current" if here else "match"]
        looks = partial(search.looks_at, item)
        return with_matches(Strip(segments), layout, shown, [(search.hits.pattern, looks, style)])

    def _middle(self, kind: Kind, palette: Palette) -> Segment:
        sign = _SIGNS.get(kind)
        return Segment(sign or "│", self._base + palette["middle" if sign is None else "hit"])

    def _sign(self, kind: Kind, header: bool, palette: Palette) -> Segment:
        if header or kind not in (Kind.LEFT, Kind.RIGHT):
            return Segment(" " * GUTTER, self._base)
        name = "role.user" if kind is Kind.LEFT else "hit"
        return Segment(f"{_SIGNS[kind]} ", self._base + palette[name])

    # -- mouse ---------------------------------------------------------------------------------------------------------

    def _selectable(self, strip: Strip, position: Position) -> tuple[int, int] | None:
        """The text of the chosen side; of both where one is below the other."""
        session = self._comparison
        if not session.sides:
            return 2 * GUTTER, len(strip.text)
        left, right, _ = session.layout(position[0]).rows[position[1]]
        if session.side == 0:
            return None if left is None else (GUTTER, characters_before(strip, GUTTER + session.columns))
        start = characters_before(strip, GUTTER + session.columns + MIDDLE)
        return None if right is None else (start, len(strip.text))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        # A selection that begins here is of this side.
        session, offset = self.session, event.get_content_offset(self)
        if session is not None and offset is not None and session.sides:
            session.side = int(offset.x > GUTTER + session.columns)

    def on_click(self, event: events.Click) -> None:
        session, clicked = self.session, self._position_of(event)
        if session is None or clicked is None:
            return
        session.cursor = item, number = clicked
        laid_out = session.layout(item)
        left, right, _ = laid_out.rows[min(number, len(laid_out.rows) - 1)]
        layout, at = (laid_out.left, left) if left is not None else (laid_out.right, right)
        folds = at is not None and layout.lines[layout.rows[at][0]].action == "fold"
        if folds or event.chain == 2:
            session.toggle_fold()
        self.sync()


class CompareMap(Minimap):
    """One column that stands for the whole comparison: where the sides differ, or what a search found, and the screen."""

    LOOKS: ClassVar[Mapping[str, str]] = {
        "left": "$primary", "right": "$warning", "both": "$foreground", "hit": "$accent",
        "window": "on $foreground 22%",
    }  # fmt: skip

    def show_comparison(self, session: Comparison, search: SideSearch | None = None) -> None:
        """Show another comparison, or what another search of it has found."""
        self.show_overview(partial(_overview, session, search))


def _overview(session: Comparison, search: SideSearch | None, height: int) -> list[OverviewLine]:
    """A comparison on so many lines."""
    signs: dict[int, str] = {}

    def line_of(item: int) -> int:
        return min(height - 1, session.map.start(item) * height // max(1, session.map.total))

    for item in session.stops[:: max(1, len(session.stops) // _MOST)]:
        name = {Kind.LEFT: "left", Kind.RIGHT: "right"}.get(session.kind_of(item), "both")
        line = line_of(item)
        signs[line] = name if signs.get(line, name) == name else "both"
    for item in search.items(_MOST) if search is not None else ():
        signs[line_of(item)] = "hit"
    first, last = window_of(session, height)
    shows = session.count > 0
    return [OverviewLine("", False, signs.get(y, ""), 1, 0, shows and first <= y <= last) for y in range(height)]


class CompareHead(Static):
    """The runs' names above their sides, and below them what is known of both and differs."""

    DEFAULT_CSS = """
    CompareHead { height: auto; max-height: 60%; background: $panel; text-wrap: nowrap; }
    """

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = names
        self._comparison: Comparison | None = None
        self._facts: Sequence[Fact] = ()
        self._all = False

    def show(self, comparison: Comparison, facts: Sequence[Fact]) -> None:
        """Show another comparison, and what differs in its runs."""
        self._comparison, self._facts = comparison, facts
        self.follow()

    def toggle_facts(self) -> None:
        """Show all facts that differ, or the first of them."""
        self._all = not self._all
        self.follow()

    def follow(self) -> None:
        """Another side is chosen, the sides are arranged otherwise, or the screen has another size."""
        comparison, size = self._comparison, self.screen.size
        sides = comparison is None or comparison.sides
        width = side_width(size.width - 1) if sides else size.width - 4
        most = _FEW if size.height >= _LOW else 2
        if self._all:
            most = max(most, size.height // 2)
        shown = self._facts if len(self._facts) <= most + 1 else self._facts[:most]
        lines = [*self._name_lines(width, sides), *_fact_lines(shown, width, sides)]
        if len(shown) < len(self._facts):
            more = f"⋯ {len(self._facts) - len(shown)} more: {key_of('compare.facts')}"
            lines.append(Content.assemble(" " * GUTTER, (more, _DIM)))
        self.update(Content("\n").join(lines))

    def _name_lines(self, width: int, sides: bool) -> list[Content]:
        chosen = self._comparison.side if self._comparison is not None else 0
        styles = [f"{'bold' if side == chosen else '$foreground 75%'} {colour}" for side, colour in enumerate(_COLOURS)]
        left, right = ((fit(name, width), style) for name, style in zip(self._names, styles, strict=True))
        if sides:
            return [Content.assemble(" " * GUTTER, left, " " * MIDDLE, right)]
        return [Content.assemble(sign, name) for sign, name in zip(_NAME_SIGNS, (left, right), strict=True)]


def _fact_lines(facts: Sequence[Fact], width: int, sides: bool) -> Iterator[Content]:
    column = min(32, max((cell_len(fact.name) for fact in facts), default=0) + 2, max(8, width // 2))
    for fact in facts:
        name = fit(fact.name, column - 1) + " ", _DIM
        left, right = fact.left or "–", fact.right or "–"
        if sides:
            values = fit(left, width - column) + " " * MIDDLE + fit(right, width)
        else:
            values = fit(f"{left} → {right}" if fact.differs else left, max(4, width - column))
        yield Content.assemble(" " * GUTTER, name, values)
