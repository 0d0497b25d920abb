"""The gold scores of one episode while a person settles them, without Textual: a cursor, what was typed, what it means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from trajview.annotation.disagreement import Comparison, Row
from trajview.annotation.draft import Draft, Values, bad_scores
from trajview.annotation.ratings import OVERALL, Ratings
from trajview.annotation.rubric import REWARD, SOTOPIA, Dimension, Rubric, parse_score, reward_rubric, written

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = ["Settling", "rubric_of_gold"]

_TYPED = frozenset("0123456789.-+")
_LONGEST = 12


def rubric_of_gold(ratings: Ratings, chosen: Rubric | None, reward_range: tuple[float, float] = (0.0, 1.0)) -> Rubric:
    """What gold records are rated by: the rubric that was chosen, else the one whose dimensions the annotators rated."""
    if chosen is not None:
        return chosen
    names = {dimension.name for dimension in ratings.dimensions} - {OVERALL}
    if names and names <= SOTOPIA.names:
        return SOTOPIA
    if names <= {REWARD}:
        return reward_rubric(*reward_range)
    return Rubric("settled", tuple(each for each in ratings.dimensions if each.name != OVERALL))


class Settling:
    """What is typed into the gold column. The cursor is a row of the comparison; `draft` is what there was before."""

    def __init__(
        self,
        comparison: Comparison,
        rubric: Rubric,
        draft: Draft,
        base_rewards: Sequence[Reward] = (),
        saved: Draft | None = None,
    ) -> None:
        self.rubric = rubric
        self.base_rewards = base_rewards
        """The rewards of the record that this started from, for what an edit must not drop."""
        self.reasoning = draft.reasoning
        self.base = draft.base
        self.rationales = draft.rationales
        self.cursor = 0
        self._fresh = True
        """Whether the next character replaces what is in the field."""
        self.show(comparison)
        self.agents = max([len(draft.values), *(row.agent + 1 for row in self.rows)])
        self._typed = [dict(typed) for typed in draft.values]
        self._typed += [{} for _ in range(self.agents - len(self._typed))]
        self._before = (saved or self.draft()).says()

    def show(self, comparison: Comparison) -> None:
        """The same episode, as it was read again."""
        self.comparison = comparison
        self.rows: Sequence[Row] = [row for row in comparison.rows if row.dimension.name in self.rubric.names]
        self.cursor = max(0, min(self.cursor, len(self.rows) - 1))

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    @property
    def dirty(self) -> bool:
        """Whether something is there that was not when it was opened or saved."""
        return self.draft().says() != self._before

    def saved(self, draft: Draft, base: str | None, rewards: Sequence[Reward]) -> None:
        """That is on disk now, in that version."""
        self.base, self.base_rewards = base, rewards
        self._before = draft.says()

    def text(self, row: Row) -> str:
        """What is typed in a row."""
        return self._typed[row.agent].get(row.dimension.name, "")

    def bad(self, row: Row) -> str:
        """Why what is typed in a row is no score; empty where it is one, or nothing."""
        found = bad_scores(self.values(), self.rubric).get((row.agent, row.dimension.name))
        return found.sentence if found else ""

    @property
    def first_bad(self) -> tuple[Row, str] | None:
        """The first row with something that is no score, and why."""
        return next(((row, said) for row in self.rows if (said := self.bad(row))), None)

    def move(self, rows: int) -> None:
        """The cursor, down or up."""
        if self.rows:
            self.go(self.cursor + rows)

    def go(self, row: int) -> None:
        """The cursor, to a row."""
        self.cursor = max(0, min(len(self.rows) - 1, row))
        self._fresh = True

    def type(self, character: str) -> bool:
        """A character of a number; whether it is one."""
        if character not in _TYPED or self.row is None:
            return False
        before = "" if self._fresh else self.text(self.row)
        self._fresh = False
        self._set(self.row, (before + character)[:_LONGEST])
        return True

    def delete(self) -> None:
        """The last character; all of them where nothing was typed yet."""
        if self.row is not None:
            self._set(self.row, "" if self._fresh else self.text(self.row)[:-1])
            self._fresh = False

    def step(self, steps: int) -> None:
        """The score up or down; from nothing, to the middle of what was given."""
        if self.row is None:
            return
        dimension = self.row.dimension
        score = parse_score(self.text(self.row), dimension)
        if not isinstance(score, float):
            self.take_middle()
            return
        self._set(self.row, written(_within(round(score + steps * _step_of(dimension), 9), dimension)))
        self._fresh = True

    def take_middle(self) -> None:
        """The median of what the annotators gave, on the scale."""
        if self.row is not None and self.row.scores:
            self._set(self.row, _middle(self.row))
            self._fresh = True

    def fill(self) -> int:
        """The median in each row that is still empty; how many that were."""
        empty = [row for row in self.rows if not self.text(row).strip() and row.scores]
        for row in empty:
            self._set(row, _middle(row))
        self._fresh = True
        return len(empty)

    def values(self) -> Values:
        """What is typed, by agent. The score of the whole episode stands in every agent's."""
        whole = {each.name for each in self.rubric.dimensions if each.per == "episode"}
        shared = {name: self._typed[0][name] for name in whole if self._typed[0].get(name)}
        return tuple({**typed, **shared} for typed in self._typed)

    def draft(self) -> Draft:
        """All of it, for the journal and the record."""
        episode = self.comparison.episode
        return Draft(episode, self.rubric.name, self.values(), self.reasoning, self.base, rationales=self.rationales)

    def _set(self, row: Row, text: str) -> None:
        self._typed[row.agent][row.dimension.name] = text


def _middle(row: Row) -> str:
    middle = median(row.scores.values())
    if row.dimension.integer:
        # Between two scores the one nearer to the middle of the scale: neither extreme is favoured.
        centre = (row.dimension.low + row.dimension.high) / 2
        middle = math.floor(middle) if middle > centre else math.ceil(middle)
    return written(float(middle))


def _step_of(dimension: Dimension) -> float:
    if dimension.step is not None:
        return dimension.step
    width = dimension.high - dimension.low
    return 1.0 if dimension.integer or not math.isfinite(width) else width / 20


def _within(score: float, dimension: Dimension) -> float:
    return max(dimension.low, min(dimension.high, score)) + 0.0
