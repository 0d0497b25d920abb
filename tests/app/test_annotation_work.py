"""What the annotation panel knows of its work, without a screen."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from trajview.annotation.draft import Draft
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore
from trajview.app.annotate import work as annotation_work
from trajview.app.annotate.work import AnnotatedRun, AnnotationWork
from trajview.errors import AnnotationError

from .driving import PATIENCE


async def test_a_draft_that_is_being_written_when_the_program_ends_is_written_and_so_is_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = AnnotationStore(tmp_path, "ada")
    append, begun, disk = store.journal.append, asyncio.Event(), Event()
    loop = asyncio.get_running_loop()

    def slow(*arguments: Any, **more: Any) -> str:
        loop.call_soon_threadsafe(begun.set)
        assert disk.wait(PATIENCE)
        return append(*arguments, **more)

    monkeypatch.setattr(store.journal, "append", slow)
    run, work = AnnotatedRun("e1", "", ("a",), SOTOPIA), AnnotationWork(store)
    work.begin(run, None)
    now = annotation_work.monotonic()
    work.active(run)
    draft = Draft("e1", SOTOPIA.name, ({"goal": "7"},))
    writing = asyncio.create_task(work.keep_all(draft))
    await begun.wait()
    disk.set()
    monkeypatch.setattr(annotation_work, "monotonic", lambda: now + 5)
    work.flush(draft)
    work.close()
    await writing
    told = [json.loads(line) for line in store.journal.path.read_text().splitlines()]
    assert sum(event.get("seconds", 0) for event in told) == pytest.approx(5, abs=0.2)  # each is rounded
    kept = AnnotationStore(tmp_path, "ada").open("e1", SOTOPIA, 1).kept
    assert kept is not None
    assert kept.says() == draft.says()


def draft(episode: str, goal: str) -> Draft:
    return Draft(episode, SOTOPIA.name, ({"goal": goal},))


async def test_a_draft_that_is_refused_keeps_no_other_from_being_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = AnnotationStore(tmp_path, "ada")
    append, work = store.journal.append, AnnotationWork(store)

    def refuses_e1(event: str, typed: Draft, **more: Any) -> str:
        if typed.episode == "e1":
            raise AnnotationError("The disk is full.")
        return append(event, typed, **more)

    for episode in ("e1", "e2"):
        work.begin(AnnotatedRun(episode, "", ("a",), SOTOPIA), None)
        work.hold(draft(episode, "7"))
    with monkeypatch.context() as full:
        full.setattr(store.journal, "append", refuses_e1)
        with pytest.raises(AnnotationError):
            work.flush(None)
    assert AnnotationStore(tmp_path, "ada").statuses() == {"e2": "draft"}
    assert work.holds_another("e2")
    work.flush(None)
    assert AnnotationStore(tmp_path, "ada").statuses() == {"e1": "draft", "e2": "draft"}


async def test_a_draft_that_was_refused_is_written_with_the_next_one_of_any_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: Any, **__: Any) -> str:
        raise AnnotationError("The disk is full.")

    store = AnnotationStore(tmp_path, "ada")
    work = AnnotationWork(store)
    work.begin(AnnotatedRun("e1", "", ("a",), SOTOPIA), None)
    work.hold(draft("e1", "7"))
    with monkeypatch.context() as full:
        full.setattr(store.journal, "append", refuses)
        with pytest.raises(AnnotationError):
            await work.keep(draft("e1", "7"))
    work.begin(AnnotatedRun("e2", "", ("a",), SOTOPIA), None)
    work.hold(draft("e2", "8"))
    await work.keep(draft("e2", "8"))
    assert not work.holds_another(None)
    assert AnnotationStore(tmp_path, "ada").statuses() == {"e1": "draft", "e2": "draft"}


async def test_a_draft_that_says_what_is_saved_again_is_none(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "ada")
    run, work = AnnotatedRun("e1", "", ("a",), SOTOPIA), AnnotationWork(store)
    work.begin(run, await work.open(run))
    submitted = draft("e1", "7")
    work.saved(submitted, await work.submit(run, submitted, [], overwrite=False))
    for goal, status in (("8", "draft"), ("7", "annotated")):
        typed = draft("e1", goal)
        assert work.is_saved(typed) == (status == "annotated")
        work.hold(typed)
        await work.keep(typed)
        assert work.is_newest(typed)
        assert AnnotationStore(tmp_path, "ada").statuses() == {"e1": status}
