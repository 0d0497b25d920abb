"""The figures of an agreement as lines of text in columns, the same on the command line and on the screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap
from typing import Final, Literal, NamedTuple

from trajview.textsafe import one_line

from .agreement import AGAINST, BETWEEN, LEVEL, MEAN, Agreement, Estimate
from .ratings import OVERALL
from .rubric import Dimension

__all__ = ["HEADINGS", "Part", "Role", "figure", "lines", "plain"]

Role = Literal["", "verdict", "title", "heading", "name", "value", "interval", "undefined", "note"]
"""The role of a part of a line, for screens that colour it."""


class Part(NamedTuple):
    """A piece of a line, and its role."""

    text: str
    role: Role = ""


Line = tuple[Part, ...]

HEADINGS: Final = {
    "exact": "exact",
    "within_one": "within 1",
    "kappa": "kappa",
    "alpha_ordinal": "alpha ord",
    "alpha_interval": "alpha int",
    "icc_single": "ICC(2,1)",
    "icc_mean": "ICC(2,k)",
    "spearman": "Spearman",
    "pearson": "Pearson",
    "mae": "MAE",
    "bias": "bias",
}
"""A short heading for each measure."""

_VERDICTS: Final = (
    (0.8, "reliable"),
    (0.667, "enough for tentative conclusions"),
    (0.0, "too low to draw conclusions from"),
)
"""What alpha says from which value on (Krippendorff 2004, Content Analysis, 2nd edition, p. 241); below them it is chance."""

_POINTS = frozenset({"mae", "bias"})
"""Measures in points of the scale. The others are at most 1, and are written `.72`."""

_WIDTHS: Final = {"bias": 12, "mae": 12}
_WIDTH = 9
_LEAST_NAME = 12
_UNDEFINED = "undefined"


def figure(name: str, value: float) -> str:
    """A number as it stands in a column: `.72`, `-.05`, `1.00`; in points of the scale `1.25`, and a bias `+0.50`."""
    if name == "bias":
        return f"{value:+.2f}".replace("+0.00", "0.00").replace("-0.00", "0.00")
    if name in _POINTS:
        return f"{value:.2f}"
    text = f"{value:.2f}"
    if text in ("-0.00", "0.00"):
        return ".00"
    return text.replace("0.", ".", 1) if abs(value) < 1 and text.lstrip("-").startswith("0.") else text


def plain(line: Line) -> str:
    """The text of a line."""
    return "".join(part.text for part in line).rstrip()


def lines(found: Agreement, room: int | None = None) -> list[Line]:
    """The report as lines: a verdict, who rated how much, the tables of figures, and what is missing.

    `room` is the width in cells; a table that is wider is divided between its columns. None: as wide as it wants.
    """
    told = [*_verdict_lines(found), *_head_lines(found)]
    between = [
        (each.dimension, "", each.pairs, each.figures)
        for each in found.between
        if len(found.annotators) > 1 and each.pairs
    ]
    if between:
        told += [(), (Part("Between annotators", "title"),)]
        told += _tables(between, BETWEEN, room)
    elif found.annotators:
        told += [(), (Part("No two annotators have rated the same: there is nothing to compare yet.", "note"),)]
    against = [(each.dimension, each.who, each.pairs, each.figures) for each in found.against]
    if against:
        told += [(), (Part("Annotators against the reward in the log", "title"),)]
        told += _tables(against, AGAINST, room)
        told.append(
            (Part("MAE and bias in points of the scale; bias above 0: the log says more than the people.", "note"),)
        )
    return [folded for line in told for folded in _folded(line, room)]


def _folded(line: Line, room: int | None) -> list[Line]:
    """A note, folded into several lines where it is wider than `room`."""
    if room is None or len(line) != 1 or line[0].role != "note" or _cells(line[0].text) <= room:
        return [line]
    return [(Part(text, "note"),) for text in wrap(line[0].text, max(20, room), subsequent_indent="  ")]


def _verdict_lines(found: Agreement) -> list[Line]:
    """One figure for all dimensions, what it means, and what that rests on; nothing where alpha is undefined."""
    alphas = {
        one_line(each.dimension.label, 40): value
        for each in found.between
        if (value := each.figures["alpha_ordinal"].value) is not None
        and (each.dimension.name != OVERALL or len(found.between) == 1)  # the overall is made of the others
    }
    if not alphas:
        return []
    alpha = sum(alphas.values()) / len(alphas)
    verdict = next((words for least, words in _VERDICTS if alpha >= least), "no better than chance")
    lowest = min(alphas, key=lambda label: alphas[label])
    of = f"the mean of {len(alphas)} dimensions (lowest: {lowest} {alphas[lowest]:.2f})" if len(alphas) > 1 else lowest
    rests_on = f"Ordinal, {of}. Krippendorff (2004): reliable from 0.80 on, tentative from 0.67 on."
    return [(Part(f"Krippendorff's α {alpha:.2f}: {verdict}", "verdict"),), (Part(rests_on, "note"),), ()]


def _head_lines(found: Agreement) -> list[Line]:
    """The lines on who has rated how many episodes, and how the intervals were made."""
    if not found.annotators:
        return [(Part("No annotations yet.", "note"),)]
    width = max(_cells(one_line(who, 40)) for who in found.annotators)
    told: list[Line] = []
    for who, count in sorted(found.annotators.items(), key=lambda each: (-each[1], each[0])):
        name = _padded(one_line(who, 40), width)
        told.append((Part(name, "name"), Part(f"  {_count(count, 'episode')}", "value")))
    if found.gold:
        told.append(
            (Part(f"{_count(found.gold, 'episode')} settled by a gold record, which is nobody's opinion", "note"),)
        )
    if found.resamples:
        share = f"{LEVEL:.0%}".replace("%", " %")
        told.append(
            (Part(f"{share} intervals from {found.resamples:,} resamples of episodes, seed {found.seed}", "note"),)
        )
    return told


Row = tuple[Dimension, str, int, Mapping[str, Estimate]]
"""Dimension, who (or empty), pairs of scores, figures."""


def _tables(rows: Sequence[Row], measures: Sequence[str], room: int | None) -> list[Line]:
    """The figures as tables one below another, each of them at most `room` cells wide."""
    names = _names(rows)
    width = max([_LEAST_NAME, *map(_cells, names)])
    counts = [f"{row[2]:,}" for row in rows]
    wide = max(len("pairs"), *map(len, counts))
    told: list[Line] = []
    if room is not None and width + 1 + wide + sum(_wide(name) + 1 for name in measures) > room:
        width = min(width, max(_LEAST_NAME, room // 3))
    for some in _chunks(measures, None if room is None else room - width - 1 - wide):
        if told:
            told.append(())
        heads = (Part(f" {HEADINGS[name]:>{_wide(name)}}", "heading") for name in some)
        told.append((Part(" " * width + f" {'pairs':>{wide}}", "heading"), *heads))
        for name, count, row in zip(names, counts, rows, strict=True):
            start = (Part(_padded(_cut(name, width), width), "name"), Part(f" {count:>{wide}}", "value"))
            told.append((*start, *_cells_of(row[3], some, _value)))
            if any(row[3][measure].low is not None for measure in some):
                told.append((Part(" " * (width + 1 + wide)), *_cells_of(row[3], some, _interval)))
    return told + _missing(rows, measures)


def _wide(name: str) -> int:
    return _WIDTHS.get(name, _WIDTH)


def _chunks(measures: Sequence[str], room: int | None) -> list[Sequence[str]]:
    """The columns in groups that fit, of about the same size."""
    if room is None or sum(_wide(name) + 1 for name in measures) <= room:
        return [measures]
    each = max(1, room // (max(map(_wide, measures)) + 1))
    each = -(-len(measures) // -(-len(measures) // each))
    return [measures[at : at + each] for at in range(0, len(measures), each)]


def _names(rows: Sequence[Row]) -> list[str]:
    """The dimension and the rater of each row; a dimension only where it differs from the row above."""
    told = []
    before = None
    for dimension, who, _, _ in rows:
        label = one_line(dimension.label, 40)
        if who:
            person = "mean of all" if who == MEAN else one_line(who, 30)
            told.append(f"{label}: {person}" if dimension.name != before else f"  {person}")
        else:
            told.append(label)
        before = dimension.name
    return told


def _cells_of(
    figures: Mapping[str, Estimate], names: Sequence[str], cell: Callable[[str, Estimate], Part]
) -> list[Part]:
    parts = [cell(name, figures[name]) for name in names]
    return [Part(f" {part.text:>{_wide(name)}}", part.role) for name, part in zip(names, parts, strict=True)]


def _value(name: str, estimate: Estimate) -> Part:
    if estimate.value is None:
        return Part(_UNDEFINED, "undefined")
    return Part(figure(name, estimate.value), "value")


def _interval(name: str, estimate: Estimate) -> Part:
    if estimate.low is None or estimate.high is None:
        return Part("")
    text = f"{figure(name, estimate.low)}–{figure(name, estimate.high)}".replace("+", "")
    if len(text) > _wide(name):
        text = text.replace("1.00", "1")
    if len(text) > _wide(name):
        text = f"{estimate.low:.0f}–{estimate.high:.0f}"
    return Part(text, "interval")


def _missing(rows: Sequence[Row], measures: Sequence[str]) -> list[Line]:
    """The reasons why figures or intervals are undefined, each of them once for a dimension."""
    of_all: dict[str, list[str]] = {}
    reasons: dict[tuple[str, str, bool, tuple[str, ...]], list[str]] = {}
    for dimension, who, _, figures in rows:
        label = one_line(dimension.label, 40)
        person = "mean of all" if who == MEAN else one_line(who, 30)
        of_all.setdefault(label, []).append(person)
        found: dict[tuple[str, bool], list[str]] = {}
        for name in measures:
            if figures[name].reason:
                found.setdefault((figures[name].reason, figures[name].value is None), []).append(HEADINGS[name])
        for (reason, undefined), names in found.items():
            reasons.setdefault((label, reason, undefined, tuple(names)), []).append(person)
    told: list[Line] = []
    for (label, reason, undefined, named), people in reasons.items():
        whom = "" if people == of_all[label] else f" ({', '.join(people)})"
        what = "all" if len(named) == len(measures) else ", ".join(named)
        told.append((Part(f"{label}{whom}: {what}: {'undefined, ' if undefined else ''}{reason}", "note"),))
    return [(), *told] if told else []


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _cells(text))


def _cut(text: str, width: int) -> str:
    from rich.cells import set_cell_size

    return text if _cells(text) <= width else set_cell_size(text, width - 1) + "…"
