"""Starting up: the first screen of the real program in a pseudo-terminal, and what stays when it has gone."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from pathlib import Path

import pexpect
import pyte
import pytest

from trajview.app.app import make_app
from trajview.config import Settings
from trajview.corpus.corpus import Corpus

SAMPLES = Path(__file__).parents[1] / "sample_data"
COLUMNS, ROWS = 120, 40
PATIENCE = 60.0
"""Seconds: a loaded machine may take long, a working one does not."""


class Terminal:
    """The program in a pseudo-terminal, and the screen as a person sees it."""

    def __init__(self, *args: str, folder: Path) -> None:
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "trajview", *args],
            dimensions=(ROWS, COLUMNS),
            cwd=str(folder),
            # pexpect sets the size once the program runs; on a loaded machine that is after it has asked.
            env={**os.environ, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": str(ROWS)},
            timeout=PATIENCE,
        )
        self.written = b""
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)

    @property
    def text(self) -> str:
        return "\n".join(self._screen.display)

    def read(self) -> bool:
        """Take in what has been written; False when the program has closed the terminal."""
        try:
            data = self.child.read_nonblocking(65536, timeout=0.2)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.written += data
        self._stream.feed(data.replace(b"\x1b[>1u", b"").replace(b"\x1b[<u", b""))
        return True

    def wait_for(self, text: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while text not in self.text:
            assert self.read(), f"the program ended:\n{self.text}"
            assert time.monotonic() < deadline, f"{text!r} never came:\n{self.text}"

    def exit_code(self) -> int | None:
        """Wait for the end."""
        deadline = time.monotonic() + PATIENCE
        while self.read():
            assert time.monotonic() < deadline, f"it does not end:\n{self.text}"
        self.child.close()
        return self.child.exitstatus


@pytest.mark.pty
def test_the_first_screen_has_the_runs_and_q_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    terminal = Terminal(str(SAMPLES), folder=tmp_path)
    terminal.wait_for("who_drinks_the_coffee")
    terminal.wait_for("problems")
    terminal.wait_for("/ search")
    terminal.child.send("q")
    assert terminal.exit_code() == 0
    for on, off in ((b"\x1b[?1049h", b"\x1b[?1049l"), (b"\x1b[?25l", b"\x1b[?25h"), (b"\x1b[?1000h", b"\x1b[?1000l")):
        assert terminal.written.rfind(off) > terminal.written.rfind(on) >= 0
    assert not list(tmp_path.iterdir()), "looking leaves nothing behind"


@pytest.mark.pty
def test_a_key_of_the_bottom_line_can_be_clicked(tmp_path: Path) -> None:
    terminal = Terminal(str(SAMPLES / "docent"), folder=tmp_path)
    terminal.wait_for("nightbus")
    terminal.wait_for("? help")
    column = terminal.text.splitlines()[-1].index("help") + 1
    terminal.child.send(f"\x1b[<0;{column};{ROWS}M\x1b[<0;{column};{ROWS}m")
    terminal.wait_for("half a page down")
    terminal.child.send("\x11")  # ctrl+q
    assert terminal.exit_code() == 0


def test_a_path_that_does_not_exist_is_said_before_any_screen(tmp_path: Path) -> None:
    terminal = Terminal("nowhere.json", folder=tmp_path)
    assert terminal.exit_code() == 2
    assert b"\x1b[?1049h" not in terminal.written
    assert "no such file or folder" in terminal.text


def test_where_stdout_is_no_terminal_the_runs_come_as_text_and_a_reader_may_stop_early() -> None:
    command = f"'{sys.executable}' -m trajview '{SAMPLES}' < /dev/null | head -n 3; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("=== kitchen/who_drinks_the_coffee")
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


async def test_garbage_is_collected_again_after_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("trajview.app.app._STARTED", 0.01)
    settings = Settings(paths=(tmp_path,), store=tmp_path / "store")
    corpus = Corpus(settings.paths)
    corpus.start()
    gc.disable()
    try:
        async with make_app(corpus, settings).run_test() as pilot:
            deadline = time.monotonic() + PATIENCE
            while not gc.isenabled() and time.monotonic() < deadline:
                await pilot.pause(0.02)
            assert gc.isenabled()
    finally:
        gc.enable()
        gc.unfreeze()
