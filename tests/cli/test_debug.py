"""`--debug FILE`: what the program does, for the report of a fault, and nothing that a log says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pty.screen import Terminal
from trajview import debug_log
from trajview.errors import bug

from .test_commands import call, chat

SECRET = "gull-70b said so"


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    runs = [
        {**chat(f"{SECRET} {number}", SECRET, SECRET), "model": SECRET, "metadata": {"a": SECRET}} for number in (1, 2)
    ]
    text = "".join(json.dumps(run) + "\n" for run in runs)
    (folder / f"{SECRET}.jsonl").write_text(f'{text}{{"torn": "{SECRET}')
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ["ls", "runs", "--where", "errors >= 0"], ["show", "runs"], ["search", "so", "runs"], ["validate", "runs"],
        ["export", "runs", "-o", "out.md"], ["stats", "runs"], ["runs"],
    ],
)  # fmt: skip
def test_the_file_has_the_steps_of_a_command_and_nothing_of_the_logs(logs: Path, command: list[str]) -> None:
    plain = call(*command)
    Path("out.md").unlink(missing_ok=True)
    traced = call("--debug", "debug.txt", *command)
    assert (traced.exit_code, traced.output) == (plain.exit_code, plain.output)
    written = Path("debug.txt").read_text()
    assert written.startswith("trajview debug log\n")
    assert f"arguments: {['--debug', 'debug.txt', *command]}" in written
    assert "textual " in written
    assert "Python 3." in written
    assert "gull" not in written
    assert "fault" not in written
    if command[0] != "search":
        assert "file 0: " in written


def test_the_option_stands_anywhere_and_wants_a_file_that_is_no_other(logs: Path) -> None:
    assert call("ls", "runs", "--debug=debug.txt", "--json").stdout == call("ls", "runs", "--json").stdout
    assert call("ls", "runs", "--debug", "debug.txt").exit_code == 1, "a file that it wrote is written anew"
    assert Path("debug.txt").read_text().count("trajview debug log") == 1
    [log] = logs.iterdir()
    before = log.read_bytes()
    refused = call("ls", "runs", "--debug", log)
    assert refused.exit_code == 2
    assert "there is such a file, which is no debug log" in " ".join(refused.stderr.split())
    assert log.read_bytes() == before
    assert "needs the name of a file" in call("ls", "runs", "--debug").stderr
    assert call("search", "-e", "x", "--", "--debug").exit_code == 2, "behind -- it is a path"


def test_a_fault_is_written_down_with_its_calls_and_without_its_message(tmp_path: Path) -> None:
    debug_log.begin(tmp_path / "debug.txt", [])
    with pytest.raises(KeyError) as caught:
        raise KeyError(SECRET)
    assert bug(caught.value).hint == "this is a bug in trajview: please report it, with what --debug FILE writes"
    debug_log.end()
    written = (tmp_path / "debug.txt").read_text()
    assert "fault: KeyError\n" in written
    assert "in test_a_fault_is_written_down_with_its_calls_and_without_its_message" in written
    assert "gull" not in written
    debug_log.note("a step after its end is written nowhere")


def test_a_fault_that_ends_the_program_says_how_to_report_it(logs: Path) -> None:
    program = (
        "import trajview.cli.ls, trajview.cli.front as front\n"
        "def fail(*_, **__): raise KeyError('a fault')\n"
        "trajview.cli.ls._print_table = fail\n"
        "front.run()"
    )
    command = [sys.executable, "-c", program, "ls", "runs", "--debug", "debug.txt"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "KeyError: 'a fault'" in done.stderr
    assert done.stderr.endswith(f"trajview: {debug_log.REPORT}\n")
    assert "fault: KeyError" in Path("debug.txt").read_text()


@pytest.mark.pty
def test_the_viewer_writes_down_screens_keys_and_work(logs: Path, tmp_path: Path) -> None:
    with Terminal(tmp_path / "home", "runs", "--debug", "debug.txt", cwd=tmp_path) as terminal:
        terminal.until("2 runs")
        terminal.press("\r")
        terminal.until("unit 0")
        terminal.press("q")
        terminal.until("2 runs")
        terminal.press("q")
        assert terminal.ended() == 0
    written = (tmp_path / "debug.txt").read_text()
    assert "the viewer is opened" in written
    assert "BrowserScreen: open" in written
    assert "a run of openai is opened: " in written
    assert "gull" not in written
