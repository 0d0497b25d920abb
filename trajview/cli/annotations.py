"""`trajview annotations`: the annotations of a store as a table, as one file for others, from such a file, and merged."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from trajview.errors import Problem, UnreadableError, Where

from .common import existing, is_terminal, out, say_problem
from .main import EXIT_PROBLEMS

if TYPE_CHECKING:
    from trajview.annotation.exchange import Format

__all__ = ["command"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _store_argument(command: _Command) -> _Command:
    """The argument STORE, and the option --store for those who are used to it."""
    command = click.option("--store", "named", metavar="DIR", help="The same as STORE.")(command)
    return click.argument("store", required=False, metavar="[STORE]", type=click.Path(path_type=Path))(command)


def _store(store: Path | None, named: str | None) -> Path:
    """The folder that was given, else the one of the configuration. Raises UnreadableError where there is none."""
    if store is None:
        from trajview.config import load_settings

        store = load_settings(store=named).store
    if not store.is_dir():
        raise UnreadableError("there is no store of annotations", hint="name its folder", where=Where(store))
    return store


@click.group("annotations", short_help="List, export, import or merge annotations.")
def command() -> None:
    """What to do with a store of annotations as a whole.

    STORE is its folder; without it, the one of the configuration, or `annotations`.
    """


@command.command("list")
@_store_argument
@click.pass_context
def list_annotations(ctx: click.Context, store: Path | None, named: str | None) -> None:
    """List the annotations of a store: episode, annotator, the overall of each agent."""
    from trajview.annotation.stored import all_records

    records, problems = all_records(_store(store, named))
    rows = [("EPISODE", "ANNOTATOR", "OVERALL")]
    for _, record in records:
        overall = [reward[0] if isinstance(reward, tuple) else reward for reward in record.rewards]
        rows.append((record.episode, record.annotator_id, " ".join(f"{number:.4g}" for number in overall) or "–"))
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    for row in rows if len(rows) > 1 else ():
        out(f"{row[0]:{widths[0]}}  {row[1]:{widths[1]}}  {row[2]}".replace("\n", " ").rstrip() + "\n")
    _end(ctx, problems)


@command.command("export")
@_store_argument
@click.option("--format", type=click.Choice(["jsonl", "csv"]), help="[by FILE's name, else jsonl]")
@click.option("--output", "-o", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="[stdout]")
@click.pass_context
def export(
    ctx: click.Context, store: Path | None, named: str | None, format: Format | None, output: Path | None
) -> None:
    """Print all annotations of a store, or write them into FILE.

    JSON Lines has a record a line as it is on disk. CSV has a row per agent and annotation, and a column per dimension.
    """
    from trajview.annotation.atomic import refusal, write_atomically
    from trajview.annotation.exchange import format_of, to_csv, to_jsonl
    from trajview.annotation.stored import all_records

    records, problems = all_records(_store(store, named))
    found = [record for _, record in records]
    chosen = format or (format_of(output) if output else "jsonl")
    text = to_csv(found) if chosen == "csv" else to_jsonl(found)
    if output is None:
        if is_terminal():
            out(text)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode())
    else:
        try:
            write_atomically(output, text.encode())
        except OSError as error:
            raise refusal(error, output, "The file was not written") from error
        out(f"{_count(len(found))} written to {output}\n")
    _end(ctx, problems)


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--store", metavar="DIR", help="Where to; made if need be.  [annotations]")
@click.option("--annotator", metavar="NAME", help="Who imports, for the history.  [the login name]")
@click.option("--format", type=click.Choice(["jsonl", "csv"]), help="[by FILE's name, else jsonl]")
@click.pass_context
def import_annotations(
    ctx: click.Context, file: Path, store: str | None, annotator: str | None, format: Format | None
) -> None:
    """Take the annotations of FILE, as `export` writes it, into a store.

    What is no annotation is listed and left out; so is one that would overwrite another. The exit code is 1 then.
    """
    from trajview.annotation.exchange import format_of, read_annotations
    from trajview.annotation.incoming import take_in
    from trajview.config import load_settings

    [file] = existing([file])
    settings = load_settings(store=store, annotator=annotator)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise UnreadableError(
            f"the file cannot be read: {error.strerror or error}".lower(), where=Where(file)
        ) from error
    problems: list[Problem] = []
    found = []
    for item in read_annotations(data, file, format or format_of(file)):
        if isinstance(item, Problem):
            problems.append(item)
        else:
            found.append((item[0], Where(file, item[1])))
    taken = take_in(settings.store, found, by=settings.annotator, source=file.name)
    problems += [*taken.refused, *taken.conflicts]
    out(f"{_count(len(taken.written))} imported into {settings.store}")
    out(f", {taken.same} there already\n" if taken.same else "\n")
    _end(ctx, problems)


def _count(number: int) -> str:
    return f"{number} annotation{'' if number == 1 else 's'}"


def _end(ctx: click.Context, problems: Sequence[Problem]) -> None:
    sys.stdout.flush()
    for problem in problems:
        say_problem(problem)
    if problems:
        ctx.exit(EXIT_PROBLEMS)
