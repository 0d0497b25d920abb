"""The scores of several annotators and the rewards in the logs, side by side by dimension."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from trajview.errors import Problem

from .draft import RESERVED
from .rubric import SOTOPIA, Dimension, Rubric

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = ["GOLD", "OVERALL", "Rated", "Ratings", "Scores", "collect", "scores_in"]

GOLD = "gold"
"""The default annotator of records that settle a disagreement. It does not count as an annotator."""

OVERALL = "overall"
"""The first number of a reward: derived from the dimensions, and shown beside them where there are several."""

Scores = Mapping[str, float]
"""The scores of one agent by dimension, with the overall under `OVERALL`."""

_LARGEST = 1e12
"""The largest score that counts: the square of a larger one would drown all others."""

_SOTOPIA = {dimension.name: dimension for dimension in SOTOPIA.dimensions}


class Rated(Protocol):
    """A record with scores, such as an AnnotationForEpisode."""

    @property
    def episode(self) -> str: ...
    @property
    def annotator_id(self) -> str: ...
    @property
    def rewards(self) -> list[Reward]: ...


@dataclass(frozen=True, slots=True)
class Ratings:
    """Scores by dimension and episode: for each agent of the episode those of every annotator who rated it.

    `scores[dimension][episode][agent][annotator]`; `gold` and `model` likewise, without the annotator.
    """

    annotators: tuple[str, ...] = ()
    scores: Mapping[str, Mapping[str, Sequence[Scores]]] = field(default_factory=dict)
    gold: Mapping[str, Mapping[str, Mapping[int, float]]] = field(default_factory=dict)
    model: Mapping[str, Mapping[str, Mapping[int, float]]] = field(default_factory=dict)
    dimensions: tuple[Dimension, ...] = ()
    episodes: Mapping[str, int] = field(default_factory=dict)
    """How many episodes each annotator has rated."""
    widths: Mapping[str, float] = field(default_factory=dict)
    """The width of each dimension's scale; without a rubric, from the lowest to the highest score that was given."""
    modelled: int = 0
    """How many of the rated episodes have a reward in the logs."""
    problems: tuple[Problem, ...] = ()


def scores_in(reward: Reward, *, zero_counts: bool = False) -> dict[str, float]:
    """The scores in one agent's reward, without infinite and absurd ones.

    A bare 0.0 is "not rated", as Sotopia has it, unless `zero_counts`: in other logs it is a reward as any other.
    """
    if isinstance(reward, tuple):
        named = {name: float(score) for name, score in reward[1].items() if name != RESERVED and _usable(score)}
        if not named and not (_usable(reward[0]) and reward[0]):
            return {}
        return ({OVERALL: float(reward[0])} if _usable(reward[0]) else {}) | named
    return {OVERALL: float(reward)} if _usable(reward) and (reward or zero_counts) else {}


def _usable(score: float) -> bool:
    return math.isfinite(score) and abs(score) <= _LARGEST


def collect(
    records: Iterable[Rated],
    rewards: Mapping[str, Sequence[Scores]] | None = None,
    *,
    rubric: Rubric | None = None,
    only: Collection[str] = (),
    gold: str = GOLD,
) -> Ratings:
    """Put records side by side. `rewards`: the scores in the logs by episode, one `scores_in` for each agent.

    `rubric` keeps its own dimensions, in its order; `only` these annotators. Drafts are no records, and a record of
    `gold` is nobody's opinion. Where an annotator has several records that rate the same, the one with the most
    dimensions counts, and a problem says so.
    """
    problems: list[Problem] = []
    rated = _by_annotator(records, only, gold, problems)
    several = any(len(set(scores) - {OVERALL}) != 1 for each in rated.values() for scores in each if scores)
    names = {name: None for each in rated.values() for scores in each for name in scores}
    dimensions = _dimensions(names, rubric, several)
    scores, settled = _side_by_side(rated, dimensions, gold)
    known = {episode for episode, _ in rated} & (rewards or {}).keys()
    return Ratings(
        tuple(sorted({annotator for _, annotator in rated} - {gold})),
        scores,
        settled,
        _of_model({episode: rewards[episode] for episode in sorted(known)} if rewards else {}, dimensions),
        dimensions,
        dict(
            Counter(annotator for (_, annotator), agents in sorted(rated.items()) if annotator != gold and any(agents))
        ),
        {dimension.name: _width(dimension, scores.get(dimension.name, {})) for dimension in dimensions},
        len(known),
        tuple(problems),
    )


