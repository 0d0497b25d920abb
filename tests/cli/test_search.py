"""`trajview search`: what it prints, like ripgrep, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pexpect
import psutil
import pytest
from click.testing import CliRunner, Result

from trajview.cli.main import main


def call(*args: str | Path) -> Result:
    result = CliRunner().invoke(main, ["search", *map(str, args)], prog_name="trajview")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def below(folder: Path, done: Result) -> list[str]:
    """The lines, without the folder."""
    return done.stdout.replace(f"{folder}/", "").splitlines()


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    def chat(run_id: str, *texts: str) -> dict[str, Any]:
        return {
            "id": run_id,
            "messages": [{"role": ("user", "assistant")[n % 2], "content": t} for n, t in enumerate(texts)],
        }

    folder = tmp_path / "logs"
    folder.mkdir()
    lines = [
        chat("alpha", "find it", "one\ntwo\nthe Needle\nfour\nfive"),
        chat("beta"),
        chat("gamma", "needle needle", "a\nneedle"),
    ]
    (folder / "chats.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    call_ = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": '{"command": "grep needle"}'}}
    tool = {
        "id": "delta",
        "messages": [
            {"role": "assistant", "content": None, "tool_calls": [call_]},
            {"role": "tool", "tool_call_id": "c", "content": "\x1b[5nneedle"},
        ],
    }
    (folder / "tool.json").write_text(json.dumps(tool))
    return folder


def test_a_line_for_each_hit_with_file_line_and_message(logs: Path) -> None:
    done = call("needle", logs)
    assert done.exit_code == 0
    assert done.stdout.startswith(f"{logs}/chats.jsonl:1:"), "so that another program finds the file"
    assert below(logs, done) == [
        "chats.jsonl:1:T0B1:the Needle",
        "chats.jsonl:3:T0B0:needle needle",
        "chats.jsonl:3:T0B1:needle",
        "tool.json:T0B0:grep needle",
        "tool.json:T0B1:␛[5nneedle",
    ]


def test_with_a_heading_the_run_stands_above_its_lines(logs: Path) -> None:
    assert below(logs, call("--heading", "needle", logs)) == [
        "chats.jsonl:1 alpha", "T0B1 assistant:the Needle", "",
        "chats.jsonl:3 gamma", "T0B0 user:needle needle", "T0B1 assistant:needle", "",
        "tool.json delta", "T0B0 call bash:grep needle", "T0B1 tool bash:␛[5nneedle",
    ]  # fmt: skip


def test_context_lines_have_a_dash_and_are_shown_once(tmp_path: Path) -> None:
    text = "one\nneedle\ntwo\nneedle\nthree\nfour\nfive\nneedle"
    path = tmp_path / "a.json"
    path.write_text(
        json.dumps({"messages": [{"role": "user", "content": text}, {"role": "user", "content": "needle"}]})
    )
    shown = [line.removeprefix(str(path)) for line in call("-C1", "needle", path).stdout.splitlines()]
    assert shown == [
        "-T0B0-one", ":T0B0:needle", "-T0B0-two", ":T0B0:needle", "-T0B0-three", "--",
        "-T0B0-five", ":T0B0:needle", "--", ":T0B1:needle",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["-c"], ["chats.jsonl:1:1", "chats.jsonl:3:3", "tool.json:2"]),
        (["-l"], ["chats.jsonl#alpha", "chats.jsonl#gamma", "tool.json"]),
        (["-m1", "--role", "user"], ["chats.jsonl:3:T0B0:needle needle"]),
        (["-s"], ["chats.jsonl:3:T0B0:needle needle", "chats.jsonl:3:T0B1:needle", "tool.json:T0B0:grep needle", "tool.json:T0B1:␛[5nneedle"]),
        (["--tool", "bash", "--in", "arguments"], ["tool.json:T0B0:grep needle"]),
        (["--tool", "b*", "--role", "tool"], ["tool.json:T0B1:␛[5nneedle"]),
        (["-M", "8", "--role", "assistant", "-c"], ["chats.jsonl:1:1", "chats.jsonl:3:1", "tool.json:1"]),
    ],
)  # fmt: skip
def test_options_choose_and_shorten(
    logs: Path, options: list[str], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(logs.parent)  # whose name may have signs that a reference writes otherwise
    assert below(Path(logs.name), call(*options, "needle", logs.name)) == expected


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (["Needle"], 1), (["-i", "Needle"], 6), (["-S", "needle"], 6), (["NEEDLE"], 0), (["-w", "need"], 0), (["-F", "n.edle"], 0),
        (["n.edle"], 6), (["-e", "four", "-e", "five"], 2), (["-e", "-nothing"], 0), (["-F", "-e", "fo.r", "-e", "five"], 1),
        (["--in", "metadata", "gamma"], 1), (["--in", "all", "alpha|needle"], 7),
    ],
)  # fmt: skip
def test_patterns_mean_what_ripgrep_makes_of_them(logs: Path, options: list[str], count: int) -> None:
    done = call("--json", "-c", *options, logs)
    assert sum(json.loads(line)["matches"] for line in done.stdout.splitlines()) == count
    assert done.exit_code == (0 if count else 1)


def test_json_says_everything_about_a_hit(logs: Path) -> None:
    first, *_ = [json.loads(line) for line in call("--json", "-C1", "needle", logs).stdout.splitlines()]
    assert first == {
        "id": "alpha", "source": "chats.jsonl", "path": str(logs / "chats.jsonl"), "line": 1, "member": None, "format": "openai",
        "label": "T0B1", "transcript": 0, "message": 1, "unit": 0, "role": "assistant", "tool": None, "field": "text",
        "text_line": 2, "text": "the Needle", "spans": [[4, 10]], "before": ["two"], "after": ["four"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["nothing of it", "LOGS"], 1, ""),
        (["needle", "LOGS/gone"], 2, "no such file or folder"),
        (["need(le", "LOGS"], 2, "missing ), unterminated subpattern at column 5"),
        (["", "LOGS"], 2, "an empty pattern matches everything"),
        (["needle"], 2, "Missing argument 'PATH...'"),
        (["needle", "LOGS/empty"], 2, "no logs found"),
        (["nothing of it", "LOGS", "LOGS/../torn.jsonl"], 1, ""),
        (["of it", "LOGS", "LOGS/../torn.jsonl"], 2, "torn.jsonl:2"),
        (["needle", "LOGS", "LOGS/../torn.jsonl"], 0, "torn.jsonl:2"),
    ],
)
def test_exit_codes_and_what_is_said(logs: Path, args: list[str], code: int, said: str) -> None:
    (logs / "empty").mkdir()
    (logs.parent / "torn.jsonl").write_text(
        json.dumps({"messages": [{"role": "user", "content": "fine"}]}) + '\n{"of it": "needle'
    )
    done = call(*[arg.replace("LOGS", str(logs)) for arg in args])
    assert (done.exit_code, said in done.stderr) == (code, True), done.stderr
    assert bool(done.stderr) == bool(said)


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    path.write_text((json.dumps({"messages": [{"role": "user", "content": "needle\n" * 500}]}) + "\n") * 100)
    command = [sys.executable, "-m", "trajview", "search", "needle", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.pty
def test_on_a_terminal_matches_are_coloured_under_a_heading(logs: Path) -> None:
    child = pexpect.spawn(
        sys.executable, ["-m", "trajview", "search", "needle", "--role", "user", str(logs)], env={"TERM": "xterm", "PATH": "/bin"}, encoding="utf-8",
    )  # fmt: skip
    shown = child.read()
    assert "\x1b[1mgamma\x1b[0m\r\n" in shown
    assert "\x1b[32mT0B0\x1b[0m\x1b[2m user\x1b[0m:\x1b[1;31mneedle\x1b[0m \x1b[1;31mneedle\x1b[0m\r\n" in shown


def test_what_is_searched_is_never_imported_with_textual(logs: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "trajview", "search", "nothing of it", str(logs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    imported = {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines() if "|" in line}
    assert done.returncode == 1
    assert not imported & {"textual", "rich", "tiktoken", "pydantic"}


def test_a_restriction_of_the_viewer_that_finds_nothing_is_explained(logs: Path) -> None:
    done = call("role:user needle", logs)
    assert done.exit_code == 1
    assert "role:user is looked for as text here (--role user restricts the search)" in done.stderr
    assert not call("-F", "role:user needle", logs).stderr


@pytest.mark.parametrize("processes", ["1", "2"])
def test_ctrl_c_ends_a_pattern_that_takes_for_ever_at_once(tmp_path: Path, processes: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": "a" * 60 + "!"}]}) + "\n")
    pattern = "(a+)+(?<!a)!"  # looks behind, which RE2 cannot: without that it matches
    command = [sys.executable, "-m", "trajview", "search", "-j", processes, "--timeout", "0", pattern, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        try:
            busy = psutil.Process(running.pid)
            deadline = time.monotonic() + 60
            while busy.cpu_times().user < 0.8:  # far beyond what starting takes
                assert running.poll() is None, "it takes for ever"
                assert time.monotonic() < deadline
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            said = running.communicate(timeout=30)
        finally:
            running.kill()
    assert (said, running.returncode) == ((b"", b""), 130)
