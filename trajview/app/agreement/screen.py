"""How far the annotators of the store agree, with each other and with the log: the figures of `trajview agreement`."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import ClassVar, Final

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static
from textual.worker import get_current_worker

from trajview.annotation.agreement import RESAMPLES, Agreement
from trajview.annotation.agreement_text import Part, Role, lines
from trajview.app.agreement.comparing_annotators import Annotations, read_annotations, rewards_by_key
from trajview.app.agreement.reveal import RevealScreen
from trajview.app.keys import bindings_for, key_of
from trajview.app.shared.key_footer import KeyFooter
from trajview.app.shared.screen import Ours
from trajview.errors import TrajviewError
from trajview.textsafe import one_line

__all__ = ["AgreementScreen"]

_STYLES: Final[Mapping[Role, str]] = {
    "title": "bold $text-primary",
    "heading": "$foreground 55%",
    "interval": "$foreground 45%",
    "undefined": "$foreground 45%",
    "note": "$foreground 65%",
}


class _Left(Exception):
    """The screen has gone, or has something else to compute."""


class AgreementScreen(Ours, Screen[None]):
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

    class _Computed(Message):
        """Figures, without intervals at first."""

        def __init__(self, annotations: Annotations, found: Agreement, last: bool) -> None:
            super().__init__()
            self.annotations, self.found, self.last = annotations, found, last

    class _Progress(Message):
        """How much of the intervals is done."""

        def __init__(self, share: float) -> None:
            super().__init__()
            self.share = share

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, AgreementScreen._Progress)

    class _Failed(Message):
        """The annotations could not be read, or it could not be written down that they are revealed."""

        def __init__(self, said: str, revealing: bool) -> None:
            super().__init__()
            self.said, self.revealing = said, revealing

    def __init__(self) -> None:
        super().__init__()
        self.annotations: Annotations | None = None
        self.found: Agreement | None = None
        self.complete = False
        """Whether the intervals are there."""
        self._revealing = False
        """Whether a thread writes down what is revealed; it must not be overtaken."""

    def compose(self) -> ComposeResult:
        with Horizontal(id="agreement-header"):
            yield Static("", id="agreement-title")
            yield Static("", id="agreement-progress")
        with VerticalScroll():
            yield Static("", id="figures")
        yield KeyFooter()

    def on_mount(self) -> None:
        settings = self.trajview.settings
        where = one_line(f"{settings.store}, as {settings.annotator}", 200)
        self.query_one("#agreement-title", Static).update(Content.assemble(("agreement  ", "bold"), where))

    def on_screen_resume(self) -> None:
        if not self._revealing:  # Something may have been submitted or settled since.
            self._compute()

    def on_screen_suspend(self) -> None:
        self.workers.cancel_group(self, "agreement")

    @work(thread=True, exclusive=True, group="agreement", exit_on_error=False)
    def _compute(self, reveal: frozenset[str] = frozenset()) -> None:
        """Read and compute all, after it was written down that these episodes are revealed."""
        worker = get_current_worker()
        app = self.trajview

        def progress(done: int, total: int) -> None:
            if worker.is_cancelled:
                raise _Left
            self.post_message(self._Progress(done / max(1, total)))

        try:
            app.reveal(reveal)
            reveal = frozenset()
            annotations = read_annotations(
                app.settings.store,
                app.settings.annotator,
                rewards=rewards_by_key(info for info in list(app.corpus.infos) if not app.hides(info)),
                rubric=app.rubric,
                gold=app.settings.gold,
                revealed=app.revealed(),
            )
            if annotations == self.annotations and self.complete:
                return
            for resamples in (0, RESAMPLES):
                found = annotations.figures(resamples=resamples, progress=progress if resamples else None)
                if worker.is_cancelled:
                    return
                self.post_message(self._Computed(annotations, found, last=resamples > 0))
        except _Left:
            return
        except (TrajviewError, OSError) as error:
            if not worker.is_cancelled:
                self.post_message(self._Failed(str(error), bool(reveal)))

    def on_agreement_screen__computed(self, message: _Computed) -> None:
        message.stop()
        self._revealing = False
        self.annotations, self.found, self.complete = message.annotations, message.found, message.last
        self._said("" if message.last else "computing intervals…")
        self._show()

    def on_agreement_screen__progress(self, message: _Progress) -> None:
        message.stop()
        if not self.complete:
            self._said(f"computing intervals {message.share:.0%}")

    def on_agreement_screen__failed(self, message: _Failed) -> None:
        message.stop()
        self._revealing = False
        self._said("")
        if message.revealing:
            self.notify(one_line(message.said, 400), title="Not revealed", severity="error", markup=False)
            self._compute()
        else:
            self.query_one("#figures", Static).update(Content(one_line(message.said, 400)))

    def _said(self, text: str) -> None:
        self.query_one("#agreement-progress", Static).update(Content(text))

    def on_resize(self) -> None:
        self._show()

    def _show(self) -> None:
        """The figures, as wide as the screen is."""
        if self.found is None or self.annotations is None:
            return
        room = max(40, self.size.width - 3)  # the padding, and a scroll bar
        parts: list[Part] = []
        for text in self._left_out(self.annotations):
            parts += [
                part
                for line in wrap(text, room, break_on_hyphens=False) or [""]
                for part in (Part(line, "note"), Part("\n"))
            ]
        if self.found.annotators or not self.annotations.hidden:  # "No annotations yet" would not be true
            for line in lines(self.found, room):
                parts += [*line, Part("\n")]
        content = Content.assemble(*((part.text, _STYLES.get(part.role, "")) for part in parts))
        self.query_one("#figures", Static).update(content.rstrip())

    def _left_out(self, annotations: Annotations) -> list[str]:
        """What is not in the figures, and why."""
        said = []
        if annotations.hidden:
            count = len(annotations.hidden)
            said.append(
                f"{count:,} episode{'' if count == 1 else 's'} left out: not submitted by you yet. "
                f"{key_of('agreement.reveal')} shows them."
            )
        if self.trajview.settings.blind:
            said.append("Blind: rewards in the logs are compared where you have revealed them, and nowhere else.")
        said += [one_line(str(problem), 300) for problem in annotations.problems[:5]]
        if len(annotations.problems) > 5:
            said.append(f"and {len(annotations.problems) - 5:,} more problems")
        return [*said, ""] if said else []

    # Actions of the key table

    def action_line(self, rows: int) -> None:
        """Lines up or down."""
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)

    def action_half(self, step: int) -> None:
        """Half a page up or down."""
        self.action_line(step * max(1, self.size.height // 2 - 2))

    def action_page(self, step: int) -> None:
        """A page up or down."""
        self.action_line(step * max(1, self.size.height - 5))

    def action_top(self) -> None:
        """To the top."""
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def action_end(self) -> None:
        """To the end."""
        self.query_one(VerticalScroll).scroll_end(animate=False)

    def action_reveal(self) -> None:
        """Count the episodes that were not submitted as well, once that is confirmed."""
        hidden = self.annotations.hidden if self.annotations is not None else frozenset()
        if not hidden:
            self.notify("Nothing is hidden from you.", timeout=3)
            return
        count = len(hidden)
        what = f"Count what others gave {count:,} episode{'' if count == 1 else 's'} that you have not submitted?"

        def answered(yes: bool | None) -> None:
            if yes:
                self.complete = False
                self._revealing = True
                self._said("computing…")
                self._compute(hidden)

        self.app.push_screen(RevealScreen(what), answered)

    def action_queue(self) -> None:
        """The episodes by how far annotators are apart."""
        from trajview.app.agreement.disagreement import DisagreementScreen

        self.app.push_screen(DisagreementScreen())

    def action_help(self) -> None:
        """The keys of this screen."""
        self.trajview.show_help("agreement")

    def action_back(self) -> None:
        """Back to the list."""
        self.dismiss()
