"""OpenAI's Responses: an answer with its request, or the state of a run of the Agents SDK, whose items are such."""

from __future__ import annotations

from typing import Any

from .base import Detection, Origin
from .chat_format import Chat, ChatFormat, chat_of
from .plain import as_text, is_list, not_an_object, text_or_none

__all__ = ["FORMAT", "Responses"]


class Responses(ChatFormat):
    """`{"object": "response", "output": [items], …}`, or `{"$schemaVersion", "original_input", "generated_items"}`."""

    name = "responses"
    label = "OpenAI response"
    recognises = "`object` is response, beside `output`; or `$schemaVersion` beside `generated_items`"

    def detect(self, record: Any) -> Detection | None:
        if not isinstance(record, dict) or record.keys().isdisjoint(("output", "response", "generated_items")):
            return None
        if is_list(record.get("generated_items")) and "original_input" in record:
            return Detection(self.name, 0.97, ("`original_input` and `generated_items` of the Agents SDK",))
        answer = _answer(record)
        if is_list(answer.get("output")) and answer.get("object") == "response":
            return Detection(self.name, 0.97, ("`object` is response, beside `output`",))
        if _is_request(record) and is_list(answer.get("output")):
            return Detection(self.name, 0.8, ("`input` stands beside `output`, items of Responses",))
        return None

    def look(self, record: Any, origin: Origin) -> Chat:
        if not isinstance(record, dict):
            raise not_an_object("a response", record, origin)
        if "generated_items" in record:
            used = {"original_input", "generated_items", "model_responses", "session_items"}
            items = [*_given(record.get("original_input")), *_generated(record["generated_items"])]
            chat = chat_of(record, origin, _readable(items), used)
            agent = record.get("current_agent")
            chat.name = text_or_none(agent.get("name")) if isinstance(agent, dict) else None
            return chat
        answer, request = _answer(record), record.get("request")
        request = request if isinstance(request, dict) else record
        said = text_or_none(request.get("instructions")) or text_or_none(answer.get("instructions"))
        items = [{"role": "system", "content": said}] if said else []
        output = answer.get("output")
        items += [*_given(request.get("input")), *(output if is_list(output) else [])]
        chat = chat_of(record, origin, _readable(items), {"input", "output", "instructions"})
        model = text_or_none(answer.get("model"))
        chat.models = (model,) if model else ()
        return chat


def _answer(record: dict[Any, Any]) -> dict[Any, Any]:
    held = record.get("response")
    return held if isinstance(held, dict) else record


def _is_request(record: dict[Any, Any]) -> bool:
    given = record.get("input")
    items = (
        [*given, *_answer(record).get("output", ())]
        if is_list(given) and is_list(_answer(record).get("output"))
        else []
    )
    return bool(items) and all(isinstance(item, dict) and ("role" in item or "call_id" in item) for item in items[:6])


def _given(value: Any) -> list[Any]:
    return [{"role": "user", "content": value}] if isinstance(value, str) else list(value) if is_list(value) else []


def _generated(items: Any) -> list[Any]:
    """The items of a run; one that waits for approval is its call again."""
    held = [item for item in items if not (isinstance(item, dict) and item.get("type") == "tool_approval_item")]
    return [item["raw_item"] if isinstance(item, dict) and "raw_item" in item else item for item in held]


def _readable(items: list[Any]) -> list[Any]:
    return [_with_role(item) for item in items]


def _with_role(item: Any) -> Any:
    """An item; an output that has no `output` is what it holds."""
    kind = item.get("type") if isinstance(item, dict) else None
    if not isinstance(kind, str) or "role" in item or not kind.endswith("_output") or "output" in item:
        return item
    held = {key: value for key, value in item.items() if key not in ("type", "call_id", "id", "status")}
    link = {"tool_call_id": item["call_id"]} if text_or_none(item.get("call_id")) else {}
    return {"role": "tool", "name": kind.removesuffix("_output"), "content": as_text(held), **link}


FORMAT = Responses()
