"""Reading of a rubric file's text, which collects all of its faults instead of stopping at the first."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal

from trajview.errors import Problem, Where

from .draft import RESERVED
from .rubric import Band, Dimension, Rubric, written
from .toml_places import Places, places_in

__all__ = ["KEYS", "Reading", "bad_name"]

_TOP: Final = ("name", "title", "description", "dimension")
KEYS: Final = (
    "name", "description", "range", "low", "high", "integer", "step", "hotkey", "bands", "rationale", "per", "scope",
)  # fmt: skip
"""What a dimension may say."""
_ALSO: Final = {
    "guidance": "bands",
    "min": "low",
    "max": "high",
    "range_low": "low",
    "range_high": "high",
    "key": "hotkey",
}
"""Other names that people use for these keys."""

_LONGEST: Final = 100
_LIMIT: Final = 1e9
_BAND = re.compile(r"\s*([+-]?[0-9]+(?:\.[0-9]+)?)\s*(?:\.\.\.?\s*([+-]?[0-9]+(?:\.[0-9]+)?)\s*)?")
_HEADING = re.compile(r"(?:Agent \d+|Environment) comments")


def bad_name(name: str) -> str:
    """Why a name cannot be a dimension's, as the end of a sentence; "" where it can.

    It must fit the shape of an evaluator's reasoning, where a line is split at its first colon.
    """
    if not name.strip():
        return "is empty"
    if name == RESERVED:
        return "is reserved: Sotopia keeps the mean of the dimensions under it"
    if ":" in name:
        return "has a colon, where the lines of a reasoning are split"
    if not name.isprintable():
        return "has a line break or another character that does not print"
    if name != name.strip():
        return "begins or ends with a space"
    if _HEADING.fullmatch(name):
        return "reads as a heading of a reasoning"
    return f"is longer than {_LONGEST} characters" if len(name) > _LONGEST else ""


class Reading:
    """One reading of a rubric's text. Call `rubric` once."""

    def __init__(self, text: str, path: Path) -> None:
        self._text = text
        self._path = path
        self._places: Places = {}
        self._problems: list[Problem] = []

    def rubric(self) -> tuple[Rubric | None, list[Problem]]:
        """The rubric, None where something prevents its use, and the problems by line."""
        import tomllib

        try:
            data = tomllib.loads(self._text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            place = re.search(r"line (\d+), column (\d+)", str(error))
            said = re.sub(r" \(at [^()]*\)$", "", str(error)) or "nested too deep"
            where = Where(self._path, int(place[1]), column=int(place[2])) if place else Where(self._path)
            return None, [Problem(f"This is not TOML: {said}.", "see toml.io", where)]
        self._places = places_in(self._text)
        name = self._text_at(data, "", 0, "name", "the rubric", required=True)
        if name.strip() and (not name.isprintable() or name != name.strip() or len(name) > _LONGEST):
            self._wrong(
                "The rubric's name must be one line of at most 100 characters, without spaces around it.", "", 0, "name"
            )
        self._unknown(data, _TOP, "", 0)
        dimensions = self._dimensions(data.get("dimension"))
        title = self._text_at(data, "", 0, "title", "the rubric")
        description = self._text_at(data, "", 0, "description", "the rubric")
        self._problems.sort(key=lambda problem: (problem.where.line or 0, problem.where.column or 0))
        if any(not problem.opens for problem in self._problems):
            return None, self._problems
        return Rubric(name, tuple(dimensions), title, description), self._problems

    # Reporting faults

    def _wrong(
        self, reason: str, table: str, number: int, key: str = "", hint: str = "", *, usable: bool = False
    ) -> None:
        place = (
            self._places.get((table, number, key))
            or self._places.get((table, number, ""))
            or self._places.get(("dimension", number, ""))
        )
        line, column = place or (None, None)
        self._problems.append(Problem(reason, hint, Where(self._path, line, column=column), opens=usable))

    def _unknown(self, table: dict[str, Any], known: Iterable[str], name: str, number: int) -> None:
        known = list(known)
        for key in table:
            if key in known:
                continue
            close = [_ALSO[key]] if _ALSO.get(key) in known else get_close_matches(key, known, 1)
            hint = f"did you mean `{close[0]}`?" if close else f"there are {', '.join(known)}"
            self._wrong(f"There is no key `{key:.60}`.", name, number, key, hint)

    def _text_at(
        self, table: dict[str, Any], name: str, number: int, key: str, what: str, *, required: bool = False
    ) -> str:
        value = table.get(key, "")
        if not isinstance(value, str):
            self._wrong(f"`{key}` must be a text, not {value!r:.40}.", name, number, key, "put it into quotes")
            return ""
        if required and not value.strip():
            place_key = key if key in table else ""
            self._wrong(f"{what[0].upper()}{what[1:]} has no name.", name, number, place_key, 'add `name = "…"`')
        return value

    def _flag(self, table: dict[str, Any], number: int, key: str) -> bool:
        value = table.get(key, False)
        if not isinstance(value, bool):
            self._wrong(
                f"`{key}` must be true or false, not {value!r:.40}.", "dimension", number, key, "without quotes"
            )
            return False
        return value

    def _number(self, value: object, number: int, key: str) -> float | None:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            self._wrong(f"`{key}` must be a number, not {value!r:.40}.", "dimension", number, key)
            return None
        if abs(value) > _LIMIT:
            self._wrong(f"`{key}` is too large.", "dimension", number, key, "at most 1,000,000,000 either side of 0")
            return None
        return float(value)

    # The dimensions

    def _dimensions(self, tables: object) -> list[Dimension]:
        if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
            key = "" if isinstance(tables, dict) else "dimension"
            what = "The rubric has no dimension." if not tables else "`dimension` must be a list of tables."
            table = "dimension" if isinstance(tables, dict) else ""
            self._wrong(what, table, 0, key, "write [[dimension]], with two brackets, above each")
            return []
        found: list[Dimension] = []
        names: dict[str, int] = {}
        hotkeys: dict[str, str] = {}
        for number, table in enumerate(tables):
            dimension = self._dimension(table, number)
            found.append(dimension)
            if dimension.name in names:
                first = names[dimension.name] + 1
                self._wrong(
                    f"There are two dimensions `{dimension.name}`: this and number {first}.",
                    "dimension",
                    number,
                    "name",
                )
            elif dimension.name:
                names[dimension.name] = number
            if dimension.hotkey and dimension.hotkey in hotkeys:
                self._wrong(
                    f"The hotkey `{dimension.hotkey}` is `{hotkeys[dimension.hotkey]}`'s already.", "dimension", number,
                    "hotkey", "give each dimension a letter of its own",
                )  # fmt: skip
            elif dimension.hotkey:
                hotkeys[dimension.hotkey] = dimension.name
        return found

    def _dimension(self, table: dict[str, Any], number: int) -> Dimension:
        self._unknown(table, KEYS, "dimension", number)
        name = self._text_at(table, "dimension", number, "name", f"dimension {number + 1}", required=True)
        if name.strip() and (why := bad_name(name)):
            hint = "letters, digits and underscores are safe, as in `social_rules`"
            self._wrong(f"The name {name!r:.60} {why}.", "dimension", number, "name", hint)
        ends = self._range(table, number)
        low, high = ends or (0.0, 1.0)
        integer = self._flag(table, number, "integer")
        if ends and integer and not (low.is_integer() and high.is_integer()):
            self._wrong(
                "The range of whole numbers begins and ends with one.", "dimension", number, self._range_key(table)
            )
        dimension = Dimension(
            name, low, high, integer,
            self._text_at(table, "dimension", number, "description", name),
            self._step(table, number, low, high, integer) if ends else None,
            self._hotkey(table, number),
            rationale=self._flag(table, number, "rationale"),
            per=self._one_of(table, number, "per", ("agent", "episode")),  # type: ignore[arg-type]
            scope=self._one_of(table, number, "scope", ("episode", "unit")),  # type: ignore[arg-type]
        )  # fmt: skip
        if "bands" not in table or not ends:
            return dimension
        bands = self._bands(table["bands"], number, dimension)
        return Dimension(
            name, low, high, integer, dimension.description, dimension.step, dimension.hotkey, tuple(bands),
            dimension.rationale, dimension.per, dimension.scope,
        )  # fmt: skip

    @staticmethod
    def _range_key(table: dict[str, Any]) -> Literal["range", "low", "high", ""]:
        return "range" if "range" in table else "low" if "low" in table else "high" if "high" in table else ""

    def _range(self, table: dict[str, Any], number: int) -> tuple[float, float] | None:
        """The range, None where it is wrong, which is reported."""
        key = self._range_key(table)
        name = table.get("name")
        whose = f"`{name}`" if isinstance(name, str) and name else f"dimension {number + 1}"
        if "range" in table:
            if "low" in table or "high" in table:
                self._wrong("There is `range`, and `low` or `high` as well.", "dimension", number, "range", "keep one")
            ends = table["range"]
            if not isinstance(ends, list) or len(ends) != 2:
                hint = "such as `range = [0, 10]`"
                self._wrong(f"`range` must be two numbers, not {ends!r:.40}.", "dimension", number, "range", hint)
                return None
        elif "low" in table and "high" in table:
            ends = [table["low"], table["high"]]
        else:
            missing = "high" if "low" in table else "low" if "high" in table else "range"
            hint = "such as `range = [0, 10]`" if missing == "range" else ""
            self._wrong(f"There is no `{missing}` for {whose:.60}.", "dimension", number, key, hint)
            return None
        keys = ("range", "range") if key == "range" else ("low", "high")
        low, high = self._number(ends[0], number, keys[0]), self._number(ends[1], number, keys[1])
        if low is None or high is None:
            return None
        if low >= high:
            reason = f"The range {written(low)}..{written(high)} must begin below its end."
            self._wrong(
                reason,
                "dimension",
                number,
                key,
                f"such as `range = [{written(high)}, {written(low)}]`" if low > high else "",
            )
            return None
        return low, high

    def _step(self, table: dict[str, Any], number: int, low: float, high: float, integer: bool) -> float | None:
        if "step" not in table:
            return None
        step = self._number(table["step"], number, "step")
        if step is None:
            return None
        if not 0 < step <= high - low:
            reason = f"A step of {written(step)} does not fit the range {written(low)}..{written(high)}."
            self._wrong(reason, "dimension", number, "step", "more than 0, and no more than the whole range")
            return None
        if integer and not step.is_integer():
            self._wrong("The step between whole numbers is one.", "dimension", number, "step", "such as `step = 1`")
            return None
        return step

    def _hotkey(self, table: dict[str, Any], number: int) -> str:
        hotkey = table.get("hotkey", "")
        if isinstance(hotkey, str) and (hotkey == "" or re.fullmatch("[a-z]", hotkey)):
            return hotkey
        hint = f'`hotkey = "{hotkey.lower()}"`' if isinstance(hotkey, str) and re.fullmatch("[A-Z]", hotkey) else ""
        self._wrong(
            f"`hotkey` must be one letter from a to z, not {hotkey!r:.40}.", "dimension", number, "hotkey", hint
        )
        return ""

    def _one_of(self, table: dict[str, Any], number: int, key: str, known: tuple[str, str]) -> str:
        value = table.get(key, known[0])
        if value in known:
            return str(value)
        close = get_close_matches(value, known, 1) if isinstance(value, str) else []
        hint = f'did you mean "{close[0]}"?' if close else f'"{known[0]}" is the default'
        reason = f'`{key}` must be "{known[0]}" or "{known[1]}", not {value!r:.40}.'
        self._wrong(reason, "dimension", number, key, hint)
        return known[0]

    # The bands

    def _bands(self, table: object, number: int, dimension: Dimension) -> list[Band]:
        if not isinstance(table, dict):
            hint = 'write [dimension.bands] below it, then lines such as `"0..3" = "what these scores mean"`'
            self._wrong("`bands` must be a table.", "dimension", number, "bands", hint)
            return []
        found: list[tuple[Band, str]] = []
        for key, text in table.items():
            typed = _BAND.fullmatch(key)
            if typed is None:
                hint = 'such as "0..3", or "0" for one score'
                self._wrong(f"{key!r:.40} is no band of scores.", "dimension.bands", number, key, hint)
                continue
            low, high = float(typed[1]), float(typed[2] or typed[1])
            if not isinstance(text, str) or not text.strip():
                self._wrong(f"The band {key} says nothing.", "dimension.bands", number, key, "put its text into quotes")
            elif low > high:
                self._wrong(f"The band {key} must begin with its lower end.", "dimension.bands", number, key)
            elif low < dimension.low or high > dimension.high:
                reason = f"The band {key} is outside of the range {dimension.range_text}."
                self._wrong(reason, "dimension.bands", number, key)
            elif dimension.integer and not (low.is_integer() and high.is_integer()):
                self._wrong(f"The band {key} must be of whole numbers.", "dimension.bands", number, key)
            else:
                found.append((Band(low + 0.0, high + 0.0, text), key))
        found.sort(key=lambda item: (item[0].low, item[0].high))
        self._neighbours(found, number, dimension)
        return [band for band, _ in found]

    def _neighbours(self, found: list[tuple[Band, str]], number: int, dimension: Dimension) -> None:
        """Bands that share a score, and scores without a band. Decimal bands may touch: 0..0.5 and 0.5..1."""
        least = 1.0 if dimension.integer else dimension.step or (dimension.high - dimension.low) / 20
        for (band, key), (after, after_key) in pairwise(found):
            if after.low < band.high or (after.low == band.high and (dimension.integer or after.low == after.high)):
                self._wrong(f"The bands {key} and {after_key} overlap.", "dimension.bands", number, after_key)
            elif after.low - band.high > least * (1 + 1e-9):
                self._gap(f"between {key} and {after_key}", number, after_key)
        if found:
            if found[0][0].low > dimension.low:
                self._gap(f"below {found[0][1]}", number, found[0][1])
            if found[-1][0].high < dimension.high:
                self._gap(f"above {found[-1][1]}", number, found[-1][1])

    def _gap(self, where: str, number: int, key: str) -> None:
        hint = "the rubric works without, but annotators see no guidance there"
        self._wrong(f"There is no band {where}.", "dimension.bands", number, key, hint, usable=True)
