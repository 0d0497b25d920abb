"""What may come out of a compressed file, and which links are followed: by default, and where a person chooses."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from trajview import open_corpus
from trajview.corpus import bounds, unpack
from trajview.corpus.bounds import BOUNDS
from trajview.corpus.cache import SummaryCache
from trajview.corpus.corpus import Corpus
from trajview.corpus.query import Query
from trajview.corpus.search import RunMatches
from trajview.corpus.search_process import SearchProcess

from .logs import chat, ids, write_lines
from .test_unpack import PACKERS, lines

MEGA = 1 << 20


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A megabyte may come out of any file."""
    monkeypatch.setattr(bounds, "ALWAYS", MEGA)
    yield
    BOUNDS.max_unpacked = BOUNDS.follow_links = None
    unpack.kept_files.clear()


@pytest.mark.parametrize("kind", PACKERS)
def test_of_a_small_file_that_would_fill_the_disk_one_sentence_is_left_and_more_can_be_allowed(
    tmp_path: Path, kind: str
) -> None:
    bomb = tmp_path / f"a.jsonl.{kind}"
    bomb.write_bytes(PACKERS[kind](json.dumps(chat("r", "x" * 8 * MEGA)).encode() + b"\n"))
    write_lines(tmp_path / "b.jsonl", [chat("b")])
    corpus = open_corpus(tmp_path)
    assert ids(corpus) == ["b"]
    [problem] = corpus.problems
    assert problem.where.path == bomb
    assert "not unpacked: more than" in problem.reason
    assert "--max-unpacked" in problem.hint
    BOUNDS.max_unpacked = 10 * MEGA
    assert ids(open_corpus(tmp_path)) == ["r", "b"]


@pytest.mark.parametrize("kind", PACKERS)
def test_a_log_that_repeats_itself_opens_by_default(tmp_path: Path, kind: str) -> None:
    data = lines(60, 300) * 60  # 2.5 MB
    (tmp_path / f"a.jsonl.{kind}").write_bytes(
        b"".join(PACKERS[kind](data[at : at + MEGA // 4]) for at in range(0, len(data), MEGA // 4))
    )
    corpus = open_corpus(tmp_path)
    assert not corpus.problems
    assert len(corpus) == 3600


def test_where_the_disk_is_nearly_full_what_is_kept_of_other_files_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpack, "IN_MEMORY", 100)
    for name in "ab":
        (tmp_path / f"{name}.jsonl.gz").write_bytes(PACKERS["gz"](lines(50)))
    assert len(open_corpus(tmp_path / "a.jsonl.gz")) == 50
    monkeypatch.setattr(unpack, "has_room", lambda _: len(unpack.kept_files) < 2)
    assert len(open_corpus(tmp_path / "b.jsonl.gz")) == 50
    assert [path.name for path, *_ in unpack.kept_files] == ["b.jsonl.gz"]


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_that_would_fill_the_memory_is_a_problem_and_the_others_open(tmp_path: Path, method: int) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("samples/1.json", json.dumps(chat("bomb", "x" * 8 * MEGA)))
        archive.writestr("samples/2.json", json.dumps(chat("two")))
    corpus = open_corpus(path)
    assert ids(corpus) == ["two"]
    [problem] = corpus.problems
    assert "samples/1.json is not unpacked: more than" in problem.reason
    BOUNDS.max_unpacked = 10 * MEGA
    assert ids(open_corpus(path)) == ["bomb", "two"]


def test_a_member_that_claims_to_be_small_is_unpacked_no_further(tmp_path: Path) -> None:
    path, size = tmp_path / "a.eval", 8 * MEGA
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/1.json", b" " * size)
    path.write_bytes(path.read_bytes().replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little")))
    corpus = open_corpus(path)
    assert not len(corpus)
    assert "Bad CRC" in corpus.problems[0].reason


def test_of_many_members_only_as_many_are_unpacked_as_may_come_out_of_the_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        for number in range(20):
            archive.writestr(f"samples/{number}.json", json.dumps(chat(f"r{number}", "x" * (MEGA - 1000))))
    corpus = open_corpus(path)
    assert ids(corpus) == ["r0", "r1", "r2", "r3"]
    [problem] = corpus.problems
    assert "what follows 4 of its members is not unpacked" in problem.reason


def test_what_was_refused_once_is_read_again_where_more_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("samples/1.json", json.dumps(chat("one", "x" * 8 * MEGA)))
        archive.writestr("samples/2.json", json.dumps(chat("two")))
    found = []
    for allowed in (None, None, 10 * MEGA):
        BOUNDS.max_unpacked = allowed
        corpus = Corpus([path], SummaryCache(tmp_path / "cache"))
        corpus.scan()
        found.append(ids(corpus))
    assert found == [["two"], ["two"], ["one", "two"]]


# --- links


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A folder with two links out of it and two within it."""
    folder = tmp_path / "logs"
    (folder / "real").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    for path in (folder / "a.jsonl", folder / "real" / "b.jsonl", tmp_path / "elsewhere" / "c.jsonl"):
        write_lines(path, [chat(path.stem, "needle")])
    (folder / "out").symlink_to(tmp_path / "elsewhere")
    (folder / "out.jsonl").symlink_to("../elsewhere/c.jsonl")
    (folder / "within").symlink_to("real")
    (folder / "within.jsonl").symlink_to(folder / "a.jsonl")
    (folder / "up").symlink_to(folder)
    (tmp_path / "logs2").mkdir()  # whose name begins with that of the folder
    write_lines(tmp_path / "logs2" / "d.jsonl", [chat("d")])
    (folder / "d.jsonl").symlink_to(tmp_path / "logs2" / "d.jsonl")
    return folder


def test_links_out_of_a_folder_are_left_out_and_counted_unless_they_are_to_be_followed(logs: Path) -> None:
    corpus = open_corpus(logs)
    assert [info.source for info in corpus] == ["a.jsonl", "real/b.jsonl", "within.jsonl"]
    [problem] = corpus.problems
    assert problem.reason == "3 links that lead out of this folder are left out"
    assert (problem.where.path, "--follow-links" in problem.hint) == (logs, True)
    BOUNDS.follow_links = True
    corpus = open_corpus(logs)
    assert not corpus.problems
    assert [info.source for info in corpus] == [
        "a.jsonl", "d.jsonl", "out/c.jsonl", "out.jsonl", "real/b.jsonl", "within.jsonl",
    ]  # fmt: skip


def test_a_link_that_is_named_is_followed_and_so_is_one_into_another_folder_that_is_named(logs: Path) -> None:
    assert ids(open_corpus(logs / "out")) == ["c"]
    assert ids(open_corpus(logs / "out.jsonl")) == ["c"]
    [problem] = open_corpus(logs, logs.parent / "logs2").problems
    assert problem.reason.startswith("2 links")
    assert not open_corpus(logs, logs.parent).problems


def test_a_search_in_another_process_follows_the_same_links(logs: Path) -> None:
    def found() -> int:
        return sum(isinstance(item, RunMatches) for item in SearchProcess([logs], Query("needle")).found())

    assert found() == 3
    BOUNDS.follow_links = True
    assert found() == 5


def test_what_may_come_out_of_a_file_grows_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    sizes = [1_000, 320_000, 10_000_000, 300_000_000]
    assert [bounds.most_unpacked(size) // 10**6 for size in sizes] == [268, 320, 4_294, 75_000]
    assert [bounds.most_unpacked(size, in_memory=True) // 10**6 for size in sizes] == [268, 268, 2_500, 75_000]
