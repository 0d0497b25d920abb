"""Finding bytes in bytes and texts in texts, as fast as the processor can: by StringZilla where it is for this machine."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

__all__ = [
    "address_of", "holds", "holds_text", "lines_in", "lowered", "lowered_text", "place_of", "times_in", "times_in_bytes",
]  # fmt: skip

_LOWER: Final = bytes(range(256)).lower()

_quick: Any
try:
    _quick = import_module("stringzilla")
except ImportError:  # no wheel for this machine: Python's own is a few times slower
    _quick = None


def address_of(data: bytes | memoryview) -> int | None:
    """Where in memory bytes begin; None where that cannot be told."""
    return None if _quick is None else int(_quick.Str(data).address)


def holds(data: bytes | memoryview, needle: bytes) -> bool:
    """Whether bytes hold others."""
    if _quick is None:
        return needle in bytes(data)
    return bool(_quick.contains(data, needle))


def place_of(data: bytes | memoryview, needle: bytes, start: int = 0) -> int:
    """Where bytes hold others, at `start` or later; -1 where they do not."""
    return bytes(data).find(needle, start) if _quick is None else int(_quick.find(data, needle, start))


def lowered(data: bytes | memoryview) -> bytes:
    """Bytes with small ASCII letters."""
    if _quick is None or not data:
        return bytes(data).lower()
    return bytes(_quick.translate(data, _LOWER))


def lines_in(data: bytes) -> int:
    """How many line ends bytes hold."""
    return data.count(b"\n") if _quick is None else int(_quick.count(data, b"\n"))


def holds_text(text: str, needle: str) -> bool:
    """Whether a text holds another. Python's own is ten times as slow where the needle begins with a frequent letter."""
    if _quick is None or not text.isascii() or not needle.isascii():
        return needle in text
    return bool(_quick.find(text, needle) >= 0)


def times_in(text: str, needle: str) -> int:
    """How often a text holds another one, which is not empty; as `str.count` has it."""
    if _quick is None or not text.isascii() or not needle.isascii():
        return text.count(needle)
    return int(_quick.count(text, needle))


def times_in_bytes(data: bytes | memoryview, needle: bytes) -> int:
    """How often bytes hold others, which are not empty; as `bytes.count` has it."""
    return bytes(data).count(needle) if _quick is None else int(_quick.count(data, needle))


def lowered_text(text: str) -> str:
    """A text in small letters."""
    if _quick is None or not text or not text.isascii():
        return text.lower()
    return str(_quick.translate(text, _LOWER))
