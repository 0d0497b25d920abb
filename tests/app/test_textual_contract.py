"""What the viewer counts on in Textual, by itself: run against the lowest and the newest release that pyproject.toml allows.

Each test is of one thing that Textual documents, or that its public classes have done in all these releases, in an app of
a few lines. Where one fails with a new release, it says what in the viewer breaks.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any, ClassVar

import pytest
from rich.segment import Segment
from textual import events, work
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.command import CommandPalette
from textual.filter import LineFilter
from textual.geometry import Offset, Region, Size
from textual.screen import ModalScreen, Screen
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.theme import Theme
from textual.widgets import Input, Static
from textual.worker import Worker, WorkerState

ROWS = 1_000_000


class Lines(ScrollView, can_focus=True, inherit_bindings=False):
    """A document of a million rows, as the transcript is one."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"lines--odd"}
    DEFAULT_CSS = "Lines { overflow-y: scroll; & > .lines--odd { color: red; text-style: bold; } }"

    restyled = 0

    def on_mount(self) -> None:
        self.virtual_size = Size(0, ROWS)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.restyled += 1

    def render_line(self, y: int) -> Strip:
        row = self.scroll_offset.y + y
        return Strip([Segment(f"row {row}")]).apply_offsets(0, row)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        assert selection.start is not None
        return f"from row {selection.start.y}", "\n"


