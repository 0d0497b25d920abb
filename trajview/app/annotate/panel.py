"""The panel beside the transcript in which a person rates a run and says why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import Worker

from trajview.annotation.draft import Draft, Values, bad_scores
from trajview.annotation.rubric import Rubric
from trajview.annotation.store import AnnotationStore, ChangedOnDisk, Opened
from trajview.app.annotate.fields import RationaleText, ReasoningText
from trajview.app.annotate.questions import ChangedOnDiskScreen, OtherRunScreen
from trajview.app.annotate.score_grid import ScoreGrid
from trajview.app.annotate.score_sheet import ScoreSheet
from trajview.app.annotate.work import AnnotatedRun, AnnotationWork
from trajview.app.keys import bindings_for, key_of
from trajview.app.shared.commands import Command, Commands, HasCommands
from trajview.app.shared.key_queue import KeyQueue, Wait
from trajview.errors import AnnotationError, Problem
from trajview.models.beginning import differs_at
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = ["AnnotationPanel"]

_State: TypeAlias = Literal["opening", "asking", "undecided", "ready", "submitting"]
"""What the panel does with its run: it is asked whose the work on it is, or that was put off until it is opened again."""

_TIME_EVERY: Final = 60.0
"""Seconds of active time that are written down with a draft, so that a kill loses no more."""

_MOST_AGENTS: Final = 24
"""More agents than this get no fields: nobody rates them by hand, and a log could claim a million."""

_LOST: Final = "Not submitted, so this episode is still here. What you went on typing is in none: pause, then type."

_SUBMITS: Final = frozenset({"annotation.save"})
"""The command that is not held for another run: it is not about one that nobody has seen."""

_TO_OTHER_RUNS: Final = frozenset({"annotation.next_run", "annotation.previous_run"})
"""Commands that are done before the fields are there: several runs on, without a look at those between."""

_OF_SCORES: Final = frozenset(f"annotation.{name}" for name in ("more", "less", "copy", "why", "guidance"))
"""Commands that are about the score at the cursor of the table."""


class StateLine(Static):
    """Says which of the work is safe: a draft in the journal, a submitted annotation, or why neither is."""

    DEFAULT_CSS = """
    StateLine { height: auto; max-height: 4; color: $foreground 50%; }
    StateLine.-saved { color: $text-success; }
    StateLine.-draft { color: $text-warning; }
    StateLine.-error { color: $text-error; text-style: bold; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False, classes="state")
        self._text = ""
        self.alarm = False
        """It says an error, or why nothing was submitted: that stays until something is typed."""

    def say(self, text: str, kind: str = "", *, alarm: bool = False) -> None:
        """Say the state. `kind`: `saved`, `draft`, `error` (always an alarm), or none of them."""
        self._text = text
        self.alarm = alarm or kind == "error"
        self.set_classes(f"state -{kind}" if kind else "state")
        self.add("")

    def add(self, text: str) -> None:
        """Say something after the state, until the next one."""
        self.update(Content(one_line(f"{self._text} · {text}" if text else self._text, 300)))


