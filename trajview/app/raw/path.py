"""Where the value at a path stands in the text of a record, JSON or YAML, without building what is around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import yaml

from trajview.corpus.held import object_spans, spans_in
from trajview.corpus.lines import SPACE
from trajview.corpus.yaml_records import yaml_text

if TYPE_CHECKING:
    from trajview.formats.contract import Step

__all__ = ["span_at"]

_MOST_YAML: Final = 4 << 20
"""Characters of YAML that are gone through: ten times as long as for JSON."""


def span_at(text: str, path: Sequence[Step]) -> tuple[int, int] | None:
    """The characters from which to which the value at a path stands; None where there is none, or it cannot be told."""
    try:
        if text.lstrip()[:1] in ("{", "["):
            return _in_json(text, path)
        return _in_yaml(text, path) if len(text) <= _MOST_YAML else None
    except (ValueError, RecursionError, IndexError, KeyError):  # no JSON, or nothing at this path
        return None


def _in_json(text: str, path: Sequence[Step]) -> tuple[int, int] | None:
    data = text.encode("utf-8")
    begin, end = len(data) - len(data.lstrip(SPACE)), len(data.rstrip(SPACE))
    for step in path:
        value = memoryview(data)[begin:end]
        if isinstance(step, str):
            found = object_spans(bytes(value), begin)
            if found is None:
                return None
            begin, end = found[step]
        else:
            begin, end = spans_in(value, begin)[step]
    start = len(data[:begin].decode("utf-8"))
    return start, start + len(data[begin:end].decode("utf-8"))


def _in_yaml(text: str, path: Sequence[Step]) -> tuple[int, int] | None:
    try:
        events: Iterator[Any] = (
            event
            for event in yaml.parse(yaml_text(text), yaml.CSafeLoader)  # of which none is kept
            if isinstance(event, yaml.NodeEvent | yaml.CollectionEndEvent)
        )
        value = next(events)
        for step in path:
            value = _value_at(step, value, events)
        return value.start_mark.index, _end_of(value, events).end_mark.index
    except (yaml.YAMLError, StopIteration):
        return None


def _value_at(step: Step, opening: Any, events: Iterator[Any]) -> Any:
    """The first event of the value at a step from the object or the list that an event opens. Raises KeyError."""
    if not isinstance(opening, yaml.MappingStartEvent if isinstance(step, str) else yaml.SequenceStartEvent):
        raise KeyError(step)
    for number, event in enumerate(events):
        if isinstance(event, yaml.CollectionEndEvent):
            break
        key: Any = number
        value = event
        if isinstance(step, str):
            key = event.value if isinstance(event, yaml.ScalarEvent) else None
            _end_of(event, events)
            value = next(events)
        if key == step:
            return value
        _end_of(value, events)
    raise KeyError(step)


def _end_of(value: Any, events: Iterator[Any]) -> Any:
    """The last event of a value, by its first."""
    depth, event = 0, value
    while depth := depth + isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent):
        event = next(events)
    return event
