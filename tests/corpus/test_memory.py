"""What does not fit into memory is said, and large files are looked at without being decoded."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from trajview import open_corpus
from trajview.corpus import json_lines, json_records, lines, memory, reader, scan
from trajview.corpus.corpus import Corpus
from trajview.errors import UnreadableError
from trajview.formats import logged


def chats(count: int) -> list[dict[str, Any]]:
    return [{"id": f"r{n}", "messages": [{"role": "user", "content": "é" * n}] * (n + 1), "n": n} for n in range(count)]


def test_a_file_that_is_too_large_to_be_split_is_a_problem_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "SMALL", 100)
    monkeypatch.setattr(memory, "available", lambda: 1000)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(chats(9), indent=1))
    corpus = open_corpus(path)
    assert len(corpus) == 0
    assert "0 MB of memory are free" in str(corpus.problems[0])
    assert "jq -c '.[]'" in corpus.problems[0].hint
    path.write_text(json.dumps(chats(9)[8], indent=1))  # of one run, that would make lines that are no records
    corpus = open_corpus(path)
    assert "0 MB of memory are free" in str(corpus.problems[0])
    assert "jq" not in corpus.problems[0].hint
    assert "where there is more memory" in corpus.problems[0].hint
    log = tmp_path / "a.jsonl"
    log.write_text("\n".join(map(json.dumps, chats(9))))
    corpus = open_corpus(log)
    assert len(corpus) == 9
    assert len(corpus.load(corpus[2]).transcripts[0].messages) == 3
    with pytest.raises(UnreadableError, match="opening it takes 4 times that"):
        corpus.load(corpus[8])


def test_the_memory_that_is_there_is_known() -> None:
    assert 1 << 20 < memory.available() < 1 << 62


@pytest.mark.parametrize("version", [1, 2])
def test_memory_that_a_container_may_not_have_is_not_free(tmp_path: Path, version: int) -> None:
    base = tmp_path if version == 2 else tmp_path / "memory"
    group = base / "outer" / "inner"
    group.mkdir(parents=True)
    names = {
        2: ("memory.max", "memory.current", "inactive_file"),
        1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    }
    most, used, cached = names[version]
    for folder, limit in ((base, "max"), (group.parent, "1000"), (group, "5000")):
        (folder / most).write_text(f"{limit}\n")
        (folder / used).write_text("700\n")
        (folder / "memory.stat").write_text(f"file 50\n{cached} 40\n")
    own = tmp_path / "cgroup"
    own.write_text("7:cpu:/x\n0::/outer/inner\n" if version == 2 else "4:memory:/outer/inner\n0::/\n")
    assert memory.free_in_group(own, tmp_path) == 340
    own.write_text("0::/../elsewhere\nodd\n")  # what is not to be seen has no limit
    assert memory.free_in_group(own, tmp_path) > 1 << 60
    assert memory.free_in_group(tmp_path / "none", tmp_path) > 1 << 60


PROGRAM = """
import resource, sys
from trajview.cli.front import run
from trajview.corpus import memory
most = 220
if sys.argv.pop(1) == "unasked":  # what is refused then is the reading of both lines
    memory.free_in_process, most = lambda: 1 << 62, 160
