"""Filter and order of the list of runs: what is typed, and what has to be found out for it in the background."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final

from trajview.app.runs.filter_bar import FilterBar
from trajview.app.runs.run_list import RunList
from trajview.app.runs.table import RunTable

if TYPE_CHECKING:
    from trajview.app.shared.commands import Commands
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.info import RunInfo
    from trajview.where.background import Finder, Learnt
    from trajview.where.complete import Candidates

__all__ = ["Filtering"]

_AHEAD: Final = 2_000
"""Runs that are asked for at once; what is typed next may want others."""
_NICE: Final = 5
"""How far the processes that read stand back behind the screen, which needs a core only for moments."""
_BREATH: Final = 0.0003
"""Seconds between two runs in which keys may have the processor: to read one is a single long step to the interpreter."""
_SAMPLE: Final = 20
"""Runs that are read to find out which keys their metadata has."""


class Filtering:
    """Filters and orders the list, and has the runs read that the filter and the order are about, in a thread."""

    def __init__(
        self,
        runs: RunList,
        table: RunTable,
        corpus: Corpus,
        call_later: Callable[[Callable[[], None]], object],
        *,
        blind: bool,
        changed: Callable[[], None],
    ) -> None:
        """
        Args:
            call_later: Calls a function in the screen's turn; called in the thread that reads, too.
            blind: Tell nothing of runs that blind mode hides.
            changed: Called when other rows are shown, or in another order.
        """
        self._runs = runs
        self._table = table
        self._corpus = corpus
        self._call_later = call_later
        self._blind = blind
        self._changed = changed
        self._finder: Finder | None = None
        self._is_sampled = False
        self._sample: Sequence[tuple[int, RunInfo]] = ()
        """Runs whose keys of metadata are to be offered, as far as these are not known."""
        self.bar = FilterBar(self._candidates, self._filter_as_typed, self._keep, table.move)

    @property
    def commands(self) -> Commands:
        """What the keys of the order do."""
        return {
            "sort": partial(self._sort_by_next, 1),
            "sort.previous": partial(self._sort_by_next, -1),
            "sort.also": self._sort_also,
            "sort.reverse": self._reverse,
        }

    # The filter

    def begin(self, text: str) -> None:
        """Filter from the start."""
        self._runs.filter(text)
        self.bar.show(text)

    def _filter_as_typed(self) -> None:
        """Filter by what is in the field now."""
        wrong = self._runs.filter(self.bar.text, typing=True)
        self.bar.show_hint(wrong)
        self.order_changed()

    def _keep(self) -> None:
        """Take the filter as it stands: it is not being typed any more, and the cursor stays where it is."""
        if self._runs.query:
            self._runs.filter(self._runs.query)
            self._runs.go(self._runs.cursor)
            self.order_changed()
        self._table.screen.set_focus(self._table)

    def _candidates(self, text: str) -> Candidates:
        from trajview.where.complete import candidates

        if "metadata." in text and not self._is_sampled:
            self._sample_metadata()
        return candidates(text, self._runs.table)

    # The order

    def _sort_by_next(self, step: int) -> None:
        """Sort by the next or previous column that is shown."""
        self._runs.step_sort(step, self._table.columns)
        self.order_changed()

    def _sort_also(self) -> None:
        """Sort what is equal so far by one more column; again, by the next one instead."""
        self._runs.step_last(self._table.columns)
        self.order_changed()

    def _reverse(self) -> None:
        self._runs.turn()
        self.order_changed()

    def order_changed(self) -> None:
        """The filter or the order is another one: draw that, and have read what it is about."""
        self._table.rows_changed()
        self.find_out()
        self._changed()

    # What has to be found out

    def find_out(self) -> None:
        """Have the runs read that the filter and the order are about, as far as they have not been."""
        runs, refs = self._runs.to_find_out(_AHEAD)
        if not runs and self._sample:
            self._read_sample()
        elif runs or self._finder is not None:
            if any(ref.name == "metadata" for ref in refs):
                from trajview.where.complete import METADATA

                refs = (*refs, METADATA)
            self._the_finder().want(runs, refs)

    @property
    def finds_out(self) -> bool:
        """Whether runs are being read for the filter or the order."""
        return self._finder is not None and self._finder.left > 0

    def cancel(self) -> None:
        """Read no more."""
        if self._finder is not None:
            self._finder.cancel()

    def _sample_metadata(self) -> None:
        """Read a few runs, so that the keys of their metadata can be offered, unless others are being read anyway."""
        from trajview.corpus.info import RunInfo

        if self._finder is not None and self._finder.left:
            return
        self._is_sampled = True
        rows = self._runs.rows[: 10 * _SAMPLE]
        first = [(row, item) for row, item in enumerate(rows) if isinstance(item, RunInfo) and item.summarised]
        self._sample = first[:: max(1, len(first) // _SAMPLE)]
        self._read_sample()

    def _read_sample(self) -> None:
        from trajview.where.complete import METADATA

        unknown = self._runs.table.column(METADATA).unknown
        self._sample = [(row, item) for row, item in self._sample if row in unknown and self._runs.rows[row] is item]
        self._the_finder().want(self._sample, (METADATA,))

    def _the_finder(self) -> Finder:
        if self._finder is None:
            from trajview.corpus.search import cores
            from trajview.where.background import Finder, Wanted
            from trajview.where.kept import DetailsCache
            from trajview.where.reading import DetailsReader

            cache = DetailsCache() if self._corpus.keeps else None
            reader: DetailsReader[Wanted] = DetailsReader(
                self._corpus, cache, blind=self._blind, processes=cores(), nice=_NICE, breath=_BREATH
            )
            self._finder = Finder(reader, self._tell)
        return self._finder

    def _tell(self, learnt: list[Learnt]) -> None:
        """Have taken in what was found out; called in the thread that reads."""
        with suppress(RuntimeError):  # the app has gone, and nobody waits for it
            self._call_later(partial(self._take, learnt))

    def _take(self, learnt: list[Learnt]) -> None:
        begun = monotonic()
        self._runs.learn(learnt)
        self._table.rows_come()
        self._table.show_news()
        if self._is_sampled:
            self.bar.learnt()
        if self._finder is not None:
            self._finder.taken(learnt, monotonic() - begun)
            if self._finder.left <= _AHEAD // 2:
                self.find_out()
        self._changed()
