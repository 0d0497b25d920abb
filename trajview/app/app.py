"""The app: a corpus in a browser, one run in a transcript screen, and what both need."""

from __future__ import annotations

import signal
import sys
from asyncio import to_thread
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from textual import events, work
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from trajview.app.annotate.episodes import Episodes
from trajview.app.keys import KEYS, remap
from trajview.app.leaving import Leaving, heed_signals
from trajview.app.palette import CommandsByWords, commands_of
from trajview.app.runs.screen import BrowserScreen
from trajview.app.shared.agreed_widths import AgreedWidths
from trajview.app.shared.background import Background, ReportsFaults
from trajview.app.shared.clipboard import Clipboard
from trajview.app.shared.key_queue import KeyDelivery
from trajview.app.shared.screen import TrajviewScreen
from trajview.app.shared.themes import THEMES
from trajview.config import Settings
from trajview.corpus.corpus import Corpus
from trajview.corpus.info import RunInfo
from trajview.corpus.process_wide import STARTED, collect_garbage_again, key_pressed, short_turns
from trajview.debug_log import REPORT
from trajview.places import SavedPlaces, places_file
from trajview.terminal_input import EarlyInput
from trajview.textsafe import one_line, without_controls

if TYPE_CHECKING:
    from textual.driver import Driver
    from textual.filter import LineFilter
    from textual.notifications import SeverityLevel

    from trajview.annotation.citations import Citation
    from trajview.annotation.queue import Plan
    from trajview.annotation.store import AnnotationStore
    from trajview.app.bookmarks.bookmarks import Marked
    from trajview.app.render.options import ViewOptions
    from trajview.app.results.found import Landing
    from trajview.app.results.screen import ResultsScreen
    from trajview.app.shared.screen import Neighbours
    from trajview.app.transcript.rulebook import RuleBook

__all__ = ["TrajviewApp", "make_app", "run_app"]

_AGREED_WIDTHS: Final = AgreedWidths()

_WITHOUT_ROWS: Final = frozenset({"back", "help", "palette"})
"""Commands that do something before there is anything else."""
_BRIEF: Final = 5.0
"""Seconds: a message that is shown for no longer need not be read to the end."""
_PATIENCE: Final = 0.05  # seconds
_ALONE: Final = 1.0
"""Seconds that keys wait for the run of one file to be opened by itself, once it is in the list."""
_RESTYLED: Final = 0.15
_LAID_OUT: Final = 0.1
"""Seconds that a change of the theme, and one of the terminal's size, take where no other thread computes."""

_DROPPED: Final = "What you typed ahead is dropped: the program was stopped meanwhile."


