"""The transcript screen: outline left, messages in the middle, metadata or annotation right, one status line."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from trajview.app.annotate.annotating import Annotator
from trajview.app.annotate.citing import Citer
from trajview.app.annotate.episodes import EpisodeKeys
from trajview.app.annotate.fields import CitingText
from trajview.app.annotate.unit_scores import UnitScorer
from trajview.app.keys import bindings_for, key_of
from trajview.app.render.evidence import citation_at
from trajview.app.render.layout import MEASURE
from trajview.app.shared.background import Background
from trajview.app.shared.key_footer import KeyFooter
from trajview.app.shared.key_queue import Wait
from trajview.app.shared.prompt import Prompt
from trajview.app.shared.row_selection import RowSelection
from trajview.app.shared.rows_view import GUTTER
from trajview.app.shared.screen import TrajviewScreen
from trajview.app.shared.status_line import StatusLine
from trajview.app.transcript.branch_view import BranchView
from trajview.app.transcript.branches import Brancher
from trajview.app.transcript.desk import Desk, Display, Notices, Panes, Places, Reading
from trajview.app.transcript.exporter import Exporter
from trajview.app.transcript.highlighter import Highlighter
from trajview.app.transcript.jumps import Jumps, Looks
from trajview.app.transcript.minimap import Minimap
from trajview.app.transcript.opening import Follower, Opener, RunRead, Wanted
from trajview.app.transcript.outline import Outline
from trajview.app.transcript.pictures import Images
from trajview.app.transcript.searching import Searcher
from trajview.app.transcript.session import TranscriptSession
from trajview.app.transcript.text import TokenCounter, failed_text, opening_text, status_text, title_text
from trajview.app.transcript.view import TranscriptView
from trajview.app.transcript.ways_out import WaysOut
from trajview.errors import Problem
from trajview.models.beginning import differs_at
from trajview.models.run import AgentRun
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.annotation.citations import Citation
    from trajview.app.annotate.panel import AnnotationPanel
    from trajview.app.results.found import Landing
    from trajview.app.shared.screen import Neighbours
    from trajview.corpus.info import RunInfo

__all__ = ["TranscriptScreen"]

_EVERY: Final = 0.2  # seconds from one look at how far an opening or an export is to the next
_WITHOUT_RUN: Final = frozenset({"back", "run.next", "run.previous", "edit", "help", "palette"})
"""Commands that do something while a run is being opened."""
_WITHOUT_TRANSCRIPT: Final = _WITHOUT_RUN | {"reload", "show.raw", "undo", "redo"}
"""Commands that do something where the run cannot be shown, either."""
_OF_A_MESSAGE: Final = frozenset(
    {"mark", "mark.note", "score.unit", "cite", "citation", "highlight.word", "copy", "copy.unit"}
)
"""Commands that are about the message or the unit under the cursor."""
_PANEL_WITHOUT_RUN: Final = frozenset({"annotation.next_run", "annotation.previous_run"})
"""The same, with the cursor in the annotation panel."""
_LONG: Final = 60.0
"""Seconds that keys wait for a run at most: to read half a gigabyte takes its time."""
_PROSE: Final = MEASURE + TranscriptView.EDGES + 2
"""Columns that prose uses at most, with the minimap beside it."""
_OF_MESSAGES: Final = frozenset({"export", "score.unit", "mark.note"})
"""Commands that open a field, and are keys of the messages only."""


class TranscriptScreen(TrajviewScreen):
    """Shows one run at a time; the app keeps one of these and gives it other runs.

    It is composed of objects that share the `Reading` (what is read) and each do one thing; the screen tells them what happens.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("transcript")]
    AUTO_FOCUS = "#transcript"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-medium"), (140, "-wide")]  # noqa: RUF012
    DEFAULT_CSS = """
    TranscriptScreen {
        background: $background;
        & #title { height: 1; background: $panel; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & #body { height: 1fr; }
        & #transcript { width: 1fr; }
        & #left { display: none; width: 32; }
        & #side { display: none; width: 44; background: $surface; }
        &.-medium #left { display: block; width: 30; }
        &.-wide #left { display: block; width: 100%; }
        &.-annotating.-wide #left, &.-metadata.-wide #left { width: 24%; }
        &.-medium #minimap, &.-wide #minimap { width: 2; }
        &.-annotating.-medium #left { display: none; }
        &.-metadata.-medium #left { display: none; }
        &.-outline #left { display: block; }
        &.-annotating.-narrow #left { display: none; }
        &.-no-outline #left { display: none; }
        &.-tree #left { display: block !important; }
        &.-tree.-narrow AnnotationPanel, &.-tree.-narrow #side { display: none !important; }
        &.-metadata #side { display: block; }
        &.-annotating AnnotationPanel { display: block; }
        & AnnotationPanel { display: none; }
        &.-narrow AnnotationPanel, &.-narrow #side { width: 55%; min-width: 36; }
        &.-wide AnnotationPanel, &.-wide #side { width: 56; }
        & #problem { display: none; padding: 2 4; height: 1fr; width: 1fr; }
        &.-failed #problem { display: block; }
        &.-failed #body { display: none; }
    }
    """

    def __init__(
        self,
        info: RunInfo,
        neighbours: Neighbours,
        *,
        annotate: bool = False,
        unit: int | None = None,
        landing: Landing | None = None,
    ) -> None:
        """
        Args:
            neighbours: The runs that the keys for the next and the previous run lead to.
            annotate: Whether the annotation panel is opened.
            unit: The unit to begin at.
            landing: Where a search or a citation leads to.
        """
        super().__init__()
        self._neighbours = neighbours
        self.reading = Reading(info)
        self._first = Wanted(info, unit, landing, annotate, annotate)
        self._coming: Wait | None = None
        """The run that is being opened, as far as keys are meant for it."""
        self.view, self.side = TranscriptView(id="transcript"), TranscriptView(id="side")
        self.branch_view, self.outline, self.minimap = (
            BranchView(id="branches"),
            Outline(id="outline"),
            Minimap(id="minimap"),
        )
        self._left = Vertical(id="left")
        self.prompt, self.status = Prompt(id="prompt"), StatusLine(id="status")
        self._compose_parts()

    def compose(self) -> ComposeResult:
        yield Static("", id="title")
        with Horizontal(id="body"):
            with self._left:
                yield self.branch_view
                yield self.outline
            yield self.view
            yield self.minimap
            yield self.side
        yield Static("", id="problem")
        yield self.prompt
        yield self.status
        yield KeyFooter()

    def on_mount(self) -> None:
        self._clock = self.set_interval(_EVERY, self._tick, pause=True)
        for problem in self.trajview.rulebook.problems:
            self.notices.toast(str(problem), error=True)
        self.trajview.rulebook.problems.clear()
        self._open(self._first)

    def on_resize(self, event: events.Resize) -> None:
        """Have Textual lay out this size once, and draw it once.

        By itself it takes the class of the new width when all is laid out and drawn in the old one. And it would draw the
        status line and the minimap before the transcript, which only then comes to be where they say that it is.
        """
        fitting = [name for least, name in self.HORIZONTAL_BREAKPOINTS if event.size.width >= least]
        self.update_classes({name: name == fitting[-1] for _, name in self.HORIZONTAL_BREAKPOINTS}, animate=False)
        self._limit_outline(event.size.width)
        drawn_later = ExitStack()
        drawn_later.enter_context(self.app.batch_update())
        self.call_next(self._fit, drawn_later)

    def _limit_outline(self, width: int) -> None:
        """Let the outline have what prose leaves of a wide screen, as far as its lines need that."""
        usual = max(38, min(60, width * 28 // 100))
        self._left.styles.max_width = max(usual, min(width - _PROSE, self.outline.width_needed))

    def _fit(self, drawn_later: ExitStack) -> None:
        """Fit what is read into the new layout, and let it be drawn."""
        with drawn_later:
            self.view.fit()

    def _compose_parts(self) -> None:
        """Make the objects that this screen is composed of, and name what does each command."""
        app, reading = self.trajview, self.reading
        self.view.follow = self._follow
        self.notices = Notices(self.notify, self._say_status)
        self.shown = Display(self.view, self.outline, self.minimap)
        self.panes = Panes(self, reading, self.view, self.side)
        self.places = Places(reading, self.shown, self.notices, self._show_transcript)
        desk = Desk(reading, self.shown, self.panes, self.places, self.notices, self.prompt, Background(self))
        self.opener = Opener(desk, app, opened=self._opened, failed=self._failed, reread=self._show_again)
        self.searcher = Searcher(
            desk, found=lambda: self.jumps.search_arrived(), elsewhere=lambda: self.jumps.match_elsewhere(1)
        )
        self.highlighter = Highlighter(desk, app.rulebook, scanned=self._transcript_shown)
        self.brancher = Brancher(desk, self.branch_view)
        self.jumps = Jumps(desk, self.searcher, self.brancher, other_runs_match=self._neighbours.were_searched)
        self.tokens = TokenCounter(desk)
        self.follower = Follower(desk, app.corpus, self.opener)
        self.exporter = Exporter(desk, lambda: app.store, lambda: app.rulebook.wanted)
        self.unit_scorer = UnitScorer(desk, app, self.call_later)
        self.annotator = Annotator(
            desk,
            app,
            open_run=partial(self.open_run, annotate=True),
            reload_notes=self.unit_scorer.reload,
            written=lambda: self.citer.reasoning_changed(),
        )
        self.citer = Citer(desk, app, self.annotator)
        self.images = Images(desk)
        self.view.open_image = self.images.open
        self.row_selection = RowSelection(self.view)
        episode = EpisodeKeys(
            app,
            at_hand=lambda: self.info if self.run is not None else None,
            follow=self._follow_from_history,
            undone=self._episode_turned,
            skipped=lambda info: self.annotator.skipped(info) if self.is_current else None,
            before_undo=self._before_undo,
        )
        parts = (
            episode, self.view, self.jumps, self.places, self.searcher, self.highlighter, self.brancher,
            Looks(desk, app, self.images), WaysOut(desk, app, self.opener.run_changed), self.unit_scorer, self.citer, self.row_selection,
        )  # fmt: skip
        self.commands = {id: command for part in parts for id, command in part.commands.items()} | {
            "run.next": partial(self._step_run, 1),
            "run.previous": partial(self._step_run, -1),
            "highlight.sources": self._show_highlights,
            "annotate": self.annotator.open,
            "annotation.citation": self._follow_own_citation,
            "export": self._export,
            "reload": self._reload,
            "help": lambda: app.show_help("annotation" if self.annotator.has_cursor else "transcript"),
            "back": self._back,
        }

    # -- what is shown -------------------------------------------------------------------------------------------------

    @property
    def info(self) -> RunInfo:
        """The run that is shown, or being opened."""
        return self.reading.info

    @property
    def run(self) -> AgentRun | None:
        """The run that is shown; None while there is none."""
        return self.reading.run

    @property
    def index(self) -> int:
        """Which transcript of the run is shown."""
        return self.reading.index

    @property
    def session(self) -> TranscriptSession | None:
        """The transcript that is being read."""
        return self.reading.session

    @property
    def panel(self) -> AnnotationPanel | None:
        """The annotation panel, once it has been opened."""
        return self.annotator.panel

    def open_run(
        self, info: RunInfo, *, annotate: bool = False, unit: int | None = None, landing: Landing | None = None
    ) -> None:
        """Read a run in a thread and show it; what is shown now stays until then."""
        unit_here = landing.unit if landing is not None and info.key == self.info.key else None
        if landing is not None and unit_here is not None and self.run is not None:
            transcript = min(landing.transcript, self.reading.count - 1)
            self.places.jump(transcript, lambda session: self._go_to_unit(session, unit_here), f"unit {unit_here}")
            return
        cursor_in_panel = annotate or self.annotator.has_cursor
        self._open(Wanted(info, unit, landing, annotate or self.panes.annotating, cursor_in_panel))

    def keep_place(self) -> None:
        session, info = self.session, self.info
        if session is None or self.opener.opening:  # then it is not the run that is shown any more
            return
        place = session.place(self.index)
        is_start = session.cursor == session.top == (0, 0) and not (place.transcript or place.folds)
        self.trajview.saved_places.keep_run(info.path, info.key, None if is_start else place)

    def _open(self, wanted: Wanted) -> None:
        self.keep_place()
        self.reading.info = wanted.info
        before, self._coming = self._coming, self.trajview.keys.wait(passes=self._needs_no_run, patience=_LONG)
        if before is not None:
            before.done()
        if wanted.landing is not None:
            self.searcher.come_with(wanted.landing.typed)
        self.follower.gone = False
        self.notices.forget()
        self.opener.open(wanted)
        self._tick()
        self._clock.resume()

    def _tick(self) -> None:
        """Say how far the opening is, or an export."""
        if self.opener.opening:
            self.status.say(opening_text(self.info, self.opener.seconds))
        elif self.exporter.progress:
            self._say_status()
        else:
            self._clock.pause()

    def _opened(self, read: RunRead, wanted: Wanted) -> None:
        """Show a run that was asked for."""
        self.remove_class("-failed")
        reading = self.reading
        reading.info, reading.run, reading.beginning = read.info, read.run, read.beginning
        reading.sessions = {read.index: read.session}
        self._show_transcript(read.index)
        landing = wanted.landing
        if landing is not None and landing.citation is not None:
            self.citer.follow(landing.citation)
        elif landing is not None:
            self.searcher.land(read.session, landing)
        unit = wanted.unit if landing is None else landing.unit
        if unit is not None:
            self._go_to_unit(read.session, unit)
        if read.place is not None:
            read.session.come_back(read.place)
            self.shown.moved()
            if read.session.cursor != (0, 0):
                top = "" if wanted.cursor_in_panel else f" · {key_of('move.top')} goes to the top"
                self.notices.brief(f"back at message {read.session.message}{top}")
        if wanted.annotate:
            self.annotator.open(with_cursor=wanted.cursor_in_panel)
        if self._coming is not None:
            self._coming.done()

    def _go_to_unit(self, session: TranscriptSession, unit: int) -> None:
        if not session.to_unit(unit):
            last = len(session.unit_starts) - 1
            self.notices.toast(f"There is no unit {unit}: this transcript has units 0 to {last}.", error=True)
        self.shown.moved()

    def _failed(self, problem: Problem) -> None:
        """Say why a run cannot be shown. Keys are about no run, least of all about the one that was shown before."""
        self.add_class("-failed")
        self._expect_nothing("the run cannot be shown")
        self.query_one("#title", Static).update(Content(f"✗ {one_line(self.info.name or self.info.id)}"))
        self.query_one("#problem", Static).update(failed_text(problem))
        self.reading.none_left()
        self.notices.forget()
        self.annotator.close()

    def runs_changed(self, infos: Sequence[RunInfo]) -> None:
        """Runs are others now in the list; the one that is read may be among them."""
        self.follower.runs_changed(infos)

    def _show_again(self, read: RunRead | Problem) -> None:
        """Show a run that was read again in the place of what is shown of it."""
        reading, before = self.reading, self.reading.session
        if isinstance(read, Problem) or before is None:
            self.notices.brief(read.reason if isinstance(read, Problem) else "nothing was read")
            return
        reading.info, reading.run = read.info, read.run
        self._warn_if_another(read.beginning)
        read.session.take_over(before)
        reading.sessions = {read.index: read.session}
        self.notices.forget()
        self._show_transcript(read.index)
        self.searcher.again(read.session)

    def _warn_if_another(self, beginning: str) -> None:
        """Another conversation in the place of the one that was read is no news to be overlooked."""
        before, self.reading.beginning = self.reading.beginning, beginning
        differs = differs_at(before, beginning)
        if differs is not None:
            where = f"it differs from message {differs} on" if differs else "it begins differently"
            self.notices.toast(f"This log holds another conversation now: {where}.", error=True)
        # A panel that is not to be seen asks when it is.
        if self.panes.annotating:
            self.annotator.run_begins()

    def _show_transcript(self, index: int) -> None:
        """Show a transcript of the run, once it is ready."""
        reading = self.reading
        assert reading.run is not None
        reading.wanted = index
        session = reading.sessions.get(index)
        if session is None:
            self.opener.prepare(reading.run, index, self._prepared)
            return
        if index != reading.index and self.trajview.look is not None:
            session.look_as(self.trajview.look)
        reading.index = index
        self.shown.show(session)
        self._limit_outline(self.size.width)
        blind = self.trajview.episodes.hides(self.info)
        self.query_one("#title", Static).update(title_text(reading.run, index, self.info, blind=blind))
        self.shown.moved()
        if not session.highlights.scanned:
            self.highlighter.scan(session)
        self._transcript_shown(session)

    def _prepared(self, run: AgentRun, index: int, session: TranscriptSession) -> None:
        if run is self.reading.run:
            self.reading.sessions[index] = session
            if index == self.reading.wanted:
                self._show_transcript(index)

    def _transcript_shown(self, session: TranscriptSession) -> None:
        """A transcript is on the screen: of another run, another one of this run, the same, read again or looked through."""
        self.jumps.transcript_shown()
        self.searcher.transcript_shown(session)
        self.brancher.transcript_shown(session)
        self.tokens.transcript_shown(session)
        self.follower.transcript_shown(session)
        self.citer.transcript_shown(session)
        self.places.arrived()
        self.unit_scorer.transcript_shown()

    def _follow(self) -> None:
        """The reader has moved."""
        if self.session is not None:
            self.shown.follow()
            self.images.draw()
            self._say_status()
            self.panes.describe()

    def _say_status(self) -> None:
        session = self.session
        if session is None:
            if self.opener.has_failed:
                self.status.say(["cannot be shown"], self.notices.text, "$accent")
            return
        if not session.messages:
            self.status.say(["this transcript has no messages"])
            return
        following = ""
        if self.trajview.corpus.following:
            following = "gone from its log" if self.follower.gone else "following"
        hits = self.searcher.status(session) if session.search is not None else ""
        news = self.notices.text
        if self.exporter.progress:
            self._clock.resume()
        self.status.say(
            status_text(session, hits=hits, following=following),
            news or self.exporter.progress or self._store_text(),
            "$accent" if news else "",
        )

    def _store_text(self) -> str:
        if not self.panes.annotating:
            return ""
        root = one_line(str(self.trajview.store.root), 1000)
        return f"saves to {root if len(root) <= 40 else '…' + root[-39:]}"

    # -- keys, clicks and messages -------------------------------------------------------------------------------------

    async def action_do(self, id: str) -> None:
        """Do a command of the key table, unless it is about a transcript or a message, and there is none."""
        session = self.session
        if id in _WITHOUT_TRANSCRIPT or (session is not None and (session.messages or id not in _OF_A_MESSAGE)):
            await super().action_do(id)

    def can_do(self, id: str) -> bool:
        """Whether a command can be done now: some keys are those of the messages only."""
        if id in _OF_MESSAGES:
            return self.focused is None or self.focused is self.view
        return super().can_do(id)

    def on_key(self) -> None:
        # Before what the key does: that may say something itself.
        self.notices.forget()
        self.searcher.key_pressed()
        self.row_selection.before_key()

    def at_work(self) -> None:
        """A key was pressed, or the mouse."""
        self.annotator.at_work()

    def on_unmount(self) -> None:
        self._expect_nothing()
        self.unit_scorer.close()

    def on_click(self, event: events.Click) -> None:
        """Follow the citation that is clicked, in the transcript or in what is known of the run. A drag selects."""
        for view in (self.view, self.side):
            session, offset = view.session, event.get_content_offset(view)
            if event.widget is not view or session is None or offset is None or view.text_selection is not None:
                continue
            row = view.scroll_offset.y + offset.y
            if session.messages and row < session.map.total:
                message, number = session.at_row(row)
                citation = citation_at(session.layout(message), number, offset.x - GUTTER)
                if citation is not None:
                    self.citer.follow(citation)

    @on(Outline.Picked)
    def _go_to_picked_unit(self, message: Outline.Picked) -> None:
        message.stop()
        if self.session is not None and self.session.to_unit(message.unit):
            self.shown.moved()

    @on(Minimap.Picked)
    def _go_to_picked_place(self, message: Minimap.Picked) -> None:
        message.stop()
        if self.session is not None:
            if message.message is not None:
                self.session.to_message(message.message)
            else:
                self.session.to_percentage(100 * message.share)
            self.shown.moved()

    @on(BranchView.Picked)
    def _open_picked_transcript(self, message: BranchView.Picked) -> None:
        message.stop()
        self.brancher.open(message.transcript)

    @on(BranchView.Left)
    def _leave_tree(self, message: BranchView.Left) -> None:
        message.stop()
        self.panes.show_tree(False)
        self.view.focus()

    # -- keys that come before the run ---------------------------------------------------------------------------------

    def _expect_nothing(self, why: str = "") -> None:
        if self._coming is not None:
            self._coming.never(why)

    def _needs_no_run(self, command: str) -> bool:
        """Whether a command does something while a run is being opened. What is typed in a field goes there."""
        if not self.is_current or isinstance(self.focused, Input):
            return True
        return command in (_PANEL_WITHOUT_RUN if self.annotator.has_cursor else _WITHOUT_RUN)

    # -- commands that are about the screen, or lead to others ---------------------------------------------------------

    def _step_run(self, step: int) -> None:
        """Next or previous run of the list; of those that were found, where one of them was opened."""
        if not self._neighbours.open_next(self.info, step):
            self.notices.brief(f"{'last' if step > 0 else 'first'} {self._neighbours.noun}")

    def _show_highlights(self) -> None:
        """Open the panel of all highlights."""
        from trajview.app.transcript.sources import SourcesScreen

        self.highlighter.panel_shown(True)
        self.app.push_screen(SourcesScreen(self.highlighter), lambda _: self.highlighter.panel_shown(False))

    def _follow_own_citation(self) -> None:
        """Follow the citation at the cursor of the text that is being written; the cursor stays there."""
        text = self.focused
        citation = text.citation_at_cursor if isinstance(text, CitingText) else None
        if citation is None:
            self.notices.brief("no citation at the cursor")
        else:
            self.citer.follow(citation)

    def _export(self) -> None:
        """Ask for the file to write the run, or the messages that the selection touches, into."""
        from trajview.export.exported import Part

        assert self.run is not None
        quoted = self.shown.quoted()
        part = None if quoted is None else Part(self.reading.index, quoted.first, quoted.last)
        self.app.clear_notifications()  # they would lie over the question
        self.exporter.ask(self.run, self.info.key, self.info.id, part)

    def _reload(self) -> None:
        """Read the run again; draw all, in case another program wrote on the terminal."""
        self.refresh()
        self.notices.brief("reading the run again…")
        self.opener.read_again(anew=True)

    def _back(self) -> None:
        """Close what is open on top of the transcript, else go back to the list; ask about unsaved work."""
        if self.exporter.stop() or self.row_selection.end():
            return
        if self.searcher.can_be_left:
            self.searcher.clear()
        elif self.panes.metadata:
            self.panes.close_metadata()
        elif self.panes.annotating:
            self.annotator.close()
        else:
            self.trajview.leave_transcript(self)

    # -- the episode as a whole ----------------------------------------------------------------------------------------

    def _episode_turned(self, info: RunInfo | None) -> None:
        """Show what was undone or done again, in the episode where it was."""
        if not self.is_current:
            return
        if info is not None and info.key != self.info.key:
            self.trajview.browser.go_to(info)
            self.open_run(info, annotate=self.panes.annotating)
        else:
            self.annotator.turned()

    async def _before_undo(self) -> bool:
        """Write down what was said or typed a moment ago: it is the first thing to take back."""
        await self.unit_scorer.written()
        return await self.annotator.keep()

    def _follow_from_history(self, info: RunInfo, citation: Citation) -> None:
        if info.key == self.info.key:
            self.citer.follow(citation)
