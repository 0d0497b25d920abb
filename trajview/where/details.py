"""What only the whole run says: its tokens, errors, tool calls and metadata."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from trajview.errors import TrajviewError
from trajview.highlight import error_of, text_of
from trajview.models.messages import AssistantMessage

from .fields import Ref

if TYPE_CHECKING:
    from trajview.corpus.info import RunInfo
    from trajview.models.messages import ChatMessage
    from trajview.models.run import AgentRun

__all__ = ["Cancelled", "Reads", "details_of", "finder_of", "read_details"]


_MOST_KEYS = 100


class Cancelled(Exception):
    """Nobody wants to know any more."""


class Reads(Protocol):
    """A corpus, as far as it is needed here."""

    def read(self, info: RunInfo) -> AgentRun:
        """The run, parsed for one look. Raises TrajviewError."""


def finder_of(corpus: Reads) -> Callable[[RunInfo, Sequence[Ref], Callable[[], bool]], dict[Ref, Any] | None]:
    """What a `Finder` reads with."""

    def read(info: RunInfo, refs: Sequence[Ref], cancelled: Callable[[], bool]) -> dict[Ref, Any] | None:
        try:
            return read_details(corpus, info, refs, cancelled)
        except Cancelled:
            return None

    return read


def read_details(
    corpus: Reads, info: RunInfo, refs: Collection[Ref], cancelled: Callable[[], bool] = lambda: False
) -> dict[Ref, Any]:
    """The values of some fields of a run, which is read for it. A run that cannot be read has none.

    Raises Cancelled.
    """
    if cancelled():
        raise Cancelled
    try:
        run = corpus.read(info)
    except TrajviewError:
        return {ref: _nothing(ref) for ref in refs}
    return details_of(run, refs, cancelled)


def details_of(run: AgentRun, refs: Collection[Ref], cancelled: Callable[[], bool] = lambda: False) -> dict[Ref, Any]:
    """The values of some fields of a run. Raises Cancelled."""
    names = {ref.name for ref in refs}
    found: dict[str, Any] = {"tokens": 0, "errors": 0, "calls": 0}
    tools: Counter[str] = Counter()
    for message in _messages(run) if names & {"tokens", "errors", "calls", "tools"} else ():
        if cancelled():
            raise Cancelled
        if "tokens" in names:
            from trajview.models.tokens import count_tokens

            found["tokens"] += count_tokens(text_of(message))
        if "errors" in names and error_of(message) is not None:
            found["errors"] += 1
        if "calls" in names or "tools" in names:
            for tool in _called(message):
                found["calls"] += 1
                tools[tool] += 1
    found["tools"] = tuple(tools)
    values: dict[Ref, Any] = {}
    for ref in refs:
        if ref.name == "metadata":
            values[ref] = _metadata(run, ref.parts) if ref.parts else _keys(run)
        elif ref.name == "tools" and ref.parts:
            values[ref] = tools[".".join(ref.parts)]
        else:
            values[ref] = found[ref.name]
    return values


def _nothing(ref: Ref) -> Any:
    if ref.name == "tools" and not ref.parts:
        return ()
    return None if ref.name == "metadata" else math.nan


def _messages(run: AgentRun) -> Iterable[ChatMessage]:
    """Every message once: an episode's first transcript is all of it, the others are how each agent saw it."""
    transcripts = run.transcripts[:1] if run.source_format == "sotopia" else run.transcripts
    for transcript in transcripts:
        yield from transcript.messages


def _called(message: ChatMessage) -> list[str]:
    if isinstance(message, AssistantMessage):
        return [call.function for call in message.tool_calls or ()]
    return []


def _keys(run: AgentRun) -> tuple[str, ...]:
    """The names of what is in a run's metadata, and in its transcripts'."""
    found: dict[str, None] = {}
    for metadata in (run.metadata, *(transcript.metadata for transcript in run.transcripts)):
        found.update(dict.fromkeys(map(str, metadata)))
    return tuple(found)[:_MOST_KEYS]


def _metadata(run: AgentRun, parts: tuple[str, ...]) -> Any:
    """The run's metadata at a key, else that of the first transcript that has it; None where nothing has."""
    for metadata in (run.metadata, *(transcript.metadata for transcript in run.transcripts)):
        value = _at(metadata, parts)
        if value is not None:
            return value
    return None


def _at(value: Any, parts: tuple[str, ...]) -> Any:
    """What stands at `a.b.c`: level by level, or under a key that has the dots in it."""
    if not parts:
        return value
    if isinstance(value, list) and parts[0].isdigit():
        return _at(value[int(parts[0])], parts[1:]) if int(parts[0]) < len(value) else None
    if not isinstance(value, dict):
        return None
    for count in range(len(parts), 0, -1):
        key = ".".join(parts[:count])
        if key in value:
            found = _at(value[key], parts[count:])
            if found is not None:
                return found
    return None
