"""Annotation from a program: the scores of one annotator by one rubric, saved as the viewer saves them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import trajview
from trajview.errors import AnnotationError, Problem
from trajview.models.reward import Reward

from .draft import Draft, bad_scores, loadable
from .rubric import Rubric, written
from .store import AnnotationStore

__all__ = ["Store"]


class Store:
    """A folder of annotations, and in it those that one annotator makes by one rubric.

    `folder` is made when something is saved. Each annotation is a record of Sotopia's, `AnnotationForEpisode/<pk>.json`;
    a journal beside them keeps the history, so that the viewer shows and undoes what a program saved. `episode` is the
    `key` of a `RunInfo`, which is the run's id but where another run of the corpus has the same.

    Every method reads or writes files, and raises AnnotationError, a TrajviewError, where that cannot be done.

    >>> from trajview import Rubric, Store
    >>> store = Store("sample_data/annotations", "ada", Rubric.named("sotopia"))
    >>> len(store.records()), sorted({record.annotator_id for record in store.records()})
    (14, ['ada', 'bo', 'chidi'])
    >>> record = store.load("1b9b3854-162c-579e-8d12-09dbc39e2f22")
    >>> [(round(overall, 2), scores["goal"]) for overall, scores in record.rewards]
    [(2.57, 4.0), (2.57, 10.0)]
    """

    def __init__(self, folder: str | os.PathLike[str], annotator: str, rubric: Rubric) -> None:
        self.folder = Path(folder)
        self.annotator = annotator
        self.rubric = rubric
        self._store = AnnotationStore(self.folder, annotator)
        self._known: dict[str, Sequence[Reward]] = {}
        """The records of this annotator that were read or saved: dimensions that the rubric does not have must stay in them."""

    def __repr__(self) -> str:
        return f"Store({str(self.folder)!r}, annotator={self.annotator!r}, rubric={self.rubric.name!r})"

    def save(
        self, episode: str, scores: Sequence[Mapping[str, float]], reasoning: str = "", *, overwrite: bool = False
    ) -> trajview.AnnotationForEpisode:
        """Save scores, durable when this returns, and give the record.

        `scores` holds for each agent of the episode, in its order, a score for each dimension that is rated; the record
        gets their mean as the overall reward. Dimensions that are rated per episode need to be given once only.

        Raises AnnotationError for a score that the rubric does not take, and where the record on disk is not the one that
        this store loaded or saved last, unless `overwrite`.

        >>> import tempfile
        >>> from trajview import Rubric, Store
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = Store(folder, "ada", Rubric.named("sotopia"))
        ...     record = store.save("episode-1", [{"goal": 8, "knowledge": 4}, {"goal": 3}], "The first one gave in.")
        ...     store.load("episode-1") == record, record.rewards, store.statuses()
        (True, [(6.0, {'knowledge': 4.0, 'goal': 8.0}), (3.0, {'goal': 3.0})], {'episode-1': 'annotated'})
        """
        for agent in scores:
            if unknown := sorted(set(agent) - {dimension.name for dimension in self.rubric.of_episodes}):
                known = ", ".join(dimension.name for dimension in self.rubric.of_episodes)
                raise AnnotationError(f"{self.rubric.name} has no dimension {unknown[0]!r}", hint=f"it has {known}")
        values = tuple({name: written(score) for name, score in agent.items()} for agent in scores)
        for (agent_number, name), bad in bad_scores(values, self.rubric).items():
            raise AnnotationError(f"{name} of agent {agent_number + 1}: {bad.sentence}")
        draft = Draft(episode, self.rubric.name, values, loadable(reasoning))
        saved = self._store.submit(draft, self.rubric, self._known.get(episode, ()), overwrite=overwrite)
        self._known[episode] = saved.annotation.rewards
        return saved.annotation

    def load(self, episode: str) -> trajview.AnnotationForEpisode | None:
        """This annotator's record of an episode, None where there is none. `save` may replace it from then on."""
        found = self._store.load(episode, self.rubric)
        self._known[episode] = found.rewards if found is not None else []
        return found

    def records(self) -> list[trajview.AnnotationForEpisode]:
        """The records of every annotator, by file name; files that are none are left out and named in `problems`."""
        return self._store.records()

    def statuses(self) -> dict[str, str]:
        """The status by episode: `annotated`, `draft`, `skipped` or `flagged`; only of those that the annotator worked on."""
        return self._store.statuses()

    @property
    def problems(self) -> list[Problem]:
        """The files that could not be read, as of the last look."""
        return self._store.problems
