"""What is typed into the table of scores and where its cursor is, without a screen: keys go in, texts come out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from trajview.annotation.rubric import BadScore, Dimension, Rubric, parse_score, written
from trajview.app.keys import key_of

__all__ = ["LONGEST", "Place", "ScoreGrid", "can_become", "hotkeys_of", "start_of", "stepped"]

LONGEST = 12
"""Characters of a typed number; more are refused."""


@dataclass(frozen=True, slots=True)
class Place:
    """A cell: the index of its dimension in the grid's rows, and its agent from 0 (0 for what all agents share)."""

    row: int
    agent: int


def hotkeys_of(dimensions: Sequence[Dimension]) -> dict[str, int]:
    """The letter for each dimension: the rubric's, else the first letter of its name that is still free."""
    letters = {dimension.hotkey: row for row, dimension in enumerate(dimensions) if dimension.hotkey}
    for row, dimension in enumerate(dimensions):
        free = (c for c in dimension.name.lower() if "a" <= c <= "z" and c not in letters)
        letter = "" if dimension.hotkey else next(free, "")
        if letter:
            letters[letter] = row
    return letters


class ScoreGrid:
    """The scores and rationales of some agents, as typed, and a cursor that every key acts on.

    Up to two agents are columns side by side; more are `stacked`, one under the other, after what all of them share. A
    dimension that is rated per episode has one cell, whose text stands at every agent. Dimensions for single action
    units are not in it. What a key has to say is in `notice` until the next one.
    """

    def __init__(self, rubric: Rubric, names: Sequence[str]) -> None:
        self.rubric = rubric
        self.names = tuple(names)
        self.dimensions = tuple(dimension for dimension in rubric.dimensions if dimension.scope == "episode")
        self.letters = hotkeys_of(self.dimensions)
        self.stacked = len(self.names) > 2
        """Whether agents stand one under the other."""
        self.values: list[dict[str, str]] = [{} for _ in names]
        """What is typed, by agent and dimension; also of agents that have no cells."""
        self.rationales: list[dict[str, str]] = [{} for _ in names]
        """Why each score is what it is, in the same way."""
        self.row = self.agent = 0
        self.fresh = True
        """Whether the next digit replaces what is in the cell, as nothing was typed into it since the cursor came."""
        self.notice = ""
        self._copied = False
        self.blocks = self._blocks()
        """What stands one under the other: agents side by side, and the rows of their cells. No agents: what all share."""
        self._lines = [self.cells(row, agents) for agents, rows in self.blocks for row in rows] if names else []
        self.order = tuple(sorted((place for line in self._lines for place in line), key=self._turn))
        """All cells, in the order of `next`."""

    def load(self, values: Sequence[Mapping[str, str]], rationales: Sequence[Mapping[str, str]] = ()) -> None:
        """Show these texts, by agent and dimension; the cursor goes to the top. Agents without cells keep theirs."""
        agents = max(len(self.names), len(values), len(rationales))
        self.values = [dict(values[agent]) if agent < len(values) else {} for agent in range(agents)]
        self.rationales = [dict(rationales[agent]) if agent < len(rationales) else {} for agent in range(agents)]
        self.row = self.agent = 0
        self.arrive()
        if self.order:
            self.go(self.order[0])

    # Where things are

    def _is_shared(self, row: int) -> bool:
        return self.dimensions[row].per == "episode"

    def _blocks(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        rows, agents = range(len(self.dimensions)), range(len(self.names))
        if not self.stacked:
            return [(tuple(agents), tuple(rows))]
        shared = tuple(row for row in rows if self._is_shared(row))
        own = tuple(row for row in rows if not self._is_shared(row))
        return [((), shared), *(((agent,), own) for agent in agents)]

    def cells(self, row: int, agents: Sequence[int]) -> tuple[Place, ...]:
        """The cells of a row in a block: one for each of its agents, or the one that all agents share."""
        return (Place(row, 0),) if self._is_shared(row) else tuple(Place(row, agent) for agent in agents)

    def _turn(self, place: Place) -> tuple[bool, int, int]:
        """Sorts cells as Enter goes through them: down an agent's column, then the next agent's."""
        return self.stacked and not self._is_shared(place.row), place.agent, place.row

    @property
    def place(self) -> Place | None:
        """The cell under the cursor; None where there is no dimension to rate."""
        return self._place(self.row, self.agent) if self.order else None

    def _place(self, row: int, agent: int) -> Place:
        return Place(row, 0 if self._is_shared(row) else agent)

    @property
    def dimension(self) -> Dimension | None:
        """The dimension under the cursor."""
        return self.dimensions[self.row] if self.dimensions else None

    def text(self, place: Place) -> str:
        """The text that is typed in a cell."""
        return self.values[place.agent].get(self.dimensions[place.row].name, "")

    def rationale(self, place: Place) -> str:
        """The reason that is typed for the score of a cell."""
        return self.rationales[place.agent].get(self.dimensions[place.row].name, "")

    def bad(self, place: Place) -> BadScore | None:
        """The fault in a cell that holds no score; None for one that does, or is empty."""
        score = parse_score(self.text(place), self.dimensions[place.row])
        return score if isinstance(score, BadScore) else None

    def red(self, place: Place) -> BadScore | None:
        """The fault to show in a cell: none in a number that may still become a score while it is being typed."""
        typing = place == self.place and not self.fresh
        return None if typing and can_become(self.text(place), self.dimensions[place.row]) else self.bad(place)

    def asks_for_reason(self, place: Place) -> bool:
        """Whether the rubric asks for a reason in a cell, and not for one everywhere: then none stands out."""
        return self.dimensions[place.row].rationale and not all(dimension.rationale for dimension in self.dimensions)

    def empty_places(self) -> list[Place]:
        """The cells that are empty."""
        return [place for place in self.order if not self.text(place).strip()]

    # Moving

    def arrive(self) -> None:
        """Let the next digit replace what is in the cell: the cursor comes to it anew."""
        self.fresh = True
        self.notice = ""
        self._copied = False

    def go(self, place: Place) -> None:
        """Put the cursor into a cell."""
        self.row = place.row
        if self.stacked or not self._is_shared(place.row):
            self.agent = place.agent
        self.arrive()

    def move(self, step: int) -> bool:
        """Move the cursor down (1) or up (-1) the column; False below its end, while at the top it stays."""
        self.arrive()
        line = step + next((number for number, cells in enumerate(self._lines) if self.place in cells), 0)
        if 0 <= line < len(self._lines):
            cells = self._lines[line]
            self.go(cells[min(self.agent, len(cells) - 1)])
        return line < len(self._lines)

    def next(self) -> bool:
        """Move the cursor to the next cell in reading order; False after the last one."""
        self.arrive()
        here = self._turn(Place(self.row, self.agent)) if self.order else None
        following = next((place for place in self.order if here is not None and self._turn(place) > here), None)
        if following is not None:
            self.go(following)
        return following is not None

    def column(self, step: int) -> bool:
        """Move the cursor to the next (1) or previous (-1) agent's cell of the dimension; False over the ends."""
        self.arrive()
        if not self.order:
            return False
        if self._is_shared(self.row):
            own = [place for place in self.order if not self._is_shared(place.row)]
            if not (own and self.stacked and step > 0):
                return False
            self.go(own[0])
            return True
        if not 0 <= self.agent + step < len(self.names):
            return False
        self.agent += step
        return True

    def to_column(self, agent: int) -> None:
        """Move the cursor into an agent's column, in its row."""
        self.arrive()
        if self.dimensions and not (self.stacked and self._is_shared(self.row)):
            self.agent = min(max(agent, 0), len(self.names) - 1)

    def hotkey(self, letter: str) -> bool:
        """Go to the dimension of a letter, in the same column; False where there is none."""
        row = self.letters.get(letter)
        if row is None:
            self.notice = f"no dimension has the key {letter}; {key_of('annotation.close')} leaves"
            return False
        self.go(self._place(row, self.agent))
        return True

    def to_first(self, places: Sequence[Place] | None = None) -> bool:
        """Go to the first of these cells, or of the empty ones, or of all; False where there is none."""
        wanted = places if places is not None else self.empty_places() or self.order
        if wanted:
            self.go(wanted[0])
        return bool(wanted)

    # Typing

    def put(self, place: Place, text: str) -> None:
        """Put a text into a cell. What all agents share stands at every one."""
        self._put(self.values, place, text)

    def explain(self, place: Place, text: str) -> None:
        """Put down why a cell has its score; one line."""
        self._put(self.rationales, place, text)

    def _put(self, texts: list[dict[str, str]], place: Place, text: str) -> None:
        for typed in texts if self._is_shared(place.row) else (texts[place.agent],):
            typed[self.dimensions[place.row].name] = text

    def key(self, key: str, character: str | None) -> bool:
        """Erase, clear or type, as a key does in a cell; False for a key that does nothing there."""
        if key == "backspace":
            self.erase()
        elif key == "delete":
            self.clear()
        elif character is not None and character in "0123456789-.,":
            self.type("." if character == "," else character)  # There is only one point on a number pad.
        else:
            return False
        return True

    def type(self, char: str) -> None:
        """Type a digit, `-` or `.`. The first one after the cursor came replaces what is there; a later `-` turns the sign."""
        place, dimension = self.place, self.dimension
        self.notice, self._copied = "", False
        if place is None or dimension is None:
            return
        text = "" if self.fresh else self.text(place)
        if char == "-":
            text = text[1:] if text.startswith("-") else "-" + text
        elif char == ".":
            if dimension.integer:
                self.notice = f"whole numbers only, {dimension.range_text}"
                return
            if "." in text:
                return
            text += "."
        elif char.isascii() and char.isdigit():
            text = (text[:-1] if text in ("0", "-0") else text) + char
        else:
            return
        if len(text) > LONGEST:
            self.notice = "no score is as long as that"
            return
        self.fresh = False
        self.put(place, text)

    def paste(self, text: str) -> None:
        """Put a number that was copied elsewhere into the cell; anything else is refused."""
        typed = text.strip().replace("−", "-")
        number = typed.removeprefix("-")
        if self.place is None:
            return
        self.notice, self._copied = "", False
        if typed and len(typed) <= LONGEST and number.isascii() and number.replace(".", "", 1).isdigit():
            self.fresh = True
            self.put(self.place, typed)
        else:
            self.notice = "what was pasted is no number"

    def erase(self) -> None:
        """Take back the last character."""
        if self.place is not None:
            self.notice, self._copied = "", False
            self.fresh = False
            self.put(self.place, self.text(self.place)[:-1])

    def clear(self) -> None:
        """Empty the cell."""
        if self.place is not None:
            self.arrive()
            self.put(self.place, "")

    def step(self, direction: int) -> None:
        """Change the score by a step, up (1) or down (-1)."""
        place, dimension = self.place, self.dimension
        if place is None or dimension is None:
            return
        self.arrive()
        before = self.text(place)
        text = stepped(before, dimension, direction)
        if text == before:
            self.notice = f"{text} is the {'highest' if direction > 0 else 'lowest'}"
        self.put(place, text)

    def copy_previous(self) -> None:
        """Take over the previous agent's scores: into the empty cells; pressed again at once, over the others too."""
        again, self._copied = self._copied, False
        self.fresh = True
        if self.agent == 0 or not self.dimensions:
            self.notice = "nothing to copy: there is no agent before this one"
            return
        whose = self.names[self.agent - 1]
        scores = dict(self._to_copy())
        differing = [place for place, text in scores.items() if self.text(place) != text]
        copied = differing if again else [place for place in differing if not self.text(place).strip()]
        for place in copied:
            self.put(place, scores[place])
        left = len(differing) - len(copied)
        self._copied = bool(left)
        done = f"{_scores(len(copied))} {'replaced by' if again else 'copied from'} those of {whose}"
        if not scores:
            self.notice = f"nothing to copy: {whose} has no score yet"
        elif not differing:
            self.notice = f"nothing to copy: the scores are those of {whose}"
        elif not left:
            self.notice = done
        elif copied:
            self.notice = f"{done}; {key_of('annotation.copy')} again replaces {left} more"
        else:
            self.notice = f"nothing is empty here; {key_of('annotation.copy')} again replaces {_scores(left)}"

    def _to_copy(self) -> Iterator[tuple[Place, str]]:
        """The cells of this column for which the previous agent has a score, and that score."""
        for row, dimension in enumerate(self.dimensions):
            text = self.values[self.agent - 1].get(dimension.name, "")
            if not self._is_shared(row) and isinstance(parse_score(text, dimension), float):
                yield Place(row, self.agent), text


def _scores(count: int) -> str:
    return "1 score" if count == 1 else f"{count} scores"


def can_become(text: str, dimension: Dimension) -> bool:
    """Whether a text is a score or more digits may make it one: `-`, or `1` where the range is 5..10, but not `11`."""
    typed = text.strip()
    unsigned = typed.removeprefix("-")
    whole, point, decimals = unsigned.partition(".")
    if point and dimension.integer:
        return False
    if not whole + decimals:
        return True
    if not (whole + decimals).isdigit() or not unsigned.isascii():
        return False
    low, high = (Decimal(repr(end)) for end in _ends(dimension))
    if typed.startswith("-"):
        low, high = -high, -low
    # What so many more digits can reach: 1 becomes 10 to 19, then 100 to 199; 0.2 becomes 0.2 to just under 0.3.
    least, width = Decimal(unsigned), Decimal(10) ** -len(decimals)
    scales = [Decimal(10) ** more for more in range(1 if point else LONGEST - len(typed) + 1)]
    return any(least * scale <= high and (least + width) * scale > low for scale in scales)


def _ends(dimension: Dimension) -> tuple[float, float]:
    """The lowest and the highest score."""
    if dimension.integer:
        return float(math.ceil(dimension.low)), float(math.floor(dimension.high))
    return dimension.low, dimension.high


def _step(dimension: Dimension) -> float:
    if dimension.step:
        return dimension.step
    if dimension.integer or not math.isfinite(dimension.high - dimension.low):
        return 1.0
    return float(f"{(dimension.high - dimension.low) / 20:.3g}") or 1.0


def start_of(dimension: Dimension) -> float:
    """The score at which steps begin in an empty cell: 0 where scores can be negative, else the middle of the range."""
    low, high = _ends(dimension)
    if low < 0 <= high:
        return 0.0
    step = Decimal(repr(_step(dimension)))
    steps = round((high - low) / 2 / float(step))
    return min(max(float(Decimal(repr(low)) + steps * step), low), high)


def _plus(value: float, step: float) -> float:
    """Add as people do: 0.1 + 0.2 is 0.3."""
    return float(Decimal(repr(value)) + Decimal(repr(step)))


def stepped(text: str, dimension: Dimension, direction: int) -> str:
    """The score one step up (1) or down (-1) within the range. What is no score goes to the nearest, or to `start_of`."""
    low, high = _ends(dimension)
    score = parse_score(text, dimension)
    if isinstance(score, float):
        step = _step(dimension)
        return written(min(max(_plus(score, direction * step), low), high))
    try:
        outside = float(text) if score is not None else math.nan
    except ValueError:
        outside = math.nan
    return written(start_of(dimension) if math.isnan(outside) else min(max(float(round(outside)), low), high))
