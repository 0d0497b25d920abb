"""The transcripts of a run on the transcript screen: the tree of them, into a sub-agent's at its call, and up again."""

from __future__ import annotations

from collections.abc import Collection

from textual import on, work
from textual.message import Message
from textual.worker import get_current_worker

from trajview.app.annotate.citing import Citing
from trajview.app.keys import key_of
from trajview.app.transcript.branch_tree import BranchTree
from trajview.app.transcript.branch_view import BranchView
from trajview.app.transcript.session import TranscriptSession
from trajview.corpus.process_wide import short_turns
from trajview.models.branches import Branches, Entry, branches_of
from trajview.models.run import AgentRun
from trajview.textsafe import one_line

__all__ = ["Branching"]


class Branching(Citing):
    """Actions that go between the transcripts of a run. What started what is found in a thread."""

    branch_view: BranchView

    class _Branched(Message):
        """The sub-agents of a run were found, and the errors of each transcript counted."""

        def __init__(self, run: AgentRun, branches: Branches, errors: dict[int, int]) -> None:
            super().__init__()
            self.run, self.branches, self.errors = run, branches, errors

    def __init__(self) -> None:
        super().__init__()
        self._tree: BranchTree | None = None
        self._tree_key = ""
        self._branches_of: AgentRun | None = None
        self._up_to: Entry | None = None
        """The call to put the cursor on, in a transcript that is being prepared."""
        self._to_error = 0
        """Which error to put the cursor on there: 1 for the first, -1 for the last, 0 for none."""
        self._to_match = 0
        """Which match of the search, in the same way."""

    def _transcript_shown(self, session: TranscriptSession) -> None:
        run = self.run
        if run is not None:
            if self._tree is None or self._tree.run is not run:
                before = self._tree if self._tree_key == self.info.key else None
                self._tree, self._tree_key = BranchTree(run, before.branches if before else None), self.info.key
                if before is not None:  # read again: what was found holds until it is found anew
                    self._tree.closed = before.closed
                    self._tree.learn(before.branches, before.errors)
            if run is not self._branches_of and session.scanned and len(run.transcripts) > 1:
                self._branches_of = run  # one look through all messages at a time
                self._find_branches(run)
            self.branch_view.show(self._tree, self.index)
            self._sign_entries()
        super()._transcript_shown(session)

    @work(thread=True, exclusive=True, group="branches", exit_on_error=False, description="sub-agents")
    def _find_branches(self, run: AgentRun) -> None:
        from trajview.highlight import highlights_in

        worker = get_current_worker()
        with short_turns():
            branches = branches_of(run, lambda: worker.is_cancelled)
            errors: dict[int, int] = {}
            for index, transcript in enumerate(run.transcripts):
                if found := highlights_in(transcript, cancelled=lambda: worker.is_cancelled):
                    errors[index] = len(found)
                if worker.is_cancelled:
                    return
        self.post_message(self._Branched(run, branches, errors))

    @on(_Branched)
    def _take_branches(self, message: _Branched) -> None:
        message.stop()
        if message.run is self.run and self._tree is not None:
            self._tree.learn(message.branches, message.errors)
            self._tree.reveal(self.index)
            self.branch_view.changed()
            self._sign_entries()
            self._moved()

    def _sign_entries(self) -> None:
        session, run, tree = self.session, self.run, self._tree
        if session is None or run is None or tree is None:
            return
        labels: dict[int, dict[int, str]] = {}
        for (transcript, message), entries in tree.branches.entries.items():
            if transcript == self.index:
                for entry in entries:
                    if entry.call >= 0:
                        labels.setdefault(message, {}).setdefault(entry.call, self._called(entry.child))
        session.set_entries(labels)

    def _called(self, transcript: int) -> str:
        assert self.run is not None
        return one_line(self.run.transcripts[transcript].name or f"transcript {transcript + 1}", 60)

    def _error_elsewhere(self, step: int) -> bool:
        session, other = self.session, self._other_with_errors(step)
        if session is None or other is None:
            return False
        here = session.message
        if any((message > here) if step > 0 else (message < here) for message in session.error_messages):
            return False
        self._to_error = step
        self._jump_into(other)
        return True

    def _hit_elsewhere(self, step: int) -> bool:
        session, run = self.session, self.run
        if session is None or run is None or session.search is None or "search" in session.sources_off:
            return False
        if not session.search.done or session.hit_further(step):
            return False
        if session.search.total and self._tell_the_same:
            return False
        other = self._other(step, {index for index, hits in self.found_in.items() if hits.total})
        if other is None:
            return False
        self._to_match = step
        self._jump_into(other)
        return True

    def _jump_into(self, transcript: int) -> None:
        self.remember_place()
        self._brief(f"{self._called(transcript)} · {key_of('back.jump')} goes back")
        self._open_transcript(transcript)

    def _other_with_errors(self, step: int) -> int | None:
        """The next transcript in that direction which has errors, round the ends; an episode's all tell the same."""
        if self._tree is None or self._tell_the_same:
            return None
        return self._other(step, {index for index, count in self._tree.errors.items() if count})

    def _other(self, step: int, wanted: Collection[int]) -> int | None:
        """The next of some transcripts in that direction, round the ends, but for the one that is shown."""
        count = len(self.run.transcripts) if self.run is not None else 0
        order = ((self.index + step * distance) % count for distance in range(1, count))
        return next((other for other in order if other in wanted), None)

    # -- into a sub-agent's transcript, and up -------------------------------------------------------------------------

    def action_enter_branch(self) -> None:
        """Into the transcript of the sub-agent that was started at the cursor."""
        session, tree = self.session, self._tree
        if session is None or tree is None or not session.messages:
            return
        entry = self._entry(session, tree.branches)
        if entry is None:
            self._brief(self._nothing_to_enter())
            return
        self.remember_place()
        self._brief(f"{self._called(entry.child)} · {key_of('branch.leave')} goes up")
        self._open_transcript(entry.child)

    def _nothing_to_enter(self) -> str:
        if self.run is None or len(self.run.transcripts) < 2:
            return "this run has one transcript"
        return f"no call here started a sub-agent · {key_of('tree')} shows all transcripts"

    def _entry(self, session: TranscriptSession, branches: Branches) -> Entry | None:
        """That of the call at the cursor, else the next in the message, else in the unit."""
        found = branches.at(self.index, session.message)
        if found:
            call = session.call_at_cursor()
            return next((entry for entry in found if entry.call >= call), found[-1])
        unit = session.unit
        first = session.unit_starts[unit]
        end = session.unit_starts[unit + 1] if unit + 1 < len(session.unit_starts) else len(session.messages)
        within = [entry for message in range(first, end) for entry in branches.at(self.index, message)]
        return next((entry for entry in within if entry.message >= session.message), within[-1] if within else None)

    def action_leave_branch(self) -> None:
        """Up to the transcript that started this one, at the call that did."""
        tree = self._tree
        if tree is None or self.run is None:
            return
        entry, parent = tree.branches.came_from.get(self.index), tree.branches.parents.get(self.index)
        if parent is None:
            self._brief("no call is known that started this transcript")
            return
        self.remember_place()
        self._brief(f"{self._called(parent)} · {key_of('back.jump')} goes back")
        self._up_to = entry
        self._open_transcript(parent)

    def _open_transcript(self, transcript: int) -> None:
        self._going = None
        self._wanted = transcript
        self._show_transcript(transcript)

    def _arrive(self) -> None:
        super()._arrive()
        entry, session = self._up_to, self.session
        self._up_to = None
        if entry is not None and session is not None and entry.transcript == self.index:
            session.to_call(entry.message, entry.call)
            self._moved()
        step, self._to_error = self._to_error, 0
        if step and session is not None and session.error_messages:
            session.to_message(session.error_messages[0 if step > 0 else -1])
            self._moved()
        step, self._to_match = self._to_match, 0
        if step and session is not None and session.search is not None and session.search.messages:
            session.to_hit(session.search.messages[0 if step > 0 else -1], last=step < 0)
            self._moved()

    # -- the tree ------------------------------------------------------------------------------------------------------

    def action_tree(self) -> None:
        """Put the cursor into the tree of transcripts."""
        if self.run is None or len(self.run.transcripts) < 2:
            self._brief("this run has one transcript")
            return
        self.add_class("-tree")
        self.branch_view.focus()

    @on(BranchView.Picked)
    def _open_picked(self, message: BranchView.Picked) -> None:
        message.stop()
        if message.transcript != self.index:
            self.remember_place()
            self._open_transcript(message.transcript)

    @on(BranchView.Left)
    def _leave_tree(self, message: BranchView.Left) -> None:
        message.stop()
        self.remove_class("-tree")
        self.view.focus()
