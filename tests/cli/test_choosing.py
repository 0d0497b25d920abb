"""What all commands that print runs have in common: `--where`, blind mode as configured, rules by their names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from trajview.cli.main import main

from .test_commands import call, chat

OSPREY = "osprey-9"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A good run and a bad one, whose metadata name the model and tell how they were rated."""
    folder = tmp_path / "logs"
    folder.mkdir()
    failed = "see:\nTraceback (most recent call last):\n  File x\nValueError: no"
    records = [
        {
            "id": name, "model": OSPREY, "reward": reward, "metadata": {"tag": f"with {OSPREY}", "grade": "poor", "town": "Ulm"},
            "messages": [
                {"role": "user", "content": f"needle in {name}"},
                {"role": "tool", "content": failed if reward < 0.5 else "fine"},
            ],
        }
        for name, reward in (("good", 0.75), ("bad", 0.25))
    ]  # fmt: skip
    (folder / "runs.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


def hits(printed: str) -> list[str]:
    """Line of the file, place and text of each hit."""
    return [line.split("runs.jsonl:", 1)[1] for line in printed.splitlines()]


@pytest.fixture
def blind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "config.toml"
    path.write_text("blind = true\n")
    monkeypatch.setenv("TRAJVIEW_CONFIG", str(path))


PRINT = [
    ["ls"], ["ls", "--json"], ["ls", "--columns", "id,reward,model,metadata.tag,metadata.grade"], ["ls", "--format", "csv"],
    ["stats"], ["stats", "--json"], ["show"], ["view"], ["export"], ["export", "-f", "html"], ["export", "-f", "docent"],
    ["search", "--in", "metadata", "--json", f"{OSPREY}|poor|0.25"],
]  # fmt: skip


@pytest.mark.parametrize("command", PRINT, ids=" ".join)
@pytest.mark.usefixtures("blind")
def test_what_blind_mode_hides_is_printed_by_no_command(logs: Path, command: list[str]) -> None:
    hidden = (OSPREY, "poor", "0.25", "0.75")
    said = call(*command, logs).stdout
    assert not [word for word in hidden if word in said]
    assert any(word in call(*command, logs, "--no-blind").stdout for word in hidden) or command[0] in ("show", "view")


@pytest.mark.usefixtures("blind")
def test_two_runs_are_compared_blind_as_configured(logs: Path) -> None:
    assert OSPREY not in call("compare", logs).stdout


def test_the_option_hides_what_the_configuration_does_not(logs: Path) -> None:
    assert "0.25" in call("ls", logs).stdout
    assert "0.25" not in call("ls", logs, "--blind").stdout


@pytest.mark.usefixtures("blind")
def test_a_filter_about_what_is_hidden_finds_nothing_and_says_why(logs: Path) -> None:
    done = call("ls", logs, "--where", "reward < 0.5")
    assert done.stdout == ""
    assert "blind mode hides reward; --no-blind does not" in done.stderr
    assert "bad" in call("ls", logs, "--where", "metadata.town = Ulm").stdout


@pytest.mark.parametrize(
    "command", [["show"], ["view"], ["export"], ["search", "needle"], ["search", "-j1", "needle"]], ids=" ".join
)
def test_where_chooses_the_runs(logs: Path, command: list[str]) -> None:
    done = call(*command, logs, "--where", "reward < 0.5")
    assert "needle in bad" in done.stdout
    assert "needle in good" not in done.stdout
    assert done.exit_code == 0
    none = call(*command, logs, "--where", "reward > 2")
    assert none.stdout == ""
    assert "none of 2 runs matches" in none.stderr
    assert none.exit_code == (1 if command[0] == "search" else 0)


@pytest.mark.parametrize("command", [["show"], ["view"], ["export"], ["search", "x"]], ids=" ".join)
def test_a_filter_that_is_wrong_is_pointed_at(logs: Path, command: list[str]) -> None:
    done = call(*command, logs, "--where", "rewrd < 1")
    assert done.exit_code == 2
    assert "did you mean `reward`?" in done.stderr
    assert "\n  ^^^^^" in done.stderr


def test_where_asks_the_store(logs: Path, tmp_path: Path) -> None:
    done = call("search", "needle", logs, "--where", "not annotated", "--store", tmp_path / "scores", "-c")
    assert hits(done.stdout) == ["1:1", "2:1"]


def test_one_run_and_a_filter_exclude_each_other(logs: Path) -> None:
    for command in ("show", "export"):
        done = call(command, logs, "--run", "bad", "--where", "reward < 1")
        assert done.exit_code == 2
        assert "give one of them" in done.stderr


# -- rules by name


def test_a_rule_is_searched_for_by_its_name(logs: Path) -> None:
    done = call("search", "--rule", "tracebacks", logs)
    assert hits(done.stdout) == ["2:T0B1:Traceback (most recent call last):"]


def test_rules_of_the_project_and_the_configuration_are_known(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (logs / ".trajview.toml").write_text(
        '[[rule]]\nname = "fine answers"\npattern = "fine|needle"\nin = "output"\n'
        '[[rule]]\nname = "begin"\npattern = "^needle"\nrole = "user"\n[[rule]]\nname = "Both"\npattern = "good"\n'
    )
    config = tmp_path / "config.toml"
    config.write_text('[[rule]]\nname = "Both"\npattern = "bad"\n')
    monkeypatch.setenv("TRAJVIEW_CONFIG", str(config))
    assert hits(call("search", "--rule", "fine-answers", logs).stdout) == ["1:T0B1:fine"]
    assert hits(call("search", "--rule", "begin", logs, "-c").stdout) == ["1:1", "2:1"]
    assert hits(call("search", "--rule", "both", logs).stdout) == ["2:T0B0:needle in bad"]


def test_a_rule_that_is_named_is_marked_in_what_is_exported(logs: Path) -> None:
    assert "tracebacks" not in call("export", logs, "--run", "bad").stdout
    assert "tracebacks" in call("export", logs, "--run", "bad", "--rule", "Tracebacks").stdout


@pytest.mark.parametrize("command", ["search", "export", "view"])
def test_a_name_that_is_none_is_answered_with_the_nearest(logs: Path, command: str) -> None:
    done = call(command, "--rule", "failing-test", logs)
    assert done.exit_code == 2
    assert "there is no rule 'failing-test' (did you mean `failing tests`?)" in done.stderr


def test_a_rule_stands_for_the_whole_question(logs: Path) -> None:
    for more in (["-i"], ["--role", "tool"], ["-e", "x"], ["--in", "text"]):
        done = call("search", "--rule", "secrets", *more, logs)
        assert done.exit_code == 2
        assert "leave the other options" in done.stderr


@pytest.mark.parametrize("command", ["search", "export", "view"])
def test_names_of_rules_are_completed(logs: Path, command: str) -> None:
    (logs / ".trajview.toml").write_text('[[rule]]\nname = "fine words"\npattern = "fine"\n')
    shell = ShellComplete(main, {}, "trajview", "_X")
    assert [item.value for item in shell.get_completions([command, str(logs), "--rule"], "f")] == [
        "failing-tests",
        "fine-words",
    ]


_FOR_EVER = r"(a+)+\1$"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["ls", "--where", f'metadata.task ~ "{_FOR_EVER}"'], "in one value; the filter is given up"),
        (["export", "--highlight", _FOR_EVER], "in one message; the export is given up"),
    ],
)
def test_a_pattern_that_takes_for_ever_is_given_up(
    tmp_path: Path, command: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajview.where.select.PATIENCE", 0.1)
    monkeypatch.setattr("trajview.cli.export.PATIENCE", 0.1)
    text = "a" * 40 + "b"
    (tmp_path / "log.json").write_text(json.dumps({**chat("slow", text), "metadata": {"task": text}}))
    result = call(*command, tmp_path / "log.json")
    assert result.exit_code == 2
    assert result.stderr == (
        f"trajview: the pattern takes more than 0.1 s {said} (write it without one repetition inside another, such as (a+)+)\n"
    )
