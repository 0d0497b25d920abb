"""`trajview ls`: the runs of files and folders, as a table or as JSON Lines."""

from __future__ import annotations

import json
import math
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import existing, exit_code, is_terminal, no_cache_option, paths_argument, say_nothing_found, stream_runs

if TYPE_CHECKING:
    from trajview.corpus.info import RunInfo
    from trajview.models.run import Reward

__all__ = ["as_json", "command"]

_COLUMNS = ("ID", "SOURCE", "FORMAT", "MESSAGES", "UNITS", "AGENTS", "REWARDS")
_RIGHT = (3, 4)
_LEAST = 5  # cells that a column keeps when the terminal is narrow
_GAP = "  "


@click.command("ls", short_help="List the runs.")
@paths_argument
@click.option("--json", "in_json", is_flag=True, help="One JSON object a line.")
@no_cache_option
@click.pass_context
def command(ctx: click.Context, paths: tuple[Path, ...], in_json: bool, no_cache: bool) -> None:
    """List the runs of PATH: id, source, format, messages, action units, agents, rewards.

    On a terminal the columns are cut to its width; elsewhere they are whole.
    """
    from trajview.corpus.cache import SummaryCache
    from trajview.corpus.corpus import Corpus

    corpus = Corpus(existing(paths), None if no_cache else SummaryCache())
    if in_json:
        for info in stream_runs(corpus):
            sys.stdout.write(json.dumps(as_json(info), ensure_ascii=False).encode("utf-8", "replace").decode() + "\n")
    else:
        for line in _table([_row(info) for info in stream_runs(corpus)]):
            sys.stdout.write(line + "\n")
    say_nothing_found(corpus)
    ctx.exit(exit_code(corpus))


def as_json(info: RunInfo) -> dict[str, Any]:
    """A run as `ls --json` prints it. A reward is a number, or [overall, {dimension: number}]; NaN becomes null."""
    return {
        "id": info.id,
        "key": info.key,
        "source": info.source,
        "path": str(info.path),
        "line": info.line,
        "record": info.record,
        "container": info.container,
        "format": info.format,
        "name": info.name,
        "messages": info.messages,
        "units": info.units,
        "transcripts": info.transcripts,
        "agents": list(info.agents),
        "rewards": [_reward(reward) for reward in info.rewards],
        "models": list(info.models),
    }


def _reward(reward: Reward) -> Any:
    if isinstance(reward, tuple):
        return [_number(reward[0]), {name: _number(value) for name, value in reward[1].items()}]
    return _number(reward)


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


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


def _table(rows: list[list[str]]) -> list[str]:
    if not rows:
        return []
    rows = [list(_COLUMNS), *rows]
    widths = [max(_cells(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    if is_terminal():
        room = shutil.get_terminal_size().columns
        while sum(widths) + len(_GAP) * (len(widths) - 1) > room and max(widths) > _LEAST:
            widest = widths.index(max(widths))
            # Take it down to the next widest at once; one cell at a time would be slow for very long ids.
            over = sum(widths) + len(_GAP) * (len(widths) - 1) - room
            second = max([width for width in widths if width < widths[widest]], default=_LEAST)
            widths[widest] -= max(1, min(over, widths[widest] - max(second, _LEAST)))
    return [_line(row, widths) for row in rows]


def _line(row: list[str], widths: list[int]) -> str:
    cells = []
    for column, (text, width) in enumerate(zip(row, widths, strict=True)):
        cut = _cut(text, width)
        space = " " * (width - _cells(cut))
        cells.append(space + cut if column in _RIGHT else cut + space)
    return _GAP.join(cells).rstrip()


def _cells(text: str) -> int:
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _cut(text: str, width: int) -> str:
    if _cells(text) <= width:
        return text
    from rich.cells import set_cell_size

    return set_cell_size(text, width - 1).rstrip() + "…"
