"""Formats of other packages, found by their entry points, without importing anything of them.

A package names its formats in the entry-point group `trajview.formats`: the entry point's name is the format's, and it
points to a `Format` or to a class of one.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["GROUP", "Plugin", "fingerprint", "installed"]

GROUP: Final = "trajview.formats"
"""The group of entry points that name formats."""

_SECTION: Final = re.compile(rf"^\s*\[\s*{re.escape(GROUP)}\s*\]([^\[]*)", re.MULTILINE)
_TOP_LEVEL: Final = re.compile(r"=\s*(\w+)")


class Plugin(NamedTuple):
    """A format that an installed package offers, not imported yet."""

    name: str
    """The entry point's name, which is the format's."""
    package: str
    version: str
    entry: EntryPoint

    @property
    def source(self) -> str:
        """The package and its version, for people."""
        return f"{self.package} {self.version}"


def installed() -> list[Plugin]:
    """All formats that installed packages offer, in the order of the packages' names. Imports none of them."""
    folders = _folders()
    if not folders:
        return []
    from importlib.metadata import Distribution  # it takes a while, and most have no plug-in

    found: dict[tuple[str, str], Plugin] = {}
    for folder, _ in folders:
        distribution = Distribution.at(folder)
        with suppress(TypeError, ValueError, KeyError, OSError):  # metadata that are broken are pip's to complain about
            package = distribution.metadata["Name"] or folder.name
            for entry in distribution.entry_points:
                if entry.group == GROUP:
                    plugin = Plugin(entry.name, package, distribution.version or "without a version", entry)
                    found.setdefault((package.lower(), entry.name), plugin)  # the first on the path is imported
    return [found[key] for key in sorted(found)]


def fingerprint() -> str:
    """A text that changes when a plug-in is installed, removed, updated, or edited where it is developed.

    Caches keep it, so that they do not serve what another version of a plug-in said. Imports no plug-in.
    """
    told: list[str] = []
    for folder, section in _folders():
        told.append(folder.name)
        for module in dict.fromkeys(_TOP_LEVEL.findall(section)):
            told += _times_of(module)
    return "\n".join(told)


def _folders() -> list[tuple[Path, str]]:
    """The metadata folders of installed packages that offer formats, with the lines that say so.

    All of `importlib.metadata` takes fifty times as long to import as this takes. The current folder is left out: it
    may be a folder of logs, and nothing among logs is to be imported.
    """
    here = os.path.realpath(os.curdir)
    found: list[tuple[Path, str]] = []
    for path in dict.fromkeys(sys.path):
        if not path or os.path.realpath(path) == here:
            continue
        with suppress(OSError):  # no folder, or a zip file
            names = [name for name in os.listdir(path) if name.endswith((".dist-info", ".egg-info"))]  # noqa: PTH208
            found += _offering(Path(path), sorted(names))
    return found


def _offering(path: Path, names: Iterable[str]) -> Iterator[tuple[Path, str]]:
    for name in names:
        try:
            text = (path / name / "entry_points.txt").read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if GROUP in text and (section := _SECTION.search(text)):
            yield path / name, section[1]


def _times_of(module: str) -> list[str]:
    """When the files of a package were written, without importing it."""
    from importlib.util import find_spec

    times: list[str] = []
    with suppress(ImportError, ValueError, AttributeError, OSError):  # it is not there: then loading it says so
        spec = find_spec(module)
        for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
            times += sorted(
                f"{entry.name} {entry.stat().st_mtime_ns}" for entry in os.scandir(folder) if entry.is_file()
            )
        if spec is not None and spec.origin is not None:
            times.append(str(Path(spec.origin).stat().st_mtime_ns))
    return times
