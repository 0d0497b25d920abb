"""Paths into the files that may hold logs: folders are walked in natural order, and nothing but plain files is opened."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from trajview.errors import Problem, Where, shown

from .bounds import BOUNDS
from .files import Stamp, as_stamp
from .gathered import first_event, parts_beside
from .named import Ids, grouped
from .unpack import log_suffix

__all__ = ["LOG_SUFFIXES", "PYARROW_HINT", "Skipped", "SourceFile", "natural_key", "walk"]

LOG_SUFFIXES = frozenset(
    {".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".traj", ".eval", ".parquet", ".arrow", ".feather", ".csv", ".tsv"}
)
_PLAIN = tuple(LOG_SUFFIXES)
_OF_ARROW = (".parquet", ".arrow", ".feather")
"""Suffixes of the tables that pyarrow reads, which is an extra."""
PYARROW_HINT = "pip install 'trajview[parquet]'"
_DIGITS = re.compile("[0-9]+")
_STORE = "AnnotationForEpisode"
_JOURNAL = "journal"
_BESIDE = frozenset({_JOURNAL, "units"})
"""Folders that a store keeps beside its records."""
_EPISODES = "EpisodeLog"
_SOTOPIAS = frozenset({
    "AgentProfile", "EnvironmentProfile", "RelationshipProfile", "EnvAgentComboStorage", "EnvironmentList", "LocationProfile",
    "CustomEvaluationDimension", "CustomEvaluationDimensionList",
})  # fmt: skip
"""Folders beside the episodes in Sotopia's data folder, which hold what the episodes name and no logs."""
_ABOUT_DATA = frozenset({"dataset_dict.json", "dataset_info.json", "dataset_infos.json"})
"""Files that describe a dataset, and are no run."""
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class SourceFile(Struct, frozen=True):
    """A file that may hold records. `source` is how the list shows it; `named`: the person gave this very path.

    `stamp`: what it was when it was found, where that is known.
    """

    path: Path
    source: str
    named: bool
    stamp: Stamp | None = None
    only: Ids | None = None
    """The ids of the wanted runs, where the path was given with some (see `named`)."""


class Skipped(Struct, frozen=True):
    """A count of things in a folder that are not opened, because they are hidden or no logs."""

    count: int = 1


class _Folder(Struct, frozen=True):
    """A folder within another one, to be looked into next."""

    path: Path
    shown: str


class _Kind(Enum):
    """An entry of a folder."""

    FILE = auto()
    LINK = auto()
    OTHER = auto()


def natural_key(name: str) -> str:
    """Sorts `run10` after `run9`, and capitals with small letters; by the name itself where that is all the same.

    A text in it ends with `\\0`, which no name holds. Then comes `\\1` and a number, with its length before its digits, or
    `\\2` and the name.
    """
    return f"{_DIGITS.sub(_number, name.casefold())}\0\2{name}"


def _number(found: re.Match[str]) -> str:
    digits = found[0].lstrip("0")
    return f"\0\1{chr(len(digits))}{digits}"


def walk(paths: Sequence[Path], folders: dict[Path, int] | None = None) -> Iterator[SourceFile | Skipped | Problem]:
    """Every file that may hold logs, paths in the order given, folders depth first; each file and folder once.

    A path that is named is always tried, whatever its name; what cannot be opened is a Problem. Links in a folder that lead
    out of those that were given are left out, unless `BOUNDS` say otherwise, and one Problem counts them. `folders` gets
    every folder that is looked into, with the time of its last change (ns) before that.
    """
    given = grouped(paths)
    walker = _Walker(given, {} if folders is None else folders)
    for path, ids in given.items():
        walker.only = None if ids is None else frozenset().union(*ids.values())
        yield from walker.named(path)


