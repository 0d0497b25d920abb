"""The transcripts of a run: the tree of them, into a sub-agent's at its call, and up again."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from trajview.app.keys import key_of
from trajview.app.transcript.unit_facts import messages_of
from trajview.corpus.process_wide import short_turns
from trajview.models.branches import Branches, Entry, branches_of

if TYPE_CHECKING:
    from trajview.app.shared.background import Task
    from trajview.app.shared.commands import Commands
    from trajview.app.transcript.branch_view import BranchView
    from trajview.app.transcript.desk import Desk
    from trajview.app.transcript.session import TranscriptSession
    from trajview.models.run import AgentRun

__all__ = ["Brancher"]


class Brancher:
    """Goes between the transcripts of a run. What started what, and where errors are, is found in a thread."""

    def __init__(self, desk: Desk, tree_view: BranchView) -> None:
        self._reading, self._display, self._places = desk.reading, desk.display, desk.places
        self._notices, self._background, self._panes, self._view = desk.notices, desk.background, desk.panes, tree_view
        self._run: AgentRun | None = None
        self._key = ""
        """The run whose tree is shown, and its key."""
        self._branches = Branches()
        self._errors: dict[int, int] = {}
        """How many errors each transcript has, once they are known."""
        self._searched: AgentRun | None = None
        """The run whose sub-agents were looked for."""

    @property
    def commands(self) -> Commands:
        return {
            "tree": self.choose,
            "branch.enter": self.enter,
            "branch.leave": self.leave,
            "transcript.next": partial(self.step, 1),
            "transcript.previous": partial(self.step, -1),
        }

    # -- what there is -------------------------------------------------------------------------------------------------

    def transcript_shown(self, session: TranscriptSession) -> None:
        """Show the tree, with the transcript that is shown now; find what it is made of, once that is scanned."""
        run, key = self._reading.run, self._reading.info.key
        if run is None:
            return
        if run is not self._run:
            again = key == self._key  # read again: what was found holds until it is found anew
            if not again:
                self._branches, self._errors = Branches(), {}
            self._run, self._key = run, key
            self._view.show(run, self._branches, self._errors, again=again)
        if run is not self._searched and session.highlights.scanned and self._reading.count > 1:
            self._searched = run  # one look through all messages at a time
            self._background.start("branches", lambda task: self._find(run, task))
        self._view.show_transcript(self._reading.index)
        self._sign_calls()

    def _find(self, run: AgentRun, task: Task) -> None:
        from trajview.highlight import highlights_in

        with short_turns():
            branches = branches_of(run, task.cancelled)
            errors: dict[int, int] = {}
            for index, transcript in enumerate(run.transcripts):
                if found := highlights_in(transcript, cancelled=task.cancelled):
                    errors[index] = len(found)
                if task.cancelled():
                    return
        task.tell(self._take, run, branches, errors)

    def _take(self, run: AgentRun, branches: Branches, errors: dict[int, int]) -> None:
        if run is self._reading.run:
            self._branches, self._errors = branches, errors
            self._view.show(run, branches, errors, again=True)
            self._view.show_transcript(self._reading.index)
            self._sign_calls()
            self._display.moved()

    def _sign_calls(self) -> None:
        """Have the calls that started a sub-agent show its name."""
        session = self._reading.session
        if session is None:
            return
        labels: dict[int, dict[int, str]] = {}
        for (transcript, message), entries in self._branches.entries.items():
            if transcript == self._reading.index:
                for entry in entries:
                    if entry.call >= 0:
                        labels.setdefault(message, {}).setdefault(entry.call, self._reading.name_of(entry.child))
        session.set_entries(labels)

    def with_errors(self, step: int) -> int | None:
        """The next transcript in that direction which has errors, round the ends; an episode's all tell the same."""
        if self._reading.retells:
            return None
        return next((other for other in self._reading.others(step) if self._errors.get(other)), None)

    # -- going ---------------------------------------------------------------------------------------------------------

    def step(self, step: int) -> None:
        """Next or previous transcript of the run."""
        if self._has_one():
            return
        reading = self._reading
        self._places.go((reading.wanted + step) % reading.count)

    def _has_one(self) -> bool:
        """Whether there is no other transcript to go to; then it says so."""
        if self._reading.count < 2:
            self._notices.brief("this run has one transcript")
        return self._reading.count < 2

    def enter(self) -> None:
        """Into the transcript of the sub-agent that was started at the cursor."""
        session = self._reading.session
        if session is None or not session.messages or self._has_one():
            return
        entry = self._entry_at_cursor(session)
        if entry is None:
            self._notices.brief(f"no call here started a sub-agent · {key_of('tree')} shows all transcripts")
            return
        self._places.remember()
        self._notices.brief(f"{self._reading.name_of(entry.child)} · {key_of('branch.leave')} goes up")
        self._places.go(entry.child)

    def _entry_at_cursor(self, session: TranscriptSession) -> Entry | None:
        """The sub-agent of the call at the cursor, else of the next call in the message, else of one in the unit."""
        branches = self._branches
        found = branches.at(self._reading.index, session.message)
        if found:
            call = session.calls.at_cursor()
            return next((entry for entry in found if entry.call >= call), found[-1])
        unit = messages_of(session.transcript, session.unit)
        within = [entry for at in unit for entry in branches.at(self._reading.index, at)]
        return next((entry for entry in within if entry.message >= session.message), within[-1] if within else None)

    def leave(self) -> None:
        """Up to the transcript that started this one, at the call that did."""
        index = self._reading.index
        if self._reading.run is None:
            return
        entry, parent = self._branches.came_from.get(index), self._branches.parents.get(index)
        if parent is None:
            self._notices.brief("no call is known that started this transcript")
            return

        def arrive(session: TranscriptSession) -> None:
            if entry is not None and entry.transcript == parent:
                session.calls.go(entry.message, entry.call)

        self._places.jump(parent, arrive)

    def open(self, transcript: int) -> None:
        """Show the transcript that was picked in the tree."""
        if transcript != self._reading.index:
            self._places.remember()
            self._places.go(transcript)

    def choose(self) -> None:
        """Put the cursor into the tree of transcripts."""
        if not self._has_one():
            self._panes.show_tree(True)
            self._view.show_transcript(self._reading.index)
            self._view.focus()
