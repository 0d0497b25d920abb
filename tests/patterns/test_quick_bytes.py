"""The quick ways to look for a text say what Python's own say."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.patterns import quick_bytes

texts = st.text("aAbB \n\0éİK\ud800", max_size=40)


@pytest.mark.parametrize("quickly", [True, False])
@given(text=texts, needle=st.text("aAbBé", min_size=1, max_size=3))
def test_texts_are_found_counted_and_made_small_as_python_does(quickly: bool, text: str, needle: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if not quickly:
            patch.setattr(quick_bytes, "_quick", None)
        assert quick_bytes.holds_text(text, needle) == (needle in text)
        assert quick_bytes.times_in(text, needle) == text.count(needle)
        assert quick_bytes.lowered_text(text) == text.lower()


@pytest.mark.parametrize("quickly", [True, False])
@given(
    data=st.binary(max_size=20) | st.text("abA", max_size=20).map(str.encode),
    needle=st.sampled_from([b"a", b"ab", b"aa", b"\xff"]),
)
def test_bytes_are_found_counted_and_made_small_as_python_does(quickly: bool, data: bytes, needle: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if not quickly:
            patch.setattr(quick_bytes, "_quick", None)
        for given in (data, memoryview(data)):
            assert quick_bytes.holds(given, needle) == (needle in data)
            assert quick_bytes.times_in_bytes(given, needle) == data.count(needle)
            assert quick_bytes.lowered(given) == data.lower()
        for start in range(len(data) + 2 if needle.isascii() else 0):
            assert quick_bytes.place_uncased(data, needle, start) == data.lower().find(needle, start)


@pytest.mark.parametrize("quickly", [True, False])
def test_all_that_re_takes_for_a_letter_where_case_is_ignored_is_found_but_for_the_i(quickly: bool) -> None:
    every = "".join(chr(code) for code in range(0x1E944) if not 0xD800 <= code < 0xE000)
    cased = [char for char in every if char.lower() != char.upper()]
    with pytest.MonkeyPatch.context() as patch:
        if not quickly:
            patch.setattr(quick_bytes, "_quick", None)
        for letter in cased[:: 1 if quickly else 20]:
            for same in {letter.lower(), letter.upper(), letter.casefold(), *_SAME.get(letter.lower(), letter)}:
                if len(same) == 1 and not {letter, same} & set("iI\u0130\u0131"):
                    data, wanted = f"xx{same}yy".encode(), f"x{letter}Y".encode()
                    if re.search(letter, same, re.IGNORECASE):
                        assert quick_bytes.place_uncased(data, wanted) >= 0, (letter, same)


_SAME = {"k": "\u212a", "s": "\u017f", "\xb5": "\u03bc", "\u03bc": "\xb5", "\ufb05": "\ufb06", "\u0390": "\u1fd3"}


@given(
    st.binary(max_size=80) | st.text("aK\u017f\u212aé\xdf\u1e9e\ufb03\u3042", max_size=200).map(str.encode),
    st.text("aksfKé \u3042", min_size=1, max_size=20),
    st.binary(max_size=80) | st.text("sS\xdfa", max_size=80).map(str.encode),
)
def test_a_word_is_found_between_any_bytes(before: bytes, word: str, after: bytes) -> None:
    assert quick_bytes.place_uncased(before + word.upper().encode() + after, word.encode()) >= 0
