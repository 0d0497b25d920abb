"""A corpus: the list of runs in some files and folders, found in the background, each parsed when it is opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from operator import methodcaller
from pathlib import Path
from threading import Event, RLock, Thread
from time import time_ns
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, overload

import trajview
from trajview.debug_log import note
from trajview.errors import UNFORESEEN, PluginProblem, Problem, TrajviewError, UnreadableError, Where, bug
from trajview.formats import registry
from trajview.formats.base import Detection
from trajview.models.brief import brief, counted, quoted

from .background import Background
from .cache import SummaryCache
from .files import Stamp, size_of_files, stamp_of
from .found import Found
from .info import Place, RunInfo, Updated
from .process_wide import short_turns
from .reader import Reader
from .scan import Scan

if TYPE_CHECKING:
    from .follow import Follower
    from .rows import News

__all__ = ["NO_TIME", "Callback", "Corpus", "Stream", "open_corpus"]

Callback = Callable[[list[RunInfo | Problem | Updated], bool], None]
"""Called with the batch found or changed since the last call, and whether it is the last one."""

STANDARD_INPUT: Final = "standard input"
NO_TIME: Final = 0.03
"""Seconds that nobody notices, in which the first of 20,000 files are found."""
EVERY: Final = 0.5
"""Seconds between two looks at the files that are followed."""


class Stream(Protocol):
    """A file that is being filled by this program, such as from standard input."""

    path: Path

    @property
    def going(self) -> bool:
        """Whether more may come."""

    @property
    def size(self) -> int:
        """Bytes that came so far."""

    @property
    def problem(self) -> Problem | None:
        """Why the stream ended too early, if it did."""


def open_corpus(*paths: str | os.PathLike[str]) -> Corpus:
    """The runs in some files and folders, all found before this returns; what could not be read is in `problems`.

    `paths` are of files and folders that may hold logs in any format; `FILE#ID` is one run of a file. A path where nothing
    is becomes a problem, too.

    >>> from trajview import open_corpus
    >>> corpus = open_corpus("sample_data/docent", "sample_data/malformed/torn.jsonl")
    >>> corpus
    Corpus('sample_data/docent', 'sample_data/malformed/torn.jsonl', 9 runs, 1 problem)
    >>> print(corpus.problems[0].reason)
    the last line is torn: it ends before it is complete (line 3, column 117)
    """
    corpus = Corpus([Path(path) for path in paths])
    corpus.scan()
    return corpus


class Corpus:
    """The runs of some files and folders. `open_corpus` makes one that is scanned already.

    Iterating, `len` and indexing give RunInfos, by number or by the run's id or key (TrajviewError, a KeyError, where there is
    none); `load` parses one. `where` and `search` find some. `infos` and `problems` grow while the scan goes on,
    batch by batch; read them from any thread, never change them. Sources are only ever opened for reading.

    `scan` and `stream` sum up each run before they go on to the next. `start` lists all of them first: RunInfos that
    are not `summarised` stand for the rest until then, and what takes their place reaches subscribers as `Updated`.

    >>> from pathlib import Path
    >>> from trajview import Corpus
    >>> corpus = Corpus([Path("sample_data/adp")])
    >>> corpus
    Corpus('sample_data/adp', not scanned yet)
    >>> corpus.scan()
    >>> len(corpus), corpus[0].id
    (6, 'kitchen/who_drinks_the_coffee')
    >>> corpus.load(corpus["legacy/teapot"])
    AgentRun(id='legacy/teapot', 1 transcript, 5 messages)
    >>> corpus["legacy/coffee pot"]
    Traceback (most recent call last):
        ...
    trajview.corpus.unknown_run.UnknownRun: there is no run 'legacy/coffee pot' (did you mean legacy/teapot?)
    """

    def __init__(
        self,
        paths: Sequence[Path],
        cache: SummaryCache | None = None,
        *,
        follow: bool = False,
        streams: Sequence[Stream] = (),
        thorough: bool = False,
    ) -> None:
        """`cache` keeps the summaries for the next time; by default nothing is kept.

        `follow`: go on after the scan that `start` begins, with what is appended to the files, rewritten in them and
        added beside them, until it is cancelled. `streams`: files among the paths that are being filled; the scan that
        `start` begins ends with the last of them. `thorough`: find every byte that is no UTF-8, for `validate`; else a
        single one deep in a long record may go unsaid.
        """
        self.paths = tuple(paths)
        self.follows = follow
        self.streams = tuple(streams)
        self._found = Found()
        self._cancelled = Event()
        self._may_go_on = Event()
        self._rests = Event()
        self._scan = Scan(self.paths, self._cancelled, cache, self._is_written, thorough=thorough)
        self._scan.names = {stream.path: "-" for stream in streams}
        self._reader = Reader(self._scan.stamps, self._found.as_listed)
        self._follower: Follower | None = None
        self._looking = RLock()
        self._is_looking = False
        self._scanned = False
        self._began_at = 0
        self._thread: Thread | None = None
        self._begun = False
        self.bytes_total = 0
        """How many bytes there are for `start` to read, compressed as they are; 0 where nobody knows: of folders, and of streams."""

    @property
    def keeps(self) -> bool:
        """Whether findings may be kept in a cache."""
        return self._scan.has_cache

    def listed(self, info: RunInfo) -> tuple[Stamp | None, RunInfo]:
        """The stamp of the run's file when it was listed, and the run as the list holds it now: for a `Reader` elsewhere.

        Raises UnreadableError where the list holds it no more.
        """
        stamp = self._scan.stamps.get(info.path)  # read the stamp before the run, which is changed first
        return stamp, self._found.as_listed(info)

    # The runs

    @property
    def infos(self) -> list[RunInfo]:
        """The runs found so far."""
        return self._found.infos

    @property
    def problems(self) -> list[Problem]:
        """The problems of files and records that could not be read so far."""
        return self._found.problems

    def __len__(self) -> int:
        return len(self.infos)

    def __iter__(self) -> Iterator[RunInfo]:
        return iter(self.infos)

    @overload
    def __getitem__(self, index: int | str) -> RunInfo: ...
    @overload
    def __getitem__(self, index: slice) -> list[RunInfo]: ...
    def __getitem__(self, index: int | str | slice) -> RunInfo | list[RunInfo]:
        if not isinstance(index, str):
            return self.infos[index]
        found = self.find(index)
        if found is None:
            from .unknown_run import unknown_run

            raise unknown_run(index, self.infos)
        return found

    def find(self, id_or_key: str) -> RunInfo | None:
        """The run with that key, else the first with that id; None where there is none that is summed up (yet)."""
        return self._found.find(id_or_key)

    def at(self, place: Place, id: str) -> RunInfo:
        """The run of that id that was seen at a place, wherever it is by now. Raises UnreadableError where the list has
        none (yet)."""
        return self._found.at(place, id)

    def neighbour(self, info: RunInfo, step: int) -> RunInfo | None:
        """The run `step` places after another one (before it, where `step` is negative); None past the ends."""
        return self._found.neighbour(info, step)

    def load(self, info: RunInfo) -> trajview.AgentRun:
        """Parse a run; its messages are read when somebody looks at them. The last few runs stay in memory, a large one alone.

        Raises UnreadableError where the file is gone or another one now, FormatError where the record is not what its
        format demands.
        """
        note("a run of %s is opened: %d bytes", info.format, info.length)
        try:
            return self._reader.load(info)
        finally:
            self._report_plugins()

    def read(self, info: RunInfo, *, whole: bool = False) -> trajview.AgentRun:
        """Parse a run for one look: nothing of it is kept. Raises as `load` does.

        `whole`, as `load` gives it: with what its sub-agents said in files beside its own.
        """
        try:
            return self._reader.read_once(info, whole=whole)
        finally:
            self._report_plugins()

    def raw(self, info: RunInfo) -> str:
        """The record's text exactly as it is in the file. Raises UnreadableError."""
        return self._reader.raw(info)

    def raw_bytes(self, info: RunInfo) -> bytes:
        """The record's text as UTF-8, which takes half of the memory. Raises UnreadableError."""
        return self._reader.raw_bytes(info)

    def value(self, info: RunInfo) -> Any:
        """The record as decoded JSON or YAML. Raises UnreadableError."""
        return self._reader.value(info)

    def check_bytes(self, info: RunInfo, cancelled: Callable[[], bool] = lambda: False) -> Problem | None:
        """Look for bytes in a run that are not UTF-8; a new problem is added to `problems` and returned. For a thread.

        The scan looks at the first few places beyond ASCII in each record, which tells files of another encoding.
        """
        try:
            problem = self._reader.bad_bytes(info, cancelled)
        except TrajviewError:
            return None  # opening it says so
        if problem is None or self._found.is_reported(problem):
            return None
        self._report(problem)
        return problem

    def runs(self) -> Iterator[trajview.AgentRun]:
        """Parse every run, one after another; one that cannot be read is left out and added to `problems`."""
        for info in list(self.infos):
            try:
                run = self.load(info)
            except TrajviewError as error:
                self._report(error.problem())
            else:
                yield run

    def detections(self, info: RunInfo) -> list[Detection]:
        """Every format that the record could be, the most likely first, with reasons."""
        return registry.detections(self._reader.value(info, by_parts=True))

    def check(self, info: RunInfo) -> list[Problem]:
        """List everything that is wrong with one run: whether it loads, and the further findings of its format."""
        return [*self._reader.check(info), *self._report_plugins()]

    # The scan

    @property
    def skipped(self) -> int:
        """The number of files and folders left out: hidden, no log, or empty, unless still to be written."""
        awaited = sum(stream.going and stream.path in self._scan.empty for stream in self.streams)
        return self._scan.skipped - (len(self._scan.empty) if self.follows else awaited)

    @property
    def files_done(self) -> int:
        """The number of files that have been read."""
        return self._scan.files_done

    @property
    def bytes_done(self) -> int:
        """The number of bytes that have been read."""
        return max(self._scan.bytes_done, sum(stream.size for stream in self.streams))

    def start(self, *, patiently: bool = False) -> None:
        """Begin the scan in a background thread; runs and problems go to the subscribers.

        `patiently`: the processor is wanted elsewhere, so nothing more is done after the first runs were found until
        `go_on` is called, for a second at most; and this waits for them a moment, as threads in turns take longer.
        """
        self._begin()
        if not patiently:
            self.go_on()
        self._scan.hand_over = self._reader.hand_over
        self._thread = Thread(target=self._run_in_background, name="trajview-scan", daemon=True)
        self._thread.start()
        if patiently:
            self._rests.wait(NO_TIME)

    def go_on(self) -> None:
        """Go on with a scan that was started patiently: the first screen is there."""
        self._may_go_on.set()

    def scan(self) -> None:
        """Scan in this thread, to the end."""
        self._begin()
        try:
            self._background().run(plainly=True)
        finally:
            self._scanned = True
            self._finish()

    def stream(self) -> Iterator[RunInfo | Problem]:
        """Scan in this thread, and yield each run and problem as it is found, already in the lists."""
        self._begin()
        self._scan.hand_over = self._reader.hand_over
        try:
            for item in self._scan.found():
                self._found.publish([item])
                yield item
        finally:
            self._reader.drop_handed()
            self._finish()

    def cancel(self) -> None:
        """Stop the scan soon; the runs found so far stay."""
        self._cancelled.set()
        self.go_on()

    # Choosing and searching

    def where(self, expression: str, *, store: trajview.Store | None = None) -> list[RunInfo]:
        """The runs that a filter lets through, in its order (`sort:-reward`) if it says one, else in that of the corpus.

        `expression` is what `&` takes in the viewer and `--where` in `trajview ls`: fields of runs compared with values,
        and words that are looked for in names. What only a whole run says (`tokens`, `errors`, `calls`, `tools`,
        `metadata.KEY`) is read from each run that the rest lets through. `store`: whose annotations `annotated`, `draft`,
        `skipped`, `flagged` and `status` are about.

        The corpus is scanned first if it is not. Raises TrajviewError where the filter is none, or needs a store.

        >>> from trajview import open_corpus
        >>> corpus = open_corpus("sample_data/docent")
        >>> [info.rewards[0] for info in corpus.where("reward < 0.8 and messages > 13")]
        [(0.75, {'tests_pass': 1.0, 'root_cause': 0.5}), 0.0]
        >>> [info.units for info in corpus.where("errors > 0 sort:-units")]
        [23, 9, 7, 7, 4, 3]
        """
        from trajview.where.chosen import chosen_by

        statuses = None if store is None else store.statuses()
        return chosen_by(expression, self, self._scanned_infos(), statuses)

    def search(
        self,
        pattern: str,
        *,
        regex: bool = True,
        case: Literal["smart", "ignore", "sensitive"] = "smart",
        word: bool = False,
        roles: str | Collection[str] = (),
        tools: str | Collection[str] = (),
        fields: str | Collection[str] = (),
        runs: Iterable[RunInfo] | None = None,
        hits: int | None = None,
        context: int = 0,
        width: int | None = 500,
        timeout: float = 10.0,
        processes: int = 1,
    ) -> Iterator[trajview.RunMatches]:
        """Each run in which messages match, in the order of the corpus, with its hits: what `trajview search` finds.

        `pattern` is a regular expression of Python's, or text as it stands without `regex`. Texts are searched as they
        read, not as JSON spells them. `case`: `smart` ignores case unless the pattern has a capital letter, else `ignore`
        or `sensitive`. `word`: whole words only.

        Only these are searched, where they are given: `roles` (`system`, `user`, `assistant`, `tool`), `tools` (calls and
        answers of tools of these names, in which `*` stands for anything), `fields` (`text`, `reasoning`, `arguments`,
        `metadata`; all but the metadata by default), `runs` (such as `where` gives).

        `hits`: keep at most so many of each run; all matches are counted. `context`: lines to keep before and after each.
        `width`: characters to keep of a line, None for all. `timeout`: seconds in one message after which a run is given
        up, 0 for never. `processes`: how many share the work where it takes a while.

        The files are read, so no scan is needed. What cannot be read is passed over and added to `problems`. Raises
        QueryError, a TrajviewError, for what cannot be searched for, and TooSlow where the pattern takes too long again
        and again.

        >>> from trajview import open_corpus
        >>> corpus = open_corpus("sample_data/docent")
        >>> for found in corpus.search("exit code [1-9]", roles="tool", hits=1):
        ...     print(found.matches, found.hits[0].label, found.hits[0].text)
        4 T0B11 exit code 1
        1 T0B3 exit code 1
        2 T0B3 exit code 1
        2 T1B3 exit code 1
        6 T0B3 exit code 2
        1 T0B2 exit code 2
        """
        from .query import Query
        from .search import CorpusSearch

        query = Query(
            pattern, regex=regex, case=case, word=word, roles=frozenset(_names(roles)), tools=_names(tools),
            fields=frozenset(_names(fields)),
        )  # fmt: skip
        only = None if runs is None else frozenset(info.place for info in runs)
        found = CorpusSearch(
            self.paths, query, keep=hits, around=context, width=width, only=only, processes=processes, patience=timeout
        ).found()
        return self._without_problems(found)

    def _without_problems(self, found: Iterator[trajview.RunMatches | Problem]) -> Iterator[trajview.RunMatches]:
        for item in found:
            if not isinstance(item, Problem):
                yield item
            elif not self._found.is_reported(item):
                self._report(item)

    def _scanned_infos(self) -> list[RunInfo]:
        """All runs: the corpus is scanned if it is not, and a scan in the background is waited for."""
        if not self._begun:
            self.scan()
        self.wait()
        return self.infos

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with a row for each run, in their order, and the columns of `trajview ls --json`.

        `rewards` holds a list with one reward per agent: a number, or (overall, {dimension: number}); `reward` is the
        mean of the overall ones, NaN where there is none, and `agents` and `models` hold lists of names.

        The corpus is scanned first if it is not. Raises TrajviewError, which is an ImportError here, without pandas.

        >>> from trajview import open_corpus
        >>> table = open_corpus("sample_data/docent").to_pandas()  # doctest: +SKIP
        >>> table.groupby("format")["reward"].mean()  # doctest: +SKIP
        """
        from .frame import frame_of

        return frame_of(self._scanned_infos())

    def __repr__(self) -> str:
        paths = ", ".join(quoted(str(path)) for path in self.paths)
        if not self._begun:
            return brief(type(self), paths, "not scanned yet")
        more = "" if self.finished else "still scanning"
        problems = counted(len(self.problems), "problem") if self.problems else ""
        return brief(type(self), paths, counted(len(self.infos), "run"), problems, more)

    # Following

    def subscribe(self, callback: Callback) -> Callable[[], None]:
        """Call a function with every batch, and at the end; returns a function that ends the subscription.

        What was found before is replayed at once in the calling thread. Nothing is lost or given twice, and calls never
        overlap. No lock is held during a call, so it may call back into the corpus, or wait for another thread.
        """
        return self._found.feed.subscribe(callback)

    @property
    def finished(self) -> bool:
        """Whether the scan has ended, by itself or because it was cancelled."""
        return self._found.feed.finished

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the scan in the background to end, at most `timeout` seconds; returns whether it did."""
        if self._thread is not None and self.follows and not self._cancelled.is_set():
            self._found.feed.wait_for(lambda: self.finished, timeout)
        elif self._thread is not None:
            self._thread.join(timeout)
        return self.finished

    def _begin(self) -> None:
        if self._begun:
            raise RuntimeError("a corpus is scanned once; make a new one to scan again")
        self._begun = True
        self._began_at = time_ns()

    def _run_in_background(self) -> None:
        self.bytes_total = 0 if self.streams else size_of_files(self.paths)
        try:
            with short_turns():
                # Which records are meant is known when they are read.
                self._background().run(plainly=self._scan.names_runs)
        except UNFORESEEN as error:
            self._say(error)
        finally:
            self._rests.set()
            self._found.leave_out_gone()
            self._scan.close()
            self._scanned = True
            try:
                self._take_streams()
            finally:
                self._finish()
        if self.follows:
            self._go_on(lambda: True)

    # What changes later

    @property
    def following(self) -> bool:
        """Whether changes in the files get into the list by themselves."""
        return self.follows and self.finished and not self._cancelled.is_set()

    def reload(self) -> bool:
        """Look at all files and folders again, in this thread; whether that was possible, which it is after the scan,
        but not for a subscriber who is told what such a look has found."""
        return self._look(lambda follower: follower.look(everything=True))

    def look(self) -> bool:
        """Look once for what has changed, in this thread, as following does all the time; whether that was possible."""
        return self._look(methodcaller("look"))

    def refresh(self, info: RunInfo, *, now: bool = False) -> RunInfo:
        """Read the file of a run again, in this thread, where it has changed, and return the run as it is now.

        While the corpus follows, that comes by itself, except if it has to be `now`.

        Raises UnreadableError where the run is not there any more.
        """
        known = self._scan.stamps.get(info.path)
        if self._scanned and (now or (not self.follows and known is not None and stamp_of(info.path) != known)):
            self._look(methodcaller("look_at", info.path))
        return self._found.as_listed(info)

    def _look(self, how: Callable[[Follower], None]) -> bool:
        with self._looking:
            if not self._scanned or self._is_looking:  # a subscriber asks during its own call
                return False
            if self._follower is None:
                from .follow import Follower

                items = self._found.feed.items
                self._follower = Follower(self.paths, self._scan, items, self._take_news, self._reader, self._began_at)
            self._is_looking = True
            try:
                how(self._follower)
            finally:
                self._is_looking = False
            self._report_plugins()
        return True

    def _is_written(self, path: Path) -> bool:
        """Whether the end of a file is still to come."""
        return self.follows or any(stream.path == path and stream.going for stream in self.streams)

    def _take_streams(self) -> None:
        """Read from the streams until they end."""
        self._go_on(lambda: any(stream.going for stream in self.streams))
        for stream in self.streams:
            if not self._cancelled.is_set():
                self._look(methodcaller("read_again", stream.path))
            if stream.problem is not None:
                self._report(stream.problem)

    def _go_on(self, more: Callable[[], bool]) -> None:
        while more() and not self._cancelled.is_set():
            try:
                with short_turns():
                    self.look()
            except UNFORESEEN as error:
                self._say(error)
            self._cancelled.wait(EVERY)

    def _say(self, error: Exception) -> None:
        """Report a fault in this program, once: beside a viewer, nobody sees the exception that ends a thread."""
        if not self._found.is_reported(problem := bug(error)):
            self._report(problem)

    def _report_plugins(self) -> list[PluginProblem]:
        found = self._scan.plugin_problems()
        for problem in found:
            self._report(problem)
        return found

    def _report(self, problem: Problem) -> None:
        with self._looking:
            row = self._found.report(problem)
            if row is not None and self._follower is not None:
                self._follower.take_in(row, problem)

    def _take_news(self, news: News, path: Path | None, offset: int, stamp: Stamp | None) -> None:
        # Subscribers read the run at once: forget everything read from the file before that.
        with self._found.feed.held():
            self._found.take(news)
            if path is not None:
                if stamp is not None:
                    self._scan.stamps[path] = stamp
                self._reader.forget(path, offset)

    def _background(self) -> Background:
        return Background(self._scan, self._found, self._cancelled, self._may_go_on, self._rests)

    def _finish(self) -> None:
        note("scanned: %d files, %d bytes, %d runs", self.files_done, self._scan.bytes_done, len(self.infos))
        self._scan.close()
        with self._looking:
            self._found.finish()
        self._found.feed.finish()

    def resolve(self, info: RunInfo, timeout: float | None = None) -> RunInfo:
        """Sum up a run that was only listed, and find the key that annotations refer to.

        The key depends on the ids of the records before it. Where each of these says its id at its start, it is known
        at once; otherwise this waits for the scan to get there, at most `timeout` seconds. Not to be called by the
        thread that scans. Raises UnreadableError where the record cannot be read, or the time is up.
        """
        if info.summarised:
            return info
        at, now = self._found.now(info)
        if now.summarised:
            return now
        if at > 0:  # the scan reads the first one at once; reading it twice would take longer for both
            early = self._reader.summed_up(now)
            if self._found.is_sure(at, now, early):
                return early
        self._found.feed.wait_for(lambda: not self._found.is_waiting(at), timeout)
        at, now = self._found.now(info)
        if now.summarised:
            return now
        raise UnreadableError(
            "the list is still being made, and this run's name in it is not known yet",
            hint="try again in a moment",
            where=Where(info.path, info.line),
        )


def _names(given: str | Collection[str]) -> tuple[str, ...]:
    """One name, or several."""
    return (given,) if isinstance(given, str) else tuple(given)
