"""Searching one side of a comparison, without Textual: in a thread, and what it finds through what is folded."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable
from functools import partial

from trajview.app.compare.comparison import Comparison
from trajview.app.compare.paired import PairedRow
from trajview.app.render.lines import Said
from trajview.app.render.matches import rows_of_matches
from trajview.app.shared.background import Background, Task
from trajview.app.transcript.search import SearchHits, search
from trajview.compare.alignment import Kind
from trajview.corpus.process_wide import short_turns
from trajview.corpus.query import Query, QueryError, query_from
from trajview.patterns.patience import TooSlow

__all__ = ["SideSearch", "SideSearcher"]


class SideSearch:
    """The hits of a search of a side (0 left, 1 right) of a comparison, in which it moves the cursor."""

    def __init__(self, comparison: Comparison, side: int, hits: SearchHits) -> None:
        self.comparison, self.side, self.hits = comparison, side, hits
        self._messages = comparison.transcript(side).messages

    def covers(self, row: PairedRow, side: int) -> bool:
        """Whether a row of a side shows text of the side that is searched: in one column, what is the same stands once."""
        return side == self.side or (not self.comparison.sides and row.kind is Kind.SAME)

    def looks_at(self, item: int, said: Said) -> bool:
        """Whether the search looked at what a line of an item shows."""
        row = self.comparison.found.messages[self.comparison.items[item].row]
        message = (row.left, row.right)[self.side]
        return message is not None and self.hits.looks_at(self._messages[message].role, said)

    def step(self, step: int) -> None:
        """To the next or previous match, round the ends."""
        count = len(self.hits.messages)
        if not count:
            return
        index, here = self._first()
        if here:
            self._unfold(index)
            row = self.comparison.cursor[1]
            rows = self._match_rows()
            further = [r for r in rows if r > row] if step > 0 else [r for r in reversed(rows) if r < row]
            if further:
                self.comparison.to_row(further[0])
                return
        index = index + here if step > 0 else index - 1
        self.to_hit(index % count, last=step < 0)

    def to_hit(self, index: int, *, last: bool = False) -> None:
        """To the first (or last) match in one of the messages that have some, showing it where it is folded away."""
        self.comparison.to_message(self.side, self.hits.messages[index])
        self._unfold(index)
        rows = self._match_rows()
        if rows:
            self.comparison.to_row(rows[-1 if last else 0])

    def _first(self) -> tuple[int, bool]:
        """The first message with a match at the cursor or after it, by its index, and whether the cursor is at it."""
        index = bisect_left(self.hits.messages, self.comparison.message_from(self.side))
        here = self.comparison.message_here(self.side)
        return index, here is not None and here in self.hits.messages[index : index + 1]

    def _match_rows(self) -> list[int]:
        """The row on which each match in the item under the cursor begins, as it is folded now, ascending."""
        comparison = self.comparison
        item = comparison.cursor[0]
        laid_out, looks = comparison.layout(item), partial(self.looks_at, item)
        begins = [
            Counter(rows_of_matches(layout, self.hits.pattern, looks)) for layout in (laid_out.left, laid_out.right)
        ]
        rows: list[int] = []
        for number, row in enumerate(laid_out.rows):
            for side, shown in enumerate((row.left, row.right)):
                if shown is not None and self.covers(row, side):
                    rows += [number] * begins[side][shown]
        return rows

    def _unfold(self, index: int) -> None:
        """Unfold the item under the cursor where that hides matches of the message of that index."""
        item = self.comparison.items[self.comparison.cursor[0]]
        if not self.comparison.is_open(item) and len(self._match_rows()) < self.hits.counts[index]:
            self.comparison.toggle_fold()

    def items(self, most: int) -> list[int]:
        """The items that matches are in; of more than `most` messages with some, as many spread over all of them."""
        messages = self.hits.messages
        return [
            self.comparison.item_of_message(self.side, message)
            for message in messages[:: max(1, len(messages) // most)]
        ]

    @property
    def number(self) -> int:
        """Which match the cursor is on or last passed, from 1; 0 before the first."""
        index, here = self._first()
        before = self.hits.before[index]
        if not here:
            return before
        return before + min(bisect_right(self._match_rows(), self.comparison.cursor[1]), self.hits.counts[index])


class SideSearcher:
    """Searches the chosen side of a comparison in a thread, and goes to the first match.

    `show` has what was found drawn, or nothing any more, and `say` tells why it cannot be searched for.
    """

    def __init__(
        self, background: Background, show: Callable[[SideSearch | None], None], say: Callable[[str], None]
    ) -> None:
        self._background, self._show, self._say = background, show, say
        self.found: SideSearch | None = None

    def look_for(self, comparison: Comparison, text: str) -> None:
        """Search the chosen side for what a person typed; nothing ends the search."""
        if not text:
            self.end()
            return
        try:
            query = query_from(text)
        except QueryError as error:
            self._say(f"{error.sentence}: {error.hint}")
        else:
            self._background.start("search", partial(self._search, comparison, comparison.side, query, text))

    def search_again(self, comparison: Comparison) -> None:
        """Search another comparison, or the other side of the same, for what was found before, if there was a search."""
        text = self.found.hits.text if self.found is not None else ""
        if self.found is not None and self.found.comparison is not comparison:
            self.found = None
        self.look_for(comparison, text)

    def end(self) -> bool:
        """End the search; False if nothing was found or looked for."""
        self._background.cancel("search")
        if self.found is None:
            return False
        self.found = None
        self._show(None)
        return True

    def _search(self, comparison: Comparison, side: int, query: Query, text: str, task: Task) -> None:
        messages, start = comparison.transcript(side).messages, comparison.message_from(side)
        try:
            with short_turns():
                for hits in search(messages, query, start, text=text, cancelled=task.cancelled):
                    task.tell(self._take, SideSearch(comparison, side, hits))
        except TooSlow as error:
            task.tell(self._say, f"{error.sentence}: {error.hint}")

    def _take(self, found: SideSearch) -> None:
        before, self.found = self.found, found
        going_on = before is not None and not before.hits.done and before.hits.text == found.hits.text
        if found.hits.messages and not going_on:
            found.to_hit(0)
        self._show(found)
