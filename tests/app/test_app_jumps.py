"""Jumps in the whole app: units, user turns, errors, marks, places that are typed, and paging."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Any

import pytest
from textual import events
from textual.widget import Widget

from trajview.app.transcript.highlights import Highlights
from trajview.app.transcript.session import LONG

from .driving import PATIENCE, Reader, reading
from .logs import chat, write_jsonl

# The repair: 12 messages in units [0], [1-3], [4, 5], [6-8], [9], [10, 11]; users 1, 6, 10; errors 5, 8.


def held_back(monkeypatch: pytest.MonkeyPatch, name: str) -> Event:
    """Have a method of the highlights wait; gives what lets it go on."""
    may, method = Event(), getattr(Highlights, name)

    def wait(*given: Any) -> Any:
        assert may.wait(PATIENCE)
        return method(*given)

    monkeypatch.setattr(Highlights, name, wait)
    return may


async def walk(reader: Reader, key: str, times: int) -> list[int]:
    """The messages that a key comes to, pressed so many times."""
    found = []
    for _ in range(times):
        await reader.press(key)
        found.append(reader.message)
    return found


async def test_brackets_go_from_unit_to_unit_and_stop_at_the_ends(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        assert await walk(reader, "]", 5) == [1, 4, 6, 9, 10]
        assert reader.status.startswith("unit 5/5 · message 10/11")
        await reader.press("]")
        assert reader.message == 10
        assert "last unit" in reader.status
        assert await walk(reader, "[", 5) == [9, 6, 4, 1, 0]
        await reader.press("[")
        assert "first unit" in reader.status


async def test_e_goes_round_the_errors(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        assert "2 errors" in reader.status
        assert await walk(reader, "e", 2) == [5, 8]
        assert "error 2 of 2" in reader.status
        assert await walk(reader, "e", 1) == [5]
        assert await walk(reader, "E", 2) == [8, 5]


async def test_marks_have_keys_of_their_own_and_m_takes_one_away(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("`")
        assert "no marks: m sets one" in reader.status
        for unit in ("1", "3"):
            await reader.ask("colon", unit)
            await reader.press("m")
        assert await walk(reader, "`", 2) == [1, 6]
        assert await walk(reader, "U", 2) == [1, 6]
        await reader.press("m", "g")
        assert await walk(reader, "`", 2) == [1, 1]


async def test_a_typed_place_is_gone_to(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        for typed, message in [("4", 9), ("m7", 7), ("0%", 0), ("$", 11)]:
            await reader.ask("colon", typed)
            assert reader.message == message, typed
            assert reader.app.focused is reader.screen.view
        await reader.ask("colon", "m99")
        assert (reader.message, reader.toasts) == (11, ["There is no message 99: the last one is 11."])


async def test_escape_leaves_the_question_and_an_empty_answer_goes_nowhere(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("]", "colon", "4", "escape")
        assert reader.app.focused is reader.screen.view
        assert reader.message == 1
        await reader.ask("colon", "")
        assert (reader.message, reader.toasts) == (1, [])


async def test_lines_pages_and_ends(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "long.jsonl", [chat("long", *(f"turn {n}" for n in range(400)))])
    async with reading(file) as reader:
        await reader.opened()
        rows = reader.screen.view.size.height

        def row() -> int:
            return reader.session.y_of(reader.session.cursor)

        for keys, moved in [(["j"], 1), (["down"], 1), (["k"], -1), (["up"], -1), (["space"], rows - 2), (["b"], 2 - rows),
                            (["d"], (rows - 2) // 2), (["u"], -((rows - 2) // 2)), (["pagedown"], rows - 2), (["pageup"], 2 - rows)]:  # fmt: skip
            before = row()
            await reader.press(*keys)
            assert row() - before == moved, keys
        await reader.press("G")
        assert (reader.message, "100%" in reader.status) == (399, True)
        await reader.press("space", "j")
        assert reader.message == 399
        await reader.press("g")
        assert (row(), "0%" in reader.status) == (0, True)
        await reader.press("end", "home", "k", "b")
        assert row() == 0


def _wheel(kind: type[events.MouseEvent], view: Widget) -> events.MouseEvent:
    return kind(view, 5, 5, 0, 0, 0, False, False, False)


async def test_the_wheel_scrolls_and_the_cursor_stays_on_the_screen(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "long.jsonl", [chat("long", *(f"turn {n}" for n in range(400)))])
    async with reading(file) as reader:
        await reader.opened()
        view = reader.screen.view
        for _ in range(30):
            view.post_message(_wheel(events.MouseScrollDown, view))
        await reader.pilot.pause()
        assert reader.session.top > (5, 0)
        assert any(line.startswith("❯") for line in reader.lines)
        for _ in range(40):
            view.post_message(_wheel(events.MouseScrollUp, view))
        await reader.pilot.pause()
        assert reader.session.top == (0, 0)


async def test_while_errors_are_looked_for_nobody_is_told_that_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = held_back(monkeypatch, "scan")
    said = 'Traceback (most recent call last):\n  File "m.py", line 1\nOSError: no probe'
    failed = {"role": "tool", "tool_call_id": "a", "content": said}
    run = chat("long", *map(str, range(LONG)))
    run["messages"].append(failed)
    log = write_jsonl(tmp_path / "long.jsonl", [run])
    async with reading(log) as reader:
        await reader.opened()
        assert "looking for highlights…" in reader.status
        await reader.press("e")
        assert "no errors so far" in reader.status
        await reader.press("n")
        assert "no highlights so far" in reader.status
        looked.set()
        await reader.until(lambda: reader.session.highlights.scanned)
        await reader.press("e")
        assert reader.message == LONG
        assert "error 1 of 1" in reader.status
        assert "looking" not in reader.status


async def test_a_word_that_takes_a_while_to_be_looked_for_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = write_jsonl(tmp_path / "a.jsonl", [chat("a", "the kettle", "a kettle")])
    async with reading(log) as reader:
        await reader.opened()
        looked = held_back(monkeypatch, "scan_rule")
        await reader.ask("colon", "m1")
        await reader.press("j", "asterisk")
        assert "looking for “kettle”…" in reader.status
        looked.set()
        await reader.until(lambda: "“kettle” in 2 messages" in reader.status)
