"""Sequences whose items are made when they are looked at: what indexing and slicing have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

__all__ = ["OnDemand"]

_Item = TypeVar("_Item")


class OnDemand(Sequence[_Item]):
    """A sequence that has to say how many items there are, and how to make one; a slice is a list of them."""

    __slots__ = ()

    @abstractmethod
    def _item(self, index: int) -> _Item:
        """One of the items; from the end, where `index` is negative. Raises IndexError where there is none."""

    @overload
    def __getitem__(self, index: int) -> _Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[_Item]: ...
    def __getitem__(self, index: int | slice) -> _Item | list[_Item]:
        if type(index) is slice:  # which is quicker than `isinstance`, and no class can be derived from it
            return [self._item(at) for at in range(*index.indices(len(self)))]
        return self._item(index)

    def __iter__(self) -> Iterator[_Item]:
        return map(self._item, range(len(self)))
