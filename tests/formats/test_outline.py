"""Messages with blocks, and bare lists, are outlined from their bytes as reading them makes them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trajview.corpus.corpus import Corpus
from trajview.corpus.decode import decode_json
from trajview.formats import quick, registry
from trajview.formats.base import Origin
from trajview.formats.chat import Conversation, message_of
from trajview.formats.chat_source import ChatSource
from trajview.formats.quick import QuickLook
from trajview.formats.roles import pieces_of
from trajview.formats.unread import Parted, Unread, parted
from trajview.highlight import highlights_in
from trajview.models.transcript import Transcript

from .opened import assert_same_run

ORIGIN = Origin(Path("logs.json"), 0, 1)
TEXT = st.sampled_from(["", "hi", "é😀\n針", "exit code 3", "Error: no such file\n", '{"a": 1}', "a" * 300 + "\n" * 9])
ID = st.sampled_from(["toolu_1", "toolu_2", "call_1"])
ODD = st.sampled_from([None, 5, True, "text", [], ["x"], {}, {"type": 7}, {"a": [1]}])
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}


def blocks() -> st.SearchStrategy[Any]:
    text = st.fixed_dictionaries(
        {"type": st.just("text"), "text": TEXT}, optional={"cache_control": ODD, "refusal": ODD}
    )
    thinking = st.fixed_dictionaries(
        {"type": st.just("thinking"), "thinking": TEXT | ODD}, optional={"signature": TEXT}
    )
    use = st.fixed_dictionaries(
        {"type": st.sampled_from(["tool_use", "server_tool_use", "tool-call"])},
        optional={"id": ID | ODD, "name": TEXT | ODD, "input": st.just({"x": 1}) | ODD | TEXT},
    )
    inner = st.lists(st.one_of(text, st.just(IMAGE), ODD), max_size=2)
    result = st.fixed_dictionaries(
        {"type": st.sampled_from(["tool_result", "mcp_tool_result", "tool-result"])},
        optional={
            "tool_use_id": ID | ODD,
            "content": TEXT | inner | ODD,
            "is_error": st.booleans() | ODD,
            "extra": ODD,
        },
    )
    return st.one_of(text, thinking, use, result, result, st.just(IMAGE), ODD)


def messages(*, usual: bool = False) -> st.SearchStrategy[Any]:
    content = st.one_of(TEXT, st.lists(blocks(), max_size=4))
    said = st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "user", "tool", "system"]), "content": content},
        optional={"id": ID, "model": st.sampled_from(["m1", "m2"]), "name": TEXT, "timestamp": TEXT},
    )
    if usual:
        return said
    odd = st.fixed_dictionaries(
        {},
        optional={
            "role": st.sampled_from(["user", "assistant", "gpt", "Tool", "odd", None, 5]), "content": content | ODD, "id": ID | ODD,
            "type": st.sampled_from(["message", "user", "summary", "system", None, 5]), "tool_calls": ODD, "metadata": ODD,
            "usage": ODD, "stop_reason": TEXT, "model": ODD, "message": st.just({"role": "user", "content": "x"}) | ODD,
            "summary": TEXT, "sessionId": TEXT, "tool_call_id": ID, "isSidechain": st.booleans(), "payload": ODD,
        },
    )  # fmt: skip
    return said | odd | ODD


RECORDS = st.one_of(
    st.lists(messages(usual=True), min_size=1, max_size=8),
    st.lists(messages(usual=True), min_size=1, max_size=8).flatmap(
        lambda said: messages().map(lambda odd: [*said, odd])
    ),
    st.lists(messages(), min_size=1, max_size=8),
)


@pytest.fixture(autouse=True, scope="module")
def nothing_is_small() -> Iterator[None]:
    """So that short records are looked at, and opened, as long ones are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quick, "_LARGE", 2)
        yield


def decode(data: bytes | memoryview) -> Any:
    return decode_json(data)[0]


def assert_quick_is_full(record: Any, *, must: bool = False) -> None:
    """The look at a record, and the run that is opened of what it leaves, are those of the record decoded."""
    data = json.dumps(record).encode()
    looker = QuickLook()
    found = looker.look(data, ORIGIN, apart=True)
    parts = looker.taken_apart()
    assert found is not None or not must
    if found is None:
        return
    known = registry.best(record)[0]
    assert found == (known.name, known.summarise(record, ORIGIN))
    if not isinstance(parts, Parted):
        return
    read = known.read(record, ORIGIN)
    for each in (parts, parted(data)):
        run = known.open_parted(each, decode, ORIGIN)  # type: ignore[attr-defined]
        if run is None and each is not parts:  # without the look, it may take all of it
            continue
        assert_same_run(run, read)


