"""Reading one record of a corpus again: its text, its value, its run; and never another record than was listed."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import msgspec

from trajview.errors import Problem, TrajviewError, UnreadableError, Where
from trajview.formats import registry

from .columns import COLUMNS
from .containers import TABLES, bytes_of, value_of
from .decode import LARGE_RUN, decode_text, decode_value
from .files import Stamp, read_range, stamp_of
from .info import Place, RunInfo
from .infos import task_of
from .json_lines import decode_lines
from .memory import check_room_to_open, check_texts, fits_decoded
from .process_wide import without_garbage
from .record import fault_of, not_utf8, origin_of, placed

if TYPE_CHECKING:
    from trajview.models.run import AgentRun

    from .beside import Beside

__all__ = ["UNDECODED_FROM", "Reader"]

_CACHED_RUNS: Final = 6
_AT_ONCE: Final = 1 << 20  # bytes that are looked at without letting anybody else have a turn
UNDECODED_FROM: Final = 1 << 20
"""Bytes from which on the long lists of a record stay bytes until someone looks at them."""
_JSON: Final = frozenset({"json", "json array", "json values", "jsonl", "jsonl messages"}) | TABLES
_GROWING: Final = frozenset({"jsonl", "jsonl messages"})


class _Loading:
    """A run that is being parsed to be kept; `is_old` once it is to be forgotten."""

    def __init__(self, place: Place) -> None:
        self.place, self.is_old = place, False


class Reader:
    """Reads the runs of files that had certain stamps when they were listed; safe to use from several threads."""

    def __init__(self, stamps: Mapping[Path, Stamp], now: Callable[[RunInfo], RunInfo]) -> None:
        """`now` gives what the list holds now for a run that it held once. Raises UnreadableError where that is none."""
        self._stamps = stamps
        self._now = now
        self._cache: OrderedDict[Place, tuple[str, AgentRun, Mapping[Path, Stamp]]] = OrderedDict()
        """The key and the run by place, with the files beside its own that were read for it."""
        self._loading: list[_Loading] = []
        self._refused: dict[Path, set[str]] = {}
        self._lock = Lock()
        self._handed: tuple[Path, Stamp | None, int, Any] | None = None

    def load(self, info: RunInfo) -> AgentRun:
        """See `Corpus.load`."""
        known, info = self._listed(info)
        self._check_unchanged(info, known)
        with self._lock:
            key, cached, stamps = self._cache.get(info.place, ("", None, {}))
            if cached is not None and key == info.key and _are_as_they_were(stamps):
                self._cache.move_to_end(info.place)
                return cached
            begun = _Loading(info.place)
            self._loading.append(begun)
        run: AgentRun | None = None
        read: dict[Path, Stamp] = {}
        try:
            run = self.read(info, whole=True, beside_it=read)
        finally:
            with self._lock:
                self._loading.remove(begun)
                if run is not None and not begun.is_old:
                    self._keep(info, run, read)
        return run

    def _keep(self, info: RunInfo, run: AgentRun, read: Mapping[Path, Stamp]) -> None:
        self._cache[info.place] = info.key, run, read
        self._cache.move_to_end(info.place)
        if info.length > LARGE_RUN:
            self._cache = OrderedDict({info.place: (info.key, run, read)})
        while len(self._cache) > _CACHED_RUNS:
            self._cache.popitem(last=False)

    def read_once(self, info: RunInfo, *, whole: bool) -> AgentRun:
        """See `Corpus.read`."""
        known, info = self._listed(info)
        self._check_unchanged(info, known)
        return self.read(info, whole=whole)

    def raw(self, info: RunInfo) -> str:
        """See `Corpus.raw`."""
        return decode_text(self.raw_bytes(info))[0]

    def raw_bytes(self, info: RunInfo) -> bytes:
        """See `Corpus.raw_bytes`."""
        known, info = self._listed(info)
        self._check_unchanged(info, known)
        check_room_to_open(info.length, info.path, info.line, decoded=False)
        data = bytes_of(info, info.path)
        self._check_unchanged(info, known)
        return data

    def value(self, info: RunInfo, *, by_parts: bool = False) -> Any:
        """See `Corpus.value`. `by_parts`: so that ctrl+c is heeded meanwhile."""
        known, info = self._listed(info)
        self._check_unchanged(info, known)
        value = value_of(info, by_parts=by_parts)
        self._check_unchanged(info, known)  # it may have changed while it was read
        return value

    def bad_bytes(self, info: RunInfo, cancelled: Callable[[], bool]) -> Problem | None:
        """The Problem of bytes in a run that are not UTF-8, wherever they are. Raises UnreadableError.

        `cancelled` is asked every megabyte: the answer is None once it says so.
        """
        if info.container == "yaml":  # decoded as a whole when it is listed
            return None
        if info.container in TABLES:  # whose rows are made into JSON
            return None
        packed = None if info.member is None else bytes_of(info, info.path)
        decode = getincrementaldecoder("utf-8")("strict").decode
        try:
            for start in range(0, info.length, _AT_ONCE):
                if cancelled():
                    return None
                end = min(start + _AT_ONCE, info.length)
                # A large record is in memory already, to be shown: not twice.
                part = read_range(info.path, info.offset + start, end - start) if packed is None else packed[start:end]
                decode(part, end == info.length)
        except UnicodeDecodeError:
            return not_utf8(info.path, info.line or 1)
        return None

    def hand_over(self, path: Path, offset: int, value: Any) -> None:
        """Take over the decoded value, or the parts, of a record for the next time that it is opened; None lets go."""
        self._handed = None if value is None else (path, self._stamps.get(path), offset, value)

    def drop_handed(self) -> None:
        """Let go of the value that was handed over, if nobody has opened it."""
        self._handed = None

    def _taken(self, info: RunInfo) -> Any:
        """The value handed over for a run, of a file that is unchanged; None where there is none."""
        handed, self._handed = self._handed, None
        known, info = self._listed(info)
        same = self._check_unchanged(info, known)
        return handed[3] if same and handed is not None and handed[:3] == (info.path, known, info.offset) else None

    def forget(self, path: Path, offset: int) -> None:
        """Do not keep the runs of a file from an offset on, nor those that are being parsed just now: they were read again."""
        self._handed = None
        with self._lock:
            for place in [place for place in self._cache if place[0] == path and place[2] >= offset]:
                del self._cache[place]
            for begun in self._loading:
                begun.is_old = begun.is_old or (begun.place[0] == path and begun.place[2] >= offset)

    def refused(self) -> Mapping[Path, Collection[str]]:
        """The keys, by file, of runs that could not be read since the file had changed; each once."""
        if not self._refused:
            return {}
        with self._lock:
            found, self._refused = self._refused, {}
        return found

    def _listed(self, info: RunInfo) -> tuple[Stamp | None, RunInfo]:
        """The stamp of the run's file, and the run as it is listed now: in this order, for the list is changed last."""
        known = self._stamps.get(info.path)
        return known, self._now(info)

    def summed_up(self, info: RunInfo) -> RunInfo:
        """A run that was only listed, summed up as the scan would, with its id for a key. Raises UnreadableError."""
        origin = origin_of(info.path, info)
        value = self._record(info)
        try:
            known, _ = registry.best(value)
            name, found = known.summed_up(value, origin)
        except Exception:  # noqa: BLE001 - it opens as it will be listed, raw; the scan comes to it too and reports it
            raw = registry.last_resort()
            name, found = raw.name, raw.summarise(value, origin)
        return msgspec.structs.replace(
            info, key=found.id, id=found.id, format=name, name=found.name, messages=found.messages, units=found.units,
            transcripts=found.transcripts, agents=found.agents, rewards=found.rewards, models=found.models,
            task=task_of(found, info.path, info.member), summarised=True,
        )  # fmt: skip

    def check(self, info: RunInfo) -> list[Problem]:
        """See `Corpus.check`."""
        try:
            value, origin = self.value(info), origin_of(info.path, info)
            known = registry.format_named(info.format)
            found = known.check(value, origin)
            if not found:
                known.read(value, origin)
        except TrajviewError as error:
            found = [error.problem()]
        except Exception as error:  # noqa: BLE001 - a fault in one format must not end the report; it is reported
            found = [fault_of(error, info.path, info.line)]
        hinted = (replace(problem, hint=problem.hint or "the rest of it opens") for problem in found)
        return [placed(problem, info.path, info.line) for problem in hinted]

    def read(self, info: RunInfo, *, whole: bool = False, beside_it: dict[Path, Stamp] | None = None) -> AgentRun:
        """The run, parsed anew; `whole`: with what its sub-agents said in files beside its own, which `beside_it` gets."""
        if not info.summarised:
            info = self.summed_up(info)
        known, origin = registry.format_named(info.format), origin_of(info.path, info)
        try:
            agents = None
            with without_garbage(info.length):
                value = self._taken(info)
                if value is None:
                    value = self._record(info)
                if whole and info.container == "jsonl messages":
                    value, agents = self._with_agents(info, value)
                run = known.read(value, origin)
            if agents is not None:
                agents.describe(run)
                if beside_it is not None:
                    beside_it.update(agents.stamps)
            return run
        except TrajviewError as error:
            error.where = placed(error.problem(), info.path, info.line).where
            raise
        except Exception as error:  # a fault in a format: the person gets a sentence, the developer the cause
            found = fault_of(error, info.path, info.line)
            raise UnreadableError(found.reason, hint=found.hint, where=found.where) from error

    def _with_agents(self, info: RunInfo, value: Any) -> tuple[Any, Beside | None]:
        """A session with its sub-agents' messages from files beside its own, if there are such."""
        from trajview.formats.logged import joined

        from .beside import beside

        agents = beside(info.path, value)
        return (value, None) if agents is None else (joined(value, after=agents.lines), agents)

    def _record(self, info: RunInfo) -> Any:
        """The value of a record; the long lists in it stay bytes where it is large."""
        if info.length < UNDECODED_FROM or info.container not in _JSON or COLUMNS:
            return self.value(info)
        known, info = self._listed(info)
        self._check_unchanged(info, known)
        check_room_to_open(info.length, info.path, info.line, decoded=False)
        data = bytes_of(info, info.path)
        self._check_unchanged(info, known)  # it may have changed while it was read
        check_texts(data)
        from trajview.formats.logged import RecordReader

        reader = RecordReader(decode_value, fits=fits_decoded)
        if info.container == "jsonl messages":
            return reader.joined(decode_lines(data, reader.line))
        if (value := reader.read(data)) is not None:
            return value
        del data
        return self.value(info)

    def _check_unchanged(self, info: RunInfo, known: Stamp | None) -> bool:
        """Check that the file is still the one `known`; if not, let go of everything read from it before.

        Raises UnreadableError where the record may be another one as well.
        """
        now = stamp_of(info.path)
        if known is None or known == now:
            return True
        with self._lock:
            self._cache.pop(info.place, None)
        # A log that is still written grows at its end and keeps its records. A file with other rights, or
        # another name, may be unchanged, or may have been overwritten with its time put back. And some
        # network file systems give a file another inode now and then.
        grown = info.container in _GROWING and now[0] > known[0]
        like_before = now[:2] == known[:2] and (now[2] == known[2] or now[3] == known[3])
        if (grown or like_before) and self.still_there(info):
            return False
        with self._lock:
            self._refused.setdefault(info.path, set()).add(info.key)
        raise UnreadableError(
            "the file was changed after it was listed",
            hint="open it again to see it as it is now",
            where=Where(info.path),
        )

    def still_there(self, info: RunInfo) -> bool:
        """Whether the lines of a file that has grown still are the run that was listed."""
        origin = origin_of(info.path, info)
        try:
            value = value_of(info)
            if not info.summarised:
                return True
            summary = registry.format_named(info.format).summarise(value, origin)
        except TrajviewError:
            return False
        return (summary.id, summary.messages, summary.units) == (info.id, info.messages, info.units)


def _are_as_they_were(stamps: Mapping[Path, Stamp]) -> bool:
    try:
        return all(stamp_of(path) == stamp for path, stamp in stamps.items())
    except UnreadableError:
        return False
