"""Paths into the files that may hold logs: folders are walked in natural order, and nothing but plain files is opened."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from trajview.errors import Problem, Where, shown

from .files import Stamp, as_stamp
from .named import Ids, grouped
from .unpack import log_suffix

__all__ = ["LOG_SUFFIXES", "Skipped", "SourceFile", "in_natural_order", "natural_key", "walk"]

LOG_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".traj", ".eval"})
_DIGITS = re.compile("[0-9]+")
_ANY_DIGIT = str.maketrans("0123456789", "0" * 10)
_MANY_SHAPES = 50
_SOME = 100
_STORE = "AnnotationForEpisode"
_JOURNAL = "journal"
_BESIDE = frozenset({_JOURNAL, "units"})
"""What a store keeps beside its records."""
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
    """The ids of the runs that are meant, where the path was given with some (see `named`)."""


class Skipped(Struct, frozen=True):
    """Things in a folder that are not opened, because they are hidden or no logs: so many."""

    count: int = 1


class _Folder(Struct, frozen=True):
    """A folder within another one, to be looked into next."""

    path: Path
    shown: str


def natural_key(name: str) -> str:
    """Sorts `run10` after `run9`, and capitals with small letters; by the name itself where that is all the same.

    A text in it ends with `\\0`, which no name holds. Then comes `\\1` and a number, with its length before its digits, or
    `\\2` and the name.
    """
    return f"{_DIGITS.sub(_number, name.casefold())}\0\2{name}"


def _number(found: re.Match[str]) -> str:
    digits = found[0].lstrip("0")
    return f"\0\1{chr(len(digits))}{digits}"


def in_natural_order(names: list[str]) -> list[str]:
    """The names in a folder, sorted by `natural_key`.

    Of twenty thousand, a key for each would take a quarter of the time to the first screen. All names in one text take a
    third of that; names whose numbers are filled up with zeros are in the order that texts have, and names that differ in
    one number only in that of their lengths.
    """
    ordered = sorted(names)
    joined = "/".join(ordered)
    shapes = set(joined.translate(_ANY_DIGIT).split("/")) if joined.isascii() else set()
    if 0 < len(shapes) <= _MANY_SHAPES:
        if len({tuple(at.span() for at in _DIGITS.finditer(shape)) for shape in shapes}) == 1:
            # Sorting leaves those that differ in capitals only in the order that they have.
            return ordered if joined == joined.lower() else sorted(ordered, key=str.lower)
        if _is_sorted_by_length(ordered, shapes):
            return sorted(ordered, key=len)
    joined = _DIGITS.sub(_number, "\0\2/".join(ordered).casefold()) + "\0\2"
    keys = dict(zip(ordered, joined.split("/"), strict=True))
    return sorted(ordered, key=keys.__getitem__)


def _is_sorted_by_length(names: list[str], shapes: set[str]) -> bool:
    """Whether names, of which these are the shapes, differ only in their first number, and that begins with no zero."""
    around = {(shape[: at.start()], shape[at.end() :]) if (at := _DIGITS.search(shape)) else None for shape in shapes}
    same = around.pop()
    if around or same is None:
        return False
    first, of_one_digit = len(same[0]), len(same[0]) + 1 + len(same[1])
    return not any(name[first] == "0" and len(name) > of_one_digit for name in names)


def walk(paths: Sequence[Path], folders: dict[Path, int] | None = None) -> Iterator[SourceFile | Skipped | Problem]:
    """Every file that may hold logs, paths in the order given, folders depth first; each file and folder once.

    A path that is named is always tried, whatever its name; what cannot be opened is a Problem. `folders` gets every
    folder that is looked into, with the time of its last change (ns) before that.
    """
    given = grouped(paths)
    walker = _Walker(several=len(given) > 1, found={} if folders is None else folders)
    for path, ids in given.items():
        walker.only = None if ids is None else frozenset().union(*ids.values())
        yield from walker.named(path)


class _Walker:
    def __init__(self, several: bool, found: dict[Path, int]) -> None:
        self.several = several
        self.found = found
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
            yield from self.folder(path, f"{path}{os.sep}" if self.several else "")
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
            status = path.stat()
            if (status.st_dev, status.st_ino) in self.folders:  # given twice, or a loop of symbolic links
                return
            self.folders.add((status.st_dev, status.st_ino))
            self.found[path] = status.st_mtime_ns
            found = os.listdir(path)  # noqa: PTH208 - there may be many, and names are all it takes
            is_store = _STORE in found or (_JOURNAL in found and _holds_drafts(path / _JOURNAL))
            kept = _without_others(path, found)
        except OSError as error:
            yield _problem(path, error)
            return
        if len(kept) < len(found):
            yield Skipped(len(found) - len(kept))
        within = os.path.join(path, "")  # noqa: PTH118 - as above
        whole = os.path.join(os.path.abspath(path), "")  # noqa: PTH100, PTH118 - as above
        for name in in_natural_order(kept):
            is_log = name[0] != "." and log_suffix(name) in LOG_SUFFIXES
            try:
                status = os.stat(within + name)  # noqa: PTH116 - as above
            except OSError as error:  # a symbolic link to nowhere or to itself, or gone since
                yield _problem(path / name, error) if is_log else Skipped()
                continue
            if is_log and stat.S_ISREG(status.st_mode):
                if self._is_new(whole + name):
                    yield SourceFile(path / name, shown + name, False, as_stamp(status), self.only)
            elif stat.S_ISDIR(status.st_mode) and _may_hold_logs(name, is_store):
                yield _Folder(path / name, shown + name + os.sep)
            else:
                yield Skipped()

    def _is_new(self, name: str) -> bool:
        if name in self.files:
            return False
        self.files.add(name)
        return True


def _may_hold_logs(name: str, in_store: bool) -> bool:
    """Whether a folder of this name, maybe in a store of annotations, is looked into."""
    return name[0] != "." and name != _STORE and not (in_store and name in _BESIDE)


def _without_others(folder: Path, names: list[str]) -> list[str]:
    """The names in a folder without plain files that no log has; all of them where these seem to be few. Raises OSError.

    To ask for the status of each of twenty thousand takes eight times as long as reading the folder a second time.
    """
    some = names[:_SOME]
    if sum(log_suffix(name) not in LOG_SUFFIXES for name in some) < _SOME // 10:
        return names
    with os.scandir(folder) as entries:
        no_files = {entry.name for entry in entries if not entry.is_file(follow_symlinks=False)}
    endings = {name[name.rfind(".") :] for name in names}  # of a name without one, its last character
    no_log = {ending for ending in endings if log_suffix(f"a.json{ending}") not in LOG_SUFFIXES}
    return [name for name in names if name[name.rfind(".") :] not in no_log or name in no_files]


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
