"""The questions that annotating asks: what is to become of work, and why an episode is skipped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from trajview.annotation.store import ChangedOnDisk
from trajview.app.shared.key_queue import KeyQueue
from trajview.app.shared.modal import Dialog, Question
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.models.sotopia import AnnotationForEpisode

__all__ = ["ChangedOnDiskScreen", "OtherRunScreen", "ReasonScreen", "UnsavedScreen"]


class ChangedOnDiskScreen(Question[Literal["overwrite", "theirs", "cancel"]]):
    """Shows both versions in short; its result is what to do: overwrite, load theirs, or neither."""

    def __init__(self, error: ChangedOnDisk, keys: KeyQueue) -> None:
        theirs = _in_short(error.theirs) if error.theirs else "deleted" if error.gone else "no annotation any more"
        super().__init__(
            one_line(error.sentence),
            f"yours   {_in_short(error.ours)}\ntheirs  {theirs}",
            {
                "cancel": "Keep editing, submit nothing",
                "overwrite": "Submit yours all the same",
                "theirs": "Load theirs, drop yours",
            },
            keys,
        )


class OtherRunScreen(Question[Literal["apart", "same", "later"]]):
    """Says what the work is about; its result is what is to become of it."""

    def __init__(self, work: str, differs: int, keys: KeyQueue) -> None:
        """`work`: what there is, such as `draft of 22:10`. `differs`: the message from which on it is another run."""
        where = f"they differ from message {differs} on" if differs else "they begin differently"
        about = f"Your {work} is of the one before: {where}. It is safe."
        super().__init__(
            "This log holds another conversation now.",
            about,
            {
                "later": "Decide later, and type nothing until then",
                "apart": "Keep it apart, and score this conversation anew",
                "same": "Go on with it: it holds for this one as well",
            },
            keys,
        )
        self.work, self.differs = work, differs


class UnsavedScreen(Question[Literal["save", "draft", "stay"]]):
    """Save, leave with the draft kept (or lost, where that failed), or stay."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "answer('save')", "submit"),
        Binding("d", "answer('draft')", "keep as draft"),
        Binding("escape,c", "answer('stay')", "stay"),
    ]

    def __init__(self, problem: str, keys: KeyQueue) -> None:
        """`problem`: why the draft could not be kept, "" where it is."""
        if problem:
            about = f"Its draft could not be saved: {one_line(problem, 400)}"
        else:
            about = "Its draft is saved, and will be here next time."
        leave = "[u]D[/u]iscard" if problem else "Keep [u]d[/u]raft"
        answers: dict[Literal["save", "draft", "stay"], str] = {
            "save": "[u]S[/u]ubmit",
            "draft": leave,
            "stay": "[u]C[/u]ancel",
        }
        super().__init__("This annotation is not submitted.", about, answers, keys, expected=True)


class ReasonScreen(Dialog[str | None]):
    """Asks for one line; its result is what was typed, None where nothing is to be done. Former reasons are a key away."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "cancel"),
        Binding("up", "former(1)", show=False, priority=True),
        Binding("down", "former(-1)", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    ReasonScreen {
        align: center middle;
        & > Vertical {
            width: 62; max-width: 96%; height: auto; padding: 1 2; background: $surface; border-left: outer $primary;
        }
        & .title { text-style: bold; text-wrap: nowrap; text-overflow: ellipsis; }
        & Input { margin: 1 0; border: none; height: 1; padding: 0 1; background: $foreground 8%; }
        & .hint { color: $foreground 50%; }
    }
    """

    def __init__(self, episode: str, former: Sequence[str] = ()) -> None:
        """`former`: reasons given before, the newest first."""
        super().__init__()
        self._episode = episode
        self._former = ["", *dict.fromkeys(former)]
        self._shown = 0

    def compose(self) -> ComposeResult:
        again = "  ·  up: a reason given before" if len(self._former) > 1 else ""
        with Vertical():
            yield Static(Content(f"Skip {one_line(self._episode, 80)}"), classes="title")
            yield Input(self._former[self._shown], placeholder="why?", max_length=300, compact=True)
            yield Static(Content(f"enter: skip  ·  escape: don't{again}"), classes="hint")

    def action_former(self, step: int) -> None:
        """Put an earlier reason into the field, or a later one."""
        self._shown = max(0, min(self._shown + step, len(self._former) - 1))
        for field in self.query(Input):  # quick fingers ask before there is one
            field.value = self._former[self._shown]
            field.cursor_position = len(field.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        reason = event.value.strip()
        if reason:
            self.dismiss(reason)
        else:
            # A skipped episode without a reason is a hole that nobody can explain when the scores are used.
            self.query_one(".hint", Static).update("say in a word why; escape goes back")


def _in_short(annotation: AnnotationForEpisode) -> str:
    """The overall of each agent and the first words of the reasoning, on one line."""
    from trajview.models.run import overall_of  # Pydantic, which no start-up should wait for.

    numbers = ["–" if reward == 0.0 else f"{overall_of(reward):.2f}" for reward in annotation.rewards[:6]]
    overall = " · ".join(numbers)
    return one_line(f"{overall}  {annotation.reasoning}", 80)
