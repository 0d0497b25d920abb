"""Files of other kinds, told by their first bytes, with a hint how to make a log of one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from trajview.errors import Problem, Where

__all__ = ["HEAD", "foreign", "no_text"]

HEAD: Final = 512
"""Bytes at the start of a file that tell its kind."""
_UNPACK: Final = "unpack it, and open what it held"
_KINDS: Final = (
    (0, b"SQLite format 3\0", "an SQLite database", "write its rows as JSON: `sqlite3 -json FILE 'select * from TABLE'`"),
    (257, b"ustar", "a tar archive", "unpack it with `tar xf`, and open the folder"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (0, b"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (0, b"\x04\x22\x4d\x18", "compressed by LZ4", "unpack it first: `unlz4 FILE`"),
    (0, b"\x1f\x9d", "compressed by compress", "unpack it first: `uncompress FILE`"),
    (0, b"]\0\0", "compressed by LZMA, in its old form", "unpack it first: `unlzma FILE`"),
    (0, b"%PDF-", "a PDF file", "is it the right one?"),
    (0, b"\x89PNG\r\n", "an image", "is it the right one?"),
    (0, b"\x7fELF", "a program", "is it the right one?"),
)  # fmt: skip
"""The offset of the sign, the sign, the name of the kind, and a hint."""
_IN_UTF_16: Final = "if it is UTF-16 without a byte order mark, `iconv -f utf-16le -t utf-8 FILE` converts it"


def foreign(head: bytes, path: Path) -> Problem | None:
    """The Problem of a file that is of a kind without logs, by its first HEAD bytes."""
    for place, sign, what, hint in _KINDS:
        if head.startswith(sign, place) and (not place or b"\0" in head):
            return Problem(f"this is {what}, and no JSON", hint, Where(path))
    return None


def no_text(data: bytes, path: Path) -> Problem | None:
    """The Problem of a file that is no text in UTF-8 at all."""
    if b"\0" not in data[:HEAD]:
        return None
    return Problem("this is no text: there are zero bytes in it", _IN_UTF_16, Where(path))
