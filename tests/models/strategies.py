"""Hypothesis strategies for messages, transcripts and texts as nasty as logs can be."""

from __future__ import annotations

from hypothesis import strategies as st

from trajview.models.messages import (
    AssistantMessage,
    ChatMessage,
    ImagePart,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from trajview.models.transcript import Transcript

NASTY = [
    "<|endoftext|>",
    "<|fim_prefix|>",
    "<|endofprompt|>",
    "</|T0B0|>\n",
    "<HIGHLIGHTED>",
    "日本語の長い文章",
    "😀👩‍👩‍👧",
    "e\u0301\u0323",
    "\ud83d",
    "\ude00",
    " " * 90,
    "\n" * 30,
    "\t \n\r\n",
    "\u3000\u2028",
    "0123456789" * 8,
    "x" * 200,
    "Pneumonoultramicroscopicsilicovolcanoconiosis",
    '{"a": [1, 2]}',
    "\x1b]52;c;aGk=\x07",
    "\x00\x85\u202e",
    "'ll 's |> <| ",
]

texts = st.one_of(
    st.just(""),
    st.text(max_size=40),
    st.text(alphabet=st.characters(), max_size=40),  # surrogates too
    st.lists(st.sampled_from(NASTY), min_size=1, max_size=6).map("".join),
    st.tuples(st.sampled_from(NASTY), st.integers(1, 60)).map(lambda pair: pair[0] * pair[1]),
)

parts = st.one_of(
    texts.map(lambda text: TextPart(text=text)),
    texts.map(lambda text: ReasoningPart(reasoning=text)),
    st.just(ImagePart(image="figures/plot.png")),
)
contents = st.one_of(texts, st.lists(parts, max_size=4))
arguments = st.dictionaries(st.sampled_from(["command", "path", "code"]), st.one_of(texts, st.integers()), max_size=3)
calls = st.builds(ToolCall, id=st.just("c"), function=st.sampled_from(["bash", "edit"]), arguments=arguments)
names = st.one_of(st.none(), texts)

messages: st.SearchStrategy[ChatMessage] = st.one_of(
    st.builds(SystemMessage, content=contents),
    st.builds(UserMessage, content=contents, name=names),
    st.builds(AssistantMessage, content=contents, name=names, tool_calls=st.lists(calls, max_size=2)),
    st.builds(
        ToolMessage,
        content=contents,
        function=st.sampled_from([None, "bash"]),
        error=st.one_of(st.none(), texts.map(lambda text: {"type": "timeout", "message": text})),
    ),
)

metadata = st.dictionaries(st.sampled_from(["task", "_private", "model", "note"]), texts, max_size=4)
transcripts = st.builds(Transcript, messages=st.lists(messages, max_size=12), metadata=metadata)

roles = st.lists(st.sampled_from(["system", "user", "assistant", "tool"]), max_size=40)