def _side_by_side(
    rated: Mapping[tuple[str, str], Sequence[Scores]], dimensions: Sequence[Dimension], gold: str
) -> tuple[dict[str, dict[str, list[dict[str, float]]]], dict[str, dict[str, dict[int, float]]]]:
    """The annotators' scores and the gold ones, by dimension, episode and agent."""
    scores: dict[str, dict[str, list[dict[str, float]]]] = {}
    settled: dict[str, dict[str, dict[int, float]]] = {}
    for (episode, annotator), agents in sorted(rated.items()):
        for dimension in dimensions:
            for agent, given in enumerate(agents[:1] if dimension.per == "episode" else agents):
                if dimension.name not in given:
                    continue
                if annotator == gold:
                    settled.setdefault(dimension.name, {}).setdefault(episode, {})[agent] = given[dimension.name]
                    continue
                rows = scores.setdefault(dimension.name, {}).setdefault(episode, [])
                rows += [{} for _ in range(agent + 1 - len(rows))]
                rows[agent][annotator] = given[dimension.name]
    return scores, settled


def _width(dimension: Dimension, scores: Mapping[str, Sequence[Scores]]) -> float:
    if math.isfinite(dimension.high) and math.isfinite(dimension.low):
        return dimension.high - dimension.low
    given = [score for agents in scores.values() for each in agents for score in each.values()]
    return max(given) - min(given) if given else 0.0


def _by_annotator(
    records: Iterable[Rated], only: Collection[str], gold: str, problems: list[Problem]
) -> dict[tuple[str, str], list[dict[str, float]]]:
    """The scores of each agent, by episode and annotator."""
    rated: dict[tuple[str, str], list[dict[str, float]]] = {}
    twice: set[tuple[str, str]] = set()
    found = [(record, [scores_in(reward) for reward in record.rewards]) for record in records]
    # The one with the most dimensions first; then by what they say, so that the order of files does not count.
    found.sort(key=lambda each: (-sum(map(len, each[1])), repr(each[1])))
    for record, agents in found:
        if only and record.annotator_id not in only and record.annotator_id != gold:
            continue
        place = (record.episode, record.annotator_id)
        kept = rated.setdefault(place, [])
        kept += [{} for _ in range(len(agents) - len(kept))]
        for mine, scores in zip(kept, agents, strict=False):
            if (mine.keys() & scores.keys()) - {OVERALL}:
                twice.add(place)
            for name, score in scores.items():
                mine.setdefault(name, score)
    for episode, annotator in sorted(twice):
        reason = f"{annotator} has several records of {episode} that rate the same dimension; one of them counts."
        problems.append(Problem(reason, "move the others away if they are not wanted"))
    return rated


def _dimensions(names: Collection[str], rubric: Rubric | None, several: bool) -> tuple[Dimension, ...]:
    """The dimensions to compare, in the rubric's order or Sotopia's, then by name.

    Where there is one dimension, the overall reward is that one.
    """
    if rubric is not None:
        # Scores of action units are never in the record of an episode.
        asked = [dimension for dimension in rubric.dimensions if dimension.scope == "episode"]
        several = len(asked) > 1
    else:
        known = [dimension for name, dimension in _SOTOPIA.items() if name in names]
        others = sorted(set(names) - _SOTOPIA.keys() - {OVERALL})
        asked = known + [_unknown(name) for name in others]
    if several and OVERALL in names and OVERALL not in {dimension.name for dimension in asked}:
        asked.append(_unknown(OVERALL))
    return tuple(asked)


def _unknown(name: str) -> Dimension:
    """A dimension that is known by its name alone: its range is that of the scores given."""
    return Dimension(name, -math.inf, math.inf)


def _of_model(
    rewards: Mapping[str, Sequence[Scores]], dimensions: Sequence[Dimension]
) -> dict[str, dict[str, dict[int, float]]]:
    """The rewards in the logs by dimension. Where people rated one dimension, a bare number is about that one."""
    found: dict[str, dict[str, dict[int, float]]] = {}
    for episode, agents in rewards.items():
        for dimension in dimensions:
            for agent, scores in enumerate(agents[:1] if dimension.per == "episode" else agents):
                score = scores.get(dimension.name)
                if score is None and len(dimensions) == 1 and set(scores) == {OVERALL}:
                    score = scores[OVERALL]
                if score is not None:
                    found.setdefault(dimension.name, {}).setdefault(episode, {})[agent] = score
    return found
