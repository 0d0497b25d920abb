"""The transcript screen: outline left, messages in the middle, metadata or annotation right, one status line."""

from __future__ import annotations

from collections import deque
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static
from textual.worker import get_current_worker

from trajview.app.annotate.episodes import EpisodeKeys
from trajview.app.annotate.unit_scores import Scoring
from trajview.app.keys import bindings_for
from trajview.app.shared.key_footer import KeyFooter
from trajview.app.shared.prompt import Prompt
from trajview.app.shared.status_line import StatusLine
from trajview.app.shared.unwaited import unwaited
from trajview.app.transcript.branch_view import BranchView
from trajview.app.transcript.branching import Branching
from trajview.app.transcript.counting import Counting
from trajview.app.transcript.early import Early
from trajview.app.transcript.exporting import Exporting
from trajview.app.transcript.minimap import Minimap
from trajview.app.transcript.noticing import Noticing
from trajview.app.transcript.outline import Outline
from trajview.app.transcript.searching import Searching
from trajview.app.transcript.session import TranscriptSession
from trajview.app.transcript.showing import Showing
from trajview.app.transcript.text import failed_said, opening_said, title_said
from trajview.app.transcript.view import TranscriptView
from trajview.corpus.info import RunInfo
from trajview.errors import UNFORESEEN, Problem, TrajviewError, bug
from trajview.models.beginning import beginning_of, differs_at
from trajview.models.run import AgentRun
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.app.results.found import Landing

__all__ = ["TranscriptScreen"]

_EVERY = 0.2  # seconds from one look at how far the opening is to the next
REST = 3
"""A run that grows all the time is read again for at most the time of one in so many, plus one."""


