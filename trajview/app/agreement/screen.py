"""How far the annotators of the store agree, with each other and with the log: the figures of `trajview agreement`."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Mapping
from functools import partial
from textwrap import wrap
from typing import ClassVar, Final

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static
from textual.worker import get_current_worker

from trajview.annotation.agreement import RESAMPLES, Agreement
from trajview.annotation.agreement_text import Part, Role, lines
from trajview.app.agreement.comparing_annotators import Annotations, read_annotations, reveal, rewards_by_key
from trajview.app.agreement.disagreement import DisagreementScreen
from trajview.app.agreement.reveal import RevealScreen
from trajview.app.keys import bindings_for, key_of
from trajview.app.shared.key_footer import KeyFooter
from trajview.app.shared.screen import TrajviewScreen
from trajview.errors import TrajviewError
from trajview.textsafe import one_line

__all__ = ["AgreementScreen"]

_STYLES: Final[Mapping[Role, str]] = {
    "verdict": "bold",
    "title": "$text-primary",
    "heading": "$foreground 55%",
    "name": "$foreground 75%",
    "value": "$foreground 75%",
    "interval": "$foreground 45%",
    "undefined": "$foreground 45%",
    "note": "$foreground 65%",
}


class _Left(Exception):
    """The screen has gone, or has something else to compute."""


class AgreementScreen(TrajviewScreen):
    """Shows the figures at once, and their intervals when they are computed, which a thread does."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("agreement")]
    AUTO_FOCUS = "VerticalScroll"
    DEFAULT_CSS = """
    AgreementScreen {
        background: $background;
        & > #agreement-header { height: 1; background: $panel; padding: 0 1; }
        & #agreement-title { width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
        & #agreement-progress { width: auto; color: $foreground 60%; padding-left: 2; }
        & VerticalScroll { height: 1fr; }
        & #figures { width: auto; height: auto; padding: 1; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.annotations: Annotations | None = None
        self.found: Agreement | None = None
        self.complete = False
        """Whether the intervals are there."""
        self.commands = {
            "move.down": lambda: self._scroll(1),
            "move.up": lambda: self._scroll(-1),
            "move.half_down": lambda: self._scroll(self.size.height // 2 - 2),
            "move.half_up": lambda: self._scroll(2 - self.size.height // 2),
            "move.page_down": lambda: self._scroll(self.size.height - 5),
            "move.page_up": lambda: self._scroll(5 - self.size.height),
            "move.top": lambda: self.query_one(VerticalScroll).scroll_home(animate=False),
            "move.end": lambda: self.query_one(VerticalScroll).scroll_end(animate=False),
            "agreement.reveal": self._ask_to_reveal,
            "agreement.queue": self._show_queue,
            "help": lambda: self.trajview.show_help("agreement"),
            "back": self._back,
        }

    def compose(self) -> ComposeResult:
        settings = self.trajview.settings
        where = one_line(f"{settings.store}, as {settings.annotator}", 200)
        with Horizontal(id="agreement-header"):
            yield Static(Content.assemble(("agreement  ", "bold"), where), id="agreement-title")
            yield Static("", id="agreement-progress")
        with VerticalScroll():
            yield Static("", id="figures")
        yield KeyFooter()

    def _scroll(self, rows: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)

    def _show_queue(self) -> None:
        """Show the episodes by how far annotators are apart."""
        self.app.push_screen(DisagreementScreen())

    def _back(self) -> None:
        self.dismiss()

    # The figures

    def on_screen_resume(self) -> None:
        self._compute()  # Something may have been submitted or settled since.

    def on_screen_suspend(self) -> None:
        self.workers.cancel_group(self, "agreement")

    @work(exclusive=True, group="agreement", exit_on_error=False)
    async def _compute(self) -> None:
        """Read everything, and show the figures, and again with their intervals; nothing where nothing has changed."""
        worker = get_current_worker()

        def progress(done: int, total: int) -> None:
            if worker.is_cancelled:
                raise _Left
            self.call_later(self._show_share, done / max(1, total))

        try:
            annotations = await to_thread(self._read)
        except (TrajviewError, OSError) as error:
            self.query_one("#figures", Static).update(Content(one_line(str(error), 400)))
            self._show_progress("")
            return
        if annotations is None:
            return
        for resamples in (0, RESAMPLES):
            figures = partial(annotations.figures, resamples=resamples, progress=progress if resamples else None)
            self.found = await to_thread(figures)
            self.annotations, self.complete = annotations, resamples > 0
            self._show_progress("" if self.complete else "computing intervals…")
            self._show()

    def _read(self) -> Annotations | None:
        """The annotations in the store, None where they are as they were; called in a thread."""
        app = self.trajview
        rewards = rewards_by_key(info for info in list(app.corpus.infos) if not app.episodes.hides(info))
        annotations = read_annotations(app.store, rewards=rewards, rubric=app.episodes.rubric, gold=app.settings.gold)
        return None if annotations == self.annotations and self.complete else annotations

    def _show_share(self, share: float) -> None:
        if not self.complete:
            self._show_progress(f"computing intervals {share:.0%}")

    def _show_progress(self, text: str) -> None:
        self.query_one("#agreement-progress", Static).update(Content(text))

    def on_resize(self) -> None:
        self._show()

    def _show(self) -> None:
        """Show the figures, as wide as the screen is."""
        if self.found is None or self.annotations is None:
            return
        room = max(40, self.size.width - 3)  # the padding, and a scroll bar
        parts: list[Part] = []
        for text in self._left_out(self.annotations):
            for line in wrap(text, room, break_on_hyphens=False) or [""]:
                parts += [Part(line, "note"), Part("\n")]
        if self.found.annotators or not self.annotations.hidden:  # "No annotations yet" would not be true
            for figures in lines(self.found, room):
                parts += [*figures, Part("\n")]
        content = Content.assemble(*((part.text, _STYLES.get(part.role, "")) for part in parts))
        self.query_one("#figures", Static).update(content.rstrip())

    def _left_out(self, annotations: Annotations) -> list[str]:
        """What is not in the figures, and why: sentences, and an empty one below them."""
        sentences = []
        if annotations.hidden:
            sentences.append(
                f"{_episodes(len(annotations.hidden))} left out: not submitted by you yet. "
                f"{key_of('agreement.reveal')} shows them."
            )
        if self.trajview.settings.blind:
            sentences.append("Blind: rewards in the logs are compared where you have revealed them, and nowhere else.")
        sentences += [one_line(str(problem), 300) for problem in annotations.problems[:5]]
        if len(annotations.problems) > 5:
            sentences.append(f"and {len(annotations.problems) - 5:,} more problems")
        return [*sentences, ""] if sentences else []

    def _ask_to_reveal(self) -> None:
        """Count the episodes that were not submitted as well, once that is confirmed."""
        hidden = self.annotations.hidden if self.annotations is not None else frozenset()
        if not hidden:
            self.notify("Nothing is hidden from you.", timeout=3)
            return
        what = f"Count what others gave {_episodes(len(hidden))} that you have not submitted?"
        self.app.push_screen(RevealScreen(what, partial(reveal, self.trajview.store, hidden), self.trajview.keys))


def _episodes(count: int) -> str:
    return f"{count:,} episode{'' if count == 1 else 's'}"
