"""All formats, and which one a record is: scored, best first, and able to say why."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from trajview.errors import TrajviewError

from .base import Detection, Format

if TYPE_CHECKING:
    FORMATS: tuple[Format, ...]
    """In the order that decides a tie; raw is last."""

__all__ = ["FORMATS", "best", "detections", "format_named", "is_message_line"]

_IN_ORDER: Final = (
    "docent", "sotopia", "sotopia_annotation", "adp", "taskweaver", "openai", "anthropic", "sharegpt", "messages", "inspect",
    "sweagent", "atif", "openhands", "raw",
)  # fmt: skip


@cache
def _formats() -> tuple[Format, ...]:
    """All of them: imported when a record is looked at, for what is listed or known from the cache needs none."""
    return tuple(import_module(f".{name}", __package__).FORMAT for name in _IN_ORDER)


@cache
def _by_name() -> dict[str, Format]:
    return {found.name: found for found in _formats()}


def __getattr__(name: str) -> Any:
    if name == "FORMATS":
        return _formats()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def format_named(name: str) -> Format:
    """The format of that name. Raises TrajviewError, which lists the names, where there is none."""
    try:
        return _by_name()[name]
    except KeyError:
        raise TrajviewError(
            f"there is no format called {name!r}", hint=f"one of {', '.join(_by_name())}", title="Unknown format"
        ) from None


def detections(record: Any) -> list[Detection]:
    """Every format that a decoded record could be, the most confident first, raw always last."""
    from .traits import traits_kept

    with traits_kept():
        tried = (known.detect(record) for known in _formats()[:-1])
        found = [detection for detection in tried if detection is not None]
    found.sort(key=lambda detection: -detection.confidence)
    last = _formats()[-1].detect(record)
    return [*found, last] if last is not None else found


def best(record: Any) -> tuple[Format, Detection]:
    """The format that a decoded record most likely is, and how sure that is."""
    detection = detections(record)[0]
    return _by_name()[detection.format], detection


def is_message_line(record: Any) -> bool:
    """Whether a line of JSONL is one message of a conversation, so that the whole file is one run.

    So are `{"role", "content"}` and the events of a coding agent's session; join the lines in a list, which the
    `messages` format reads; and those of OpenHands' event streams, which the `openhands` format does.
    """
    from .events import is_event
    from .openhands_events import is_stream_event
    from .roles import is_message

    if not isinstance(record, dict) or "messages" in record or "conversations" in record or "transcripts" in record:
        return False
    return is_event(record) or is_message(record) or is_stream_event(record)
