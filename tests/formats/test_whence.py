"""What each message comes from in its record: as many as there are messages, and what they say is there."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pytest

from trajview.formats.base import Origin
from trajview.formats.registry import format_named

STEPS = [
    {"thought": "I look", "response": "I look\nls", "action": "ls", "observation": "a b", "query": [{"role": "user", "content": "a b"}]},
    {"thought": "", "response": "again", "action": "ls", "observation": "a b"},
    {"action": "ls"},
    "no step",
    {"thought": "done", "observation": None},
]  # fmt: skip
HISTORY = [
    {"role": "user", "content": "please"},
    {"role": "assistant", "content": "ok"},
    {"role": "user", "content": "ok"},
]


def attached(type_: str, content: str) -> dict[str, str]:
    return {"type": type_, "content": content}


POSTS = [
    {"message": "count", "send_from": "User", "send_to": "Planner", "attachment_list": []},
    {
        "message": "count",
        "send_from": "CodeInterpreter",
        "attachment_list": [
            attached("thought", "count"),
            None,
            attached("verification", "CORRECT"),
            attached("code_error", "none"),
            attached("execution_status", "FAILURE"),
            attached("execution_result", "it broke"),
            attached("verification", "CORRECT"),
        ],
    },
    {"message": "", "send_from": "Planner", "attachment_list": attached("verification", "alone")},
    "no post",
    None,
]


def at(record: Any, path: tuple[str | int, ...]) -> Any:
    return reduce(lambda value, step: value[step], path, record)


@pytest.mark.parametrize(
    ("name", "record", "wanted"),
    [
        ("sweagent", {"trajectory": STEPS, "history": HISTORY}, HISTORY),
        (
            "sweagent",
            {"trajectory": STEPS, "history": "none"},
            ["I look", "a b", "again", "a b", "ls", "no step", "done"],
        ),
        (
            "taskweaver",
            {
                "rounds": [
                    {"user_query": "count", "post_list": POSTS},
                    None,
                    {"user_query": "and?", "post_list": []},
                    {"user_query": "", "post_list": None},
                    {"post_list": {"message": "one", "send_from": "User"}},
                    "no round",
                ]
            },
            [
                "count", "count", attached("verification", "CORRECT"), attached("execution_status", "FAILURE"),
                attached("verification", "CORRECT"), POSTS[2], attached("verification", "alone"), "no post", None,
                "and?", "one", "no round",
            ],
        ),
    ],
)  # fmt: skip
def test_each_message_comes_from_somewhere(name: str, record: Any, wanted: list[Any]) -> None:
    known = format_named(name)
    assert known.repeats
    found = known.whence(record)
    assert [at(record, path) for path in found] == wanted
    run = known.read(record, Origin())
    assert len(run.transcripts[0].messages) == len(found)


def test_what_is_no_record_says_nothing() -> None:
    assert not format_named("openai").repeats
    for name in ("sweagent", "taskweaver"):
        for record in (None, [], {}, {"rounds": 3, "trajectory": 3, "history": {}}):
            assert format_named(name).whence(record) == []
