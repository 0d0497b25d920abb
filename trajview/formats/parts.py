"""Content parts and tool calls in the spellings of OpenAI, Anthropic, Inspect and others, as the reading model's data."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from .plain import as_json, as_text, json_or_value, kind, put, text_or_none

__all__ = ["CALL_BLOCKS", "RESULT_BLOCKS", "parse_arguments", "parts_of", "tool_call", "tool_calls_of"]

CALL_BLOCKS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "tool-call", "toolCall"})
"""Types of blocks that are calls of a tool: Anthropic's, and those of SDKs that follow it."""
RESULT_BLOCKS = frozenset({"tool_result", "mcp_tool_result", "web_search_tool_result", "tool-result"})
"""Types of blocks that answer a call: read as tool messages of their own."""

_TEXT = frozenset({"text", "input_text", "output_text", "summary_text"})
_LONGEST: Final = 8 << 20
"""Characters of JSON from which on Python's own reader makes its values: without memory, msgspec would end the process."""
_Part = dict[str, Any]
_decode_object: Final = msgspec.json.Decoder(dict[str, Any]).decode


def parts_of(content: object) -> str | list[_Part]:
    """The content of a message: a text as it is, otherwise parts in order. Nothing in it is dropped."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        inner = content.get("parts")
        if isinstance(inner, list):
            rest = {key: value for key, value in content.items() if key != "parts" and value != "text"}
            return [*(_part(item) for item in inner), *([_other(rest)] if rest else ())]
        content = [content]
    if isinstance(content, list):
        return [_part(item) for item in content]
    return as_text(content)


def _extras(item: dict[Any, Any], *used: str) -> _Part:
    return {str(key): value for key, value in item.items() if key not in used and value is not None}


def _with(fields: _Part, *rests: _Part) -> _Part:
    """Fields of a part with further ones; a name that is taken gets an underscore."""
    for rest in rests:
        for key, value in rest.items():
            put(fields, key, value)
    return fields


def _other(item: dict[Any, Any]) -> _Part:
    """An unknown part, as it came."""
    if isinstance(item.get("type"), str):
        return {str(key): value for key, value in item.items()}
    return {"type": "text", "text": as_json(item)}


def _part(item: object) -> _Part:
    if isinstance(item, str):
        return {"type": "text", "text": item}
    if not isinstance(item, dict):
        return {"type": "text", "text": as_text(item)}
    found = item.get("type")
    name = found if isinstance(found, str) else ""
    if name in _TEXT or (not name and isinstance(item.get("text"), str)):
        return _text_part(item)
    if name == "refusal":
        fields = {"type": "text", "text": as_text(item.get("refusal")), "refusal": True}
        return _with(fields, _extras(item, "type", "refusal"))
    if name in ("thinking", "reasoning", "redacted_thinking"):
        return _reasoning_part(name, item)
    if name in ("image", "image_url", "input_image"):
        return _image_part(item)
    if name in ("audio", "input_audio", "audio_url"):
        return _media_part("audio", item, "audio", "input_audio", "audio_url", "source", "url")
    if name in ("video", "video_url"):
        return _media_part("video", item, "video", "video_url", "source", "url")
    return _other(item)


def _text_part(item: dict[Any, Any]) -> _Part:
    part = _extras(item, "type", "text")
    for flag in ("refusal", "temporal"):
        value = part.get(flag)
        if value is not None and not isinstance(value, bool):
            part[flag] = bool(value)
            part[f"{flag}_as_logged"] = value
    return {**part, "type": "text", "text": as_text(item.get("text"))}


def _reasoning_part(name: str, item: dict[Any, Any]) -> _Part:
    """Anthropic's thinking, Inspect's reasoning and the Responses API's (a summary and content, both lists)."""
    used = (
        "reasoning" if "reasoning" in item else "thinking" if "thinking" in item else "text" if "text" in item else ""
    )
    if used:
        text = as_text(item.get(used))
    else:
        pieces = [piece for key in ("summary", "content") for piece in _texts(item.get(key))]
        text = "\n\n".join(pieces)
    part: _Part = {"type": "reasoning", "reasoning": text}
    signature, redacted = item.get("signature"), item.get("redacted")
    consumed = ["type", used, "signature"] if used else ["type", "summary", "content", "signature"]
    if isinstance(signature, str):
        part["signature"] = signature
    elif signature is not None:
        part["signature_as_logged"] = signature
    if name == "redacted_thinking" or redacted is True:
        part["redacted"] = True
    if isinstance(redacted, bool):
        consumed.append("redacted")
    elif redacted is not None:
        part.setdefault("redacted", bool(redacted))
    return _with(part, _extras(item, *consumed))


