"""`trajview export`: runs as Markdown, as a web page, or as another tool's JSON."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import click

from trajview.errors import TrajviewError, UnreadableError, Where
from trajview.export.names import ENDINGS, FORMATS
from trajview.patterns.patience import PATIENCE, Patience, TooSlow
from trajview.textsafe import one_line

from .choosing import check_not_both, matching, where_option
from .common import (
    blind_option,
    existing,
    exit_code,
    is_terminal,
    matching_run,
    out,
    paths_argument,
    say_nothing_found,
    say_problem,
)
from .completing import complete_run
from .front import EXIT_FINE, EXIT_PROBLEMS, EXIT_WRONG
from .named_rules import rule_option, rules_on

if TYPE_CHECKING:
    from trajview.config import Settings
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.info import RunInfo
    from trajview.export.annotated import Annotations
    from trajview.export.exported import Exported, Lost, Part
    from trajview.export.page import Page
    from trajview.export.shown import Annotated
    from trajview.highlight import Rule
    from trajview.models.run import AgentRun

    _Run = tuple[AgentRun, Part | None, Annotated | None]

__all__ = ["command"]

T = TypeVar("T")

_INDEX: Final = "index"
_UNITS: Final = re.compile(r"(?:[Tt]?(\d{1,9})\s*:\s*)?(\d{1,9})(?:\s*-\s*(\d{1,9}))?")

_Wanted = tuple[int | None, int, int]
"""A transcript where one is named, and its first and last unit."""


def _range(_ctx: click.Context, _param: click.Parameter, value: str | None) -> _Wanted | None:
    """Parse a range of units: `7`, `3-7`, or `T1:3-7`."""
    if value is None:
        return None
    found = _UNITS.fullmatch(value.strip())
    if found is None:
        raise click.BadParameter(f"{value!r} is no range of units, such as 3-7 or T1:3-7")
    return int(found[1]) if found[1] else None, int(found[2]), int(found[3] or found[2])


@click.command("export", short_help="Write runs as Markdown, HTML, or another tool's JSON.")
@paths_argument
@click.option(
    "--run", metavar="ID", help="Only the run with this id or key (see `trajview ls`).", shell_complete=complete_run
)
@click.option("--transcript", type=click.IntRange(0), metavar="N", help="Only this transcript, counted from 0.")
@click.option(
    "--unit",
    callback=_range,
    metavar="N|A-B",
    help="Only this action unit of it, or of the first, or these, B included; T1:A-B says of which transcript.",
)
@click.option("--units", "unit", callback=_range, hidden=True)
@click.option("--format", "-f", "chosen", type=click.Choice(FORMATS), help="[by FILE's name, else md]")
@click.option("--output", "-o", "named", metavar="FILE", help="A file or a folder.  [stdout]")
@click.option("--force", is_flag=True, help="Replace files that are there.")
@click.option("--highlight", "patterns", multiple=True, metavar="REGEX", help="Mark what matches, in md and html.")
@click.option("--store", metavar="DIR", help="Where annotations are; md and html show them.  [annotations]")
@click.option("--annotator", metavar="NAME", help="Whose annotations.  [the login name]")
@rule_option("Mark what this named rule matches; may be repeated.")
@where_option
@blind_option
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    run: str | None,
    transcript: int | None,
    unit: _Wanted | None,
    chosen: str | None,
    named: str | None,
    force: bool,
    patterns: tuple[str, ...],
    store: str | None,
    annotator: str | None,
    rules: tuple[str, ...],
    where: str | None,
    blind: bool | None,
) -> None:
    """Write every run of PATH, or one, for people (md, html) or for other tools (docent, openai, adp).

    By its name, a FILE.json is Docent's, a FILE.jsonl OpenAI's and a FILE.adp.jsonl ADP's. docent, openai and adp are
    JSON Lines, a line or more per run; several runs in one web page stand below an index. Where FILE is a folder (it
    exists, or ends in a slash), each run becomes a file in it; of web pages an index.html leads to them. No file is
    replaced without --force. What a format cannot hold is said on stderr.
    """
    from trajview.config import load_settings
    from trajview.corpus.corpus import Corpus

    transcript, of_units = _wanted(transcript, unit)
    output = None if named is None or named == "-" else Path(named)
    folder = output is not None and (output.is_dir() or str(named).endswith(os.sep))
    format = chosen or ("md" if output is None or folder else _format_of(output))
    check_not_both(run, where)
    settings = load_settings(store=store, annotator=annotator, highlight=patterns, paths=paths, blind=blind)
    corpus = Corpus(existing(paths))
    work = _Work(
        corpus,
        format,
        transcript,
        of_units,
        _limited(rules_on(settings, rules)),
        _annotations(settings, store is not None),
        settings.blind,
    )
    found = (
        iter([matching_run(corpus, run)])
        if run is not None
        else matching(corpus, where, settings.blind, store, annotator)
    )
    if output is not None and any(path == output or path in output.parents for path in corpus.paths):
        found = iter(list(found))  # the scan must not read the files that the export writes
    if output is not None and folder:
        work.into_folder(output, found, force)
    else:
        work.into_one(output, found, force)
    work.say_lost()
    if run is None:
        say_nothing_found(corpus)
    ctx.exit(max(work.code, exit_code(corpus)) if run is None else work.code)


def _format_of(output: Path) -> str:
    """The format that a file's ending names. Raises UsageError where it names none."""
    from trajview.export.choice import format_of

    found = format_of(output)
    if found is None:
        ending = f"the ending {output.suffix}" if output.suffix else "no ending"
        endings = ", ".join(dict.fromkeys(ENDINGS.values()))
        raise click.UsageError(
            f"{output.name} has {ending}, which names no format: use {endings}, or say which with -f"
        )
    return found


