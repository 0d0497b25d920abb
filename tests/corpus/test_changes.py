"""A file that changes after it was listed: what is shown is the record that was listed, or a sentence; never another."""

from __future__ import annotations

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


def become_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def become_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


OPENS = [grow, grow_torn]
GONE = [shrink, empty, delete, rotate, insert, swap, become_a_folder, become_a_pipe]


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


@pytest.mark.parametrize("change", GONE, ids=lambda change: change.__name__)
def test_a_file_that_changes_while_a_record_is_read_is_noticed(
    tmp_path: Path, change: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.jsonl"
    write(path, record("a"), record("b"))
    corpus = open_corpus(path)
    real = reader.value_of

    def value_of(info: Any) -> Any:
        monkeypatch.setattr(reader, "value_of", real)
        value = real(info)
        change(path)
        return value

    monkeypatch.setattr(reader, "value_of", value_of)
    with pytest.raises(UnreadableError):
        corpus.load(corpus[1])


@pytest.mark.parametrize("change", [*OPENS, *GONE], ids=lambda change: change.__name__)
def test_a_file_that_changes_between_the_two_passes_ends_as_it_is_then(
    tmp_path: Path, change: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_AT_ONCE", 0)
    path = tmp_path / "log.jsonl"
    write(path, record("a"), record("b"), record("c"))
    read = background.Background._read
    early: list[Any] = []

    def changed_before(self: Any, part: Any) -> None:
        early.extend(corpus.infos)
        change(path)
        read(self, part)

    monkeypatch.setattr(background.Background, "_read", changed_before)
    corpus = Corpus([path])
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
