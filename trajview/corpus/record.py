"""Records as a container yields them: decoded, with the place of their bytes; and the problems of faulty ones."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from trajview.debug_log import note_fault
from trajview.errors import Problem, Where
from trajview.formats.base import Origin

from .decode import BadRecord
from .memory import no_room

if TYPE_CHECKING:
    from .info import RunInfo

__all__ = [
    "DECODED", "LAST_LINE", "NOT_UTF8", "Record", "RecordLook", "damaged", "fault_of", "is_unfinished", "not_utf8", "nothing_in", "noticed", "origin_of",
    "placed", "problem_of",
]  # fmt: skip

TORN_HINT: Final = "the program that wrote it was stopped, or is still writing; the rest opens"

NOT_UTF8: Final = "some bytes are not UTF-8, and show as \ufffd"
LAST_LINE: Final = "last line"
"""The name of a last line without an end, in a problem."""


class RecordLook:
    """A look at a record's bytes that may spare decoding it. This one knows nothing, so that all are decoded."""

    def value(self, data: bytes | memoryview, number: int, alone: bool) -> Any:  # noqa: ARG002 - for those that know more
        """A record's value, from its bytes, its number, and whether it is alone; None where it has to be decoded in full."""
        return None

    def line(self, data: bytes | memoryview) -> msgspec.Raw | None:  # noqa: ARG002
        """A line of a record of many lines, as it was logged; None where it has to be decoded."""
        return None

    def joined(self, lines: list[Any]) -> Sequence[Any]:
        """The value of a record of many lines, some of which may be as they were logged."""
        return lines


DECODED: Final = RecordLook()


class Record(msgspec.Struct, gc=False):
    # A Struct, as RunInfo is.
    """One record of a source. See RunInfo for most of it.

    `data`: its bytes where they are at hand anyway (else None), maybe with white space after its `length`.
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


def problem_of(bad: BadRecord, path: Path, line: int, what: str = "record", *, cut: bool = False) -> Problem:
    """The Problem of a bad record that starts on a line of the file. `cut`: nothing follows it in the file."""
    place = line + max(bad.line - 1, 0)
    at = f" (line {place}, column {bad.column})" if bad.line else ""
    if bad.torn and cut:
        return Problem(f"the {what} is torn: it ends before it is complete{at}", TORN_HINT, Where(path, place))
    return Problem(f"the {what} cannot be read: {bad.reason}{at}", "it is left out; the rest opens", Where(path, place))


def is_unfinished(problem: Problem) -> bool:
    """Whether a problem is only a missing end: while a file is written, that is none."""
    return problem.hint == TORN_HINT or problem.reason.startswith(f"the {LAST_LINE} ")


def damaged(how: str, path: Path) -> Problem:
    """The Problem that a compressed file is broken somewhere: `how`, empty where only its end is missing."""
    if not how:
        return Problem("the compressed file is torn: it ends before it is complete", TORN_HINT, Where(path))
    return Problem(f"the compressed file is damaged: {how}", "what comes before that opens", Where(path))


def not_utf8(path: Path, line: int) -> Problem:
    """The Problem of a file's first bytes that are not UTF-8."""
    return Problem(
        NOT_UTF8,
        "convert the file, as with `iconv -f latin1 -t utf-8`",
        Where(path, line),
    )


def nothing_in(path: Path) -> Problem:
    """The Problem of a file that was named and is empty."""
    return Problem("the file holds no records", "is it the right one?", Where(path))


def origin_of(path: Path, found: Record | RunInfo) -> Origin:
    """The origin of a record, for its format."""
    try:
        path.name.encode("utf-8")
    except UnicodeEncodeError:  # a file name that is no UTF-8 must not become an id that nothing can hold
        path = path.with_name(os.fsencode(path.name).decode("utf-8", errors="replace"))
    if found.member is not None:
        path = Path(found.member)
    return Origin(path, found.record, found.line, found.alone or found.member is not None)


def placed(problem: Problem, path: Path, line: int | None) -> Problem:
    """The problem with its file, and with the line where the record begins unless the format knows a better one."""
    where = problem.where
    return replace(problem, where=Where(path, where.line if where.line is not None else line, where.record))


def fault_of(error: Exception, path: Path, line: int | None) -> Problem:
    """The Problem of a record on which a format failed in an unexpected way, or for which memory ran out."""
    if isinstance(error, MemoryError):
        return no_room(path, line or 1)
    note_fault(error)
    what = type(error).__name__ + (f": {error}" if str(error) else "")
    return Problem(
        f"trajview failed to read this record ({' '.join(what.split())[:200]})",
        "that is a fault in trajview; please report it with the record",
        Where(path, line),
    )


def noticed(problems: Sequence[str], path: Path, line: int | None) -> Problem:
    """One Problem for all faults that a format noticed in a record that opens."""
    more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
    hint = "the run opens all the same; `trajview validate` lists everything"
    return Problem(f"{problems[0]}{more}", hint, Where(path, line), opens=True)
