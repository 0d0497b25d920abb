"""What `--where` and `--sort` leave of a corpus, and in which order: for the commands that list runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from trajview.errors import TrajviewError

from .common import stream_runs
from .completing import complete_where
from .front import EXIT_WRONG

if TYPE_CHECKING:
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.info import RunInfo
    from trajview.where.chosen import Chosen
    from trajview.where.fields import Ref
    from trajview.where.syntax import By, Query, WhereError

__all__ = [
    "Explained",
    "caret_lines",
    "check_not_both",
    "choosing_options",
    "matching",
    "query_of",
    "read_option",
    "say_hidden",
    "say_none_matches",
    "sort_of",
    "statuses_for",
    "where_option",
]


_Command = TypeVar("_Command", bound=Callable[..., Any])
_Read = TypeVar("_Read")


class Explained(click.Command):
    """A command whose help explains how a filter is written."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the grammar, which is imported for this alone."""
        from trajview.where.explain import explained

        self.epilog = "\n\n".join("\b\n" + "\n".join(part) for part in explained())
        super().format_epilog(ctx, formatter)


def where_option(command: _Command) -> _Command:
    """The option --where."""
    return click.option(
        "--where",
        metavar="EXPR",
        help="Only the runs that match: 'reward < 0.5 and model ~ gpt' (see `ls --help`).",
        shell_complete=complete_where,
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
    """The runs of a corpus that match `--where`, in its order if it has one; all without it. Missing fields are reported."""
    if where is None:
        yield from stream_runs(corpus)
        return
    from trajview.where.chosen import Chosen
    from trajview.where.syntax import refs_in

    query = query_of(where)
    refs = list(refs_in(query.node))
    statuses = statuses_for(refs, store, annotator)
    chosen = Chosen(corpus, stream_runs(corpus), query, query.sort, (), statuses, cached=corpus.keeps, blind=blind)
    found = 0
    for _, info in chosen.infos():
        found += 1
        yield info
    if not found and chosen.table.rows:
        say_none_matches(chosen)
    say_hidden(refs, blind)


def read_option(read: Callable[[str], _Read], text: str, option: str) -> _Read:
    """Read the text of an option; where it is wrong, end the program with a caret below the fault."""
    from trajview.where.syntax import WhereError

    try:
        return read(text)
    except WhereError as error:
        sys.stderr.write(caret_lines(error, option))
        raise click.exceptions.Exit(EXIT_WRONG) from error


def query_of(where: str | None) -> Query:
    """Parse the filter of `--where`."""
    from trajview.where.parse import parse
    from trajview.where.syntax import Query

    return Query() if where is None else read_option(parse, where, "--where")


def sort_of(sort: str | None, query: Query) -> tuple[By, ...]:
    """Parse the order of `--sort`, else take the one in `--where`."""
    from trajview.where.parse import parse_sort

    return query.sort if sort is None else read_option(parse_sort, sort, "--sort")


def caret_lines(error: WhereError, option: str) -> str:
    """Format an error in three lines: the reason, the text, and carets below the place."""
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


def say_none_matches(chosen: Chosen) -> None:
    """Report that nothing was found; where the name of a field was looked for as text, also how to compare it."""
    from trajview.where.check import example
    from trajview.where.fields import Ref, field_named
    from trajview.where.syntax import texts_in

    field = next((field for text in texts_in(chosen.node) if (field := field_named(text)) is not None), None)
    hint = f" (`{field.name}` alone is looked for as text; as a field: {example(Ref(field.name))})" if field else ""
    sys.stderr.write(f"trajview: none of {len(chosen.table.rows):,} runs matches{hint}\n")


def say_hidden(refs: Sequence[Ref], blind: bool) -> None:
    """Warn where a filter, an order or a column is about something that blind mode hides."""
    from trajview.where.unseen import HIDDEN_FIELDS

    hidden = list(dict.fromkeys(str(ref) for ref in refs if ref.name in HIDDEN_FIELDS)) if blind else []
    if hidden:
        sys.stdout.flush()
        sys.stderr.write(f"trajview: blind mode hides {', '.join(hidden)}; --no-blind does not\n")
