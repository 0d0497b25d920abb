"""Hypothesis strategies for the messages of chat logs, in all the spellings and disorders that they come in."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

IDS = st.sampled_from(["call_1", "call_2", "call_3"])
NAMES = st.sampled_from(["bash", "python", "search"])
TEXT = st.text(max_size=12)


def items() -> st.SearchStrategy[list[Any]]:
    """Chats of OpenAI's, Anthropic's and ShareGPT's spellings, mixed, with what is no message at all."""
    call = st.fixed_dictionaries(
        {
            "id": IDS,
            "function": st.fixed_dictionaries({"name": NAMES, "arguments": st.sampled_from(['{"a": 1}', "{", ""])}),
        }
    )
    block = st.one_of(
        st.fixed_dictionaries({"type": st.just("text"), "text": TEXT}),
        st.fixed_dictionaries({"type": st.just("tool_use"), "id": IDS, "name": NAMES, "input": st.just({"x": 1})}),
        st.fixed_dictionaries({"type": st.just("tool_result"), "tool_use_id": IDS, "content": TEXT}),
    )
    content = st.one_of(TEXT, st.none(), st.lists(block, max_size=3))
    message = st.one_of(
        st.fixed_dictionaries(
            {"role": st.just("assistant"), "content": content}, optional={"tool_calls": st.lists(call, max_size=2)}
        ),
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


_SAID = st.sampled_from(
    ["", "a", "tea\nkettle", "def f(n", "\x1b[1mbold\x1b[0m", "Straße", "\n", "exit code 3", "true"]
)
_ID = st.sampled_from(["a", "b", ""])
_ODD = st.sampled_from([None, 5, True, False, "text", "?", [], ["x"], {}, {"type": 7}, {"a": [1]}, {"annotations": 3}])
_INPUT = st.sampled_from(
    [{}, {"x": 1}, {"a": {"b": ["tea", True, None, 1.5]}}, {"kettle": "a\nb"}, '{"x": 2}', "{", ""]
)
_VALUES = _SAID | _ODD


def _block(kind: str, *names: str, **usual: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A block of a type with its usual keys; one in some has others, or odd values."""
    types = st.sampled_from([kind, *names])
    odd = ("text", "thinking", "reasoning", "summary", "redacted", "refusal", "temporal", "annotations", "signature", "name", "arguments",
           "function", "parse_error", "view", "language", "stands_for", "error", "exit_code", "is_error", "image", "source", "5")  # fmt: skip
    return st.one_of(
        st.fixed_dictionaries({"type": types}, optional=usual),
        st.fixed_dictionaries({"type": types, **usual}),
        st.fixed_dictionaries({"type": types, **usual}),
        st.fixed_dictionaries({"type": types, **usual}).flatmap(
            lambda one: st.dictionaries(st.sampled_from(odd), _VALUES, max_size=2).map(lambda more: {**one, **more})
        ),
    )


_WORDS = _block("text", "input_text", "output_text", text=_SAID)
_SOURCE = st.sampled_from(
    [{"type": "base64", "media_type": "image/png", "data": "AAAA"}, {"url": "tea"}, "tea", {"text": "tea"}]
)
_IMAGE = _block("image", source=_SOURCE) | _block("image_url", "input_image", image_url=_SOURCE)
_THOUGHT = st.one_of(
    _block("thinking", thinking=_SAID, signature=_SAID),
    _block("reasoning", reasoning=_SAID),
    _block("redacted_thinking", data=_SAID),
)
_USE = _block("tool_use", "server_tool_use", id=_ID, name=_SAID, input=_INPUT)
_RESULT = _block(
    "tool_result", "tool-result", tool_use_id=_ID,
    content=_SAID | st.lists(_WORDS | _IMAGE, max_size=3), is_error=st.sampled_from([False, False, True]),
)  # fmt: skip
_BLOCK = st.one_of(_WORDS, _WORDS, _THOUGHT, _USE, _RESULT, _IMAGE, _ODD)
_CALL = st.fixed_dictionaries(
    {"id": _ID, "function": st.fixed_dictionaries({"name": _SAID | st.just("?"), "arguments": _INPUT})}
)
block_messages: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "assistant", "tool", "system"]),
        "content": _SAID | st.lists(_BLOCK, max_size=4),
    },
    optional={
        "id": _ID, "model": _SAID, "tool_call_id": _ID, "tool_calls": st.lists(_CALL, max_size=2), "type": st.just("message"),
    },
).flatmap(
    lambda one: st.one_of(
        st.just(one),
        st.just(one),
        st.dictionaries(
            st.sampled_from(["role", "type", "metadata", "refusal", "thinking", "error", "is_error", "exit_code", "function", "name",
                             "usage", "timestamp", "stop_reason", "value", "parts", "function_call", "recipient", "tool_call_id"]),
            _VALUES | st.sampled_from([{"uuid": "tea"}, {"exit_code": 3}, {"uuid": 1, "invalid_response": True}]), max_size=2,
        ).map(lambda more: {**one, **more}),
    )
)  # fmt: skip
"""Messages whose content is text or blocks of all types, with keys and values that are not as they should be."""

_DOCENTS_CALL = st.fixed_dictionaries(
    {"function": st.sampled_from(["bash", "x"])},
    optional={
        "id": _SAID,
        "arguments": st.dictionaries(_SAID, _VALUES, max_size=2) | _VALUES,
        "type": st.sampled_from(["function", None, "other"]),
        "parse_error": _SAID,
        "more": _VALUES,
    },
)
_DOCENTS_PART = st.sampled_from(
    [{"type": "text", "text": "t"}, {"type": "reasoning", "reasoning": "r"}, {"type": "tool_result", "content": "x"}, "s"]
)  # fmt: skip
docents_messages: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"]), "content": _SAID},
    optional={
        "tool_calls": st.lists(_DOCENTS_CALL, max_size=2), "tool_call_id": _SAID, "id": _SAID | st.none(), "function": _SAID,
        "model": st.sampled_from(["m1", "m2"]),
    },
) | st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["user", "developer", "User", "x", None, 7]),
        "content": _VALUES | st.lists(_DOCENTS_PART, max_size=2), "tool_calls": _VALUES | st.lists(_DOCENTS_CALL | _VALUES, max_size=2),
        "tool_call_id": _VALUES, "model": _VALUES, "metadata": _VALUES, "error": _VALUES, "name": _VALUES, "id": _VALUES,
    },
)  # fmt: skip
"""Messages in Docent's form, and such as Docent would refuse."""
