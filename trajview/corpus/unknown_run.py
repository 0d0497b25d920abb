"""The error for a run that a corpus does not have, with ids that may have been meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from trajview.errors import TrajviewError

from .info import RunInfo

__all__ = ["UnknownRun", "unknown_run"]


class UnknownRun(TrajviewError, KeyError):
    """A corpus has no run with that id or key."""

    title = "Unknown run"


def unknown_run(run: str, infos: Sequence[RunInfo]) -> UnknownRun:
    """The error for an id or key that none of these runs has, with the nearest ones."""
    ids = list(dict.fromkeys(info.key for info in infos))
    # The list shows names before ids: a run is found by its name, or a word in it, as well.
    meant = {word: info.key for info in infos for word in re.findall(r"\w+", (info.name or "").lower())}
    meant |= {id.lower(): id for id in ids}
    wanted = run.lower()
    near = [info.key for info in infos if wanted in f"{info.key}\n{info.name or ''}".lower()]
    near = near or [meant[word] for word in get_close_matches(wanted, meant, 3, 0.5)]
    if near:
        hint = f"did you mean {' or '.join(list(dict.fromkeys(near))[:3])}?"
    elif ids:
        hint = f"`trajview ls` lists the ids, such as {ids[0]}"
    else:
        hint = "no logs were found there"
    return UnknownRun(f"there is no run {run!r}", hint=hint)
