"""Runs whose details several processes find out: what one finds out, with no process left behind."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from trajview.corpus import cache as module
from trajview.corpus.corpus import Corpus, open_corpus
from trajview.corpus.info import RunInfo
from trajview.models.run import AgentRun
from trajview.where import reading
from trajview.where.details import Details
from trajview.where.kept import DetailsCache
from trajview.where.reading import DetailsReader

PATIENCE = 30.0
"""Seconds: a loaded machine may take long."""
ALL = frozenset({"tokens", "errors", "metadata"})


@pytest.fixture(autouse=True)
def shared_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes are started with the second run, and tasks are small."""
    monkeypatch.setattr(reading, "WARM", 0)
    monkeypatch.setattr(reading, "TASK", 1_000)


def chat(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": f"run {number}",
        "model": "gpt-4",
        "metadata": {"number": number},
        "messages": [
            {"role": "user", "content": "a word " * (number + 1)},
            {"role": "tool", "tool_call_id": "x", "content": "Error: no such file" if number % 3 else "fine"},
        ],
        **more,
    }


def deep(levels: int) -> Any:
    found: Any = 1
    for _ in range(levels):
        found = [found]
    return found


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Lines, packed ones, and single files."""
    lines = "".join(json.dumps(chat(number)) + "\n" for number in range(60))
    (tmp_path / "a.jsonl").write_text(lines)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    for number in range(20):
        (tmp_path / f"c{number}.json").write_text(json.dumps(chat(number)))
    return open_corpus(tmp_path)


def plain(details: Details | None) -> Any:
    return details and (details.tokens, details.errors, details.tools, details.metadata)


def found_by(
    reader: DetailsReader[int], infos: list[RunInfo], between: Callable[[], None] = lambda: None
) -> dict[int, Any]:
    """What is found out of runs, by their number; `between` is called after each look."""
    found: dict[int, Any] = {}
    for at, info in enumerate(infos):
        reader.ask(at, info, ALL)
    deadline = time.monotonic() + PATIENCE
    while reader.busy:
        assert time.monotonic() < deadline
        found.update((at, plain(details)) for at, details in reader.take(0.05))
        between()
    reader.close()
    return found


def children() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


@pytest.mark.parametrize("blind", [False, True])
def test_processes_find_out_what_one_finds_out(corpus: Corpus, blind: bool) -> None:
    most = 0

    def count() -> None:
        nonlocal most
        most = max(most, len(children()))

    alone = found_by(DetailsReader(corpus, blind=blind), corpus.infos)
    assert found_by(DetailsReader(corpus, blind=blind, processes=2), corpus.infos, count) == alone
    assert most == 2
    assert alone[1][1] == 1
    assert len(alone) == len(corpus) == 140
    assert not children()


def test_metadata_that_is_too_deep_for_a_pipe_is_found_out_here(tmp_path: Path) -> None:
    runs = [chat(1, id=str(number), metadata={"deep": deep(600)}) for number in range(3)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(run) + "\n" for run in runs))
    corpus = open_corpus(tmp_path)
    alone = found_by(DetailsReader(corpus), corpus.infos)
    assert alone[2][3][0]["deep"]
    assert found_by(DetailsReader(corpus, processes=2), corpus.infos) == alone


def test_a_run_that_cannot_be_read_has_no_details_whoever_reads_it(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "c7.json").unlink()
    (tmp_path / "c8.json").write_text(json.dumps(chat(9)))
    found = found_by(DetailsReader(corpus, processes=2), corpus.infos)
    gone = [corpus[at].path.name for at, details in found.items() if details is None]
    assert sorted(gone) == ["c7.json", "c8.json"]


def test_a_run_that_changed_is_counted_anew_and_others_are_not_read_again(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "JUST_NOW", 0)
    kept = tmp_path.parent / "details.sqlite"
    first = found_by(DetailsReader(corpus, DetailsCache(kept), processes=2), corpus.infos)
    (tmp_path / "c7.json").write_text(json.dumps(chat(50, metadata={"new": True})))
    again = open_corpus(tmp_path)
    was_read = []

    class Noting:
        listed = again.listed

        def read(self, info: RunInfo) -> AgentRun:
            was_read.append(info.path.name)
            return again.read(info)

    second = found_by(DetailsReader(Noting(), DetailsCache(kept)), again.infos)
    assert was_read == ["c7.json"]
    changed = next(at for at, info in enumerate(again.infos) if info.path.name == "c7.json")
    assert first.pop(changed) != second.pop(changed) == found_by(DetailsReader(again), [again[changed]])[0]
    assert second == first


def test_a_process_that_is_ended_costs_nothing_but_time(corpus: Corpus) -> None:
    alone = found_by(DetailsReader(corpus), corpus.infos)
    ended = False

    def end() -> None:
        nonlocal ended
        for child in () if ended else children():
            child.kill()
            ended = True

    assert found_by(DetailsReader(corpus, processes=2), corpus.infos, end) == alone
    assert ended


@pytest.mark.parametrize("program", ["/nowhere", "/bin/false"])
def test_where_no_process_can_be_started_it_goes_on_alone(
    corpus: Corpus, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = found_by(DetailsReader(corpus), corpus.infos)
    monkeypatch.setattr(sys, "executable", program)
    assert found_by(DetailsReader(corpus, processes=2), corpus.infos) == alone


def test_what_nobody_wants_any_more_is_not_waited_for(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGE", 0)
    reader: DetailsReader[int] = DetailsReader(corpus, processes=2)
    unwanted = False
    for at, info in enumerate(corpus.infos):
        reader.ask(at, info, ALL, cancelled=lambda: unwanted)
    before = children()
    assert before
    unwanted = True
    deadline = time.monotonic() + PATIENCE
    while reader.busy:
        assert time.monotonic() < deadline
        reader.take(0.05)
    reader.ask(-1, corpus[0], ALL)
    while reader.busy:
        assert time.monotonic() < deadline
        found = reader.take(0.05)
    assert [tag for tag, _ in found] == [-1]
    reader.close()
    assert not children()


@pytest.fixture(scope="module")
def much(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs whose tokens take some ten seconds to count: one file of 10 MB under thirty names."""
    folder = tmp_path_factory.mktemp("much")
    line = json.dumps(
        chat(3, messages=[{"role": "user", "content": f"{n} some words of it " * 3_000} for n in range(9)])
    )
    (folder / "0.jsonl").write_text("".join(line.replace("some", f"some{n}") + "\n" for n in range(20)))
    for number in range(1, 30):
        os.link(folder / "0.jsonl", folder / f"{number}.jsonl")
    return folder


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_outlives_a_command_that_is_ended(much: Path, end: signal.Signals) -> None:
    command = [sys.executable, "-m", "trajview", "stats", "--no-cache", str(much)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as running:
        try:
            deadline = time.monotonic() + PATIENCE
            workers: list[psutil.Process] = []
            while len(workers) < 2 or not all(worker.cpu_times().user > 0.5 for worker in workers):
                assert running.poll() is None
                assert time.monotonic() < deadline
                workers = psutil.Process(running.pid).children()
                time.sleep(0.05)
            os.kill(running.pid, end)
            _, said = running.communicate(timeout=PATIENCE)
        finally:
            running.kill()
    assert b"Traceback" not in said
    if end == signal.SIGINT:
        assert running.returncode == 130
    _, alive = psutil.wait_procs(workers, timeout=PATIENCE)
    assert not alive
