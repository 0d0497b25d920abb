"""What terminals give different widths is drawn as all of them draw it, and stays as it is everywhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.geometry import Offset
from textual.selection import Selection

from trajview.app.shared.agreed_widths import AgreedWidths, agreed_text

from .driving import reading
from .logs import chat, write_jsonl
from .strategies import PRINTABLE

FAMILY, HEART, KEYCAP, FLAG, TONE = "👨\u200d👩\u200d👧", "❤\ufe0f", "1\ufe0f\u20e3", "🇩🇪", "👍🏽"
WALES = "🏴" + "".join(chr(0xE0000 + ord(char)) for char in "gbwls") + "\U000e007f"
PIECES = [
    "a",
    " ",
    "日",
    "é",
    "e\u0301",
    "\u200d",
    "\ufe0f",
    "\ufe0e",
    "\u20e3",
    "🏽",
    "🇩",
    "👩",
    "❤",
    FAMILY,
    FLAG,
    WALES,
]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (FAMILY, "👨"),
        ("👩🏽\u200d💻", "👩"),
        (HEART, "❤ "),
        ("⌚\ufe0e", "⌚"),
        (KEYCAP, "1 "),
        (FLAG, "DE"),
        (TONE, "👍"),
        (WALES, "🏴"),
        (f"a {FAMILY}{HEART} b", "a 👨❤  b"),
        ("日本語 e\u0301 👍 plain", "日本語 e\u0301 👍 plain"),
    ],
)
def test_a_sequence_is_drawn_as_its_first_character_in_as_many_cells(text: str, shown: str) -> None:
    assert agreed_text(text) == shown


@given(st.one_of(PRINTABLE, st.lists(st.sampled_from(PIECES), max_size=9).map("".join)))
def test_every_text_keeps_its_width_and_has_nothing_left_that_is_disputed(text: str) -> None:
    shown = agreed_text(text)
    assert cell_len(shown) == cell_len(text)
    assert not set(shown) & {*"\u200d\ufe0e\ufe0f\u20e3🏽🇩🇪"}
    assert agreed_text(shown) == shown


def test_lines_without_such_characters_are_not_made_anew() -> None:
    segments = [Segment("plain"), Segment("日本語")]
    assert AgreedWidths().apply(segments, Color.parse("black")) is segments


async def test_selections_searches_and_copies_have_the_text_of_the_log(tmp_path: Path) -> None:
    said = f"{FAMILY} {HEART} {KEYCAP} {FLAG} {TONE} end"
    async with reading(write_jsonl(tmp_path / "log.jsonl", [chat("one", "ask", said)])) as reader:
        await reader.opened()
        view = reader.screen.view
        assert "👨 ❤  1  DE 👍 end" in reader.whole_screen
        found = view.get_selection(Selection(Offset(0, 0), None))
        assert found is not None
        assert said in found[0]
        await reader.ask("slash", FLAG)
        await reader.until(lambda: "1/1" in reader.whole_screen or "1 of 1" in reader.whole_screen)
