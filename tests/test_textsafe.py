"""Whatever a log holds, what reaches the terminal is visible and inert."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.textsafe import one_line, safe_text, strip_escapes

BIDI = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
UNSEEN = {0x180E, 0x200B, *range(0x2060, 0x2070), 0xFEFF, *range(0xE0000, 0xE0080)}
any_text = st.text(alphabet=st.characters(), max_size=200)
escapes = st.lists(
    st.sampled_from(
        ["\x1b", "[", "]", "0", ";", "m", "\x07", "\x9b", "\x9d", "\x1b\\", "x", "\r", "\n", "P", "é", " "]
    ),
    max_size=30,
).map("".join)


def acts(char: str) -> bool:
    """Whether a character could act on a terminal, or hide: control, surrogate, bidi override, or a line of its own kind."""
    if char in "\n\t":
        return False
    return unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or ord(char) in BIDI | UNSEEN


@given(any_text | escapes)
def test_nothing_that_acts_on_a_terminal_is_left(text: str) -> None:
    assert not any(map(acts, safe_text(text)))
    safe_text(text).encode()  # no lone surrogates either


@given(st.text(alphabet=st.characters(exclude_characters="\r\u200c\u200d"), max_size=200))
def test_what_a_character_becomes_does_not_depend_on_the_others(text: str) -> None:
    assert safe_text(text) == "".join(map(safe_text, text))


def test_every_single_character_is_made_safe() -> None:
    for first in range(0, 0x110000, 0x1000):
        signs = set(safe_text("".join(f"a{chr(code)}b" for code in range(first, first + 0x1000))))
        assert not any(map(acts, signs)), [hex(ord(sign)) for sign in signs if acts(sign)]


@given(any_text | escapes)
def test_making_safe_twice_changes_nothing_more(text: str) -> None:
    assert safe_text(safe_text(text)) == safe_text(text)


@given(st.text(alphabet=st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=100))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert safe_text(text) == text
    assert strip_escapes(text) == text


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("\x1b[2J", "␛[2J"),
        ("\x9b31m", "‹9B›31m"),
        ("user\u202etxt.exe", "user‹202E›txt.exe"),
        ("a\u2066b\u2069", "a‹2066›b‹2069›"),
        ("\ud83d", "‹D83D›"),
        ("\ufeffx", "‹FEFF›x"),
        ("a\u2028b", "a‹2028›b"),
        ("\x00\x7f", "␀␡"),
        ("a\r\nb", "a\nb"),
        ("a\rb", "a␍b"),
        ("a\r\r\nb", "a␍\nb"),
        ("a\tb\n", "a\tb\n"),
        ("👩‍👩‍👧 é [bold]x[/]", "👩‍👩‍👧 é [bold]x[/]"),
        ("pay\u200bpal \u2060x\u2063\ufeff", "pay‹200B›pal ‹2060›x‹2063›‹FEFF›"),
        ("ok\U000e0041\U000e007f", "ok‹E0041›‹E007F›"),
    ],
)
def test_what_dangerous_text_becomes(text: str, safe: str) -> None:
    assert safe_text(text) == safe


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b[?25lhidden\x1b[?25h", "hidden"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]52;c;aGk=\x1b\\after", "after"),
        ("\x1b]8;;http://x.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0\x1b\\after", "after"),
        ("\x9b31mred\x9b0m", "red"),
        ("\x9d0;title\x9cafter", "after"),
        ("\x1b(Bx\x1b=y\x1b7z", "xyz"),
        ("plain", "plain"),
    ],
)
def test_escape_sequences_are_stripped(text: str, plain: str) -> None:
    assert strip_escapes(text) == plain


def test_an_escape_that_never_ends_does_not_swallow_the_text() -> None:
    assert "all that follows" in safe_text(strip_escapes("\x1b]0;all that follows"))
    assert "all that follows" in safe_text(strip_escapes("\x9d0;all that follows"))


@given(st.text(alphabet="abc ;[]0m", max_size=20), st.lists(st.sampled_from(["\x1b[0;1m", "\x1b]0;t\x07", "\x9b2J"])))
def test_stripping_takes_the_escapes_and_nothing_else(text: str, sequences: list[str]) -> None:
    assert strip_escapes(text + "".join(sequences) + text) == text + text


@pytest.mark.parametrize("unit", ["\x9d", "\x1b]", "\x1b[", "\x90x", "\x1b[0;", "\x1b(", "\x9b "])
def test_a_megabyte_of_escapes_that_never_end_is_stripped_at_once(unit: str) -> None:
    began = time.process_time()
    safe_text(strip_escapes(unit * 500_000))
    assert time.process_time() - began < 3


@given(any_text | escapes, st.integers(2, 40))
def test_one_line_is_one_safe_line_of_at_most_the_limit(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert "\n" not in line
    assert "\t" not in line
    assert len(line) <= limit
    assert not any(map(acts, line))


def test_one_line_folds_white_space_and_says_when_it_cuts() -> None:
    assert one_line("  a\n\n b\t c ") == "a b c"
    assert one_line("abcdef", 4) == "abc…"
    assert one_line("abcd", 4) == "abcd"
    assert one_line("\x1b[31mred\x1b[0m alert") == "red alert"


def test_one_line_of_a_huge_text_looks_at_its_beginning_only() -> None:
    assert one_line("word " * 10_000_000, 20) == "word word word word…"


def test_a_joiner_stays_within_an_emoji_goes_between_letters_and_shows_elsewhere() -> None:
    assert safe_text("👩\u200d👧 ❤\ufe0f\u200d🔥") == "👩\u200d👧 ❤\ufe0f\u200d🔥"
    assert safe_text("ക\u0d4d\u200dഷ") == "ക\u0d4dഷ"
    assert safe_text("a\u200db\u200d") == "a‹200D›b‹200D›"
    assert safe_text("\u200d👩") == "‹200D›👩"


def test_a_non_joiner_stays_behind_letters_that_it_shapes_and_shows_elsewhere() -> None:
    assert safe_text("می\u200cخواهم") == "می\u200cخواهم"
    assert safe_text("می\u200c\u200cx a\u200cb я\u200c\u200dz") == "می\u200c‹200C›x a‹200C›b я‹200C›‹200D›z"


def test_tags_stay_within_the_flags_that_are_made_of_them() -> None:
    scotland = "🏴" + "".join(chr(0xE0000 + ord(sign)) for sign in "gbsct") + "\U000e007f"
    assert safe_text(f"a {scotland} b") == f"a {scotland} b"
    assert safe_text("🏴\U000e0068\U000e0069\U000e007f") == "🏴‹E0068›‹E0069›‹E007F›"
