"""Chat messages of any spelling as messages of the reading model: the common part of the chat formats.

Nothing is dropped: keys of a message that the model does not know go to its metadata, and so do known keys whose
value has the wrong type. What had to be guessed is said under `trajview_problem`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct
from msgspec.json import Decoder

from trajview.models.messages import ChatMessage, message_from

from .parts import CALL_BLOCKS, parse_arguments, parts_of, tool_call, tool_calls_of
from .plain import as_json, as_text, dict_or_value, kind, number, put
from .roles import ROLES, Piece, is_block, logged_role, pieces_of

__all__ = ["PROBLEM", "Conversation", "message_of"]

PROBLEM = "trajview_problem"
"""The metadata key for the problems of a message."""

_SAME_ROLE = frozenset({"human", "gpt"})
"""Spellings that say nothing more than Docent's role does."""
_ALIASES = ROLES.keys() - {"exit"}
"""Roles that are another's spelling; mini-swe-agent's `exit`, as any unknown one, is shown as the speaker's name."""
_REASONING_KEYS = ("reasoning_content", "reasoning", "thinking")
_NULLABLE = frozenset({*_REASONING_KEYS, "refusal", "function_call", "audio", "tool_calls", "tool_call_id", "name"})


class Conversation:
    """Builds the messages of one transcript, as data of the reading model, and notes their problems."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.problems: list[str] = []
        self._functions: dict[str, str] = {}
        self._before: list[str] = []
        """The functions that the last message called."""

    @classmethod
    def after(cls, functions: dict[str, str], before: list[str]) -> Conversation:
        """A conversation that goes on: the functions of calls by their ids, and those that the message before called."""
        conversation = cls()
        conversation._functions = functions
        conversation._before = before
        return conversation

    def extend(self, items: Iterable[Any]) -> Conversation:
        """Add logged messages, each of which may become several."""
        for item in items:
            for piece in pieces_of(item):
                self.add(piece)
        return self

    def add(self, piece: Piece) -> dict[str, Any]:
        """Add one message."""
        message = self._build(piece)
        for call in message.get("tool_calls") or ():
            if call.get("id"):
                self._functions[call["id"]] = call["function"]
            if call.get("parse_error"):
                self.problems.append(f"call of {call['function']}: {call['parse_error']}")
        self._before = [call["function"] for call in message.get("tool_calls") or ()]
        self.messages.append(message)
        return message

    def _problem(self, metadata: dict[str, Any], reason: str) -> None:
        put(metadata, PROBLEM, reason)
        self.problems.append(reason)

    def _build(self, piece: Piece) -> dict[str, Any]:
        item = piece.item
        metadata: dict[str, Any] = {}
        if not isinstance(item, dict):
            self._problem(metadata, f"a message is an object, and this is {kind(item)}")
            return {"role": piece.role, "content": as_text(item), "metadata": metadata}
        message: dict[str, Any] = {"role": piece.role, "content": "", "metadata": metadata}
        used: set[Any] = {"role", "metadata"} if item.get("role") is not None else {"role", "from", "metadata"}
        if piece.first:
            metadata.update(dict_or_value(item.get("metadata")))
            if item.get("metadata") is not None and not isinstance(item["metadata"], dict):
                self._problem(metadata, f"metadata must be an object, not {kind(item['metadata'])}")
            self._keep_role(item, piece, message)
        if piece.result is not None:
            self._tool_result(piece.result, message)
            used.add("content")
        else:
            self._say(piece, message, used)
        if piece.role == "tool" and piece.result is None:
            self._tool_fields(item, message, used)
        if piece.first:
            self._other_fields(item, message, used)
        else:
            message.update({key: item[key] for key in ("timestamp",) if isinstance(item.get(key), str)})
            if piece.role == "assistant" and isinstance(item.get("model"), str):
                message["model"] = item["model"]
        return message

    def _keep_role(self, item: dict[Any, Any], piece: Piece, message: dict[str, Any]) -> None:
        role = logged_role(item)
        if role == piece.role or role is None or (isinstance(role, str) and role in _SAME_ROLE):
            if role is None and "type" not in item:
                self._problem(message["metadata"], f"the message has no role; it is read as {piece.role}")
            return
        if piece.result is None:
            put(message["metadata"], "role", role)
        if not isinstance(role, str) or role.lower() not in ROLES:
            self._problem(
                message["metadata"], f"role {as_json(role, None)[:60]} is not known; it is read as {piece.role}"
            )
        if isinstance(role, str) and role.lower() not in _ALIASES:
            message["name"] = role

    def _say(self, piece: Piece, message: dict[str, Any], used: set[Any]) -> None:
        """Add the texts, reasoning and calls of a message."""
        item: dict[Any, Any] = piece.item
        if _is_item(item):
            self._response_item(item, message, used)
            return
        content = piece.blocks if piece.blocks is not None else self._spoken(item, message, used)
        used.add("content")
        calls: list[dict[str, Any]] = []
        if piece.role == "assistant":
            content, calls = self._without_calls(piece, content, used)
        message["content"] = parts_of(content)
        if piece.first:
            _add_reasoning_and_refusal(item, message, used)
        if calls:
            message["tool_calls"] = calls
        if message["content"] == []:
            message["content"] = ""

    def _spoken(self, item: dict[Any, Any], message: dict[str, Any], used: set[Any]) -> Any:
        """The content of a message, under whatever key."""
        spoken = next((key for key in ("content", "value", "text", "parts") if key in item), "content")
        used.add(spoken)
        content = {"parts": item[spoken]} if spoken == "parts" else item.get(spoken)
        if content is not None and not isinstance(content, (str, list, dict)):
            self._problem(message["metadata"], f"content must be text or parts, not {kind(content)}")
        return content

    def _without_calls(self, piece: Piece, content: Any, used: set[Any]) -> tuple[Any, list[dict[str, Any]]]:
        """The content of an assistant's message without the calls in it, and all calls of the message."""
        calls: list[dict[str, Any]] = []
        if isinstance(content, list):
            calls = [tool_call(block) for block in content if is_block(block, CALL_BLOCKS)]
            content = [block for block in content if not is_block(block, CALL_BLOCKS)] if calls else content
        if piece.first:
            calls = self._calls_outside_content(piece.item, used) + calls
        if logged_role(piece.item) in ("function_call", "tool_call") and isinstance(content, str):
            call = _call_in(content)
            calls, content = ([*calls, call], "") if call else (calls, content)
        return content, calls

    def _calls_outside_content(self, item: dict[Any, Any], used: set[Any]) -> list[dict[str, Any]]:
        calls = tool_calls_of(item.get("tool_calls"))
        old = item.get("function_call")
        used |= {"tool_calls", "function_call"}
        return calls + (tool_calls_of(old) if old else [])

    def _response_item(self, item: dict[Any, Any], message: dict[str, Any], used: set[Any]) -> None:
        """Add an item of OpenAI's Responses API that is no message: reasoning, a call, or its output."""
        if message["role"] == "tool":
            output, beside = _output_of(item.get("output"))
            message["content"] = parts_of(output)
            for key, value in beside.items():
                put(message["metadata"], key, value)
            used |= {"output", "type"}
        elif item["type"] == "reasoning":
            apart = {"id", "timestamp", "metadata"}
            message["content"] = parts_of([{key: item[key] for key in item if key not in apart}])
            used |= set(item) - apart
        else:
            message["tool_calls"] = [
                tool_call({key: item[key] for key in item if key not in ("metadata", "timestamp")})
            ]
            used |= set(item) - {"timestamp", "metadata"}

    def _tool_result(self, block: dict[Any, Any], message: dict[str, Any]) -> None:
        """Add an answer among the blocks of a message: Anthropic's `tool_result`."""
        message["content"] = parts_of(block.get("content"))
        call_id = block.get("tool_use_id")
        if call_id is not None:
            message["tool_call_id"] = as_text(call_id)
            if message["tool_call_id"] in self._functions:
                message["function"] = self._functions[message["tool_call_id"]]
        if block.get("is_error"):
            message["error"] = _error(message["content"])
        for key in block:
            if key not in ("type", "content", "tool_use_id", "is_error") and block[key] is not None:
                put(message["metadata"], key, block[key])

    def _tool_fields(self, item: dict[Any, Any], message: dict[str, Any], used: set[Any]) -> None:
        for key in ("tool_call_id", "call_id", "tool_use_id"):
            if item.get(key) is not None:
                message["tool_call_id"] = as_text(item[key])
                used.add(key)
                break
        if isinstance(item.get("function"), str):
            message["function"] = item["function"]
            used.add("function")
        elif isinstance(item.get("name"), str):
            message["function"] = item["name"]
            used.add("name")
        elif message.get("tool_call_id") in self._functions:
            message["function"] = self._functions[message["tool_call_id"]]
        elif "tool_call_id" not in message and len(self._before) == 1:
            # Without ids (ShareGPT) an answer that follows a single call is that call's.
            message["function"] = self._before[0]
        error = item.get("error")
        if error:
            message["error"] = error if isinstance(error, dict) else {"message": as_text(error)}
            message["error"] = dict_or_value(message["error"])
        elif item.get("is_error") is True:
            message["error"] = _error(message["content"])
            used.add("is_error")
        if error is None or error:
            used.add("error")

    def _other_fields(self, item: dict[Any, Any], message: dict[str, Any], used: set[Any]) -> None:
        """Add the fields that any message may have; unknown ones, and those of the wrong type, go to metadata."""
        metadata = message["metadata"]
        for key, value in item.items():
            if key in used or (value is None and key in _NULLABLE):
                continue
            fitting = _fitting(key, value, message["role"])
            if fitting is not None and (key != "name" or "name" not in message or value):
                message[key] = fitting
            elif key == "type" and value == "message":
                continue
            else:
                put(metadata, key, value)


