"""Sessions of Goose: messages of blocks, among them requests to tools and their responses; as lines, or exported whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .base import Detection, Origin
from .chat_format import Chat, message_item
from .line_format import LineFormat, failure, time_of
from .plain import as_text, is_list, text_or_none
from .roles import sample

__all__ = ["FORMAT", "Goose"]

_CALLS = frozenset({"toolRequest", "frontendToolRequest"})


class Goose(LineFormat):
    """A header, then `{"role", "created", "content": [{"type": "toolRequest", "id", "toolCall"}, …]}`."""

    name = "goose"
    lists_only = False
    label = "Goose session"
    recognises = "a header with `working_dir`, or messages with `created` whose blocks are `toolRequest` and the like"

    def is_line(self, line: Any) -> bool:
        if line.keys() >= {"working_dir", "description"} or line.keys() == {"tools"}:
            return "conversation" not in line
        return "role" in line and isinstance(line.get("created"), int) and isinstance(line.get("content"), list)

    def detect(self, record: Any) -> Detection | None:
        if not isinstance(record, dict):
            return super().detect(record)
        said = record.get("conversation")
        if "working_dir" not in record or not is_list(said) or not all(map(self._is_message, sample(said))):
            return None
        return Detection(self.name, 0.97, ("`working_dir` stands beside a `conversation` of Goose's",))

    def _is_message(self, line: Any) -> bool:
        return isinstance(line, dict) and self.is_line(line)

    def look(self, record: Any, origin: Origin) -> Chat:
        if isinstance(record, dict) and is_list(record.get("conversation")):
            record = [{key: record[key] for key in record if key != "conversation"}, *record["conversation"]]
        return super().look(record, origin)

    def session(self, lines: list[Any], origin: Origin) -> Chat:
        about: dict[str, Any] = {}
        items: list[Any] = []
        for line in lines:
            if isinstance(line, dict) and "role" not in line:
                about.update(line)
            else:
                items += _messages(line)
        found = text_or_none(about.get("id")) or text_or_none(about.get("session_id")) or origin.default_id
        return Chat(found, items, text_or_none(about.get("description")), about)


def _messages(line: Any) -> Iterator[Any]:
    """The message of a line, and one for each answer in it."""
    if not isinstance(line, dict) or not isinstance(line.get("content"), list):
        yield line
        return
    blocks = line["content"]
    answers = [block for block in blocks if isinstance(block, dict) and block.get("type") == "toolResponse"]
    calls = [_call(b) for b in blocks if isinstance(b, dict) and _is(b, _CALLS)]
    said = [_part(b) for b in blocks if b not in answers and not (isinstance(b, dict) and _is(b, _CALLS))]
    time = time_of(line.get("created"))
    about = {"timestamp": time} if time else {}
    if said or calls or not answers:
        fields = {"content": said, **({"tool_calls": calls} if calls else {}), **about}
        yield message_item(line, {"created", "content"}, **fields)
    for answer in answers:
        yield {**_answer(answer), **about}


def _is(block: dict[Any, Any], kinds: frozenset[str]) -> bool:
    kind = block.get("type")
    return isinstance(kind, str) and kind in kinds


def _call(block: dict[Any, Any]) -> dict[str, Any]:
    made = block.get("toolCall")
    value = made.get("value") if isinstance(made, dict) else None
    if isinstance(value, dict):
        return {**value, "id": block.get("id")}
    error = made.get("error") if isinstance(made, dict) else made
    return {"id": block.get("id"), "name": "?", "arguments": {}, "parse_error": as_text(error)}


def _part(block: Any) -> Any:
    if isinstance(block, dict) and block.get("type") == "image" and isinstance(block.get("data"), str):
        return {"type": "image", "image": f"data:{as_text(block.get('mimeType'))};base64,{block['data']}"}
    return block


def _answer(block: dict[Any, Any]) -> dict[str, Any]:
    result = block.get("toolResult")
    result = result if isinstance(result, dict) else {"value": result}
    value = result.get("value", result.get("error"))
    failed = result.get("status") == "error" or (isinstance(value, dict) and value.get("isError") is True)
    inner = value.get("content") if isinstance(value, dict) and "content" in value else value
    content = [_part(part) for part in inner] if isinstance(inner, list) else as_text(inner)
    item: dict[str, Any] = {"role": "tool", "content": content, "tool_call_id": as_text(block.get("id"))}
    if failed:
        texts = [as_text(part.get("text")) for part in content if isinstance(part, dict)]
        item["error"] = failure("error", content if isinstance(content, str) else "\n".join(texts))
    return item


FORMAT = Goose()
