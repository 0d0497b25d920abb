"""A record that is taken apart is the record that decoding gives, and its messages are those that reading builds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trajview.corpus.decode import decode_json
from trajview.formats import registry, unread
from trajview.formats.base import Origin
from trajview.formats.unread import Parted, Unread, parted

from .strategies import items
from .test_quick import KEYS

FIXTURES = Path(__file__).parent.parent / "fixtures"
ORIGIN = Origin(Path("logs.jsonl"), 0, 1, alone=False)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["messages", "x", ""]), inner, max_size=2),
    max_leaves=6,
)  # fmt: skip


def decode(data: bytes | memoryview) -> Any:
    return decode_json(data)[0]


def together(parts: Parted) -> dict[str, Any]:
    return {**parts.fields, "messages": list(Unread(parts, decode))}


@settings(max_examples=300)
@given(
    before=st.dictionaries(st.sampled_from(["id", "a", "odd key!", "messages", "]"]), VALUE, max_size=3),
    messages=st.lists(VALUE, max_size=4) | VALUE,
    after=st.dictionaries(st.sampled_from(["b", "x]", "tags", "\ud83d", "é"]), VALUE, max_size=3),
    indent=st.none() | st.integers(0, 2),
    ascii_only=st.booleans(),
)
@example({"a": {"messages": [1]}}, [2], {"b": ["]", {"messages": [3]}]}, None, True)
def test_the_parts_of_a_record_are_what_decoding_gives(
    before: dict[str, Any], messages: Any, after: dict[str, Any], indent: int | None, ascii_only: bool
) -> None:
    record = {**before, "messages": messages, **after}
    data = json.dumps(record, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    found = parted(data)
    slow = unread._parted(data)
    assert (found is None) is (slow is None)
    if found is not None and slow is not None:
        assert together(found) == together(slow)
    if found is not None:
        assert together(found) == decode(data)
    elif isinstance(messages, list):
        with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
            msgspec.json.decode(data)


@pytest.mark.parametrize(
    "data",
    [
        b'{"messages": [1], "messages": [2]}',
        b'{"id": 1, "messages": [1], "x": [], "messages": [2], "id": 3}',
        b'{"messages": [1], "x": {"messages": [2]}}',
        b'{"x": "\\"messages\\": []", "messages": [{"content": "]"}]}',
        b'{"messages": [1], "f0": 1, "m": 2}',
        b' \n{"messages": []} \n',
    ],
)
def test_keys_that_come_twice_or_look_like_others_are_not_mixed_up(data: bytes) -> None:
    found = parted(data)
    assert found is not None
    assert together(found) == json.loads(data)


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"messages": 5}', b'{"messages": [1]', b'{"messages": [1}]'])
def test_what_holds_no_list_of_messages_has_no_parts(data: bytes) -> None:
    assert parted(data) is None


USUAL = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "developer"])},
    optional={key: VALUE for key in unread.Usual.__struct_fields__ if key != "role"},
)


@given(messages=st.lists(USUAL, min_size=1, max_size=4), indent=st.none() | st.integers(0, 2), ascii_only=st.booleans())
def test_usual_messages_can_be_written_again(messages: list[Any], indent: int | None, ascii_only: bool) -> None:
    data = json.dumps({"messages": messages}, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    found = parted(data)
    if found is not None:
        assert found.usual is not None
        assert list(Unread(found, decode)) == messages


def test_one_message_that_is_not_usual_leaves_all_as_they_were_logged() -> None:
    odd = [{"role": "user", "content": "a"}, {"role": "user", "content": "b", "mood": "fine"}]
    found = parted(json.dumps({"messages": odd}).encode())
    assert found is not None
    assert found.usual is None
    assert list(Unread(found, decode)) == odd


@settings(max_examples=200, deadline=None)
@given(keys=KEYS, logged=items())
def test_a_record_opened_from_its_parts_is_the_record_opened(keys: dict[str, Any], logged: list[Any]) -> None:
    record = {**keys, "messages": logged}
    data = json.dumps(record).encode()
    found, parts = registry.best(record)[0], parted(data)
    open_parted = getattr(found, "open_parted", None)
    if open_parted is None or parts is None:
        return
    run = open_parted(parts, decode, ORIGIN)
    if run is not None:
        assert run == found.read(decode(data), ORIGIN)
