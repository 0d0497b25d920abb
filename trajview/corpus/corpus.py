"""A corpus: the list of runs in some files and folders, found in the background, each parsed when it is opened."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast, overload

from trajview.errors import Problem, TrajviewError, UnreadableError, Where
from trajview.formats import registry
from trajview.formats.base import Detection, Origin, Summary

from .containers import bytes_of, records_of, value_of
from .decode import decode_text
from .feed import Feed
from .files import Stamp, stamp_of
from .info import RunInfo
from .record import Record
from .walk import Skipped, SourceFile, walk

if TYPE_CHECKING:
    from trajview.models.run import AgentRun

__all__ = ["Callback", "Corpus", "open_corpus"]

Callback = Callable[[list[RunInfo | Problem], bool], None]
"""Called with what was found since the last call, and whether that was all."""

_FIRST_BATCH: Final = 24
_LARGEST_BATCH: Final = 4096
_LONGEST_WAIT: Final = 0.1  # seconds until a batch goes out that is not full
_CACHED_RUNS: Final = 6
_LARGE_RUN: Final = 20_000_000  # bytes; such a run is not kept beside others


def open_corpus(*paths: str | os.PathLike[str]) -> Corpus:
    """The runs in some files and folders, all found before this returns; what could not be read is in `problems`."""
    corpus = Corpus([Path(path) for path in paths])
    corpus.scan()
    return corpus


class Corpus:
    """The runs of some files and folders.

    Iterating, `len` and indexing give RunInfos; `load` parses one. `infos` and `problems` grow while the scan goes on,
    batch by batch; read them from any thread, never change them. Sources are only ever opened for reading.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = tuple(paths)
        self.infos: list[RunInfo] = []
        self.problems: list[Problem] = []
        self.skipped = 0
        """How many files and folders were left out: hidden, no log, or empty."""
        self.files_done = 0
        self.bytes_done = 0
        self._index: dict[str, int] = {}
        self._by_id: dict[str, int] = {}
        self._taken: set[str] = set()
        self._copies: dict[str, int] = {}
        self._stamps: dict[Path, Stamp] = {}
        self._cache: OrderedDict[str, AgentRun] = OrderedDict()
        self._feed: Feed[RunInfo | Problem] = Feed()
        self._lock = Lock()
        self._cancelled = Event()
        self._thread: Thread | None = None
        self._begun = False

    # The scan

    def start(self) -> None:
        """Begin the scan in a background thread; what is found goes to the subscribers."""
        self._begin()
        self._thread = Thread(target=self._scan, name="trajview-scan", daemon=True)
        self._thread.start()

    def scan(self) -> None:
        """Scan in this thread, to the end."""
        self._begin()
        self._scan()

    def stream(self) -> Iterator[RunInfo | Problem]:
        """Scan in this thread, step by step: each run and problem as it is found, already in the lists."""
        self._begin()
        try:
            for item in self._found():
                self._publish([item])
                yield item
        finally:
            self._feed.finish()

    def cancel(self) -> None:
        """Stop the scan soon; what was found stays."""
        self._cancelled.set()

    def subscribe(self, callback: Callback) -> Callable[[], None]:
        """Have a function called with every batch, and at the end; returns what unsubscribes it.

        What was found before is replayed at once in the calling thread. Nothing is lost or given twice, and calls never
        overlap. No lock is held during a call, so it may call back into the corpus, or wait for another thread.
        """
        return self._feed.subscribe(callback)

    @property
    def finished(self) -> bool:
        """Whether the scan has ended, by itself or because it was cancelled."""
        return self._feed.finished

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the scan in the background to end, at most `timeout` seconds; whether it did."""
        if self._thread is not None:
            self._thread.join(timeout)
        return self.finished

    def _begin(self) -> None:
        if self._begun:
            raise RuntimeError("a corpus is scanned once; make a new one to scan again")
        self._begun = True

    def _scan(self) -> None:
        limit, batch, since = _FIRST_BATCH, list[RunInfo | Problem](), monotonic()
        try:
            for item in self._found():
                batch.append(item)
                if len(batch) >= limit or monotonic() - since > _LONGEST_WAIT:
                    self._publish(batch)
                    limit, batch, since = min(limit * 2, _LARGEST_BATCH), [], monotonic()
            self._publish(batch)
        finally:
            self._feed.finish()

    def _publish(self, batch: Sequence[RunInfo | Problem]) -> None:
        for item in batch:
            if isinstance(item, RunInfo):
                self._index[item.key] = len(self.infos)
                self._by_id.setdefault(item.id, len(self.infos))
                self.infos.append(item)
            else:
                self.problems.append(item)
        self._feed.publish(batch)

    def _found(self) -> Iterator[RunInfo | Problem]:
        for source in walk(self.paths):
            if self._cancelled.is_set():
                return
            if isinstance(source, Problem):
                yield source
            elif isinstance(source, Skipped):
                self.skipped += 1
            else:
                yield from self._in_file(source)
                self.files_done += 1

    def _in_file(self, source: SourceFile) -> Iterator[RunInfo | Problem]:
        before, something = self.bytes_done, False
        try:
            stamp = stamp_of(source.path)
            self._stamps[source.path] = stamp
            for found in records_of(source, registry.is_message_line):
                if self._cancelled.is_set():
                    return
                for item in [found] if isinstance(found, Problem) else self._items(found, source):
                    something = True
                    yield item
                if isinstance(found, Record):
                    self.bytes_done = before + found.offset + found.length
            self.bytes_done = before + stamp[0]
        except TrajviewError as error:
            something = True
            yield error.problem()
        if not something:
            self.skipped += 1
            if source.named:
                yield Problem("the file holds no records", "is it the right one?", Where(source.path))

    def _items(self, found: Record, source: SourceFile) -> Iterator[RunInfo | Problem]:
        """The run that a record is, and what is wrong with it. What its format refuses is a raw run as well."""
        origin = _origin(source.path, found)
        try:
            known, detection = registry.best(found.value)
            if found.container == "yaml" and detection.format == "raw" and not source.named:
                return  # most YAML in a folder is configuration
            summary = known.summarise(found.value, origin)
        except TrajviewError as error:
            yield _placed(error.problem(), source.path, found.line)
        except Exception as error:  # noqa: BLE001 - a fault in one format must not end the list; it is reported
            yield _fault(error, source.path, found.line)
        else:
            yield self._info(found, source, detection.format, summary)
            if summary.problems:
                yield _noticed(summary.problems, source.path, found.line)
            return
        raw = registry.format_named("raw")
        yield self._info(found, source, raw.name, raw.summarise(found.value, origin))

    def _info(self, found: Record, source: SourceFile, format_name: str, summary: Summary) -> RunInfo:
        path = source.path
        return RunInfo(
            key=self._key(summary.id, found, path),
            id=summary.id,
            path=path,
            source=source.source if found.member is None else f"{source.source}/{found.member}",
            format=format_name,
            container=found.container,
            record=found.record,
            line=found.line,
            offset=found.offset,
            length=found.length,
            alone=found.alone,
            member=found.member,
            name=summary.name,
            messages=summary.messages,
            units=summary.units,
            transcripts=summary.transcripts,
            agents=summary.agents,
            rewards=summary.rewards,
            models=summary.models,
        )

    def _key(self, run_id: str, found: Record, path: Path) -> str:
        key = run_id
        if key in self._taken:
            data = found.data if found.data is not None else bytes_of(found, path)
            base = key = f"{run_id}@{blake2b(data).hexdigest()[:8]}"
            copy = self._copies.get(base, 1)
            while key in self._taken:
                copy += 1
                key = f"{base}-{copy}"
            self._copies[base] = copy
        self._taken.add(key)
        return key

    # The runs

    def __len__(self) -> int:
        return len(self.infos)

    def __iter__(self) -> Iterator[RunInfo]:
        return iter(self.infos)

    @overload
    def __getitem__(self, index: int) -> RunInfo: ...
    @overload
    def __getitem__(self, index: slice) -> list[RunInfo]: ...
    def __getitem__(self, index: int | slice) -> RunInfo | list[RunInfo]:
        return self.infos[index]

    def find(self, id_or_key: str) -> RunInfo | None:
        """The run with that key, else the first with that id; None where there is none (yet)."""
        at = self._index.get(id_or_key, self._by_id.get(id_or_key))
        return None if at is None else self.infos[at]

    def neighbour(self, info: RunInfo, step: int) -> RunInfo | None:
        """The run so many places after another one (before it, where `step` is negative); None past the ends."""
        at = self._index.get(info.key)
        if at is None or not 0 <= at + step < len(self.infos):
            return None
        return self.infos[at + step]

    def load(self, info: RunInfo, *, lazily: bool = False) -> AgentRun:
        """The run, parsed. The last few stay in memory, the large ones among them alone.

        `lazily`, for a viewer: where a chat is long, `messages` is a sequence that builds each message when it is
        looked at. Raises UnreadableError where the file is gone or another one now, FormatError where the record is not what its
        format demands.
        """
        self._check_unchanged(info)
        with self._lock:
            cached = self._cache.get(info.key)
            if cached is not None and (lazily or _is_whole(cached)):
                self._cache.move_to_end(info.key)
                return cached
        run = self._read(info, lazily)
        with self._lock:
            self._cache[info.key] = run
            self._cache.move_to_end(info.key)
            if info.length > _LARGE_RUN:
                self._cache = OrderedDict({info.key: run})
            while len(self._cache) > _CACHED_RUNS:
                self._cache.popitem(last=False)
        return run

    def raw(self, info: RunInfo) -> str:
        """The record's text exactly as it is in the file. Raises UnreadableError."""
        self._check_unchanged(info)
        return decode_text(bytes_of(info, info.path))[0]

    def value(self, info: RunInfo) -> Any:
        """The record as decoded JSON or YAML. Raises UnreadableError."""
        self._check_unchanged(info)
        return value_of(info)

    def runs(self) -> Iterator[AgentRun]:
        """Every run, parsed one after another; one that cannot be read is left out and added to `problems`."""
        for info in list(self.infos):
            try:
                run = self.load(info)
            except TrajviewError as error:
                self._publish([error.problem()])
            else:
                yield run

    def detections(self, info: RunInfo) -> list[Detection]:
        """Every format that the record could be, the most likely first, with reasons."""
        return registry.detections(self.value(info))

    def check(self, info: RunInfo) -> list[Problem]:
        """Everything that is wrong with one run: whether it loads, and what its format finds on top."""
        try:
            value, origin = self.value(info), _origin(info.path, info)
            known = registry.format_named(info.format)
            checks = getattr(known, "check", None)  # the one optional method of a format
            found: list[Problem] = list(checks(value, origin)) if checks is not None else []
            if not found:
                self._read(info)
        except TrajviewError as error:
            found = [error.problem()]
        except Exception as error:  # noqa: BLE001 - a fault in one format must not end the report; it is reported
            found = [_fault(error, info.path, info.line)]
        hinted = (replace(problem, hint=problem.hint or "the rest of it opens") for problem in found)
        return [_placed(problem, info.path, info.line) for problem in hinted]

    def _read(self, info: RunInfo, lazily: bool = False) -> AgentRun:
        value = value_of(info)
        known = registry.format_named(info.format)
        read = getattr(known, "open", known.read) if lazily else known.read
        try:
            return cast("AgentRun", read(value, _origin(info.path, info)))
        except TrajviewError as error:
            placed = _placed(error.problem(), info.path, info.line)
            error.where = placed.where
            raise
        except Exception as error:  # a fault in a format: the person gets a sentence, the developer the cause
            found = _fault(error, info.path, info.line)
            raise UnreadableError(found.reason, hint=found.hint, where=found.where) from error

    def _check_unchanged(self, info: RunInfo) -> None:
        known = self._stamps.get(info.path)
        now = stamp_of(info.path)
        if known is None or known == now:
            return
        # A log that is still written grows at its end; what was there is what it was.
        if info.container == "jsonl" and now[0] > known[0] and self._still_there(info):
            return
        with self._lock:
            self._cache.pop(info.key, None)
        raise UnreadableError(
            "the file was changed after it was listed",
            hint="open it again to see it as it is now",
            where=Where(info.path),
        )

    def _still_there(self, info: RunInfo) -> bool:
        """Whether the line of a file that has grown still is the run that was listed."""
        origin = _origin(info.path, info)
        try:
            summary: Summary = registry.format_named(info.format).summarise(value_of(info), origin)
        except TrajviewError:
            return False
        return (summary.id, summary.messages, summary.units) == (info.id, info.messages, info.units)


