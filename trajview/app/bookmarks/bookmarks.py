"""The marks in the runs that are open, as rows under a cursor, without Textual."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajview.annotation.unit_notes import Mark

if TYPE_CHECKING:
    from trajview.annotation.unit_notes import UnitNotes
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.info import RunInfo

__all__ = ["Bookmark", "Bookmarks", "Marked", "bookmarks_in"]

Marked = tuple[str, int, int]
"""What is marked: the run by its key, the transcript and the unit, both from 0."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A mark on a unit of a run."""

    info: RunInfo
    mark: Mark

    @property
    def place(self) -> Marked:
        """What is marked."""
        return self.info.key, self.mark.transcript, self.mark.unit


def bookmarks_in(corpus: Corpus, marked: Iterable[UnitNotes]) -> tuple[list[Bookmark], int]:
    """The marks in the runs of a corpus, file by file, and how many there are in other runs."""
    found, elsewhere = [], 0
    for notes in marked:
        info = corpus.find(notes.episode)
        if info is None:
            elsewhere += len(notes.marks)
        else:
            found += [Bookmark(info, mark) for mark in notes.marks]
    found.sort(key=lambda each: (each.info.source, each.info.record, *each.place))
    return found, elsewhere


class Bookmarks:
    """The rows of the list; the cursor stays on its mark when they are read again.

    `here` is where the reader comes from: the cursor begins at the last mark up to there in the same run.
    """

    def __init__(self, here: Marked | None = None) -> None:
        self._here = here
        self.rows: list[Bookmark] = []
        self.cursor = 0
        self.words: dict[Marked, str] = {}
        """What marked units are about, as far as that was read."""

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    @property
    def current(self) -> Bookmark | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    def go(self, index: int) -> bool:
        """Put the cursor on a row, or on the nearest there is; whether it moved."""
        before, self.cursor = self.cursor, max(0, min(index, len(self.rows) - 1))
        return self.cursor != before

    def show(self, rows: Sequence[Bookmark]) -> None:
        """Have these rows in place of those before."""
        under, here = self.current, self._here
        self.rows = [*rows]
        places = [row.place for row in rows]
        if under is not None:
            self.go(places.index(under.place) if under.place in places else self.cursor)
        elif here is not None:
            self.go(max((at for at, place in enumerate(places) if place[0] == here[0] and place <= here), default=0))

    def change(self, bookmark: Bookmark, note: str | None) -> None:
        """Give a mark another note, or take it away with None."""
        rows = []
        for row in self.rows:
            if row.place != bookmark.place:
                rows.append(row)
            elif note is not None:
                rows.append(Bookmark(row.info, Mark(row.mark.transcript, row.mark.unit, note)))
        self.show(rows)