class TrajviewApp(ReportsFaults, App[int]):
    """Shows the runs of a corpus; opens one at once where the settings or the corpus name just one."""

    TITLE = "trajview"
    CSS_PATH = "app.tcss"
    # Textual gives its own ctrl+p priority over everything; ours is in the key table, and yields to the annotation panel.
    COMMANDS = {CommandsByWords}  # noqa: RUF012
    COMMAND_PALETTE_BINDING = "ctrl+backslash"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+q", "quit", "quit", show=False, priority=True)]

    _is_ending = False
    """Whether the program ends as soon as it can."""
    _is_ready = False
    """Whether what a transcript needs was imported, or is: from the first key on, so that who waits costs nothing."""

    def __init__(
        self, corpus: Corpus, settings: Settings, plan: Plan | None = None, saved_places: SavedPlaces | None = None
    ) -> None:
        """
        Args:
            plan: Which episodes are to be annotated, and in which order.
            saved_places: Where the reader was in runs and lists before; None remembers nothing.
        """
        super().__init__()
        self.corpus = corpus
        self.saved_places = saved_places or SavedPlaces(None)
        self.settings = settings
        self._key_delivery = KeyDelivery(self, self._deliver)
        self.keys = self._key_delivery.queue
        """What was typed and not delivered yet."""
        self.starting = self.keys.wait(passes=self._acts_at_start, patience=None)
        """Until there is what the first keys are meant for: an episode's fields, a run, or the first rows of the list."""
        self.compare: tuple[RunInfo, RunInfo] | None = None
        """The two runs that are compared at once."""
        self.terminal_clipboard = Clipboard(self.copy_to_clipboard, self.notify)
        self._rulebook: RuleBook | None = None
        self._read_until = 0.0
        """When the last warning is gone."""
        self.look: ViewOptions | None = None
        """What the reader shows and folds in every run, once that is not the usual."""
        self._store: AnnotationStore | None = None
        self._storing = Lock()
        self.episodes = Episodes(
            corpus, settings, lambda: self.store, plan, Background(self), self.notify, self.annotations_changed
        )
        self._is_entered = self._is_found = self._missing_reported = False
        self.leaving = Leaving(self, self.keys)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = settings.theme if settings.theme in self.available_themes else "trajview-dark"
        if keys := remap(settings.keys):
            self.set_keymap(keys)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy without what acts on a terminal: an escape code of a log could end the bracket around what is pasted."""
        super().copy_to_clipboard(without_controls(text))

    def get_default_screen(self) -> Screen[None]:
        """The browser: Textual's own screen below it, which nobody sees, would be composed, styled and laid out first."""
        self.browser = BrowserScreen(self.corpus, self.settings, self.episodes.read_statuses)
        return self.browser

    def on_mount(self) -> None:
        self.set_timer(STARTED, collect_garbage_again)
        if not self.is_headless:
            heed_signals(self._write_down, self.end)
        if problem := self.saved_places.problem:
            self.notify(one_line(problem, 400), severity="warning", timeout=8, markup=False)
        if without_effect := "\n".join(self._settings_without_effect()):
            self.notify(without_effect, title="Configuration", severity="warning", timeout=8, markup=False)
        if self.compare is not None:
            self.show_comparison(*self.compare)
            self.starting.done()
        elif self._opens_one_run:
            self.set_timer(_PATIENCE, self._import_meanwhile)

    @property
    def _opens_one_run(self) -> bool:
        """Whether one run is opened at once, if it is found."""
        if self.episodes.is_planned or self.compare is not None:
            return False
        paths = self.settings.paths
        return self.settings.run is not None or (len(paths) == 1 and not paths[0].is_dir())

    def list_begun(self) -> None:
        """The first rows are on the screen, or there are none."""
        if self.episodes.is_planned:
            return
        if not self._opens_one_run or len(self.corpus.infos) > 1:
            self.starting.done()
        else:  # A pipe may never end: the only run that it has so far can be opened from the list.
            self.set_timer(_ALONE, self.starting.done)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Wait no longer for what a fault has kept from coming; the fault is reported by the base."""
        if event.state is WorkerState.ERROR:
            self.starting.done()

    def _acts_at_start(self, command: str) -> bool:
        """Whether a command does something before there is a run or an episode, or a row of the list, to do it to."""
        if not self.screen_stack or not self.browser.commands:  # it is not mounted yet
            return False
        if self.screen is not self.browser or command in _WITHOUT_ROWS:
            return True
        is_for_list = not (self.episodes.is_planned or self._opens_one_run)
        return is_for_list and (command == "filter" or self.browser.bar.has_focus_within)

    @property
    def store(self) -> AnnotationStore:
        """The annotations; imported when they are read for the first time, in a thread once the runs are on the screen."""
        with self._storing:
            if self._store is None:
                with short_turns():
                    from trajview.annotation.store import AnnotationStore

                settings = self.settings
                refuses = None if settings.force_store else self._not_for_store
                self._store = AnnotationStore(settings.store, settings.annotator, refuses)
            return self._store

    @property
    def rulebook(self) -> RuleBook:
        """The highlight rules; read when a transcript is opened for the first time."""
        if self._rulebook is None:
            from trajview.app.transcript.rulebook import RuleBook

            self._rulebook = RuleBook(self.settings)
        return self._rulebook

    @work(thread=True, group="import", exit_on_error=False)
    def _import_screens(self) -> None:
        """What the first transcript needs takes 0.2 s to import, and would keep the key that opens it waiting for that."""
        with short_turns():
            import_module("trajview.app.transcript.screen")

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Say something in a corner. What a key has just done takes the place of what the last one did, so that they do not
        pile up over the text; warnings, and what is to be read for longer, stay. May be called in threads."""
        seconds = self.NOTIFICATION_TIMEOUT if timeout is None else timeout
        now = monotonic()
        if severity != "information" or seconds > _BRIEF:
            self._read_until = max(self._read_until, now + seconds)
        elif now > self._read_until:
            self.call_later(self.clear_notifications)
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=markup)

    def watch_theme(self) -> None:
        key_pressed(_RESTYLED)

    async def on_event(self, event: events.Event) -> None:
        if self._is_ending and isinstance(event, events.InputEvent):
            return  # It is for nobody, least of all for a screen that was not finished any more.
        if isinstance(event, events.Resize):
            key_pressed(_LAID_OUT)
        if (
            isinstance(event, events.Key | events.MouseDown | events.MouseScrollDown | events.MouseScrollUp)
            and not event.is_forwarded
        ):
            self._active()
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            await self._key_delivery.take(event)
        else:
            await super().on_event(event)

    async def _deliver(self, event: events.Event) -> None:
        """Do a key or a paste as if it were typed now."""
        if not self._is_ending:
            await super().on_event(event)

    def _active(self) -> None:
        """Somebody is at work."""
        key_pressed()
        if not self._is_ready:
            self._is_ready = True
            self._import_screens()
        if isinstance(self.screen, TrajviewScreen):
            self.screen.at_work()

    def _settings_without_effect(self) -> Iterator[str]:
        """A sentence for each setting that names a theme or a key's id that there is not."""
        wanted = self.settings.theme
        if wanted is not None and wanted not in self.available_themes:
            yield _unknown("theme", wanted, self.available_themes)
        ids = {key.id for key in KEYS}
        for id in self.settings.keys:
            if id not in ids:
                yield _unknown("key id", id, ids)

    def _not_for_store(self, key: str) -> str:
        """Why a run's annotation must not go into the store, in a sentence; "" where it may. Called in threads."""
        from trajview.annotation.sotopia_folder import stranger
        from trajview.formats.registry import format_or_default

        info = self.corpus.find(key)
        if (info and format_or_default(info.format).is_sotopia_episode) or not stranger(self.settings.store, key):
            return ""
        return "The store is Sotopia's own data folder, which is for its episodes, and this run is none."

    def _import_meanwhile(self) -> None:
        """Import what a run is shown with, while a record of 500 MB is read."""
        if len(self.corpus.infos) < 2:
            self._import_screens()

    def _open_found(self, finished: bool) -> None:
        """Open the run that was asked for, or the only one there is, as soon as the scan has found it."""
        wanted, infos = self.settings.run, self.corpus.infos
        info = self.corpus.find(wanted) if wanted is not None else None
        if info is None and not finished:
            return
        self._is_found = True
        if wanted is None and len(infos) == 1 and not self.corpus.problems:
            info = infos[0]
        if info is not None:
            self.open_run(info, unit=self.settings.unit)
            self.starting.done()
        elif wanted is not None:
            message = f"There is no run {one_line(wanted, 80)} here."
            self.notify(message, severity="error", timeout=8, markup=False)
            self.starting.never("there is no such run")
        else:
            self.starting.done()

    # -- annotations ---------------------------------------------------------------------------------------------------

    def annotations_changed(self) -> None:
        """Something was saved: the browser's status column is read anew."""
        self.browser.refresh_status()

    def next_to_annotate(self, info: RunInfo) -> tuple[RunInfo | None, str]:
        """The next run after another that waits for its annotation, with the browser's cursor put on it.

        None where there is none, and a sentence that says so.
        """
        found, why = self.episodes.next_to_annotate(info, self.browser.keys_shown)
        if found is not None:
            self.browser.go_to(found)
        return found, why

    def list_changed(self, changed: Sequence[RunInfo] | None, finished: bool) -> None:
        """Rows came into the list, or some are others now.

        Args:
            changed: The runs that are others now, none of them where rows are gone; None where rows only came.
            finished: Whether all that there is so far is in the list.
        """
        if changed is not None:
            self._show_changed(changed)
        if self._opens_one_run and not self._is_found:
            self._open_found(finished)
        if not finished:
            return
        if self.episodes.is_planned:
            self._arrange_queue()  # anew where runs come later
        elif self.episodes.progress:
            self.annotations_changed()  # it depends on the list which episodes count

    @work(thread=True, exclusive=True, group="queue", exit_on_error=False)
    def _arrange_queue(self) -> None:
        missing = self.episodes.arrange()
        self.call_from_thread(self._show_queue, missing, self.episodes.progress_text())

    def _show_queue(self, missing: Sequence[str], progress: str) -> None:
        self.browser.show_queue(self.episodes.queue or (), progress)
        if missing and not self._missing_reported:
            self._missing_reported = True
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            message = f"Not in these logs: {one_line(missing[0], 60)}{more}, of the list of ids."
            self.notify(message, severity="warning", timeout=10, markup=False)
        self.enter_queue()

    def statuses_failed(self) -> None:
        """The annotation statuses could not be read."""
        if self.episodes.is_planned:
            self.starting.never("the annotations could not be read")

    def enter_queue(self) -> None:
        """Open the episode where the queue was left, once both are there: the queue and the progress."""
        queue = self.episodes.queue
        if queue is None or self.episodes.progress is None or self._is_entered:
            return
        self._is_entered = True
        info = self.episodes.left_at()
        if info is not None:
            self.browser.go_to(info)
            self.open_run(info, annotate=True)
            self.starting.done()
        elif self.settings.run is not None:
            self.notify(
                f"There is no run {one_line(self.settings.run, 80)} here.", severity="error", timeout=8, markup=False
            )
            self.starting.never("there is no such run")
        elif queue:
            self.notify("All episodes of this queue are done.", timeout=6)
            self.starting.never("all episodes are done")
        else:
            self.notify("There is no episode in this queue.", severity="warning", timeout=10)
            self.starting.never("there is no episode in the queue")

    # -- leaving -------------------------------------------------------------------------------------------------------

    @work
    async def leave_transcript(self, screen: Screen[None]) -> None:
        """Back to the browser, once unsaved work has been asked about."""
        self._keep_places()
        await self.leaving.leave(screen)
        await to_thread(self.saved_places.write)

    def _keep_places(self) -> None:
        """Keep where the reader is, in the list and in a run."""
        for screen in self.screen_stack:
            if isinstance(screen, TrajviewScreen) and screen.is_mounted:
                screen.keep_place()

    def _write_down(self) -> None:
        """Write what would be lost, and delete what would be left: nobody is there to be asked."""
        from trajview.app.transcript.pictures import delete_opened

        self.leaving.write_down()
        self._keep_places()
        self.saved_places.write()
        delete_opened()

    def action_help_quit(self) -> None:
        """What ctrl+c does where nothing is selected that it could copy."""
        if not self.leaving.is_asking():  # who is asked already is not asked twice
            self._quit()

    async def action_quit(self) -> None:
        """Leave, once unsaved work has been asked about."""
        self.action_help_quit()

    @work(exclusive=True, group="quit")
    async def _quit(self) -> None:
        if await self.leaving.is_agreed():
            self.end(0)

    def end(self, code: int) -> None:
        """End with an exit code, and ask nothing, as soon as no widget is being made.

        Textual adds no widgets once it exits: a screen that is being made would look in vain for its own.
        """
        self._is_ending = True
        self._keep_places()
        self.corpus.cancel()
        widgets = (widget for screen in self.screen_stack for widget in screen.walk_children(Widget, with_self=True))
        if all(widget.is_mounted for widget in widgets):
            self.exit(code)
        else:
            self.set_timer(_PATIENCE, partial(self.end, code))

    # -- screens -------------------------------------------------------------------------------------------------------

    def open_run(
        self,
        info: RunInfo,
        annotate: bool = False,
        unit: int | None = None,
        landing: Landing | None = None,
        neighbours: Neighbours | None = None,
    ) -> None:
        """Show a run, with the annotation panel if asked, at a unit if one is named, or where a search found something.

        The keys for the next and the previous run lead to its `neighbours`, by default those in the list of runs.
        """
        from trajview.app.transcript.screen import TranscriptScreen

        screen = self.screen
        if isinstance(screen, TranscriptScreen):
            screen.open_run(info, annotate=annotate, unit=unit, landing=landing)
        else:
            neighbours = neighbours or self.browser
            self.push_screen(TranscriptScreen(info, neighbours, annotate=annotate, unit=unit, landing=landing))

    def open_cited(self, info: RunInfo, citation: Citation) -> None:
        """Show a run at what a citation refers to."""
        from trajview.app.results.found import Landing

        self.open_run(info, landing=Landing(citation.transcript, citation.message, "", "", citation))

    def _show_changed(self, infos: Sequence[RunInfo]) -> None:
        """Have the screens above the list show their runs as they are now, or say so."""
        for screen in self.screen_stack:
            if isinstance(screen, TrajviewScreen) and screen.is_mounted:
                screen.runs_changed(infos)

    def show_comparison(self, left: RunInfo, right: RunInfo) -> None:
        """Two runs beside each other."""
        from trajview.app.compare.screen import CompareScreen

        self.push_screen(CompareScreen(left, right))

    def show_agreement(self) -> None:
        """How far the annotators of the store agree."""
        from trajview.app.agreement.screen import AgreementScreen

        self.push_screen(AgreementScreen())

    def show_search(self) -> None:
        """Ask what to search all messages for; the screen is the same each time, with what was found."""
        from trajview.app.results.screen import ResultsScreen

        if not self.is_screen_installed("results"):
            self.install_screen(ResultsScreen(), "results")
        screen = cast("ResultsScreen", self.get_screen("results"))
        self.push_screen(screen)
        screen.call_later(screen.ask)  # once it is there

    def show_bookmarks(self, here: Marked | None = None, closed: Callable[[], None] = lambda: None) -> None:
        """All marks in the runs that are open.

        Args:
            here: The run, transcript and unit that the reader comes from.
            closed: Called when the marks may be others.
        """
        from trajview.app.bookmarks.screen import BookmarksScreen

        self.push_screen(BookmarksScreen(here), lambda _: closed())

    def show_help(self, screen: str) -> None:
        """The keys of a screen."""
        from trajview.app.help import HelpScreen

        self.push_screen(HelpScreen(screen))

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What Textual does to the colours of each line, and what stands for characters of disputed width."""
        return [*super().get_line_filters(), _AGREED_WIDTHS]

    def action_command_palette(self) -> None:
        """Show Textual's palette, without the id that Textual gives it: the last one may not be gone yet."""
        if self.use_command_palette and not isinstance(self.screen, CommandPalette):
            self.push_screen(CommandPalette())

    def get_system_commands(self, screen: Screen[object]) -> Iterator[SystemCommand]:
        """What the palette over a screen offers."""
        return commands_of(screen, super().get_system_commands(screen))


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, known, 1)
    return f"There is no {what} {one_line(name, 60)}" + (f": did you mean {close[0]}?" if close else ".")


