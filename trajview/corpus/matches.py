"""Where the messages of a run match a query: line by line, with the lines around it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice, takewhile
from typing import TYPE_CHECKING, Final

from trajview.formats.built import MessagesOnDemand
from trajview.models.said import strings_within
from trajview.patterns.quick_bytes import holds_text, lowered_text
from trajview.textsafe import without_colours

from .counting import counter_of, is_plain, spans_of
from .prefilter import prefilter_of
from .query import SAID, Field, Query

if TYPE_CHECKING:
    from trajview.models.messages import AssistantMessage, ChatMessage
    from trajview.models.run import AgentRun
    from trajview.models.transcript import Transcript

__all__ = ["RUN", "Hit", "Piece", "RunHits", "Searched", "count_in", "counting", "excerpt", "hits_in", "pieces_of"]

RUN: Final = -1
"""Stands for the transcript or message where a hit is in what is known of the whole run or transcript."""
_NOTES: Final = "trajview_problem"
"""What trajview itself notes in metadata."""
_TOGETHER: Final = 64
"""Messages whose bytes are looked at in one go."""
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that holds a match, or a part of one: the spans within it, and the lines around it.

    `line` counts the lines of what is searched in the message from 0; `cut` characters were left out at its start.
    """

    transcript: int
    message: int
    unit: int
    role: str
    tool: str | None
    field: Field
    line: int
    text: str
    spans: tuple[Span, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    cut: int = 0

    @property
    def label(self) -> str:
        """As a citation names the place: `T0B12`; `T0` for a transcript itself, `run` for the run."""
        if self.transcript == RUN:
            return "run"
        return f"T{self.transcript}" if self.message == RUN else f"T{self.transcript}B{self.message}"


@dataclass(slots=True)
class RunHits:
    """What a query finds in a run: the first hits, and how many matches there are in how many messages."""

    hits: list[Hit]
    matches: int = 0
    messages: int = 0

    def add(self, matches: int) -> None:
        """A message holds so many."""
        self.matches += matches
        self.messages += matches > 0


def hits_in(
    run: AgentRun,
    query: Query,
    *,
    keep: int | None = None,
    most: int | None = None,
    around: int = 0,
    width: int | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> RunHits:
    """The hits of a run in order. Of an episode the onlooker's view is searched; the others retell it.

    `keep`: how many hits to keep, all by default; the rest is only counted, which is quicker. `most`: stop at the
    message with which there are so many matches. `around`: lines to give before and after each hit. `width`: characters
    to keep of each line, all by default. Once `cancelled`, what was found so far.
    """
    found = RunHits([])
    count = counting(query)
    for place in _places(run, query):
        if cancelled() or (most is not None and found.matches >= most):
            break
        text = place.text()
        matches = count(text) if text else 0
        if not matches:
            continue
        found.add(matches)
        if keep is None or len(found.hits) < keep:
            found.hits += islice(
                _hits(text, query, place, around, width), None if keep is None else keep - len(found.hits)
            )
    return found


def count_in(text: str, query: Query) -> int:
    """How many matches a text holds; empty ones do not count."""
    return counting(query)(text)


def _holds_any(text: str, words: Iterable[str]) -> bool:
    lowered = lowered_text(text)
    return any(holds_text(lowered, word) for word in words)


def counting(query: Query) -> Callable[[str], int]:
    """What counts the matches of a query in a text."""
    count, may_be_in = counter_of(query.pattern), query.literal.may_be_in
    if query.rule is not None and query.rule.words:
        words = query.rule.words
        return lambda text: count(text) if _holds_any(text, words) else 0
    if is_plain(query.pattern):  # which looks for the literal anyway
        return count
    return lambda text: count(text) if may_be_in(text) else 0


@dataclass(frozen=True, slots=True)
class Piece:
    """A text of a message, what kind it is, and the tool that it goes to or comes from."""

    field: Field
    text: str
    tool: str | None = None


class Searched:
    """What of some messages a query is looked for in; each is decoded and built as little as it takes."""

    def __init__(self, messages: Sequence[ChatMessage], query: Query) -> None:
        self._messages, self._query = messages, query
        self._prefilter = prefilter_of(query.pattern, metadata="metadata" in query.searched)
        # Messages that are built on demand know their texts without being built, where nothing else matters.
        self._on_demand = messages if isinstance(messages, MessagesOnDemand) else None
        self._as_said = query.searched == SAID and not query.tools and not query.parts
        self._batch, self._may = -1, True

    def role(self, index: int) -> str:
        """Who speaks in a message."""
        return self._messages[index].role if self._on_demand is None else self._on_demand.roles[index]

    def text(self, index: int) -> str:
        """All of a message that is searched; empty where that is nothing, or no match can be in it."""
        if self._query.roles and not self._query.wants_role(self.role(index)):
            return ""
        if self._on_demand is not None:
            if not self._may_be_near(self._on_demand, index // _TOGETHER):
                return ""
            if self._as_said and (texts := self._on_demand.searchable(index)) is not None:
                return without_colours(texts[0] if len(texts) == 1 else "\n".join(filter(None, texts)))
        return _joined(pieces_of(self._messages[index], self._query))

    def _may_be_near(self, messages: MessagesOnDemand, batch: int) -> bool:
        """Whether the bytes of a batch of messages may hold a match: they are asked together, which takes far less time."""
        if batch != self._batch:
            self._batch = batch
            those = range(batch * _TOGETHER, min((batch + 1) * _TOGETHER, len(messages)))
            parts = list(takewhile(lambda data: data is not None, map(messages.undecoded, those)))
            self._may = len(parts) < len(those) or self._prefilter.may_match(b"\n".join(filter(None, parts)))
        return self._may

    def pieces(self, index: int) -> list[Piece]:
        """The texts that `text` joins, and what each of them is."""
        labelled = self._on_demand.labelled(index) if self._on_demand is not None and self._as_said else None
        if labelled is not None:
            return [_as_read(Piece(*one)) for one in labelled if one[1]]
        return pieces_of(self._messages[index], self._query)


@dataclass(slots=True)
class _Beside:
    """What is known of a run or of a transcript beside its messages: a place to search."""

    number: int
    known: list[Piece]
    message: int = RUN
    unit: int = RUN
    role: str = ""

    def text(self) -> str:
        """What is searched."""
        return _joined(self.known)

    def pieces(self) -> list[Piece]:
        """The texts that this joins."""
        return self.known


@dataclass(slots=True)
class _InMessage:
    """A message: a place to search."""

    number: int
    transcript: Transcript
    searched: Searched
    message: int

    @property
    def unit(self) -> int:
        """The action unit of the message."""
        return self.transcript.get_action_unit_for_block(self.message) or 0

    @property
    def role(self) -> str:
        """Who speaks."""
        return self.searched.role(self.message)

    def text(self) -> str:
        """What is searched."""
        return self.searched.text(self.message)

    def pieces(self) -> list[Piece]:
        """The texts that this joins."""
        return self.searched.pieces(self.message)


def _places(run: AgentRun, query: Query) -> Iterator[_Beside | _InMessage]:
    """What a query has to be looked for in, in order."""
    beside = "metadata" in query.searched and not query.roles and not query.tools
    if beside:
        yield _Beside(RUN, _of_run(run))
    transcripts = run.transcripts[:1] if run.source_format == "sotopia" else run.transcripts
    for number, transcript in enumerate(transcripts):
        if beside:
            yield _Beside(number, _of_transcript(transcript))
        searched = Searched(transcript.messages, query)
        for index in range(len(transcript.messages)):
            yield _InMessage(number, transcript, searched, index)


def _joined(pieces: Iterable[Piece]) -> str:
    return "\n".join(piece.text for piece in pieces)


def pieces_of(message: ChatMessage, query: Query) -> list[Piece]:
    """The texts of a message that a query is looked for in, as they read: `highlight.text_of`'s, without restrictions."""
    own_tool = message.function if message.role == "tool" else None
    takes_text = not query.tools or (message.role == "tool" and query.wants_tool(own_tool))
    found: list[Piece] = []
    if takes_text:
        found += _texts_of(message, query, own_tool)
    if message.role == "assistant" and "arguments" in query.searched:
        found += _calls_of(message, query)
    if takes_text:
        found += _error_of(message, query)
        found += _metadata_of(message, query, own_tool)
    return [_as_read(piece) for piece in found if piece.text]


def _looks_at(query: Query, part: str) -> bool:
    """Whether a query looks at a part of a message, in the names of rules."""
    return not query.parts or part in query.parts


def _texts_of(message: ChatMessage, query: Query, tool: str | None) -> Iterator[Piece]:
    if "text" in query.searched and _looks_at(query, "output" if message.role == "tool" else "text"):
        yield Piece("text", message.text, tool)
    if "reasoning" in query.searched and _looks_at(query, "reasoning"):
        for text in message.reasoning:
            yield Piece("reasoning", text)


def _calls_of(message: AssistantMessage, query: Query) -> Iterator[Piece]:
    for call in message.tool_calls or ():
        if not query.wants_tool(call.function):
            continue
        if _looks_at(query, "arguments"):
            for text in (call.function, *strings_within(call.arguments)):
                yield Piece("arguments", text, call.function)
        if _looks_at(query, "error"):
            yield Piece("arguments", call.parse_error or "", call.function)


def _error_of(message: ChatMessage, query: Query) -> Iterator[Piece]:
    if message.role == "tool" and message.error and "text" in query.searched and _looks_at(query, "error"):
        for text in strings_within(message.error):
            yield Piece("text", text, message.function)


def _metadata_of(message: ChatMessage, query: Query, tool: str | None) -> Iterator[Piece]:
    if "metadata" not in query.searched:
        return
    model = message.model if message.role == "assistant" else None
    named = {"name": message.name, "recipient": message.recipient, "model": model, "timestamp": message.timestamp}
    for known in (named, {key: value for key, value in message.metadata.items() if not key.startswith(_NOTES)}):
        for line in _flat(known):
            yield Piece("metadata", line, tool)


def _as_read(piece: Piece) -> Piece:
    return replace(piece, text=without_colours(piece.text)) if "\x1b" in piece.text else piece


def _of_run(run: AgentRun) -> list[Piece]:
    named = {
        "id": run.id, "name": run.name, "description": run.description, "agents": run.agents or None,
        "reasoning": run.reasoning,
    }  # fmt: skip
    return [_as_read(Piece("metadata", line)) for line in (*_flat(named), *_flat(run.metadata))]


def _of_transcript(transcript: Transcript) -> list[Piece]:
    named = {"name": transcript.name, "description": transcript.description}
    return [_as_read(Piece("metadata", line)) for line in (*_flat(named), *_flat(transcript.metadata))]


def _flat(value: object) -> Iterator[str]:
    """A line `path.to: value` for each value within; nothing for null."""
    waiting: list[tuple[str, object]] = [("", value)]
    while waiting:
        path, item = waiting.pop()
        if isinstance(item, dict):
            waiting += [(f"{path}.{key}" if path else str(key), item[key]) for key in reversed(item)]
        elif isinstance(item, list | tuple):
            waiting += [(f"{path}.{index}", item[index]) for index in reversed(range(len(item)))]
        elif item is not None:
            yield f"{path}: {str(item).lower() if isinstance(item, bool) else item}"


def _hits(text: str, query: Query, place: _Beside | _InMessage, around: int, width: int | None) -> Iterator[Hit]:
    """The lines that hold matches."""
    pieces, unit, role = place.pieces(), place.unit, place.role
    ends = list(accumulate(len(piece.text) + 1 for piece in pieces))
    number = counted = 0
    for start, end, spans in _lines_with(text, query):
        number += text.count("\n", counted, start)
        counted = start
        piece = pieces[bisect_right(ends, start)]
        shown, kept, cut = excerpt(text[start:end], spans, width)
        before = tuple(_clipped(_lines_before(text, start, around), width)) if around else ()
        after = tuple(_clipped(_lines_after(text, end, around), width)) if around else ()
        yield Hit(
            place.number, place.message, unit, role, piece.tool, piece.field, number, shown, kept, before, after, cut,
        )  # fmt: skip


def _lines_with(text: str, query: Query) -> Iterator[tuple[int, int, list[Span]]]:
    """Each line that a match touches: start, end, the spans in it."""
    start, end, spans = 0, -1, list[Span]()
    for first, last in spans_of(query.pattern)(text):
        while first < last:
            if first > end:
                if spans:
                    yield start, end, spans
                start = text.rfind("\n", 0, first) + 1
                end = text.find("\n", first)
                end = len(text) if end < 0 else end
                spans = []
            # The end of a line that belongs to a match is shown nowhere, but the line is.
            spans.append((first - start, min(last, end) - start))
            first = end + 1
    if spans:
        yield start, end, spans


def _lines_before(text: str, start: int, count: int) -> list[str]:
    found: list[str] = []
    while count and start > 0:
        before = text.rfind("\n", 0, start - 1) + 1
        found.append(text[before : start - 1])
        start, count = before, count - 1
    return found[::-1]


def _lines_after(text: str, end: int, count: int) -> list[str]:
    found: list[str] = []
    while count and end < len(text):
        after = text.find("\n", end + 1)
        after = len(text) if after < 0 else after
        found.append(text[end + 1 : after])
        end, count = after, count - 1
    return found


def _clipped(lines: Iterable[str], width: int | None) -> Iterator[str]:
    return (line if width is None or len(line) <= width else line[: width - 1] + "…" for line in lines)


def excerpt(line: str, spans: list[Span], width: int | None) -> tuple[str, tuple[Span, ...], int]:
    """A line cut to `width` characters around its first span, the spans in that, and how much is cut at its start."""
    if width is None or len(line) <= width:
        return line, tuple(spans), 0
    first, last = spans[0]
    spare = width - min(last - first, width)
    marks = spare >= 2
    start = max(0, min(first - max(1, spare // 3) if marks else first, len(line) - width))
    end = start + width
    left, right = "…" if start and marks else "", "…" if end < len(line) and marks else ""
    shown = left + line[start + len(left) : end - len(right)] + right
    kept = [
        (max(a, start + len(left)) - start, min(b, end - len(right)) - start) for a, b in spans if b > start and a < end
    ]
    return shown, tuple(span for span in kept if span[0] < span[1]), start
