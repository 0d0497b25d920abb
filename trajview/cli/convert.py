"""`trajview convert`: all runs of some logs in one file, of one format, whatever they were."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trajview.errors import TrajviewError
from trajview.export.names import FOR_PROGRAMS, OF_MESSAGES
from trajview.textsafe import one_line

from .choosing import matching, where_option
from .common import existing, exit_code, paths_argument, say_nothing_found, say_problem
from .front import EXIT_FINE, EXIT_PROBLEMS

if TYPE_CHECKING:
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.info import RunInfo
    from trajview.export.conversion import Lines, Rows

__all__ = ["command"]


@click.command("convert", short_help="Write all runs into one JSON Lines or Parquet file.")
@paths_argument
@click.option(
    "--output", "-o", "output", required=True, type=click.Path(path_type=Path), metavar="FILE",
    help="A name that ends in .jsonl, .jsonl.zst or .parquet.",
)  # fmt: skip
@click.option("--format", "-f", "chosen", type=click.Choice(FOR_PROGRAMS), default=FOR_PROGRAMS[0], help="[docent]")
@click.option("--force", is_flag=True, help="Replace FILE where it is there.")
@where_option
@click.pass_context
def command(
    ctx: click.Context, paths: tuple[Path, ...], output: Path, chosen: str, force: bool, where: str | None
) -> None:
    """Write every run of PATH into FILE, one after another, so that any number of them takes the memory of one.

    docent is Docent's AgentRun, which holds all of any run; openai and adp have a line for each transcript. In Parquet, each
    line is a row: its `id`, and OpenAI's `messages`, or all of it as JSON in `record`. What a format cannot hold is said on
    stderr, once for each kind.

    JSON Lines that were not finished are in FILE.partial; the same command goes on there. Parquet begins anew.
    """
    from trajview.corpus.corpus import Corpus
    from trajview.export.conversion import ENDINGS, Lines, Rows

    if not output.name.endswith(ENDINGS):
        raise click.UsageError(f"{output.name} is none of {', '.join(f'FILE{ending}' for ending in ENDINGS)}")
    corpus = Corpus(existing(paths))
    if output.exists() and any(path == output or path in output.parents for path in corpus.paths):
        raise click.UsageError(f"{output} is among what is converted: write it elsewhere")
    source = {"paths": [os.path.abspath(path) for path in paths], "format": chosen, "where": where}  # noqa: PTH100 - links stay
    file: Lines | Rows
    if output.suffix == ".parquet":
        file = Rows(output, messages=chosen == OF_MESSAGES, replace=force)
    else:
        file = Lines(output, source, replace=force)
    work = _Work(corpus, chosen)
    with file:
        try:
            work.into(file, matching(corpus, where, blind=False))
        except KeyboardInterrupt:
            if isinstance(file, Lines):
                _say("stopped; the same command goes on")
            raise
        if not work.done:
            say_nothing_found(corpus)
            raise click.exceptions.Exit(max(work.code, exit_code(corpus)))
    if isinstance(file, Rows) and file.with_parts:
        work.lost["The parts of messages, such as images, are written as JSON text."] = file.with_parts
    work.say_done(output)
    ctx.exit(max(work.code, exit_code(corpus)))


class _Work:
    """The conversion of runs, which counts what is lost of them."""

    def __init__(self, corpus: Corpus, format: str) -> None:
        self.code = EXIT_FINE
        self.done = 0
        """Runs that were come to."""
        self._corpus, self._format = corpus, format
        self._written = 0
        self.lost: dict[str, int] = {}
        """How many runs lose something of a kind."""

    def into(self, file: Lines | Rows, infos: Iterator[RunInfo]) -> None:
        """Write each run that is not in the file yet. Raises NotWritten where it is about other runs."""
        if file.is_begun:
            _say("going on with an unfinished conversion")
        for info in infos:
            run = f"{info.key} ({info.length:,} bytes)"
            self.done += 1
            if not file.has(run):
                file.write(run, self._text(info))

    def _text(self, info: RunInfo) -> str:
        """A run as lines of JSON; empty where it cannot be read, which is reported."""
        from trajview.export.choice import exported

        try:
            found = exported(self._corpus.read(info, whole=True), self._format)
            text = "".join(found.pieces)
        except TrajviewError as error:
            say_problem(error.problem())
            self.code = EXIT_PROBLEMS
            return ""
        self._written += 1
        for kind in found.lost.kinds():
            self.lost[kind] = self.lost.get(kind, 0) + 1
        return text

    def say_done(self, output: Path) -> None:
        """Report how many runs were written now, and what they lost."""
        _say(f"{_runs(self._written)} written to {output}")
        for kind, count in self.lost.items():
            _say(f"{self._format}: {kind} ({_runs(count)} of {self._written:,})")


def _runs(count: int) -> str:
    return f"{count:,} run{'' if count == 1 else 's'}"


def _say(sentence: str) -> None:
    sys.stdout.flush()
    sys.stderr.write(f"trajview: {one_line(sentence, 2_000)}\n")
