"""Where the reader was in runs and lists, kept in the user's folder of state for the next time.

Runs and lists are named by digests, and the rest is numbers, how a list is ordered, the filter that was typed, and the id of
the run under its cursor: nothing else that a log says.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct
from msgspec.json import decode, encode
from msgspec.structs import replace

from trajview.atomic import make_folder, write_atomically
from trajview.debug_log import note

__all__ = ["ListPlace", "RunPlace", "SavedPlaces", "places_file"]

MOST: Final = 1_000
"""Runs and lists that are remembered; the one that was not seen for longest is forgotten."""

_Number = Annotated[int, Meta(ge=0, le=1 << 53)]
_Row = tuple[_Number, _Number, _Number]
"""A message, a line of it, and the character that a row of the line begins with; all from 0."""


class RunPlace(Struct, frozen=True, tag="run", omit_defaults=True):
    """Where the reader was in a run: in which transcript, the cursor, the top of the window, and folds by message."""

    transcript: _Number
    cursor: _Row
    top: _Row
    folds: dict[_Number, Literal["open", "preview", "closed"]] = {}


class ListPlace(Struct, frozen=True, tag="list", omit_defaults=True):
    """How a list of runs was left."""

    run: str = ""
    """The key of the run under the cursor."""
    query: str = ""
    """The filter that was typed."""
    order: str = ""
    """The keys of the order as a filter names them after `sort:`; empty for the order of the corpus."""
    turned: bool = False
    """Whether the order of the corpus was turned round."""


_Place = RunPlace | ListPlace


def places_file() -> Path | None:
    """The file in the user's folder of state; None where there is no home."""
    from platformdirs import user_state_path

    with suppress(RuntimeError):
        return user_state_path("trajview", appauthor=False) / "places.json"
    return None


class SavedPlaces:
    """The places of the last runs and lists. They are read when one is first asked for; only `write` writes them.

    Safe to use from several threads, and from several programs: each writes the places that it has changed.
    """

    def __init__(self, path: Path | None) -> None:
        """`path` names the file; None remembers nothing."""
        self._path = path
        self._lock = Lock()
        self._read: dict[str, _Place] | None = None
        self._changed: dict[str, _Place | None] = {}
        self._problem = ""

    @property
    def problem(self) -> str:
        """Why the file could not be read, in a sentence; empty where it could, or there is none."""
        self._find("")
        return self._problem

    def of_run(self, path: Path, key: str) -> RunPlace | None:
        """The place in the run of that key in a file; None for its start."""
        place = self._find(_name(path, key))
        return place if isinstance(place, RunPlace) else None

    def of_list(self, paths: Iterable[Path]) -> ListPlace:
        """How the list of the runs in some paths was left."""
        place = self._find(_name(*paths))
        return place if isinstance(place, ListPlace) else ListPlace()

    def keep_run(self, path: Path, key: str, place: RunPlace | None) -> None:
        """Keep the place in a run; None for its start."""
        self._changed[_name(path, key)] = place

    def keep_list(self, paths: Iterable[Path], place: ListPlace) -> None:
        """Keep how a list was left."""
        self._changed[_name(*paths)] = replace(place, run=_writable(place.run), query=_writable(place.query))

    def write(self) -> None:
        """Write what was kept since the last time into the file, as it is by now. Where that fails, nothing is written."""
        with self._lock:
            changed, self._changed = self._changed, {}
            if self._path is None or not changed:
                return
            places = self._load()
            for name, place in changed.items():
                places.pop(name, None)
                if place is not None:
                    places[name] = place
            self._read = dict(list(places.items())[-MOST:])
            try:
                make_folder(self._path.parent)
                write_atomically(self._path, encode(self._read), 0o600)
            except OSError as error:  # nobody is to be kept from leaving by this
                note("places are not written: %s", type(error).__name__)

    def _find(self, name: str) -> _Place | None:
        with self._lock:
            if self._read is None:
                self._read = self._load()
            return self._changed[name] if name in self._changed else self._read.get(name)

    def _load(self) -> dict[str, _Place]:
        if self._path is None:
            return {}
        try:
            return decode(self._path.read_bytes(), type=dict[str, _Place])
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError):
            self._problem = (
                f"Where you were is not known any more: {self._path} cannot be read, and will be written anew."
            )
            return {}


def _name(*parts: str | Path) -> str:
    """The digest that names a run, by its file and its key, or a list, by its paths."""
    texts = [str(part.absolute()) if isinstance(part, Path) else part for part in parts]
    return blake2b("\0".join(texts).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _writable(text: str) -> str:
    """A text without the halves of surrogate pairs, which an id in a log may have and a file in UTF-8 may not."""
    return text.encode("utf-8", "replace").decode()
