"""A search that is shared among processes finds what one process finds, in the same order, and leaves no process behind."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from trajview.corpus import candidates, search, search_workers
from trajview.corpus.query import Query, query_from
from trajview.corpus.search import CorpusSearch, RunMatches
from trajview.errors import Problem
from trajview.patterns.patience import TooSlow

from .test_search import SAMPLES, chat, plainly, write

PATIENCE = 30.0
"""Seconds: a loaded machine may take long."""


@pytest.fixture(autouse=True)
def shared_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes are started with the second task, and tasks are small."""
    monkeypatch.setattr(search_workers, "WARM", -1)
    monkeypatch.setattr(candidates, "BLOCK", 500)
    monkeypatch.setattr(search, "LARGE", 2_000)
    monkeypatch.setattr(search, "BATCH", 20_000)
    monkeypatch.setattr(search, "MOST_FILES", 10)


def everything(paths: list[Path], query: Query, processes: int, **how: Any) -> tuple[list[Any], tuple[int, ...]]:
    looking = CorpusSearch(paths, query, processes=processes, **how)
    found = list(looking.found())
    return found, (
        looking.runs, looking.matches, looking.messages, looking.bytes_done, looking.files_done, looking.files_found,
        looking.skipped,
    )  # fmt: skip


def children() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Lines with and without ids, torn and blank ones, a log in one piece, a packed one, what cannot be read."""
    records = [
        chat(
            ("user", f"needle {n}\nand more"), ("assistant", "hay" * (n % 50)), **({"id": f"run {n}"} if n % 3 else {})
        )
        for n in range(120)
    ]
    lines = write(tmp_path / "a.jsonl", *records)
    lines.write_text(lines.read_text().replace('{"messages": [{"role": "user", "content": "needle 50', '\n{"torn', 1))
    with lines.open("a") as file:
        file.write('{"messages": [{"role": "user", "content": "needle')
    write(tmp_path / "b.json", chat(*[("user", "needle")] * 300))
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(lines.read_bytes()))
    (tmp_path / "d.json").write_text("needle")
    for n in range(70):
        write(tmp_path / f"e{n}.json", chat(("user", f"a needle in {n}")))
    (tmp_path / "notes.txt").write_text("needle")
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "how"),
    [
        *((typed, {}) for typed in ("needle", "in:all needle", "in:metadata a#7", r"needle \d+5$", "nothing")),
        *(
            ("in:all needle", how)
            for how in ({"keep": 1}, {"keep_in_all": 30}, {"most": 1, "keep": 0}, {"keep": 3, "keep_of_many": 1})
        ),
        ("needle", {"around": 2, "width": 10}),
    ],
)
def test_it_is_what_one_process_finds_in_the_same_order(logs: Path, typed: str, how: dict[str, Any]) -> None:
    query = query_from(typed)
    assert everything([logs], query, 2, **how) == everything([logs], query, 1, **how)
    assert not children()


def test_the_samples_hold_what_reading_all_of_them_finds() -> None:
    for typed in ("error", "role:tool the", "[a-z]+ing"):
        query = query_from(typed)
        found, _ = everything(SAMPLES, query, 3)
        runs = [run for run in found if isinstance(run, RunMatches)]
        places = {(str(run.path), run.member, run.offset): (run.id, run.matches, run.messages) for run in runs}
        assert places == plainly(SAMPLES, query)


def test_only_some_runs_are_searched(logs: Path) -> None:
    query = Query("needle")
    found, _ = everything([logs], query, 1)
    some = {run.place for run in found if isinstance(run, RunMatches) and run.line % 2}
    for processes in (1, 2):
        chosen, _ = everything([logs], query, processes, only=some)
        assert {run.place for run in chosen if isinstance(run, RunMatches)} == some


def test_a_search_that_is_cancelled_ends_its_processes(logs: Path) -> None:
    stop = False
    looking = CorpusSearch([logs], Query("needle"), processes=2, cancelled=lambda: stop)
    found = looking.found()
    while not children():
        assert next(found)
    stop = True
    assert len(list(found)) < 200
    assert not children()


def test_one_that_nobody_wants_any_more_ends_its_processes(logs: Path) -> None:
    found = CorpusSearch([logs], Query("needle"), processes=2).found()
    while not children():
        assert next(found)
    found.close()  # type: ignore[attr-defined]
    assert not children()


def test_a_process_that_is_ended_costs_what_it_was_at_and_no_more(logs: Path) -> None:
    expected, _ = everything([logs], Query("needle"), 1)
    found = CorpusSearch([logs], Query("needle"), processes=2).found()
    got = []
    while not children():
        got.append(next(found))
    for child in children():
        child.kill()
    got += found
    said = [item for item in got if isinstance(item, Problem) and "was ended" in item.reason]
    assert len(said) <= 2
    assert said or got == expected  # on a busy machine they may be through before they are ended
    assert all(item in expected for item in got if item not in said)
    assert len(got) > len(expected) / 2


@pytest.mark.parametrize("program", ["/nowhere", "/bin/false"])
def test_where_no_process_can_be_started_it_goes_on_alone(
    logs: Path, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = everything([logs], Query("needle"), 1)
    monkeypatch.setattr(sys, "executable", program)
    found, _ = everything([logs], Query("needle"), 2)
    said = [item for item in found if isinstance(item, Problem) and "was ended" in item.reason]
    assert all(item in expected[0] for item in found if item not in said)
    assert not said or program == "/bin/false"
    assert len(found) > len(expected[0]) / 2


@pytest.mark.parametrize("processes", [1, 2])
def test_a_run_in_which_the_pattern_takes_for_ever_is_left_out(tmp_path: Path, processes: int) -> None:
    bad = chat(("user", "a" * 60 + "!"))
    path = write(tmp_path / "a.jsonl", *[chat(("user", "needle"))] * 30, bad, *[chat(("user", "needle"))] * 30)
    found, counts = everything([path], Query("needle|(a+)+(?<!a)!"), processes, patience=0.5)
    (problem,) = (item for item in found if isinstance(item, Problem))
    assert "takes more than 0.5 s" in problem.reason
    assert problem.where.line == 31
    assert counts[0] == 60


def test_a_pattern_that_takes_for_ever_again_and_again_is_given_up(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *[chat(("user", "a" * 60 + "!"))] * 100)
    with pytest.raises(TooSlow, match="given up"):
        everything([path], Query("(a+)+(?<!a)!"), 2, patience=0.2)
    assert not children()


def test_an_alarm_that_was_set_before_still_rings(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    left, _ = signal.setitimer(signal.ITIMER_REAL, 1.0)
    start = time.monotonic()
    try:
        while not rung:
            everything([logs / "b.json"], Query("needle"), 1)
            assert time.monotonic() - start < PATIENCE
        assert time.monotonic() - start > 0.9
    finally:
        signal.setitimer(signal.ITIMER_REAL, left)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_outlives_a_program_that_is_ended(tmp_path: Path, end: signal.Signals) -> None:
    """Even where all of them are in the middle of a pattern that takes for ever."""
    path = write(tmp_path / "a.jsonl", *[chat(("user", "needle"))] * 60, *[chat(("user", "a" * 60 + "!"))] * 200)
    program = (
        "import sys; from pathlib import Path; from trajview.corpus import candidates, search, search_workers;"
        "from trajview.corpus.query import Query\n"
        "search_workers.WARM, candidates.BLOCK, search.LARGE = -1, 500, 2000\n"
        "for _ in search.CorpusSearch([Path(sys.argv[1])], Query('needle|(a+)+(?<!a)!'), processes=2, patience=0).found(): print(flush=True)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as running:
        try:
            assert running.stdout is not None
            for _ in range(30):
                running.stdout.readline()
            workers = psutil.Process(running.pid).children()
            deadline = time.monotonic() + PATIENCE
            while not all(worker.cpu_times().user > 0.5 for worker in workers):
                assert time.monotonic() < deadline
                time.sleep(0.05)
            os.kill(running.pid, end)
            running.wait(PATIENCE)
        finally:
            running.kill()
    assert len(workers) == 2
    _, alive = psutil.wait_procs(workers, timeout=PATIENCE)
    assert not alive
