"""Messages and their parts: Docent's shapes, read tolerantly, and nothing lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trajview.models.messages import (
    AssistantMessage,
    ChatMessage,
    ImagePart,
    OtherPart,
    ReasoningPart,
    TextPart,
    ToolMessage,
    UserMessage,
    message_from,
)
from trajview.models.transcript import Transcript


def read(**data: Any) -> ChatMessage:
    return message_from(data)


@pytest.mark.parametrize("role", ["system", "user", "assistant", "tool"])
def test_the_role_decides_the_class(role: str) -> None:
    message = read(role=role, content="x")
    assert type(message).__name__ == f"{role.title()}Message"
    assert message.role == role


def test_an_unknown_role_is_refused() -> None:
    with pytest.raises(ValueError, match="role must be one of system, user, assistant, tool"):
        read(role="wizard", content="x")
    with pytest.raises(ValueError, match="wizard"):
        Transcript.from_docent({"messages": [{"role": "wizard", "content": "x"}]})


def test_the_text_is_the_text_parts_joined_by_a_newline() -> None:
    message = read(
        role="assistant",
        content=[
            {"type": "text", "text": "one"},
            {"type": "reasoning", "reasoning": "hm"},
            {"type": "text", "text": "two"},
        ],
    )
    assert message.text == "one\ntwo"
    assert message.reasoning == ["hm"]
    assert [type(part) for part in message.parts] == [TextPart, ReasoningPart, TextPart]


def test_redacted_reasoning_is_read_by_its_summary() -> None:
    blob = {"type": "reasoning", "reasoning": "gAAAAB", "redacted": True}
    parts = [{**blob, "summary": "Looks for the flag."}, blob, {"type": "reasoning", "reasoning": "hm", "summary": "s"}]
    message = read(role="assistant", content=parts)
    assert message.reasoning == ["Looks for the flag.", "gAAAAB", "hm"]
    assert read(**message.plain()) == message


def test_plain_content_is_one_text_part_and_null_is_none() -> None:
    assert [part.type for part in read(role="user", content="x").parts] == ["text"]
    assert read(role="assistant", content=None).parts == []
    assert read(role="assistant", content=None).text == ""


def test_parts_of_unknown_types_are_kept_as_they_came() -> None:
    part = {"type": "server_tool_use", "name": "search", "input": {"q": "x"}}
    odd = {"type": 7, "x": 1}
    message = read(role="assistant", content=[part, {"type": "image", "image": "a.png", "detail": "low"}])
    assert [type(kept) for kept in message.parts] == [OtherPart, ImagePart]
    assert [kept.plain() for kept in message.parts] == [
        part,
        {"type": "image", "image": "a.png", "detail": "low"},
    ]
    with pytest.raises(ValueError, match=r"a part .*\$\.type"):
        read(role="assistant", content=[odd])


def test_a_part_that_docent_has_no_type_for_is_written_as_text_and_comes_back_as_it_was() -> None:
    """Docent 0.1.80 knows `text` and `reasoning`, refuses every other type, and ignores further keys."""
    image = {"type": "image", "image": "data:image/png;base64," + "A" * 500, "annotations": [{"text": "OK"}]}
    parts = [image, {"type": "video", "video": ""}, {"type": "hologram", "depth": 3}, {"type": "text", "text": "[x]"}]
    message = read(role="tool", content=parts)
    written = message.plain()["content"]
    assert [part["type"] for part in written] == ["text"] * 4
    assert [part["text"] for part in written] == [
        f"[image: {str(image['image'])[:200]}]",
        "[video]",
        "[hologram]",
        "[x]",
    ]
    assert read(**message.plain()) == message
    assert read(**json.loads(json.dumps(message.plain()))) == message


def test_unknown_keys_go_to_metadata_and_what_is_there_wins() -> None:
    message = read(role="user", content="x", score=3, origin="a", metadata={"origin": "b"})
    assert message.metadata == {"score": 3, "origin": "b"}


def test_unknown_keys_beside_bad_metadata_are_an_error_that_names_the_type() -> None:
    with pytest.raises(ValueError, match="metadata must be a dict, not list"):
        read(role="user", content="x", score=3, metadata=[1])


@pytest.mark.parametrize(("value", "ids"), [("c1", ["c1"]), (["c1", "c2"], ["c1", "c2"]), (None, None)])
def test_the_tool_call_ids_of_a_user_message(value: object, ids: object) -> None:
    message = read(role="user", content="x", tool_call_id=value)
    assert isinstance(message, UserMessage)
    assert message.tool_call_id == ids


def test_an_error_that_is_text_becomes_a_dict() -> None:
    message = read(role="tool", content="", error="boom")
    assert isinstance(message, ToolMessage)
    assert message.error == {"message": "boom"}


def test_a_tool_call_keeps_arguments_view_and_unknown_keys() -> None:
    call = {
        "id": "c1",
        "function": "bash",
        "arguments": {"cmd": "ls"},
        "type": "function",
        "parse_error": None,
        "view": {"title": "Run", "format": "markdown", "content": "`ls`"},
        "google_thought_signature": "abc",
    }
    message = read(role="assistant", content="", tool_calls=[call])
    assert isinstance(message, AssistantMessage)
    assert message.plain()["tool_calls"] == [call]


def test_our_own_fields_are_written_only_when_they_are_set() -> None:
    ours = {"name", "recipient", "timestamp", "reward", "usage"}
    assert not ours & read(role="user", content="x").plain().keys()
    said = read(role="user", content="x", name="Ann", reward=0.0, usage={})
    assert said.plain()["name"] == "Ann"
    assert said.plain()["reward"] == 0.0
    assert said.plain()["usage"] == {}
    assert set(read(role="tool", content="x").plain()) == {
        "id", "content", "role", "metadata", "tool_call_id", "function", "error",
    }  # fmt: skip
    # Docent takes no null here.
    assert "redacted" not in ReasoningPart(reasoning="x").plain()
    assert ReasoningPart(reasoning="x", redacted=False).plain()["redacted"] is False
    assert TextPart(text="x").plain() == {"type": "text", "text": "x", "refusal": None}
