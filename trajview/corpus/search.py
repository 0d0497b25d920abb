"""Search through all messages of files and folders: run by run, in order, as fast as their bytes can be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from trajview.errors import Problem, TrajviewError
from trajview.formats import registry
from trajview.formats.base import Origin

from .candidates import Counter, Stopped, candidates
from .containers import kind_of
from .files import open_source, stamp_of
from .info import Place
from .matches import Hit, RunHits, hits_in
from .prefilter import Prefilter, prefilter_of
from .query import Query
from .record import Record
from .scan import fault_of, origin_of, placed
from .walk import Skipped, SourceFile, walk

if TYPE_CHECKING:
    from trajview.models.run import AgentRun

__all__ = ["CorpusSearch", "Hit", "RunMatches"]


@dataclass(frozen=True, slots=True)
class RunMatches:
    """A run that a query was found in, and where: the first hits, and how many matches in how many messages.

    `id` is the run's own, which may be another one's too; the place is its own.
    """

    id: str
    name: str | None
    source: str
    path: Path
    member: str | None
    format: str
    container: str
    line: int
    offset: int
    length: int
    hits: list[Hit] = field(repr=False)
    matches: int
    messages: int

    @property
    def place(self) -> Place:
        """See RunInfo."""
        return self.path, self.member, self.offset

    @property
    def where(self) -> str:
        """Source, and the line in it where it holds several runs."""
        return f"{self.source}:{self.line}" if self.container in ("jsonl", "json array", "json values") else self.source


class CorpusSearch:
    """One search through files and folders. `found` does it; the counts may be read meanwhile, from any thread.

    `keep`, `most`, `around` and `width` are `matches.hits_in`'s, for each run. After `keep_in_all` hits, only counts are
    kept of the runs that follow.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        query: Query,
        *,
        keep: int | None = None,
        keep_in_all: int | None = None,
        most: int | None = None,
        around: int = 0,
        width: int | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self.query = query
        self.bytes_done = 0
        self.files_done = 0
        self.files_found = 0
        """Files that were opened or are going to be."""
        self.skipped = 0
        self.runs = 0
        self.matches = 0
        self.messages = 0
        self._paths = paths
        self._keep = keep
        self._keep_in_all = keep_in_all
        self._how: dict[str, Any] = {"most": most, "around": around, "width": width, "cancelled": cancelled}
        self._cancelled = cancelled
        self._prefilter = prefilter_of(query.pattern, metadata="metadata" in query.searched)

    def found(self) -> Iterator[RunMatches | Problem]:
        """Every run that matches, in the order of the corpus, and what could not be read on the way.

        Once it is cancelled it ends soon, in the middle of a file or of a run.
        """
        for source in walk(self._paths):
            if self._cancelled():
                return
            if isinstance(source, Problem):
                yield source
            elif isinstance(source, Skipped):
                self.skipped += 1
            else:
                self.files_found += 1
                before = self.bytes_done
                try:
                    yield from self._in_file(source, before)
                    self.bytes_done = before + stamp_of(source.path)[0]
                except Stopped:
                    return
                except TrajviewError as error:
                    yield error.problem()
                self.files_done += 1

    def _in_file(self, source: SourceFile, before: int) -> Iterator[RunMatches | Problem]:
        def step(done: int) -> None:
            if self._cancelled():
                raise Stopped
            self.bytes_done = before + done

        count = Counter(source, step)
        prefilter = self._prefilter
        if "metadata" in self.query.searched:
            # A run without an id of its own is named by its file, or by its name in an archive.
            name = source.path.name.encode("utf-8", "replace")
            prefilter = Prefilter() if _is_archive(source) else Prefilter(prefilter.missing(name, prefilter.clauses))
        for found in candidates(source, prefilter, step):
            if isinstance(found, Problem):
                yield found
                continue
            try:
                run = _run_of(found, source, count)
                if run is None:
                    continue
                hits = hits_in(run, self.query, keep=self._keep, **self._how)
            except Stopped:
                raise
            except TrajviewError as error:
                yield placed(error.problem(), source.path, found.line)
                continue
            except Exception as error:  # noqa: BLE001 - a fault in one format must not end the search; it is reported
                yield fault_of(error, source.path, found.line)
                continue
            if hits.matches:
                self.runs += 1
                self.matches += hits.matches
                self.messages += hits.messages
                if self._keep_in_all is not None:
                    self._keep_in_all -= len(hits.hits)
                    if self._keep_in_all <= 0:
                        self._keep = 0
                yield _matches(run, found, source, hits)
            del run


def _is_archive(source: SourceFile) -> bool:
    with open_source(source.path) as file:
        return kind_of(file, source.path) == "zip"


def _matches(run: AgentRun, found: Record, source: SourceFile, hits: RunHits) -> RunMatches:
    return RunMatches(
        run.id, run.name, source.source if found.member is None else f"{source.source}/{found.member}", source.path,
        found.member, run.source_format or "", found.container, found.line, found.offset, found.length,
        hits.hits, hits.matches, hits.messages,
    )  # fmt: skip


def _run_of(found: Record, source: SourceFile, count: Counter) -> AgentRun | None:
    """The run that a record is, as the list has it; None where it is no log but a configuration."""
    known, detection = registry.best(found.value)
    if found.container == "yaml" and detection.format == "raw" and not source.named:
        return None
    origin = origin_of(source.path, found)
    run = _skimmed(known, found.value, origin)
    if found.record < 0 and run.id == origin.default_id:
        # Only a record without an id of its own is named by how many come before it.
        found.record = count.before(found.offset)
        run.id = origin_of(source.path, found).default_id
    return run


def _skimmed(known: Any, value: Any, origin: Origin) -> AgentRun:
    """The run, its messages built on demand where the format can do that; what a format refuses is a raw run."""
    try:
        return cast("AgentRun", getattr(known, "skim", known.read)(value, origin))
    except Exception:  # whatever it is, the list has a raw run for it where the summary fails as well
        try:
            known.summarise(value, origin)
        except Exception:  # noqa: BLE001 - the list reports it; the search shows what the list has
            return registry.format_named("raw").read(value, origin)
        raise
