"""The annotations of a corpus's runs in a store, for pages that show them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from trajview.annotation.store import AnnotationStore
from trajview.errors import AnnotationError, Problem, TrajviewError, Where
from trajview.models.sotopia import AnnotationForEpisode

from .shown import Annotated

__all__ = ["Annotations"]


class Annotations:
    """The annotations, notes and marks of one annotator in a store, by the key of the run. Reads files."""

    def __init__(self, root: Path, annotator: str, say: Callable[[Problem], None]) -> None:
        """`say` is told of what cannot be read. Raises TrajviewError where the store itself cannot."""
        self._say = say
        self._store = AnnotationStore(root, annotator)
        self._by_key: dict[str, list[AnnotationForEpisode]] = {}
        try:
            for record in self._store.records():
                if record.annotator_id == annotator:
                    self._by_key.setdefault(record.episode, []).append(record)
        except OSError as error:
            raise TrajviewError(
                f"the annotations cannot be read: {error.strerror or error}", where=Where(root)
            ) from error

    def of(self, key: str) -> Annotated:
        """The annotations, notes and marks on a run."""
        try:
            notes = self._store.unit_notes(key)
        except AnnotationError as error:
            self._say(error.problem())
            return Annotated(self._by_key.get(key, ()))
        return Annotated(self._by_key.get(key, ()), {self._store.annotator: notes})
