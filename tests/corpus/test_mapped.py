"""A mapped piece of a file is what is in the file, and whoever cuts the file meanwhile waits, and harms nobody."""

from __future__ import annotations

import importlib.util
import mmap
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajview.corpus import listing, mapped
from trajview.corpus.mapped import PIECE, look_through

from .test_listing import FIRST, LINES, expected, listed_in

PAGE = mmap.ALLOCATIONGRANULARITY
DATA = bytes(range(256)) * (2 * PAGE // 256) + b"after"

CUT = """
import os, sys
print("tries", flush=True)
os.truncate(sys.argv[1], 0)
print("has cut", flush=True)
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "a.log"
    path.write_bytes(DATA)
    return path


@pytest.fixture
def descriptor(log: Path) -> Iterator[int]:
    opened = os.open(log, os.O_RDONLY)
    try:
        if look_through(opened, 0, PAGE, len) is None:
            pytest.skip("files of this system can't be mapped safely")
        yield opened
    finally:
        os.close(opened)


def test_a_piece_is_what_stands_there(descriptor: int) -> None:
    assert look_through(descriptor, PAGE, PAGE, bytes) == DATA[PAGE : 2 * PAGE]


def test_what_is_not_all_in_the_file_is_left_to_reading(descriptor: int) -> None:
    assert look_through(descriptor, 2 * PAGE, PAGE, bytes) is None


def test_who_cuts_the_file_waits_for_the_look(log: Path, descriptor: int) -> None:
    with subprocess.Popen([sys.executable, "-c", CUT, str(log)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None

        def look(piece: mmap.mmap) -> bytes:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "tries\n"
            with pytest.raises(subprocess.TimeoutExpired):
                writer.wait(0.3)
            return bytes(piece)  # all of it is there, or this is the end of the tests

        assert look_through(descriptor, 0, 2 * PAGE, look) == DATA[: 2 * PAGE]
        assert writer.stdout.readline() == "has cut\n"
    assert log.read_bytes() == b""
    assert look_through(descriptor, 0, PAGE, bytes) is None


def test_a_file_that_is_being_written_is_left_to_reading(log: Path, descriptor: int) -> None:
    with log.open("ab") as writer:
        writer.write(b"more")
        assert look_through(descriptor, 0, PAGE, bytes) is None
    assert look_through(descriptor, 0, PAGE, bytes) == DATA[:PAGE]


@pytest.mark.parametrize("fails", [False, True])
def test_the_file_may_be_written_after_a_look(log: Path, descriptor: int, fails: bool) -> None:
    def look(piece: mmap.mmap) -> int:
        return 1 // (not fails)

    if fails:
        with pytest.raises(ZeroDivisionError):
            look_through(descriptor, 0, PAGE, look)
    else:
        assert look_through(descriptor, 0, PAGE, look) == 1
    os.close(os.open(log, os.O_WRONLY | os.O_NONBLOCK))  # BlockingIOError where a lease is left


def test_two_programs_may_look_at_once(log: Path, descriptor: int) -> None:
    other = os.open(log, os.O_RDONLY)
    try:
        assert look_through(descriptor, 0, PAGE, lambda _: look_through(other, 0, PAGE, len)) == PAGE
    finally:
        os.close(other)


@settings(deadline=None, max_examples=60)
@given(LINES, st.integers(0, 200), st.sampled_from([b"", b"\xef\xbb\xbf"]), st.booleans())
def test_lines_of_mapped_pieces_are_those_of_the_whole_file(
    lines: list[bytes], shift: int, bom: bytes, ended: bool
) -> None:
    """`shift` moves them about over the ends of the pieces."""
    some = b"\n".join([*lines, b"[" + b"z" * 90])
    data = bom + FIRST + b"\n" + b"x" * shift + b"\n" + b"\n".join([some] * (3 * PAGE // len(some) + 2)) + b"\n" * ended
    was_mapped: list[bool] = []

    def look_and_tell(*given: object) -> object:
        found = look_through(*given)  # type: ignore[arg-type, var-annotated]
        was_mapped.append(found is not None)
        return found

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "a.jsonl"
        path.write_bytes(data)
        patch.setattr(listing, "PIECE", PAGE)
        patch.setattr(listing, "_CHUNK", PAGE)
        patch.setattr(listing, "_LONG", 0)
        patch.setattr(listing, "_SMALL", PAGE)
        patch.setattr(listing, "look_through", look_and_tell)
        found = listed_in(path)
    assert [(info.line, info.offset, info.length, info.id) for info in found] == expected(data, len(bom))
    if any(was_mapped):
        assert was_mapped.count(True) == len(data) // PAGE - 1


def test_no_writer_waits_while_a_great_many_lines_are_looked_at(
    tmp_path: Path, descriptor: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(FIRST + b" " * PAGE + b"\n" * (3 * PAGE) + FIRST + b" " * (3 * PAGE))
    mapped_at: list[int] = []

    def looking(opened: int, offset: int, length: int, look: Callable[[mmap.mmap], object]) -> object:
        mapped_at.append(offset)
        return look_through(opened, offset, length, look)

    for name, value in (("PIECE", PAGE), ("_CHUNK", PAGE), ("_SMALL", PAGE), ("look_through", looking)):
        monkeypatch.setattr(listing, name, value)
    opened = os.open(path, os.O_RDONLY)
    try:
        assert [number for number, *_ in listing.places(opened)] == [1, 3 * PAGE + 1]
    finally:
        os.close(opened)
    assert mapped_at == [at * PAGE for at in (1, 5, 6, 7)]


def test_a_large_file_that_is_cut_while_it_is_listed_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    line = FIRST[:-1] + b" " * 990 + b"}\n"
    path.write_bytes(line * (4 * PIECE // len(line)))
    opened = os.open(path, os.O_RDONLY)
    try:
        found = listing.places(opened)
        first = [next(found) for _ in range(PIECE // len(line))]
        os.truncate(path, PIECE)
        rest = list(found)
    finally:
        os.close(opened)
    assert [number for number, *_ in first + rest] == list(range(1, len(first) + len(rest) + 1))
    assert len(first) + len(rest) < 3 * PIECE // len(line)


def test_only_disks_of_this_machine_have_leases_that_bind_everybody(
    descriptor: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mapped, "_LOCAL", frozenset({"nfs4"}))
    mapped._is_local.cache_clear()
    try:
        assert look_through(descriptor, 0, PAGE, len) is None
    finally:
        mapped._is_local.cache_clear()


def test_nothing_is_read_while_a_writer_may_be_waiting(
    tmp_path: Path, descriptor: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many lines have to be read for where in them a record is."""
    line = b' \xef\xbb\xbf {"id": "a"} \r\n'
    path = tmp_path / "a.jsonl"
    path.write_bytes(line * (3 * PAGE // len(line)))
    looks: list[bool] = []
    pread = os.pread

    def looking(opened: int, offset: int, length: int, look: Callable[[mmap.mmap], object]) -> object:
        def alone(piece: mmap.mmap) -> object:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(os, "pread", lambda *_: pytest.fail("it is read"))
                return look(piece)

        looks.append(True)
        return look_through(opened, offset, length, alone)

    monkeypatch.setattr(listing, "PIECE", PAGE)
    monkeypatch.setattr(listing, "_CHUNK", PAGE)
    monkeypatch.setattr(listing, "_LONG", 0)
    monkeypatch.setattr(listing, "_SMALL", PAGE)
    monkeypatch.setattr(listing, "look_through", looking)
    opened = os.open(path, os.O_RDONLY)
    try:
        found = list(listing.places(opened))
    finally:
        os.close(opened)
    assert looks
    assert os.pread is pread
    size = len(b'{"id": "a"}')
    assert found == [(at + 1, at * len(line) + 5, size, "a") for at in range(3 * PAGE // len(line))]


def test_a_python_that_cannot_ask_what_is_in_memory_reads(descriptor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert look_through(descriptor, 0, PAGE, len) == PAGE
    monkeypatch.delattr(os, "RWF_NOWAIT")
    again = importlib.util.module_from_spec(mapped.__spec__)  # as at a start with that Python
    mapped.__spec__.loader.exec_module(again)  # type: ignore[union-attr]
    assert again.look_through(descriptor, 0, PAGE, len) is None
