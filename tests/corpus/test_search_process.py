"""A search in a process of its own finds what a search finds, and ends with whoever started it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from trajview.corpus.query import Query, query_from
from trajview.corpus.search import CorpusSearch, RunMatches
from trajview.corpus.search_process import SearchProcess
from trajview.errors import UnreadableError
from trajview.patterns.patience import TooSlow

from .test_search import chat, write

SAMPLES = Path(__file__).parents[2] / "sample_data"


def test_it_finds_what_a_search_finds() -> None:
    query = query_from("role:tool error")
    process = SearchProcess([SAMPLES], query, keep=2, keep_in_all=9, around=1, width=80)
    plain = CorpusSearch([SAMPLES], query, keep=2, keep_in_all=9, around=1, width=80)
    assert list(process.found()) == list(plain.found())
    assert process.bytes_done == plain.bytes_done > 0


def test_names_that_are_no_text_come_through(tmp_path: Path) -> None:
    path = write(tmp_path / os.fsdecode(b"\xff.jsonl"), chat(("user", "needle")))
    assert [found.path for found in SearchProcess([path], Query("needle")).found()] == [path]  # type: ignore[union-attr]


def test_modules_in_the_current_folder_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a.jsonl", chat(("user", "needle")))
    (tmp_path / "pickle.py").write_text("open('hacked', 'w')")
    monkeypatch.chdir(tmp_path)
    assert len(list(SearchProcess([Path("a.jsonl")], Query("needle")).found())) == 1
    assert not Path("hacked").exists()


def test_it_is_stopped_in_the_middle_of_a_pattern_that_takes_for_ever(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", chat(("user", "needle")), chat(("user", "a" * 60 + "!")))
    search = SearchProcess([path], Query("needle|(a+)+(?<!a)!"))
    found = search.found()
    assert next(found)
    start = time.monotonic()
    search.stop()
    assert list(found) == []
    assert time.monotonic() - start < 20  # the pattern would take years


def test_one_that_is_stopped_before_it_starts_never_does() -> None:
    search = SearchProcess([SAMPLES], Query("error"))
    search.stop()
    assert list(search.found()) == []


def test_one_that_breaks_off_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", chat(("user", "needle")), chat(("user", "a" * 60 + "!")))
    search = SearchProcess([path], Query("needle|(a+)+(?<!a)!"))
    before = set(psutil.Process().children())
    found = search.found()
    next(found)
    (child,) = set(psutil.Process().children()) - before
    child.kill()
    with pytest.raises(UnreadableError, match="the search broke off"):
        list(found)


def test_a_pattern_that_takes_too_long_again_and_again_is_said(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *[chat(("user", "a" * 60 + "!"))] * 20)
    search = SearchProcess([path], Query("(a+)+(?<!a)!"), patience=0.3)
    with pytest.raises(TooSlow, match="one run after the other"):
        list(search.found())


def test_one_that_never_begins_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for program in ("/bin/false", "/nowhere"):
        monkeypatch.setattr(sys, "executable", program)
        with pytest.raises(UnreadableError, match="the search"):
            list(SearchProcess([SAMPLES], Query("needle")).found())


def test_it_ends_when_nobody_reads_any_more(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *[chat(("user", "needle " * 100))] * 2000)
    program = (
        "import os, sys, time; from pathlib import Path; from trajview.corpus.search_process import SearchProcess;"
        "from trajview.corpus.query import Query; search = SearchProcess([Path(sys.argv[1])], Query('needle'));"
        "next(search.found.__get__(search)()); print(search._child.process.pid, flush=True); os._exit(1)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False)
    child = int(done.stdout)
    deadline = time.monotonic() + 20
    while psutil.pid_exists(child) and psutil.Process(child).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_it_looks_at_the_places_it_is_given_only(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", chat(("user", "needle"), id="a"), chat(("user", "needle"), id="b"))
    query = query_from("needle")
    both = [found for found in SearchProcess([log], query).found() if isinstance(found, RunMatches)]
    assert [found.id for found in both] == ["a", "b"]
    places = (found.place for found in both[1:])
    assert list(SearchProcess([log], query, only=places).found()) == both[1:]
    assert list(SearchProcess([log], query, only=()).found()) == []
