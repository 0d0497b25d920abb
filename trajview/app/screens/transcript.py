"""The transcript screen: outline left, messages in the middle, metadata or annotation right, one status line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static
from textual.worker import get_current_worker

from trajview.app.keys import bindings_for
from trajview.app.reading import Reading
from trajview.app.session import SearchHits, TranscriptSession
from trajview.app.widgets.key_footer import KeyFooter
from trajview.app.widgets.minimap import Minimap
from trajview.app.widgets.outline import Outline
from trajview.app.widgets.prompt import Prompt
from trajview.app.widgets.status_line import StatusLine
from trajview.app.widgets.transcript_view import TranscriptView
from trajview.corpus.info import RunInfo
from trajview.errors import Problem, TrajviewError
from trajview.highlight import Highlight, Rule, compile_rule, highlights_in, text_of
from trajview.models.messages import ToolMessage
from trajview.models.run import AgentRun, overall_of
from trajview.models.transcript import Transcript
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.app.app import TrajviewApp
    from trajview.app.widgets.annotation_panel import AnnotationPanel

__all__ = ["TranscriptScreen"]

MOST_COUNTED = 30_000_000
"""Characters of a transcript whose tokens are counted without being asked for: some two seconds of one core."""


class TranscriptScreen(Reading, Screen[None]):
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
        & #outline { display: none; }
        & #side { display: none; width: 44; background: $surface; }
        &.-medium #outline { display: block; width: 30; }
        &.-wide #outline { display: block; width: 38; }
        &.-annotating.-medium #outline { display: none; }
        &.-metadata.-medium #outline { display: none; }
        &.-outline #outline { display: block; }
        &.-no-outline #outline { display: none; }
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
            self, info: RunInfo, run: AgentRun | None, problem: Problem | None, first: TranscriptSession | None
        ) -> None:
            super().__init__()
            self.info, self.run, self.problem, self.first = info, run, problem, first

    class _Found(Message):
        """A search is done."""

        def __init__(self, session: TranscriptSession, hits: SearchHits) -> None:
            super().__init__()
            self.session, self.hits = session, hits

    class _Scanned(Message):
        """The highlights of a long transcript were found."""

        def __init__(self, session: TranscriptSession, found: list[Highlight]) -> None:
            super().__init__()
            self.session, self.found = session, found

    class _Counted(Message):
        """The tokens of a transcript were counted."""

        def __init__(self, session: TranscriptSession, tokens: int) -> None:
            super().__init__()
            self.session, self.tokens = session, tokens

    def __init__(self, info: RunInfo, *, annotate: bool = False, unit: int | None = None) -> None:
        super().__init__()
        self.info = info
        self.run: AgentRun | None = None
        self.sessions: dict[int, TranscriptSession] = {}
        self.index = 0
        """Which transcript of the run is shown."""
        self._unit = unit
        self._annotate = annotate
        self._rules: list[Rule] = []
        self._tokens: dict[int, int] = {}
        self._said = ""
        self._shown_message = -1

    @property
    def trajview(self) -> TrajviewApp:
        """The app, by its own type."""
        return cast("TrajviewApp", self.app)

    def compose(self) -> ComposeResult:
        yield Static("", id="title")
        with Horizontal(id="body"):
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
        self.minimap = self.query_one(Minimap)
        self.side = self.query_one("#side", TranscriptView)
        self.prompt = self.query_one(Prompt)
        self.status = self.query_one(StatusLine)
        self._rules = [compile_rule(pattern) for pattern in self.trajview.settings.highlight]
        self.open_run(self.info, annotate=self._annotate, unit=self._unit)

    # -- opening -------------------------------------------------------------------------------------------------------

    def open_run(self, info: RunInfo, *, annotate: bool = False, unit: int | None = None) -> None:
        """Read a run in a thread and show it; what is shown now stays until then."""
        self.info = info
        self._annotate = annotate or self.has_class("-annotating")
        self._unit = unit
        self.status.say([f"opening {one_line(info.name or info.id, 60)}…"])
        self._load(info)

    @work(thread=True, exclusive=True, group="load", exit_on_error=False)
    def _load(self, info: RunInfo) -> None:
        worker = get_current_worker()
        run: AgentRun | None = None
        problem: Problem | None = None
        first: TranscriptSession | None = None
        try:
            run = self.trajview.corpus.load(info, lazily=True)
            first = self._session(run, 0)
        except TrajviewError as error:
            problem = error.problem()
        except (
            OSError,
            ValueError,
            TypeError,
            KeyError,
            IndexError,
            AttributeError,
            RecursionError,
            MemoryError,
        ) as error:
            # A log that no reader foresaw must not take the program down; it is said in full.
            problem = Problem(f"{type(error).__name__}: {error}", "this is a bug in trajview: please report it")
        if not worker.is_cancelled:
            self.post_message(self._Loaded(info, run, problem, first))

    def _session(self, run: AgentRun, index: int) -> TranscriptSession:
        units = [self._unit] if self._unit is not None else []
        preview = self.trajview.settings.preview_lines
        return TranscriptSession(run.transcripts[index], rules=self._rules, units=units, preview_lines=preview)

    def on_transcript_screen__loaded(self, message: _Loaded) -> None:
        message.stop()
        if message.info is not self.info:
            return
        self.set_class(message.problem is not None, "-failed")
        if message.run is None or message.first is None:
            problem = message.problem or Problem("nothing was read")
            self._title([f"✗ {one_line(self.info.name or self.info.id)}"])
            self.query_one("#problem", Static).update(
                Content.assemble(
                    ("This run cannot be shown.\n\n", "bold $error"),
                    one_line(str(problem), 2000),
                    "\n\nv shows the record as it is in the file.",
                )
            )
            self.status.say(["cannot be shown"])
            return
        self.run = message.run
        self.sessions = {0: message.first}
        self._tokens = {}
        self._show_transcript(0)
        if self._unit is not None:
            if self.session is not None and not self.session.to_unit(self._unit):
                count = len(self.session.unit_starts)
                self._toast(f"There is no unit {self._unit}: this transcript has units 0 to {count - 1}.", error=True)
            self._moved()
        if self._annotate:
            self._open_annotation()

    def _show_transcript(self, index: int) -> None:
        assert self.run is not None
        self.index = index
        session = self.sessions.get(index)
        if session is None:
            session = self.sessions[index] = self._session(self.run, index)
        self.view.show(session)
        self.outline.show(session)
        self.minimap.show(session)
        self._shown_message = -1
        self._say_title()
        self._moved()
        if not session.scanned:
            self._scan(session)
        if index not in self._tokens:
            self._count(session)

    @property
    def session(self) -> TranscriptSession | None:
        """The transcript that is being read."""
        return self.view.session if self.run is not None else None

    def _title(self, parts: list[str | tuple[str, str]]) -> None:
        self.query_one("#title", Static).update(Content.assemble(*parts))

    def _say_title(self) -> None:
        assert self.run is not None
        run = self.run
        parts: list[str | tuple[str, str]] = [(one_line(run.name or run.id, 80), "bold")]
        if len(run.transcripts) > 1:
            name = one_line(run.transcripts[self.index].name or "", 40)
            parts.append(
                (f"  transcript {self.index + 1}/{len(run.transcripts)}{f' · {name}' if name else ''} (tab)", "$accent")
            )
        facts = [self.info.format]
        if run.rewards:
            facts.append("reward " + " / ".join(f"{overall_of(reward):.3g}" for reward in run.rewards))
        if run.agents:
            facts.append(one_line(", ".join(run.agents), 60))
        facts.append(
            one_line(
                f"{self.info.source}:{self.info.line}" if self.info.line and not self.info.alone else self.info.source,
                80,
            )
        )
        parts.append(("  " + " · ".join(facts), "$foreground 55%"))
        self._title(parts)

    # -- what follows the cursor ---------------------------------------------------------------------------------------

    def _moved(self) -> None:
        """The session has moved: repaint, and let everything follow."""
        self.view.sync()

    def _follow(self) -> None:
        session = self.session
        if session is None:
            return
        self.outline.follow()
        self.minimap.refresh()
        self._say_status()
        if self.has_class("-metadata") and session.message != self._shown_message:
            self._show_metadata()

    def _say_status(self) -> None:
        session = self.session
        if session is None:
            return
        count = len(session.messages)
        if not count:
            self.status.say(["this transcript has no messages"])
            return
        total = max(1, session.map.total)
        at_end = session.y_of(session.top) + session.height >= total
        percent = 100 if at_end else min(99, round(100 * session.y_of(session.cursor) / total))
        left = [
            f"unit {session.unit}/{len(session.unit_starts) - 1}",
            f"message {session.message}/{count - 1}",
            f"{percent}%",
        ]
        if session.search is not None:
            hits = session.search.total
            left.append(
                f"“{one_line(session.search.text, 24)}” {session.hit_number}/{hits}"
                if hits
                else f"“{one_line(session.search.text, 24)}” not found"
            )
        elif session.stops and session.stops != session.error_messages:
            left.append(f"highlight {session.stop_number}/{len(session.stops)}")
        if session.error_messages:
            errors = len(session.error_messages)
            left.append(f"{errors} error{'s' * (errors > 1)}")
        tokens = self._tokens.get(self.index)
        if tokens is not None:
            left.append(f"{_short(tokens)} tokens")
        right = self._said or self._annotation_says()
        self.status.say(left, right, "$accent" if self._said else "")

    def _annotation_says(self) -> str:
        if self.has_class("-annotating"):
            root = one_line(str(self.trajview.store.root), 1000)
            return f"saves to {root if len(root) <= 40 else '…' + root[-39:]}"
        return ""

    def _toast(self, text: str, *, error: bool = False) -> None:
        self.notify(one_line(text, 400), severity="warning" if error else "information", timeout=5, markup=False)

    def _brief(self, text: str) -> None:
        """Say what a key has just done, until the next key."""
        self._said = text
        self._say_status()

    def on_key(self) -> None:
        # Before what the key does: that may say something itself.
        self._said = ""

    @work(thread=True, exclusive=True, group="scan", exit_on_error=False)
    def _scan(self, session: TranscriptSession) -> None:
        """Look for the highlights of a long transcript while it can be read already."""
        worker = get_current_worker()
        found = session.scan(lambda: worker.is_cancelled)
        if not worker.is_cancelled:
            self.post_message(self._Scanned(session, found))

    def on_transcript_screen__scanned(self, message: _Scanned) -> None:
        message.stop()
        message.session.scanned = True
        message.session.add_highlights(message.found)
        if message.session is self.session:
            self._highlights_changed()

    @work(thread=True, exclusive=True, group="tokens", exit_on_error=False)
    def _count(self, session: TranscriptSession) -> None:
        worker = get_current_worker()
        if session.characters > MOST_COUNTED:
            return
        from trajview.models.tokens import count_tokens

        total = 0
        for message in session.messages:
            if worker.is_cancelled:
                return
            total += count_tokens(text_of(message))
        self.post_message(self._Counted(session, total))

    def on_transcript_screen__counted(self, message: _Counted) -> None:
        message.stop()
        for index, session in self.sessions.items():
            if session is message.session:
                self._tokens[index] = message.tokens
        self._say_status()

    # -- jumps ---------------------------------------------------------------------------------------------------------

    def _jump(self, found: bool, nothing: str) -> None:
        if found:
            self._moved()
        else:
            self._brief(nothing)

    def action_unit(self, step: int) -> None:
        """Next or previous action unit."""
        if self.session is not None:
            self._jump(self.session.step_unit(step), "last unit" if step > 0 else "first unit")

    def action_user(self, step: int) -> None:
        """Next or previous user turn."""
        if self.session is not None:
            self._jump(self.session.step_user(step), "no more user turns")

    def action_highlight(self, step: int) -> None:
        """Next or previous highlight."""
        if self.session is not None:
            self._jump(self.session.step_highlight(step), "no highlights")

    def action_error(self, step: int) -> None:
        """Next or previous error."""
        if self.session is not None:
            self._jump(self.session.step_error(step), "no errors")

    def action_mark(self, step: int) -> None:
        """Next or previous mark."""
        if self.session is not None:
            self._jump(self.session.step_mark(step), "no marks: m sets one")

    def action_mark_unit(self) -> None:
        """Mark the unit under the cursor, or take its mark away."""
        if self.session is not None and self.session.messages:
            marked = self.session.toggle_mark()
            self._marks_changed(f"unit {self.session.unit} {'marked' if marked else 'not marked any more'}")

    def _marks_changed(self, said: str) -> None:
        self._moved()
        self.outline.refresh()
        self.minimap.refresh()
        self._brief(said)

    def action_run(self, step: int) -> None:
        """Next or previous run of the list."""
        info = self.trajview.neighbour(self.info, step)
        if info is None:
            self._brief("last run" if step > 0 else "first run")
        else:
            self.open_run(info)

    def action_transcript(self, step: int) -> None:
        """Next or previous transcript of the run."""
        if self.run is None or len(self.run.transcripts) < 2:
            self._brief("this run has one transcript")
            return
        self._show_transcript((self.index + step) % len(self.run.transcripts))

    def action_goto(self) -> None:
        """Ask where to go."""
        self.prompt.ask("goto", ":", "unit 12, message m40, percentage 50%, end $")

    def on_outline_picked(self, message: Outline.Picked) -> None:
        message.stop()
        if self.session is not None and self.session.to_unit(message.unit):
            self._moved()

    def on_minimap_picked(self, message: Minimap.Picked) -> None:
        message.stop()
        if self.session is not None:
            self.session.to_percentage(100 * message.share)
            self._moved()

    def _go_to(self, text: str) -> None:
        session = self.session
        if session is None:
            return
        said = text.strip().lstrip(":")
        if match := re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)\s*%", said):
            session.to_percentage(float(match[1]))
        elif match := re.fullmatch(r"m(?:essage)?\s*(\d{1,15})", said):
            if int(match[1]) >= len(session.messages):
                self._toast(f"There is no message {match[1]}: the last one is {len(session.messages) - 1}.", error=True)
                return
            session.to_message(int(match[1]))
        elif match := re.fullmatch(r"(?:u|unit)?\s*(\d{1,15})", said):
            if not session.to_unit(int(match[1])):
                self._toast(f"There is no unit {match[1]}: the last one is {len(session.unit_starts) - 1}.", error=True)
                return
        elif said in ("$", "end"):
            session.to_end()
        elif said:
            self._toast("Go to a unit (12), a message (m40), a percentage (50%) or the end ($).", error=True)
            return
        self._moved()

    # -- search --------------------------------------------------------------------------------------------------------

    def action_search(self) -> None:
        """Ask what to search for."""
        self.prompt.ask("search", "/", "text or regular expression; capitals make it mind the case")

    @on(Prompt.Submitted)
    def _prompt_submitted(self, event: Prompt.Submitted) -> None:
        event.stop()
        self.view.focus()
        if event.kind == "goto":
            self._go_to(event.text)
        elif event.text and self.session is not None:
            self._search(self.session, event.text)
        elif self.session is not None:
            self._clear_search()

    @on(Prompt.Cancelled)
    def _prompt_cancelled(self, event: Prompt.Cancelled) -> None:
        event.stop()
        self.view.focus()

    @on(Prompt.Changed)
    def _prompt_changed(self, event: Prompt.Changed) -> None:
        event.stop()

    @work(thread=True, exclusive=True, group="search", exit_on_error=False)
    def _search(self, session: TranscriptSession, text: str) -> None:
        worker = get_current_worker()
        try:
            pattern = compile_rule(text).pattern
        except TrajviewError:
            # What is no regular expression is searched for as it stands: people type `foo(`.
            pattern = compile_rule(re.escape(text)).pattern
        messages: list[int] = []
        counts: list[int] = []
        for index, message in enumerate(session.messages):
            if worker.is_cancelled:
                return
            count = sum(1 for match in pattern.finditer(text_of(message)) if match.end() > match.start())
            if count:
                messages.append(index)
                counts.append(count)
        self.post_message(self._Found(session, SearchHits(text, pattern, tuple(messages), tuple(counts))))

    def on_transcript_screen__found(self, message: _Found) -> None:
        message.stop()
        session = message.session
        if session is not self.session:
            return
        session.set_search(message.hits)
        if message.hits.messages:
            here = session.message
            target = next((m for m in message.hits.messages if m >= here), message.hits.messages[0])
            session.to_hit(target)
        self._highlights_changed()

    def _clear_search(self) -> None:
        if self.session is not None and self.session.search is not None:
            self.session.set_search(None)
            self._highlights_changed()

    def _highlights_changed(self) -> None:
        self._moved()
        self.outline.refresh()
        self.minimap.refresh()

    def action_highlight_word(self) -> None:
        """Make what is selected, or the first word under the cursor, a highlight."""
        session = self.session
        if session is None or not session.messages:
            return
        word = (self.get_selected_text() or "").strip() or self._word_under_cursor()
        if not word:
            self._brief("no word under the cursor")
            return
        rule = Rule(one_line(word, 40), compile_rule(re.escape(word)).pattern)
        found = highlights_in(session.transcript, [rule], errors=False)
        session.add_highlights(found)
        self._highlights_changed()
        self._brief(f"“{one_line(word, 30)}” in {len(found)} message{'s' * (len(found) != 1)}: n and N jump")

    def _word_under_cursor(self) -> str:
        assert self.session is not None
        message, number = self.session.cursor
        layout = self.session.layout(message)
        line, start, end = layout.rows[min(number, len(layout.rows) - 1)]
        words = re.findall(r"\w{3,}", layout.lines[line].text[start:end])
        return words[0] if words else ""

    def action_highlight_sources(self) -> None:
        """Choose which sources of highlights are on."""
        from trajview.app.screens.sources import SourcesScreen

        session = self.session
        if session is None:
            return

        def chosen(on: set[str] | None) -> None:
            if on is None:
                return
            for source in session.all_sources:
                if (source in on) == (source in session.sources_off):
                    session.toggle_source(source)
            self._highlights_changed()

        self.app.push_screen(SourcesScreen(session.all_sources, session.sources_off), chosen)

    # -- what is shown -------------------------------------------------------------------------------------------------

    def action_fold(self) -> None:
        """Fold or unfold the message under the cursor."""
        if self.session is not None:
            self.session.toggle_fold()
            self._moved()

    def action_fold_level(self) -> None:
        """The next fold level."""
        if self.session is not None:
            said = self.session.next_fold_level()
            self._moved()
            self._brief(said)

    def action_reasoning(self) -> None:
        """Show or hide reasoning."""
        if self.session is not None:
            shown = self.session.toggle_reasoning()
            self._moved()
            self._brief("reasoning shown" if shown else "reasoning hidden")

    def action_tools(self) -> None:
        """Show or hide tool output."""
        if self.session is not None:
            shown = self.session.toggle_tools()
            self._moved()
            self._brief("tool output shown" if shown else "tool output hidden")

    def action_outline(self) -> None:
        """Show or hide the outline."""
        visible = self.outline.display and bool(self.outline.size.width)
        self.set_class(visible, "-no-outline")
        self.set_class(not visible, "-outline")

    def action_metadata(self) -> None:
        """Show or hide what is known about the run and the message."""
        if self.run is None:
            return
        self.toggle_class("-metadata")
        if self.has_class("-metadata"):
            self.remove_class("-annotating")
            self._shown_message = -1
            self._show_metadata()
        self.view.focus()

    def _show_metadata(self) -> None:
        session, run = self.session, self.run
        if session is None or run is None:
            return
        self._shown_message = session.message
        known: dict[str, Any] = {}
        if session.messages:
            message = session.messages[session.message]
            known[f"message {session.message}"] = message.model_dump(
                mode="json", exclude={"content"}, exclude_none=True
            )
        transcript = session.transcript
        known["transcript"] = {"id": transcript.id, "name": transcript.name, **transcript.metadata}
        known["run"] = run.model_dump(mode="json", exclude={"transcripts"}, exclude_none=True)
        text = json.dumps(known, indent=2, ensure_ascii=False, default=str)
        self.side.show(TranscriptSession(Transcript(messages=[ToolMessage(content=text)]), bare=True))

    def action_raw(self) -> None:
        """Show the record as it is in the file."""
        from trajview.app.screens.raw import RawScreen

        self.app.push_screen(RawScreen(self.info))

    # -- annotation ----------------------------------------------------------------------------------------------------

    @property
    def panel(self) -> AnnotationPanel | None:
        """The annotation panel, once it has been opened."""
        found = self.query("AnnotationPanel")
        return cast("AnnotationPanel", found.first()) if found else None

    def action_annotate(self) -> None:
        """Open the annotation panel, or put the cursor in it."""
        if self.run is not None:
            self._open_annotation()

    def _open_annotation(self) -> None:
        from trajview.annotation.rubric import rubric_for
        from trajview.app.widgets.annotation_panel import AnnotationPanel

        assert self.run is not None
        panel = self.panel
        if panel is None:
            panel = AnnotationPanel(self.trajview.store)
            self.query_one("#body").mount(panel)
        self.remove_class("-metadata")
        self.add_class("-annotating")
        if panel.key != self.info.key:
            rubric = rubric_for(self.info.format, self.trajview.settings.reward_range)
            panel.open_run(self.info.key, self.run.name or self.run.id, self.run.agent_names, rubric)
        panel.focus_fields()
        self._say_status()

    def on_annotation_panel_saved(self) -> None:
        self.trajview.annotations_changed()

    def on_annotation_panel_draft_kept(self) -> None:
        self.trajview.annotations_changed()

    def on_annotation_panel_close_requested(self) -> None:
        self.remove_class("-annotating")
        self.view.focus()
        self._say_status()

    def on_annotation_panel_run_requested(self, message: AnnotationPanel.RunRequested) -> None:
        self.action_run(message.step)

    # -- leaving -------------------------------------------------------------------------------------------------------

    def action_copy(self) -> None:
        """Copy what is selected, or the message under the cursor."""
        session = self.session
        if session is None or not session.messages:
            return
        selected = self.get_selected_text()
        text = selected or text_of(session.messages[session.message])
        self.app.copy_to_clipboard(text)
        self._brief(f"copied {'the selection' if selected else f'message {session.message}'}, {len(text):,} characters")

    def action_copy_unit(self) -> None:
        """Copy the unit under the cursor."""
        session = self.session
        if session is None or not session.messages:
            return
        texts = [text_of(session.messages[i]) for i in session.transcript.units_of_action[session.unit]]
        text = "\n\n".join(texts)
        self.app.copy_to_clipboard(text)
        self._brief(f"copied unit {session.unit}, {len(text):,} characters")

    def action_edit(self) -> None:
        """Open the file in the editor or pager, at the record."""
        from trajview.app.edit import open_outside

        open_outside(self.app, self.info.path, self.info.line)

    def action_help(self) -> None:
        """The keys."""
        self.trajview.show_help("transcript")

    def action_back(self) -> None:
        """Close what is open on top of the transcript, else go back to the list; ask about unsaved work."""
        session = self.session
        if session is not None and session.search is not None:
            self._clear_search()
            return
        if self.has_class("-metadata"):
            self.remove_class("-metadata")
            return
        self.trajview.leave_transcript(self)


def _short(count: int) -> str:
    """`812`, `18.2k`, `1.3M`."""
    if count < 1000:
        return str(count)
    return f"{count / 1000:.1f}k" if count < 999_950 else f"{count / 1_000_000:.1f}M"
