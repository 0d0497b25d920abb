"""ADP's Trajectory: every class, old and new versions, and the legacy spelling."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from trajview.models.adp import (
    ApiAction,
    CodeAction,
    ImageObservation,
    MessageAction,
    OtherItem,
    TextObservation,
    Trajectory,
    WebObservation,
)

FIXTURES = Path(__file__).parent.parent / "fixtures" / "adp"


def load(name: str) -> Any:
    return json.loads((FIXTURES / name).read_text())


def items(*content: dict[str, Any]) -> list[Any]:
    return Trajectory.model_validate({"id": "t", "content": list(content)}).content


def test_the_class_decides_the_model() -> None:
    classes = [type(item) for item in Trajectory.model_validate(load("web_axtree.json")).content]
    assert classes == [TextObservation, WebObservation, ApiAction, WebObservation, ApiAction]
    classes = [type(item) for item in Trajectory.model_validate(load("image_annotations.json")).content]
    assert classes == [ImageObservation, TextObservation, CodeAction, ImageObservation, TextObservation]


def test_legacy_spelling_loads_and_is_dumped_in_the_current_one() -> None:
    dumped = Trajectory.model_validate(load("legacy_spelling.json")).model_dump()
    assert dumped["content"][5] == {"class_": "message_action", "content": "It is 42.", "description": "Both agree."}
    assert dumped["content"][0] == {
        "class_": "text_observation",
        "content": "What is 6 times 7?",
        "name": None,
        "source": "user",
    }
    assert [item["class_"] for item in dumped["content"]] == [
        "text_observation", "api_action", "text_observation", "code_action", "text_observation", "message_action",
        "text_observation", "web_observation", "image_observation",
    ]  # fmt: skip
    assert not {"message", "thoughts", "text"} & {key for item in dumped["content"] for key in item}


def test_a_legacy_key_never_overwrites_the_current_one() -> None:
    (item,) = items({"class_": "MessageAction", "content": "now", "message": "then"})
    assert isinstance(item, MessageAction)
    assert item.content == "now"
    assert item.model_dump()["message"] == "then"


def test_what_was_loaded_is_what_is_dumped() -> None:
    for name in ("web_axtree.json", "tool_call_ids.json"):
        source = load(name)
        dumped = Trajectory.model_validate(source).model_dump(mode="json", exclude_unset=True)
        assert dumped == source


def test_newer_fields_are_not_written_where_they_are_not_set() -> None:
    dumped = Trajectory.model_validate(load("coding_bash.json")[1]).model_dump()
    assert dumped.keys() == {"id", "content", "details"}
    assert dumped["content"][1] == {"class_": "message_action", "content": "Hello.", "description": None}


def test_an_unknown_class_is_kept_as_it_came() -> None:
    (item,) = items({"class_": "plan_action", "steps": ["rest"]})
    assert isinstance(item, OtherItem)
    assert item.model_dump() == {"class_": "plan_action", "steps": ["rest"]}


@pytest.mark.parametrize(
    ("item", "place"),
    [
        ({"class_": "api_action"}, "function"),
        ({"class_": "text_observation", "content": "x", "source": "nobody"}, "source"),
        ({"class_": "code_action", "language": "python", "content": ["x"]}, "content"),
        ({"content": "no class"}, "class_"),
        ("no object", "other"),
    ],
)
def test_a_wrong_item_is_refused_with_its_place(item: object, place: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Trajectory.model_validate({"id": "t", "content": [{"class_": "message_action", "content": "x"}, item]})
    loc = caught.value.errors()[0]["loc"]
    assert loc[:2] == ("content", 1)
    assert place in loc


def test_broken_links_are_named() -> None:
    def links(*content: dict[str, Any]) -> list[int]:
        return [index for index, _ in Trajectory.model_validate({"id": "t", "content": list(content)}).broken_links()]

    call = {"class_": "api_action", "function": "f", "tool_call_id": "a"}
    answer = {"class_": "text_observation", "content": "x", "source": "environment", "tool_call_id": "a"}
    assert links(call, answer) == []
    assert links(answer, call) == [0]
    assert links(call, call, answer) == [1]
    assert links(call, answer, answer) == [2]
    assert links({"class_": "message_action", "content": "x", "tool_call_id": "a"}) == [0]
