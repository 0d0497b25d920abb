"""Scores, notes and marks on single action units: asked for, shown, and kept in the store's record beside the annotation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from trajview.annotation.rubric import BadScore, Dimension, Rubric
from trajview.annotation.unit_scores import parse_unit, score_text, unit_dimensions, unit_text
from trajview.app.keys import key_of
from trajview.app.render.headers import NOTED, Scored
from trajview.errors import AnnotationError
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.annotation.unit_notes import Mark, UnitNote, UnitNotes
    from trajview.app.app import TrajviewApp
    from trajview.app.shared.commands import Commands
    from trajview.app.transcript.desk import Desk
    from trajview.models.run import AgentRun

__all__ = ["UnitScorer"]


class UnitScorer:
    """Says something of the unit under the cursor. One thread of its own reads and writes, in order.

    `later` calls a function in the screen's turn; it may be called in that thread.
    """

    def __init__(self, desk: Desk, app: TrajviewApp, later: Callable[[Callable[[], None]], object]) -> None:
        self._reading, self._display, self._notices = desk.reading, desk.display, desk.notices
        self._prompt, self._app, self._later = desk.prompt, app, later
        self._notes: UnitNotes | None = None
        """What is known of the run that is shown, with what is on its way to the disk; None until it is read."""
        self._key = ""
        """The run that the notes are about."""
        self._read_for: AgentRun | None = None
        self._warned = "", ""
        """The run, and how it began, whose notes were said to be another's."""
        self._unwritten = 0
        """How many changes are on their way to the disk."""
        self._complete = False
        """Whether what the store has of the run is in `_notes`."""
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="units")

    @property
    def commands(self) -> Commands:
        return {
            "mark": self.mark,
            "mark.note": self.ask_why_marked,
            "score.unit": self.ask_for_scores,
            "bookmarks": self.show_all_marks,
        }

    @property
    def settled(self) -> bool:
        """Whether what the store has is shown, and what was said is in the store."""
        return self._complete and not self._unwritten

    def close(self) -> None:
        """Wait until what was said is on disk: the program ends."""
        self._writer.shutdown(wait=True)

    async def written(self) -> None:
        """Wait until what was said so far is on disk."""
        await asyncio.wrap_future(self._writer.submit(lambda: None))

    # -- what is there -------------------------------------------------------------------------------------------------

    def transcript_shown(self) -> None:
        """Show the notes of a transcript; read those of its run, if it is another one, or was read again."""
        key, run = self._reading.info.key, self._reading.run
        if key != self._key:
            self._key, self._notes, self._complete = key, None, False
        self._show()
        if run is not self._read_for:  # read again, perhaps because it was asked for: so are these
            self._read_for = run
            self.reload()

    def reload(self) -> None:
        """Read the notes and marks of the run from the store: it is another run, or they were changed elsewhere."""
        key, beginning = self._key, self._reading.beginning
        self._writer.submit(self._read, key, beginning)

    def _read(self, key: str, beginning: str) -> None:
        from trajview.annotation.other_run import notes_differ

        store = self._app.store
        try:
            notes, differs = store.unit_notes(key), notes_differ(store, key, beginning)[0]
        except AnnotationError as error:
            failure = error
            self._later(lambda: self._complain(failure))
        else:
            self._later(lambda: self._take(key, notes, differs))

    def _complain(self, error: AnnotationError) -> None:
        self._notices.toast(f"{error.sentence} {error.hint or ''}", error=True)

    def _take(self, key: str, notes: UnitNotes, differs: int | None) -> None:
        """Show what was read; `differs` is the message from which the log holds another run than the notes are about."""
        # What was said meanwhile is newer than what was read; when it is written, it is read again.
        if key != self._key or self._unwritten:
            return
        self._notes, self._complete = notes, True
        self._show()
        warned = key, self._reading.beginning
        if differs is not None and self._warned != warned:
            self._warned = warned
            asks = f"{key_of('annotate')} asks"
            self._notices.toast(
                f"The marks and notes here are of another conversation that this log held: {asks}.", error=True
            )

    def _show(self) -> None:
        session, notes, index = self._reading.session, self._notes, self._reading.index
        if session is None or notes is None:
            return
        marks = {mark.unit: one_line(mark.note) for mark in notes.marks if mark.transcript == index}
        scored = {
            note.unit: Scored(score_text(note.scores), one_line(note.note))
            for note in notes.units
            if note.transcript == index
        }
        if marks != session.highlights.marks or scored != session.scored:
            session.highlights.set_marks(marks)
            session.set_scored(scored)
            self._display.highlights_changed()

    def _known(self) -> UnitNotes:
        from trajview.annotation.unit_notes import UnitNotes

        return self._notes if self._notes is not None else UnitNotes(self._key)

    # -- marks ---------------------------------------------------------------------------------------------------------

    def mark(self) -> None:
        """Mark the unit under the cursor, or take its mark away."""
        session = self._reading.shown
        marked = session.unit not in session.highlights.marks
        self.set_mark(self._reading.info.key, self._reading.index, session.unit, marked)
        self._notices.brief(f"unit {session.unit} {'marked' if marked else 'not marked any more'}")

    def ask_why_marked(self) -> None:
        """Ask why the unit under the cursor is marked."""
        key, transcript, unit = self._reading.info.key, self._reading.index, self._reading.shown.unit

        def answered(text: str) -> None:
            note = " ".join(text.split())
            self.set_mark(key, transcript, unit, True, note)
            self._notices.brief(f"unit {unit} marked{': ' if note else ''}{one_line(note, 60)}")

        known = self._known().mark_on(transcript, unit)
        self._prompt.ask(f"⚑ unit {unit}", "why it is marked", known.note if known else "", then=answered)

    async def show_all_marks(self) -> None:
        """Show the marks in all runs, those that were set a moment ago too; they may be changed there."""
        await self.written()
        self._app.show_bookmarks((self._key, self._reading.index, self._reading.shown.unit), self.reload)

    def set_mark(self, key: str, transcript: int, unit: int, on: bool, note: str = "") -> None:
        """Mark a unit of a run, with a note, or take its mark away."""
        from trajview.annotation.unit_notes import Mark

        if key == self._key:
            notes = self._known()
            others = [mark for mark in notes.marks if (mark.transcript, mark.unit) != (transcript, unit)]
            marks: list[Mark] = [*others, Mark(transcript, unit, note)] if on else others
            self._notes = replace(notes, marks=tuple(marks))
            self._show()
        # A mark that cannot be kept is still of use as long as the program runs: it stays on the screen.
        beginning = self._reading.beginning
        self._write(lambda: self._app.store.set_mark(key, transcript, unit, on, note, beginning=beginning))

    # -- scores and notes ----------------------------------------------------------------------------------------------

    def _rubric(self) -> Rubric:
        return self._app.episodes.rubric_for(self._reading.info)

    def _dimensions(self) -> tuple[Dimension, ...]:
        return unit_dimensions(self._rubric(), self._app.settings.reward_range)

    def ask_for_scores(self) -> None:
        """Ask for the scores of the unit under the cursor, and a note."""
        transcript, unit = self._reading.index, self._reading.shown.unit
        known = self._known().note_on(transcript, unit)
        dimensions = self._dimensions()
        text = unit_text(known.scores, known.note, dimensions) if known else ""
        scores = unit_text(known.scores, "", dimensions) if known else ""
        self._ask(self._reading.info.key, transcript, unit, text, select=len(scores))

    def _ask(self, key: str, transcript: int, unit: int, text: str, select: int = 0) -> None:
        dimensions = self._dimensions()

        def answered(answer: str) -> None:
            parsed = parse_unit(" ".join(answer.split()), self._dimensions())
            if isinstance(parsed, BadScore):
                self._notices.toast(parsed.sentence, error=True)
                self._ask(key, transcript, unit, answer)
            else:
                self._score(key, transcript, unit, *parsed)

        asked = ", ".join(f"{dimension.label} {dimension.range_text}" for dimension in dimensions)
        self._prompt.ask(one_line(f"unit {unit} · {asked} ·", 60), "then a note", text, select=select, then=answered)

    def _score(self, key: str, transcript: int, unit: int, scores: dict[str, float], note: str) -> None:
        from trajview.annotation.unit_notes import UnitNote

        known = self._known().note_on(transcript, unit)
        asked = {dimension.name for dimension in self._dimensions()}
        # Scores of another rubric, which are not asked for here, stay.
        others = {name: score for name, score in known.scores.items() if name not in asked} if known else {}
        new = UnitNote(transcript, unit, {**scores, **others}, note)
        rubric, beginning = self._rubric(), self._reading.beginning
        self._show_note(key, new)
        self._write(
            lambda: self._app.store.save_unit_note(key, rubric, new, beginning=beginning),
            lambda: self._not_saved(key, new, known or UnitNote(transcript, unit)),
        )
        written = ", ".join(f"{name} {score:g}" for name, score in scores.items())
        shown = " · ".join(filter(None, (written, f"{NOTED} {one_line(note, 40)}" if note else "")))
        self._notices.brief(f"unit {unit}: {shown or 'no score any more'}")

    def _show_note(self, key: str, new: UnitNote) -> None:
        if key == self._key:
            notes, place = self._known(), (new.transcript, new.unit)
            units = [one for one in notes.units if (one.transcript, one.unit) != place]
            self._notes = replace(notes, units=tuple(units if new.empty else [*units, new]))
            self._show()

    def _not_saved(self, key: str, new: UnitNote, before: UnitNote) -> None:
        """Show what was there before a score that is not saved; what was typed is there to be tried again."""
        self._show_note(key, before)
        if key == self._key and not self._prompt.is_open:
            self._ask(key, new.transcript, new.unit, unit_text(new.scores, new.note, self._dimensions()))

    # -- writing -------------------------------------------------------------------------------------------------------

    def _write(self, write: Callable[[], None], failed: Callable[[], None] = lambda: None) -> None:
        """Hand a change to the thread that writes; what it cannot keep is said."""
        self._unwritten += 1

        def run() -> None:
            failure: AnnotationError | None = None
            try:
                write()
            except AnnotationError as error:
                failure = error
            finally:
                self._later(lambda: self._wrote(failure, failed))

        self._writer.submit(run)

    def _wrote(self, failure: AnnotationError | None, failed: Callable[[], None]) -> None:
        from trajview.annotation.unit_notes import NoteChangedOnDisk

        self._unwritten -= 1
        if failure is not None:
            self._complain(failure)
            failed()
        if (isinstance(failure, NoteChangedOnDisk) or not self._complete) and not self._unwritten:
            self.reload()
