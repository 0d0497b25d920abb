"""A file that changes after it was listed: what is shown is the record that was listed, or a sentence; never another."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from trajview import open_corpus
from trajview.corpus import background, reader
from trajview.corpus.corpus import Corpus
from trajview.corpus.files import stamp_of
from trajview.corpus.info import RunInfo
from trajview.errors import UnreadableError


def record(run_id: str, text: str = "hi") -> bytes:
    return json.dumps({"id": run_id, "messages": [{"role": "user", "content": text}]}).encode()


def write(path: Path, *records: bytes) -> None:
    path.write_bytes(b"".join(each + b"\n" for each in records))


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(record("new") + b"\n")


def grow_torn(path: Path) -> None:
    with path.open("ab") as file:
        file.write(record("new")[:9])


def shrink(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 5)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def delete(path: Path) -> None:
    path.unlink()


def rotate(path: Path) -> None:
    path.rename(path.with_name("old"))
    write(path, record("x", "a" * 500), record("y"), record("z"), record("zz"))


def insert(path: Path) -> None:
    """Longer, and every record is somewhere else."""
    path.write_bytes(record("first", "long " * 50) + b"\n" + path.read_bytes())


def swap(path: Path) -> None:
    """Longer, with other records of the same length at the same places."""
    write(path, record("q"), record("r"), record("s"), record("t"))


def put_the_time_back(path: Path, before: os.stat_result) -> None:
    """As `touch -r` does; not within the same tick of the file system's clock, in which nobody could tell."""
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    while path.stat().st_ctime_ns == before.st_ctime_ns:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def swap_and_put_the_time_back(path: Path) -> None:
    """As long as it was and, by its own word, as old."""
    before = path.stat()
    write(path, record("q"), record("r"), record("s"))
    put_the_time_back(path, before)


def replace_and_put_the_time_back(path: Path) -> None:
    before = path.stat()
    other = path.with_name("other")
    write(other, record("q"), record("r"), record("s"))
    put_the_time_back(other, before)
    other.replace(path)


def get_other_rights(path: Path) -> None:
    path.chmod(0o600)


def get_another_name(path: Path) -> None:
    """As a backup does that shares what is the same."""
    path.with_name("backup").hardlink_to(path)


def become_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def become_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


OPENS = [grow, grow_torn, get_other_rights, get_another_name]
GONE = [
    shrink, empty, delete, rotate, insert, swap, swap_and_put_the_time_back, replace_and_put_the_time_back,
    become_a_folder, become_a_pipe,
]  # fmt: skip


@pytest.mark.parametrize("change", [*OPENS, *GONE], ids=lambda change: change.__name__)
@pytest.mark.parametrize("looked_at_before", [False, True])
def test_a_listed_run_opens_as_it_was_or_says_that_it_changed(
    tmp_path: Path, change: Callable[[Path], None], looked_at_before: bool
) -> None:
    path = tmp_path / "log.jsonl"
    write(path, record("a"), record("b"), record("c"))
    corpus = open_corpus(path)
    if looked_at_before:
        assert [corpus.load(info).id for info in corpus] == ["a", "b", "c"]
    change(path)
    looks: list[Callable[[RunInfo], str]] = [
        lambda info: corpus.load(info).id,
        lambda info: str(corpus.value(info)["id"]),
        lambda info: str(json.loads(corpus.raw(info))["id"]),
    ]
    for info in corpus:
        for look in looks:
            if change in OPENS:
                assert look(info) == info.id
            else:
                with pytest.raises(UnreadableError):
                    look(info)


@pytest.mark.parametrize("name", ["log.json", "log.jsonl.gz"])
def test_a_file_written_over_with_its_time_put_back_is_read_as_it_is_or_not_at_all(tmp_path: Path, name: str) -> None:
    path = tmp_path / name

    def fill(*records: bytes) -> None:
        data = b"[" + b",".join(records) + b"]" if name == "log.json" else gzip.compress(b"\n".join(records), mtime=0)
        path.write_bytes(data)

    fill(record("a", "one"), record("b"))
    before = path.stat()
    corpus = open_corpus(path)
    assert [corpus.load(info).transcripts[0].messages[0].text for info in corpus] == ["one", "hi"]
    fill(record("a", "two"), record("c"))
    assert path.stat().st_size == before.st_size
    put_the_time_back(path, before)
    a, b = corpus.infos
    assert corpus.load(a).transcripts[0].messages[0].text == "two"
    assert json.loads(corpus.raw(a))["messages"][0]["content"] == "two"
    with pytest.raises(UnreadableError):
        corpus.load(b)


