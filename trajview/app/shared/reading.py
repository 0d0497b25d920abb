"""The moves that every screen with rows to read shares."""

from __future__ import annotations

from trajview.app.shared.rows_view import RowsView

__all__ = ["Reading"]


class Reading:
    """Actions of the key table that move in `self.view`. For a Screen that sets `view` when it is mounted."""

    view: RowsView

    def _move(self, how: str, *arguments: int) -> None:
        session = self.view.session
        if session is not None and session.count:
            getattr(session, how)(*arguments)
            self.view.sync()

    def _page_rows(self) -> int:
        session = self.view.session
        return max(1, session.height - 2) if session is not None else 1

    def action_line(self, rows: int) -> None:
        """A line down or up."""
        self._move("move", rows)

    def action_half(self, step: int) -> None:
        """Half a page down or up."""
        self._move("scroll", step * max(1, self._page_rows() // 2))

    def action_page(self, step: int) -> None:
        """A page down or up."""
        self._move("scroll", step * self._page_rows())

    def action_top(self) -> None:
        """The first row."""
        self._move("to_top")

    def action_end(self) -> None:
        """The last row."""
        self._move("to_end")
