"""Search in one transcript, without Textual: from where the reader is, the first hit at once, then all of them.

Messages that are built on demand are searched in their logged texts, where these are what the message says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from trajview.corpus.matches import pieces_of
from trajview.corpus.prefilter import prefilter_of
from trajview.corpus.query import SAID, Query
from trajview.models.messages import ChatMessage
from trajview.textsafe import without_colours

from .render.lines import Said

__all__ = ["SearchHits", "search", "search_others"]

_ASKED: Final = 64
_MOST_PASSED: Final = 48
_UNASKED: Final = 2_000
"""Where so many of so many messages pass the prefilter, it is left out for so many more: it takes as long as decoding."""


@dataclass(frozen=True, slots=True)
class SearchHits:
    """Which messages a search found, ascending, and how many matches each holds. `done`: there are no more."""

    text: str
    pattern: re.Pattern[str]
    messages: tuple[int, ...]
    counts: tuple[int, ...]
    done: bool = True
    query: Query | None = None
    """Which roles, tools and fields it looked at; None for all that messages say."""
    before: tuple[int, ...] = field(init=False)
    """How many matches there are before each of these messages, and in all."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "before", tuple(accumulate(self.counts, initial=0)))

    def looks_at(self, role: str, said: Said) -> bool:
        """Whether it looked at what a line of a message of this role shows."""
        query = self.query
        if query is None:
            return True
        field = said.field
        if field == "output" or (field == "error" and role == "tool"):
            field = "text"
        elif field == "error":
            field = "arguments"
        return query.wants_role(role) and field in query.searched and query.wants_tool(said.tool)

    @property
    def total(self) -> int:
        """How many matches there are in all."""
        return self.before[-1]


def search(
    messages: Sequence[ChatMessage],
    query: Query,
    start: int = 0,
    *,
    text: str | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[SearchHits]:
    """The first hit from `start` on, round the end, as soon as it is found; then all hits.

    Gives nothing once it is cancelled, and only the last, `done`, where nothing is found. `text` is what the person
    typed, by default the query's own. Raises TooSlow where a pattern takes too long in a message.
    """
    from trajview.corpus.careful import Cancelled, counts_of

    try:
        with counts_of(query, cancelled) as (count_in, at_once):
            yield from _search(messages, query, start, text, cancelled, count_in, at_once)
    except Cancelled:
        return


def search_others(
    transcripts: Iterable[tuple[int, Sequence[ChatMessage]]],
    query: Query,
    *,
    text: str,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, SearchHits]]:
    """All hits in each of some transcripts, by its number, also where there are none; until it is cancelled.

    Raises TooSlow.
    """
    from trajview.corpus.careful import Cancelled, counts_of

    try:
        with counts_of(query, cancelled) as (count_in, _):
            for index, messages in transcripts:
                for hits in _search(messages, query, 0, text, cancelled, count_in, False):
                    yield index, hits
    except Cancelled:
        return


def _search(
    messages: Sequence[ChatMessage],
    query: Query,
    start: int,
    text: str | None,
    cancelled: Callable[[], bool],
    count_in: Callable[[str], int],
    at_once: bool,
) -> Iterator[SearchHits]:
    text = str(query) if text is None else text
    looked = _Looked(messages, query, count_in)
    found: dict[int, int] = {}
    for index in looked.numbers_from(start):
        if cancelled():
            return
        matches = looked.matches(index)
        if matches:
            found[index] = matches
            if len(found) == 1 and at_once:
                yield SearchHits(text, query.pattern, (index,), (matches,), done=False, query=query)
    if cancelled():
        return
    hits = tuple(sorted(found))
    yield SearchHits(text, query.pattern, hits, tuple(found[index] for index in hits), query=query)


class _Asked:
    """Asks of each message whether it may hold a match; but not for a while where nearly all of them may."""

    def __init__(self) -> None:
        self._asked = self._passed = self._unasked = 0

    def asks(self) -> bool:
        """Whether to ask of the next message."""
        if self._unasked:
            self._unasked -= 1
            return False
        return True

    def passed(self, passes: bool) -> bool:
        """What was answered, which is kept in mind."""
        self._asked, self._passed = self._asked + 1, self._passed + passes
        if self._asked == _ASKED:
            self._unasked = _UNASKED if self._passed >= _MOST_PASSED else 0
            self._asked = self._passed = 0
        return passes


class _Looked:
    """Messages that are looked at for a query, each as little as it takes."""

    def __init__(self, messages: Sequence[ChatMessage], query: Query, count_in: Callable[[str], int]) -> None:
        self._messages, self._query, self._count_in = messages, query, count_in
        self._prefilter = prefilter_of(query.pattern, metadata="metadata" in query.searched)
        self._as_said = query.searched == SAID and not query.tools
        self._words = _Asked()

    def numbers_from(self, start: int) -> Iterator[int]:
        """The messages from one on, round the end."""
        count = len(self._messages)
        yield from range(start, count)
        yield from range(min(start, count))

    def _may_match(self, message: ChatMessage) -> bool:
        logged = message.logged if self._prefilter.clauses and self._words.asks() else None
        return logged is None or self._words.passed(self._prefilter.may_match(logged))

    def matches(self, index: int) -> int:
        """How many matches a message holds."""
        query, message = self._query, self._messages[index]
        if query.roles and not query.wants_role(message.role):
            return 0
        if not self._may_match(message):
            return 0
        texts = message.texts() if self._as_said else [piece.text for piece in pieces_of(message, query)]
        return self._count_in(without_colours(texts[0] if len(texts) == 1 else "\n".join(texts)))