def test_a_file_whose_inode_is_another_one_each_time_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on some network file systems."""
    path = tmp_path / "log.jsonl"
    write(path, record("a"), record("b"))
    inodes = itertools.count(7)
    monkeypatch.setattr("trajview.corpus.reader.stamp_of", lambda path: (*stamp_of(path)[:3], next(inodes)))
    monkeypatch.setattr("trajview.corpus.scan.stamp_of", lambda path: (*stamp_of(path)[:3], next(inodes)))
    corpus = open_corpus(path)
    for _ in range(2):
        assert [corpus.load(info).id for info in corpus] == ["a", "b"]
        assert [json.loads(corpus.raw(info))["id"] for info in corpus] == ["a", "b"]


def test_a_run_that_was_opened_before_is_read_again_where_the_log_has_grown(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write(path, record("a", "one"))
    corpus = open_corpus(path)
    assert corpus.load(corpus[0]).transcripts[0].messages[0].text == "one"
    write(path, record("a", "two"), record("b"))  # who rewrites a log may have corrected what it said
    assert corpus.load(corpus[0]).transcripts[0].messages[0].text == "two"


def replaced(path: Path, data: bytes) -> None:
    """As `rsync -t` does."""
    before = path.stat()
    other = path.with_name("other")
    other.write_bytes(data)
    put_the_time_back(other, before)
    other.replace(path)


def written_over(path: Path, data: bytes) -> None:
    before = path.stat()
    while path.stat().st_mtime_ns == before.st_mtime_ns:
        path.write_bytes(data)


@pytest.mark.parametrize("change", [replaced, written_over])
def test_a_log_of_the_same_length_with_the_same_ids_is_another_one_where_its_times_say_so(
    tmp_path: Path, change: Callable[[Path, bytes], None]
) -> None:
    path = tmp_path / "log.jsonl"
    write(path, record("a", "one"), record("b"))
    corpus = open_corpus(path)
    assert corpus.load(corpus[0]).transcripts[0].messages[0].text == "one"
    change(path, path.read_bytes().replace(b"one", b"two"))
    for look in (corpus.load, corpus.raw, corpus.value):
        with pytest.raises(UnreadableError):
            look(corpus[0])


@pytest.mark.parametrize("change", GONE, ids=lambda change: change.__name__)
@pytest.mark.parametrize(("look", "reads"), [("raw", "bytes_of"), ("load", "value_of")])
def test_a_file_that_changes_while_a_record_is_read_is_noticed(
    tmp_path: Path, change: Callable[[Path], None], look: str, reads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.jsonl"
    write(path, record("a"), record("b"), record("c"))
    corpus = open_corpus(path)
    real = getattr(reader, reads)

    def read_and_changed(*given: Any, **more: Any) -> Any:
        monkeypatch.setattr(reader, reads, real)
        found = real(*given, **more)
        change(path)
        return found

    monkeypatch.setattr(reader, reads, read_and_changed)
    with pytest.raises(UnreadableError):
        getattr(corpus, look)(corpus[1])
    assert getattr(reader, reads) is real, "it was read"


@pytest.mark.parametrize("change", [*OPENS, *GONE], ids=lambda change: change.__name__)
def test_a_file_that_changes_between_the_two_passes_ends_as_it_is_then(
    tmp_path: Path, change: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "AT_ONCE", 0)
    path = tmp_path / "log.jsonl"
    write(path, record("a"), record("b"), record("c"))
    early: list[RunInfo] = []
    corpus = Corpus([path])

    def change_once(_: object, finished: bool) -> None:
        if len(corpus) == 3 and not early:
            early.extend(corpus.infos)
            change(path)

    corpus.subscribe(change_once)
    corpus.start()
    assert corpus.wait(20)
    assert len(early) == 3
    assert all(info.summarised for info in corpus)
    plain = open_corpus(path)
    assert sorted(info.id for info in corpus) == sorted(info.id for info in plain)
    assert {info.id: corpus.raw(info) for info in corpus} == {info.id: plain.raw(info) for info in plain}
    for info in early:
        with suppress(UnreadableError):
            assert corpus.resolve(info).place == info.place


def test_a_log_that_is_written_while_it_is_read_never_gives_a_wrong_run(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write(path, record("r0"))
    stop = threading.Event()

    def writer() -> None:
        number = 1
        while not stop.is_set():
            if number % 400 == 0:
                write(path, record(f"r{number}"))  # it starts anew
            else:
                with path.open("ab") as file:
                    file.write(record(f"r{number}", "x" * (number % 90)) + b"\n")
            number += 1

    thread = threading.Thread(target=writer)
    thread.start()
    try:
        for _ in range(30):
            corpus = Corpus([path])
            corpus.start()
            assert corpus.wait(20)
            for info in corpus[:: max(1, len(corpus) // 5)]:
                with suppress(UnreadableError):
                    assert corpus.load(info).id == info.id
    finally:
        stop.set()
        thread.join()
