"""A JSON array of the events of one session, sorted as lines of such are: most of them stay bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trajview.formats.base import Summary

from .decode import BadRecord, decode_json
from .held import Span, spans_in
from .record import LinesLook

__all__ = ["parted_events", "sorted_events"]


def sorted_events(data: bytes, spans: Sequence[Span], look: LinesLook) -> tuple[str, Summary] | None:
    """Format and summary of an array whose elements a look has taken; None where they must be decoded.

    They must where the first is no event, or some are no UTF-8, which has to be told.
    """
    from trajview.formats.events import is_event  # the first screen can do without

    view = memoryview(data)
    for number, (start, end) in enumerate(spans):
        if number and look.take(view[start:end]):
            continue
        try:
            value, replaced = decode_json(view[start:end])
        except BadRecord:
            return None
        if replaced or not (number or is_event(value)):
            return None
        look.give(value)
    return look.found()


def parted_events(data: bytes, look: LinesLook) -> Any:
    """What a look takes apart of such an array; None where it must be decoded."""
    if data[:1] != b"[":
        return None
    try:
        return look.taken_apart() if sorted_events(data, spans_in(data), look) is not None else None
    except (ValueError, RecursionError):
        return None
