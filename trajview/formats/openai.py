"""OpenAI chat logs: an object that holds a list of messages under `messages` or one of the names that tools give it.

So are the rows of `verifiers` (`prompt` and `completion`), tau-bench (`traj`), and logged requests with `choices`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .base import Detection, Origin
from .chat_format import Chat, ChatFormat, chat_of, messages_under
from .logged import joined
from .plain import is_list, not_an_object
from .roles import elements_of
from .traits import holds_messages, traits_of

__all__ = ["FORMAT", "OpenAIChat", "choice_of"]

LIST_KEYS = (
    "messages",
    "traj",
    "trajectory",
    "history",
    "conversation",
    "chat_history",
    "chat",
    "dialogue",
    "dialog",
    "turns",
)
"""Keys of lists of messages. Others use these names for other things: the elements decide."""
_TELLING = frozenset({*LIST_KEYS, "prompt", "completion", "choices", "response", "request"})
"""Keys of which a record has some."""


def _list_key_of(record: dict[Any, Any]) -> str | None:
    """The key whose value is a list of messages, by a look at its elements."""
    for key in LIST_KEYS:
        value = record.get(key)
        if is_list(value) and value and holds_messages(value):
            return key
    return None


class OpenAIChat(ChatFormat):
    """`{"messages": [{"role", "content", "tool_calls", …}], …}` and its relatives."""

    name = "openai"
    label = "OpenAI chat"
    recognises = (
        "a list of messages with `role` and `content` under `messages` or a like name, or `prompt` and `completion`"
    )

    def detect(self, record: Any) -> Detection | None:
        if not isinstance(record, dict) or _TELLING.isdisjoint(record):
            return None
        key = _list_key_of(record)
        if key is None:
            return self._detect_without_list(record)
        traits = traits_of(record[key])
        why = [f"`{key}` is a list of messages with role and content"]
        confidence = 0.8 if key == "messages" else 0.7
        if not traits.all_messages:
            confidence *= traits.messages / traits.looked_at
            why.append(f"{traits.looked_at - traits.messages} of the {traits.looked_at} looked at are none")
        if traits.anthropic_blocks:
            confidence = 0.5
            why.append("but they hold Anthropic's blocks")
        elif isinstance(record.get("info"), dict) and "trajectory_format" in record:
            confidence -= 0.2
            why.append("but beside a mini-swe-agent `info`")
        elif key == "history" and "trajectory" in record:
            confidence -= 0.2
            why.append("but `trajectory` stands beside it, as with SWE-agent")
        elif {"epoch", "target"} <= record.keys():
            confidence -= 0.25
            why.append("but beside `epoch` and `target`, as in a sample of Inspect's")
        elif "system" in record:
            confidence -= 0.2
            why.append("but `system` stands beside them, as with Anthropic")
        elif traits.nested_calls:
            confidence += 0.15
            why.append("`tool_calls` hold a `function` object")
        elif traits.flat_calls or traits.reasoning_parts:
            confidence -= 0.25
            why.append("but calls or parts are spelled as Docent does")
        return Detection(self.name, confidence, tuple(why))

    def _detect_without_list(self, record: dict[Any, Any]) -> Detection | None:
        prompt, completion = record.get("prompt"), record.get("completion")
        if isinstance(completion, (list, str)) and isinstance(prompt, (list, str)):
            chats = [part for part in (prompt, completion) if isinstance(part, list)]
            if any(traits_of(part).messages for part in chats):
                return Detection(self.name, 0.9, ("`prompt` and `completion` are lists of messages",))
            if not chats:
                return Detection(self.name, 0.6, ("`prompt` and `completion` are texts",))
        if choice_of(record) is not None:
            return Detection(self.name, 0.8, ("`choices` holds a message",))
        request = record.get("request")
        if isinstance(request, dict) and _list_key_of(request) == "messages":
            return Detection(self.name, 0.75, ("`request` holds a list of messages",))
        messages = record.get("messages", 0)
        if messages == 0 or (isinstance(messages, list) and messages and isinstance(messages[0], list)):
            return None
        if messages in ([], None):
            return Detection(self.name, 0.4, ("`messages` is there, but empty",))
        return Detection(self.name, 0.2, ("`messages` is there, but not of messages",))

    def look(self, record: Any, origin: Origin) -> Chat:
        if not isinstance(record, dict):
            raise not_an_object("an OpenAI chat log", record, origin)
        key = _list_key_of(record)
        used: set[str] = set()
        items: Sequence[Any] = []
        problems: list[str] = []
        request = record.get("request")
        if key is not None or "messages" in record:
            key = key or "messages"
            items, problems = messages_under(record, key)
            used.add(key)
        elif "prompt" in record and "completion" in record:
            items = [*_turns(record["prompt"], "user"), *_turns(record["completion"], "assistant")]
            used |= {"prompt", "completion"}
        elif isinstance(request, dict) and "messages" in request:
            items, problems = messages_under(request, "messages")
            record = {**record, "request": {name: request[name] for name in request if name != "messages"}}
        elif choice_of(record) is None:
            raise not_an_object("an OpenAI chat log", record, origin, "an object with `messages`")
        chat = chat_of(record, origin, items, used, problems)
        answer = choice_of(record)
        if answer is not None:
            chat.items = joined(items, after=[answer])
        return chat


def _turns(value: Any, role: str) -> Sequence[Any]:
    """A prompt or completion: messages, or one text that its role says."""
    return [{"role": role, "content": value}] if isinstance(value, str) else elements_of(value)


def choice_of(record: dict[Any, Any]) -> dict[Any, Any] | None:
    """The message of the first choice of a logged answer; `choices` itself stays in the metadata."""
    for holder in (record, record.get("response")):
        choices = holder.get("choices") if isinstance(holder, dict) else None
        first = choices[0] if isinstance(choices, list) and choices else None
        message = first.get("message") if isinstance(first, dict) else None
        if isinstance(message, dict):
            return message
    return None


FORMAT = OpenAIChat()
