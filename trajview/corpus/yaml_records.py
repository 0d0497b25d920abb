"""The documents of a YAML file, read with C speed into what JSON could hold.

Dates stay text, other tags than YAML's own count by what they hold, and what could bring the program down is refused:
what is beyond the bounds of `models.yaml_bounds`, and aliases that refer to themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Final

from trajview.errors import Problem

from .decode import BadRecord, decode_text
from .record import Record, not_utf8, problem_of

__all__ = ["decode_yaml", "yaml_records", "yaml_text"]

_START: Final = re.compile(rb"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)
_BLANK: Final = re.compile(
    rb"(?:\s|#[^\n]*+|\.\.\.[ \t\r]*+$|%[^\n]*+)*+\Z", re.MULTILINE
)  # else a line of `####` takes for ever
_NOT_YAML: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BOM: Final = b"\xef\xbb\xbf"


def yaml_records(file: BinaryIO, path: Path) -> Iterator[Record | Problem]:
    """Each document that is not empty; one that cannot be read is a Problem, and the others open."""
    data = file.read()
    starts = [match.start() for match in _START.finditer(data)]
    head = len(_BOM) if data.startswith(_BOM) else 0
    if not starts or not _BLANK.fullmatch(data, head, starts[0]):
        starts.insert(0, head)
    ends = [*starts[1:], len(data)]
    spans = [(start, end) for start, end in zip(starts, ends, strict=True) if _says_something(data, start, end)]
    told = False
    index = 0
    for start, end in spans:
        line = data.count(b"\n", 0, start) + 1
        document = data[start:end]
        try:
            value, replaced = decode_yaml(document)
        except BadRecord as error:
            yield problem_of(error, path, line, "document" if len(spans) > 1 else "file", cut=end == len(data))
            continue
        if replaced and not told:
            told = True
            yield not_utf8(path, line)
        if value is not None:
            yield Record(value, "yaml", start, end - start, index, line, len(spans) == 1, data=document)
            index += 1


def _says_something(data: bytes, start: int, end: int) -> bool:
    match = _START.match(data, start)
    return not _BLANK.fullmatch(data, match.end() if match else start, end)


def yaml_text(text: str) -> str:
    """Replace the characters of a text that libyaml refuses, one by one."""
    return _NOT_YAML.sub("\ufffd", text)


def decode_yaml(data: bytes) -> tuple[Any, bool]:
    """The value of one document, and whether bytes that are no UTF-8 were replaced. Raises BadRecord."""
    import yaml

    from trajview.models.yaml_bounds import YamlBoundsError, check_bounds

    text, replaced = decode_text(data)
    text = yaml_text(text)
    try:
        check_bounds(text)
        value = yaml.load(text, _loader())
    except yaml.MarkedYAMLError as error:
        mark: Any = error.problem_mark or error.context_mark
        reason = " ".join(part for part in (error.context, error.problem) if part)
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (0, 0)
        torn = line > text.rstrip().count("\n") + 1 or "end of stream" in reason
        raise BadRecord(reason, line, column, torn=torn) from error
    except YamlBoundsError as error:
        raise BadRecord(str(error), error.line, error.column) from error
    except (yaml.YAMLError, ValueError, TypeError, OverflowError, RecursionError) as error:
        # ValueError and its kin: a scalar that looks like a number or a key that cannot be one.
        raise BadRecord(str(error).splitlines()[0] if str(error) else type(error).__name__) from error
    return _plain(value, {}), replaced


@cache
def _loader() -> Any:
    import yaml

    class Loader(yaml.CSafeLoader):
        """PyYAML's safe loader in C, without dates, and with unknown tags taken for what they stand on."""

    def as_text(loader: Any, node: Any) -> Any:
        return loader.construct_scalar(node)

    def by_kind(loader: Any, _suffix: str, node: Any) -> Any:
        if isinstance(node, yaml.MappingNode):
            return loader.construct_mapping(node, deep=True)
        if isinstance(node, yaml.SequenceNode):
            return loader.construct_sequence(node, deep=True)
        return loader.construct_scalar(node)

    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
        for first, found in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }
    Loader.add_constructor("tag:yaml.org,2002:timestamp", as_text)
    Loader.add_constructor("tag:yaml.org,2002:binary", as_text)
    Loader.add_multi_constructor("", by_kind)
    return Loader


def _plain(value: Any, done: dict[int, Any]) -> Any:
    """A value with texts for keys and lists for sets.

    `done`: the same of each collection that was met before, by its id; None of one that this is in. Raises BadRecord.
    """
    if not isinstance(value, dict | list | tuple | set):
        return value
    if id(value) in done:
        known = done[id(value)]
        if known is None:
            raise BadRecord("an alias in it refers to itself")
        return known
    done[id(value)] = None
    items = [_plain(item, done) for item in (value.values() if isinstance(value, dict) else value)]
    result: Any = dict(zip(map(_key, value), items, strict=True)) if isinstance(value, dict) else items
    done[id(value)] = result
    return result


def _key(key: Any) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return "true" if key else "false"
    return "null" if key is None else str(key)
