"""The question before others' scores are shown to an annotator who has not submitted yet."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable
from typing import ClassVar, Literal

from textual import work
from textual.binding import Binding, BindingType

from trajview.app.shared.key_queue import KeyQueue
from trajview.app.shared.modal import Question
from trajview.errors import AnnotationError
from trajview.textsafe import one_line

__all__ = ["RevealScreen"]


class RevealScreen(Question[Literal["hide", "reveal"]]):
    """Asks, writes into the journal that it was revealed, and closes: the screen below reads what it may show by now."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r,R,y", "answer('reveal')", "show"),
        Binding("q,n", "leave", "leave hidden"),
    ]

    def __init__(self, what: str, write: Callable[[], None], keys: KeyQueue) -> None:
        """`what`: the question. `write` is called in a thread and writes the answer down, or raises AnnotationError."""
        super().__init__(
            what,
            "What others gave can change what you give. It is kept in your journal that you looked.",
            {"hide": "Leave hidden", "reveal": "[u]R[/u]eveal"},
            keys,
            expected=True,
        )
        self._write = write

    @work(exclusive=True, exit_on_error=False)
    async def action_answer(self, answer: Literal["hide", "reveal"]) -> None:
        """Write it down, and close; where that fails, say why, and nothing is shown."""
        if answer == "reveal":
            try:
                await to_thread(self._write)
            except AnnotationError as error:
                self.app.notify(one_line(str(error), 400), title="Not revealed", severity="error", markup=False)
        self.dismiss(answer)
