"""The quick ways to look for a text say what Python's own say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.modules import loaded_anew
from trajview.patterns import quick_bytes


@pytest.mark.parametrize("look", [quick_bytes, loaded_anew("trajview.patterns.quick_bytes", without="stringzilla")])
@given(
    data=st.binary(max_size=20) | st.text("abA", max_size=20).map(str.encode),
    needle=st.sampled_from([b"a", b"ab", b"aa", b"\xff", b"\0\0"]),
)
@example(data=b"aaaba\0", needle=b"\0\0")
@example(data=b"\0\0\0\0\0\0\0\xfe", needle=b"\xff")
def test_bytes_are_found_counted_and_made_small_as_python_does(look: Any, data: bytes, needle: bytes) -> None:
    for each in (data, memoryview(data)):
        assert look.holds(each, needle) == (needle in data)
        assert look.lowered(each) == data.lower()
    assert look.lines_in(data) == data.count(b"\n")
    text = data.decode("ascii", "ignore")
    assert look.times_in(text, "ab", fold=False) == text.count("ab")
    assert look.times_in(text, "ab", fold=True) == text.lower().count("ab")
    for start in range(len(data) + 2):
        assert look.place_of(data, needle, start) == data.find(needle, start)
