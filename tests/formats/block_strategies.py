"""Blocks of messages, usual and odd ones, for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

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
