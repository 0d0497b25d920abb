"""Annotations as one file for others to read: JSON Lines or CSV, and back. Pure: texts in, texts out.

A line of JSON Lines is a record as it is on disk, with Sotopia's five keys. CSV has a row per agent and annotation:
`pk`, `episode`, `annotator_id`, `agent` (from 0), `overall`, a column per dimension, `reasoning`. An empty cell is a
dimension that was not rated; the reasoning stands in every row of its annotation.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from trajview.errors import Problem, Where

from .draft import RESERVED, loadable
from .rubric import mean_of, written

if TYPE_CHECKING:
    from trajview.models.run import Reward
    from trajview.models.sotopia import AnnotationForEpisode

__all__ = ["FORMATS", "Format", "format_of", "read_annotations", "to_csv", "to_jsonl"]

Format = Literal["jsonl", "csv"]
FORMATS: Final = ("jsonl", "csv")

_BEFORE: Final = ("pk", "episode", "annotator_id", "agent", "overall")
_AFTER: Final = ("reasoning",)
_NEEDED: Final = ("episode", "annotator_id", "agent")
_MARK = "dimension:"
"""The prefix of a dimension whose name is that of another column."""

_LONGEST_CELL = 16 << 20


def format_of(path: Path) -> Format:
    """The format of a file, by its name: JSON Lines where that does not say."""
    return "csv" if path.suffix.lower() == ".csv" else "jsonl"


def to_jsonl(annotations: Iterable[AnnotationForEpisode]) -> str:
    """Write annotations as JSON Lines, in ASCII."""
    return "".join(json.dumps(annotation.model_dump(mode="json")) + "\n" for annotation in annotations)


def to_csv(annotations: Sequence[AnnotationForEpisode]) -> str:
    """Write annotations as CSV with a heading; dimensions stand in the order in which they first occur."""
    names: dict[str, None] = {}
    for annotation in annotations:
        for reward in annotation.rewards:
            names |= dict.fromkeys(reward[1] if isinstance(reward, tuple) else ())
    lines = [[*_BEFORE, *map(_column, names), *_AFTER]]
    for annotation in annotations:
        for agent, reward in enumerate(annotation.rewards):
            overall, scores = reward if isinstance(reward, tuple) else (reward, {})
            row = [annotation.pk or "", annotation.episode, annotation.annotator_id, str(agent), written(overall)]
            row += [written(scores[name]) if name in scores else "" for name in names]
            lines.append([*row, annotation.reasoning])
    return "".join(",".join(map(_cell, line)) + "\n" for line in lines)


def _cell(text: str) -> str:
    """Quote a cell of CSV (RFC 4180). Python's own writer leaves a lone carriage return without quotes."""
    return '"' + text.replace('"', '""') + '"' if re.search(r'[",\r\n]', text) else text


def _column(name: str) -> str:
    return _MARK + name if name in (*_BEFORE, *_AFTER, "") or name.startswith((_MARK, "Unnamed:")) else name


def read_annotations(data: bytes, path: Path, format: Format) -> Iterator[tuple[AnnotationForEpisode, int] | Problem]:
    """Read the annotations of a file: each with its line (from 1), and a problem for each that cannot be read."""
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        yield Problem("The file is not UTF-8.", "save it as UTF-8", Where(path, line))
        return
    for record, line in _from_csv(text, path) if format == "csv" else _from_jsonl(text, path):
        if isinstance(record, Problem):
            yield record
            continue
        try:
            yield _checked(record), line
        except ValueError as error:
            yield Problem(f"This is no annotation: {error}.", "it was left out", Where(path, line))


def _checked(record: dict[str, Any]) -> AnnotationForEpisode:
    """The record of an object. Raises ValueError with a sentence."""
    from pydantic import ValidationError

    from trajview.models.sotopia import AnnotationForEpisode, sentences_of

    try:
        # A record without a pk is known by its content (see `incoming.file_stem`).
        annotation = AnnotationForEpisode.model_validate({"pk": "", **record})
    except ValidationError as error:
        raise ValueError("; ".join(sentences_of(error, 3))) from error
    for key in ("episode", "annotator_id"):
        if not getattr(annotation, key).strip():
            raise ValueError(f"{key} is empty")
    for number, reward in enumerate(annotation.rewards, 1):
        overall, scores = reward if isinstance(reward, tuple) else (reward, {})
        if not all(map(math.isfinite, (overall, *scores.values()))):
            raise ValueError(f"the reward of agent {number} is not a finite number")
    texts = (annotation.pk or "", annotation.episode, annotation.annotator_id, annotation.reasoning)
    names = [name for reward in annotation.rewards if isinstance(reward, tuple) for name in reward[1]]
    if any(text != loadable(text) for text in (*texts, *names)):
        raise ValueError("it has lone surrogates, which are no text")
    return annotation


