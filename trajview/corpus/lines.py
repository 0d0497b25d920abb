"""The lines of a file, read once and never copied."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO, Final, cast

import msgspec

from .memory import fits

__all__ = ["BOM", "CHUNK", "LONG", "SPACE", "Line", "lines_of"]

BOM: Final = b"\xef\xbb\xbf"
"""UTF-8's byte order mark: in the middle of a file, too, where files that have one were joined."""
SPACE: Final = b" \t\r\n"
"""The white space of JSON."""
_MARKED: Final = BOM[0]
CHUNK: Final = 1 << 20
"""Bytes that are read in one go: few enough to be still in the processor's cache when they are decoded."""
LONG: Final = 4 << 20
"""Bytes from which on the end of a line is looked for before the line is read, so that it is in memory once."""


class Line(msgspec.Struct, gc=False):
    """A line that is not blank; `number` from 1. `offset` and `length` are without the white space around it."""

    text: bytes | memoryview
    """The bytes of the line and white space after it. A view keeps the bytes that it was read with alive."""
    offset: int
    length: int
    number: int
    ended: bool = True
    """Whether there is a newline at its end."""
    left_out: bool = False
    """Whether it is too long for the memory that is free; then it has no text."""

    @property
    def data(self) -> bytes:
        """The line as bytes of its own."""
        return bytes(self.text[: self.length])

    @property
    def view(self) -> bytes | memoryview:
        """The line's bytes, maybe as a view that is no copy."""
        return self.text[: self.length]


def lines_of(file: BinaryIO, offset: int, first: int = 1) -> Iterator[Line]:
    """The lines from where the file stands, which is at an offset; they are counted from `first`. A line that is no longer wanted must be let go."""
    read = cast(io.BufferedIOBase, file).read1  # unbuffered data goes straight into the bytes
    number = first - 1
    parts: list[bytes] = []
    held = 0  # bytes in them
    while chunk := read(CHUNK):
        view = memoryview(chunk)
        find = chunk.find
        start, end = 0, find(b"\n") + 1
        if parts:
            parts.append(chunk[:end] if end else chunk)
            held += len(parts[-1])
            if not end and held < LONG:
                continue
            number += 1
            if end:
                line = _line(b"".join(parts), offset, number)
                start, end = end, find(b"\n", end) + 1
            else:
                line, held = _long_line(file, file.tell() - held, offset, number)
                start = len(chunk)
            parts.clear()
            if line is not None:
                yield line
            line = None  # it may be most of the memory
            offset += held
            held = 0
        while end:
            number += 1
            line = _line(view[start:end], offset, number)
            if line is not None:
                yield line
            offset += end - start
            start, end = end, find(b"\n", end) + 1
        if start < len(chunk):
            parts.append(chunk[start:])
            held = len(chunk) - start
    if parts:
        line = _line(b"".join(parts), offset, number + 1)
        parts.clear()
        if line is not None:
            line.ended = False
            yield line


def _long_line(file: BinaryIO, start: int, offset: int, number: int) -> tuple[Line | None, int]:
    """The line that starts at a place of the file, read in one piece, and its bytes; the file stands behind it then."""
    buffer = bytearray(CHUNK)
    file.seek(start)
    end, found = start, -1
    while found < 0 and (size := cast(io.BufferedIOBase, file).readinto(buffer)):
        found = buffer.find(b"\n", 0, size)
        end += size if found < 0 else found + 1
    length = end - start - (found >= 0)
    if not fits(length):
        file.seek(end)
        return Line(b"", offset, length, number, found >= 0, True), end - start
    file.seek(start)
    line = (
        _line(whole, offset, number) if (whole := file.read(length)) else None
    )  # without a newline, for it is in memory once
    file.seek(start + len(whole) + (found >= 0))
    if line is not None:
        line.ended = found >= 0
    return line, file.tell() - start


def _line(text: bytes | memoryview, offset: int, number: int) -> Line | None:
    """The line without the space, and the byte order mark, before it; None where it is blank."""
    length = len(text)
    if 32 < text[0] != _MARKED and length > 1:
        last = text[-2]
        if text[-1] > 32:
            return Line(text, offset, length, number)
        if text[-1] == 10 and last > 32:
            return Line(text, offset, length - 1, number)
    whole = bytes(text)
    text = whole.lstrip(SPACE)
    while text.startswith(BOM):
        text = text.removeprefix(BOM).lstrip(SPACE)
    if not text:
        return None
    return Line(text, offset + length - len(text), len(text.rstrip(SPACE)), number)
