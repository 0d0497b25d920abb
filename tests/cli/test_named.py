"""`PATH#ID`: one run of a file or folder, in every command, and as `search -l` prints it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from shlex import quote

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from trajview.cli.main import main
from trajview.corpus.corpus import Corpus
from trajview.corpus.named import grouped, is_wanted, readings, reference, split_id

ODD = [
    "plain",
    "two words",
    "50%",
    "a%20b",
    "hash#2",
    "*?[x]",
    "$HOME `x` 'q' \"q\"",
    "-n",
    "día/ø",
    "\u202e\x1b[31m",
    "",
]


def line(run_id: str) -> str:
    return json.dumps({"id": run_id, "messages": [{"role": "user", "content": f"needle in <{run_id}>"}]}) + "\n"


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text("".join(map(line, ("one", "two", "three"))))
    (tmp_path / "b.json").write_text(line("four"))
    return tmp_path


def call(*args: str) -> Result:
    result = CliRunner().invoke(main, list(args), prog_name="trajview")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def ids(*paths: str) -> list[str]:
    return [json.loads(row)["id"] for row in call("ls", "--json", "--no-cache", *paths).stdout.splitlines()]


def test_every_command_takes_one_run_of_a_file(logs: Path) -> None:
    assert ids("a.jsonl#two") == ["two"]
    for command in (["show"], ["view"], [], ["export"]):
        said = call(*command, "a.jsonl#two").stdout
        assert "<two>" in said.replace("\\", "")
        assert "<one>" not in said.replace("\\", "")
    assert call("search", "needle", "a.jsonl#two").stdout == "a.jsonl:2:T0B0:needle in <two>\n"
    assert call("search", "needle", "a.jsonl#two", "--where", "messages = 1", "-c").stdout == "a.jsonl:2:1\n"
    assert json.loads(call("stats", "--json", "a.jsonl#two", "b.json").stdout)["runs"] == 2
    assert call("validate", "a.jsonl#two").exit_code == 0
    assert call("compare", "a.jsonl#two", "a.jsonl#two").exit_code == 0
    assert call("export", "a.jsonl#two", "--run", "two").exit_code == 0


def test_several_runs_of_a_file_come_in_its_order_each_once(logs: Path) -> None:
    assert ids("a.jsonl#three", "b.json", "a.jsonl#one", "a.jsonl#one") == ["one", "three", "four"]
    assert ids("a.jsonl#three", "a.jsonl") == ["one", "two", "three"]
    assert ids(".#four") == ["four"]


def test_an_id_that_no_run_has_is_said_and_the_others_open(logs: Path) -> None:
    done = call("show", "a.jsonl#nobody", "a.jsonl#one")
    assert done.exit_code == 1
    assert "a.jsonl: there is no run 'nobody'" in done.stderr
    assert "<one>" in done.stdout
    assert call("ls", "a.jsonl#nobody").exit_code == 2
    assert "there is no run 'thre' (did you mean three?)" in call("ls", "a.jsonl#thre").stderr
    done = call("ls", "nowhere.json#one")
    assert (done.exit_code, "nowhere.json#one: no such file or folder" in done.stderr) == (2, True)
    assert call("detect", "a.jsonl#one").exit_code == 2


def test_a_file_whose_name_holds_the_sign_is_meant_first(logs: Path) -> None:
    (logs / "a.jsonl#two").write_text(line("file"))
    assert ids("a.jsonl#two") == ["file"]
    assert ids("a.jsonl#two#file") == ["file"]
    assert ids("a.jsonl#two#two") == []
    assert call("search", "-l", "needle", "a.jsonl#two").stdout == "a.jsonl%23two#file\n"
    assert ids("a.jsonl%23two#file") == ["file"]


def test_a_run_whose_id_repeats_is_named_by_its_key(logs: Path) -> None:
    (logs / "twice.jsonl").write_text(line("same") + line("same").replace("needle", "other"))
    rows = [json.loads(row) for row in call("ls", "--json", "twice.jsonl").stdout.splitlines()]
    assert [row["line"] for row in rows] == [1, 2]
    found = call("ls", "--json", f"twice.jsonl#{rows[1]['key']}").stdout.splitlines()
    assert [json.loads(row)["line"] for row in found] == [2]


def test_what_search_prints_opens_the_runs_in_a_shell(logs: Path) -> None:
    folder = logs / "my * logs"
    folder.mkdir()
    (folder / "odd [1].jsonl").write_text("".join(map(line, ODD)))
    program = f"{quote(sys.executable)} -m trajview"
    done = subprocess.run(
        ["sh", "-c", f"{program} ls --json --no-cache $({program} search -l 'needle' .)"],
        capture_output=True, text=True, timeout=60, cwd=logs,
    )  # fmt: skip
    assert done.stderr == ""
    found = [json.loads(row)["id"] for row in done.stdout.splitlines()]
    assert sorted(found) == sorted(ids("."))
    assert len(found) == len(ODD) + 4


@given(st.text(st.characters(codec=None), min_size=1))
def test_any_id_comes_back_from_what_is_printed(run_id: str) -> None:
    shown = reference(Path("-x.jsonl"), run_id, alone=False)
    shown.encode()
    assert shown.startswith("./-x.jsonl#")
    assert not set(shown) & set(" \t\n*?[]$`'\"\\;&|<>()!{}\x1b")
    assert is_wanted(readings(shown.split("#", 1)[1]), run_id)


def test_a_path_without_an_id_says_enough_where_a_run_is_alone() -> None:
    assert reference(Path("a/b.json"), "x", alone=True) == "a/b.json"
    assert reference(Path("a b.json"), "x", alone=True) == "a%20b.json#x"
    assert split_id(Path("no/such#id")) == (Path("no/such#id"), None)
    assert grouped([Path("no/such#id")]) == {Path("no/such#id"): None}


def test_the_viewers_list_has_the_named_runs_alone_and_follows_them(logs: Path) -> None:
    corpus = Corpus([Path("a.jsonl#two")], follow=True)
    corpus.start()
    assert corpus.wait(30)
    assert [info.id for info in corpus.infos] == ["two"]
    with (logs / "a.jsonl").open("a") as file:
        file.write(line("five"))
    assert corpus.reload()
    assert [info.id for info in corpus.infos] == ["two"]
    corpus.cancel()
