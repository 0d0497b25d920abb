"""Docent's runs are summed up and opened from their bytes as they are when they are decoded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trajview.corpus.decode import decode_json
from trajview.formats import docent, quick, registry
from trajview.formats.base import Origin
from trajview.formats.quick import QuickLook
from trajview.formats.quick_docent import look_at_parts, look_at_run, parted_run
from trajview.formats.unread import Parted, parted

from .test_quick import VALUE, look_at

FIXTURES = Path(__file__).parents[1] / "fixtures" / "docent"
ORIGIN = Origin(Path("logs.jsonl"), 3, 4, alone=False)
TEXT = st.sampled_from(["", "hi", "é😀", '"\\\n', "針" * 3, "Traceback (most recent call last):"])
CALL = st.fixed_dictionaries(
    {"function": st.sampled_from(["bash", "x"])},
    optional={
        "id": TEXT,
        "arguments": st.dictionaries(TEXT, VALUE, max_size=2) | VALUE,
        "type": st.sampled_from(["function", None, "other"]),
        "parse_error": TEXT,
        "more": VALUE,
    },
)
PART = st.sampled_from(
    [{"type": "text", "text": "t"}, {"type": "reasoning", "reasoning": "r"}, {"type": "tool_result", "content": "x"}, "s"]
)  # fmt: skip
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"]), "content": TEXT},
    optional={
        "tool_calls": st.lists(CALL, max_size=2), "tool_call_id": TEXT, "id": TEXT | st.none(), "function": TEXT,
        "model": st.sampled_from(["m1", "m2"]),
    },
)  # fmt: skip
ODD = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["user", "developer", "User", "x", None, 7]), "content": TEXT | VALUE | st.lists(PART, max_size=2),
        "tool_calls": VALUE | st.lists(CALL | VALUE, max_size=2), "tool_call_id": VALUE, "model": VALUE, "metadata": VALUE,
        "error": VALUE, "name": VALUE, "id": VALUE,
    },
)  # fmt: skip
MESSAGES = st.lists(MESSAGE, max_size=8) | st.lists(MESSAGE | ODD | VALUE, max_size=6)
TRANSCRIPT = st.fixed_dictionaries(
    {"messages": MESSAGES | VALUE},
    optional={
        "id": VALUE, "name": VALUE, "metadata": VALUE, "units": st.sampled_from([None, [[0]], [[0], [1, 2]], "x"]), "other": VALUE,
    },
)  # fmt: skip
RUN = st.fixed_dictionaries(
    {"transcripts": st.lists(TRANSCRIPT, max_size=3) | st.dictionaries(TEXT, TRANSCRIPT, max_size=2) | VALUE},
    optional={
        "id": VALUE, "name": VALUE, "description": VALUE, "transcript_groups": VALUE, "metadata": VALUE, "agents": VALUE,
        "rewards": st.sampled_from([[1], [[0.5, {"a": 1}]], [None], 3]), "reasoning": VALUE, "source_format": TEXT, "other": VALUE,
    },
)  # fmt: skip


@pytest.mark.parametrize(
    "odd",
    [
        *({"role": "user", "content": content} for content in (5, {}, True, {"text": "x"}, None, [], [5])),
        *({"role": "assistant", "content": "x", "model": model} for model in (["m"], {"m": 1}, 5, True, "", None)),
    ],
)
def test_a_message_whose_values_have_other_types_is_summed_up_as_when_it_is_decoded(odd: dict[str, Any]) -> None:
    plain = {"role": "user", "content": "hi"}
    looker = QuickLook()
    for messages in ([plain], [plain], [odd], [plain, odd], [plain, odd, plain]):
        look_at(looker, json.dumps({"id": "a", "transcripts": [{"id": "t", "messages": messages}]}).encode())


def decode(data: bytes | memoryview) -> Any:
    return decode_json(data)[0]


def encoded(record: Any) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass")


@settings(max_examples=150, deadline=None)
@given(record=RUN)
@example({"transcripts": [{"messages": [{"role": "user", "model": 3}, {"role": "assistant", "model": "m"}]}], "metadata": {"model": "a"}})  # fmt: skip
def test_the_quick_look_agrees_with_the_full_one_or_gives_up(record: dict[str, Any]) -> None:
    data = encoded(record)
    plain = msgspec.json.encode({"transcripts": [{"messages": [{"role": "user", "content": "hi"}]}]})
    looker = QuickLook()
    look_at(looker, plain)
    assert looker.look(plain, ORIGIN) is not None
    look_at(looker, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quick, "_LARGE", 0)
        look_at(QuickLook(), data)


@settings(max_examples=120, deadline=None)
@given(record=RUN)
def test_a_run_opened_from_its_parts_is_the_run_read(record: dict[str, Any]) -> None:
    data = encoded(record)
    parts = parted_run(data)
    if parts is None or registry.best(decode(data))[0] is not docent.FORMAT:
        return
    run = docent.FORMAT.open_parted(parts, decode, ORIGIN)
    assert run == docent.FORMAT.read(decode(data), ORIGIN)
    if look_at_parts(parts, ORIGIN) is not None:
        assert look_at_parts(parts, ORIGIN) == look_at_run(data, ORIGIN)


def test_bytes_that_are_no_text_are_found() -> None:
    data = b'{"transcripts": [{"messages": [{"role": "user", "content": "a\xff"}]}]}'
    looker = QuickLook()
    look_at(looker, data.replace(b"\xff", b""))
    assert look_at(looker, data) is None
    assert isinstance(parted(b'{"messages": []}'), Parted)


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.json")), ids=lambda path: path.name)
def test_it_agrees_on_every_fixture(path: Path) -> None:
    looker = QuickLook()
    data = path.read_bytes()
    for _ in range(2):
        look_at(looker, data)
