"""The list of runs: keys, batches, subscribers, loading."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from trajview import open_corpus
from trajview.corpus import follow as follower
from trajview.corpus import scan
from trajview.corpus.corpus import Corpus
from trajview.corpus.info import RunInfo
from trajview.corpus.walk import SourceFile
from trajview.errors import FormatError, Problem

from .logs import chat, write_lines
from .refusing import refuse

PATIENCE = 20.0


def test_ids_that_repeat_get_keys_of_their_own(tmp_path: Path) -> None:
    records = [chat("a"), chat("a", "other"), chat("a"), chat("a"), chat("b")]
    corpus = open_corpus(write_lines(tmp_path / "x.jsonl", records))
    keys = [info.key for info in corpus]
    assert keys[0] == "a"
    assert keys[1].startswith("a@")
    assert len(keys[1]) == len("a@") + 8
    assert keys[3] == f"{keys[2]}-2"
    assert keys[4] == "b"
    assert len(set(keys)) == 5
    assert [corpus.load(info).transcripts[0].messages[0].text for info in corpus][:3] == ["hi", "other", "hi"]


def test_runs_are_found_by_key_and_by_id_and_have_neighbours(tmp_path: Path) -> None:
    corpus = open_corpus(write_lines(tmp_path / "x.jsonl", [chat("a"), chat("a", "other"), chat("b")]))
    first, second, third = corpus
    assert corpus.find("a") == first
    assert corpus.find(second.key) == second
    assert corpus.find("none") is None
    assert corpus.neighbour(first, 1) == second
    assert corpus.neighbour(third, -2) == first
    assert corpus.neighbour(first, -1) is None
    assert corpus.neighbour(third, 1) is None
    assert len(corpus) == 3
    assert corpus[1:] == [second, third]


def test_every_subscriber_gets_everything_once_and_in_order_whenever_it_comes(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "x.jsonl", [chat(str(i)) for i in range(3000)])
    with path.open("a") as file:
        file.write("bad\n")
    corpus = Corpus([path])
    heard: list[tuple[list[RunInfo | Problem], list[bool]]] = []

    def join() -> None:
        items: list[RunInfo | Problem] = []
        ends: list[bool] = []
        heard.append((items, ends))

        def callback(batch: list[RunInfo | Problem], finished: bool) -> None:
            items.extend(batch)
            ends.append(finished)

        corpus.subscribe(callback)

    join()
    corpus.start()
    threads = [threading.Thread(target=join) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert corpus.wait(30)
    join()
    expected = [*corpus.infos, *corpus.problems]
    assert len(expected) == 3001
    for items, ends in heard:
        assert items == expected
        assert ends[-1] is True
        assert ends.count(True) == 1


def test_the_first_batch_is_small_and_later_ones_grow(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "x.jsonl", [chat(str(i)) for i in range(2000)])
    corpus = Corpus([path])
    sizes: list[int] = []
    corpus.subscribe(lambda batch, _: sizes.append(len(batch)))
    corpus.scan()
    assert sizes[0] <= 40  # as many as a screen has rows
    assert sum(sizes) == 2000
    assert len(sizes) < 60
    assert corpus.files_done == 1
    assert corpus.bytes_done == path.stat().st_size


def test_a_subscriber_may_call_back_and_leave(tmp_path: Path) -> None:
    corpus = Corpus([write_lines(tmp_path / "x.jsonl", [chat(str(i)) for i in range(500)])])
    calls: list[int] = []

    def callback(batch: list[RunInfo | Problem], finished: bool) -> None:
        calls.append(len(corpus))
        corpus.subscribe(lambda *_: None)
        leave()

    leave = corpus.subscribe(callback)
    corpus.scan()
    assert len(calls) == 1


def test_a_scan_that_is_cancelled_ends_and_keeps_what_it_found(tmp_path: Path) -> None:
    corpus = Corpus([write_lines(tmp_path / "x.jsonl", [chat(str(i)) for i in range(2000)])])
    corpus.subscribe(lambda *_: corpus.cancel())
    corpus.scan()
    assert corpus.finished
    assert 0 < len(corpus) < 2000


def test_a_run_that_was_loaded_stays_in_memory_for_a_while(tmp_path: Path) -> None:
    corpus = open_corpus(write_lines(tmp_path / "x.jsonl", [chat(str(i)) for i in range(20)]))
    run = corpus.load(corpus[0])
    assert corpus.load(corpus[0]) is run
    for info in corpus:
        corpus.load(info)
    assert corpus.load(corpus[0]) is not run


def test_what_the_list_says_is_what_the_run_has(tmp_path: Path) -> None:
    episode = {
        "pk": "e1", "environment": "env", "agents": ["p1", "p2"], "rewards": [[2.0, {"goal": 2.0}], 1.0], "reasoning": "",
        "messages": [
            [["Environment", "Ann", "Ann's goal: win"], ["Environment", "Bo", "Bo's goal: Unknown"]],
            [["Environment", "Ann", "Turn #1"], ["Ann", "Environment", 'said: "Hi"'], ["Bo", "Environment", "did nothing"]],
        ],
    }  # fmt: skip
    corpus = open_corpus(write_lines(tmp_path / "x.jsonl", [episode, chat("b")]))
    for info in corpus:
        run = corpus.load(info)
        assert (info.id, info.format) == (run.id, run.source_format)
        assert (info.messages, info.units) == (
            len(run.transcripts[0].messages),
            len(run.transcripts[0].units_of_action),
        )
        assert list(info.rewards) == (run.rewards or [])
    assert corpus[0].format == "sotopia"


def test_a_record_that_breaks_the_rules_of_its_format_is_one_problem_in_place(tmp_path: Path) -> None:
    bad = {
        "pk": "e",
        "environment": "x",
        "agents": ["a", "b"],
        "messages": [[["Environment", "A", "t"]]],
        "rewards": [1.0],
    }
    corpus = open_corpus(write_lines(tmp_path / "x.jsonl", [chat("a"), bad, chat("b")]))
    problems = corpus.problems + [problem for info in corpus for problem in corpus.check(info)]
    assert {info.id for info in corpus} >= {"a", "b"}
    assert {(problem.where.path, problem.where.line) for problem in problems} == {(tmp_path / "x.jsonl", 2)}
    assert [problem.opens for problem in corpus.problems] == [True]


def test_a_fault_in_a_format_is_a_problem_and_the_rest_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, "summarise", "b", KeyError("oops"))
    corpus = open_corpus(write_lines(tmp_path / "x.jsonl", [chat("a"), chat("b"), chat("c")]))
    assert [(info.id, info.format) for info in corpus] == [("a", "openai"), ("b", "raw"), ("c", "openai")]
    assert ["KeyError" in problem.reason and problem.where.line == 2 for problem in corpus.problems] == [True]


def test_runs_gives_what_can_be_read_and_reports_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = open_corpus(write_lines(tmp_path / "x.jsonl", [chat("a"), chat("b")]))
    refuse(monkeypatch, "read", "a", FormatError("not today"))
    assert [run.id for run in corpus.runs()] == ["b"]
    assert [(problem.reason, problem.where.line) for problem in corpus.problems] == [("not today", 1)]


def test_a_corpus_is_scanned_once(tmp_path: Path) -> None:
    corpus = open_corpus(tmp_path)
    with pytest.raises(RuntimeError):
        corpus.scan()


def test_listing_a_corpus_imports_neither_pydantic_nor_a_tokenizer(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "x.jsonl", [chat("a")])
    code = (
        "import sys; sys.modules.pop('zipfile', None)\n"  # some systems' Python has it from the start
        "import trajview; corpus = trajview.open_corpus(sys.argv[1]); assert len(corpus) == 1;"
        "print([name for name in ('pydantic', 'tiktoken', 'textual', 'yaml', 'zipfile') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("follow", [False, True])
def test_a_fault_of_ours_with_one_file_is_said_and_the_others_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, follow: bool
) -> None:
    for name in "abc":
        write_lines(tmp_path / f"{name}.jsonl", [chat(name)])
    corpus = Corpus([tmp_path])
    if follow:
        corpus.scan()
    real = scan.records_of

    def faulty(source: SourceFile, *more: Any, **how: Any) -> Any:
        if source.path.name == "b.jsonl":
            raise KeyError("oops")
        return real(source, *more, **how)

    monkeypatch.setattr(scan, "records_of", faulty)
    monkeypatch.setattr(follower, "GRACE", 0)
    if follow:
        for name in "abc":
            write_lines(tmp_path / f"{name}.jsonl", [chat(f"{name}2")])
        assert corpus.reload()
    else:
        corpus.start()
        assert corpus.wait(PATIENCE)
    rest = sorted(info.id for info in corpus if info.path.name != "b.jsonl")
    assert rest == (["a2", "c2"] if follow else ["a", "c"])
    assert len(corpus) == 2
    assert [problem.where.path for problem in corpus.problems] == [tmp_path / "b.jsonl"]


def test_a_fault_of_ours_that_ends_the_scan_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_lines(tmp_path / "a.jsonl", [chat("a")])

    def faulty(*_: object) -> Any:
        raise KeyError("oops")

    corpus = Corpus([tmp_path])
    monkeypatch.setattr(scan, "walk", faulty)
    corpus.start()
    assert corpus.wait(PATIENCE)
    assert [problem.reason for problem in corpus.problems] == ["KeyError: 'oops'"]


def test_a_fault_of_ours_while_files_are_followed_is_said_once_and_does_not_end_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajview.corpus.corpus.EVERY", 0.01)
    corpus = Corpus([write_lines(tmp_path / "a.jsonl", [chat("a")])], follow=True)
    looks, enough = [], threading.Event()

    def faulty(_: object) -> None:
        looks.append(1)
        if len(looks) > 3:
            enough.set()
        raise KeyError("oops")

    monkeypatch.setattr(follower.Follower, "look", faulty)
    corpus.start()
    assert enough.wait(PATIENCE)
    corpus.cancel()
    corpus.wait(PATIENCE)
    assert [problem.reason for problem in corpus.problems] == ["KeyError: 'oops'"]
