"""The question that is asked when an annotation is about another run than the one that is under its name now."""

from __future__ import annotations

from time import monotonic
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from trajview.app.screens.once import OnceScreen
from trajview.app.typed_ahead import TypedAhead

__all__ = ["OtherRunChoice", "OtherRunScreen"]

OtherRunChoice = Literal["apart", "same", "later"]


class OtherRunScreen(OnceScreen[OtherRunChoice]):
    """Says what the work is about; its result is what is to become of it."""

    DEFAULT_CSS = """
    OtherRunScreen { align: center middle; }
    OtherRunScreen > Vertical {
        width: 64; max-width: 94%; height: auto; max-height: 90%; overflow-y: auto;
        padding: 1 2; background: $surface; border-left: outer $warning;
    }
    OtherRunScreen .title { text-style: bold; color: $text-warning; }
    OtherRunScreen .about { margin: 1 0; color: $text-muted; }
    OtherRunScreen OptionList { height: auto; border: none; padding: 0; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss('later')", "cancel")]

    def __init__(self, work: str, differs: int) -> None:
        """`work`: what there is, such as `draft of 22:10`. `differs`: the message from which on it is another run."""
        super().__init__()
        self.work = work
        self.differs = differs
        self.ahead = TypedAhead()

    def on_mount(self) -> None:
        self.ahead.refused(monotonic())

    def on_key(self, event: events.Key) -> None:
        """What is being typed into the fields is no answer."""
        if self.ahead.loses(monotonic()):
            event.stop()
            event.prevent_default()

    def compose(self) -> ComposeResult:
        where = f"they differ from message {self.differs} on" if self.differs else "they begin differently"
        about = f"Your {self.work} is of the one before: {where}. It is safe."
        with Vertical():
            yield Static(Content("This log holds another conversation now."), classes="title")
            yield Static(Content(about), classes="about")
            yield OptionList(
                Option("Decide later, and type nothing until then", id="later"),
                Option("Keep it apart, and score this conversation anew", id="apart"),
                Option("Go on with it: it holds for this one as well", id="same"),
                compact=True,
            )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss("apart" if event.option_id == "apart" else "same" if event.option_id == "same" else "later")
