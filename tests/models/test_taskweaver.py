"""TaskWeaver's models, and the laws of its temporal text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from trajview.errors import FormatError
from trajview.models.taskweaver import (
    TEMPORAL_END,
    TEMPORAL_START,
    AttachmentType,
    Conversation,
    drop_temporal,
    split_temporal,
    strip_temporal_markers,
    wrap_temporal,
)

FIXTURES = Path(__file__).parent.parent / "fixtures" / "taskweaver"


def read(name: str) -> str:
    return (FIXTURES / name).read_text()


def test_an_example_without_ids_loads() -> None:
    conversation = Conversation.from_yaml(read("example_without_ids.yaml"))
    (round_,) = conversation.rounds
    assert conversation.id is None
    assert conversation.enabled is True
    assert round_.state == "created"
    assert [len(post.attachment_list) for post in round_.post_list] == [0, 1, 0, 0]
    assert round_.post_list[1].attachments(AttachmentType.plan) == ["1. count the rows"]


@pytest.mark.parametrize("name", ["revises_code.yaml", "example_without_ids.yaml", "deprecated_types.yaml"])
def test_yaml_and_json_read_back_to_the_same(name: str) -> None:
    conversation = Conversation.from_yaml(read(name))
    assert Conversation.from_yaml(conversation.to_yaml()) == conversation
    assert Conversation.from_json(conversation.to_json()) == conversation


def test_json_loads() -> None:
    conversation = Conversation.from_json(read("temporal_and_failed.json"))
    assert [round_.state for round_ in conversation.rounds] == ["finished", "created", "failed", "failed"]


def test_ids_that_are_not_known_are_not_written() -> None:
    assert "id:" not in Conversation.from_yaml(read("example_without_ids.yaml")).to_yaml()


def test_deprecated_types_load_and_say_so() -> None:
    post = Conversation.from_yaml(read("deprecated_types.yaml")).rounds[0].post_list[1]
    assert [attachment.type_name for attachment in post.attachment_list if attachment.is_deprecated] == [
        "python", "sample", "text",
    ]  # fmt: skip
    assert post.attachments("python") == ["1 + 2"]


def test_a_type_of_todays_is_an_attachment_type_and_an_unknown_one_stays_text() -> None:
    attachments = [{"type": "thought", "content": "x"}, {"type": "from_the_future", "content": {"a": 1}}]
    text = {"send_from": "A", "send_to": "B", "attachment_list": attachments}
    post = Conversation.model_validate({"rounds": [{"post_list": [text]}]}).rounds[0].post_list[0]
    assert post.attachment_list[0].type is AttachmentType.thought
    assert post.attachment_list[1].type == "from_the_future"
    assert post.attachment_list[1].content == {"a": 1}


def test_nulls_count_as_empty() -> None:
    conversation = Conversation.from_yaml("{id: 7, enabled: null, plugins: null, rounds: null}")
    assert (conversation.id, conversation.enabled, conversation.plugins, conversation.rounds) == ("7", True, [], [])


def test_an_unknown_state_is_refused() -> None:
    with pytest.raises(ValidationError, match="state"):
        Conversation.from_yaml("rounds: [{state: paused, post_list: []}]")


def test_what_is_no_yaml_is_named_with_its_line() -> None:
    with pytest.raises(FormatError) as caught:
        Conversation.from_yaml("id: a\nrounds: [\n")
    assert caught.value.where.line == 3
    assert caught.value.hint
    with pytest.raises(FormatError, match="nested more than 200 levels deep"):
        Conversation.from_yaml("[" * 100_000)


@pytest.mark.parametrize("text", ["{", "[" * 100_000])
def test_what_is_no_json_is_a_format_error(text: str) -> None:
    with pytest.raises(FormatError):
        Conversation.from_json(text)


# --- temporal text: atoms that hold no brace make texts in which markers can be anywhere -------------------------

plain = st.text(st.characters(exclude_characters="{}"), max_size=8)
texts = st.lists(plain | st.sampled_from([TEMPORAL_START, TEMPORAL_END]), max_size=10).map("".join)


@given(plain)
def test_stripping_undoes_wrapping(text: str) -> None:
    assert strip_temporal_markers(wrap_temporal(text)) == text


@given(plain, plain, plain)
def test_dropping_takes_what_was_wrapped_and_nothing_else(before: str, inside: str, after: str) -> None:
    assert drop_temporal(before + wrap_temporal(inside) + after) == before + after


@given(texts)
def test_splitting_loses_no_text(text: str) -> None:
    assert "".join(piece for piece, _ in split_temporal(text)) == strip_temporal_markers(text)


@given(texts)
def test_what_is_not_temporal_is_what_dropping_keeps(text: str) -> None:
    kept = "".join(piece for piece, temporal in split_temporal(text) if not temporal)
    assert kept == strip_temporal_markers(drop_temporal(text))


@given(texts)
def test_dropping_twice_is_dropping_once(text: str) -> None:
    assert drop_temporal(drop_temporal(text)) == drop_temporal(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"a{TEMPORAL_START}b", f"a{TEMPORAL_START}b"),
        (f"a{TEMPORAL_END}b", f"a{TEMPORAL_END}b"),
        (f"a{TEMPORAL_END}b{TEMPORAL_START}c{TEMPORAL_END}", f"a{TEMPORAL_END}b{TEMPORAL_START}c{TEMPORAL_END}"),
        (f"a{TEMPORAL_START}b{TEMPORAL_START}c{TEMPORAL_END}d", "ad"),
        (f"{wrap_temporal('x')}a{wrap_temporal('y')}b", "ab"),
    ],
)
def test_unpaired_markers_drop_nothing_as_in_taskweaver(text: str, kept: str) -> None:
    assert drop_temporal(text) == kept


def test_the_pieces_say_which_is_temporal() -> None:
    assert split_temporal(f"hi{wrap_temporal(' (Monday)')}!") == [("hi", False), (" (Monday)", True), ("!", False)]
    assert split_temporal("") == []
