"""The first pass finds every line that may be a record, wherever the pieces end in which a file is read."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trajview import open_corpus
from trajview.corpus import lines as reading
from trajview.corpus.info import RunInfo
from trajview.corpus.listing import listed, peeked_id
from trajview.corpus.walk import SourceFile

FIRST = b'{"messages": []}'
SPACE = b" \t\r\n"
BOM = b"\xef\xbb\xbf"
LINES = st.lists(
    st.sampled_from([
        b"", b" ", b"\r", b"\t \r", FIRST, b'{"id": "a"}', b' {"pk" : "b\xc3\xa9"}\r', b'{"id":"  "}', b'{"id": "\xff"}', b"[1]", b"x",
        b'"{', b"\x00{", b"\x0b", b"{" + b"y" * 40, b" " * 30 + b"{}", b"{}" + b" " * 30, b"{", b'"id": "of a later line"}',
        BOM + b'{"id": "c"}', b" " + BOM * 2 + b"\r [2]", BOM, BOM[:2] + b"{",
    ]),
    max_size=12,
)  # fmt: skip


def expected(data: bytes, bom: int) -> list[tuple[int, int, int, str]]:
    """The plain way: all lines of all bytes."""
    found, at = [], bom
    for number, line in enumerate(data[bom:].split(b"\n"), 1):
        text = line.strip(SPACE)
        while text.startswith(BOM):
            text = text.removeprefix(BOM).lstrip(SPACE)
        if text[:1] in (b"{", b"["):
            start = at + len(line.rstrip(SPACE)) - len(text)
            found.append((number, start, len(text), peeked_id(text[:256]) or f"x#{len(found)}"))
        at += len(line) + 1
    return found


def listed_in(path: Path) -> list[RunInfo]:
    source = SourceFile(path, path.name, named=True)
    found = listed(source, "x")
    assert found is not None
    return list(found)


@settings(deadline=None)
@given(LINES, st.sampled_from([b"", b"\xef\xbb\xbf"]), st.integers(1, 40), st.booleans())
@example([b"{}", b"", b"{}"], b"", 1, True)
def test_lines_are_those_of_the_whole_file(lines: list[bytes], bom: bytes, chunk: int, ended: bool) -> None:
    data = bom + b"\n".join([FIRST, *lines]) + b"\n" * (ended or not lines)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "a.jsonl"
        path.write_bytes(data)
        patch.setattr(reading, "CHUNK", chunk)
        patch.setattr(reading, "LONG", 4 * chunk)
        found = listed_in(path)
    assert [(info.line, info.offset, info.length, info.id) for info in found] == expected(data, len(bom))
    assert [info.record for info in found] == list(range(len(found)))


@pytest.mark.parametrize("bom", [b"", BOM])
def test_a_document_behind_blank_lines_is_listed_where_it_begins(tmp_path: Path, bom: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(bom + b"\n \r\n\t" + b'{"id": "a",\n "messages": []}\n\n')
    [info] = listed_in(path)
    [read] = open_corpus(path)
    assert (info.line, info.offset, info.id, info.alone) == (read.line, read.offset, "a", True)
    assert read.line == 3


def test_an_id_at_the_end_of_a_piece_is_found_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(FIRST + b"\n" + b'{"id": "long-enough", "messages": []}\n' * 9)
    for chunk in range(1, 60):
        monkeypatch.setattr(reading, "CHUNK", chunk)
        assert [info.id for info in listed_in(path)] == ["x#0", *["long-enough"] * 9]


def test_a_file_that_is_cut_while_it_is_listed_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes((FIRST + b"\n") * 50)
    monkeypatch.setattr(reading, "CHUNK", 40)
    found = listed(SourceFile(path, "a", named=True), "x")
    assert found is not None
    first = next(found)
    os.truncate(path, 20)
    assert (first.offset, first.length) == (0, len(FIRST))
    assert len(list(found)) < 50


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no list of open files")
def test_a_listing_that_is_given_up_leaves_no_file_open(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes((FIRST + b"\n") * 5)
    before = len(os.listdir("/proc/self/fd"))
    found = listed(SourceFile(path, "a", named=True), "x")
    assert found is not None
    next(found)
    found.close()  # type: ignore[attr-defined]
    assert len(os.listdir("/proc/self/fd")) == before
