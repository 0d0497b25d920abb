"""The cache of summaries: it says what the scan says, or nothing; and whatever happens to it is no error."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import trajview
from trajview.corpus import cache as module
from trajview.corpus import scan
from trajview.corpus.cache import SummaryCache, cache_path
from trajview.corpus.corpus import Corpus
from trajview.corpus.walk import SourceFile
from trajview.errors import Problem

from .logs import chat, write_lines

FIXTURES = Path(__file__).parents[1] / "fixtures"


@pytest.fixture(autouse=True)
def files_are_old(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has a cache of its own, and what it writes is not too young to be kept."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr(module, "JUST_NOW", 0)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were read and not looked up."""
    found: list[str] = []
    read = scan.records_of

    def note(source: SourceFile, *given: Any) -> Any:
        found.append(source.path.name)
        return read(source, *given)

    monkeypatch.setattr(scan, "records_of", note)
    return found


def scanned(*paths: Path, cached: bool = True, start: bool = False) -> tuple[list[Any], list[Problem]]:
    corpus = Corpus(paths, SummaryCache() if cached else None)
    if start:
        corpus.start()
        assert corpus.wait(30)
    else:
        corpus.scan()
    for info in corpus:
        assert corpus.load(info).id == info.id
    return corpus.infos, corpus.problems


@pytest.mark.parametrize("start", [False, True])
def test_what_is_looked_up_is_what_the_scan_found(tmp_path: Path, reads: list[str], start: bool) -> None:
    write_lines(
        tmp_path / "a.jsonl", [chat("a"), chat("a", "two"), chat("b", reward=7), chat("c", scores={"x": 1, "y": 0.5})]
    )
    with (tmp_path / "a.jsonl").open("ab") as file:
        file.write(b'{"id": "bad"\n{"id": "n", "messages": [{"role": "user", "content": 5}]}\n' + b'{"torn"')
    (tmp_path / "b.json").write_text(json.dumps([chat(f"b{i}") for i in range(2500)]))
    expected = scanned(tmp_path, FIXTURES, cached=False)
    first = scanned(tmp_path, FIXTURES, start=start)
    del reads[:]
    assert first == expected
    assert scanned(tmp_path, FIXTURES, start=start) == expected
    assert set(reads) <= {path.name for path in FIXTURES.rglob("*") if path.stat().st_size < 10 or "raw" in path.parts}
    assert [type(each) for info in first[0] for each in info.rewards] == [
        type(each) for info in expected[0] for each in info.rewards
    ]


def changed_size(path: Path) -> None:
    write_lines(path, [chat("a"), chat("new")])


def changed_in_place(path: Path) -> None:
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b'"a"', b'"z"'))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # as a tool that keeps times does


def replaced(path: Path) -> None:
    before = path.stat()
    other = path.with_name("other")
    other.write_bytes(path.read_bytes().replace(b'"a"', b'"z"'))
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.rename(path)


def touched(path: Path) -> None:
    os.utime(path, (5, 5))


@pytest.mark.parametrize("change", [changed_size, changed_in_place, replaced, touched])
def test_a_file_that_is_another_one_is_read(tmp_path: Path, reads: list[str], change: Callable[[Path], None]) -> None:
    path = write_lines(tmp_path / "a.jsonl", [chat("a")])
    scanned(path)
    change(path)
    assert scanned(path) == scanned(path, cached=False)
    assert reads == ["a.jsonl"] * 3
    scanned(path)
    assert reads == ["a.jsonl"] * 3


@pytest.mark.parametrize("field", ["st_size", "st_mtime_ns", "st_ctime_ns", "st_dev", "st_ino"])
def test_each_thing_that_tells_files_apart_is_in_the_stamp(tmp_path: Path, field: str) -> None:
    told = {"st_size": 1, "st_mtime_ns": 2, "st_ctime_ns": 3, "st_dev": 4, "st_ino": 5}
    one = module.stamp_of_status(SimpleNamespace(**told))  # type: ignore[arg-type]
    other = module.stamp_of_status(SimpleNamespace(**told | {field: 77}))  # type: ignore[arg-type]
    assert one
    assert one != other


def test_a_file_written_just_now_is_not_kept(tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "JUST_NOW", 60_000_000_000)
    path = write_lines(tmp_path / "a.jsonl", [chat("a")])
    scanned(path)
    scanned(path)
    assert len(reads) == 2


