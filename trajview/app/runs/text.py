"""What the browser says: of the corpus in its header, of a row in its status line, and where there are no rows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from trajview.app.keys import key_of
from trajview.app.runs.run_list import RunList, RunRow
from trajview.app.shared.cells import size_text
from trajview.corpus.corpus import STANDARD_INPUT
from trajview.errors import Problem, shown
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.corpus.corpus import Corpus, Stream

__all__ = ["counts_text", "empty_text", "filter_text", "row_text", "title_text"]


def counts_text(runs: RunList, corpus: Corpus, finished: bool, progress: str) -> str:
    """How much there is, how far the annotation is, and whether the files are still being read."""
    counts = [_count(runs.runs, "run")]
    if runs.problems:
        counts.append(_count(runs.problems, "problem"))
    if corpus.skipped:
        counts.append(f"{corpus.skipped:,} skipped")
    if progress:
        counts.append(progress)
    if not finished:
        counts.append(_reading_text(corpus.bytes_done, corpus.bytes_total))
    elif corpus.following:
        counts.append("following")
    return " · ".join(counts)


def _reading_text(done: int, total: int) -> str:
    """`reading… 38% of 84 MB`; how much is read where nobody knows of how much."""
    if not done:
        return "reading…"
    return f"reading… {min(99, 100 * done // total)}% of {size_text(total)}" if total else f"reading… {size_text(done)}"


def empty_text(runs: RunList, corpus: Corpus, finished: bool) -> str:
    """The sentences that stand where there are no rows; empty where there are."""
    if runs.shown:
        return ""
    if runs.open:
        return f"Nothing matches so far.\n{_count(runs.open, 'run')} {'has' if runs.open == 1 else 'have'} to be read to know."
    if runs.runs + runs.problems:
        return (
            f"Nothing matches “{one_line(runs.query, 40)}”.\n{key_of('back', 'escape', begins=True)} clears the filter."
        )
    if not finished:
        return "Reading…"
    if corpus.following:
        return "Nothing here yet.\nWhat is written from now on appears by itself."
    skipped = corpus.skipped
    why = (
        f" {_count(skipped, 'file')} looked like no log and {'was' if skipped == 1 else 'were'} skipped."
        if skipped
        else ""
    )
    return f"No runs here.{why}\nOpen a log, or a folder that holds some: trajview PATH"


def filter_text(runs: RunList) -> str:
    """What the filter leaves, and how many runs have to be read to know."""
    if not runs.query.strip():
        return ""
    left = f"{len(runs.shown):,} of {runs.runs + runs.problems:,}"
    return f"{left} · {runs.open:,} not known yet" if runs.open else left


def row_text(item: RunRow | None) -> str:
    """Where a run comes from, how large it is, and who is in it; of a problem, what to do about it."""
    if item is None:
        return ""
    if isinstance(item, Problem):
        return f"{key_of('open')} shows all of it · {one_line(item.hint or item.reason, 400)}"
    pieces = [one_line(item.source if item.line is None else f"{item.source}:{item.line}")]
    if item.length:
        pieces.append(size_text(item.length))
    if (item.name or item.task or item.id) != item.id:
        pieces.append(one_line(item.id))
    pieces += [one_line(", ".join(names)) for names in (item.agents, item.models) if names]
    return " · ".join(pieces)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def title_text(paths: tuple[Path, ...], streams: Iterable[Stream] = ()) -> str:
    """The opened paths in a few words; `streams` are what is piped in."""
    piped = {stream.path for stream in streams}
    names = [STANDARD_INPUT if path in piped or shown(path) == "-" else one_line(str(path), 60) for path in paths[:2]]
    if len(paths) > 2:
        names.append(f"and {len(paths) - 2} more")
    return ", ".join(names)
