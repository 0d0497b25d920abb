"""Errors and problems, each said in one sentence with the place and a hint."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .debug_log import note_fault

__all__ = [
    "UNFORESEEN", "AnnotationError", "FormatError", "PluginProblem", "Problem", "TrajviewError", "UnreadableError", "Where", "bug", "is_piped", "shown",
]  # fmt: skip

UNFORESEEN = (
    OSError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, MemoryError,
)  # fmt: skip
"""The exceptions that a log which no reader foresaw may raise. They must not end the viewer; they are said in full."""

_PIPED: set[Path] = set()


def is_piped(path: Path) -> None:
    """Mark a file as the content of standard input, which people know as `-`."""
    _PIPED.add(path)


def shown(path: Path) -> str:
    """A path as the person knows it."""
    return "-" if path in _PIPED else str(path)


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a source: a file, and a line (from 1) or a record (from 0) in it where they are known.

    `column` (from 1) is a character of that line.
    """

    path: Path | None = None
    line: int | None = None
    record: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        if self.path is None:
            return ""
        path = shown(self.path)
        if self.line is not None:
            return f"{path}:{self.line}" if self.column is None else f"{path}:{self.line}:{self.column}"
        if self.record is not None:
            return f"{path}#{self.record}"
        return path


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a source that could not be read; the rest of the source still opens.

    `reason` is one sentence, `hint` says what the reader can do about it. `opens`: the record that it is about is
    listed as a run all the same.
    """

    reason: str
    hint: str = ""
    where: Where = Where()
    opens: bool = False

    def __str__(self) -> str:
        place = str(self.where)
        text = f"{place}: {self.reason}" if place else self.reason
        return f"{text} ({self.hint})" if self.hint else text


@dataclass(frozen=True, slots=True)
class PluginProblem(Problem):
    """A fault of a plug-in; said once, however many records it fails on. `format` is the name of its format."""

    format: str = ""


class TrajviewError(Exception):
    """An error to be shown to a person: a title, one sentence, a hint, and where it happened.

    >>> from trajview import TrajviewError, open_corpus
    >>> try:
    ...     open_corpus("sample_data/docent").where("reward <")
    ... except TrajviewError as error:
    ...     print(error.title, "-", error.sentence)
    Not a filter - a value has to follow <
    """

    title = "Error"

    def __init__(self, sentence: str, *, hint: str = "", where: Where | None = None, title: str | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.hint = hint
        self.where = where or Where()
        if title is not None:
            self.title = title

    def __str__(self) -> str:
        return str(self.problem())

    def problem(self) -> Problem:
        """The error as data, for lists of problems."""
        return Problem(self.sentence, self.hint, self.where)


def bug(error: Exception) -> Problem:
    """Describe an error that nobody foresaw."""
    note_fault(error)
    return Problem(
        f"{type(error).__name__}: {error}",
        "this is a bug in trajview: please report it, with what --debug FILE writes",
    )


class UnreadableError(TrajviewError):
    """A file or a record that cannot be read at all."""

    title = "Cannot read"


class FormatError(TrajviewError):
    """A record that is valid JSON or YAML but not what its format demands."""

    title = "Not as its format demands"


class AnnotationError(TrajviewError):
    """An annotation that could not be loaded or saved."""

    title = "Annotation not saved"
