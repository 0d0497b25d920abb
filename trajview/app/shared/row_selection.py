"""Selecting rows with the keyboard, to copy them or to quote them in a citation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.geometry import Offset
from textual.selection import Selection

if TYPE_CHECKING:
    from trajview.app.shared.commands import Commands
    from trajview.app.shared.positions import Position
    from trajview.app.shared.rows_view import RowsView

__all__ = ["RowSelection"]


class RowSelection:
    """Selects whole rows of a view with the keyboard; the mouse selects by the character. Both make the same selection."""

    def __init__(self, view: RowsView) -> None:
        self._view = view
        self._anchor: Position = (0, 0)
        """Where the selection began. Not a row of the document: rows move while heights are measured."""
        self._selected: Selection | None = None
        """What was selected here last; the view may show another selection since, or none."""
        self._selected_before_key = False

    @property
    def commands(self) -> Commands:
        """What the keys that select rows do."""
        return {"select.down": partial(self._extend, 1), "select.up": partial(self._extend, -1)}

    def _extend(self, step: int) -> None:
        """Select the row under the cursor, then one more row for each further key, down or up."""
        view, session = self._view, self._view.session
        if session is None or not session.count:
            return
        if self._selected is not None and view.text_selection == self._selected:
            session.move(step)
        else:
            self._anchor = session.cursor
        view.sync()
        first, last = sorted((session.y_of(self._anchor), session.y_of(session.cursor)))
        self._selected = Selection(Offset(0, first), Offset(view.size.width, last))
        view.screen.selections = {view: self._selected}

    def before_key(self) -> None:
        """Note what is selected before a key acts: to be called by the screen's `on_key`.

        Textual's own escape ends the selection, and then calls the binding of the same key.
        """
        self._selected_before_key = bool(self._view.screen.selections)

    def end(self) -> bool:
        """Select nothing any more; False if nothing was selected before this key."""
        self._view.screen.clear_selection()
        return self._selected_before_key
