"""A run as OpenAI chat JSONL: a line `{"id", "messages"}` per transcript, as the API and what learns from its logs want.

Reasoning stands beside the content as `reasoning_content`, as most servers of that API write it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from trajview.models.messages import (
    AssistantMessage,
    AudioPart,
    ChatMessage,
    ImagePart,
    TextPart,
    ToolCall,
    ToolMessage,
)
from trajview.models.run import AgentRun

from .exported import Exported, Lost, Part, cut, parts_of_run, placed
from .json_text import json_line, json_list, json_text, line_of
from .spoken import Shown, answers, lost_of_message, lost_of_run, spoken, stand_in

__all__ = ["export_openai"]

_NAME: Final = re.compile(r"[^\s<|\\/>]{1,64}")
"""Matches the names that OpenAI's API takes."""
_URL: Final = re.compile(r"(?:https?|data):", re.IGNORECASE)
_SOUND: Final = re.compile(r"data:audio/(wav|mp3);base64,([A-Za-z0-9+/=]*)")


def export_openai(run: AgentRun, part: Part | None = None) -> Exported:
    """Export a run, or a part of it, with a transcript a line; of several, the ids are `<run>/<number>`."""
    lost = Lost()
    lost_of_run(run if part is None else cut(run, part), lost)
    return Exported(_lines(run, part, lost), lost)


def _lines(run: AgentRun, part: Part | None, lost: Lost) -> Iterator[str]:
    several = part is None and len(run.transcripts) > 1
    for index, transcript in parts_of_run(run, part):
        id = f"{run.id}/{index}" if several else run.id
        yield from line_of(_line(id, partial(placed, transcript, index, part), lost), lost)
        yield "\n"


def _line(id: str, numbered: Callable[[], Iterator[tuple[str, ChatMessage]]], lost: Lost) -> Iterator[str]:
    """A transcript in pieces of JSON; `numbered` gives its messages, as often as it is called."""
    ids, answered = answers(numbered, lost)
    functions: dict[str, str] = {}
    messages = (
        _message(message, place, own, link, functions, lost)
        for (place, message), own, link in zip(numbered(), ids, answered, strict=True)
    )
    yield f'{{"id": {json_text(id, lost)}, "messages": '
    yield from json_list(messages, lost, depth=2)
    yield "}"


def _message(
    message: ChatMessage, place: str, ids: list[str], link: str | None, functions: dict[str, str], lost: Lost
) -> dict[str, Any]:
    said = spoken(message, place, lost)
    data: dict[str, Any] = {"role": message.role}
    takes_name = message.name is not None and message.role != "tool" and _NAME.fullmatch(message.name)
    if takes_name:
        data["name"] = message.name
    lost_of_message(message, place, lost, ("name",) if takes_name else ())
    data["content"] = _content(said.parts, message.role, place, lost)
    if said.reasoning:
        data["reasoning_content"] = said.reasoning
        if message.role != "assistant":
            lost.of(place, "pieces of reasoning by others than the assistant", "kept under a key that the API refuses")
    if isinstance(message, AssistantMessage) and message.tool_calls:
        data["content"] = data["content"] or None
        data["tool_calls"] = [
            _call(call, name, place, lost) for call, name in zip(message.tool_calls, ids, strict=True)
        ]
        functions.update(zip(ids, (call.function for call in message.tool_calls), strict=True))
    elif isinstance(message, ToolMessage):
        if link is not None:
            data["tool_call_id"] = link
        if message.function is not None and functions.get(link or "") != message.function:
            lost.of(place, "functions' names")
    return data


def _content(parts: list[Shown], role: str, place: str, lost: Lost) -> str | list[dict[str, Any]]:
    if len(parts) == 1 and isinstance(parts[0], TextPart) and not parts[0].refusal:
        return parts[0].text
    return [_part(part, role, place, lost) for part in parts] or ""


def _part(part: Shown, role: str, place: str, lost: Lost) -> dict[str, Any]:
    """A part as the API has it: text and refusals, and from users images by URL and sounds by their bytes."""
    if isinstance(part, TextPart):
        if part.refusal and role == "assistant":
            return {"type": "refusal", "refusal": part.text}
        if part.refusal:
            lost.of(place, "remarks on pieces of text")
        return {"type": "text", "text": part.text}
    if role == "user" and isinstance(part, ImagePart) and _URL.match(part.image):
        if part.annotations or part.extras:
            lost.of(place, "remarks on images")
        return {"type": "image_url", "image_url": {"url": part.image}}
    if role == "user" and isinstance(part, AudioPart) and (sound := _SOUND.fullmatch(part.audio)):
        if part.extras:
            lost.of(place, "remarks on sounds")
        return {"type": "input_audio", "input_audio": {"data": sound[2], "format": sound[1]}}
    what = {"image": "images", "audio": "sounds", "video": "videos"}.get(part.type, f"parts of type {part.type!r}")
    lost.of(place, what, "named in text")
    return {"type": "text", "text": stand_in(part)}


def _call(call: ToolCall, name: str, place: str, lost: Lost) -> dict[str, Any]:
    raw = call.arguments.get("_raw")
    if call.parse_error and isinstance(raw, str) and len(call.arguments) == 1:
        arguments = raw  # keep the model's text, with its fault
    else:
        arguments = json_line(call.arguments, lost)
        if call.parse_error:
            lost.of(place, "faults of tool calls")
    if call.language is not None:
        lost.of(place, "languages of code in tool calls")
    return {"id": name, "type": "function", "function": {"name": call.function, "arguments": arguments}}
