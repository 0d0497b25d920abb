"""Two runs beside each other, aligned by action unit: where they part ways, and what differs from there on."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Static
from textual.worker import get_current_worker

from trajview.app.compare.finding import CompareFinding
from trajview.app.compare.paired import PairedLines
from trajview.app.compare.search import SearchedComparison
from trajview.app.compare.view import CompareMap, CompareView
from trajview.app.keys import bindings_for, key_of
from trajview.app.results.found import Landing
from trajview.app.shared.key_footer import KeyFooter
from trajview.app.shared.prompt import Prompt
from trajview.app.shared.status_line import StatusLine
from trajview.app.shared.unwaited import unwaited
from trajview.compare.alignment import align
from trajview.compare.facts import Fact, facts_of
from trajview.compare.sequence import Cancelled
from trajview.corpus.process_wide import short_turns
from trajview.errors import UNFORESEEN, TrajviewError, bug
from trajview.formats.registry import format_or_default
from trajview.models.transcript import Transcript
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.models.run import AgentRun

__all__ = ["CompareScreen"]

_TICK: Final = 0.2
"""Seconds after which it is said anew how far the alignment is."""


class CompareScreen(CompareFinding):
    """Reads and aligns both runs in a thread, which ends where the reader leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("compare")]
    AUTO_FOCUS = "CompareView"
    DEFAULT_CSS = """
    CompareScreen {
        background: $background;
        & > #compare-head { height: auto; max-height: 60%; background: $panel; text-wrap: nowrap; }
        & > #compare-body { height: 1fr; }
        & CompareView { width: 1fr; }
        & > #compare-problem { display: none; height: 1fr; padding: 2 4; color: $text-warning; }
        &.-failed > #compare-problem { display: block; }
        &.-failed > #compare-body { display: none; }
    }
    """

    class _Ready(Message):
        """Both runs are aligned."""

        def __init__(self, comparison: SearchedComparison, facts: list[Fact], index: int, count: int) -> None:
            super().__init__()
            self.comparison, self.facts, self.index, self.count = comparison, facts, index, count

    class _Progress(Message):
        """A part of the work is begun, or a share of it done."""

        def __init__(self, said: str) -> None:
            super().__init__()
            self.said = said

    class _Lines(Message):
        """The lines of large messages are paired."""

        def __init__(self, comparison: SearchedComparison, index: int, arranged: int, lines: PairedLines) -> None:
            super().__init__()
            self.comparison, self.index, self.arranged, self.lines = comparison, index, arranged, lines

    class _Failed(Message):
        """They could not be read."""

        def __init__(self, said: str) -> None:
            super().__init__()
            self.said = said

    def compose(self) -> ComposeResult:
        yield Static("", id="compare-head")
        with Horizontal(id="compare-body"):
            yield CompareView()
            yield CompareMap()
        yield Static("", id="compare-problem")
        yield Prompt()
        yield StatusLine()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.view = self.query_one(CompareView)
        self.minimap = self.query_one(CompareMap)
        self.head = self.query_one("#compare-head", Static)
        self.prompt = self.query_one(Prompt)
        self.status = self.query_one(StatusLine)
        self.view.follow = self._follow
        self.view.styles.scrollbar_size_vertical = 0  # the map is one
        self._show_head()
        self.status.say(["reading both runs…", "q gives up"])
        self._align(0)

    @unwaited("align")
    def _align(self, index: int) -> None:
        """Read both runs and align a transcript of each; a run that has fewer has an empty one."""
        worker = get_current_worker()

        def check() -> None:
            if worker.is_cancelled:
                raise Cancelled

        app, width = self.trajview, self.size.width - 1
        message: Message
        told = monotonic()

        def progress(share: float) -> None:
            nonlocal told
            if monotonic() - told > _TICK and not worker.is_cancelled:
                told = monotonic()
                self.post_message(self._Progress(f"aligning both runs… {min(99, int(share * 100))}%"))

        try:
            infos = [app.corpus.refresh(app.corpus.resolve(info)) for info in self.infos]
            runs: list[AgentRun] = []
            for side, info in zip(("left", "right"), infos, strict=True):
                self.post_message(self._Progress(f"reading the {side} run…"))
                runs.append(app.episodes.load(info))
                check()
            with short_turns():
                found = align(_transcript(runs[0], index), _transcript(runs[1], index), check, progress)
                comparison = SearchedComparison(
                    found, preview_lines=app.settings.preview_lines, width=width, check=check
                )
            # Of an episode the others are what each agent saw of the first.
            episodes = all(format_or_default(run.source_format).retells for run in runs)
            count = 1 if episodes else max(len(run.transcripts) for run in runs)
            message = self._Ready(comparison, facts_of(runs[0], runs[1], index), index, count)
        except Cancelled:
            return
        except TrajviewError as error:
            message = self._Failed(str(error))
        except UNFORESEEN as error:
            message = self._Failed(str(bug(error)))
        if not worker.is_cancelled:
            self.post_message(message)

    def on_compare_screen__ready(self, message: _Ready) -> None:
        message.stop()
        before, self._side = self.comparison, message.comparison.side
        self.comparison, self.facts = message.comparison, message.facts
        self.index, self._count = message.index, message.count
        self._show_head()
        self.view.show(message.comparison)
        self.minimap.show(message.comparison)
        self._follow()
        if before is not None:
            message.comparison.side = before.side
            self._follow()
            if before.search is not None:
                self._search(before.search.text)

    def on_compare_screen__progress(self, message: _Progress) -> None:
        message.stop()
        self.status.say([message.said, "q gives up"])

    def on_compare_screen__failed(self, message: _Failed) -> None:
        message.stop()
        self.add_class("-failed")
        self.query_one("#compare-problem", Static).update(Content(one_line(message.said, 1_000)))
        self.status.say(["not compared"])

    def _pair_later(self, comparison: SearchedComparison, index: int, arranged: int) -> None:
        self._pair(comparison, index, arranged)

    @work(thread=True, exclusive=True, group="pair", exit_on_error=False)
    def _pair(self, comparison: SearchedComparison, index: int, arranged: int) -> None:
        """Pair the lines of large messages."""
        with short_turns():
            lines = comparison.pair(index)
        self.post_message(self._Lines(comparison, index, arranged, lines))

    def on_compare_screen__lines(self, message: _Lines) -> None:
        message.stop()
        comparison = message.comparison
        if comparison is not self.comparison:
            return
        if message.arranged == comparison.arranged:
            comparison.take(message.index, message.lines)
        self.view.sync()

    # -- actions of the key table --------------------------------------------------------------------------------------

    def action_difference(self, step: int) -> None:
        """To the next or previous difference; while a search is on, to its next or previous match."""
        comparison = self.comparison
        if comparison is None:
            return
        if comparison.search is not None:
            comparison.step_hit(step)
            self.view.sync()
        elif comparison.step_difference(step):
            self.view.sync()
        elif not comparison.stops:
            self._say("there is no difference")
        else:
            self._say("this is the last difference" if step > 0 else "this is the first difference")

    def action_unit(self, step: int) -> None:
        """To the next or previous action unit."""
        if self.comparison is not None and self.comparison.step_unit(step):
            self.view.sync()

    def action_side(self, side: int) -> None:
        """Choose the side of the cursor: its run is searched, copied and opened."""
        if self.comparison is not None:
            self.comparison.side = side
            self.view.sync()
            self._say(f"{key_of('compare.open', begins=True)} opens {self._names()[side]}")

    def action_open(self) -> None:
        """Open the run of the chosen side at the unit under the cursor."""
        comparison = self.comparison
        found = comparison.unit_to_open() if comparison is not None else None
        if comparison is None or found is None:
            return
        side, unit = found
        if not self.index:
            self.trajview.open_run(self.infos[side], unit=unit)
            return
        transcript = (comparison.found.left, comparison.found.right)[side]
        landing = Landing(self.index, transcript.unit_starts[unit], "", "")
        self.trajview.open_run(self.infos[side], landing=landing)

    def action_fold(self) -> None:
        """Unfold what is the same here, or fold it again."""
        if self.comparison is not None:
            self.comparison.toggle_fold()
            self.view.sync()

    @on(CompareView.Folded)
    def _fold_clicked(self) -> None:
        self.action_fold()

    def action_fold_level(self) -> None:
        """What is the same folded, long texts folded, all open."""
        if self.comparison is not None:
            said = self.comparison.next_fold_level()
            self.view.sync()
            self._say(said)

    def action_layout(self) -> None:
        """Beside each other, or one below the other."""
        if self.comparison is not None:
            beside = self.comparison.toggle_sides()
            self._show_head()
            self.view.sync()
            self._say("side by side" if beside else "one below the other")

    def action_transcript(self, step: int) -> None:
        """The next transcript of both runs, or the previous one."""
        if self._count > 1:
            self.status.say(["reading both runs…"])
            self._align((self.index + step) % self._count)
        elif self.comparison is not None:
            self._say("there is one transcript to compare")

    def action_facts(self) -> None:
        """All that is known of both and differs, or the first of it."""
        self.all_facts = not self.all_facts
        self._show_head()

    @on(CompareMap.Picked)
    def _picked(self, message: CompareMap.Picked) -> None:
        if self.comparison is not None:
            self.comparison.to_percentage(message.share * 100)
            self.view.sync()

    def action_help(self) -> None:
        """The keys of this screen."""
        self.trajview.show_help("compare")

    def action_back(self) -> None:
        """End the selection or the search, else back to the list; what is still computed is given up."""
        if self.leave_what_is_on():
            return
        self.workers.cancel_node(self)
        self.dismiss()


def _transcript(run: AgentRun, index: int) -> Transcript:
    return run.transcripts[index] if index < len(run.transcripts) else Transcript(id="none")
