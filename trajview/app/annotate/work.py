"""What the annotation panel knows of its work without a screen: what is saved, what the journal has, what it has not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from trajview.annotation.clock import ActiveTime
from trajview.annotation.draft import Draft, Values
from trajview.annotation.other_run import put_aside, take_for_same
from trajview.annotation.rescue import rescue, rescued
from trajview.annotation.rubric import Rubric
from trajview.annotation.store import AnnotationStore, Opened, Saved
from trajview.app.annotate.score_grid import ScoreGrid
from trajview.errors import UNFORESEEN, AnnotationError, Problem, bug
from trajview.models.beginning import differs_at

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = ["MOST_AGENTS", "AnnotatedRun", "Fields", "Work"]

MOST_AGENTS = 24
"""More agents than this get no fields: nobody rates them by hand, and a log could claim a million."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AnnotatedRun:
    """The run that is rated: the key that its annotation refers to, its title, one name per agent, the rubric.

    `beginning` tells whether it still is the run that it was (see `models.beginning`); it changes while a run grows.
    """

    key: str
    title: str
    agents: tuple[str, ...]
    rubric: Rubric
    beginning: str = field(default="", compare=False)


class Fields:
    """The texts of a run as they are typed: those in the grid, and those of agents that have no fields."""

    def __init__(self, run: AnnotatedRun, draft: Draft) -> None:
        self.run = run
        self.grid = ScoreGrid(run.rubric, run.agents[:MOST_AGENTS])
        count = len(run.agents)
        values, reasons = _padded(draft.values, count), _padded(draft.rationales, count)
        self.grid.load(values, reasons)
        self._beyond = values[MOST_AGENTS:], reasons[MOST_AGENTS:]
        self._shared = [dimension.name for dimension in run.rubric.of_episodes if dimension.per == "episode"]

    def draft(self, reasoning: str, base: str | None) -> Draft:
        """All that is typed. What is rated for the episode stands at every agent."""
        grid, rubric = self.grid, self.run.rubric.name
        values = self._all(grid.values, self._beyond[0])
        return Draft(
            self.run.key,
            rubric,
            values,
            reasoning,
            base,
            rationales=self._all(grid.rationales, self._beyond[1]),
            beginning=self.run.beginning,
        )

    def _all(self, shown: Sequence[Mapping[str, str]], beyond: Sequence[Mapping[str, str]]) -> Values:
        common = {name: shown[0][name] for name in self._shared if name in shown[0]}
        return (*(dict(typed) for typed in shown), *({**typed, **common} for typed in beyond))


def _padded(texts: Values, agents: int) -> Values:
    """Texts for at least so many agents."""
    return (*texts, *({} for _ in range(agents - len(texts))))


def _foreseen(work: Callable[[], T]) -> Callable[[], T]:
    """The same work. What nobody foresaw in it is an AnnotationError, after which what is typed is held, and tried again."""

    def done() -> T:
        try:
            return work()
        except UNFORESEEN as error:
            fault = bug(error)
            raise AnnotationError(fault.reason, hint=fault.hint) from error

    return done


