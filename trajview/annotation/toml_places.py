"""Places in a TOML file: the line and column of each key, which Python's reader does not tell."""

from __future__ import annotations

import re
from collections import Counter

__all__ = ["Place", "Places", "places_in"]

Place = tuple[int, int]
"""Line and column, both from 1."""

Places = dict[tuple[str, int, str], Place]
"""The places by (table, its number among those of that name from 0, key); the key "" is the table's heading itself."""

_TABLE = re.compile(r"\s*\[(\[)?\s*([^\[\]#]+?)\s*\]")
_KEY = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^\s=#"'\[\]]+)\s*=""")
_QUOTES = re.compile(r'"""|\'\'\'|"(?:[^"\\]|\\.)*"|\'[^\']*\'|#')


def places_in(text: str) -> Places:
    """Find the places of the keys and tables in a text that is valid TOML.

    A sub-table (`[dimension.bands]`) has the number of the table that it belongs to. What stands in a string of
    several lines is no key; inline tables have no places of their own.
    """
    places: Places = {}
    counts: Counter[str] = Counter()
    table, number = "", 0
    until: str | None = None
    depth = 0
    for line_number, line in enumerate(text.split("\n"), 1):
        if until is None and depth <= 0:
            if heading := _TABLE.match(line):
                table = re.sub(r"[\s\"']", "", heading[2])
                if heading[1]:
                    number = counts[table]
                    counts[table] += 1
                else:
                    number = max(0, counts[table.split(".")[0]] - 1)
                places.setdefault((table, number, ""), (line_number, heading.start(2) + 1))
                continue
            if key := _KEY.match(line):
                places.setdefault((table, number, _bare(key[1])), (line_number, key.start(1) + 1))
        until, opened = _state_after(line, until)
        depth = max(0, depth + opened)
    return places


def _bare(key: str) -> str:
    if key[0] == "'":
        return key[1:-1]
    return re.sub(r"\\(.)", r"\1", key[1:-1]) if key[0] == '"' else key


def _state_after(line: str, until: str | None) -> tuple[str | None, int]:
    """The quotes that a string of several lines still waits for after this line, and how many brackets it opened."""
    position, opened = 0, 0
    while True:
        if until is not None:
            end = line.find(until, position)
            if end < 0:
                return until, opened
            position, until = end + 3, None
        found = _QUOTES.search(line, position)
        plain = line[position : found.start() if found else len(line)]
        opened += plain.count("[") + plain.count("{") - plain.count("]") - plain.count("}")
        if found is None or found[0] == "#":
            return None, opened
        position = found.end()
        if found[0] in ('"""', "'''"):
            until = found[0]
