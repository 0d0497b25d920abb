"""What differs between a run and what was read back of its export, in the words by which an export names its losses."""

from __future__ import annotations

from collections.abc import Iterator

from trajview.models.messages import AssistantMessage, ChatMessage, ReasoningPart, TextPart, ToolMessage, UserMessage
from trajview.models.run import AgentRun

FIELDS = {
    "id": ("ids",),
    "name": ("speakers' names",),
    "recipient": ("recipients",),
    "timestamp": ("times",),
    "reward": ("rewards",),
    "usage": ("token counts",),
    "metadata": ("metadata",),
    "model": ("models' names",),
}
OF_RUN = ("name", "description", "agents", "rewards", "reasoning", "transcript_groups", "metadata")


def differing(message: ChatMessage, again: ChatMessage) -> Iterator[tuple[str, ...]]:
    """For each difference the words of which one must be in what is named as lost."""
    assert again.role == message.role
    for name, words in FIELDS.items():
        before = getattr(message, name, None)
        if before not in (None, {}, "") and getattr(again, name, None) != before:
            yield words
    if spoken(message) != spoken(again):
        yield ("named in text", "borders of pieces of text", "errors", "remarks", "written as text")
    if [kind for kind, _ in media(message)] and media(message) != media(again):
        yield ("named in text", "places of images")
    if thoughts(message) != thoughts(again):
        yield ("reasoning",)
    if isinstance(message, ToolMessage):
        if message.error != again.error:
            yield ("errors",)
        if message.function is not None and again.function != message.function:
            yield ("functions' names",)
        if message.tool_call_id and again.tool_call_id != message.tool_call_id:
            yield ("links",)
    if isinstance(message, UserMessage) and message.tool_call_id and again.tool_call_id != message.tool_call_id:
        yield ("links",)
    if isinstance(message, AssistantMessage):
        assert isinstance(again, AssistantMessage)
        calls, calls_again = message.tool_calls or [], again.tool_calls or []
        assert [call.function for call in calls] == [call.function for call in calls_again]
        for call, call_again in zip(calls, calls_again, strict=True):
            if call.arguments != call_again.arguments:
                yield ("faults",)
            if bool(call.parse_error) != bool(call_again.parse_error):
                yield ("faults",)
            if call.language != call_again.language:
                yield ("languages",)
            if call.id and call.id != call_again.id:
                yield ("ids of tool calls",)


def spoken(message: ChatMessage) -> list[tuple[str, bool]]:
    """The texts that others hear."""
    return [(part.text, bool(part.refusal)) for part in message.parts if isinstance(part, TextPart) and part.text]


def media(message: ChatMessage) -> list[tuple[str, str]]:
    found = [part for part in message.parts if not isinstance(part, TextPart | ReasoningPart)]
    return [(part.type, getattr(part, part.type, "")) for part in found]


def thoughts(message: ChatMessage) -> list[str]:
    return [thought for thought in message.reasoning if thought]


def differing_of_run(run: AgentRun, again: AgentRun) -> Iterator[tuple[str, ...]]:
    """The same for what a run has beside its messages."""
    for name in OF_RUN:
        before = getattr(run, name)
        if before and getattr(again, name) != before:
            yield ({"transcript_groups": "groups of transcripts", "agents": "agents"}.get(name, name),)


def named(needed: Iterator[tuple[str, ...]], lost: list[str]) -> None:
    """All of the differences are named."""
    for words in needed:
        assert any(word in sentence for word in words for sentence in lost), (words, lost)
