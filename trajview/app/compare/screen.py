"""Two runs beside each other, aligned by action unit: where they part ways, and what differs from there on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from trajview.app.compare.comparison import Comparison, Large
from trajview.app.compare.search import SideSearch, SideSearcher
from trajview.app.compare.view import CompareHead, CompareMap, CompareView
from trajview.app.keys import bindings_for, key_of
from trajview.app.results.found import Landing
from trajview.app.shared.background import Background, Task
from trajview.app.shared.key_footer import KeyFooter
from trajview.app.shared.prompt import Prompt
from trajview.app.shared.row_selection import RowSelection
from trajview.app.shared.screen import TrajviewScreen
from trajview.app.shared.status_line import StatusLine
from trajview.compare.alignment import Kind, align
from trajview.compare.facts import Fact, facts_of
from trajview.compare.sequence import Cancelled
from trajview.corpus.info import RunInfo
from trajview.corpus.process_wide import short_turns
from trajview.errors import UNFORESEEN, TrajviewError, bug
from trajview.formats.registry import format_or_default
from trajview.models.transcript import Transcript
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.models.run import AgentRun

__all__ = ["CompareScreen"]

_SIDES: Final = "left", "right"
_NAMES: Final = {
    Kind.SAME: "the same", Kind.CHANGED: "changed", Kind.OTHER: "other", Kind.LEFT: "only left", Kind.RIGHT: "only right",
}  # fmt: skip

_WITHOUT_COMPARISON: Final = frozenset({"back", "help", "palette"})
_LONG: Final = 60.0
"""Seconds that keys wait for a comparison at most."""


class CompareScreen(TrajviewScreen):
    """Reads and aligns both runs in a thread, which ends where the reader leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("compare")]
    AUTO_FOCUS = "CompareView"
    DEFAULT_CSS = """
    CompareScreen {
        background: $background;
        & > #compare-body { height: 1fr; }
        & CompareView { width: 1fr; }
        & > #compare-problem { display: none; height: 1fr; padding: 2 4; color: $text-warning; }
        &.-failed > #compare-problem { display: block; }
        &.-failed > #compare-body { display: none; }
    }
    """

    def __init__(self, left: RunInfo, right: RunInfo) -> None:
        super().__init__()
        self.infos = left, right
        self.names = [one_line(info.name or info.id, 200) for info in self.infos]
        self.comparison: Comparison | None = None
        self.index = 0
        """Which transcript of each run is compared."""
        self._count = 1
        """How many transcripts there are to compare."""
        self._side = 0
        """The chosen side, as the head and the search show it."""
        self._brief = ""
        """What the last key has done."""
        self.view, self.head, self.minimap = CompareView(), CompareHead(self.names), CompareMap()
        self.prompt, self.status = Prompt(), StatusLine()
        self.background = Background(self)
        self.selection = RowSelection(self.view)
        self.searcher = SideSearcher(self.background, self._show_search, self._say)
        with_comparison: dict[str, Callable[[Comparison], object]] = {
            "difference.next": partial(self._step_difference, 1),
            "difference.previous": partial(self._step_difference, -1),
            "unit.next": lambda comparison: comparison.step_unit(1),
            "unit.previous": lambda comparison: comparison.step_unit(-1),
            "search": self._ask,
            "compare.open": self._open_run,
            "compare.left": partial(self._choose_side, 0),
            "compare.right": partial(self._choose_side, 1),
            "compare.fold": Comparison.toggle_fold,
            "compare.level": self._change_fold_level,
            "compare.layout": self._change_sides,
            "compare.transcript": self._compare_next_transcripts,
            "copy": self._copy,
            "copy.unit": self._copy_unit,
        }
        self.commands = {
            **self.view.commands,
            **self.selection.commands,
            **{id: partial(self._do, command) for id, command in with_comparison.items()},
            "compare.facts": self.head.toggle_facts,
            "help": lambda: self.trajview.show_help("compare"),
            "back": self._go_back,
        }

    def compose(self) -> ComposeResult:
        yield self.head
        with Horizontal(id="compare-body"):
            yield self.view
            yield self.minimap
        yield Static("", id="compare-problem")
        yield self.prompt
        yield self.status
        yield KeyFooter()

    def on_mount(self) -> None:
        self.view.follow = self._follow
        self.view.styles.scrollbar_size_vertical = 0  # the map is one
        self.head.follow()
        self.status.say(["reading both runs…", "q gives up"])
        self._align(0)

    def on_resize(self) -> None:
        self.head.follow()

    def on_unmount(self) -> None:
        self._coming.never()

    # -- reading and aligning ------------------------------------------------------------------------------------------

    def _align(self, index: int) -> None:
        """Read both runs and align a transcript of each; a run that has fewer has an empty one. Keys are for what comes."""
        self._coming = self.trajview.keys.wait(passes=self._needs_no_comparison, patience=_LONG)
        self.background.start("align", partial(self._read, index, self.size.width - 1), waited_for=False)

    def _needs_no_comparison(self, command: str) -> bool:
        """Whether a command does something while both runs are read."""
        return not self.is_current or command in _WITHOUT_COMPARISON

    def _read(self, index: int, width: int, task: Task) -> None:
        def check() -> None:
            if task.cancelled():
                raise Cancelled

        def progress(share: float) -> None:
            task.tell(self._say_progress, f"aligning both runs… {min(99, int(share * 100))}%")

        app = self.trajview
        try:
            infos = [app.corpus.refresh(app.corpus.resolve(info)) for info in self.infos]
            runs: list[AgentRun] = []
            for side, info in zip(_SIDES, infos, strict=True):
                task.tell(self._say_progress, f"reading the {side} run…")
                runs.append(app.episodes.load(info))
                check()
            with short_turns():
                found = align(_transcript(runs[0], index), _transcript(runs[1], index), check, progress)
                comparison = Comparison(found, preview_lines=app.settings.preview_lines, width=width)
            # Of an episode the others are what each agent saw of the first.
            episodes = all(format_or_default(run.source_format).retells for run in runs)
            count = 1 if episodes else max(len(run.transcripts) for run in runs)
            task.tell(self._show, comparison, facts_of(runs[0], runs[1], index), index, count)
        except Cancelled:
            pass
        except TrajviewError as error:
            task.tell(self._fail, str(error))
        except UNFORESEEN as error:
            task.tell(self._fail, str(bug(error)))

    def _say_progress(self, text: str) -> None:
        self.status.say([text, "q gives up"])

    def _show(self, comparison: Comparison, facts: Sequence[Fact], index: int, count: int) -> None:
        comparison.side = self._side
        self.comparison, self.index, self._count = comparison, index, count
        self.head.show(comparison, facts)
        self.minimap.show_comparison(comparison)
        self.view.show(comparison)
        self.searcher.search_again(comparison)
        self._coming.done()

    def _fail(self, problem: str) -> None:
        self._coming.never("the runs cannot be compared")
        self.add_class("-failed")
        self.query_one("#compare-problem", Static).update(Content(one_line(problem, 1_000)))
        self.status.say(["not compared"])

    def _pair(self, comparison: Comparison, large: Large, task: Task) -> None:
        """Pair the lines of large messages."""
        with short_turns():
            pairs = comparison.pair(*large)

        def take() -> None:
            comparison.take(large, pairs)
            self.view.sync()

        task.tell(take)

    # -- what is said --------------------------------------------------------------------------------------------------

    def on_key(self) -> None:
        # Before what the key does: that may say something itself.
        self._brief = ""
        self.selection.before_key()

    def _say(self, text: str) -> None:
        """Say what a key has done, until the next key."""
        self._brief = text
        self._follow()

    def _follow(self) -> None:
        """The cursor or the window has moved."""
        self.minimap.follow()
        comparison = self.comparison
        if comparison is None:
            return
        if comparison.side != self._side:
            self._side = comparison.side
            self.head.follow()
            self.searcher.search_again(comparison)
        if comparison.waiting:
            self.background.start("pair", partial(self._pair, comparison, comparison.waiting.pop()), exclusive=False)
        if not comparison.count:
            self.status.say(["neither of the transcripts has messages"])
        else:
            self.status.say([*self._status(comparison)], self._brief, "$accent")

    def _status(self, comparison: Comparison) -> Iterator[str]:
        """Where the cursor is, what a search has found, and how much differs."""
        if self._count > 1:
            yield f"transcript {self.index + 1}/{self._count}"
        left, right = comparison.unit_here(0), comparison.unit_here(1)
        yield f"unit {left}" if left == right else f"unit {_number(left)} | {_number(right)}"
        if self.searcher.found is not None:
            yield _search_status(self.searcher.found)
        if not comparison.stops:
            yield "both say the same"
            return
        yield f"difference {comparison.difference}/{len(comparison.stops)}"
        prefix = comparison.prefix
        yield f"the first {prefix:,} unit{'s' * (prefix != 1)} the same" if prefix else "different from the start"
        for kind, name in _NAMES.items():
            count = comparison.counts[kind]
            if count and not (kind is Kind.SAME and count == prefix):
                yield f"{count:,} {name}"

    def _show_search(self, search: SideSearch | None) -> None:
        if self.comparison is not None:
            self.minimap.show_comparison(self.comparison, search)
            self.view.show_search(search)

    # -- commands ------------------------------------------------------------------------------------------------------

    def _do(self, command: Callable[[Comparison], object]) -> None:
        """Do what needs a comparison, once there is one, and show what came of it."""
        if self.comparison is not None:
            command(self.comparison)
            self.view.sync()

    def on_minimap_picked(self, message: CompareMap.Picked) -> None:
        message.stop()
        self._do(lambda comparison: comparison.to_percentage(100 * message.share))

    def _step_difference(self, step: int, comparison: Comparison) -> None:
        """To the next or previous difference; while a search is on, to its next or previous match."""
        if self.searcher.found is not None:
            self.searcher.found.step(step)
        elif not comparison.stops:
            self._brief = "there is no difference"
        elif not comparison.step_difference(step):
            self._brief = "this is the last difference" if step > 0 else "this is the first difference"

    def _choose_side(self, side: int, comparison: Comparison) -> None:
        comparison.side = side
        self._brief = f"{key_of('compare.open', begins=True)} opens {self.names[side]}"

    def _open_run(self, comparison: Comparison) -> None:
        """Open the run of the chosen side at the unit under the cursor."""
        found = comparison.unit_to_open()
        if found is None:
            return
        side, unit = found
        landing = Landing(self.index, comparison.transcript(side).unit_starts[unit], "", "")
        self.trajview.open_run(self.infos[side], landing=landing)

    def _change_fold_level(self, comparison: Comparison) -> None:
        self._brief = comparison.next_fold_level()

    def _change_sides(self, comparison: Comparison) -> None:
        self._brief = "side by side" if comparison.toggle_sides() else "one below the other"
        self.head.follow()

    def _compare_next_transcripts(self, _comparison: Comparison) -> None:
        if self._count > 1:
            self._align((self.index + 1) % self._count)
        else:
            self._brief = "there is one transcript to compare"

    def _ask(self, comparison: Comparison) -> None:
        name = one_line(self.names[comparison.side], 40)
        says = f"text or regular expression, at the {_SIDES[comparison.side]}: {name}"
        self.prompt.ask("/", says, then=partial(self.searcher.look_for, comparison))

    def _copy(self, comparison: Comparison) -> None:
        """Copy what is selected as it is, or the message under the cursor as Markdown: of the chosen side."""
        from trajview.export.markdown import message_markdown

        side = comparison.side
        selected, number = self.get_selected_text(), comparison.message_here(side)
        if selected:
            self._take_along(selected, "the selection")
        elif number is None:
            self._brief = f"there is no message at the {_SIDES[side]} here"
        else:
            text = message_markdown(comparison.transcript(side).messages[number])
            self._take_along(text, f"message {number} of the {_SIDES[side]} as Markdown")

    def _copy_unit(self, comparison: Comparison) -> None:
        """Copy the unit under the cursor as Markdown: of the chosen side."""
        from trajview.export.markdown import unit_markdown

        side, unit = comparison.side, comparison.unit_here(comparison.side)
        if unit is None:
            self._brief = f"there is no unit at the {_SIDES[side]} here"
        else:
            text = unit_markdown(comparison.transcript(side), unit)
            self._take_along(text, f"unit {unit} of the {_SIDES[side]} as Markdown")

    def _take_along(self, text: str, what: str) -> None:
        self._brief = self.trajview.terminal_clipboard.copy(text, what)

    def _go_back(self) -> None:
        """End the selection or the search, else back to the list; what is still computed is given up."""
        if not self.selection.end() and not self.searcher.end():
            self.workers.cancel_node(self)
            self.dismiss()


def _transcript(run: AgentRun, index: int) -> Transcript:
    return run.transcripts[index] if index < len(run.transcripts) else Transcript(id="none")


def _number(unit: int | None) -> str:
    return "–" if unit is None else str(unit)


def _search_status(search: SideSearch) -> str:
    text, side = one_line(search.hits.text, 24), _SIDES[search.side]
    if not search.hits.total:
        return f"“{text}” not found at the {side}"
    count = f"{search.hits.total:,}" if search.hits.done else "…"
    return f"“{text}” {search.number:,}/{count} at the {side}"
