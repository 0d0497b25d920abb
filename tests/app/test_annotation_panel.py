"""The annotation panel with a real store: typing, errors in place, saving, drafts, other people's changes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Static

from trajview.annotation.draft import Draft
from trajview.annotation.rubric import SOTOPIA, Rubric, reward_rubric
from trajview.annotation.store import AnnotationStore
from trajview.app.widgets.annotation_fields import ReasoningText, ScoreField, ScoreTable
from trajview.app.widgets.annotation_panel import AnnotationPanel
from trajview.app.widgets.changed_on_disk import ChangedOnDiskScreen

TWO = ("Samuel Anderson", "Leo Williams")


class PanelApp(App[None]):
    CSS = "AnnotationPanel { width: 100%; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+p", "command_palette", "palette")]

    def __init__(self, store: AnnotationStore) -> None:
        super().__init__()
        self.panel = AnnotationPanel(store)
        self.posted: list[Message] = []

    def compose(self) -> ComposeResult:
        yield self.panel

    def _note(self, message: Message) -> None:
        self.posted.append(message)

    on_annotation_panel_opened = on_annotation_panel_saved = on_annotation_panel_failed = _note
    on_annotation_panel_draft_kept = on_annotation_panel_close_requested = on_annotation_panel_run_requested = _note

    def kinds(self) -> list[str]:
        return [type(message).__name__ for message in self.posted]


class Driver:
    """A panel in an app, driven by keys."""

    def __init__(self, app: PanelApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot, self.panel = app, pilot, app.panel

    async def settle(self) -> None:
        await self.app.workers.wait_for_complete(
            [worker for worker in self.app.workers if not self.app.screen.is_modal]
        )
        await self.pilot.pause()

    async def open(self, key: str = "e1", agents: tuple[str, ...] = TWO, rubric: Rubric = SOTOPIA) -> None:
        self.panel.open_run(key, f"title of {key}", agents, rubric)
        self.panel.focus_fields()
        await self.settle()

    async def type(self, *texts: str) -> None:
        for index, text in enumerate(texts):
            if index:
                await self.pilot.press("enter")
            await self.pilot.press(*("minus" if char == "-" else char for char in text))

    async def keep(self) -> None:
        await self.pilot.pause(AnnotationPanel.KEEP_AFTER + 0.1)
        await self.settle()

    def field(self, name: str, agent: int = 0) -> ScoreField:
        return next(f for f in self.panel.query(ScoreField) if f.dimension.name == name and f.agent == agent)

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
        await panel.pilot.press("enter", "x")
        assert panel.panel.dirty
        await panel.pilot.press("ctrl+s")
        await panel.settle()
        assert panel.state.startswith("saved ✓")
        assert not panel.panel.dirty
        assert "Saved" in panel.app.kinds()
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
        assert panel.lines(".mean") == ["–", "–"]
        await panel.type("9", "-2")
        await panel.pilot.pause()
        assert panel.lines(".mean") == ["3.50", "–"]


async def test_what_is_no_score_is_shown_at_its_field_and_never_saved(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        await panel.type("11", "abc", "5")
        await panel.pilot.pause()
        assert panel.lines(".bad") == ["Samuel: out of range 0..10", "Samuel: not a number; -5..5"]
        assert panel.lines(".mean") == ["5.00", "–"]
        assert panel.field("believability").has_class("-bad")
        await panel.pilot.press("ctrl+s")
        await panel.settle()
        assert panel.state == "not saved: 2 scores are not valid, see the red ones"
        assert panel.app.focused is panel.field("believability")
        assert not (tmp_path / "AnnotationForEpisode").exists()
        await panel.pilot.press("7", "down", "backspace")
        await panel.pilot.press("ctrl+s")
        await panel.settle()
        assert panel.lines(".bad") == []
    assert records(tmp_path)[0]["rewards"] == [[6.0, {"believability": 7.0, "knowledge": 5.0}], 0.0]


async def test_a_minus_is_no_error_until_its_field_is_left(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        await panel.pilot.press("minus")
        await panel.pilot.pause()
        assert panel.lines(".bad") == []
        await panel.pilot.press("down")
        await panel.pilot.pause()
        assert panel.lines(".bad") == ["Samuel: not a number yet; 0..10"]


async def test_a_draft_is_in_the_journal_within_a_second_and_comes_back(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        await panel.type("9")
        await panel.keep()
        assert panel.state == "draft kept, not saved"
        kept = AnnotationStore(tmp_path, "alice").journal.latest_draft("e1", "sotopia")
        assert kept is not None
        assert kept.values[0]["believability"] == "9"
        await panel.type("9")
    async with driving(tmp_path) as panel:
        await panel.open()
        assert panel.field("believability").value == "99"
        assert panel.state.startswith("draft of ")
        assert panel.panel.dirty
    assert records(tmp_path) == []


async def test_opening_and_closing_makes_nothing(tmp_path: Path) -> None:
    async with driving(tmp_path / "store") as panel:
        await panel.open()
        assert panel.state == "not rated yet"
        await panel.pilot.press("ctrl+s", "escape")
        await panel.settle()
        assert panel.app.kinds()[-1] == "CloseRequested"
    assert list(tmp_path.iterdir()) == []


async def test_a_saved_annotation_loads_for_editing(tmp_path: Path) -> None:
    AnnotationStore(tmp_path, "alice").save("e1", SOTOPIA, [0.0, (6.0, {"goal": 6.0})], "é\n😀")
    async with driving(tmp_path) as panel:
        await panel.open()
        assert panel.field("goal", 1).value == "6"
        assert panel.field("goal", 0).value == ""
        assert panel.panel.query_one(ReasoningText).text == "é\n😀"
        assert panel.state.startswith("saved ✓")
        assert not panel.panel.dirty
        panel.field("goal", 1).focus()
        await panel.type("5")
        await panel.pilot.press("ctrl+s")
        await panel.settle()
    (record,) = records(tmp_path)
    assert record["rewards"] == [0.0, [5.0, {"goal": 5.0}]]
    assert record["reasoning"] == "é\n😀"


async def test_typing_back_what_is_saved_leaves_no_draft(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "alice")
    store.save("e1", SOTOPIA, [(6.0, {"goal": 6.0}), 0.0], "")
    async with driving(tmp_path) as panel:
        await panel.open()
        panel.field("goal").focus()
        await panel.type("5")
        await panel.keep()
        assert store.statuses() == {"e1": "draft"}
        await panel.pilot.press("backspace", "6")
        await panel.keep()
        assert panel.state == "as saved"
        assert not panel.panel.dirty
    assert store.statuses() == {"e1": "annotated"}


async def test_switching_runs_keeps_the_draft_of_the_first(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        await panel.type("9")
        await panel.open("e2", ("agent",), reward_rubric())
        assert [field.value for field in panel.panel.query(ScoreField)] == [""]
        await panel.type("0.5")
        await panel.open("e1")
        assert panel.field("believability").value == "9"
        await panel.open("e2", ("agent",), reward_rubric())
        assert panel.field("reward").value == "0.5"
        await panel.pilot.press("ctrl+s")
        await panel.settle()
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
        assert len(panel.panel.query(ScoreField)) == 14


@pytest.mark.parametrize(
    ("keys", "reasoning", "value"),
    [(("down", "enter"), "mine", "9"), (("down", "down", "enter"), "theirs", "6"), (("escape",), "theirs", "9")],
)
async def test_a_record_that_someone_else_changed_is_asked_about(
    tmp_path: Path, keys: tuple[str, ...], reasoning: str, value: str
) -> None:
    store = AnnotationStore(tmp_path, "alice")
    path = store.save("e1", SOTOPIA, [(6.0, {"goal": 6.0}), 0.0], "mine")
    async with driving(tmp_path) as panel:
        await panel.open()
        panel.field("goal").focus()
        await panel.type("9")
        path.write_text(path.read_text().replace("mine", "theirs"))
        await panel.pilot.press("ctrl+s")
        for _ in range(50):
            await panel.pilot.pause(0.02)
            if isinstance(panel.app.screen, ChangedOnDiskScreen):
                break
        assert isinstance(panel.app.screen, ChangedOnDiskScreen)
        await panel.pilot.press(*keys)
        await panel.settle()
        assert json.loads(path.read_text())["reasoning"] == reasoning
        assert panel.field("goal").value == value
        if keys == ("escape",):
            assert panel.app.kinds()[-1] == "Failed"
            assert "not saved" in panel.state
            assert panel.panel.dirty
        else:
            assert panel.state.startswith("saved ✓")


async def test_a_save_that_fails_shouts_and_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "AnnotationForEpisode").write_text("a file in the way")
    async with driving(tmp_path) as panel:
        await panel.open()
        await panel.type("9")
        await panel.pilot.press("ctrl+s")
        await panel.settle()
        assert panel.app.kinds()[-1] == "Failed"
        assert panel.state.startswith("The annotation was not saved: ")
        assert panel.panel.query_one(".state").has_class("-error")
        assert [note.severity for note in panel.app._notifications] == ["error"]
        assert panel.panel.dirty
        (tmp_path / "AnnotationForEpisode").unlink()
        await panel.pilot.press("ctrl+s")
        await panel.settle()
        assert panel.state.startswith("saved ✓")


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
        assert panel.field("believability").value == "9"
        (tmp_path / "journal").unlink()
        panel.panel.flush()
    assert AnnotationStore(tmp_path, "alice").statuses() == {"e1": "draft"}


async def test_keys_move_between_fields(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        assert panel.app.focused is panel.field("believability")
        await panel.pilot.press("tab")
        assert panel.app.focused is panel.field("believability", 1)
        await panel.pilot.press("tab")
        assert panel.app.focused is panel.field("relationship")
        await panel.pilot.press("shift+tab", "down")
        assert panel.app.focused is panel.field("relationship", 1)
        await panel.pilot.press("up", "up")
        assert panel.app.focused is panel.field("believability", 1)
        await panel.pilot.press(*["down"] * 7)
        assert isinstance(panel.app.focused, ReasoningText)
        await panel.pilot.press("a", "enter", "b", "up")
        assert isinstance(panel.app.focused, ReasoningText)
        await panel.pilot.press("up")
        assert panel.app.focused is panel.field("goal")
        await panel.pilot.press("enter")
        assert panel.app.focused is panel.field("believability", 1)
        await panel.pilot.press("shift+tab", "shift+tab")
        assert isinstance(panel.app.focused, ReasoningText)


async def test_other_runs_can_be_asked_for_from_inside_the_text(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        await panel.open()
        panel.panel.query_one(ReasoningText).focus()
        await panel.pilot.press("ctrl+n", "ctrl+p")
        await panel.pilot.pause()
        steps = [message.step for message in panel.app.posted if isinstance(message, AnnotationPanel.RunRequested)]
        assert steps == [1, -1]


async def test_names_and_titles_from_a_log_cannot_break_the_panel(tmp_path: Path) -> None:
    async with driving(tmp_path) as panel:
        hostile = ("[/b]\x1b[2J", "[link=x]\n\u202eB", "C" * 5000)
        panel.panel.open_run("[/k]\x1b", "[/t]\x1b]0;x\x07", hostile, SOTOPIA)
        await panel.settle()
        svg = panel.app.export_screenshot()
        assert "[/b]" in svg
        assert "\x1b" not in svg
        assert len(panel.panel.query(ScoreTable)) == 3
        panel.panel.open_run("many", "many", [f"agent {i}" for i in range(1000)], reward_rubric())
        panel.panel.focus_fields()
        await panel.settle()
        await panel.type("1")
        await panel.pilot.press("ctrl+s")
        await panel.settle()
    assert len(records(tmp_path)[0]["rewards"]) == 1000


@pytest.mark.parametrize("size", [(44, 40), (44, 12), (80, 24), (30, 8)])
async def test_at_any_size_the_focused_field_and_the_state_are_in_view(tmp_path: Path, size: tuple[int, int]) -> None:
    async with driving(tmp_path, size) as panel:
        await panel.open()
        fields = list(panel.panel.query(ScoreField))
        for field in [fields[9], fields[-1], panel.panel.query_one(ReasoningText), fields[0]]:
            field.focus()
            await panel.pilot.pause(0.4 if size[1] < 20 else None)
            region = field.region
            assert 0 <= region.y < size[1] - 1, field
            assert region.right <= size[0]
        assert panel.panel.query_one(".state").region.bottom == size[1]


async def test_a_draft_older_than_a_change_by_someone_else_says_so(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "alice")
    store.save("e1", SOTOPIA, [(6.0, {"goal": 6.0}), 0.0], "")
    store.journal.append("draft", Draft("e1", "sotopia", ({"goal": "2"},), "", base="another"))
    async with driving(tmp_path) as panel:
        await panel.open()
        assert panel.state.endswith("what was saved has changed since")
        assert panel.field("goal").value == "2"


async def test_rationales_of_a_record_outlive_an_edit_of_its_scores(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "alice")
    store.submit(
        Draft("e1", "sotopia", ({"goal": "7"}, {}), "all", rationales=({"goal": "one step short"}, {})), SOTOPIA
    )
    async with driving(tmp_path) as panel:
        await panel.open()
        assert not panel.panel.dirty
        panel.field("believability").focus()
        await panel.type("3")
        await panel.keep()
        await panel.pilot.press("ctrl+s")
        await panel.settle()
    (record,) = records(tmp_path)
    assert record["rewards"][0] == [5.0, {"believability": 3.0, "goal": 7.0}]  # type: ignore[index]
    assert "goal: one step short\n" in str(record["reasoning"])
