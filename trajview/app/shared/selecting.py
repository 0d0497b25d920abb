"""Selecting rows with the keyboard, to copy them or to quote them in a citation."""

from __future__ import annotations

from textual.geometry import Offset
from textual.selection import Selection

from trajview.app.shared.positions import Position
from trajview.app.shared.reading import Reading
from trajview.app.shared.screen import TrajviewScreen

__all__ = ["Selecting"]


class Selecting(TrajviewScreen, Reading):
    """Actions that select whole rows; the mouse selects by the character. Both make the same selection."""

    def __init__(self) -> None:
        super().__init__()
        self._anchor: Position | None = None
        """Where a selection by rows began. Not a row of the document: rows move while heights are measured."""
        self._selected_rows: Selection | None = None
        self._was_selected = False

    def action_select(self, step: int) -> None:
        """Select the row under the cursor, then one more row for each further key, down or up."""
        session = self.view.session
        if session is None or not session.count:
            return
        going_on = self._selected_rows is not None and self.view.text_selection == self._selected_rows
        if going_on and self._anchor is not None:
            session.move(step)
        else:
            self._anchor = session.cursor
        self.view.sync()
        assert self._anchor is not None
        first, last = sorted((session.y_of(self._anchor), session.y_of(session.cursor)))
        self._selected_rows = Selection(Offset(0, first), Offset(self.view.size.width, last))
        self.selections = {self.view: self._selected_rows}

    def on_key(self) -> None:
        # Textual's own escape ends the selection, and then the binding of the same key is called.
        self._was_selected = bool(self.selections)

    def end_selection(self) -> bool:
        """Select nothing any more; False if nothing was selected before this key."""
        self.clear_selection()
        return self._was_selected
