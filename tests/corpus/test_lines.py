"""Lines come with their bytes and places, wherever the pieces end in which a file is read."""

from __future__ import annotations

import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trajview.corpus import lines
from trajview.corpus.lines import SPACE, lines_of

PIECES = st.lists(
    st.sampled_from([b"\n", b"\r\n", b" ", b"\t", b"{}", b"a", b'{"a": "b"}', b"\x00", b"\xff", b"x" * 9, b"\x0b"])
)


@given(PIECES.map(b"".join), st.integers(1, 12), st.integers(0, 3), st.integers(1, 40))
@example(b"a\nb", 1, 0, 100)
@example(b"aa\n\n bb \r\nc", 2, 1, 100)
@example(b"aaaa\n \nbbbb", 2, 1, 2)
def test_lines_are_those_of_the_whole_file(data: bytes, chunk: int, offset: int, long: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "CHUNK", chunk)
        patch.setattr(lines, "LONG", long)
        found = list(lines_of(io.BytesIO(data), offset))
    expected, at = [], offset
    for number, line in enumerate(data.split(b"\n"), 1):
        text = line.strip(SPACE)
        if text:
            expected.append((text, at + len(line) - len(line.lstrip(SPACE)), len(text), number))
        at += len(line) + 1
    assert [(line.data, line.offset, line.length, line.number) for line in found] == expected
    assert [bytes(line.view) for line in found] == [each[0] for each in expected]
    ended = [True] * len(expected)
    if expected and data.split(b"\n")[-1].strip(SPACE):
        ended[-1] = False
    assert [line.ended for line in found] == ended


def test_a_line_stays_what_it_is_when_the_next_ones_are_read() -> None:
    data = b"".join(b"%d" % number * 50 + b"\n" for number in range(1000))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "CHUNK", 1000)
        kept = list(lines_of(io.BytesIO(data), 0))
    assert b"".join(bytes(line.text) for line in kept) == data
