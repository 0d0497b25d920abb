"""`trajview convert`: all runs in one file that opens as the same runs; a conversion that was stopped goes on, or says why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from trajview import open_corpus
from trajview.cli.main import main
from trajview.export import choice, conversion

SAMPLES = Path(__file__).parents[2] / "sample_data"


def convert(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["convert", *map(str, arguments)])


def logs(path: Path, count: int, first: str = "hello") -> Path:
    lines = [{"id": f"r{at}", "messages": [{"role": "user", "content": f"{first} {at}"}]} for at in range(count)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def stopped_at(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the next conversion when it comes to a run."""
    exported, done = choice.exported, []

    def some(*given: Any) -> Any:
        if len(done) == count:
            raise KeyboardInterrupt
        done.append(given)
        return exported(*given)

    monkeypatch.setattr(choice, "exported", some)


@pytest.mark.parametrize("ending", conversion.ENDINGS)
def test_what_is_converted_opens_as_the_same_runs(ending: str, tmp_path: Path) -> None:
    if ending == ".parquet":
        pytest.importorskip("pyarrow", reason="Parquet takes pyarrow, which is not installed")
    result = convert(SAMPLES / "docent", SAMPLES / "sotopia", "-o", tmp_path / f"all{ending}")
    assert result.exit_code == 0, result.stderr
    before = open_corpus(SAMPLES / "docent", SAMPLES / "sotopia")
    after = open_corpus(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [f"all{ending}"]
    assert [info.id for info in after] == [info.id for info in before]
    for one, other in zip(before, after, strict=True):
        assert before.load(one).to_docent() == after.load(other).to_docent()


def test_openai_in_parquet_has_a_column_of_messages(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet takes pyarrow, which is not installed")
    line = {"role": "user", "content": "A line\u2028of a poem"}
    (tmp_path / "in.json").write_text(json.dumps({"id": "poem", "messages": [line]}))
    out = tmp_path / "out.parquet"
    result = convert(SAMPLES / "chat", tmp_path / "in.json", "-f", "openai", "-o", out)
    assert "openai: The parts of messages, such as images, are written as JSON text. (" in result.stderr
    rows = parquet.read_table(out).to_pylist()
    assert {role for row in rows for role in (message["role"] for message in row["messages"])} >= {"user", "tool"}
    assert rows[-1]["messages"][0]["content"] == line["content"]
    after = open_corpus(out)
    assert {info.format for info in after} == {"openai"}
    assert len(after) == len(rows)


def test_what_a_format_cannot_hold_is_said_once_for_each_kind(tmp_path: Path) -> None:
    result = convert(SAMPLES / "docent", "-f", "adp", "-o", tmp_path / "a.jsonl")
    said = [line for line in result.stderr.splitlines() if line.startswith("trajview: adp: ")]
    assert said
    assert len(said) == len(set(said))
    assert all(line.endswith(" of 7)") for line in said)


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.zst"])
def test_a_conversion_that_was_stopped_goes_on(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = logs(tmp_path / "in.jsonl", 9)
    monkeypatch.setattr(conversion, "_BLOCK", 500)
    out = tmp_path / f"out{ending}"
    with monkeypatch.context() as patch:
        stopped_at(6, patch)
        assert convert(source, "-o", out).exit_code == 130
    assert not out.exists()
    partial = tmp_path / f"out{ending}.partial"
    partial.write_bytes(partial.read_bytes() + b'{"torn')
    result = convert(source, "-o", out)
    assert result.exit_code == 0, result.stderr
    assert "going on" in result.stderr
    assert "3 runs written" in result.stderr
    assert [info.id for info in open_corpus(out)] == [f"r{at}" for at in range(9)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", out.name]


def test_what_was_written_but_not_listed_is_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = logs(tmp_path / "in.jsonl", 9)
    monkeypatch.setattr(conversion, "_BLOCK", 500)
    with monkeypatch.context() as patch:
        stopped_at(6, patch)
        convert(source, "-o", tmp_path / "out.jsonl")
    runs = tmp_path / "out.jsonl.partial.runs"
    runs.write_bytes(runs.read_bytes()[:-5])
    assert convert(source, "-o", tmp_path / "out.jsonl").exit_code == 0
    assert [info.id for info in open_corpus(tmp_path / "out.jsonl")] == [f"r{at}" for at in range(9)]


def test_an_unfinished_file_of_other_logs_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, out = logs(tmp_path / "in.jsonl", 9), tmp_path / "out.jsonl"
    with monkeypatch.context() as patch:
        stopped_at(6, patch)
        convert(source, "-o", out)
    before = (tmp_path / "out.jsonl.partial").read_bytes()
    other = convert(source, "-f", "adp", "-o", out)
    assert other.exit_code == 2
    assert "another conversion was begun here and not finished" in other.stderr
    logs(source, 9, "good morning")
    changed = convert(source, "-o", out)
    assert changed.exit_code == 2
    assert "the logs have changed since it was begun" in changed.stderr
    logs(source, 3)
    assert "r3 (" in convert(source, "-o", out).stderr
    assert (tmp_path / "out.jsonl.partial").read_bytes() == before


def test_no_file_is_replaced_unasked_nor_made_of_nothing(tmp_path: Path) -> None:
    source, out = logs(tmp_path / "in.jsonl", 2), tmp_path / "out.jsonl"
    out.write_text("mine")
    assert "there is such a file already" in convert(source, "-o", out).stderr
    assert out.read_text() == "mine"
    assert "is among what is converted" in convert(tmp_path, "-o", out, "--force").stderr
    assert convert(source, "-o", out, "--force").exit_code == 0
    assert len(open_corpus(out)) == 2
    assert "none of FILE.jsonl, " in convert(source, "-o", tmp_path / "out.txt").stderr
    (tmp_path / "empty").mkdir()
    assert convert(tmp_path / "empty", "-o", tmp_path / "none.jsonl").exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "in.jsonl", "out.jsonl"]


def test_a_run_that_cannot_be_read_is_reported_and_the_rest_written(tmp_path: Path) -> None:
    source = logs(tmp_path / "in.jsonl", 2)
    source.write_text(source.read_text() + '{"torn')
    result = convert(source, "-o", tmp_path / "out.jsonl")
    assert result.exit_code == 1
    assert "2 runs written" in result.stderr
    assert len(open_corpus(tmp_path / "out.jsonl")) == 2
