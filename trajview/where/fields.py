"""The table of a filter's fields, and readers of the cheap ones, which the list knows."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from trajview.corpus.rewards import Rewards
from trajview.errors import shown

if TYPE_CHECKING:
    from trajview.corpus.info import RunInfo
    from trajview.models.run import Reward

__all__ = ["FIELDS", "Field", "Kind", "Ref", "field_named", "getter", "mean_reward", "natural"]

_ID_LIMIT = 300
"""Characters of an id or path that take part in sorting; the rest of a huge one decides nothing."""


class Kind(Enum):
    """The kind of a field's values, which decides how they are compared."""

    TEXT = "a text"
    NUMBER = "a number"
    TEXTS = "a list of texts"
    NUMBERS = "a list of numbers"
    FLAG = "yes or no"
    ANY = "any value"


Needs = Literal["row", "summary", "status", "details"]
"""The source of a field's value: the run's place, its summary, its annotation, or the whole run."""


class Field(Struct, frozen=True):
    """A field: its name and description. `part`: the meaning of `name.PART`; a field that `needs_part` is none without."""

    name: str
    kind: Kind
    needs: Needs
    says: str
    aliases: tuple[str, ...] = ()
    part: Kind | None = None
    needs_part: bool = False


FIELDS: tuple[Field, ...] = (
    Field("id", Kind.TEXT, "row", "the run's id"),
    Field("key", Kind.TEXT, "row", "its id, made unique in the list"),
    Field("name", Kind.TEXT, "summary", "its name"),
    Field("run", Kind.TEXT, "row", "its name, or else its id"),
    Field("source", Kind.TEXT, "row", "its file, as the list shows it"),
    Field("path", Kind.TEXT, "row", "its file, in full"),
    Field("size", Kind.NUMBER, "row", "bytes of the record: size > 10MB"),
    Field("format", Kind.TEXT, "summary", "docent, sotopia, openai, …"),
    Field("messages", Kind.NUMBER, "summary", "how many messages"),
    Field("units", Kind.NUMBER, "summary", "how many action units"),
    Field("transcripts", Kind.NUMBER, "summary", "how many transcripts"),
    Field("agents", Kind.TEXTS, "summary", "their names", ("agent",)),
    Field("models", Kind.TEXTS, "summary", "their names", ("model",)),
    Field("reward", Kind.NUMBER, "summary", "the overall mean, or reward.goal's", part=Kind.NUMBER),
    Field("rewards", Kind.NUMBERS, "summary", "each agent's: < 3 if any is", part=Kind.NUMBERS),
    Field("annotated", Kind.FLAG, "status", "it has an annotation of yours"),
    Field("draft", Kind.FLAG, "status", "work of yours is not submitted"),
    Field("skipped", Kind.FLAG, "status", "you skipped it"),
    Field("flagged", Kind.FLAG, "status", "you flagged it"),
    Field("status", Kind.TEXT, "status", "annotated, draft or skipped", ("state",)),
    Field("problem", Kind.FLAG, "row", "it cannot be read"),
    Field("tokens", Kind.NUMBER, "details", "GPT-4 tokens of all that is said"),
    Field("errors", Kind.NUMBER, "details", "how many messages are errors", ("error",)),
    Field("calls", Kind.NUMBER, "details", "how many tool calls"),
    Field("tools", Kind.TEXTS, "details", "tools called; tools.bash counts", ("tool",), part=Kind.NUMBER),
    Field("metadata", Kind.ANY, "details", "what a key holds, as metadata.task", part=Kind.ANY, needs_part=True),
)  # fmt: skip

_BY_NAME = {name: field for field in FIELDS for name in (field.name, *field.aliases)}


def field_named(name: str) -> Field | None:
    """The field with that name or alias; capital letters count as small ones."""
    return _BY_NAME.get(name.lower())


class Ref(Struct, frozen=True):
    """A field as it is named in a filter: `reward`, `reward.goal`, `metadata.task.name`."""

    name: str
    parts: tuple[str, ...] = ()

    @property
    def field(self) -> Field:
        """The field in the table."""
        return _BY_NAME[self.name]

    @property
    def kind(self) -> Kind:
        """The kind of its values."""
        field = self.field
        return field.kind if not self.parts or field.part is None else field.part

    def __str__(self) -> str:
        return ".".join((self.name, *map(_written, self.parts)))


_PLAIN_PART = r"""[^\s()"'<>=!~,.]+"""


def _written(part: str) -> str:
    """A part of a field's name as the filter has to spell it."""
    if re.fullmatch(_PLAIN_PART, part):
        return part
    return '"' + part.replace("\\", "\\\\").replace('"', '\\"') + '"'


def getter(ref: Ref) -> Callable[[RunInfo], Any]:
    """A function that reads a cheap field of a run: a number (NaN: none), a text ("": none) or a tuple."""
    if ref.name == "reward":
        dimension = _dimension(ref.parts)
        return lambda info: mean_reward(info.rewards, dimension)
    if ref.name == "rewards":
        dimension = _dimension(ref.parts)
        return lambda info: _rewards(info.rewards, dimension)
    return _GET[ref.name]


def mean_reward(rewards: Iterable[Reward], dimension: str | None = None) -> float:
    """The mean overall reward, or the mean in a dimension, over all agents that have one; NaN where none has."""
    if dimension is None and type(rewards) is tuple and len(rewards) == 1 and type(rewards[0]) is float:
        return rewards[0]  # nearly all have such a one, and there may be a million of them
    values: Sequence[float]
    if type(rewards) is Rewards and (values := rewards.of(dimension)):
        total = sum(values)
        if total == total:
            return total / len(values)
    values = _rewards(rewards, dimension)
    return sum(values) / len(values) if values else math.nan


def _rewards(rewards: Iterable[Reward], dimension: str | None) -> tuple[float, ...]:
    if type(rewards) is Rewards:
        return tuple([float(value) for value in rewards.of(dimension) if value == value])
    found = []
    for reward in rewards:
        value: Any
        if dimension is None:
            value = reward[0] if isinstance(reward, (tuple, list)) else reward
        else:
            value = reward[1].get(dimension) if isinstance(reward, (tuple, list)) else None
        if isinstance(value, (int, float)) and value == value:
            found.append(float(value))
    return tuple(found)


def _dimension(parts: tuple[str, ...]) -> str | None:
    return ".".join(parts) if parts else None


_GET: dict[str, Callable[[RunInfo], Any]] = {
    "id": attrgetter("id"),
    "key": attrgetter("key"),
    "name": lambda info: info.name or "",
    "run": lambda info: info.name or info.id,
    "source": attrgetter("source"),
    "path": lambda info: shown(info.path),
    "size": attrgetter("length"),
    "format": attrgetter("format"),
    "messages": attrgetter("messages"),
    "units": attrgetter("units"),
    "transcripts": attrgetter("transcripts"),
    "agents": attrgetter("agents"),
    "models": attrgetter("models"),
}

_DIGITS = re.compile("([0-9]+)")


def natural(text: str) -> str:
    """A key that sorts text as people do: no case, and numbers by value, so that `run 9` comes before `run 10`."""
    pieces = _DIGITS.split(text[:_ID_LIMIT].lower())
    # The count of digits before the number orders numbers by size; leading zeros do not count.
    for i in range(1, len(pieces), 2):
        digits = pieces[i].lstrip("0")
        pieces[i] = f"0{len(digits):03d}{digits}"
    return "".join(pieces)
