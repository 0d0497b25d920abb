"""What `--where` and `--sort` leave of a corpus, and in which order: for the commands that list runs."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from trajview.errors import Problem, TrajviewError

from .common import stream_runs
from .front import EXIT_WRONG

if TYPE_CHECKING:
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.info import RunInfo
    from trajview.where.details import Details
    from trajview.where.fields import Ref
    from trajview.where.syntax import By, Query, WhereError

__all__ = [
    "Chosen",
    "Explained",
    "check_not_both",
    "choosing_options",
    "matching",
    "query_of",
    "said_with_caret",
    "sort_of",
    "statuses_for",
    "told",
    "where_option",
]

_EVERY = 0.1
"""Seconds from one look at whether details were found out to the next."""

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Read = TypeVar("_Read")


class Explained(click.Command):
    """A command whose help says how a filter is written."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The grammar, which is imported for this alone."""
        from trajview.where.explain import explained

        self.epilog = "\n\n".join("\b\n" + "\n".join(part) for part in explained())
        super().format_epilog(ctx, formatter)


def where_option(command: _Command) -> _Command:
    """The option --where."""
    return click.option(
        "--where", metavar="EXPR", help="Only the runs that match: 'reward < 0.5 and model ~ gpt' (see `ls --help`)."
    )(command)


def check_not_both(run: str | None, where: str | None) -> None:
    """Refuse --run beside --where. Raises UsageError."""
    if run is not None and where is not None:
        raise click.UsageError("--run and --where both say which runs: give one of them")


def choosing_options(command: _Command) -> _Command:
    """The options --where, --store and --annotator."""
    for option in (
        click.option("--annotator", metavar="NAME", help="Whose annotations `annotated` means.  [the login name]"),
        click.option("--store", metavar="DIR", help="Where annotations are.  [annotations]"),
        where_option,
    ):
        command = option(command)
    return command


def matching(
    corpus: Corpus, where: str | None, blind: bool, store: str | None = None, annotator: str | None = None
) -> Iterator[RunInfo]:
    """The runs of a corpus that match `--where`, in its order if it has one; all without it. What they lack is said."""
    if where is None:
        yield from stream_runs(corpus)
        return
    from trajview.where.syntax import refs_in

    query = query_of(where)
    refs = list(refs_in(query.node))
    chosen = Chosen(
        corpus, query, query.sort, (), statuses_for(refs, store, annotator), cached=corpus.keeps, blind=blind
    )
    found = 0
    for _, info in chosen.infos():
        found += 1
        yield info
    if not found and chosen.table.rows:
        chosen.say_none_matches()
    chosen.say_hidden(refs)


def told(read: Callable[[str], _Read], text: str, option: str) -> _Read:
    """What an option's text is read as; where it is wrong, the program ends with a caret below what is wrong."""
    from trajview.where.syntax import WhereError

    try:
        return read(text)
    except WhereError as error:
        sys.stderr.write(said_with_caret(error, option))
        raise click.exceptions.Exit(EXIT_WRONG) from error


def query_of(where: str | None) -> Query:
    """The filter of `--where`."""
    from trajview.where.parse import parse
    from trajview.where.syntax import Query

    return Query() if where is None else told(parse, where, "--where")


def sort_of(sort: str | None, query: Query) -> tuple[By, ...]:
    """The order of `--sort`, else the one in `--where`."""
    from trajview.where.parse import parse_sort

    return query.sort if sort is None else told(parse_sort, sort, "--sort")


def said_with_caret(error: WhereError, option: str) -> str:
    """Three lines: what is wrong, the text, and carets below the place."""
    from rich.cells import cell_len

    from trajview.textsafe import safe_text

    def shown(text: str) -> str:
        return safe_text(text.replace("\n", " ").replace("\t", " "))

    before, marked = shown(error.text[: error.start]), shown(error.text[error.start : error.end])
    carets = " " * cell_len(before) + "^" * max(1, cell_len(marked))
    return f"trajview: {option}: {shown(error.said())}\n  {shown(error.text)}\n  {carets}\n"


def statuses_for(refs: Sequence[Ref], store: str | None, annotator: str | None) -> dict[str, str]:
    """The annotation statuses by run, where a field asks for them."""
    if not any(ref.field.needs == "status" for ref in refs):
        return {}
    from trajview.annotation.store import AnnotationStore
    from trajview.config import load_settings

    settings = load_settings(store=store, annotator=annotator)
    try:
        return dict(AnnotationStore(settings.store, settings.annotator).statuses())
    except OSError as error:
        raise TrajviewError(f"the annotations cannot be read: {error.strerror or error}") from error


