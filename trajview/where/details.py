"""Details that only a whole run tells: its tokens, errors, tool calls and metadata."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from .fields import Ref

if TYPE_CHECKING:
    from trajview.models.messages import ChatMessage
    from trajview.models.run import AgentRun

__all__ = ["Cancelled", "Details", "details_of", "values_of"]

_MOST_KEYS = 200
_DEEPEST = 4
"""Levels of the metadata whose keys are offered."""
_SHARED: dict[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]] = {}
"""Names that runs have in common, each kept once: most runs of a corpus have the same."""
_MOST_SHARED = 1_000
_SAID = frozenset({"errors", "calls", "tools"})


class Cancelled(Exception):
    """The result is not wanted any more."""


class Details(msgspec.Struct, array_like=True):
    """The facts about a run beyond its summary; None where nobody has asked for one yet.

    `tools` says how often each tool is called. `metadata` is the run's, then each transcript's that has some.
    """

    tokens: int | None = None
    errors: int | None = None
    tools: dict[str, int] | None = None
    metadata: list[dict[str, Any]] | None = None

    def has(self, names: Collection[str]) -> bool:
        """Whether these details are enough for fields of some names."""
        return not (
            ("tokens" in names and self.tokens is None)
            or (self.errors is None and not _SAID.isdisjoint(names))
            or ("metadata" in names and self.metadata is None)
        )

    def value(self, ref: Ref) -> Any:
        """The value of a field."""
        tools = self.tools or {}
        if ref.name == "metadata":
            return _metadata(self.metadata or (), ref.parts) if ref.parts else _keys(self.metadata or ())
        if ref.name == "tools":
            return tools.get(".".join(ref.parts), 0) if ref.parts else tuple(tools)
        if ref.name == "calls":
            return sum(tools.values())
        return self.tokens if ref.name == "tokens" else self.errors


def values_of(details: Details | None, refs: Iterable[Ref]) -> dict[Ref, Any]:
    """The values of some fields; None stands for a run that cannot be read, which has none."""
    return {ref: _nothing(ref) if details is None else details.value(ref) for ref in refs}


def details_of(
    run: AgentRun,
    names: Collection[str],
    cancelled: Callable[[], bool] = lambda: False,
    known: Details | None = None,
) -> Details:
    """Read the details of a run for fields of some names, beside those `known` already. Raises Cancelled."""
    from trajview.highlight import error_of, text_of

    found = known or Details()
    tokens = 0 if "tokens" in names and found.tokens is None else None
    said = found.errors is None and ("tokens" in names or not _SAID.isdisjoint(names))
    errors = 0
    tools: Counter[str] = Counter()
    for message in _messages(run) if said or tokens is not None else ():
        if cancelled():
            raise Cancelled
        if tokens is not None:
            from trajview.models.tokens import count_tokens

            tokens += count_tokens(text_of(message))
        if said:
            errors += error_of(message) is not None
            tools.update(_called(message))
    if tokens is not None:
        found.tokens = tokens
    if said:
        found.errors, found.tools = errors, dict(tools)
    if found.metadata is None:
        others = [transcript.metadata for transcript in run.transcripts if transcript.metadata]
        found.metadata = [run.metadata, *others]
    return found


def _nothing(ref: Ref) -> Any:
    if ref.name == "tools" and not ref.parts:
        return ()
    return None if ref.name == "metadata" else math.nan


def _messages(run: AgentRun) -> Iterable[ChatMessage]:
    """Every message once: where transcripts tell the same again, the first is all of it."""
    from trajview.formats.registry import format_or_default

    transcripts = run.transcripts[:1] if format_or_default(run.source_format).retells else run.transcripts
    for transcript in transcripts:
        yield from transcript.messages


def _called(message: ChatMessage) -> list[str]:
    return [call.function for call in message.tool_calls or ()] if message.role == "assistant" else []


def _keys(metadata: Sequence[dict[str, Any]]) -> tuple[tuple[str, ...], ...]:
    """The keys in the metadata, level by level; the paths of those with more below end with ""."""
    found: dict[tuple[str, ...], None] = {}
    level: list[tuple[tuple[str, ...], dict[str, Any]]] = [((), each) for each in metadata]
    for depth in range(_DEEPEST):
        below: list[tuple[tuple[str, ...], dict[str, Any]]] = []
        for above, values in level:
            for key, value in values.items():
                inner = isinstance(value, dict) and bool(value) and depth + 1 < _DEEPEST
                found[(*above, str(key), "") if inner else (*above, str(key))] = None
                if inner:
                    below.append(((*above, str(key)), value))
                if len(found) >= _MOST_KEYS:
                    return _shared(tuple(found))
        level = below
    return _shared(tuple(found))


def _shared(names: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    return _SHARED.setdefault(names, names) if len(_SHARED) < _MOST_SHARED else _SHARED.get(names, names)


def _metadata(metadata: Sequence[dict[str, Any]], parts: tuple[str, ...]) -> Any:
    """The value at a key of the run's metadata, else of the first transcript that has it; None where none has."""
    return next((value for each in metadata if (value := _at(each, parts)) is not None), None)


def _at(value: Any, parts: tuple[str, ...]) -> Any:
    """The value at `a.b.c`: level by level, or under a key that has the dots in it."""
    if not parts:
        return value
    if isinstance(value, list) and parts[0].isdecimal():
        return _at(value[int(parts[0])], parts[1:]) if len(parts[0]) < 9 and int(parts[0]) < len(value) else None
    if not isinstance(value, dict):
        return None
    for count in range(len(parts), 0, -1):
        key = ".".join(parts[:count])
        if key in value:
            found = _at(value[key], parts[count:])
            if found is not None:
                return found
    return None
