"""The panel beside the transcript in which a person rates a run and says why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from trajview.annotation.draft import Draft, bad_scores
from trajview.annotation.rubric import Rubric
from trajview.annotation.store import AnnotationStore, ChangedOnDisk, Opened
from trajview.app.keys import key_of
from trajview.app.typed_ahead import TypedAhead
from trajview.app.widgets.annotation_work import AnnotatedRun, Fields, Work
from trajview.app.widgets.changed_on_disk import ChangedOnDiskScreen
from trajview.app.widgets.panel_keys import PanelKeys
from trajview.app.widgets.panel_messages import clock
from trajview.app.widgets.score_sheet import ScoreSheet
from trajview.errors import AnnotationError, Problem
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = ["AnnotationPanel"]

_TIME_EVERY = 60.0
"""Seconds of active time that are written down with a draft, so that a kill loses no more."""


class AnnotationPanel(PanelKeys):
    """Numbers per agent and dimension, their overall, and reasoning, for one run at a time.

    Every change is in the journal half a second after it was typed; a draft survives whatever happens to the program.
    The last line always says which of it is safe: a draft in the journal, a submitted annotation, or why neither is.
    Posts Opened, Saved, Failed, DraftKept, CloseRequested, RunRequested.
    """

    DEFAULT_CSS = """
    AnnotationPanel { width: 44; height: 100%; layout: vertical; background: $surface; padding: 0 0 0 1; }
    AnnotationPanel > .title { height: 1; text-style: bold; text-wrap: nowrap; text-overflow: ellipsis; color: $foreground; }
    AnnotationPanel > .about { height: 1; text-wrap: nowrap; text-overflow: ellipsis; color: $foreground 50%; margin: 0 0 1 0; }
    AnnotationPanel > .state { height: auto; max-height: 4; color: $foreground 50%; }
    AnnotationPanel > .state.-saved { color: $text-success; }
    AnnotationPanel > .state.-draft { color: $text-warning; }
    AnnotationPanel > .state.-error { color: $text-error; text-style: bold; }
    AnnotationPanel.-short > .about { display: none; }
    """
    KEEP_AFTER = 0.5
    """Seconds from the first keystroke that is not in the journal until it is written there."""

    def __init__(self, store: AnnotationStore, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.store = store
        self._run: AnnotatedRun | None = None
        self._warned: set[Problem] = set()
        self._ready = False
        self._filled: AnnotatedRun | None = None
        self._opening = 0
        self._wants_focus = False
        self._fields: Fields | None = None
        self._timer: Timer | None = None
        self._refused = False
        """The journal did not take the last draft; that is said until it takes one."""
        self._sure = False
        """Missing scores were pointed out, and nothing was typed since."""
        self._advancing = False
        """Submitted, and another run is to come: what is typed now is not for this one."""
        self._before = ""
        self.ahead = TypedAhead()
        """What is typed until the next run's fields are there. The screen around it fills it, and types it then."""
        self._work = Work(store)

    def compose(self) -> ComposeResult:
        yield Static(markup=False, classes="title")
        yield Static(markup=False, classes="about")
        yield self._sheet
        yield Static(markup=False, classes="state")

    # What the screen around it calls

    @property
    def key(self) -> str | None:
        """The run that is open, None before the first."""
        return self._run.key if self._run else None

    @property
    def dirty(self) -> bool:
        """Something was typed that is in no saved annotation: a draft, here or one that the journal refused."""
        draft = self._typed()
        return self._work.unkept_elsewhere(self.key) or (draft is not None and not self._work.is_saved(draft))

    def open_run(self, key: str, title: str, agents: Sequence[str], rubric: Rubric) -> None:
        """Show a run: what is typed for the last one is kept first; the fields open when the store was read."""
        self._keep()
        if self.is_mounted:
            self.rest()
        self._run = AnnotatedRun(key, title, tuple(agents) or ("agent",), rubric)
        self._ready = False
        if self.is_mounted:
            self._start_opening()

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

    def focus_fields(self) -> None:
        """Put the cursor where it was; in a run that it was not in, into the first empty cell. No key is lost to others."""
        if self._ready:
            if self._advancing:  # The other run could not be opened.
                self.stay()
            self._sheet.resume()
        else:
            self._wants_focus = True
            if self.is_mounted and not self._holds_focus():
                self.screen.set_focus(self._sheet.table)

    def cite(self, citation: str) -> bool:
        """Put a citation where the cursor is, or was last: into the reason for a score, else into the reasoning.

        False while nothing can be typed.
        """
        if not self._ready or self._sheet.locked:
            return False
        self._sheet.cite(citation)
        return True

    @property
    def opening(self) -> bool:
        """The store is being read; `Opened` follows."""
        return not self._ready

    @property
    def texts(self) -> list[str]:
        """What is written in words: the reasoning, and the reasons for single scores."""
        draft = self._typed()
        return [draft.reasoning, *(why for of in draft.rationales for why in of.values())] if draft else []

    def save(self, advance: bool = False, sure: bool = False) -> None:
        """Submit the annotation, in the background; then `advance` to the next run, if wanted.

        What is no score is refused, and its cell gets the cursor. So it does where scores are missing; but the second
        time in a row, or if `sure`, it is submitted without them.
        """
        draft = self._typed()
        if draft is None or self._run is None or self._sheet.locked:
            return
        bad = bad_scores(draft.values, self._run.rubric)
        if bad:
            scores = "1 score is not valid" if len(bad) == 1 else f"{len(bad)} scores are not valid"
            grid = self._sheet.grid
            self._sheet.table.strict = True
            self._sheet.to_first([place for place in grid.order if grid.bad(place)] or None)
            self._refuse()
            self._say(f"not submitted: {scores}, see the red ones", "error")
            return
        if draft.empty and (self._work.baseline is None or self._work.baseline.empty):
            self._refuse()
            self._say("nothing to submit: no score and no reasoning yet", "draft")
            return
        missing = self._sheet.grid.places_without()
        if missing and not (sure or self._sure):
            self._sure = True
            self._sheet.to_first(missing)
            self._refuse()
            empty = "1 score is empty" if len(missing) == 1 else f"{len(missing)} scores are empty"
            self._say(f"not submitted yet: {empty}; the same key again submits without", "draft")
            self._alarm = True  # It stays until something is typed.
            return
        self._stop_timer()
        self._say("submitting…")
        self._sheet.shut(True)
        if advance:
            self.ahead.wait(monotonic(), submitting=True)
        self.run_worker(self._save(self._run, draft, list(self._work.rewards), advance), group="annotation-save")

    def _refuse(self) -> None:
        """The run that is here stays, and what is typed for the next one is for nobody."""
        if self.ahead.refused(monotonic()):
            self.say_lost()

    def say_lost(self) -> None:
        """Say that keys were typed into nothing; once for each refusal."""
        said = "Not submitted, so this episode is still here. What you went on typing is in none: pause, then type."
        self.notify(said, severity="warning", timeout=5)

    def reload(self) -> None:
        """Read the run's work again: it has changed behind the fields, as by an undo."""
        self._keep()
        if self._run is not None and self.is_mounted:
            self._ready = False
            self._start_opening()

    def stay(self, why: str = "") -> None:
        """No other run is coming: the fields of this one open again, and `why` is said beside its state."""
        self._advancing = False
        self.ahead.drop()
        if self._ready:
            self._sheet.shut(False)
        text, kind = self._state
        self._say(f"{text} · {why}" if why else text, kind, aside=True)

    def _leave(self) -> None:
        """Another run is to come: what is typed until then is for that one."""
        self._advancing = True
        self._sheet.shut(True)
        self.ahead.wait(monotonic())

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

    # Opening

    def on_mount(self) -> None:
        if self._run is not None:
            self._start_opening()

    def _start_opening(self) -> None:
        run = self._run
        if run is None:
            return
        self._opening += 1
        self._show_head(run)
        self._sheet.shut(True)
        self._sure = self._advancing = False
        self._say("opening…")
        self.run_worker(self._open(run, self._opening), group="annotation-open")

    async def _open(self, run: AnnotatedRun, opening: int) -> None:
        opened: Opened | None = None
        error: AnnotationError | None = None
        try:
            opened = await self._work.open(run)
        except AnnotationError as failure:
            error = failure
        if opening != self._opening:
            return
        draft, kept = self._work.begin(run, opened)
        self._fill(run, draft)
        self._ready = True
        before, self._before = self._before, ""
        if error is not None:
            self.ahead.drop()
            self._fail(run.key, error)
        elif kept is not None:
            since = "; what was submitted has changed since" if opened and opened.changed else ""
            self._say(f"draft of {clock(kept.time)}, not submitted{since}{before}", "draft")
        elif opened and opened.saved:
            self._say(f"submitted ✓ {clock(opened.saved.time)}{before}", "saved")
        else:
            self._say(f"not started{before}")
        self._warn(opened.problems if opened else ())
        self._sheet.shut(False)
        if self._wants_focus or self._holds_focus():
            self._wants_focus = False
            self.focus_fields()
        self.ahead.arrived()
        saved = opened.saved.annotation if opened and opened.saved else None
        self.post_message(self.Opened(run.key, saved, kept is not None))

    def _warn(self, problems: Sequence[Problem]) -> None:
        """Say what the record and the rubric have against each other, or the store against the run; each once."""
        for problem in problems:
            if problem not in self._warned:
                self._warned.add(problem)
                hint = f" ({problem.hint})" if problem.hint else ""
                self.notify(one_line(problem.reason + hint, 400), severity="warning", timeout=12, markup=False)

    def _show_head(self, run: AnnotatedRun) -> None:
        self.query_one(".title", Static).update(Content(one_line(run.title or run.key)))
        about = f"{one_line(self.store.annotator, 30)} · {run.rubric.name} · {one_line(str(self.store.root), 120)}"
        self.query_one(".about", Static).update(Content(about))

    def _fill(self, run: AnnotatedRun, draft: Draft) -> None:
        again = self._filled == run
        self._filled = run
        self._fields = Fields(run, draft)
        self._sheet.fill(self._fields.grid, draft.reasoning, self._work.rewards, again)

    # What is in the fields

    def _typed(self) -> Draft | None:
        """What is in the fields, None while no run is open."""
        if self._fields is None or not self._ready:
            return None
        self._sheet.take()
        return self._fields.draft(self._sheet.reasoning.text, self._work.base)

    def on_score_sheet_changed(self, event: ScoreSheet.Changed) -> None:
        event.stop()
        if not self._ready:
            return
        self._sure = False
        self._alarm = self._refused
        if self._timer is None:  # Not restarted by further keys: nothing typed waits longer than this.
            if not self._refused:
                self._say("typing…")
            self._timer = self.set_timer(self.KEEP_AFTER, self._keep)

    # Keeping drafts

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

    # Submitting

    async def _save(
        self, run: AnnotatedRun, draft: Draft, rewards: list[Reward], advance: bool, overwrite: bool = False
    ) -> None:
        try:
            saved = await self._work.submit(run, draft, rewards, overwrite)
        except ChangedOnDisk as error:
            await self._ask(run, draft, rewards, advance, error)
            return
        except AnnotationError as error:
            self._refuse()
            self._sheet.shut(not self._ready)
            self._fail(run.key, error)
            return
        if self._run == run:
            self._work.saved(draft, saved)
            self._refused, self._shouted = False, ""
            self._sheet.table.rewards = self._work.rewards
            self._say(f"submitted ✓ {clock(saved.time)}", "saved")
            self._sheet.shut(not self._ready)
            if advance:
                self._leave()
                self._before = f" · {one_line(run.title or run.key, 40)}: submitted ✓ {clock(saved.time)}"
        self._write_time()
        self.post_message(self.Saved(run.key, saved.annotation, advance and self._run == run))

    async def _ask(
        self, run: AnnotatedRun, draft: Draft, rewards: list[Reward], advance: bool, error: ChangedOnDisk
    ) -> None:
        self.ahead.drop()
        if self.key == run.key:
            self._say("not submitted: changed by someone else", "error")
        choice = await self.app.push_screen_wait(ChangedOnDiskScreen(error))
        if choice == "overwrite":
            await self._save(run, draft, rewards, advance, overwrite=True)
            return
        self._sheet.shut(not self._ready)
        if choice == "theirs":
            try:
                await self._work.discard(draft)
            except AnnotationError as failure:
                self._fail(run.key, failure)
                return
            if self._run == run:
                self._ready = False
                self._start_opening()
        else:
            self._fail(run.key, error)

    # The cursor and the space

    def _holds_focus(self) -> bool:
        focused = self.screen.focused if self.is_attached else None
        return focused is not None and self in focused.ancestors

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < 26, "-short")

    def on_unmount(self) -> None:
        try:
            self.flush()
        except AnnotationError as error:
            self.app.notify(one_line(f"{error.sentence} ({error.hint})", 300), severity="error", markup=False)
        self._work.close()
