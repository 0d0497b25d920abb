"""`-`: logs that another program pipes in."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from shlex import quote

import pexpect
import psutil
import pyte
import pytest
from click.testing import CliRunner, Result

from trajview.cli.main import main

Call = Callable[..., Result]

PROGRAM = [sys.executable, "-m", "trajview"]
PYTHON = quote(sys.executable)


def record(run_id: str) -> str:
    return json.dumps({"id": run_id, "messages": [{"role": "user", "content": f"said by {run_id}"}]})


def piped(data: bytes, *arguments: str, tmp: Path) -> subprocess.CompletedProcess[bytes]:
    tmp.mkdir(exist_ok=True)
    environment = {**os.environ, "TMPDIR": str(tmp)}
    return subprocess.run([*PROGRAM, *arguments], input=data, capture_output=True, timeout=60, env=environment)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Calls a command within this process, with what it reads from standard input."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for register in ("atexit.register", "signal.signal"):  # the end is that of all tests
        monkeypatch.setattr(register, lambda *_, **__: None)
    return lambda data, *arguments: CliRunner().invoke(main, arguments, input=data)


@pytest.mark.parametrize("compressed", [False, True])
def test_every_command_reads_standard_input_for_a_dash(tmp_path: Path, here: Call, compressed: bool) -> None:
    data = f"{record('one')}\n{record('two')}\n".encode()
    if compressed:
        data = gzip.compress(data)
    listed = here(data, "ls", "-", "--json")
    assert [json.loads(line)["id"] for line in listed.stdout.splitlines()] == ["one", "two"]
    assert "said by two" in here(data, "show", "-", "--run", "two").stdout
    assert "openai" in here(data, "detect", "-").stdout
    assert here(data, "validate", "-").exit_code == 0
    assert b"said by one" in piped(data, "-", tmp=tmp_path / "left").stdout
    assert list((tmp_path / "left").iterdir()) == []


def test_standard_input_is_shown_as_a_dash(tmp_path: Path, here: Call) -> None:
    data = f"{record('one')}\n{record('two')}\n{{".encode()

    def said(*arguments: str, data: bytes = data) -> Result:
        return here(data, *arguments)

    listed = said("ls", "-")
    assert listed.stdout.splitlines()[1].split()[:2] == ["one", "-"]
    assert listed.stderr.startswith("trajview: -:3: ")
    row = json.loads(said("ls", "-", "--json").stdout.splitlines()[0])
    assert (row["source"], row["path"]) == ("-", "-")
    assert "=== one · - ·" in said("show", "-").stdout
    assert said("search", "by two", "-").stdout == "-:2:T0B0:said by two\n"
    assert said("search", "-l", "by two", "-").stdout == "-\n"
    found = json.loads(said("search", "--json", "by two", "-").stdout)
    assert (found["source"], found["path"]) == ("-", "-")
    assert "trajview: -: " in said("ls", "-", data=b"").stderr
    assert json.loads(said("detect", "--json", "-").stdout)["file"] == "-"
    for command in ("ls", "show", "search", "validate", "detect", "stats"):
        done = said(command, *(["said"] if command == "search" else []), "-")
        assert "said by" in done.stdout or command not in ("show", "search")
        assert str(tmp_path) not in done.stdout + done.stderr


def test_other_paths_may_stand_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(record("file"))
    done = piped(record("pipe").encode(), "ls", str(path), "-", "--json", tmp=tmp_path)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["file", "pipe"]


def test_a_command_says_how_much_has_come_from_a_slow_pipe_and_leaves_nothing_of_that(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text(f"{record('alpha')}\n{record('omega')}\n")
    line = f"(cat {quote(str(tmp_path))}/log.jsonl; sleep 1.5) | {PYTHON} -m trajview ls -"
    environment = {**os.environ, "TMPDIR": str(tmp_path), "TERM": "xterm-256color", "HOME": str(tmp_path)}
    child = pexpect.spawn("/bin/sh", ["-c", line], env=environment, dimensions=(24, 80), timeout=30, encoding="utf-8")
    child.expect("reading standard input… 0 MB")
    written = str(child.after)
    child.expect("omega")
    written += str(child.before) + str(child.after)
    child.expect(pexpect.EOF)
    screen = pyte.Screen(80, 24)
    pyte.Stream(screen).feed(written + str(child.before))
    assert not [row for row in screen.display if "reading" in row]


def test_an_empty_pipe_says_so(tmp_path: Path) -> None:
    done = piped(b"", "ls", "-", tmp=tmp_path)
    assert done.returncode == 2
    assert b"no records" in done.stderr


def test_the_viewer_takes_its_keys_from_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text(f"{record('alpha')}\n{record('omega')}\n")
    line = f"cat {quote(str(tmp_path))}/log.jsonl | {PYTHON} -m trajview -"
    environment = {**os.environ, "TMPDIR": str(tmp_path), "TERM": "xterm-256color", "HOME": str(tmp_path)}
    child = pexpect.spawn("/bin/sh", ["-c", line], env=environment, dimensions=(24, 80), timeout=30, encoding="utf-8")
    child.expect("standard input")  # not the file that keeps it
    child.expect("omega")
    child.send("q")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("trajview-")] == []


@pytest.mark.parametrize("redirection", ["<&-", "2>&-", "</dev/null 2>/dev/null"])
def test_the_viewer_needs_standard_output_only(tmp_path: Path, redirection: str) -> None:
    """`xargs` and `while read` loops connect standard input to something that no key comes from."""
    (tmp_path / "log.jsonl").write_text(f"{record('alpha')}\n{record('omega')}\n")
    line = f"{PYTHON} -m trajview {quote(str(tmp_path))}/log.jsonl {redirection}"
    environment = {**os.environ, "TERM": "xterm-256color", "HOME": str(tmp_path)}
    child = pexpect.spawn("/bin/sh", ["-c", line], env=environment, dimensions=(24, 80), timeout=30, encoding="utf-8")
    child.expect("omega")
    child.send("q")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_a_dash_without_a_pipe_is_one_line(tmp_path: Path) -> None:
    child = pexpect.spawn(sys.executable, ["-m", "trajview", "-"], timeout=30, encoding="utf-8", env=dict(os.environ))
    child.expect("nothing comes from standard input")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 2


@pytest.mark.parametrize("packed", [False, True])
def test_the_viewer_lists_a_slow_pipe_while_it_goes_on(tmp_path: Path, packed: bool) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    line = f"{PYTHON} -m trajview - < {quote(str(fifo))}"
    environment = {**os.environ, "TMPDIR": str(tmp_path), "TERM": "xterm-256color", "HOME": str(tmp_path)}
    child = pexpect.spawn("/bin/sh", ["-c", line], env=environment, dimensions=(24, 100), timeout=30, encoding="utf-8")
    with fifo.open("wb", buffering=0) as pipe:
        data = f"{record('alpha')}\n{record('omega')}".encode()
        if packed:
            data = gzip.compress(data)
        at = len(record("alpha")) + 9
        pipe.write(data[:at])
        child.expect("reading…")
        if not packed:
            child.expect("alpha")
        pipe.write(data[at:])
        if not packed:
            child.expect("omega")
    child.expect("2 runs")
    child.send("q")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("trajview-")] == []


def test_a_pipe_that_never_ends_can_be_left(tmp_path: Path) -> None:
    line = f"(echo '{record('alpha')}'; exec sleep 100) | {PYTHON} -m trajview -"
    environment = {**os.environ, "TMPDIR": str(tmp_path), "TERM": "xterm-256color", "HOME": str(tmp_path)}
    child = pexpect.spawn(
        "/bin/bash", ["-c", line], env=environment, dimensions=(24, 100), timeout=30, encoding="utf-8"
    )
    child.expect("alpha")
    child.send("\r")
    child.expect("said by alpha")
    child.send("q")
    child.expect("reading…")
    child.send("q")
    child.expect("\x1b\\[\\?1049l")
    deadline = time.monotonic() + 10
    while [path for path in tmp_path.iterdir() if path.name.startswith("trajview-")]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    child.close(force=True)


def spools(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.startswith("trajview-")]


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_what_was_kept_of_a_pipe_is_deleted_when_a_command_is_ended(tmp_path: Path, number: signal.Signals) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([*PROGRAM, "ls", "-"], stdin=subprocess.PIPE, env=environment) as process:
        try:
            assert process.stdin is not None
            process.stdin.write(record("a").encode() + b"\n")
            process.stdin.flush()
            until(lambda: bool(spools(tmp_path)))
            process.send_signal(number)
            assert process.wait(20) == (130 if number == signal.SIGINT else -number)
            assert spools(tmp_path) == []
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_what_was_kept_of_a_pipe_is_deleted_when_the_viewer_is_ended(tmp_path: Path, number: signal.Signals) -> None:
    line = f"(echo '{record('alpha')}'; exec sleep 100) | exec {PYTHON} -m trajview -"
    environment = {**os.environ, "TMPDIR": str(tmp_path), "TERM": "xterm-256color", "HOME": str(tmp_path)}
    child = pexpect.spawn("/bin/bash", ["-c", line], env=environment, dimensions=(24, 80), timeout=30, encoding="utf-8")
    child.expect("alpha")
    [viewer] = [each for each in psutil.Process(child.pid).children(recursive=True) if "-m" in each.cmdline()]
    assert spools(tmp_path)
    viewer.send_signal(number)
    viewer.wait(20)
    until(lambda: spools(tmp_path) == [])
    child.close(force=True)


def test_where_there_is_no_room_for_a_pipe_that_is_said(tmp_path: Path) -> None:
    program = (
        f"import tempfile; tempfile.tempdir = {str(tmp_path / 'gone')!r}; from trajview.cli.front import run; run()"
    )
    line = [sys.executable, "-c", program, "ls", "-"]
    done = subprocess.run(line, input=record("a").encode(), capture_output=True, timeout=60)
    assert done.returncode == 2
    [told] = done.stderr.decode().splitlines()
    assert told.startswith("trajview: -: standard input cannot be kept: no such file or directory (")
    assert f"it is kept in {tmp_path}/gone" in told


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_viewer_follows_a_file_that_is_written(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(f"{record('alpha')}\n{record('beta')}\n")
    environment = {**os.environ, "TERM": "xterm-256color", "HOME": str(tmp_path)}
    child = pexpect.spawn(
        sys.executable, ["-m", "trajview", "--follow", str(log)], env=environment, dimensions=(24, 100), timeout=30,
        encoding="utf-8",
    )  # fmt: skip
    child.expect("following")
    with log.open("a") as file:
        file.write(record("omega")[:20])
        file.flush()
        os.fsync(file.fileno())
        file.write(record("omega")[20:] + "\n")
    child.expect("omega")
    with log.open("w") as file:
        file.write(record("fresh") + "\n")
    child.expect("fresh")
    process = psutil.Process(child.pid)
    used = process.cpu_times()
    time.sleep(2)
    now = process.cpu_times()
    assert now.user + now.system - used.user - used.system <= 0.1  # 1 % and as much for a slow machine
    child.send("q")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_a_terminal_without_a_screen_is_printed_to(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text(f"{record('alpha')}\n{record('omega')}\n")
    environment = {**os.environ, "TERM": "dumb", "HOME": str(tmp_path)}
    line = ["-m", "trajview", str(tmp_path)]
    child = pexpect.spawn(sys.executable, line, timeout=30, encoding="utf-8", env=environment)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert "said by omega" in child.before
    assert "\x1b" not in child.before


def test_a_pipe_without_an_end_leaves_room_on_the_disk(tmp_path: Path) -> None:
    program = (
        "import os, collections, sys, trajview.cli.stdin as stdin; stdin._UNASKED = 1000; real = os.fstatvfs;"
        "found = collections.namedtuple('found', 'f_bavail f_frsize')(stdin._SPARE // 4096 - 1, 4096);"
        "os.fstatvfs = lambda number: found; from trajview.cli.front import run; sys.argv[1:] = ['ls', '-']; run()"
    )
    endless = f"while :; do echo '{record('a' * 500)}'; done | {PYTHON} -c {quote(program)}"
    done = subprocess.run(
        ["/bin/sh", "-c", endless], env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, timeout=60
    )
    assert done.returncode == 2
    assert b"the disk is nearly full" in done.stderr
    assert b"TMPDIR names another folder" in done.stderr
    assert not list(tmp_path.iterdir())
