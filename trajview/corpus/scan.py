"""One pass over files and folders: every record read, its format found, summed up, and given a key of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING, Any
from zlib import crc32

import msgspec

from trajview.debug_log import note
from trajview.errors import UNFORESEEN, PluginProblem, Problem, TrajviewError, Where
from trajview.formats import registry

from .bounds import BOUNDS
from .cache import SummaryCache, stamp_of_status
from .columns import COLUMNS
from .containers import Start, records_after, records_of
from .decode import decode_value
from .files import Stamp, stamp_of
from .gathered import is_gathered
from .info import Item, RunInfo
from .infos import Infos, OwnKeys
from .memory import check_texts, fits_decoded
from .named import Ids, grouped, is_wanted
from .process_wide import without_garbage
from .record import (
    DECODED,
    Record,
    RecordLook,
    fault_of,
    is_unfinished,
    nothing_in,
    noticed,
    origin_of,
    placed,
)
from .unpack import size_unpacked
from .walk import Skipped, SourceFile, walk

if TYPE_CHECKING:
    from trajview.formats.base import Summary
    from trajview.formats.contract import Format
    from trajview.formats.logged import RecordReader, Signature

__all__ = ["LARGE", "Scan", "Undecoded"]


_MOST_SIGNATURES = 2_000
_MOST_OTHERS = 10_000
"""Ids among which the nearest are looked for, where one that was named is none."""
LARGE = 8 << 20
"""Bytes from which on the decoded value of a file's only record is kept for its opening, so that it is decoded once."""


class _Stopped(Exception):
    """The scan was cancelled while a file was unpacked."""


class Undecoded(RecordLook):
    """Leaves as bytes what need not be decoded to be summed up."""

    def __init__(self, thorough: bool) -> None:
        self._thorough = thorough
        self._signature: Signature | None = None

    @cached_property
    def _reader(self) -> RecordReader:
        from trajview.formats.logged import RecordReader  # what is known from the cache needs none

        return RecordReader(
            decode_value, thorough=self._thorough, fits=fits_decoded, large_only=bool(registry.plugins())
        )

    def value(self, data: bytes | memoryview, number: int, alone: bool) -> Any:  # noqa: ARG002 - of any record
        check_texts(data)
        with without_garbage(len(data)):
            value = self._reader.read(data)
        self._signature = self._reader.signature
        return value

    def line(self, data: bytes | memoryview) -> msgspec.Raw | None:
        return self._reader.line(data)

    def joined(self, lines: list[Any]) -> Sequence[Any]:
        return self._reader.joined(lines)

    def signature(self) -> Signature | None:
        """The signature of the record that was read just now; it is asked for once."""
        signature, self._signature = self._signature, None
        return signature