class Chosen:
    """The runs of a corpus that match a filter, with the values of some fields."""

    def __init__(
        self,
        corpus: Corpus,
        query: Query,
        sort: Sequence[By],
        shown: Sequence[Ref],
        statuses: dict[str, str],
        *,
        cached: bool,
        blind: bool = False,
    ) -> None:
        """`shown`: fields whose values are wanted of every run that matches. `cached`: keep what runs were read for.

        `blind`: rewards, models and what tells them are as if they were not there.
        """
        from trajview.corpus.search import cores
        from trajview.where.kept import DetailsCache
        from trajview.where.reading import DetailsReader
        from trajview.where.select import compile_node
        from trajview.where.syntax import refs_in
        from trajview.where.table import Table

        self.corpus = corpus
        self._node = query.node
        self._blind = blind
        cache = DetailsCache() if cached else None
        self._reader: DetailsReader[int] = DetailsReader(corpus, cache, blind=blind, processes=cores())
        self.sort = tuple(sort)
        self.table = Table(lambda item: str(item.where) if isinstance(item, Problem) else item.source)
        self.table.set_statuses(statuses)
        self._select = compile_node(query.node, self.table)
        self._asked = _details(refs_in(query.node))
        self._wanted = _details([*shown, *(by.ref for by in sort)])
        self._open: dict[int, RunInfo] = {}
        """Runs that were not given yet, in order: some details of them, or of one before, are still to be found out."""
        self._decided: dict[int, bool] = {}
        """Those among them of which all is known, and whether they match."""

    def say_none_matches(self) -> None:
        """That nothing was found; and where the name of a field was looked for as text, how it is compared."""
        from trajview.where.check import example
        from trajview.where.fields import Ref, field_named
        from trajview.where.syntax import texts_in

        field = next((field for text in texts_in(self._node) if (field := field_named(text)) is not None), None)
        hint = f" (`{field.name}` alone is looked for as text; as a field: {example(Ref(field.name))})" if field else ""
        sys.stderr.write(f"trajview: none of {len(self.table.rows):,} runs matches{hint}\n")

    def infos(self) -> Iterator[tuple[int, RunInfo]]:
        """Row and run of each that matches: as they are found, or in order when all are."""
        if not self.sort:
            yield from self._found()
            return
        from trajview.where.order import ordered

        infos = dict(self._found())
        for row in ordered(list(infos), self.sort, self.table):
            yield row, infos[row]

    def value(self, row: int, ref: Ref) -> Any:
        """The value of a field, as JSON has it: numbers, texts, lists; None where there is none."""
        value = self.table.column(ref).values[row]
        if isinstance(value, float):
            if not math.isfinite(value):
                return None
            return (
                int(value)
                if value.is_integer() and abs(value) < 1e15 and ref.name not in ("reward", "metadata")
                else value
            )
        if isinstance(value, tuple):
            return list(value)
        return None if value == "" else value

    def _found(self) -> Iterator[tuple[int, RunInfo]]:
        try:
            for found in stream_runs(self.corpus):
                info = self._seen(found)
                [row] = self.table.extend([info])
                self._open[row] = info
                self._look_at(row, info)
                self._learn(0)
                while self._reader.full:
                    self._learn(_EVERY)
                yield from self._next_ones()
            while self._open:
                self._learn(_EVERY)
                yield from self._next_ones()
        finally:
            self._reader.close()

    def _look_at(self, row: int, info: RunInfo, known: Details | None = None) -> None:
        """Decide whether a run matches, or ask for what has to be known for that, and then for what is wanted of it."""
        yes, unknown = self._select([row])
        refs = self._asked if unknown else self._wanted if yes else ()
        names = {ref.name for ref in refs if row in self.table.column(ref).unknown}
        if names:
            self._reader.ask(row, info, names, known=known)
        else:
            self._decided[row] = bool(yes)

    def _learn(self, seconds: float) -> None:
        """Take in what is found out by now, or within so many seconds."""
        from trajview.where.details import values_of

        for row, details in self._reader.take(seconds):
            refs = [ref for ref in (*self._asked, *self._wanted) if details is None or details.has({ref.name})]
            self.table.learn(row, values_of(details, refs))
            self._look_at(row, self._open[row], details)

    def _next_ones(self) -> Iterator[tuple[int, RunInfo]]:
        """The runs that match and whose turn it is."""
        while self._open and (row := next(iter(self._open))) in self._decided:
            info = self._open.pop(row)
            if self._decided.pop(row):
                yield row, info

    def _seen(self, info: RunInfo) -> RunInfo:
        from trajview.where.unseen import as_seen

        return as_seen(info) if self._blind else info

    def say_hidden(self, refs: Sequence[Ref]) -> None:
        """Where blind mode hides what a filter, an order or a column is about, say so."""
        from trajview.where.unseen import HIDDEN_FIELDS

        hidden = list(dict.fromkeys(str(ref) for ref in refs if ref.name in HIDDEN_FIELDS)) if self._blind else []
        if hidden:
            sys.stdout.flush()
            sys.stderr.write(f"trajview: blind mode hides {', '.join(hidden)}; --no-blind does not\n")


def _details(refs: Any) -> tuple[Ref, ...]:
    return tuple(dict.fromkeys(ref for ref in refs if ref.field.needs == "details"))
