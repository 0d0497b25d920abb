"""ADP trajectories as runs: goldens, links between calls and answers, detection, and hostile records."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.errors import FormatError
from trajview.formats.adp import FORMAT
from trajview.formats.base import Origin
from trajview.models.adp_spelling import CLASSES
from trajview.models.messages import AssistantMessage, ToolMessage, UserMessage
from trajview.models.run import AgentRun

from .agreeing import agree, models_in, read_if_detected, read_in_any_order
from .digest import digest
from .junk import junk, objects

FIXTURES = Path(__file__).parent.parent / "fixtures" / "adp"
NAMES = sorted(path.stem for path in FIXTURES.glob("*.json"))


def records(name: str) -> list[Any]:
    data = json.loads((FIXTURES / f"{name}.json").read_text())
    return data if isinstance(data, list) else [data]


def read(*content: Any, **others: Any) -> AgentRun:
    return FORMAT.read({"id": "t", "content": list(content), **others}, Origin())


def agreed(record: Any, origin: Origin) -> AgentRun:
    run = agree(FORMAT, record, origin)
    assert FORMAT.summarise(record, origin).models == models_in(run)
    return run


@pytest.mark.parametrize("name", NAMES)
def test_a_trajectory_reads_as_its_golden_says(name: str) -> None:
    found = records(name)
    origins = [Origin(Path(f"{name}.json"), index, None, len(found) == 1) for index in range(len(found))]
    text = "".join(digest(agreed(record, origin)) for record, origin in zip(found, origins, strict=True))
    assert text == (FIXTURES / f"{name}.golden.txt").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_a_trajectory_is_detected_and_has_no_problems(name: str) -> None:
    for record in records(name):
        detection = FORMAT.detect(record)
        assert detection is not None
        assert detection.confidence > 0.9
        problems = [problem.reason for problem in FORMAT.check(record, Origin())]
        assert problems == (["content.8: class_ 'plan_action' is unknown"] if name == "tool_call_ids" else [])


CALL = {"class_": "api_action", "function": "f", "kwargs": {}}
SAID = {"class_": "message_action", "content": "hm"}
ENV = {"class_": "text_observation", "content": "x", "source": "environment"}
USER = {"class_": "text_observation", "content": "x", "source": "user"}


def answered(*content: Any) -> list[str | None]:
    return [m.tool_call_id for m in read(*content).transcripts[0].messages if isinstance(m, ToolMessage)]


def test_without_ids_the_answers_go_to_the_calls_in_their_order() -> None:
    assert answered(CALL, ENV, CALL, ENV) == ["call_0", "call_2"]
    assert answered(CALL, CALL, ENV, ENV) == ["call_0", "call_1"]
    assert answered(CALL, ENV, ENV) == ["call_0", "call_0"]
    assert answered(CALL, SAID, ENV) == ["call_0"]


def test_what_follows_a_user_or_a_message_answers_no_call() -> None:
    assert answered(ENV) == [None]
    assert answered(CALL, USER, ENV) == [None]
    assert answered(CALL, ENV, SAID, ENV) == ["call_0", None]


def test_the_ids_of_the_file_win_and_made_up_ones_avoid_them() -> None:
    late = {**ENV, "tool_call_id": "call_1"}
    first = {**CALL, "tool_call_id": "call_1"}
    run = read(first, CALL, late, ENV)
    made = [m.tool_calls[0].id for m in run.transcripts[0].messages if isinstance(m, AssistantMessage) and m.tool_calls]
    assert made == ["call_1", "call_1_"]
    assert answered(first, CALL, late, ENV) == ["call_1", "call_1_"]


def test_an_id_on_what_a_user_said_is_kept() -> None:
    (message,) = read({**USER, "tool_call_id": "c"}).transcripts[0].messages
    assert isinstance(message, UserMessage)
    assert message.tool_call_id == ["c"]


def test_an_action_and_the_observation_it_caused_share_a_unit() -> None:
    assert read(USER, CALL, ENV, CALL, ENV, SAID).transcripts[0].units_of_action == [[0, 1, 2], [3, 4], [5]]


def test_arguments_that_are_no_object_are_shown_and_named() -> None:
    (message,) = read({**CALL, "kwargs": [1, 2]}).transcripts[0].messages
    assert isinstance(message, AssistantMessage)
    assert message.tool_calls
    assert message.tool_calls[0].arguments == {"kwargs": [1, 2]}
    assert message.tool_calls[0].parse_error == "kwargs is list, not an object"


def test_arguments_as_json_text_are_parsed() -> None:
    (message,) = read({**CALL, "kwargs": '{"a": 1}'}).transcripts[0].messages
    assert isinstance(message, AssistantMessage)
    assert message.tool_calls
    assert message.tool_calls[0].arguments == {"a": 1}


def test_unknown_keys_go_to_the_metadata() -> None:
    run = read({**SAID, "logprob": -0.5, "reward": "good"}, license="MIT", details={"split": "dev"})
    assert run.transcripts[0].messages[0].metadata == {"logprob": -0.5, "reward": "good"}
    assert run.metadata == {"license": "MIT", "split": "dev"}


@pytest.mark.parametrize(
    ("details", "rewards", "expected"),
    [
        ({"reward": 0.25}, [1], [0.25]),
        ({}, [0.5, 1, None], [1.0]),
        ({"reward": float("nan")}, [], None),
        ({"resolved": True}, [None], None),
    ],
)
def test_the_reward_is_that_of_the_details_else_the_last_one(
    details: dict[str, Any], rewards: list[float | None], expected: list[float] | None
) -> None:
    assert read(*({**SAID, "reward": reward} for reward in rewards), details=details).rewards == expected


def test_a_record_without_an_id_is_named_after_its_file() -> None:
    assert FORMAT.read({"content": [SAID]}, Origin(Path("a/runs.jsonl"), 4, 5, False)).id == "runs#4"


@pytest.mark.parametrize(
    "record",
    [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"id": "x", "content": [{"role": "user", "content": "hi"}]},
        {"id": "x", "content": []},
        {"id": "x", "content": "class_", "details": {}},
        {"messages": [{"role": "user", "content": "hi"}]},
        [{"class_": "message_action", "content": "hi"}],
        None,
        "content",
    ],
)
def test_other_formats_are_left_alone(record: object) -> None:
    assert FORMAT.detect(record) is None


@pytest.mark.parametrize("record", [None, [], {}, {"content": None}, {"content": {"0": SAID}}])
def test_a_record_without_content_is_refused_with_its_place_and_a_hint(record: object) -> None:
    origin = Origin(Path("runs.jsonl"), 2, 3, False)
    for action in (FORMAT.read, FORMAT.summarise):
        with pytest.raises(FormatError) as caught:
            action(record, origin)
        assert str(caught.value.where) == "runs.jsonl:3"
        assert caught.value.hint


def test_problems_are_listed_with_their_place() -> None:
    record = {"id": "t", "content": [SAID, {"class_": "api_action"}, {**ENV, "tool_call_id": "gone"}]}
    (problem,) = FORMAT.check(record, Origin(Path("t.json")))
    assert "content.1" in problem.reason
    assert "function" in problem.reason
    record["content"].pop(1)
    (problem,) = FORMAT.check(record, Origin(Path("t.json")))
    assert problem.reason == "content.1: the tool_call_id 'gone' belongs to no action before it"


def test_detecting_and_summarising_do_not_import_pydantic() -> None:
    code = (
        "import sys; from trajview.formats import adp, taskweaver; from trajview.formats.base import Origin\n"
        "a = {'id': 't', 'content': [{'class_': 'MessageAction', 'message': 'x'}]}\n"
        "t = {'rounds': [{'post_list': [{'send_from': 'User', 'message': 'x'}]}]}\n"
        "for f, r in ((adp.FORMAT, a), (taskweaver.FORMAT, t)):\n"
        "    assert f.detect(r); assert f.summarise(r, Origin()).messages == 1\n"
        "assert 'pydantic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


image = objects({"class_": ["image_observation"], "content": ["a.png"], "annotations": [None, [{"text": "x"}], ["x"]]})
wild_items = objects(
    {
        "class_": [*sorted(CLASSES), "MessageAction", "TextObservation", "new_action", ["message_action"]],
        "content": ["x", ["x"], {"a": 1}],
        "message": ["x"],
        "text": ["x"],
        "source": ["user", "agent", "environment", "nobody", ["user"]],
        "function": ["f"],
        "language": ["python"],
        "kwargs": [{"a": 1}, '{"a": 1}', "{", "[1]"],
        "tool_call_id": ["a", "call_1", 1],
        "description": ["why"],
        "reward": [1, 0.5, True, 10**400],
        "image_observation": image,
        "annotations": [[{"text": "x"}], {"text": "x"}],
        "url": ["https://a.example"],
        "name": ["critic"],
    }
)
wild = objects(
    {
        "id": ["t", 3, 1.5, True, ["t"]],
        "content": st.lists(wild_items | junk, max_size=5),
        "details": [None, {"reward": 1}, {"model_name": "m"}, {"id": 1}, {1: 2}, ["x"]],
        "schema_version": ["1.3.1"],
    }
)


@given(wild)
def test_what_is_detected_reads_and_the_summary_agrees(record: dict[str, Any]) -> None:
    read_if_detected(FORMAT, record, agreed)


@given(wild)
def test_messages_are_the_same_whichever_is_looked_at_first(record: dict[str, Any]) -> None:
    try:
        read_in_any_order(FORMAT, record, Origin())
    except FormatError:
        assert FORMAT.detect(record) is None


@given(junk)
def test_junk_is_no_trajectory(record: object) -> None:
    assert FORMAT.detect(record) is None
