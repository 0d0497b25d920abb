"""SWE-agent's `.traj`: steps of thought, action and observation, and often the chat `history` that they came from."""

from __future__ import annotations

from typing import Any

from .base import Detection, Origin
from .chat_format import Chat, ChatFormat, chat_of, message_item, messages_under
from .contract import Whence
from .plain import not_an_object
from .roles import sample
from .traits import traits_of
from .words import AddedWords

__all__ = ["FORMAT", "SWEAgent", "history_of", "messages_of_step"]


class SWEAgent(ChatFormat):
    """`{"trajectory": [{"thought", "action", "observation"}], "history": […], "info": …}`."""

    name = "sweagent"
    label = "SWE-agent trajectory"
    recognises = "`trajectory` is a list of steps with `action` and `observation`"
    repeats = True
    added_words = AddedWords(with_bytes=(("shell command", ("action", "command")),))

    def detect(self, record: Any) -> Detection | None:
        steps = record.get("trajectory") if isinstance(record, dict) else None
        if not isinstance(steps, list) or not steps:
            return None
        fitting = [isinstance(step, dict) and "action" in step and "observation" in step for step in sample(steps)]
        if not any(fitting):
            return None
        why = ("`trajectory` is a list of steps with `action` and `observation`",)
        return Detection(self.name, 0.98 if all(fitting) else 0.9, why)

    def look(self, record: Any, origin: Origin) -> Chat:
        if not isinstance(record, dict) or "trajectory" not in record:
            raise not_an_object("a SWE-agent log", record, origin, "an object with `trajectory`")
        history = history_of(record)
        if history is not None:
            return chat_of(record, origin, list(map(_linked, history)), {"history"})
        steps, problems = messages_under(record, "trajectory")
        items = [item for index, step in enumerate(steps) for item in messages_of_step(step, index)]
        return chat_of(record, origin, items, {"trajectory"}, problems)

    def whence(self, record: Any) -> list[Whence]:
        """Find the source of each message: the history repeats the steps, and each step may repeat all before it."""
        if not isinstance(record, dict):
            return []
        history = history_of(record)
        if history is not None:
            return [("history", index) for index in range(len(history))]
        steps = record.get("trajectory")
        return [
            path
            for index, step in enumerate(steps if isinstance(steps, list) else [])
            for path in _whence_of_step(step, index)
        ]


def history_of(record: dict[str, Any]) -> list[Any] | None:
    """The history of a record, if it has one: it is the same run with the prompts, which the steps leave out."""
    history = record.get("history")
    return history if isinstance(history, list) and traits_of(history).messages else None


def _linked(message: Any) -> Any:
    """A message of the history: an observation names the calls that it answers in a list, mostly of one."""
    ids = message.get("tool_call_ids") if isinstance(message, dict) else None
    if not isinstance(ids, list) or not ids or "tool_call_id" in message:
        return message
    rest = {key: value for key, value in message.items() if key != "tool_call_ids" or len(ids) > 1}
    return {**rest, "tool_call_id": ids[0]}


def messages_of_step(step: Any, index: int) -> list[Any]:
    """The messages of a step: the agent's, and its observation."""
    if not isinstance(step, dict) or not ("action" in step or "observation" in step):
        return [step]
    thought = "thought" if step.get("thought") else "response"
    call = {"id": f"step-{index}", "function": "shell", "arguments": {"command": step.get("action")}}
    fields: dict[str, Any] = {"role": "assistant", "content": step.get(thought)}
    if step.get("action") not in (None, ""):
        fields["tool_calls"] = [call]
    said = message_item(step, {thought, "action", "observation"}, **fields)
    if step.get("observation") is None:
        return [said]
    return [said, {"role": "tool", "tool_call_id": call["id"], "function": "shell", "content": step["observation"]}]


def _whence_of_step(step: Any, index: int) -> list[Whence]:
    step_at: Whence = ("trajectory", index)
    found = len(messages_of_step(step, index))
    if not isinstance(step, dict):
        return [step_at] * found
    said = next((key for key in ("thought", "response", "action") if step.get(key)), None)
    first: Whence = step_at if said is None else (*step_at, said)
    return [first, (*step_at, "observation")][:found]


FORMAT = SWEAgent()
