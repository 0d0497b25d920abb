"""Gold scores of episodes while a person settles them, without Textual: what is typed, its drafts, and the records saved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from trajview.annotation.disagreement import Comparison, Row
from trajview.annotation.draft import Draft
from trajview.annotation.ratings import OVERALL, Ratings
from trajview.annotation.rescue import rescue
from trajview.annotation.rubric import REWARD, SOTOPIA, Rubric, parse_score, reward_rubric, written
from trajview.annotation.store import AnnotationStore, Saved
from trajview.app.annotate.score_grid import Place, ScoreGrid
from trajview.errors import AnnotationError

if TYPE_CHECKING:
    from trajview.errors import Problem
    from trajview.models.run import Reward

__all__ = ["GoldRecords", "Settling", "rubric_of_gold"]


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
    """The gold scores of one episode while they are typed: a cursor on the rows of the comparison, and a text for each."""

    def __init__(
        self,
        comparison: Comparison,
        rubric: Rubric,
        draft: Draft,
        base_rewards: Sequence[Reward] = (),
        saved: Draft | None = None,
    ) -> None:
        """`draft`: what to begin with; `saved`: what the record says, where that is something else."""
        self.rubric = rubric
        self.base_rewards = base_rewards
        """The rewards of the record that this started from, for what an edit must not drop."""
        self.reasoning = draft.reasoning
        self.base = draft.base
        self.rationales = draft.rationales
        self.overwrites = False
        """Whether the next save may replace what somebody else has saved meanwhile."""
        agents = max([len(draft.values), *(row.agent + 1 for row in comparison.rows)])
        self.grid = ScoreGrid(rubric, [""] * agents)
        """What is typed, with its cursor on the score of the row that has ours."""
        self.grid.load(draft.values)
        self._dimensions = {dimension.name: index for index, dimension in enumerate(self.grid.dimensions)}
        self.cursor = 0
        self.refresh(comparison)
        self._kept = self.draft().says()
        self._saved = saved.says() if saved is not None else self._kept

    def refresh(self, comparison: Comparison) -> None:
        """Take the scores of the episode as they were read again."""
        self.comparison = comparison
        self.rows: Sequence[Row] = [row for row in comparison.rows if row.dimension.name in self._dimensions]
        self.go(self.cursor)

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    @property
    def dirty(self) -> bool:
        """Whether what is typed differs from what is saved."""
        return self.draft().says() != self._saved

    @property
    def is_kept(self) -> bool:
        """Whether what is typed is in the journal, or in the record."""
        return self.draft().says() == self._kept

    def kept(self, draft: Draft) -> None:
        """Remember that a draft is in the journal."""
        self._kept = draft.says()

    def saved(self, draft: Draft, base: str | None, rewards: Sequence[Reward]) -> None:
        """Remember that a draft was saved: as the version `base` of the record, with these rewards."""
        self.base, self.base_rewards = base, rewards
        self._saved = self._kept = draft.says()

    def _place(self, row: Row) -> Place:
        return Place(self._dimensions[row.dimension.name], row.agent)

    def text(self, row: Row) -> str:
        """What is typed in a row."""
        return self.grid.text(self._place(row))

    def bad(self, row: Row) -> str:
        """Why what is typed in a row is no score; empty where it is one, or nothing."""
        found = self.grid.bad(self._place(row))
        return found.sentence if found else ""

    @property
    def first_bad(self) -> tuple[Row, str] | None:
        """The first row with something that is no score, and why."""
        return next(((row, reason) for row in self.rows if (reason := self.bad(row))), None)

    def move(self, rows: int) -> None:
        """Move the cursor down, or up where `rows` is negative."""
        self.go(self.cursor + rows)

    def go(self, row: int) -> None:
        """Move the cursor to a row, or as far as there are any."""
        self.cursor = max(0, min(len(self.rows) - 1, row))
        if self.row is not None:
            self.grid.go(self._place(self.row))

    def step(self, direction: int) -> None:
        """Change the score by a step, up (1) or down (-1); where there is none, take the middle of what was given."""
        if self.row is None:
            return
        if isinstance(parse_score(self.text(self.row), self.row.dimension), float):
            self.grid.step(direction)
        else:
            self.take_middle()

    def take_middle(self) -> None:
        """Take the median of what the annotators gave, as a score of the scale."""
        if self.row is not None and self.row.scores:
            self.grid.put(self._place(self.row), _middle(self.row))
            self.grid.arrive()

    def fill(self) -> int:
        """Take the median in each row that is still empty; gives how many those were."""
        empty = [row for row in self.rows if not self.text(row).strip() and row.scores]
        for row in empty:
            self.grid.put(self._place(row), _middle(row))
        self.grid.arrive()
        return len(empty)

    def draft(self) -> Draft:
        """All that is typed, for the journal and the record."""
        episode = self.comparison.episode
        values = tuple(map(dict, self.grid.values))
        return Draft(episode, self.rubric.name, values, self.reasoning, self.base, rationales=self.rationales)


class GoldRecords:
    """The gold records of a store, and what is typed for them: opened to be settled, kept as drafts, and saved.

    The records and the drafts are gold's; the journal of the annotator who settles says who it was. `open`, `keep` and
    `save` read and write files: call them in a thread.
    """

    def __init__(self, settler: AnnotationStore, name: str) -> None:
        """`settler`: the store of the annotator who settles. `name`: the annotator that gold records name."""
        self._settler = settler
        self._store = AnnotationStore(settler.root, name)
        self.settlings: dict[str, Settling] = {}
        """By episode, those that are open."""

    def open(self, comparison: Comparison, rubric: Rubric) -> Settling:
        """Read what gold has given an episode so far, a draft first. Raises AnnotationError."""
        agents = max([1, *(row.agent + 1 for row in comparison.rows)])
        opened = self._store.open(comparison.episode, rubric, agents)
        return Settling(comparison, rubric, opened.kept or opened.draft, opened.rewards, saved=opened.draft)

    def unkept(self) -> list[tuple[str, Draft]]:
        """What is not in gold's journal yet: drafts, each with its event. One that says what is saved discards the one before."""
        open = self.settlings.values()
        return [("draft" if each.dirty else "discard", each.draft()) for each in open if not each.is_kept]

    def keep(self, unkept: Sequence[tuple[str, Draft]]) -> None:
        """Write drafts into gold's journal. Raises AnnotationError."""
        for event, draft in unkept:
            self._store.journal.append(event, draft)
            self.settlings[draft.episode].kept(draft)

    def keep_or_rescue(self) -> Problem | AnnotationError | None:
        """Write what is not in gold's journal yet, or else keep it outside the store; gives what went wrong."""
        unkept = self.unkept()
        try:
            self.keep(unkept)
        except AnnotationError as error:
            return rescue(self._store.journal, [draft for _, draft in unkept]) or error
        return None

    def save(self, settling: Settling, draft: Draft, *, overwrite: bool = False) -> Saved:
        """Save a gold record. Raises ChangedOnDisk, unless `overwrite`, and AnnotationError."""
        values = [{name: text for name, text in typed.items() if text} for typed in draft.values]
        # Who settles comes first: there is never a record of which that is not known.
        self._settler.journal.write("settle", draft.episode, draft.rubric, gold=self._store.annotator, values=values)
        return self._store.submit(draft, settling.rubric, settling.base_rewards, overwrite=overwrite)


def _middle(row: Row) -> str:
    middle = median(row.scores.values())
    if row.dimension.integer:
        # Between two scores the one nearer to the middle of the scale: neither extreme is favoured.
        centre = (row.dimension.low + row.dimension.high) / 2
        middle = math.floor(middle) if middle > centre else math.ceil(middle)
    return written(float(middle))
