"""How far a command is: said on a terminal while nothing else is printed, and never in what is printed."""

from __future__ import annotations

import codecs
import json
import os
import signal
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pexpect
import pyte
import pytest
from click.testing import CliRunner

from trajview.annotation import all_records, incoming, merge
from trajview.cli.main import main
from trajview.corpus.scan import Scan
from trajview.corpus.searcher import Searcher

PATIENCE = 30.0
"""Seconds: a loaded machine may take long."""

# The first run of a log takes a second.
PROGRAM = """
import time
from trajview.cli.front import run
from trajview.corpus.scan import Scan

batches_in = Scan.batches_in

def read(self, source):
    time.sleep(1)
    yield from batches_in(self, source)

Scan.batches_in = read
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


def on_terminal(arguments: list[str], **more: str) -> pexpect.spawn[str]:
    environment = {**os.environ, "TERM": "xterm-256color", "NO_COLOR": "1", **more}
    return pexpect.spawn(sys.executable, arguments, env=environment, dimensions=(60, 240), timeout=30, encoding="utf-8")


def screen_of(written: str) -> list[str]:
    screen = pyte.Screen(240, 60)
    pyte.Stream(screen).feed(written)
    return [row.rstrip() for row in screen.display if row.strip()]


class Watched:
    """A terminal that commands write to from within this process, and what it was sent."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch
        self.near, far = os.openpty()
        termios.tcsetwinsize(far, (60, 240))
        self.stream = os.fdopen(far, "w", encoding="utf-8", buffering=1)
        self.awaited = "\0"
        self.came = Event()
        """Set as soon as what is awaited was written."""
        self.written = ""
        self.reader = Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        decode = codecs.getincrementaldecoder("utf-8")().decode
        while True:
            try:
                data = os.read(self.near, 65536)
            except OSError:  # the far end is closed
                return
            self.written += decode(data)
            if self.awaited in self.written:
                self.came.set()

    def wait(self) -> None:
        assert self.came.wait(PATIENCE), self.written

    def waiting(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """A function that waits before it does what another does."""
        return lambda *given: (self.wait(), call(*given))[1]

    def close(self) -> None:
        self.stream.close()
        self.reader.join(PATIENCE)
        os.close(self.near)

    def rows_after(self, awaited: str, *arguments: str) -> list[str]:
        """What a command leaves on the screen that wrote `awaited` in the meantime."""
        self.awaited = awaited
        with self.monkeypatch.context() as patch:
            patch.setenv("TERM", "xterm-256color")
            patch.setenv("NO_COLOR", "1")
            patch.setattr(sys, "stdout", self.stream)
            patch.setattr(sys, "stderr", self.stream)
            with suppress(SystemExit):
                main(arguments, prog_name="trajview")
        self.close()
        assert awaited in self.written
        return screen_of(self.written)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(monkeypatch)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_takes_a_while_says_how_far_it_is_and_leaves_nothing_of_that(
    log: Path, command: str, when: str, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = [command.split()[0], *COMMANDS[command], str(log)]
    plain = CliRunner().invoke(main, line)
    assert plain.stderr == ""
    batches_in, in_file = Scan.batches_in, Searcher.in_file

    def read(scan: Scan, source: Any) -> Iterator[Any]:
        if when == "before":
            watched.wait()
        for number, batch in enumerate(batches_in(scan, source), 1):
            yield batch
            if when == "after" and number == 2:
                watched.wait()

    def search(searcher: Searcher, *given: Any) -> Iterator[Any]:
        watched.wait()
        yield from in_file(searcher, *given)

    monkeypatch.setattr(Scan, "batches_in", read)
    monkeypatch.setattr(Searcher, "in_file", search)
    rows = watched.rows_after("searching… 0 MB" if command == "search" else "reading… 0 MB", *line)
    assert not [row for row in rows if "reading" in row or "searching" in row]
    if command in ("show", "validate", "export", "ls --format csv"):  # the others are wider, or made to measure
        assert rows == [row.rstrip() for row in plain.stdout.splitlines() if row.strip()]


def test_ctrl_c_takes_the_line_away(log: Path) -> None:
    child = on_terminal(["-c", PROGRAM, "ls", str(log)])
    child.expect("reading… 0 MB")
    child.kill(signal.SIGINT)
    written = str(child.after)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert not [row for row in screen_of(written + (child.before or "")) if "reading" in row]


@pytest.mark.parametrize("term", ["dumb"])
def test_a_terminal_that_cannot_write_over_a_line_gets_none(log: Path, term: str) -> None:
    child = on_terminal(["-c", PROGRAM, "ls", str(log)], TERM=term)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert "reading" not in (child.before or "")
    assert "run-2" in (child.before or "")


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
    tmp_path: Path, watched: Watched, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
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
    for module, name in ((all_records, "read_file"), (incoming, "file_stem"), (merge, "bytes_of")):
        monkeypatch.setattr(module, name, watched.waiting(getattr(module, name)))
    rows = watched.rows_after(said, *arguments)
    assert "…" not in "".join(rows)
