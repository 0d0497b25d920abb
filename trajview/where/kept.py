"""The cache of details, which keeps the results of reading a run as long as its file is the same.

A file beside the cache of summaries, of the same kind: it can be deleted at any time.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from trajview.corpus.cache import Cache, cache_path, stamp_of_status
from trajview.corpus.gathered import is_gathered

from .details import Details

if TYPE_CHECKING:
    from trajview.corpus.info import RunInfo

__all__ = ["DetailsCache", "details_path"]

_MOST: Final = 16_000
"""Bytes of details that are kept; a run with more metadata is read again for that."""


def details_path() -> Path:
    """The path of the cache."""
    return cache_path().with_name("details.sqlite")


class DetailsCache(Cache):
    """A cache of the details of runs. One thread uses it; nothing in it raises."""

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(details_path if path is None else lambda: path)
        self._decoder = msgspec.msgpack.Decoder(Details)

    def stamp(self, info: RunInfo) -> str:
        """The stamp of a run's file; empty where it has none."""
        if is_gathered(info.path):
            return ""
        try:
            stamp = stamp_of_status(info.path.stat())
        except (OSError, ValueError):
            return ""
        return f"{stamp} {info.length} {info.format}" if stamp else ""

    def find(self, info: RunInfo, stamp: str) -> Details | None:
        """The details of a run whose file has this stamp."""
        data = self.bytes_at(_key(info), False, stamp)
        if data is None:
            return None
        try:
            return self._decoder.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None

    def keep(self, info: RunInfo, stamp: str, details: Details) -> None:
        """Keep the details of a run whose file had this stamp before it was read, and still has it."""
        if not stamp or self.stamp(info) != stamp:
            return
        data = _packed(details)
        if data is None or len(data) > _MOST:
            data = _packed(Details(details.tokens, details.errors, details.tools))
        if data is not None and len(data) <= _MOST:
            self.keep_bytes(_key(info), False, stamp, data)


def _packed(details: Details) -> bytes | None:
    try:
        return msgspec.msgpack.encode(details)
    except (ValueError, TypeError, OverflowError, RecursionError):  # a lone surrogate, a number beyond 64 bits
        return None


def _key(info: RunInfo) -> bytes:
    member = (info.member or "").encode("utf-8", "surrogatepass")
    path = os.fsencode(os.path.abspath(info.path))  # noqa: PTH100 - links stay: what they point to may change
    return b"\0".join((path, member, str(info.offset).encode()))
