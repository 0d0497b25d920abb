"""Starting up: the first screen of the real program in a pseudo-terminal, and what stays when it has gone."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.pty.screen import PATIENCE, Terminal
from trajview.app.app import make_app
from trajview.config import Settings
from trajview.corpus.corpus import Corpus
from trajview.corpus.process_wide import put_off_garbage

SAMPLES = Path(__file__).parents[1] / "sample_data"
COLUMNS, ROWS = 120, 40
_NOT_YET = {
    "click",
    "pydantic",
    "pydantic_core",
    "pygments",
    "tiktoken",
    "yaml",
    "zipfile",
    "sqlite3",
    "markdown_it",
    "tomlkit",
    "tomllib",
}
"""What some part of the program needs, and the list does not."""
_NEEDED = {
    "trajview.annotation.flag", "trajview.formats.base", "trajview.formats.registry",
    "trajview.models.brief", "trajview.models.reward",
}  # fmt: skip
"""What the list itself is made of."""
_OTHER_ROOMS = tuple(
    f"trajview.app.{room}" for room in ("transcript", "raw", "render", "agreement", "compare", "results")
)


@pytest.mark.pty
def test_the_first_screen_has_the_runs_and_q_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    with Terminal(tmp_path / "home", str(SAMPLES), cwd=tmp_path / "work", size=(COLUMNS, ROWS)) as terminal:
        terminal.until("who_drinks_the_coffee")
        terminal.until("problems")
        terminal.until("/ search")
        terminal.press("q")
        assert terminal.ended() == 0
    for on, off in ((b"\x1b[?1049h", b"\x1b[?1049l"), (b"\x1b[?25l", b"\x1b[?25h"), (b"\x1b[?1000h", b"\x1b[?1000l")):
        assert terminal.sent.rfind(off) > terminal.sent.rfind(on) >= 0
    assert not list((tmp_path / "work").iterdir()), "looking leaves nothing behind"


@pytest.mark.pty
def test_a_key_of_the_bottom_line_can_be_clicked(tmp_path: Path) -> None:
    with Terminal(tmp_path, str(SAMPLES / "docent"), size=(COLUMNS, ROWS)) as terminal:
        terminal.until("nightbus")
        terminal.until("? help")
        column = terminal.text.splitlines()[-1].index("help") + 1
        terminal.press(f"\x1b[<0;{column};{ROWS}M\x1b[<0;{column};{ROWS}m")
        terminal.until("half a page down")
        terminal.press("\x11")  # ctrl+q
        assert terminal.ended() == 0


def test_a_path_that_does_not_exist_is_said_before_any_screen(tmp_path: Path) -> None:
    with Terminal(tmp_path, "nowhere.json", cwd=tmp_path) as terminal:
        assert terminal.ended() == 2
    assert b"\x1b[?1049h" not in terminal.sent
    assert "no such file or folder" in terminal.text


def test_where_stdout_is_no_terminal_the_runs_come_as_text_and_a_reader_may_stop_early() -> None:
    command = f"'{sys.executable}' -m trajview '{SAMPLES}' < /dev/null | head -n 3; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("=== kitchen/who_drinks_the_coffee")
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


_UNTIL_DRAWN = """
import json, sys
from pathlib import Path
from trajview.app.runs.screen import BrowserScreen
def drawn(self, message):
    sys.__stdout__.write(json.dumps(sorted(sys.modules)))
    self.app.exit(0)
BrowserScreen.on_run_table_drawn = drawn
from tests.pty.screen import PATIENCE, Terminal
from trajview.app.app import make_app
from trajview.cli import front
from trajview.config import Settings
from trajview.corpus.corpus import Corpus
settings = Settings(paths=(Path(sys.argv[1]),), store=Path(sys.argv[2]))
corpus = Corpus(settings.paths)
corpus.start(patiently=True)
make_app(corpus, settings).run(headless=True, size=(120, 40))
"""


@pytest.mark.parametrize("kind", ["large file", "folder of many"])
def test_the_first_rows_wait_for_no_import_that_they_do_not_need(tmp_path: Path, kind: str) -> None:
    log = tmp_path / "many"
    line = '{"messages": [{"role": "user", "content": "' + "hello " * 200 + '"}]}\n'
    if kind == "large file":
        log = log.with_suffix(".jsonl")
        log.write_text(line * 8000)  # long enough to be listed before it is read
    else:
        log.mkdir()
        for number in range(50):
            (log / f"{number}.json").write_text(line)
    command = [sys.executable, "-c", _UNTIL_DRAWN, str(log), str(tmp_path / "annotations")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    # Some systems' Python imports something of its own accord, as Debian's does for its reports of crashes.
    nothing = "import json, sys; print(json.dumps(list(sys.modules)))"
    anyway = subprocess.run([sys.executable, "-c", nothing], capture_output=True, text=True, check=True)
    imported = set(json.loads(done.stdout)) - set(json.loads(anyway.stdout))
    assert "trajview.app.runs.table" in imported
    unneeded = {name for name in imported if name.split(".")[0] in _NOT_YET}
    unneeded |= {
        name for name in imported if name.startswith(("trajview.annotation.", "trajview.models.", *_OTHER_ROOMS))
    }
    unneeded |= {name for name in imported if name.startswith("trajview.formats.")}
    assert unneeded <= _NEEDED, "each takes time before the first screen: import it where it is needed"


def test_paths_are_opened_without_a_parser_of_arguments(tmp_path: Path) -> None:
    script = (
        "import sys; sys.argv[1:] = sys.argv[1:]\n"
        "from trajview.cli import front\n"
        "front.is_terminal = lambda: True\n"
        'front.open_viewer = lambda **given: sys.exit(f\'{[str(path) for path in given["paths"]]} {"click" in sys.modules}\')\n'
        "front.run()"
    )
    (tmp_path / "a.json").touch()

    def run(*args: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", script, *args], capture_output=True, text=True, cwd=tmp_path, check=False,
            env={**os.environ, "TERM": "xterm"},
        )  # fmt: skip
        return done.stderr

    assert run("a.json", ".") == "['a.json', '.'] False\n"
    assert "no such file or folder" in run("b.json")
    assert "Usage" in run("a.json", "--themes")
    (tmp_path / "ls").touch()
    assert "Missing argument" in run("ls"), "a command counts before a file that is called the same"


async def test_garbage_is_collected_again_after_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("trajview.app.app.STARTED", 0.01)
    settings = Settings(paths=(tmp_path,), store=tmp_path / "store")
    corpus = Corpus(settings.paths)
    corpus.start()
    thresholds = gc.get_threshold()
    put_off_garbage()
    try:
        async with make_app(corpus, settings).run_test() as pilot:
            deadline = time.monotonic() + PATIENCE
            while not gc.isenabled() and time.monotonic() < deadline:
                await pilot.pause(0.02)
            assert gc.isenabled()
    finally:
        gc.set_threshold(*thresholds)
        gc.enable()
        gc.unfreeze()
