"""Search and copies on the comparison's screen: of the side that the cursor is on."""

from __future__ import annotations

from textual import on, work
from textual.message import Message
from textual.worker import get_current_worker

from trajview.app.compare.base import CompareBase
from trajview.app.compare.search import SearchedComparison
from trajview.app.shared.prompt import Prompt
from trajview.app.shared.screen import Searched
from trajview.app.transcript.search import SearchHits, search
from trajview.corpus.patience import TooSlow
from trajview.corpus.process_wide import short_turns
from trajview.corpus.query import Query, QueryError, query_from
from trajview.models.transcript import Transcript
from trajview.textsafe import one_line

__all__ = ["CompareFinding"]

_SIDES = "left", "right"


class CompareFinding(Searched, CompareBase):
    """Actions that look for something on one side, or take it along; the search itself runs in a thread."""

    class _Found(Message):
        """A search is done, or has its first hit."""

        def __init__(self, comparison: SearchedComparison, side: int, hits: SearchHits) -> None:
            super().__init__()
            self.comparison, self.side, self.hits = comparison, side, hits

    def _transcript(self, side: int) -> Transcript:
        assert self.comparison is not None
        return self.comparison.found.left if side == 0 else self.comparison.found.right

    # -- search --------------------------------------------------------------------------------------------------------

    def action_search(self) -> None:
        """Ask what to search the chosen side for."""
        if self.comparison is not None:
            name = one_line(self._names()[self.comparison.side], 40)
            self.prompt.ask("search", "/", f"text or regular expression, at the {_SIDES[self.comparison.side]}: {name}")

    @on(Prompt.Submitted)
    def _prompt_submitted(self, event: Prompt.Submitted) -> None:
        event.stop()
        if event.text:
            self._search(event.text)
        else:
            self._clear_search()

    @on(Prompt.Cancelled)
    @on(Prompt.Changed)
    def _prompt_told(self, event: Message) -> None:
        event.stop()

    def _search(self, text: str) -> None:
        comparison = self.comparison
        if comparison is None:
            return
        try:
            query = query_from(text)
        except QueryError as error:
            self._say(f"{error.sentence}: {error.hint}")
        else:
            self._look_for(comparison, comparison.side, query, text)

    @work(thread=True, exclusive=True, group="search", exit_on_error=False)
    def _look_for(self, comparison: SearchedComparison, side: int, query: Query, text: str) -> None:
        worker = get_current_worker()
        messages = self._transcript(side).messages
        start = comparison.search_from(side)
        try:
            with short_turns():
                for hits in search(messages, query, start, text=text, cancelled=lambda: worker.is_cancelled):
                    self.post_message(self._Found(comparison, side, hits))
        except TooSlow as error:
            self.app.call_from_thread(self._say, f"{error.sentence}: {error.hint}")

    @on(_Found)
    def _show_found(self, message: _Found) -> None:
        message.stop()
        comparison, hits = message.comparison, message.hits
        if comparison is not self.comparison or message.side != comparison.side:
            return
        before = comparison.search
        going_on = before is not None and not before.done and before.text == hits.text
        comparison.set_search(hits, message.side)
        if hits.messages and not going_on:
            comparison.to_hit(hits.messages[0])
        self.view.sync()

    def _clear_search(self) -> None:
        self.workers.cancel_group(self, "search")
        if self.comparison is not None and self.comparison.search is not None:
            self.comparison.set_search(None)
            self.view.sync()

    def _side_changed(self) -> None:
        """What is searched for is searched for on the side that is chosen now."""
        super()._side_changed()
        comparison = self.comparison
        if comparison is not None and comparison.search is not None and comparison.searched != comparison.side:
            self._search(comparison.search.text)

    # -- copies --------------------------------------------------------------------------------------------------------

    def action_copy(self) -> None:
        """Copy what is selected as it is, or the message under the cursor as Markdown: of the chosen side."""
        from trajview.export.markdown import message_markdown

        comparison = self.comparison
        if comparison is None:
            return
        selected = self.get_selected_text()
        if selected:
            self._copied(selected, "the selection")
            return
        side, number = comparison.side, comparison.message_here(comparison.side)
        if number is None:
            self._say(f"there is no message at the {_SIDES[side]} here")
            return
        text = message_markdown(self._transcript(side).messages[number])
        self._copied(text, f"message {number} of the {_SIDES[side]} as Markdown")

    def action_copy_unit(self) -> None:
        """Copy the unit under the cursor as Markdown: of the chosen side."""
        from trajview.export.markdown import unit_markdown

        comparison = self.comparison
        if comparison is None or not comparison.count:
            return
        side = comparison.side
        unit = comparison.found.units[comparison.unit_row][side]
        if not isinstance(unit, int):
            self._say(f"there is no unit at the {_SIDES[side]} here")
            return
        self._copied(unit_markdown(self._transcript(side), unit), f"unit {unit} of the {_SIDES[side]} as Markdown")

    def _copied(self, text: str, what: str) -> None:
        self.app.copy_to_clipboard(text)
        self._say(f"copied {what}, {len(text):,} characters")

    def leave_what_is_on(self) -> bool:
        """End the selection or the search; False if there was none."""
        if self.end_selection():
            return True
        if self.comparison is not None and self.comparison.search is not None:
            self._clear_search()
            return True
        return False
