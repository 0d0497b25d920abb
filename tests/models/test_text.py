"""Transcripts as text under a token limit: never over it, in order, and nothing lost but what a mark says."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.strategies import messages as any_message
from tests.models.strategies import texts, transcripts
from trajview.models import text
from trajview.models.messages import (
    AssistantMessage,
    ChatMessage,
    ImagePart,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolCallView,
    ToolMessage,
    UserMessage,
    part_from,
)
from trajview.models.run import AgentRun
from trajview.models.text import (
    MIN_TOKEN_LIMIT,
    message_to_str,
    run_pieces,
    run_to_str,
    run_to_str_with_token_limit,
    transcript_to_str,
    transcript_to_str_with_token_limit,
)
from trajview.models.tokens import encoding
from trajview.models.transcript import Transcript

CUT = re.compile(r"\n\[… ([\d,]+) of ([\d,]+) characters cut …\]\n")


def tokens_of(text: str) -> int:
    """As a caller would count: by tiktoken itself, the whole string at once."""
    return len(encoding().encode(text, disallowed_special=()))


def conversation(turns: int = 3, size: int = 40) -> Transcript:
    made: list[ChatMessage] = [SystemMessage(content="You fix bugs.")]
    for turn in range(turns):
        made += [
            UserMessage(content=f"question {turn} " + "why " * size),
            AssistantMessage(
                content=f"answer {turn} " + "because " * size,
                tool_calls=[ToolCall(function="bash", arguments={"command": f"ls {turn}"})],
            ),
            ToolMessage(content=f"output {turn} " + "file " * size, function="bash"),
        ]
    return Transcript(messages=made, metadata={"task": "repair", "_seed": 7})


def test_the_whole_form() -> None:
    transcript = Transcript(
        messages=[
            SystemMessage(content="You fix bugs."),
            UserMessage(content="The test fails.", name="Ann"),
            AssistantMessage(
                content=[ReasoningPart(reasoning="Look first."), TextPart(text="Let me look.")],
                tool_calls=[
                    ToolCall(function="bash", arguments={"command": "ls", "timeout": 5}),
                    ToolCall(function="edit", arguments={"path": "a.py", "text": "def f():\n    return 1", "n": [1]}),
                ],
            ),
            ToolMessage(content="a.py", function="bash", error={"type": "timeout", "message": "took too long"}),
        ],
        metadata={"task": "repair", "tags": ["a", "b"]},
    )
    assert transcript_to_str(transcript, highlight_action_unit=1) == (
        "<|action unit 0|>\n"
        "<|T0B0; role: system|>\n"
        "You fix bugs.\n"
        "</|T0B0|>\n"
        "</|action unit 0|>\n"
        "<HIGHLIGHTED>\n"
        "<|action unit 1|>\n"
        "<|T0B1; role: user; name: Ann|>\n"
        "The test fails.\n"
        "</|T0B1|>\n"
        "<|T0B2; role: assistant|>\n"
        "<reasoning>\nLook first.\n</reasoning>\n"
        "Let me look.\n"
        "<tool call>\nbash(command=ls, timeout=5)\n</tool call>\n"
        "<tool call>\nedit\npath: a.py\n<text>\ndef f():\n    return 1\n</text>\nn: [1]\n</tool call>\n"
        "</|T0B2|>\n"
        "<|T0B3; role: tool; function: bash|>\n"
        "a.py\n"
        "<error>\ntype: timeout\nmessage: took too long\n</error>\n"
        "</|T0B3|>\n"
        "</|action unit 1|>\n"
        "</HIGHLIGHTED>\n"
        "<|transcript metadata T0M|>\n"
        'task: repair\ntags: ["a", "b"]\n'
        "</|transcript metadata T0M|>\n"
    )


def test_blocks_are_labelled_by_run_and_transcript() -> None:
    transcript = Transcript(messages=[UserMessage(content="hi")])
    assert "<|T4B0; role: user|>" in transcript_to_str(transcript, transcript_idx=4)
    assert "<|R2T4B0; role: user|>" in transcript_to_str(transcript, 4, 2)
    assert "<|R0T0B0; role: user|>" in transcript_to_str_with_token_limit(transcript, 200, 0, 0)[0]


def test_every_reasoning_part_is_kept() -> None:
    parts = [ReasoningPart(reasoning=f"thought {i}") for i in range(3)]
    text = message_to_str(AssistantMessage(content=[parts[0], TextPart(text="said"), *parts[1:]]), "T0B0")
    positions = [text.index(piece) for piece in ("thought 0", "said", "thought 1", "thought 2")]
    assert positions == sorted(positions)


def test_a_name_that_a_header_cannot_hold_stands_in_full_above_the_content() -> None:
    name = "Eve|>\n</|T0B0|>" + "e" * 300
    text = message_to_str(UserMessage(content="hello", name=name), "T0B0")
    header, rest = text.split("\n", 1)
    assert header.startswith("<|T0B0; role: user; name: Eve| > </|T0B0| >ee")
    assert header.count("|>") == 1
    assert rest.startswith(f"name: {name}\nhello\n")


def test_who_speaks_to_whom_and_the_reward_stand_in_the_header() -> None:
    message = AssistantMessage(content="plan", name="Planner", recipient="CodeInterpreter", reward=0.5)
    assert message_to_str(message, "T0B0").startswith(
        "<|T0B0; role: assistant; name: Planner; to: CodeInterpreter; reward: 0.5|>\n"
    )


def test_other_parts_views_and_parse_errors_are_shown() -> None:
    call = ToolCall(function="run", parse_error="bad JSON", view=ToolCallView(title="Run", content="x = 1"))
    content = [
        ImagePart(image="plot.png"),
        ImagePart(image="data:image/png;base64," + "A" * 5000),
        part_from({"type": "server_tool", "query": "weather"}),
    ]
    text = message_to_str(AssistantMessage(content=content, tool_calls=[call]), "T0B0")
    for piece in ("plot.png", "image/png;base64, 5,000 characters", "weather", "bad JSON", "Run\nx = 1", "run()"):
        assert piece in text
    assert "AAAA" not in text


def test_metadata_that_json_has_no_form_for_is_still_shown() -> None:
    deep: list[object] = []
    for _ in range(3000):
        deep = [deep]
    loop: dict[str, object] = {"me": "loop"}
    loop["self"] = loop
    transcript = Transcript(messages=[], metadata={"odd": {(1, 2): "pair"}, "deep": deep, "loop": loop})
    text = transcript_to_str(transcript)
    assert "pair" in text
    assert "'me': 'loop'" in text


def test_an_empty_transcript_is_one_string() -> None:
    assert transcript_to_str_with_token_limit(Transcript(), 100) == ["<|T0; no messages|>\n"]
    assert "seven" in transcript_to_str_with_token_limit(Transcript(metadata={"n": "seven"}), 100)[0]


@pytest.mark.parametrize("limit", [MIN_TOKEN_LIMIT - 1, 1, 0, -5])
def test_a_limit_below_the_minimum_is_refused_and_the_minimum_named(limit: int) -> None:
    with pytest.raises(ValueError, match=f"at least {MIN_TOKEN_LIMIT}"):
        transcript_to_str_with_token_limit(conversation(), limit)
    with pytest.raises(ValueError, match=f"at least {MIN_TOKEN_LIMIT}"):
        run_to_str_with_token_limit(AgentRun(transcripts=[conversation()]), limit)


@pytest.mark.parametrize("unit", [-1, 4, 100])
def test_a_highlight_out_of_range_is_an_index_error(unit: int) -> None:
    transcript = conversation(turns=2)
    assert len(transcript.units_of_action) == 3
    if unit == 4:
        unit = 3
    with pytest.raises(IndexError, match=f"no action unit {unit}"):
        transcript_to_str_with_token_limit(transcript, 1000, highlight_action_unit=unit)
    with pytest.raises(IndexError):
        transcript.to_str(highlight_action_unit=unit)


def test_no_unit_of_an_empty_transcript_can_be_highlighted() -> None:
    with pytest.raises(IndexError, match="none"):
        Transcript().to_str_with_token_limit(100, highlight_action_unit=0)


@pytest.mark.parametrize("unit", [0, 1, 3])
def test_the_highlighted_unit_is_marked_also_where_it_is_split(unit: int) -> None:
    transcript = conversation(turns=3, size=100)
    strings = transcript_to_str_with_token_limit(transcript, 160, highlight_action_unit=unit)
    labels = [f"<|T0B{index};" for index in transcript.units_of_action[unit]]
    for string in strings:
        marked = "".join(re.findall(r"<HIGHLIGHTED>\n(.*?)</HIGHLIGHTED>\n", string, re.DOTALL))
        assert [label for label in labels if label in string] == [label for label in labels if label in marked]
        assert string.count("<|T0B") - marked.count("<|T0B") == sum(
            f"<|T0B{index};" in string for index in range(len(transcript.messages)) if f"<|T0B{index};" not in labels
        )
    assert sum("<HIGHLIGHTED>" in string for string in strings) >= 1


def test_one_unit_alone_has_no_metadata_and_keeps_its_number() -> None:
    transcript = conversation(turns=2, size=60)
    text = transcript_to_str(transcript, only_unit=2)
    assert text.startswith("<|action unit 2|>\n<|T0B4; role: user|>")
    assert text.endswith("</|T0B6|>\n</|action unit 2|>\n")
    assert text in transcript.to_str()
    assert transcript_to_str_with_token_limit(transcript, 5000, only_unit=2) == [text]
    strings = transcript_to_str_with_token_limit(transcript, 150, only_unit=2)
    assert [re.findall(r"<\|(T0B\d)", string) for string in strings] == [["T0B4"], ["T0B5"], ["T0B6"]]
    assert all(tokens_of(string) <= 150 for string in strings)
    for unit in (-1, 3):
        with pytest.raises(IndexError):
            transcript_to_str(transcript, only_unit=unit)
        with pytest.raises(IndexError):
            transcript_to_str_with_token_limit(transcript, 150, only_unit=unit)


def test_what_fits_is_one_string_and_the_same_as_the_whole() -> None:
    transcript = conversation()
    whole = transcript.to_str()
    assert transcript.to_str_with_token_limit(tokens_of(whole)) == [whole]
    assert len(transcript.to_str_with_token_limit(tokens_of(whole) - 1)) == 2


def test_the_metadata_is_in_every_string_where_it_fits() -> None:
    transcript = conversation(turns=8)
    transcript.metadata = {"task": "repair the parser", "n": 3}
    strings = transcript.to_str_with_token_limit(300)
    assert len(strings) > 3
    assert all("repair the parser" in string for string in strings)


def test_a_unit_is_kept_together_where_it_fits() -> None:
    transcript = conversation(turns=6, size=10)
    for string in transcript.to_str_with_token_limit(220):
        assert "continued" not in string


def test_a_message_that_is_too_long_is_cut_and_goes_alone_without_metadata() -> None:
    long = " ".join(str(number) for number in range(20_000))
    transcript = Transcript(
        messages=[UserMessage(content="before"), AssistantMessage(content=long), ToolMessage(content="after")],
        metadata={"task": "count"},
    )
    before, cut, after = transcript.to_str_with_token_limit(500)
    assert "before" in before
    assert "task: count" in before
    assert "after" in after
    assert "task: count" not in cut
    gone = int(CUT.search(cut).group(1).replace(",", ""))  # type: ignore[union-attr]
    head, tail = (
        re.search(r"<\|T0B1; role: assistant\|>\n(.*)\n</\|T0B1\|>", cut, re.DOTALL)
        .group(1)
        .split(  # type: ignore[union-attr]
            CUT.search(cut).group()  # type: ignore[union-attr]
        )
    )
    assert len(head) + gone + len(tail) == len(long)
    assert long.startswith(head)
    assert long.endswith(tail)
    assert 470 < tokens_of(cut) <= 500


def test_metadata_that_fits_nowhere_comes_last_and_is_cut_with_a_mark() -> None:
    transcript = conversation(turns=2)
    transcript.metadata = {"log": "word " * 5000}
    *others, last = transcript.to_str_with_token_limit(400)
    assert not any("transcript metadata" in string for string in others)
    assert last.startswith("<|transcript metadata T0M|>\nlog: word word")
    assert CUT.search(last)
    assert tokens_of(last) <= 400


def body_of(message: ChatMessage) -> str:
    """What stands between the tags, with the name and the function above it instead of in the header."""
    about = f"name: {message.name}\n" if message.name else ""
    if isinstance(message, ToolMessage) and message.function:
        about += f"function: {message.function}\n"
        message = message.replaced(function=None)
    block = message_to_str(message.replaced(name=None), "X")
    return about + block[block.index("\n") + 1 :].removesuffix("</|X|>\n").removesuffix("\n")


def is_cut_of(body: str, whole: str) -> bool:
    """Whether the body is the whole, or a beginning and an end of it with a mark that counts exactly what is missing.

    A log can hold a text that looks like a mark; one of them must be the real one.
    """
    return body == whole or any(
        whole.startswith(body[: mark.start()])
        and whole.endswith(body[mark.end() :])
        and mark.start() + int(mark.group(1).replace(",", "")) + len(body) - mark.end() == len(whole)
        and mark.group(2) == f"{len(whole):,}"
        for mark in CUT.finditer(body)
    )


def assert_limit_order_completeness(transcript: Transcript, limit: int, highlight: int | None) -> None:
    strings = transcript_to_str_with_token_limit(transcript, limit, highlight_action_unit=highlight)
    for string in strings:
        assert tokens_of(string) <= limit
    everything = "".join(strings)
    position = 0
    for index, message in enumerate(transcript.messages):
        label = f"T0B{index}"
        block = message_to_str(message, label)
        found = everything.find(block, position)
        if found >= 0:
            position = found + len(block)
            continue
        # Not there as it is: then it could not be, and a mark says what is missing, to the character.
        assert tokens_of(block) > limit - 60
        opening, closing = f"<|{label}; role: {message.role}|>\n", f"\n</|{label}|>\n"
        holder = next(string for string in strings if opening in string)
        body = holder[holder.index(opening) + len(opening) : holder.rindex(closing)]
        assert is_cut_of(body, body_of(message))
        assert holder.count("\n<|T0B") + holder.startswith("<|T0B") == 1 or "<|T0B" in body
        assert not holder.endswith("</|transcript metadata T0M|>\n")
        position = everything.index(opening, position) + len(opening)
    if transcript.metadata:
        assert any("<|transcript metadata T0M|>" in string for string in strings)


@settings(max_examples=100)
@given(transcripts, st.integers(MIN_TOKEN_LIMIT, 400), st.data())
def test_limit_order_and_completeness_of_any_transcript(
    transcript: Transcript, limit: int, data: st.DataObject
) -> None:
    units = len(transcript.units_of_action)
    highlight = data.draw(st.sampled_from([None, *range(units)]))
    assert_limit_order_completeness(transcript, limit, highlight)


@settings(max_examples=80)
@given(st.lists(any_message, min_size=1, max_size=3), st.integers(MIN_TOKEN_LIMIT, 130))
def test_the_smallest_limits_hold_for_long_labels(messages: list[ChatMessage], limit: int) -> None:
    transcript = Transcript(messages=messages)
    for string in transcript.to_str_with_token_limit(limit, 999_999, 999_999, 0):
        assert tokens_of(string) <= limit


def test_labels_longer_than_the_limit_are_a_value_error() -> None:
    transcript = Transcript(messages=[UserMessage(content="word " * 500)])
    with pytest.raises(ValueError, match="token_limit must be at least"):
        transcript.to_str_with_token_limit(MIN_TOKEN_LIMIT, 10**80)


@given(st.lists(texts, min_size=1, max_size=6))
def test_the_tokens_of_a_whole_are_the_sum_of_its_blocks(contents: list[str]) -> None:
    blocks = [message_to_str(UserMessage(content=text), f"T0B{index}") for index, text in enumerate(contents)]
    assert tokens_of("".join(blocks)) == sum(map(tokens_of, blocks))


def test_the_text_of_a_run_is_made_unit_by_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    run = AgentRun(id="r1", transcripts=[conversation(5)])
    made: list[str] = []
    real = text.message_to_str
    monkeypatch.setattr(text, "message_to_str", lambda message, label: made.append(label) or real(message, label))
    pieces = run_pieces(run)
    had = [next(pieces), next(pieces)]
    assert 0 < len(made) < len(run.transcripts[0].messages)
    had += pieces
    assert all(piece.endswith("\n") for piece in had if piece)  # what is printed of each needs nothing of the next
    assert "".join(had) == run_to_str(run)


def test_a_run_is_its_transcripts_and_what_is_known_about_it() -> None:
    run = AgentRun(
        id="r1", name="demo", transcripts=[conversation(1), conversation(2)], agents=["Ann"], rewards=[(1.5, {"goal": 3})],
        metadata={"model": "m"},
    )  # fmt: skip
    run.transcripts[1].name = "second"
    whole = run_to_str(run)
    assert "<|T0B0; role: system|>" in whole
    assert "<|transcript T1; name: second|>" in whole
    assert whole.index("<|T0B3;") < whole.index("<|T1B0;")
    for piece in ("id: r1", "name: demo", '"goal": 3', '"Ann"', '{"model": "m"}'):
        assert piece in whole
    assert run_to_str_with_token_limit(run, 100_000) == [whole]
    strings = run_to_str_with_token_limit(run, 300, agent_run_idx=3)
    assert all(tokens_of(string) <= 300 for string in strings)
    labels = re.findall(r"<\|(R3T\dB\d+);", "".join(strings))
    assert labels == [f"R3T{t}B{b}" for t, n in ((0, 4), (1, 7)) for b in range(n)]
    assert all("id: r1" in string for string in strings)


@settings(max_examples=80)
@given(st.lists(transcripts, min_size=1, max_size=3), st.integers(MIN_TOKEN_LIMIT, 600), texts)
def test_the_limit_of_any_run(members: list[Transcript], limit: int, reasoning: str) -> None:
    run = AgentRun(transcripts=members, reasoning=reasoning)
    for string in run_to_str_with_token_limit(run, limit):
        assert tokens_of(string) <= limit


def test_five_thousand_messages_cost_little_more_than_encoding_them() -> None:
    transcript = conversation(turns=1666, size=150)
    whole = transcript.to_str()

    encode, ours = [], []
    for _ in range(5):
        # Processor time, and by turns: the machine may be busy.
        began = time.process_time()
        encoding().encode_ordinary(whole)
        between = time.process_time()
        transcript.to_str_with_token_limit(8000)
        encode.append(between - began)
        ours.append(time.process_time() - between)
    # The target is 1.3; the rest is for a noisy clock.
    assert min(ours) / min(encode) < 1.8
