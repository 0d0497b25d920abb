"""`trajview ls`: the runs of files and folders that match a filter, as a table, as CSV or as JSON Lines."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trajview.errors import shown

from .choosing import (
    Explained,
    choosing_options,
    query_of,
    read_option,
    say_hidden,
    say_none_matches,
    sort_of,
    statuses_for,
)
from .common import (
    blind_option,
    existing,
    exit_code,
    is_blind,
    is_terminal,
    json_text,
    no_cache_option,
    paths_argument,
    print_json,
    say_nothing_found,
    stream_runs,
)
from .completing import complete_fields
from .tables import table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajview.corpus.info import RunInfo
    from trajview.where.chosen import Chosen
    from trajview.where.fields import Ref

__all__ = ["as_json", "command"]

_HEADINGS = ("ID", "SOURCE", "FORMAT", "MESSAGES", "UNITS", "AGENTS", "REWARDS")
_RIGHT = (3, 4)
_SOURCE, _AGENTS = (1,), (5,)
_IN_TABLE = frozenset({"id", "key", "source", "path", "format", "messages", "units", "agents", "reward", "rewards"})
"""Fields that the usual table has, or that nobody wants in it for being in the filter."""
_IN_CSV = ("id", "source", "format", "name", "messages", "units", "transcripts", "agents", "models", "reward")


@click.command("ls", short_help="List the runs.", cls=Explained)
@paths_argument
@choosing_options
@click.option(
    "--sort",
    metavar="FIELDS",
    help="In this order, such as -reward,units; a - turns it round.",
    shell_complete=complete_fields,
)
@click.option("--format", "form", type=click.Choice(["table", "csv", "jsonl"]), hidden=True)
@click.option(
    "--columns",
    metavar="FIELDS",
    help="These fields, such as id,reward,tokens,metadata.task.",
    shell_complete=complete_fields,
)
@click.option("--json", "form", flag_value="jsonl", help="One JSON object a line.")
@click.option("--csv", "form", flag_value="csv", help="A line of values for each run, below one of names.")
@blind_option
@no_cache_option
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    where: str | None,
    store: str | None,
    annotator: str | None,
    sort: str | None,
    form: str | None,
    columns: str | None,
    blind: bool | None,
    no_cache: bool,
) -> None:
    """List the runs of PATH: id, source, format, messages, action units, agents, rewards.

    On a terminal the columns are cut to its width, and agents are left out where it is narrow; elsewhere they are whole.
    """
    from trajview.corpus.cache import SummaryCache
    from trajview.corpus.corpus import Corpus

    blind = is_blind(blind)
    plain = where is None and sort is None and columns is None and form != "csv" and not blind
    chosen: Chosen | None = None
    refs: tuple[Ref, ...] = ()
    if not plain:
        query, named = query_of(where), _fields(columns)
        by = sort_of(sort, query)
        refs = named if columns is not None else _columns(form or "table", [*_refs(query), *(key.ref for key in by)])
        asked = [*_refs(query), *(key.ref for key in by), *refs]
        statuses = statuses_for(asked, store, annotator)
    corpus = Corpus(existing(paths), None if no_cache else SummaryCache())
    if not plain:
        from trajview.where.chosen import Chosen

        chosen = Chosen(corpus, stream_runs(corpus), query, by, refs, statuses, cached=not no_cache, blind=blind)
    if form == "jsonl":
        _print_json(corpus, chosen, refs, whole=columns is None)
    elif form == "csv":
        assert chosen is not None
        _print_csv(corpus, chosen, refs)
    else:
        _print_table(corpus, chosen, refs, whole=columns is None)
    if chosen is not None:
        say_hidden(asked, blind)
    say_nothing_found(corpus)
    ctx.exit(exit_code(corpus))


def _fields(columns: str | None) -> tuple[Ref, ...]:
    from trajview.where.parse import parse_fields

    return read_option(parse_fields, columns, "--columns") if columns is not None else ()


def _refs(query: Any) -> list[Ref]:
    from trajview.where.syntax import refs_in

    return list(refs_in(query.node))


def _columns(form: str, asked: Iterable[Ref]) -> tuple[Ref, ...]:
    """The default columns: the usual ones, and those that the filter and the order are about."""
    from trajview.where.fields import Ref

    usual = [Ref(name) for name in _IN_CSV] if form == "csv" else []
    more = [ref for ref in asked if form != "jsonl" or ref.parts or ref.field.needs != "summary"]
    return tuple(dict.fromkeys([*usual, *(ref for ref in more if ref.parts or ref.name not in _IN_TABLE)]))


def _print_json(corpus: Any, chosen: Chosen | None, refs: Sequence[Ref], *, whole: bool) -> None:
    for row, info in chosen.infos() if chosen is not None else enumerate(stream_runs(corpus)):
        found = as_json(info) if whole else {}
        if chosen is not None:
            found |= {str(ref): chosen.value(row, ref) for ref in refs}
        print_json(found)


def _print_csv(corpus: Any, chosen: Chosen, refs: Sequence[Ref]) -> None:
    import csv

    from trajview.textsafe import safe_text

    from .progress import watch

    # A file gets the log's text as it is, a terminal nothing that could act on it.
    clean = safe_text if is_terminal() else (lambda text: text.encode("utf-8", "replace").decode())
    watch(corpus)
    writer = csv.writer(sys.stdout, lineterminator="\n")  # it keeps the stream that stdout is now
    writer.writerow([str(ref) for ref in refs])
    for row, _ in chosen.infos():
        writer.writerow([clean(_text(chosen.value(row, ref))) for ref in refs])


def _text(value: Any) -> str:
    """A value as the text of a cell: lists with semicolons, deeper values as JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list) and all(isinstance(item, (str, int, float)) for item in value):
        return "; ".join(map(_text, value))
    if isinstance(value, (dict, list)):
        return json_text(value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _print_table(corpus: Any, chosen: Chosen | None, refs: Sequence[Ref], *, whole: bool) -> None:
    from trajview.textsafe import one_line

    rows = []
    for row, info in chosen.infos() if chosen is not None else enumerate(stream_runs(corpus)):
        cells = _row(info) if whole else []
        if chosen is not None:
            cells += [one_line(_text(chosen.value(row, ref)), 1000) or "–" for ref in refs]
        rows.append(cells)
    if not rows:
        if chosen is not None and chosen.table.rows:
            say_none_matches(chosen)
        return
    usual = _HEADINGS if whole else ()
    right = {*(_RIGHT if whole else ()), *(len(usual) + i for i, ref in enumerate(refs) if _is_number(ref))}
    heading = [*usual, *(one_line(str(ref).upper(), 100) for ref in refs)]
    spare, paths = (_AGENTS, _SOURCE) if whole else ((), ())
    for line in table([heading, *rows], right, cut=is_terminal(), spare=spare, paths=paths):
        sys.stdout.write(line + "\n")


def _is_number(ref: Ref) -> bool:
    return ref.kind.name == "NUMBER"


def as_json(info: RunInfo) -> dict[str, Any]:
    """A run as `ls --json` prints it. A reward is a number, or (overall, {dimension: number})."""
    return {
        "id": info.id,
        "key": info.key,
        "source": info.source,
        "path": shown(info.path),
        "line": info.line,
        "record": info.record,
        "container": info.container,
        "format": info.format,
        "name": info.name,
        "messages": info.messages,
        "units": info.units,
        "transcripts": info.transcripts,
        "agents": list(info.agents),
        "rewards": list(info.rewards),
        "models": list(info.models),
    }


def _row(info: RunInfo) -> list[str]:
    from trajview.textsafe import one_line

    overall = [reward[0] if isinstance(reward, tuple) else reward for reward in info.rewards]
    return [
        one_line(info.key, 1000),
        one_line(info.source, 1000),
        info.format,
        str(info.messages),
        str(info.units),
        one_line(", ".join(info.agents), 1000) or "–",
        " ".join(f"{number:.4g}" for number in overall) or "–",
    ]
