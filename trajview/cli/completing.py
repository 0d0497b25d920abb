"""What a shell completes behind options: fields and operators of a filter, ids of runs, themes, rubrics.

A fault is no reason to disturb who is typing: it is reported when the command runs. Nothing is imported for help alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import click

from trajview.errors import TrajviewError

if TYPE_CHECKING:
    from trajview.corpus.info import RunInfo

__all__ = ["complete_fields", "complete_rubric", "complete_run", "complete_theme", "complete_where", "paths_in"]

_PATIENCE: Final = 0.5
"""Seconds in which runs are looked for."""
_MOST: Final = 500
"""Ids that are offered at most."""


def paths_in(ctx: click.Context) -> list[Path]:
    """The files and folders among the arguments so far."""
    # An option without its value keeps click from telling arguments apart.
    found = ctx.params.get("paths") or ()
    return [path for path in map(Path, dict.fromkeys([*map(str, found), *ctx.args])) if os.path.lexists(path)]


def complete_where(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Fields, operators, and values that runs in the paths have."""
    from trajview.where.complete import candidates
    from trajview.where.table import Table

    table = Table(lambda _: "")
    found = candidates(incomplete, table)
    if not found:
        table.extend(_runs(ctx))
        found = candidates(incomplete, table)
    values = [incomplete[: found.start] + each for each in found]
    if incomplete in values:  # a field's whole name
        return [*values, *(f"{incomplete} {sign}" for sign in candidates(f"{incomplete} ", table))]
    return values


def complete_fields(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """The last of several fields with commas between them."""
    from trajview.where.fields import FIELDS

    before, comma, last = incomplete.rpartition(",")
    minus = "-" * last.startswith("-")
    names = (f"{field.name}." if field.needs_part else field.name for field in FIELDS)
    return [f"{before}{comma}{minus}{name}" for name in names if name.startswith(last.removeprefix("-").lower())]


def complete_run(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """The ids of runs in the paths."""
    found = dict.fromkeys(info.id for info in _runs(ctx) if info.id.startswith(incomplete))
    return [id for id in found if id.isprintable()][:_MOST]


def complete_theme(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """The names of themes."""
    from trajview.app.shared.themes import theme_names

    return [name for name in theme_names() if name.startswith(incomplete)]


def complete_rubric(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[Any]:
    """The rubrics that come with trajview, and files."""
    from click.shell_completion import CompletionItem

    from trajview.annotation.rubric_file import BUILT_IN

    names = [CompletionItem(name) for name in BUILT_IN if name.startswith(incomplete)]
    return names or [CompletionItem(incomplete, type="file")]


def _runs(ctx: click.Context) -> Iterator[RunInfo]:
    """Runs in the paths, as far as they are found at once."""
    from trajview.corpus.cache import SummaryCache
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.info import RunInfo

    paths = paths_in(ctx)
    until = monotonic() + _PATIENCE
    with suppress(TrajviewError, OSError):
        found = Corpus(paths, SummaryCache()).stream() if paths else iter(())
        for item in takewhile(lambda _: monotonic() < until, found):
            if isinstance(item, RunInfo):
                yield item
