"""Records as bytes, some of which were replaced by what JSON or UTF-8 forbids, or what means another thing than usual."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import strategies as st

ODD = st.sampled_from([None, "", "x", 7, [], {}, [1], [None], ["a", "b"], {"a": 1}, True])
_HOSTILE = st.sampled_from([
    rb'"\ud800"', rb'"\u0041nn"', rb'"\ud83d\ude00"', rb'"\x"', b'"\xff"', b'"\xed\xa0\x80"', "\"é\"".encode(), "\"é\"".encode("latin1"),
    b'"a\x01b"', b"1e999", b"-1e999", b"-0", b"NaN", b"-Infinity", b"7" * 5000, b"18446744073709551616", b"01", b"[" * 1500 + b"]" * 1500,
    b'{"goal": 1, "goal": 2}', b'[1, {"goal": 1e400}]', b"[1, {}]", b"[1.5, {\"goal\": true}]", b'[["Ann", "Bo", "did nothing"]]',
    rb'[["Ann", "", "did \u006eothing"], ["\u0045nvironment", "Bo", "Turn #0"]]', b'""', b"null", b"", b'"a", "b"', b'"pk": "x", "pk": "y"',
])  # fmt: skip
_VALUE = re.compile(rb'"(?:[^"\\]|\\.)*"(?!:)|\d+|\[\]')


def in_any_order(records: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """The same records, their keys in any order."""
    return records.flatmap(lambda record: st.permutations(list(record.items())).map(dict))


@st.composite
def hostile_bytes(draw: st.DrawFn, records: st.SearchStrategy[Any], at_least: int = 1) -> bytes:
    """The JSON of a record in which so many values, or one more or two, are hostile; they stand at its end if it has none."""
    data = json.dumps(draw(records)).encode()
    for hostile in draw(st.lists(_HOSTILE, min_size=at_least, max_size=2)):
        places = [match.span() for match in _VALUE.finditer(data)] or [(len(data), len(data))]
        start, end = draw(st.sampled_from(places))
        data = data[:start] + hostile + data[end:]
    return data
