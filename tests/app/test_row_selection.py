"""Selecting rows with the keyboard: from where it began to the cursor, until a key ends it."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.selection import Selection

from trajview.app.shared.row_selection import RowSelection
from trajview.app.transcript.session import TranscriptSession
from trajview.app.transcript.view import TranscriptView
from trajview.models.messages import UserMessage
from trajview.models.transcript import Transcript


class Viewer(App[None]):
    """One transcript of a line for each row."""

    def compose(self) -> ComposeResult:
        text = "\n".join(f"line {number}" for number in range(9))
        yield TranscriptView(TranscriptSession(Transcript(messages=[UserMessage(content=text)]), bare=True))


async def test_rows_are_selected_from_the_first_to_the_cursor_in_both_directions_until_it_is_ended() -> None:
    app = Viewer()
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        view = app.query_one(TranscriptView)
        assert view.session is not None
        rows = RowSelection(view)
        down, up = rows.commands["select.down"], rows.commands["select.up"]
        view.session.move(3)
        first = view.session.y_of(view.session.cursor)
        for select in (down, down, down):
            select()
        assert view.text_selection == Selection(Offset(0, first), Offset(40, first + 2))
        for select in (up, up, up):
            select()
        assert view.text_selection == Selection(Offset(0, first - 1), Offset(40, first))
        rows.before_key()
        assert rows.end()
        assert view.text_selection is None
        rows.before_key()
        assert not rows.end()
        up()  # begins anew, where the cursor is
        assert view.text_selection == Selection(Offset(0, first - 1), Offset(40, first - 1))
