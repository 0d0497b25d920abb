"""What a logged message of blocks says, without building it: of the blocks and keys that are usual, of no others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from trajview.models.said import strings_within

from .built import Labelled
from .parts import CALL_BLOCKS, parse_arguments
from .plainly import Call, Plain, chat_call
from .roles import Piece

__all__ = ["Said", "said_in"]

_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool"})
_ABOUT: Final = frozenset(
    {"role", "content", "tool_calls", "tool_call_id", "id", "type", "model", "usage", "timestamp", "stop_reason", "stop_sequence"}
)  # fmt: skip
"""Keys of a message that say nothing more, nor whether it is an error."""
_IN_METADATA: Final = frozenset(
    {"uuid", "parentUuid", "isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "requestId", "type"}
)
"""The same of the metadata, of which a coding agent's session has an event's keys."""
_OF_TEXT: Final = frozenset({"type", "text", "cache_control", "citations", "annotations"})
_OF_THINKING: Final = frozenset({"type", "thinking", "signature", "cache_control"})
_OF_REASONING: Final = frozenset({"type", "reasoning", "signature", "redacted"})
_OF_REDACTED: Final = frozenset({"type", "data"})
_OF_IMAGE: Final = frozenset({"type", "source", "image", "image_url", "detail", "cache_control"})
_OF_SOURCE: Final = frozenset({"type", "media_type", "data", "url", "detail"})
_OF_CALL: Final = frozenset({"type", "id", "name", "input", "cache_control"})
_OF_RESULT: Final = frozenset({"type", "tool_use_id", "content", "is_error", "cache_control"})
_TEXT: Final = frozenset({"text", "input_text", "output_text"})
_IMAGE: Final = frozenset({"image", "image_url", "input_image"})


@dataclass(slots=True)
class Said:
    """The texts, the thoughts and the calls of a message, each in order, and whether it shows more than that."""

    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    shows_more: bool = False

    def searchable(self) -> list[str]:
        """All of it; the texts, which are one, come first, also where there are none."""
        found = ["\n".join(self.texts), *self.thoughts]
        for name, arguments in self.calls:
            found.append(name)
            found += strings_within(arguments)
        return found

    def labelled(self, tool: str | None) -> list[Labelled]:
        """The same with the field that each is of, and its tool; `tool` is that of the message, if it is an answer."""
        found: list[Labelled] = [("text", "\n".join(self.texts), tool)]
        found += [("reasoning", thought, None) for thought in self.thoughts]
        for name, arguments in self.calls:
            found.append(("arguments", name, name))
            found += [("arguments", text, name) for text in strings_within(arguments)]
        return found

    def plain(self) -> Plain | None:
        """A text and calls; None where there is anything else, or texts that are shown apart."""
        if self.shows_more or self.thoughts or len(self.texts) > 1 or self.texts == [""]:
            return None
        return self.texts[0] if self.texts else "", self.calls


def said_in(piece: Piece) -> Said | None:
    """What a piece of a message says; None where that has to be built, as all have that may be errors by what they hold.

    So it is of a message that says more, or of what is wrong with it, in keys or blocks that are not known here.
    """
    item = piece.item
    if type(item) is not dict or not _is_usual(item):
        return None
    said = Said()
    if piece.result is not None:
        result = piece.result
        if not result.keys() <= _OF_RESULT or result.get("is_error"):
            return None
        return said if _add_content(said, result.get("content")) else None
    calls = item.get("tool_calls")
    if calls:
        # A message that is split has them in its first piece.
        if piece.role != "assistant" or piece.blocks is not None or type(calls) is not list:
            return None
        for call in calls:
            made = chat_call(call) if type(call) is dict else None
            if made is None or made[0] == "?":
                return None
            said.calls.append(made)
    content = item.get("content") if piece.blocks is None else piece.blocks
    return said if _add_content(said, content, calls=piece.role == "assistant") else None


def _is_usual(item: dict[Any, Any]) -> bool:
    role = item.get("role")
    if type(role) is not str or role not in _ROLES:
        return False
    if item.keys() <= _ABOUT:
        return True
    metadata = item.get("metadata")
    if type(metadata) is not dict or not metadata.keys() <= _IN_METADATA:
        return False
    return all(key in _ABOUT or key == "metadata" for key in item)


def _add_content(said: Said, content: Any, *, calls: bool = False) -> bool:
    """Add a text or blocks; False where one is unusual. `calls`: whether they may be among them."""
    if content is None:
        return True
    if type(content) is str:
        if content:
            said.texts.append(content)
        return True
    return type(content) is list and all(_add(said, block, calls) for block in content)


def _add(said: Said, block: Any, calls: bool) -> bool:
    if type(block) is not dict:
        return False
    kind, keys = block.get("type"), block.keys()
    if type(kind) is not str:
        return False
    if kind in _TEXT:
        text = block.get("text")
        if type(text) is not str or not keys <= _OF_TEXT:
            return False
        said.texts.append(text)
    elif kind in CALL_BLOCKS:
        return calls and keys <= _OF_CALL and _add_call(said, block)
    elif kind in ("thinking", "reasoning"):
        thought = block.get(kind)
        if type(thought) is not str or not keys <= (_OF_THINKING if kind == "thinking" else _OF_REASONING):
            return False
        said.thoughts.append(thought)
    elif kind == "redacted_thinking":
        said.shows_more = True
        return keys <= _OF_REDACTED
    elif kind in _IMAGE:
        said.shows_more = True
        return keys <= _OF_IMAGE and all(map(_is_source, block.values()))
    else:
        return False
    return True


def _add_call(said: Said, block: dict[Any, Any]) -> bool:
    name, (arguments, problem) = block.get("name"), parse_arguments(block.get("input"))
    # A call of "?" is one that names no function.
    if problem is not None or type(name) is not str or name in ("", "?"):
        return False
    said.calls.append((name, arguments))
    return True


def _is_source(value: Any) -> bool:
    """Whether a value of an image becomes its address, or stands beside it and says nothing."""
    return value is None or type(value) is str or (type(value) is dict and value.keys() <= _OF_SOURCE)
