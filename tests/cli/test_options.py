"""The options of all commands: one spelling for what means the same, and older spellings that still work."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from trajview.annotation.rubric import reward_rubric
from trajview.annotation.store import AnnotationStore
from trajview.cli.main import main

from .test_commands import call, chat

_SPELLINGS = {
    "csv": ["--csv"], "force": ["--force"], "json": ["--json"], "no_cache": ["--no-cache"], "output": ["--output", "-o"],
    "run": ["--run"], "store": ["--store"], "unit": ["--unit"], "where": ["--where"], "format": ["--format", "-f"],
    "annotator": ["--annotator"], "context": ["-C", "--context"],
}  # fmt: skip
"""The visible spellings of options that several commands have, by the long one without its hyphens."""


def commands(
    command: click.Command = main, name: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that does something, with its words."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    context = click.Context(command)
    for word in command.list_commands(context):
        found = command.get_command(context, word)
        assert found is not None
        yield from commands(found, (*name, word))


@pytest.mark.parametrize(
    ("name", "command"), commands(), ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_what_means_the_same_is_spelt_the_same(name: tuple[str, ...], command: click.Command) -> None:
    for option in command.params:
        if not isinstance(option, click.Option) or option.hidden:
            continue
        long = max(option.opts, key=len).lstrip("-").replace("-", "_")
        assert option.help, f"{name}: {option.opts} is explained"
        if long in _SPELLINGS:
            assert sorted(option.opts) == sorted(_SPELLINGS[long]), name
        assert not {"--into", "--units"} & set(option.opts), name


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`log.jsonl` with two runs of two units, `other.jsonl` with another run, and a store with an annotation."""
    runs = chat("one", "first", "answer", "second", "answer"), chat("two", "x", "y", "z", "w")
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(run) + "\n" for run in runs))
    (tmp_path / "other.jsonl").write_text(json.dumps(chat("three")) + "\n")
    for root in ("store", "more"):
        AnnotationStore(tmp_path / root, "ada").save("one", reward_rubric(), [(0.5, {"reward": 0.5})], "fine")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("export log.jsonl --run one --units 1-1", "export log.jsonl --run one --unit 1-1"),
        ("export log.jsonl --run one --unit 1", "export log.jsonl --run one --unit T0:1"),
        ("ls log.jsonl --format csv", "ls log.jsonl --csv"),
        ("ls log.jsonl --format jsonl", "ls log.jsonl --json"),
        ("ls log.jsonl --format table", "ls log.jsonl"),
        ("annotations list store", "annotations list --store store"),
        ("annotations export store --format csv", "annotations export --store store -f csv"),
        ("agreement store --json", "agreement --store store --json"),
        ("annotations merge store more --into both", "annotations merge store more -o both"),
        ("compare log.jsonl -U 0", "compare log.jsonl -C 0"),
    ],
)
def test_an_older_spelling_still_works(here: Path, old: str, new: str) -> None:
    first = call(*old.split())
    shutil.rmtree("both", ignore_errors=True)
    second = call(*new.split())
    assert (first.exit_code, first.stdout) == (second.exit_code, second.stdout)
    assert first.stdout


def test_an_ending_that_names_no_format_is_refused_with_those_that_do(here: Path) -> None:
    result = call("export", "log.jsonl", "-o", "x.pdf")
    assert result.exit_code == 2
    known = "use .md, .html, .json, .jsonl, .adp.jsonl, or say which with -f"
    assert f"x.pdf has the ending .pdf, which names no format: {known}" in " ".join(result.stderr.split())
    assert "x has no ending, which names no format" in " ".join(call("export", "log.jsonl", "-o", "x").stderr.split())
    assert not Path("x.pdf").exists()
    assert call("export", "log.jsonl", "-o", "x.pdf", "-f", "md").exit_code == 0


def test_one_run_is_compared_with_nothing(here: Path) -> None:
    result = call("compare", "other.jsonl")
    assert result.exit_code == 2
    assert (
        result.stderr == "trajview: other.jsonl: it holds one run, and compare needs two (name another file as well)\n"
    )


# JSON


def test_validate_says_all_problems_in_one_object(here: Path) -> None:
    with (here / "log.jsonl").open("a") as file:
        file.write('{"id": "torn", "mess')
    result = call("validate", "log.jsonl", "--json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["runs"], found["files"]) == (1, 2, 1)
    [problem] = found["problems"]
    assert (problem["path"], problem["line"]) == ("log.jsonl", 3)
    assert problem["reason"]
    assert json.loads(call("validate", "other.jsonl", "--json").stdout) == {"runs": 1, "files": 1, "problems": []}


def test_compare_says_what_differs_in_one_object(here: Path) -> None:
    result = call("compare", "log.jsonl", "--json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["same"], found["a"]["id"], found["b"]["id"]) == (1, False, "one", "two")
    [transcript] = found["transcripts"]
    assert (transcript["in"], transcript["equal_units_at_start"]) == ("both", 0)
    assert [(unit["a"], unit["b"]) for unit in transcript["different_units"]] == [(0, 0), (1, 1)]
    assert transcript["different_units"][0]["messages"][0] == {"a": 0, "b": 0, "kind": "other"}
    same = call("compare", "log.jsonl#one", "log.jsonl#one", "--json")
    assert (same.exit_code, json.loads(same.stdout)["same"]) == (0, True)


def test_rubrics_are_json_too(here: Path) -> None:
    names = [json.loads(line)["name"] for line in call("rubric", "list", "--json").stdout.splitlines()]
    assert "sotopia" in names
    shown = json.loads(call("rubric", "show", "sotopia", "--json").stdout)
    assert [one["name"] for one in shown["dimensions"]][:2] == ["believability", "relationship"]
    (here / "r.toml").write_text('name = "r"\n[[dimension]]\nname = "d"\nrnge = [0, 4]\n')
    checked = call("rubric", "check", "r.toml", "--json")
    found = json.loads(checked.stdout)
    assert (checked.exit_code, found["rubric"]) == (2, None)
    assert {problem["line"] for problem in found["problems"]} <= {2, 3, 4}


def test_the_cache_is_described_in_json(here: Path) -> None:
    found = json.loads(call("cache", "info", "--json").stdout)
    assert set(found) == {"path", "files", "runs", "bytes", "problems"}


# The queue


def test_a_queue_has_the_runs_that_match_and_begins_with_the_one_that_is_named(here: Path) -> None:
    def keys(*options: str) -> list[str]:
        result = call("annotate", "log.jsonl", "other.jsonl", "--store", "store", "--annotator", "ada", *options)
        assert result.exit_code == 0, result.stderr
        return [line.split()[-1] for line in result.stdout.splitlines()[:-1]]

    assert keys("--where", "messages > 2") == ["one", "two"]
    assert keys("--where", "not annotated") == ["two", "three"]
    assert keys("--where", "sort:-messages,id", "--run", "two") == ["two", "one", "three"]
    assert call("annotate", "log.jsonl", "--run", "tow").stderr.endswith("(did you mean two?)\n")


def test_a_queue_can_be_followed_in_the_viewer(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: dict[str, object] = {}

    def open_viewer(no_cache: bool, follow: bool, **given: object) -> None:
        opened.update(given, follow=follow)

    monkeypatch.setattr("trajview.cli.front.open_viewer", open_viewer)
    monkeypatch.setattr("trajview.cli.front.can_view", lambda: True)
    call("annotate", "log.jsonl", "--follow", "--run", "two", "--where", "messages > 2")
    assert (opened["follow"], opened["run"], opened["plan"].where) == (True, "two", "messages > 2")  # type: ignore[attr-defined]