def _texts(value: object) -> list[str]:
    if isinstance(value, list):
        return [as_text(item.get("text", item)) if isinstance(item, dict) else as_text(item) for item in value]
    return [as_text(value)] if value else []


def _image_part(item: dict[Any, Any]) -> _Part:
    part = _media_part("image", item, "image", "image_url", "source", "url", "file_id")
    boxes = part.get("annotations")
    if boxes is not None and not (isinstance(boxes, list) and all(isinstance(box, dict) for box in boxes)):
        put(part, "annotations_as_logged", part.pop("annotations"))  # remarks of other kinds: whom it is for
    return part


def _media_part(field: str, item: dict[Any, Any], *keys: str) -> _Part:
    """An image, sound or video: its path, URL or data as one URL, and its other fields."""
    for key in keys:
        value = item.get(key)
        if value is None:
            continue
        url, rest = _url_of(value, field)
        return _with({"type": field, field: url}, rest, _extras(item, "type", key))
    if isinstance(item.get("data"), str):  # the Model Context Protocol's
        url, rest = _url_of(item, field)
        return _with({"type": field, field: url}, rest)
    return _with({"type": field, field: ""}, _extras(item, "type"))


def _url_of(value: object, field: str) -> tuple[str, _Part]:
    if isinstance(value, str):
        return value, {}
    if isinstance(value, dict):
        data = value.get("data")
        if isinstance(data, str):
            suffix = value.get("format")
            named = next((key for key in ("media_type", "mimeType") if value.get(key)), "")
            mime = value[named] if named else f"{field}/{suffix}" if isinstance(suffix, str) else f"{field}/*"
            taken = ("data", "type", named or "format")
            return f"data:{as_text(mime)};base64,{data}", _extras(value, *taken)
        for key in ("url", "path", "file_id"):
            if isinstance(value.get(key), str):
                return value[key], _extras(value, key, *(("type",) if value.get("type") in ("url", "file") else ()))
    return as_json(value, None), {}


def parse_arguments(value: object) -> tuple[dict[str, Any], str | None]:
    """The arguments of a call as a dict, and their problem (then the dict holds them under `_raw`)."""
    if value is None or value == "":
        return {}, None
    if isinstance(value, dict):
        return {str(key): value[key] for key in value}, None
    if not isinstance(value, str):
        return {"_raw": value}, f"arguments are {kind(value)}, not an object"
    if len(value) <= _LONGEST:
        try:
            return _decode_object(value), None
        except (ValueError, RecursionError):  # no object, or what only Python's own reader takes
            pass
    try:
        parsed = json.loads(value)
    except ValueError as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        at = f" at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else ""
        return {"_raw": value}, f"arguments are not JSON: {reason}{at}"
    except RecursionError:
        return {"_raw": value}, "arguments are nested too deeply"
    if isinstance(parsed, dict):
        return parsed, None
    return ({}, None) if parsed is None else ({"_raw": value}, f"arguments are {kind(parsed)}, not an object")


_CALL_NAMES = ("name", "function_name", "toolName", "tool_name", "tool")
_CALL_ARGUMENTS = ("arguments", "args", "input", "parameters", "kwargs")
_CALL_IDS = ("tool_call_id", "call_id", "toolCallId", "id")

_BUILT_IN = frozenset(
    f"{name}_call" for name in ("apply_patch", "code_interpreter", "computer", "file_search", "image_generation", "local_shell", "shell", "tool_search", "web_search")
)  # fmt: skip
_FREELY = frozenset({"custom", "custom_tool_call"})
"""Types of calls with plain text as input, and no JSON, by OpenAI's documentation of custom tools."""