resource.setrlimit(resource.RLIMIT_AS, (most << 20, resource.RLIM_INFINITY))
run()
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Two records of 75 MB each, in an array and on lines."""
    folder = tmp_path_factory.mktemp("large")
    record = json.dumps({"id": "r", "messages": [{"role": "user", "content": "words " * 12_500_000}]})
    for name, parts in {"large.json": ("[", record, ",", record, "]"), "large.jsonl": (record, "\n", record)}.items():
        with (folder / name).open("w") as file:
            file.writelines(parts)
    yield folder
    for path in folder.iterdir():
        path.unlink()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit is not kept, or cannot be asked for")
@pytest.mark.parametrize("asked", ["asked", "unasked"])
@pytest.mark.parametrize(
    ("command", "name"),
    [("ls", "large.json"), ("validate", "large.jsonl"), ("export", "large.json"), ("search", "large.jsonl")],
)
def test_a_program_that_may_not_have_the_memory_says_so_in_one_line(
    large: Path, command: str, asked: str, name: str
) -> None:
    line = [
        sys.executable,
        "-c",
        PROGRAM,
        asked,
        command,
        *(["words"] if command == "search" else []),
        str(large / name),
    ]
    done = subprocess.run(line, capture_output=True, timeout=100)
    assert done.returncode in (1, 2)
    told = (done.stderr or done.stdout).decode().splitlines()
    assert "memory" in told[0]
    assert len(told) <= 3
    assert not any("Traceback" in each for each in told)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit is not kept, or cannot be asked for")
@pytest.mark.parametrize(("name", "megabytes"), [("large.json", 270), ("large.jsonl", 400)])
def test_a_text_for_which_there_is_no_room_ends_no_program(large: Path, name: str, megabytes: int) -> None:
    program = PROGRAM.replace("220", str(megabytes))
    line = [sys.executable, "-c", program, "asked", "show", str(large / name)]
    done = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=100)
    assert done.returncode in (0, 1, 2)
    assert all("memory" in told for told in done.stderr.decode().splitlines())


@pytest.mark.parametrize("text", ["x" * 400, '\\"' * 200, "é" * 200])
def test_a_long_text_is_found_wherever_it_is(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "SMALL", 100)
    monkeypatch.setattr(memory, "available", lambda: 300)
    many = json.dumps(["short", {"a": "b" * 40}] * 30).encode()
    memory.check_texts(many)
    memory.check_texts(b"[]")
    for value in ([text], ["a" * 90, text, "b"], {"k": [1, 2, {"x": text}]}, {text: 1}):
        for before in range(0, 300, 37):
            data = json.dumps(["s"] * before).encode() + json.dumps(value, ensure_ascii=False).encode()
            with pytest.raises(MemoryError):
                memory.check_texts(data)
            monkeypatch.setattr(memory, "available", lambda: 1 << 40)
            memory.check_texts(data)
            monkeypatch.setattr(memory, "available", lambda: 300)


def test_a_line_with_a_text_that_does_not_fit_is_left_out_and_the_rest_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "SMALL", 100)
    monkeypatch.setattr(memory, "available", lambda: 3000)
    long = {"id": "long", "messages": [{"role": "user", "content": "x" * 1500}]}
    for name, text in {
        "a.jsonl": "\n".join(map(json.dumps, [*chats(2), long, *chats(2)])),
        "a.json": json.dumps([*chats(2), long]),
    }.items():
        (tmp_path / name).write_text(text)
        corpus = open_corpus(tmp_path / name)
        assert [info.id for info in corpus][:2] == ["r0", "r1"]
        assert [("memory" in problem.reason, problem.where.line) for problem in corpus.problems] == [
            (True, 3 if name == "a.jsonl" else 1)
        ]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("several", [True, False])
@pytest.mark.parametrize("long", [1 << 16, 10])
def test_large_files_list_the_same_as_small_ones_and_decode_nothing(
    indent: int | None, several: bool, long: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = chats(9)
    path = tmp_path / "a.json"
    path.write_text(
        " \n " * 5 + json.dumps(records if several else records[3], indent=indent, ensure_ascii=False) + " \n"
    )
    expected = list(open_corpus(path))
    assert [info.messages for info in expected] == ([*range(1, 10)] if several else [4])
    monkeypatch.setattr(logged, "LARGE", 0)
    monkeypatch.setattr(lines, "LONG", long)
    decoded: list[int] = []
    decode = json_records.decode_json
    for module in (json_records, json_lines):
        monkeypatch.setattr(module, "decode_json", lambda data: [decoded.append(len(data)), decode(data)][1])
    corpus = open_corpus(path)
    assert list(corpus) == expected
    assert sum(decoded) < 200
    for info in corpus:
        assert json.loads(corpus.raw(info)) == records[info.record if several else 3]


def test_elements_that_a_quick_look_does_not_know_are_decoded(tmp_path: Path) -> None:
    records = [*chats(3), {"messages": 5}, {"pk": 1}, *chats(5)[3:]]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(records))
    corpus = open_corpus(path)
    assert [info.id for info in corpus] == ["r0", "r1", "r2", "a#3", "a#4", "r3", "r4"]
    assert [info.messages for info in corpus][-2:] == [4, 5]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The runs that were read from their files to be opened."""
    found: list[str] = []
    for name in ("value_of", "bytes_of"):
        read = getattr(reader, name)
        note = lambda info, *given, read=read, **more: found.append(info.id) or read(info, *given, **more)  # noqa: E731
        monkeypatch.setattr(reader, name, note)
    return found


