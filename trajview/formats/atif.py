"""ATIF, the Agent Trajectory Interchange Format: steps with a source, calls, and what they were answered."""

from __future__ import annotations

from typing import Any

from .base import Detection, Origin
from .chat_format import Chat, ChatFormat, chat_of, message_item, messages_under
from .plain import not_an_object, text_or_none
from .roles import sample

__all__ = ["ATIF", "FORMAT"]


class ATIF(ChatFormat):
    """`{"schema_version": "ATIF-v…", "session_id", "agent", "steps": [{"source", "message", …}]}`."""

    name = "atif"
    label = "ATIF trajectory"
    recognises = "a `schema_version` of ATIF, or `steps` with `step_id` and `source`"

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
        chat = _chat(record, origin)
        waiting, seen = _embedded(record), {id(record)}
        while waiting:
            found = waiting.pop(0)
            if id(found) in seen:  # YAML can put a value into itself
                continue
            seen.add(id(found))
            branch = _chat(found, origin)
            agent = found.get("agent")
            branch.name = branch.name or (text_or_none(agent.get("name")) if isinstance(agent, dict) else None)
            chat.branches.append(branch)
            chat.problems += branch.problems
            waiting[:0] = _embedded(found)
        return chat


def _chat(record: dict[Any, Any], origin: Origin) -> Chat:
    """One trajectory, without those of its sub-agents."""
    steps, problems = messages_under(record, "steps")
    used = {"steps", "subagent_trajectories"} if _embedded(record) else {"steps"}
    chat = chat_of(record, origin, [item for step in steps for item in _messages_of(step)], used, problems)
    agent = record.get("agent")
    if isinstance(agent, dict) and isinstance(agent.get("model_name"), str):
        chat.models = (agent["model_name"],)
    return chat


def _embedded(record: dict[Any, Any]) -> list[dict[Any, Any]]:
    """The trajectories of sub-agents that a trajectory holds itself; none where one of them is no trajectory."""
    found = record.get("subagent_trajectories")
    fits = isinstance(found, list) and all(
        isinstance(each, dict) and isinstance(each.get("steps"), list) for each in found
    )
    return list(found) if fits and found else []


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
