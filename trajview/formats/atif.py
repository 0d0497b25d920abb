"""ATIF, the Agent Trajectory Interchange Format: steps with a source, calls, and what they were answered."""

from __future__ import annotations

from typing import Any

from .base import Detection, Origin
from .chat_format import Chat, ChatFormat, chat_of, message_item, messages_under
from .plain import not_an_object
from .roles import sample

__all__ = ["ATIF", "FORMAT"]


class ATIF(ChatFormat):
    """`{"schema_version": "ATIF-v…", "session_id", "agent", "steps": [{"source", "message", …}]}`."""

    name = "atif"
    label = "ATIF trajectory"

    def detect(self, record: Any) -> Detection | None:
        if not isinstance(record, dict) or not isinstance(record.get("steps"), list):
            return None
        version = record.get("schema_version")
        if isinstance(version, str) and version.startswith("ATIF"):
            return Detection(self.name, 0.99, (f"`schema_version` is {version[:20]}",))
        steps = list(sample(record["steps"]))
        if steps and all(isinstance(s, dict) and "step_id" in s and "source" in s for s in steps):
            return Detection(self.name, 0.9, ("`steps` have `step_id` and `source`",))
        return None

    def look(self, record: Any, origin: Origin) -> Chat:
        if not isinstance(record, dict) or "steps" not in record:
            raise not_an_object("an ATIF trajectory", record, origin, "an object with `steps`")
        steps, problems = messages_under(record, "steps")
        chat = chat_of(record, origin, [item for step in steps for item in _messages_of(step)], {"steps"}, problems)
        agent = record.get("agent")
        if isinstance(agent, dict) and isinstance(agent.get("model_name"), str):
            chat.models = (agent["model_name"],)
        return chat


def _messages_of(step: Any) -> list[Any]:
    """A step, and one tool message for each result of its observation."""
    if not isinstance(step, dict):
        return [step]
    source, observation = step.get("source"), step.get("observation")
    used = {"source", "message"}
    fields = {"role": "assistant" if source == "agent" else source, "content": step.get("message")}
    for key, field in (("metrics", "usage"), ("model_name", "model")):
        if step.get(key) is not None:
            fields[field] = step[key]
            used.add(key)
    results = observation.get("results") if isinstance(observation, dict) else None
    answers = []
    if isinstance(observation, dict) and isinstance(results, list) and all(isinstance(r, dict) for r in results):
        answers = [_answer(result) for result in results]
        used.add("observation")
        rest = {key: observation[key] for key in observation if key != "results"}
        if rest:
            fields["observation"] = rest
    return [message_item(step, used, **fields), *answers]


def _answer(result: dict[Any, Any]) -> dict[Any, Any]:
    fields = {"role": "tool"}
    if result.get("source_call_id") is not None:
        fields["tool_call_id"] = result["source_call_id"]
    return message_item(result, {"source_call_id"}, **fields)


FORMAT = ATIF()
