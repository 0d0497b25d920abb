"""What a shell completes behind options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from trajview.cli.main import main

from .test_commands import chat


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    runs = [{**chat(name), "model": "gull-7b"} for name in ("run-1", "run-2", "other")]
    path.write_text("".join(json.dumps(run) + "\n" for run in runs))
    return path


def completed(incomplete: str, *args: str | Path) -> list[str]:
    shell = ShellComplete(main, {}, "trajview", "_X")
    return [item.value for item in shell.get_completions([str(arg) for arg in args], incomplete)]


@pytest.mark.parametrize("command", ["view", "annotate", "show", "export", "search", "ls", "stats"])
def test_fields_operators_and_values_of_a_filter_are_completed(log: Path, command: str) -> None:
    def where(incomplete: str) -> list[str]:
        return completed(incomplete, command, log, "--where")

    assert where("rew") == ["reward", "rewards"]
    assert where("reward < 1 and uni") == ["reward < 1 and units"]
    assert where("units")[:3] == ["units", "units <", "units >"]
    assert where("reward ") == ["reward <", "reward >", "reward ==", "reward !="]
    assert where("model ~ g") == ["model ~ gull-7b"]
    assert where("not ((") == []


def test_fields_are_completed_behind_commas(log: Path) -> None:
    assert completed("id,rew", "ls", log, "--columns") == ["id,reward", "id,rewards"]
    assert completed("units,-mess", "ls", log, "--sort") == ["units,-messages"]
    assert "metadata." in completed("", "ls", log, "--columns")


@pytest.mark.parametrize("command", ["view", "annotate", "show", "export"])
def test_ids_of_runs_are_completed(log: Path, command: str) -> None:
    assert completed("run", command, log, "--run") == ["run-1", "run-2"]
    assert completed("run", command, "--run") == []


def test_ids_of_runs_to_compare_are_completed(log: Path) -> None:
    assert completed("o", "compare", log, "--run-b") == ["other"]


def test_themes_and_rubrics_are_completed(log: Path) -> None:
    assert completed("trajview-", "view", log, "--theme") == ["trajview-dark", "trajview-light"]
    assert "ansi-dark" in completed("", "--theme")
    assert completed("soto", "rubric", "show") == ["sotopia"]
    assert "sotopia" in completed("", "view", log, "--rubric")
