"""`trajview compare` in a pseudo-terminal: the viewer on a terminal, a diff where it is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.logs import chat

from .screen import Terminal

pytestmark = pytest.mark.pty


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The current folder of the program: `a.json` and `b.json` differ in a word."""
    work = tmp_path / "work"
    work.mkdir()
    for id, word in (("a", "oiled"), ("b", "painted")):
        (work / f"{id}.json").write_text(json.dumps(chat(id, "Mend the clock.", f"The spring is {word} again.")))
    return work


def test_two_files_open_beside_each_other_and_q_goes_to_the_list_and_out(folder: Path, tmp_path: Path) -> None:
    with Terminal(tmp_path / "home", "compare", "a.json", "b.json", size=(120, 30), cwd=folder) as terminal:
        terminal.until("difference")
        terminal.until(lambda: any("oiled" in line and "painted" in line for line in terminal.screen.display))
        terminal.press("q")
        terminal.until("2 runs")
        terminal.press("q")
        assert terminal.ended() == 0


def test_as_text_it_is_a_diff_in_colour_and_the_exit_code_says_that_they_differ(folder: Path, tmp_path: Path) -> None:
    with Terminal(tmp_path / "home", "compare", "--text", "--unified", "a.json", "b.json", cwd=folder) as terminal:
        assert terminal.ended() == 1
        assert b"\x1b[31;7moiled\x1b[0m" in terminal.sent
        assert b"\x1b[32;7mpainted\x1b[0m" in terminal.sent
        assert b"\x1b[?1049h" not in terminal.sent
