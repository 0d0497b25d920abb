"""`trajview export`: runs as Markdown, as a web page, or as another tool's JSON."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from trajview.errors import TrajviewError, UnreadableError, Where
from trajview.textsafe import one_line

from .common import (
    existing,
    exit_code,
    is_terminal,
    matching_run,
    out,
    paths_argument,
    say_nothing_found,
    say_problem,
    stream_runs,
)
from .main import EXIT_FINE, EXIT_PROBLEMS, EXIT_WRONG

if TYPE_CHECKING:
    from trajview.config import Settings
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.info import RunInfo
    from trajview.export.annotated import Annotations
    from trajview.export.exported import Exported
    from trajview.highlight import Rule

__all__ = ["command"]

_FORMATS: Final = ("md", "html", "docent", "openai", "adp")
_ENDINGS: Final = {"md": ".md", "html": ".html", "docent": ".json", "openai": ".jsonl", "adp": ".jsonl"}
_UNITS: Final = re.compile(r"(\d{1,9})(?:\s*-\s*(\d{1,9}))?")


def _range(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """`7`, or `3-7`: the first and the last."""
    if value is None:
        return None
    found = _UNITS.fullmatch(value.strip())
    if found is None:
        raise click.BadParameter(f"{value!r} is no range of units, such as 3-7")
    return int(found[1]), int(found[2] or found[1])


@click.command("export", short_help="Write runs as Markdown, HTML, or another tool's JSON.")
@paths_argument
@click.option("--run", metavar="ID", help="Only the run with this id or key (see `trajview ls`).")
@click.option("--unit", type=int, metavar="N", help="Only this action unit, counted from 0, of the first transcript.")
@click.option("--units", callback=_range, metavar="A-B", help="Only these action units of it, B included.")
@click.option("--format", "-f", "chosen", type=click.Choice(_FORMATS), help="[by FILE's name, else md]")
@click.option("--output", "-o", "named", metavar="FILE", help="A file or a folder.  [stdout]")
@click.option("--force", is_flag=True, help="Replace files that are there.")
@click.option("--highlight", "patterns", multiple=True, metavar="REGEX", help="Mark what matches, in md and html.")
@click.option("--store", metavar="DIR", help="Where annotations are; md and html show them.  [annotations]")
@click.option("--annotator", metavar="NAME", help="Whose annotations.  [the login name]")
@click.option("--blind", is_flag=True, help="Without rewards, the evaluator's reasoning and models' names.")
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    run: str | None,
    unit: int | None,
    units: tuple[int, int] | None,
    chosen: str | None,
    named: str | None,
    force: bool,
    patterns: tuple[str, ...],
    store: str | None,
    annotator: str | None,
    blind: bool,
) -> None:
    """Write every run of PATH, or one, for people (md, html) or for other tools (docent, openai, adp).

    By its name, a FILE.json is Docent's and a FILE.jsonl OpenAI's. docent, openai and adp are JSON Lines; so are all
    runs in one FILE. Where FILE is a folder (it exists, or ends in a slash), each run becomes a file in it. No file is
    replaced without --force. What a format cannot hold is said on stderr.
    """
    from trajview.config import load_settings
    from trajview.corpus.corpus import Corpus
    from trajview.export.choice import format_of

    if unit is not None and units is not None:
        raise click.UsageError("--unit and --units say the same: give one of them")
    output = None if named is None or named == "-" else Path(named)
    folder = output is not None and (output.is_dir() or str(named).endswith(os.sep))
    format = chosen or (format_of(output) if output is not None else None) or "md"
    settings = load_settings(store=store, annotator=annotator, highlight=patterns, paths=paths)
    corpus = Corpus(existing(paths))
    work = _Work(
        corpus,
        format,
        (unit, unit) if unit is not None else units,
        _rules(settings),
        _annotations(settings, store is not None),
        blind,
    )
    found: Iterator[RunInfo] = stream_runs(corpus) if run is None else iter([matching_run(corpus, run)])
    if output is not None and any(path == output or path in output.parents for path in corpus.paths):
        found = iter(list(found))  # what is written is not to be read
    if output is not None and folder:
        work.into_folder(output, found, force)
    else:
        work.into_one(output, found, force)
    work.say_lost()
    if run is None:
        say_nothing_found(corpus)
    ctx.exit(max(work.code, exit_code(corpus)) if run is None else work.code)


def _rules(settings: Settings) -> list[Rule]:
    """The rules that are on, as in the viewer: of the configuration, of the project file, and of --highlight."""
    from trajview.rules import compile_rule, project_file, read_project

    rules = {rule.name: rule for rule in settings.rules}
    project = project_file(settings.paths)
    if project is not None:
        found, problems = read_project(project)
        rules = {rule.name: rule for rule in found} | rules
        for problem in problems:
            say_problem(problem)
    return [*(rule for rule in rules.values() if rule.on), *map(compile_rule, settings.highlight)]


def _annotations(settings: Settings, named: bool) -> Annotations | None:
    """The annotations to show; None where there is no store. Raises UnreadableError where one that was named is none."""
    if not settings.store.is_dir():
        if not named:
            return None
        raise UnreadableError("there is no store of annotations", hint="check --store", where=Where(settings.store))
    from trajview.export.annotated import Annotations

    return Annotations(settings.store, settings.annotator, say_problem)


class _Work:
    """Runs on their way into files: what was wrong with them, and what they lost."""

    def __init__(
        self,
        corpus: Corpus,
        format: str,
        units: tuple[int, int] | None,
        rules: Sequence[Rule],
        annotations: Annotations | None,
        blind: bool,
    ) -> None:
        self.code = EXIT_FINE
        self._corpus = corpus
        self._format = format
        self._units = units
        self._rules = rules
        self._annotations = annotations
        self._blind = blind
        self._written = 0
        self._lost: list[str] = []
        self._kinds: dict[str, int] = {}

    def _texts(self, infos: Iterator[RunInfo]) -> Iterator[tuple[RunInfo, str]]:
        """Each run as text. One that cannot be read is said, and passed over."""
        from trajview.export.choice import NoSuchUnit

        for info in infos:
            try:
                found = self._exported(info)
            except TrajviewError as error:
                say_problem(error.problem())
                self.code = max(self.code, EXIT_WRONG if isinstance(error, NoSuchUnit) else EXIT_PROBLEMS)
                continue
            self._written += 1
            self._lost = found.lost
            for kind in found.kinds:
                self._kinds[kind] = self._kinds.get(kind, 0) + 1
            yield info, found.text

    def _exported(self, info: RunInfo) -> Exported:
        from trajview.export.choice import exported, part_of_units

        run = self._corpus.read(info)
        if self._blind:
            from trajview.models.blind import blinded

            run = blinded(run)
        part = part_of_units(run, *self._units) if self._units else None
        annotated = self._annotations.of(info.key) if self._annotations else None
        return exported(run, self._format, part, annotated, self._rules)

    def into_one(self, output: Path | None, infos: Iterator[RunInfo], force: bool) -> None:
        """All runs into one file, or to stdout."""
        if output is None:
            for _, text in self._texts(infos):
                self._print(text)
            return
        from trajview.export.new_file import new_file

        with new_file(output, replace=force) as file:
            for _, text in self._texts(infos):
                file.write((self._between() + text).encode())
            if not self._written:
                raise click.exceptions.Exit(max(self.code, exit_code(self._corpus)))
        self._say(f"{_runs(self._written)} written to {output}")

    def into_folder(self, folder: Path, infos: Iterator[RunInfo], force: bool) -> None:
        """Each run into a file of its own, named after it."""
        from trajview.export.new_file import AlreadyThere, NotWritten, name_for, new_file

        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise NotWritten(f"it cannot be made: {error.strerror or error}", where=Where(folder)) from error
        taken: set[str] = set()
        there = 0
        for info, text in self._texts(infos):
            name = stem = name_for(info.key)
            number = 1
            while name.lower() in taken:
                name = f"{stem}-{(number := number + 1)}"
            taken.add(name.lower())
            path = folder / f"{name}{_ENDINGS[self._format]}"
            try:
                with new_file(path, replace=force) as file:
                    file.write(text.encode())
            except AlreadyThere as error:
                say_problem(error.problem())
                self.code = max(self.code, EXIT_PROBLEMS)
                there += 1
        self._say(f"{_runs(self._written - there)} written to {folder}")

    def _between(self) -> str:
        """What parts a run from the one before it in a file of several. Raises TrajviewError where it cannot be."""
        if self._format == "html" and self._written > 1:
            raise TrajviewError("html is a page per run", hint="-o FOLDER/ makes one of each, --run ID chooses one")
        return "\n---\n\n" if self._format == "md" and self._written > 1 else ""

    def _print(self, text: str) -> None:
        text = self._between() + text
        if is_terminal():
            out(text)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode())

    def say_lost(self) -> None:
        """What the format cannot hold: of one run in full, of several how many it is about."""
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


def _runs(count: int) -> str:
    return f"{count:,} run{'' if count == 1 else 's'}"
