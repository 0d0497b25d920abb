"""An error that nobody foresaw, in work that goes on in a thread, is said, and the viewer stays."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from trajview.annotation.journal import Journal
from trajview.annotation.queue import Plan
from trajview.annotation.store import AnnotationStore
from trajview.app import app
from trajview.app.annotate.episodes import Episodes
from trajview.app.shared.background import in_background
from trajview.app.transcript import text

from .driving import Reader, reading, records
from .logs import chat, write_jsonl


def wrong(*_: Any, **__: Any) -> Any:
    raise KeyError("nobody thought\x1b[31m of this")


@pytest.mark.parametrize(
    ("of", "name"),
    [(text, "facts_of"), (Episodes, "read_statuses"), (app, "import_module")],
    ids=["of a transcript", "of a screen", "of the app"],
)
async def test_the_work_that_fails_is_said_and_the_viewer_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: object, name: str
) -> None:
    monkeypatch.setattr(of, name, wrong)
    path = write_jsonl(tmp_path / "a.jsonl", [chat("a", "hello"), chat("b", "well")])
    async with reading(path, size=(200, 50)) as reader:
        await reader.until(lambda: len(reader.rows) == 2)
        await reader.press("j")
        await reader.open("enter")
        await reader.until(lambda: reader.toasts)
        (said,) = reader.toasts
        assert said.startswith("Not done\nKeyError: ")
        assert said.endswith("(this is a bug in trajview: please report it, with what --debug FILE writes)")
        assert "\x1b" not in said
        await reader.press("q")
        await reader.until(lambda: reader.app.screen is reader.app.browser)


def said_in(reader: Reader) -> list[str]:
    return [
        toast for toast in reader.toasts if "KeyError: " in toast and toast.endswith("with what --debug FILE writes)")
    ]


@pytest.mark.parametrize(
    ("of", "name", "key"),
    [
        (AnnotationStore, "flag", "f"),
        (AnnotationStore, "undo", "ctrl+z"),
        (AnnotationStore, "redo", "ctrl+y"),
        (Plan, "order", ""),
    ],
    ids=["a flag", "undo", "redo", "the order of a queue"],
)
async def test_what_is_done_to_an_episode_and_fails_is_said_and_the_viewer_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: object, name: str, key: str
) -> None:
    monkeypatch.setattr(of, name, wrong)
    path = write_jsonl(tmp_path / "a.jsonl", [chat("a", "hello"), chat("b", "well")])
    async with reading(path, plan=None if key else Plan()) as reader:
        await reader.listed()
        if key:
            await reader.press(key)
        await reader.until(lambda: said_in(reader))
        await reader.open("enter")


async def test_a_history_that_cannot_be_read_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AnnotationStore, "history", wrong)
    path = write_jsonl(tmp_path / "a.jsonl", [chat("a", "hello"), chat("b", "well")])
    async with reading(path) as reader:
        await reader.listed()
        await reader.press("ctrl+l")
        await reader.until(lambda: "KeyError" in reader.whole_screen)
        assert "reading…" not in reader.whole_screen
        await reader.press("escape")
        await reader.open("enter")


async def test_after_a_submission_the_next_run_comes_also_where_the_progress_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [chat("a", "hello"), chat("b", "well")])
    async with reading(path) as reader:
        await reader.listed()
        await reader.open("enter")
        await reader.annotate()
        await reader.type("1")
        monkeypatch.setattr(AnnotationStore, "progress", wrong)
        await reader.press("ctrl+s")
        await reader.opened("b")
        await reader.annotating()
        assert said_in(reader)


@pytest.mark.parametrize(("of", "name"), [(AnnotationStore, "submit"), (Journal, "append"), (AnnotationStore, "open")])
async def test_what_is_typed_outlives_a_fault_of_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: object, name: str
) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [chat("a", "hello")])
    async with reading(path, store=tmp_path / "store") as reader:
        await reader.opened()
        with monkeypatch.context() as broken:
            broken.setattr(of, name, wrong)
            await reader.annotate()
            await reader.type("1")
            await reader.press("ctrl+s")
            await reader.until(lambda: said_in(reader))
            await reader.until(lambda: not reader.panel.locked)
        await reader.take_breath()
        assert list(reader.values.values()) == ["1"]
        await reader.save()
    assert len(records(tmp_path / "store")) == 1


@pytest.mark.parametrize(
    ("error", "raised"), [(StopIteration, RuntimeError), (KeyError, KeyError), (MemoryError, MemoryError)]
)
async def test_who_waits_for_work_in_a_thread_hears_of_its_end_whatever_ends_it(
    error: type[Exception], raised: type[Exception]
) -> None:
    def fails() -> None:
        raise error

    with pytest.raises(raised):
        await asyncio.wait_for(in_background(fails), 20)
