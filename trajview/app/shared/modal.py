"""Screens on top of another one that ask for an answer, or show something until they are closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, ScreenResultType
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from trajview.app.shared.background import ReportsFaults

if TYPE_CHECKING:
    from trajview.app.shared.key_queue import KeyQueue

__all__ = ["Dialog", "Question", "ScrolledDialog"]

_NO_ANSWER: Final = "What you went on typing is no answer to this question: pause, then answer."

_Answer = TypeVar("_Answer", bound=str)


class Dialog(ReportsFaults, ModalScreen[ScreenResultType]):
    """A screen on top of another one that closes once, however many keys ask for it.

    Keys that come quickly, such as two enters, reach it before the first has closed it.
    """

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close with a result; the first counts. Textual would close the screen below for the second."""
        return super().dismiss(result) if self.is_active else AwaitComplete()


class ScrolledDialog(Dialog[ScreenResultType]):
    """A dialog that may hold more than there is room for, in a `VerticalScroll`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
    ]

    def action_scroll(self, rows: int) -> None:
        """Rows down or up."""
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)


class Question(Dialog[_Answer]):
    """Says what has happened, and has an answer chosen, which is its result; escape chooses the first, which does nothing."""

    DEFAULT_CSS = """
    Question { align: center middle; }
    Question > Vertical {
        width: 64; max-width: 94%; height: auto; max-height: 90%; overflow-y: auto;
        padding: 1 2; background: $surface; border-left: outer $warning;
    }
    Question .title { text-style: bold; color: $text-warning; }
    Question .about { margin: 1 0; color: $text-muted; }
    Question OptionList { height: auto; border: none; padding: 0; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "cancel")]

    def __init__(
        self, title: str, about: str, answers: Mapping[_Answer, str], keys: KeyQueue, *, expected: bool = False
    ) -> None:
        """
        Args:
            title: What has happened.
            about: What the question is about.
            answers: The words of each answer, as markup.
            keys: Where what is typed comes from; what was typed before the question is on the screen is no answer.
            expected: Whether a key has asked for the question. Where it comes by itself, somebody may still be typing,
                and keys are dropped until there is a pause.
        """
        super().__init__()
        self._title, self._about = title, about
        self._answers = answers
        # Nobody answers what is not on the screen yet.
        self._on_screen: Callable[[], None]
        if expected:
            keys.drop()
            self._on_screen = keys.wait().never
        else:
            self._on_screen = partial(keys.refuse, _NO_ANSWER)
            self._on_screen()

    def on_mount(self) -> None:
        self.call_after_refresh(self._on_screen)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content(self._title), classes="title")
            yield Static(Content(self._about), classes="about")
            yield OptionList(*(Option(said, id=answer) for answer, said in self._answers.items()), compact=True)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_answer(list(self._answers)[event.option_index])

    def action_answer(self, answer: _Answer) -> object:
        """Choose an answer."""
        return self.dismiss(answer)

    def action_leave(self) -> None:
        """Choose the first answer."""
        self.action_answer(next(iter(self._answers)))
