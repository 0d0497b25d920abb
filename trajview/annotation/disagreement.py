"""Where annotators disagree most: episodes in the order of their spread, and one of them with everybody side by side."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from .ratings import GOLD, OVERALL, Rated, Ratings
from .rubric import Dimension

__all__ = ["Comparison", "Disagreement", "Reasoned", "Row", "compare", "disagreements", "not_submitted"]


class Reasoned(Rated, Protocol):
    """A record with its reasoning, such as an AnnotationForEpisode."""

    @property
    def reasoning(self) -> str:
        """Why the scores are what they are; "" where no reason is given."""


@dataclass(frozen=True, slots=True)
class Row:
    """Everybody's scores of one agent in one dimension.

    `spread` is the distance from the lowest to the highest score, as a share of the scale (0 to 1); None where fewer
    than two have rated it.
    """

    agent: int
    dimension: Dimension
    scores: Mapping[str, float]
    spread: float | None = None
    gold: float | None = None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An episode that two or more have rated. `spread` is the mean of its rows' (0 to 1), `widest` the row with the most.

    Of what is `hidden` neither is known: who has not submitted an episode is not to see what others gave it.
    """

    episode: str
    annotators: tuple[str, ...]
    spread: float = 0.0
    widest: Row | None = None
    settled: bool = False
    """Whether there is a gold record."""
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """An episode with everybody's scores and reasons side by side."""

    episode: str
    annotators: tuple[str, ...]
    rows: tuple[Row, ...]
    reasons: Mapping[str, str]
    """The reasons by annotator, of those who gave one; gold's too, under its name."""


def not_submitted(records: Iterable[Rated], annotator: str) -> frozenset[str]:
    """The episodes that others have submitted, and this annotator has not."""
    others: set[str] = set()
    mine: set[str] = set()
    for record in records:
        (mine if record.annotator_id == annotator else others).add(record.episode)
    return frozenset(others - mine)


def disagreements(ratings: Ratings, hidden: Collection[str] = ()) -> list[Disagreement]:
    """The episodes that two or more have rated, those of the largest spread first, and what is hidden at the end."""
    rows: dict[str, list[Row]] = {}
    for dimension in _rated(ratings):
        for episode in ratings.scores.get(dimension.name, {}):
            rows.setdefault(episode, []).extend(_rows(ratings, dimension, episode))
    settled = {episode for each in ratings.gold.values() for episode in each}
    found = []
    for episode, of_it in rows.items():
        people = tuple(sorted({who for row in of_it for who in row.scores}))
        spreads = [row.spread for row in of_it if row.spread is not None]
        if episode in hidden and len(people) > 1:
            found.append(Disagreement(episode, people, settled=episode in settled, hidden=True))
        elif spreads:
            widest = max(of_it, key=lambda row: -1.0 if row.spread is None else row.spread)
            mean = sum(spreads) / len(spreads)
            found.append(Disagreement(episode, people, mean, widest if widest.spread else None, episode in settled))
    return sorted(found, key=lambda each: (each.hidden, -each.spread, each.episode))


def compare(ratings: Ratings, records: Iterable[Reasoned], episode: str, gold: str = GOLD) -> Comparison:
    """Everybody's scores of an episode by agent and dimension, in the rubric's order, and their reasons."""
    rows = [row for dimension in _rated(ratings) for row in _rows(ratings, dimension, episode)]
    rows.sort(key=lambda row: row.agent)
    people = tuple(who for who in ratings.annotators if any(who in row.scores for row in rows))
    reasons: dict[str, str] = {}
    for record in records:
        if record.episode == episode and record.reasoning.strip() and record.annotator_id in (*people, gold):
            before = reasons.get(record.annotator_id)
            reasons[record.annotator_id] = f"{before}\n\n{record.reasoning}" if before else record.reasoning
    order = [who for who in (*people, gold) if who in reasons]
    return Comparison(episode, people, tuple(rows), {who: reasons[who] for who in order})


def _rated(ratings: Ratings) -> list[Dimension]:
    """The dimensions that somebody rated; the overall only follows from them, unless there is nothing else."""
    rated = [dimension for dimension in ratings.dimensions if dimension.name != OVERALL]
    return rated or list(ratings.dimensions)


def _rows(ratings: Ratings, dimension: Dimension, episode: str) -> list[Row]:
    settled = ratings.gold.get(dimension.name, {}).get(episode, {})
    agents = ratings.scores.get(dimension.name, {}).get(episode, ())
    width = ratings.widths.get(dimension.name, 0.0)
    found = []
    for agent in range(max(len(agents), *(at + 1 for at in settled), 0) if settled else len(agents)):
        scores = agents[agent] if agent < len(agents) else {}
        values = scores.values()
        spread = None
        if len(scores) > 1:
            spread = min(1.0, (max(values) - min(values)) / width) if width else 0.0
        found.append(Row(agent, dimension, scores, spread, settled.get(agent)))
    return found
