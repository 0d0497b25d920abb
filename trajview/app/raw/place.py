"""Where a message of a transcript, or the value at a path, stands in the text of a record, JSON or YAML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import yaml

from trajview.corpus.held import object_spans, spans_in
from trajview.corpus.lines import SPACE
from trajview.corpus.yaml_records import yaml_text
from trajview.models.messages import AssistantMessage, ChatMessage
from trajview.models.transcript import Transcript

if TYPE_CHECKING:
    from trajview.formats.contract import Step

__all__ = ["STEP", "place_in", "place_near", "place_of", "span_at"]

_ID = 8
"""Characters of an id that is no other's."""
_OVERHEAD = 60
"""About so many characters has a message beside what it says."""
_ALL = 20_000
"""Characters of a text that is looked for from its one quote to the other."""
STEP = 4 << 20
"""Bytes that are looked through without letting other threads have a turn."""
_LONG = 300
"""Characters of a text that are looked for: more would tell no more, and break where a reader has joined parts."""
_SHORT = 16
"""Below so many characters a text may be part of any other; only between quotes it tells something."""
_COUNTED = 3_000
"""Messages before one that are asked whether they begin alike. Behind more of them the first such place is taken."""
_BEFORE = 5
"""Messages before one that are looked for where it is not found itself."""
_MOST_YAML: Final = 1 << 20
"""Characters of YAML that are gone through: a hundred times as long as for JSON."""


def place_of(record: str, transcript: Transcript, number: int) -> int | None:
    """The character at which message `number` of a transcript begins in its record, None where nothing of it is found.

    By its id, else by what it says, thinks or calls, as JSON or YAML would spell it; of messages that say the same,
    the one that has as many before it. Of a message that is not found, the place of the one before is close enough.
    """
    messages = transcript.messages
    begin = max(0, record.find(f'"{transcript.id}"')) if transcript.id else 0
    for near in range(number, max(-1, number - _BEFORE - 1), -1):
        place = _found(record, messages, near, begin)
        if place is None and begin:
            place = _found(record, messages, near, 0)
        if place is not None:
            return place
    return None


def place_in(record: str, message: ChatMessage, whence: Sequence[Step]) -> int | None:
    """The character at which a message begins, in the value at the steps from its record that it comes from.

    None where there is no such value, or it cannot be told where it stands.
    """
    span = span_at(record, whence)
    if span is None:
        return None
    if not whence or isinstance(whence[-1], str):  # it is the text itself
        return span[0]
    texts = chain(filter(None, (message.text.strip()[:_LONG],)), _texts(message))
    places = (record.find(spelt, *span) for text in texts for spelt in _spellings(text))
    return next((place for place in places if place >= 0), span[0])


def place_near(record: bytes, transcript: Transcript, number: int, until: float) -> tuple[int, str]:
    """The byte at which message `number` of a transcript begins in a long record: of the places that may be it the one
    nearest to where the lengths of the messages let it be, and what stands there; that one, and nothing, where `until`, by
    the monotonic clock, none is found.
    """
    messages = transcript.messages
    lengths = [_OVERHEAD + sum(message.size[:2]) for message in messages]
    about = len(record) * sum(lengths[:number]) // max(1, sum(lengths))
    for near in range(number, max(-1, number - _BEFORE - 1), -1):
        message = messages[near]
        spelt = [f'"{message.id}"'] if message.id and len(message.id) >= _ID else []
        if 0 < len(message.text) <= _ALL:  # as a whole: another one may begin alike
            spelt += [json.dumps(message.text, ensure_ascii=ascii_only) for ascii_only in (False, True)]
        for sought in chain(spelt, *map(_spellings, _texts(message))):
            place = _nearest(record, sought.encode("utf-8", "replace"), about, until)
            if place >= 0:
                return place, sought
    return about, ""


def _nearest(record: bytes, sought: bytes, about: int, until: float) -> int:
    """Where something stands in a record nearest to a place, -1 where it does not, or the time is over."""
    size = len(sought)
    for far in range(0, max(about, len(record) - about) + 1, STEP):
        if monotonic() > until:
            break
        behind = record.find(sought, about + far, about + far + STEP + size)
        before = record.rfind(sought, max(0, about - far - STEP), max(0, about - far) + size)
        if behind >= 0 and (before < 0 or behind - about < about - before):
            return behind
        if before >= 0:
            return before
    return -1


def _found(record: str, messages: Sequence[ChatMessage], number: int, begin: int) -> int | None:
    message = messages[number]
    if message.id and len(message.id) >= _ID and (place := record.find(f'"{message.id}"', begin)) >= 0:
        return place
    known = _calls_before(messages, number) if number <= _COUNTED else frozenset()
    for text in _texts(message):
        if text in known:  # a replay may call all its calls the same
            continue
        alike = sum(text in messages[other].text for other in range(number)) if number <= _COUNTED else 0
        for spelt in _spellings(text):
            place = record.find(spelt, begin)
            for _ in range(alike if place >= 0 else 0):
                following = record.find(spelt, place + len(spelt))
                if following < 0:
                    break
                place = following
            if place >= 0:
                return place
    return None


def _calls_before(messages: Sequence[ChatMessage], number: int) -> frozenset[str]:
    """The ids of the calls that are made before a message."""
    before = (messages[other] for other in range(number))
    calls = (each.tool_calls or () for each in before if isinstance(each, AssistantMessage))
    return frozenset(call.id for made in calls for call in made)


def _texts(message: ChatMessage) -> Iterator[str]:
    """What is in a message, the most telling first."""
    calls = (message.tool_calls or []) if isinstance(message, AssistantMessage) else []
    yield from (call.id for call in calls if call.id and len(call.id) >= _ID)
    said = [message.text, *message.reasoning]
    said += [value for call in calls for value in call.arguments.values() if isinstance(value, str)]
    yield from (text.strip()[:_LONG] for text in said if text.strip())
    for text in said:  # joined of parts that stand apart in the record, or broken over lines there
        lines = sorted(filter(None, map(str.strip, text[: 100 * _LONG].split("\n"))), key=len, reverse=True)
        yield from (line[:_LONG] for line in lines[:3] if len(line) >= _SHORT)


def _spellings(text: str) -> Iterator[str]:
    quote = '"' if len(text) < _SHORT else ""
    for ascii_only in (False, True):
        yield quote + json.dumps(text, ensure_ascii=ascii_only)[1:-1] + quote
    if not quote:
        yield text


def span_at(text: str, path: Sequence[Step]) -> tuple[int, int] | None:
    """The characters from which to which the value at a path stands; None where there is none, or it cannot be told."""
    try:
        if text.lstrip()[:1] in ("{", "["):
            return _in_json(text, path)
        return _in_yaml(text, path) if len(text) <= _MOST_YAML else None
    except (ValueError, RecursionError, IndexError, KeyError, StopIteration):  # no JSON, or nothing at this path
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
        value: Any = yaml.compose(yaml_text(text), yaml.CSafeLoader)
    except yaml.YAMLError:
        return None
    for step in path:
        if isinstance(step, str) and isinstance(value, yaml.MappingNode):
            value = next(found for key, found in value.value if key.value == step)
        elif isinstance(step, int) and isinstance(value, yaml.SequenceNode):
            value = value.value[step]
        else:
            return None
    return value.start_mark.index, value.end_mark.index
