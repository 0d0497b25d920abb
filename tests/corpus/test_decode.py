"""Decoding by parts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.corpus import containers, decode
from trajview.corpus.corpus import open_corpus

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=4), inner, max_size=6),
    max_leaves=30,
)


@given(_VALUES, st.integers(0, 40), st.booleans())
def test_by_parts_a_value_is_what_it_is_at_once(value: object, part: int, indented: bool) -> None:
    data = json.dumps(value, indent=2 if indented else None).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decode, "PART", part)
        assert repr(decode.decode_by_parts(data)) == repr(decode.decode_json(data)[0])


@pytest.mark.parametrize(
    "data", [b'{"a": [1, 2', b'{"a": [1, tru]}', b'{"a": 1} {"b": 2}', b'{"a": "\xff"}', b"", b"["]
)
def test_by_parts_what_is_no_record_is_said_as_it_is_at_once(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "PART", 0)

    def said(read: Callable[[bytes], object]) -> object:
        try:
            return read(data)
        except decode.BadRecord as error:
            return error.reason, error.line, error.column

    assert said(decode.decode_by_parts) == said(lambda data: decode.decode_json(data)[0])


def test_by_parts_no_call_decodes_more_than_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def watched(data: memoryview) -> object:
        sizes.append(len(data))
        return json.loads(bytes(data))

    messages = [{"role": "user", "content": f"message {number}"} for number in range(200)]
    data = json.dumps({"id": "a", "transcripts": [{"messages": messages}]}).encode()
    monkeypatch.setattr(decode, "PART", 100)
    monkeypatch.setattr(decode.msgspec.json, "decode", watched)
    assert decode.decode_by_parts(data) == {"id": "a", "transcripts": [{"messages": messages}]}
    assert len(sizes) > 200
    assert max(sizes) <= 100


def test_what_a_large_record_is_taken_for_is_found_with_turns_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "run.json"
    log.write_text(
        json.dumps({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]})
    )
    corpus = open_corpus(log)
    monkeypatch.setattr(containers, "decode_json", None)
    assert corpus.detections(corpus[0])[0].format == corpus[0].format
