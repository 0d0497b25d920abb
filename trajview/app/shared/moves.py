"""The moves that every screen with rows to read shares: lines, pages, the first row and the last."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trajview.app.shared.commands import Commands
    from trajview.app.shared.positions import Positions
    from trajview.app.shared.rows_view import RowsView

__all__ = ["Moves"]


class Moves:
    """Moves the cursor of a view of rows, and has the view show it."""

    def __init__(self, view: RowsView) -> None:
        self._view = view

    @property
    def commands(self) -> Commands:
        """What the keys of the group Move do."""
        return {
            "move.down": partial(self._move, lambda rows: rows.move(1)),
            "move.up": partial(self._move, lambda rows: rows.move(-1)),
            "move.half_down": partial(self._scroll, 0.5),
            "move.half_up": partial(self._scroll, -0.5),
            "move.page_down": partial(self._scroll, 1),
            "move.page_up": partial(self._scroll, -1),
            "move.top": partial(self._move, lambda rows: rows.to_top()),
            "move.end": partial(self._move, lambda rows: rows.to_end()),
        }

    def _move(self, move: Callable[[Positions], Any]) -> None:
        session = self._view.session
        if session is not None and session.count:
            move(session)
            self._view.sync()

    def _scroll(self, pages: float) -> None:
        """Down by a page or a part of one, two rows of which are the last page's; up where that is negative."""

        def scroll(rows: Positions) -> None:
            page = max(1, rows.height - 2)
            distance = max(1, int(page * abs(pages)))
            rows.scroll(distance if pages > 0 else -distance)

        self._move(scroll)
