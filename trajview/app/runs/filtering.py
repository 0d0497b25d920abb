"""Filter and order of the list of runs: what is typed, and what has to be found out for it in the background."""

from __future__ import annotations

from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

from textual.events import Event
from textual.message import Message
from textual.screen import Screen

from trajview.app.runs.filter_bar import FilterBar
from trajview.app.runs.run_list import RunList
from trajview.app.runs.table import RunTable
from trajview.app.runs.text import Source
from trajview.app.shared.typed_ahead import ENDING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajview.config import Settings
    from trajview.corpus.info import RunInfo
    from trajview.where.background import Finder, Learnt
    from trajview.where.complete import Candidates

__all__ = ["FilteringScreen"]

_AHEAD = 2_000
"""Runs that are asked for at once; what is typed next may want others."""
_NICE = 5
"""How far the processes that read stand back behind the screen, which needs a core only for moments."""
_BREATH = 0.0003
"""Seconds between two runs in which keys may have the processor: to read one is a single long step to the interpreter."""
_SAMPLE = 20
"""Runs that are read to find out which keys their metadata has."""


class FilteringScreen(Screen[None]):
    """A screen with a `RunList`, its table and a filter. Runs are read in a thread where the filter needs them."""

    corpus: Source
    settings: Settings
    runs: RunList
    table: RunTable
    bar: FilterBar
    _early: list[Event] | None = None
    """What is typed while the screen is not there yet; None once it is."""
    _finder: Finder | None = None
    _sampled = False
    _sample: Sequence[tuple[int, RunInfo]] = ()
    """Runs whose keys of metadata are to be offered, as far as these are not known."""

    class _Found(Message):
        """What was wanted of some runs was found out."""

        def __init__(self, learnt: list[Learnt]) -> None:
            super().__init__()
            self.learnt = learnt

    def say(self) -> None:
        """Bring everything that is said of the list up to date."""
        raise NotImplementedError

    # The filter

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys of the filter and the search have priority, and yet are text in the filter."""
        if action in ("filter", "search") and getattr(self.focused, "id", None) == "filter-input":
            return False
        return super().check_action(action, parameters)

    def action_filter(self) -> None:
        """Type a filter."""
        self.bar.candidates = self._candidates
        self.bar.start()
        # Reading a filter, and comparing with a pattern, takes modules that nothing else here needs.
        self.run_worker(_prepare, thread=True, group="filter", exit_on_error=False)

    def on_filter_bar_changed(self, message: FilterBar.Changed) -> None:
        message.stop()
        self._filter_as_typed()

    def _filter_as_typed(self) -> None:
        """By what is in the field now: keys that come in one burst are all in it before the first of them is told of."""
        wrong = self.runs.filter(self.bar.text, typing=True)
        self.bar.tell(wrong)
        self.order_changed()

    def for_later(self, event: Event) -> bool:
        """What is typed before there is a list is for the list, and right behind a filter for the one that it leaves."""
        if getattr(event, "key", "") in ENDING:
            return False
        if self._early is None:
            return self.bar.for_later(event)
        self._early.append(event)
        return True

    async def type_early(self) -> None:
        """Do what was typed before there was a list. In the app's own turn: no key comes between."""
        early, self._early = self._early or (), None
        for event in early:
            await self.app.on_event(event)

    def on_filter_bar_entered(self, message: FilterBar.Entered) -> None:
        message.stop()
        self._filter_as_typed()
        self.bar.leave()

    def on_filter_bar_left(self, message: FilterBar.Left) -> None:
        message.stop()
        if self.runs.query:
            self.runs.filter(self.runs.query)
            self.runs.go(self.runs.cursor)
            self.order_changed()
        self.set_focus(self.table)
        self.bar.left()

    def on_filter_bar_stepped(self, message: FilterBar.Stepped) -> None:
        message.stop()
        self.table.move(message.rows)

    def _candidates(self, text: str) -> Candidates:
        from trajview.where.complete import candidates

        if "metadata." in text and not self._sampled:
            self._sample_metadata()
        return candidates(text, self.runs.table)

    # The order

    def action_sort(self, step: int) -> None:
        """Sort by the next or previous column that is shown."""
        self.runs.step_sort(step, self.table.columns)
        self.order_changed()

    def action_sort_also(self) -> None:
        """Sort what is equal so far by one more column; again, by the next one instead."""
        self.runs.step_last(self.table.columns)
        self.order_changed()

    def action_sort_reverse(self) -> None:
        """Turn the order round."""
        self.runs.turn()
        self.order_changed()

    def order_changed(self) -> None:
        """The filter or the order is another one."""
        self.table.rows_changed()
        self.find_out()
        self.say()

    # What has to be found out

    def find_out(self) -> None:
        """Have the runs read that the filter and the order are about, as far as they have not been."""
        runs, refs = self.runs.to_find_out(_AHEAD)
        if not runs and self._sample:
            self._read_sample()
            return
        if not runs and self._finder is None:
            return
        if any(ref.name == "metadata" for ref in refs):
            from trajview.where.complete import METADATA

            refs = (*refs, METADATA)
        self._the_finder().want(runs, refs)

    def _sample_metadata(self) -> None:
        """Read a few runs, so that the keys of their metadata can be offered, unless others are being read anyway."""
        from trajview.corpus.info import RunInfo

        if self._finder is not None and self._finder.left:
            return
        self._sampled = True
        first = [
            (row, item) for row, item in enumerate(self.runs.rows[: 10 * _SAMPLE])
            if isinstance(item, RunInfo) and item.summarised
        ]  # fmt: skip
        self._sample = first[:: max(1, len(first) // _SAMPLE)]
        self._read_sample()

    def _read_sample(self) -> None:
        from trajview.where.complete import METADATA

        unknown = self.runs.table.column(METADATA).unknown
        self._sample = [(row, item) for row, item in self._sample if row in unknown and self.runs.rows[row] is item]
        self._the_finder().want(self._sample, (METADATA,))

    def _the_finder(self) -> Finder:
        if self._finder is None:
            from trajview.corpus.search import cores
            from trajview.where.background import Finder, Wanted
            from trajview.where.kept import DetailsCache
            from trajview.where.reading import DetailsReader

            cache = DetailsCache() if self.corpus.keeps else None
            blind = self.settings.blind
            reader: DetailsReader[Wanted] = DetailsReader(
                self.corpus, cache, blind=blind, processes=cores(), nice=_NICE, breath=_BREATH
            )
            self._finder = Finder(reader, self._take_found)
        return self._finder

    def _take_found(self, learnt: list[Learnt]) -> None:
        """Called in the thread that reads."""
        with suppress(RuntimeError):  # the app has gone, and nobody is left to be told
            self.post_message(self._Found(learnt))

    def on_filtering_screen__found(self, message: _Found) -> None:
        message.stop()
        begun = monotonic()
        rows = self.runs.learn(message.learnt)
        self.table.rows_updated(rows)
        if self._sampled:
            self.bar.learnt()
        if self._finder is not None:
            self._finder.taken(message.learnt, monotonic() - begun)
            if self._finder.left <= _AHEAD // 2:
                self.find_out()
        self.say()

    def on_unmount(self) -> None:
        if self._finder is not None:
            self._finder.cancel()


def _prepare() -> None:
    import trajview.highlight
    import trajview.where.parse
    import trajview.where.select  # noqa: F401