def _wanted(transcript: int | None, unit: _Wanted | None) -> tuple[int | None, tuple[int, int] | None]:
    """The number of the wanted transcript, and its first and last unit; None for all."""
    if unit is None:
        return transcript, None
    of, first, last = unit
    if of is not None and transcript not in (None, of):
        raise click.UsageError(f"--transcript {transcript} and T{of} in --unit contradict each other")
    return transcript if of is None else of, (first, last)


def _limited(rules: Sequence[Rule]) -> list[Rule]:
    """Rules that give up where they take too long in a text."""
    patience = Patience(PATIENCE, "in one message; the export is given up")
    return [replace(rule, patience=patience) for rule in rules]


def _annotations(settings: Settings, named: bool) -> Annotations | None:
    """The annotations to show, None without a store. Raises UnreadableError where a store that was named is none."""
    if not settings.store.is_dir():
        if not named:
            return None
        raise UnreadableError("there is no store of annotations", hint="check --store", where=Where(settings.store))
    from trajview.export.annotated import Annotations

    return Annotations(settings.store, settings.annotator, say_problem)


class _Work:
    """The export of runs into files, which collects problems and what the runs lose."""

    def __init__(
        self,
        corpus: Corpus,
        format: str,
        transcript: int | None,
        units: tuple[int, int] | None,
        rules: Sequence[Rule],
        annotations: Annotations | None,
        blind: bool,
    ) -> None:
        self.code = EXIT_FINE
        self._corpus = corpus
        self._format = format
        self._transcript = transcript
        self._units = units
        self._rules = rules
        self._annotations = annotations
        self._blind = blind
        self._written = 0
        self._lost: list[str] = []
        self._kinds: dict[str, int] = {}

    def _exports(self, infos: Iterator[RunInfo], export: Callable[[_Run], T]) -> Iterator[tuple[RunInfo, T]]:
        """Yield each run, exported. One that cannot be read is reported and passed over."""
        from trajview.export.choice import NoSuchUnit

        for info in infos:
            try:
                found = export(self._run(info))
            except TooSlow:  # and would be in the other runs
                raise
            except TrajviewError as error:
                say_problem(error.problem())
                self.code = max(self.code, EXIT_WRONG if isinstance(error, NoSuchUnit) else EXIT_PROBLEMS)
                continue
            self._written += 1
            yield info, found

    def _run(self, info: RunInfo) -> _Run:
        from trajview.export.choice import part_of

        run = self._corpus.load(info)
        if self._blind:
            from trajview.models.blind import blinded

            run = blinded(run)
        part = part_of(run, self._transcript, self._units)
        return run, part, self._annotations.of(info.key) if self._annotations else None

    def _texts(self, infos: Iterator[RunInfo]) -> Iterator[tuple[RunInfo, Exported]]:
        """Each run as text."""
        from trajview.export.choice import exported

        def export(one: _Run) -> Exported:
            run, part, annotated = one
            return exported(run, self._format, part, annotated, self._rules)

        return self._exports(infos, export)

    def _pieces(self, infos: Iterator[RunInfo]) -> Iterator[str]:
        """All runs as one text."""
        if self._format == "html":
            yield from self._one_page(infos)
            return
        for _, found in self._texts(infos):
            if self._format == "md" and self._written > 1:
                yield "\n---\n\n"
            yield from found.pieces
            self._note(found.lost)

    def _pages(self, infos: Iterator[RunInfo]) -> Iterator[tuple[RunInfo, Page]]:
        """Each run as a web page shows it."""
        from trajview.export.page import page_of

        def export(one: _Run) -> Page:
            run, part, annotated = one
            return page_of(run, part, annotated, self._rules)

        return self._exports(infos, export)

    def _note(self, lost: Lost) -> None:
        """Remember what a written run lost."""
        self._lost = lost.sentences()
        for kind in lost.kinds():
            self._kinds[kind] = self._kinds.get(kind, 0) + 1

    def into_one(self, output: Path | None, infos: Iterator[RunInfo], force: bool) -> None:
        """Write all runs into one file, or to stdout."""
        if output is None:
            self._print(self._pieces(infos))
            return
        from trajview.export.new_file import new_file

        with new_file(output, replace=force) as file:
            for piece in self._pieces(infos):
                file.write(piece.encode())
            if not self._written:
                raise click.exceptions.Exit(max(self.code, exit_code(self._corpus)))
        self._say(f"{_runs(self._written)} written to {output}")

    def _one_page(self, infos: Iterator[RunInfo]) -> Iterator[str]:
        """All runs on one web page, below an index where there are several."""
        from trajview.export.html_index import PageOfRuns

        whole = PageOfRuns()
        lost = []
        for _, page in self._pages(infos):
            whole.add(page)
            lost.append(page.lost)
        if self._written:
            yield from whole.pieces()
        for each in lost:
            self._note(each)

    def into_folder(self, folder: Path, infos: Iterator[RunInfo], force: bool) -> None:
        """Write each run into a file of its own, named after it; beside web pages an index."""
        from trajview.export.new_file import NotWritten

        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise NotWritten(f"it cannot be made: {error.strerror or error}", where=Where(folder)) from error
        if self._format == "html":
            there = self._pages_into(folder, infos, force)
        else:
            names = _Names(folder, ENDINGS[self._format])
            there = sum(not self._put_run(names.of(info), found, force) for info, found in self._texts(infos))
        self._say(f"{_runs(self._written - there)} written to {folder}")

    def _pages_into(self, folder: Path, infos: Iterator[RunInfo], force: bool) -> int:
        """Write a page per run, and index.html; return how many were there already."""
        from trajview.export.html import page_text
        from trajview.export.html_index import Listed, index_page, listed

        names, there = _Names(folder, ".html", taken={_INDEX}), 0
        rows: list[Listed] = []
        for info, page in self._pages(infos):
            path = names.of(info)
            there += not self._put_run(path, page_text(page), force)
            rows.append(listed(page, path.name))
        if rows:
            self._put(folder / f"{_INDEX}.html", index_page(rows), force)
        return there

    def _put_run(self, path: Path, found: Exported, force: bool) -> bool:
        """Write a run into a file, remember what it lost, and return whether it was written."""
        written = self._put(path, found.pieces, force)
        if written:
            self._note(found.lost)
        return written

    def _put(self, path: Path, pieces: Iterable[str], force: bool) -> bool:
        """Write a file, and return whether that happened. One that is there already is reported."""
        from trajview.export.new_file import AlreadyThere, new_file

        try:
            with new_file(path, replace=force) as file:
                for piece in pieces:
                    file.write(piece.encode())
        except AlreadyThere as error:
            say_problem(error.problem())
            self.code = max(self.code, EXIT_PROBLEMS)
            return False
        return True

    def _print(self, pieces: Iterable[str]) -> None:
        sys.stdout.flush()
        if is_terminal() and self._format != "html":
            write = out if self._format == "md" else sys.stdout.write  # nothing in JSON acts on a terminal
            for piece in pieces:
                write(piece)
        else:
            for piece in pieces:
                sys.stdout.buffer.write(piece.encode())

    def say_lost(self) -> None:
        """Report what the format cannot hold: of one run in full, of several with the number of runs."""
        if self._written == 1:
            said = self._lost
        else:
            said = [f"{kind} ({_runs(count)} of {self._written:,})" for kind, count in self._kinds.items()]
        for sentence in said:
            self._say(f"{self._format}: {sentence}")

    @staticmethod
    def _say(sentence: str) -> None:
        sys.stdout.flush()
        sys.stderr.write(f"trajview: {one_line(sentence, 2_000)}\n")


class _Names:
    """File names for runs, all different also where case makes no difference."""

    def __init__(self, folder: Path, ending: str, taken: Iterable[str] = ()) -> None:
        self._folder, self._ending, self._taken = folder, ending, set(taken)

    def of(self, info: RunInfo) -> Path:
        from trajview.export.new_file import name_for

        name = stem = name_for(info.key)
        number = 1
        while name.lower() in self._taken:
            name = f"{stem}-{(number := number + 1)}"
        self._taken.add(name.lower())
        return self._folder / f"{name}{self._ending}"


def _runs(count: int) -> str:
    return f"{count:,} run{'' if count == 1 else 's'}"