class Scan:
    """The findings in some paths, in order, and the progress of the scan. It is used by one thread at a time."""

    def __init__(
        self,
        paths: Sequence[Path],
        cancelled: Event,
        cache: SummaryCache | None = None,
        is_written: Callable[[Path], bool] = lambda _: False,
        *,
        thorough: bool = False,
    ) -> None:
        """`is_written` says of which files the end is still to come, so that a torn record there is no problem.

        `thorough`: find bytes that are no UTF-8 wherever they are, not only at the first place beyond ASCII.
        """
        self.left_out = 0
        self.is_written = is_written
        self.empty: set[Path] = set()
        self.files_done = 0
        self.bytes_done = 0
        self.stamps: dict[Path, Stamp] = {}
        self.hand_over: Callable[[Path, int, Any], None] | None = None
        """Gets the value, or the parts, of the first record of the only file, by its offset, where that is large; and
        None once there are more."""
        self.names: dict[Path, str] = {}
        """The display names of files that are not the person's own."""
        self._paths = tuple(paths)
        self._only: dict[Path, Ids] = {}
        self._seen: dict[str, None] = {}
        self._others: list[str] = []
        self._cancelled = cancelled
        self._cache = cache
        self._look = Undecoded(thorough)
        self._plain_look = DECODED if COLUMNS else self._look
        self._by_signature: dict[Signature, Format] = {}
        self.keys = OwnKeys()
        self._infos = Infos()
        self._lock = Lock()
        self._reported = 0

    @property
    def skipped(self) -> int:
        """How many files and folders were left out, and files that hold nothing."""
        return self.left_out + len(self.empty)

    @property
    def names_runs(self) -> bool:
        """Whether some paths were given as `PATH#ID`."""
        return any(ids is not None for ids in grouped(self._paths).values())

    def found(self) -> Iterator[Item]:
        """Everything, file by file; for paths given as `PATH#ID` only those runs."""
        for source in self.sources():
            if isinstance(source, Problem):
                yield source
            else:
                yield from self.in_file(source)
        yield from self.unknown()

    def unknown(self) -> Iterator[Problem]:
        """The ids that were given and that no run has, once the scan has ended."""
        if not self._only or self._cancelled.is_set():
            return
        for path, ids in grouped(self._paths).items():
            for id, readings in (ids or {}).items():
                if self._seen.keys().isdisjoint(readings):
                    from difflib import get_close_matches

                    near = get_close_matches(id, self._others, 3, 0.5)
                    hint = f"did you mean {' or '.join(near)}?" if near else "`trajview ls` lists the ids"
                    yield Problem(f"there is no run {id!r}", hint, Where(path))

    def sources(self) -> Iterator[SourceFile | Problem]:
        """The files that may hold logs, and what cannot be opened."""
        for source in walk(self._paths):
            if self._cancelled.is_set():
                return
            if isinstance(source, Skipped):
                self.left_out += source.count
            else:
                if isinstance(source, SourceFile) and source.only is not None:
                    self._only[source.path] = source.only
                yield source if isinstance(source, Problem) else self.shown(source)

    def shown(self, source: SourceFile) -> SourceFile:
        """The display name of a file: its name, where it has one that is not its path."""
        name = self.names.get(source.path) if self.names else None
        return source if name is None else msgspec.structs.replace(source, source=name)

    def in_file(self, source: SourceFile) -> Iterator[Item]:
        """The runs and problems of one file."""
        return chain.from_iterable(self.batches_in(source))

    def batches_in(self, source: SourceFile) -> Iterator[Sequence[Item]]:
        """The runs and problems of one file, in batches: from the cache many at a time, from reading one by one."""
        found, before = 0, self.bytes_done
        for batch in self._in_file(source):
            found += len(batch)
            yield self._meant(batch, source.path)
        note("file %d: %d bytes, %d runs and problems", self.files_done, self.bytes_done - before, found)
        if wrong := self.plugin_problems():
            yield wrong
        self.files_done += 1

    def plugin_problems(self) -> list[PluginProblem]:
        """The problems of plug-ins since the last call."""
        with self._lock:
            found = registry.problems()[self._reported :]
            self._reported += len(found)
            return found

    def _meant(self, items: Sequence[Item], path: Path) -> Sequence[Item]:
        """Drop runs that are not wanted, and problems that are none as long as the file is written."""
        if path in self._only:
            items = list(filter(self._is_wanted, items))
        if self.is_written(path):
            items = [item for item in items if isinstance(item, RunInfo) or not is_unfinished(item)]
        return items

    def _is_wanted(self, item: Item) -> bool:
        if isinstance(item, Problem):
            return True
        wanted = is_wanted(self._only[item.path], item.id, item.key)
        if wanted:
            self._seen.update({item.id: None, item.key: None})
        elif len(self._others) < _MOST_OTHERS:
            self._others.append(item.id)
        return wanted

    def _in_file(self, source: SourceFile) -> Iterator[Sequence[Item]]:
        before, something = self.bytes_done, False
        path = source.path
        try:
            stamp = stamp_of(path)
            self.stamps[path] = stamp
            for batch in self._known(source) or zip(self._read(source, before)):
                something = True
                yield batch
                if self._cancelled.is_set():
                    return
            self.bytes_done = before + stamp[0]
        except TrajviewError as error:
            something = True
            yield [error.problem()]
        except UNFORESEEN as error:  # one file must not end the list
            something = True
            yield [fault_of(error, path, None)]
        if not something and (problems := self._note_empty(source)):
            yield problems

    def _note_empty(self, source: SourceFile) -> list[Problem]:
        """Note that a file is empty; returns the problem, if it is one."""
        self.empty.add(source.path)
        return [nothing_in(source.path)] if source.named and not self.is_written(source.path) else []

    def again(
        self,
        source: SourceFile,
        start: Start | None = None,
        until: int | None = None,
        sums: dict[int, int] | None = None,
    ) -> list[Item] | None:
        """Read a file again, or from a line on. The runs have no keys, and the caller checks the stamps.

        `until`: the bytes that it had just now. While it is written, what comes behind them has its turn later. `sums`
        gets a check sum of the bytes of each record that are at hand, by its offset. None where the scan was cancelled.
        Raises UnreadableError.
        """
        found: list[Item] = []
        end = until if self.is_written(source.path) else None  # else a whole line would seem torn
        try:
            if start is None:
                records = records_of(source, self._plain_look, self._heed_cancelled, end)
            else:
                records = records_after(source, start, self._plain_look, end)
            for item in records:
                found += [item] if isinstance(item, Problem) else self._items(item, source, keyed=False)
                if sums is not None and isinstance(item, Record):
                    _add_sum(sums, item)
                if self._cancelled.is_set():
                    return None
        except _Stopped:
            return None
        if found or start is not None:
            self.empty.discard(source.path)
        else:
            found += self._note_empty(source)
        return list(self._meant(found, source.path))

    def _heed_cancelled(self, _: int = 0) -> None:
        if self._cancelled.is_set():
            raise _Stopped

    @property
    def has_cache(self) -> bool:
        """Whether summaries are kept."""
        return self._cache is not None

    def knows(self, source: SourceFile) -> bool:
        """Whether the cache knows what is in a file."""
        return self._cache is not None and self._cache.knows(source, _stamp_in_cache(source.path))

    def _known(self, source: SourceFile) -> Iterator[Sequence[Item]] | None:
        """The runs and problems of a file that the cache knows."""
        if self._cache is None:
            return None
        found = self._cache.find(source, _stamp_in_cache(source.path))
        return None if found is None else map(self.keys.on, found)

    def _read(self, source: SourceFile, before: int) -> Iterator[Item]:
        """Read a file; its runs and problems are kept in the cache, if the file stayed the same meanwhile."""
        stamp = "" if self._cache is None else _stamp_in_cache(source.path)
        items: list[Item] = []
        size = self.stamps[source.path][0]
        whole: int | None = None  # bytes that offsets count to, where the file is packed

        def unpacking(done: int) -> None:
            self._heed_cancelled()
            self.bytes_done = before + min(done, size) // 2  # the other half is reading what comes out

        records = records_of(source, self._plain_look, unpacking)
        try:
            for found in records:
                if self._cancelled.is_set():
                    return
                for item in [found] if isinstance(found, Problem) else self._items(found, source):
                    if stamp:
                        items.append(item)
                    yield item
                if isinstance(found, Record):
                    if whole is None:
                        whole = size_unpacked(source.path) or 0
                    end = found.offset + found.length
                    # Unpacking counted as the first half.
                    self.bytes_done = before + min(size, (size + size * end // whole) // 2 if whole else end)
        except _Stopped:
            return
        if self._cache is not None and items and stamp == _stamp_in_cache(source.path):
            self._cache.keep(source, stamp, items)

    def close(self) -> None:
        """Write the cache."""
        if self._cache is not None:
            self._cache.close()

    def _format_of(self, value: Any) -> Format:
        """The format of a record that was read just now; it is detected once for all records of the same signature."""
        signature = self._look.signature()
        known = self._by_signature.get(signature) if signature is not None else None
        if known is None:
            known = registry.best(value)[0]
            if signature is not None and len(self._by_signature) < _MOST_SIGNATURES:
                self._by_signature[signature] = known
        return known

    def _hand_over(self, found: Record, path: Path) -> None:
        """Hand over the first record of the only file: it may be the only one that there is, which is opened at once."""
        if self.hand_over is not None and found.record <= 1 and self._paths == (path,):
            large = found.record == 0 and found.length >= LARGE
            self.hand_over(path, found.offset, found.value if large else None)

    def _items(self, found: Record, source: SourceFile, *, keyed: bool = True) -> Iterator[Item]:
        """The run of a record, and its problems. A record that its format refuses is a raw run as well."""
        origin = origin_of(source.path, found)
        try:
            with without_garbage(found.length):
                known = self._format_of(found.value)
                if found.container == "yaml" and known.is_last_resort and not source.named:
                    return  # most YAML in a folder is configuration
                name, summary = known.summed_up(found.value, origin)
            self._hand_over(found, source.path)
        except TrajviewError as error:
            yield placed(error.problem(), source.path, found.line)
        except Exception as error:  # noqa: BLE001 - a fault in one format must not end the list; it is reported
            yield fault_of(error, source.path, found.line)
        else:
            yield self._info(found, source, name, summary, keyed)
            if summary.problems:
                yield noticed(summary.problems, source.path, found.line)
            return
        raw = registry.last_resort()
        yield self._info(found, source, raw.name, raw.summarise(found.value, origin), keyed)

    def _info(self, found: Record, source: SourceFile, name: str, summary: Summary, keyed: bool) -> RunInfo:
        key = self.keys.of(summary.id, found, source.path) if keyed else ""
        return self._infos.of(found, source, name, summary, key)


def _add_sum(sums: dict[int, int], record: Record) -> None:
    """Add the check sum of a record's bytes, where they are at hand."""
    if record.data is not None:
        sums[record.offset] = crc32(memoryview(record.data)[: record.length])


def _stamp_in_cache(path: Path) -> str:
    if is_gathered(path):  # of which one file tells too little
        return ""
    try:
        stamp = stamp_of_status(path.stat())
    except OSError:
        return ""
    if not stamp or (BOUNDS.max_unpacked is None and not COLUMNS):
        return stamp
    return f"{stamp} {BOUNDS.max_unpacked} {COLUMNS.messages} {COLUMNS.id}"  # what comes out of it depends on them
