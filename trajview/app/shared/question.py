"""A question that comes while somebody types: what has happened, what it is about, and the answers to choose from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from trajview.app.shared.key_queue import KeyQueue
from trajview.app.shared.modal import Dialog

__all__ = ["Question"]

_Answer = TypeVar("_Answer", bound=str)


class Question(Dialog[_Answer]):
    """Its result is the answer that was chosen; escape chooses the first, which does nothing."""

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

    def __init__(self, title: str, about: str, answers: Mapping[_Answer, str], keys: KeyQueue) -> None:
        """`answers`: the words of each. `keys`: where what is typed comes from; what was typed before is no answer."""
        super().__init__()
        self._title, self._about = title, about
        self._answers = answers
        self._keys = keys

    def on_mount(self) -> None:
        self._keys.refuse()
        self.call_after_refresh(self._keys.refuse)  # Nobody answers what is not on the screen yet.

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content(self._title), classes="title")
            yield Static(Content(self._about), classes="about")
            yield OptionList(*(Option(said, id=answer) for answer, said in self._answers.items()), compact=True)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(list(self._answers)[event.option_index])

    def action_leave(self) -> None:
        """Choose the first answer."""
        self.dismiss(next(iter(self._answers)))
