"""Bounds of a YAML document, checked before it is built: how deep it is nested, and what its aliases stand for.

libyaml crashes on deep nesting, and a kilobyte of aliases (`*a`) or merges (`<<: [*a, *a]`) of one another stands for
more values than any memory holds.
"""

from __future__ import annotations

from typing import Any, Final

import yaml

__all__ = ["LOADER", "YamlBoundsError", "check_bounds"]

_MAX_DEPTH: Final = 200
_VALUES: Final = 2_000_000, 100
"""The values that aliases may stand for: this many, or so many times the values that are written in the document.

Programs write an alias for whatever they refer to twice: each step of a log, say, with the same list of tools.
"""
_KEYS: Final = 100_000, 5
"""The keys that may be merged: this many, or so many times the values in the document. What is merged is copied, unlike
what an alias stands for."""
_TEXT: Final = 64
"""Characters of text that count as another value."""
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlBoundsError(ValueError):
    """A document that goes beyond a bound, at a `line` and a `column` of it, which count from 1."""

    def __init__(self, reason: str, mark: Any) -> None:
        super().__init__(reason)
        self.line: int = mark.line + 1
        self.column: int = mark.column + 1


class _Node:
    """A node of a document: the values that it holds or stands for, and the keys that merging it would copy."""

    __slots__ = ("anchor", "is_map", "keys", "merges", "nodes", "values")

    def __init__(self, anchor: str | None = None, values: int = 1, *, is_map: bool = False) -> None:
        self.anchor, self.values, self.is_map = anchor, values, is_map
        self.keys = self.nodes = 0
        self.merges = False
        """Whether the last node in it was `<<`."""

    def add(self, node: _Node) -> int:
        """Add a node within this one; returns how many keys it merges into this one."""
        self.values += node.values
        self.nodes += 1
        merged = node.keys if self.merges or not self.is_map else 0
        self.keys += merged + (self.is_map and self.nodes % 2)
        return merged if self.is_map else 0


def check_bounds(text: str) -> None:
    """Check one document. Raises YamlBoundsError, and yaml.YAMLError where it is no YAML."""
    known: dict[str | None, _Node] = {}
    """The nodes that have an anchor."""
    inside = [_Node()]
    """The collections that are open, and what is outside of all."""
    written = unfolded = merged = 0
    for event in yaml.parse(text, LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            if len(inside) > _MAX_DEPTH:
                raise YamlBoundsError(f"it is nested more than {_MAX_DEPTH} levels deep", event.start_mark)
            inside.append(_Node(event.anchor, is_map=isinstance(event, yaml.MappingStartEvent)))
            continue
        if isinstance(event, yaml.ScalarEvent):
            node = _Node(event.anchor, 1 + len(event.value) // _TEXT)
        elif isinstance(event, yaml.CollectionEndEvent):
            node = inside.pop()
        elif isinstance(event, yaml.AliasEvent):
            node = known.get(event.anchor) or _Node()  # none yet where it refers to itself
            unfolded += node.values
        else:
            continue
        written += 1
        parent = inside[-1]
        merged += parent.add(node)
        parent.merges = isinstance(event, yaml.ScalarEvent) and event.value == "<<"
        if node.anchor is not None:
            known[node.anchor] = node
        if unfolded > (most := max(_VALUES[0], _VALUES[1] * written)):
            what = f"its aliases, such as *{node.anchor}, stand for more than {most:,} values"
            raise YamlBoundsError(what, event.start_mark)
        if merged > (most := max(_KEYS[0], _KEYS[1] * written)):
            raise YamlBoundsError(f"its merges (<<) copy more than {most:,} keys", event.start_mark)
