"""Typing on before the next episode is there: no key is lost, and none gets into another episode than it was meant for."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from textual import events
from textual.widgets import TextArea

from trajview.annotation.queue import Plan
from trajview.annotation.rubric import reward_rubric
from trajview.annotation.store import AnnotationStore
from trajview.app.annotate.episodes import Episodes
from trajview.app.annotate.fields import ReasoningText
from trajview.app.annotate.panel import AnnotationPanel
from trajview.app.annotate.questions import ReasonScreen
from trajview.app.app import TrajviewApp
from trajview.corpus.info import RunInfo
from trajview.models.run import AgentRun

from .driving import Reader, burst, reading, records
from .logs import chat, write_jsonl

NAMES = ("alpha", "beta", "gamma", "delta")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "chats.jsonl", [chat(name, "hi", "ho") for name in NAMES])


def saved(store: Path) -> dict[str, tuple[object, str]]:
    """Overall and reasoning of each record."""
    found = [json.loads(path.read_text()) for path in records(store)]
    return {record["episode"]: (record["rewards"][0][0], record["reasoning"]) for record in found}


async def test_episodes_typed_in_one_burst_are_each_what_was_typed_for_them(logs: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    async with reading(logs, store=store, plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.annotating()
        keys: list[str] = []
        for number, name in enumerate(NAMES, 1):
            keys += ["0", "full_stop", str(number), "tab", *name, "ctrl+s"]
        burst(reader, keys)
        await reader.until(lambda: "all are done" in reader.state, "the last one is submitted")
    assert saved(store) == {name: (number / 10, name) for number, name in enumerate(NAMES, 1)}


async def test_a_key_between_the_end_of_the_start_and_the_first_screen_is_for_its_fields(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed, open_run = events.Key("7", "7"), TrajviewApp.open_run
    tasks: list[asyncio.Task[None]] = []

    def open_while_typed(app: TrajviewApp, *given: Any, **more: Any) -> None:
        open_run(app, *given, **more)
        tasks.append(asyncio.get_running_loop().create_task(app.on_event(typed)))

    monkeypatch.setattr(TrajviewApp, "open_run", open_while_typed)
    async with reading(logs, store=tmp_path / "store", plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.until(lambda: list(reader.values.values()) == ["7"])


async def test_keys_and_a_paste_ahead_stay_in_their_order(logs: Path, tmp_path: Path) -> None:
    async with reading(logs, store=tmp_path / "store", plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.annotating()
        burst(reader, ["1", "ctrl+s", "0", "tab", "a", "b"])
        reader.app.post_message(events.Paste("pasted"))
        burst(reader, ["c", "d"])
        await reader.opened("beta")
        await reader.until(lambda: reader.reasoning.text == "abpastedcd")
        assert list(reader.values.values()) == ["0"]


async def test_the_key_that_submits_held_down_submits_no_draft_that_nobody_has_seen(logs: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    async with reading(logs, store=store, plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.annotating()
        await reader.press("ctrl+n")
        await reader.opened("beta")
        await reader.annotating()
        await reader.type("0.5")
        await reader.press("ctrl+p")
        await reader.opened("alpha")
        await reader.annotating()
        burst(reader, ["1", "ctrl+s", "ctrl+s", "ctrl+s"])
        await reader.opened("beta")
        await reader.annotating()
        assert "not submitted" in reader.state
    assert list(saved(store)) == ["alpha"]


async def test_what_is_typed_ahead_of_a_refused_submission_is_in_no_episode(logs: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    async with reading(logs, store=store, plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.annotating()
        burst(reader, ["1", "ctrl+s", "7", "ctrl+s", "0", "tab", "n", "o"])
        await reader.opened("beta")
        await reader.until(lambda: "not valid" in reader.state, "7 is refused")
        assert list(reader.values.values()) == ["7"]
        assert reader.reasoning.text == ""
    assert list(saved(store)) == ["alpha"]


async def test_what_is_typed_ahead_is_dropped_where_the_store_refuses(logs: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (store / "AnnotationForEpisode").write_text("no folder")
    async with reading(logs, store=store, plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.annotating()
        burst(reader, ["1", "ctrl+s", "0", "tab", "n", "o"])
        await reader.until(lambda: not reader.panel.locked and not reader.app.keys.waiting, "it was refused")
        assert reader.screen.info.id == "alpha"
        assert list(reader.values.values()) == ["1"]
        await reader.take_breath()
        await reader.press("tab", "y")
        assert reader.reasoning.text == "y"


async def test_what_is_typed_on_after_a_refusal_is_in_no_episode_until_there_is_a_pause(
    logs: Path, tmp_path: Path
) -> None:
    async with reading(logs, store=tmp_path / "store", plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.annotating()
        burst(reader, ["7", "ctrl+s", "1", "tab", "n", "o", "ctrl+s"])
        reader.app.post_message(events.Paste("pasted"))
        await reader.until(lambda: "not valid" in reader.state, "7 is refused")
        await reader.until(lambda: any("pause, then type" in toast for toast in reader.toasts))
        assert list(reader.values.values()) == ["7"]
        assert reader.reasoning.text == ""
        await reader.take_breath()
        await reader.press("backspace", "1", "tab", "y")
        assert list(reader.values.values()) == ["1"]
        assert reader.reasoning.text == "y"
        assert len(reader.toasts) == 1


async def test_the_same_key_at_once_again_submits_without_what_is_missing(tmp_path: Path) -> None:
    store = tmp_path / "store"
    logs = write_jsonl(tmp_path / "chats.jsonl", [chat(name, "hi", "ho") for name in NAMES])
    async with reading(logs, store=store, plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.annotating()
        burst(reader, ["tab", "w", "ctrl+s", "ctrl+s"])
        await reader.opened("beta")
    assert [json.loads(path.read_text())["episode"] for path in records(store)] == ["alpha"]


def tell_of_typing(reader: Reader) -> None:
    """Have the panel hear once more of what was typed into the reasoning."""
    reasoning = reader.panel.query_one(ReasoningText)
    reasoning.post_message(TextArea.Changed(reasoning))


async def test_what_was_typed_before_a_refusal_and_is_told_of_later_is_no_answer_to_it(
    logs: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    async with reading(logs, store=store, plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.annotating()
        await reader.press("7", "ctrl+s")
        tell_of_typing(reader)
        await reader.until(lambda: "not valid" in reader.state, "7 is refused")
        await reader.take_breath()
        await reader.press("backspace")
        await reader.until(lambda: "not valid" not in reader.state)
        await reader.press("tab", "w", "ctrl+s")
        await reader.until(lambda: "the same key again" in reader.state)
        tell_of_typing(reader)
        await reader.pilot.pause()
        await reader.press("ctrl+s")
        await reader.opened("beta")
    assert [json.loads(path.read_text())["episode"] for path in records(store)] == ["alpha"]


async def test_what_is_told_of_while_it_is_submitted_is_no_draft_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit = AnnotationStore.submit

    def slowly(*args: Any, **options: Any) -> Any:
        time.sleep(2 * AnnotationPanel.KEEP_AFTER)
        return submit(*args, **options)

    monkeypatch.setattr(AnnotationStore, "submit", slowly)
    one = write_jsonl(tmp_path / "one.jsonl", [chat("alpha", "hi", "ho")])
    async with reading(one, store=tmp_path / "store", plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.annotating()
        burst(reader, ["1", "tab", "w", "ctrl+s"])
        await reader.until(lambda: reader.panel.locked)
        tell_of_typing(reader)
        await reader.until(lambda: "submitted ✓" in reader.state and "done" in reader.state)
        assert reader.state.endswith("· all are done")


async def test_keys_ahead_of_the_end_of_the_queue_change_nothing_that_was_submitted(logs: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    for name in NAMES[1:]:
        AnnotationStore(store, "ada").skip(name, reward_rubric(), "cut off")
    async with reading(logs, store=store, plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.annotating()
        burst(reader, ["1", "ctrl+s", "0", "tab", "n", "o"])
        await reader.until(lambda: "all are done" in reader.state)
        await reader.pilot.pause()
        assert list(reader.values.values()) == ["1"]
        assert not reader.panel.dirty


async def test_several_runs_on_without_a_look_at_those_between(logs: Path, tmp_path: Path) -> None:
    async with reading(logs, store=tmp_path / "store", plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.annotating()
        burst(reader, ["ctrl+n", "ctrl+n", "1"])
        await reader.opened("gamma")
        await reader.until(lambda: list(reader.values.values()) == ["1"])


async def test_what_is_typed_for_a_run_further_on_is_in_none_between(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fields of the one between come after it was left, and before the run that was asked for."""
    goes_on, beta, gamma = Event(), Event(), Event()
    open_work, load = AnnotationStore.open, Episodes.load

    def open_when_told(store: AnnotationStore, key: str, *more: Any) -> Any:
        if key == "beta":
            beta.wait(20)
        return open_work(store, key, *more)

    def load_when_told(episodes: Episodes, info: RunInfo) -> AgentRun:
        if info.id == "beta":
            goes_on.set()
        if info.id == "gamma":
            gamma.wait(20)
        return load(episodes, info)

    monkeypatch.setattr(AnnotationStore, "open", open_when_told)
    monkeypatch.setattr(Episodes, "load", load_when_told)
    async with reading(logs, store=tmp_path / "store", plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.annotating()
        burst(reader, ["ctrl+n"])
        await reader.until(goes_on.is_set)
        await reader.until(lambda: reader.panel.key == "beta")
        burst(reader, ["ctrl+n", "1"])
        await reader.until(lambda: reader.app.keys.held)
        beta.set()
        await reader.until(lambda: not reader.panel.opening, "beta's fields are there")
        await reader.take_breath()
        assert reader.app.keys.held
        gamma.set()
        await reader.opened("gamma")
        await reader.until(lambda: list(reader.values.values()) == ["1"])
    assert AnnotationStore(tmp_path / "store", reader.app.store.annotator).open("beta", reward_rubric(), 1).kept is None


async def test_keys_after_the_reason_for_a_skip_close_nothing_below(logs: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    async with reading(logs, store=store, plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.annotating()
        await reader.press("escape", "x")
        await reader.until(lambda: isinstance(reader.app.screen, ReasonScreen))
        burst(reader, [*"cut", "enter", "enter", "enter"])
        await reader.opened("beta")
        await reader.annotating()
        await reader.type("1")
        assert list(reader.values.values()) == ["1"]
    assert AnnotationStore(store, "ada").progress()["alpha"].reason == "cut"


async def test_keys_typed_while_a_run_is_opened_are_about_that_run(tmp_path: Path) -> None:
    runs = [chat("one", *"abcdef"), chat("two", *"uvwxyz"), chat("three", "x")]
    log, store = write_jsonl(tmp_path / "log.jsonl", runs), tmp_path / "store"
    async with reading(log, store=store) as reader:
        await reader.listed()
        await reader.open("enter")
        await reader.press("]", "]")
        burst(reader, ["L", "right_square_bracket", "m", "L", "m"])
        await reader.opened("three")
        await reader.until(lambda: "unit 0 marked" in reader.status)
    notes = {run["id"]: AnnotationStore(store, "ada").unit_notes(run["id"]) for run in runs}
    marked = {id: [mark.unit for mark in found.marks] for id, found in notes.items()}
    assert marked == {"one": [], "two": [1], "three": [0]}


async def test_keys_on_a_run_that_cannot_be_shown_are_about_no_run(tmp_path: Path) -> None:
    first = chat("one", "a", "b")
    log, store = write_jsonl(tmp_path / "log.jsonl", [first, chat("two", "c", "d")]), tmp_path / "store"
    async with reading(log, store=store) as reader:
        await reader.listed()
        await reader.open("enter")
        write_jsonl(log, [first])
        burst(reader, ["L", "m", "a", "1"])
        await reader.until(lambda: "This run cannot be shown." in reader.whole_screen)
        await reader.press("m", "M", "S", "a", "1", "ctrl+s", "c", "y", "W", "f")
        assert "cannot be shown" in reader.status
        await reader.press("q", "enter")
        await reader.opened("one")
        assert reader.session.highlights.marks == {}
    assert not store.exists() or not list(store.rglob("*.json*"))
