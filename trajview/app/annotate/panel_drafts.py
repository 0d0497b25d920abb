"""What is typed into the annotation panel on its way to the journal: when it is written, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from time import monotonic

from textual.timer import Timer

from trajview.annotation.draft import Draft
from trajview.annotation.store import AnnotationStore
from trajview.app.annotate.panel_keys import PanelKeys
from trajview.app.annotate.panel_messages import clock
from trajview.app.annotate.score_sheet import ScoreSheet
from trajview.app.annotate.work import AnnotatedRun, Fields, Work
from trajview.app.keys import key_of
from trajview.errors import AnnotationError, Problem

__all__ = ["PanelDrafts"]

_TIME_EVERY = 60.0
"""Seconds of active time that are written down with a draft, so that a kill loses no more."""


class PanelDrafts(PanelKeys):
    """The part of the annotation panel that keeps drafts and active time."""

    KEEP_AFTER = 0.5
    """Seconds from the first keystroke that is not in the journal until it is written there."""

    def __init__(self, store: AnnotationStore, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.store = store
        self._run: AnnotatedRun | None = None
        self._ready = False
        self._fields: Fields | None = None
        self._timer: Timer | None = None
        self._refused = False
        """The journal did not take the last draft; that is said until it takes one."""
        self._sure = False
        """Missing scores were pointed out, and nothing was typed since."""
        self._turned_down: Draft | None = None
        """What was not submitted, and why is said: until something else is typed."""
        self._work = Work(store)

    @property
    def key(self) -> str | None:
        """The run that is open, None before the first."""
        return self._run.key if self._run else None

    @property
    def dirty(self) -> bool:
        """Something was typed that is in no saved annotation: a draft, here or one that the journal refused."""
        draft = self._typed()
        return self._work.unkept_elsewhere(self.key) or (draft is not None and not self._work.is_saved(draft))

    @property
    def texts(self) -> list[str]:
        """What is written in words: the reasoning, and the reasons for single scores."""
        draft = self._typed()
        return [draft.reasoning, *(why for of in draft.rationales for why in of.values())] if draft else []

    def active(self) -> None:
        """The person is at work on this run: a key was pressed here, or in the transcript beside it."""
        if self._run is not None:
            self._work.active(self._run, monotonic())

    def rest(self) -> None:
        """The panel is closed: what is done now is not work on this run."""
        self._work.rest(monotonic())
        self._write_time()

    def _write_time(self, least: float = 0.0) -> None:
        self.run_worker(self._work.write_time(monotonic(), least), group="annotation-time")

    async def keep_all(self) -> None:
        """Write what is typed into the journal now, without keeping the screen waiting. Raises AnnotationError."""
        self._stop_timer()
        await self._work.keep_all(self._typed())

    def flush(self) -> None:
        """Write what is typed into the journal now, and wait for it: for the moment before the program ends.

        Raises AnnotationError where that fails; then what is typed exists in this panel only.
        """
        self._stop_timer()
        self._work.flush(self._typed())

    def rescue(self) -> Problem | None:
        """Keep elsewhere what `flush` could not write; says where, None where nothing takes it."""
        return self._work.rescue()

    def _typed(self) -> Draft | None:
        """What is in the fields, None while no run is open."""
        if self._fields is None or not self._ready:
            return None
        self._sheet.take()
        return self._fields.draft(self._sheet.reasoning.text, self._work.base)

    def on_score_sheet_changed(self, event: ScoreSheet.Changed) -> None:
        event.stop()
        if not self._ready or self._sheet.locked:  # what is being submitted is no draft any more
            return
        # The last word on keys from before the submission may come after it was refused; that is no answer to it.
        again = self._turned_down is not None and self._typed() == self._turned_down
        if not again:
            self._turned_down = None
            self._sure = False
            self._alarm = self._refused
        if self._timer is None:  # Not restarted by further keys: nothing typed waits longer than this.
            if not (again or self._refused):
                self._say("typing…")
            self._timer = self.set_timer(self.KEEP_AFTER, self._keep)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _keep(self) -> None:
        """Hand what is typed to the writer, if the journal does not have it."""
        waited = self._timer is not None
        self._stop_timer()
        draft = self._typed()
        if draft is None:
            return
        if self._work.journal_has(draft):
            if waited and not self._alarm:  # It was typed back.
                self._say(*self._state_of(not self._work.is_saved(draft)))
        else:
            # Held until it is written, so that a run that is left and opened again does not lose it.
            write = self._work.hold(draft)
            if not self._alarm:
                self._say("saving the draft…")
            self.run_worker(self._write(draft, write), group="annotation-draft")
            self._write_time(least=_TIME_EVERY)

    async def _write(self, draft: Draft, write: Callable[[], object]) -> None:
        try:
            overtook = await self._work.keep(draft, write)
        except AnnotationError as error:
            self._refused = True
            self._fail(draft.episode, error)
            return
        if self._refused:
            self._refused = self._alarm = False
            self._shouted = ""
        if overtook and self.is_attached:
            told = f"another program typed here as well; this replaces it, {key_of('undo')} brings it back"
            self.notify(told, severity="warning", markup=False)
        here = self.key == draft.episode and self._work.is_latest(draft)
        unsaved = not (here and self._work.is_saved(draft))
        # An error stays until something is typed or saved; and what was typed since is not kept yet.
        if here and not self._alarm and self._timer is None:
            self._say(*self._state_of(unsaved))
        self.post_message(self.DraftKept(draft.episode, unsaved))

    def _state_of(self, unsaved: bool) -> tuple[str, str]:
        """What the last line says of a draft that is in the journal."""
        if not unsaved:
            return ("as submitted ✓", "saved") if self._work.base is not None else ("not started", "")
        changed = "changes not submitted" if self._work.base is not None else "not submitted"
        return f"draft saved {clock(datetime.now().astimezone(), seconds=True)} · {changed}", "draft"
