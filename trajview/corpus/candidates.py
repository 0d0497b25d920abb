"""The records of a file that may hold a match: of a large log, only these are taken apart, and the rest is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from trajview.errors import Problem
from trajview.patterns.quick_bytes import lines_in

from .columns import COLUMNS
from .containers import kind_of, records_of
from .decode import BadRecord, decode_json
from .files import reading
from .lines import SPACE, lines_of
from .prefilter import Prefilter
from .record import LAST_LINE, Record, RecordLook, problem_of
from .walk import SourceFile

__all__ = ["BLOCK", "Counter", "Part", "Stopped", "candidates", "candidates_in"]

BLOCK: Final = 1 << 20
"""Bytes that are searched in one go: a person who cancels waits as long, and no record is copied often."""
_SKIPPED: Final = object()
"""Stands for the value of a record that cannot match."""


class Stopped(Exception):
    """The search was cancelled in the middle of a file."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a file: its first byte, its length in bytes, and the number of lines before it.

    `wanted`: a record in them may hold a match.
    """

    offset: int
    length: int
    number: int
    wanted: bool


def candidates(
    source: SourceFile, prefilter: Prefilter, step: Callable[[int], None], apart: Callable[[], bool] | None = None
) -> Iterator[Record | Problem | Part]:
    """The records that may hold a match, in order, decoded; and what could not be read on the way to them.

    The index of a record is right for the first ones only (`Counter` knows). `step` is told how many bytes of the file
    are done, often; what it raises ends the search. `apart`: of JSONL, only the first record is read, and all other
    lines are given as Parts; it says whether others have the time to look at all of them. Raises UnreadableError where the file cannot be opened.
    """
    with reading(source.path, lambda done: step(done // 2)) as file:
        kind = kind_of(file, source.path)
        begin = _first_line(file, prefilter, step) if kind == "json" else (0, 0)
    if begin is None:
        return

    for found in records_of(source, _Wanted(prefilter)):
        if isinstance(found, Problem):
            yield found
            continue
        step(found.offset)
        if found.value is _SKIPPED:
            continue
        if kind == "yaml" or found.data is None or prefilter.may_match(found.data):
            yield found
        if found.container == "jsonl":
            begin = max(begin, (found.offset + found.length, found.line - 1))
            for part, block in _parts(source, *begin, prefilter, step, apart):
                if apart is not None:
                    yield part
                elif part.wanted:
                    yield from _records_in(block, part, source.path, prefilter, step)
            return


class _Wanted(RecordLook):
    """Passes over the records that cannot match."""

    def __init__(self, prefilter: Prefilter) -> None:
        self._prefilter = prefilter

    def value(self, data: bytes | memoryview, number: int, alone: bool) -> Any:
        # The first value tells what the others are, so it is always wanted.
        return None if (number == 0 and not alone) or self._prefilter.may_match(data) else _SKIPPED


def _first_line(file: BinaryIO, prefilter: Prefilter, step: Callable[[int], None]) -> tuple[int, int] | None:
    """Before which line of a file no record can match: its offset, and how many lines come before it.

    None where the file does not have in it what a match demands, in whatever records.
    """
    left, tail, done = prefilter.clauses, b"", 0
    here = before = (0, 0)  # the last line that begins before this block, and before the one before it
    lines = 0
    while left:
        block = file.read(BLOCK)
        if not block:
            return None
        still = prefilter.missing(block, left)
        if still and tail:
            still = prefilter.missing(tail + block[: prefilter.overlap], still)
        if not still:
            return before
        left = still
        tail = block[-prefilter.overlap :]
        before = here
        lines += lines_in(block)
        last = block.rfind(b"\n")
        if last >= 0:
            here = done + last + 1, lines
        done += len(block)
        step(done)
    return 0, 0


def candidates_in(source: SourceFile, part: Part, prefilter: Prefilter) -> Iterator[Record | Problem]:
    """The records in a part of a file that may hold a match, without their index. Raises UnreadableError."""
    with reading(source.path) as file:
        file.seek(part.offset)
        block = file.read(part.length)
    if prefilter.may_match(block):
        yield from _records_in(block, part, source.path, prefilter, lambda _: None)


def _parts(
    source: SourceFile,
    offset: int,
    number: int,
    prefilter: Prefilter,
    step: Callable[[int], None],
    apart: Callable[[], bool] | None,
) -> Iterator[tuple[Part, bytes]]:
    """The lines from an offset on, in parts; `number` lines begin before it. A line that is cut by the offset is no record."""
    with reading(source.path) as file:
        file.seek(offset)
        for block in _blocks_of_lines(file):
            wanted = (apart is not None and apart()) or prefilter.may_match(block)
            yield Part(offset, len(block), number, wanted), block
            number += lines_in(block)
            offset += len(block)
            step(offset)


def _records_in(
    block: bytes, part: Part, path: Path, prefilter: Prefilter, step: Callable[[int], None]
) -> Iterator[Record | Problem]:
    """The records on these lines that may hold a match."""
    for at, line, count in _lines(block, part.number):
        if not prefilter.may_match(line) or not line.strip(SPACE):
            continue
        text = line.lstrip(SPACE)
        start = part.offset + at + len(line) - len(text)
        text = text.rstrip(SPACE)
        ended = line.endswith(b"\n")
        try:
            value, _ = decode_json(text)
        except BadRecord as error:
            yield problem_of(error, path, count, "line" if ended else LAST_LINE, cut=not ended)
            continue
        yield Record(COLUMNS.applied(value), "jsonl", start, len(text), -1, count, False, data=text)
        step(start)


def _blocks_of_lines(file: BinaryIO) -> Iterator[bytes]:
    """The rest of a file in pieces that end where a line does."""
    parts: list[bytes] = []
    while chunk := file.read(BLOCK):
        end = chunk.rfind(b"\n") + 1
        if not end:
            parts.append(chunk)
            continue
        yield b"".join((*parts, chunk[:end]))
        parts = [chunk[end:]] if end < len(chunk) else []
    if parts:
        yield b"".join(parts)


def _lines(block: bytes, before: int) -> Iterator[tuple[int, bytes, int]]:
    """Each line: where it starts, its bytes, its number."""
    start = 0
    while start < len(block):
        end = block.find(b"\n", start) + 1 or len(block)
        before += 1
        yield start, block[start:end], before
        start = end


class Counter:
    """Counts the records before a line of a JSONL file; asked for ascending lines, it counts each once."""

    def __init__(self, path: Path, step: Callable[[int], None]) -> None:
        self._path = path
        self._step = step
        self._count, self._offset, self._number = 0, 0, 1

    def before(self, offset: int) -> int:
        """The index of the record at an offset. Raises UnreadableError."""
        with reading(self._path) as file:
            start = self._offset
            if not start and file.read(3) == b"\xef\xbb\xbf":
                start = 3
            file.seek(start)
            for line in lines_of(file, start, self._number):
                if line.offset >= offset:
                    break
                try:
                    decode_json(line.view)
                    self._count += 1
                except BadRecord:
                    pass
                self._offset, self._number = line.offset + line.length, line.number
                self._step(offset)
        return self._count
