"""Files that change after they were read: looked at again, cheaply, and their rows brought up to date.

A look takes the status of folders and of the files that changed lately, and of the others as far as a few
milliseconds go; the rest has its turn at the next look. A JSONL file that has grown is read from its last record on.

What is not noticed by itself: a file of more than a megabyte that is written over in place (the same inode), is longer
than before, and keeps its first record, its last, and some between them. Its counts stay those of before until it is
reloaded; a run of it that is opened is read from the file as it is then, or said to have changed.
"""

from __future__ import annotations

import os
import stat
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from time import monotonic, time_ns
from typing import Final
from zlib import crc32

from trajview.errors import UNFORESEEN, Problem, TrajviewError

from .containers import Start
from .files import Stamp, open_plain, read_range, stamp_in
from .gathered import is_gathered
from .info import Item, RunInfo
from .reader import Reader
from .record import fault_of
from .rows import NOT_KNOWN, FileRows, News, line_of, news_of
from .scan import Scan
from .unpack import is_plain
from .walk import Skipped, SourceFile, walk

__all__ = ["ALWAYS_WHOLE", "GRACE", "REST", "SETTLED", "Follower"]

_BUDGET: Final = 0.002
"""Seconds that one look spends on files that have been quiet."""
_HOT: Final = 30.0
"""Seconds after a change in which a file is looked at every time."""
_MOST_HOT: Final = 500
ALWAYS_WHOLE: Final = 1 << 20
"""A file up to so many bytes is read as a whole when it has changed, which is sure, and as fast."""
_SAMPLES: Final = 8
SETTLED: Final = 100_000_000
"""Nanoseconds after which a file that changes again has another time of change for sure."""
_COARSE: Final = 2_100_000_000
"""The value of `SETTLED` where times are whole seconds (ext3, HFS+, network file systems), or every other one (FAT)."""
GRACE: Final = 1_000_000_000
"""Nanoseconds that a file may stand empty or torn while it is written anew, before its runs are gone."""
REST: Final = 4
"""Reading one file again takes at most the time of one in so many, plus one."""


