"""Search in one transcript, without Textual: from where the reader is, the first hit at once, then all of them.

Messages that are built on demand are searched in their logged texts, where these are what the message says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from trajview.app.render.lines import Said
from trajview.corpus.matches import Searched
from trajview.corpus.query import Query
from trajview.models.messages import ChatMessage

__all__ = ["SearchHits", "search", "search_each"]


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
    """Search one transcript, as `search_each` does."""
    for _, hits in search_each([(0, messages)], query, start, text=text, cancelled=cancelled):
        yield hits


def search_each(
    transcripts: Iterable[tuple[int, Sequence[ChatMessage]]],
    query: Query,
    start: int = 0,
    *,
    text: str | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, SearchHits]]:
    """Search transcripts one after another: the number of each, and its hits, also where there are none.

    Of the first transcript, the first hit from message `start` on, round the end, comes as soon as it is found; then all
    hits. Gives nothing more once it is cancelled. `text` is what the person typed, by default the query's own. Raises
    TooSlow where a pattern takes too long in a message.
    """
    from trajview.corpus.careful import Cancelled, counts_of

    text = str(query) if text is None else text
    try:
        with counts_of(query, cancelled) as (count_in, at_once):
            for number, messages in transcripts:
                for hits in _search(messages, query, start, text, cancelled, count_in, at_once):
                    yield number, hits
                start, at_once = 0, False
    except Cancelled:
        return


def _search(
    messages: Sequence[ChatMessage],
    query: Query,
    start: int,
    text: str,
    cancelled: Callable[[], bool],
    count_in: Callable[[str], int],
    at_once: bool,
) -> Iterator[SearchHits]:
    searched, count = Searched(messages, query), len(messages)
    found: dict[int, int] = {}
    for index in (*range(start, count), *range(min(start, count))):
        if cancelled():
            return
        said = searched.text(index)
        matches = count_in(said) if said else 0
        if matches:
            found[index] = matches
            if len(found) == 1 and at_once:
                yield SearchHits(text, query.pattern, (index,), (matches,), done=False, query=query)
    if cancelled():
        return
    hits = tuple(sorted(found))
    yield SearchHits(text, query.pattern, hits, tuple(found[index] for index in hits), query=query)
