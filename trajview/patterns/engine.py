"""RE2, where it is for this machine: the one place that knows how it is asked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, Final

__all__ = ["Ask", "Span", "asked"]

Span = tuple[int, int]
Ask = Callable[[bytes, int, int], list[Span]]
"""Gives the first match from one place in bytes to another as the one element of a list, (-1, -1) for none. What is around the two is seen."""
_MEMORY: Final = 32 << 20
"""Bytes that a pattern may take at most."""


def asked(source: bytes, *, utf8: bool = False, at_start: bool = False) -> Ask | None:
    """What finds a pattern, in RE2's syntax. `at_start`: only where the search begins. None without RE2, and for too large a pattern."""
    try:
        re2: Any = import_module("re2")
        options = re2.Options()
        options.encoding = re2.Options.Encoding.UTF8 if utf8 else re2.Options.Encoding.LATIN1
        options.never_capture = True
        options.log_errors = False
        options.max_mem = _MEMORY
        match, anchor = re2.compile(source, options)._regexp.Match, re2._Anchor
        if match(anchor.UNANCHORED, b"", 0, 0) != [(-1, -1)]:  # what it gives may change
            return None
        return partial(match, anchor.ANCHOR_START if at_start else anchor.UNANCHORED)
    except (ImportError, AttributeError, TypeError):
        return None
    except re2.error:  # too large
        return None
