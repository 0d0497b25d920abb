"""A TaskWeaver post as a message: what it says and calls, and what checking and running its code said to that."""

from __future__ import annotations

import json
import re
from typing import Any

from trajview.models.messages import (
    AssistantMessage,
    ChatMessage,
    ContentPart,
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from trajview.models.temporal import split_temporal, strip_temporal_markers

from .plain import as_text, dict_or_value
from .taskweaver_entries import Answer, Attached, Entry, name_in

__all__ = ["IMAGES", "REASONING", "answer_of", "failure_of", "labelled", "post_of", "reply_type_of"]

REASONING = frozenset(
    {"thought", "init_plan", "plan", "current_plan_step", "plan_reasoning", "web_exploring_plan", "stop", "review"}
)
IMAGES = frozenset({"image_url", "web_exploring_screenshot"})
_IMAGE_FILE = re.compile(r"\.(?:png|jpe?g|gif|webp|bmp|svg|tiff?)(?:[?#].*)?\Z|\Adata:image/", re.IGNORECASE)
# What TaskWeaver writes into code_error where there is no error.
_NO_CODE_ERROR = frozenset({"", "none", "no code verification is performed.", "no error is found."})


def labelled(attached: Attached) -> str:
    """The content under its type's name, on one line where it is one line."""
    content = as_text(attached.content)
    return f"{attached.type}:\n{content}" if "\n" in content else f"{attached.type}: {content}"


def _text_parts(text: str) -> list[ContentPart]:
    """The text, its temporal pieces apart and without their markers."""
    return [TextPart(text=piece, temporal=True if temporal else None) for piece, temporal in split_temporal(text)]


def _links(attached: Attached) -> list[ContentPart]:
    """Images and text links of an attachment whose content is a path, an address, or a list of them."""

    content = attached.content
    if isinstance(content, str) and content.lstrip().startswith("["):
        try:
            content = json.loads(content)
        except (ValueError, RecursionError):
            content = attached.content
    links = [as_text(one) for one in (content if isinstance(content, list) else [content])]
    return [
        ImagePart(image=link)
        if attached.type in IMAGES or _IMAGE_FILE.search(link[:40] if link[:5].lower() == "data:" else link)
        else TextPart(text=f"{attached.type}: {link}")
        for link in links
        if link
    ]


def _function_calls(content: Any) -> list[ToolCall]:
    """The calls in a `function` attachment (JSON: name and arguments, or a list of such); none where it holds no such."""

    if isinstance(content, str):
        try:
            content = json.loads(content)
        except (ValueError, RecursionError):
            return []
    calls = []
    for one in content if isinstance(content, list) else [content]:
        if not isinstance(one, dict) or not isinstance(one.get("name"), str) or one.keys() - {"name", "arguments"}:
            return []
        arguments: Any = one.get("arguments")
        error = None
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except (ValueError, RecursionError):
                error = "arguments is not JSON"
        if not isinstance(arguments, dict):
            arguments = {} if arguments is None else {"arguments": arguments}
        calls.append(ToolCall(function=one["name"], arguments=dict_or_value(arguments), parse_error=error))
    return calls


def reply_type_of(entry: Entry) -> str | None:
    """What a post says of its reply, python as a rule."""
    return next((as_text(one.content) for one in entry.attachments if one.type == "reply_type"), None)


def _content(entry: Entry) -> tuple[list[ContentPart], list[ToolCall]]:
    """What a post says and calls: reasoning, then its message, then its other attachments."""
    if not isinstance(entry.post, dict):
        return _text_parts(as_text(entry.post)), []
    message = as_text(entry.post.get("message"))
    reasoning: list[ContentPart] = []
    rest: list[ContentPart] = []
    calls: list[ToolCall] = []
    is_python = (reply_type_of(entry) or "").strip().lower() == "python"
    for attached in entry.attachments:
        if not as_text(attached.content) or attached.type == "reply_type":
            continue
        if attached.type in REASONING:
            reasoning.append(ReasoningPart(reasoning=strip_temporal_markers(labelled(attached))))
        elif entry.role == "assistant" and (found := _calls(attached, is_python)):
            calls += found
        else:
            rest += _shown(attached, is_python, message)
    for number, call in enumerate(calls):
        call.id = f"{entry.call}.{number}" if number else entry.call
    return [*reasoning, *_text_parts(message), *rest], calls


def _is_code(attached: Attached, is_python: bool) -> bool:
    return attached.type == "python" or (attached.type == "reply_content" and is_python)


def _calls(attached: Attached, is_python: bool) -> list[ToolCall]:
    """The calls that an attachment is; none of another."""
    if _is_code(attached, is_python):
        return [ToolCall(function="python", arguments={"code": as_text(attached.content)}, language="python")]
    return _function_calls(attached.content) if attached.type == "function" else []


def _shown(attached: Attached, is_python: bool, message: str) -> list[ContentPart]:
    """An attachment that is neither reasoning nor a call, as parts of the content."""
    content = as_text(attached.content)
    if _is_code(attached, is_python) or attached.type == "sample":
        return _text_parts(f"{attached.type}:\n```python\n{content}\n```")
    if attached.type == "reply_content" and content.strip() == message.strip():
        return []  # TaskWeaver copies a reply that is text into the message
    if attached.type in IMAGES or attached.type == "artifact_paths":
        return _links(attached)
    return _text_parts(labelled(attached))


def _answer_content(answer: Answer) -> tuple[list[ContentPart], str | None]:
    """What checking or running the code said, and why it failed, where it did."""
    parts: list[ContentPart] = []
    said: dict[str, str] = {}
    for attached in answer.attachments:
        text = strip_temporal_markers(as_text(attached.content))
        said.setdefault(attached.type, text)
        if attached.type == "artifact_paths":
            parts += _links(attached)
        elif attached.type in ("verification", "execution_status"):
            parts.append(TextPart(text=f"{attached.type}: {text}"))
        elif attached.type == "revise_message":
            parts += _text_parts(labelled(attached)) if text else []
        elif text:
            parts.append(TextPart(text=text))
    return parts, failure_of(answer.tool, said)


def failure_of(tool: str, said: dict[str, str]) -> str | None:
    """Why the code was refused or failed, in one line; None where it did not."""
    if tool == "execution":
        if said.get("execution_status", "").strip().upper() not in ("FAILURE", "FAILED"):
            return None
        lines = [line.strip() for line in said.get("execution_result", "").splitlines() if line.strip()]
        # A traceback ends with the error itself.
        errors = [line for line in lines if re.match(r"[\w.]*(?:Error|Exception|Interrupt|Exit)\b", line)]
        return (errors[-1] if errors else "the execution failed")[:200]
    error = said.get("code_error", "").strip()
    status = said.get("verification", "").strip().upper()
    if status == "INCORRECT" or (not status and error.lower() not in _NO_CODE_ERROR):
        return error.splitlines()[0][:200] if error else "the code was refused"
    return None


def post_of(entry: Entry) -> tuple[ChatMessage, list[ToolCall]]:
    """The message of a post, and the calls that it makes."""
    parts, calls = _content(entry)
    return _message(entry, parts, calls), calls


def answer_of(answer: Answer, calls: list[ToolCall]) -> ChatMessage:
    """The message of an answer to one of the calls of a post."""

    parts, failure = _answer_content(answer)
    return ToolMessage(
        content=_plain_text(parts),
        function=answer.tool,
        tool_call_id=calls[min(answer.nth, len(calls) - 1)].id if calls else None,
        error=None if failure is None else {"message": failure},
    )


def _plain_text(parts: list[ContentPart]) -> str | list[ContentPart]:
    """The content as a string where it is nothing but one."""

    if not parts:
        return ""
    only = parts[0]
    return only.text if len(parts) == 1 and isinstance(only, TextPart) and not only.temporal else parts


def _message(entry: Entry, parts: list[ContentPart], calls: list[ToolCall]) -> ChatMessage:
    """The message of a post itself."""

    post = entry.post if isinstance(entry.post, dict) else {}
    known = ("id", "send_from", "send_to", "message", "attachment_list")
    metadata = {key: value for key, value in dict_or_value(post).items() if key not in known}
    reply_type, extra = reply_type_of(entry), _extras(post)
    if reply_type is not None:
        metadata["reply_type"] = reply_type
    if extra:
        metadata["attachment_extra"] = extra
    if any(one.type == "invalid_response" for one in entry.attachments):
        metadata["invalid_response"] = True
    common: dict[str, Any] = {
        "id": as_text(post.get("id")) or None,
        "content": _plain_text(parts),
        "name": name_in(post, "send_from"),
        "recipient": name_in(post, "send_to"),
        "metadata": {**metadata, **entry.round_metadata},
    }
    if entry.role == "user":
        return UserMessage(**common)
    return AssistantMessage(**common, tool_calls=calls or None)


def _extras(post: dict[str, Any]) -> list[dict[str, Any]]:
    """What the attachments hold beside id, type and content."""
    listed = post.get("attachment_list")
    extras = []
    for one in listed if isinstance(listed, list) else []:
        rest = dict_or_value(one) if isinstance(one, dict) else {}
        found = {
            key: value for key, value in rest.items() if key not in ("id", "type", "content") and value is not None
        }
        if found:
            extras.append({"type": rest.get("type"), **found})
    return extras
