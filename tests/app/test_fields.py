"""The text field that knows about citations: put in apart from words, found under the cursor, underlined."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from trajview.app.annotate.fields import CitingText


class Page(App[None]):
    def compose(self) -> ComposeResult:
        yield CitingText()


@pytest.mark.parametrize(
    ("text", "at", "after"),
    [
        ("", 0, "[T0B3]"),
        ("It lies", 7, "It lies [T0B3]"),
        ("It lies ", 8, "It lies [T0B3]"),
        ("It lies. Then", 8, "It lies. [T0B3] Then"),
        ("It lies.Then", 8, "It lies. [T0B3] Then"),
        ("(see )", 5, "(see [T0B3])"),
        ("()", 1, "([T0B3])"),
    ],
)
async def test_a_citation_stands_apart_from_the_words_around_it(text: str, at: int, after: str) -> None:
    async with Page().run_test() as pilot:
        field = pilot.app.query_one(CitingText)
        field.text = text
        field.move_cursor((0, at))
        field.insert_citation("[T0B3]")
        assert field.text == after
        begin = after.index("[T0B3]")
        assert field.cursor_location[1] >= begin + len("[T0B3]")


async def test_a_citation_takes_the_place_of_what_is_selected_and_can_be_undone() -> None:
    async with Page().run_test() as pilot:
        field = pilot.app.query_one(CitingText)
        field.text = "It lies here"
        field.selection = field.selection.__class__((0, 12), (0, 8))
        field.insert_citation("[T0B3]")
        assert field.text == "It lies [T0B3]"
        field.undo()
        assert field.text == "It lies here"


@pytest.mark.parametrize(("row", "column", "place"), [(0, 0, "T0B1"), (0, 8, "T0B1"), (0, 14, "T0B1"), (0, 15, "T0B2"), (1, 0, "T0B2"), (1, 9, "T0B1")])  # fmt: skip
async def test_the_citation_under_the_cursor_else_the_next_one(row: int, column: int, place: str) -> None:
    async with Page().run_test() as pilot:
        field = pilot.app.query_one(CitingText)
        field.text = "because [T0B1] here\n[T0B2] and so on"
        field.move_cursor((row, column))
        citation = field.citation_at_cursor
        assert citation is not None
        assert citation.place == place


async def test_without_citations_there_is_none_under_the_cursor() -> None:
    async with Page().run_test() as pilot:
        field = pilot.app.query_one(CitingText)
        field.text = "because"
        assert field.citation_at_cursor is None


async def test_citations_are_underlined_as_they_are_typed() -> None:
    async with Page().run_test() as pilot:
        field = pilot.app.query_one(CitingText)
        field.focus()
        for key in "as [T0B1]!":
            await pilot.press(key if key.isalnum() else {" ": "space", "[": "left_square_bracket", "]": "right_square_bracket", "!": "exclamation_mark"}[key])  # fmt: skip
        await pilot.pause()
        underlined = "".join(s.text for s in field.render_line(0) if s.style and s.style.underline)
        assert underlined == "[T0B1]"
