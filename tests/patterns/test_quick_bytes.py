"""The quick ways to look for a text say what Python's own say."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trajview.patterns import quick_bytes


@pytest.mark.parametrize("quickly", [True, False])
@given(
    data=st.binary(max_size=20) | st.text("abA", max_size=20).map(str.encode),
    needle=st.sampled_from([b"a", b"ab", b"aa", b"\xff", b"\0\0"]),
)
@example(data=b"aaaba\0", needle=b"\0\0")
@example(data=b"\0\0\0\0\0\0\0\xfe", needle=b"\xff")
def test_bytes_are_found_counted_and_made_small_as_python_does(quickly: bool, data: bytes, needle: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if not quickly:
            patch.setattr(quick_bytes, "_quick", None)
        for given in (data, memoryview(data)):
            assert quick_bytes.holds(given, needle) == (needle in data)
            assert quick_bytes.lowered(given) == data.lower()
        assert quick_bytes.lines_in(data) == data.count(b"\n")
        for start in range(len(data) + 2):
            assert quick_bytes.place_of(data, needle, start) == data.find(needle, start)
