"""The search through one file, or some of its lines: for a search itself, and for its processes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict, cast

from trajview.errors import PluginProblem, Problem, TrajviewError, shown
from trajview.formats import registry
from trajview.formats.base import Origin
from trajview.formats.contract import Format
from trajview.patterns.patience import PATIENCE, Patience, TooSlow

from .candidates import Counter, Part, Stopped, candidates, candidates_in
from .containers import TABLES, kind_of
from .files import open_source
from .info import Place
from .matches import Hit, RunHits, hits_in
from .prefilter import Prefilter, prefilter_of
from .query import Query
from .record import Record, fault_of, origin_of, placed
from .walk import SourceFile

if TYPE_CHECKING:
    from trajview.models.run import AgentRun

__all__ = ["Limits", "Looking", "RunMatches", "Searcher", "SlowProblem", "Unnamed"]

_NUMBERED: Final = frozenset({"jsonl", "json array", "json values"}) | TABLES
"""Containers in which a line, or a row, is a run."""


@dataclass(frozen=True, slots=True)
class RunMatches:
    """A run with matches, and its place: the first hits, and the numbers of matches and of messages with matches.

    `id` is the run's own, which may be another one's too; the place is its own. `matches` are counted in all messages, also
    where not all hits are kept.

    >>> from trajview import open_corpus
    >>> corpus = open_corpus("sample_data/adp")
    >>> found = next(corpus.search("coffee", roles="user"))
    >>> found.id, found.where, found.matches
    ('kitchen/who_drinks_the_coffee', 'code_trajectory.jsonl:1', 2)
    >>> run = corpus.load(corpus.at(found.place, found.id))
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
        """The place of the record: see RunInfo."""
        return self.path, self.member, self.offset

    @property
    def where(self) -> str:
        """The source, and the line in it where it holds several runs."""
        return f"{self.source}{self._line}"

    @property
    def reached(self) -> str:
        """The source and line, with the file's path from the current folder."""
        member = f"/{self.member}" if self.member is not None else ""
        return f"{shown(self.path)}{member}{self._line}"

    @property
    def _line(self) -> str:
        return f":{self.line}" if self.container in _NUMBERED else ""


@dataclass(frozen=True, slots=True)
class Unnamed:
    """A run without an id of its own, found by a process that does not know how many records come before it."""

    found: RunMatches

    def named(self, count: Counter) -> RunMatches:
        """The run with the id that the list has for it."""
        name = Origin(self.found.path, count.before(self.found.offset), self.found.line, False).default_id
        return replace(self.found, id=name)


@dataclass(frozen=True, slots=True)
class SlowProblem(Problem):
    """A run in which the pattern takes too long."""


class Limits(TypedDict, total=False):
    """How much of a search is wanted, all of it by default; for `keep`, `most`, `around` and `width` see `matches.hits_in`.

    `keep_of_many`: how many hits to keep of each run after the first `search.MANY`. `keep_in_all`: after so many hits, only counts are kept of the runs that follow. `patience`: seconds for one message, 0 for as long as it takes.
    """

    keep: int | None
    keep_of_many: int
    keep_in_all: int | None
    most: int | None
    around: int
    width: int | None
    patience: float


@dataclass(frozen=True, slots=True)
class Looking:
    """What is looked for, and how. `blind`: what `models.blind` hides is not searched. `only`: the places of the runs that
    are searched, None for all."""

    query: Query
    limits: Limits
    blind: bool = False
    only: Collection[Place] | None = field(default=None, repr=False)


