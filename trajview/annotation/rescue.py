"""A small store of its own for drafts that their store does not take while the program is told to end.

That is a folder among the user's files of state, or else among the temporary ones, with a journal as any store has, so
that `trajview annotations merge` takes it in. Until that has happened, the store says so when it is opened.
"""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from trajview.errors import AnnotationError, Problem, Where

from .draft import Draft
from .journal import Journal

__all__ = ["rescue", "rescued"]

_PREFIX = "trajview-rescued-"
_WHOSE = "store"
"""The file that names the store that the drafts belong to."""


def rescue(journal: Journal, drafts: Sequence[Draft]) -> Problem | None:
    """Keep drafts elsewhere that a journal does not take, and say where; None where nothing takes them."""
    for base in _places():
        root: Path | None = None
        try:
            base.mkdir(parents=True, exist_ok=True)
            root = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
            (root / _WHOSE).write_bytes(os.fsencode(_store_of(journal)))
            beside = Journal(root, journal.annotator)
            for draft in drafts:
                beside.append("draft", draft)
        except (AnnotationError, OSError):
            if root is not None:
                shutil.rmtree(root, ignore_errors=True)
            continue
        return _problem(root, journal)
    return None


def rescued(journal: Journal) -> list[Problem]:
    """Report drafts that were kept elsewhere for this journal's annotator and store, and are not in the journal yet."""
    found = []
    for base in _places():
        with suppress(OSError):
            for root in sorted(base.glob(f"{_PREFIX}*")):
                with suppress(OSError, AnnotationError):
                    mine = root.stat().st_uid == os.getuid()
                    if mine and (root / _WHOSE).read_bytes() == os.fsencode(_store_of(journal)):
                        kept = Journal(root, journal.annotator).ledger.entries.keys()
                        if kept - journal.ledger.entries.keys():
                            found.append(_problem(root, journal))
    return found


def _places() -> Iterator[Path]:
    from platformdirs import user_state_path

    with suppress(RuntimeError):  # there is no home
        yield user_state_path("trajview", appauthor=False)
    yield Path(tempfile.gettempdir())


def _store_of(journal: Journal) -> Path:
    return journal.path.parent.parent.absolute()


def _problem(root: Path, journal: Journal) -> Problem:
    merge = f"trajview annotations merge {shlex.quote(str(_store_of(journal)))} {shlex.quote(str(root))}"
    return Problem(
        "What was typed last could not be written into the store, and was kept elsewhere.",
        f"`{merge}` takes it in",
        Where(root),
    )
