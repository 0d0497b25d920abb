"""The matches of a query in the messages of a run, line by line, with the lines around them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice, takewhile
from typing import TYPE_CHECKING, Final

from trajview.formats.registry import format_or_default
from trajview.models.said import strings_within
from trajview.patterns.finder import finder_of
from trajview.textsafe import without_colours

from .prefilter import prefilter_of
from .query import SAID, Field, Query

if TYPE_CHECKING:
    from trajview.models.messages import AssistantMessage, ChatMessage
    from trajview.models.run import AgentRun
    from trajview.models.transcript import Transcript

__all__ = [
    "RUN",
    "TOGETHER",
    "Hit",
    "Piece",
    "RunHits",
    "Searched",
    "count_in",
    "counting",
    "excerpt",
    "hits_in",
    "pieces_of",
]

RUN: Final = -1
"""Stands for the transcript or message where a hit is in the metadata of the whole run or transcript."""
_NOTES: Final = "trajview_problem"
"""Keys of notes by trajview itself in metadata."""
_ALL: Final = frozenset({"text", "reasoning", "arguments", "output", "error"})
"""All fields of a rule."""
TOGETHER: Final = 64
"""Messages whose bytes are searched in one go."""
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that holds a match, or a part of one: the spans within it, and the lines around it.

    `transcript`, `message` and `unit` count from 0; each is -1 where the hit is in what is known of the whole run or
    transcript. `field` is `text`, `reasoning`, `arguments` or `metadata`. `spans` are pairs of columns in `text`, from 0,
    the end not included. `line` counts the lines of what is searched in the message from 0; `cut` characters were left out
    at its start.

    >>> from trajview import open_corpus
    >>> found = next(open_corpus("sample_data/adp").search("coffee"))
    >>> hit = found.hits[0]
    >>> hit.label, hit.role, [hit.text[start:end] for start, end in hit.spans]
    ('T0B0', 'user', ['coffee', 'coffee'])
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
        """The place in the form of a citation: `T0B12`; `T0` for a transcript itself, `run` for the run."""
        if self.transcript == RUN:
            return "run"
        return f"T{self.transcript}" if self.message == RUN else f"T{self.transcript}B{self.message}"


@dataclass(slots=True)
class RunHits:
    """The matches in a run: the first hits, and the numbers of matches and of messages with matches."""

    hits: list[Hit]
    matches: int = 0
    messages: int = 0

    def add(self, matches: int) -> None:
        """Count a message with some matches."""
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
        _, message, _, searched = place
        text = searched.text(message)
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
    """The number of matches in a text; empty ones do not count."""
    return counting(query)(text)


def counting(query: Query) -> Callable[[str], int]:
    """A function that counts the matches of a query in a text."""
    finder, may_be_in = finder_of(query.pattern), query.literal.may_be_in
    count = finder.count
    if query.rule is not None and query.rule.words:
        words = query.rule.words

        def count_with_words(text: str) -> int:
            lowered = text.lower()
            return count(text) if any(word in lowered for word in words) else 0

        return count_with_words
    if finder.text is not None:  # which it looks for anyway
        return count
    return lambda text: count(text) if may_be_in(text) else 0


@dataclass(frozen=True, slots=True)
class Piece:
    """A text of a message, its kind, and the tool that it goes to or comes from."""

    field: Field
    text: str
    tool: str | None = None


class Searched:
    """The searched parts of messages; each message is decoded and built as little as possible."""

    def __init__(self, messages: Sequence[ChatMessage], query: Query) -> None:
        self._messages, self._query = messages, query
        self._prefilter = prefilter_of(query.pattern, metadata="metadata" in query.searched)
        self._as_said = query.searched == SAID and not query.tools and not query.parts
        self._batch, self._may = -1, True

    def role(self, index: int) -> str:
        """The role of a message."""
        return self._messages[index].role

    def text(self, index: int) -> str:
        """The searched text of a message; empty where there is none, or no match can be in it."""
        message = self._messages[index]
        if self._query.roles and not self._query.wants_role(message.role):
            return ""
        if not self._may_be_near(index // TOGETHER):
            return ""
        if self._as_said:
            return without_colours("\n".join(message.texts()))
        return _joined(pieces_of(message, self._query))

    def _may_be_near(self, batch: int) -> bool:
        """Whether the bytes of a batch of messages may hold a match: they are asked together, which takes far less time."""
        if batch != self._batch:
            self._batch = batch
            those = self._messages[batch * TOGETHER : (batch + 1) * TOGETHER]
            parts = list(takewhile(lambda data: data is not None, (message.logged for message in those)))
            self._may = len(parts) < len(those) or self._prefilter.may_match(b"\n".join(filter(None, parts)))
        return self._may

    def pieces(self, index: int) -> list[Piece]:
        """The pieces that `text` joins."""
        message = self._messages[index]
        if self._as_said:
            return [_as_read(Piece(*one)) for one in message.said()]
        return pieces_of(message, self._query)


class _MetadataText:
    """The metadata of a run or a transcript, searched as one text."""

    def __init__(self, pieces: list[Piece]) -> None:
        self._pieces = pieces

    def role(self, _: int) -> str:
        """No role: nobody speaks."""
        return ""

    def text(self, _: int) -> str:
        """The searched text."""
        return _joined(self._pieces)

    def pieces(self, _: int) -> list[Piece]:
        """The pieces that the text joins."""
        return self._pieces


_Place = tuple[int, int, "Transcript | None", "Searched | _MetadataText"]
"""The numbers of a transcript and of a message in it, the transcript where there is such a message, and what is searched there."""


def _places(run: AgentRun, query: Query) -> Iterator[_Place]:
    """The places that a query is searched in, in order."""
    beside = "metadata" in query.searched and not query.roles and not query.tools
    if beside:
        yield RUN, RUN, None, _MetadataText(_of_run(run))
    transcripts = run.transcripts[:1] if format_or_default(run.source_format).retells else run.transcripts
    for number, transcript in enumerate(transcripts):
        if beside:
            yield number, RUN, None, _MetadataText(_of_transcript(transcript))
        searched = Searched(transcript.messages, query)
        for index in range(len(transcript.messages)):
            yield number, index, transcript, searched


def _joined(pieces: Iterable[Piece]) -> str:
    return "\n".join(piece.text for piece in pieces)


def pieces_of(message: ChatMessage, query: Query) -> list[Piece]:
    """The texts of a message that a query is looked for in, as they read: `highlight.text_of`'s, without restrictions."""
    wanted, parts = query.searched, query.parts or _ALL
    tool = message.function if message.role == "tool" else None
    takes_text = not query.tools or (message.role == "tool" and query.wants_tool(tool))
    found: list[Piece] = []
    if takes_text:
        found += _own_texts(message, tool, wanted, parts)
    if message.role == "assistant" and "arguments" in wanted:
        found += _called(message, query, parts)
    elif message.role == "tool" and message.error and takes_text and "text" in wanted and "error" in parts:
        found += [Piece("text", text, tool) for text in strings_within(message.error)]
    if takes_text and "metadata" in wanted:
        found += [Piece("metadata", line, tool) for line in _known_of(message)]
    return [_as_read(piece) for piece in found if piece.text]


