"""The real program: what it imports, closed pipes, Ctrl+C, encodings."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-m", "trajview"]


@pytest.fixture
def big(tmp_path: Path) -> Path:
    path = tmp_path / "big.jsonl"
    line = json.dumps({"messages": [{"role": "user", "content": "words " * 2000}]}) + "\n"
    path.write_text(line * 400)
    return path


def test_the_version_imports_next_to_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "trajview", "--version"], capture_output=True, text=True, check=True
    )
    imported = {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines() if "|" in line}
    assert done.stdout.startswith("trajview ")
    assert "click" in imported
    assert not imported & {"textual", "rich", "tiktoken", "pydantic", "msgspec", "yaml", "platformdirs", "pygments"}


def test_what_python_thinks_of_a_pattern_is_kept_from_people(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": "[x"}]}) + "\n")
    done = subprocess.run([*PROGRAM, "search", "[[a]x", str(path)], capture_output=True, text=True, check=True)
    assert (done.stdout.endswith(":T0B0:[x\n"), done.stderr) == (True, "")


@pytest.mark.parametrize("command", ["show", "ls", "validate"])
def test_a_closed_pipe_ends_quietly(big: Path, command: str) -> None:
    with subprocess.Popen([*PROGRAM, command, str(big)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 0


def test_ctrl_c_ends_quietly_with_130(big: Path) -> None:
    with subprocess.Popen([*PROGRAM, "show", str(big)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)  # it is running, and then waits for us to read
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.stderr.read() == b""
        assert process.wait(30) == 130


@pytest.mark.parametrize(
    "module", ["trajview.cli.front", "trajview.textsafe", "trajview.cli.main", "trajview.corpus.corpus"]
)
def test_ctrl_c_ends_quietly_while_the_program_starts(tmp_path: Path, module: str) -> None:
    """Pressed while a module is imported."""
    program = f"""
import sys

class Pressed:
    def find_spec(self, name, *_):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Pressed())
sys.argv = ["trajview", "ls", "."]
from trajview.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize("late", [0, 0.2])
def test_ctrl_c_is_heeded_where_python_can_raise_nothing(late: float) -> None:
    program = f"""
import signal, sys, threading, time
import trajview.cli.main
from trajview.cli import front

class Deaf:
    def __del__(self):  # Python ignores what is raised here, as in calls from C
        signal.raise_signal(signal.SIGINT)

begin = threading.Thread.start

def start(thread):
    begin(thread)
    time.sleep({late})  # on a busy machine, ctrl+c comes again before this one is through

threading.Thread.start = start

def busy(prog_name):
    Deaf()
    time.sleep(60)

sys.argv[1:] = ["ls"]
trajview.cli.main.main = busy
front.run()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_what_the_encoding_of_stdout_lacks_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "ä.json"
    path.write_text(json.dumps({"id": "日本", "messages": [{"role": "user", "content": "snow \u2603"}]}))
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    for command in ("show", "ls", "validate"):
        done = subprocess.run([*PROGRAM, command, str(path)], capture_output=True, env=environment, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        done.stdout.decode("ascii")


def test_problems_and_codes_of_the_real_program(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "a", "messages": [{"role": "user", "content": "hi"}]}\n{"torn')
    done = subprocess.run([*PROGRAM, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "=== a · a.jsonl" in done.stdout
    assert done.stderr.startswith(f"trajview: {tmp_path}/a.jsonl:2: ")
    wrong = subprocess.run([*PROGRAM, "ls"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "PATH" in wrong.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full is Linux's")
def test_a_full_disk_behind_stdout_is_one_line(tmp_path: Path) -> None:
    log = tmp_path / "chat.json"
    log.write_text('{"messages": [{"role": "user", "content": "hello"}]}')
    with open("/dev/full", "w") as full:
        done = subprocess.run([*PROGRAM, "show", str(log)], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "trajview: the output cannot be written: No space left on device\n")


def test_a_closed_stdout_is_no_error(tmp_path: Path) -> None:
    log = tmp_path / "chat.json"
    log.write_text('{"messages": [{"role": "user", "content": "hello"}]}')
    command = " ".join(map(shlex.quote, [*PROGRAM, "show", str(log)]))
    done = subprocess.run(["sh", "-c", f"{command} >&-"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
