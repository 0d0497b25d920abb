"""What a container yields: a decoded record, and where its bytes are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from trajview.errors import Problem, Where
from trajview.formats.base import Summary

from .decode import BadRecord

__all__ = ["LAST_LINE", "NOT_UTF8", "QuickLook", "Record", "is_unfinished", "not_utf8", "problem_of"]

TORN_HINT: Final = "the program that wrote it was stopped, or is still writing; the rest opens"

NOT_UTF8: Final = "some bytes are not UTF-8, and show as \ufffd"
LAST_LINE: Final = "last line"
"""What a line without an end is called in a problem."""

QuickLook = Callable[[bytes | memoryview, int, int, bool], tuple[str, Summary] | None]
"""Format and summary of a record by its bytes, number, line and whether it is alone; None where it has to be decoded for that."""


@dataclass(slots=True)
class Record:
    """One record of a source. See RunInfo for most of it.

    `data`: its bytes where they are at hand anyway (else None), maybe with white space after its `length`.
    `quick`: its format and summary, where a quick look at the bytes gave them; then the `value` was not decoded.
    """

    value: Any
    container: str
    offset: int
    length: int
    record: int = 0
    line: int = 1
    alone: bool = True
    member: str | None = None
    data: bytes | memoryview | None = None
    quick: tuple[str, Summary] | None = None


def problem_of(bad: BadRecord, path: Path, line: int, what: str = "record", *, cut: bool = False) -> Problem:
    """One Problem for a record that starts on a line of the file. `cut`: nothing follows it in the file."""
    place = line + max(bad.line - 1, 0)
    at = f" (line {place}, column {bad.column})" if bad.line else ""
    if bad.torn and cut:
        return Problem(f"the {what} is torn: it ends before it is complete{at}", TORN_HINT, Where(path, place))
    return Problem(f"the {what} cannot be read: {bad.reason}{at}", "it is left out; the rest opens", Where(path, place))


def is_unfinished(problem: Problem) -> bool:
    """Whether a problem is only that the end of a record is not there: while it is written, that is none."""
    return problem.hint == TORN_HINT or problem.reason.startswith(f"the {LAST_LINE} ")


def not_utf8(path: Path, line: int) -> Problem:
    """The Problem for the first bytes of a file that are no UTF-8."""
    return Problem(
        NOT_UTF8,
        "convert the file, as with `iconv -f latin1 -t utf-8`",
        Where(path, line),
    )
