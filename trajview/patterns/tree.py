"""The tree that Python's own parser makes of a regular expression."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, Final

__all__ = ["OP", "tree_of"]

# By name: whether type checkers know these modules depends on what they have cached.
OP: Final[Any] = import_module("re._constants")
"""The kinds of elements in a tree."""
_parser: Final[Any] = import_module("re._parser")


def tree_of(pattern: str, flags: int = 0) -> Any:
    """The tree of a pattern: pairs of an element's kind and its value. Raises re.error, RecursionError and OverflowError."""
    return _parser.parse(pattern, flags & ~re.DEBUG)
