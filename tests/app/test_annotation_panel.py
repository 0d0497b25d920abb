"""The annotation panel with a real store: typing, errors in place, saving, drafts, other people's changes."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any, ClassVar

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.pilot import Pilot
from textual.widgets import Static

from trajview.annotation.draft import Draft
from trajview.annotation.rubric import SOTOPIA, Dimension, Rubric, reward_rubric
from trajview.annotation.store import AnnotationStore
from trajview.app.annotate.fields import RationaleText, ReasoningText
from trajview.app.annotate.guidance import GuidanceBox
from trajview.app.annotate.panel import AnnotationPanel
from trajview.app.annotate.questions import ChangedOnDiskScreen
from trajview.app.annotate.score_grid import Place, ScoreGrid
from trajview.app.annotate.score_sheet import ScoreSheet
from trajview.app.annotate.score_table import ScoreTable
from trajview.app.shared import key_queue
from trajview.app.shared.key_queue import KeyDelivery

from .driving import PATIENCE, press, settled, toasts_on, until

TWO = ("Samuel Anderson", "Leo Williams")


class PanelApp(App[None]):
    CSS = "AnnotationPanel { width: 100%; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+p", "command_palette", "palette")]

    def __init__(self, store: AnnotationStore) -> None:
        super().__init__()
        self._key_delivery = KeyDelivery(self, super().on_event)
        self.keys = self._key_delivery.queue
        self.panel = AnnotationPanel(
            store,
            self.keys,
            opened=lambda: None,
            kept=lambda: None,
            saved=self._saved,
            put_aside=lambda _: None,
            left=self._left,
            run_wanted=self._run_wanted,
        )
        self.saved: list[str] = []
        """The runs whose annotation was saved."""
        self.times_left = 0
        """How often the cursor went back to the transcript, where there is one."""
        self.steps: list[int] = []
        """To which runs the keys lead: the next (1) and the previous (-1)."""
        self.stays = True
        """There is no run to go on to."""

    def compose(self) -> ComposeResult:
        yield self.panel

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            await self._key_delivery.take(event)
        else:
            await super().on_event(event)

    def _saved(self, key: str, advance: bool) -> None:
        self.saved.append(key)
        if advance and self.stays:
            self.panel.stay("nothing comes after it")

    def _left(self) -> None:
        self.times_left += 1
        self.set_focus(None)

    def _run_wanted(self, step: int) -> None:
        self.steps.append(step)
        self.panel.stay()


class Driver:
    """A panel in an app, driven by keys."""

    def __init__(self, app: PanelApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot, self.panel = app, pilot, app.panel

    async def settle(self) -> None:
        await self.app.workers.wait_for_complete(
            [worker for worker in self.app.workers if not self.app.screen.is_modal]
        )
        await settled(self.pilot)

    async def take_breath(self) -> None:
        """After a refused submission: wait until what is typed counts again."""
        await until(self.pilot, lambda: not self.app.keys.deaf)

    async def open(self, key: str = "e1", agents: tuple[str, ...] = TWO, rubric: Rubric = SOTOPIA) -> None:
        self.panel.open_run(key, f"title of {key}", agents, rubric)
        self.panel.focus_fields()
        await self.settle()

    async def type(self, *texts: str) -> None:
        for index, text in enumerate(texts):
            if index:
                await self.press("enter")
            await self.press(*text)

    async def press(self, *keys: str) -> None:
        await press(self.pilot, *keys)

    async def keep(self) -> None:
        await self.pilot.pause(AnnotationPanel.KEEP_AFTER + 0.1)
        await self.settle()

    async def submit(self) -> None:
        """Submit, where scores are missing too."""
        await self.press("ctrl+s")
        await self.settle()
        if "again submits without" in self.state:
            await self.press("ctrl+s")
            await self.settle()

    @property
    def scores(self) -> ScoreTable:
        return self.panel.query_one(ScoreTable)

    @property
    def grid(self) -> ScoreGrid:
        return self.scores.grid

    def value(self, name: str, agent: int = 0) -> str:
        return self.grid.text(self.place(name, agent))

    def place(self, name: str, agent: int = 0) -> Place:
        row = next(row for row, dimension in enumerate(self.grid.dimensions) if dimension.name == name)
        return Place(row, agent)

    def go(self, name: str, agent: int = 0) -> None:
        self.panel.query_one(ScoreSheet).to_first([self.place(name, agent)])

    @property
    def at(self) -> tuple[str, int] | str:
        """Where the cursor is: dimension and agent, or the text that has it."""
        if self.app.focused is self.scores:
            place = self.grid.place
            assert place is not None
            return self.grid.dimensions[place.row].name, place.agent
        return type(self.app.focused).__name__

    @property
    def guidance(self) -> list[str]:
        box = self.panel.query_one(GuidanceBox)
        return [text for _, text in box.content_lines(box.size.width, box.size.height)]

    @property
    def table(self) -> list[str]:
        """The lines of the table that are in view."""
        return [self.scores.render_line(y).text.rstrip() for y in range(self.scores.size.height)]

    @property
    def state(self) -> str:
        return str(self.panel.query_one(".state", Static).render())

    def lines(self, classes: str) -> list[str]:
        return [str(line.render()) for line in self.panel.query(classes).results(Static) if line.display]


@asynccontextmanager
async def driving(root: Path, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Driver]:
    app = PanelApp(AnnotationStore(root, "alice"))
    async with app.run_test(size=size, notifications=True) as pilot:
        yield Driver(app, pilot)


def records(root: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in sorted(root.glob("AnnotationForEpisode/*.json"))]


async def test_typed_scores_and_reasoning_are_saved_as_a_record(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        await panel.type("9", "-2", "5", "0", "-1", "0", "8", "7")
        panel.panel.query_one(ReasoningText).focus()
        await panel.type("why")
        await panel.press("enter", "x")
        assert panel.panel.dirty
        await panel.submit()
        assert panel.state.startswith("submitted ✓")
        assert not panel.panel.dirty
        assert panel.app.saved == ["e1"]
    (record,) = records(tmp_path)
    assert list(record) == ["pk", "episode", "annotator_id", "rewards", "reasoning"]
    assert record["episode"] == "e1"
    assert record["annotator_id"] == "alice"
    first = [9.0, -2.0, 5.0, 0.0, -1.0, 0.0, 8.0]
    names = [dimension.name for dimension in SOTOPIA.dimensions]
    assert record["rewards"] == [[sum(first) / 7, dict(zip(names, first, strict=True))], [7.0, {"believability": 7.0}]]
    assert record["reasoning"] == "why\nx"


async def test_the_overall_is_shown_live(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        assert panel.table[-1].split() == ["overall", "–", "–"]
        await panel.type("9", "-2")
        await panel.pilot.pause()
        assert panel.table[-1].split() == ["overall", "3.50", "–"]


async def test_what_is_no_score_is_red_at_once_and_never_saved(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        await panel.type("11")
        assert panel.guidance[0] == "believability: out of range 0..10"
        await panel.type("", "-6", "5")
        assert panel.table[-1].split() == ["overall", "5.00", "–"]
        await panel.press("ctrl+s")
        await panel.settle()
        assert panel.state == "not submitted: 2 scores are not valid, see the red ones"
        assert panel.at == ("believability", 0)
        assert panel.guidance[0] == "believability: out of range 0..10"
        assert not (tmp_path / "AnnotationForEpisode").exists()
        await panel.take_breath()
        await panel.press("7", "down", "delete")
        await panel.submit()
        assert panel.state.startswith("submitted ✓")
    assert records(tmp_path)[0]["rewards"] == [[6.0, {"believability": 7.0, "knowledge": 5.0}], 0.0]


async def test_a_minus_is_no_error_until_its_cell_is_left(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        await panel.press("minus")
        assert panel.guidance[0].startswith("believability 0..10")
        await panel.press("ctrl+s")
        assert panel.guidance[0] == "believability: not a number yet; 0..10"
        await panel.press("down")
        assert panel.grid.red(panel.place("believability"))


async def test_a_draft_is_in_the_journal_within_a_second_and_comes_back(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        await panel.type("9")
        assert AnnotationPanel.KEEP_AFTER <= 0.5, "and `keep` waits no longer than that"
        await panel.keep()
        assert re.fullmatch(r"draft saved \d\d:\d\d:\d\d · not submitted", panel.state)
        kept = AnnotationStore(tmp_path, "alice").journal.latest_draft("e1", "sotopia")
        assert kept is not None
        assert kept.values[0]["believability"] == "9"
        await panel.type("9")
    async with driving(tmp_path) as panel:
        await panel.open()
        assert panel.value("believability") == "99"
        assert panel.state.startswith("draft of ")
        assert panel.panel.dirty
    assert records(tmp_path) == []


async def test_a_draft_is_written_soon_after_the_first_key_however_many_follow(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        panel.panel.query_one(ReasoningText).focus()
        begun = monotonic()
        while AnnotationStore(tmp_path, "alice").journal.latest_draft("e1", "sotopia") is None:
            assert monotonic() < begun + PATIENCE
            await panel.type("x")
            await panel.pilot.pause(AnnotationPanel.KEEP_AFTER / 3)


async def test_what_is_typed_while_a_draft_is_written_is_still_said_to_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        journal, disk, begun = panel.panel.store.journal, Event(), Event()
        append = journal.append

        def slow(*arguments: Any, **more: Any) -> str:
            begun.set()
            assert disk.wait(PATIENCE)
            return append(*arguments, **more)

        monkeypatch.setattr(journal, "append", slow)
        await panel.type("1")
        await until(panel.pilot, begun.is_set)
        monkeypatch.setattr(AnnotationPanel, "KEEP_AFTER", 600.0)
        await panel.type("0")
        disk.set()
        await panel.settle()
        assert panel.state == "typing…"


async def test_why_nothing_is_submitted_is_said_until_something_else_is_typed(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        await panel.type("1")
        await panel.pilot.press("ctrl+s")
        await panel.keep()
        assert AnnotationStore(tmp_path, "alice").statuses() == {"e1": "draft"}
        assert panel.state.startswith("not submitted: 13 scores are empty")


async def test_typing_that_replaces_another_programs_is_told(tmp_path: Path) -> None:
    async with driving(tmp_path) as driver:
        await driver.open()
        await driver.type("7")
        await driver.keep()
        assert toasts_on(driver.app) == []
        other = Draft("e1", "sotopia", ({"believability": "3"}, {}), "theirs")
        AnnotationStore(tmp_path, "alice").journal.append("draft", other)
        await driver.type("8")
        await driver.keep()
        (toast,) = toasts_on(driver.app)
        assert "another program typed here" in toast
        store = AnnotationStore(tmp_path, "alice")
        store.undo()
        kept = store.journal.latest_draft("e1", "sotopia")
        assert kept is not None
        assert kept.reasoning == "theirs"


async def test_opening_and_closing_makes_nothing(tmp_path: Path) -> None:
    async with driving(tmp_path / "store") as panel:
        await panel.open()
        assert panel.state == "not started"
        await panel.press("ctrl+s")
        await panel.take_breath()
        await panel.press("escape")
        await panel.settle()
        assert panel.app.times_left == 1
    assert list(tmp_path.iterdir()) == []


async def test_a_saved_annotation_loads_for_editing(tmp_path: Path) -> None:
    AnnotationStore(tmp_path, "alice").save("e1", SOTOPIA, [0.0, (6.0, {"goal": 6.0})], "é\n😀")
    async with driving(tmp_path) as panel:
        await panel.open()
        assert panel.value("goal", 1) == "6"
        assert panel.value("goal", 0) == ""
        assert panel.panel.query_one(ReasoningText).text == "é\n😀"
        assert panel.state.startswith("submitted ✓")
        assert not panel.panel.dirty
        panel.go("goal", 1)
        await panel.type("5")
        await panel.submit()
    (record,) = records(tmp_path)
    assert record["rewards"] == [0.0, [5.0, {"goal": 5.0}]]
    assert record["reasoning"] == "é\n😀"


async def test_typing_back_what_is_saved_leaves_no_draft(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "alice")
    store.save("e1", SOTOPIA, [(6.0, {"goal": 6.0}), 0.0], "")
    async with driving(tmp_path) as panel:
        await panel.open()
        panel.go("goal")
        await panel.type("5")
        await panel.keep()
        assert store.statuses() == {"e1": "draft"}
        await panel.press("backspace", "6")
        await panel.keep()
        assert panel.state == "as submitted ✓"
        assert not panel.panel.dirty
    assert store.statuses() == {"e1": "annotated"}


async def test_switching_runs_keeps_the_draft_of_the_first(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        await panel.type("9")
        await panel.open("e2", ("agent",), reward_rubric())
        assert panel.value("reward") == ""
        await panel.type("0.5")
        await panel.open("e1")
        assert panel.value("believability") == "9"
        await panel.open("e2", ("agent",), reward_rubric())
        assert panel.value("reward") == "0.5"
        await panel.submit()
    (record,) = records(tmp_path)
    assert record["rewards"] == [[0.5, {"reward": 0.5}]]


async def test_many_quick_switches_end_at_the_last_run(tmp_path: Path) -> None:
    AnnotationStore(tmp_path, "alice").save("e7", SOTOPIA, [(6.0, {"goal": 6.0}), 0.0], "seven")
    async with driving(tmp_path) as panel:
        for i in range(8):
            panel.panel.open_run(f"e{i}", "t", TWO[: 1 + i % 2], SOTOPIA)
        panel.panel.focus_fields()
        await panel.settle()
        assert panel.panel.key == "e7"
        assert panel.panel.query_one(ReasoningText).text == "seven"
        assert len(panel.grid.order) == 14


@pytest.mark.parametrize(
    ("keys", "reasoning", "value"),
    [(("down", "enter"), "mine", "9"), (("down", "down", "enter"), "theirs", "6"), (("escape",), "theirs", "9")],
)
async def test_a_record_that_someone_else_changed_is_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: tuple[str, ...], reasoning: str, value: str
) -> None:
    monkeypatch.setattr(key_queue, "DEAF", 3600)  # A busy machine may take more than half a second for some keys.
    store = AnnotationStore(tmp_path, "alice")
    path = store.save("e1", SOTOPIA, [(6.0, {"goal": 6.0}), 0.0], "mine")
    async with driving(tmp_path) as panel:
        await panel.open()
        panel.go("goal")
        await panel.type("9")
        path.write_text(path.read_text().replace("mine", "theirs"))
        await panel.press("ctrl+s", "ctrl+s")
        await until(panel.pilot, lambda: isinstance(panel.app.screen, ChangedOnDiskScreen))
        question = panel.app.screen
        assert isinstance(question, ChangedOnDiskScreen)
        await panel.press("8", "down", "7", "enter", "escape")  # meant for the next run, by who types blind
        assert panel.app.screen is question
        monkeypatch.setattr(key_queue, "DEAF", 0)
        panel.app.keys.refuse()  # An hour later.
        await panel.press(*keys)
        await panel.settle()
        assert json.loads(path.read_text())["reasoning"] == reasoning
        assert panel.value("goal") == value
        if keys == ("escape",):
            assert "not saved" in panel.state
            assert panel.panel.dirty
        else:
            assert panel.state.startswith("submitted ✓")


async def test_a_save_that_fails_shouts_and_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "AnnotationForEpisode").write_text("a file in the way")
    async with driving(tmp_path) as panel:
        await panel.open()
        await panel.type("9")
        await panel.submit()
        assert panel.state.startswith("The annotation was not saved: ")
        assert panel.panel.query_one(".state").has_class("-error")
        assert [toast.has_class("-error") for toast in panel.app.screen.query("Toast")] == [True]
        assert panel.panel.dirty
        (tmp_path / "AnnotationForEpisode").unlink()
        await panel.submit()
        assert panel.state.startswith("submitted ✓")


async def test_a_draft_that_the_journal_refused_is_held_and_written_later(tmp_path: Path) -> None:
    (tmp_path / "journal").write_text("a file in the way")
    async with driving(tmp_path) as panel:
        await panel.open()
        await panel.type("9")
        await panel.keep()
        assert panel.state.startswith("The draft was not kept: ")
        await panel.open("e2")
        assert panel.panel.dirty
        await panel.open("e1")
        assert panel.value("believability") == "9"
        (tmp_path / "journal").unlink()
        panel.panel.flush()
    assert AnnotationStore(tmp_path, "alice").statuses() == {"e1": "draft"}


async def test_keys_move_between_fields(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        assert panel.at == ("believability", 0)
        await panel.press("tab")
        assert panel.at == ("believability", 1)
        await panel.press("down")
        assert panel.at == ("relationship", 1)
        await panel.press("tab")
        assert panel.at == "ReasoningText"
        await panel.press("tab")
        assert panel.at == ("relationship", 0)
        await panel.press("shift+tab", "shift+tab", "up", "up")
        assert panel.at == ("believability", 1)
        await panel.press(*["down"] * 7)
        assert panel.at == "ReasoningText"
        await panel.press("a", "enter", "b", "up")
        assert panel.at == "ReasoningText"
        await panel.press("up")
        assert panel.at == ("goal", 1)
        await panel.press("tab", "tab", "enter")
        assert panel.at == ("believability", 1)
        await panel.press("g")
        assert panel.at == ("goal", 1)
        await panel.press("enter")
        assert panel.at == "ReasoningText"


async def test_what_is_typed_into_a_reasoning_that_was_kept_goes_behind_it(tmp_path: Path) -> None:
    AnnotationStore(tmp_path, "alice").journal.append("draft", Draft("e1", "sotopia", ({}, {}), "first\nsecond"))
    async with driving(tmp_path) as panel:
        await panel.open()
        await panel.pilot.press("tab", "tab", "!")
        assert panel.app.focused is panel.panel.query_one(ReasoningText)
        assert panel.panel.query_one(ReasoningText).text == "first\nsecond!"


async def test_the_cursor_comes_back_to_where_it_was(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        for keys in (("tab", "s"), ("quotation_mark", "w"), ("down", "tab", "t")):
            await panel.press(*keys)
            was = panel.at
            await panel.press("escape")
            assert panel.app.focused is None
            panel.panel.focus_fields()
            assert panel.at == was
        assert panel.panel.query_one(ReasoningText).text == "t"


async def test_other_runs_can_be_asked_for_from_inside_the_text(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        panel.panel.query_one(ReasoningText).focus()
        await panel.press("ctrl+n", "ctrl+p")
        await panel.pilot.pause()
        assert panel.app.steps == [1, -1]


async def test_names_and_titles_from_a_log_cannot_break_the_panel(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        hostile = ("[/b]\x1b[2J", "[link=x]\n\u202eB", "C" * 5000)
        panel.panel.open_run("[/k]\x1b", "[/t]\x1b]0;x\x07", hostile, SOTOPIA)
        await panel.settle()
        svg = panel.app.export_screenshot()
        assert "[/b]" in svg
        assert "\x1b" not in svg
        assert sum(line.startswith("overall") for line in panel.table) >= 1
        panel.panel.open_run("many", "many", [f"agent {i}" for i in range(1000)], reward_rubric())
        panel.panel.focus_fields()
        await panel.settle()
        await panel.type("1")
        await panel.submit()
    assert len(records(tmp_path)[0]["rewards"]) == 1000


@pytest.mark.parametrize("size", [(44, 40), (44, 12), (80, 24), (30, 8)])
async def test_at_any_size_the_focused_field_and_the_state_are_in_view(tmp_path: Path, size: tuple[int, int]) -> None:
    async with driving(tmp_path, size) as panel:
        await panel.open()
        for name, agent in (("secret", 1), ("goal", 1), ("believability", 0)):
            panel.go(name, agent)
            await panel.type("1")
            await panel.pilot.pause()
            label = name.replace("_", " ")[:8]
            assert any((line.startswith(label) and line.endswith("1▏")) or "1▏" in line for line in panel.table), (
                panel.table
            )
            assert panel.scores.region.bottom < size[1]
            assert panel.scores.region.right <= size[0]
            assert panel.panel.query_one(GuidanceBox).region.height >= 1
        for keys, field in (("quotation_mark", RationaleText), ("tab", None), ("tab", ReasoningText)):
            await panel.press(keys)
            await panel.pilot.pause()
            if field is not None:
                region = panel.panel.query_one(field).region
                assert panel.app.focused is panel.panel.query_one(field)
                assert region.height >= 1
                assert region.bottom <= size[1] - 1
        assert panel.panel.query_one(".state").region.bottom == size[1]


async def test_a_draft_older_than_a_change_by_someone_else_says_so(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "alice")
    store.save("e1", SOTOPIA, [(6.0, {"goal": 6.0}), 0.0], "")
    store.journal.append("draft", Draft("e1", "sotopia", ({"goal": "2"},), "", base="another"))
    async with driving(tmp_path) as panel:
        await panel.open()
        assert panel.state.endswith("what was submitted has changed since")
        assert panel.value("goal") == "2"


async def test_rationales_of_a_record_outlive_an_edit_of_its_scores(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "alice")
    store.submit(
        Draft("e1", "sotopia", ({"goal": "7"}, {}), "all", rationales=({"goal": "one step short"}, {})), SOTOPIA
    )
    async with driving(tmp_path) as panel:
        await panel.open()
        assert not panel.panel.dirty
        panel.go("believability")
        await panel.type("3")
        await panel.keep()
        await panel.submit()
    (record,) = records(tmp_path)
    assert record["rewards"][0] == [5.0, {"believability": 3.0, "goal": 7.0}]  # type: ignore[index]
    assert "goal: one step short\n" in str(record["reasoning"])


async def test_a_record_that_the_rubric_does_not_fit_is_said_once(tmp_path: Path) -> None:
    once = Rubric("once", (Dimension("mood", 0, 10, per="episode"),))
    store = AnnotationStore(tmp_path, "alice")
    store.save("e1", once, [(4.0, {"mood": 4.0}), (7.0, {"mood": 7.0})], "")
    store.save("e2", once, [(1.0, {"humour": 1.0})], "")
    async with driving(tmp_path, (120, 40)) as panel:
        await panel.open(rubric=once)
        await panel.open("e3", rubric=once)
        await panel.open(rubric=once)
        toasts = toasts_on(panel.app)
    assert len(toasts) == 2
    assert toasts[0].startswith(
        "mood is rated once for all agents, but they have different scores; the first is shown."
    )
    assert toasts[1].startswith("1 annotation of a rubric `once` has dimensions that it does not ask for: humour.")


async def test_files_that_could_be_a_runs_record_and_cannot_be_read_are_said_once(tmp_path: Path) -> None:
    folder = tmp_path / "AnnotationForEpisode"
    folder.mkdir()
    (folder / "01X.json").write_text('{"pk": "01X", "episode": "e1", "annotator_id": "ali')  # torn, not named by us
    async with driving(tmp_path, (120, 40)) as panel:
        await panel.open()
        await panel.open("e2")
        (toast,) = toasts_on(panel.app)
        assert toast.startswith("01X.json: This file is not valid JSON. (mend it or move it away")
        for name in "abcdefgh":
            (folder / f"{name}.json").write_text("{")
        await panel.open()
        toasts = toasts_on(panel.app)
    assert len(toasts) == 1 + 3
    assert toasts[-1].startswith("6 more files among the annotations could not be read.")
