"""Quitting: nobody waits for a run that is being read, and the next time it opens where it was left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.logs import chat, write_jsonl

from .screen import PATIENCE, Terminal

pytestmark = pytest.mark.pty

CTRL_Q = "\x11"
PROGRAM = f"""
import sys, threading
from trajview.__main__ import main
from trajview.corpus.reader import Reader

class Slow:
    def __get__(self, *_):
        return lambda *_, **__: threading.Event().wait({10 * PATIENCE})

Reader.load = Slow()
main()
"""
"""Reading a run takes far longer than anybody waits, and nothing can end it."""


@pytest.mark.parametrize("keys", ["qq", CTRL_Q])
def test_the_program_ends_while_a_run_is_read(tmp_path: Path, keys: str) -> None:
    write_jsonl(tmp_path / "one.jsonl", [chat("the-only-one")])
    with Terminal(tmp_path / "home", str(tmp_path / "one.jsonl"), program=("-c", PROGRAM)) as terminal:
        terminal.until("opening")
        for key in keys:
            terminal.press(key)
            terminal.look(0.5)
        assert terminal.ended() == 0
        assert b"Traceback" not in terminal.sent


def test_the_next_time_the_same_message_is_under_the_cursor_unless_asked_for_a_fresh_start(tmp_path: Path) -> None:
    log = write_jsonl(tmp_path / "one.jsonl", [chat("the-only-one", *(f"text {n}" for n in range(40)))])

    def opened(*options: str) -> Terminal:
        return Terminal(tmp_path / "home", *options, str(log))

    with opened() as terminal:
        terminal.until("message 0/39")
        terminal.press(":m20\r")
        terminal.until("message 20/39")
        terminal.press("q")
        terminal.until("1 run")
        terminal.press("q")
        assert terminal.ended() == 0
    with opened() as terminal:
        terminal.until("back at message 20")
        terminal.press("jjj")
        terminal.until("message 21/39")
        terminal.hang_up()
    with opened("--fresh") as terminal:
        terminal.until("message 0/39")
        terminal.press("G")
        terminal.until("message 39/39")
        terminal.press(CTRL_Q)
        assert terminal.ended() == 0
    with opened() as terminal:
        terminal.until("back at message 21")
        terminal.press(CTRL_Q)
        assert terminal.ended() == 0
