"""What is known about a run, a transcript and a message, as text to read: keys, values, long texts as blocks."""

from __future__ import annotations

from typing import Any

from trajview.models.messages import ChatMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript

__all__ = ["metadata_text", "outlined"]

_INLINE = 60


def metadata_text(run: AgentRun, transcript: Transcript, number: int | None, message: ChatMessage | None) -> str:
    """The facts beside the conversation itself, the nearest first."""
    sections: list[tuple[str, Any]] = []
    if message is not None:
        sections.append((f"message {number}", _flattened(_known(message.plain(), ("content", "tool_calls")))))
    about = {"id": transcript.id, "name": transcript.name, "description": transcript.description}
    sections.append(("transcript", {**{k: v for k, v in about.items() if v}, **transcript.metadata}))
    sections.append(("run", _about(run)))
    if run.reasoning:
        sections.append(("the evaluator's reasoning", run.reasoning))
    return "\n\n".join(f"{title}\n{'─' * len(title)}\n{outlined(value)}" for title, value in sections)


def _about(run: AgentRun) -> dict[str, Any]:
    """What is known of a run, its transcripts and the evaluator's reasoning apart."""
    fields = {name: getattr(run, name) for name in run.__struct_fields__}
    known = _known(fields, ("transcripts", "reasoning", "rewards"))
    known["transcript_groups"] = [_known(group.plain()) for group in run.transcript_groups]
    if run.rewards:
        known["rewards"] = {
            name: {"overall": reward[0], **reward[1]} if isinstance(reward, tuple) else reward
            for name, reward in zip(run.agent_names, run.rewards, strict=False)
        }
    return _flattened(known)


def _known(fields: dict[str, Any], but: tuple[str, ...] = ()) -> dict[str, Any]:
    """The fields that hold something, but for some."""
    return {name: value for name, value in fields.items() if value is not None and name not in but}


def _flattened(known: dict[str, Any]) -> dict[str, Any]:
    """The fields of a model with its metadata's own keys beside them, empty ones left out."""
    metadata = known.pop("metadata", None) or {}
    return {key: value for key, value in known.items() if value not in ("", [], {})} | metadata


def outlined(value: Any, indent: int = 0) -> str:
    """A decoded value as indented lines: `key: value`, nested ones below their key, texts of several lines as blocks."""
    margin = "  " * indent
    if isinstance(value, dict):
        if not value:
            return f"{margin}{{}}"
        return "\n".join(_entry(f"{key}:", item, indent) for key, item in value.items())
    if isinstance(value, list):
        if not value:
            return f"{margin}[]"
        return "\n".join(_entry("-", item, indent) for item in value)
    return "\n".join(margin + line for line in _scalar(value).split("\n"))


def _entry(label: str, item: Any, indent: int) -> str:
    margin = "  " * indent
    if isinstance(item, dict | list) and item:
        flat = _on_one_line(item)
        return f"{margin}{label} {flat}" if flat is not None else f"{margin}{label}\n{outlined(item, indent + 1)}"
    text = _scalar(item)
    if "\n" in text:
        return f"{margin}{label}\n" + "\n".join(f"{margin}  {line}" for line in text.split("\n"))
    return f"{margin}{label} {text}"


def _on_one_line(item: dict[str, Any] | list[Any]) -> str | None:
    """Short lists of plain values, as `a, b, c`."""
    if isinstance(item, list) and len(item) <= 12 and not any(isinstance(one, dict | list) for one in item):
        flat = ", ".join(map(_scalar, item))
        return flat if len(flat) <= _INLINE and "\n" not in flat else None
    return None


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict | list):
        return "{}" if isinstance(value, dict) else "[]"
    return str(value)
