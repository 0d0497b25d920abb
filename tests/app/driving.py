"""Driving the whole app as a person does: keys, waiting for what they lead to, and reading the screen."""

from __future__ import annotations

import asyncio
import string
import time
import unicodedata
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from rich.color import Color
from textual import events
from textual.app import App
from textual.keys import KEY_NAME_REPLACEMENTS
from textual.pilot import Pilot
from textual.widgets import Input, Static

from trajview.annotation.queue import Plan
from trajview.app.annotate.fields import ReasoningText
from trajview.app.annotate.panel import AnnotationPanel
from trajview.app.annotate.score_table import ScoreTable
from trajview.app.app import TrajviewApp, make_app
from trajview.app.runs.table import RunTable
from trajview.app.shared.row_styles import ROWS, ROWS_IN_ANSI
from trajview.app.shared.rows_view import RowsView
from trajview.app.shared.styled import palette_of
from trajview.app.transcript.screen import TranscriptScreen
from trajview.app.transcript.session import TranscriptSession
from trajview.config import Settings
from trajview.corpus.corpus import Corpus
from trajview.places import SavedPlaces

PATIENCE = 20.0
"""Seconds until a condition counts as never coming true; nothing waits that long on a machine that works."""
_SHORT = 0.2
"""Seconds that work in threads is waited for after a key."""


async def until(pilot: Pilot[Any], condition: Callable[[], object], what: str = "") -> None:
    """Let the app go on until a condition holds, and what it does then is done."""
    await come_true(condition, what)
    await pilot.pause()


async def come_true(condition: Callable[[], object], what: str = "") -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"never came true: {what or condition}"
        await asyncio.sleep(0.01)


async def settled(pilot: Pilot[Any]) -> None:
    """Wait until what was typed has had its effect, or waits for something, and short work in threads is done."""
    app: Any = pilot.app
    begun = time.monotonic()

    def works() -> bool:
        return time.monotonic() < begun + _SHORT and any(worker.is_running for worker in app.workers)

    await pilot.pause(0)
    while app.is_running and (app.keys.delivering or (app.keys.held and not app.keys.waiting) or works()):
        assert time.monotonic() < begun + PATIENCE, "what was typed has no end"
        await asyncio.sleep(0.002)
    await pilot.pause(0)


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys, each when the one before has had its effect; characters, or Textual's names."""
    for key in keys:
        pilot.app.post_message(key_event(key))
        await settled(pilot)


