"""Messages that are built when they are looked at are the messages that reading builds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.formats import registry
from trajview.formats.base import Origin
from trajview.formats.chat import Conversation, message_models
from trajview.formats.lazy import LazyMessages, strings_in
from trajview.formats.unread import LAZY_FROM, Unread, parted
from trajview.highlight import compile_rule, highlights_in
from trajview.models.transcript import Transcript
from trajview.models.units import unit_starts

FIXTURES = Path(__file__).parent.parent / "fixtures"

IDS = st.sampled_from(["call_1", "call_2", "call_3"])
NAMES = st.sampled_from(["bash", "python", "search"])
TEXT = st.text(max_size=12)


def calls() -> st.SearchStrategy[Any]:
    one = st.fixed_dictionaries(
        {
            "id": IDS,
            "function": st.fixed_dictionaries({"name": NAMES, "arguments": st.sampled_from(['{"a": 1}', "{", ""])}),
        }
    )
    return st.lists(one, max_size=2)


def items() -> st.SearchStrategy[list[Any]]:
    block = st.one_of(
        st.fixed_dictionaries({"type": st.just("text"), "text": TEXT}),
        st.fixed_dictionaries({"type": st.just("tool_use"), "id": IDS, "name": NAMES, "input": st.just({"x": 1})}),
        st.fixed_dictionaries({"type": st.just("tool_result"), "tool_use_id": IDS, "content": TEXT}),
    )
    content = st.one_of(TEXT, st.none(), st.lists(block, max_size=3))
    message = st.one_of(
        st.fixed_dictionaries({"role": st.just("assistant"), "content": content}, optional={"tool_calls": calls()}),
        st.fixed_dictionaries(
            {"role": st.just("tool"), "content": TEXT}, optional={"tool_call_id": IDS, "error": TEXT}
        ),
        st.fixed_dictionaries({"role": st.sampled_from(["user", "system", "odd"]), "content": content}),
        st.fixed_dictionaries(
            {"from": st.sampled_from(["gpt", "human", "observation", "function_call"]), "value": TEXT}
        ),
        st.sampled_from([None, 3, "text", {}]),
    )
    return st.lists(message, max_size=12)


@given(items())
def test_each_message_is_the_one_that_reading_builds(logged: list[Any]) -> None:
    eager = message_models(Conversation().extend(logged).messages)
    lazy = LazyMessages(logged)
    assert lazy.roles == [message.role for message in eager]
    for index in reversed(range(len(lazy))):  # in another order than they were logged
        assert lazy[index] == eager[index]
    assert list(lazy) == eager


@pytest.mark.parametrize("name", ["openai", "anthropic", "sharegpt", "messages"])
def test_a_record_opened_is_the_record_read(name: str) -> None:
    seen = 0
    for path in sorted((FIXTURES / name).glob("*.json")):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            continue
        found, _ = registry.best(record)
        if not hasattr(found, "look"):
            continue
        lazy = LazyMessages(found.look(record, Origin()).items)
        assert list(lazy) == found.read(record, Origin()).transcripts[0].messages, path.name
        seen += 1
    assert seen


def test_a_long_chat_opens_without_building_its_messages() -> None:
    logged = [{"role": "user" if i % 2 else "assistant", "content": f"message {i}"} for i in range(LAZY_FROM + 10)]
    found = registry.format_named("openai")
    run = found.open({"id": "long", "messages": logged}, Origin())  # type: ignore[attr-defined]
    messages = run.transcripts[0].messages
    assert isinstance(messages, LazyMessages)
    assert not messages._built
    assert run.transcripts[0].unit_starts == unit_starts(messages.roles)
    assert messages[-1].text == f"message {LAZY_FROM + 9}"
    assert [message.text for message in messages[3:5]] == ["message 3", "message 4"]
    assert run.transcripts[0].get_action_unit_for_block(2) == 1


def test_long_samples_of_inspect_open_and_are_searched_without_building_their_messages() -> None:
    found: Any = registry.format_named("inspect")
    samples = [
        {"id": number, "epoch": 1, "input": "?", "target": "!", "metadata": {"seed": number}, "attachments": {"a": "far"},
         "messages": [{"role": "user", "content": "attachment://a"}, *({"role": "assistant", "content": str(each)} for each in range(LAZY_FROM))]}
        for number in (7, 8)
    ]  # fmt: skip
    for record in (samples[0], {"eval": {"eval_id": "e", "task": "t", "model": "m"}, "samples": samples}):
        whole = found.read(record, Origin())
        for run in (found.open(record, Origin()), found.skim(record, Origin())):
            messages = run.transcripts[0].messages
            assert isinstance(messages, LazyMessages)
            assert not messages._built
            assert [list(each.messages) for each in run.transcripts] == [each.messages for each in whole.transcripts]
            for each, other in zip(run.transcripts, whole.transcripts, strict=True):
                assert (each.id, each.name, each.metadata) == (other.id, other.name, other.metadata)
            kept = {"id", "name", "metadata", "rewards", "agents", "source_format"}
            assert run.model_dump(include=kept) == whole.model_dump(include=kept)


def test_a_short_chat_is_built_at_once() -> None:
    found = registry.format_named("openai")
    record = {"id": "short", "messages": [{"role": "user", "content": "hi"}]}
    assert found.open(record, Origin()) == found.read(record, Origin())  # type: ignore[attr-defined]


@given(items())
def test_what_a_message_says_is_among_its_strings(logged: list[Any]) -> None:
    lazy = LazyMessages(logged)
    for index, message in enumerate(lazy):
        if message.metadata.get("trajview_problem") is None:
            assert all(line in "\n".join(lazy.strings(index)) for line in message.text.split("\n"))


def test_strings_are_found_at_any_depth() -> None:
    assert strings_in({"a": ["b", {"c": "d"}, 3, None], "e": "f"}) == ["b", "d", "f"]


@given(items())
def test_sizes_are_known_without_building(logged: list[Any]) -> None:
    lazy = LazyMessages(logged)
    measured = lazy.measured()
    assert len(measured) == len(lazy)
    assert not lazy._built
    for (lines, length, _), message in zip(measured, lazy, strict=True):
        if isinstance(message.content, str) and len(message.text) > 40 and message.metadata == {}:
            assert (lines, length) >= (message.text.count("\n") + 1, len(message.text))


def test_an_answer_finds_its_call_however_far_back_it_was_made() -> None:
    call = {"id": "far", "function": {"name": "bash", "arguments": "{}"}}
    again = {"id": "far", "function": {"name": "python", "arguments": "{}"}}
    logged: list[dict[str, Any]] = [{"role": "assistant", "content": "", "tool_calls": [call]}]
    logged += [{"role": "user", "content": "wait"}] * 100
    logged += [{"role": "tool", "content": "done", "tool_call_id": "far"}]
    logged += [{"role": "assistant", "content": "", "tool_calls": [again]}]
    logged += [{"role": "tool", "content": "again", "tool_call_id": "far"}]
    logged += [{"role": "tool", "content": "?", "tool_call_id": "never made"}]
    assert [getattr(m, "function", None) for m in LazyMessages(logged)][-4:] == ["bash", None, "python", None]


@given(items(), st.sampled_from(["", "exit code 3", "Traceback (most recent call last):\n  x\nKeyError: 'a'"]))
def test_highlights_are_the_same_whether_messages_are_built_or_not(logged: list[Any], output: str) -> None:
    logged = [*logged, {"role": "tool", "tool_call_id": "call_1", "content": output}]
    eager = Transcript(messages=message_models(Conversation().extend(logged).messages))
    lazy = Transcript(
        id="lazy", messages=LazyMessages(logged), units=eager.units_of_action, metadata={}
    )
    rules = [compile_rule("a|bash|1")]
    assert highlights_in(lazy, rules) == highlights_in(eager, rules)


def test_what_a_message_keeps_beside_what_it_says_stays_in_the_order_of_the_file() -> None:
    said = {"role": "user", "content": "x", "timestamp": "today", "function": "f", "error": "e", "model": "m"}
    for order in (list(said), list(reversed(said))):
        message = {key: said[key] for key in order}
        parts = parted(json.dumps({"messages": [message] * 2}).encode())
        assert parts is not None
        assert parts.usual is not None
        found, known = LazyMessages(Unread(parts, json.loads))[1], LazyMessages([message])[0]
        assert list(found.metadata) == list(known.metadata) == [key for key in order if key in known.metadata]
        assert len(known.metadata) > 2
