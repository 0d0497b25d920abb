"""Following: whatever happens to the files, the list ends as a fresh scan's, and rows keep their places on the way."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajview.corpus import background, files, follow
from trajview.corpus.corpus import Corpus
from trajview.corpus.feed import Feed
from trajview.corpus.files import open_source
from trajview.corpus.info import Gone, RunInfo, Updated
from trajview.corpus.reader import Reader
from trajview.corpus.scan import Scan
from trajview.errors import Problem, UnreadableError

PATIENCE = 20.0


class Rows:
    """What a subscriber has, as the browser keeps it."""

    def __init__(self, corpus: Corpus) -> None:
        self.rows: list[RunInfo | Problem] = []
        corpus.subscribe(self.take)

    def take(self, batch: list[RunInfo | Problem | Updated], finished: bool) -> None:
        for item in batch:
            if isinstance(item, Updated):
                self.rows[item.row] = item.item
            else:
                self.rows.append(item)

    @property
    def runs(self) -> list[RunInfo]:
        return [row for row in self.rows if isinstance(row, RunInfo)]

    @property
    def ids(self) -> list[str]:
        return [run.id for run in self.runs]

    @property
    def problems(self) -> list[Problem]:
        return [row for row in self.rows if isinstance(row, Problem) and not isinstance(row, Gone)]


class ReadingRows(Rows):
    """One that reads each run when it is told of it, and what it read last."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.read: dict[int, str] = {}
        super().__init__(corpus)

    def take(self, batch: list[RunInfo | Problem | Updated], finished: bool) -> None:
        first = len(self.rows)
        super().take(batch, finished)
        for row in {*range(first, len(self.rows)), *(item.row for item in batch if isinstance(item, Updated))}:
            item = self.rows[row]
            if isinstance(item, RunInfo):
                try:
                    self.read[row] = self.corpus.raw(item)
                except UnreadableError as error:
                    self.read[row] = str(error)


def record(run_id: str, text: str = "hi", messages: int = 1) -> bytes:
    return json.dumps({"id": run_id, "messages": [{"role": "user", "content": text}] * messages}).encode()


def message(text: str) -> bytes:
    return json.dumps({"role": "user", "content": text}).encode()


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trajview.corpus.corpus.EVERY", 0.02)


@contextmanager
def followed(*paths: Path, **options: Any) -> Iterator[tuple[Corpus, Rows]]:
    """A corpus that follows, and what a subscriber has of it."""
    corpus = Corpus(paths, follow=True, **options)
    rows = Rows(corpus)
    corpus.start()
    assert corpus.wait(PATIENCE)
    try:
        yield corpus, rows
    finally:
        corpus.cancel()
        corpus.wait(PATIENCE)
        assert "trajview-scan" not in {thread.name for thread in threading.enumerate()}


# One thing at a time


def test_records_that_are_appended_come_one_by_one_and_a_torn_one_when_it_is_complete(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(record("a") + b"\n" + record("b")[:20])
    with followed(log) as (corpus, rows):
        assert (rows.ids, rows.problems) == (["a"], [])
        append(log, record("b")[20:])
        until(lambda: rows.ids == ["a", "b"])
        append(log, b"\n" + record("c")[:7])
        time.sleep(0.3)
        assert (rows.ids, rows.problems) == (["a", "b"], [])
        append(log, record("c")[7:] + b"\n")
        until(lambda: rows.ids == ["a", "b", "c"])
        assert [corpus.load(info).id for info in corpus] == ["a", "b", "c"]
        assert [info.id for info in corpus] == ["a", "b", "c"]
        assert corpus.find("c") is corpus.infos[2]


def test_a_torn_last_line_that_was_listed_before_it_was_read_is_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "AT_ONCE", 0)
    log = tmp_path / "log.jsonl"
    log.write_bytes(record("a") + b"\n" + record("b") + b"\n" + record("c")[:30])
    with followed(log) as (_, rows):
        assert (rows.ids, rows.problems) == (["a", "b"], [])
        append(log, record("c")[30:])
        until(lambda: rows.ids == ["a", "b", "c"])