def _origin(path: Path, found: Record | RunInfo) -> Origin:
    try:
        path.name.encode("utf-8")
    except UnicodeEncodeError:  # a file name that is no UTF-8 must not become an id that nothing can hold
        path = path.with_name(os.fsencode(path.name).decode("utf-8", errors="replace"))
    if found.member is not None:
        path = Path(found.member)
    return Origin(path, found.record, found.line, found.alone or found.member is not None)


def _is_whole(run: AgentRun) -> bool:
    """Whether all messages of a run are built."""
    return all(isinstance(transcript.messages, list) for transcript in run.transcripts)


def _placed(problem: Problem, path: Path, line: int | None) -> Problem:
    """The same problem, in this file; and on the line where the record begins, where the format knows no better."""
    where = problem.where
    return replace(problem, where=Where(path, where.line if where.line is not None else line, where.record))


def _noticed(problems: Sequence[str], path: Path, line: int | None) -> Problem:
    more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
    hint = "the run opens all the same; `trajview validate` lists everything"
    return Problem(f"{problems[0]}{more}", hint, Where(path, line), opens=True)


def _fault(error: Exception, path: Path, line: int | None) -> Problem:
    what = type(error).__name__ + (f": {error}" if str(error) else "")
    return Problem(
        f"trajview failed to read this record ({' '.join(what.split())[:200]})",
        "that is a fault in trajview; please report it with the record",
        Where(path, line),
    )
