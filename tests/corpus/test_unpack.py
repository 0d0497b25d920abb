"""Compressed files: they open as plain ones do, at any place, as far as they are whole."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import random
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any

import psutil
import pytest

from trajview import open_corpus
from trajview.corpus import unpack
from trajview.corpus.corpus import Corpus
from trajview.corpus.files import open_source
from trajview.corpus.unpack import log_suffix
from trajview.corpus.zip_records import zipfile

from .logs import chat

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd.compress,
}  # fmt: skip

NAMES = {"gz": "gzip", "bz2": "bzip2", "xz": "xz", "zst": "zstd"}


@pytest.fixture(params=sorted(PACKERS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    unpack.kept_files.clear()


@pytest.fixture(params=[True, False], ids=["memory", "disk"])
def in_memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not request.param:
        monkeypatch.setattr(unpack, "IN_MEMORY", 100)


def lines(count: int, size: int = 10) -> bytes:
    noise = random.Random(count)  # what cannot be packed
    return b"".join(json.dumps(chat(f"r{i}", noise.randbytes(size).hex())).encode() + b"\n" for i in range(count))


@pytest.mark.usefixtures("in_memory")
def test_a_compressed_file_has_the_same_runs_at_the_same_places(tmp_path: Path, kind: str) -> None:
    data = lines(50)
    (tmp_path / "a.jsonl").write_bytes(data)
    (tmp_path / f"b.jsonl.{kind}").write_bytes(PACKERS[kind](data))
    corpus = open_corpus(tmp_path)
    plain, packed = corpus[:50], corpus[50:]
    assert not corpus.problems
    assert [(info.id, info.offset, info.length, info.messages) for info in packed] == [
        (info.id, info.offset, info.length, info.messages) for info in plain
    ]
    for one, other in [(plain[i], packed[i]) for i in (49, 0, 25, 24)]:
        assert corpus.raw(one) == corpus.raw(other)
        assert corpus.load(one).transcripts[0].messages == corpus.load(other).transcripts[0].messages
    assert corpus.bytes_done == sum(path.stat().st_size for path in tmp_path.iterdir())


@pytest.mark.usefixtures("in_memory")
def test_whole_json_arrays_yaml_and_other_encodings_are_unpacked_too(tmp_path: Path, kind: str) -> None:
    pack = PACKERS[kind]
    (tmp_path / f"a.json.{kind}").write_bytes(pack(json.dumps(chat("a"), indent=1).encode()))
    (tmp_path / f"b.json.{kind}").write_bytes(pack(json.dumps([chat("b1"), chat("b2")]).encode()))
    (tmp_path / f"c.yaml.{kind}").write_bytes(pack(b"id: c\nmessages: [{role: user, content: hi}]\n"))
    (tmp_path / f"d.jsonl.{kind}").write_bytes(pack(json.dumps(chat("d")).encode("utf-16")))
    (tmp_path / f"e.txt.{kind}").write_bytes(pack(b"no log"))
    (tmp_path / f"f.{kind}").write_bytes(pack(json.dumps(chat("f")).encode()))
    corpus = open_corpus(tmp_path)
    assert [info.id for info in corpus] == ["a", "b1", "b2", "c", "d"]
    assert corpus.skipped == 2
    assert [corpus.load(info).id for info in corpus] == ["a", "b1", "b2", "c", "d"]
    assert [info.id for info in open_corpus(tmp_path / f"f.{kind}")] == ["f"]
    # The content decides, not the name.
    (tmp_path / "g.jsonl").write_bytes(pack(lines(3)))
    assert len(open_corpus(tmp_path / "g.jsonl")) == 3


@cache
def much_packed(kind: str, count: int) -> bytes:
    return PACKERS[kind](lines(count, 10_000))


@pytest.mark.usefixtures("in_memory")
def test_a_file_that_was_cut_opens_up_to_there_with_one_problem(tmp_path: Path, kind: str) -> None:
    count = 60
    packed = much_packed(kind, count)
    for share in (0.5, 0.97):
        path = tmp_path / f"{share}.jsonl.{kind}"
        path.write_bytes(packed[: int(len(packed) * share)])
        corpus = open_corpus(path)
        # xz and bzip2 work by blocks: what comes of a torn one is nothing.
        assert len(corpus) >= (share * count * 0.5 if kind in ("gz", "zst") else 0)
        assert len(corpus) < count
        assert [problem.reason for problem in corpus.problems] == [
            "the compressed file is torn: it ends before it is complete"
        ]
        assert [info.id for info in corpus] == [f"r{i}" for i in range(len(corpus))]
        assert [json.loads(corpus.raw(info))["id"] for info in corpus] == [info.id for info in corpus]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
@pytest.mark.parametrize("packed", [True, False])
def test_a_file_in_another_encoding_is_decoded_once(
    tmp_path: Path, kind: str, encoding: str, packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = tmp_path / "a.jsonl"
    plain.write_bytes(lines(300, 20) + '{"id": "🙂 é", "messages": []}\r\n'.encode())
    data = plain.read_bytes().decode().encode(encoding)
    path = tmp_path / (f"b.jsonl.{kind}" if packed else "b.jsonl")
    path.write_bytes(PACKERS[kind](data) if packed else data)
    monkeypatch.setattr(unpack, "CHUNK", 1001)  # pieces that end within a character
    made: list[Path] = []
    real = unpack.Unpacked.unpack

    def counted(work: Any, file: Any, where: Path, progress: Any) -> None:
        made.append(where)
        real(work, file, where, progress)

    monkeypatch.setattr(unpack.Unpacked, "unpack", counted)
    corpus = open_corpus(path)
    assert [corpus.raw(info) for info in corpus] == [info.strip() for info in plain.read_text().splitlines()]
    assert made == [path]


def test_a_file_that_was_cut_before_anything_came_of_it_is_said_to_be_torn(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.jsonl.{kind}"
    path.write_bytes(PACKERS[kind](lines(3))[:5])
    corpus = open_corpus(path)
    assert len(corpus) == 0
    assert [problem.reason for problem in corpus.problems] == [
        "the compressed file is torn: it ends before it is complete"
    ]


def test_a_file_with_damage_in_it_has_one_problem_and_never_an_exception(tmp_path: Path, kind: str) -> None:
    packed = bytearray(PACKERS[kind](lines(200, 500)))
    for at in range(0, len(packed), max(1, len(packed) // 25)):
        damaged = bytearray(packed)
        damaged[at : at + 4] = bytes(255 - each for each in damaged[at : at + 4])
        path = tmp_path / f"{at}.jsonl.{kind}"
        path.write_bytes(damaged)
        corpus = open_corpus(path)
        assert len(corpus) == 200 or corpus.problems
        for info in corpus:
            corpus.load(info)


def test_several_compressed_streams_in_a_row_are_one_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.jsonl.{kind}"
    path.write_bytes(PACKERS[kind](lines(3)) + PACKERS[kind](lines(2)))
    assert len(open_corpus(path)) == 5


@pytest.mark.parametrize("between", [b"", bytes(8), bytes(70_000)])
@pytest.mark.parametrize("end", [b"", bytes(4), bytes(513)])
def test_zeros_after_a_compressed_stream_only_fill_it_up(tmp_path: Path, kind: str, between: bytes, end: bytes) -> None:
    path = tmp_path / f"a.jsonl.{kind}"
    path.write_bytes(PACKERS[kind](lines(3)) + between + PACKERS[kind](lines(2)) + end)
    corpus = open_corpus(path)
    assert len(corpus) == 5
    assert not corpus.problems


@pytest.mark.parametrize("size", [1, 3, 1 << 20])
def test_streams_come_out_whole_in_pieces_of_any_size(kind: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "PIECE", 7)
    monkeypatch.setattr(unpack, "CHUNK", size)
    first, second = b"a" * 3000, os.urandom(300)
    packed = io.BytesIO(PACKERS[kind](first) + bytes(3) + PACKERS[kind](second) + bytes(9))
    pieces = list(unpack.pieces_of(packed, NAMES[kind]))
    assert kind == "gz" or max(map(len, pieces)) <= size
    assert b"".join(pieces) == first + second


@pytest.mark.parametrize("other", [b"x", b"something else than a log\n" * 5000])
def test_something_else_after_a_compressed_stream_is_one_problem(tmp_path: Path, kind: str, other: bytes) -> None:
    packed = PACKERS[kind](lines(3))
    path = tmp_path / f"a.jsonl.{kind}"
    path.write_bytes(packed + bytes(2) + other)
    corpus = open_corpus(path)
    assert [info.id for info in corpus] == ["r0", "r1", "r2"]
    assert [problem.reason for problem in corpus.problems] == [
        f"the compressed file is damaged: what follows its first {len(packed) + 2:,} bytes is no {NAMES[kind]}"
    ]


def test_a_second_stream_of_which_only_the_first_bytes_are_there_is_torn(tmp_path: Path, kind: str) -> None:
    packed = PACKERS[kind](lines(3))
    for size in (1, 2, 6):
        path = tmp_path / f"{size}.jsonl.{kind}"
        path.write_bytes(packed + packed[:size])
        corpus = open_corpus(path)
        assert len(corpus) == 3
        assert ["torn" in problem.reason for problem in corpus.problems] == [True]


def test_zstd_frames_to_be_skipped_may_stand_anywhere(tmp_path: Path) -> None:
    skipped = bytes.fromhex("532a4d18 05000000") + b"hello"
    for number, data in enumerate((skipped + zstd.compress(lines(3)), skipped * 2 + zstd.compress(lines(3)) + skipped)):
        (tmp_path / f"{number}.jsonl.zst").write_bytes(data)
        corpus = open_corpus(tmp_path / f"{number}.jsonl.zst")
        assert len(corpus) == 3
        assert not corpus.problems


def test_an_empty_compressed_file_holds_no_records(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.jsonl.{kind}"
    path.write_bytes(PACKERS[kind](b""))
    assert [problem.reason for problem in open_corpus(path).problems] == ["the file holds no records"]


@pytest.mark.usefixtures("in_memory")
def test_what_was_let_go_is_unpacked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "MOST_BYTES", 3000)
    for i in range(9):
        (tmp_path / f"{i}.jsonl.gz").write_bytes(gzip.compress(lines(10)))
    corpus = open_corpus(tmp_path)
    assert 0 < sum(kept.size for kept in unpack.kept_files.values()) <= 3000
    for info in corpus:
        assert corpus.load(info).id == info.id


def test_of_many_files_unpacked_to_disk_only_some_stay_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "IN_MEMORY", 10)
    monkeypatch.setattr(unpack, "MOST", 4)
    for i in range(20):
        (tmp_path / f"{i}.jsonl.gz").write_bytes(gzip.compress(lines(1)))
    before = psutil.Process().num_fds()
    corpus = open_corpus(tmp_path)
    assert psutil.Process().num_fds() <= before + 4
    assert [corpus.load(info).id for info in corpus] == [info.id for info in corpus]
    assert psutil.Process().num_fds() <= before + 4
    assert len(corpus) == 20


def test_how_much_came_out_of_a_file_is_known_in_bytes_of_utf8(tmp_path: Path) -> None:
    for name, data in (("a", lines(3)), ("b", lines(3).decode().encode("utf-16"))):
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress(data))
    assert len(open_corpus(tmp_path)) == 6
    sizes = [unpack.size_unpacked(tmp_path / f"{name}.jsonl.gz") for name in "abc"]
    assert sizes == [len(lines(3)), len(lines(3)), None]


def test_nothing_is_left_in_the_folder_for_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "IN_MEMORY", 100)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(lines(100)))
    assert len(open_corpus(tmp_path / "a.jsonl.gz")) == 100
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_full_disk_is_one_problem_that_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "IN_MEMORY", 100)
    monkeypatch.setattr(unpack, "SPARE", 1 << 80)
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(lines(100)))
    corpus = open_corpus(tmp_path)
    assert ["no room" in problem.reason and "TMPDIR" in problem.hint for problem in corpus.problems] == [True]


def test_unpacking_says_how_far_it_is_and_can_be_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(lines(2000, 3000), 1))
    corpus = Corpus([path])
    seen: list[int] = []
    really = unpack.Unpacked.unpack

    def watched(work: Any, file: Any, where: Path, tell: Any) -> None:
        def told(done: int) -> None:
            tell(done)
            seen.append(corpus.bytes_done)
            if len(seen) == 3:
                corpus.cancel()

        really(work, file, where, told)

    monkeypatch.setattr(unpack.Unpacked, "unpack", watched)
    corpus.start()
    assert corpus.wait(20)
    assert len(seen) in (3, 4)
    assert 0 < seen[0] < seen[-1] < path.stat().st_size
    assert len(corpus) == 0


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_what_is_read_of_a_packed_file_grows_to_its_size(tmp_path: Path, kind: str, encoding: str) -> None:
    path = tmp_path / f"a.jsonl.{kind}"
    path.write_bytes(PACKERS[kind](lines(200).decode().encode(encoding)))
    corpus, size = Corpus([path]), path.stat().st_size
    read = [corpus.bytes_done for _ in corpus.stream()]
    assert len(read) == 200
    assert read == sorted(read)
    assert size // 2 <= read[1] < size * 0.52
    assert size * 0.72 < read[100] < size * 0.78
    assert corpus.bytes_done == size


def test_how_much_there_is_to_read_is_known_of_files_only(tmp_path: Path) -> None:
    packed, plain = tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl"
    packed.write_bytes(gzip.compress(lines(10)))
    plain.write_bytes(lines(10))

    def total(*paths: Path, **more: Any) -> int:
        corpus = Corpus([*paths], **more)
        corpus.start()
        assert corpus.wait(20)
        return corpus.bytes_total

    assert total(packed, plain) == packed.stat().st_size + plain.stat().st_size
    assert total(tmp_path) == total(packed, tmp_path) == total(packed, tmp_path / "nothing") == 0


def test_a_text_in_another_encoding_that_was_packed_and_cut_has_one_problem(tmp_path: Path, kind: str) -> None:
    whole = PACKERS[kind](lines(200).decode().encode("utf-16"))
    path = tmp_path / f"a.jsonl.{kind}"
    path.write_bytes(whole)
    assert not open_corpus(path).problems
    path.write_bytes(whole[: len(whole) * 3 // 4])
    corpus = open_corpus(path)
    assert 0 < len(corpus) < 200 or kind in ("bz2", "xz", "zst")
    assert [problem.reason for problem in corpus.problems] == [
        "the compressed file is torn: it ends before it is complete"
    ]


def test_threads_that_want_the_same_file_have_it_unpacked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(lines(3)))
    begun, may_go_on, times = Event(), Event(), []
    really = unpack.Unpacked.unpack

    def slowly(*given: Any) -> Any:
        times.append(1)
        begun.set()
        assert may_go_on.wait(20)
        return really(*given)

    monkeypatch.setattr(unpack.Unpacked, "unpack", slowly)
    with ThreadPoolExecutor() as threads:
        found = [threads.submit(open_corpus, path)]
        assert begun.wait(20)
        assert unpack.share_unpacked(path) == 0
        assert unpack.share_unpacked(tmp_path) is None
        found += [threads.submit(open_corpus, path) for _ in range(2)]
        may_go_on.set()
        assert [len(each.result()) for each in found] == [3, 3, 3]
    assert len(times) == 1
    assert unpack.share_unpacked(path) is None


def test_who_waits_for_the_unpacking_of_another_thread_can_be_called_off_and_takes_over_where_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl.gz"
    data = lines(3)
    path.write_bytes(gzip.compress(data))
    begun, may_go_on = Event(), Event()
    really = unpack.Unpacked.unpack

    def given_up(*given: Any) -> Any:
        monkeypatch.setattr(unpack.Unpacked, "unpack", really)
        begun.set()
        assert may_go_on.wait(20)
        raise Stop

    class Stop(Exception):
        pass

    def stop(done: int) -> None:
        raise Stop

    monkeypatch.setattr(unpack.Unpacked, "unpack", given_up)
    monkeypatch.setattr(unpack, "LOOK_AGAIN", 0.01)
    with ThreadPoolExecutor() as threads:
        first = threads.submit(open_source, path)
        assert begun.wait(20)
        with pytest.raises(Stop):
            open_source(path, stop)
        third = threads.submit(open_source, path)
        may_go_on.set()
        with pytest.raises(Stop):
            first.result()
        assert third.result().read() == data


def test_what_a_file_held_before_it_grew_is_let_go(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    for count in range(1, 4):
        path.write_bytes(gzip.compress(lines(count)))
        assert len(open_corpus(path)) == count
    assert sum(key[0] == path for key in unpack.kept_files) == 1


def test_an_inspect_log_with_zstd_members_opens(tmp_path: Path) -> None:
    sample = {"id": "s1", "epoch": 1, "input": "x", "target": "y", **chat("s1")}
    with zipfile.ZipFile(tmp_path / "log.eval", "w", compression=zipfile.ZIP_ZSTANDARD) as archive:
        archive.writestr("header.json", "{}")
        for i in range(30):
            archive.writestr(f"samples/{i}_epoch_1.json", json.dumps({**sample, "id": f"s{i}"}))
    corpus = open_corpus(tmp_path)
    assert not corpus.problems
    assert len(corpus) == 30
    assert {info.format for info in corpus} == {"inspect"}
    assert corpus.load(corpus[29]).transcripts[0].messages[0].text == "hi"


@pytest.mark.parametrize("method", ["ZIP_DEFLATED", "ZIP_BZIP2", "ZIP_LZMA", "ZIP_ZSTANDARD"])
def test_damage_in_an_archive_is_a_problem_and_the_other_members_open(tmp_path: Path, method: str) -> None:
    whole = tmp_path / "whole.eval"
    with zipfile.ZipFile(whole, "w", compression=getattr(zipfile, method)) as archive:
        for i in range(5):
            archive.writestr(f"samples/{i}.json", json.dumps(chat(f"r{i}", os.urandom(400).hex())))
    data = whole.read_bytes()
    for at in range(0, len(data), 37):
        damaged = data[:at] + bytes(255 - each for each in data[at : at + 5]) + data[at + 5 :]
        (tmp_path / "a.eval").write_bytes(damaged)
        corpus = open_corpus(tmp_path / "a.eval")
        assert len(corpus) + len(corpus.problems) >= 1
        for info in corpus:
            corpus.raw(info)


@pytest.mark.parametrize(
    ("name", "suffix"),
    [("a.JSONL.gz", ".jsonl"), ("a.json", ".json"), ("a.gz", ""), ("a", ""), ("a.b.yaml.ZST", ".yaml"), (".gz", "")],
)
def test_the_suffix_of_a_log_is_the_one_before_the_compression(name: str, suffix: str) -> None:
    assert log_suffix(name) == suffix
