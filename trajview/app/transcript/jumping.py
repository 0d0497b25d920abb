"""The jumps of the transcript screen: units, user turns, highlights, errors, marks, other runs and transcripts."""

from __future__ import annotations

import re
from bisect import bisect_right

from trajview.app.keys import key_of
from trajview.app.transcript.base import TranscriptBase
from trajview.app.transcript.minimap import Minimap
from trajview.app.transcript.outline import Outline

__all__ = ["Jumping"]


class Jumping(TranscriptBase):
    """Actions that move the reader to another place."""

    def _jump(self, found: bool, nothing: str) -> None:
        if found:
            self._moved()
        else:
            self._brief(nothing)

    def _none_said(self, what: str) -> str:
        """That there are none, as far as that is known."""
        if self.session is not None and not self.session.scanned:
            return f"no {what} so far: they are still being looked for"
        return f"no {what} here" if self._has_more else f"no {what}"

    def action_unit(self, step: int) -> None:
        """Next or previous action unit."""
        if self.session is not None:
            self._jump(self.session.step_unit(step), "last unit" if step > 0 else "first unit")

    def action_user(self, step: int) -> None:
        """Next or previous user turn."""
        if self.session is not None:
            self._jump(self.session.step_user(step), "no more user turns")

    def action_highlight(self, step: int) -> None:
        """Next or previous highlight; behind the last match of a search, the first in the next transcript which has some."""
        if self.session is not None and not self._hit_elsewhere(step):
            session = self.session
            found = session.step_highlight(step)
            self._jump(found, self._none_said("highlights"))
            if found and session.search is None and session.stops == session.error_messages:
                # What is highlighted besides is counted at the left; of errors alone, only how many there are is said.
                self._brief(f"highlight {session.stop_number} of {len(session.stops)}")
            elif found and session.search is not None and session.search.done and session.search.total == 1:
                on = hasattr(self.app.screen_stack[-2], "open_next")  # the runs that were found
                self._brief("the only match" + (f": {key_of('run.next')} goes to the next run" if on else ""))

    def action_error(self, step: int) -> None:
        """Next or previous error; behind the last of a transcript, that of the next transcript which has some."""
        session = self.session
        if session is None or self._error_elsewhere(step):
            return
        found = session.step_error(step)
        self._jump(found, self._none_said("errors"))
        if found:
            errors = session.error_messages
            self._brief(f"error {bisect_right(errors, session.message)} of {len(errors)}")

    def action_mark(self, step: int) -> None:
        """Next or previous mark."""
        if self.session is not None:
            self._jump(self.session.step_mark(step), f"no marks: {key_of('mark')} sets one")

    def action_run(self, step: int) -> None:
        """Next or previous run of the list; of those that were found, where one of them was opened."""
        below = self.app.screen_stack[-2]
        if hasattr(below, "open_next"):  # its class is not imported before it is needed
            if not below.open_next(self.info, step):
                self._brief("last run that was found" if step > 0 else "first run that was found")
            return
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
        self._wanted = (self._wanted + step) % len(self.run.transcripts)
        self._show_transcript(self._wanted)

    def action_goto(self) -> None:
        """Ask where to go."""
        self._brief("")
        self.prompt.ask("goto", ":", "unit 12, message m40, percentage 50%, end $")

    def on_outline_picked(self, message: Outline.Picked) -> None:
        message.stop()
        if self.session is not None and self.session.to_unit(message.unit):
            self._moved()

    def on_minimap_picked(self, message: Minimap.Picked) -> None:
        message.stop()
        if self.session is not None:
            if message.message is not None:
                self.session.to_message(message.message)
            else:
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