def _fitting(key: Any, value: Any, role: str) -> Any:
    """The value as the model's field of this name wants it, None if there is no such field or it does not fit."""
    if key in ("id", "timestamp"):
        return as_text(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else None
    if key == "reward":
        return None if isinstance(value, bool) else number(value)
    if role == "user" and key == "tool_call_id":
        ids = [value] if isinstance(value, str) else value
        return ids if isinstance(ids, list) and all(isinstance(one, str) for one in ids) else None
    wanted = _FIELDS.get(key) or (_ASSISTANT_FIELDS.get(key) if role == "assistant" else None)
    if wanted is None or not isinstance(value, wanted):
        return None
    return dict_or_value(value) if key == "usage" else value


_FIELDS: Final[dict[Any, type]] = {"name": str, "recipient": str, "usage": dict}
"""Fields of any message, and the type of their values."""
_ASSISTANT_FIELDS: Final[dict[Any, type]] = {"model": str, "citations": list, "suggested_messages": list}


def _is_item(item: dict[Any, Any]) -> bool:
    found = item.get("type")
    return (
        isinstance(found, str)
        and logged_role(item) is None
        and (found == "reasoning" or found.endswith("_call") or (found.endswith("_call_output") and "output" in item))
    )


class _Output(Struct, forbid_unknown_fields=True):
    """A tool's answer that is written as JSON in its text, with its metadata."""

    output: str
    metadata: dict[str, Any]


_LONGEST_OUTPUT: Final = 8 << 20
"""Characters: what is longer stays as it came, for that its values would take as much memory once more."""
_decode_output: Final = Decoder(_Output).decode


def _output_of(output: Any) -> tuple[Any, dict[str, Any]]:
    """The output of a call, and its metadata: Codex writes both into the text, `{"output": "…", "metadata": {…}}`."""
    if not isinstance(output, str) or not output.startswith('{"') or len(output) > _LONGEST_OUTPUT:
        return output, {}
    try:
        found = _decode_output(output)
    except (ValueError, RecursionError):
        return output, {}
    return found.output, found.metadata


def _call_in(text: str) -> dict[str, Any] | None:
    """The call that ShareGPT's `function_call` turns write as JSON text."""
    value, problem = parse_arguments(text)
    return tool_call(value) if problem is None and isinstance(value.get("name"), str) else None


def _error(content: str | list[dict[str, Any]]) -> dict[str, Any]:
    text = content if isinstance(content, str) else "\n".join(str(part.get("text", "")) for part in content)
    first = text.strip().split("\n", 1)[0][:200]
    return {"type": "tool error", **({"message": first} if first else {})}


def _add_reasoning_and_refusal(item: dict[Any, Any], message: dict[str, Any], used: set[Any]) -> None:
    """Reasoning and refusals that stand beside the content become parts of it."""
    content = message["content"]
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}] if content else []
    known = {part.get("reasoning") for part in parts if part["type"] == "reasoning"}
    before: list[dict[str, Any]] = []
    for key in _REASONING_KEYS:
        value = item.get(key)
        if isinstance(value, str):
            used.add(key)
            if value and value not in known:
                known.add(value)
                before.append({"type": "reasoning", "reasoning": value})
    refusal = item.get("refusal")
    after: list[dict[str, Any]] = []
    if isinstance(refusal, str):
        used.add("refusal")
        after = [{"type": "text", "text": refusal, "refusal": True}] if refusal else []
    if before or after:
        message["content"] = [*before, *parts, *after]


def message_of(data: dict[str, Any]) -> ChatMessage:
    """Build a message from its data. Data that does not fit is kept as its JSON, with the reason in its metadata."""

    try:
        return message_from(data)
    except ValueError:
        from pydantic import ValidationError

        from trajview.models.docent import message_adapter, plain_message
    try:
        return message_from(plain_message(message_adapter().validate_python(data)))
    except ValidationError as error:
        reason = error.errors(include_url=False)[0]
        at = ".".join(str(step) for step in reason["loc"][1:])
        metadata = {PROBLEM: f"{at}: {reason['msg']}" if at else reason["msg"]}
        return message_from({"role": data["role"], "content": as_json(data), "metadata": metadata})
