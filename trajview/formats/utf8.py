"""Whether bytes are UTF-8: what is plain ASCII, which most of a log is, is passed over at the speed of memory."""

from __future__ import annotations

import re
import struct
from codecs import utf_8_decode
from collections.abc import Callable
from importlib import import_module
from itertools import chain
from typing import Final

__all__ = ["is_utf8", "seems_utf8"]

_WINDOW: Final = 1024
"""Bytes that are decoded from one on that is not ASCII: others are most often near it."""
_FEW: Final = 4
_BEYOND_ASCII: Final = bytes(range(0x80, 0x100))
_BLOCK: Final = 4096
_blocks: Final = struct.Struct(f"{_BLOCK}s").iter_unpack
_NOT_ASCII: Final = re.compile(rb"\0+")

_find: Callable[..., int] | None
try:
    _find = import_module("stringzilla").find_first_of
except ImportError:  # no wheel for this machine
    _find = None


def is_utf8(data: bytes | memoryview) -> bool:
    """Whether bytes are UTF-8, as Python's own decoder sees it."""
    return _by_blocks(data) if _find is None else _by_search(data, _find, len(data))


def seems_utf8(data: bytes | memoryview) -> bool:
    """Whether bytes are UTF-8 in the first few places that are beyond ASCII: one of another encoding shows in the first.

    It takes the same time however much of a long record is Chinese, or emoji.
    """
    return _by_blocks(data) if _find is None else _by_search(data, _find, _FEW)


def _by_search(data: bytes | memoryview, find: Callable[..., int], most: int) -> bool:
    at = find(data, _BEYOND_ASCII)
    view, end = memoryview(data), len(data)
    try:
        while at >= 0 and most:
            most -= 1
            # A character may go on behind the window: then it is the next one's.
            done = at + utf_8_decode(view[at : at + _WINDOW], "strict", at + _WINDOW >= end)[1]
            at = find(data, _BEYOND_ASCII, done) if done < end else -1
    except UnicodeDecodeError:
        return False
    return True


def _by_blocks(data: bytes | memoryview) -> bool:
    if isinstance(data, bytes) and data.isascii():
        return True
    view = memoryview(data)
    even = len(data) - len(data) % _BLOCK
    are_ascii = bytes(map(bytes.isascii, chain.from_iterable(_blocks(view[:even]))))
    end = even  # from here on nothing was looked at
    for match in _NOT_ASCII.finditer(are_ascii):
        start, stop = match.span()
        if stop == len(are_ascii):  # a character may go on in the rest
            end = start * _BLOCK
        elif not _decodes(view[start * _BLOCK : stop * _BLOCK]):
            return False
    return _decodes(view[end:])


def _decodes(data: memoryview) -> bool:
    try:
        str(data, "utf-8")
    except UnicodeDecodeError:
        return False
    return True
