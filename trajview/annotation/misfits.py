"""Checks of saved records against a rubric, so that nobody is surprised by what the fields show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trajview.errors import Problem, Where

from .draft import disagreeing
from .rubric import Rubric

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = ["different_scores", "foreign_dimensions"]


def different_scores(rewards: Sequence[Reward], rubric: Rubric, path: Path) -> Iterator[Problem]:
    """Report dimensions that are rated once for all agents, and for which a record has several scores."""
    for name in disagreeing(rewards, rubric):
        yield Problem(
            f"{name} is rated once for all agents, but they have different scores; the first is shown.",
            "saving gives it to all of them",
            Where(path),
        )


def foreign_dimensions(records: Iterable[tuple[Path, frozenset[str]]], rubric: Rubric) -> Iterator[Problem]:
    """Report records of the rubric's name with dimensions that it does not have: two rubrics share the name."""
    asked = {dimension.name for dimension in rubric.of_episodes}
    odd = [(path, dimensions - asked) for path, dimensions in records if dimensions - asked]
    if not odd:
        return
    names = sorted(set().union(*(dimensions for _, dimensions in odd)))
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    has = "1 annotation of a rubric `{}` has" if len(odd) == 1 else f"{len(odd)} annotations of a rubric `{{}}` have"
    yield Problem(
        f"{has.format(rubric.name)} dimensions that it does not ask for: {', '.join(names[:3])}{more}. They are kept.",
        "if these are two rubrics, give them different names",
        Where(odd[0][0] if len(odd) == 1 else odd[0][0].parent),
    )