class _Walker:
    def __init__(self, given: Collection[Path], found: dict[Path, int]) -> None:
        self.several = len(given) > 1
        self.found = found
        self.given = given
        self.outward = 0
        """Links that lead out of the folders that were given."""
        self.unread = 0
        """Tables for which pyarrow is missing."""
        self.only: Ids | None = None
        self.folders: set[tuple[int, int]] = set()
        self.files: set[str] = set()

    def named(self, path: Path) -> Iterator[SourceFile | Skipped | Problem]:
        try:
            status = path.stat()
            mode = status.st_mode
        except OSError as error:
            yield _problem(path, error)
            return
        except ValueError:  # a NUL in the name
            yield Problem("no such file or folder", "check the path", Where(path))
            return
        if stat.S_ISDIR(mode):
            if path.name == _STORE:
                yield Problem(
                    "this folder is an annotation store, not logs", "open a file in it by its name", Where(path)
                )
                return
            self.outward = self.unread = 0
            yield from self.folder(path, f"{path}{os.sep}" if self.several else "")
            if self.outward:
                yield _outward(path, self.outward)
            if self.unread:
                yield _unread(path, self.unread)
        elif stat.S_ISREG(mode):
            if self._is_new(os.path.abspath(path)):  # noqa: PTH100 - links stay: a link and its target are two files
                yield SourceFile(path, shown(path), True, as_stamp(status), self.only)
        else:
            yield _not_plain(path, mode)

    def folder(self, path: Path, shown: str) -> Iterator[SourceFile | Skipped | Problem]:
        """A folder and those within, however deep: there may be more than Python calls functions within each other."""
        begun = [self._in_folder(path, shown)]
        while begun:
            found = next(begun[-1], None)
            if found is None:
                begun.pop()
            elif isinstance(found, _Folder):
                begun.append(self._in_folder(found.path, found.shown))
            else:
                yield found

    def _in_folder(self, path: Path, shown: str) -> Iterator[SourceFile | Skipped | Problem | _Folder]:
        try:
            found = self._names_in(path)
            is_store = _STORE in found or (_JOURNAL in found and _holds_drafts(path / _JOURNAL))
        except OSError as error:
            yield _problem(path, error)
            return
        within = os.path.join(path, "")  # noqa: PTH118 - there may be many
        whole = os.path.join(os.path.abspath(path), "")  # noqa: PTH100, PTH118 - as above
        names = _names(path.name, found)
        others = names.others
        for name in sorted(names.kept, key=natural_key):
            one = self._named(within, whole, name, found[name], shown, is_log=name in names.logs, in_store=is_store)
            if name == names.first_event and isinstance(one, SourceFile):
                one = replace(one, stamp=None)  # it changes with the others
            if isinstance(one, Skipped):
                others += 1
            elif one is not None:
                yield one
        if others:
            yield Skipped(others)

    def _named(
        self, within: str, whole: str, name: str, kind: _Kind, shown: str, *, is_log: bool, in_store: bool
    ) -> SourceFile | Problem | _Folder | Skipped | None:
        """What a name in a folder stands for; None where it was found before, or is a link that is not followed.

        `within` and `whole` are the folder's path, as it was given and from the root, up to the name.
        """
        path = Path(within + name)
        try:
            status = os.stat(path)  # noqa: PTH116 - there may be many
        except OSError as error:  # a symbolic link to nowhere or to itself, or gone since
            return _problem(path, error) if is_log else Skipped(1)
        is_folder = stat.S_ISDIR(status.st_mode) and _may_hold_logs(name, in_store)
        if not is_folder and not (is_log and stat.S_ISREG(status.st_mode)):
            return Skipped(1)
        if kind is _Kind.LINK and self._leads_out(within + name):
            self.outward += 1
            return None
        if is_folder:
            return _Folder(path, shown + name + os.sep)
        if not self._is_new(whole + name):
            return None
        if name.endswith(_OF_ARROW) and find_spec("pyarrow") is None:
            self.unread += 1
            return None
        return SourceFile(path, shown + name, False, as_stamp(status), self.only)

    def _names_in(self, path: Path) -> dict[str, _Kind]:
        """The names in a folder, and what each is; none where it was looked into before. Raises OSError."""
        status = path.stat()
        if (status.st_dev, status.st_ino) in self.folders:  # given twice, or a loop of symbolic links
            return {}
        self.folders.add((status.st_dev, status.st_ino))
        self.found[path] = status.st_mtime_ns
        with os.scandir(path) as entries:  # which know what is a plain file without a look at it
            return {entry.name: _kind(entry) for entry in entries}

    @cached_property
    def _roots(self) -> list[str]:
        """The folders that were given, as they are without links."""
        return [os.path.join(os.path.realpath(path), "") for path in self.given if path.is_dir()]  # noqa: PTH118 - as below

    def _leads_out(self, link: str) -> bool:
        """Whether a link leads out of all folders that were given, and is not to be followed for that."""
        if BOUNDS.follow_links:
            return False
        target = os.path.join(os.path.realpath(link), "")  # noqa: PTH118 - with a separator at its end
        return not any(target.startswith(root) for root in self._roots)

    def _is_new(self, name: str) -> bool:
        if name in self.files:
            return False
        self.files.add(name)
        return True


