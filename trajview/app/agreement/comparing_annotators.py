"""The annotations of a store as one annotator may see them, for the screens that compare annotators.

Everything here reads or writes files, or computes for a while: call it in a thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from trajview.annotation.agreement import RESAMPLES, Agreement, Progress, agreement
from trajview.annotation.all_records import read_records
from trajview.annotation.disagreement import Comparison, Disagreement, compare, disagreements, not_submitted
from trajview.annotation.draft import loadable
from trajview.annotation.ratings import GOLD, Ratings, Scores, collect, scores_in
from trajview.annotation.rubric import Rubric
from trajview.errors import Problem
from trajview.formats.registry import format_or_default

if TYPE_CHECKING:
    from trajview.annotation.store import AnnotationStore
    from trajview.corpus.info import RunInfo
    from trajview.models.sotopia import AnnotationForEpisode

__all__ = ["Annotations", "read_annotations", "reveal", "rewards_by_key"]

_OTHERS: Final = "others' scores"
"""What a `reveal` event in the annotator's journal says was revealed."""


@dataclass(frozen=True, slots=True)
class Annotations:
    """The records of a store as one annotator may see them: `hidden` are episodes that this one has not submitted."""

    records: tuple[AnnotationForEpisode, ...] = ()
    ratings: Ratings = field(default_factory=Ratings)
    """Of all episodes, hidden ones too."""
    hidden: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()
    rewards: Mapping[str, list[Scores]] = field(default_factory=dict)
    rubric: Rubric | None = None
    gold: str = GOLD

    def figures(self, *, resamples: int = RESAMPLES, progress: Progress | None = None) -> Agreement:
        """The agreement in the episodes that are not hidden."""
        ratings = self.ratings
        if self.hidden:
            seen = [record for record in self.records if record.episode not in self.hidden]
            ratings = collect(seen, self.rewards, rubric=self.rubric, gold=self.gold)
        return agreement(ratings, resamples=resamples, gold=self.gold, progress=progress)

    def queue(self) -> list[Disagreement]:
        """The episodes by their spread, what is hidden at the end."""
        return disagreements(self.ratings, self.hidden)

    def compare(self, episode: str) -> Comparison:
        """An episode with everybody side by side."""
        return compare(self.ratings, self.records, episode, self.gold)


def rewards_by_key(infos: Iterable[RunInfo]) -> dict[str, list[Scores]]:
    """The rewards in the logs by the key that annotations refer to, of the runs that are summed up by now."""
    return {
        loadable(info.key): [
            scores_in(reward, zero_counts=not format_or_default(info.format).zero_is_no_reward)
            for reward in info.rewards
        ]
        for info in infos
        if info.summarised and info.rewards
    }


def reveal(store: AnnotationStore, episodes: Iterable[str]) -> None:
    """Write into the annotator's journal that others' scores of episodes are shown, before they are. Raises AnnotationError."""
    for episode in episodes:
        store.journal.write("reveal", episode, what=_OTHERS)


def read_annotations(
    store: AnnotationStore,
    *,
    rewards: Mapping[str, list[Scores]] | None = None,
    rubric: Rubric | None = None,
    gold: str = GOLD,
) -> Annotations:
    """Everybody's annotations in a store. Episodes that its annotator has neither submitted nor revealed are hidden.

    `rewards`: those in the logs, by episode; `gold`: the name under which records settle an episode. Raises
    AnnotationError where the folder or the annotator's journal cannot be read.
    """
    found = read_records(store.root)
    ratings = collect(found.records, rewards, rubric=rubric, gold=gold)
    by_people = (record for record in found.records if record.annotator_id != gold)
    revealed = {episode for episode, progress in store.progress().items() if _OTHERS in progress.revealed}
    return Annotations(
        tuple(found.records),
        ratings,
        not_submitted(by_people, loadable(store.annotator)) - revealed,
        (*found.problems, *ratings.problems),
        rewards or {},
        rubric,
        gold,
    )
