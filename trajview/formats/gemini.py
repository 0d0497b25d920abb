"""Gemini's `contents`: turns of `user` and `model` whose parts are texts, thoughts, calls of functions and their answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .base import Detection, Origin
from .chat_format import Chat, ChatFormat, chat_of, message_item, messages_under
from .line_format import failure
from .plain import as_text, is_list, not_an_object, put, text_or_none
from .roles import sample

__all__ = ["FORMAT", "Gemini", "answer_of", "messages_of_turn"]

_PARTS = frozenset({
    "text", "functionCall", "functionResponse", "inlineData", "fileData", "executableCode", "codeExecutionResult",
    "function_call", "function_response", "inline_data", "file_data", "executable_code", "code_execution_result",
})  # fmt: skip


class Gemini(ChatFormat):
    """`{"contents": [{"role", "parts"}], "systemInstruction", …}`, a request to Gemini, maybe with its answer."""

    name = "gemini"
    label = "Gemini contents"
    recognises = "`contents`, turns with `parts` of Gemini's"

    def detect(self, record: Any) -> Detection | None:
        contents = record.get("contents") if isinstance(record, dict) else None
        if not is_list(contents) or not contents:
            return None
        looked_at = list(sample(contents))
        fitting = sum(map(_is_turn, looked_at))
        return Detection(self.name, 0.97 * fitting / len(looked_at), ("`contents` are turns with `parts`",))

    def look(self, record: Any, origin: Origin) -> Chat:
        if not isinstance(record, dict) or "contents" not in record:
            raise not_an_object("a log of Gemini's", record, origin, "an object with `contents`")
        contents, problems = messages_under(record, "contents")
        turns = list(contents)
        used = {"contents"}
        for key in ("systemInstruction", "system_instruction"):
            if isinstance(record.get(key), dict):
                turns.insert(0, {**record[key], "role": "system"})
                used.add(key)
        turns += _candidates(record)
        open_calls: list[tuple[str, str]] = []
        items = [item for turn in turns for item in messages_of_turn(turn, open_calls)]
        return chat_of(record, origin, items, used, problems)


def _is_turn(turn: Any) -> bool:
    parts = turn.get("parts") if isinstance(turn, dict) else None
    return isinstance(parts, list) and all(isinstance(part, dict) and not _PARTS.isdisjoint(part) for part in parts[:4])


def _candidates(record: dict[Any, Any]) -> list[Any]:
    """The turn of the first candidate, of a request that was logged with its answer."""
    response = record.get("response")
    found = (response if isinstance(response, dict) else record).get("candidates")
    first = found[0] if isinstance(found, list) and found else None
    return [first["content"]] if isinstance(first, dict) and isinstance(first.get("content"), dict) else []


def messages_of_turn(
    turn: Any, open_calls: list[tuple[str, str]], used: Iterable[str] = (), **fields: Any
) -> Iterator[Any]:
    """The messages of a turn: one of what was said and called, one for each answer of a function.

    `open_calls`: the name and id of each call so far without an answer; a call without an id gets one, as its answer
    names only the function. `fields` are those of the first message, whose `role` may be another than the turn's.
    """
    if not isinstance(turn, dict) or not isinstance(turn.get("parts"), list):
        yield turn
        return
    content: list[Any] = []
    calls: list[dict[str, Any]] = []
    answers: list[dict[str, Any]] = []
    for part in turn["parts"]:
        if not isinstance(part, dict):
            content.append(part)
        elif isinstance(call := _either(part, "functionCall", "function_call"), dict):
            calls.append(_call(call, open_calls))
        elif isinstance(response := _either(part, "functionResponse", "function_response"), dict):
            answers.append(answer_of(response, open_calls))
        elif isinstance(code := _either(part, "executableCode", "executable_code"), dict):
            language = (text_or_none(code.get("language")) or "code").lower()
            calls.append(
                _call({"name": language, "args": {"code": code.get("code")}, "language": language}, open_calls)
            )
        elif isinstance(result := _either(part, "codeExecutionResult", "code_execution_result"), dict):
            answers.append(_result_of_code(result, open_calls))
        else:
            content.append(_part(part))
    if content or calls or not answers:
        about = {"role": "user", **fields, "content": content[0]["text"] if _is_plain(content) else content}
        if not fields.get("role"):
            about["role"] = "assistant" if calls or turn.get("role") == "model" else turn.get("role") or "user"
        if calls:
            about["tool_calls"] = calls
        yield message_item(turn, {"role", "parts", *used}, **about)
    yield from answers


def _is_plain(content: list[Any]) -> bool:
    return len(content) == 1 and isinstance(content[0], dict) and content[0].keys() == {"type", "text"}


def _either(part: dict[Any, Any], *keys: str) -> Any:
    return next((part[key] for key in keys if key in part), None)


def _part(part: dict[Any, Any]) -> Any:
    """A part that was said."""
    if isinstance(part.get("text"), str):
        if part.get("thought") is True:
            rest = {key: value for key, value in part.items() if key not in ("text", "thought", "thoughtSignature")}
            return {"type": "reasoning", "reasoning": part["text"], **rest}
        return {"type": "text", **{key: value for key, value in part.items() if key != "thought" or value}}
    data = _either(part, "inlineData", "inline_data", "fileData", "file_data")
    if not isinstance(data, dict):
        return part
    mime = as_text(_either(data, "mimeType", "mime_type"))
    field = mime.partition("/")[0] if mime.startswith(("image/", "audio/", "video/")) else "image"
    url = _either(data, "fileUri", "file_uri") or f"data:{mime};base64,{as_text(data.get('data'))}"
    return {"type": field, field: url, "mime_type": mime}


def _call(call: dict[Any, Any], open_calls: list[tuple[str, str]]) -> dict[str, Any]:
    name = as_text(call.get("name"))
    found = {key: value for key, value in call.items() if key not in ("args", "name")}
    found |= {"name": name, "arguments": call.get("args"), "id": text_or_none(call.get("id"))}
    if found["id"] is None:
        found["id"] = f"{name}-{len(open_calls) + 1}"
    open_calls.append((name, found["id"]))
    return found


def _link(name: str, open_calls: list[tuple[str, str]]) -> str | None:
    """The id of the first call of a function that has no answer yet."""
    at = next((at for at, (called, _) in enumerate(open_calls) if called == name), None)
    if at is None:
        return None
    found = open_calls[at][1]
    open_calls[at] = ("", found)
    return found


def answer_of(response: dict[Any, Any], open_calls: list[tuple[str, str]]) -> dict[str, Any]:
    """A `functionResponse` as a tool's message: its `output` or `error`, or all of it where there is none."""
    name = as_text(response.get("name"))
    held = response.get("response")
    held = held if isinstance(held, dict) else {"output": held}
    key = next((key for key in ("output", "error", "result") if key in held), None)
    item: dict[str, Any] = {"role": "tool", "name": name, "content": as_text(held.get(key) if key else held or "")}
    link = text_or_none(response.get("id")) or _link(name, open_calls)
    if link:
        item["tool_call_id"] = link
    if key == "error":
        item["error"] = failure("error", held["error"])
    metadata: dict[str, Any] = {}
    for other in held if key else ():
        if other != key:
            put(metadata, other, held[other])
    return {**item, "metadata": metadata} if metadata else item


def _result_of_code(result: dict[Any, Any], open_calls: list[tuple[str, str]]) -> dict[str, Any]:
    link = open_calls[-1] if open_calls else None
    item = {"role": "tool", "content": as_text(result.get("output")), "metadata": {"outcome": result.get("outcome")}}
    if link:
        item |= {"tool_call_id": link[1], "name": link[0]}
    if text_or_none(result.get("outcome")) not in (None, "OUTCOME_OK"):
        item["error"] = failure(as_text(result["outcome"]), result.get("output"))
    return item


FORMAT = Gemini()
