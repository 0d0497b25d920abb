"""Which files of a folder are opened, and in which order."""

from __future__ import annotations

import gzip
import os
import re
import socket
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trajview import open_corpus
from trajview.corpus.unpack import log_suffix
from trajview.corpus.walk import natural_key

LOG = '{"id": "x", "messages": [{"role": "user", "content": "hi"}]}'


def make(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(LOG)


def sources(*paths: Path) -> list[str]:
    return [info.source for info in open_corpus(*paths)]


def test_a_folder_is_walked_depth_first_in_natural_order(tmp_path: Path) -> None:
    make(tmp_path, "run10.json", "run9.json", "b/2.json", "b/10.json", "A.json", "c.json")
    assert sources(tmp_path) == ["A.json", "b/2.json", "b/10.json", "c.json", "run9.json", "run10.json"]


def test_files_that_describe_a_dataset_are_no_runs(tmp_path: Path) -> None:
    make(
        tmp_path, "train/dataset_info.json", "train/state.json", "train/rows.json", "dataset_dict.json", "b/state.json"
    )
    assert sources(tmp_path) == ["b/state.json", "train/rows.json"]
    assert sources(tmp_path / "dataset_dict.json") == [str(tmp_path / "dataset_dict.json")], "named, it is opened"


def test_the_data_folder_of_sotopia_lists_episodes_and_not_what_they_name(tmp_path: Path) -> None:
    make(
        tmp_path, "EpisodeLog/1.json", "AgentProfile/a.json", "EnvironmentProfile/e.json", "AnnotationForEpisode/1.json"
    )
    assert sources(tmp_path) == ["EpisodeLog/1.json"]


def test_natural_order_takes_digits_of_any_script_and_length() -> None:
    names = ["a²", "a1", "a" + "9" * 200, "٣", "A1", "a01", ""]
    assert sorted(names, key=natural_key)[:4] == ["", "A1", "a01", "a1"]


def plainly(name: str) -> tuple[object, ...]:
    """What natural order is, part by part: texts without regard to capitals, numbers by their value before the end."""
    parts = re.split("([0-9]+)", name)
    return (*((0, int(part), "") if i % 2 else (1, 0, part.casefold()) for i, part in enumerate(parts)), (2, 0, name))


NAMES = st.one_of(
    st.from_regex(r"\A[aA]-?[0-9]{2}[.]?j?[0-9]?\Z"),  # numbers at the same places, or nearly
    st.from_regex(r"\A[0-9]{1,3}[aA][0-9]{1,2}[.]j?\Z"),
    st.from_regex(r"\Arun_[0-9]{1,3}(-[1-3])?\Z"),  # a number of any length, and maybe another one
    st.from_regex(r"\A[12]-[0-9]{1,2}\Z"),
    st.text(st.sampled_from("aAbß0129.-_ \t\1\2²\udc80"), min_size=1, max_size=8),
)


@given(st.sets(NAMES, max_size=8))
@example({"a1.j", "a2.j5", "a2.j-", "a2.j"})
@example({"A01", "a01", "a00", "A00"})
@example({"a", "a1", "a01", "a001"})
@example({"r0", "r1", "r00", "r10", "r9"})
@example({"1-10", "2-3", "1-9"})
@example({"r10-2", "r9-3", "r9-2"})
def test_many_names_are_ordered_as_each_of_them_by_its_parts(names: set[str]) -> None:
    expected = sorted(names, key=plainly)
    assert sorted(names, key=natural_key) == expected


@pytest.mark.parametrize("name", ["{:05}.json", "run_{}.json", "Lauf_ä{}-{}.jsonl"])
def test_thousands_of_names_are_in_natural_order(name: str) -> None:
    names = [name.format(number * 7919 % 5000, number) for number in range(5000)]
    assert sorted(names, key=natural_key) == sorted(names, key=plainly)


def test_hidden_things_and_what_is_no_log_are_skipped_and_counted(tmp_path: Path) -> None:
    make(tmp_path, "a.json", ".hidden.json", ".git/x.json", "notes.txt", "run.log", "b.JSONL")
    corpus = open_corpus(tmp_path)
    assert [info.source for info in corpus] == ["a.json", "b.JSONL"]
    assert corpus.skipped == 4
    assert not corpus.problems


@pytest.mark.parametrize("logs", [0, 3, 500])
def test_among_many_files_that_are_no_logs_those_that_are_and_folders_are_found(tmp_path: Path, logs: int) -> None:
    for number in range(400):
        (tmp_path / f"{number}.txt").touch()
    (tmp_path / "run.d").mkdir()
    make(
        tmp_path,
        *(f"log{number}.json" for number in range(logs)),
        "run.d/a.json",
        "b.JSON",
        "n/a.json",
        "no.json/x.json",
    )
    (tmp_path / "c.txt").symlink_to("run.d")
    (tmp_path / "d.jsonl.gz").write_bytes(gzip.compress(LOG.encode()))
    (tmp_path / "l").touch()
    (tmp_path / ".hidden").touch()
    corpus = open_corpus(tmp_path)
    assert [info.source for info in corpus] == [
        "b.JSON",
        "c.txt/a.json",
        "d.jsonl.gz",
        *(f"log{number}.json" for number in range(logs)),
        "n/a.json",
        "no.json/x.json",
    ]
    assert corpus.skipped == 402
    assert not corpus.problems


def test_the_suffix_is_that_of_the_name_without_a_compression() -> None:
    names = {
        "a.json": ".json", "a.JSONL.GZ": ".jsonl", "a.gz": "", "a": "", "a.": ".", "a.b.yaml": ".yaml", ".json": "",
        ".a.json": ".json", "a.json.xz.gz": ".xz", "..json": "", "a..gz": ".",
    }  # fmt: skip
    assert {name: log_suffix(name) for name in names} == names


def test_a_file_that_is_named_is_always_tried(tmp_path: Path) -> None:
    make(tmp_path, ".hidden.txt", "AnnotationForEpisode/x.json")
    assert len(open_corpus(tmp_path / ".hidden.txt", tmp_path / "AnnotationForEpisode" / "x.json")) == 2


def test_an_annotation_store_is_never_listed(tmp_path: Path) -> None:
    make(
        tmp_path,
        "annotations/AnnotationForEpisode/x.json",
        "annotations/journal/me.jsonl",
        "annotations/units/me/x.json",
        "journal/log.jsonl",
        "units/a.json",
        "a.json",
    )
    assert sources(tmp_path) == ["a.json", "journal/log.jsonl", "units/a.json"]
    [problem] = open_corpus(tmp_path / "annotations" / "AnnotationForEpisode").problems
    assert "annotation store" in problem.reason


def test_a_store_that_holds_only_drafts_is_not_listed(tmp_path: Path) -> None:
    make(tmp_path, "a.json", "units/me/x.json")
    (tmp_path / "journal").mkdir()
    (tmp_path / "journal" / "me.jsonl").write_text('{"time": "2026-01-01T00:00:00.000+00:00", "event": "draft"}\n')
    assert sources(tmp_path) == ["a.json"]


def test_several_folders_show_which_one_a_run_is_in(tmp_path: Path) -> None:
    make(tmp_path, "one/a.json", "two/a.json")
    assert sources(tmp_path / "two", tmp_path / "one") == [f"{tmp_path}/two/a.json", f"{tmp_path}/one/a.json"]


def test_what_is_given_twice_is_listed_once(tmp_path: Path) -> None:
    make(tmp_path, "a.json", "b.json")
    assert len(open_corpus(tmp_path, tmp_path / "a.json", tmp_path)) == 2


def test_a_link_to_itself_is_a_problem_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to("a.json")
    [problem] = open_corpus(tmp_path).problems
    assert "symbolic links" in problem.reason
    assert "ls -l" in problem.hint


def test_loops_of_symbolic_links_end(tmp_path: Path) -> None:
    make(tmp_path, "d/a.json")
    (tmp_path / "d" / "up").symlink_to(tmp_path)
    (tmp_path / "self.json").symlink_to("self.json")
    (tmp_path / "gone.json").symlink_to("nowhere.json")
    corpus = open_corpus(tmp_path)
    assert [info.source for info in corpus] == ["d/a.json"]
    assert sorted(str(problem.where.path).rsplit("/", 1)[1] for problem in corpus.problems) == [
        "gone.json",
        "self.json",
    ]


def test_pipes_and_sockets_are_never_opened(tmp_path: Path) -> None:
    make(tmp_path, "a.json")
    os.mkfifo(tmp_path / "pipe.json")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "s.json"))
        assert sources(tmp_path) == ["a.json"]
        assert open_corpus(tmp_path).skipped == 2
    [problem] = open_corpus(tmp_path / "pipe.json").problems
    assert "named pipe" in problem.reason


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_a_problem_and_the_rest_opens(tmp_path: Path) -> None:
    make(tmp_path, "a.json", "b.json", "c/d.json")
    (tmp_path / "a.json").chmod(0)
    (tmp_path / "c").chmod(0)
    try:
        corpus = open_corpus(tmp_path)
    finally:
        (tmp_path / "c").chmod(0o755)
    assert [info.source for info in corpus] == ["b.json"]
    assert [problem.reason for problem in corpus.problems] == ["permission denied"] * 2


def test_a_path_that_does_not_exist_is_a_problem(tmp_path: Path) -> None:
    assert [problem.reason for problem in open_corpus(tmp_path / "none").problems] == ["no such file or directory"]
    assert len(open_corpus(Path("nul\0byte")).problems) == 1


def test_a_file_name_that_is_no_utf8_gives_an_id_that_models_can_hold(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9.json"
    try:
        with open(name, "w") as file:
            file.write('{"messages": [{"role": "user", "content": "hi"}]}')
    except OSError:
        pytest.skip("this file system only takes UTF-8 names")
    corpus = open_corpus(tmp_path)
    assert corpus.load(corpus[0]).id == corpus[0].id == "caf\ufffd"


def test_folders_in_folders_are_walked_however_deep(tmp_path: Path) -> None:
    deepest = str(tmp_path)
    for _ in range(600):
        deepest += "/a"
        os.mkdir(deepest)
    Path(deepest, "x.json").write_text(LOG)
    (tmp_path / "b.json").write_text(LOG)
    assert sources(tmp_path) == ["a/" * 600 + "x.json", "b.json"]
