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
        self._held: dict[tuple[str, str], Draft] = {}
        """Drafts that the journal does not have yet, by run and rubric."""
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
        held = self._held.get((run.key, run.rubric.name))
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
        await self._write_held(run)
        return await self._do(lambda: put_aside(self.store, run.key, run.rubric, run.beginning))

    async def take_for_same(self, run: AnnotatedRun) -> None:
        """Have the work that there is count for this run as well. Raises AnnotationError."""
        await self._write_held(run)
        await self._do(lambda: take_for_same(self.store, run.key, run.rubric, run.beginning))

    async def _write_held(self, run: AnnotatedRun) -> None:
        held = self._held.get((run.key, run.rubric.name))
        if held is not None:
            await self._do(self._writing(held, "draft"))

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

    def hold(self, draft: Draft) -> Callable[[], None]:
        """Keep a draft here until it is in the journal; gives what writes it there, for `keep`."""
        self._newest = draft
        with self._lock:
            self._held[draft.episode, draft.rubric] = draft
        return self._writing(draft, self._event(draft))

    def _event(self, draft: Draft) -> str:
        """The journal's event for a draft. One that says what is saved is none: it takes back the one before."""
        base = self.baseline
        same_run = base is not None and (base.episode, base.rubric) == (draft.episode, draft.rubric)
        return "discard" if same_run and self.is_saved(draft) else "draft"

    def _writing(self, draft: Draft, event: str) -> Callable[[], None]:
        """A function for the thread that writes a held draft into the journal, unless that is done or a newer one is held."""
        key = draft.episode, draft.rubric

        def write() -> None:
            if self._held.get(key) is not draft:
                return
            try:
                with _faults_as_errors():
                    self.store.journal.append(event, draft)
            except AnnotationError:
                if self._newest is draft:
                    self._newest = None
                raise
            with self._lock:
                if self._held.get(key) is draft:
                    del self._held[key]

        return write

    async def keep(self, draft: Draft, write: Callable[[], None]) -> bool:
        """Write a draft that is held; True where another program's typing, unseen here, made way for it.

        Raises AnnotationError; it is then held on, and tried again by `flush`.
        """
        await self._do(write)
        return await self._do(lambda: self.store.journal.overtaken(draft.episode, draft.rubric)) is not None

    async def keep_all(self, draft: Draft | None) -> None:
        """Write this draft and all that are held, and the active time. Raises AnnotationError where one is refused."""
        await self._do(self._writing_all(draft))

    def flush(self, draft: Draft | None) -> None:
        """As `keep_all`, but wait for it."""
        self._writer.submit(self._writing_all(draft)).result()

    def _writing_all(self, draft: Draft | None) -> Callable[[], None]:
        if draft is not None and not self.journal_has(draft):
            self.hold(draft)
        with self._lock:
            writes = [self._writing(held, self._event(held)) for held in self._held.values()]
        self._take_time(_LEAST_TIME)

        def write() -> None:
            refused: AnnotationError | None = None
            for each in writes:
                try:
                    each()
                except AnnotationError as error:
                    refused = error
            if refused is not None:
                raise refused
            self._write_spent()

        return write

    def rescue(self) -> Problem | None:
        """Keep elsewhere what `flush` could not write; says where, None where nothing takes it."""
        return rescue(self.store.journal, list(self._held.values()))

    # Submitting

    async def submit(self, run: AnnotatedRun, draft: Draft, rewards: list[Reward], overwrite: bool) -> Saved:
        """Save the annotation. Raises ChangedOnDisk and AnnotationError, as the store does."""
        saved = await self._do(lambda: self.store.submit(draft, run.rubric, rewards, overwrite=overwrite))
        self._let_go(draft)
        return saved

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