class AnnotationPanel(HasCommands, Widget):
    """Shows scores per agent and dimension, their overall, and reasoning, to be typed for one run at a time.

    Every change is in the journal half a second after it was typed; a draft survives whatever happens to the program.
    The last line always says which of it is safe.
    """

    KEEP_AFTER: ClassVar[float] = 0.5
    """Seconds from the first keystroke that is not in the journal until it is written there."""
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("annotation")]
    DEFAULT_CSS = """
    AnnotationPanel { width: 44; height: 100%; layout: vertical; background: $surface; padding: 0 0 0 1; }
    AnnotationPanel > .title { height: 1; text-style: bold; text-wrap: nowrap; text-overflow: ellipsis; color: $foreground; }
    AnnotationPanel > .about { height: 1; text-wrap: nowrap; text-overflow: ellipsis; color: $foreground 50%; margin: 0 0 1 0; }
    AnnotationPanel.-short > .about { display: none; }
    """

    def __init__(
        self,
        store: AnnotationStore,
        keys: KeyQueue,
        *,
        opened: Callable[[], None],
        kept: Callable[[], None],
        saved: Callable[[str, bool], None],
        put_aside: Callable[[str], None],
        left: Callable[[], None],
        run_wanted: Callable[[int], None],
    ) -> None:
        """
        Args:
            keys: Where what is typed comes from. It holds what is typed for fields that are not there yet.
            opened: The fields of a run are filled and can be typed in.
            kept: What was typed for a run is in the journal.
            saved: The annotation of a run, named by its key, is on disk. The second argument says whether the next run is
                wanted; nothing can be typed until then.
            put_aside: What was said of another run under this key has another name now, the notes on its units too.
            left: The cursor is to go back to the transcript. The draft is on its way to the journal.
            run_wanted: Another run is wanted: the next (1) or the previous (-1).
        """
        super().__init__()
        self._opened, self._kept, self._saved, self._put_aside = opened, kept, saved, put_aside
        self._left, self._run_wanted = left, run_wanted
        self.store = store
        self._keys = keys
        self._coming: Wait | None = None
        """The fields that are not there yet and that what is typed is meant for."""
        self._is_submitted = False
        """These are the next run's, since this one is submitted or skipped."""
        self._title = Static(markup=False, classes="title")
        self._about = Static(markup=False, classes="about")
        self._sheet = ScoreSheet(self._changed)
        self._line = StateLine()
        self._work = AnnotationWork(store)
        self._keeping: Timer | None = None
        """Runs until what was typed is handed to the journal."""
        self._run: AnnotatedRun | None = None
        self._state: _State = "opening"
        self._opening = 0
        self._leaving = False
        """Another run is to come: what is typed now is not for this one."""
        self._wants_focus = False
        self._filled: AnnotatedRun | None = None
        self._turned_down: Draft | None = None
        """What was not submitted, and why is said: until something else is typed."""
        self._shouted = ""
        """The error that was said last, until something has worked."""
        self._refused = False
        """The journal did not take the last draft; that is said until it takes one."""
        self._before = ""
        """What was done with the last run."""
        self._warned: set[Problem] = set()
        sheet = self._sheet
        typing: Commands = {
            "annotation.save": self.save,
            "annotation.down": partial(sheet.row, 1),
            "annotation.up": partial(sheet.row, -1),
            "annotation.on": sheet.next_score,
            "annotation.column": partial(sheet.column, 1),
            "annotation.column_back": partial(sheet.column, -1),
            "annotation.more": partial(sheet.step, 1),
            "annotation.less": partial(sheet.step, -1),
            "annotation.copy": sheet.copy_previous,
            "annotation.why": sheet.explain,
        }
        self.commands = {
            **{id: partial(self._unless_locked, command) for id, command in typing.items()},
            "annotation.close": self._close,
            "annotation.next_run": partial(self._to_run, 1),
            "annotation.previous_run": partial(self._to_run, -1),
            "annotation.guidance": sheet.toggle_large,
        }

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._about
        yield self._sheet
        yield self._line

    def on_mount(self) -> None:
        self._start_opening()

    def on_resize(self) -> None:
        self.set_class(self.size.height < 26, "-short")

    def on_unmount(self) -> None:
        self.expect_nothing()
        try:
            self.flush()
        except AnnotationError as error:
            self.app.notify(one_line(f"{error.sentence} ({error.hint})", 300), severity="error", markup=False)
        self._work.close()

    # What can be seen from outside

    @property
    def key(self) -> str | None:
        """The run that is open, None before the first."""
        return self._run.key if self._run else None

    @property
    def opening(self) -> bool:
        """Whether the store is being read."""
        return self._state not in ("ready", "submitting")

    @property
    def locked(self) -> bool:
        """Whether nothing can be typed."""
        return self._sheet.locked

    @property
    def dirty(self) -> bool:
        """Whether something typed is in no saved annotation: a draft, here or one that the journal refused."""
        draft = self._typed()
        return self._work.holds_another(self.key) or (draft is not None and not self._work.is_saved(draft))

    @property
    def texts(self) -> list[str]:
        """What is written in words: the reasoning, and the reasons for single scores."""
        draft = self._typed()
        return [draft.reasoning, *(why for of in draft.rationales for why in of.values())] if draft else []

    def _typed(self) -> Draft | None:
        """What is in the fields, None while no run is open."""
        run = self._run
        if run is None or self.opening:
            return None
        values, reasoning, rationales = self._sheet.texts()
        base = self._work.base
        return Draft(run.key, run.rubric.name, values, reasoning, base, rationales=rationales, beginning=run.beginning)

    # Keys

    def can_do(self, id: str) -> bool:
        """Keys that move or change a score are the text's own where text is typed."""
        focused = self.screen.focused if self.is_attached else None
        if isinstance(focused, ReasoningText):
            return id not in _OF_SCORES | {"annotation.down", "annotation.on"}
        return not isinstance(focused, RationaleText) or id not in _OF_SCORES

    def _unless_locked(self, command: Command) -> None:
        if not self.locked:
            command()

    def _close(self) -> None:
        self._keep()
        self._left()

    def _to_run(self, step: int) -> None:
        self._keep()
        self._leave()
        self._run_wanted(step)

    # What the screen around it calls

    def open_run(self, key: str, title: str, agents: Sequence[str], rubric: Rubric, beginning: str = "") -> None:
        """Show a run: what is typed for the last one is kept first; the fields open when the store was read.

        `beginning` (see `models.beginning`) tells it from others that have the same name at other times.
        """
        self._keep()
        if self.is_mounted:
            self.rest()
        self._run = AnnotatedRun(key, title, tuple(agents) or ("agent",), rubric, beginning)
        self._start_opening()

    def run_begins(self, beginning: str, title: str, agents: Sequence[str]) -> None:
        """Take up how the run begins that was read again: it has grown, or another one has its name now."""
        run = self._run
        if run is None or beginning == run.beginning:
            return
        if differs_at(run.beginning, beginning) is None:
            self._run = replace(run, beginning=beginning)
            return
        self._keep()
        self._run = replace(run, beginning=beginning, title=title, agents=tuple(agents) or ("agent",))
        self._start_opening()

    def reload(self) -> None:
        """Read the run's work again: it has changed behind the fields, as by an undo."""
        self._keep()
        self._start_opening()

    def decide(self) -> None:
        """Ask again what is to become of work that is about another run, where that was put off."""
        if self._state == "undecided":
            self._start_opening()

    def focus_fields(self) -> None:
        """Put the cursor where it was; in a run that it was not in, into the first empty cell. No key is lost to others."""
        if not self.opening:
            self._sheet.resume()
        else:
            self._wants_focus = True
            self.expect_fields()
            if self.is_mounted and not self._holds_focus():
                self.screen.set_focus(self._sheet.table)

    def _holds_focus(self) -> bool:
        focused = self.screen.focused if self.is_attached else None
        return focused is not None and self in focused.ancestors

    def cite(self, citation: str) -> bool:
        """Put a citation where the cursor is, or was last: into the reason for a score, else into the reasoning.

        False while nothing can be typed.
        """
        if self.locked:
            return False
        self._sheet.cite(citation)
        return True

    def stay(self, why: str = "") -> None:
        """Open the fields of this run again, as no other one is coming; `why` is said beside its state."""
        self._leaving = False
        self.expect_nothing(why)
        self._lock()
        self._line.add(why)

    def _leave(self) -> None:
        """Lock the fields until another run comes: what is typed until then is for that one."""
        self._leaving = True
        self._lock()
        self.expect_fields()

    # Keys for fields that are not there yet

    def expect_fields(self, submitted: bool = False) -> None:
        """Hold what is typed from now on until fields open: this run's, or those of the next one.

        `submitted` where this run is done with: then no key leads to a run further on.
        """
        self._is_submitted = self._is_submitted or submitted
        if self._coming is None:
            self._coming = self._keys.wait(passes=self._goes_on, ignores=_SUBMITS)

    def expect_nothing(self, why: str = "") -> None:
        """Drop what was typed for fields that are not coming; `why` says so in a few words."""
        coming, self._coming, self._is_submitted = self._coming, None, False
        if coming is not None:
            coming.never(why)

    def _goes_on(self, command: str) -> bool:
        return command in _TO_OTHER_RUNS and not self._is_submitted

    def _take_keys(self) -> None:
        """The fields are there, unless others are to come: type into them what was typed for them."""
        coming = self._coming
        if coming is not None and not self._leaving:
            self._coming, self._is_submitted = None, False
            coming.done()

    def _lock(self) -> None:
        """Lock the fields where nothing is to be typed into them, or unlock them."""
        self._sheet.set_locked(self._state != "ready" or self._leaving)

    # Drafts and active time

    def active(self) -> None:
        """Count active time: a key was pressed here, or in the transcript beside the panel."""
        if self._run is not None:
            self._work.active(self._run)

    def rest(self) -> None:
        """Count no active time until the next key: the panel is closed."""
        self._work.rest()
        self.run_worker(self._work.write_time(), group="annotation-time")

    async def keep_all(self) -> None:
        """Write what is typed into the journal now, without keeping the screen waiting. Raises AnnotationError."""
        self._stop_waiting()
        await self._work.keep_all(self._typed())

    def flush(self) -> None:
        """Write what is typed into the journal now, and wait for it: for the moment before the program ends.

        Raises AnnotationError where that fails; then what is typed exists in this panel only.
        """
        self._stop_waiting()
        self._work.flush(self._typed())

    def rescue(self) -> Problem | None:
        """Keep elsewhere what `flush` could not write; says where, None where nothing takes it."""
        return self._work.rescue()

    def _changed(self) -> None:
        """Something was typed."""
        if self.locked:  # what is being submitted is no draft any more
            return
        # The last word on keys from before the submission may come after it was refused; that is no answer to it.
        if self._turned_down is None or self._typed() != self._turned_down:
            self._turned_down = None
            self._line.alarm = self._refused
        if self._keeping is None:  # Not restarted by further keys: nothing typed waits longer than this.
            if not self._line.alarm:
                self._line.say("typing…")
            self._keeping = self.set_timer(self.KEEP_AFTER, self._keep)

    def _stop_waiting(self) -> bool:
        """Leave it to the caller to write what was typed; False where nothing was."""
        timer, self._keeping = self._keeping, None
        if timer is not None:
            timer.stop()
        return timer is not None

    def _keep(self) -> None:
        """Hand what is typed to the writer, if the journal does not have it."""
        waited, draft = self._stop_waiting(), self._typed()
        if draft is None:
            return
        if self._work.journal_has(draft):
            if waited and not self._line.alarm:  # It was typed back.
                self._say_state(draft)
            return
        # Held until it is written, so that a run that is left and opened again does not lose it.
        self._work.hold(draft)
        if not self._line.alarm:
            self._line.say("saving the draft…")
        self.run_worker(self._write(draft), group="annotation-draft")

    async def _write(self, draft: Draft) -> None:
        try:
            replaces = await self._work.keep(draft)
        except AnnotationError as error:
            self._refused = True
            self._fail(draft.episode, error)
            return
        if self._refused:
            self._refused = self._line.alarm = False
        # What is said of another run stays, and so does an error; and what was typed since is not kept yet.
        if self._work.is_newest(draft) and self._typed() is not None and not self._line.alarm and self._keeping is None:
            self._say_state(draft)
        self._shouted = ""
        if replaces and self.is_attached:
            text = f"another program typed here as well; this replaces it, {key_of('undo')} brings it back"
            self.notify(text, severity="warning", markup=False)
        self._kept()
        await self._work.write_time(_TIME_EVERY)

    def _say_state(self, draft: Draft) -> None:
        """Say whether a draft that is in the journal differs from what is submitted."""
        submitted = self._work.base is not None
        if not self._work.is_saved(draft):
            now = clock(datetime.now().astimezone(), seconds=True)
            self._line.say(f"draft saved {now} · {'changes not submitted' if submitted else 'not submitted'}", "draft")
        elif submitted:
            self._line.say("as submitted ✓", "saved")
        else:
            self._line.say("not started")

    def _fail(self, key: str, error: AnnotationError) -> None:
        """Say an error in the panel and as a toast; the same one only once until something has worked."""
        whose = "" if key == self.key else f"{one_line(key, 40)}: "
        hint = f" ({error.hint})" if error.hint else ""
        text = f"{whose}{error.sentence}{hint}"
        if self.is_attached:
            self._line.say(text, "error")
            if self._shouted != text:
                self._shouted = text
                self.notify(one_line(text, 300), severity="error", markup=False)

    # Opening

    def _start_opening(self) -> None:
        run = self._run
        if self._state == "asking":  # It is read again after the answer.
            return
        self._state = "opening"
        if run is None or not self.is_running:  # it is opened when the panel is mounted
            return
        self._title.update(Content(one_line(run.title or run.key)))
        about = f"{one_line(self.store.annotator, 30)} · {run.rubric.name} · {one_line(str(self.store.root), 120)}"
        self._about.update(Content(about))
        self._leaving = False
        self._lock()
        self._turned_down = None
        if self._wants_focus or self._holds_focus():
            self.expect_fields()
        self._line.say("opening…")
        self._opening += 1
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
            await self._ask_whose(run, _work_text(opened, kept), self._work.another)
            return
        self._fill(run, draft)
        self._state = "ready"
        before, self._before = self._before, ""
        if error is not None:
            self.expect_nothing("its annotation could not be read")
            self._fail(run.key, error)
        elif kept is not None:
            since = "; what was submitted has changed since" if opened and opened.changed else ""
            self._line.say(f"draft of {clock(kept.time)}, not submitted{since}{before}", "draft")
        elif opened and opened.saved:
            self._line.say(f"submitted ✓ {clock(opened.saved.time)}{before}", "saved")
        else:
            self._line.say(f"not started{before}")
        self._warn(opened.problems if opened else ())
        self._lock()
        if not self._leaving and (self._wants_focus or self._holds_focus()):
            self._wants_focus = False
            self.focus_fields()
        self._take_keys()
        self._opened()

    def _fill(self, run: AnnotatedRun, draft: Draft) -> None:
        grid = ScoreGrid(run.rubric, run.agents[:_MOST_AGENTS])
        missing: Values = ({},) * (len(run.agents) - len(draft.values))
        grid.load((*draft.values, *missing), draft.rationales)
        self._sheet.fill(grid, draft.reasoning, self._work.rewards, again=self._filled == run)
        self._filled = run

    def _warn(self, problems: Sequence[Problem]) -> None:
        """Say what the record and the rubric have against each other, or the store against the run; each once."""
        for problem in problems:
            if problem not in self._warned:
                self._warned.add(problem)
                hint = f" ({problem.hint})" if problem.hint else ""
                file = problem.where.path.name if problem.where and problem.where.path else ""
                text = f"{file}: {problem.reason}" if problem.reason.startswith("This file") else problem.reason
                self.notify(one_line(text + hint, 400), severity="warning", timeout=12, markup=False)

    async def _ask_whose(self, run: AnnotatedRun, work: str, differs: int) -> None:
        """Ask what is to become of work about another run that had this name."""
        self._fill(run, Draft(run.key, run.rubric.name, ()))
        self.expect_nothing("it is asked first whose your work is")
        self._leaving = False
        self._line.say(f"this log holds another conversation now; the {work} is of the one before", "error")
        self._state = "asking"
        choice = await self.app.push_screen_wait(OtherRunScreen(work, differs, self._keys))
        now = self._run or run
        is_same = now == run and differs_at(run.beginning, now.beginning) is None
        try:
            if is_same and choice == "same":
                await self._work.take_for_same(now)
            elif is_same and choice == "apart":
                for name in await self._work.keep_apart(now):
                    self.notify(one_line(f"The {work} is kept as {name}.", 300), timeout=12, markup=False)
                self._put_aside(run.key)
        except AnnotationError as error:
            self._fail(run.key, error)
            choice = "later"
        self._state = "undecided"
        if choice != "later" or not is_same:
            self._wants_focus = True
            self._start_opening()

    # Submitting

    def save(self, advance: bool = True) -> Worker[None] | None:
        """Submit the annotation, in the background; then `advance` to the next run. None where it is refused.

        What is no score is refused, and its cell gets the cursor. So it does where scores are missing; but the second
        time in a row, or where there is no next run to be wanted, it is submitted without them.
        """
        draft, run = self._typed(), self._run
        if draft is None or run is None or self.locked:
            return None
        again, self._turned_down = self._turned_down == draft, draft
        grid = self._sheet.grid
        if bad := len(bad_scores(draft.values, run.rubric)):
            self._sheet.to_first([place for place in grid.order if grid.bad(place)] or None)
            scores = "1 score is not valid" if bad == 1 else f"{bad} scores are not valid"
            self._turn_down(f"not submitted: {scores}, see the red ones", "error")
            return None
        if draft.empty and (self._work.baseline is None or self._work.baseline.empty):
            self._turn_down("nothing to submit: no score and no reasoning yet", "draft")
            return None
        missing = grid.empty_places()
        if missing and advance and not again:
            self._sheet.to_first(missing)
            empty = "1 score is empty" if len(missing) == 1 else f"{len(missing)} scores are empty"
            self._turn_down(f"not submitted: {empty}; the same key again submits without them", "draft")
            return None
        self._turned_down = None
        self._stop_waiting()
        self._line.say("submitting…")
        self._state = "submitting"
        self._lock()
        if advance:
            self.expect_fields(submitted=True)
        return self.run_worker(self._save(run, draft, list(self._work.rewards), advance), group="annotation-save")

    def _turn_down(self, why: str, kind: str) -> None:
        self._refuse()
        self._line.say(why, kind, alarm=True)

    def _refuse(self) -> None:
        """Let go what was typed for the next run, as this one stays."""
        self._keys.refuse(_LOST, answer="annotation.save")
        self.expect_nothing()

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
            self._submitted()
            self._fail(run.key, error)
            return
        is_here = self._run == run
        if is_here:
            self._work.saved(draft, saved)
            self._refused, self._shouted = False, ""
            self._sheet.table.rewards = self._work.rewards
            self._line.say(f"submitted ✓ {clock(saved.time)}", "saved")
            self._submitted()
            if advance:
                self._leave()
                self._before = f" · {one_line(run.title or run.key, 40)}: submitted ✓ {clock(saved.time)}"
        self.run_worker(self._work.write_time(), group="annotation-time")
        self._saved(run.key, advance and is_here)

    def _submitted(self) -> None:
        """Open the fields again, whether the annotation was saved or not."""
        if self._state == "submitting":
            self._state = "ready"
        self._lock()

    async def _ask(
        self, run: AnnotatedRun, draft: Draft, rewards: list[Reward], advance: bool, error: ChangedOnDisk
    ) -> None:
        self.expect_nothing("somebody else has changed the annotation")
        if self.key == run.key:
            self._line.say("not submitted: changed by someone else", "error")
        choice = await self.app.push_screen_wait(ChangedOnDiskScreen(error, self._keys))
        if choice == "overwrite":
            await self._save(run, draft, rewards, advance, overwrite=True)
            return
        self._submitted()
        if choice == "cancel":
            self._fail(run.key, error)
            return
        try:
            await self._work.discard(draft)
        except AnnotationError as failure:
            self._fail(run.key, failure)
            return
        if self._run == run:
            self._start_opening()


def _work_text(opened: Opened | None, kept: Draft | None) -> str:
    """Name the work on a run: a draft, an annotation, or scores of its units alone."""
    if kept:
        return f"draft of {clock(kept.time)}"
    saved_at = opened.saved.time if opened and opened.saved else None
    return f"annotation of {clock(saved_at)}" if saved_at else "annotation of its units"


def clock(time: datetime | None, seconds: bool = False) -> str:
    """The time of day here, with the date where it is not today's."""
    if time is None:
        return "earlier"
    here = time.astimezone()
    today = datetime.now().astimezone().date()
    if here.date() != today:
        return f"{here:%Y-%m-%d %H:%M}"
    return f"{here:%H:%M:%S}" if seconds else f"{here:%H:%M}"
