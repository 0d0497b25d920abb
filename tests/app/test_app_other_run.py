"""A log that is rotated or replaced while it is scored, or before it is opened again: whose the typed text is, is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trajview.annotation.store import AnnotationStore
from trajview.app.annotate.questions import OtherRunScreen
from trajview.app.transcript.screen import TranscriptScreen

from .driving import Reader, burst, reading, records
from .logs import chat, write_jsonl


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trajview.corpus.corpus.EVERY", 0.02)


OLD = ("fix the kettle", "I look at it", "and?", "it was the plug")
NEW = ("water the garden", "I fetch the can", "which one?")


def log_of(path: Path, kind: str, texts: tuple[str, ...]) -> Path:
    """A log that holds one conversation under one name, whatever it says."""
    record: dict[str, Any] = chat("talk", *texts)
    if kind == "messages":
        return write_jsonl(path, record["messages"])
    if kind == "records":
        return write_jsonl(path, [chat("first", "hi", "ho"), record])
    path.write_text(json.dumps(record, indent=1))
    return path


def old_log(folder: Path, kind: str) -> Path:
    """The log as it is at first."""
    return log_of(folder / ("log.json" if kind == "json" else "log.jsonl"), kind, OLD)


def replaced(path: Path, kind: str, texts: tuple[str, ...]) -> None:
    """Put another log in the place of one, as a rotation does."""
    new = log_of(path.with_suffix(".new"), kind, texts)
    path.rename(path.with_suffix(".1"))
    new.rename(path)


async def open_last(reader: Reader, kind: str) -> None:
    if kind == "records":
        await reader.listed()
        await reader.press("G", "enter")
    await reader.opened()


async def score(reader: Reader, *scores: str) -> None:
    for each in scores:
        await reader.type(each)
        await reader.press("enter")
    await reader.until(lambda: reader.state.startswith("draft saved"), "the draft is kept")


def typed(reader: Reader) -> list[str]:
    return [text for text in reader.values.values() if text]


async def asked(reader: Reader, at: int = 0) -> None:
    """It is asked, and said from which message on it is another conversation."""
    await reader.until(lambda: isinstance(reader.app.screen, OtherRunScreen), "it is asked")
    screen = reader.app.screen
    assert isinstance(screen, OtherRunScreen)
    await reader.until(lambda: not reader.app.keys.deaf, "keys are answers")
    assert screen.differs == at
    assert "This log holds another conversation now." in reader.whole_screen


def key_of(kind: str) -> str:
    return "log" if kind == "messages" else "talk"


KINDS = pytest.mark.parametrize("kind", ["messages", "records", "json"])


@KINDS
async def test_a_log_that_is_replaced_while_it_is_scored_asks_whose_the_draft_is(tmp_path: Path, kind: str) -> None:
    log, store = old_log(tmp_path, kind), tmp_path / "store"
    async with reading(log, follow=True, store=store) as reader:
        await open_last(reader, kind)
        await reader.annotate()
        await score(reader, "4")
        replaced(log, kind, NEW)
        await reader.until(lambda: isinstance(reader.app.screen, OtherRunScreen), "it is asked")
        burst(reader, ["down", "enter"])
        await reader.until(lambda: any("no answer to this question" in toast for toast in reader.toasts))
        await asked(reader)
        assert any("another conversation" in toast for toast in reader.toasts)
        await reader.press("down", "enter")
        await reader.annotating()
        assert typed(reader) == []
        assert reader.state == "not started"
        await score(reader, "7")
        await reader.save()
    mine = AnnotationStore(store, json.loads(records(store)[0].read_text())["annotator_id"])
    assert mine.journal.ledger.submits.keys() == {key_of(kind)}
    (aside,) = [draft for draft in mine.journal.drafts() if draft.episode != key_of(kind)]
    assert aside.episode.startswith(f"{key_of(kind)}@")
    assert [*aside.values[0].values()] == ["4"]


async def test_an_undo_that_comes_to_its_end_while_it_is_asked_asks_no_second_time(tmp_path: Path) -> None:
    log, store = old_log(tmp_path, "json"), tmp_path / "store"
    async with reading(log, follow=True, store=store) as reader:
        await open_last(reader, "json")
        await reader.annotate()
        await score(reader, "4")
        replaced(log, "json", NEW)
        await asked(reader)
        below = reader.app.screen_stack[-2]
        assert isinstance(below, TranscriptScreen)
        below.annotator.turned()
        await reader.pilot.pause(0.3)
        assert [isinstance(screen, OtherRunScreen) for screen in reader.app.screen_stack].count(True) == 1
        await reader.press("down", "enter")
        await reader.annotating()
        assert typed(reader) == []


@KINDS
async def test_a_log_that_was_replaced_since_it_was_scored_asks_when_it_is_opened_again(
    tmp_path: Path, kind: str
) -> None:
    log, store = old_log(tmp_path, kind), tmp_path / "store"
    async with reading(log, store=store) as reader:
        await open_last(reader, kind)
        await reader.annotate()
        await score(reader, "4")
    replaced(log, kind, NEW)
    async with reading(log, store=store) as reader:
        await open_last(reader, kind)
        await reader.press("a")
        await asked(reader)
        await reader.press("escape")
        assert reader.panel.opening
        assert "is of the one before" in reader.state
        assert typed(reader) == []
        await reader.press("a")
        await asked(reader)
        await reader.press("down", "down", "enter")
        await reader.annotating()
        assert typed(reader) == ["4"]
    async with reading(log, store=store) as reader:
        await open_last(reader, kind)
        await reader.annotate()
        assert typed(reader) == ["4"]


@KINDS
async def test_a_log_that_grows_while_it_is_scored_asks_nothing(tmp_path: Path, kind: str) -> None:
    log, store = old_log(tmp_path, kind), tmp_path / "store"
    async with reading(log, follow=True, store=store) as reader:
        await open_last(reader, kind)
        await reader.annotate()
        await score(reader, "4")
        log_of(log, kind, (*OLD, "thanks", "welcome"))
        await reader.until(lambda: len(reader.session.messages) == 6)
        await score(reader, "5")
        assert (typed(reader), reader.reasoning.text.strip()) == (["4"], "5")
        assert not isinstance(reader.app.screen, OtherRunScreen)
    async with reading(log, store=store) as reader:
        await open_last(reader, kind)
        await reader.annotate()
        assert (typed(reader), reader.reasoning.text.strip()) == (["4"], "5")


async def test_a_log_that_is_cut_and_written_anew_asks_as_well(tmp_path: Path) -> None:
    log, store = old_log(tmp_path, "messages"), tmp_path / "store"
    async with reading(log, follow=True, store=store) as reader:
        await reader.opened()
        await reader.annotate()
        await score(reader, "4")
        log_of(log, "messages", OLD[:1])  # the same file, and the next conversation begins as this one did
        await asked(reader, 1)


async def test_a_panel_that_is_closed_asks_when_it_is_opened(tmp_path: Path) -> None:
    log, store = old_log(tmp_path, "messages"), tmp_path / "store"
    async with reading(log, follow=True, store=store) as reader:
        await reader.opened()
        await reader.annotate()
        await score(reader, "4")
        await reader.press("escape", "escape")
        replaced(log, "messages", NEW)
        await reader.until(lambda: len(reader.session.messages) == 3)
        assert not isinstance(reader.app.screen, OtherRunScreen)
        await reader.press("a")
        await asked(reader)


@pytest.mark.parametrize("kind", ["messages", "json"])
async def test_another_conversation_of_as_many_bytes_is_noticed(tmp_path: Path, kind: str) -> None:
    log, store = old_log(tmp_path, kind), tmp_path / "store"
    async with reading(log, follow=True, store=store) as reader:
        await reader.opened()
        await reader.annotate()
        await score(reader, "4")
        replaced(log, kind, ("fix the teapot", *OLD[1:]))
        await asked(reader)


async def test_marks_of_another_conversation_are_said_to_be_its_and_put_aside(tmp_path: Path) -> None:
    log, store = old_log(tmp_path, "messages"), tmp_path / "store"
    async with reading(log, follow=True, store=store) as reader:
        await reader.opened()
        await reader.press("m")
        await reader.until(lambda: reader.session.highlights.marks == {0: ""})
        replaced(log, "messages", NEW)
        await reader.until(lambda: any("marks and notes here are of another" in toast for toast in reader.toasts))
        await reader.press("a")
        await asked(reader)
        await reader.press("down", "enter")
        await reader.annotating()
        await reader.until(lambda: reader.session.highlights.marks == {})


async def test_a_conversation_of_more_agents_has_fields_for_all_of_them(tmp_path: Path) -> None:
    log, store = tmp_path / "log.json", tmp_path / "store"
    run: dict[str, Any] = {"id": "talk", "transcripts": [{"messages": chat("x", *OLD)["messages"]}], "agents": ["ann"]}
    log.write_text(json.dumps(run))
    async with reading(log, follow=True, store=store) as reader:
        await reader.opened()
        await reader.annotate()
        await score(reader, "4")
        run["transcripts"] = [{"messages": chat("x", *NEW)["messages"]}]
        run["agents"] = ["bo", "cy"]
        log.write_text(json.dumps(run))
        await asked(reader)
        await reader.press("down", "enter")
        await reader.annotating()
        assert {agent for agent, _ in reader.values} == {0, 1}


async def test_a_run_that_made_way_for_one_of_another_name_keeps_its_draft_and_that_is_said(tmp_path: Path) -> None:
    log, store = tmp_path / "log.json", tmp_path / "store"
    log.write_text(json.dumps(chat("first", *OLD)))
    async with reading(log, follow=True, store=store) as reader:
        await reader.opened()
        await reader.annotate()
        await score(reader, "4")
        log.write_text(json.dumps(chat("second", *NEW)))
        await reader.until(lambda: any("another run now, second" in toast for toast in reader.toasts))
        await score(reader, "5")
        assert typed(reader) == ["4"]
    drafts = AnnotationStore(store, "ada").journal.drafts()
    assert [draft.episode for draft in drafts] == ["first"]


async def test_runs_that_move_in_their_file_are_no_others(tmp_path: Path) -> None:
    runs = [chat("one", *OLD), chat("two", *NEW)]
    log = write_jsonl(tmp_path / "log.jsonl", runs)
    async with reading(log, follow=True) as reader:
        await reader.listed()
        await reader.open("enter")
        opened = reader.screen.info
        write_jsonl(log, [chat("zero", "hi", "ho"), *runs])
        await reader.until(lambda: reader.screen.info.offset != opened.offset)
        assert reader.screen.info.key == opened.key
        assert not reader.toasts
