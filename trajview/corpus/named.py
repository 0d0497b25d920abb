"""`PATH#ID`: the runs of a file or folder that have an id, as a person writes it and as `search -l` prints it.

A file whose name really holds a `#` is meant first. In what is printed, signs that a shell or a terminal acts on are
percent-encoded, so that `trajview $(trajview search -l …)` opens what was found; both are understood.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from trajview.errors import shown

__all__ = ["Ids", "grouped", "is_wanted", "readings", "reference", "split_id"]

Ids = frozenset[str]
"""Ids and keys of runs, in every reading that they may be meant in."""

_ODD: Final = re.compile(r"[^\w./:@+=,~^-]|[\ud800-\udfff]")


def split_id(path: Path) -> tuple[Path, str | None]:
    """A path and the id behind its last `#` that leads to a file or folder; None where the path is one itself, or none."""
    text = str(path)
    if "#" not in text or _exists(text):
        return path, None
    at = text.rfind("#")
    while at > 0:
        for before in (text[:at], _decoded(text[:at], "surrogateescape")):
            if at + 1 < len(text) and _exists(before):
                return Path(before), text[at + 1 :]
        at = text.rfind("#", 0, at)
    return path, None


def _exists(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:  # a NUL in the name
        return False


def readings(id: str) -> Ids:
    """The possible meanings of an id behind a `#`: itself, or percent-decoded."""
    return frozenset({id, _decoded(id, "surrogatepass"), _decoded(id, "surrogateescape")})


def _decoded(text: str, errors: str) -> str:
    if "%" not in text:
        return text
    from urllib.parse import unquote

    try:
        return unquote(text, errors=errors)
    except UnicodeDecodeError:
        return text


def is_wanted(ids: Collection[str], id: str, key: str = "") -> bool:
    """Whether a run is meant; where its key is not known, a key that begins with its id and an `@` may be."""
    return id in ids or key in ids or (not key and any(each.startswith(f"{id}@") for each in ids))


def grouped(paths: Sequence[Path]) -> dict[Path, dict[str, Ids] | None]:
    """The paths without ids, each once, in order, with the ids as given and their readings; None where all is meant."""
    found: dict[Path, dict[str, Ids] | None] = {}
    for given in paths:
        path, id = split_id(given)
        ids = found.setdefault(path, {})
        if id is None or ids is None:
            found[path] = None
        else:
            ids[id] = readings(id)
    return found


def reference(path: Path, id: str, *, alone: bool) -> str:
    """A run as `PATH#ID`, or as the path where it is `alone` in it; without spaces and signs that a shell acts on."""
    text = shown(path)
    if text == "-":
        return text  # that is gone when it is opened again
    if alone and not _ODD.search(text) and text[0] not in "-~":
        return text
    return f"{'./' * (text[0] in '-~')}{_encoded(text)}#{_encoded(id)}"


def _encoded(text: str) -> str:
    return _ODD.sub(lambda found: "".join(f"%{byte:02X}" for byte in _bytes(found.group())), text)


def _bytes(sign: str) -> bytes:
    if "\udc80" <= sign <= "\udcff":
        return sign.encode("utf-8", "surrogateescape")
    return sign.encode("utf-8", "surrogatepass")