class Follower:
    """Looks at the files of a scan that has ended, and publishes changes. One thread at a time uses it."""

    def __init__(
        self,
        paths: Sequence[Path],
        scan: Scan,
        items: Sequence[Item],
        publish: Callable[[News, Path | None, int, Stamp | None], None],
        reader: Reader,
        began: int,
    ) -> None:
        """`items` are the rows that were handed out so far; it stays up to date by what `publish` is given, which is
        also told of which file all from an offset on was read again, and its stamp then.

        `reader` tells whether a file still holds a run, and which could not be read because it does not. `began`: when the
        scan did, in ns of the clock that files have.
        """
        self._paths = paths
        self._scan = scan
        self._items = items
        self._publish = publish
        self._reader = reader
        self._files: dict[Path, FileRows] = {}
        self._walked = FileRows(None)
        self._folders: dict[Path, int] = {}
        self._lately: list[Path] = []  # the folders that changed last
        self._folder_ring: deque[Path] = deque()
        self._roots: dict[Path, object] = {}
        self._walk_wanted = True
        self._hot: dict[Path, float] = {}
        self._ring: deque[Path] = deque()
        self._walk_due = 0.0
        self._take_over(began)

    def _take_over(self, began: int) -> None:
        """Sort the rows by file, and note which files are as they were when they were read."""
        for path, file in self._rows_by_file().items():
            if path is None or (not file.runs and path not in self._scan.stamps):
                self._walked.problems += file.problems
            else:
                self._in_order(file)
                self._files[path] = file
        for path, known in self._scan.stamps.items():
            file = self._files.setdefault(path, FileRows(None))
            with suppress(OSError):
                now = stamp_in(path, os.stat(path))  # noqa: PTH116 - twenty thousand of them, and this is the fastest
                if now == known and _is_settled(_changed_at(now), began):
                    file.stamp = now

    def _rows_by_file(self) -> dict[Path | None, FileRows]:
        by_file: dict[Path | None, FileRows] = {}
        for row, item in enumerate(self._items):
            path = item.path if isinstance(item, RunInfo) else item.where.path
            file = by_file.get(path)
            if file is None:
                file = by_file[path] = FileRows(None)
            (file.runs if isinstance(item, RunInfo) else file.problems).append(row)
        return by_file

    def _in_order(self, file: FileRows) -> None:
        """Sort the runs of a file by their place in it."""
        numbers = [item.record for row in file.runs if isinstance(item := self._items[row], RunInfo)]
        if any(a > b for a, b in pairwise(numbers)):
            file.runs = array("q", (row for _, row in sorted(zip(numbers, file.runs, strict=True))))

    def take_in(self, row: int, problem: Problem) -> None:
        """A row that somebody else has added; it goes when its file is read again, unless that tells of it as well."""
        if problem.where.path in self._files:
            self._files[problem.where.path].problems.append(row)

    # Looking

    def look(self, *, everything: bool = False) -> None:
        """Look at folders and files, as far as the time for it goes, or at all of them.

        `everything`: what has changed is read as a whole as well. A person who asks for it wants to be sure.
        """
        if everything or self._has_moved():
            self._walk(now=everything)
        for path in list(self._files) if everything else _in_turn(self._hot, self._ring):
            self._check(path, now=everything, whole=everything)
        if not everything:
            self._tell_again()

    def _tell_again(self) -> None:
        """Publish runs again that could not be read because the file had changed, even where they are unchanged."""
        for path, keys in self._reader.refused().items():
            file = self._files.get(path)
            rows = file.runs if file is not None else ()
            changed = {row: item for row in rows if isinstance(item := self._items[row], RunInfo) and item.key in keys}
            if changed:
                self._publish(News(changed={**changed}), None, 0, None)

    def look_at(self, path: Path, *, whole: bool = False) -> None:
        """Look at one file, now."""
        file = self._files.get(path)
        if file is not None and file.source is None:
            shown = next((item.source for row in file.runs if isinstance(item := self._items[row], RunInfo)), str(path))
            file.source = SourceFile(path, shown, path in self._paths)
        self._check(path, now=True, whole=whole)

    def read_again(self, path: Path) -> None:
        """Read a file as a whole, whether it seems to have changed or not."""
        file = self._files.get(path)
        if file is not None:
            file.stamp = None
        self.look_at(path, whole=True)

    def _has_moved(self) -> bool:
        """Whether a folder has changed, or a path that was given is another thing now."""
        if monotonic() < self._walk_due:
            return False
        if self._walk_wanted or any(_kind(path) != kind for path, kind in self._roots.items()):
            return True
        return any(map(self._has_changed, _in_turn(self._lately, self._folder_ring)))

    def _has_changed(self, folder: Path) -> bool:
        try:
            return os.stat(folder).st_mtime_ns != self._folders[folder]  # noqa: PTH116 - see above
        except OSError:
            return True

    def _walk(self, *, now: bool) -> None:
        """Walk the paths again: files that are new, and files that are not there any more."""
        begun, clock = monotonic(), time_ns()
        self._walk_wanted = False
        kinds = {path: _kind(path) for path in self._paths}
        folders: dict[Path, int] = {}
        seen, problems = self._find_files(folders)
        self._scan.empty &= seen.keys()
        self._watch(folders, clock)
        # Named files and folders are looked at anyway.
        self._roots = {path: kind for path, kind in kinds.items() if path not in seen and path not in folders}
        self._take(self._walked, None, problems)
        self._put_sources(seen)
        self._ring = deque(seen)
        self._walk_due = monotonic() + REST * (monotonic() - begun)
        for path in seen:
            if self._files[path].stamp is None:
                self._check(path, now=now, whole=now)

    def _find_files(self, folders: dict[Path, int]) -> tuple[dict[Path, SourceFile], list[Item]]:
        """Find the files that there are, and the problems of the walk; add the folders, and when each changed last."""
        seen: dict[Path, SourceFile] = {}
        problems: list[Item] = []
        left_out = 0
        for found in walk(self._paths, folders):
            if isinstance(found, SourceFile):
                seen[found.path] = self._scan.shown(found)
            elif isinstance(found, Skipped):
                left_out += found.count
            else:
                problems.append(found)
        self._scan.left_out = left_out
        return seen, problems

    def _watch(self, folders: Mapping[Path, int], clock: int) -> None:
        """Look at these folders from now on, most often at those that changed last."""
        # A folder that changed just now may change again without its time changing.
        self._folders = {path: at if _is_settled(at, clock) else -1 for path, at in folders.items()}
        by_age = sorted(self._folders, key=self._folders.__getitem__, reverse=True)
        self._lately, self._folder_ring = by_age[:_MOST_HOT], deque(by_age[_MOST_HOT:])

    def _put_sources(self, seen: Mapping[Path, SourceFile]) -> None:
        """Empty the rows of files that are not there any more, and note which files there are."""
        for path, file in self._files.items():
            if path not in seen and (file.runs or file.problems or file.stamp is not None):
                self._take(file, path, [])
                file.stamp = None
                self._hot.pop(path, None)
        for path, source in seen.items():
            self._files.setdefault(path, FileRows(source)).source = source
        for path, file in self._files.items():
            if path not in seen:
                file.source = None

    # One file

    def _check(self, path: Path, *, now: bool = False, whole: bool = False) -> None:
        """Read a file if it has changed: `now`, or once it is its turn; and as a `whole`, or from its last record on."""
        file = self._files.get(path)
        if file is None or file.source is None:
            return
        try:
            status = os.stat(path)  # noqa: PTH116 - see above
        except OSError:
            status = None
        if status is None or not stat.S_ISREG(status.st_mode):
            self._walk_wanted = True  # the walk tells what it is now
            return
        stamp = stamp_in(path, status)
        if stamp == file.stamp:
            if self._hot.get(path, 0) < monotonic() - _HOT:
                self._hot.pop(path, None)
            return
        if len(self._hot) < _MOST_HOT or path in self._hot:
            self._hot[path] = monotonic()
        if now or monotonic() >= file.due:
            self._read(file, path, stamp, whole=whole)

    def _read(self, file: FileRows, path: Path, stamp: Stamp, *, whole: bool) -> None:
        assert file.source is not None
        begun, clock = monotonic(), time_ns()
        start = None if whole else self._start(file, path, stamp)
        found: list[Item] | None
        sums: dict[int, int] = {}
        try:
            found = self._scan.again(file.source, start, stamp[0], sums)
        except TrajviewError as error:
            found = [error.problem()]
        except UNFORESEEN as error:  # one file must not end the following of all
            found = [fault_of(error, path, None)]
        if found is None:
            return
        age = clock - _changed_at(stamp)
        if file.runs and start is None and age < GRACE and not any(isinstance(item, RunInfo) for item in found):
            file.due = monotonic() + REST * (monotonic() - begun)
            return  # it is being written anew
        self._take(file, path, found, start, stamp, sums)
        # A file that changed just now may change again without its time changing.
        file.stamp = stamp if _is_settled(_changed_at(stamp), clock) else None
        file.due = monotonic() + REST * (monotonic() - begun)

    def _take(
        self,
        file: FileRows,
        path: Path | None,
        found: Iterable[Item],
        start: Start | None = None,
        stamp: Stamp | None = None,
        sums: Mapping[int, int] | None = None,
    ) -> None:
        written = path is not None and stamp is not None and start is None and self._scan.stamps.get(path) != stamp
        line = start[1] if start else 0
        news = news_of(file, list(found), self._items, self._scan.keys, line, written=written, sums=sums)
        if news.added or news.changed or path is not None:
            self._publish(news, path, start[0] if start else 0, stamp)

    def _start(self, file: FileRows, path: Path, stamp: Stamp) -> Start | None:
        """The start of the last record of a JSONL file that has only grown; None where it has to be read as a whole."""
        if stamp[0] <= ALWAYS_WHOLE or not file.runs:
            return None
        last = self._last_line(file)
        if last is None or last.line is None or last.offset + last.length > stamp[0] or self._is_another(path, stamp):
            return None
        try:
            same = _is_plain(path) and self._seems_the_same(file)
        except (OSError, TrajviewError):
            return None
        return (last.offset, last.line, last.record) if same else None

    def _last_line(self, file: FileRows) -> RunInfo | None:
        """The run on the last line of a JSONL file of which all lines are known; None where it is another file."""
        first, last = self._items[file.runs[0]], self._items[file.runs[-1]]
        if not isinstance(first, RunInfo) or not isinstance(last, RunInfo) or last.container != "jsonl":
            return None
        if first.line is None or first.record or not last.record:
            return None
        are_some_before = any(0 < line_of(self._items[row]) < first.line for row in file.problems)
        return None if are_some_before else last

    def _is_another(self, path: Path, stamp: Stamp) -> bool:
        """Whether a file was written over or replaced by another one, as far as its stamp tells."""
        known = self._scan.stamps.get(path)
        return known is not None and stamp != known and (stamp[0] <= known[0] or stamp[3] != known[3])

    def _seems_the_same(self, file: FileRows) -> bool:
        """Whether some records of a file are unchanged, the first and the last among them."""
        count = len(file.runs)
        places = {at * (count - 1) // _SAMPLES for at in range(_SAMPLES + 1)}
        return all(self._is_as_it_was(file, place) for place in places)

    def _is_as_it_was(self, file: FileRows, place: int) -> bool:
        item, known = self._items[file.runs[place]], file.sums[place] if file.sums else NOT_KNOWN
        if not isinstance(item, RunInfo) or known == NOT_KNOWN:
            return not isinstance(item, RunInfo) or self._reader.still_there(item)
        try:
            return crc32(read_range(item.path, item.offset, item.length)) == known
        except TrajviewError:
            return False


def _changed_at(stamp: Stamp) -> int:
    """When a file changed last: its own word for that can be any time."""
    return max(stamp[1], stamp[2])


def _is_settled(at: int, clock: int) -> bool:
    """Whether a file that changed `at` some time, and changes again from now on, has another time then, in nanoseconds."""
    return at < clock - (SETTLED if at % 1_000_000_000 else _COARSE)


def _kind(path: Path) -> object:
    """The kind of a path, for noticing that it is another thing now; the inode of a file counts, its content does not."""
    try:
        status = os.stat(path)  # noqa: PTH116 - see above
    except (OSError, ValueError):
        return None
    return stat.S_IFMT(status.st_mode), status.st_dev, status.st_ino


def _is_plain(path: Path) -> bool:
    if is_gathered(path):
        return False
    descriptor = open_plain(path)
    try:
        return is_plain(os.pread(descriptor, 8, 0))
    finally:
        os.close(descriptor)


def _in_turn(always: Iterable[Path], others: deque[Path]) -> Iterator[Path]:
    """All of some paths, and of the others those that have waited longest, as far as the time for a look goes."""
    yield from list(always)
    until = monotonic() + _BUDGET
    for _ in range(len(others)):
        yield others[0]
        others.rotate(-1)
        if monotonic() > until:
            break
