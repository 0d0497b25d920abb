"""What is typed into the table of scores and where its cursor is, without a screen: keys go in, texts come out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from trajview.annotation.rubric import BadScore, Dimension, Rubric, parse_score
from trajview.app.annotate.score_text import LONGEST, can_become, stepped
from trajview.app.keys import key_of

__all__ = ["Place", "ScoreGrid", "hotkeys_of"]


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
    units are not in it. What a method has to say to the person is in `said` until the next.
    """

    def __init__(self, rubric: Rubric, names: Sequence[str]) -> None:
        self.rubric = rubric
        self.names = tuple(names)
        self.dimensions = tuple(dimension for dimension in rubric.dimensions if dimension.scope == "episode")
        self.letters = hotkeys_of(self.dimensions)
        self.values: list[dict[str, str]] = [{} for _ in names]
        self.rationales: list[dict[str, str]] = [{} for _ in names]
        self.row = self.agent = 0
        self.fresh = True
        """The next digit replaces what is in the cell: nothing was typed into it since the cursor came."""
        self.said = ""
        self._copied = False
        self._order = self._reading_order()

    def load(self, values: Sequence[Mapping[str, str]], rationales: Sequence[Mapping[str, str]] = ()) -> None:
        """Show these texts, by agent and dimension; the cursor goes to the top."""
        for agent in range(len(self.names)):
            self.values[agent] = dict(values[agent]) if agent < len(values) else {}
            self.rationales[agent] = dict(rationales[agent]) if agent < len(rationales) else {}
        self.row = self.agent = 0
        self.arrive()
        if self._order:
            self.go(self._order[0])

    # Where things are

    @property
    def stacked(self) -> bool:
        """Agents stand one under the other."""
        return len(self.names) > 2

    def _reading_order(self) -> tuple[Place, ...]:
        """All cells as Enter goes through them: down an agent's column, then the next agent's."""
        shared = [row for row, dimension in enumerate(self.dimensions) if dimension.per == "episode"]
        order = [Place(row, 0) for row in shared] if self.stacked else []
        for agent in range(len(self.names)):
            order += [
                Place(row, agent)
                for row in range(len(self.dimensions))
                if row not in shared or (agent == 0 and not self.stacked)
            ]
        return tuple(order)

    @property
    def order(self) -> tuple[Place, ...]:
        """All cells, in the order of `next`."""
        return self._order

    @property
    def place(self) -> Place | None:
        """The cell under the cursor; None where there is no dimension to rate."""
        if not self.dimensions or not self.names:
            return None
        return self._place(self.row, self.agent)

    def _place(self, row: int, agent: int) -> Place:
        return Place(row, 0 if self.dimensions[row].per == "episode" else agent)

    @property
    def dimension(self) -> Dimension | None:
        """The dimension under the cursor."""
        return self.dimensions[self.row] if self.dimensions else None

    def text(self, place: Place) -> str:
        """What is typed in a cell."""
        return self.values[place.agent].get(self.dimensions[place.row].name, "")

    def rationale(self, place: Place) -> str:
        """Why, as typed for a cell."""
        return self.rationales[place.agent].get(self.dimensions[place.row].name, "")

    def bad(self, place: Place) -> BadScore | None:
        """Why a cell holds no score; None for one that does, or is empty."""
        score = parse_score(self.text(place), self.dimensions[place.row])
        return score if isinstance(score, BadScore) else None

    def red(self, place: Place, focused: bool) -> BadScore | None:
        """The same, but patient with a number that may still become a score while the cursor is in its cell."""
        bad = self.bad(place)
        patient = focused and place == self.place and can_become(self.text(place), self.dimensions[place.row])
        return None if patient else bad

    def asks_for_reason(self, place: Place) -> bool:
        """The rubric asks for a reason here, and not for one everywhere: then none stands out."""
        return self.dimensions[place.row].rationale and not all(dimension.rationale for dimension in self.dimensions)

    def places_without(self) -> list[Place]:
        """The cells that are empty."""
        return [place for place in self._order if not self.text(place).strip()]

    # Moving

    def arrive(self) -> None:
        """The cursor comes to its cell anew: the next digit replaces what is there."""
        self.fresh = True
        self.said = ""
        self._copied = False

    def go(self, place: Place) -> None:
        """Put the cursor into a cell."""
        self.row = place.row
        if self.dimensions[place.row].per != "episode" or self.stacked:
            self.agent = place.agent
        self.arrive()

    def move(self, step: int) -> bool:
        """Down (1) or up (-1) the column. False where it ends at the bottom: on to the reasoning. At the top it stays."""
        self.arrive()
        if not self._order:
            return step < 0
        if self.stacked:
            index = self._index() + step
            if 0 <= index < len(self._order):
                self.go(self._order[index])
            return index < len(self._order)
        row = self.row + step
        if 0 <= row < len(self.dimensions):
            self.row = row
        return row < len(self.dimensions)

    def next(self) -> bool:
        """On to the next cell in reading order; False after the last one."""
        self.arrive()
        index = self._index() + 1
        if index < len(self._order):
            self.go(self._order[index])
        return index < len(self._order)

    def _index(self) -> int:
        """Where the cursor is in the reading order; in a later column, a shared cell counts as the row above it."""
        if not self._order:
            return -1
        if self.stacked or self.agent == 0 or self.dimensions[self.row].per != "episode":
            return self._order.index(self._place(self.row, self.agent))
        before = [i for i, p in enumerate(self._order) if (p.agent, p.row) < (self.agent, self.row)]
        return before[-1] if before else -1

    def column(self, step: int) -> bool:
        """To the next (1) or previous (-1) agent's cell of the same dimension; False over the ends."""
        self.arrive()
        shared = bool(self.dimensions) and self.dimensions[self.row].per == "episode"
        if not self.dimensions or (shared and not self.stacked):
            return False
        agent = (0 if step > 0 else -1) if shared else self.agent + step
        if not 0 <= agent < len(self.names):
            return False
        if shared:
            rows = [place for place in self._order if self.dimensions[place.row].per != "episode"]
            if not rows:
                return False
            self.go(rows[0])
        else:
            self.agent = agent
        return True

    def to_column(self, agent: int) -> None:
        """Into an agent's column, in the row that the cursor is in."""
        self.arrive()
        if self.dimensions and not (self.stacked and self.dimensions[self.row].per == "episode"):
            self.agent = min(max(agent, 0), len(self.names) - 1)

    def hotkey(self, letter: str) -> bool:
        """Go to the dimension of a letter, in the same column; False where there is none."""
        row = self.letters.get(letter)
        if row is None:
            self.said = f"no dimension has the key {letter}; {key_of('annotation.close')} leaves"
            return False
        self.go(self._place(row, self.agent))
        return True

    def to_first(self, places: Iterable[Place] | None = None) -> bool:
        """Go to the first of these cells, or of the empty ones, or of all; False where there is none."""
        wanted = list(places) if places is not None else self.places_without() or list(self._order)
        if wanted:
            self.go(wanted[0])
        return bool(wanted)

    # Typing

    def _put(self, place: Place, text: str) -> None:
        dimension = self.dimensions[place.row]
        agents = range(len(self.names)) if dimension.per == "episode" else (place.agent,)
        for agent in agents:
            self.values[agent][dimension.name] = text

    def explain(self, place: Place, text: str) -> None:
        """Put down why a cell has its score; one line."""
        dimension = self.dimensions[place.row]
        agents = range(len(self.names)) if dimension.per == "episode" else (place.agent,)
        for agent in agents:
            self.rationales[agent][dimension.name] = text

    def type(self, char: str) -> None:
        """Type a digit, `-` or `.`. The first one after the cursor came replaces what is there; a later `-` turns the sign."""
        place, dimension = self.place, self.dimension
        self.said, self._copied = "", False
        if place is None or dimension is None:
            return
        text = "" if self.fresh else self.text(place)
        if char == "-":
            text = text[1:] if text.startswith("-") else "-" + text
        elif char == ".":
            if dimension.integer:
                self.said = f"whole numbers only, {dimension.range_text}"
                return
            if "." in text:
                return
            text += "."
        elif char.isascii() and char.isdigit():
            text = (text[:-1] if text in ("0", "-0") else text) + char
        else:
            return
        if len(text) > LONGEST:
            self.said = "no score is as long as that"
            return
        self.fresh = False
        self._put(place, text)

    def paste(self, text: str) -> None:
        """Put a number that was copied elsewhere into the cell; anything else is refused."""
        typed = text.strip().replace("−", "-")
        number = typed.removeprefix("-")
        if self.place is None:
            return
        self.said, self._copied = "", False
        if typed and len(typed) <= LONGEST and number.isascii() and number.replace(".", "", 1).isdigit():
            self.fresh = True
            self._put(self.place, typed)
        else:
            self.said = "what was pasted is no number"

    def erase(self) -> None:
        """Take back the last character."""
        if self.place is not None:
            self.said, self._copied = "", False
            self.fresh = False
            self._put(self.place, self.text(self.place)[:-1])

    def clear(self) -> None:
        """Empty the cell."""
        if self.place is not None:
            self.arrive()
            self._put(self.place, "")

    def step(self, direction: int) -> None:
        """Change the score by a step, up (1) or down (-1)."""
        place, dimension = self.place, self.dimension
        if place is None or dimension is None:
            return
        self.arrive()
        before = self.text(place)
        text = stepped(before, dimension, direction)
        if text == before:
            self.said = f"{text} is the {'highest' if direction > 0 else 'lowest'}"
        self._put(place, text)

    def copy_previous(self) -> None:
        """Take over the previous agent's scores: into the empty cells; pressed again at once, over the others too."""
        again, self._copied = self._copied, False
        self.fresh = True
        if self.agent == 0 or not self.dimensions:
            self.said = "nothing to copy: there is no agent before this one"
            return
        whose = self.names[self.agent - 1]
        differing = [place for place, text in self._to_copy() if self.text(place) != text]
        empty = [place for place in differing if not self.text(place).strip()]
        texts = dict(self._to_copy())
        for place in differing if again else empty:
            self._put(place, texts[place])
        left = 0 if again else len(differing) - len(empty)
        count = len(differing) if again else len(empty)
        done = f"{_scores(count)} {'replaced by those' if again else 'copied from those'} of {whose}"
        if not texts:
            self.said = f"nothing to copy: {whose} has no score yet"
        elif not differing:
            self.said = f"nothing to copy: the scores are those of {whose}"
        elif left:
            nothing = f"nothing is empty here; {key_of('annotation.copy')} again replaces {_scores(left)}"
            self.said = f"{done}; {key_of('annotation.copy')} again replaces {left} more" if count else nothing
        else:
            self.said = done
        self._copied = bool(left)

    def _to_copy(self) -> Iterator[tuple[Place, str]]:
        """The cells of this column for which the previous agent has a score, and that score."""
        for row, dimension in enumerate(self.dimensions):
            text = self.values[self.agent - 1].get(dimension.name, "")
            if dimension.per != "episode" and isinstance(parse_score(text, dimension), float):
                yield Place(row, self.agent), text


def _scores(count: int) -> str:
    return "1 score" if count == 1 else f"{count} scores"
