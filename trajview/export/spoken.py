"""The common part of the chat formats: a message's content as reasoning, text and the rest, and the ids of calls."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field

from trajview.models.messages import (
    AssistantMessage,
    AudioPart,
    ChatMessage,
    ImagePart,
    OtherPart,
    ReasoningPart,
    TextPart,
    ToolMessage,
    UserMessage,
    VideoPart,
)
from trajview.models.run import AgentRun

from .exported import Lost

__all__ = ["Shown", "Spoken", "answers", "lost_of_message", "lost_of_run", "spoken", "stand_in"]

Shown = TextPart | ImagePart | AudioPart | VideoPart | OtherPart


@dataclass(slots=True)
class Spoken:
    """A message's content: its reasoning as one text, and the parts that others hear."""

    reasoning: str = ""
    parts: list[Shown] = field(default_factory=list)


def spoken(message: ChatMessage, place: str, lost: Lost) -> Spoken:
    """A message's content for a format that has one reasoning per message, before the text."""
    found = Spoken()
    thoughts: list[str] = []
    for part in message.parts:
        if isinstance(part, ReasoningPart):
            if part.signature or part.redacted or part.extras or part.summary:
                lost.of(place, "signatures and other marks of reasoning")
            if part.readable:
                thoughts.append(part.readable)
                if len(thoughts) > 1 or found.parts:
                    lost.of(place, "places and borders of pieces of reasoning")
        elif isinstance(part, TextPart):
            if part.temporal or part.extras:
                lost.of(place, "remarks on pieces of text")
            if part.text:
                found.parts.append(part)
        else:
            found.parts.append(part)
    found.reasoning = "\n\n".join(thoughts)
    error = message.error if isinstance(message, ToolMessage) else None
    if error:
        said = error.get("message")
        if not found.parts and isinstance(said, str) and said:
            found.parts.append(TextPart(text=said))
            lost.of(place, "errors", "written as what the tool answered")
        else:
            lost.of(place, "errors")
    return found


def stand_in(part: Shown) -> str:
    """A text in the place of a part that a format cannot hold: what it is, and where."""
    target = getattr(part, part.type, "") if part.type in ("image", "audio", "video") else ""
    if isinstance(target, str) and target.startswith("data:"):
        target = target.split(",", 1)[0]
    return f"[{part.type}: {target}]" if target else f"[{part.type}]"


def lost_of_message(message: ChatMessage, place: str, lost: Lost, held: Iterable[str] = ()) -> None:
    """Name the fields of a message that a format does not hold."""
    held = set(held)
    fields = {
        "id": "ids", "name": "speakers' names", "recipient": "recipients", "timestamp": "times", "reward": "rewards",
        "usage": "token counts", "metadata": "metadata", "model": "models' names", "citations": "citations",
        "suggested_messages": "suggested messages",
    }  # fmt: skip
    for name, what in fields.items():
        value = getattr(message, name, None)
        if name not in held and value is not None and value != {} and value != []:
            lost.of(place, what)
    if isinstance(message, UserMessage) and message.tool_call_id:
        lost.of(place, "links to tool calls")
    if isinstance(message, AssistantMessage):
        for call in message.tool_calls or ():
            if call.view is not None or call.extras:
                lost.of(place, "views and other remarks on tool calls")


_MANY = {"metadata", "rewards", "groups of transcripts"}


def lost_of_run(run: AgentRun, lost: Lost, held: Iterable[str] = ()) -> None:
    """Name the parts of a run, apart from its messages, that a format does not hold."""
    held = set(held)
    for name, what in (
        ("name", "name"), ("description", "description"), ("metadata", "metadata"), ("agents", "list of agents"),
        ("rewards", "rewards"), ("reasoning", "evaluator's reasoning"), ("transcript_groups", "groups of transcripts"),
    ):  # fmt: skip
        if name not in held and getattr(run, name):
            lost.say(f"The run's {what} {'are' if what in _MANY else 'is'} left out.")
    if len(run.transcripts) > 1:
        lost.say(f"That its {len(run.transcripts)} transcripts are one run: each is a record of its own.")
    if any(each.name or each.description or each.created_at or each.metadata for each in run.transcripts):
        lost.say("The names, descriptions, times and metadata of transcripts are left out.")
    if any(each.units is not None for each in run.transcripts):
        lost.say("The action units that the source named are left out; readers count them by role.")


def answers(
    numbered: Callable[[], Iterable[tuple[str, ChatMessage]]], lost: Lost
) -> tuple[list[list[str]], list[str | None]]:
    """The ids of each message's calls, and of the call that it answers: the log's, else made up and by position.

    `numbered` gives the messages, as often as it is called.
    """
    taken: set[str] | None = None
    ids: list[list[str]] = []
    answered: list[str | None] = []
    waiting: list[str] = []
    for place, message in numbered():
        own: list[str] = []
        link: str | None = None
        if isinstance(message, AssistantMessage) and message.tool_calls:
            for number, call in enumerate(message.tool_calls):
                if not call.id and taken is None:
                    taken = _ids_of_calls(numbered())
                own.append(call.id or _free_id(f"call_{place}_{number}", taken or ()))
            waiting = list(own)
        elif isinstance(message, ToolMessage):
            link = message.tool_call_id or (waiting[0] if waiting else None)
            if link is None:
                lost.of(place, "roles (a tool's answer to no call, which strict readers refuse)", "kept all the same")
            elif link in waiting:
                waiting.remove(link)
        elif isinstance(message, UserMessage):
            waiting = []
        ids.append(own)
        answered.append(link)
    return ids, answered


def _ids_of_calls(numbered: Iterable[tuple[str, ChatMessage]]) -> set[str]:
    return {call.id for _, m in numbered if isinstance(m, AssistantMessage) for call in m.tool_calls or ()}


def _free_id(name: str, taken: Container[str]) -> str:
    while name in taken:
        name += "_"
    return name
