"""The rewards of a run as the list keeps them: one row of numbers, where all agents have the same dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from trajview.models.reward import Reward

__all__ = ["Rewards", "row_of"]

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(list[int | float]).decode


class Rewards(msgspec.Struct, frozen=True, gc=False, eq=False):
    """Rewards of agents who all have scores in the same dimensions: equal to the tuple of them, in a third of the memory.

    They are made anew whenever they are looked at.
    """

    names: tuple[str, ...]
    """The dimensions, which runs may share."""
    row: bytes
    """Each agent's overall reward and scores, one behind the other, as MessagePack; empty where no agent has any."""

    def __len__(self) -> int:
        return len(self._values()) // (len(self.names) + 1)

    def __bool__(self) -> bool:
        return bool(self.row)

    def __iter__(self) -> Iterator[Reward]:
        values, step = self._values(), len(self.names) + 1
        for at in range(0, len(values), step):
            yield values[at], dict(zip(self.names, values[at + 1 : at + step], strict=True))

    def __getitem__(self, index: int) -> Reward:
        return tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Rewards):
            return (self.names, self.row) == (other.names, other.row) or tuple(self) == tuple(other)
        return tuple(self) == other

    def of(self, dimension: str | None) -> Sequence[float]:
        """Each agent's score in a dimension, or the overall reward; none where there is no such dimension."""
        if dimension is not None and dimension not in self.names:
            return ()
        first = 0 if dimension is None else self.names.index(dimension) + 1
        return self._values()[first :: len(self.names) + 1]

    def _values(self) -> list[float]:
        return _decode(self.row) if self.row else []


def row_of(rewards: tuple[Reward, ...]) -> tuple[tuple[str, ...], bytes] | None:
    """Dimensions and row of `Rewards` that are equal to these; None where not all have the same dimensions, in the same order."""
    names: tuple[str, ...] | None = None
    values: list[float] = []
    for reward in rewards:
        if type(reward) is not tuple:
            return None
        overall, scores = reward
        if names is None:
            names = tuple(scores)
        elif tuple(scores) != names:
            return None
        values.append(overall)
        values += scores.values()
    if names is None:
        return None
    try:
        return names, _encode(values)
    except OverflowError:  # a whole number beyond 64 bits
        return None
