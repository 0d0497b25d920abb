"""What is remembered of component classes is what Textual finds; and it is found once only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.css.stylesheet import Stylesheet as TextualStylesheet
from textual.dom import DOMNode
from textual.screen import Screen

from trajview.app.shared import stylesheet
from trajview.app.shared.stylesheet import Stylesheet

from .driving import Reader, reading


def _styles(node: DOMNode) -> dict[str, Any]:
    return {name: styles.base.get_rules() for name, styles in node._component_styles.items()}


def _differing(screen: Screen[Any], sheet: TextualStylesheet) -> list[str]:
    """The widgets whose component classes Textual would style otherwise than they are styled."""
    differing = []
    for node in screen.walk_children(with_self=True):
        ours = _styles(node)
        TextualStylesheet._process_component_classes(sheet, node)
        if _styles(node) != ours:
            differing.append(str(node))
    return differing


async def test_component_classes_look_as_textual_has_them_in_every_state(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        sheet = reader.app.stylesheet
        assert isinstance(sheet, Stylesheet)
        assert len(_styles(reader.screen.view)) > 50, "there is something to compare"
        for key in ("o", "tab", "a", "tab", "escape", "f1", "escape", "slash", "escape"):
            await reader.press(key)
            assert _differing(reader.app.screen, sheet) == [], key
        for theme in ("trajview-light", "textual-light", "trajview-dark"):
            before = _styles(reader.screen.view)
            reader.app.theme = theme
            await reader.until(lambda before=before: _styles(reader.screen.view) != before, theme)
            assert _differing(reader.app.screen, sheet) == [], theme


async def test_a_class_that_comes_and_goes_changes_the_look_and_asks_once_only(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0
    textuals = TextualStylesheet._process_component_classes

    def count(self: TextualStylesheet, node: DOMNode) -> None:
        nonlocal asked
        asked += 1
        textuals(self, node)

    async with reading(log) as reader:
        await reader.opened()
        view, sheet = reader.screen.view, reader.app.stylesheet
        sheet.add_source("RowsView.-loud .tv--role-user { background: red; }", ("", "loud"))
        sheet.update(view)
        monkeypatch.setattr(TextualStylesheet, "_process_component_classes", count)
        plain = _styles(view)
        for loud in (True, False, True, False):
            view.set_class(loud, "-loud")
            await reader.pilot.pause()
            assert (_styles(view) != plain) is loud
        assert asked == 1, "for the loud view, and only the first time"


async def test_textuals_own_stylesheet_serves_where_textual_is_made_otherwise(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stylesheet, "_OF_NODES", ("_renamed",))
    async with reading(log) as reader:
        await reader.opened()
        assert type(reader.app.stylesheet) is TextualStylesheet
        assert len(_styles(reader.screen.view)) > 50


async def test_two_apps_parse_their_css_once(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def look(reader: Reader) -> None:
        await reader.opened()
        await reader.press("o")

    async with reading(log) as reader:
        await look(reader)

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("parsed anew")

    monkeypatch.setattr("textual.css.stylesheet.parse", refuse)
    async with reading(log) as reader:
        await look(reader)


async def test_classes_of_a_screen_restyle_all_that_depends_on_them_and_little_else(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def looks(reader: Reader) -> list[object]:
        nodes = reader.screen.walk_children(with_self=True)
        return [(node, node.styles.base.get_rules(), _styles(node)) for node in nodes]

    restyled: set[DOMNode] = set()
    apply = Stylesheet.apply

    def noted(sheet: Stylesheet, node: DOMNode, **more: Any) -> None:
        restyled.add(node)
        apply(sheet, node, **more)

    async with reading(log) as reader:
        await reader.opened()
        await reader.press("i")
        for size in ((200, 60), (80, 24), (120, 40), (60, 20), (200, 60)):
            restyled.clear()
            with monkeypatch.context() as patched:
                patched.setattr(Stylesheet, "apply", noted)
                await reader.pilot.resize_terminal(*size)
                await reader.pilot.pause()
            found, after = restyled & {*reader.screen.walk_children()}, looks(reader)
            reader.screen.update_node_styles(animate=False)
            assert after == looks(reader), size
            assert 0 < len(found) < len(after) / 2, found
