"""Counting the matches of patterns that can take for ever, for a viewer: in a process of its own, which can be ended.

In a thread, `re` would keep all other threads from running, and the screen with them, until it is through. Texts in which
RE2 finds the same are counted here: RE2 never takes long.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from trajview.patterns.finder import finder_of
from trajview.patterns.patience import PATIENCE, TooSlow

from .child import Child, parent
from .matches import counting
from .query import Query

__all__ = ["Cancelled", "counts_of"]

_EVERY: Final = 0.05
"""Seconds between two looks at whether it is cancelled."""


class Cancelled(Exception):
    """The result is not wanted any more."""


@contextmanager
def counts_of(
    query: Query, cancelled: Callable[[], bool], patience: float | None = None
) -> Iterator[tuple[Callable[[str], int], bool]]:
    """A function that counts the matches of a query in a text, and whether to show those before all of them are known.

    It raises TooSlow where that takes more than so many seconds, and Cancelled; but for patterns that never take long.
    """
    here = counting(query)
    patience = PATIENCE if patience is None else patience
    finder = finder_of(query.pattern)
    if finder.tame:
        yield here, True
        return
    child: Child | None = None

    def count(text: str) -> int:
        nonlocal child
        if not query.literal.may_be_in(text):
            return 0
        if finder.handles(text):
            return here(text)
        try:
            if child is None:
                child = Child(__name__)
                child.send(query)
            child.send(text)
            start = time.monotonic()
            while not child.pipe.poll(_EVERY):
                if cancelled():
                    raise Cancelled
                if time.monotonic() - start > patience:
                    raise TooSlow(
                        f"the pattern takes more than {patience:g} s in one message; the search is given up",
                        hint="write it without one repetition inside another, such as (a+)+",
                    )
            return int(child.receive())
        except (OSError, EOFError) as error:
            raise TooSlow("the search broke off", hint="try a simpler pattern") from error

    try:
        yield count, False  # else the screen would search untested text for the pattern
    finally:
        if child is not None:
            child.close()


def main() -> None:
    """Count in the texts that the parent sends."""
    with parent() as (receive, send):
        count = counting(receive())
        while True:
            send(count(receive()))
