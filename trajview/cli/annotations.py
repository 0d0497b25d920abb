"""`trajview annotations`: a store as a whole, listed, exported, imported, merged; and the history of an episode."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trajview.errors import Problem, TrajviewError, UnreadableError, Where
from trajview.textsafe import one_line

from .common import existing, existing_store, is_terminal, out, print_json, say_problem, store_option
from .front import EXIT_PROBLEMS
from .progress import counted

if TYPE_CHECKING:
    from trajview.annotation.all_records import AllRecords
    from trajview.annotation.exchange import Format
    from trajview.annotation.store import AnnotationStore

__all__ = ["command"]

_force = click.option(
    "--force-store", is_flag=True, help="Put annotations of other runs into Sotopia's own data folder as well."
)


@click.group("annotations", short_help="List, export, import, merge annotations; their history.")
def command() -> None:
    """What to do with a store of annotations as a whole.

    --store names its folder; without it, the one of the configuration, or `annotations`.
    """


@command.command("list", short_help="List the annotations of a store.")
@store_option
@click.pass_context
def list_annotations(ctx: click.Context, store: str | None) -> None:
    """List the annotations of a store: episode, annotator, the overall of each agent; and what a merge left to settle."""
    from trajview.annotation.merge import to_settle

    root = existing_store(store)
    found = _records(root)
    records, problems = found.records, found.problems
    if not records and not problems:
        say_problem(Problem("no annotations found", "a draft counts when it is submitted", Where(root)))
    rows = [("EPISODE", "ANNOTATOR", "OVERALL")]
    for record in records:
        overall = [reward[0] if isinstance(reward, tuple) else reward for reward in record.rewards]
        who = one_line(record.annotator_id, 40)
        rows.append((one_line(record.episode, 60), who, " ".join(f"{number:.4g}" for number in overall) or "–"))
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    for row in rows if len(rows) > 1 else ():
        out(f"{row[0]:{widths[0]}}  {row[1]:{widths[1]}}  {row[2]}".rstrip() + "\n")
    _end(ctx, [*problems, *to_settle(root)])


@command.command("export", short_help="Write a store as JSON Lines or CSV.")
@store_option
@click.option("--format", "-f", type=click.Choice(["jsonl", "csv"]), help="[by FILE's name, else jsonl]")
@click.option("--output", "-o", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="[stdout]")
@click.option("--force", is_flag=True, help="Replace FILE where it is there.")
@click.pass_context
def export(ctx: click.Context, store: str | None, format: Format | None, output: Path | None, force: bool) -> None:
    """Print all annotations of a store, or write them into FILE, which is not replaced without --force.

    JSON Lines has a record a line as it is on disk. CSV has a row per agent and annotation, and a column per dimension.
    """
    from trajview.annotation.exchange import format_of, to_csv, to_jsonl
    from trajview.export.new_file import new_file

    every = _records(existing_store(store))
    found = every.records
    chosen = format or (format_of(output) if output else "jsonl")
    text = to_csv(found) if chosen == "csv" else to_jsonl(found)
    if output is None:
        if is_terminal():
            out(text)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode())
    else:
        with new_file(output, replace=force) as file:
            file.write(text.encode())
        out(f"{_count(len(found))} written to {output}\n")
    sys.stdout.flush()
    for key, many in every.others.items():
        say_problem(Problem(f"{chosen}: `{one_line(key, 60)}` of {_count(many)} is left out", "the store keeps it"))
    _end(ctx, every.problems)


@command.command("import", short_help="Take annotations in from such a file.")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--store", metavar="DIR", help="Where to; made if need be.  [annotations]")
@click.option("--annotator", metavar="NAME", help="Who imports, for the history.  [the login name]")
@click.option("--format", "-f", type=click.Choice(["jsonl", "csv"]), help="[by FILE's name, else jsonl]")
@_force
@click.pass_context
def import_annotations(
    ctx: click.Context, file: Path, store: str | None, annotator: str | None, format: Format | None, force_store: bool
) -> None:
    """Take the annotations of FILE, as `export` writes it, into a store.

    What is no annotation is listed and left out; so is one that would overwrite another. The exit code is 1 then.
    """
    from trajview.annotation.exchange import format_of, read_annotations
    from trajview.annotation.incoming import take_in
    from trajview.config import load_settings

    [file] = existing([file], ids=False)
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
    taken = take_in(
        settings.store,
        counted("importing annotations")(found),
        by=settings.annotator,
        source=file.name,
        force=force_store,
    )
    problems += [*taken.refused, *taken.conflicts]
    out(f"{_count(len(taken.written))} imported into {settings.store}")
    out(f", {taken.same} there already\n" if taken.same else "\n")
    _end(ctx, problems)


@command.command("merge", short_help="Merge two stores.")
@click.argument("store", type=click.Path(path_type=Path), metavar="STORE")
@click.argument("other", type=click.Path(path_type=Path), metavar="OTHER")
@click.option("--output", "-o", type=click.Path(path_type=Path), metavar="DIR", help="The merged store.  [STORE]")
@click.option("--into", "output", type=click.Path(path_type=Path), hidden=True)
@_force
@click.pass_context
def merge(ctx: click.Context, store: Path, other: Path, output: Path | None, force_store: bool) -> None:
    """Merge OTHER into STORE, or both into DIR: annotations, journals and notes on action units.

    Where both have a file and the two differ, the one that is there stays, and the other is put beside it under
    `conflicts/` and listed; the exit code is 1 then. OTHER is not changed. Merging again changes nothing.
    """
    from trajview.annotation.merge import Merged, merge_into

    stores = [existing_store(store), existing_store(other)]
    target = output or stores[0]
    sources = stores if output else stores[1:]
    if any(target.resolve() == source.resolve() for source in sources):
        raise UnreadableError("a store cannot be merged into itself", hint="name two stores", where=Where(target))
    total = Merged()
    for source in sources:
        done = merge_into(target, source, force=force_store, along=counted("merging"))
        total.records += done.records
        total.notes += done.notes
        total.journals += done.journals
        total.problems += done.problems
        total.conflicts += [each for each in done.conflicts if each not in total.conflicts]
    out(f"{_count(total.records)} new in {target}, {total.notes} with notes on units, {total.journals} journals\n")
    if total.conflicts:
        out(f"{len(total.conflicts)} conflict{'' if len(total.conflicts) == 1 else 's'} to settle\n")
    _end(ctx, [*total.problems, *total.conflicts])


@command.command("log", short_help="Say who changed what, and when.")
@click.argument("episode")
@click.option("--store", metavar="DIR", help="The store.  [annotations]")
@click.option("--annotator", metavar="NAME", help="Who looks.  [the login name]")
@click.option("--all", "everybody", is_flag=True, help="What others did as well, before you have submitted.")
@click.option("--json", "in_json", is_flag=True, help="One JSON object a line.")
@click.pass_context
def log(
    ctx: click.Context, episode: str, store: str | None, annotator: str | None, everybody: bool, in_json: bool
) -> None:
    """Print who did what to EPISODE, and when, oldest first.

    What others did is left out until you have submitted it yourself, since their scores would be seen.
    """
    from trajview.annotation.draft import loadable
    from trajview.annotation.store import AnnotationStore
    from trajview.config import load_settings

    settings = load_settings(store=store, annotator=annotator)
    looked = AnnotationStore(existing_store(settings.store), settings.annotator)
    events = looked.history(episode)
    if not events:
        raise TrajviewError(
            f"nothing happened to {episode!r:.80} here", hint=_nearest(episode, looked), title="Unknown run"
        )
    me = loadable(settings.annotator)
    if not everybody and not any(
        each.episode == loadable(episode) and each.annotator_id == me for each in looked.records()
    ):
        shown = [event for event in events if loadable(event.annotator) == me]
    else:
        shown = events
    for event in shown:
        at = event.time.astimezone() if event.time else None
        if in_json:
            line = {
                "time": at.isoformat() if at else None, "event": event.event, "annotator": event.annotator,
                "rubric": event.rubric, "said": event.said, "data": event.data,
            }  # fmt: skip
            print_json(line)
        else:
            when = f"{at:%Y-%m-%d %H:%M}" if at else "at no known time"
            out(f"{when}  {one_line(event.annotator, 40)} {one_line(event.said, 2000)}\n")
    if len(shown) < len(events):
        hidden = len(events) - len(shown)
        many = f"{hidden} event{'' if hidden == 1 else 's'} of others {'is' if hidden == 1 else 'are'} left out"
        sys.stdout.flush()
        say_problem(Problem(many, "submit your own annotation first, or give --all"))
    _end(ctx, looked.problems)


def _nearest(episode: str, store: AnnotationStore) -> str:
    from difflib import get_close_matches

    known = dict.fromkeys(record.episode for record in store.records()) | dict.fromkeys(store.progress())
    near = get_close_matches(episode, known, 3, 0.5) or [each for each in known if episode.lower() in each.lower()][:3]
    if near:
        return f"did you mean {' or '.join(near)}?"
    return "`trajview annotations list` lists the episodes" if known else "the store is empty"


def _records(store: Path) -> AllRecords:
    """The records of a store by episode and annotator, and the problems of files that are none."""
    from trajview.annotation.all_records import read_records

    found = read_records(store, counted("reading annotations"))
    found.records.sort(key=lambda record: (record.episode, record.annotator_id))  # else by their files' names
    return found


def _count(number: int) -> str:
    return f"{number} annotation{'' if number == 1 else 's'}"


def _end(ctx: click.Context, problems: Sequence[Problem]) -> None:
    sys.stdout.flush()
    for problem in problems:
        say_problem(problem)
    if problems:
        ctx.exit(EXIT_PROBLEMS)
