"""What happened to the annotation of an episode: who did what, and when, with the time that it has taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from trajview.annotation.progress import Progress
from trajview.annotation.queue import duration_text
from trajview.app.shared.linked import linked
from trajview.app.shared.modal import ScrolledDialog
from trajview.errors import UNFORESEEN, AnnotationError, bug
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.annotation.citations import Citation
    from trajview.annotation.history import Event
    from trajview.annotation.store import AnnotationStore

__all__ = ["HistoryScreen", "history_text"]

_MOST = 500
"""Events that are shown, the newest."""


class HistoryScreen(ScrolledDialog["Citation | None"]):
    """Shows the history of one episode, newest last. What others did is hidden from an annotator who has not submitted.

    Gives back the citation that is to be followed, if one is: it is clicked, or with `C` the last one.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+l", "dismiss(None)", "back"),
        Binding("C", "follow_citation", show=False, id="citation"),
        Binding("g,home", "ends(0)", show=False),
        Binding("G,end", "ends(1)", show=False),
    ]
    AUTO_FOCUS = "VerticalScroll"
    DEFAULT_CSS = """
    HistoryScreen {
        align: center middle;
        & > Vertical {
            width: 84; max-width: 96%; height: auto; max-height: 90%; padding: 1 2; background: $surface;
            border-left: outer $primary;
        }
        & .title { text-style: bold; text-wrap: nowrap; text-overflow: ellipsis; }
        & .about { color: $foreground 50%; margin: 0 0 1 0; }
        & VerticalScroll { height: auto; max-height: 100%; scrollbar-size-vertical: 1; }
        & .events { width: 1fr; height: auto; }
    }
    """

    def __init__(self, store: AnnotationStore, episode: str, title: str) -> None:
        super().__init__()
        self._store, self._episode, self._title = store, episode, title
        self._cited: list[Citation] = []

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Content(one_line(self._title, 200)), classes="title")
            yield Static("reading…", classes="about", markup=False)
            with VerticalScroll():
                yield Static("", classes="events", markup=False)

    def on_mount(self) -> None:
        self._read()

    @work(thread=True, exclusive=True, group="history", exit_on_error=False)
    def _read(self) -> None:
        try:
            events = self._store.history(self._episode)
            progress = self._store.progress().get(self._episode, Progress())
            about, text = history_text(events, progress, self._store.annotator)
        except AnnotationError as error:
            about, text = one_line(str(error), 400), Content("")
        except UNFORESEEN as error:
            about, text = one_line(str(bug(error)), 400), Content("")
        self.app.call_from_thread(self._show, about, text)

    def _show(self, about: str, text: Content) -> None:
        if not self.is_mounted:
            return
        self.query_one(".about", Static).update(Content(about))
        shown, self._cited = linked(text)
        self.query_one(".events", Static).update(shown)
        self.call_after_refresh(self.action_ends, 1)

    def action_follow_citation(self, number: int = -1) -> None:
        """Leave, and go to what a citation refers to: the last one, where none is named."""
        if -1 <= number < len(self._cited) and self._cited:
            self.dismiss(self._cited[number])
        else:
            self.notify("nothing is cited here", timeout=3)

    def action_ends(self, end: int) -> None:
        """Scroll to the first event (0), or the last (1)."""
        for scroll in self.query(VerticalScroll):  # None where it was closed as soon as it was read.
            scroll.scroll_to(y=scroll.max_scroll_y if end else 0, animate=False)


def history_text(events: list[Event], progress: Progress, annotator: str) -> tuple[str, Content]:
    """Describe an episode in a line, and its events in a line each."""
    submitted = progress.state == "submitted"
    shown = events if submitted else [event for event in events if event.annotator == annotator]
    about = [progress.state + (f": {one_line(progress.reason, 100)}" if progress.state == "skipped" else "")]
    if progress.flagged:
        about.append("flagged")
    if progress.seconds:
        about.append(f"{duration_text(progress.seconds)} of active time")
    if len(shown) < len(events):
        about.append("others' work is shown once you have submitted")
    lines: list[Content] = []
    if len(shown) > _MOST:
        lines.append(
            Content.styled(f"{len(shown) - _MOST:,} earlier events: trajview annotations log", "$foreground 50%")
        )
    day = ""
    for event in shown[-_MOST:]:
        at = event.time.astimezone() if event.time else None
        today = f"{at:%A, %d %B %Y}" if at else "at no known time"
        if today != day:
            lines.append(Content.styled(f"{today}" if not day else f"\n{today}", "$text-primary"))
            day = today
        clock = f"{at:%H:%M}" if at else "     "
        lines.append(
            Content.assemble(
                (f"{clock}  ", "$foreground 50%"),
                (one_line(event.annotator, 24), "bold"),
                f" {one_line(event.said, 600)}",
            )
        )
    if not lines:
        lines.append(Content.styled("nothing happened yet", "$foreground 50%"))
    return "  ·  ".join(about), Content("\n").join(lines)
