"""Where the value at a path stands in the text of a record, JSON or YAML, without building what is around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from trajview.corpus.held import object_spans, spans_in
from trajview.corpus.lines import SPACE

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
    import yaml

    from trajview.corpus.yaml_records import yaml_text

    path = list(path)
    frames: list[_Frame] = []
    begin, within = 0, 0
    try:
        events: Iterator[Any] = yaml.parse(yaml_text(text), yaml.CSafeLoader)
        for event in events:  # of which none is kept
            opens = isinstance(event, yaml.CollectionStartEvent)
            if opens or isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
                is_value = not frames or frames[-1].takes(getattr(event, "value", None))
                if is_value and not within and [frame.step for frame in frames] == path:
                    if not opens:
                        return _index(event.start_mark), _index(event.end_mark)
                    begin, within = _index(event.start_mark), len(frames) + 1
                if opens:
                    frames.append(_Frame(isinstance(event, yaml.MappingStartEvent)))
            elif isinstance(event, yaml.CollectionEndEvent):
                if len(frames) == within:
                    return begin, _index(event.end_mark)
                frames.pop()
    except yaml.YAMLError:
        pass
    return None


def _index(mark: Any) -> int:
    """The character at which an event is; from C each has one."""
    return int(mark.index)


class _Frame:
    """A list or an object that is open: the step to the value in it that comes now."""

    def __init__(self, has_keys: bool) -> None:
        self.step: Step | None = None if has_keys else -1
        self._is_key: bool | None = False if has_keys else None

    def takes(self, value: str | None) -> bool:
        """Go on by one node, of this text where it is a scalar; whether it is a value, and no key."""
        if self._is_key is None:
            self.step = int(self.step or 0) + 1 if self.step != -1 else 0
            return True
        self._is_key = not self._is_key
        if self._is_key:
            self.step = value
        return not self._is_key
