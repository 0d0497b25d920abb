"""What the cache keeps of a file is what it was given: runs and problems in order, with the very types."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trajview.corpus import packed as module
from trajview.corpus.info import RunInfo
from trajview.corpus.packed import packed, unpacked
from trajview.corpus.rewards import Rewards, row_of
from trajview.corpus.walk import SourceFile
from trajview.errors import Problem, Where

PATH = Path("/logs/a.jsonl")
SOURCE = SourceFile(PATH, "a.jsonl", True)
TEXT = st.sampled_from(["", "a", "b", "é😀", "x/y.json", "\x00"])
NUMBER = st.floats(allow_nan=False) | st.integers(-(2**63), 2**64 - 1)
ODD = st.none() | st.booleans() | TEXT
SCORES = st.dictionaries(TEXT, NUMBER, max_size=3)
REWARD = NUMBER | st.tuples(NUMBER, SCORES)
NAMES = st.lists(TEXT, max_size=2).map(tuple)
COUNT = st.integers(0, 2**63)
PROBLEM = st.builds(
    Problem, TEXT, TEXT, st.builds(Where, st.sampled_from([PATH, None]), st.none() | COUNT, st.none() | COUNT), st.booleans()
)  # fmt: skip


@st.composite
def infos(draw: st.DrawFn) -> RunInfo:
    run_id, member = draw(TEXT), draw(st.none() | st.none() | TEXT)
    return RunInfo(
        run_id, run_id, PATH, "a.jsonl" if member is None else f"a.jsonl/{member}", draw(TEXT), draw(TEXT), draw(COUNT),
        draw(st.none() | COUNT), draw(COUNT), draw(COUNT), draw(st.booleans()), draw(st.none() | TEXT), draw(COUNT), draw(COUNT),
        draw(COUNT), draw(NAMES), draw(st.lists(REWARD, max_size=2).map(tuple)), draw(NAMES), member,
    )  # fmt: skip


def types_in(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple, [types_in(each) for each in value]
    return [(key, type(each)) for key, each in value.items()] if isinstance(value, dict) else type(value)


def in_rows(items: list[Any]) -> list[Any]:
    """The same with rewards as rows where that is possible, as a scan keeps them."""
    found = []
    for item in items:
        row = row_of(item.rewards) if isinstance(item, RunInfo) else None
        found.append(item if row is None else msgspec.structs.replace(item, rewards=Rewards(*row)))
    return found


def there_and_back(items: list[Any]) -> list[Any]:
    return list(chain.from_iterable(unpacked(packed(items, PATH), SOURCE)))


@settings(max_examples=80)
@given(st.lists(infos() | PROBLEM, max_size=9), st.integers(1, 5))
@example([Problem("first", "", Where(PATH, 1)), RunInfo("a", "a", PATH, "a.jsonl", "f", "c")], 1)
def test_items_come_back_as_they_were(items: list[Any], size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", size)
        found = there_and_back(items)
    assert found == items
    rows = there_and_back(in_rows(items))
    assert rows == items
    for before, after, again in zip(items, found, rows, strict=True):
        if isinstance(before, RunInfo):
            assert types_in(before.rewards) == types_in(tuple(after.rewards)) == types_in(tuple(again.rewards))


def test_rewards_in_rows_come_back_in_rows_and_share_the_dimensions() -> None:
    plain = RunInfo("a", "a", PATH, "a.jsonl", "f", "c")
    scored = ((1.5, {"goal": 2.0}), (0.5, {"goal": 1.0}))
    items = in_rows(
        [msgspec.structs.replace(plain, rewards=each) for each in (scored, (), scored, ((1.0, {"x": 2.0}),))]
    )
    found = there_and_back(items)
    assert [type(info.rewards) for info in found] == [Rewards, tuple, Rewards, Rewards]
    assert found == items
    assert found[0].rewards.names is found[2].rewards.names


@given(st.lists(st.lists(REWARD | ODD | st.tuples(ODD, SCORES | ODD), max_size=2).map(tuple), max_size=3))
def test_rewards_that_should_not_be_are_no_error(rewards: list[Any]) -> None:
    plain = RunInfo("a", "a", PATH, "a.jsonl", "f", "c")
    items = [msgspec.structs.replace(plain, rewards=each) for each in rewards]
    assert there_and_back(items) == items


def test_a_number_that_does_not_fit_is_refused() -> None:
    with pytest.raises(OverflowError):
        packed([RunInfo("a", "a", PATH, "a.jsonl", "f", "c", rewards=(2.0, 2**64))], PATH)


def test_names_that_many_runs_share_are_in_memory_once() -> None:
    items = [RunInfo(f"r{i}", f"r{i}", PATH, "a.jsonl", "f", "c", agents=("Ann", "Bo")) for i in range(5)]
    found = there_and_back(items)
    assert len({id(info.agents) for info in found}) == 1