class Reader:
    """The app with a person at it."""

    def __init__(self, app: TrajviewApp, pilot: Pilot[int]) -> None:
        self.app, self.pilot = app, pilot

    async def until(self, condition: Callable[[], object], what: str = "") -> None:
        await come_true(condition, what)
        await settled(self.pilot)

    async def press(self, *keys: str) -> None:
        await press(self.pilot, *keys)

    async def type(self, text: str) -> None:
        """Type a text."""
        await self.press(*text)

    async def ask(self, key: str, text: str) -> None:
        """Open a prompt, put a text in, and enter."""
        await self.press(key)
        await self.until(lambda: isinstance(self.app.focused, Input))
        field = self.app.focused
        assert isinstance(field, Input)
        field.post_message(events.Paste(text))
        await self.until(lambda: field.value == text)
        await self.press("enter")

    # The browser

    async def listed(self) -> None:
        """The corpus is in the list, and the statuses of its runs are read."""
        await self.until(lambda: isinstance(self.app.screen, type(self.app.browser)) and self.app.browser.finished)
        await self.app.workers.wait_for_complete([w for w in self.app.workers if w.group == "statuses"])
        await self.pilot.pause()

    async def listed_behind(self) -> None:
        """The same, with a run open on top of the list."""
        await self.until(lambda: self.app.browser.finished)
        await self.app.workers.wait_for_complete([w for w in self.app.workers if w.group == "statuses"])
        await self.pilot.pause()

    @property
    def rows(self) -> list[str]:
        """The rows of the list that are on the screen."""
        table = self.app.browser.query_one(RunTable)
        return [text for y in range(1, table.size.height) if (text := table.render_line(y).text.strip("▌ "))]

    async def take_breath(self) -> None:
        """After a refused submission: wait until what is typed counts again."""
        await self.until(lambda: not self.app.keys.deaf)

    async def open(self, *keys: str) -> None:
        """Press keys that open a run, and wait for it."""
        await self.press(*keys)
        await self.opened()

    # The transcript

    async def opened(self, id: str | None = None) -> None:
        """A run is shown (or said to be unreadable), and is that one if one is named."""

        def shown() -> bool:
            screen = self.app.screen
            if not isinstance(screen, TranscriptScreen) or not screen.is_mounted:
                return False
            if screen.has_class("-failed"):
                return id is None or screen.info.id == id
            return screen.run is not None and (id is None or screen.run.id == id)

        await self.until(shown, f"run {id or ''} is shown")
        if self.screen.has_class("-annotating"):
            await self.until(self.panel_ready, "the panel shows the run")

    @property
    def screen(self) -> TranscriptScreen:
        screen = self.app.screen
        assert isinstance(screen, TranscriptScreen), screen
        return screen

    @property
    def session(self) -> TranscriptSession:
        session = self.screen.session
        assert session is not None
        return session

    @property
    def unit(self) -> int:
        return self.session.unit

    @property
    def message(self) -> int:
        return self.session.message

    @property
    def status(self) -> str:
        """The status line."""
        return self.screen.status.text

    @property
    def title(self) -> str:
        return str(self.app.screen.query_one("#title", Static).render())

    @property
    def lines(self) -> list[str]:
        """What the transcript shows, row by row."""
        view = self.screen.view
        return [view.render_line(y).text.rstrip() for y in range(view.size.height)]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def whole_screen(self) -> str:
        """Everything on the screen, as text."""
        return screen_text(self.app)

    @property
    def toasts(self) -> list[str]:
        """What is said in the corner of the screen."""
        return toasts_on(self.app)

    # Annotating

    @property
    def panel(self) -> AnnotationPanel:
        panel = self.screen.panel
        assert panel is not None
        return panel

    async def annotating(self) -> None:
        """The panel shows the run that the screen shows, and its fields can be typed in."""

        await self.until(self.panel_ready, "the fields can be typed in")
        await self.until(lambda: self.app.focused is not None and self.panel in self.app.focused.ancestors)

    async def annotate(self) -> None:
        """Open the panel."""
        await self.press("a")
        await self.annotating()

    def panel_ready(self) -> bool:
        panel = self.screen.panel
        return panel is not None and panel.key == self.screen.info.key and not panel.opening

    @property
    def state(self) -> str:
        """What the panel says of the draft or record."""
        return str(self.panel.query_one(".state", Static).render())

    @property
    def values(self) -> dict[tuple[int, str], str]:
        """What is typed, by agent and dimension."""
        grid = self.panel.query_one(ScoreTable).grid
        return {(place.agent, grid.dimensions[place.row].name): grid.text(place) for place in grid.order}

    @property
    def reasoning(self) -> ReasoningText:
        """The field for the reasoning."""
        return self.panel.query_one(ReasoningText)

    async def save(self) -> None:
        """Submit, where scores are missing too; there is no other run to go to."""
        await self.press("ctrl+s")
        if "again submits without" in self.state:
            await self.press("ctrl+s")
        await self.until(lambda: "submitted ✓" in self.state and not self.panel.locked, "submitted")


def screen_text(app: TrajviewApp) -> str:
    """Everything on the screen, as text."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


def toasts_on(app: App[Any]) -> list[str]:
    """What is said in the corner of the screen, the oldest first."""
    return [str(toast.render()) for toast in app.screen.query("Toast")]


def background_of(view: RowsView, look: str) -> Color | None:
    """The background of a look that rows have, such as `match`."""
    return palette_of(view, ROWS, ROWS_IN_ANSI)[look].bgcolor


def burst(reader: Reader, keys: Sequence[str]) -> None:
    """All keys at once, before the first of them has had its effect."""
    for key in keys:
        reader.app.post_message(key_event(key))


def key_event(key: str) -> events.Key:
    """A key as it comes from the terminal; `key` is a character, or the name that Textual gives it."""
    character = key if len(key) == 1 else _CHARACTERS.get(key)
    name = key if character is None or character.isalnum() else _name_of(character)
    return events.Key(name, character)


def _name_of(character: str) -> str:
    name = unicodedata.name(character).lower().replace(" ", "_").replace("-", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name)


_CHARACTERS = {_name_of(character): character for character in f" {string.punctuation}"}


@asynccontextmanager
async def reading(
    *paths: Path,
    size: tuple[int, int] = (120, 40),
    store: Path | None = None,
    annotator: str = "ada",
    follow: bool = False,
    plan: Plan | None = None,
    places: Path | None = None,
    **settings: Any,
) -> AsyncIterator[Reader]:
    """The app on some paths, its corpus being read. Waits for nothing. `places`: the file that says where the reader was."""
    corpus = Corpus(list(paths), follow=follow)
    app = make_app(
        corpus,
        Settings(paths=paths, store=store or paths[0].parent / "store", annotator=annotator, **settings),
        plan,
        SavedPlaces(places),
    )
    corpus.start()
    try:
        async with app.run_test(size=size, notifications=True) as pilot:
            yield Reader(app, pilot)
    finally:
        corpus.cancel()
        corpus.wait(PATIENCE)


def records(store: Path) -> list[Path]:
    """The annotations of a store."""
    return sorted((store / "AnnotationForEpisode").glob("*.json"))


__all__ = [
    "PATIENCE",
    "Reader",
    "background_of",
    "burst",
    "key_event",
    "press",
    "reading",
    "records",
    "screen_text",
    "settled",
    "toasts_on",
    "until",
]