@settings(max_examples=300, deadline=None)
@given(RECORDS)
@example([{"role": "assistant", "content": [{"type": "tool_result", "content": "x"}], "tool_calls": ["x"]}])
@example(
    [
        {
            "role": "user",
            "content": [{"type": "tool\u005fresult", "content": "x"}, {"text": "y"}, {"type": "tool_result"}],
        }
    ]
)
@example([{"role": "user", "content": "x"}, {"role": "user", "type": "summary", "summary": "y"}])
def test_a_bare_list_is_looked_at_and_opened_as_reading_it_does(record: list[Any]) -> None:
    assert_quick_is_full(record)


@settings(max_examples=300, deadline=None)
@given(
    said=RECORDS,
    beside=st.fixed_dictionaries(
        {},
        optional={
            "system": TEXT | st.lists(blocks(), max_size=2) | ODD,
            "response": messages() | st.just({"role": "assistant", "type": "message", "content": [{"type": "text", "text": "end"}]}),
            "id": ID, "model": TEXT, "metadata": ODD, "reward": st.just(0.5), "name": TEXT,
        },
    ),
)  # fmt: skip
@example([{"role": "user", "content": [{"type": "tool_result", "content": "x"}]}], {"system": 2**70})
def test_messages_with_blocks_are_looked_at_and_opened_as_reading_them_does(
    said: list[Any], beside: dict[str, Any]
) -> None:
    assert_quick_is_full({**beside, "messages": said})


def test_what_is_common_is_looked_at_quickly() -> None:
    said = [
        {"role": "user", "content": "do it"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}, {"type": "text", "text": "go on"}]},
    ]  # fmt: skip
    answer = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": "end"}],
        "usage": {},
    }
    for record in (
        said, {"messages": said}, {"messages": said, "system": "be kind"}, {"messages": said, "system": [{"type": "text", "text": "be"}]},
        {"messages": said, "response": answer}, {"messages": [*said, answer], "response": answer, "system": "x"}, [*said, answer],
    ):  # fmt: skip
        assert_quick_is_full(record, must=True)


@given(st.lists(messages(), max_size=8))
def test_pieces_of_elements_are_those_of_decoded_ones(logged: list[Any]) -> None:
    found = parted(json.dumps({"messages": logged}).encode())
    assert found is not None
    source = ChatSource(Unread(found, decode))
    assert source.roles == [piece.role for item in logged for piece in pieces_of(item)]
    expected = [message_of(message) for message in Conversation().extend(logged).messages]
    messages = source.messages(source.roles)
    assert highlights_in(Transcript(messages=messages)) == highlights_in(Transcript(messages=expected))
    assert messages == expected


def test_sizes_of_blocks_are_about_those_of_their_texts() -> None:
    text = "line of a log\n" * 400
    block = {"type": "tool_result", "tool_use_id": "a", "content": text}
    logged = [{"role": "user", "content": [block, {"type": "text", "text": text}]}]
    found = parted(json.dumps(logged).encode())
    assert found is not None
    source = ChatSource(Unread(found, decode))
    for message in source.messages(source.roles):
        lines, length, calls = message.size
        assert (abs(lines - 400) < 40, abs(length - len(text)) < 500, calls) == (True, True, 0)


@pytest.mark.parametrize(
    ("first", "runs"),
    [('{"role": "user", "content": "hi"}', 1), ('{"id": "a", "messages": []}', 3), ('{"x": 1}', 3), ("5", 1), ("", 1)],
)
def test_a_large_list_is_one_run_only_where_it_begins_with_a_message(
    tmp_path: Path, first: str, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "list.json"
    path.write_text(
        f'[{first}{"," if first else ""} {{"role": "user", "content": "{"x" * 4000}"}}, {{"role": "user", "content": [5]}}]'
    )
    found = []
    for large in (1 << 20, 2):
        monkeypatch.setattr("trajview.corpus.json_records._LARGE", large)
        corpus = Corpus([path])
        corpus.scan()
        found.append(([(info.id, info.format, info.messages, info.offset) for info in corpus.infos], corpus.problems))
    assert found[0] == found[1]
    assert len(found[0][0]) == runs