class Work:
    """The state behind the fields. One thread of its own reads and writes, so that all happens in order.

    Its methods are called on the event loop's thread; the coroutines wait for the store without blocking it.
    """

    def __init__(self, store: AnnotationStore) -> None:
        self.store = store
        self.base: str | None = None
        """The version of the record that the fields started from."""
        self.rewards: list[Reward] = []
        """The rewards of that record, for what the fields do not show."""
        self.baseline: Draft | None = None
        """What the fields said when they were last the same as the record."""
        self.another: int | None = None
        """The message from which the run that was taken up is another one than that which the work is about."""
        self._journalled: Draft | None = None
        self._unkept: dict[tuple[str, str], Draft] = {}
        self._clock = ActiveTime()
        self._timed: AnnotatedRun | None = None
        self._spent: list[tuple[AnnotatedRun, float]] = []
        """Active time that is not in the journal yet."""
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="annotation")
        self._closed = False

    async def _do(self, work: Callable[[], T]) -> T:
        if self._closed:  # A key's work goes on while the program ends: nobody else writes any more.
            return _foreseen(work)()
        return await asyncio.get_running_loop().run_in_executor(self._writer, _foreseen(work))

    async def open(self, run: AnnotatedRun) -> Opened:
        """Read a run's record and draft, after all that was to be written. Raises AnnotationError.

        A file in the store that cannot be read may be a record of this very run: that is said with it.
        """

        def read() -> Opened:
            opened = self.store.open(run.key, run.rubric, len(run.agents), run.beginning)
            elsewhere = rescued(self.store.journal)
            return replace(opened, problems=(*opened.problems, *self.store.misplaced(), *elsewhere))

        return await self._do(read)

    def begin(self, run: AnnotatedRun, opened: Opened | None) -> tuple[Draft, Draft | None]:
        """Take up a run: what to show in its fields, and the draft that it is, if it is one.

        What the journal refused to take earlier is newer than what is in it.
        """
        held = self._unkept.get((run.key, run.rubric.name))
        self.another = differs_at(held.beginning, run.beginning) if held else opened.another if opened else None
        kept = held or (opened.kept if opened else None)
        self.baseline = opened.draft if opened else Draft(run.key, run.rubric.name, ({},) * len(run.agents))
        shown = kept or self.baseline
        self.base = shown.base
        self.rewards = opened.rewards if opened else []
        self._journalled = None if held else shown
        return shown, kept

    def journal_has(self, draft: Draft) -> bool:
        """Nothing was typed since the last draft, or since the run was opened."""
        return self._journalled is not None and draft.says() == self._journalled.says()

    def is_saved(self, draft: Draft) -> bool:
        """It says what the record says."""
        return self.baseline is not None and draft.says() == self.baseline.says()

    def unkept_elsewhere(self, key: str | None) -> bool:
        """Work on another run than this one could not be written into the journal yet."""
        return any(other != key for other, _ in self._unkept)

    def _event(self, draft: Draft) -> str:
        """A draft that says what is saved is none: it takes back the one before."""
        base = self.baseline
        same_run = base is not None and (base.episode, base.rubric) == (draft.episode, draft.rubric)
        return "discard" if same_run and self.is_saved(draft) else "draft"

    def hold(self, draft: Draft) -> Callable[[], object]:
        """Keep a draft here until it is in the journal; gives what writes it there, to be called in the writer."""
        self._journalled = draft
        self._unkept[draft.episode, draft.rubric] = draft
        event = self._event(draft)
        return lambda: self.store.journal.append(event, draft)

    async def keep(self, draft: Draft, write: Callable[[], object]) -> bool:
        """Write a draft that is held; True where another program's typing, unseen here, made way for it.

        Raises AnnotationError; it is then held on, and tried again by `flush`.
        """
        try:
            await self._do(write)
        except AnnotationError:
            if self._journalled is draft:
                self._journalled = None
            raise
        self._let_go(draft)
        return await self._do(lambda: self.store.journal.overtaken(draft.episode, draft.rubric)) is not None

    def is_latest(self, draft: Draft) -> bool:
        """No other draft was handed over since this one."""
        return self._journalled is draft

    async def submit(self, run: AnnotatedRun, draft: Draft, rewards: list[Reward], overwrite: bool) -> Saved:
        """Save the annotation. Raises ChangedOnDisk and AnnotationError, as the store does."""
        saved = await self._do(lambda: self.store.submit(draft, run.rubric, rewards, overwrite=overwrite))
        self._unkept.pop((draft.episode, draft.rubric), None)
        return saved

    def saved(self, draft: Draft, saved: Saved) -> None:
        """The run that is open was saved as this draft."""
        self.base = saved.version
        self.rewards = list(saved.annotation.rewards)
        self.baseline = self._journalled = replace(draft, base=saved.version)

    async def keep_apart(self, run: AnnotatedRun) -> list[str]:
        """Keep what is about another run under a name of its own. Raises AnnotationError."""
        await self._write_held(run)
        return await self._do(lambda: put_aside(self.store, run.key, run.rubric, run.beginning))

    async def take_for_same(self, run: AnnotatedRun) -> None:
        """What there is is about this run as well. Raises AnnotationError."""
        await self._write_held(run)
        await self._do(lambda: take_for_same(self.store, run.key, run.rubric, run.beginning))

    async def _write_held(self, run: AnnotatedRun) -> None:
        held = self._unkept.get((run.key, run.rubric.name))
        if held is not None:
            await self._do(lambda: self.store.journal.append("draft", held))
            self._let_go(held)

    async def discard(self, draft: Draft) -> None:
        """Give up a draft; it stays in the journal as history. Raises AnnotationError."""
        await self._do(lambda: self.store.journal.append("discard", draft))
        self._unkept.pop((draft.episode, draft.rubric), None)

    async def keep_all(self, draft: Draft | None) -> None:
        """Write this draft and all that are held, after what is on its way. Raises AnnotationError where one is refused."""
        if draft is not None and not self.journal_has(draft):
            self.hold(draft)
        await self._do(lambda: None)
        for unkept in list(self._unkept.values()):
            event = self._event(unkept)
            try:
                await self._do(partial(self.store.journal.append, event, unkept))
            except AnnotationError:
                self._journalled = None
                raise
            self._let_go(unkept)
        await self.write_time(monotonic())

    def flush(self, draft: Draft | None) -> None:
        """Write this draft and all that are held, now, and wait. Raises AnnotationError where one is refused."""
        self._writer.submit(lambda: None).result()  # What is on its way comes first.
        if draft is not None and not self.journal_has(draft):
            self.hold(draft)
        for unkept in list(self._unkept.values()):
            append = partial(self.store.journal.append, self._event(unkept), unkept)
            try:
                self._writer.submit(_foreseen(append)).result()
            except AnnotationError:
                self._journalled = None
                raise
            self._let_go(unkept)
        write = self.time_to_write(monotonic())
        if write is not None:
            self._writer.submit(write).result()

    def rescue(self) -> Problem | None:
        """Keep elsewhere what `flush` could not write; says where, None where nothing takes it."""
        return rescue(self.store.journal, list(self._unkept.values()))

    def _let_go(self, draft: Draft) -> None:
        if self._unkept.get((draft.episode, draft.rubric)) is draft:
            del self._unkept[draft.episode, draft.rubric]

    # Active time

    def active(self, run: AnnotatedRun, now: float) -> None:
        """A key was pressed for a run, at a time of the monotonic clock."""
        if self._timed != run:
            self.rest(now)
            self._timed = run
        self._clock.key(now)

    def rest(self, now: float) -> None:
        """Nobody is at work on a run from now on, until the next key."""
        seconds = self._clock.stop(now)
        if self._timed is not None and seconds > 0:
            self._spent.append((self._timed, seconds))
        self._timed = None

    def time_to_write(self, now: float, least: float = 0.0) -> Callable[[], None] | None:
        """What writes the active time into the journal, to be called in the writer; None where it is less than `least`."""
        if self._timed is not None and self._clock.seconds(now) >= max(least, 0.1):
            self._spent.append((self._timed, self._clock.take(now)))
        spent, self._spent = self._spent, []

        def write() -> None:
            if not self.store.journal.path.exists():
                return  # Who only reads makes nothing.
            while spent:
                run, seconds = spent[0]
                try:
                    _foreseen(partial(self.store.spent, run.key, run.rubric, seconds))()
                except AnnotationError:
                    # Drafts say so loudly where they are not taken; time is tried again with the next.
                    self._spent = spent + self._spent
                    return
                del spent[0]

        return write if spent else None

    async def write_time(self, now: float, least: float = 0.0) -> None:
        """Write the active time down, after all that is to be written before it."""
        write = self.time_to_write(now, least)
        if write is not None:
            await self._do(write)

    def close(self) -> None:
        """End the thread, after all that is under way. What is still asked for then is done at once."""
        self._closed = True
        self._writer.shutdown(wait=True)
