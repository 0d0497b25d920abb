"""`trajview compare`: which runs are meant, what is printed of them, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .test_commands import call


def record(id: str, *said: str, **more: Any) -> str:
    roles = ["user", *["assistant"] * len(said)]
    messages = [{"role": role, "content": text} for role, text in zip(roles, said, strict=False)]
    return json.dumps({"id": id, "messages": messages, **more}) + "\n"


FIRST = "Mend the clock.", "I look at it.\nIt stands on a shelf.\nIts hands point to noon.", "It runs again."
SECOND = "Mend the clock.", "I look at it.\nIt stands on a table.\nIts hands point to noon.", "It runs again."


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`a.jsonl` and `b.jsonl` with a run each, `both.jsonl` with both, `three.jsonl` with three; the current folder."""
    first, second = record("first", *FIRST, reward=1), record("second", *SECOND, reward=0.5)
    (tmp_path / "a.jsonl").write_text(first)
    (tmp_path / "b.jsonl").write_text(second)
    (tmp_path / "both.jsonl").write_text(first + second)
    (tmp_path / "three.jsonl").write_text(first + second + record("third", "Hello.", "Good day.\x1b[2J"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_two_files_are_compared_and_the_words_that_differ_printed(logs: Path) -> None:
    done = call("compare", "a.jsonl", "b.jsonl")
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "--- a.jsonl first",
        "+++ b.jsonl second",
        "    reward  1 → 0.5",
        "@@ unit 0: changed @@",
        "  user, message 0",
        "    (1 line the same)",
        "  assistant, message 1",
        "    I look at it.",
        "-   It stands on a shelf.",
        "+   It stands on a table.",
        "    Its hands point to noon.",
        "  assistant, message 2",
        "    (1 line the same)",
    ]


def test_a_message_that_is_empty_in_both_is_no_lines_the_same(logs: Path) -> None:
    for name, said in (("a", "I look."), ("b", "I look away.")):
        (logs / f"{name}.jsonl").write_text(record("r", "Mend the clock.", "", said))
    done = call("compare", "a.jsonl", "b.jsonl")
    assert "    (empty in both)" in done.stdout.splitlines()
    assert "0 lines" not in done.stdout


def test_the_context_is_as_asked_for(logs: Path) -> None:
    done = call("compare", "-U", "0", "a.jsonl", "b.jsonl")
    assert "⋮ 1 line the same" in done.stdout
    assert "I look at it." not in done.stdout


def test_side_by_side_both_stand_on_one_line(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "63")
    done = call("compare", "--side-by-side", "a.jsonl", "b.jsonl")
    assert "It stands on a shelf.          | It stands on a table.\n" in done.stdout
    assert "I look at it.                    I look at it.\n" in done.stdout


def test_a_run_is_the_same_as_itself(logs: Path) -> None:
    done = call("compare", "a.jsonl", "both.jsonl#first")
    assert (done.exit_code, done.stdout.splitlines()[2:]) == (0, ["    reward  1", "== unit 0: the same"])


@pytest.mark.parametrize(
    "args",
    [
        ("both.jsonl",),
        ("three.jsonl#first", "three.jsonl#second"),
        ("three.jsonl", "--run-a", "first", "--run-b", "second"),
        ("three.jsonl", "b.jsonl", "--run-a", "first"),
        ("three.jsonl#first", "--run-b", "second"),
    ],
    ids=" ".join,
)
def test_runs_are_named_in_several_ways(logs: Path, args: tuple[str, ...]) -> None:
    done = call("compare", *args)
    assert done.exit_code == 1
    heads = [line.rsplit(" ", 1)[1] for line in done.stdout.splitlines()[:2]]
    assert heads == ["first", "second"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("three.jsonl", "a.jsonl"), "it holds 3 runs (say which: three.jsonl#first, or --run-a ID)"),
        (("a.jsonl", "three.jsonl"), "it holds 3 runs (say which: three.jsonl#first, or --run-b ID)"),
        (("three.jsonl#secnd", "a.jsonl"), "there is no run 'secnd' (did you mean second?)"),
        (("a.jsonl", "c.jsonl"), "c.jsonl: no such file or folder"),
        (("a.jsonl#x#y", "a.jsonl"), "there is no run 'x#y'"),
    ],
    ids=["which of A", "which of B", "unknown id", "no file", "several signs"],
)
def test_what_is_not_clear_is_said_in_one_line(logs: Path, args: tuple[str, ...], said: str) -> None:
    done = call("compare", *args)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_a_file_with_the_sign_in_its_name_is_a_file(logs: Path) -> None:
    (logs / "a#b.jsonl").write_text(record("other", *FIRST))
    assert call("compare", "a#b.jsonl", "a.jsonl").exit_code == 0


def test_escape_codes_of_a_log_are_shown_and_not_obeyed(logs: Path) -> None:
    done = call("compare", "three.jsonl#third", "a.jsonl")
    assert "\x1b" not in done.stdout
    assert "Good day.␛[2J" in done.stdout


def test_a_transcript_that_only_one_run_has_is_a_difference(logs: Path) -> None:
    transcript = {"messages": [{"role": "user", "content": "Hello."}]}
    (logs / "one.json").write_text(json.dumps({"id": "one", "transcripts": [transcript]}))
    (logs / "two.json").write_text(json.dumps({"id": "two", "transcripts": [transcript, transcript]}))
    done = call("compare", "one.json", "two.json")
    assert done.exit_code == 1
    assert "@@ transcript 1 is in one of the runs only @@" in done.stdout
