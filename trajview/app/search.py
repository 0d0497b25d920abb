"""Search in one transcript, without Textual: from where the reader is, the first hit at once, then all of them.

Messages that are built on demand are searched in their logged texts, where these are what the message says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from msgspec.json import Encoder

from trajview.corpus.absence import BEHIND_QUOTE, NOWHERE, beginning_of, signs_in
from trajview.corpus.counting import counter_in_json
from trajview.corpus.json_counting import pattern_counter_in_json
from trajview.corpus.kind_counting import kind_counter_of
from trajview.corpus.matches import pieces_of
from trajview.corpus.prefilter import prefilter_of
from trajview.corpus.query import SAID, Query
from trajview.models.messages import ChatMessage
from trajview.textsafe import without_colours

from .render.lines import Said

if TYPE_CHECKING:
    from msgspec import Raw

    from trajview.formats.built import Logged
    from trajview.formats.stretches import Stretch

__all__ = ["SearchHits", "search", "search_others"]

_written: Final = Encoder().encode
_ASKED: Final = 64
_MOST_PASSED: Final = 48
_UNASKED: Final = 2_000
"""Where so many of so many messages pass the prefilter, it is left out for so many more: it takes as long as decoding."""
_STRETCHES_ASKED: Final = 8
_STRETCHES_UNASKED: Final = 64
"""The same of stretches of messages, where all pass."""


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
    for index in looked.numbers_from(start, cancelled):
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

    def passes(self, may_match: Callable[[], bool]) -> bool:
        """Whether a message may hold a match."""
        return not self.asks() or self.passed(may_match())


class _Looked:
    """Messages that are looked at for a query, each as little as it takes."""

    def __init__(self, messages: Sequence[ChatMessage], query: Query, count_in: Callable[[str], int]) -> None:
        self._messages, self._query, self._count_in = messages, query, count_in
        self._prefilter = prefilter_of(query.pattern, metadata="metadata" in query.searched)
        self._as_logged = prefilter_of(query.pattern, as_logged=True)
        """The same of messages that say what was logged and nothing else."""
        as_said = query.searched == SAID and not query.tools
        # Messages that are built on demand know more of themselves, where nothing else matters.
        self._lazy: Any = messages if hasattr(messages, "searchable") else None
        self._texts_only: Any = self._lazy if as_said else None
        self._count_logged = counter_in_json(query.pattern) if as_said and query.rule is None else None
        self._beginning = beginning_of(query.pattern) if as_said and query.rule is None else None
        # What kinds of characters tell is counted in the text, where it does not matter how many matches there are.
        in_json = as_said and query.rule is None and kind_counter_of(query.pattern) is None
        self._count_pattern = pattern_counter_in_json(query.pattern) if in_json else None
        self._words, self._rows = _Asked(), _Asked()

    def numbers_from(self, start: int, cancelled: Callable[[], bool]) -> Iterator[int]:
        """The messages from one on, round the end, but for those that the bytes around them tell nothing is in."""
        count = len(self._messages)
        stretches: list[Stretch] = []
        if self._lazy is not None and self._prefilter.clauses:
            stretches = self._lazy.stretches()
        if not stretches:
            yield from (*range(start, count), *range(min(start, count)))
            return
        here = next((at for at, (_, end, _) in enumerate(stretches) if start < end), len(stretches) - 1)
        first, end, data = stretches[here]
        begun, left = (max(first, start), end, data), (first, min(start, end), data)
        asked = passed = unasked = 0
        for first, end, data in (begun, *stretches[here + 1 :], *stretches[:here], left):
            if cancelled():
                return
            if unasked:
                unasked -= 1
            elif first < end:
                passes = self._prefilter.may_match(data)
                asked, passed = asked + 1, passed + passes
                if asked == _STRETCHES_ASKED:
                    unasked, asked, passed = _STRETCHES_UNASKED if passed == asked else 0, 0, 0
                if not passes:
                    continue
            yield from range(first, end)

    def matches(self, index: int) -> int:
        """How many matches a message holds."""
        query, lazy = self._query, self._lazy
        if query.roles and not query.wants_role(self._messages[index].role if lazy is None else lazy.roles[index]):
            return 0
        if lazy is None:
            return self._matches_in_built(index)
        logged: Logged | None = None if self._texts_only is None else lazy.logged(index)
        if logged is not None:
            if self._count_logged is not None and (found := self._matches_logged(*logged)) is not None:
                return found
            if not self._words.passes(lambda: self._may_hold(*logged)):
                return 0
            if (found := self._matches_in_json(*logged)) is not None:
                return found
        elif (
            self._prefilter.clauses
            and (raw := lazy.undecoded(index)) is not None
            and not self._words.passes(lambda: self._prefilter.may_match(raw))
        ):
            return 0
        known = None if self._texts_only is None else lazy.searchable(index)
        return self._matches_in_built(index) if known is None else self._matches_in(known)

    def _matches_logged(self, content: Raw, calls: Raw | None) -> int | None:
        """The matches in JSON of a text and of calls; None where the text has to be decoded for that."""
        assert self._count_logged is not None
        found = self._count_logged(memoryview(content))
        if found is None or calls is None or not self._prefilter.may_match(memoryview(calls)):
            return found
        called = self._lazy.called(calls)
        return None if called is None else found + self._matches_in(called)

    def _may_hold(self, content: Raw, calls: Raw | None) -> bool:
        """Whether the JSON of a text and of calls may hold a match."""
        said, called = memoryview(content), None if calls is None else memoryview(calls)
        if calls is None or called is None:
            return self._as_logged.may_match(said)
        prefilter = self._prefilter
        if prefilter.missing(called, prefilter.missing(said, prefilter.clauses)):
            return False
        exact = self._as_logged
        if exact == prefilter or not (left := exact.missing(said, exact.clauses)):
            return True
        # Of calls that cannot be parsed, the message says so.
        return not exact.missing(called, left) or self._lazy.called(calls) is None

    def _matches_in_json(self, content: Raw, calls: Raw | None) -> int | None:
        """The matches in a text and in calls, told from their JSON; None where they have to be decoded for that."""
        begins, count = self._beginning, self._count_pattern
        asks = begins is not None and self._rows.asks()
        if not asks and (count is None or count.leaves_next()):
            return None
        if (data := self._joined(content, calls)) is None or (signs := signs_in(data)) is None:
            return None
        at = BEHIND_QUOTE
        if asks and begins is not None:
            at = begins(data, signs)
            if not self._rows.passed(at != NOWHERE):
                return 0
        return None if count is None else count.count(data, signs, at)

    def _joined(self, content: Raw, calls: Raw | None) -> bytes | None:
        """The JSON of a text and of what calls say, as one text, since a match may go on from one to the other."""
        said = bytes(content)
        if calls is None:
            return said or b'""'
        called = self._lazy.called(calls)
        if called is None:
            return None
        text = "\n".join(filter(None, called))
        if not text:
            return said or b'""'
        try:
            return _written(text) if len(said) <= len('""') else said[:-1] + b"\\n" + _written(text)[1:]
        except UnicodeEncodeError:  # half of a pair
            return None

    def _matches_in(self, texts: list[str]) -> int:
        text = texts[0] if len(texts) == 1 else "\n".join(filter(None, texts))
        return self._count_in(without_colours(text))

    def _matches_in_built(self, index: int) -> int:
        return self._matches_in([piece.text for piece in pieces_of(self._messages[index], self._query)])
