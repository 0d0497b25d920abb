"""Annotating as a job: the queue and where it was left, skips, flags, undo across episodes, and blind mode."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from threading import Event, get_ident
from typing import Any

import pytest
from textual.widgets import Input

from trajview.annotation.queue import Plan
from trajview.annotation.store import AnnotationStore
from trajview.app.annotate.history import HistoryScreen
from trajview.app.annotate.panel import AnnotationPanel
from trajview.app.annotate.questions import ReasonScreen

from .driving import PATIENCE, Reader, burst, reading, records
from .logs import chat, write_episode, write_jsonl

SECRET = "gull-70b"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "chats.jsonl", [chat(name, "hi", "ho") for name in ("alpha", "beta", "gamma")])


def states(store: Path) -> dict[str, str]:
    return {key: found.state for key, found in AnnotationStore(store, "ada").progress().items()}


async def submit(reader: Reader, score: str, then: str) -> None:
    """Type a score, submit it, and wait for the next episode."""
    await reader.annotating()
    await reader.type(score)
    await reader.press("ctrl+s")
    await reader.opened(then)
    await reader.annotating()


async def test_a_queue_opens_where_it_was_left_and_goes_on_by_itself(logs: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    async with reading(logs, store=store, plan=Plan()) as reader:
        await reader.opened("alpha")
        await submit(reader, "1", then="beta")
        await reader.type("0.5")
        await reader.until(lambda: reader.state.startswith("draft saved"))
    assert states(store) == {"alpha": "submitted", "beta": "draft"}
    async with reading(logs, store=store, plan=Plan()) as reader:
        await reader.opened("beta")
        await reader.annotating()
        assert list(reader.values.values()) == ["0.5"]
        await reader.press("ctrl+s")
        await reader.opened("gamma")
        await reader.annotating()
        await reader.type("0")
        await reader.press("ctrl+s")
        await reader.until(lambda: "all are done" in reader.state, "the end of the queue is said")
    assert len(records(store)) == 3
    async with reading(logs, store=store, plan=Plan()) as reader:
        await reader.until(lambda: "All episodes of this queue are done." in reader.toasts)
        assert "3 of 3 annotated" in reader.whole_screen


async def test_the_list_shows_the_queue_in_its_order_and_how_far_it_is(logs: Path, tmp_path: Path) -> None:
    async with reading(logs, store=tmp_path / "store", plan=Plan(ids=("gamma", "nowhere", "alpha"))) as reader:
        await reader.opened("gamma")
        await reader.press("escape", "escape", "q")
        await reader.listed()
        assert [row.split()[0] for row in reader.rows] == ["gamma", "alpha"]
        assert "0 of 2 annotated" in reader.whole_screen
        assert any("Not in these logs: nowhere" in toast for toast in reader.toasts)


async def test_a_queue_has_the_episodes_that_match_and_begins_with_the_one_that_is_named(
    logs: Path, tmp_path: Path
) -> None:
    plan = Plan(where="id != alpha sort:-id")
    async with reading(logs, store=tmp_path / "store", plan=plan, run="beta") as reader:
        await reader.opened("beta")
        await submit(reader, "1", then="gamma")
        await reader.press("escape", "escape", "q")
        await reader.listed()
        assert [row.split()[0] for row in reader.rows] == ["gamma", "beta"]
    async with reading(logs, store=tmp_path / "store", plan=plan, run="nobody") as reader:
        await reader.until(lambda: "There is no run nobody here." in reader.toasts)


async def test_what_was_left_out_comes_round_again(logs: Path, tmp_path: Path) -> None:
    async with reading(logs, store=tmp_path / "store", plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.annotating()
        await reader.press("ctrl+n")
        await reader.opened("beta")
        await submit(reader, "1", then="gamma")
        await submit(reader, "1", then="alpha")
        assert any("From the start again" in toast for toast in reader.toasts)


async def test_a_skipped_episode_wants_a_reason_and_leads_to_the_next(logs: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    async with reading(logs, store=store, plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.annotating()
        await reader.press("escape", "x")
        await reader.until(lambda: isinstance(reader.app.screen, ReasonScreen))
        await reader.press("enter")
        assert isinstance(reader.app.screen, ReasonScreen), "no reason, no skip"
        await reader.type("cut off")
        await reader.press("enter")
        await reader.opened("beta")
        # The next one for the same reason: it is a key away.
        await reader.press("escape", "x")
        await reader.until(lambda: isinstance(reader.app.screen, ReasonScreen))
        await reader.press("up")
        assert reader.app.screen.query_one(Input).value == "cut off"
        await reader.press("enter")
        await reader.opened("gamma")
    assert states(store) == {"alpha": "skipped", "beta": "skipped"}
    assert AnnotationStore(store, "ada").progress()["beta"].reason == "cut off"


async def test_undo_and_redo_go_across_episodes(logs: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    async with reading(logs, store=store, plan=Plan()) as reader:
        await reader.opened("alpha")
        await submit(reader, "1", then="beta")
        await reader.press("ctrl+z")
        await reader.opened("alpha")
        await reader.until(lambda: list(reader.values.values()) == ["1"] and "not submitted" in reader.state)
        assert records(store) == []
        await reader.press("ctrl+y")
        await reader.until(lambda: len(records(store)) == 1)
        await reader.until(lambda: "submitted ✓" in reader.state)
        # A skip is taken back like anything else.
        await reader.press("escape", "x")
        await reader.until(lambda: isinstance(reader.app.screen, ReasonScreen))
        await reader.type("why not")
        await reader.press("enter")
        await reader.opened("beta")
        assert states(store)["alpha"] == "skipped"
        await reader.press("escape", "ctrl+z")
        await reader.opened("alpha")
    assert states(store)["alpha"] == "submitted"


async def test_what_was_typed_a_moment_ago_is_undone_first(logs: Path, tmp_path: Path) -> None:
    async with reading(logs, store=tmp_path / "store", plan=Plan()) as reader:
        await reader.opened("alpha")
        await submit(reader, "1", then="beta")
        await reader.type("0.5")
        await reader.press("ctrl+z")
        await reader.until(lambda: list(reader.values.values()) == [""], "the score of beta is taken back")
        assert reader.screen.info.id == "beta"


async def test_skips_and_flags_are_set_in_the_list_too_and_taken_back(logs: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    async with reading(logs, store=store, run="alpha") as reader:
        await reader.opened("alpha")
        await reader.press("q")
        await reader.listed()
        await reader.press("f")
        await reader.until(lambda: "flagged ⚑" in reader.rows[0])
        await reader.press("j", "x")
        await reader.until(lambda: isinstance(reader.app.screen, ReasonScreen))
        await reader.type("empty")
        await reader.press("enter")
        await reader.until(lambda: "skipped" in reader.rows[1])
        assert "0 of 3 annotated · 1 skipped · 1 flagged" in reader.whole_screen
        await reader.press("x")
        await reader.until(lambda: "skipped" not in reader.rows[1])
        await reader.press("ctrl+z")
        await reader.until(lambda: "skipped" in reader.rows[1])
        await reader.press("k", "f")
        await reader.until(lambda: "flagged" not in reader.rows[0])


async def test_blind_mode_hides_scores_and_models_until_they_are_asked_for(tmp_path: Path) -> None:
    path = write_episode(tmp_path / "chair.json")
    record = json.loads(path.read_text())
    record.update(models=["gpt-4", SECRET, SECRET], reasoning="Agent 1 comments:\ngoal: a fine chair\n")
    record["rewards"] = [[3.25, {"goal": 3.25}], [1.75, {"goal": 1.75}]]
    path.write_text(json.dumps(record))
    store = tmp_path / "store"
    told = (SECRET, "3.25", "a fine chair")

    def seen(reader: Reader) -> list[str]:
        return [word for word in told if word in reader.whole_screen]

    async with reading(path, store=store, blind=True, size=(200, 50)) as reader:
        await reader.opened()
        await reader.press("i")
        assert seen(reader) == []
        await reader.press("v")
        await reader.until(lambda: "R reveals" in reader.status)
        assert seen(reader) == []
        await reader.press("R")
        await reader.until(lambda: set(told) <= set(seen(reader)), "all is shown")
        await reader.press("i", "v")
        await reader.until(lambda: SECRET in reader.whole_screen)
    events = [json.loads(line) for line in (store / "journal" / "ada.jsonl").read_text().splitlines()]
    assert [(event["event"], event["what"]) for event in events] == [("reveal", "the model")]
    # What was revealed stays so; the list keeps hiding it.
    async with reading(path, store=store, blind=True, size=(200, 50)) as reader:
        await reader.opened()
        await reader.until(lambda: "3.25" in reader.title)
        await reader.press("q")
        await reader.listed()
        assert seen(reader) == []
    async with reading(path, store=store, annotator="bo", blind=True, size=(200, 50)) as reader:
        await reader.opened()
        assert seen(reader) == []
        assert "blind" in reader.title


async def test_a_mark_that_is_undone_goes_from_the_screen(logs: Path, tmp_path: Path) -> None:
    async with reading(logs, store=tmp_path / "store", run="alpha") as reader:
        await reader.opened("alpha")
        await reader.press("m")
        await reader.until(lambda: reader.session.highlights.marks)
        await reader.until(lambda: AnnotationStore(tmp_path / "store", "ada").unit_notes("alpha").marks, "it is kept")
        await reader.press("ctrl+z")
        await reader.until(lambda: not reader.session.highlights.marks)
        await reader.press("ctrl+y")
        await reader.until(lambda: reader.session.highlights.marks)


async def test_the_history_tells_what_was_done_and_hides_others_until_one_has_submitted(
    logs: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    AnnotationStore(store, "bo").flag("alpha", "bo was here")
    async with reading(logs, store=store, plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.annotating()
        await reader.type("1")
        await reader.press("ctrl+l")
        await reader.until(lambda: isinstance(reader.app.screen, HistoryScreen))
        await reader.until(lambda: "typed" in reader.whole_screen, "what was typed a moment ago is in it")
        assert "draft" in reader.whole_screen
        assert "others' work is shown once you have submitted" in reader.whole_screen
        assert "bo was here" not in reader.whole_screen
        await reader.press("escape", "ctrl+s")
        await reader.opened("beta")
        await reader.press("escape", "H")
        await reader.opened("alpha")
        await reader.press("ctrl+l")
        await reader.until(lambda: isinstance(reader.app.screen, HistoryScreen))
        await reader.until(lambda: "ada submitted reward of agent 1: 1" in reader.whole_screen)
        assert "bo was here" in reader.whole_screen


async def test_the_last_citation_of_the_history_is_followed_from_the_list_and_from_the_transcript(
    logs: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    AnnotationStore(store, "ada").flag("alpha", "see [T0B0]")
    AnnotationStore(store, "ada").flag("alpha", 'see [T0B1: "ho"]')
    async with reading(logs, store=store) as reader:
        await reader.listed()
        for _ in range(2):
            await reader.press("ctrl+l")
            await reader.until(lambda: isinstance(reader.app.screen, HistoryScreen))
            await reader.until(lambda: "T0B1" in reader.whole_screen)
            await reader.press("C")
            await reader.opened("alpha")
            await reader.until(lambda: reader.session.quoted == (1, "ho"))
            await reader.press("g")


@pytest.mark.parametrize("key", ["ctrl+z", "ctrl+y", "ctrl+l"])
async def test_what_was_typed_is_written_for_undo_and_history_while_the_screen_goes_on(
    key: str, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reading(logs, store=tmp_path / "store", plan=Plan()) as reader:
        await reader.opened("alpha")
        await reader.annotating()
        journal = reader.app.store.journal
        append, disk, threads = journal.append, Event(), []

        def slow(*arguments: Any, **more: Any) -> Any:
            threads.append(get_ident())
            assert disk.wait(PATIENCE)
            return append(*arguments, **more)

        monkeypatch.setattr(journal, "append", slow)
        monkeypatch.setattr(AnnotationPanel, "KEEP_AFTER", 1_000)
        await reader.type("0.5")
        if key == "ctrl+l":
            reader.app.set_focus(reader.screen.view)
        burst(reader, [key])
        while not threads:  # keys wait for the draft to be written, and so does `until`; the event loop does not
            await asyncio.sleep(0.01)
        assert not isinstance(reader.app.screen, HistoryScreen)
        disk.set()
        if key == "ctrl+l":
            await reader.until(lambda: isinstance(reader.app.screen, HistoryScreen))
        elif key == "ctrl+z":
            await reader.until(lambda: list(reader.values.values()) == [""], "the score is taken back")
        else:
            await reader.until(lambda: "there is nothing to do again" in reader.toasts)
        assert get_ident() not in threads


async def test_what_a_key_has_done_takes_the_place_of_what_the_last_one_did(logs: Path, tmp_path: Path) -> None:
    async with reading(logs, store=tmp_path / "store") as reader:
        await reader.listed()
        await reader.press("f")
        await reader.until(lambda: reader.toasts == ["alpha is flagged"])
        await reader.press("f")
        await reader.until(lambda: reader.toasts == ["alpha is not flagged any more"])
        reader.app.notify("to be read", severity="warning", timeout=60)
        await reader.press("f")
        await reader.until(lambda: "alpha is flagged" in reader.toasts)
        assert "to be read" in reader.toasts


async def test_a_history_that_takes_long_says_so_and_can_be_left(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may, history = Event(), AnnotationStore.history

    def slow(store: AnnotationStore, episode: str) -> Any:
        assert may.wait(PATIENCE)
        return history(store, episode)

    monkeypatch.setattr(AnnotationStore, "history", slow)
    async with reading(logs, store=tmp_path / "store") as reader:
        await reader.listed()
        await reader.press("ctrl+l")
        await reader.until(lambda: isinstance(reader.app.screen, HistoryScreen))
        await reader.until(lambda: "reading…" in reader.whole_screen)
        await reader.press("escape")
        assert not isinstance(reader.app.screen, HistoryScreen)
        may.set()