_Found = tuple[dict[str, Any] | Problem, int]


def _from_jsonl(text: str, path: Path) -> Iterator[_Found]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if isinstance(record, dict):
            yield record, number
        else:
            yield Problem("This line is no JSON object.", "it was left out", Where(path, number)), number


def _from_csv(text: str, path: Path) -> Iterator[_Found]:
    csv.field_size_limit(_LONGEST_CELL)
    heading = text.partition("\n")[0]
    between = max(",;\t", key=heading.count)  # spreadsheets write semicolons where the comma is a decimal point
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=between, strict=True)
    rows: dict[tuple[str, str, str], list[tuple[int, dict[str, str]]]] = {}
    columns: list[str] = []
    line = 1
    try:
        for cells in reader:
            if not columns:
                columns = cells
                missing = [name for name in _NEEDED if name not in columns]
                twice = sorted({name for name in columns if name and columns.count(name) > 1})
                if missing or twice:
                    what = f"There is no column {', '.join(missing)}." if missing else f"Two columns are {twice[0]}."
                    yield Problem(what, "the first row names the columns", Where(path, 1)), 1
                    return
            elif cells:
                if len(cells) != len(columns):
                    said = f"This row has {len(cells)} cells, the heading {len(columns)}."
                    yield Problem(said, "it was left out", Where(path, line)), line
                else:
                    row = dict(zip(columns, cells, strict=True))
                    rows.setdefault((row.get("pk", ""), row["episode"], row["annotator_id"]), []).append((line, row))
            line = reader.line_num + 1
    except csv.Error as error:
        yield Problem(f"The rows from here on cannot be read: {error}.", "they were left out", Where(path, line)), line
    for found in rows.values():
        yield _annotation(found, path), found[0][0]


def _annotation(rows: list[tuple[int, dict[str, str]]], path: Path) -> dict[str, Any] | Problem:
    """One annotation from the rows of its agents."""
    by_agent: dict[int, Reward] = {}
    reasonings: dict[str, None] = {}
    line = rows[0][0]
    try:
        for at, row in rows:
            line = at
            agent = _number(row["agent"], "agent")
            if agent is None or agent < 0 or agent != int(agent):
                raise ValueError(f"agent must be a whole number from 0, not {row['agent']!r:.40}")
            if int(agent) in by_agent:
                raise ValueError(f"agent {int(agent)} has two rows")
            by_agent[int(agent)] = _reward(row)
            if row.get("reasoning"):
                reasonings[row["reasoning"]] = None
        if len(reasonings) > 1:
            raise ValueError("its rows have different reasonings")
        if set(by_agent) != set(range(len(by_agent))):
            raise ValueError("an agent before this one has no row")
    except ValueError as error:
        return Problem(f"This is no annotation: {error}.", "all its rows were left out", Where(path, line))
    _, first = rows[0]
    return {
        "pk": first.get("pk", ""),
        "episode": first["episode"],
        "annotator_id": first["annotator_id"],
        "rewards": [by_agent[agent] for agent in range(len(by_agent))],
        "reasoning": next(iter(reasonings), ""),
    }


def _reward(row: dict[str, str]) -> Reward:
    scores: dict[str, float] = {}
    for column, cell in row.items():
        # pandas writes its index under an empty name, which it reads as `Unnamed: 0`.
        if column in (*_BEFORE, *_AFTER, "") or re.match(r"Unnamed: \d", column):
            continue
        score = _number(cell, column)
        if score is not None:
            scores[column.removeprefix(_MARK)] = score
    overall = _number(row.get("overall", ""), "overall")
    if not scores:
        return overall or 0.0
    mean = mean_of(score for name, score in scores.items() if name != RESERVED)
    return (overall if overall is not None else mean or 0.0), scores


def _number(cell: str, column: str) -> float | None:
    if not cell.strip():
        return None
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{column} must be a number, not {cell!r:.40}")
    return number