def _driver_after(early: EarlyInput, app: TrajviewApp) -> type[Driver]:
    """A driver that takes the terminal over from `early`, and in the end leaves it as that has found it.

    The program is not stopped halfway: Textual's driver would start twice then, with two threads that read keys.
    """
    from textual.drivers.linux_driver import LinuxDriver

    if app.driver_class is not LinuxDriver:
        return app.driver_class
    stops = {signal.SIGTSTP}

    class SucceedingDriver(LinuxDriver):
        def __init__(self, *args: Any, **options: Any) -> None:
            signal.pthread_sigmask(signal.SIG_BLOCK, stops)
            super().__init__(*args, **options)
            if early.dropped:
                app.notify(_DROPPED, severity="warning", timeout=8, markup=False)

        def start_application_mode(self) -> None:
            early.take_again()
            app.keys.lines, early.lines = early.lines, 0
            super().start_application_mode()  # type: ignore[no-untyped-call]
            self.attrs_before = early.found
            signal.pthread_sigmask(signal.SIG_UNBLOCK, stops)

    return SucceedingDriver


def make_app(
    corpus: Corpus, settings: Settings, plan: Plan | None = None, saved_places: SavedPlaces | None = None
) -> TrajviewApp:
    """The app as the command line and the tests start it; with a plan, on the queue that it gives."""
    return TrajviewApp(corpus, settings, plan, saved_places)


def run_app(
    corpus: Corpus,
    settings: Settings,
    plan: Plan | None = None,
    compare: tuple[RunInfo, RunInfo] | None = None,
    early: EarlyInput | None = None,
) -> int:
    """Run the app in this terminal, on a comparison at once if there is one; returns the exit code.

    `early` has changed the terminal's settings, where they were, for what is typed before the app runs.
    """
    saved_places = SavedPlaces(places_file()) if settings.remember and not corpus.streams else None
    app = make_app(corpus, settings, plan, saved_places)
    if early is not None:
        app.driver_class = _driver_after(early, app)
    if settings.theme is None and app.console.color_system == "standard":
        app.theme = "ansi-dark"  # ours would be grey there: its colours are all between those 16
    app.compare = compare
    result = app.run()
    app.saved_places.write()
    for message in app.leaving.unsaid:
        print(f"trajview: {one_line(message, 2000)}", file=sys.stderr)
    if app.return_code:  # Textual has printed what went wrong
        print(f"trajview: {REPORT}", file=sys.stderr)
        return app.return_code
    return result or 0
