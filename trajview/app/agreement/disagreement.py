"""The episodes on which annotators disagree most, everybody side by side, and the gold record that settles one."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal, VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.timer import Timer
from textual.widgets import OptionList, Static, TextArea
from textual.widgets.option_list import Option

from trajview.annotation.disagreement import Disagreement
from trajview.annotation.draft import loadable
from trajview.annotation.records import ChangedOnDisk
from trajview.app.agreement.comparing_annotators import Annotations, read_annotations, reveal
from trajview.app.agreement.disagreement_text import (
    ScoreTable,
    furthest_apart,
    heading,
    hidden_episode,
    name_of,
    queue_row,
    reasons_of,
    settling_status,
)
from trajview.app.agreement.reveal import RevealScreen
from trajview.app.agreement.settling import GoldRecords, Settling, rubric_of_gold
from trajview.app.keys import bindings_for, key_of
from trajview.app.shared.key_footer import KeyFooter
from trajview.app.shared.linked import linked
from trajview.app.shared.screen import TrajviewScreen
from trajview.errors import AnnotationError, TrajviewError
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.annotation.citations import Citation
    from trajview.corpus.info import RunInfo

__all__ = ["DisagreementScreen", "Sheet"]

_LIST: Final = 46
"""Cells that the list takes where it stands beside the sheet."""
_PAUSE: Final = 0.5
"""Seconds after the last key in which what was typed goes into the journal."""


class Sheet(VerticalScroll, can_focus=True, inherit_bindings=False):
    """Everybody's scores, and the gold column, which has a cursor while this has the focus. Its keys are the screen's."""


class DisagreementScreen(TrajviewScreen):
    """A list of episodes at the left (or above, where it is narrow), the one under the cursor at the right."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("disagreement")]
    AUTO_FOCUS = "OptionList"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012
    DEFAULT_CSS = """
    DisagreementScreen {
        background: $background;
        & > #queue-header { height: 1; background: $panel; padding: 0 1; }
        & #queue-title { width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
        & #queue-counts { width: auto; color: $foreground 60%; padding-left: 2; }
        & #queue-body { height: 1fr; }
        & OptionList { border: none; background: $background; padding: 0; }
        & OptionList:focus { border: none; background: $background; background-tint: $background 0%; }
        & OptionList > .option-list--option-highlighted { background: $primary 15%; color: $foreground; text-style: none; }
        & OptionList:focus > .option-list--option-highlighted { background: $primary 30%; color: $foreground; text-style: none; }
        & OptionList > .option-list--option { padding: 0 1; }
        & Sheet { background: $surface; }
        & Sheet > Static { height: auto; margin: 1 2 0 2; }
        & #table { width: auto; }
        & #why { display: none; height: 6; margin: 1 2; border: round $foreground 20%; background: $surface; padding: 0 1; }
        & #why:focus { border: round $success 60%; }
        & #queue-status { height: 1; background: $panel; color: $foreground 80%; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & #queue-status.-problem { color: $text-error; }
        &.-settling #why { display: block; }
        &.-wide #queue-body { layout: horizontal; }
        &.-wide OptionList { width: 46; height: 1fr; }
        &.-wide Sheet { width: 1fr; height: 1fr; }
        &.-narrow #queue-body { layout: vertical; }
        &.-narrow OptionList { height: 30%; min-height: 4; }
        &.-narrow Sheet { height: 1fr; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.annotations: Annotations | None = None
        self.queue: list[Disagreement] = []
        self._state = ""
        """What just happened to the gold record."""
        self._keeping: Timer | None = None
        """Runs out when what was typed goes into the journal."""
        self._cited: list[Citation] = []
        """What the reasons that are shown cite."""
        self._followed: tuple[str, int] = "", 0
        """The episode of which a citation was followed last, and which of them."""
        self.commands = {
            "move.down": partial(self._move, 1),
            "move.up": partial(self._move, -1),
            "move.half_down": partial(self._scroll_sheet, 0.5),
            "move.half_up": partial(self._scroll_sheet, -0.5),
            "move.page_down": partial(self._page, 1),
            "move.page_up": partial(self._page, -1),
            "move.top": lambda: self._move(-len(self.queue) - 1000),
            "move.end": lambda: self._move(len(self.queue) + 1000),
            "open": self._open,
            "citation": self._follow_next_citation,
            "agreement.reveal": self._ask_to_reveal,
            "settle": self._settle,
            "settle.part": self._next_part,
            "settle.less": partial(self._edit, lambda settling: settling.step(-1)),
            "settle.more": partial(self._edit, lambda settling: settling.step(1)),
            "settle.middle": partial(self._edit, Settling.take_middle),
            "settle.fill": partial(self._edit, Settling.fill),
            "settle.save": self._save,
            "help": lambda: self.trajview.show_help("disagreement"),
            "back": self._back,
        }

    def can_do(self, id: str) -> bool:
        """The keys of the gold column work where it is open, and what is shown already cannot be revealed."""
        if id == "agreement.reveal":
            return self.current is not None and self.current.hidden
        if id in ("open", "settle"):
            return not self._in_gold_column
        if id in ("settle.less", "settle.more"):
            return self._in_gold_column
        if id in ("settle.middle", "settle.fill", "settle.save"):
            return self.settling is not None
        return super().can_do(id)

    @property
    def _in_gold_column(self) -> bool:
        return self.focused is self._sheet and self.settling is not None

    def compose(self) -> ComposeResult:
        self._list = OptionList()
        self._sheet = Sheet()
        self._table = Static("", id="table")
        self._why = TextArea(id="why", tab_behavior="focus", soft_wrap=True)
        self._why.border_title = "why, in the gold record"
        self._reasons = Static("", id="reasons")
        self._status = Static("", id="queue-status")
        with Horizontal(id="queue-header"):
            yield Static(Content.assemble(("disagreements  ", "bold"), "furthest apart first"), id="queue-title")
            yield Static("", id="queue-counts")
        with Container(id="queue-body"):
            yield self._list
            with self._sheet:
                yield self._table
                yield self._why
                yield self._reasons
        yield self._status
        yield KeyFooter()

    def on_mount(self) -> None:
        self.gold = GoldRecords(self.trajview.store, self.trajview.settings.gold)

    def on_unmount(self) -> None:
        problem = self.gold.keep_or_rescue()
        if problem is not None:
            self.trajview.leaving.unsaid += (str(problem),)
            self.app.notify(one_line(str(problem), 400), title="The draft was not kept", severity="error", markup=False)

    # The episodes

    def on_screen_resume(self) -> None:
        self._load()  # Something may have been submitted meanwhile.

    @work(exclusive=True, group="disagreements", exit_on_error=False)
    async def _load(self) -> None:
        """Read everything, and show it."""
        app = self.trajview
        read = partial(read_annotations, app.store, rubric=app.episodes.rubric, gold=app.settings.gold)
        try:
            annotations = await to_thread(read)
            queue = await to_thread(annotations.queue)
        except (TrajviewError, OSError) as error:
            self._report("Annotations not read", error)
            return
        episode = self.current.episode if self.current is not None else None
        at = self._list.highlighted
        self.annotations, self.queue = annotations, queue
        for name, settling in self.gold.settlings.items():
            settling.refresh(annotations.compare(name))
        self._fill_list()
        places = [at for at, found in enumerate(queue) if found.episode == episode]
        if queue:
            self._list.highlighted = places[0] if places else min(at or 0, len(queue) - 1)
        settled = sum(found.settled for found in queue)
        self.query_one("#queue-counts", Static).update(f"{len(queue):,} episodes, {settled:,} settled")
        self._show()

    def _report(self, title: str, error: TrajviewError | OSError | str) -> None:
        self.notify(one_line(str(error), 400), title=title, severity="error", markup=False, timeout=8)

    def _ask_to_reveal(self) -> None:
        """Show what others gave the episode, once that is confirmed."""
        if self.current is not None:
            episode = self.current.episode
            what = f"Show what others gave {one_line(episode, 80)}, which you have not submitted?"
            self.app.push_screen(
                RevealScreen(what, partial(reveal, self.trajview.store, [episode]), self.trajview.keys)
            )

    # What is shown

    @property
    def current(self) -> Disagreement | None:
        """The episode under the cursor of the list."""
        at = self._list.highlighted if self.is_mounted else None
        return self.queue[at] if at is not None and at < len(self.queue) else None

    @property
    def settling(self) -> Settling | None:
        """What is typed for that episode, where it was opened to be settled."""
        found = self.current
        return self.gold.settlings.get(found.episode) if found is not None and not found.hidden else None

    def _run_of(self, episode: str) -> RunInfo | None:
        """The run of an episode, where it is among those that are open."""
        corpus = self.trajview.corpus
        found = corpus.find(episode)
        return found or next((info for info in corpus.infos if loadable(info.key) == episode), None)

    def on_resize(self) -> None:
        if self.queue:
            at = self._list.highlighted
            self._fill_list()
            self._list.highlighted = at
        self._show()

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._show()
        self._sheet.scroll_home(animate=False)

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _focus_moved(self) -> None:
        self.call_after_refresh(self._show)

    def _fill_list(self) -> None:
        width = (_LIST if self.has_class("-wide") else self.size.width) - 3
        named = [(found, name_of(found.episode, self._run_of(found.episode))) for found in self.queue]
        self._list.set_options([Option(queue_row(found, width, name)) for found, name in named])

    def _show(self) -> None:
        """Show the sheet of the episode under the cursor, and the line below."""
        if self.annotations is None or not self.is_attached:
            return
        found, settling = self.current, self.settling
        self._cited = []
        self.set_class(settling is not None, "-settling")
        if found is None:
            self._table.update("There is no episode yet that two annotators have submitted.")
            self._reasons.update("")
        elif found.hidden:
            self._table.update(hidden_episode(found.episode, self._run_of(found.episode)))
            self._reasons.update("")
        else:
            self._show_scores(found.episode, self.annotations)
        if settling is not None and self._why.text != settling.reasoning:
            self._why.load_text(settling.reasoning)
            self._why.move_cursor(self._why.document.end)
        self._show_status()
        self.refresh_bindings()

    def _show_scores(self, episode: str, annotations: Annotations) -> None:
        comparison = annotations.compare(episode)
        info = self._run_of(episode)
        room = max(40, self.size.width - (_LIST if self.has_class("-wide") else 0) - 5)
        focused = self.focused is self._sheet
        table = ScoreTable(comparison, info.agents if info else (), self.settling, room=room, focused=focused)
        lines, cursor_line = table.render()
        self._table.update(Content.assemble(heading(episode, info), lines))
        if cursor_line is not None:
            self._sheet.scroll_to_region(Region(0, cursor_line + 3, 1, 1), animate=False)
        reasons, self._cited = linked(reasons_of(comparison.reasons, annotations.gold))
        self._reasons.update(reasons)

    def _show_status(self) -> None:
        found, settling = self.current, self.settling
        text, wrong = "", False
        if settling is not None and settling.row is not None:
            state = self._state or ("not saved" if settling.dirty else "nothing to save")
            text, wrong = settling_status(settling, settling.row, state)
        elif found is not None and found.widest is not None:
            text = furthest_apart(found.widest, self._run_of(found.episode))
        self._status.set_class(wrong, "-problem")
        self._status.update(Content(text))

    # Moving, and opening runs

    def _move(self, rows: int) -> None:
        """Move down: in the list, in the gold column, or in the sheet; up where `rows` is negative."""
        if self.focused is not self._sheet:
            if self.queue:
                at = self._list.highlighted or 0
                self._list.highlighted = max(0, min(len(self.queue) - 1, at + rows))
        elif self.settling is not None:
            self.settling.move(rows)
            self._show()
        else:
            self._sheet.scroll_relative(y=rows, animate=False)

    def _scroll_sheet(self, pages: float) -> None:
        rows = max(1, int((self._sheet.size.height - 2) * abs(pages)))
        self._sheet.scroll_relative(y=rows if pages > 0 else -rows, animate=False)

    def _page(self, step: int) -> None:
        """Move a page down or up: in the list, or in the sheet."""
        if self.focused is self._sheet:
            self._scroll_sheet(step)
        else:
            self._move(step * max(1, self._list.size.height - 1))

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._open()

    def _open(self) -> None:
        """Open the run."""
        if self.current is not None and (info := self._open_run_of(self.current.episode)) is not None:
            self.trajview.open_run(info)

    def _open_run_of(self, episode: str) -> RunInfo | None:
        """The run of an episode; where it is not open, that is said."""
        info = self._run_of(episode)
        if info is None:
            self.notify("This episode is not among the logs that are open.", severity="warning", timeout=4)
        return info

    def _follow_next_citation(self) -> None:
        """Open the run at the next citation in the reasons, the first one where another episode was shown before."""
        found = self.current
        if found is None or not self._cited:
            self.notify("nothing is cited here", timeout=3)
            return
        episode, last = self._followed
        self.action_follow_citation((last + 1) % len(self._cited) if episode == found.episode else 0)

    def action_follow_citation(self, number: int) -> None:
        """Open the run at a citation in the reasons, which was clicked; they count from 0."""
        found = self.current
        if found is None or number >= len(self._cited):
            return
        self._followed = found.episode, number
        info = self._open_run_of(found.episode)
        if info is not None:
            self.trajview.open_cited(info, self._cited[number])

    def _back(self) -> None:
        """Go to the list; from there, back to the figures."""
        if self.focused is self._list:
            self.dismiss()
        else:
            self._list.focus()

    # Settling

    def _settle(self) -> None:
        """Go into the gold column; what gold has given so far is read first."""
        found = self.current
        if found is None:
            return
        if found.hidden:
            self.notify(
                f"What is hidden from you cannot be settled. {key_of('agreement.reveal')} reveals it.",
                severity="warning",
                timeout=4,
                markup=False,
            )
        elif found.episode in self.gold.settlings:
            self._sheet.focus()
        elif self.annotations is not None:
            self._open_gold(found.episode)

    @work(exclusive=True, group="gold-open", exit_on_error=False)
    async def _open_gold(self, episode: str) -> None:
        assert self.annotations is not None
        app = self.trajview
        rubric = rubric_of_gold(self.annotations.ratings, app.episodes.rubric, app.settings.reward_range)
        try:
            settling = await to_thread(self.gold.open, self.annotations.compare(episode), rubric)
        except AnnotationError as error:
            self._not_saved("The gold record was not read", error)
            return
        settling.refresh(self.annotations.compare(episode))
        self.gold.settlings[episode] = settling
        self._state = "a draft that was not saved" if settling.dirty else ""
        self._show()
        if self.current is not None and self.current.episode == episode:
            self._sheet.focus()

    def _next_part(self) -> None:
        """Go from the list to the scores, from there to the reasons, and back to the list."""
        if self.focused is self._list and self.settling is None:
            self._settle()
        elif self.focused is self._list:
            self._sheet.focus()
        elif self._in_gold_column:
            self._why.focus()
        else:
            self._list.focus()

    def on_key(self, event: events.Key) -> None:
        """Type digits, signs and points into the gold column, delete them, go on with Enter; any other key is a command."""
        settling = self.settling
        if settling is None or not self._in_gold_column:
            return
        if event.key == "enter":
            event.stop()
            self._move(1)
        elif settling.grid.key(event.key, event.character):
            event.stop()
            self._edited()

    @on(TextArea.Changed)
    def _why_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        settling, text = self.settling, event.text_area.text
        if settling is not None and settling.reasoning != text:
            settling.reasoning = text
            self._edited()

    def _edit(self, change: Callable[[Settling], object]) -> None:
        """Change what is typed for the episode under the cursor."""
        if self.settling is not None:
            change(self.settling)
            self._edited()

    def _edited(self) -> None:
        self._state = ""
        if self._keeping is not None:
            self._keeping.stop()
        self._keeping = self.set_timer(_PAUSE, self._keep)
        self._show()

    @work(group="gold-keep", exit_on_error=False)
    async def _keep(self) -> None:
        """Write what was typed into gold's journal."""
        unkept = self.gold.unkept()
        try:
            await to_thread(self.gold.keep, unkept)
        except AnnotationError as error:
            self._not_saved("The draft was not kept", error)
            return
        if unkept and self.settling is not None and self.settling.dirty:
            self._state = f"draft kept, {key_of('settle.save')} saves"
            self._show()

    def _save(self) -> None:
        """Save the gold record, unless something in it is no score."""
        settling = self.settling
        if settling is None:
            return
        if settling.first_bad is not None:
            row, reason = settling.first_bad
            settling.go(settling.rows.index(row))
            self._sheet.focus()
            self._report("Not saved", f"{one_line(row.dimension.label, 40)}: {reason}")
            self._show()
        elif settling.draft().empty:
            self.notify("There is nothing to save yet.", timeout=3)
        else:
            self._state = "saving…"
            self._show()
            self._save_gold(settling)

    @work(group="gold-save", exit_on_error=False)
    async def _save_gold(self, settling: Settling) -> None:
        draft, overwrite = settling.draft(), settling.overwrites
        settling.overwrites = False
        try:
            saved = await to_thread(self.gold.save, settling, draft, overwrite=overwrite)
        except ChangedOnDisk as error:
            settling.overwrites = True
            self._not_saved("Not saved", f"{error.sentence} {key_of('settle.save')} again replaces it.")
            return
        except AnnotationError as error:
            self._not_saved("Not saved", error)
            return
        settling.saved(draft, saved.version, saved.annotation.rewards)
        self._state = "saved ✓"
        self._load()
        self._show()

    def _not_saved(self, title: str, error: AnnotationError | str) -> None:
        self._state = "not saved"
        self._report(title, error)
        self._show()
