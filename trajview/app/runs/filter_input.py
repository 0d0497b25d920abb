"""The field in which a filter is typed, with the likeliest candidate behind what stands there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.suggester import Suggester
from textual.widgets import Input

if TYPE_CHECKING:
    from trajview.where.complete import Candidates

__all__ = ["FilterInput"]


class FilterInput(Input):
    """A field for a filter; `found_for` gives what can follow a text."""

    class _Completes(Suggester):
        def __init__(self, found_for: Callable[[str], Candidates | None]) -> None:
            super().__init__(use_cache=False, case_sensitive=True)
            self._found_for = found_for

        async def get_suggestion(self, value: str) -> str | None:
            found = self._found_for(value)
            if found and len(value) > found.start and found[0].lower() != value[found.start :].lower():
                return value[: found.start] + found[0]
            return None

    def __init__(self, found_for: Callable[[str], Candidates | None]) -> None:
        super().__init__(
            compact=True, placeholder="words of a name, file, format, agent or model; or:",
            suggester=self._Completes(found_for), id="filter-input",
        )  # fmt: skip
