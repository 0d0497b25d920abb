"""Who quits while a long run is read does not wait for that."""

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
