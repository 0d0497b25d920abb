"""The state of an annotation behind its fields: what is saved, what the journal has, and what it did not take yet."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from trajview.annotation.clock import ActiveTime
from trajview.annotation.draft import Draft
from trajview.annotation.other_run import put_aside, take_for_same
from trajview.annotation.rescue import rescue, rescued
from trajview.annotation.rubric import Rubric
from trajview.annotation.store import AnnotationStore, Opened, Saved
from trajview.errors import UNFORESEEN, AnnotationError, Problem, bug
from trajview.models.beginning import differs_at

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = ["AnnotatedRun", "AnnotationWork"]

_LEAST_TIME = 0.1
"""Seconds of active time that are worth a line in the journal."""

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


@contextmanager
def _faults_as_errors() -> Iterator[None]:
    """Raise what nobody foresaw as an AnnotationError, after which what is typed is held, and tried again."""
    try:
        yield
    except UNFORESEEN as error:
        fault = bug(error)
        raise AnnotationError(fault.reason, hint=fault.hint) from error


class AnnotationWork:
    """Reads and writes the annotations of one run at a time, in a thread of its own, so that all happens in order.

    Drafts are held until the journal has taken them. Its methods are called on the event loop's thread; the coroutines
    wait for the store without blocking it.
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
        self._newest: Draft | None = None
        """The last draft of the run that the journal has, or is about to have; None after it refused one."""
        self._held: dict[tuple[str, str], tuple[Draft, str]] = {}
        """Drafts that the journal does not have yet, each with its event there, by run and rubric."""
        self._lock = Lock()
        """For `_held`, to which the thread that writes looks as well."""
        self._clock = ActiveTime()
        self._timed: AnnotatedRun | None = None
        self._spent: deque[tuple[AnnotatedRun, float]] = deque()
        """Active time that is not in the journal yet."""
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="annotation")
        self._closed = False

    async def _do(self, work: Callable[[], T]) -> T:
        def done() -> T:
            with _faults_as_errors():
                return work()

        if self._closed:  # A key's work goes on while the program ends: nobody else writes any more.
            return done()
        return await asyncio.get_running_loop().run_in_executor(self._writer, done)

    # Opening

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
        held, _ = self._held.get((run.key, run.rubric.name), (None, ""))
        self.another = differs_at(held.beginning, run.beginning) if held else opened.another if opened else None
        kept = held or (opened.kept if opened else None)
        self.baseline = opened.draft if opened else Draft(run.key, run.rubric.name, ({},) * len(run.agents))
        shown = kept or self.baseline
        self.base = shown.base
        self.rewards = opened.rewards if opened else []
        self._newest = None if held else shown
        return shown, kept

    async def keep_apart(self, run: AnnotatedRun) -> list[str]:
        """Keep work about another run under a name of its own; gives the names. Raises AnnotationError."""
        await self._write_draft(run.key, run.rubric.name)
        return await self._do(lambda: put_aside(self.store, run.key, run.rubric, run.beginning))

    async def take_for_same(self, run: AnnotatedRun) -> None:
        """Have the work that there is count for this run as well. Raises AnnotationError."""
        await self._write_draft(run.key, run.rubric.name)
        await self._do(lambda: take_for_same(self.store, run.key, run.rubric, run.beginning))

    # Drafts

    def journal_has(self, draft: Draft) -> bool:
        """Whether a draft says the same as the last one, or as the run did when it was opened."""
        return self._newest is not None and draft.says() == self._newest.says()

    def is_saved(self, draft: Draft) -> bool:
        """Whether a draft says what the record says."""
        return self.baseline is not None and draft.says() == self.baseline.says()

    def is_newest(self, draft: Draft) -> bool:
        """Whether no other draft was handed over since this one."""
        return self._newest is draft

    def holds_another(self, key: str | None) -> bool:
        """Whether work on another run than this one could not be written into the journal yet."""
        with self._lock:
            return any(other != key for other, _ in self._held)

    def hold(self, draft: Draft) -> None:
        """Keep a draft of the open run here until it is in the journal. One that says what is saved takes back the last."""
        self._newest = draft
        event = "discard" if self.is_saved(draft) else "draft"
        with self._lock:
            self._held[draft.episode, draft.rubric] = draft, event

    async def keep(self, draft: Draft) -> bool:
        """Write a draft that is held; True where another program's typing, unseen here, made way for it.

        Raises AnnotationError; it is then held on, and tried again with the next one.
        """
        await self._write_draft(draft.episode, draft.rubric)
        return await self._do(lambda: self.store.journal.overtaken(draft.episode, draft.rubric)) is not None

    async def _write_draft(self, episode: str, rubric: str) -> None:
        """Write what is held; raises AnnotationError where the draft of this run is refused, if there is one."""
        error = (await self._do(self._write_held)).get((episode, rubric))
        if error is not None:
            raise error

    async def keep_all(self, draft: Draft | None) -> None:
        """Write this draft and all that are held, and the active time. Raises AnnotationError where one is refused."""
        self._hold_last(draft)
        await self._do(self._write_all)

    def flush(self, draft: Draft | None) -> None:
        """As `keep_all`, but wait for it."""
        self._hold_last(draft)
        self._writer.submit(self._write_all).result()

    def _hold_last(self, draft: Draft | None) -> None:
        if draft is not None and not self.journal_has(draft):
            self.hold(draft)
        self._take_time(_LEAST_TIME)

    def _write_all(self) -> None:
        for error in self._write_held().values():
            raise error
        self._write_spent()

    def _write_held(self) -> dict[tuple[str, str], AnnotationError]:
        """Write the drafts that are held into the journal; gives why it refuses some. For the thread that writes."""
        with self._lock:
            held = dict(self._held)
        refused: dict[tuple[str, str], AnnotationError] = {}
        for key, entry in held.items():
            draft, event = entry
            try:
                with _faults_as_errors():
                    self.store.journal.append(event, draft)
            except AnnotationError as error:
                refused[key] = error
                if self._newest is draft:
                    self._newest = None
            else:
                with self._lock:
                    if self._held.get(key) is entry:  # nothing was typed since
                        del self._held[key]
        return refused

    def rescue(self) -> Problem | None:
        """Keep elsewhere what `flush` could not write; says where, None where nothing takes it."""
        return rescue(self.store.journal, [draft for draft, _ in self._held.values()])

    # Submitting

    async def submit(self, run: AnnotatedRun, draft: Draft, rewards: list[Reward], overwrite: bool) -> Saved:
        """Save the annotation. Raises ChangedOnDisk and AnnotationError, as the store does."""

        def write() -> Saved:
            saved = self.store.submit(draft, run.rubric, rewards, overwrite=overwrite)
            self._let_go(draft)
            return saved

        return await self._do(write)

    def saved(self, draft: Draft, saved: Saved) -> None:
        """Take a draft for the state of the open run that is saved."""
        self.base = saved.version
        self.rewards = list(saved.annotation.rewards)
        self.baseline = self._newest = replace(draft, base=saved.version)

    async def discard(self, draft: Draft) -> None:
        """Give up a draft; it stays in the journal as history. Raises AnnotationError."""
        await self._do(lambda: self.store.journal.append("discard", draft))
        self._let_go(draft)

    def _let_go(self, draft: Draft) -> None:
        with self._lock:
            self._held.pop((draft.episode, draft.rubric), None)

    # Active time

    def active(self, run: AnnotatedRun) -> None:
        """Run the clock for a run: a key was pressed."""
        if self._timed != run:
            self.rest()
            self._timed = run
        self._clock.key(monotonic())

    def rest(self) -> None:
        """Stop the clock until the next key."""
        seconds = self._clock.stop(monotonic())
        if self._timed is not None and seconds > 0:
            self._spent.append((self._timed, seconds))
        self._timed = None

    async def write_time(self, least: float = _LEAST_TIME) -> None:
        """Write the active time down where it is `least` seconds, after all that is to be written before it."""
        self._take_time(least)
        if self._spent:
            await self._do(self._write_spent)

    def _take_time(self, least: float) -> None:
        now = monotonic()
        if self._timed is not None and self._clock.seconds(now) >= least:
            self._spent.append((self._timed, self._clock.take(now)))

    def _write_spent(self) -> None:
        """Write the active time into the journal. For the thread that writes."""
        if not self.store.journal.path.exists():
            self._spent.clear()  # Who only reads makes nothing.
        while self._spent:
            run, seconds = self._spent[0]
            try:
                with _faults_as_errors():
                    self.store.spent(run.key, run.rubric, seconds)
            except AnnotationError:
                return  # Drafts say so loudly where they are not taken; time is tried again with the next.
            self._spent.popleft()

    def close(self) -> None:
        """End the thread, after all that is under way. What is still asked for then is done at once."""
        self._closed = True
        self._writer.shutdown(wait=True)
