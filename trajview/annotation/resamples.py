"""Resamples of episodes, in all of which something is counted at once."""

from __future__ import annotations

import random
import sys
from array import array
from collections.abc import Iterable, Sequence
from typing import Final, Literal

__all__ = ["Packed", "Resamples"]

Packed = int
"""A count for each resample, side by side in one large integer: to add two of them adds all their counts at once.

That is why a resample costs little without a library for arrays. Of a single resample it is the count itself.
"""

_Code = Literal["I", "Q"]

_NARROW: Final = "I"
_WIDE: Final = "Q"
"""The codes of 32 and 64 bits: the room for one count, and for the sums that are made of counts."""


class Resamples:
    """A number of resamples, each with how often every episode is in it."""

    def __init__(self, weights: Sequence[Packed], size: int, code: _Code) -> None:
        self._weights = weights
        self._code = code
        self._bytes = array(code).itemsize
        self.size = size
        """The number of resamples."""
        self.ones: Packed = int.from_bytes(array(code, [1] * size).tobytes(), sys.byteorder)
        """One in each resample."""

    @classmethod
    def whole(cls, episodes: int) -> Resamples:
        """A single sample with each episode once."""
        return cls([1] * episodes, 1, _WIDE)

    @classmethod
    def drawn(cls, source: random.Random, episodes: int, size: int, most: int) -> Resamples:
        """Resamples of as many episodes as there are, each of which may be drawn several times or never.

        `most` is the largest number of things of one sort, such as pairs of scores, that a resample may have.
        """
        # Pairs are multiplied by doubled ranks of their scores, of which there are at most two to a pair.
        code: _Code = _NARROW if most * (4 * most + 1) < 1 << 8 * array(_NARROW).itemsize else _WIDE
        counts = array(code, [0]) * (episodes * size)  # All resamples of the first episode, of the second, …
        starts = range(0, episodes * size, size)
        for resample in range(size):
            for start in source.choices(starts, k=episodes):
                counts[start + resample] += 1
        rows = memoryview(counts)
        return cls([int.from_bytes(rows[start : start + size], sys.byteorder) for start in starts], size, code)

    def count(self, episodes: Iterable[int]) -> Packed:
        """Count in each resample something that occurs in these episodes, given by number, once for each occurrence."""
        return sum(map(self._weights.__getitem__, episodes))

    def unpack(self, counts: Packed) -> list[int]:
        """A count for each resample."""
        return memoryview(counts.to_bytes(self.size * self._bytes, sys.byteorder)).cast(self._code).tolist()

    def products(self, counts: Packed, others: Packed) -> Packed:
        """The product of two counts in each resample. It takes a few steps for each binary digit of the first."""
        found: Packed = 0
        room = 8 * self._bytes
        digit = 0
        while counts:
            odd = counts & self.ones
            chosen = (odd << room) - odd  # All bits of a count's room where this digit of the first is 1.
            found += (chosen & others) << digit
            counts = (counts - odd) >> 1
            digit += 1
        return found
