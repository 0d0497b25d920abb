"""The panel beside the transcript in which a person rates a run and says why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from trajview.annotation.draft import Draft, bad_scores, overall
from trajview.annotation.rubric import BadScore, Rubric
from trajview.annotation.store import AnnotationStore, ChangedOnDisk, Opened
from trajview.app.keys import bindings_for
from trajview.app.widgets.annotation_fields import ScoreField
from trajview.app.widgets.annotation_work import AnnotatedRun, Work
from trajview.app.widgets.changed_on_disk import ChangedOnDiskScreen
from trajview.app.widgets.score_sheet import ScoreSheet
from trajview.errors import AnnotationError
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.models.run import Reward
    from trajview.models.sotopia import AnnotationForEpisode

__all__ = ["AnnotationPanel"]

_MOST_AGENTS = 24
"""More agents than this get no fields: nobody rates them by hand, and a log could claim a million."""


class AnnotationPanel(Widget):
    """Numbers per agent and dimension, their overall, and reasoning, for one run at a time.

    Every change is in the journal half a second after it was typed; a draft survives whatever happens to the program.
    Posts Opened, Saved, Failed, DraftKept, CloseRequested, RunRequested.
    """

    class Opened(Message):
        """The fields of a run are filled and can be typed in; `from_draft` where unsaved work was found."""

        def __init__(self, key: str, annotation: AnnotationForEpisode | None, from_draft: bool) -> None:
            super().__init__()
            self.key = key
            self.annotation = annotation
            self.from_draft = from_draft

    class Saved(Message):
        """The annotation of a run is on disk."""

        def __init__(self, key: str, annotation: AnnotationForEpisode) -> None:
            super().__init__()
            self.key = key
            self.annotation = annotation

    class Failed(Message):
        """An annotation or draft could not be read or written; the panel has said so already."""

        def __init__(self, key: str, error: AnnotationError) -> None:
            super().__init__()
            self.key = key
            self.error = error

    class DraftKept(Message):
        """What was typed for a run is in the journal; `unsaved` is False where it again says what is saved."""

        def __init__(self, key: str, unsaved: bool) -> None:
            super().__init__()
            self.key = key
            self.unsaved = unsaved

    class CloseRequested(Message):
        """Back to the transcript. The draft is on its way to the journal."""

    class RunRequested(Message):
        """Another run is wanted: the next (1) or the previous (-1)."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    DEFAULT_CSS = """
    AnnotationPanel { width: 44; height: 100%; layout: vertical; background: $surface; padding: 0 0 0 1; }
    AnnotationPanel > .title { height: 1; text-style: bold; text-wrap: nowrap; text-overflow: ellipsis; color: $foreground; }
    AnnotationPanel > .about { height: 1; text-wrap: nowrap; text-overflow: ellipsis; color: $foreground 50%; margin: 0 0 1 0; }
    AnnotationPanel > .state { height: auto; max-height: 4; color: $foreground 50%; }
    AnnotationPanel > .state.-saved { color: $text-success; }
    AnnotationPanel > .state.-draft { color: $text-warning; }
    AnnotationPanel > .state.-error { color: $text-error; text-style: bold; }
    AnnotationPanel.-wide ScoreField.-textual-compact, AnnotationPanel.-wide .head { width: 14; }
    AnnotationPanel.-wide .mean { width: 14; }
    AnnotationPanel.-narrow .range { display: none; }
    AnnotationPanel.-short > .about, AnnotationPanel.-short .guidance, AnnotationPanel.-short ScoreTable { margin: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("annotation")]

    KEEP_AFTER = 0.5
    """Seconds from the first keystroke that is not in the journal until it is written there."""

    def __init__(self, store: AnnotationStore, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.store = store
        self._run: AnnotatedRun | None = None
        self._ready = False
        self._opening = 0
        self._wants_focus = False
        self._sheet = ScoreSheet()
        self._beyond: tuple[dict[str, str], ...] = ()
        self._rationales: tuple[Mapping[str, str], ...] = ()
        """Kept as they were opened: no field shows them yet."""
        self._timer: Timer | None = None
        self._said = ""
        self._alarm = False
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
        self._wants_focus = self._wants_focus or self._holds_focus()
        self._run = AnnotatedRun(key, title, tuple(agents) or ("agent",), rubric)
        self._ready = False
        if self.is_mounted:
            self._start_opening()

    def focus_fields(self) -> None:
        """Put the cursor into the first field that has no score, else the first; at once or when the run is open."""
        if not self._ready:
            self._wants_focus = True
            return
        self._sheet.focus_first()

    def save(self) -> None:
        """Save the annotation, in the background. What is no score is refused, and its field gets the cursor."""
        draft = self._typed()
        if draft is None or self._run is None:
            return
        bad = bad_scores(draft.values, self._run.rubric)
        if bad:
            scores = "1 score is not valid" if len(bad) == 1 else f"{len(bad)} scores are not valid"
            self._show_scores(all_bad=True)
            self._shout(f"not saved: {scores}, see the red ones")
            if any(agent < _MOST_AGENTS for agent, _ in bad):
                self._sheet.focus_first(bad)
            return
        if draft.empty and (self._work.baseline is None or self._work.baseline.empty):
            self._say("nothing to save: no score and no reasoning yet", "draft")
            return
        self._stop_timer()
        self._say("saving…")
        self.run_worker(self._save(self._run, draft, list(self._work.rewards)), group="annotation-save")

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
        self._sheet.enable(False)
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
        shown = run.agents[:_MOST_AGENTS]
        await self._sheet.build(run.rubric, shown)
        if opening != self._opening:
            return
        draft, kept = self._work.begin(run, opened)
        self._fill(draft, len(run.agents))
        self._ready = True
        self._show_scores()
        if error is not None:
            self._fail(run.key, error)
        elif kept is not None:
            since = "; what was saved has changed since" if opened and opened.changed else ""
            self._say(f"draft of {_clock(kept.time)}, not saved yet{since}", "draft")
        elif opened and opened.saved:
            self._say(f"saved ✓ {_clock(opened.saved.time)}", "saved")
        else:
            self._say("not rated yet")
        self._sheet.enable(True)
        if self._wants_focus:
            self._wants_focus = False
            self.focus_fields()
        saved = opened.saved.annotation if opened and opened.saved else None
        self.post_message(self.Opened(run.key, saved, kept is not None))

    def _show_head(self, run: AnnotatedRun) -> None:
        self.query_one(".title", Static).update(Content(one_line(run.title or run.key)))
        about = f"{one_line(self.store.annotator, 30)} · {run.rubric.name} · {one_line(str(self.store.root), 120)}"
        self.query_one(".about", Static).update(Content(about))

    def _fill(self, draft: Draft, agents: int) -> None:
        values = [dict(typed) for typed in draft.values] + [{}] * max(0, agents - len(draft.values))
        self._sheet.fill(values, draft.reasoning)
        self._beyond = tuple(values[_MOST_AGENTS:])
        self._rationales = draft.rationales

    # What is in the fields

    def _typed(self) -> Draft | None:
        """What is in the fields, None while no run is open."""
        if self._run is None or not self._ready:
            return None
        values = self._sheet.typed(min(len(self._run.agents), _MOST_AGENTS))
        return Draft(
            self._run.key, self._run.rubric.name, (*values, *self._beyond), self._sheet.reasoning, self._work.base,
            rationales=self._rationales,
        )  # fmt: skip

    def _show_scores(self, all_bad: bool = False) -> None:
        """Errors and overall, live. A number that may still be finished is no error while the cursor is in it."""
        draft = self._typed()
        if draft is None or self._run is None:
            return
        rubric, rewards, focused = self._run.rubric, self._work.rewards, self.screen.focused

        def counts(place: tuple[int, str], bad: BadScore) -> bool:
            here = isinstance(focused, ScoreField) and (focused.agent, focused.dimension.name) == place
            return all_bad or not (bad.unfinished and here)

        bad = {place: score for place, score in bad_scores(draft.values, rubric).items() if counts(place, score)}
        means = [
            overall(typed, rubric, rewards[agent] if agent < len(rewards) else None)
            for agent, typed in enumerate(draft.values[:_MOST_AGENTS])
        ]
        self._sheet.show_scores(bad, means)

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _something_was_typed(self, event: Message) -> None:
        event.stop()
        if not self._ready:
            return
        self._alarm = False
        self._show_scores()
        if self._timer is None:  # Not restarted by further keys: nothing typed waits longer than this.
            self._timer = self.set_timer(self.KEEP_AFTER, self._keep)

    # Keeping drafts

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _keep(self) -> None:
        """Hand what is typed to the writer, if the journal does not have it."""
        self._stop_timer()
        draft = self._typed()
        if draft is not None and not self._work.journal_has(draft):
            # Held until it is written, so that a run that is left and opened again does not lose it.
            write = self._work.hold(draft)
            self.run_worker(self._write(draft, write), group="annotation-draft")

    async def _write(self, draft: Draft, write: Callable[[], object]) -> None:
        try:
            await self._work.keep(draft, write)
        except AnnotationError as error:
            self._fail(draft.episode, error)
            return
        here = self.key == draft.episode and self._work.is_latest(draft)
        unsaved = not (here and self._work.is_saved(draft))
        if here and not self._alarm:  # An error stays until something is typed or saved.
            self._say("draft kept, not saved" if unsaved else "as saved", "draft" if unsaved else "")
        self.post_message(self.DraftKept(draft.episode, unsaved))

    # Saving

    async def _save(self, run: AnnotatedRun, draft: Draft, rewards: list[Reward], overwrite: bool = False) -> None:
        try:
            saved = await self._work.submit(run, draft, rewards, overwrite)
        except ChangedOnDisk as error:
            await self._ask(run, draft, rewards, error)
            return
        except AnnotationError as error:
            self._fail(run.key, error)
            return
        if self._run == run:
            self._work.saved(draft, saved)
            self._say(f"saved ✓ {_clock(saved.time)}", "saved")
            self._show_scores()
            if self.dirty:  # Typed while it was being saved.
                self._keep()
        self.post_message(self.Saved(run.key, saved.annotation))

    async def _ask(self, run: AnnotatedRun, draft: Draft, rewards: list[Reward], error: ChangedOnDisk) -> None:
        if self.key == run.key:
            self._say("not saved: changed by someone else", "error")
        choice = await self.app.push_screen_wait(ChangedOnDiskScreen(error))
        if choice == "overwrite":
            await self._save(run, draft, rewards, overwrite=True)
        elif choice == "theirs":
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

    # Saying

    def _say(self, text: str, kind: str = "") -> None:
        line = self.query_one(".state", Static)
        line.update(Content(one_line(text, 300)))
        line.set_classes(f"state -{kind}" if kind else "state")
        self._said = text
        self._alarm = kind == "error"

    def _shout(self, text: str) -> None:
        """An error in the panel and as a toast; the same one only once in a row."""
        again = self._said == text
        self._say(text, "error")
        if not again:
            self.notify(one_line(text, 300), severity="error", markup=False)

    def _fail(self, key: str, error: AnnotationError) -> None:
        hint = f" ({error.hint})" if error.hint else ""
        whose = "" if key == self.key else f"{one_line(key, 40)}: "
        if self.is_attached:
            self._shout(f"{whose}{error.sentence}{hint}")
        self.post_message(self.Failed(key, error))

    # The cursor and the space

    def _holds_focus(self) -> bool:
        focused = self.screen.focused if self.is_attached else None
        return focused is not None and self in focused.ancestors

    def on_descendant_focus(self) -> None:
        self._show_scores()

    def on_descendant_blur(self) -> None:
        self._show_scores()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width >= 64, "-wide")
        self.set_class(event.size.width < 38, "-narrow")  # The range is still named beneath, and in errors.
        self.set_class(event.size.height < 26, "-short")

    def action_save(self) -> None:
        self.save()

    def action_close(self) -> None:
        self._keep()
        self.post_message(self.CloseRequested())

    def action_next_run(self, step: int) -> None:
        self._keep()
        self.post_message(self.RunRequested(step))

    def on_unmount(self) -> None:
        try:
            self.flush()
        except AnnotationError as error:
            self.app.notify(one_line(f"{error.sentence} ({error.hint})", 300), severity="error", markup=False)
        self._work.close()


def _clock(time: datetime | None) -> str:
    """The time of day here, with the date where it is not today's."""
    if time is None:
        return "earlier"
    here = time.astimezone()
    today = datetime.now().astimezone().date()
    return f"{here:%H:%M}" if here.date() == today else f"{here:%Y-%m-%d %H:%M}"
