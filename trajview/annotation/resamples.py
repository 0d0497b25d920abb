"""How often things occur in each of many resamples of episodes, counted in all of them at once."""

from __future__ import annotations

import random
import sys
from array import array
from collections.abc import Iterable, Sequence
from typing import Final

__all__ = ["Packed", "Resamples"]

Packed = int
"""A count for each resample, side by side in one large integer: to add two of them adds all their counts at once.

That is why a resample costs little without a library for arrays. Of a single resample it is the count itself.
"""

_CODE: Final = "I"
_WIDTH: Final = array(_CODE).itemsize
"""Bytes of one count. No count comes near to 2**32: it is at most twice the pairs of scores in a resample."""


class Resamples:
    """Some resamples, each with how often every episode is in it."""

    def __init__(self, weights: Sequence[Packed], size: int) -> None:
        self._weights = weights
        self.size = size
        """How many resamples these are."""
        self.ones: Packed = int.from_bytes(array(_CODE, [1] * size).tobytes(), sys.byteorder)
        """One in each resample."""

    @classmethod
    def whole(cls, episodes: int) -> Resamples:
        """A single sample with each episode once."""
        return cls([1] * episodes, 1)

    @classmethod
    def drawn(cls, source: random.Random, episodes: int, size: int) -> Resamples:
        """Resamples of as many episodes as there are, each of which may be drawn several times or never."""
        counts = array(_CODE, bytes(episodes * size * _WIDTH))  # All resamples of the first episode, of the second, …
        starts = range(0, episodes * size, size)
        for resample in range(size):
            for start in source.choices(starts, k=episodes):
                counts[start + resample] += 1
        rows = memoryview(counts)
        return cls([int.from_bytes(rows[start : start + size], sys.byteorder) for start in starts], size)

    def count(self, episodes: Iterable[int]) -> Packed:
        """How often something occurs that occurs in these episodes, given by their number, once for each time."""
        return sum(map(self._weights.__getitem__, episodes))

    def unpack(self, counts: Packed) -> list[int]:
        """A count for each resample."""
        return memoryview(counts.to_bytes(self.size * _WIDTH, sys.byteorder)).cast(_CODE).tolist()
