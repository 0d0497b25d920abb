"""What the commands share: paths, problems on stderr, and the exit code."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from trajview.errors import Problem, UnreadableError, Where, shown
from trajview.textsafe import one_line, safe_json, safe_text

from .completing import complete_rubric, complete_theme
from .front import AT_END, COMMANDS, EXIT_FINE, EXIT_PROBLEMS, EXIT_WRONG, SAID, is_terminal, say_problem

if TYPE_CHECKING:
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.info import RunInfo

__all__ = [
    "blind_option", "existing", "existing_store", "exit_code", "fresh_option", "is_blind", "is_terminal", "json_text", "matching_run", "no_cache_option", "opening_options", "out", "paths_argument", "print_json", "problem_json", "say_nothing_found", "say_problem", "scoring_options", "store_option",
    "stream_runs", "wants_colour",
]  # fmt: skip

_MOST_NAMES = 10_000
"""Entries of a folder that are searched for the name that was meant."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def paths_argument(command: _Command) -> _Command:
    """Add the argument PATH..., at least one, as Paths, and the options of `opening_options`; `PATH#ID` is one run of it (see
    `corpus.named`)."""
    argument = click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(path_type=Path))
    return argument(opening_options(command))


def opening_options(command: _Command) -> _Command:
    """Add the options that say what is opened of the paths; `existing` completes them from the configuration."""
    for option in (
        click.option(
            "--max-unpacked", metavar="SIZE", expose_value=False, callback=_choose_unpacked,
            help="Unpack a compressed file up to so much, such as 50G.  [256M for the smallest, 250 times its size for the largest]",
        ),
        click.option(
            "--messages", metavar="COLUMN", expose_value=False, callback=_choose_messages,
            help="The column of a table, or the key of a record, that has the messages; a.b is b in a.  [found by its content]",
        ),
        click.option(
            "--id", metavar="COLUMN", expose_value=False, callback=_choose_id,
            help="The column, or key, that has the ids of the runs.",
        ),
        click.option(
            "--follow-links/--no-follow-links", default=None, expose_value=False, callback=_choose_links,
            help="Open also what links in a folder lead to outside of it.  [as configured]",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


def _choose_unpacked(_ctx: click.Context, _option: click.Parameter, value: str | None) -> None:
    from trajview.config import size_in
    from trajview.corpus.bounds import BOUNDS

    BOUNDS.max_unpacked = None if value is None else size_in(value)
    if value is not None and not BOUNDS.max_unpacked:
        raise click.BadParameter(f"{value!r} is no size: give one such as 500M or 50G.")


def _choose_messages(_ctx: click.Context, _option: click.Parameter, value: str | None) -> None:
    from trajview.corpus.columns import COLUMNS

    COLUMNS.messages = value


def _choose_id(_ctx: click.Context, _option: click.Parameter, value: str | None) -> None:
    from trajview.corpus.columns import COLUMNS

    COLUMNS.id = value


def _choose_links(_ctx: click.Context, _option: click.Parameter, value: bool | None) -> None:
    from trajview.corpus.bounds import BOUNDS

    BOUNDS.follow_links = value


def no_cache_option(command: _Command) -> _Command:
    """Add the option --no-cache."""
    return click.option("--no-cache", is_flag=True, help="Neither use nor keep summaries of files (see `cache`).")(
        command
    )


def fresh_option(command: _Command) -> _Command:
    """Add the option --fresh; the value of `remember` is False where it is given, else None."""
    return click.option(
        "--fresh", "remember", is_flag=True, flag_value=False, default=None,
        help="Begin at the start, not where you were the last time, and keep no place for the next.",
    )(command)  # fmt: skip


def blind_option(command: _Command) -> _Command:
    """Add the option --blind/--no-blind; its value is None where neither is given."""
    return click.option(
        "--blind/--no-blind",
        default=None,
        help="Hide rewards, the evaluator's reasoning and models' names, or do not.  [as configured]",
    )(command)


def is_blind(blind: bool | None) -> bool:
    """Whether blind mode is on: by the option, else by the configuration."""
    if blind is not None:
        return blind
    from trajview.config import load_settings

    return load_settings().blind


def scoring_options(command: _Command) -> _Command:
    """Add the options that both ways into the viewer have: store, annotator, rubric, and looks."""
    for option in (
        click.option(
            "--theme",
            metavar="NAME",
            help="A Textual theme; `ansi-dark` uses the terminal's own colours.",
            shell_complete=complete_theme,
        ),
        click.option("--images/--no-images", default=None, help="Draw images, or name them only.  [as configured]"),
        blind_option,
        click.option(
            "--rubric",
            metavar="NAME|FILE",
            help="What is rated: a built-in rubric or a file.  [by format]",
            shell_complete=complete_rubric,
        ),
        click.option("--annotator", metavar="NAME", help="Who annotates.  [the login name]"),
        click.option(
            "--force-store",
            is_flag=True,
            default=None,
            help="Save other runs than episodes in Sotopia's own data folder as well.",
        ),
        click.option(
            "--store", metavar="DIR", help="Where annotations are saved; made at the first save.  [annotations]"
        ),
    ):
        command = option(command)
    return command


def store_option(command: _Command) -> _Command:
    """Add the option --store. The folder may stand alone as well, as it once had to."""

    @wraps(command)
    def with_store(*args: Any, folder: str | None, store: str | None, **given: Any) -> Any:
        return command(*args, store=folder or store, **given)

    click.option("--store", metavar="DIR", help="Where annotations are.  [annotations]")(with_store)
    click.argument("folder", required=False, metavar="")(with_store)
    return cast("_Command", with_store)


def existing_store(given: str | Path | None) -> Path:
    """The folder of annotations that was given, else the configuration's. Raises UnreadableError where there is none."""
    from trajview.config import load_settings

    store = given if isinstance(given, Path) else load_settings(store=given).store
    if not store.is_dir():
        raise UnreadableError("there is no store of annotations", hint="name its folder", where=Where(store))
    return store


def existing(paths: Sequence[Path], dash: Callable[[], Path] | None = None, *, ids: bool = True) -> tuple[Path, ...]:
    """Check that paths exist, and put a file for `-`. Raises UnreadableError for the first that does not, and ConfigError.

    `dash` makes that file; by default all of standard input is read first. `ids`: whether `PATH#ID` is a path, too.
    """
    from trajview.config import load_settings
    from trajview.corpus.bounds import BOUNDS
    from trajview.corpus.columns import COLUMNS
    from trajview.rules.project import project_columns

    from .stdin import DASH, spooled

    settings = load_settings()
    BOUNDS.complete(settings.max_unpacked, settings.follow_links)
    AT_END.append(_say_plugin_problems)  # plug-ins may fail on anything read from here on
    paths = list(paths)
    for index, path in enumerate(paths):
        if path == DASH:
            paths[index] = (dash or spooled)()
            continue
        try:
            found = os.path.lexists(path)
        except ValueError:  # a NUL in the name
            found = False
        if not found and ids and "#" in str(path):
            from trajview.corpus.named import split_id

            found = split_id(path)[1] is not None
        if not found:
            raise UnreadableError("no such file or folder", hint=_meant(path), where=Where(path))
    COLUMNS.complete(*project_columns(paths))
    return tuple(paths)


def _say_plugin_problems() -> None:
    """Report the faults of plug-ins that nobody has reported yet."""
    from trajview.formats import registry

    for problem in registry.problems():
        if problem.format not in SAID:
            say_problem(problem)


def _meant(path: Path) -> str:
    """The likely meaning of a path that does not exist: a command, or the nearest name beside it."""
    from difflib import get_close_matches

    if len(path.parts) == 1 and (close := get_close_matches(str(path), COMMANDS, 1)):
        return f"did you mean the command `{close[0]}`?"
    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for entry in islice(entries, _MOST_NAMES)]
    except (OSError, ValueError):  # the folder is not there either, or its name holds a NUL
        return "check the path"
    close = get_close_matches(path.name, names, 1)
    return f"did you mean {one_line(shown(path.with_name(close[0])), 200)}?" if close else "check the path"


def out(text: str) -> None:
    """Print log text: characters that could act on the terminal become visible signs first."""
    sys.stdout.write(safe_text(text))


def print_json(value: Any, indent: int | None = None) -> None:
    """Print a value as JSON, on one line unless it is indented; see `json_text`."""
    sys.stdout.write(json_text(value, indent) + "\n")


def json_text(value: Any, indent: int | None = None) -> str:
    """A value as JSON that is the same on a terminal and in a file, and acts on neither.

    Numbers that JSON has not become null, lone surrogates question marks, and values of other types their text.
    """
    text = json.dumps(_finite(value), ensure_ascii=False, indent=indent, default=str)
    return safe_json(text.encode("utf-8", "replace").decode())


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value


def problem_json(problem: Problem) -> dict[str, Any]:
    """A problem as the commands print it in JSON."""
    where = problem.where
    return {
        "path": None if where.path is None else shown(where.path), "line": where.line, "column": where.column,
        "record": where.record, "reason": problem.reason, "hint": problem.hint,
    }  # fmt: skip


def wants_colour() -> bool:
    """Whether to use colours: only on a terminal that can, and not against NO_COLOR (no-color.org)."""
    return is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def stream_runs(corpus: Corpus) -> Iterator[RunInfo]:
    """Scan a corpus and yield its runs as they are found; problems go to stderr on the way."""
    from .progress import watch

    watch(corpus)
    for item in corpus.stream():
        if isinstance(item, Problem):
            sys.stdout.flush()
            say_problem(item)
        else:
            yield item


def matching_run(corpus: Corpus, run: str) -> RunInfo:
    """Find the run with an id or key, scanning no further than to it. Raises TrajviewError with the nearest ids."""
    from trajview.corpus.unknown_run import unknown_run

    from .progress import watch

    watch(corpus)
    problems = []
    for item in corpus.stream():
        if isinstance(item, Problem):
            problems.append(item)
        elif run in (item.key, item.id):
            return item
    for problem in problems:
        say_problem(problem)
    raise unknown_run(run, corpus.infos)


def say_nothing_found(corpus: Corpus) -> None:
    """Report that nothing was found at all, unless the reason was reported already."""
    if not corpus.infos and not corpus.problems:
        if corpus.skipped:
            count = f"{corpus.skipped:,} file{'' if corpus.skipped == 1 else 's'} or folders skipped as no logs"
            hint = f"{count}; name a file to have it opened all the same"
        else:
            hint = "the folder is empty"
        paths = ", ".join(map(shown, corpus.paths))
        say_problem(Problem("no logs found", hint, Where(Path(paths))))


def exit_code(corpus: Corpus) -> int:
    """The exit code after a scan: 0 fine, 1 some problems, 2 nothing could be read."""
    if not corpus.infos:
        return EXIT_WRONG
    return EXIT_PROBLEMS if corpus.problems else EXIT_FINE
