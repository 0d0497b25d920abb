"""What a run is about where nothing names it: the same words from decoded messages as from their bytes."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from tests.app.strategies import HOSTILE
from trajview.formats.base import LONGEST_TASK, Origin
from trajview.formats.registry import best
from trajview.formats.task import task_from_heads, task_from_messages, task_in

CONTENTS = st.one_of(
    HOSTILE,
    st.text(alphabet='ab \\"\n\u00e9\u65e5\U0001f600', max_size=900),
    st.builds(
        lambda unit, count, rest: unit * count + rest,
        st.sampled_from([" ", "a", "\n", "é"]),
        st.integers(0, 900),
        HOSTILE,
    ),
    st.none(),
    st.lists(st.one_of(HOSTILE, st.fixed_dictionaries({"type": st.sampled_from(["text", "image"]), "text": HOSTILE}))),
)


@given(
    st.lists(st.tuples(st.sampled_from(["system", "user", "human", "assistant", "tool"]), CONTENTS), max_size=4),
    st.booleans(),
)
def test_bytes_tell_the_same_words_as_what_they_decode_to(said: list[tuple[str, Any]], escaped: bool) -> None:
    items: list[Any] = [{"role": role, "content": content} for role, content in said]
    as_bytes = [
        SimpleNamespace(role=role, content=Raw(json.dumps(content, ensure_ascii=escaped).encode("utf-8", "replace")))
        for role, content in said
    ]
    items = [json.loads(json.dumps(item, ensure_ascii=escaped).encode("utf-8", "replace")) for item in items]
    assert task_from_heads(items, as_bytes) == task_from_messages(items)


@given(HOSTILE)
def test_words_are_few_and_safe_and_on_one_line(text: str) -> None:
    found = task_in(text)
    assert found is None or 0 < len(found) <= LONGEST_TASK + 1
    assert not set(found or "") & {"\x1b", "\n", "\r", "\t", "\u202e", "\ud800"}


@pytest.mark.parametrize(
    ("record", "task"),
    [
        ({"messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": " Fix\n the  bus. "}]}, "Fix the bus."),
        ({"id": "7", "name": "buses", "messages": [{"role": "user", "content": "Fix it."}]}, None),
        ({"conversations": [{"from": "human", "value": "Sing."}, {"from": "gpt", "value": "La."}]}, "Sing."),
        (
            {
                "system": "s",
                "messages": [
                    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]},
                    {"role": "user", "content": [{"type": "image", "source": {}}, {"type": "text", "text": "Look."}]},
                ],
            },
            "Look.",
        ),
        ({"id": "r", "transcripts": [{"messages": [{"role": "user", "content": "Find it."}]}], "metadata": {}}, "Find it."),
        (
            {"id": "0", "content": [{"class_": "text_observation", "content": "Buy\tsocks", "source": "user"}], "details": {}},
            "Buy socks",
        ),
        (
            {"id": "c", "rounds": [{"post_list": [{"send_from": "User", "send_to": "Planner", "message": "Count.{{DELIMITER_START_TEMPORAL}}\nIt is noon.{{DELIMITER_END_TEMPORAL}}"}]}]},
            "Count.",
        ),
        ({"id": "x", "messages": [{"role": "assistant", "content": "Nobody asked."}]}, None),
    ],
)  # fmt: skip
def test_a_run_without_a_name_tells_what_its_user_asks_for(record: dict[str, Any], task: str | None) -> None:
    assert best(record)[0].summarise(record, Origin()).task == task
