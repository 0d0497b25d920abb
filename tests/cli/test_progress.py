"""How far a command is: said on a terminal while nothing else is printed, and never in what is printed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pexpect
import pyte
import pytest

# Something takes a second before the first run, or after the second.
PROGRAM = """
import sys, time
from trajview.cli.front import run
from trajview.corpus.scan import Scan
from trajview.corpus.searcher import Searcher

when, batches_in = sys.argv.pop(1), Scan.batches_in
in_file = Searcher.in_file

def read(self, source):
    time.sleep(1 if when == "before" else 0)
    for number, batch in enumerate(batches_in(self, source), 1):
        yield batch
        time.sleep(1 if when == "after" and number == 2 else 0)

def search(self, *given):
    time.sleep(1)
    yield from in_file(self, *given)

Scan.batches_in, Searcher.in_file = read, search
run()
"""
COMMANDS = {
    "ls": [], "ls --json": ["--json"], "ls --format csv": ["--format", "csv"], "show": [], "validate": [], "detect": [],
    "export": [], "search": ["--processes", "1", "said"], "stats": [],
    "compare": ["--text", "--run-a", "run-0", "--run-b", "run-0"],
}  # fmt: skip


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    records = ({"id": f"run-{n}", "messages": [{"role": "user", "content": f"said {n}"}]} for n in range(3))
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def line(command: str, when: str, log: Path) -> list[str]:
    return ["-c", PROGRAM, when, command.split()[0], *COMMANDS[command], str(log)]


def on_terminal(arguments: list[str], **more: str) -> pexpect.spawn[str]:
    environment = {**os.environ, "TERM": "xterm-256color", "NO_COLOR": "1", **more}
    return pexpect.spawn(sys.executable, arguments, env=environment, dimensions=(60, 240), timeout=30, encoding="utf-8")


def screen_of(written: str) -> list[str]:
    screen = pyte.Screen(240, 60)
    pyte.Stream(screen).feed(written)
    return [row.rstrip() for row in screen.display if row.strip()]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_takes_a_while_says_how_far_it_is_and_leaves_nothing_of_that(
    log: Path, command: str, when: str
) -> None:
    plain = subprocess.run([sys.executable, *line(command, "never", log)], capture_output=True, text=True, check=True)
    assert plain.stderr == ""
    child = on_terminal(line(command, when, log))
    child.expect("(reading|searching)… 0 MB")
    written = "".join((child.before or "", child.after or ""))  # type: ignore[operator]
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    rows = screen_of(written + (child.before or ""))
    assert not [row for row in rows if "reading" in row or "searching" in row]
    if command in ("show", "validate", "export", "ls --format csv"):  # the others are wider, or made to measure
        assert rows == [row.rstrip() for row in plain.stdout.splitlines() if row.strip()]


def test_ctrl_c_takes_the_line_away(log: Path) -> None:
    child = on_terminal(line("ls", "before", log))
    child.expect("reading… 0 MB")
    child.kill(signal.SIGINT)
    written = str(child.after)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert not [row for row in screen_of(written + (child.before or "")) if "reading" in row]


@pytest.mark.parametrize("term", ["dumb"])
def test_a_terminal_that_cannot_write_over_a_line_gets_none(log: Path, term: str) -> None:
    child = on_terminal(line("ls", "before", log), TERM=term)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert "reading" not in (child.before or "")
    assert "run-2" in (child.before or "")


# A record of the store takes a second.
STORE_PROGRAM = """
import time
from trajview.annotation import all_records, incoming, merge
from trajview.cli.front import run

def slow(module, name):
    real = getattr(module, name)

    def slowly(*given):
        time.sleep(1)
        return real(*given)

    setattr(module, name, slowly)

slow(all_records, "_record")
slow(incoming, "file_stem")
slow(merge, "_read")
run()
"""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["annotations", "list", "there"], "reading annotations… 0 of 2"),
        (["annotations", "export", "there", "-o", "file.csv"], "reading annotations… 0 of 2"),
        (
            ["annotations", "import", "more.jsonl", "--store", "new", "--annotator", "ada"],
            "importing annotations… 0 of 2",
        ),
        (["annotations", "merge", "there", "other"], "merging… 0 of 2"),
        (["agreement", "there"], "reading annotations… 0 of 2"),
    ],
)
def test_what_goes_through_a_store_says_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for store in ("there", "other"):
        folder = tmp_path / store / "AnnotationForEpisode"
        folder.mkdir(parents=True)
        records = [
            {"episode": f"e{n}", "annotator_id": store, "rewards": [1.0], "rewards_prompt": "", "reasoning": ""}
            for n in range(2)
        ]
        for number, record in enumerate(records):
            (folder / f"{store}{number}.json").write_text(json.dumps(record | {"pk": f"{store}{number}"}))
    (tmp_path / "more.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    child = on_terminal(["-c", STORE_PROGRAM, *arguments])
    child.expect_exact(said)
    written = str(child.before) + said
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus in (0, 1)  # two annotators of the same episode may be something to settle
    assert "…" not in "".join(screen_of(written + str(child.before)))
