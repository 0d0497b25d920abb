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
    texts: Callable[[int], list[str] | None] | None = getattr(messages, "searchable", None)
    undecoded: Callable[[int], bytes | None] = getattr(messages, "undecoded", lambda _: None)
    may_match = prefilter_of(query.pattern, metadata="metadata" in query.searched).may_match
    as_said = query.searched == SAID and not query.tools
    found: dict[int, int] = {}
    count = len(messages)
    asked = passed = unasked = 0
    for index in (*range(start, count), *range(min(start, count))):
        if cancelled():
            return
        if query.roles:
            role: str = messages[index].role if texts is None else messages.roles[index]  # type: ignore[attr-defined]
            if not query.wants_role(role):
                continue
        if unasked:
            unasked -= 1
        elif (logged := undecoded(index)) is not None:
            passes = may_match(logged)
            asked, passed = asked + 1, passed + passes
            if asked == _ASKED:
                unasked, asked, passed = _UNASKED if passed >= _MOST_PASSED else 0, 0, 0
            if not passes:
                continue
        known = texts(index) if texts is not None and as_said else None
        if known is None:
            known = [piece.text for piece in pieces_of(messages[index], query)]
        matches = count_in(without_colours("\n".join(filter(None, known))))
        if matches:
            found[index] = matches
            if len(found) == 1 and at_once:
                yield SearchHits(text, query.pattern, (index,), (matches,), done=False, query=query)
    hits = tuple(sorted(found))
    yield SearchHits(text, query.pattern, hits, tuple(found[index] for index in hits), query=query)
