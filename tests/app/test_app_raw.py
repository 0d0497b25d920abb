"""The raw record: opened at the message that was read, and searched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import yaml
from textual.widgets import Static

from trajview.app.help import HelpScreen
from trajview.app.raw.screen import RawScreen
from trajview.app.transcript.screen import TranscriptScreen
from trajview.app.transcript.search import SearchHits, search
from trajview.corpus.corpus import Corpus
from trajview.corpus.info import RunInfo

from .driving import PATIENCE, Reader, reading
from .logs import write_jsonl


def raw(reader: Reader) -> RawScreen:
    screen = reader.app.screen
    assert isinstance(screen, RawScreen)
    return screen


def under_cursor(reader: Reader) -> str:
    session = raw(reader).view.session
    assert session is not None
    return session.layout(0).rows_of_text()[session.cursor[1]]


def row_below(reader: Reader) -> str:
    session = raw(reader).view.session
    assert session is not None
    return session.layout(0).rows_of_text()[session.cursor[1] + 1]


def write_json(path: Path, record: object) -> None:
    path.write_text(json.dumps(record))


def title(reader: Reader) -> str:
    return str(raw(reader).query_one("#raw-title", Static).render())


async def raw_at(reader: Reader, message: str) -> None:
    await reader.opened()
    await reader.ask("colon", message)
    await reader.press("v")
    await reader.until(lambda: isinstance(reader.app.screen, RawScreen) and raw(reader).view.session is not None)
    await reader.pilot.pause()


async def test_v_shows_the_record_at_the_message_that_was_read(log: Path) -> None:
    async with reading(log, size=(80, 24)) as reader:
        await raw_at(reader, "m5")
        assert "kettle: no power" in under_cursor(reader)
        await reader.press("q")
        await raw_at(reader, "m0")
        assert "You repair kettles." in under_cursor(reader)
        await reader.press("question_mark")
        await reader.until(lambda: isinstance(reader.app.screen, HelpScreen))
        await reader.press("q")
        assert raw(reader)


async def test_a_search_in_the_record_goes_through_its_rows_and_escape_ends_it(log: Path) -> None:
    async with reading(log, size=(80, 24)) as reader:
        await raw_at(reader, "m0")
        await reader.ask("slash", "never plugged in")
        await reader.until(lambda: "1/2" in title(reader))
        first = under_cursor(reader)
        await reader.press("n")
        assert "2/2" in title(reader)
        assert under_cursor(reader) != first
        await reader.pilot.resize_terminal(60, 24)  # other rows, the same places
        await reader.press("n")
        assert "1/2" in title(reader)
        await reader.press("N")
        assert "2/2" in title(reader)
        assert "never plugged in" in under_cursor(reader)
        await reader.press("escape")
        assert "“" not in title(reader)
        await reader.press("escape")
        await reader.until(lambda: isinstance(reader.app.screen, TranscriptScreen))


async def test_what_the_record_does_not_hold_is_said_and_n_does_nothing(log: Path) -> None:
    async with reading(log) as reader:
        await raw_at(reader, "m0")
        before = under_cursor(reader)
        await reader.press("n")
        await reader.ask("slash", "teapot")
        await reader.until(lambda: "“teapot” not found" in title(reader))
        await reader.press("n", "N")
        assert under_cursor(reader) == before


@pytest.fixture
def held_search(monkeypatch: pytest.MonkeyPatch) -> Event:
    """What lets a search begin."""
    may = Event()

    def wait(*given: Any, **more: Any) -> Iterator[SearchHits]:
        assert may.wait(PATIENCE)
        yield from search(*given, **more)

    monkeypatch.setattr("trajview.app.raw.screen.search", wait)
    return may


async def test_a_search_in_a_large_record_says_that_it_goes_on(log: Path, held_search: Event) -> None:
    async with reading(log, size=(80, 24)) as reader:
        await raw_at(reader, "m0")
        await reader.ask("slash", "never plugged in")
        await reader.until(lambda: "searching…" in title(reader))
        held_search.set()
        await reader.until(lambda: "1/2" in title(reader))
        assert "searching" not in title(reader)


async def test_escape_ends_a_search_that_is_under_way_and_stays_in_the_record(log: Path, held_search: Event) -> None:
    async with reading(log, size=(80, 24)) as reader:
        await raw_at(reader, "m0")
        await reader.ask("slash", "never plugged in")
        await reader.until(lambda: "searching…" in title(reader))
        await reader.press("escape")
        assert isinstance(reader.app.screen, RawScreen)
        assert "searching" not in title(reader)
        held_search.set()
        await reader.ask("slash", "kettle")
        await reader.until(lambda: "“kettle” " in title(reader))
        assert "never" not in title(reader)
        await reader.press("escape", "escape")
        await reader.until(lambda: isinstance(reader.app.screen, TranscriptScreen))


@pytest.fixture
def held_back(monkeypatch: pytest.MonkeyPatch) -> Event:
    """What lets the records be read."""
    may = Event()
    read = Corpus.raw_bytes

    def wait(corpus: Corpus, info: RunInfo) -> bytes:
        assert may.wait(PATIENCE)
        return read(corpus, info)

    monkeypatch.setattr(Corpus, "raw_bytes", wait)
    return may


async def test_what_is_typed_before_the_record_is_there_is_done_when_it_is(log: Path, held_back: Event) -> None:
    async with reading(log, size=(80, 24)) as reader:
        await reader.opened()
        await reader.press("v")
        await reader.until(lambda: isinstance(reader.app.screen, RawScreen))
        await reader.press("slash")
        await reader.type("never plugged in")
        await reader.press("enter")
        assert raw(reader).view.session is None
        assert "reading… " in title(reader)
        held_back.set()
        await reader.until(lambda: "1/2" in title(reader))
        assert "never plugged" in under_cursor(reader)
        await reader.press("n")  # keys are done at once again
        assert "2/2" in title(reader)


async def test_moves_before_the_record_is_there_start_from_the_message(log: Path, held_back: Event) -> None:
    async with reading(log, size=(80, 24)) as reader:
        await reader.opened()
        await reader.press("v", "G", "k", "k")
        held_back.set()
        await reader.until(lambda: raw(reader).view.session is not None)
        session = raw(reader).view.session
        assert session is not None
        await reader.until(lambda: session.cursor[1] == len(session.layout(0).rows) - 3)


async def test_escape_takes_back_what_waits_for_the_record_and_then_leaves(log: Path, held_back: Event) -> None:
    async with reading(log, size=(80, 24)) as reader:
        await reader.opened()
        await reader.press("v")
        await reader.until(lambda: isinstance(reader.app.screen, RawScreen))
        await reader.press("slash", "q", "escape")
        assert isinstance(reader.app.screen, RawScreen)
        await reader.press("q")
        await reader.until(lambda: isinstance(reader.app.screen, TranscriptScreen))
        held_back.set()


async def test_of_what_a_record_says_twice_it_opens_at_what_the_message_comes_from(tmp_path: Path) -> None:
    step = {
        "thought": "I look around",
        "action": "ls",
        "observation": "nothing here to see",
        "response": "I look around",
    }
    history = [
        {"role": "user", "content": "please look around"},
        {"role": "assistant", "content": "I look around", "note": "of the history"},
        {"role": "user", "content": "nothing here to see", "note": "of the history"},
    ]
    write_json(tmp_path / "run.traj", {"trajectory": [step] * 3, "history": history, "info": {}})
    async with reading(tmp_path / "run.traj", size=(80, 24)) as reader:
        for number, text in ((1, "I look around"), (2, "nothing here to see")):
            await raw_at(reader, f"m{number}")
            assert text in under_cursor(reader)
            assert "of the history" in row_below(reader)
            await reader.press("q")
            await reader.until(lambda: isinstance(reader.app.screen, TranscriptScreen))


@pytest.mark.parametrize("how", ["grown", "gone"])
async def test_a_record_that_changes_in_its_file_while_it_is_shown_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr("trajview.corpus.corpus.EVERY", 0.02)
    log = write_jsonl(tmp_path / "session.jsonl", [{"role": "user", "content": text} for text in ("one", "two")])
    async with reading(log, follow=True) as reader:
        await raw_at(reader, "m0")
        assert "changed" not in title(reader)
        if how == "gone":
            log.unlink()
        else:
            write_jsonl(log, [{"role": "user", "content": text} for text in ("one", "two", "three")])
        await reader.until(lambda: "the file has changed since: q v reads it again" in title(reader))
        assert '"two"' in reader.whole_screen
        if how == "grown":
            await reader.press("q")
            await reader.until(lambda: len(reader.session.messages) == 3)
            await reader.press("v")
            await reader.until(lambda: isinstance(reader.app.screen, RawScreen) and '"three"' in reader.whole_screen)
            assert "changed" not in title(reader)


async def test_in_yaml_it_opens_at_the_post_that_was_read(tmp_path: Path) -> None:
    said = "count the rows of the table"
    post = {"message": said, "send_from": "User", "send_to": "Planner"}
    thought = [{"type": "thought", "content": said}]
    posts = [post, {"attachment_list": thought, "message": said, "send_from": "Planner", "send_to": "User"}]
    log = tmp_path / "talk.yaml"
    rounds = json.loads(json.dumps([{"user_query": said, "post_list": posts}] * 2))  # of which nothing is an alias
    log.write_text(yaml.safe_dump({"rounds": rounds}))
    async with reading(log, size=(80, 24)) as reader:
        for number, who in ((0, "User"), (1, "Planner"), (3, "Planner")):
            await raw_at(reader, f"m{number}")
            assert f"message: {said}" in under_cursor(reader)
            assert f"send_from: {who}" in row_below(reader)
            await reader.press("q")
            await reader.until(lambda: isinstance(reader.app.screen, TranscriptScreen))
