"""Tables: each row of Parquet, Arrow and CSV is the run that its cells say, and what is hostile in one does no harm."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from trajview import open_corpus
from trajview.cli.main import main
from trajview.corpus import tables
from trajview.corpus.bounds import BOUNDS
from trajview.corpus.columns import COLUMNS
from trajview.corpus.corpus import Corpus
from trajview.corpus.listing import listed
from trajview.corpus.walk import SourceFile
from trajview.errors import TrajviewError

pa = pytest.importorskip("pyarrow", reason="tables of Arrow's take pyarrow, which is not installed")
import pyarrow.ipc as ipc  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402


def chat(number: int) -> list[dict[str, Any]]:
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": '{"cmd": "ls"}'}}
    return [
        {"role": "user", "content": f"Mend parser {number}"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "a.py", "tool_call_id": "c"},
    ]


def parquet(path: Path, rows: list[dict[str, Any]], **options: Any) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path, **options)
    return path


@pytest.fixture(autouse=True)
def _choices() -> Iterator[None]:
    yield
    COLUMNS.choose(None, None)
    BOUNDS.max_unpacked = None


ROWS = {
    "messages": ({"id": "a", "messages": chat(1), "reward": 0.5, "source": "x"}, "openai", "a"),
    "texts": ({"messages": json.dumps(chat(1)), "level": 2}, "openai", "t#0"),
    "turns": ({"conversations": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "ho"}]}, "sharegpt", "t#0"),
    "prompt and completion": ({"prompt": "What?", "completion": '{"a": 1}'}, "openai", "t#0"),
    "trajectory": ({"instance_id": "i", "trajectory": chat(1)}, "openai", "i"),
    "a record": ({"blob": json.dumps({"id": "x", "transcripts": [{"messages": chat(1)}]}), "note": 1}, "docent", "x"),
    "another name": ({"id": "o", "dialog_of_agent": chat(1), "note": 1}, "openai", "o"),
    "none": ({"question": "?", "answer": "!"}, "raw", "t#0"),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_row_is_a_run_of_the_format_that_its_cells_say(row: tuple[dict[str, Any], str, str], tmp_path: Path) -> None:
    cells, format, run_id = row
    corpus = open_corpus(parquet(tmp_path / "t.parquet", [cells, cells]))
    assert (corpus[0].format, corpus[0].id) == (format, run_id)
    assert not corpus.problems
    run = corpus.load(corpus[0])
    assert len(run.transcripts[0].messages) == corpus[0].messages
    for column, value in cells.items():  # the others are metadata
        if column in ("note", "level", "source"):
            assert run.metadata[column] == value


def test_rows_of_all_groups_are_read_again_in_any_order(tmp_path: Path) -> None:
    path = parquet(
        tmp_path / "t.parquet", [{"id": f"r{at}", "messages": chat(at)} for at in range(50)], row_group_size=7
    )
    corpus = open_corpus(path)
    assert [info.id for info in corpus] == [f"r{at}" for at in range(50)]
    for at in (49, 0, 13, 14, 12, 30):
        assert corpus.load(corpus[at]).transcripts[0].messages[0].text == f"Mend parser {at}"
    assert json.loads(corpus.raw(corpus[20]))["id"] == "r20"
    assert [found.line for found in corpus.search("parser 4[0-2]")] == [41, 42, 43]


def test_a_parquet_file_is_listed_by_its_ids_alone(tmp_path: Path) -> None:
    path = parquet(tmp_path / "t.parquet", [{"id": at, "messages": chat(at)} for at in range(9)], row_group_size=4)
    found = list(listed(SourceFile(path, "t.parquet", True), "t") or ())
    assert [(info.id, info.record, info.summarised) for info in found] == [(str(at), at, False) for at in range(9)]
    corpus = Corpus([path])
    corpus.scan()
    assert [info.place for info in corpus] == [info.place for info in found]


@pytest.mark.parametrize(
    ("cells", "ids"),
    [
        ({"messages": chat(1)}, ["t#0", "t#1"]),
        ({"messages": chat(1), "instance_id": "i"}, ["i", "i"]),
        ({"blob": json.dumps({"id": "x", "transcripts": [{"messages": chat(1)}]})}, None),
    ],
    ids=["none", "under another name", "in a record"],
)
def test_rows_are_listed_with_the_ids_that_they_will_have(cells: Any, ids: list[str] | None, tmp_path: Path) -> None:
    path = parquet(tmp_path / "t.parquet", [cells, cells])
    found = listed(SourceFile(path, "t.parquet", True), "t")
    assert (None if found is None else [info.id for info in found]) == ids
    if ids is not None:
        assert [info.id for info in open_corpus(path)] == ids


def test_wide_columns_without_text_are_read_with_the_run_only(tmp_path: Path) -> None:
    rows = [{"id": str(at), "messages": chat(at), "tokens": list(range(at, at + 9000))} for at in range(3)]
    corpus = open_corpus(parquet(tmp_path / "t.parquet", [*rows, rows[0]]))
    assert corpus.load(corpus[1]).metadata["tokens"] == list(range(1, 9001))
    assert corpus[3].key.startswith("0@")


def test_bytes_and_text_that_is_none_are_shown_as_text(tmp_path: Path) -> None:
    bad = pa.array([b"caf\xe9", b"fine"]).view(pa.string())
    table = pa.table({"id": ["a", "b"], "messages": [chat(1), chat(2)], "bad": bad, "image": [b"\xff\x00", b"text"]})
    pq.write_table(table, tmp_path / "t.parquet")
    corpus = open_corpus(tmp_path / "t.parquet")
    first, second = (corpus.load(info).metadata for info in corpus)
    assert first == {"bad": "caf\ufffd", "image": "<2 bytes>"}
    assert second == {"bad": "fine", "image": "text"}


@pytest.mark.parametrize("write", [ipc.new_stream, ipc.new_file])
def test_a_folder_of_a_dataset_is_its_tables(write: Any, tmp_path: Path) -> None:
    table = pa.Table.from_pylist([{"id": f"d{at}", "messages": chat(at)} for at in range(30)])
    with write(tmp_path / "data-00000-of-00001.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=10)
    for name in ("dataset_info.json", "state.json"):
        (tmp_path / name).write_text("{}")
    corpus = open_corpus(tmp_path)
    assert [info.id for info in corpus] == [f"d{at}" for at in range(30)]
    assert corpus.load(corpus["d25"]).transcripts[0].messages[0].text == "Mend parser 25"


def test_csv_with_json_in_a_cell(tmp_path: Path) -> None:
    with (tmp_path / "runs.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["task_id", "messages", "reward"])
        writer.writerows([f"t{at}", json.dumps(chat(at), indent=1), at / 2] for at in range(3))
    (tmp_path / "figures.csv").write_text("step,loss\n1,0.5\n")
    corpus = open_corpus(tmp_path)
    assert [(info.format, info.rewards[0]) for info in corpus] == [("openai", 0.0), ("openai", 0.5), ("openai", 1.0)]
    assert corpus.load(corpus[2]).transcripts[0].messages[0].text == "Mend parser 2"
    assert [info.format for info in open_corpus(tmp_path / "figures.csv")] == ["raw"]


def test_columns_that_a_person_names(tmp_path: Path) -> None:
    COLUMNS.choose("log.said", "nr")
    rows = [{"nr": at, "log": {"said": chat(at), "by": "me"}, "messages": "none"} for at in range(2)]
    (tmp_path / "j.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for path in (parquet(tmp_path / "t.parquet", rows), tmp_path / "j.jsonl"):
        corpus = open_corpus(path)
        assert [(info.id, info.format, info.messages) for info in corpus] == [("0", "openai", 3), ("1", "openai", 3)]
        run = corpus.load(corpus[1])
        assert run.metadata["log"] == {"by": "me"}
        assert run.metadata["other messages"] == "none"
        assert [found.id for found in corpus.search("parser 1")] == ["1"]


def test_a_torn_table_says_so_and_what_is_before_opens(tmp_path: Path) -> None:
    path = parquet(
        tmp_path / "t.parquet", [{"id": f"r{at}", "messages": chat(at)} for at in range(40)], row_group_size=10
    )
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    [problem] = open_corpus(path).problems
    assert problem.reason.startswith("this Parquet file cannot be read: ")
    start = pq.ParquetFile(parquet(path, [{"id": "a", "messages": chat(1)}] * 40, row_group_size=10)).metadata
    at = start.row_group(1).column(0).file_offset or start.row_group(1).column(0).data_page_offset
    data = path.read_bytes()
    path.write_bytes(data[: at - 40] + b"\xff" * 80 + data[at + 40 :])
    corpus = open_corpus(path)
    assert corpus.infos
    assert "the table cannot be read from row" in corpus.problems[0].reason


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    path = parquet(tmp_path / "t.parquet", [{"messages": [{"role": "user", "content": "0" * 9_000_000}]}] * 8)
    BOUNDS.max_unpacked = 20_000_000
    corpus = open_corpus(path)
    assert len(corpus) == 2
    assert "is not unpacked: more than 20 MB" in corpus.problems[0].reason


def test_without_pyarrow_one_sentence_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = parquet(tmp_path / "t.parquet", [{"messages": chat(1)}])
    parquet(tmp_path / "u.parquet", [{"messages": chat(1)}])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr("trajview.corpus.walk.find_spec", lambda name: None)
    for given, reason in (
        (path, "reading this table takes pyarrow"),
        (tmp_path, "2 tables are left out: reading them"),
    ):
        [problem] = open_corpus(given).problems
        assert problem.reason.startswith(reason)
        assert problem.hint == "pip install 'trajview[parquet]'"


def test_a_table_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    path = parquet(tmp_path / "t.parquet", [{"id": "a", "messages": chat(1)}] * 2)
    assert b"parser 1" in tables.row_bytes(path, "parquet", 1)
    parquet(path, [{"id": "abc", "messages": chat(2)}])
    with pytest.raises(TrajviewError, match="fewer rows"):
        tables.row_bytes(path, "parquet", 1)
    assert b"parser 2" in tables.row_bytes(path, "parquet", 0)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_damaged_bytes_cost_rows_and_nothing_else(kind: str, seed: int, tmp_path: Path) -> None:
    table = pa.Table.from_pylist([{"id": f"r{at}", "messages": chat(at)} for at in range(12)])
    path = tmp_path / f"t.{kind}"
    if kind == "parquet":
        pq.write_table(table, path, row_group_size=4, compression="none")
    else:
        with ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=4)
    data, random = bytearray(path.read_bytes()), Random(seed)
    for _ in range(seed % 4 + 1):
        at = random.randrange(len(data) // 2 if kind == "parquet" else 0, len(data))
        data[at : at + 4] = random.randbytes(4)
    path.write_bytes(data)
    corpus = open_corpus(path)
    for info in corpus:
        with suppress(TrajviewError):
            corpus.load(info)
    assert not [problem for problem in corpus.problems if problem.reason.startswith("trajview failed")]


def test_a_project_file_says_where_the_messages_are(tmp_path: Path) -> None:
    (tmp_path / ".trajview.toml").write_text('messages = "log.said"\nid = "nr"\n')
    (tmp_path / "in").mkdir()
    lines = [{"nr": at, "log": {"said": chat(at)}} for at in range(2)]
    (tmp_path / "in" / "j.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = CliRunner().invoke(main, ["ls", "--json", "--no-cache", str(tmp_path / "in")])
    assert [(row["id"], row["messages"]) for row in map(json.loads, done.stdout.splitlines())] == [("0", 3), ("1", 3)]
    done = CliRunner().invoke(main, ["ls", "--json", "--no-cache", "--id", "log", str(tmp_path / "in")])
    assert [json.loads(row)["id"] for row in done.stdout.splitlines()] == ["j#0", "j#1"]
