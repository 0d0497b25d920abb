"""TaskWeaver conversations as runs: goldens, rounds, failures, detection, and hostile records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from trajview.errors import FormatError
from trajview.formats.base import Origin
from trajview.formats.taskweaver import FORMAT
from trajview.highlight import highlights_in
from trajview.models.messages import AssistantMessage, ChatMessage, ImagePart, TextPart, ToolMessage
from trajview.models.run import AgentRun

from .agreeing import agree, look_at_all, models_in, read_if_detected, read_in_any_order
from .digest import digest
from .junk import junk, objects

FIXTURES = Path(__file__).parent.parent / "fixtures" / "taskweaver"
PATHS = sorted(path for path in FIXTURES.iterdir() if path.suffix in (".json", ".yaml"))


def load(path: Path) -> Any:
    text = path.read_text()
    return json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)


def agreed(record: Any, origin: Origin) -> AgentRun:
    run = agree(FORMAT, record, origin)
    assert FORMAT.summarise(record, origin).models == models_in(run) == ()
    return run


def messages(*attachments: Any, message: Any = "done", send_from: Any = "CodeInterpreter") -> list[ChatMessage]:
    post = {"send_from": send_from, "send_to": "Planner", "message": message, "attachment_list": list(attachments)}
    return agreed({"rounds": [{"post_list": [post]}]}, Origin()).transcripts[0].messages


def attached(type_: str, content: Any) -> dict[str, Any]:
    return {"type": type_, "content": content}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_conversation_reads_as_its_golden_says(path: Path) -> None:
    text = digest(agreed(load(path), Origin(Path(path.name))))
    assert text == path.with_suffix(".golden.txt").read_text()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_conversation_is_detected(path: Path) -> None:
    detection = FORMAT.detect(load(path))
    assert detection is not None
    assert detection.confidence > 0.9


def test_the_errors_of_a_session_are_its_failed_run_and_its_refused_code() -> None:
    run = FORMAT.read(load(FIXTURES / "revises_code.yaml"), Origin())
    assert [highlight.reason for highlight in highlights_in(run.transcripts[0])] == [
        "FileNotFoundError: [Errno 2] No such file or directory: 'rain.csv'",
        "Error on line 1: importing os is not allowed",
    ]


def test_code_that_was_not_checked_is_no_error() -> None:
    for text in ("No code verification is performed.", "No error is found.", ""):
        answer = messages(attached("code_error", text))[1]
        assert isinstance(answer, ToolMessage)
        assert answer.error is None
    answer = messages(attached("code_error", "bad import\nmore"))[1]
    assert isinstance(answer, ToolMessage)
    assert answer.error == {"message": "bad import"}


def test_a_failure_without_a_traceback_is_an_error_too() -> None:
    answer = messages(attached("execution_status", "FAILURE"), attached("execution_result", "killed"))[1]
    assert isinstance(answer, ToolMessage)
    assert answer.error == {"message": "the execution failed"}


def test_a_reply_is_code_only_where_its_type_says_so() -> None:
    (code,) = messages(attached("reply_content", "1 + 1"), attached("reply_type", "python"))
    assert isinstance(code, AssistantMessage)
    assert code.tool_calls
    assert (code.tool_calls[0].function, code.tool_calls[0].language) == ("python", "python")
    (said,) = messages(attached("reply_type", "text"), attached("reply_content", "hello"))
    assert isinstance(said, AssistantMessage)
    assert said.tool_calls is None
    assert said.text == "done\nreply_content: hello"


def test_code_that_ran_twice_in_one_post_has_two_answers() -> None:
    run = [attached("python", "1"), attached("execution_status", "FAILURE")]
    again = [attached("python", "2"), attached("execution_status", "SUCCESS")]
    post, first, second = messages(*run, *again)
    assert isinstance(post, AssistantMessage)
    assert [call.id for call in post.tool_calls or ()] == ["call_0", "call_0.1"]
    assert isinstance(first, ToolMessage)
    assert isinstance(second, ToolMessage)
    assert (first.tool_call_id, second.tool_call_id) == ("call_0", "call_0.1")
    assert first.error is not None
    assert second.error is None


def test_artifacts_are_images_or_links_also_as_json_text() -> None:
    for paths in (["a.PNG", "b.csv"], '["a.PNG", "b.csv"]'):
        (post,) = messages(attached("artifact_paths", paths), message="")
        assert [part.image for part in post.parts if isinstance(part, ImagePart)] == ["a.PNG"]
        assert [part.text for part in post.parts if isinstance(part, TextPart)] == ["artifact_paths: b.csv"]


def test_what_a_user_attaches_stays_in_the_users_message() -> None:
    (post,) = messages(attached("python", "1 + 1"), attached("image_url", "https://a.example/i"), send_from="User")
    assert post.role == "user"
    assert "1 + 1" in post.text
    assert any(isinstance(part, ImagePart) for part in post.parts)


def test_every_round_with_posts_is_marked_once_where_it_starts() -> None:
    run = FORMAT.read(load(FIXTURES / "temporal_and_failed.json"), Origin())
    marks = [
        (m.metadata["round"], m.metadata["round_state"]) for m in run.transcripts[0].messages if "round" in m.metadata
    ]
    assert marks == [("r1", "finished"), ("r3", "failed"), ("r4", "failed")]


def test_rounds_without_ids_are_numbered() -> None:
    post = {"send_from": "User", "message": "x"}
    run = agreed({"rounds": [{"post_list": [post]}, {"post_list": None}, {"post_list": [post]}]}, Origin())
    assert [message.metadata["round"] for message in run.transcripts[0].messages] == [1, 3]


def test_problems_name_deprecated_and_unknown_types() -> None:
    reasons = [problem.reason for problem in FORMAT.check(load(FIXTURES / "deprecated_types.yaml"), Origin())]
    assert len(reasons) == 3
    assert reasons[0] == "rounds.0.post_list.1: the attachment type 'python' is deprecated"
    record = {
        "rounds": [{"post_list": [{"send_from": "A", "send_to": "B", "attachment_list": [attached("new", "x")]}]}]
    }
    (problem,) = FORMAT.check(record, Origin())
    assert "'new' is unknown" in problem.reason
    (problem,) = FORMAT.check({"rounds": [{"state": "paused", "post_list": []}]}, Origin())
    assert problem.reason.startswith("rounds.0.state:")


@pytest.mark.parametrize(
    "record", [{"rounds": None}, {"rounds": [{"messages": []}]}, {"rounds": 3}, [], None, "rounds", {}]
)
def test_other_formats_are_left_alone(record: object) -> None:
    assert FORMAT.detect(record) is None


def test_a_conversation_without_rounds_opens_empty() -> None:
    record = {"id": "c", "plugins": [], "enabled": True, "rounds": None}
    assert FORMAT.detect(record) is not None
    assert agreed(record, Origin()).transcripts[0].messages == []


@pytest.mark.parametrize("record", [None, [], {}, {"rounds": "x"}, {"rounds": {"0": {}}}])
def test_a_record_without_rounds_is_refused_with_its_place_and_a_hint(record: object) -> None:
    for action in (FORMAT.read, FORMAT.summarise):
        with pytest.raises(FormatError) as caught:
            action(record, Origin(Path("c.yaml")))
        assert str(caught.value.where) == "c.yaml"
        assert caught.value.hint


def test_a_list_that_holds_itself_reads() -> None:
    record = yaml.safe_load("rounds: [{post_list: [{send_from: User, message: &a [*a]}]}]")
    assert len(agreed(record, Origin()).transcripts[0].messages) == 1


types = ["thought", "plan", "reply_type", "reply_content", "python", "sample", "text", "function", "artifact_paths"]
types += ["verification", "code_error", "execution_status", "execution_result", "revise_message", "image_url", "new"]
wild_attachments = objects(
    {
        "type": types,
        "content": ["x", "python", "FAILURE", "INCORRECT", ["a.png"], '[{"name": "f", "arguments": "{"}]', {"a": 1}],
        "extra": [{"a": 1}],
    }
)
wild_posts = objects(
    {
        "id": ["p"],
        "send_from": ["User", "Planner", "CodeInterpreter", ["User"]],
        "send_to": ["Planner"],
        "message": ["x", "a{{DELIMITER_START_TEMPORAL}}b{{DELIMITER_END_TEMPORAL}}c", "{{DELIMITER_END_TEMPORAL}}"],
        "attachment_list": st.lists(wild_attachments | junk, max_size=5),
    }
)
wild_rounds = objects(
    {"id": ["r"], "state": ["failed"], "user_query": ["q"], "post_list": st.lists(wild_posts | junk, max_size=3)}
)
wild = objects(
    {"id": ["c", 3, 1.5, True, ["c"]], "rounds": st.lists(wild_rounds | junk, max_size=3), "enabled": [True]}
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


ATTACHED = st.builds(
    attached,
    st.sampled_from(["thought", "reply_type", "reply_content", "verification", "code_error", "execution_status", "execution_result",
                     "revise_message", "python", "text", "plan", "function", "artifact_paths"]),
    st.sampled_from(["python", "text", "print(1)", "", None, "CORRECT", "INCORRECT", "FAILURE", "NameError: x", "done", '{"name": "f"}',
                     "{{DELIMITER_START_TEMPORAL}}now{{DELIMITER_END_TEMPORAL}}"]),
)  # fmt: skip
POST = st.builds(
    lambda sender, message, listed: {"send_from": sender, "send_to": "Planner", "message": message, "attachment_list": listed},
    st.sampled_from(["User", "CodeInterpreter"]), st.sampled_from(["done", "", None]), st.lists(ATTACHED, max_size=5),
)  # fmt: skip


@settings(max_examples=80)
@given(st.lists(POST, max_size=3))
def test_what_a_post_says_is_known_before_it_is_read(posts: list[Any]) -> None:
    record = {"rounds": [{"post_list": posts}]}
    look_at_all(FORMAT.read(record, Origin()))
    read_in_any_order(FORMAT, record, Origin())
