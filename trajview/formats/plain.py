"""Small functions on decoded JSON that every chat format needs: text of any value, ids, rewards, leftovers, places."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from trajview.errors import FormatError, Problem, Where
from trajview.models.said import is_deep

from .base import Origin

if TYPE_CHECKING:
    from pydantic import ValidationError

    from trajview.models.run import Reward

__all__ = [
    "as_json",
    "as_text",
    "dict_or_value",
    "first_id",
    "id_of",
    "is_list",
    "json_or_value",
    "kind",
    "not_an_object",
    "number",
    "place",
    "problems_at",
    "put",
    "refused_at",
    "rewards_of",
    "text_or_none",
]  # fmt: skip

_KINDS = {
    dict: "object",
    list: "list",
    str: "text",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
}

ID_KEYS = (
    "id", "uuid", "run_id", "trajectory_id", "session_id", "sessionId", "conversation_id", "instance_id", "example_id",
    "task_id", "sample_id", "name",
)  # fmt: skip
"""Keys of names of records, best first."""


def kind(value: object) -> str:
    """The kind of a JSON value, in a person's word: object, list, text, number, boolean, null."""
    return "list" if is_list(value) else _KINDS.get(type(value), type(value).__name__)


def is_list(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether a value of a record is a list: a decoded one, or one whose elements are bytes (`logged.Elements`)."""
    return isinstance(value, list) or (isinstance(value, Sequence) and not isinstance(value, str | bytes | tuple))


def as_json(value: object, indent: int | None = 2) -> str:
    """Any decoded value as JSON text; what JSON does not know (a YAML date) is written as its text."""
    try:
        if not is_deep(value):
            return json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    except (TypeError, ValueError):
        # Keys that JSON does not know, or a value that holds itself (a YAML alias).
        return str(value)
    except RecursionError:
        pass
    return f"({kind(value)} nested too deeply to be shown)"


def as_text(value: object) -> str:
    """A text as it is, null as nothing, anything else as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else as_json(value)


def json_or_value(value: object) -> Any:
    """Decode a text that is JSON; any other value is returned as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def text_or_none(value: object) -> str | None:
    """A text that is not empty, otherwise None."""
    return value if isinstance(value, str) and value else None


def number(value: object) -> float | None:
    """A finite number (true and false count as 1 and 0), otherwise None."""
    if isinstance(value, (int, float)):
        try:
            found = float(value)
        except OverflowError:
            return None
        return found if math.isfinite(found) else None
    return None


def id_of(record: Mapping[Any, Any], origin: Origin) -> str:
    """A record's `id`, a text that is not empty or a whole number; the origin's default id where there is none."""
    value = record.get("id")
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        return origin.default_id
    return as_text(value)


def first_id(record: Mapping[Any, Any], origin: Origin, keys: Iterable[str] = ID_KEYS) -> tuple[str, str | None]:
    """The name of a record, and its key; the origin's default id and None where it has none."""
    for key in keys:
        value = record.get(key)
        if isinstance(value, str) and value.strip():
            return value, key
        if isinstance(value, int) and not isinstance(value, bool):
            return as_json(value), key
    return origin.default_id, None


def dict_or_value(value: object) -> dict[str, Any]:
    """Metadata as a dict with text keys: null is empty, any other value stands under `value`."""
    if value is None:
        return {}
    if isinstance(value, dict):
        return value if all(isinstance(key, str) for key in value) else {str(key): value[key] for key in value}
    return {"value": value}


def put(metadata: dict[str, Any], key: object, value: object) -> None:
    """Keep a leftover in metadata; a key that is taken by something else gets an underscore, so that both stay."""
    name = str(key)
    while name in metadata and metadata[name] is not value:
        name += "_"
    metadata[name] = value


def _scores_of(scores: object) -> dict[str, float]:
    found: dict[str, float] = {}
    for key, value in scores.items() if isinstance(scores, dict) else ():
        score = number(value.get("value") if isinstance(value, dict) else value)
        if score is not None:
            found[str(key)] = score
    return found


def rewards_of(*holders: object) -> list[Reward] | None:
    """The reward of a run of one agent, from the first holder (record, its metadata, …) that has one.

    `reward` or `score` is the number; of `scores` a single one is the number too, and several are dimensions, whose
    overall is `reward` where there is one and their mean otherwise (Sotopia's rule). None where there is nothing.
    """
    for holder in holders:
        if not isinstance(holder, dict):
            continue
        scores = _scores_of(holder["scores"]) if "scores" in holder else {}
        overall = number(holder.get("reward"))
        if overall is None:
            overall = number(holder.get("score"))
        if overall is None and "reward" in scores and len(scores) > 1:
            overall = scores.pop("reward")
        if len(scores) > 1 or (scores and overall is not None):
            return [(sum(scores.values()) / len(scores) if overall is None else overall, scores)]
        if scores:
            return list(scores.values())
        if overall is not None:
            return [overall]
    return None


def place(origin: Origin) -> Where:
    """The place of a record: its line where known, else its number where its file holds several."""
    return Where(origin.path, origin.line, None if origin.alone else origin.record)


def not_an_object(label: str, record: object, origin: Origin, wanted: str = "an object") -> FormatError:
    """The error for a record that a format cannot use."""
    return FormatError(
        f"{label} is {wanted}, and this is {kind(record)}", hint="it is listed as raw JSON", where=place(origin)
    )


def refused_at(origin: Origin, error: ValidationError, hint: str) -> list[Problem]:
    """The problems that a model found in a record, each with its place in it."""
    where = place(origin)
    return [
        Problem(f"{'.'.join(str(step) for step in one['loc']) or 'record'}: {one['msg']}", hint, where)
        for one in error.errors(include_url=False, include_context=False, include_input=False)
    ]


def problems_at(origin: Origin, reasons: Iterable[str], hint: str = "") -> list[Problem]:
    """Problems for reasons in a record; a repeated reason is said once, with its count."""
    counts: dict[str, int] = {}
    for reason in reasons:
        counts[reason] = counts.get(reason, 0) + 1
    where = place(origin)
    return [Problem(r if n == 1 else f"{r} ({n} times)", hint, where) for r, n in counts.items()]