def tool_call(item: object) -> dict[str, Any]:
    """One tool call: OpenAI's (`function` an object), Docent's and Inspect's (a text), Anthropic's `tool_use`, others'."""
    if isinstance(item, str):  # verifiers writes calls as JSON
        item = json_or_value(item)
    if not isinstance(item, dict):
        return {
            "function": "?",
            "arguments": {"_raw": item},
            "parse_error": f"a tool call is an object, not {kind(item)}",
        }
    built_in = _built_in_call(item)
    if built_in is not None:
        return built_in
    wrapper = "custom" if item.get("type") == "custom" and isinstance(item.get("custom"), dict) else "function"
    inner = item.get(wrapper)
    holder = inner if isinstance(inner, dict) else item
    named = "function" if isinstance(inner, str) else _first_text(holder, _CALL_NAMES)
    argued = next((key for key in _CALL_ARGUMENTS if key in holder), None)
    identified = next((key for key in _CALL_IDS if item.get(key) is not None), None)
    arguments, error = _arguments(holder, argued, item.get("type"))
    call: dict[str, Any] = {"function": holder[named] if named else "?", "arguments": arguments}
    if identified:
        call["id"] = as_text(item[identified])
    _add_call_fields(call, item, error)
    used = {"type", "view", "parse_error", "language", identified}
    if holder is item:
        _keep_rest(call, item, used | {named, argued})
    else:
        _keep_rest(call, item, used | {wrapper})
        for key in holder:
            if key not in (named, argued):
                put(call, key, holder[key])
    return call


def _arguments(holder: dict[Any, Any], key: str | None, type: object) -> tuple[Any, str | None]:
    """The arguments of a call of some type that stand at a key, and why they cannot be read."""
    arguments, error = parse_arguments(holder[key] if key else None)
    if error is not None and key == "input" and text_or_none(type) in _FREELY:
        return {"input": holder["input"]}, None
    return arguments, error


def _keep_rest(call: dict[str, Any], item: dict[Any, Any], used: set[Any]) -> None:
    """Keep the keys that no field of a call holds."""
    for key in item:
        if key not in used and item[key] is not None:
            put(call, key, item[key])


def _built_in_call(item: dict[Any, Any]) -> dict[str, Any] | None:
    """A call of the Responses API's own tools, which is named by its type alone: `local_shell_call`, `web_search_call`."""
    found = item.get("type")
    if not isinstance(found, str) or found not in _BUILT_IN or _first_text(item, _CALL_NAMES) or "function" in item:
        return None
    identified = next((key for key in _CALL_IDS if item.get(key) is not None), None)
    action = item.get("action")
    beside = {
        str(key): item[key] for key in item if key not in ("type", "action", identified) and item[key] is not None
    }
    call: dict[str, Any] = {"function": found.removesuffix("_call"), "call_type": found}
    if identified:
        call["id"] = as_text(item[identified])
    if not isinstance(action, dict):
        return {**call, "arguments": {**beside, **({} if action is None else {"action": action})}}
    return _with({**call, "arguments": {str(key): value for key, value in action.items()}}, beside)


def _first_text(holder: dict[Any, Any], keys: tuple[str, ...]) -> str | None:
    return next((key for key in keys if isinstance(holder.get(key), str)), None)


def _add_call_fields(call: dict[str, Any], item: dict[Any, Any], error: str | None) -> None:
    stated = item.get("parse_error")
    if stated is not None:
        error = as_text(stated)
    if call["function"] == "?" and error is None:
        error = "the call names no function"
    if error is not None:
        call["parse_error"] = error
    kind_of_call, view, language = item.get("type"), item.get("view"), item.get("language")
    if kind_of_call == "function":
        call["type"] = "function"
    elif kind_of_call is not None and not (isinstance(kind_of_call, str) and kind_of_call in CALL_BLOCKS):
        call["call_type"] = kind_of_call
    if isinstance(view, dict):
        call["view"] = _view(view)
    elif view is not None:
        call["view_as_logged"] = view
    if isinstance(language, str):
        call["language"] = language
    elif language is not None:
        call["language_as_logged"] = language


def _view(view: dict[Any, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "title": None if view.get("title") is None else as_text(view["title"]),
        "content": as_text(view.get("content")),
    }
    form = view.get("format")
    if form in ("text", "markdown"):
        found["format"] = form
    elif form is not None:
        found["format_as_logged"] = form
    return _with(found, _extras(view, "format", "content", "title"))


def tool_calls_of(value: object) -> list[dict[str, Any]]:
    """The calls of a message: a list, or a single one; null is none."""
    if value is None:
        return []
    return [tool_call(item) for item in (value if isinstance(value, list) else [value])]
