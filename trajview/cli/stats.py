"""`trajview stats`: how the runs of a corpus are spread over rewards, lengths, errors, tools, models and formats."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from trajview.textsafe import one_line

from .choosing import (
    Explained,
    choosing_options,
    query_of,
    say_hidden,
    say_none_matches,
    statuses_for,
)
from .common import (
    blind_option,
    existing,
    exit_code,
    is_blind,
    is_terminal,
    no_cache_option,
    paths_argument,
    print_json,
    say_nothing_found,
    stream_runs,
    wants_colour,
)
from .tables import cells, cut_to, table

if TYPE_CHECKING:
    from trajview.where.chosen import Chosen
    from trajview.where.distribution import Bin, Distribution
    from trajview.where.fields import Ref

__all__ = ["command"]

_WIDTH: Final = 80
"""Columns to use where stdout is no terminal."""
_NAMES: Final = 12
"""Names of a list that are printed; `--json` has all."""
_QUICK: Final = ("reward", "messages", "units")
_SLOW: Final = ("tokens", "errors", "calls")
_LISTS: Final = ("tools", "models", "formats")
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"
_LEVELS: Final = "▁▂▃▄▅▆▇█"
_MOST_SHOWN: Final = 28


@click.command("stats", short_help="Show how runs are spread.", cls=Explained)
@paths_argument
@choosing_options
@click.option("--quick", is_flag=True, help="Leave out what every run has to be read for: tokens, errors, tools.")
@click.option("--json", "in_json", is_flag=True, help="As one JSON object.")
@blind_option
@no_cache_option
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    where: str | None,
    store: str | None,
    annotator: str | None,
    quick: bool,
    in_json: bool,
    blind: bool | None,
    no_cache: bool,
) -> None:
    """Show distributions of PATH's runs: reward and its dimensions, length, errors, tools, models, formats.

    Bars are as wide as the terminal allows. A run counts once for each tool and each model that it names.
    """
    from trajview.corpus.cache import SummaryCache
    from trajview.corpus.corpus import Corpus
    from trajview.where.chosen import Chosen
    from trajview.where.fields import Ref
    from trajview.where.syntax import refs_in

    query = query_of(where)
    shown = [Ref(name) for name in (() if quick else (*_SLOW, "tools"))]
    statuses = statuses_for(list(refs_in(query.node)), store, annotator)
    corpus = Corpus(existing(paths), None if no_cache else SummaryCache())
    hide = is_blind(blind)
    chosen = Chosen(corpus, stream_runs(corpus), query, (), shown, statuses, cached=not no_cache, blind=hide)
    rows = [row for row, _ in chosen.infos()]
    spread, lists = _collected(chosen, rows, quick)
    if in_json:
        print_json(_as_json(chosen, rows, spread, lists))
    elif rows:
        width = shutil.get_terminal_size().columns if is_terminal() else _WIDTH
        for line in _lines(chosen, rows, spread, lists, max(30, width)):
            sys.stdout.write(line.rstrip() + "\n")
    elif chosen.table.rows:
        say_none_matches(chosen)
    say_hidden(list(refs_in(query.node)), hide)
    say_nothing_found(corpus)
    ctx.exit(exit_code(corpus))


def _collected(
    chosen: Chosen, rows: Sequence[int], quick: bool
) -> tuple[dict[Ref, Distribution], dict[str, Counter[str]]]:
    """The numbers of the chosen runs by field, and counts of the names in fields of names."""
    from trajview.where.distribution import distribution
    from trajview.where.fields import Ref

    refs = [Ref("reward"), *_dimensions(chosen, rows), *map(Ref, _QUICK[1:]), *map(Ref, () if quick else _SLOW)]
    spread = {}
    for ref in refs:
        values = chosen.table.column(ref).values
        found = distribution((values[row] for row in rows), whole=ref.name != "reward")
        if found is not None:
            spread[ref] = found
    lists: dict[str, Counter[str]] = {}
    for name in _LISTS:
        if name == "tools" and quick:
            continue
        values = chosen.table.column(Ref("format" if name == "formats" else name)).values
        of_run: Iterable[Iterable[str]] = ((values[row],) if name == "formats" else values[row] for row in rows)
        lists[name] = Counter(item for items in of_run for item in dict.fromkeys(items))
    return spread, lists


def _dimensions(chosen: Chosen, rows: Sequence[int]) -> list[Ref]:
    """The dimensions of rewards that any of the runs has, in the order in which they come up."""
    from trajview.corpus.info import RunInfo
    from trajview.models.episodes import OVERALL
    from trajview.where.fields import Ref

    names: dict[str, None] = {}
    for row in rows:
        item = chosen.table.rows[row]
        if isinstance(item, RunInfo):
            for reward in item.rewards:
                if isinstance(reward, tuple):
                    names.update(dict.fromkeys(reward[1]))
    return [Ref("reward", (name,)) for name in names if name != OVERALL]


# JSON


def _as_json(
    chosen: Chosen, rows: Sequence[int], spread: dict[Ref, Distribution], lists: dict[str, Counter[str]]
) -> dict[str, Any]:
    found: dict[str, Any] = {"runs": len(rows), "of": len(chosen.table.rows)}
    for ref, one in spread.items():
        found[_clean(str(ref))] = {
            "count": one.count, "mean": one.mean, "median": one.median, "min": one.low, "max": one.high,
            "bins": [{"from": each.low, "to": each.high, "count": each.count} for each in one.bins],
        }  # fmt: skip
    for name, counts in lists.items():
        found[name] = {_clean(item): count for item, count in counts.most_common()}
    return found


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


# Plots


def _lines(
    chosen: Chosen, rows: Sequence[int], spread: dict[Ref, Distribution], lists: dict[str, Counter[str]], width: int
) -> Iterable[str]:
    of = f" of {len(chosen.table.rows):,}" if len(rows) < len(chosen.table.rows) else ""
    yield f"{len(rows):,}{of} runs"
    parts = {ref: one for ref, one in spread.items() if ref.parts}
    for ref, one in spread.items():
        if ref.parts:
            continue
        if parts and ref.name != "reward":
            yield from _dimensions_lines(parts, width)
            parts = {}
        yield ""
        yield _heading(str(ref), _figures(one, len(rows), is_reward=ref.name == "reward"), width)
        yield from _bars([(_label(each, one), each.count) for each in one.bins], width)
    for name, counts in lists.items():
        if counts:
            yield ""
            yield _heading(name, f"{len(counts):,}" if len(counts) > 1 else "", width)
            yield from _bars(counts.most_common(_NAMES), width)
            if len(counts) > _NAMES:
                yield _dim(f"  and {len(counts) - _NAMES:,} more")


def _dimensions_lines(parts: dict[Ref, Distribution], width: int) -> Iterable[str]:
    """A line for each dimension of the rewards: figures, and a small plot from its lowest to its highest."""
    rows = [["dimension", "runs", "median", "mean", "low", "high", ""]]
    for ref, one in parts.items():
        name = one_line(".".join(ref.parts), 60)
        figures = (one.count, one.median, one.mean, one.low, one.high)
        rows.append([cut_to(name, max(10, width - 50)), *map(_number, figures), _spark(one)])
    yield ""
    for index, line in enumerate(table(rows, (1, 2, 3, 4, 5), cut=False)):
        yield _dim(line) if index == 0 else line


def _spark(one: Distribution) -> str:
    most = max(each.count for each in one.bins)
    if len(one.bins) == 1:
        return ""
    return "".join(_LEVELS[-(-each.count * 8 // most) - 1] if each.count else "·" for each in one.bins)


def _figures(one: Distribution, runs: int, *, is_reward: bool) -> str:
    of = f"{one.count:,} of {runs:,} runs · " if one.count < runs else ""
    if one.low == one.high:
        return f"{of}all {_number(one.low)}"
    sum_ = "" if is_reward else f" · sum {_number(round(one.mean * one.count))}"
    return (
        f"{of}median {_number(one.median)} · mean {_number(one.mean)} · {_number(one.low)} to {_number(one.high)}{sum_}"
    )


def _label(each: Bin, one: Distribution) -> str:
    if each.low == each.high:
        return _number(each.low)
    last = each is one.bins[-1]
    return f"{_number(each.low)} – {_number(each.high)}" if last else f"{_number(each.low)} – <{_number(each.high)}"


def _number(value: float) -> str:
    if abs(value) >= 1e15:
        return f"{value:.3g}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3g}" if abs(value) < 100 else f"{value:,.0f}"


def _bars(counts: Sequence[tuple[str, int]], width: int) -> Iterable[str]:
    """A line for each count: its name, a bar, the number."""
    labels = [one_line(label, 200) or "(none)" for label, _ in counts]
    room = min(max(map(cells, labels)), max(8, min(_MOST_SHOWN, width // 3)))
    most = max(count for _, count in counts)
    figures = max(len(f"{count:,}") for _, count in counts)
    length = max(4, min(60, width - room - figures - 6))
    for label, (_, count) in zip(labels, counts, strict=True):
        cut = cut_to(label, room)
        yield f"  {cut}{' ' * (room - cells(cut))}  {_bar(count / most * length if most else 0)} {count:,}"


def _bar(length: float) -> str:
    """A bar `length` cells long, exact to an eighth of a cell; any length above zero shows."""
    eighths = max(1, round(length * 8)) if length > 0 else 0
    bar = "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")
    return f"\x1b[36m{bar}\x1b[39m" if bar and wants_colour() else bar or "·"


def _heading(name: str, said: str, width: int) -> str:
    title = one_line(name, 60)
    rest = cut_to(said, max(4, width - cells(title) - 2))
    return f"\x1b[1m{title}\x1b[22m  {_dim(rest)}" if wants_colour() else f"{title}  {rest}"


def _dim(text: str) -> str:
    return f"\x1b[2m{text}\x1b[22m" if text and wants_colour() else text