def test_an_empty_file_waits_for_its_first_record(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.touch()
    with followed(log) as (corpus, rows):
        assert rows.rows == []
        append(log, record("a")[:9])
        time.sleep(0.2)
        assert (rows.ids, rows.problems, corpus.skipped) == ([], [], 0)
        append(log, record("a")[9:] + b"\n")
        until(lambda: rows.ids == ["a"])
        assert corpus.skipped == 0


def test_a_run_of_a_message_a_line_grows_on_its_row_and_keeps_its_key(tmp_path: Path) -> None:
    log = tmp_path / "session.jsonl"
    log.write_bytes(message("one") + b"\n" + message("two") + b"\n")
    with followed(log) as (corpus, rows):
        [run] = rows.runs
        assert (run.container, run.messages) == ("jsonl messages", 2)
        append(log, message("three") + b"\n" + message("four")[:5])
        until(lambda: rows.runs[0].messages == 3)
        assert len(rows.rows) == 1
        assert rows.runs[0].key == run.key
        until(lambda: len(corpus.load(run).transcripts[0].messages) == 3)  # the run as it is, by its old handle
        assert rows.problems == []


def test_new_files_and_folders_appear_and_deleted_ones_go(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(record("a"))
    with followed(tmp_path) as (corpus, rows):
        (tmp_path / "deep" / "er").mkdir(parents=True)
        (tmp_path / "deep" / "er" / "b.jsonl").write_bytes(record("b") + b"\n")
        (tmp_path / ".hidden.json").write_bytes(record("hidden"))
        until(lambda: rows.ids == ["a", "b"])
        (tmp_path / "a.json").unlink()
        until(lambda: rows.ids == ["b"])
        assert [info.id for info in corpus] == ["b"]
        assert corpus.skipped == 1
        (tmp_path / "a.json").write_bytes(record("a2"))
        until(lambda: rows.ids == ["a2", "b"])  # in the row that became free


def test_a_named_file_that_goes_is_a_problem_until_it_is_there_again(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(record("a") + b"\n")
    with followed(log) as (_, rows):
        log.rename(tmp_path / "log.jsonl.1")
        until(lambda: rows.problems)
        assert rows.ids == []
        log.write_bytes(record("b") + b"\n")
        until(lambda: rows.ids == ["b"] and not rows.problems)


def test_rotation_and_truncation_take_away_what_is_gone(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"".join(record(name) + b"\n" for name in "abc"))
    with followed(log) as (corpus, rows):
        old = corpus[1]
        spare = tmp_path / "spare"
        spare.write_bytes(record("x") + b"\n")
        spare.rename(log)
        until(lambda: rows.ids == ["x"])
        assert len(rows.rows) == 3
        with pytest.raises(UnreadableError):
            corpus.load(old)
        append(log, record("y") + b"\n" + record("z") + b"\n")
        until(lambda: rows.ids == ["x", "y", "z"])
        assert len(rows.rows) == 3
        os.truncate(log, len(record("x")) + 1)
        until(lambda: rows.ids == ["x"])
        os.truncate(log, 0)
        until(lambda: rows.ids == [])
        assert rows.problems == []


@pytest.mark.parametrize("large", [True, False])
def test_a_file_written_over_by_who_puts_its_size_and_time_back_is_noticed(
    tmp_path: Path, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr(follow, "ALWAYS_WHOLE", 0)
    log = tmp_path / "log.jsonl"
    log.write_bytes(record("a") + b"\n" + record("b") + b"\n")
    with followed(log) as (corpus, rows):
        assert rows.ids == ["a", "b"]
        time.sleep(0.3)  # seen, and quiet since
        before = log.stat()
        with log.open("r+b") as file:
            file.write(record("c") + b"\n" + record("d") + b"\n")
        os.utime(log, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert (log.stat().st_size, log.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
        until(lambda: rows.ids == ["c", "d"])

        def read() -> list[str]:
            try:
                return [corpus.load(info).id for info in corpus]
            except UnreadableError:  # a look came between the writing and the time: the next one is on its way
                return []

        until(lambda: read() == ["c", "d"])


def test_changes_within_one_second_are_noticed_where_times_are_whole_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = files.as_stamp

    def coarse(status: os.stat_result) -> tuple[int, int, int, int]:
        size, changed, status_changed, inode = real(status)
        return size, changed // 10**9 * 10**9, status_changed // 10**9 * 10**9, inode

    def look() -> list[str]:
        folder = int(time.time()) * 10**9
        os.utime(tmp_path, ns=(folder, folder))
        time.sleep(0.15)  # more than times that are exact need
        corpus.look()
        return sorted(info.id for info in corpus)

    monkeypatch.setattr("trajview.corpus.files.as_stamp", coarse)
    monkeypatch.setattr(follow, "REST", 0)
    (tmp_path / "a.json").write_bytes(record("a0"))
    corpus = Corpus([tmp_path], follow=True)
    corpus.scan()
    for number in range(1, 6):
        (tmp_path / "a.json").write_bytes(record(f"a{number}"))
        (tmp_path / f"b{number}.json").write_bytes(record(f"b{number}"))
        assert look() == [f"a{number}", *(f"b{each}" for each in range(1, number + 1))]


def test_a_compressed_log_whose_end_is_still_to_come_is_no_problem(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl.gz"
    packer = zlib.compressobj(wbits=31)
    log.write_bytes(packer.compress(record("a") + b"\n") + packer.flush(zlib.Z_SYNC_FLUSH))
    with followed(log) as (_, rows):
        until(lambda: rows.ids == ["a"])
        append(log, packer.compress(record("b") + b"\n") + packer.flush(zlib.Z_SYNC_FLUSH))
        until(lambda: rows.ids == ["a", "b"])
        assert rows.problems == []
        append(log, packer.flush())
        log.write_bytes(log.read_bytes()[:-4] + b"torn")
        until(lambda: len(rows.problems) == 1)  # what is damaged is, also while it is followed


def test_a_file_that_is_written_anew_in_place_does_not_flicker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "GRACE", 60_000_000_000)  # a busy machine may stop for more than a second
    path = tmp_path / "run.json"
    path.write_bytes(record("a"))
    with followed(path) as (_, rows):
        data = record("a", "more", 3)
        with path.open("wb") as file:
            for at in range(0, len(data), 16):
                file.write(data[at : at + 16])
                file.flush()
                time.sleep(0.05)
                assert rows.ids == ["a"]
        until(lambda: rows.runs[0].messages == 3)


def test_a_second_run_of_a_name_gets_a_key_of_its_own(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(record("a") + b"\n")
    with followed(log) as (corpus, rows):
        append(log, record("a", "another") + b"\n")
        until(lambda: len(rows.runs) == 2)
        first, second = rows.runs
        assert first.key == "a"
        assert second.key.startswith("a@")
        assert "another" in corpus.raw(second)


def test_a_large_file_that_grows_is_read_from_its_last_record_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "ALWAYS_WHOLE", 0)
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"".join(record(f"r{number}") + b"\n" for number in range(50)))
    with followed(log) as (corpus, rows):
        began: list[Any] = []
        again = Scan.again

        def watched(scan: Scan, source: Any, start: Any, *more: Any) -> Any:
            began.append(start)
            return again(scan, source, start, *more)

        monkeypatch.setattr(Scan, "again", watched)
        append(log, b"no json\n" + record("r50") + b"\n")
        until(lambda: len(rows.runs) == 51)
        assert began[0][1:] == (50, 49)
        assert rows.problems[0].where.line == 51
        assert rows.runs[50].line == 52
        assert rows.runs[50].record == 50
        assert json.loads(corpus.raw(rows.runs[50]))["id"] == "r50"


def test_what_a_second_program_writes_in_pieces_is_all_there(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.touch()
    writer = (
        "import os, sys, time, json\n"
        "with open(sys.argv[1], 'ab', buffering=0) as file:\n"
        "    for number in range(40):\n"
        "        data = json.dumps({'id': f'r{number}', 'messages': [{'role': 'user', 'content': 'é' * number}]})\n"
        "        data = data.encode() + b'\\n'\n"
        "        for at in range(0, len(data), 13):\n"
        "            file.write(data[at:at + 13]); os.fsync(file.fileno())\n"
        "        time.sleep(0.005)\n"
    )
    with followed(log) as (corpus, rows):
        seen: list[int] = []
        done = subprocess.Popen([sys.executable, "-c", writer, str(log)])
        while done.poll() is None:
            seen.append(len(rows.runs))
            assert rows.problems == []
            time.sleep(0.02)
        until(lambda: len(rows.runs) == 40)
        assert rows.ids == [f"r{number}" for number in range(40)]
        assert len(set(seen)) > 3
        assert [json.loads(corpus.raw(info))["id"] for info in corpus] == rows.ids


@pytest.mark.parametrize("messages", [False, True])
@pytest.mark.parametrize("whole", [True, False])
def test_a_file_that_grows_as_fast_as_it_is_read_is_listed_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: bool, messages: bool
) -> None:
    monkeypatch.setattr(follow, "ALWAYS_WHOLE", 1 << 20 if whole else 0)
    monkeypatch.setattr(follow, "REST", 0)
    path = tmp_path / "log.jsonl"
    append(path, b"\n".join((message if messages else record)(f"r{n}") for n in range(3)) + b"\n")
    corpus = Corpus([path], follow=True)
    corpus.scan()
    written = 3
    read1 = io.BufferedReader.read1

    class Growing(io.BufferedReader):
        def read1(self, size: int = -1) -> bytes:
            nonlocal written
            if written < 1000:
                append(path, (message if messages else record)(f"r{written}") + b"\n")
                written += 1
            return read1(self, 60)  # about as many as come

    def opened(*given: Any, **more: Any) -> Any:
        file = open_source(*given, **more)
        if written == 3:
            return file
        raw = cast(io.BufferedReader, file).detach()
        raw.seek(0)
        return Growing(raw)

    monkeypatch.setattr(files, "open_source", opened)
    append(path, (message if messages else record)("r3") + b"\n")
    written += 1
    counts = []
    while not counts or counts[-1] < 1000:
        corpus.look()
        counts.append(corpus.infos[0].messages or 0 if messages else len(corpus))
        assert len(counts) < 100
    assert len(counts) > 2  # a look reads a file up to three times, each time to where it ends then
    assert sorted(counts) == counts
    assert not corpus.problems


def test_a_corpus_that_follows_ten_thousand_quiet_files_is_nearly_idle(tmp_path: Path) -> None:
    for number in range(5000):
        (tmp_path / f"{number}.json").write_bytes(record(f"r{number}"))
    old = time.time() - 100
    for path in tmp_path.iterdir():
        os.utime(path, (old, old))
    corpus = Corpus([tmp_path], follow=True)
    corpus.scan()
    assert corpus.reload()
    os.utime(tmp_path, (old, old))
    corpus.reload()
    used = time.thread_time()
    for _ in range(10):
        corpus.look()
    # Ten looks are five seconds; one in a hundred of that, and as much again for a slow machine.
    assert time.thread_time() - used < 0.1


def test_without_following_a_grown_file_is_noticed_when_its_run_is_opened_or_all_is_read_again(tmp_path: Path) -> None:
    log, session = tmp_path / "log.jsonl", tmp_path / "session.jsonl"
    log.write_bytes(record("a") + b"\n")
    session.write_bytes(message("one") + b"\n" + message("two") + b"\n")
    corpus = Corpus([tmp_path])
    rows = Rows(corpus)
    corpus.start()
    assert corpus.wait(PATIENCE)
    append(session, message("three") + b"\n")
    append(log, record("b") + b"\n")
    [talk] = [info for info in corpus if info.container == "jsonl messages"]
    assert len(corpus.load(talk).transcripts[0].messages) == 2  # as it was listed
    assert corpus.refresh(talk).messages == 3
    assert len(corpus.load(talk).transcripts[0].messages) == 3
    assert len(rows.runs) == 2
    (tmp_path / "new.json").write_bytes(record("c") + b"x")
    assert corpus.reload()
    assert sorted(rows.ids) == ["a", "b", "session"] or sorted(rows.ids)[:2] == ["a", "b"]
    assert len(rows.problems) == 1
    session.unlink()
    corpus.reload()
    with pytest.raises(UnreadableError):
        corpus.refresh(talk)


# Streams


class Pipe:
    """A stream that a test fills."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.path.touch()
        self.going = True
        self.problem: Problem | None = None

    @property
    def size(self) -> int:
        return self.path.stat().st_size


def test_a_stream_is_listed_while_it_goes_on_and_is_a_plain_scan_in_the_end(tmp_path: Path) -> None:
    pipe = Pipe(tmp_path / "stdin")
    corpus = Corpus([pipe.path], streams=[pipe])
    rows = Rows(corpus)
    corpus.start()
    append(pipe.path, record("a") + b"\n" + record("b")[:10])
    until(lambda: rows.ids == ["a"])
    assert not corpus.finished
    assert corpus.bytes_done == pipe.size
    assert corpus.load(rows.runs[0]).id == "a"
    append(pipe.path, record("b")[10:] + b"\n" + record("c")[:10])
    until(lambda: rows.ids == ["a", "b"])
    assert rows.problems == []
    pipe.going = False
    assert corpus.wait(PATIENCE)
    assert rows.ids == ["a", "b"]
    assert [problem.reason.split(":")[0] for problem in rows.problems] == ["the last line is torn"]


def test_a_stream_that_never_brings_anything_says_so_in_the_end(tmp_path: Path) -> None:
    pipe = Pipe(tmp_path / "stdin")
    corpus = Corpus([pipe.path], streams=[pipe])
    corpus.start()
    time.sleep(0.1)
    assert (corpus.problems, corpus.skipped) == ([], 0)
    pipe.going = False
    assert corpus.wait(PATIENCE)
    assert [problem.reason for problem in corpus.problems] == ["the file holds no records"]


def test_a_stream_can_be_left(tmp_path: Path) -> None:
    corpus = Corpus([tmp_path / "stdin"], streams=[Pipe(tmp_path / "stdin")])
    corpus.start()
    assert not corpus.wait(0.2)
    corpus.cancel()
    assert corpus.wait(PATIENCE)


# Whatever happens

TEXTS = st.sampled_from(["hi", "ho", "é" * 3, "x" * 40])
RECORDS = st.builds(record, st.sampled_from("abcd"), TEXTS, st.integers(1, 3))
LINES = st.one_of(
    RECORDS, RECORDS, st.builds(message, TEXTS), st.sampled_from([b"", b"no json", b"\xff\xfe", b"[1, 2]"])
)
NAMES = st.sampled_from(["one.jsonl", "two.json", "sub/three.jsonl", "sub/four.ndjson"])
STEPS = st.one_of(
    st.tuples(st.just("append"), NAMES, st.lists(LINES, max_size=3), st.integers(0, 30)),
    st.tuples(st.just("append"), NAMES, st.lists(LINES, max_size=3), st.just(0)),
    st.tuples(st.just("finish"), NAMES),
    st.tuples(st.just("cut"), NAMES, st.integers(0, 100)),
    st.tuples(st.just("write"), NAMES, st.lists(LINES, max_size=3)),
    st.tuples(st.just("replace"), NAMES, st.lists(LINES, max_size=3)),
    st.tuples(st.just("rotate"), NAMES, st.lists(LINES, max_size=2)),
    st.tuples(st.just("delete"), NAMES),
    st.tuples(st.just("look")),
    st.tuples(st.just("look")),
)


class Disk:
    """Files that steps change; what an append leaves out of its last line comes with the next one."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.rest: dict[str, bytes] = {}

    def do(self, step: tuple[Any, ...]) -> None:
        what, name, *more = step
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        if what == "append":
            data = self.rest.pop(name, b"") + b"".join(line + b"\n" for line in more[0])
            cut = min(more[1], len(data))
            self.rest[name] = data[len(data) - cut :]
            append(path, data[: len(data) - cut])
        elif what == "finish":
            append(path, self.rest.pop(name, b""))
        elif what == "cut" and path.exists():
            os.truncate(path, path.stat().st_size * more[0] // 100)
        elif what == "write":
            path.write_bytes(b"".join(line + b"\n" for line in more[0]))
        elif what in ("replace", "rotate"):
            if what == "rotate" and path.exists():
                path.rename(path.with_name(f"{path.name}.1"))
            spare = path.with_name("spare")
            spare.write_bytes(b"".join(line + b"\n" for line in more[0]))
            spare.rename(path)
        elif what == "delete":
            path.unlink(missing_ok=True)


def as_listed(rows: list[RunInfo | Problem]) -> tuple[dict[Path, list[RunInfo]], Counter[Problem]]:
    """Runs by file in their order without keys, and problems."""
    runs: dict[Path, list[RunInfo]] = {}
    for row in rows:
        if isinstance(row, RunInfo):
            runs.setdefault(row.path, []).append(msgspec.structs.replace(row, key=""))
    for found in runs.values():
        found.sort(key=lambda info: info.offset)
    return runs, Counter(row for row in rows if isinstance(row, Problem) and not isinstance(row, Gone))


@settings(max_examples=25)
@given(
    before=st.lists(STEPS.filter(lambda step: step[0] != "look"), max_size=4),
    steps=st.lists(STEPS, max_size=10),
    whole=st.booleans(),
)
def test_whatever_happens_to_the_files_the_list_ends_as_a_fresh_scan(
    tmp_path_factory: pytest.TempPathFactory, before: list[Any], steps: list[Any], whole: bool
) -> None:
    root = tmp_path_factory.mktemp("logs")
    disk = Disk(root)
    for step in before:
        disk.do(step)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(follow, "ALWAYS_WHOLE", 1 << 20 if whole else 0)
        patch.setattr(follow, "GRACE", 0)
        patch.setattr(follow, "REST", 0)
        corpus = Corpus([root], follow=True)
        rows = ReadingRows(corpus)
        corpus.scan()
        for step in steps:
            if step[0] == "look":
                corpus.look()
            else:
                disk.do(step)
        corpus.look()
        time.sleep(0.11)
        corpus.look()
        fresh = Corpus([root], follow=True)
        fresh.scan()
        assert as_listed(rows.rows) == as_listed([*fresh.infos, *fresh.problems])
        assert corpus.skipped == fresh.skipped
        assert list(corpus) == rows.runs
        assert Counter(corpus.problems) == Counter(rows.problems)
        assert len({info.key for info in corpus}) == len(corpus)
        now = {(info.path, info.offset): fresh.raw(info) for info in fresh}
        for info in corpus:
            assert corpus.find(info.key) is info
            assert corpus.raw(info) == now[info.path, info.offset]
            assert corpus.load(info).id == info.id
        for row, item in enumerate(rows.rows):
            if (
                isinstance(item, RunInfo) and item.container != "jsonl messages"
            ):  # whose stamps tell, in some milliseconds
                assert rows.read[row] == now[item.path, item.offset]
        late = Rows(corpus)
        assert late.rows == rows.rows


def test_while_files_are_rewritten_all_the_time_no_wrong_run_opens(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(record("r0") + b"\n")
    stop = threading.Event()

    def writer() -> None:
        number = 1
        while not stop.is_set():
            if number % 50 == 0:
                path.write_bytes(record(f"r{number}") + b"\n")
            elif number % 77 == 0:
                spare = tmp_path / "spare"
                spare.write_bytes(record(f"r{number}", "long" * 20) + b"\n")
                spare.rename(path)
            else:
                append(path, record(f"r{number}", "x" * (number % 90)) + b"\n")
            number += 1

    thread = threading.Thread(target=writer)
    with followed(tmp_path) as (corpus, rows):
        thread.start()
        opened = 0
        try:
            until_then = time.monotonic() + 2
            while time.monotonic() < until_then:
                for info in corpus[::7]:
                    try:
                        assert corpus.load(info).id == info.id
                        opened += 1
                    except UnreadableError:
                        pass
        finally:
            stop.set()
            thread.join()
        assert opened
        fresh = Corpus([tmp_path], follow=True)
        fresh.scan()
        until(lambda: as_listed(rows.rows) == as_listed([*fresh.infos, *fresh.problems]))


@pytest.mark.parametrize("in_place", [False, True])
def test_a_log_that_was_written_anew_is_read_as_a_whole_however_much_it_looks_like_growth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_place: bool
) -> None:
    monkeypatch.setattr(follow, "ALWAYS_WHOLE", 100)
    monkeypatch.setattr(follow, "SETTLED", 0)
    monkeypatch.setattr(follow, "REST", 0)
    path, spare = tmp_path / "log.jsonl", tmp_path / "spare"
    names = "abcd"
    path.write_bytes(b"".join(record(name, "x" * 40, 2) + b"\n" for name in names))
    time.sleep(0.01)
    corpus = Corpus([path], follow=True)
    corpus.scan()
    corpus.look()
    # Of another file all may be the same at its start and before its last record, which tells one that was written over.
    third = record("c", "z" * 40, 2) if in_place else record("c", "x" * 40, 2)
    other = [record("a", "x" * 40, 2), record("k", "x" * 40, 2), third, record("d", "x" * 40, 2)]
    if in_place:
        with path.open("r+b") as file:
            file.write(b"".join(line + b"\n" for line in (*other, record("e"))))
    else:
        spare.write_bytes(b"".join(line + b"\n" for line in (*other, record("e"))))
        spare.rename(path)
    corpus.look()
    assert [info.id for info in sorted(corpus, key=lambda info: info.offset)] == ["a", "k", "c", "d", "e"]


@pytest.mark.parametrize("in_place", [False, True])
def test_a_log_that_is_written_anew_while_it_is_read_is_read_again_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_place: bool
) -> None:
    monkeypatch.setattr(follow, "ALWAYS_WHOLE", 100)
    monkeypatch.setattr(follow, "REST", 0)
    path, spare = tmp_path / "log.jsonl", tmp_path / "spare"
    before, between, after = (b"".join(record(f"{name}{n}") + b"\n" for n in range(6)) for name in "abc")
    path.write_bytes(before)
    corpus = Corpus([path])
    corpus.scan()
    again = Scan.again

    def meanwhile(*what: Any) -> Any:
        found = again(*what)
        monkeypatch.setattr(Scan, "again", again)
        spare.write_bytes(after + record("c6") + b"\n")
        if in_place:
            path.write_bytes(spare.read_bytes())
        else:
            spare.rename(path)
        return found

    path.write_bytes(between)
    monkeypatch.setattr(Scan, "again", meanwhile)
    for _ in range(3):
        corpus.look()
    assert [info.id for info in sorted(corpus, key=lambda info: info.offset)] == [f"c{n}" for n in range(7)]


def test_a_rewrite_that_looks_like_growth_is_noticed_when_it_is_reloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "ALWAYS_WHOLE", 100)

    def line(name: str, messages: int) -> str:
        return json.dumps({"id": name, "messages": [{"role": "user", "content": "x" * 20}] * messages}) + "\n"

    path = tmp_path / "log.jsonl"
    path.write_text(line("a", 5) + line("b", 5) + line("c", 5) + line("d", 5))
    corpus = Corpus([path])
    corpus.scan()
    with path.open("r+") as file:  # in place: the middle is another one, start and end are not
        file.write(line("a", 5) + line("b", 1) + line("c", 9) + line("d", 5) + line("e", 1))
        file.truncate()
    assert corpus.reload()
    assert {info.id: info.messages for info in corpus.infos} == {"a": 5, "b": 1, "c": 9, "d": 5, "e": 1}


@pytest.mark.parametrize("text", ["new", "a much longer one"])
def test_who_is_told_that_a_run_changed_reads_at_once_what_is_there_now(tmp_path: Path, text: str) -> None:
    """In the very moment, however the file changed: what was known of it before is not in the way."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(record("a", "one", 2))
    corpus = Corpus([path])
    corpus.scan()
    read = [corpus.load(corpus[0]).transcripts[0].messages[0].text]
    corpus.subscribe(lambda *_: read.append(corpus.load(corpus[0]).transcripts[0].messages[0].text))
    path.write_bytes(record("a", text))
    corpus.refresh(corpus[0], now=True)
    assert read == ["one", "one", text]


def test_who_subscribes_while_news_are_taken_in_is_told_of_them_when_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(record("a", "one"))
    corpus = Corpus([path])
    corpus.scan()
    corpus.load(corpus[0])
    forget, within, go_on = Reader.forget, threading.Event(), threading.Event()
    read: list[str] = []

    def slowly(*what: Any) -> None:
        within.set()
        assert go_on.wait(PATIENCE)
        forget(*what)

    monkeypatch.setattr(Reader, "forget", slowly)
    path.write_bytes(record("a", "two"))
    threads = [threading.Thread(target=corpus.reload)]
    threads[0].start()
    assert within.wait(PATIENCE)

    def take(*_: object) -> None:
        read.append(corpus.load(corpus[0]).transcripts[0].messages[0].text)

    threads.append(threading.Thread(target=corpus.subscribe, args=[take]))
    threads[1].start()
    threads[1].join(0.05)
    early = list(read)
    go_on.set()
    assert early == []
    for thread in threads:
        thread.join(PATIENCE)
    assert read == ["two"]


def test_an_error_while_news_are_taken_in_holds_nothing_back_for_good() -> None:
    feed: Feed[int, int] = Feed(lambda _, item: item)
    told: list[int] = []
    feed.subscribe(lambda batch, _: told.extend(batch))

    def fail() -> None:
        with feed.held():
            with feed.held():
                feed.publish([1])
            assert told == []
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    feed.publish([2])
    assert told == [1, 2]


def test_a_run_that_is_parsed_while_its_file_is_read_again_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or all who open it from then on would see what it was before."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(record("a", "one") + b"\n" + record("b", "one"))
    corpus = Corpus([path])
    corpus.scan()
    read = Reader.read

    def meanwhile(*what: Any, **how: Any) -> Any:
        run = read(*what, **how)
        monkeypatch.undo()
        path.write_bytes(record("a", "two") + b"\n" + record("b", "two"))
        assert corpus.reload()
        return run

    monkeypatch.setattr(Reader, "read", meanwhile)
    assert [corpus.load(corpus[0]).transcripts[0].messages[0].text for _ in range(2)] == ["one", "two"]


def test_a_run_that_is_parsed_while_its_log_grows_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "ALWAYS_WHOLE", 10)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(record(name) + b"\n" for name in "abc"))
    corpus = Corpus([path])
    corpus.scan()
    read = Reader.read

    def meanwhile(*what: Any, **how: Any) -> Any:
        run = read(*what, **how)
        monkeypatch.setattr(Reader, "read", read)
        append(path, record("d") + b"\n")
        corpus.look()
        return run

    monkeypatch.setattr(Reader, "read", meanwhile)
    run = corpus.load(corpus[0])
    assert len(corpus) == 4
    assert corpus.load(corpus[0]) is run


@pytest.mark.parametrize("whole", [1 << 20, 0])
def test_a_run_among_others_that_says_something_else_in_as_many_bytes_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: int
) -> None:
    monkeypatch.setattr(follow, "ALWAYS_WHOLE", whole)
    path = tmp_path / "a.jsonl"
    lines = [record(f"the {name} tale", "one") + b"\n" for name in ("first", "second", "third")]
    path.write_bytes(b"".join(lines))
    corpus = Corpus([path])
    corpus.scan()
    told: list[str] = []
    corpus.subscribe(lambda batch, _: told.extend(item.item.id for item in batch if isinstance(item, Updated)))
    for number, text in enumerate((b"two", b"six")):
        lines[1] = lines[1].replace((b"one", b"two")[number], text)
        path.write_bytes(b"".join(lines))
        told.clear()
        corpus.reload()
        assert "the second tale" in told
    assert told == ["the second tale"]
    told.clear()
    append(path, record("the fourth tale"))
    corpus.reload()
    assert told == []


def test_what_is_found_wrong_with_a_run_that_is_opened_goes_when_its_file_is_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl"
    bad = json.dumps({"id": "a", "messages": [{"role": "user", "content": "é" * 5000 + "?"}]}, ensure_ascii=False)
    path.write_bytes(record("b") + b"\n")
    corpus = Corpus([path])
    rows = Rows(corpus)
    corpus.scan()
    path.write_bytes(bad.encode().replace(b"?", b"\xff"))
    assert corpus.reload()
    assert corpus.problems == []
    assert corpus.check_bytes(corpus[0]) is not None
    assert len(corpus.problems) == len(rows.problems) == 1
    path.write_bytes(bad.encode() + b"\n" + record("b"))
    assert corpus.reload()
    assert (corpus.problems, rows.problems) == ([], [])
    assert rows.ids == ["a", "b"]


def test_a_run_is_found_while_the_list_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sys.getswitchinterval()
    path = tmp_path / "a.jsonl"
    lines = [record(f"r{number}") for number in range(4001)]
    path.write_bytes(b"\n".join(lines))
    corpus = Corpus([path])
    corpus.scan()
    done, lost = threading.Event(), []

    def look() -> None:
        while not done.is_set():
            info = corpus.find("r3998")
            if info is None or (after := corpus.neighbour(info, 1)) is None or after.id != "r3999":
                lost.append(info)

    thread = threading.Thread(target=look)
    sys.setswitchinterval(1e-5)
    try:
        thread.start()
        for last in (4000, 4001) * 3:
            path.write_bytes(b"\n".join(lines[:last]))
            assert corpus.reload()
    finally:
        sys.setswitchinterval(before)
        done.set()
        thread.join(PATIENCE)
    assert lost == []


def test_who_is_told_that_a_run_changed_may_ask_for_it_to_be_looked_at_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(record("a", "one"))
    corpus = Corpus([path])
    corpus.scan()
    asked: list[object] = []

    def ask(batch: list[Any], _: bool) -> None:
        for item in batch:
            if isinstance(item, Updated) and isinstance(item.item, RunInfo):
                asked.append(corpus.reload())
                asked.append(corpus.refresh(item.item, now=True).id)
                asked.append(corpus.check_bytes(item.item) is None)

    corpus.subscribe(ask)
    path.write_bytes(
        json.dumps({"id": "a", "messages": [{"role": "user", "content": "?"}]}).encode().replace(b"?", b"\xff")
    )
    thread = threading.Thread(target=corpus.reload, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert asked == [False, "a", True]
    assert corpus.reload()


def test_who_could_not_read_a_run_while_its_file_changed_is_told_when_that_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "REST", 0)
    path = tmp_path / "a.jsonl"
    lines = b"".join(record(f"the {name} tale") + b"\n" for name in ("first", "second"))
    path.write_bytes(lines)
    corpus = Corpus([path], follow=True)
    rows = ReadingRows(corpus)
    corpus.scan()
    corpus.reload()  # from now on it is known what says something else
    last = path.stat().st_mtime_ns
    for _ in range(2):
        path.write_bytes(lines)
        os.utime(path, ns=(0, last := last + 1000))
        with pytest.raises(UnreadableError):
            corpus.load(corpus[1])
        rows.read.clear()
        corpus.look()
        assert rows.read == {1: lines.decode().splitlines()[1]}
        rows.read.clear()
        corpus.look()
        assert rows.read == {}