class TranscriptScreen(Early, Scoring, Searching, Branching, Exporting, Showing, Counting, Noticing):
    """Shows one run at a time; the app keeps one of these and gives it other runs."""

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
        &.-wide #left { display: block; width: 28%; min-width: 38; max-width: 60; }
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

    class _Loaded(Message):
        """A run was read, or could not be."""

        def __init__(
            self, asked: RunInfo, run: AgentRun | None, problem: Problem | None, first: TranscriptSession | None
        ) -> None:
            super().__init__()
            self.asked, self.run, self.problem, self.first = asked, run, problem, first
            self.info = asked
            """The run as it is listed now."""
            self.seconds = 0.0
            self.beginning = ""
            self.index: int | None = None
            """The transcript that was shown, where the run was read again to be shown in its place."""

    class _Prepared(Message):
        """Another transcript of the run is ready to be shown."""

        def __init__(self, run: AgentRun, index: int, session: TranscriptSession) -> None:
            super().__init__()
            self.run, self.index, self.session = run, index, session

    def __init__(
        self, info: RunInfo, *, annotate: bool = False, unit: int | None = None, landing: Landing | None = None
    ) -> None:
        super().__init__()
        self.info = info
        self._unit = unit
        self._landing = landing
        self._annotate = annotate
        self._cursor_in_panel = annotate
        self._changed = False  # since it was read
        self._reading_again = False
        self._rest_until = 0.0
        self._early = deque()

    def compose(self) -> ComposeResult:
        yield Static("", id="title")
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield BranchView(id="branches")
                yield Outline(id="outline")
            yield TranscriptView(id="transcript")
            yield Minimap(id="minimap")
            yield TranscriptView(id="side")
        yield Static("", id="problem")
        yield Prompt(id="prompt")
        yield StatusLine(id="status")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.view = self.query_one("#transcript", TranscriptView)
        self.view.follow = self._follow
        self.outline = self.query_one(Outline)
        self.branch_view = self.query_one(BranchView)
        self.minimap = self.query_one(Minimap)
        self.side = self.query_one("#side", TranscriptView)
        self.prompt = self.query_one(Prompt)
        self.status = self.query_one(StatusLine)
        for problem in self.trajview.rulebook.problems:
            self._toast(str(problem), error=True)
        self.trajview.rulebook.problems.clear()
        self.commands = EpisodeKeys(
            self.trajview.episodes,
            self.trajview.push_screen,
            at_hand=self.episode_at_hand,
            follow=self.follow_from_history,
            undone=self.episode_turned,
            skipped=self.episode_skipped,
            before_undo=self.before_undo,
        ).commands
        self._opening_clock = self.set_interval(_EVERY, self._say_opening, pause=True)
        self.open_run(self.info, annotate=self._annotate, unit=self._unit, landing=self._landing)

    # -- opening -------------------------------------------------------------------------------------------------------

    def open_run(
        self, info: RunInfo, *, annotate: bool = False, unit: int | None = None, landing: Landing | None = None
    ) -> None:
        """Read a run in a thread and show it; what is shown now stays until then."""
        self.info, self._opening = info, True
        self._annotate = annotate or self.has_class("-annotating")
        self._cursor_in_panel = annotate or self.panel_has_cursor
        self._unit, self._landing = unit, landing
        if landing is not None:
            self._came_with, self.sought = landing.typed, ""
        self._changed = self._reading_again = self._gone = False
        self._opening_since = monotonic()
        self._say_opening()
        self._opening_clock.resume()
        self._load(info)

    def _say_opening(self) -> None:
        self.status.say(opening_said(self.info, monotonic() - self._opening_since))

    def run_changed(self) -> None:
        """The run is another one in its file now: show it so, with the reader where he is; soon, if it is a long one."""
        self._changed = True
        if self.has_class("-failed"):
            self._load(self.info)
        if self._reading_again or self.run is None or self.has_class("-failed"):
            return
        wait = self._rest_until - monotonic()
        if wait > 0:
            self._reading_again = True
            self.set_timer(wait, self._read_again)
        else:
            self._read_again()

    def _read_again(self) -> None:
        self._changed, self._reading_again = False, True
        self._load(self.info, self.index)

    def action_reload(self) -> None:
        """Read the run again; draw all, in case another program wrote on the terminal."""
        self.refresh()
        self._brief("reading the run again…")
        self._reading_again = True
        self._load(self.info, self.index, anew=True)

    @unwaited("load")
    def _load(self, asked: RunInfo, index: int | None = None, anew: bool = False) -> None:
        """Read a run; `index`, the transcript that is shown of it, where it takes the place of what is shown."""
        worker, begun, info = get_current_worker(), monotonic(), asked
        run: AgentRun | None = None
        problem: Problem | None = None
        first: TranscriptSession | None = None
        beginning = ""
        try:
            info = self.trajview.corpus.refresh(asked, now=anew)
            run = self.trajview.episodes.load(info)
            wanted = self._landing.transcript if index is None and self._landing is not None else index or 0
            first = self._session(run, min(wanted, len(run.transcripts) - 1))
            beginning = beginning_of(run)
        except TrajviewError as error:
            problem = error.problem()
        except UNFORESEEN as error:
            problem = bug(error)
        if not worker.is_cancelled:
            message = self._Loaded(asked, run, problem, first)
            message.info, message.seconds, message.index = info, monotonic() - begun, index
            message.beginning = beginning
            self.post_message(message)

    def _session(self, run: AgentRun, index: int) -> TranscriptSession:
        units = [self._unit] if self._unit is not None else []
        preview, width = self.trajview.settings.preview_lines, self.view.text_width or 80
        session = TranscriptSession(
            run.transcripts[index],
            rules=self.trajview.rulebook.wanted,
            units=units,
            preview_lines=preview,
            width=width,
        )
        if self.trajview.look is not None:
            session.look_as(self.trajview.look)
        return session

    def on_transcript_screen__loaded(self, message: _Loaded) -> None:
        message.stop()
        if message.asked is not self.info:
            return
        if message.index is not None and self.session is not None and not self.has_class("-failed"):
            self._show_again(message)
            return
        self._opening_clock.pause()
        self.info = message.info
        self.set_class(message.problem is not None, "-failed")
        if message.run is None or message.first is None:
            problem = message.problem or Problem("nothing was read")
            if self.panel is not None:
                self.panel.ahead.drop()
            self.query_one("#title", Static).update(Content(f"✗ {one_line(self.info.name or self.info.id)}"))
            self.query_one("#problem", Static).update(failed_said(problem))
            # Keys are about no run, least of all about the one that was shown before.
            self.run, self.sessions, self._tokens, self._said = None, {}, {}, ""
            self.close_annotation()
            self._run_never_comes()
            return
        self.run, self.beginning = message.run, message.beginning
        landing, self._landing = self._landing, None
        first = min(landing.transcript, len(self.run.transcripts) - 1) if landing is not None else 0
        self.sessions = {first: message.first}
        self._tokens = {}
        self._show_transcript(first)
        if landing is not None and landing.citation is not None:
            self.follow(landing.citation)
        elif landing is not None:
            self._land(message.first, landing)
        if self._unit is not None:
            if self.session is not None and not self.session.to_unit(self._unit):
                count = len(self.session.unit_starts)
                self._toast(f"There is no unit {self._unit}: this transcript has units 0 to {count - 1}.", error=True)
            self._moved()
        if self._annotate:
            self.open_annotation(with_cursor=self._cursor_in_panel)
        self._run_is_here()

    def _show_again(self, message: _Loaded) -> None:
        """Show a run that was read again in the place of what is shown of it."""
        self._reading_again = False
        self._rest_until = monotonic() + REST * message.seconds
        before, run, session = self.session, message.run, message.first
        if run is None or session is None or before is None:
            self._brief(message.problem.reason if message.problem else "nothing was read")
        elif message.index == self.index:
            self.info, self.run = message.info, run
            self._say_if_another(message.beginning)
            session.take_over(before)
            self.sessions = {min(self.index, len(run.transcripts) - 1): session}
            self._forget_tokens(session)
            self._said = ""
            self._show_transcript(*self.sessions)
            if session.search is not None:
                self._search(session, session.search.text, quietly=True)
        else:
            self._changed = True
        if self._changed:
            self.run_changed()

    def _say_if_another(self, beginning: str) -> None:
        """Another conversation in the place of the one that was read is no news to be overlooked."""
        before, self.beginning = self.beginning, beginning
        differs = differs_at(before, beginning)
        if differs is not None:
            where = f"it differs from message {differs} on" if differs else "it begins differently"
            self._toast(f"This log holds another conversation now: {where}.", error=True)
        # A panel that is not to be seen asks when it is.
        if self.has_class("-annotating"):
            self._tell_panel()

    def _show_transcript(self, index: int) -> None:
        assert self.run is not None
        self._wanted = index
        session = self.sessions.get(index)
        if session is None:
            self._prepare(self.run, index)
            return
        if index != self.index and self.trajview.look is not None:
            session.look_as(self.trajview.look)
        self.index = index
        self.view.show(session)
        self.outline.show(session)
        self.minimap.show(session)
        self._shown_message = -1
        blind = self.trajview.episodes.hides(self.info)
        self.query_one("#title", Static).update(title_said(self.run, index, self.info, blind=blind))
        self._moved()
        if not session.scanned:
            self._scan(session)
        self._transcript_shown(session)

    @unwaited("prepare", exit_on_error=True)
    def _prepare(self, run: AgentRun, index: int) -> None:
        """Get another transcript of the run ready: its highlights and sizes are looked for in a thread."""
        worker = get_current_worker()
        session = self._session(run, index)
        if not worker.is_cancelled:
            self.post_message(self._Prepared(run, index, session))

    @on(_Prepared)
    def _show_prepared(self, message: _Prepared) -> None:
        message.stop()
        if message.run is self.run:
            self.sessions[message.index] = message.session
            if message.index == self._wanted:
                self._show_transcript(message.index)

    # -- leaving -------------------------------------------------------------------------------------------------------

    def action_help(self) -> None:
        """The keys."""
        self.trajview.show_help("transcript")

    def action_back(self) -> None:
        """Close what is open on top of the transcript, else go back to the list; ask about unsaved work."""
        if self.stop_writing() or self.end_selection():
            return
        session = self.session
        if session is not None and session.search is not None and session.search.text != self._came_with:
            self._clear_search()
            return
        if self.has_class("-metadata"):
            self.remove_class("-metadata")
            return
        if self.has_class("-annotating"):
            self.close_annotation()
            return
        self.trajview.leave_transcript(self)
