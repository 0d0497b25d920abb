"""The list and an open run while their files are written, and reading them again by a key."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import msgspec
import pytest

from trajview.app.annotate.episodes import Episodes
from trajview.app.transcript import opening
from trajview.app.transcript import text as transcript_said
from trajview.corpus import unpack
from trajview.corpus.corpus import Corpus

from .driving import PATIENCE, reading
from .logs import chat as chat_of
from .logs import write_jsonl


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trajview.corpus.corpus.EVERY", 0.02)


def chat(run_id: str, *texts: str) -> dict[str, Any]:
    """A run that is called by its id: the list calls one that nothing names by its first words."""
    return {**chat_of(run_id, *texts), "name": run_id}


def append(path: Path, *lines: object, end: str = "\n") -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(line) + end for line in lines))


def said(text: str, role: str = "user") -> dict[str, str]:
    return {"role": role, "content": text}


async def test_the_list_grows_while_the_cursor_stays_on_its_run(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    log = write_jsonl(tmp_path / "runs" / "log.jsonl", [chat("a", "hi"), chat("b", "ho")])
    async with reading(tmp_path / "runs", follow=True) as reader:
        await reader.listed()
        assert "following" in reader.whole_screen
        await reader.press("j")
        append(log, chat("c", "hey"))
        (log.parent / "new.json").write_text(json.dumps(chat("d", "new")))
        await reader.until(lambda: len(reader.rows) == 4)
        assert sorted(row.split()[0] for row in reader.rows) == ["a", "b", "c", "d"]
        current = reader.app.browser.runs.current
        assert getattr(current, "id", None) == "b"
        assert "4 runs" in reader.whole_screen
        log.unlink()
        await reader.until(lambda: len(reader.rows) == 1)
        assert "1 run · following" in reader.whole_screen
        await reader.ask("ampersand", "new")
        await reader.until(lambda: "1 of 1" in reader.whole_screen)


async def test_an_open_run_grows_and_the_reader_stays_where_he_is(tmp_path: Path) -> None:
    talk = chat("a", *(f"said {number}\n" + "x\n" * 5 for number in range(30)))
    log = write_jsonl(tmp_path / "session.jsonl", talk["messages"])
    async with reading(log, follow=True) as reader:
        await reader.opened()
        assert "following" in reader.status
        await reader.press("]", "]", "]", "m", "enter", "j")
        session = reader.session
        at, top, folds = session.cursor, session.top, dict(session.folds)
        assert folds
        append(log, said("something new"), said("and more", "assistant"))
        await reader.until(lambda: len(reader.session.messages) == 32)
        assert (reader.session.cursor, reader.session.top, reader.session.folds) == (at, top, folds)
        assert reader.session.highlights.marks == session.highlights.marks == {3: ""}
        assert "something new" not in reader.text
        await reader.press("G")
        assert "and more" in reader.text
        append(log, said("the very last"))
        await reader.until(lambda: len(reader.session.messages) == 33)
        assert "the very last" in reader.text
        assert reader.session.cursor == reader.session.last
        await reader.press("q")
        await reader.listed()
        assert "33" in reader.rows[0]


async def test_a_search_goes_on_in_what_is_new(tmp_path: Path) -> None:
    log = write_jsonl(tmp_path / "session.jsonl", [said(f"needle {number}") for number in range(3)])
    async with reading(log, follow=True) as reader:
        await reader.opened()
        await reader.ask("slash", "needle")
        await reader.until(lambda: "1/3" in reader.status)
        await reader.press("n")
        append(log, said("another needle"))
        await reader.until(lambda: "2/4" in reader.status)


async def test_a_long_run_that_grows_all_the_time_is_not_read_all_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "REST", 100_000)
    log = write_jsonl(tmp_path / "session.jsonl", [said("one"), said("two")])
    async with reading(log, follow=True) as reader:
        await reader.opened()
        append(log, said("three"))
        await reader.until(lambda: len(reader.session.messages) == 3)
        append(log, said("four"))
        browser = reader.app.browser
        await reader.until(lambda: getattr(browser.runs.rows[0], "messages", 0) == 4)
        await reader.pilot.pause(0.2)
        assert len(reader.session.messages) == 3
        await reader.press("ctrl+r")
        await reader.until(lambda: len(reader.session.messages) == 4)


async def test_a_file_that_has_grown_is_noticed_when_its_run_is_opened(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    log = write_jsonl(folder / "session.jsonl", [said("one"), said("two")])
    (folder / "z.json").write_text(json.dumps(chat("z", "last")))
    async with reading(folder) as reader:
        await reader.listed()
        append(log, said("three"))
        await reader.open("enter")
        assert len(reader.session.messages) == 3
        append(log, said("four"))
        await reader.press("ctrl+r")
        await reader.until(lambda: len(reader.session.messages) == 4)
        await reader.press("q")
        await reader.listed()
        (folder / "new.json").write_text(json.dumps(chat("new", "new")))
        await reader.press("ctrl+r")
        await reader.until(lambda: len(reader.rows) == 3)
        await reader.until(lambda: any("read again" in toast for toast in reader.toasts))


async def test_the_list_says_that_files_are_read_again_and_that_a_run_is_being_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may = Event()
    reload, resolve = Corpus.reload, Corpus.resolve

    def slow(work: Callable[..., Any]) -> Callable[..., Any]:
        def slowly(*given: Any) -> Any:
            assert may.wait(PATIENCE)
            return work(*given)

        return slowly

    log = write_jsonl(tmp_path / "log.jsonl", [chat("a", "hi"), chat("b", "ho")])
    async with reading(log) as reader:
        await reader.listed()
        monkeypatch.setattr(Corpus, "reload", slow(reload))
        monkeypatch.setattr(Corpus, "resolve", slow(resolve))
        await reader.press("ctrl+r")
        await reader.until(lambda: "reading the files again…" in reader.whole_screen)
        may.set()
        await reader.until(lambda: any("read again" in toast for toast in reader.toasts))
        assert "reading the files again…" not in reader.whole_screen
        may.clear()
        info = reader.app.corpus[0]
        reader.app.open_run(msgspec.structs.replace(info, summarised=False))
        await reader.until(lambda: "opening a…" in reader.whole_screen)
        may.set()
        await reader.opened("a")
        monkeypatch.setattr(Episodes, "load", slow(Episodes.load))
        may.clear()
        await reader.press("ctrl+r")
        assert "reading the run again…" in reader.status
        may.set()
        await reader.until(lambda: "reading the run again…" not in reader.status)


async def test_a_run_that_is_gone_stays_on_the_screen_and_says_so_when_it_is_read_again(tmp_path: Path) -> None:
    log = write_jsonl(tmp_path / "session.jsonl", [said("one"), said("two")])
    async with reading(log, follow=True) as reader:
        await reader.opened()
        log.unlink()
        browser = reader.app.browser
        await reader.until(lambda: browser.runs.problems == 1)
        assert "two" in reader.text
        await reader.press("ctrl+r")
        await reader.until(lambda: "not there any more" in reader.status)
        assert "two" in reader.text


async def test_a_run_that_goes_out_of_its_log_while_it_is_read_is_said_to_be_gone_until_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "SETTLED", 0.05)
    log = write_jsonl(tmp_path / "log.jsonl", [chat("a", "hi"), chat("b", "ho")])
    async with reading(log, follow=True) as reader:
        await reader.listed()
        await reader.press("j")
        await reader.open("enter")
        assert "following" in reader.status
        write_jsonl(log, [chat("a", "hi")])
        await reader.until(lambda: "gone from its log" in reader.status)
        assert ["not in its log any more" in toast for toast in reader.toasts] == [True]
        assert "following" not in reader.status
        assert "ho" in reader.text
        append(log, chat("b", "ho", "hey"))
        await reader.until(lambda: "following" in reader.status)


async def test_a_run_that_is_back_at_once_is_not_said_to_be_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "SETTLED", 0.5)
    log = write_jsonl(tmp_path / "log.jsonl", [chat("a", "hi"), chat("b", "ho")])
    async with reading(log, follow=True) as reader:
        await reader.listed()
        await reader.press("j")
        await reader.open("enter")
        write_jsonl(log, [chat("a", "hi")])
        await reader.until(lambda: len(reader.app.corpus) == 1)
        append(log, chat("b", "ho", "hey"))
        await reader.until(lambda: "hey" in reader.text)
        await reader.pilot.pause(0.6)
        assert "following" in reader.status
        assert reader.toasts == []


async def test_an_empty_folder_that_is_followed_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    async with reading(folder, follow=True) as reader:
        await reader.listed()
        assert "Nothing here yet." in reader.whole_screen
        (folder / "a.json").write_text(json.dumps(chat("a", "hi")))
        await reader.until(lambda: reader.rows and reader.rows[0].startswith("a "))


async def test_a_large_run_says_how_large_it_is_while_it_opens_and_can_be_left_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    log = write_jsonl(tmp_path / "runs.jsonl", [chat("a", "x" * 2_000_000), chat("b", "hi")])
    async with reading(log) as reader:
        await reader.listed()
        hold = threading.Event()
        load = reader.app.corpus.load

        def slowly(*arguments: object, **options: object) -> object:
            hold.wait(20)
            return load(*arguments, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(reader.app.corpus, "load", slowly)
        try:
            await reader.pilot.press("enter")
            await reader.until(lambda: "opening a… · 2.0 MB" in reader.whole_screen)
            await reader.press("q")
            await reader.listed()
        finally:
            hold.set()
        assert len(reader.rows) == 2


async def test_a_run_of_a_compressed_file_says_how_much_of_that_is_unpacked_and_for_how_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gzip
    import threading

    log = tmp_path / "runs.jsonl.gz"
    log.write_bytes(gzip.compress(b"".join(json.dumps(chat(name, "hi")).encode() + b"\n" for name in "ab")))
    async with reading(log) as reader:
        await reader.listed()
        hold = threading.Event()
        really = unpack.Unpacked.unpack

        def slowly(unpacked: Any, *given: Any) -> Any:
            unpacked.read = unpacked.packed
            hold.wait(20)
            return really(unpacked, *given)

        unpack.kept_files.clear()
        monkeypatch.setattr(unpack.Unpacked, "unpack", slowly)
        monkeypatch.setattr(transcript_said, "A_WHILE", 0.0)
        try:
            await reader.pilot.press("enter")
            await reader.until(lambda: "opening a… · 100% of its file unpacked · " in reader.whole_screen)
        finally:
            hold.set()
        await reader.until(lambda: "message 0/0" in reader.whole_screen)
        await reader.pilot.pause(0.5)
        assert "opening" not in reader.whole_screen
