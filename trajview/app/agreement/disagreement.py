"""The episodes on which annotators disagree most, everybody side by side, and the gold record that settles one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.widgets import OptionList, Static, TextArea
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from trajview.annotation.disagreement import Disagreement
from trajview.app.agreement.comparing_annotators import Annotations, read_annotations
from trajview.app.agreement.disagreement_opening import OpensEpisodes
from trajview.app.agreement.disagreement_text import furthest_said, heading, hidden_said, name_of, settling_said
from trajview.app.agreement.gold_sheet import Sheet, content_of, reasons_of
from trajview.app.agreement.reveal import RevealScreen
from trajview.app.agreement.settling import Settling
from trajview.app.agreement.side_by_side import queue_row, sheet
from trajview.app.keys import bindings_for
from trajview.app.shared.key_footer import KeyFooter
from trajview.app.shared.linked import linked
from trajview.errors import TrajviewError
from trajview.textsafe import one_line

__all__ = ["DisagreementScreen"]

_LIST: Final = 46
"""Cells that the list takes where it stands beside the sheet."""


class DisagreementScreen(OpensEpisodes):
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

    class _Loaded(Message):
        """The annotations were read."""

        def __init__(self, annotations: Annotations, queue: list[Disagreement]) -> None:
            super().__init__()
            self.annotations, self.queue = annotations, queue

    class _Failed(Message):
        """Something could not be read or written."""

        def __init__(self, title: str, said: str) -> None:
            super().__init__()
            self.title, self.said = title, said

    def __init__(self) -> None:
        super().__init__()
        self.annotations: Annotations | None = None
        self.queue: list[Disagreement] = []
        self.settlings: dict[str, Settling] = {}
        """By episode, what was opened to be settled."""
        self._asked = set()
        self._cited = []
        self._revealing = False
        """Whether a thread writes down that an episode is revealed; it must not be overtaken."""

    def compose(self) -> ComposeResult:
        with Horizontal(id="queue-header"):
            yield Static("", id="queue-title")
            yield Static("", id="queue-counts")
        with Container(id="queue-body"):
            yield OptionList()
            with Sheet():
                yield Static("", id="table")
                why = TextArea(id="why", tab_behavior="focus", soft_wrap=True)
                why.border_title = "why, in the gold record"
                yield why
                yield Static("", id="reasons")
        yield Static("", id="queue-status")
        yield KeyFooter()

    def on_mount(self) -> None:
        self._list = self.query_one(OptionList)
        self._sheet = self.query_one(Sheet)
        self._why = self.query_one("#why", TextArea)
        self.query_one("#queue-title", Static).update(
            Content.assemble(("disagreements  ", "bold"), "furthest apart first")
        )
        self._load()

    def on_screen_resume(self) -> None:
        if self.annotations is not None and not self._revealing:  # Something may have been submitted meanwhile.
            self._load()

    @work(thread=True, exclusive=True, group="disagreements", exit_on_error=False)
    def _load(self, reveal: Sequence[str] = ()) -> None:
        """Read everything, after it was written down that these episodes are revealed."""
        worker = get_current_worker()
        app = self.trajview
        title = "Not revealed"
        try:
            app.reveal(reveal)
            title = "Annotations not read"
            annotations = read_annotations(
                app.settings.store,
                app.settings.annotator,
                rubric=app.rubric,
                gold=app.settings.gold,
                revealed=app.revealed(),
            )
            queue = annotations.queue()
        except (TrajviewError, OSError) as error:
            self.post_message(self._Failed(title, str(error)))
            return
        if not worker.is_cancelled:
            self.post_message(self._Loaded(annotations, queue))

    def on_disagreement_screen__loaded(self, message: _Loaded) -> None:
        message.stop()
        self._revealing = False
        episode = self.current.episode if self.current is not None else None
        at = self._list.highlighted
        self.annotations, self.queue = message.annotations, message.queue
        for name, settling in self.settlings.items():
            settling.show(self.annotations.compare(name))
        self._fill()
        places = [at for at, found in enumerate(self.queue) if found.episode == episode]
        if self.queue:
            self._list.highlighted = places[0] if places else min(at or 0, len(self.queue) - 1)
        settled = sum(found.settled for found in self.queue)
        self.query_one("#queue-counts", Static).update(f"{len(self.queue):,} episodes, {settled:,} settled")
        self.show()

    def on_disagreement_screen__failed(self, message: _Failed) -> None:
        message.stop()
        self._revealing = False
        self.notify(one_line(message.said, 400), title=message.title, severity="error", markup=False)

    def _fill(self) -> None:
        width = (_LIST if self.has_class("-wide") else self.size.width) - 3
        named = [(each, name_of(each.episode, self._info(each.episode))) for each in self.queue]
        self._list.set_options([Option(content_of([queue_row(each, width, name)]), id=None) for each, name in named])

    def on_resize(self) -> None:
        if self.queue:
            at = self._list.highlighted
            self._fill()
            self._list.highlighted = at
        self.show()

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
        return self.settlings.get(found.episode) if found is not None and not found.hidden else None

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.show()
        self._sheet.scroll_home(animate=False)

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _focus_moved(self) -> None:
        self.call_after_refresh(self.show)

    def show(self) -> None:
        """The sheet of the episode under the cursor, and the line below."""
        if self.annotations is None or not self.is_attached:
            return
        table, reasons = self.query_one("#table", Static), self.query_one("#reasons", Static)
        found = self.current
        self._cited = []
        self.set_class(self.settling is not None, "-settling")
        if found is None:
            table.update("There is no episode yet that two annotators have submitted.")
            reasons.update("")
        elif found.hidden:
            table.update(hidden_said(found.episode, self._info(found.episode)))
            reasons.update("")
        else:
            self._show_sheet(found, table, reasons)
        self._show_why()
        self._say_status()
        self.refresh_bindings()

    def _show_sheet(self, found: Disagreement, table: Static, reasons: Static) -> None:
        assert self.annotations is not None
        comparison = self.annotations.compare(found.episode)
        info = self._info(found.episode)
        room = max(40, self.size.width - (_LIST if self.has_class("-wide") else 0) - 5)
        focused = self.focused is self._sheet
        lines, at = sheet(comparison, info.agents if info else (), self.settling, room=room, focused=focused)
        table.update(Content.assemble(heading(found.episode, info), content_of(lines)))
        if at is not None:
            self._sheet.scroll_to_region(Region(0, at + 3, 1, 1), animate=False)
        text, self._cited = linked(reasons_of(comparison.reasons, self.annotations.gold))
        reasons.update(text)

    def _say_status(self) -> None:
        settling = self.settling
        line = self.query_one("#queue-status", Static)
        said = ""
        problem = False
        if settling is not None and settling.row is not None:
            state = self.said or ("not saved" if settling.dirty else "nothing to save")
            said, problem = settling_said(settling, settling.row, state)
        elif (found := self.current) is not None and found.widest is not None:
            said = furthest_said(found.widest, self._info(found.episode))
        line.set_class(problem, "-problem")
        line.update(Content(said))

    # Actions of the key table

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys of the gold column are there where it is open."""
        if action in ("save", "fill", "middle", "step") and self.settling is None:
            return False
        if action == "reveal" and not (self.current is not None and self.current.hidden):
            return False
        return super().check_action(action, parameters)

    def action_line(self, rows: int) -> None:
        """Up or down: in the list, or in the gold column."""
        if self.focused is self._sheet and self.settling is not None:
            self.settling.move(rows)
            self.show()
        elif self.focused is self._sheet:
            self._sheet.scroll_relative(y=rows, animate=False)
        elif self.queue:
            at = self._list.highlighted or 0
            self._list.highlighted = max(0, min(len(self.queue) - 1, at + rows))

    def action_half(self, step: int) -> None:
        """Half a page up or down, in the sheet."""
        self._sheet.scroll_relative(y=step * max(1, self._sheet.size.height // 2), animate=False)

    def action_page(self, step: int) -> None:
        """A page up or down: in the list, or in the sheet."""
        if self.focused is self._sheet:
            self._sheet.scroll_relative(y=step * max(1, self._sheet.size.height - 2), animate=False)
        else:
            self.action_line(step * max(1, self._list.size.height - 1))

    def action_top(self) -> None:
        """To the first row."""
        self.action_line(-len(self.queue) - 1000)

    def action_end(self) -> None:
        """To the last row."""
        self.action_line(len(self.queue) + 1000)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_open()

    def action_reveal(self) -> None:
        """Show what others gave the episode, once that is confirmed."""
        found = self.current
        if found is None or not found.hidden:
            return
        episode = found.episode

        def answered(yes: bool | None) -> None:
            if yes:
                self._revealing = True
                self._load((episode,))

        what = f"Show what others gave {one_line(episode, 80)}, which you have not submitted?"
        self.app.push_screen(RevealScreen(what), answered)

    def action_help(self) -> None:
        """The keys of this screen."""
        self.trajview.show_help("disagreement")

    def action_back(self) -> None:
        """To the list; from there, back to the figures."""
        if self.focused is not self._list and not self._list.has_focus:
            self._list.focus()
        else:
            self.keep_now()
            self.dismiss()