def test_a_file_that_changes_while_it_is_read_is_not_kept(tmp_path: Path, reads: list[str]) -> None:
    path = write_lines(tmp_path / "a.jsonl", [chat("a"), chat("b")])
    corpus = Corpus([path], SummaryCache())
    for _ in corpus.stream():
        path.write_bytes(path.read_bytes() + b"\n")
    scanned(path)
    assert len(reads) == 2


def test_a_scan_that_is_cancelled_keeps_nothing_of_that_file(tmp_path: Path, reads: list[str]) -> None:
    path = write_lines(tmp_path / "a.jsonl", [chat(f"r{i}") for i in range(100)])
    corpus = Corpus([path], SummaryCache())
    for _ in corpus.stream():
        corpus.cancel()
    assert len(scanned(path)[0]) == 100


def test_other_code_starts_with_an_empty_cache(
    tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_lines(tmp_path / "a.jsonl", [chat("a")])
    scanned(path)
    monkeypatch.setattr(trajview, "__version__", "77")
    scanned(path)
    scanned(path)
    assert len(reads) == 2


def garbage(path: Path) -> None:
    path.write_bytes(b"this is no database" * 1000)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def holes(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 3 :] = b"\xff" * (len(data) - len(data) // 3)
    path.write_bytes(data)


def wrong_schema(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data.replace(b"CREATE TABLE files", b"CREATE TA\x88LE files"))


def no_table(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE files")


def wrong_data(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("UPDATE files SET data = x'00'")


@pytest.mark.parametrize("damage", [garbage, cut, holes, wrong_schema, no_table, wrong_data])
def test_a_broken_cache_is_made_anew(tmp_path: Path, reads: list[str], damage: Callable[[Path], None]) -> None:
    path = write_lines(tmp_path / "a.jsonl", [chat(f"r{i}") for i in range(200)])
    expected = scanned(path)
    damage(cache_path())
    assert scanned(path) == expected
    scanned(path)
    assert scanned(path) == expected
    assert len(reads) <= 3


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_lines(tmp_path / "a.jsonl", [chat("a")])
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert scanned(path) == scanned(path, cached=False)
    cache_path_is_folder = tmp_path / "folder" / "trajview" / "summaries.sqlite"
    cache_path_is_folder.mkdir(parents=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "folder"))
    assert scanned(path) == scanned(path, cached=False)


def test_a_locked_cache_is_left_alone(tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    path = write_lines(tmp_path / "a.jsonl", [chat("a")])
    expected = scanned(path)
    other = sqlite3.connect(cache_path(), isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert scanned(path) == expected
    other.execute("ROLLBACK")
    assert scanned(path) == expected
    assert len(reads) == 2


def test_many_programs_may_use_it_at_once(tmp_path: Path) -> None:
    for name in "abcdef":
        write_lines(tmp_path / f"{name}.jsonl", [chat(f"{name}{i}") for i in range(50)])
    expected = scanned(tmp_path, cached=False)
    wrong: list[Any] = []

    def work() -> None:
        for _ in range(3):
            found = scanned(tmp_path)
            if found != expected:
                wrong.append(found)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert SummaryCache().info().files == 6


def test_it_stays_within_bounds_and_forgets_what_was_used_longest_ago(
    tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST", 30_000)
    now = [1_000_000.0]
    monkeypatch.setattr(module.time, "time", lambda: now[0])
    for i in range(20):
        scanned(write_lines(tmp_path / f"{i}.jsonl", [chat(f"r{i}-{n}") for n in range(100)]))
        now[0] += 3 * 86_400
        scanned(tmp_path / "0.jsonl")
    with sqlite3.connect(cache_path()) as database:
        assert database.execute("SELECT sum(length(data)) FROM files").fetchone()[0] <= 30_000
    assert SummaryCache().info().size < 100_000
    assert reads.count("0.jsonl") == 1
    scanned(tmp_path / "1.jsonl")
    assert reads.count("1.jsonl") == 2


def test_named_and_found_in_a_folder_are_two_things(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("setting: 1\n")
    assert scanned(tmp_path)[0] == []
    assert [info.id for info in scanned(tmp_path / "a.yaml")[0]] == ["a"]
    assert scanned(tmp_path)[0] == []


def test_info_and_clear(tmp_path: Path) -> None:
    assert (SummaryCache().info().files, cache_path().exists()) == (0, False)
    scanned(write_lines(tmp_path / "a.jsonl", [chat("a")]))
    found = SummaryCache().info()
    assert (found.path, found.files, found.size) == (cache_path(), 1, cache_path().stat().st_size)
    SummaryCache().clear()
    SummaryCache().clear()
    assert not cache_path().exists()
