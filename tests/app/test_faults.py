"""An error that nobody foresaw, in work that goes on in a thread, is said, and the viewer stays."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from trajview.app import app
from trajview.app.app import TrajviewApp
from trajview.app.unwaited import _in_background
from trajview.app.widgets import outline

from .driving import reading
from .logs import chat, write_jsonl


def wrong(*_: Any, **__: Any) -> Any:
    raise KeyError("nobody thought\x1b[31m of this")


@pytest.mark.parametrize(
    ("of", "name"),
    [(outline, "facts_of"), (TrajviewApp, "read_statuses"), (app, "import_module")],
    ids=["of a widget", "of a screen", "of the app"],
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
        assert said.startswith("KeyError: ")
        assert said.endswith("(this is a bug in trajview: please report it)")
        assert "\x1b" not in said
        await reader.press("q")
        await reader.until(lambda: reader.app.screen is reader.app.browser)


@pytest.mark.parametrize(
    ("error", "raised"), [(StopIteration, RuntimeError), (KeyError, KeyError), (MemoryError, MemoryError)]
)
async def test_who_waits_for_work_in_a_thread_hears_of_its_end_whatever_ends_it(
    error: type[Exception], raised: type[Exception]
) -> None:
    def fails() -> None:
        raise error

    with pytest.raises(raised):
        await asyncio.wait_for(_in_background(fails), 20)