def test_the_only_record_is_decoded_once_and_its_value_kept_for_one_opening(
    tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "LARGE", 10)
    monkeypatch.setattr(reader, "UNDECODED_FROM", 10)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(chats(9)[4]))
    corpus = Corpus([path])
    corpus.start()
    assert corpus.wait(10)
    assert len(corpus.load(corpus[0]).transcripts[0].messages) == 5
    assert reads == []
    assert len(corpus.read(corpus[0]).transcripts[0].messages) == 5
    assert reads == ["r4"]


def test_the_value_of_a_file_that_has_changed_since_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "LARGE", 10)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(chats(9)[4]))
    corpus = Corpus([path])
    corpus.start()
    assert corpus.wait(10)
    path.write_text(json.dumps({**chats(9)[4], "id": "changed!"}))
    with pytest.raises(UnreadableError, match="changed"):
        corpus.load(corpus[0])


def test_of_several_records_none_is_kept(tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "LARGE", 10)
    for name in "ab":
        (tmp_path / f"{name}.json").write_text(json.dumps(chats(9)[4]))
    corpus = Corpus([tmp_path / "a.json", tmp_path / "b.json"])
    corpus.start()
    assert corpus.wait(10)
    for info in corpus:
        corpus.load(info)
    assert reads == ["r4", "r4"]


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_line_that_does_not_fit_is_left_out_and_the_rest_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    monkeypatch.setattr(lines, "CHUNK", 100)
    monkeypatch.setattr(lines, "LONG", 1000)
    monkeypatch.setattr(lines, "fits", lambda size: size < 5000)
    records = chats(3)
    records[at]["messages"] *= 200
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    corpus = open_corpus(path)
    assert [info.id for info in corpus] == [f"r{i}" for i in range(3) if i != at]
    (problem,) = corpus.problems
    assert problem.where.line == at + 1
    assert "memory" in problem.reason
    assert [json.loads(corpus.raw(info))["id"] for info in corpus] == [info.id for info in corpus]


def test_a_long_line_is_opened_as_it_is_in_the_file(
    tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "CHUNK", 100)
    monkeypatch.setattr(lines, "LONG", 1000)
    monkeypatch.setattr(scan, "LARGE", 10)
    monkeypatch.setattr(logged, "LARGE", 10)
    monkeypatch.setattr(reader, "UNDECODED_FROM", 10)
    record = chats(3)[2]
    record["messages"] = [{**message, "content": f"{i}"} for i in range(100) for message in record["messages"]]
    text = json.dumps(record)
    for more in ("", "\n", "\n\n" + text + "\n"):
        path = tmp_path / "a.jsonl"
        path.write_text(text + more)
        corpus = Corpus([path])
        corpus.start()
        assert corpus.wait(10)
        reads.clear()
        run = corpus.load(corpus[0])
        assert bool(reads) == (len(more) > 1), "of the only record, what the scan has read is opened"
        assert run.transcripts[0].messages[5].logged is not None
        assert corpus.raw(corpus[0]) == text
        assert [message.text for message in run.transcripts[0].messages] == [m["content"] for m in record["messages"]]
