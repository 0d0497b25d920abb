"""ADP's legacy spelling, turned into the current one; no pydantic, so that detection and summaries can use it."""

from __future__ import annotations

from typing import Any

__all__ = ["ACTIONS", "CALLS", "CLASSES", "OBSERVATIONS", "current_class", "current_spelling"]

CALLS = frozenset({"api_action", "code_action"})
ACTIONS = CALLS | {"message_action"}
OBSERVATIONS = frozenset({"text_observation", "image_observation", "web_observation"})
CLASSES = ACTIONS | OBSERVATIONS

# ADP's own SCHEMA.md still shows MessageAction and TextObservation; the others follow the same pattern.
_LEGACY_CLASSES = {
    "ApiAction": "api_action",
    "APIAction": "api_action",
    "CodeAction": "code_action",
    "MessageAction": "message_action",
    "TextObservation": "text_observation",
    "ImageObservation": "image_observation",
    "WebObservation": "web_observation",
}
_LEGACY_KEYS: dict[str, dict[str, str]] = {
    "api_action": {"thoughts": "description"},
    "code_action": {"thoughts": "description", "code": "content"},
    "message_action": {"thoughts": "description", "message": "content"},
    "text_observation": {"text": "content"},
}


def current_class(class_: object) -> str | None:
    """The class_ in ADP's spelling of today; an unknown name as it came, None for a value that is no name."""
    if not isinstance(class_, str):
        return None
    return _LEGACY_CLASSES.get(class_, class_)


def current_spelling(item: dict[str, Any]) -> dict[str, Any]:
    """The item in ADP's current spelling: itself where it is current already, else a copy.

    A legacy key is renamed only where the current one is missing or null, so that nothing is overwritten.
    """
    logged = item.get("class_")
    class_ = current_class(logged)
    legacy = _LEGACY_KEYS.get(class_ or "", {})
    renamed = {old: new for old, new in legacy.items() if item.get(old) is not None and item.get(new) is None}
    if not renamed and class_ == logged:
        return item
    current = {key: value for key, value in item.items() if key not in renamed}
    current["class_"] = class_
    current.update({new: item[old] for old, new in renamed.items()})
    return current
