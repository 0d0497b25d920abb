"""TaskWeaver's temporal text: text between two markers, which was shown to the model in one round only."""

from __future__ import annotations

__all__ = [
    "TEMPORAL_END",
    "TEMPORAL_START",
    "drop_temporal",
    "split_temporal",
    "strip_temporal_markers",
    "wrap_temporal",
]

TEMPORAL_START = "{{DELIMITER_START_TEMPORAL}}"
TEMPORAL_END = "{{DELIMITER_END_TEMPORAL}}"


def wrap_temporal(text: str) -> str:
    """Put a text between the markers that make it part of one round's prompt only."""
    return f"{TEMPORAL_START}{text}{TEMPORAL_END}"


def strip_temporal_markers(text: str) -> str:
    """Remove the markers from a text, as the prompt of the round itself shows it."""
    if "{{DELIMITER_" not in text:
        return text
    return text.replace(TEMPORAL_START, "").replace(TEMPORAL_END, "")


def _spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each temporal part, markers included.

    TaskWeaver's rule: from the first start marker to the first end marker; an end marker that comes first, or a
    marker without its partner, ends the search, and the rest counts as ordinary text.
    """
    spans: list[tuple[int, int]] = []
    position = 0
    while True:
        start = text.find(TEMPORAL_START, position)
        end = text.find(TEMPORAL_END, position)
        if start == -1 or end == -1 or end < start:
            return spans
        position = end + len(TEMPORAL_END)
        spans.append((start, position))


def drop_temporal(text: str) -> str:
    """Remove the temporal parts from a text, as the prompts of later rounds show it; unpaired markers stay in it."""
    position = 0
    kept: list[str] = []
    for start, end in _spans(text):
        kept.append(text[position:start])
        position = end
    return "".join([*kept, text[position:]])


def split_temporal(text: str) -> list[tuple[str, bool]]:
    """Split a text into pieces, without markers, each with whether it is temporal; empty pieces are left out.

    The ordinary pieces are what `drop_temporal` keeps. Unpaired markers go, the text around them stays.
    """
    pieces: list[tuple[str, bool]] = []
    position = 0
    for start, end in _spans(text):
        pieces.append((text[position:start], False))
        pieces.append((text[start:end], True))
        position = end
    pieces.append((text[position:], False))
    stripped = ((strip_temporal_markers(piece), temporal) for piece, temporal in pieces)
    return [(piece, temporal) for piece, temporal in stripped if piece]
