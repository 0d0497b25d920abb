"""Scores, notes and marks on single action units: asked for, shown, and kept in the store's record beside the annotation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message

from trajview.annotation.rubric import BadScore, Dimension, Rubric
from trajview.annotation.unit_scores import parse_unit, score_text, unit_dimensions, unit_text
from trajview.app.annotate.annotating import Annotating
from trajview.app.keys import key_of
from trajview.app.render.headers import NOTED, Scored
from trajview.app.shared.prompt import Prompt
from trajview.app.transcript.session import TranscriptSession
from trajview.errors import AnnotationError
from trajview.models.run import AgentRun
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.annotation.unit_notes import Mark, UnitNote, UnitNotes

__all__ = ["Scoring"]

_OPENS_A_FIELD = ("score_unit", "mark_note")


class Scoring(Annotating):
    """Actions that say something of the unit under the cursor. One thread of its own reads and writes, in order."""

    class _Read(Message):
        """The notes and marks of a run were read, or could not be."""

        def __init__(self, key: str, notes: UnitNotes | None, error: AnnotationError | None) -> None:
            super().__init__()
            self.key, self.notes, self.error = key, notes, error
            self.differs: int | None = None

    def __init__(self) -> None:
        super().__init__()
        self._notes: UnitNotes | None = None
        """What is known of the run that is shown, with what is on its way to the disk; None until it is read."""
        self._notes_of = ""
        self._notes_with: AgentRun | None = None
        self._asked: tuple[str, int, int] | None = None
        """The run, transcript and unit that the prompt is about."""
        self._warned_of = "", ""
        """The run, and how it began, whose notes were said to be another's."""
        self._on_its_way = 0
        self._complete = False
        """Whether what the store has of the run is in `_notes`."""
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="units")

    def on_unmount(self) -> None:
        # What was said is on disk before the program ends.
        self._writer.shutdown(wait=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What opens a field has priority, and is yet nobody's key but the transcript's."""
        if action in _OPENS_A_FIELD and self.focused is not None and self.focused.id != "transcript":
            return False
        return super().check_action(action, parameters)

    # -- what is there -------------------------------------------------------------------------------------------------

    def _transcript_shown(self, session: TranscriptSession) -> None:
        super()._transcript_shown(session)
        if self.info.key != self._notes_of:
            self._notes_of, self._notes, self._complete = self.info.key, None, False
        self._show_notes()
        if self.run is not self._notes_with:  # read again, perhaps because it was asked for: so are these
            self._notes_with = self.run
            self.reload_notes()

    def reload_notes(self) -> None:
        """Read the notes and marks of the run from the store: it is another run, or they were changed elsewhere."""
        self._read_notes(self._notes_of)

    async def before_undo(self) -> bool:
        """What was said a moment ago is the first thing to take back."""
        await asyncio.wrap_future(self._writer.submit(lambda: None))
        return await super().before_undo()

    @work(group="unit-notes", exit_on_error=False)
    async def _read_notes(self, key: str) -> None:
        notes, failure, differs = None, None, None
        try:
            notes, differs = await asyncio.get_running_loop().run_in_executor(self._writer, self._notes_on, key)
        except AnnotationError as error:
            failure = error
        message = self._Read(key, notes, failure)
        message.differs = differs
        self.post_message(message)

    def _notes_on(self, key: str) -> tuple[UnitNotes, int | None]:
        """What there is on a run's units, and the message from which it is another run than that is about."""
        from trajview.annotation.other_run import notes_differ

        store = self.trajview.store
        return store.unit_notes(key), notes_differ(store, key, self.beginning)[0]

    @on(_Read)
    def _take_notes(self, message: _Read) -> None:
        message.stop()
        if message.error is not None:
            self._toast(f"{message.error.sentence} {message.error.hint or ''}", error=True)
        # What was said meanwhile is newer than what was read; when it is written, it is read again.
        if message.key == self._notes_of and message.notes is not None and not self._on_its_way:
            self._notes, self._complete = message.notes, True
            self._show_notes()
            if message.differs is not None and self._warned_of != (key := (message.key, self.beginning)):
                self._warned_of = key
                text = f"The marks and notes here are of another conversation that this log held: {key_of('annotate')} asks."
                self._toast(text, error=True)

    def _show_notes(self) -> None:
        session, notes = self.session, self._notes
        if session is None or notes is None:
            return
        marks = {mark.unit: one_line(mark.note) for mark in notes.marks if mark.transcript == self.index}
        scored = {
            note.unit: Scored(score_text(note.scores), one_line(note.note))
            for note in notes.units
            if note.transcript == self.index
        }
        if marks != session.marks or scored != session.scored:
            session.set_marks(marks)
            session.set_scored(scored)
            self._highlights_changed()

    def _known(self) -> UnitNotes:
        from trajview.annotation.unit_notes import UnitNotes

        return self._notes if self._notes is not None else UnitNotes(self._notes_of)

    # -- marks ---------------------------------------------------------------------------------------------------------

    def action_mark_unit(self) -> None:
        """Mark the unit under the cursor, or take its mark away."""
        session = self.session
        if session is not None and session.messages:
            marked = session.unit not in session.marks
            self._mark(self.info.key, self.index, session.unit, marked)
            self._brief(f"unit {session.unit} {'marked' if marked else 'not marked any more'}")

    def action_mark_note(self) -> None:
        """Ask why the unit under the cursor is marked."""
        session = self.session
        if session is not None and session.messages:
            self._asked = self.info.key, self.index, session.unit
            known = self._known().mark_on(self.index, session.unit)
            self.prompt.ask("mark", f"⚑ unit {session.unit}", "why it is marked", known.note if known else "")

    def _mark(self, key: str, transcript: int, unit: int, on: bool, note: str = "") -> None:
        from trajview.annotation.unit_notes import Mark

        if key == self._notes_of:
            notes = self._known()
            others = [mark for mark in notes.marks if (mark.transcript, mark.unit) != (transcript, unit)]
            marks: list[Mark] = [*others, Mark(transcript, unit, note)] if on else others
            self._notes = replace(notes, marks=tuple(marks))
            self._show_notes()
        # A mark that cannot be kept is still of use as long as the program runs: it stays on the screen.
        beginning = self.beginning
        self._write(lambda: self.trajview.store.set_mark(key, transcript, unit, on, note, beginning=beginning))

    # -- scores and notes ----------------------------------------------------------------------------------------------

    def _rubric(self) -> Rubric:
        return self.trajview.episodes.rubric_for(self.info)

    def _dimensions(self) -> tuple[Dimension, ...]:
        return unit_dimensions(self._rubric(), self.trajview.settings.reward_range)

    def action_score_unit(self) -> None:
        """Ask for the scores of the unit under the cursor, and a note."""
        session = self.session
        if session is not None and session.messages:
            self._asked = self.info.key, self.index, session.unit
            known = self._known().note_on(self.index, session.unit)
            dimensions = self._dimensions()
            text = unit_text(known.scores, known.note, dimensions) if known else ""
            scores = unit_text(known.scores, "", dimensions) if known else ""
            self._ask_for_scores(session.unit, text, select=len(scores))

    def _ask_for_scores(self, unit: int, text: str, select: int = 0) -> None:
        asked = ", ".join(f"{dimension.label} {dimension.range_text}" for dimension in self._dimensions())
        self.prompt.ask("unit", one_line(f"unit {unit} · {asked} ·", 60), "then a note", text, select=select)

    @on(Prompt.Submitted)
    def _unit_submitted(self, event: Prompt.Submitted) -> None:
        if event.kind not in ("unit", "mark") or self._asked is None:
            return
        event.stop()
        key, transcript, unit = self._asked
        text = " ".join(event.text.split())
        if event.kind == "mark":
            self._mark(key, transcript, unit, True, text)
            self._brief(f"unit {unit} marked{': ' if text else ''}{one_line(text, 60)}")
            return
        said = parse_unit(text, self._dimensions())
        if isinstance(said, BadScore):
            self._toast(said.sentence, error=True)
            self._ask_for_scores(unit, event.text)
            return
        self._score(key, transcript, unit, *said)

    def _score(self, key: str, transcript: int, unit: int, scores: dict[str, float], note: str) -> None:
        from trajview.annotation.unit_notes import UnitNote

        known = self._known().note_on(transcript, unit)
        asked = {dimension.name for dimension in self._dimensions()}
        # Scores of another rubric, which are not asked for here, stay.
        others = {name: score for name, score in known.scores.items() if name not in asked} if known else {}
        new = UnitNote(transcript, unit, {**scores, **others}, note)
        rubric, beginning = self._rubric(), self.beginning
        self._show_note(key, new)
        self._write(
            lambda: self.trajview.store.save_unit_note(key, rubric, new, beginning=beginning),
            lambda: self._not_saved(key, new, known or UnitNote(transcript, unit)),
        )
        written = ", ".join(f"{name} {score:g}" for name, score in scores.items())
        shown = " · ".join(filter(None, (written, f"{NOTED} {one_line(note, 40)}" if note else "")))
        self._brief(f"unit {unit}: {shown or 'no score any more'}")

    def _show_note(self, key: str, new: UnitNote) -> None:
        if key == self._notes_of:
            notes, place = self._known(), (new.transcript, new.unit)
            units = [one for one in notes.units if (one.transcript, one.unit) != place]
            self._notes = replace(notes, units=tuple(units if new.empty else [*units, new]))
            self._show_notes()

    def _not_saved(self, key: str, new: UnitNote, before: UnitNote) -> None:
        """A score that is not saved is not shown as if it were; what was typed is there to be tried again."""
        self._show_note(key, before)
        if key == self._notes_of and not self.prompt.is_open:
            self._asked = key, new.transcript, new.unit
            self._ask_for_scores(new.unit, unit_text(new.scores, new.note, self._dimensions()))

    # -- writing -------------------------------------------------------------------------------------------------------

    def _write(self, write: Callable[[], None], failed: Callable[[], None] = lambda: None) -> None:
        """Hand a change to the thread that writes; what it cannot keep is said."""
        self._on_its_way += 1
        self._written(self._writer.submit(write), failed)

    @work(group="unit-notes", exit_on_error=False)
    async def _written(self, writing: Future[None], failed: Callable[[], None]) -> None:
        from trajview.annotation.unit_notes import NoteChangedOnDisk

        changed = False
        try:
            await asyncio.wrap_future(writing)
        except AnnotationError as error:
            changed = isinstance(error, NoteChangedOnDisk)
            self._toast(f"{error.sentence} {error.hint or ''}", error=True)
            failed()
        finally:
            self._on_its_way -= 1
        if (changed or not self._complete) and not self._on_its_way:
            self.reload_notes()
