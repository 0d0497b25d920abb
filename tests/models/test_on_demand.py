"""Sequences that make their items on demand give what a list would give, wherever they are asked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trajview.formats.built import MessagesOnDemand

from trajview import open_corpus
from trajview.export.watched import watched
from trajview.models.blind import blinded
from trajview.models.on_demand import OnDemand
from trajview.models.run import AgentRun

COUNT = 2_500
AROUND = st.integers(-COUNT - 5, COUNT + 5)
STEPS = st.integers(-COUNT, COUNT).filter(lambda step: abs(step) > 200)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> AgentRun:
    path = tmp_path_factory.mktemp("chat") / "long.json"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": f"number {n} " * 150} for n in range(COUNT)]}))
    corpus = open_corpus(path)
    return corpus.load(corpus[0], lazily=True)


@pytest.fixture(scope="module")
def sequences(run: AgentRun) -> dict[str, Any]:
    messages: Any = run.transcripts[0].messages
    assert isinstance(messages, MessagesOnDemand)
    assert messages._unread is not None
    return {
        "of a format": messages,
        "not decoded": messages._unread,
        "blinded": blinded(run).transcripts[0].messages,
        "watched": watched(run, lambda _: None).transcripts[0].messages,
    }


@pytest.fixture(scope="module")
def listed(sequences: dict[str, Any]) -> dict[str, list[Any]]:
    return {kind: list(found) for kind, found in sequences.items()}


@pytest.mark.parametrize("kind", ["of a format", "not decoded", "blinded", "watched"])
@given(at=AROUND, part=st.builds(slice, st.none() | AROUND, st.none() | AROUND, st.none() | STEPS))
def test_an_index_and_a_slice_give_what_a_list_gives(
    sequences: dict[str, Any], listed: dict[str, list[Any]], kind: str, at: int, part: slice
) -> None:
    found = sequences[kind]
    assert isinstance(found, OnDemand)
    if part.step is None:
        part = slice(part.start, part.stop, 211)
    as_list = listed[kind]
    assert len(as_list) == len(found) == COUNT
    assert found[part] == as_list[part]
    if -COUNT <= at < COUNT:
        assert found[at] == as_list[at]
    else:
        with pytest.raises(IndexError):
            found[at]