class Keys(Screen[None]):
    """A screen with keys by id, one of which cannot be done."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "note('x')", "x", id="note.x", tooltip="note it"),
        Binding("y", "never", "y", id="never"),
        Binding("slash", "note('slash')", "search", id="search", priority=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[str] = []

    def compose(self) -> ComposeResult:
        yield Lines()
        yield Input()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if parameters == ("slash",) and isinstance(self.focused, Input):
            return False
        return None if action == "never" else True

    def action_note(self, what: str) -> None:
        self.noted.append(what)

    def action_never(self) -> None:
        raise AssertionError


class Contract(App[int]):
    """An app with one of everything."""

    CSS = "Keys Static { height: 1; } #side { display: none; } .-wide #side { display: block; }"

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.done: list[object] = []

    def get_default_screen(self) -> Screen[None]:
        return Keys()

    @property
    def keys(self) -> Keys:
        assert isinstance(self.screen, Keys)
        return self.screen

    @work(thread=True, exit_on_error=False)
    def compute(self, value: object) -> None:
        if value is None:
            raise KeyError("none")
        self.call_from_thread(lambda: self.done.append((value, threading.current_thread() is threading.main_thread())))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.ERROR:
            self.faults.append(repr(event.worker.error))

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        yield SystemCommand("Only this", "help", lambda: self.done.append("command"))


async def test_the_first_screen_can_be_our_own_and_a_million_rows_are_drawn_as_they_come_into_view() -> None:
    async with Contract().run_test(size=(60, 20)) as pilot:
        lines = pilot.app.query_one(Lines)
        lines.scroll_to(y=ROWS - 5, animate=False)
        await pilot.pause()
        assert lines.scroll_offset.y == ROWS - lines.size.height
        drawn = lines.render_lines(Region(0, 0, 60, 3))
        assert drawn[0].text.startswith(f"row {ROWS - lines.size.height}")
        lines.set_reactive(ScrollView.scroll_y, 7.0)
        assert lines.scroll_offset.y == 7
        lines.vertical_scrollbar.window_virtual_size = 10


async def test_keys_are_mapped_by_id_and_priority_yields_to_a_field() -> None:
    async with Contract().run_test() as pilot:
        app: Any = pilot.app
        keys = app.keys
        app.set_keymap({"note.x": "f5,z"})
        keys.query_one(Lines).focus()
        await pilot.press("x", "z", "f5", "y", "slash")
        assert keys.noted == ["x", "x", "slash"]
        active = keys.active_bindings
        assert (active["z"].binding.id, active["z"].binding.tooltip) == ("note.x", "note it")
        assert not active["y"].enabled
        assert "x" not in active
        field = keys.query_one(Input)
        field.focus()
        await pilot.press("slash")
        assert field.value == "/"


def test_signs_are_named_as_textual_names_their_keys() -> None:
    assert [each.key for each in Binding.make_bindings([("?,a,ctrl+x", "", "")])] == ["question_mark", "a", "ctrl+x"]


async def test_what_is_selected_is_asked_of_the_widget_and_copied_by_osc_52(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Contract().run_test() as pilot:
        screen, lines = pilot.app.screen, pilot.app.query_one(Lines)
        screen.selections = {lines: Selection(Offset(0, 3), Offset(4, 5))}
        assert lines.text_selection is not None
        assert lines.text_selection.get_span(4) == (0, -1)
        assert screen.get_selected_text() == "from row 3"
        _, offset = screen.get_widget_and_offset_at(4, 2)
        assert offset == Offset(4, 2)
        screen.clear_selection()
        assert not screen.selections
        pilot.app.copy_to_clipboard("copied")
        assert pilot.app.clipboard == "copied"


async def test_what_is_called_later_comes_in_its_order_and_after_the_messages_before_it() -> None:
    async with Contract().run_test() as pilot:
        app: Any = pilot.app
        for number in range(3):
            app.call_later(app.done.append, number)
        await pilot.pause()
        assert app.done == [0, 1, 2]


async def test_a_thread_hands_over_to_the_app_and_its_fault_does_not_end_it() -> None:
    async with Contract().run_test() as pilot:
        app: Any = pilot.app
        app.compute("value")
        await app.workers.wait_for_complete()
        app.compute(None)
        while not app.faults:
            await pilot.pause(0.01)
        assert app.done == [("value", True)]
        assert app.faults == ["KeyError('none')"]
        assert app.is_running


async def test_themes_are_registered_and_component_classes_follow_them() -> None:
    async with Contract().run_test() as pilot:
        app, lines = pilot.app, pilot.app.query_one(Lines)
        app.register_theme(Theme(name="ours", primary="#123456", dark=False))
        before = lines.restyled
        app.theme = "ours"
        await pilot.pause()
        assert lines.restyled > before
        assert lines.get_component_styles("lines--odd").color == Color.parse("red")
        assert lines.background_colors[1].a == 1
        assert {"ansi-dark", "ansi-light"} <= set(app.available_themes)


async def test_a_narrow_window_has_a_class_of_its_own() -> None:
    class Wide(Screen[None]):
        HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012

        def compose(self) -> ComposeResult:
            yield Static("side", id="side")

    async with Contract().run_test(size=(80, 20)) as pilot:
        await pilot.app.push_screen(Wide())
        await pilot.pause()
        assert (pilot.app.screen.has_class("-narrow"), pilot.app.screen.query_one("#side").display) == (True, False)
        await pilot.resize_terminal(120, 20)
        await pilot.pause()
        assert (pilot.app.screen.has_class("-narrow"), pilot.app.screen.query_one("#side").display) == (False, True)


async def test_a_new_size_is_laid_out_between_the_screens_own_handler_and_what_that_has_called_next() -> None:
    class Resized(Screen[None]):
        widths: ClassVar[list[tuple[int, int]]] = []

        def compose(self) -> ComposeResult:
            yield Static("text")

        def on_resize(self, event: events.Resize) -> None:
            before = self.query_one(Static).size.width
            self.call_next(lambda: self.widths.append((before, self.query_one(Static).size.width)))

    async with Contract().run_test(size=(80, 20)) as pilot:
        await pilot.app.push_screen(Resized())
        await pilot.pause()
        Resized.widths.clear()
        await pilot.resize_terminal(120, 20)
        await pilot.pause()
        assert Resized.widths[0] == (80, 120)


async def test_a_screen_on_top_tells_whether_it_is_in_front_and_hands_over_its_result() -> None:
    async with Contract().run_test() as pilot:
        answers: list[object] = []
        question: ModalScreen[str] = ModalScreen()
        await pilot.app.push_screen(question, answers.append)
        assert question.is_active
        question.dismiss("yes")
        assert not question.is_active
        await pilot.pause()
        assert answers == ["yes"]


async def test_the_palette_has_our_commands_and_needs_no_id() -> None:
    async with Contract().run_test() as pilot:
        app: Any = pilot.app
        await app.push_screen(CommandPalette())
        assert CommandPalette.is_open(app)
        await pilot.press(*"only")
        await pilot.pause(0.3)
        await pilot.press("down", "enter")
        while app.done != ["command"]:
            await pilot.pause(0.01)


async def test_a_line_filter_sees_every_line_and_a_picture_of_the_screen_shows_it() -> None:
    class Shouted(LineFilter):
        def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
            return [Segment(text.upper(), style, control) for text, style, control in segments]

    class Filtered(Contract):
        def get_line_filters(self) -> list[LineFilter]:
            return [*super().get_line_filters(), Shouted()]

    async with Filtered().run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        assert "ROW&#160;0" in pilot.app.export_screenshot()


async def test_keys_and_pastes_come_through_the_app_first_and_can_be_given_again() -> None:
    class Holding(Contract):
        held: ClassVar[list[events.Event]] = []

        async def on_event(self, event: events.Event) -> None:
            if isinstance(event, events.Key) and not event.is_forwarded and event.key == "x" and not self.held:
                self.held.append(event)
                return
            await super().on_event(event)

    async with Holding().run_test() as pilot:
        app: Any = pilot.app
        app.keys.query_one(Lines).focus()
        await pilot.press("x")
        assert not app.keys.noted
        await app.on_event(app.held[0])
        await pilot.pause()
        assert app.keys.noted == ["x"]


async def test_widgets_know_whether_they_are_made() -> None:
    async with Contract().run_test() as pilot:
        screen = Keys()
        assert not screen.is_mounted
        await pilot.app.push_screen(screen)
        assert all(widget.is_mounted for widget in screen.walk_children(with_self=True))
