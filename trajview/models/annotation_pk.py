"""The pk of an annotation, which makes two records the same annotation. Free of pydantic, so cheap to import."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable

from .episodes import DIMENSIONS, OVERALL

__all__ = ["loadable", "pk_of", "rubric_of"]

_NAMESPACE = uuid.UUID("5b0c1a0e-7a7b-5c53-9a43-0f6d3c0d8f52")
"""The namespace of pks. It must never change: submitting again would no longer replace a record."""
_REWARD = "reward"
_SOTOPIA = frozenset({dimension.name for dimension in DIMENSIONS})


def loadable(text: str) -> str:
    """The text with lone surrogates replaced: a record that holds one cannot be loaded by Sotopia, nor by us."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def pk_of(episode: str, annotator: str, rubric: str) -> str:
    """The pk of an annotation: the same for the same episode, annotator and rubric, so that submitting replaces."""
    return str(uuid.uuid5(_NAMESPACE, json.dumps([loadable(episode), loadable(annotator), rubric])))


def rubric_of(rewards: Iterable[object]) -> str | None:
    """The rubric of rewards, as far as their dimensions tell: `sotopia`, `reward`, or None.

    The rewards need not be valid ones: what is none names no dimension.
    """
    scores = (reward[1] for reward in rewards if isinstance(reward, tuple | list) and len(reward) == 2)
    named = {name for each in scores if isinstance(each, dict) for name in each} - {OVERALL}
    if named and named <= _SOTOPIA:
        return "sotopia"
    return _REWARD if named <= {_REWARD} else None
