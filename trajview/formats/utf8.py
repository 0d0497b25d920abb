"""A check whether bytes are UTF-8 that passes over plain ASCII, most of a log, at the speed of memory."""

from __future__ import annotations

from codecs import utf_8_decode
from collections.abc import Callable
from importlib import import_module
from typing import Final

__all__ = ["WINDOW", "is_utf8", "seems_utf8"]

WINDOW: Final = 1024
"""Bytes that are decoded from one on that is not ASCII: others are most often near it."""
_FEW: Final = 4
_BEYOND_ASCII: Final = bytes(range(0x80, 0x100))


def _find_window(data: bytes | memoryview, _: bytes, start: int = 0) -> int:
    """The start of a window that is not all ASCII, -1 where there is none."""
    windows = ((at, data[at : at + WINDOW]) for at in range(start, len(data), WINDOW))
    return next((at for at, window in windows if not bytes(window).isascii()), -1)


_find: Callable[..., int]
try:
    _find = import_module("stringzilla").find_first_of
except ImportError:  # no wheel for this machine
    _find = _find_window


def is_utf8(data: bytes | memoryview) -> bool:
    """Whether bytes are UTF-8, as Python's own decoder sees it."""
    return _decodes(data, len(data))


def seems_utf8(data: bytes | memoryview) -> bool:
    """Whether bytes are UTF-8 in the first few places that are beyond ASCII: one of another encoding shows in the first.

    It takes the same time however much of a long record is Chinese, or emoji.
    """
    return _decodes(data, _FEW)


def _decodes(data: bytes | memoryview, most: int, find: Callable[..., int] = _find) -> bool:
    """Whether the first `most` windows can be decoded that begin where `find` finds bytes beyond ASCII."""
    at = find(data, _BEYOND_ASCII)
    view, end = memoryview(data), len(data)
    try:
        while at >= 0 and most:
            most -= 1
            # A character may go on behind the window: then it is the next one's.
            done = at + utf_8_decode(view[at : at + WINDOW], "strict", at + WINDOW >= end)[1]
            at = find(data, _BEYOND_ASCII, done) if done < end else -1
    except UnicodeDecodeError:
        return False
    return True
