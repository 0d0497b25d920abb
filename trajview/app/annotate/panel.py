"""The panel beside the transcript in which a person rates a run and says why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from trajview.annotation.draft import Draft, bad_scores
from trajview.annotation.rubric import Rubric
from trajview.annotation.store import AnnotationStore, ChangedOnDisk, Opened
from trajview.app.annotate.changed_on_disk import ChangedOnDiskScreen
from trajview.app.annotate.other_run import OtherRunScreen
from trajview.app.annotate.panel_drafts import PanelDrafts
from trajview.app.annotate.panel_messages import clock
from trajview.app.annotate.work import AnnotatedRun, Fields
from trajview.app.shared.typed_ahead import TypedAhead
from trajview.errors import AnnotationError, Problem
from trajview.models.beginning import differs_at
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = ["AnnotationPanel"]


class AnnotationPanel(PanelDrafts):
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

    def __init__(self, store: AnnotationStore, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(store, id=id, classes=classes)
        self._warned: set[Problem] = set()
        self._filled: AnnotatedRun | None = None
        self._opening = 0
        self._wants_focus = False
        self._advancing = False
        """Submitted, and another run is to come: what is typed now is not for this one."""
        self._before = ""
        self._asking = self._put_off = False
        """It is asked what is to become of work that is about another run; or that is left for later."""
        self.ahead = TypedAhead()
        """What is typed until the next run's fields are there. The screen around it fills it, and types it then."""

    def compose(self) -> ComposeResult:
        yield Static(markup=False, classes="title")
        yield Static(markup=False, classes="about")
        yield self._sheet
        yield Static(markup=False, classes="state")

    # What the screen around it calls

    def open_run(self, key: str, title: str, agents: Sequence[str], rubric: Rubric, beginning: str = "") -> None:
        """Show a run: what is typed for the last one is kept first; the fields open when the store was read.

        `beginning` (see `models.beginning`) tells it from others that have the same name at other times.
        """
        self._keep()
        if self.is_mounted:
            self.rest()
        self._run = AnnotatedRun(key, title, tuple(agents) or ("agent",), rubric, beginning)
        self._ready = False
        if self.is_mounted:
            self._start_opening()

    def run_begins(self, beginning: str, title: str, agents: Sequence[str]) -> None:
        """The run was read again: it has grown, or another one has its name now, for which nothing was typed."""
        run, fields = self._run, self._fields
        if run is None or beginning == run.beginning:
            return
        another = differs_at(run.beginning, beginning) is not None
        if another:
            self._keep()
        self._run = replace(run, beginning=beginning)
        if another:
            self._run = replace(self._run, title=title, agents=tuple(agents) or ("agent",))
        if another and not self._asking:
            self._ready = False
            self._start_opening()
        elif not another and fields is not None and fields.run == run:
            fields.run = self._run

    def decide(self) -> None:
        """Ask again what is to become of work that is about another run, where that was put off."""
        if self._put_off:
            self._start_opening()

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
    def leaving(self) -> bool:
        """Another run was asked for, and is to come."""
        return self._advancing

    def save(self, advance: bool = False, sure: bool = False) -> None:
        """Submit the annotation, in the background; then `advance` to the next run, if wanted.

        What is no score is refused, and its cell gets the cursor. So it does where scores are missing; but the second
        time in a row, or if `sure`, it is submitted without them.
        """
        draft = self._typed()
        if draft is None or self._run is None or self._sheet.locked:
            return
        self._turned_down = draft
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
            self._say(f"not submitted: {empty}; the same key again submits without them", "draft")
            self._alarm = True  # It stays until something is typed.
            return
        self._turned_down = None
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
        if self._run is not None and self.is_mounted and not self._asking:  # it is read again after the answer
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

    # Opening

    def on_mount(self) -> None:
        if self._run is not None:
            self._start_opening()

    def _start_opening(self) -> None:
        run = self._run
        if run is None:
            return
        self._opening += 1
        self._put_off = False
        self._show_head(run)
        self._sheet.shut(True)
        self._sure = self._advancing = False
        self._turned_down = None
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
        if self._work.another is not None:
            await self._ask_whose(run, _work_there_is(opened, kept))
            return
        self._fill(run, draft)
        self._ready = True
        before, self._before = self._before, ""
        if error is not None:
            self.ahead.drop()
            self._fail(run.key, error)
        else:
            self._say_state(opened, kept, before)
        self._warn(opened.problems if opened else ())
        # Where another run was asked for meanwhile, what is typed is for that one.
        self._sheet.shut(self._advancing)
        if not self._advancing and (self._wants_focus or self._holds_focus()):
            self._wants_focus = False
            self.focus_fields()
        saved = opened.saved.annotation if opened and opened.saved else None
        self.post_message(self.Opened(run.key, saved, kept is not None))

    def _say_state(self, opened: Opened | None, kept: Draft | None, before: str) -> None:
        """Say whether the run is annotated; `before`: what was done with the one before."""
        if kept is not None:
            since = "; what was submitted has changed since" if opened and opened.changed else ""
            self._say(f"draft of {clock(kept.time)}, not submitted{since}{before}", "draft")
        elif opened and opened.saved:
            self._say(f"submitted ✓ {clock(opened.saved.time)}{before}", "saved")
        else:
            self._say(f"not started{before}")

    async def _ask_whose(self, run: AnnotatedRun, work: str) -> None:
        """What there is is about another run that had this name: ask what is to become of it."""
        differs = self._work.another or 0
        self._fill(run, Draft(run.key, run.rubric.name, ({},) * len(run.agents)))
        self._sheet.shut(True)
        self.ahead.drop()
        self._advancing = False
        self._say(f"this log holds another conversation now; the {work} is of the one before", "error")
        self._asking = True
        choice = await self.app.push_screen_wait(OtherRunScreen(work, differs))
        self._asking = False
        now = self._run
        if now != run or now is None or differs_at(run.beginning, now.beginning) is not None:
            self._start_opening()  # it is yet another one by now
            return
        try:
            if choice == "apart":
                for name in await self._work.keep_apart(now):
                    self.notify(one_line(f"The {work} is kept as {name}.", 300), timeout=12, markup=False)
                self.post_message(self.PutAside(run.key))
            elif choice == "same":
                await self._work.take_for_same(now)
            else:
                self._put_off = True
                return
        except AnnotationError as error:
            self._fail(run.key, error)
            self._put_off = True
            return
        self._wants_focus = True
        self._start_opening()

    def _warn(self, problems: Sequence[Problem]) -> None:
        """Say what the record and the rubric have against each other, or the store against the run; each once."""
        for problem in problems:
            if problem not in self._warned:
                self._warned.add(problem)
                hint = f" ({problem.hint})" if problem.hint else ""
                file = problem.where.path.name if problem.where and problem.where.path else ""
                said = f"{file}: {problem.reason}" if problem.reason.startswith("This file") else problem.reason
                self.notify(one_line(said + hint, 400), severity="warning", timeout=12, markup=False)

    def _show_head(self, run: AnnotatedRun) -> None:
        self.query_one(".title", Static).update(Content(one_line(run.title or run.key)))
        about = f"{one_line(self.store.annotator, 30)} · {run.rubric.name} · {one_line(str(self.store.root), 120)}"
        self.query_one(".about", Static).update(Content(about))

    def _fill(self, run: AnnotatedRun, draft: Draft) -> None:
        again = self._filled == run
        self._filled = run
        self._fields = Fields(run, draft)
        self._sheet.fill(self._fields.grid, draft.reasoning, self._work.rewards, again)

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

    def on_resize(self) -> None:
        self.set_class(self.size.height < 26, "-short")

    def on_unmount(self) -> None:
        try:
            self.flush()
        except AnnotationError as error:
            self.app.notify(one_line(f"{error.sentence} ({error.hint})", 300), severity="error", markup=False)
        self._work.close()


def _work_there_is(opened: Opened | None, kept: Draft | None) -> str:
    """What there is of a run: a draft, an annotation, or scores of its units alone."""
    if kept:
        return f"draft of {clock(kept.time)}"
    saved_at = opened.saved.time if opened and opened.saved else None
    return f"annotation of {clock(saved_at)}" if saved_at else "annotation of its units"
