"""Drafts of annotations: what is typed into the fields, and its conversion to and from the rewards of a record."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from trajview.models.annotation_pk import loadable

from .rubric import REWARD, BadScore, Rubric, mean_of, parse_score, written

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = [
    "Draft",
    "Values",
    "bad_scores",
    "disagreeing",
    "loadable",
    "overall",
    "rewards_of",
    "scores_of",
    "values_of",
]

Values = tuple[Mapping[str, str], ...]
"""The typed texts: for each agent, by dimension."""

RESERVED = "overall_score"
"""A key of Sotopia's rewards that repeats the overall; never a dimension."""


@dataclass(frozen=True, slots=True)
class Draft:
    """Typed texts for one run and rubric. `base` is the version of the saved record it started from, None for none."""

    episode: str
    rubric: str
    values: Values
    reasoning: str = ""
    base: str | None = None
    time: datetime | None = None
    rationales: Values = ()
    """The reasons for the scores: for each agent, by dimension."""
    beginning: str = ""
    """How the run began that this was typed for (see `models.beginning`): another run may come under the same name."""

    def says(self) -> tuple[object, str, object]:
        """The texts without empty fields, for comparing two drafts."""
        return _filled(self.values), self.reasoning, _filled(self.rationales)

    @property
    def empty(self) -> bool:
        """Whether nothing is rated and nothing written."""
        return not (_filled(self.values) or self.reasoning.strip() or _filled(self.rationales))


def _filled(values: Values) -> tuple[tuple[tuple[str, str], ...], ...]:
    texts = [tuple(sorted((k, v.strip()) for k, v in agent.items() if v.strip())) for agent in values]
    while texts and not texts[-1]:
        texts.pop()
    return tuple(texts)


def bad_scores(values: Values, rubric: Rubric) -> dict[tuple[int, str], BadScore]:
    """The typed texts that are no scores, by agent (from 0) and dimension, in the order of the rubric."""
    found: dict[tuple[int, str], BadScore] = {}
    for dimension in rubric.of_episodes:
        for agent, typed in enumerate(values):
            score = parse_score(typed.get(dimension.name, ""), dimension)
            if isinstance(score, BadScore):
                found[agent, dimension.name] = score
    return found


def _others(base: Reward | None, rubric: Rubric) -> dict[str, float]:
    """The dimensions of a saved reward that the rubric does not have; an edit must not drop them."""
    if not isinstance(base, tuple):
        return {}
    asked = {dimension.name for dimension in rubric.of_episodes}
    return {k: v for k, v in base[1].items() if k not in asked and k != RESERVED and math.isfinite(v)}


def _bare(base: Reward | None) -> Reward:
    """A saved reward that has an overall and no dimensions, which no field shows; else 0.0, "not rated"."""
    number = base[0] if isinstance(base, tuple) and not set(base[1]) - {RESERVED} else base
    return base if base is not None and isinstance(number, float) and math.isfinite(number) else 0.0


def scores_of(typed: Mapping[str, str], rubric: Rubric, base: Reward | None = None) -> dict[str, float]:
    """The scores of one agent in the rubric's order, then those of `base` that the rubric does not know."""
    scores: dict[str, float] = {}
    for dimension in rubric.of_episodes:
        score = parse_score(typed.get(dimension.name, ""), dimension)
        if isinstance(score, float):
            scores[dimension.name] = score
    return {**scores, **_others(base, rubric)}


def overall(typed: Mapping[str, str], rubric: Rubric, base: Reward | None = None) -> float | None:
    """The mean that will be saved for an agent, None where nothing is rated."""
    return mean_of(scores_of(typed, rubric, base).values())


def rewards_of(values: Values, rubric: Rubric, base: Sequence[Reward] = ()) -> list[Reward]:
    """One reward per agent, as Sotopia's consumers need them: `(overall, {dimension: score})`.

    A dimension without a score is left out. An agent without any gets the bare 0.0 that means "not rated": Sotopia's
    aggregation passes over an annotation with a bare number, while an empty dict would count as a score of 0 or crash
    it. A bare number in `base`, where nothing was rated since, stays; so do rewards of agents beyond those rated here.
    What is rated once for all agents, where any of them has it, stands in the reward of every one.
    """
    rewards: list[Reward] = []
    common = _common(values, rubric)
    for agent, own in enumerate(values):
        typed = {**own, **common}
        was = base[agent] if agent < len(base) else None
        scores = scores_of(typed, rubric, was)
        mean = mean_of(scores.values())
        if mean is not None:
            rewards.append((mean, scores))
        else:
            rewards.append(_bare(was) if REWARD not in rubric.names else 0.0)
    return rewards + list(base[len(values) :])


def values_of(rewards: Sequence[Reward], rubric: Rubric, agents: int) -> Values:
    """The texts to fill the fields with, from a saved record. A bare 0.0 is "not rated" (Sotopia's custom).

    What is rated once for all agents is the same in each; where the record's differ (`disagreeing`), the first counts.
    """
    values: list[dict[str, str]] = []
    asked = {dimension.name for dimension in rubric.of_episodes}
    for agent in range(agents):
        reward = rewards[agent] if agent < len(rewards) else 0.0
        if isinstance(reward, tuple):
            typed = {name: written(score) for name, score in reward[1].items() if name in asked}
            if not typed and REWARD in rubric.names and set(reward[1]) - {RESERVED}:
                typed = {REWARD: written(reward[0])}
        else:
            typed = {REWARD: written(reward)} if REWARD in rubric.names and reward != 0.0 else {}
        values.append(typed)
    common = _common(values, rubric)
    return tuple({**typed, **common} for typed in values)


def disagreeing(rewards: Sequence[Reward], rubric: Rubric) -> list[str]:
    """Dimensions that are rated once for all agents, and whose scores in a saved record are not the same for all."""
    found = []
    for dimension in rubric.of_episodes:
        scores = {reward[1].get(dimension.name) if isinstance(reward, tuple) else None for reward in rewards}
        if dimension.per == "episode" and len(scores) > 1:
            found.append(dimension.name)
    return found


def _common(values: Sequence[Mapping[str, str]], rubric: Rubric) -> dict[str, str]:
    """The texts of dimensions that are rated once for all agents: from the first agent that has them."""
    common: dict[str, str] = {}
    for dimension in rubric.of_episodes:
        if dimension.per == "episode":
            typed = [agent[dimension.name] for agent in values if agent.get(dimension.name, "").strip()]
            common |= {dimension.name: typed[0]} if typed else {}
    return common
