"""The program's own themes: what becomes of them on a terminal of 256 colours."""

from __future__ import annotations

import pytest
from rich.color import Color, ColorSystem
from textual.theme import Theme

from trajview.app.shared.themes import THEMES


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_backgrounds_stay_greys_that_can_be_told_apart_on_256_colours(theme: Theme) -> None:
    greys = []
    for colour in (theme.background, theme.surface, theme.panel):
        assert colour is not None
        red, green, blue = Color.parse(colour).downgrade(ColorSystem.EIGHT_BIT).get_truecolor()
        assert red == green == blue, f"{colour} is tinted"
        greys.append(red)
    assert greys == sorted(greys, reverse=not theme.dark)
    assert len(set(greys)) == 3