class _Names(NamedTuple):
    """The names in a folder that may lead to runs (`kept`), those of logs, and how many others there are.

    A folder with an event in each file is one session, which its first event stands for; None in other folders.
    """

    kept: list[str]
    logs: set[str]
    others: int
    first_event: str | None


def _names(folder: str, found: Mapping[str, _Kind]) -> _Names:
    logs = {name for name in found if name[0] != "." and _is_log(name)} - _ABOUT_DATA
    if "dataset_info.json" in found:
        logs.discard("state.json")  # of the same library
    left_out = parts_beside(found)
    if _EPISODES in found:
        left_out |= _SOTOPIAS
    first = first_event(folder, logs)
    if first is not None:
        left_out |= logs - {first}
    looked_at = {name: kind for name, kind in found.items() if name not in left_out}
    kept = [name for name, kind in looked_at.items() if name in logs or kind is not _Kind.FILE]
    return _Names(kept, logs, len(looked_at) - len(kept), first)


def _kind(entry: os.DirEntry[str]) -> _Kind:
    if entry.is_file(follow_symlinks=False):
        return _Kind.FILE
    return _Kind.LINK if entry.is_symlink() else _Kind.OTHER


def _outward(folder: Path, count: int) -> Problem:
    """The Problem of links in a folder that are not followed."""
    what = (
        "a link that leads out of this folder is" if count == 1 else f"{count:,} links that lead out of this folder are"
    )
    return Problem(f"{what} left out", "`--follow-links` follows such links", Where(folder))


def _unread(folder: Path, count: int) -> Problem:
    """The Problem of tables in a folder that cannot be read."""
    what = "a table is left out: reading it" if count == 1 else f"{count:,} tables are left out: reading them"
    return Problem(f"{what} takes pyarrow, which is not installed", PYARROW_HINT, Where(folder))


def _is_log(name: str) -> bool:
    """Whether a file of this name may hold logs."""
    return name.endswith(_PLAIN) or log_suffix(name) in LOG_SUFFIXES  # the first takes a tenth of the time


def _may_hold_logs(name: str, in_store: bool) -> bool:
    """Whether a folder of this name, maybe in a store of annotations, is looked into."""
    return name[0] != "." and name != _STORE and not (in_store and name in _BESIDE)


def _holds_drafts(folder: Path) -> bool:
    """Whether a folder is the journal of a store that has no records yet: its files are lines of timed events."""
    try:
        for path in folder.glob("*.jsonl"):
            if path.is_file():
                with path.open("rb") as file:
                    head = file.read(200)
                return head.startswith(b'{"time": "') and b'"event": "' in head
    except OSError:
        pass
    return False


def _not_plain(path: Path, mode: int) -> Problem:
    kind = _KINDS.get(stat.S_IFMT(mode), "not a file")
    return Problem(
        f"this is {kind}, which is never opened",
        "pipe it in: `program | trajview -`, or save its output to a file",
        Where(path),
    )


def _problem(path: Path, error: OSError) -> Problem:
    hints = {
        "FileNotFoundError": "check the path",
        "PermissionError": "ask for the right to read it, or `chmod u+r` it",
    }
    reason = (error.strerror or str(error)).lower()
    hint = "see where the link leads: `ls -l`" if error.errno == errno.ELOOP else hints.get(type(error).__name__, "")
    return Problem(reason, hint, Where(path))
