"""Lines and how they break into rows."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, split_graphemes

from tests.app.strategies import PRINTABLE
from trajview.app.render.lines import expand_output_tabs, expand_tabs, wrap

ASCII = st.text(alphabet="ab  \u0020,.", max_size=80)
WIDTHS = st.integers(1, 40)
HANGS = st.integers(-3, 12)


def shown(text: str, width: int, **more: object) -> list[str]:
    return [text[a:b] for a, b in wrap(text, width, **more)]  # type: ignore[arg-type]


@given(st.one_of(ASCII, PRINTABLE), WIDTHS, HANGS, st.booleans(), st.booleans())
def test_rows_cover_the_text_in_order_and_only_spaces_at_breaks_go(
    text: str, width: int, hang: int, words: bool, full: bool
) -> None:
    rows = wrap(text, width, words=words, hang=hang, full=full)
    assert rows[0][0] == 0
    end = 0
    for start, stop in rows:
        assert end <= start <= stop
        assert text[end:start].strip(" ") == ""
        if not words:
            assert start == end
        end = stop
    assert text[end:].strip(" ") == ""


@given(st.one_of(ASCII, PRINTABLE), WIDTHS, HANGS, st.booleans(), st.booleans())
def test_a_row_fits_its_width_unless_one_character_is_wider(
    text: str, width: int, hang: int, words: bool, full: bool
) -> None:
    for number, (start, end) in enumerate(wrap(text, width, words=words, hang=hang, full=full)):
        room = max(1, width if number == 0 else width - hang)
        graphemes, cells = split_graphemes(text[start:end])
        assert cells <= room or sum(size > 0 for _, _, size in graphemes) == 1


@given(ASCII, WIDTHS, HANGS, st.booleans(), st.booleans())
def test_ascii_breaks_as_other_text_does(text: str, width: int, hang: int, words: bool, full: bool) -> None:
    accented = text.replace("a", "ä")
    assert wrap(text, width, words=words, hang=hang, full=full) == wrap(
        accented, width, words=words, hang=hang, full=full
    )


@given(PRINTABLE, WIDTHS)
def test_no_row_begins_in_the_middle_of_a_character(text: str, width: int) -> None:
    begins = {start for start, _, _ in split_graphemes(text)[0]} | {len(text), 0}
    assert all(start in begins for start, _ in wrap(text, width))


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("", 5, [""]),
        ("abc", 3, ["abc"]),
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 8, ["one two", "three"]),
        ("one   two", 3, ["one", "two"]),
        ("incomprehensible word", 6, ["incomp", "rehens", "ible", "word"]),
        ("日本語 です", 6, ["日本語", "です"]),
        ("日本語です", 5, ["日本", "語で", "す"]),
        ("👩\u200d👩\u200d👧👩\u200d👩\u200d👧", 2, ["👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"]),
        ("e\u0301e\u0301", 1, ["e\u0301", "e\u0301"]),
        ("日a", 1, ["日", "a"]),
    ],
)
def test_breaks_between_words_where_there_is_room(text: str, width: int, rows: list[str]) -> None:
    assert shown(text, width, words=True) == rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("one two three four", ["one two", "three four"]),
        ("    incomprehensible", ["    incomp", "rehensible"]),  # the margin is no word
        ("key: incomprehensible", ["key: incom", "prehensibl", "e"]),
        ("für: unverständlich", ["für: unver", "ständlich"]),
        ("....            [100%]", ["....", "[100%]"]),
    ],
)
def test_a_full_row_breaks_a_word_rather_than_stay_half_empty(text: str, rows: list[str]) -> None:
    assert shown(text, 10, words=True, full=True) == rows


def test_verbatim_text_keeps_every_space() -> None:
    assert shown("ab  cd  ef", 4) == ["ab  ", "cd  ", "ef"]
    assert shown("日  本", 3) == ["日 ", " 本"]


def test_rows_after_the_first_lose_the_hang() -> None:
    assert shown("abcdefghij", 6, hang=3) == ["abcdef", "ghi", "j"]
    assert shown("abcdefghij", 6, hang=100) == ["abcdef", "g", "h", "i", "j"]


@pytest.mark.parametrize("unit", ["word ", "x", "日本語 ", "e\u0301", " "])
@pytest.mark.parametrize("words", [True, False])
def test_a_megabyte_on_one_line_takes_no_longer_than_it_must(unit: str, words: bool) -> None:
    text = unit * (1_000_000 // len(unit))
    before = time.process_time()
    rows = wrap(text, 80, words=words)
    taken = time.process_time() - before
    assert rows[-1][1] >= len(text.rstrip(" "))
    assert taken < 3  # a quadratic one takes minutes


@given(st.text(alphabet="a\t\n日", max_size=30))
def test_tabs_become_spaces_and_nothing_else_changes(text: str) -> None:
    spread = expand_tabs(text)
    assert "\t" not in spread
    assert spread.replace(" ", "") == text.replace("\t", "")
    assert expand_tabs("a\tb") == "a   b"
    assert expand_output_tabs("\t\ta\tb\nplain") == "        a       b\nplain"
    assert cell_len(expand_tabs("\t")) == 4
