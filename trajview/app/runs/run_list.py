"""The list of a corpus's runs without a terminal: rows, order, filter and cursor, fast at a hundred thousand rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajview.annotation.flag import FLAG
from trajview.app.shared.cells import COLUMNS, Column, cell, value_text
from trajview.corpus.info import Gone, Place, RunInfo, Updated
from trajview.errors import Problem
from trajview.patterns.patience import TooSlow
from trajview.places import ListPlace
from trajview.textsafe import one_line
from trajview.where.fields import Ref
from trajview.where.syntax import By, Query, WhereError, refs_in
from trajview.where.table import Table

if TYPE_CHECKING:
    from trajview.where.select import Select

__all__ = ["DRAFT_STATUSES", "RunList", "RunRow"]

RunRow = RunInfo | Problem
"""What a row shows: a run, or something that could not be read."""

DRAFT_STATUSES = frozenset(f"{state}{sign}" for state in ("draft", "skipped", "flagged") for sign in ("", f" {FLAG}"))
"""Annotation statuses that say that a run has no annotation yet."""

_EXTRAS = 3
"""Columns that may come because the filter or the order is about their fields."""

_PLAIN = frozenset(
    {"id", "key", "name", "run", "source", "path", "rewards", "annotated", "draft", "skipped", "flagged", "problem"}
)
"""Fields that need no column of their own: another one says it."""


class RunList:
    """The rows of the browser: all of them in the order they came, which are shown in which order, and a cursor.

    Row numbers (`int`) count all rows in the order they came and never change; positions count the shown ones.
    """

    def __init__(self, roots: Iterable[Path] = ()) -> None:
        self._roots = tuple(roots)
        self.table = Table(self.place)
        self.rows: list[RunRow] = self.table.rows
        self.shown: list[int] = []
        """The row numbers of what is shown, in its order."""
        self.keys: tuple[By, ...] = ()
        """What gives the order, the first key first; empty for the order of the corpus."""
        self.query = ""
        """The text of the filter that holds: the last one that could be read."""
        self.given_up = ""
        """Why the filter could not be applied, and shows nothing."""
        self.runs = 0
        self.problems = 0
        self.marked: list[Place] = []
        """The runs that are marked to be compared: at most two, the first one first."""
        self._cursor = 0
        self._wanted: int | None = None
        """The row that the cursor was put on, which a filter may hide."""
        self._on_first = False
        """Whether the cursor stays on whichever row comes first: a filter or an order put it there, and nobody moved it."""
        self._filter = Query()
        self._select: Select | None = None
        self._open: dict[int, None] = {}
        self._lenient = False
        self._wrong: WhereError | None = None  # with the filter that was given last
        self._turned = False
        self._keys_before: tuple[By, ...] | None = None
        self._queue: dict[str, int] | None = None
        self._awaited = ""
        """The key of the run that the cursor goes to once it is there, unless it is moved before."""

    # Rows

    def append(self, batch: Iterable[RunRow]) -> None:
        """Add rows at the end."""
        new = self.table.extend(batch)
        for row in new:
            self._count(self.rows[row], 1)
            self._look_for_awaited(row)
        matching = self._matching(new)
        if matching and self.keys:
            from trajview.where.order import merged

            cursor = self._cursor_row
            self.shown = merged(self.shown, matching, self.keys, self.table)
            self._stay_on(cursor)
        elif matching:
            self._reorder(self.shown + matching)

    def update(self, changes: Sequence[Updated]) -> None:
        """Put what is known now in the place of earlier rows; the cursor stays on its row, or where that was."""
        for change in changes:
            self._count(self.rows[change.row], -1)
            self._count(change.item, 1)
            self.table.replace(change.row, change.item)
            self._look_for_awaited(change.row)
        cursor, position = self._cursor_row, self._cursor
        self._show_matching()
        if cursor is not None and isinstance(self.rows[cursor], Gone):
            self._cursor = max(0, min(position, len(self.shown) - 1))

    def learn(self, found: Iterable[tuple[int, RunInfo, Mapping[Ref, Any]]]) -> None:
        """Take in what was found out about runs, unless they are others by now."""
        learnt: dict[int, None] = {}  # a row may come twice: for this filter, and for the one before it
        for row, info, values in found:
            if self.rows[row] is info:
                self.table.learn(row, values)
                learnt[row] = None
        asked = [row for row in learnt if row in self._open]
        for row in asked:
            del self._open[row]
        new = self._matching(asked)
        if new or any(by.ref.field.needs == "details" for by in self.keys):
            self._reorder(self.shown + new)

    @property
    def chosen(self) -> bool:
        """Whether a filter or a queue may leave runs out."""
        return self._select is not None or self._queue is not None

    @property
    def open(self) -> int:
        """How many runs have to be read before the filter can let them through."""
        return len(self._open)

    @property
    def extras(self) -> tuple[Ref, ...]:
        """Fields that the filter and the order are about, and that no column shows otherwise."""
        asked = dict.fromkeys([*refs_in(self._filter.node), *(by.ref for by in self.keys)])
        return tuple(ref for ref in asked if ref not in COLUMNS and (ref.parts or ref.name not in _PLAIN))[:_EXTRAS]

    def text(self, row: int, item: RunInfo, column: Ref) -> str:
        """The text of a cell of the run `item` in a row; an ellipsis where it is not known yet."""
        if column == Column.STATUS:
            status = self.status(item)
            sign = "○ " if status in DRAFT_STATUSES else "✓ " if status else ""
            return sign + one_line(status)
        if column in COLUMNS:
            return cell(item, column)
        values = self.table.column(column)
        return "…" if row in values.unknown else value_text(values.values[row])

    def to_find_out(self, most: int = 1_000_000) -> tuple[list[tuple[int, RunInfo]], tuple[Ref, ...]]:
        """At most so many runs that have to be read, first for the filter, then for the order, and for which fields."""
        asked = [ref for ref in refs_in(self._filter.node) if ref.field.needs == "details"]
        shown_for = [by.ref for by in self.keys if by.ref.field.needs == "details"]
        if not asked and not shown_for:
            return [], ()
        rows = list(self._open) if asked else []
        if shown_for:
            columns = [self.table.column(ref).unknown for ref in shown_for]
            rows += [row for row in self.shown if any(row in unknown for unknown in columns)]
        found: list[tuple[int, RunInfo]] = []
        for row in dict.fromkeys(rows):
            item = self.rows[row]
            if isinstance(item, RunInfo) and item.summarised:
                found.append((row, item))
                if len(found) >= most:
                    break
        return found, tuple(dict.fromkeys([*asked, *shown_for]))

    def _count(self, item: RunRow, step: int) -> None:
        if isinstance(item, RunInfo):
            self.runs += step
        elif not isinstance(item, Gone):
            self.problems += step

    def place(self, item: RunRow) -> str:
        """Where a row comes from, as short as the opened folders allow."""
        if isinstance(item, RunInfo):
            return item.source
        path = item.where.path
        if path is None:
            return ""
        short = path.name
        for root in self._roots:
            if path != root and path.is_relative_to(root):
                short = str(path.relative_to(root))
                break
        return str(item.where).replace(str(path), short, 1)

    def status(self, item: RunRow) -> str:
        """The annotation status of a run, empty where there is none."""
        return self.table.statuses.get(item.key, "") if isinstance(item, RunInfo) else ""

    def set_statuses(self, statuses: Mapping[str, str]) -> None:
        """Take over the annotation statuses, by the key of the run."""
        self.table.set_statuses(statuses)
        refs = [*refs_in(self._filter.node), *(by.ref for by in self.keys)]
        if any(ref.field.needs == "status" for ref in refs):
            self._show_matching()

    # Marks

    def mark(self) -> bool:
        """Mark the run under the cursor, or take its mark away. Says whether it is marked now."""
        item = self.current
        if not isinstance(item, RunInfo):
            return False
        is_marked = item.place in self.marked
        if is_marked:
            self.marked.remove(item.place)
        else:
            self.marked = [*self.marked[-1:], item.place]  # a third one takes the place of the first
        return not is_marked

    def to_compare(self) -> list[RunInfo]:
        """The two marked runs, as the list has them now, or the marked one and the one under the cursor; or fewer."""
        current = self.current
        places = list(self.marked)
        if len(places) == 1 and isinstance(current, RunInfo) and current.place not in places:
            places.append(current.place)
        there = {row.place: row for row in self.rows if isinstance(row, RunInfo) and row.place in places}
        return [there[place] for place in places if place in there]

    # Order

    def sort_by(self, column: Ref) -> None:
        """Order by a column. The same column again turns the order round."""
        turned = bool(self.keys) and self.keys[0] == By(column)
        self._sort((By(column, turned),))

    def also_by(self, column: Ref) -> None:
        """Order what is equal so far by a column too. If it is a key already, it is turned round."""
        if any(by.ref == column for by in self.keys):
            self._sort(tuple(By(by.ref, not by.reverse) if by.ref == column else by for by in self.keys))
        else:
            self._sort((*self.keys, By(column)))

    def step_sort(self, step: int, columns: Iterable[Ref] = COLUMNS) -> None:
        """Order by the next or previous of some columns; before the first comes the order of the corpus."""
        choices: list[Ref | None] = [None, *columns]
        now = self.keys[0].ref if self.keys else None
        here = choices.index(now) if now in choices else 0
        column = choices[(here + step) % len(choices)]
        self._sort(() if column is None else (By(column),))

    def step_last(self, columns: Iterable[Ref] = COLUMNS) -> None:
        """Add a key to the order, or make its last one the next column; after the last column the key goes away."""
        if not self.keys:
            self.step_sort(1, columns)
            return
        first, last = (self.keys[:-1], self.keys[-1].ref) if len(self.keys) > 1 else (self.keys, None)
        choices = [column for column in columns if column not in {by.ref for by in first}]
        here = choices.index(last) + 1 if last in choices else 0
        self._sort((*first, By(choices[here])) if here < len(choices) else first)

    def turn(self) -> None:
        """Turn the order round, that of the last key; what has no value stays last."""
        if self.keys:
            *first, last = self.keys
            self._sort((*first, By(last.ref, not last.reverse)))
        else:
            self._sort((), not self._turned)

    def _sort(self, keys: tuple[By, ...], turned: bool = False) -> None:
        self.keys, self._turned = keys, turned and not keys
        self._on_first, self._wanted, self._awaited = True, None, ""
        self._reorder(self.shown)

    def _reorder(self, rows: list[int]) -> None:
        """Show these rows in order, with the cursor where it is."""
        cursor = self._cursor_row
        self._order(sorted(rows))
        self._stay_on(cursor)

    def _order(self, rows: list[int]) -> None:
        """Show these rows in order. They come oldest first, or as they were shown with newer ones after them."""
        if self.keys:
            from trajview.where.order import ordered

            self.shown = ordered(rows, self.keys, self.table)
            return
        if self._queue is not None:
            rows = sorted(rows, key=self._place_in_queue)
        self.shown = rows[::-1] if self._turned else rows

    def arrange(self, keys: Sequence[str] | None) -> None:
        """Show only the runs of a queue, in its order where no column gives one; None for all runs."""
        self._queue = None if keys is None else {key: place for place, key in enumerate(keys)}
        self._show_matching()

    def _place_in_queue(self, row: int) -> int:
        item = self.rows[row]
        return (self._queue or {}).get(item.key, -1) if isinstance(item, RunInfo) else -1

    # Filter

    def filter(self, query: str, *, typing: bool = False) -> WhereError | None:
        """Show the rows that match; what is wrong with the text, if something is, and then what stands before that holds.

        What is begun at the end of the text and not complete counts as not there; that, too, is returned. While
        somebody is `typing`, so does a last word that nothing matches as it is and that may become a field or a value.
        The cursor goes to the first row, and without a filter back to the run that it was put on before or meanwhile.
        """
        if query == self.query and (typing or not self._lenient):
            return self._wrong
        from trajview.where.parse import parse

        wrong: WhereError | None = None
        try:
            found = parse(query)
        except WhereError as error:
            wrong = error
            try:
                found = parse(query if error.incomplete else query[: error.start], forgiving=True)
            except WhereError:
                return wrong
        if self._wanted is None:
            self._wanted = self._cursor_row
        self._on_first = bool(query.strip()) and (self._on_first or query != self.query)
        if typing:
            self._awaited = ""
        self.query, self._lenient, self._wrong, self.given_up, self._awaited = query, False, wrong, "", ""
        self._take(found)
        if typing and self._wrong is None and not self.shown and not self._open:
            from trajview.where.complete import candidates

            following = candidates(query, self.table)
            if following and following.begun < len(query):
                self._lenient = True
                with suppress(WhereError):
                    self._take(parse(query[: following.begun], forgiving=True))
        self._stay_on(self._wanted)
        return self._wrong

    def _take(self, found: Query) -> None:
        if found.sort != self._filter.sort:
            self._take_order(found.sort)
        if found.node != self._filter.node:
            self._select = None
            if found.node is not None:
                from trajview.where.select import compile_node

                self._select = compile_node(found.node, self.table)
        self._filter = found
        self._show_matching()

    def _take_order(self, keys: tuple[By, ...]) -> None:
        """The order that the filter names; when it names none any more, the one from before is back."""
        if keys:
            if self._keys_before is None:
                self._keys_before = self.keys
            self.keys = keys
        elif self._keys_before is not None:
            if self.keys == self._filter.sort:
                self.keys = self._keys_before
            self._keys_before = None

    def _show_matching(self) -> None:
        """Show what matches, with the cursor where it is."""
        cursor = self._cursor_row
        self._open = {}
        self._order(self._matching(range(len(self.rows))))
        self._stay_on(cursor)

    def _matching(self, rows: Sequence[int]) -> list[int]:
        """The rows of these that the filter lets through. Those that have to be read first are noted in `_open`."""
        found = [row for row in rows if not isinstance(self.rows[row], Gone)]
        if self._queue is not None:
            found = [row for row in found if self._place_in_queue(row) >= 0]
        if self._select is None:
            return found
        try:
            yes, unknown = self._select(found)
        except TooSlow as error:
            self._select = lambda _rows: ([], [])
            self._wrong = WhereError(error.sentence, self.query, 0, len(self.query), hint=error.hint)
            self.given_up = error.sentence
            return []
        self._open.update((row, None) for row in unknown if isinstance(self.rows[row], RunInfo))
        return yes

    # Where the reader was

    @property
    def saved(self) -> ListPlace:
        """Where the reader is, to come back to another time."""
        item = self.current
        named = self._keys_before is not None and self.keys == self._filter.sort
        keys = (self._keys_before or ()) if named else self.keys  # the filter says by itself what it orders by
        key = self._awaited or (item.key if isinstance(item, RunInfo) else "")
        return ListPlace(key, self.query.strip(), ",".join(map(str, keys)), self._turned)

    def come_back(self, place: ListPlace) -> None:
        """Have the order and the filter of an earlier time, and put the cursor on the run that it was on once that comes."""
        if place.order:
            from trajview.where.parse import parse_sort

            with suppress(WhereError):
                self.keys = parse_sort(place.order)
        self._turned = place.turned and not self.keys
        self.filter(place.query)
        self._awaited = place.run

    # Cursor

    @property
    def cursor(self) -> int:
        """The position of the cursor among the shown rows; 0 where there are none."""
        return self._cursor

    @property
    def count(self) -> int:
        """How many rows are shown."""
        return len(self.shown)

    @property
    def current(self) -> RunRow | None:
        """The run or problem under the cursor."""
        return self.rows[self.shown[self._cursor]] if self.shown else None

    def go(self, position: int) -> bool:
        """Put the cursor on a position, or as near as there is one. Says whether it moved."""
        before, self._cursor = self._cursor, max(0, min(position, len(self.shown) - 1))
        self._wanted, self._on_first, self._awaited = self._cursor_row, False, ""
        return self._cursor != before

    def go_to(self, place: Place) -> bool:
        """Put the cursor on the run at that place; False where it is not shown."""
        position = self._position_of(place)
        if position is not None:
            self.go(position)
        return position is not None

    def next_run(self, place: Place, step: int) -> RunInfo | None:
        """Move the cursor to the run shown after (before) the run at that place, past problems; None at the end."""
        here = self._position_of(place)
        position = (self._cursor if here is None else here) + step
        while 0 <= position < len(self.shown):
            item = self.rows[self.shown[position]]
            if isinstance(item, RunInfo):
                self.go(position)
                return item
            position += step
        return None

    def _look_for_awaited(self, row: int) -> None:
        item = self.rows[row]
        if self._awaited and isinstance(item, RunInfo) and item.key == self._awaited:
            self._wanted, self._on_first, self._awaited = row, False, ""

    def _position_of(self, place: Place) -> int | None:
        for position, row in enumerate(self.shown):
            item = self.rows[row]
            if isinstance(item, RunInfo) and item.place == place:
                return position
        return None

    @property
    def _cursor_row(self) -> int | None:
        return self.shown[self._cursor] if self.shown else None

    def _stay_on(self, row: int | None) -> None:
        """Find the row that the cursor was put on, or else `row`; the first row is next where neither is shown."""
        wanted = None if self._on_first else next((one for one in (self._wanted, row) if one in self.shown), None)
        self._cursor = 0 if wanted is None else self.shown.index(wanted)
