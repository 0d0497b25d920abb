"""All formats, and which one a record is: scored, best first, and able to say why."""

from __future__ import annotations

from typing import Any

from trajview.errors import TrajviewError

from . import (
    adp,
    anthropic,
    atif,
    docent,
    inspect,
    messages,
    openai,
    openhands,
    raw,
    sharegpt,
    sotopia,
    sotopia_annotation,
    sweagent,
    taskweaver,
)
from .base import Detection, Format
from .events import is_event
from .roles import is_message

__all__ = ["FORMATS", "best", "detections", "format_named", "is_message_line"]

FORMATS: tuple[Format, ...] = (
    docent.FORMAT,
    sotopia.FORMAT,
    sotopia_annotation.FORMAT,
    adp.FORMAT,
    taskweaver.FORMAT,
    openai.FORMAT,
    anthropic.FORMAT,
    sharegpt.FORMAT,
    messages.FORMAT,
    inspect.FORMAT,
    sweagent.FORMAT,
    atif.FORMAT,
    openhands.FORMAT,
    raw.FORMAT,
)
"""In the order that decides a tie; raw is last."""

_BY_NAME = {found.name: found for found in FORMATS}


def format_named(name: str) -> Format:
    """The format of that name. Raises TrajviewError, which lists the names, where there is none."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise TrajviewError(
            f"there is no format called {name!r}", hint=f"one of {', '.join(_BY_NAME)}", title="Unknown format"
        ) from None


def detections(record: Any) -> list[Detection]:
    """Every format that a decoded record could be, the most confident first, raw always last."""
    found = [detection for detection in (known.detect(record) for known in FORMATS[:-1]) if detection is not None]
    found.sort(key=lambda detection: -detection.confidence)
    last = FORMATS[-1].detect(record)
    return [*found, last] if last is not None else found


def best(record: Any) -> tuple[Format, Detection]:
    """The format that a decoded record most likely is, and how sure that is."""
    detection = detections(record)[0]
    return _BY_NAME[detection.format], detection


def is_message_line(record: Any) -> bool:
    """Whether a line of JSONL is one message of a conversation, so that the whole file is one run.

    So are `{"role", "content"}` and the events of a coding agent's session; join the lines in a list, which the
    `messages` format reads.
    """
    if not isinstance(record, dict) or "messages" in record or "conversations" in record or "transcripts" in record:
        return False
    return is_event(record) or is_message(record)
