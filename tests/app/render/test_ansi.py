"""Terminal output: its colours as spans, everything else harmless."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color
from rich.style import Style

from tests.app.strategies import HOSTILE
from trajview.app.render.ansi import AnsiState, decode_line, has_ansi
from trajview.textsafe import safe_text

UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def decode(text: str) -> list[tuple[str, list[tuple[str, Style]]]]:
    """Each line's text, and its coloured pieces."""
    state = AnsiState()
    result = []
    for line in text.split("\n"):
        shown, spans = decode_line(line, state)
        result.append((shown, [(shown[a:b], style) for a, b, style in spans if isinstance(style, Style)]))
    return result


def one(text: str) -> tuple[str, list[tuple[str, Style]]]:
    return decode(text)[0]


@given(HOSTILE)
def test_nothing_that_acts_on_a_terminal_is_left(text: str) -> None:
    state = AnsiState()
    for line in text.split("\n"):
        shown, spans = decode_line(line, state)
        assert not UNSAFE.search(shown)
        assert all(0 <= a < b <= len(shown) for a, b, _ in spans)


@given(
    st.lists(
        st.sampled_from(["ab", " ", "日", "\x1b[31m", "\x1b[0m", "\x1b[1;4m", "\x1b[K", "\x1b[38;5;3m"]), max_size=20
    )
)
def test_all_text_between_colours_is_kept(pieces: list[str]) -> None:
    assert one("".join(pieces))[0] == "".join(piece for piece in pieces if piece[0] != "\x1b")


def test_a_colour_holds_until_it_is_reset_over_lines() -> None:
    red = Style(color=Color.from_ansi(1))
    assert decode("a\x1b[31mb\nc\n\x1b[0md") == [("ab", [("b", red)]), ("c", [("c", red)]), ("d", [])]


@pytest.mark.parametrize(
    ("parameters", "style"),
    [
        ("1", Style(bold=True)),
        ("1;3;4", Style(bold=True, italic=True, underline=True)),
        ("01;32", Style(bold=True, color=Color.from_ansi(2))),
        ("97;100", Style(color=Color.from_ansi(15), bgcolor=Color.from_ansi(8))),
        ("38;5;208", Style(color=Color.from_ansi(208))),
        ("48;5;17;1", Style(bgcolor=Color.from_ansi(17), bold=True)),
        ("38;2;1;2;3", Style(color=Color.from_rgb(1, 2, 3))),
        ("38:2:1:2:3", Style(color=Color.from_rgb(1, 2, 3))),
        ("38:2::1:2:3", Style(color=Color.from_rgb(1, 2, 3))),
        ("38:5:9;48;2;4;5;6", Style(color=Color.from_ansi(9), bgcolor=Color.from_rgb(4, 5, 6))),
        ("4:3", Style(underline=True)),
        ("31;4:0;1", Style(color=Color.from_ansi(1), bold=True)),
        ("7", Style(reverse=True)),
        ("9", Style(strike=True)),
    ],
)
def test_a_style_is_as_asked(parameters: str, style: Style) -> None:
    assert one(f"\x1b[{parameters}mx") == ("x", [("x", style)])


@pytest.mark.parametrize(
    "parameters", ["", "0", ";", "31;0", "31;", "31;39", "1;22", "1;2;22", "8", "5", "999", "38", "38;5", "38;2;1"]
)
def test_what_sets_no_colour_leaves_plain_text(parameters: str) -> None:
    assert one(f"\x1b[{parameters}mx") == ("x", [])


@pytest.mark.parametrize("piece", ["9", "1;", "38;5;9", "38;2;9;", ":", "38:2:"])
def test_parameters_beyond_reason_break_nothing(piece: str) -> None:
    assert one(f"\x1b[{piece * 5_000}mx")[0] == "x"


@pytest.mark.parametrize(
    "sequence",
    ["\x1b]52;c;aGk=\x07", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "\x1bP1$r\x1b\\", "\x1b[5;5H\x1b[2A", "\x1b[6n", "\x1bc", "\x1b[", "\x1b", "\x1b[31", "\x9d0;t\x9c"],
)  # fmt: skip
def test_other_escapes_are_not_obeyed_and_the_text_round_them_stays(sequence: str) -> None:
    shown = one(f"before{sequence}after")[0]
    assert not UNSAFE.search(shown)
    assert shown.startswith("before")
    assert shown.endswith("after")


def test_a_link_shows_its_text_and_its_address() -> None:
    shown = one("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\")[0]
    assert "link" in shown
    assert "http://x" in shown


def test_a_progress_bar_shows_what_it_ended_with() -> None:
    assert one("10%\r 50%\r100% done")[0] == "␍ 100% done"
    assert one("10%\r100%\r")[0] == "␍ 100%"
    assert one("plain\r")[0] == "plain"


def test_a_colour_that_was_drawn_over_still_holds() -> None:
    assert one("\x1b[31mred\rnext") == ("␍ next", [("␍ next", Style(color=Color.from_ansi(1)))])


def test_tabs_stop_at_columns_whatever_colours_come_between() -> None:
    assert one("ab\x1b[31m\tc")[0] == "ab      c"
    assert one("\ta\tb")[0] == "        a       b"


@given(st.text(alphabet="ab \t日", max_size=30))
def test_plain_text_is_only_made_safe(text: str) -> None:
    assert one(text)[0] == safe_text(text).expandtabs(8)


def test_text_with_escapes_or_carriage_returns_is_terminal_output() -> None:
    assert has_ansi("a\x1b[0m")
    assert has_ansi("a\rb")
    assert not has_ansi("plain\n\ttext")
