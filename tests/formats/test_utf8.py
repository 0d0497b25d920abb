"""Bytes are told from UTF-8 as Python's own decoder tells them, wherever they stand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.modules import loaded_anew
from trajview.formats import utf8

LOOKS = [utf8.is_utf8, loaded_anew("trajview.formats.utf8", without="stringzilla").is_utf8]
"""With StringZilla where there is one, and without."""
PIECES = [
    "é".encode(),
    "針".encode(),
    "😀".encode(),
    b"\xff",
    b"\xc3",
    b"\xe9",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\x80",
]
SIZES = sorted(
    {0, 10, *(edge + by for edge in (utf8.WINDOW, 4 * utf8.WINDOW) for by in range(-4, 3)), 8 * utf8.WINDOW + 1}
)


def by_python(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("piece", PIECES)
def test_bytes_are_told_from_utf8_wherever_they_stand(look: Callable[[bytes | memoryview], bool], piece: bytes) -> None:
    for size in SIZES:
        for data in (
            b"a" * size + piece,
            piece + b"a" * size + piece,
            "é".encode() + b"a" * size + piece + b"b" * size,
        ):
            assert look(data) is look(memoryview(data)) is by_python(data)


def test_a_text_in_another_encoding_does_not_seem_to_be_utf8_however_long_it_is() -> None:
    text = "naïve café, déjà vu; " * 1000
    assert not utf8.seems_utf8(text.encode("latin-1"))
    assert not utf8.seems_utf8((text + "naïf" * 100).encode("cp1252"))
    assert utf8.seems_utf8(text.encode())
    assert utf8.seems_utf8(b"a" * 10_000)


@settings(max_examples=80)
@given(
    parts=st.lists(
        st.sampled_from(PIECES) | st.binary(max_size=4) | st.integers(0, 4 * utf8.WINDOW + 10).map(b"a".__mul__)
        | st.integers(0, utf8.WINDOW).map("針".encode().__mul__),
        max_size=8,
    )
)  # fmt: skip
def test_any_bytes_are_told_from_utf8(parts: list[bytes]) -> None:
    data = b"".join(parts)
    for look in LOOKS:
        assert look(data) is by_python(data)
