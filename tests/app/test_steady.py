"""Widgets that are drawn without Textual's way through each line look as they do with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from trajview.app.shared.steady import Bare

from .driving import reading

SAMPLE = Path(__file__).parents[2] / "sample_data/docent/coding_run.json"


@pytest.mark.parametrize("theme", ["trajview-dark", "ansi-dark"])
async def test_lines_are_what_textual_makes_of_them(theme: str) -> None:
    async with reading(SAMPLE) as reader:
        await reader.opened()
        reader.app.theme = theme
        await reader.press("G", "k")
        seen = 0
        for widget in [reader.app.screen, *reader.app.screen.query(Widget)]:
            if not isinstance(widget, Bare) or not widget.region:
                continue
            width, height = widget.region.size
            for crop in (Region(0, 0, width, height), Region(1, 2, max(1, width - 2), height - 3)):
                assert widget.render_lines(crop) == usual(widget, crop)
            # Where the colours are the terminal's own, the screen has none.
            assert widget._is_bare() or (widget is reader.app.screen and theme == "ansi-dark")
            seen += 1
        assert seen == 6, "messages, outline and minimap, two that are around them, and the screen"


async def test_what_is_around_lines_or_over_them_is_drawn_by_textual() -> None:
    async with reading(SAMPLE) as reader:
        await reader.opened()
        view = reader.screen.view
        crop = Region(0, 0, *view.region.size)
        bare = view.render_lines(crop)
        view.styles.tint = Color(255, 0, 0, 0.5)
        assert not view._is_bare()
        assert view.render_lines(crop) != bare
        view.styles.tint = Color(0, 0, 0, 0)
        assert view.render_lines(crop) == bare


def usual(widget: Bare, crop: Region) -> list[Strip]:
    """The lines as Textual draws them."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(type(widget), "_is_bare", lambda _: False)
        return widget.render_lines(crop)
