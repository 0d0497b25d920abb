"""Our scroll bar looks as Textual's does."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.strip import Strip

from trajview.app.shared.bar import Bar, Barred


class Lines(ScrollView):
    """A hundred lines with Textual's bar."""

    DEFAULT_CSS = "Lines { scrollbar-size-vertical: 1; scrollbar-background: blue 30%; scrollbar-color: $primary 60%; }"

    def on_mount(self) -> None:
        self.virtual_size = Size(20, 100)

    def render_line(self, y: int) -> Strip:
        return Strip.blank(self.size.width)


class BarredLines(Barred, Lines):
    """The same with ours."""


class TwoApp(App[None]):
    CSS = "Screen { layout: horizontal; } .wide { scrollbar-size-vertical: 2; }"

    def compose(self) -> ComposeResult:
        yield Lines()
        yield BarredLines()


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "ansi-dark"])
async def test_each_line_is_as_textual_draws_it(theme: str) -> None:
    async with TwoApp().run_test(size=(60, 17)) as pilot:
        pilot.app.theme = theme
        theirs, ours = pilot.app.query_one(Lines), pilot.app.query_one(BarredLines)
        assert type(theirs.vertical_scrollbar) is ScrollBar
        assert type(ours.vertical_scrollbar) is Bar
        for wide in (False, True):
            theirs.set_class(wide, "wide")
            ours.set_class(wide, "wide")
            for y in (0, 1, 7, 30, 50, 82, 83):
                bars = []
                for view in (theirs, ours):
                    view.scroll_to(y=y, animate=False)
                    await pilot.pause()
                    assert view.scroll_offset.y == y
                    bar = view.vertical_scrollbar
                    bars.append(bar.render_lines(Region(0, 0, *bar.size)))
                assert [list(line) for line in bars[0]] == [list(line) for line in bars[1]]
                assert len(bars[1]) == 17


async def test_a_bar_is_drawn_otherwise_where_the_mouse_is_and_can_be_grabbed() -> None:
    async with TwoApp().run_test(size=(60, 17)) as pilot:
        ours = pilot.app.query_one(BarredLines)
        bar = ours.vertical_scrollbar
        before = bar.render_lines(Region(0, 0, *bar.size))
        await pilot.hover(BarredLines, offset=(29, 3))
        await pilot.pause()
        assert list(bar.render_lines(Region(0, 0, *bar.size))[5]) != list(before[5])
        await pilot.mouse_down(BarredLines, offset=(29, 0))
        await pilot.hover(BarredLines, offset=(29, 8))
        await pilot.mouse_up(BarredLines, offset=(29, 8))
        await pilot.pause()
        assert ours.scroll_offset.y > 20
