"""Scores and a note of an action unit on one line, as a person types them: `0.5 went in circles`. Pure.

First a number for each dimension of the rubric that is of units, in its order, `-` for one that is not rated; then the
note. What is no number begins the note, so a note alone may be typed as it is; one that begins with a number comes after
the scores, or after a `-`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .rubric import BadScore, Dimension, Rubric, mean_of, parse_score, reward_rubric, written

__all__ = ["parse_unit", "score_text", "unit_dimensions", "unit_text"]

_NUMBER_LIKE = re.compile(r"[+\-−]?[.,]?[0-9]\S*")
_NOT_RATED = re.compile(r"[-–−]")


def unit_dimensions(rubric: Rubric, reward_range: tuple[float, float] = (0.0, 1.0)) -> tuple[Dimension, ...]:
    """The dimensions of an action unit: those of the rubric, or one reward where it has none."""
    return rubric.of_units or reward_rubric(*reward_range).dimensions


def parse_unit(text: str, dimensions: Sequence[Dimension]) -> tuple[dict[str, float], str] | BadScore:
    """Read a typed line: the scores by dimension and the note; BadScore with one sentence where a score is none."""
    rest = " ".join(text.split())
    scores: dict[str, float] = {}
    for dimension in dimensions:
        word, _, after = rest.partition(" ")
        if _NOT_RATED.fullmatch(word):
            rest = after
            continue
        if not _NUMBER_LIKE.fullmatch(word):
            break
        score = parse_score(word, dimension)
        if isinstance(score, BadScore):
            return BadScore(f"{dimension.label}: {score.sentence} (- leaves it out)")
        if score is not None:
            scores[dimension.name] = score
        rest = after
    return scores, rest


def unit_text(scores: Mapping[str, float], note: str, dimensions: Sequence[Dimension]) -> str:
    """Write the line to edit, which `parse_unit` reads as the same scores and note; white space is folded."""
    note = " ".join(note.split())
    words = [written(scores[dimension.name]) if dimension.name in scores else "-" for dimension in dimensions]
    looks_like_score = bool(_NUMBER_LIKE.match(note) or _NOT_RATED.match(note))
    while words and words[-1] == "-" and not looks_like_score:
        words.pop()
    return " ".join([*words, *([note] if note else [])])


def score_text(scores: Mapping[str, float]) -> str:
    """The scores of a unit in a few characters: `0.5`, the mean of several as `ø0.75`; empty where there is none."""
    mean = mean_of(scores.values())
    if mean is None:
        return ""
    return written(mean) if len(scores) == 1 else f"ø{written(round(mean, 2))}"
