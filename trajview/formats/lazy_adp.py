"""The messages of a long ADP trajectory, each built when it is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from trajview.models.adp_spelling import CALLS
from trajview.models.said import strings_within

from .adp import message_of
from .adp_links import Link, links_of, role_of
from .built import MessagesOnDemand, measured_texts
from .plain import dict_or_value
from .plainly import Plain
from .unread import Measured

if TYPE_CHECKING:
    from trajview.models.messages import ChatMessage

__all__ = ["AdpMessages"]

_BESIDE: Final = frozenset({"class_", "source", "reward", "tool_call_id"})
"""Keys of any item that say nothing, and tell of no failure."""
_THOUGHTS: Final = frozenset({"description", "reasoning_content"})
_USUAL: Final = {
    "text_observation": _BESIDE | {"content", "name"},
    "message_action": _BESIDE | _THOUGHTS | {"content"},
    "code_action": _BESIDE | _THOUGHTS | {"content", "language"},
    "api_action": _BESIDE | _THOUGHTS | {"function", "kwargs"},
}
_SAID: Final = ("content", "description", "reasoning_content", "axtree", "html")


class AdpMessages(MessagesOnDemand):
    """The messages that `adp.message_of` makes of items; which call each makes or answers is known of all.

    `known`: their roles, these calls and their sizes, where someone has looked.
    """

    def __init__(
        self,
        items: Sequence[Any],
        model: str | None,
        known: tuple[list[str], list[Link], list[Measured]] | None = None,
    ) -> None:
        super().__init__()
        self._items = items
        self._named = model
        self._sizes: list[Measured] | None = None
        if known is None:
            self.roles, self._links = [role_of(item) for item in items], links_of(items)
        else:
            self.roles, self._links, self._sizes = known

    def _build(self, index: int) -> ChatMessage:
        return message_of(self._items[index], self._links[index], self._named)

    def measured(self) -> list[Measured]:
        return [_measured(item) for item in self._items] if self._sizes is None else self._sizes

    def plain(self, index: int) -> Plain | None:  # noqa: ARG002 - all are built
        return None

    def searchable(self, index: int) -> list[str] | None:
        item = self._items[index]
        return _said_in(item) if isinstance(item, dict) else None

    def _model(self, index: int) -> str | None:  # noqa: ARG002
        return self._named


def _said_in(item: dict[str, Any]) -> list[str] | None:
    """What `message_of` makes of a usual item, as `searchable` has it: text, thoughts, and what is called."""
    class_ = item.get("class_")
    own = _USUAL.get(class_) if isinstance(class_, str) else None
    if own is None or not item.keys() <= own:
        return None
    content = item.get("content")
    thoughts = [item.get("reasoning_content"), item.get("description")]
    if not all(said is None or type(said) is str for said in (content, *thoughts)):
        return None
    if class_ in ("text_observation", "message_action"):
        return [said for said in (content, *thoughts) if said]
    function: Any = item.get("language", "") if class_ == "code_action" else item.get("function")
    arguments: Any = {"code": content or ""} if class_ == "code_action" else item.get("kwargs")
    if type(function) is not str or type(arguments) is not dict:
        return None
    named = function or ("code" if class_ == "code_action" else "(no name)")
    return [*filter(None, thoughts), named, *strings_within(dict_or_value(arguments))]


def _measured(item: Any) -> Measured:
    if not isinstance(item, dict):
        return 1, len(str(item)), 0
    return *measured_texts(map(item.get, _SAID)), 2 if item.get("class_") in CALLS else 0
