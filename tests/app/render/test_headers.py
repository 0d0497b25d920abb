"""Headers of action units, and their labels in the outline."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from trajview.app.render.headers import first_words, sign_of, unit_header
from trajview.highlight import Highlight
from trajview.models.messages import (
    AssistantMessage,
    ChatMessage,
    ImagePart,
    ReasoningPart,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from trajview.models.transcript import Transcript


def one_unit(*messages: ChatMessage) -> Transcript:
    return Transcript(messages=list(messages), units=[list(range(len(messages)))])


def reason(source: str, text: str = "why") -> Highlight:
    return Highlight(0, 0, source, text)  # type: ignore[arg-type]


def test_a_header_tells_who_speaks_in_turn_and_what_happened() -> None:
    turn = one_unit(
        AssistantMessage(content="", reward=0.25, tool_calls=[ToolCall(function="a"), ToolCall(function="b")]),
        ToolMessage(content="", name="bash"),
        ToolMessage(content=""),
        AssistantMessage(content="", name="Ada", reward=0.25),
    )
    line = unit_header(turn, 0, [])
    assert line.text == " 0  assistant → tool ×2 → Ada  2 calls · reward 0.5"
    assert [(line.text[a:b], name) for a, b, name in line.spans] == [
        (" 0 ", "unit.number"), (" assistant → tool ×2 → Ada", "unit.roles"), ("  2 calls · reward 0.5", "unit.facts"),
    ]  # fmt: skip
    assert line.right is None


def test_a_long_chain_of_speakers_is_cut() -> None:
    turn = one_unit(*(UserMessage(content="", name=f"n{i}") for i in range(9)))
    assert unit_header(turn, 0, []).text.strip() == "0  n0 → n1 → n2 → n3 → n4 → n5 → …"


def test_the_gravest_reason_gives_the_sign_and_is_told_first() -> None:
    turn = one_unit(UserMessage(content=""))
    reasons = [reason("rule", "a\nb"), reason("error", "bad"), reason("error", "bad"), reason("unit", "named")]
    assert unit_header(turn, 0, reasons).right == ("✗ bad; a b +1", "error")
    assert unit_header(turn, 0, [reason("error", "bad"), reason("mark")]).right == ("✗ bad; ⚑ why", "error")
    assert unit_header(turn, 0, [reason("rule")], marked=True).right == ("⚑ ● why", "hit")
    assert unit_header(turn, 0, [reason("mark")], marked=True).right == ("⚑ why", "mark")


@pytest.mark.parametrize(
    ("sources", "sign"),
    [((), " "), (("mark",), "⚑"), (("mark", "search"), "●"), (("citation", "unit"), "◆"), (("search", "error"), "✗")],
)
def test_one_sign_stands_for_all_reasons(sources: tuple[str, ...], sign: str) -> None:
    assert sign_of([reason(source) for source in sources])[0] == sign


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([SystemMessage(content=" be\n kind ")], "be kind"),
        ([UserMessage(content="hi", name="Ada")], "Ada: hi"),
        (
            [AssistantMessage(content="", tool_calls=[ToolCall(function="ls", arguments={"n": 1, "path": "/x\n"})])],
            "▸ ls /x",
        ),
        ([ToolMessage(content="result"), AssistantMessage(content="then")], "then"),
        ([AssistantMessage(content="go", tool_calls=[ToolCall(function=f) for f in "abcd"])], "go  ▸ a, b, c"),
        ([AssistantMessage(content="## Plan\n- **first** `x`")], "Plan first x"),
        ([ToolMessage(content="result")], "result"),
        ([AssistantMessage(content=[ReasoningPart(reasoning="hm")])], "hm"),
        ([UserMessage(content="")], "(empty)"),
        ([ToolMessage(content=[ImagePart(image="a.png")])], "▣ image"),
        ([UserMessage(content="\x1b[31m\x00")], "␀"),
    ],
)
def test_a_label_is_what_is_said_first(messages: list[ChatMessage], said: str) -> None:
    assert first_words(one_unit(*messages), 0) == said


def test_a_label_is_short_however_long_the_text() -> None:
    assert len(first_words(one_unit(UserMessage(content="word " * 100_000)), 0)) == 120


def test_first_words_ask_for_no_message_after_the_one_that_says_them() -> None:
    asked: list[int] = []

    class Asked(list[ChatMessage]):
        def __getitem__(self, index: Any) -> Any:
            asked.append(index)
            return super().__getitem__(index)

    transcript = one_unit(UserMessage(content="what to do"), AssistantMessage(content="this"))
    transcript = replace(transcript, messages=Asked(transcript.messages))
    assert first_words(transcript, 0) == "what to do"
    assert asked == [0]
