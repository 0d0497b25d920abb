"""When what is typed goes into the journal, and what the annotation panel says of it, without a screen."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from trajview.annotation.draft import Draft
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore
from trajview.app.annotate.drafts import DraftKeeper, StateLine
from trajview.app.annotate.work import AnnotatedRun, AnnotationWork
from trajview.errors import AnnotationError


class Timer:
    def __init__(self, seconds: float, call: Callable[[], None]) -> None:
        self.seconds, self.call, self.stopped = seconds, call, False

    def stop(self) -> None:
        self.stopped = True


class Fields:
    """Fields of one run, a keeper of what is typed into them, and what it says."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = AnnotationStore(root, "ada")
        self.run = AnnotatedRun("e1", "", ("a",), SOTOPIA)
        self.work = AnnotationWork(self.store)
        self.work.begin(self.run, None)
        self.line = StateLine()
        self.text = ""
        self.timers: list[Timer] = []
        self.tasks: list[asyncio.Task[None]] = []
        self.kept: list[bool] = []
        self.failed: list[tuple[str, AnnotationError]] = []
        self.keeper = DraftKeeper(
            self.work,
            self.line,
            typed=lambda: Draft("e1", "sotopia", ({"goal": self.text},)),
            later=self._later,
            start=self._start,
            kept=self.kept.append,
            failed=lambda key, error: self.failed.append((key, error)),
        )

    def _later(self, seconds: float, call: Callable[[], None]) -> Timer:
        self.timers.append(Timer(seconds, call))
        return self.timers[-1]

    def _start(self, work: Coroutine[None, None, None]) -> None:
        self.tasks.append(asyncio.create_task(work))

    def type(self, text: str) -> None:
        self.text = text
        self.keeper.changed()

    async def wait(self) -> None:
        """Let the time pass until what was typed is due, and all that comes of it."""
        self.timers[-1].call()
        while self.tasks:
            await self.tasks.pop()

    @property
    def says(self) -> str:
        return str(self.line.content)

    @property
    def written(self) -> str | None:
        """What another program would find."""
        kept = AnnotationStore(self.root, "ada").open("e1", SOTOPIA, 1).kept
        return kept.values[0]["goal"] if kept else None


@pytest.fixture
def fields(tmp_path: Path) -> Fields:
    return Fields(tmp_path)


async def test_a_change_is_written_soon_after_the_first_key_and_no_later_for_more_keys(fields: Fields) -> None:
    fields.type("1")
    assert fields.says == "typing…"
    fields.type("10")
    (timer,) = fields.timers
    assert timer.seconds == DraftKeeper.AFTER <= 0.5
    await fields.wait()
    assert re.fullmatch(r"draft saved \d\d:\d\d:\d\d · not submitted", fields.says)
    assert (fields.written, fields.kept) == ("10", [False])


async def test_what_is_typed_back_is_no_draft(fields: Fields) -> None:
    fields.type("1")
    fields.type("")
    await fields.wait()
    assert (fields.says, fields.written) == ("not started", None)
    assert not fields.kept


async def test_what_is_typed_while_a_draft_is_written_is_still_said_to_be_typed(fields: Fields) -> None:
    fields.type("1")
    fields.timers[-1].call()
    fields.type("12")
    while fields.tasks:
        await fields.tasks.pop()
    assert (fields.says, fields.written) == ("typing…", "1")


async def test_an_alarm_stays_whatever_is_written(fields: Fields) -> None:
    fields.type("1")
    fields.line.say("not submitted: 1 score is empty", "draft", alarm=True)
    await fields.wait()
    assert (fields.says, fields.written) == ("not submitted: 1 score is empty", "1")


async def test_a_refused_draft_is_held_until_the_journal_takes_one(
    fields: Fields, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: Any) -> None:
        raise AnnotationError("The disk is full.")

    with monkeypatch.context() as full:
        full.setattr(fields.store.journal, "append", refuses)
        fields.type("1")
        await fields.wait()
        assert [key for key, _ in fields.failed] == ["e1"]
        assert fields.keeper.refused
        with pytest.raises(AnnotationError):
            fields.work.flush(None)
    fields.keeper.keep()
    await fields.wait()
    assert not fields.keeper.refused
    assert fields.written == "1"
    assert not fields.work.holds_another(None)
