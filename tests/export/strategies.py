"""Random runs for the exports: all that the reading model holds, and texts as nasty as logs can be."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from tests.models.strategies import messages, metadata, names, texts
from trajview.models.messages import (
    AssistantMessage,
    AudioPart,
    ChatMessage,
    ImagePart,
    OtherPart,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript, TranscriptGroup

json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=5,
)
extras = st.dictionaries(st.text(max_size=8), json_values, max_size=3)
numbers = st.one_of(st.none(), st.floats(-10, 10).map(lambda value: round(value, 3)))
ids = st.one_of(st.none(), st.sampled_from(["a", "b", "msg 1"]))
call_ids = st.sampled_from(["", "c", "d", "e"])

parts = st.one_of(
    texts.map(lambda text: TextPart(text=text)),
    st.builds(TextPart, text=texts, refusal=st.booleans(), temporal=st.sampled_from([None, True])),
    st.builds(
        ReasoningPart,
        reasoning=texts,
        signature=st.sampled_from([None, "sig"]),
        redacted=st.sampled_from([None, False, True]),
        summary=st.sampled_from([None, "in short"]),
    ),
    st.sampled_from([
        ImagePart(image="figures/plot.png"),
        ImagePart(image="https://example.org/a.png"),
        ImagePart(image="data:image/png;base64,AAAA"),
        AudioPart(audio="data:audio/wav;base64,AAAA"),
        AudioPart(audio="a.ogg"),
        OtherPart(type="hologram"),
    ]),
)  # fmt: skip
contents = st.one_of(texts, st.lists(parts, max_size=4))
arguments = st.dictionaries(st.sampled_from(["command", "path", "code"]), json_values, max_size=3)
calls = st.one_of(
    st.builds(ToolCall, id=call_ids, function=st.sampled_from(["bash", "edit"]), arguments=arguments),
    st.builds(
        ToolCall,
        id=call_ids,
        function=st.just("python"),
        arguments=texts.map(lambda code: {"code": code}),
        language=st.just("python"),
    ),
    st.builds(
        ToolCall,
        id=call_ids,
        function=st.just("bash"),
        arguments=st.just({"_raw": "{not json"}),
        parse_error=st.just("not JSON"),
    ),
)
common = {
    "id": ids,
    "content": contents,
    "metadata": extras,
    "name": names,
    "recipient": ids,
    "timestamp": st.sampled_from([None, "2026-01-02T03:04:05Z"]),
    "reward": numbers,
    "usage": st.sampled_from([None, {"total_tokens": 7}]),
}
any_messages: st.SearchStrategy[ChatMessage] = st.one_of(
    messages,
    st.builds(SystemMessage, **common),
    st.builds(UserMessage, **common, tool_call_id=st.sampled_from([None, ["c"]])),
    st.builds(
        AssistantMessage,
        **common,
        model=st.sampled_from([None, "m-1"]),
        tool_calls=st.one_of(st.none(), st.lists(calls, max_size=2)),
    ),
    st.builds(
        ToolMessage,
        **common,
        tool_call_id=st.one_of(st.none(), call_ids),
        function=st.sampled_from([None, "bash"]),
        error=st.sampled_from([None, {"message": "no"}, {"type": "timeout", "code": 3}]),
    ),
)


@st.composite
def any_transcripts(draw: st.DrawFn) -> Transcript:
    found = draw(st.lists(any_messages, max_size=8))
    units = [[i] for i in range(len(found))] if draw(st.booleans()) and found else None
    return Transcript(messages=found, metadata=draw(metadata), name=draw(ids), units=units)


rewards = st.one_of(
    st.none(),
    st.lists(
        st.one_of(st.floats(-5, 5), st.tuples(st.floats(-5, 5), st.dictionaries(st.text(max_size=5), st.floats(-5, 5), max_size=2))),
        min_size=1, max_size=2,
    ),
)  # fmt: skip
any_runs = st.builds(
    AgentRun,
    id=st.one_of(st.sampled_from(["r", "a b/c"]), st.text(min_size=1, max_size=8)),
    name=ids,
    description=ids,
    transcripts=st.lists(any_transcripts(), min_size=1, max_size=3),
    transcript_groups=st.sampled_from([[], [TranscriptGroup(id="g", name="G")]]),
    metadata=st.one_of(metadata, extras),
    agents=st.sampled_from([None, ["Ann"], ["Ann", "Bob"]]),
    rewards=rewards,
    reasoning=ids,
    source_format=st.just("docent"),
)


def _as_logged(run: AgentRun) -> AgentRun:
    """The run as one that was read from JSON, where two halves of a character are the character."""
    return AgentRun.from_docent(json.loads(json.dumps(run.to_docent())))


runs = any_runs.map(_as_logged)