class Searcher:
    """Looks through one file after the other. `step` is told of the bytes done, and `cancelled` asked, often."""

    def __init__(self, looking: Looking, cancelled: Callable[[], bool] = lambda: False) -> None:
        self.looking = looking
        self.keep = looking.limits.get("keep")
        self._patience = Patience(looking.limits.get("patience", PATIENCE))
        self._cancelled = cancelled
        self._prefilter = prefilter_of(looking.query.pattern, metadata=self._in_metadata)
        self._reported = 0
        self._blind = looking.blind and self._in_metadata  # blind mode hides nothing in the other fields

    @property
    def _in_metadata(self) -> bool:
        return "metadata" in self.looking.query.searched

    def in_file(
        self, source: SourceFile, step: Callable[[int], None], apart: Callable[[], bool] | None = None
    ) -> Iterator[RunMatches | Problem | Part]:
        """The runs of a file that match, in order. `apart`: where it is lines, these are left for `in_part` (see `candidates`).

        Raises TrajviewError where it cannot be read, and what `step` raises.
        """
        count = Counter(source.path, step)
        prefilter = self._prefilter
        if self._in_metadata:
            # A run without an id of its own is named by its file, or by its name in an archive.
            name = source.path.name.encode("utf-8", "replace")
            prefilter = Prefilter() if _is_archive(source) else Prefilter(prefilter.missing(name, prefilter.clauses))
        for found in candidates(source, prefilter, step, apart):
            if isinstance(found, Problem | Part):
                yield found
            else:
                yield from cast("Iterator[RunMatches | Problem]", self._in_record(source, found, count))
        yield from self._plugin_problems()

    def in_part(self, source: SourceFile, part: Part) -> Iterator[RunMatches | Problem | Unnamed]:
        """The runs of some lines that match, in order. Not for metadata, of which a name is a part."""
        for found in candidates_in(source, part, self._prefilter):
            if isinstance(found, Problem):
                yield found
            else:
                yield from self._in_record(source, found, None)
        yield from self._plugin_problems()

    def _plugin_problems(self) -> list[PluginProblem]:
        """The problems of plug-ins since the last call."""
        found = registry.problems()[self._reported :]
        self._reported += len(found)
        return found

    def _in_record(
        self, source: SourceFile, found: Record, count: Counter | None
    ) -> Iterator[RunMatches | Problem | Unnamed]:
        only = self.looking.only
        if only is not None and (source.path, found.member, found.offset) not in only:
            return
        try:
            run, named, problem = _run_of(found, source, count)
            if problem is not None:
                yield problem
            if run is None:
                return
            if self._blind:
                from trajview.models.blind import blinded

                run = blinded(run)
            hits = self._hits(run)
        except Stopped:
            raise
        except TooSlow as error:
            problem = placed(error.problem(), source.path, found.line)
            yield SlowProblem(problem.reason, problem.hint, problem.where)
        except TrajviewError as error:
            yield placed(error.problem(), source.path, found.line)
        except Exception as error:  # noqa: BLE001 - a fault in one format must not end the search; it is reported
            yield fault_of(error, source.path, found.line)
        else:
            if hits.matches:
                matches = _matches(run, found, source, hits)
                yield matches if named else Unnamed(matches)

    def _hits(self, run: AgentRun) -> RunHits:
        limits = self.looking.limits
        with self._patience.at_work():
            return hits_in(
                run, self.looking.query, keep=self.keep, most=limits.get("most"), around=limits.get("around", 0),
                width=limits.get("width"), cancelled=self._tick,
            )  # fmt: skip

    def _tick(self) -> bool:
        self._patience.tick()
        return self._cancelled()


def _is_archive(source: SourceFile) -> bool:
    with open_source(source.path) as file:
        return kind_of(file, source.path) == "zip"


def _matches(run: AgentRun, found: Record, source: SourceFile, hits: RunHits) -> RunMatches:
    return RunMatches(
        run.id, run.name, source.source if found.member is None else f"{source.source}/{found.member}", source.path,
        found.member, run.source_format or "", found.container, found.line, found.offset, found.length,
        hits.hits, hits.matches, hits.messages,
    )  # fmt: skip


def _run_of(found: Record, source: SourceFile, count: Counter | None) -> tuple[AgentRun | None, bool, Problem | None]:
    """The run that a record is, as the list has it, None where it is no log but a configuration; whether its id is known;
    and why it is a raw run, where its format refuses it."""
    known, _ = registry.best(found.value)
    if found.container == "yaml" and known.is_last_resort and not source.named:
        return None, True, None
    origin = origin_of(source.path, found)
    run, problem = _skimmed(known, found, source, origin)
    if found.record < 0 and run.id == origin.default_id:
        # Only a record without an id of its own is named by how many come before it.
        if count is None:
            return run, False, problem
        found.record = count.before(found.offset)
        run.id = origin_of(source.path, found).default_id
    return run, True, problem


def _skimmed(known: Format, found: Record, source: SourceFile, origin: Origin) -> tuple[AgentRun, Problem | None]:
    """The run, its messages built on demand where the format can do that. What cannot be summed up either, and is a raw
    run in the list, is one here, too; with what is wrong with it."""
    try:
        return known.read(found.value, origin), None
    except Exception:  # noqa: BLE001 - what is raw in the list is reported here, the rest raised: the caller reports it
        try:
            known.summarise(found.value, origin)
        except TrajviewError as error:
            problem = placed(error.problem(), source.path, found.line)
        except Exception as error:  # noqa: BLE001 - a fault in one format must not end the search; it is reported
            problem = fault_of(error, source.path, found.line)
        else:
            raise
        return registry.last_resort().read(found.value, origin), replace(problem, opens=True)
