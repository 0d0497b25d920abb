"""The question that is asked when an annotation's file is no longer the one that was opened."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from trajview.annotation.store import ChangedOnDisk
from trajview.app.screens.once import OnceScreen
from trajview.app.typed_ahead import TypedAhead
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.models.sotopia import AnnotationForEpisode

__all__ = ["ChangedOnDiskScreen", "Choice"]

Choice = Literal["overwrite", "theirs", "cancel"]


class ChangedOnDiskScreen(OnceScreen[Choice]):
    """Shows both versions in short; its result is what to do: overwrite, load theirs, or neither."""

    DEFAULT_CSS = """
    ChangedOnDiskScreen { align: center middle; }
    ChangedOnDiskScreen > Vertical {
        width: 64; max-width: 94%; height: auto; max-height: 90%; overflow-y: auto;
        padding: 1 2; background: $surface; border-left: outer $warning;
    }
    ChangedOnDiskScreen .title { text-style: bold; color: $text-warning; }
    ChangedOnDiskScreen .versions { margin: 1 0; color: $text-muted; }
    ChangedOnDiskScreen OptionList { height: auto; border: none; padding: 0; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss('cancel')", "cancel")]

    def __init__(self, error: ChangedOnDisk) -> None:
        super().__init__()
        self.error = error
        self.ahead = TypedAhead()

    def on_mount(self) -> None:
        self.ahead.refused(monotonic())

    def on_key(self, event: events.Key) -> None:
        """What is typed for the run that was to come next is no answer."""
        if self.ahead.loses(monotonic()):
            event.stop()
            event.prevent_default()

    def compose(self) -> ComposeResult:
        error = self.error
        theirs = _in_short(error.theirs) if error.theirs else "deleted" if error.gone else "no annotation any more"
        with Vertical():
            yield Static(Content(one_line(error.sentence)), classes="title")
            yield Static(Content(f"yours   {_in_short(error.ours)}\ntheirs  {theirs}"), classes="versions")
            yield OptionList(
                Option("Keep editing, submit nothing", id="cancel"),
                Option("Submit yours all the same", id="overwrite"),
                Option("Load theirs, drop yours", id="theirs"),
                compact=True,
            )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(
            "overwrite" if event.option_id == "overwrite" else "theirs" if event.option_id == "theirs" else "cancel"
        )


def _in_short(annotation: AnnotationForEpisode) -> str:
    """The overall of each agent and the first words of the reasoning, on one line."""
    from trajview.models.run import overall_of  # Pydantic, which no start-up should wait for.

    numbers = ["–" if reward == 0.0 else f"{overall_of(reward):.2f}" for reward in annotation.rewards[:6]]
    overall = " · ".join(numbers)
    return one_line(f"{overall}  {annotation.reasoning}", 80)
