"""The messages of a long TaskWeaver conversation, each built when it is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from .built import MessagesOnDemand, measured_texts
from .plain import as_text
from .plainly import Plain
from .taskweaver_entries import Answer, Attached, Entry
from .taskweaver_posts import IMAGES, REASONING, answer_of, failure_of, labelled, post_of, reply_type_of
from .unread import Measured

if TYPE_CHECKING:
    from trajview.models.messages import ChatMessage

__all__ = ["TaskWeaverMessages"]

_MARKER: Final = "{{DELIMITER_"
_TO_BUILD: Final = IMAGES | {"artifact_paths", "function", "sample", "revise_message", "invalid_response"}
"""Attachments whose content may be another thing than what it says, or that are an error."""
_POST: Final = frozenset({"id", "send_from", "send_to", "message", "attachment_list"})
_ROUND: Final = frozenset({"round", "round_state", "user_query"})
"""Keys beside which there is nothing that may tell of a failure."""
_LABELLED: Final = ("verification", "execution_status")


class TaskWeaverMessages(MessagesOnDemand):
    """The messages that entries become; their roles and sizes may be known without looking at all of them."""

    def __init__(
        self, entries: Sequence[Entry], roles: list[str] | None = None, sizes: list[Measured] | None = None
    ) -> None:
        super().__init__()
        self.roles = [entry.role for entry in entries] if roles is None else roles
        self._entries = entries
        self._sizes = sizes

    def _build(self, index: int) -> ChatMessage:
        answer = self._entries[index].answer
        if answer is None:
            return post_of(self._entries[index])[0]
        while self._entries[index].answer is not None:
            index -= 1  # no answer is without a post before it
        return answer_of(answer, post_of(self._entries[index])[1])

    def measured(self) -> list[Measured]:
        return [_measured(entry) for entry in self._entries] if self._sizes is None else self._sizes

    def plain(self, index: int) -> Plain | None:  # noqa: ARG002 - all are built
        return None

    def _model(self, index: int) -> str | None:  # noqa: ARG002 - no post names one
        return None

    def searchable(self, index: int) -> list[str] | None:
        entry = self._entries[index]
        return _said_in(entry) if entry.answer is None else _answered_in(entry.answer)


def _measured(entry: Entry) -> Measured:
    attachments = entry.attachments if entry.answer is None else entry.answer.attachments
    texts = [attached.content for attached in attachments if attached.type != "reply_type"]
    if entry.answer is None:
        texts.append(entry.post.get("message") if isinstance(entry.post, dict) else as_text(entry.post))
    return *measured_texts(texts), 0


def _texts_of(attachments: list[Attached]) -> list[tuple[Attached, str]] | None:
    """Each attachment that says something, with its text; None where one has to be built."""
    found = []
    for attached in attachments:
        text = attached.content
        if (text is None or text == "") and attached.type not in (*_LABELLED, "invalid_response"):
            continue
        if type(text) is not str or attached.type in _TO_BUILD or _MARKER in text or _MARKER in attached.type:
            return None
        found.append((attached, text))
    return found


def _said_in(entry: Entry) -> list[str] | None:
    post: Any = entry.post
    message = post.get("message") if isinstance(post, dict) else post
    if message is None:
        message = ""
    attached_texts = _texts_of(entry.attachments)
    if type(message) is not str or _MARKER in message or attached_texts is None:
        return None
    if entry.role == "user" and not (post.keys() <= _POST and entry.round_metadata.keys() <= _ROUND):
        return None
    is_python = (reply_type_of(entry) or "").strip().lower() == "python"
    texts, reasoning, calls = [message], [], []
    for attached, text in attached_texts:
        if attached.type == "reply_type":
            continue
        if attached.type in REASONING:
            reasoning.append(labelled(attached))
        elif attached.type == "python" or (attached.type == "reply_content" and is_python):
            if entry.role != "assistant":
                return None
            calls += ["python", "code", text]
        elif attached.type != "reply_content" or text.strip() != message.strip():
            texts.append(labelled(attached))
    return ["\n".join(filter(None, texts)), *reasoning, *calls]


def _answered_in(answer: Answer) -> list[str] | None:
    attached_texts = _texts_of(answer.attachments)
    if attached_texts is None:
        return None
    said: dict[str, str] = {}
    for attached in answer.attachments:
        said.setdefault(attached.type, attached.content or "")
    if failure_of(answer.tool, said) is not None:
        return None
    texts = [f"{attached.type}: {text}" if attached.type in _LABELLED else text for attached, text in attached_texts]
    return ["\n".join(texts)]
