"""`trajview search`: lines of messages that match, run by run, printed as ripgrep prints lines of files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from trajview.errors import Problem, shown

from .choosing import choosing_options, matching
from .common import blind_option, existing, is_blind, json_text, opening_options, say_problem, wants_colour
from .front import EXIT_FINE, EXIT_PROBLEMS, EXIT_WRONG
from .named_rules import rule_option, rules_named

if TYPE_CHECKING:
    from trajview.corpus.info import Place
    from trajview.corpus.matches import Hit
    from trajview.corpus.query import Query
    from trajview.corpus.search import CorpusSearch, RunMatches

__all__ = ["command"]

_FOUND, _NOTHING = EXIT_FINE, EXIT_PROBLEMS
_WIDTH: Final = 500
_PATIENCE: Final = 10.0
"""A copy of `patterns.patience.PATIENCE`, which is not imported for help alone."""
_PLACE, _ID, _LABEL, _MATCH, _DIM = "35", "1", "32", "1;31", "2"
_ROLES: Final = ("system", "user", "assistant", "tool")
_FIELDS: Final = ("text", "reasoning", "arguments", "metadata", "all")


@click.command("search", short_help="Search what messages say, think and call.")
@click.argument("arguments", nargs=-1, required=True, metavar="PATTERN PATH...")
@click.option(
    "-e",
    "--regexp",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="A pattern, also one that begins with -; repeatable: any of them.",
)
@click.option(
    "-F", "--fixed-strings", "fixed", is_flag=True, help="PATTERN is text as it stands, no regular expression."
)
@click.option("-i", "--ignore-case", "case", flag_value="ignore", help="Ignore case.")
@click.option("-s", "--case-sensitive", "case", flag_value="sensitive", help="Mind case.")
@click.option(
    "-S", "--smart-case", "case", flag_value="smart", help="Mind case if PATTERN holds a capital letter (the default)."
)
@click.option("-w", "--word-regexp", "word", is_flag=True, help="Whole words only.")
@click.option("--role", "roles", multiple=True, type=click.Choice(_ROLES), help="Only what this role says; repeatable.")
@click.option(
    "--tool",
    "tools",
    multiple=True,
    metavar="NAME",
    help="Only calls and answers of this tool (`*` in it stands for anything); repeatable.",
)
@click.option(
    "--in",
    "fields",
    multiple=True,
    type=click.Choice(_FIELDS),
    help="Only in this part of messages; repeatable.  [all but metadata]",
)
@click.option(
    "-C", "--context", "around", type=click.IntRange(0), default=0, metavar="N", help="N lines before and after each."
)
@click.option(
    "-m", "--max-count", "most", type=click.IntRange(1), metavar="N", help="Print at most N lines of each run."
)
@click.option(
    "-M",
    "--max-columns",
    "width",
    type=click.IntRange(0),
    default=_WIDTH,
    metavar="N",
    help=f"Cut lines to N characters around the match, 0 for never.  [{_WIDTH}]",
)
@click.option("-c", "--count", "in_counts", is_flag=True, help="Only the number of matches in each run that has some.")
@click.option(
    "-l", "--files-with-matches", "in_names", is_flag=True, help="Only the runs, as PATH or PATH#ID, which opens them."
)
@click.option("--json", "in_json", is_flag=True, help="One JSON object a line.")
@click.option(
    "--heading/--no-heading",
    "heading",
    default=None,
    help="The run above its lines, or on each.  [above on a terminal]",
)
@click.option(
    "-j",
    "--processes",
    type=click.IntRange(1),
    metavar="N",
    help="Share the work among N processes.  [as many as cores]",
)
@click.option(
    "--timeout",
    "patience",
    type=click.FloatRange(0),
    default=_PATIENCE,
    metavar="SECONDS",
    help=f"Give up on a run when the pattern takes longer in one message; 0 for never.  [{_PATIENCE:g}]",
)
@rule_option("Look for what this named rule matches, where it looks, instead of PATTERN.", multiple=False)
@choosing_options
@opening_options
@blind_option
@click.pass_context
def command(
    ctx: click.Context,
    arguments: tuple[str, ...],
    patterns: tuple[str, ...],
    fixed: bool,
    case: str | None,
    word: bool,
    roles: tuple[str, ...],
    tools: tuple[str, ...],
    fields: tuple[str, ...],
    around: int,
    most: int | None,
    width: int,
    in_counts: bool,
    in_names: bool,
    in_json: bool,
    heading: bool | None,
    processes: int | None,
    patience: float,
    rule: str | None,
    where: str | None,
    store: str | None,
    annotator: str | None,
    blind: bool | None,
) -> None:
    """Search the messages of PATH for PATTERN, a regular expression of Python's.

    Messages are searched as they read, not as JSON spells them: `\\n`, `\\"` and `\\u00e9` are what they stand for. A hit
    is labelled by transcript and message, such as T0B12; a run by its file, its line there, and its id.

    Exit codes: 0 found, 1 not found, 2 wrong usage, or nothing found and not all could be read.
    """
    from trajview.corpus.search import CorpusSearch, cores

    from .progress import watch_search

    if rule is not None and any((patterns, fixed, case, word, roles, tools, fields)):
        raise click.UsageError("--rule says what to look for, and where: leave the other options for that out", ctx)
    if not patterns and rule is None:
        patterns, arguments = arguments[:1], arguments[1:]
    if not arguments:
        raise click.UsageError("Missing argument 'PATH...'.", ctx)
    paths = existing([Path(argument) for argument in arguments])
    query = _query(patterns, fixed, case, word, roles, tools, fields) if rule is None else _query_of_rule(rule, paths)
    hide = is_blind(blind)
    only = None if where is None else _chosen(ctx, paths, where, hide, store, annotator)
    output = _Output.of(wants_colour(), heading, in_json=in_json, in_counts=in_counts, in_names=in_names)
    search = CorpusSearch(
        paths, query, keep=0 if output.is_counts else most, most=1 if in_names else None if output.is_counts else most,
        around=around, width=width or None, processes=cores() if processes is None else processes, patience=patience,
        blind=hide, only=only,
    )  # fmt: skip
    watch_search(search, paths)
    unread = _print_found(search, output)
    if not search.runs and not fixed:
        _say_restrictions(patterns)
    ctx.exit(_exit_code(search, unread))


def _query(
    patterns: Sequence[str],
    fixed: bool,
    case: str | None,
    word: bool,
    roles: Sequence[str],
    tools: Sequence[str],
    fields: Sequence[str],
) -> Query:
    """The query of the options: patterns, and the parts of messages to search."""
    from trajview.corpus.query import FIELDS, Query, any_of

    return Query(
        any_of(patterns, fixed), regex=not fixed or len(patterns) > 1, case=case or "smart", word=word,  # type: ignore[arg-type]
        roles=frozenset(roles), tools=tuple(tools), fields=frozenset(FIELDS if "all" in fields else fields),
    )  # fmt: skip


def _query_of_rule(rule: str, paths: Sequence[Path]) -> Query:
    """The query that finds what a named rule highlights."""
    from trajview.config import load_settings
    from trajview.corpus.query import query_of

    return query_of(rules_named([rule], load_settings(paths=paths))[0])


def _chosen(
    ctx: click.Context, paths: Sequence[Path], where: str, hide: bool, store: str | None, annotator: str | None
) -> frozenset[Place]:
    """The places of the runs that --where chooses. Ends the command where it chooses none."""
    from trajview.corpus.cache import SummaryCache
    from trajview.corpus.corpus import Corpus

    corpus = Corpus(paths, SummaryCache())
    chosen = frozenset(info.place for info in matching(corpus, where, hide, store, annotator))
    if not chosen:
        ctx.exit(_NOTHING if corpus.infos else EXIT_WRONG)
    return chosen


@dataclass(frozen=True)
class _Output:
    """How to print the matches of a run."""

    write: Callable[[RunMatches, bool], Iterator[str]]
    colour: bool
    is_counts: bool
    """Whether only counts are printed, or only names."""
    is_spaced: bool
    """Whether an empty line stands between two runs."""

    @classmethod
    def of(cls, colour: bool, heading: bool | None, *, in_json: bool, in_counts: bool, in_names: bool) -> _Output:
        """The output that the options ask for. By default, coloured lines of a run have a heading above them."""
        is_counts = in_counts or in_names
        if in_json:
            return cls(_as_counts if is_counts else _as_json, colour, is_counts, is_spaced=False)
        if is_counts:
            return cls(_place if in_names else _count, colour, is_counts, is_spaced=False)
        has_headings = colour if heading is None else heading
        return cls(_with_heading if has_headings else _line_by_line, colour, is_counts, is_spaced=has_headings)


def _print_found(search: CorpusSearch, output: _Output) -> int:
    """Print matches as they come, and return how many files or records could not be read."""
    is_first, unread = True, 0
    for found in search.found():
        if isinstance(found, Problem):
            unread += not found.opens
            sys.stdout.flush()
            say_problem(found)
            continue
        if output.is_spaced and not is_first:
            sys.stdout.write("\n")
        is_first = False
        for text in output.write(found, output.colour):
            sys.stdout.write(text)
    return unread


def _say_restrictions(patterns: Sequence[str]) -> None:
    """Warn that `role:tool` in a pattern is a part of it here, while it restricts the search in the viewer."""
    from trajview.corpus.query import first_of, last_of

    for pattern in patterns:
        found = first_of(pattern) or last_of(pattern)
        if found is not None:
            say_problem(
                Problem(f"{found[0]} is looked for as text here", f"--{found[1]} {found[2]} restricts the search")
            )


def _exit_code(search: CorpusSearch, unread: int) -> int:
    if search.runs:
        return _FOUND
    if not search.files_found and not unread:
        say_problem(Problem("no logs found", "name a file to have it searched all the same" if search.skipped else ""))
        return EXIT_WRONG
    return EXIT_WRONG if unread else _NOTHING


def _painted(text: str, sgr: str, colour: bool) -> str:
    return f"\x1b[{sgr}m{text}\x1b[0m" if colour and text else text


def _safe(text: str) -> str:
    from trajview.textsafe import safe_text

    return safe_text(text).replace("\n", " ")


def _place(found: RunMatches, colour: bool) -> Iterator[str]:
    """The argument that opens the run, without spaces."""
    from trajview.corpus.named import reference

    alone = found.container == "json" and found.member is None
    yield _painted(reference(found.path, found.id, alone=alone), _PLACE, colour) + "\n"


def _count(found: RunMatches, colour: bool) -> Iterator[str]:
    yield f"{_painted(_safe(found.reached), _PLACE, colour)}:{found.matches}\n"


def _with_heading(found: RunMatches, colour: bool) -> Iterator[str]:
    yield f"{_painted(_safe(found.reached), _PLACE, colour)} {_painted(_safe(found.id), _ID, colour)}\n"
    yield from _lines(found, "", colour, with_speaker=True)


def _line_by_line(found: RunMatches, colour: bool) -> Iterator[str]:
    yield from _lines(found, _painted(_safe(found.reached), _PLACE, colour), colour, with_speaker=False)


def _lines(found: RunMatches, place: str, colour: bool, with_speaker: bool) -> Iterator[str]:
    """The lines of hits and those around them, each once; `--` where lines are left out between."""
    last: tuple[str, int] | None = None
    gaps = any(hit.before or hit.after for hit in found.hits)
    for at, hit in enumerate(found.hits):
        following = found.hits[at + 1] if at + 1 < len(found.hits) else None
        shown = last[1] if last is not None and last[0] == hit.label else -1
        start = max(hit.line - len(hit.before), shown + 1)
        if gaps and last is not None and (last[0] != hit.label or start > shown + 1):
            yield "--\n"
        for number in range(start, hit.line):
            yield _context(place, hit, hit.before[number - hit.line], colour)
        speaker = _painted(f" {_safe(_speaker(hit))}", _DIM, colour) if with_speaker else ""
        head = f"{place}:" if place else ""
        yield f"{head}{_painted(hit.label, _LABEL, colour)}{speaker}:{_marked(hit, colour)}\n"
        end = hit.line + len(hit.after)
        if following is not None and following.label == hit.label:
            end = min(end, following.line - 1)
        for number in range(hit.line + 1, end + 1):
            yield _context(place, hit, hit.after[number - hit.line - 1], colour)
        last = hit.label, end


def _context(place: str, hit: Hit, text: str, colour: bool) -> str:
    head = f"{place}-" if place else ""
    return f"{head}{_painted(hit.label, _LABEL, colour)}-{_safe(text.rstrip(chr(13)))}\n"


def _speaker(hit: Hit) -> str:
    if hit.field == "arguments":
        return f"call {hit.tool}"
    if hit.field == "reasoning":
        return "reasoning"
    return " ".join(filter(None, (hit.role, hit.tool))) or hit.field


def _marked(hit: Hit, colour: bool) -> str:
    text, at, pieces = hit.text.rstrip("\r"), 0, []
    for start, end in hit.spans:
        pieces += [_safe(text[at:start]), _painted(_safe(text[start:end]), _MATCH, colour)]
        at = end
    return "".join([*pieces, _safe(text[at:])])


def _as_counts(found: RunMatches, _colour: bool) -> Iterator[str]:
    yield json_text({**_run(found), "matches": found.matches, "messages": found.messages}) + "\n"


def _as_json(found: RunMatches, _colour: bool) -> Iterator[str]:
    run = _run(found)
    for hit in found.hits:
        yield json_text(
            {
                **run, "label": hit.label,
                "transcript": hit.transcript if hit.transcript >= 0 else None,
                "message": hit.message if hit.message >= 0 else None,
                "unit": hit.unit if hit.unit >= 0 else None,
                "role": hit.role or None, "tool": hit.tool, "field": hit.field, "text_line": hit.line, "text": hit.text,
                "spans": [list(span) for span in hit.spans], "before": list(hit.before), "after": list(hit.after),
            }
        ) + "\n"  # fmt: skip


def _run(found: RunMatches) -> dict[str, Any]:
    return {
        "id": found.id, "source": found.source, "path": shown(found.path), "line": found.line, "member": found.member,
        "format": found.format,
    }  # fmt: skip
