"""What a logged message says, without building it: where that is a text and calls of functions, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from .parts import parse_arguments

__all__ = ["Call", "Plain", "chat_call", "docent_call", "plainly"]

Call = tuple[str, dict[str, Any]]
"""A function, and the arguments that it is called with."""
Plain = tuple[str, list[Call]]
"""A text, empty for none, and what is called after it."""

_ROLES: Final = frozenset({"system", "user", "assistant", "tool"})
_SAY_NOTHING: Final = {
    "id": str,
    "timestamp": str,
    "model": str,
    "tool_call_id": str,
    "function": str,
    "metadata": dict,
}
"""Keys that say nothing of what is said, where their values are of these types."""


def plainly(item: Any, call_of: Callable[[Any], Call | None]) -> Plain | None:
    """What a message says; None where it may say more, or has to be read by the rules of its format."""
    if type(item) is not dict or "content" not in item:
        return None
    role, content, calls = item.get("role"), item["content"], item.get("tool_calls")
    if type(role) is not str or role not in _ROLES or not (content is None or type(content) is str):
        return None
    for key, value in item.items():
        if value is not None and key not in ("role", "content", "tool_calls"):
            wanted = _SAY_NOTHING.get(key) if type(key) is str else None
            if wanted is None or type(value) is not wanted:
                return None
    made: list[Call] = []
    if calls is not None:
        if type(calls) is not list or (calls and role != "assistant"):
            return None
        for call in calls:
            found = call_of(call) if type(call) is dict else None
            if found is None:
                return None
            made.append(found)
    return content or "", made


def _fits(call: dict[Any, Any], keys: frozenset[str]) -> bool:
    return all(key in keys for key, value in call.items() if value is not None) and type(call.get("id", "")) is str


_OPENAI_KEYS: Final = frozenset({"id", "type", "function"})


def chat_call(call: dict[Any, Any]) -> Call | None:
    """A call as OpenAI spells it."""
    function = call.get("function")
    if not _fits(call, _OPENAI_KEYS) or type(function) is not dict or function.keys() != {"name", "arguments"}:
        return None
    arguments, problem = parse_arguments(function["arguments"])
    name = function["name"]
    return (name, arguments) if problem is None and type(name) is str and name else None


_DOCENT_KEYS: Final = frozenset({"id", "type", "function", "arguments"})


def docent_call(call: dict[Any, Any]) -> Call | None:
    """A call as Docent spells it."""
    function, arguments = call.get("function"), call.get("arguments")
    if not _fits(call, _DOCENT_KEYS) or call.get("type", "function") != "function":
        return None
    return (function, arguments) if type(function) is str and function and type(arguments) is dict else None
