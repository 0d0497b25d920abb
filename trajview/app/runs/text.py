"""What the browser says: of the corpus in its header, of a row in its status line, and where there are no rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from trajview.app.keys import key_of
from trajview.app.runs.run_list import RunList, RunRow, size_text
from trajview.corpus.corpus import STANDARD_INPUT
from trajview.corpus.info import RunInfo, Updated
from trajview.errors import Problem, shown
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.corpus.corpus import Stream
    from trajview.corpus.files import Stamp
    from trajview.models.run import AgentRun

__all__ = ["Source", "counts_said", "empty_said", "filter_said", "row_said", "title_said"]


class Source(Protocol):
    """What the browser asks of a corpus. The callback runs on the thread that scans, and at once for what came before."""

    @property
    def skipped(self) -> int:
        """Files that are no logs."""

    @property
    def bytes_done(self) -> int:
        """Bytes that the scan has been through."""

    @property
    def bytes_total(self) -> int:
        """Bytes that there are to go through; 0 where that is not known."""

    def subscribe(self, callback: Callable[[list[RunRow | Updated], bool], None]) -> Callable[[], None]:
        """Call back with each batch, and with `True` when there is no more. Returns what ends that."""

    def go_on(self) -> None:
        """The first screen is there: the scan may have the processor."""

    @property
    def following(self) -> bool:
        """Whether what changes in the files comes by itself."""

    def reload(self) -> bool:
        """Look at all files again, in this thread; whether that was possible."""

    @property
    def keeps(self) -> bool:
        """Whether what is found out may be kept in a cache."""

    def read(self, info: RunInfo) -> AgentRun:
        """The run, parsed for one look. Raises TrajviewError."""

    def listed(self, info: RunInfo) -> tuple[Stamp | None, RunInfo]:
        """What told the run's file when it was listed, and the run as the list holds it now. Raises UnreadableError."""

    def resolve(self, info: RunInfo, timeout: float | None = None) -> RunInfo:
        """The run summed up, with the key that annotations refer to. Raises TrajviewError."""


def counts_said(runs: RunList, corpus: Source, finished: bool, progress: str) -> str:
    """How much there is, how far the annotation is, and whether the files are still being read."""
    counts = [_count(runs.runs, "run")]
    if runs.problems:
        counts.append(_count(runs.problems, "problem"))
    if corpus.skipped:
        counts.append(f"{corpus.skipped:,} skipped")
    if progress:
        counts.append(progress)
    if not finished:
        counts.append(_reading_said(corpus.bytes_done, corpus.bytes_total))
    elif corpus.following:
        counts.append("following")
    return " · ".join(counts)


def _reading_said(done: int, total: int) -> str:
    """`reading… 38% of 84 MB`; how much is read where nobody knows of how much."""
    if not done:
        return "reading…"
    return f"reading… {min(99, 100 * done // total)}% of {size_text(total)}" if total else f"reading… {size_text(done)}"


def empty_said(runs: RunList, corpus: Source, finished: bool) -> str:
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


def filter_said(runs: RunList) -> str:
    """What the filter leaves, and of how many runs that is not known yet."""
    if not runs.query.strip():
        return ""
    left = f"{len(runs.shown):,} of {runs.runs + runs.problems:,}"
    return f"{left} · {runs.open:,} not known yet" if runs.open else left


def row_said(item: RunRow | None) -> str:
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


def title_said(paths: tuple[Path, ...], streams: Iterable[Stream] = ()) -> str:
    """The opened paths in a few words; `streams` are what is piped in."""
    piped = {stream.path for stream in streams}
    names = [STANDARD_INPUT if path in piped or shown(path) == "-" else one_line(str(path), 60) for path in paths[:2]]
    if len(paths) > 2:
        names.append(f"and {len(paths) - 2} more")
    return ", ".join(names)
