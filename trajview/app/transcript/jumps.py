"""The keys of the transcript screen that move the reader to what is next or named, and those that fold and hide."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from trajview.app.keys import key_of

if TYPE_CHECKING:
    from trajview.app.app import TrajviewApp
    from trajview.app.shared.commands import Commands
    from trajview.app.transcript.branches import Brancher
    from trajview.app.transcript.desk import Desk
    from trajview.app.transcript.pictures import Images
    from trajview.app.transcript.searching import Searcher
    from trajview.app.transcript.session import Steps, TranscriptSession

__all__ = ["Jumps", "Looks", "toggle_edits", "toggle_reasoning", "toggle_tools"]


class Jumps:
    """Moves the reader to what comes next of a kind, in this transcript or, of matches and errors, in another of the run."""

    def __init__(self, desk: Desk, searcher: Searcher, brancher: Brancher, *, other_runs_match: bool) -> None:
        self._reading, self._display, self._places = desk.reading, desk.display, desk.places
        self._notices, self._prompt = desk.notices, desk.prompt
        self._searcher, self._brancher = searcher, brancher
        self._waiting_step = 0
        """The step of `n` or `N` that was pressed before a search that goes along was in this transcript."""
        self._other_runs_match = other_runs_match
        """Whether the search goes on in the next run, which was found as well."""

    @property
    def commands(self) -> Commands:
        return {
            "unit.next": lambda: self._step(lambda steps: steps.unit(1), "last unit"),
            "unit.previous": lambda: self._step(lambda steps: steps.unit(-1), "first unit"),
            "user.next": lambda: self._step(lambda steps: steps.user(1), "no more user turns"),
            "user.previous": lambda: self._step(lambda steps: steps.user(-1), "no more user turns"),
            "highlight.next": partial(self.highlight, 1),
            "highlight.previous": partial(self.highlight, -1),
            "error.next": partial(self.error, 1),
            "error.previous": partial(self.error, -1),
            "mark.next": lambda: self._step(lambda steps: steps.mark(1), f"no marks: {key_of('mark')} sets one"),
            "mark.previous": lambda: self._step(lambda steps: steps.mark(-1), f"no marks: {key_of('mark')} sets one"),
            "goto": self.ask_where,
        }

    def _jump(self, found: bool, nothing: str) -> None:
        if found:
            self._display.moved()
        else:
            self._notices.brief(nothing)

    def _nothing(self, what: str) -> str:
        """Say that there are no more of a kind, as far as that is known."""
        if not self._reading.shown.highlights.scanned:
            return f"no {what} so far: they are still being looked for"
        return f"no {what} here" if self._reading.count > 1 else f"no {what}"

    def _step(self, step: Callable[[Steps], bool], nothing: str) -> None:
        """Take a step in the transcript that is shown."""
        self._jump(step(self._reading.shown.steps), nothing)

    def highlight(self, step: int) -> None:
        """Next or previous highlight; behind the last match of a search, the first in the next transcript which has some."""
        session = self._reading.shown
        if self._searcher.is_still_looking(session):
            self._waiting_step = step
            self._notices.brief("searching…")
        elif not self.match_elsewhere(step):
            found = session.steps.highlight(step)
            self._jump(found, self._nothing("highlights"))
            if found:
                self._count_highlight(session)

    def _count_highlight(self, session: TranscriptSession) -> None:
        search = session.search
        if search is None and session.highlights.stops == session.highlights.errors:
            # What is highlighted besides is counted at the left; of errors alone, only how many there are is said.
            stops = session.highlights.stops
            self._notices.brief(f"highlight {session.steps.passed(stops)} of {len(stops)}")
        elif search is not None and search.done and search.total == 1:
            on = f": {key_of('run.next')} goes to the next run" if self._other_runs_match else ""
            self._notices.brief(f"the only match{on}")

    def match_elsewhere(self, step: int) -> bool:
        """Go to what the search has found in another transcript, where this one has no more; False if there is none."""

        def arrive(session: TranscriptSession) -> None:
            if session.search is not None and session.search.messages:
                session.hits.go(session.search.messages[0 if step > 0 else -1], last=step < 0)

        return self._elsewhere(self._searcher.transcript_further(step), arrive)

    def _elsewhere(self, transcript: int | None, arrive: Callable[[TranscriptSession], None]) -> bool:
        """Jump to another transcript; False where there is none to go to."""
        if transcript is not None:
            self._places.jump(transcript, arrive)
        return transcript is not None

    def search_arrived(self) -> None:
        """The search has been in the transcript that is shown: take the step that was asked for before."""
        step, self._waiting_step = self._waiting_step, 0
        if step:
            self._notices.brief("")
            self.highlight(step)

    def transcript_shown(self) -> None:
        """Another transcript is shown: a step that waits was meant for the one before."""
        self._waiting_step = 0

    def error(self, step: int) -> None:
        """Next or previous error; behind the last of a transcript, that of the next transcript which has some."""

        def arrive(session: TranscriptSession) -> None:
            if session.highlights.errors:
                session.to_cause(session.highlights.errors[0 if step > 0 else -1])

        session = self._reading.shown
        errors, steps = session.highlights.errors, session.steps
        if not steps.is_further(errors, step) and self._elsewhere(self._brancher.with_errors(step), arrive):
            return
        found = steps.error(step)
        self._jump(found, self._nothing("errors"))
        if found:
            self._notices.brief(f"error {steps.passed(errors)} of {len(errors)}")

    def ask_where(self) -> None:
        """Ask where to go."""
        self._notices.brief("")
        self._prompt.ask(":", "unit 12, message m40, percentage 50%, end $", then=self.go_to)

    def go_to(self, text: str) -> None:
        """Go to a place as a person names it: unit `12`, message `m40`, percentage `50%`, the end `$`."""
        session = self._reading.session
        if session is None:
            return
        place = text.strip().lstrip(":")
        problem = ""
        if match := re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)\s*%", place):
            session.to_percentage(float(match[1]))
        elif match := re.fullmatch(r"m(?:essage)?\s*(\d{1,15})", place):
            if int(match[1]) < len(session.messages):
                session.to_message(int(match[1]))
            else:
                problem = f"There is no message {match[1]}: the last one is {len(session.messages) - 1}."
        elif match := re.fullmatch(r"(?:u|unit)?\s*(\d{1,15})", place):
            if not session.to_unit(int(match[1])):
                problem = f"There is no unit {match[1]}: the last one is {len(session.unit_starts) - 1}."
        elif place in ("$", "end"):
            session.to_end()
        elif place:
            problem = "Go to a unit (12), a message (m40), a percentage (50%) or the end ($)."
        if problem:
            self._notices.toast(problem, error=True)
        else:
            self._display.moved()


def toggle_reasoning(session: TranscriptSession) -> bool:
    """Show or hide reasoning; returns whether it is shown now."""
    session.show(replace(session.options, show_reasoning=not session.options.show_reasoning))
    return session.options.show_reasoning


def toggle_tools(session: TranscriptSession) -> bool:
    """Show or hide tool output; returns whether it is shown now."""
    session.show(replace(session.options, show_tools=not session.options.show_tools))
    return session.options.show_tools


def toggle_edits(session: TranscriptSession) -> bool:
    """Show edits as differences, or the texts as they were handed over; returns whether as differences now."""
    session.show(replace(session.options, show_edits=not session.options.show_edits))
    return session.options.show_edits


class Looks:
    """Folds and unfolds. The app keeps the look, which goes with the reader into other runs."""

    def __init__(self, desk: Desk, app: TrajviewApp, images: Images) -> None:
        self._reading, self._display, self._panes = desk.reading, desk.display, desk.panes
        self._notices, self._app, self._images = desk.notices, app, images

    @property
    def commands(self) -> Commands:
        return {
            "fold.toggle": self.fold,
            "fold.level": lambda: self._change(lambda session: session.next_fold_level()),
            "show.reasoning": lambda: self._change(
                lambda session: "reasoning shown" if toggle_reasoning(session) else "reasoning hidden"
            ),
            "show.edits": lambda: self._change(
                lambda session: "edits as differences" if toggle_edits(session) else "edits as old and new text"
            ),
            "show.tools": lambda: self._change(
                lambda session: "tool output shown" if toggle_tools(session) else "tool output hidden"
            ),
            "show.outline": lambda: self._panes.show_outline(not self._panes.outline_shown),
            "outline.highlighted": self.only_highlighted,
            "show.metadata": self._panes.toggle_metadata,
        }

    def fold(self) -> None:
        """Open the image under the cursor, or else fold or unfold the message."""
        if not self._images.open_at_cursor():
            self._reading.shown.toggle_fold()
            self._display.moved()

    def _change(self, change: Callable[[TranscriptSession], str]) -> None:
        """Change what all messages show, and say what `change` returns."""
        session = self._reading.shown
        sentence = change(session)
        self._app.look = session.options
        self._display.moved()
        self._notices.brief(sentence)

    def only_highlighted(self) -> None:
        """List highlighted units only in the outline, or all."""
        outline = self._display.outline
        count = outline.toggle_highlighted()
        if not self._panes.outline_shown:
            self._panes.show_outline(True)
        self._notices.brief(f"highlighted units only: {count:,}" if outline.only_highlighted else "all units")