def _own_texts(
    message: ChatMessage, tool: str | None, wanted: Collection[str], parts: Collection[str]
) -> Iterator[Piece]:
    """The texts and reasoning of a message itself."""
    if "text" in wanted and ("output" if message.role == "tool" else "text") in parts:
        yield Piece("text", message.text, tool)
    if "reasoning" in wanted and "reasoning" in parts:
        for text in message.reasoning:
            yield Piece("reasoning", text)


def _called(message: AssistantMessage, query: Query, parts: Collection[str]) -> Iterator[Piece]:
    """The calls of a message to tools that are searched."""
    for call in message.tool_calls or ():
        if query.wants_tool(call.function):
            texts = [call.function, *strings_within(call.arguments)] if "arguments" in parts else []
            texts += [call.parse_error or ""] if "error" in parts else []
            for text in texts:
                yield Piece("arguments", text, call.function)


def _known_of(message: ChatMessage) -> Iterator[str]:
    """The metadata of a message, a line each."""
    model = message.model if message.role == "assistant" else None
    named = {"name": message.name, "recipient": message.recipient, "model": model, "timestamp": message.timestamp}
    yield from _flat(named)
    yield from _flat({key: value for key, value in message.metadata.items() if not key.startswith(_NOTES)})


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


def _hits(text: str, query: Query, place: _Place, around: int, width: int | None) -> Iterator[Hit]:
    """The lines that hold matches."""
    number, message, transcript, searched = place
    pieces, role = searched.pieces(message), searched.role(message)
    unit = RUN if transcript is None else transcript.get_action_unit_for_block(message) or 0
    ends = list(accumulate(len(piece.text) + 1 for piece in pieces))
    line = counted = 0
    for start, end, spans in _lines_with(text, query):
        line += text.count("\n", counted, start)
        counted = start
        piece = pieces[bisect_right(ends, start)]
        shown, kept, cut = excerpt(text[start:end], spans, width)
        before = tuple(_clipped(_lines_before(text, start, around), width)) if around else ()
        after = tuple(_clipped(_lines_after(text, end, around), width)) if around else ()
        yield Hit(
            number, message, unit, role, piece.tool, piece.field, line, shown, kept, before, after, cut,
        )  # fmt: skip


def _lines_with(text: str, query: Query) -> Iterator[tuple[int, int, list[Span]]]:
    """Each line that a match touches: start, end, the spans in it."""
    start, end, spans = 0, -1, list[Span]()
    for first, last in finder_of(query.pattern).spans(text):
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
