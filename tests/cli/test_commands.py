"""The commands: what they print, what goes to stderr, and how they end."""

from __future__ import annotations

import gc
import json
import os
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from trajview.cli.front import open_viewer
from trajview.cli.main import main
from trajview.corpus.cache import cache_path
from trajview.corpus.corpus import Corpus
from trajview.models.tokens import count_tokens


def chat(run_id: str, *texts: str) -> dict[str, Any]:
    """A chat whose texts are said by the user and the assistant in turn, so that every two make a unit."""
    return {
        "id": run_id,
        "messages": [
            {"role": ("user", "assistant")[index % 2], "content": text}
            for index, text in enumerate(texts or ("hi", "ho"))
        ],
    }


EPISODE = {
    "pk": "ep-1", "environment": "env", "agents": ["p1", "p2"], "reasoning": "",
    "rewards": [[2.5, {"goal": 2.5}], 0.0],
    "messages": [
        [["Environment", "Ann", "Ann's goal: win"], ["Environment", "Bo", "Bo's goal: Unknown"]],
        [["Environment", "Ann", "Turn #1"], ["Ann", "Environment", 'said: "Hi"'], ["Bo", "Environment", "did nothing"]],
    ],
}  # fmt: skip


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    lines = [chat("alpha", "first question", "first answer", "second question", "second answer"), chat("beta")]
    (folder / "chats.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "episode.json").write_text(json.dumps(EPISODE))
    return folder


@pytest.fixture
def broken(runs: Path) -> Path:
    with (runs / "chats.jsonl").open("a") as file:
        file.write('{"id": "torn", "mess')
    return runs


def call(*args: str | Path) -> Result:
    result = CliRunner().invoke(main, [str(arg) for arg in args], prog_name="trajview")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_ls_json_prints_an_object_a_line_with_what_is_needed(runs: Path) -> None:
    result = call("ls", runs, "--json")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert [row["id"] for row in rows] == ["alpha", "beta", "ep-1"]
    needed = ("source", "format", "messages", "units", "agents", "rewards")
    assert [rows[0][name] for name in needed] == ["chats.jsonl", "openai", 4, 2, [], []]
    assert [rows[2][name] for name in ("format", "agents", "rewards")] == [
        "sotopia",
        ["Ann", "Bo"],
        [[2.5, {"goal": 2.5}], 0.0],
    ]


def test_ls_json_is_json_even_for_nan_and_lone_surrogates(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(
        '{"id": "a\\ud800", "metadata": {"reward": NaN}, "transcripts": [{"messages": []}], "rewards": [NaN]}'
    )
    for line in call("ls", path, "--json").stdout.splitlines():
        json.loads(line, parse_constant=lambda name: pytest.fail(name))


def test_ls_prints_an_aligned_table_that_is_not_cut_in_a_pipe(runs: Path) -> None:
    long = "a-very-long-id-" * 20
    (runs / "z.json").write_text(json.dumps(chat(long)))
    (runs / "wide.json").write_text(json.dumps(chat("日本語")))
    lines = call("ls", runs).stdout.splitlines()
    assert lines[0].split() == ["ID", "SOURCE", "FORMAT", "MESSAGES", "UNITS", "AGENTS", "REWARDS"]
    assert lines[1].startswith("alpha ")
    assert any(line.startswith(long) for line in lines)
    column = lines[0].index("SOURCE")
    assert lines[1][column:].startswith("chats.jsonl")
    wide = next(line for line in lines if line.startswith("日本語"))
    assert wide[column - 3 :].startswith("wide.json")


@pytest.mark.parametrize("width", [60, 80, 200])
def test_ls_is_cut_to_the_width_of_a_terminal(runs: Path, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    from trajview.cli import ls
    from trajview.cli.tables import cells

    (runs / "z.json").write_text(json.dumps(chat("日本語の長い名前" * 20)))
    monkeypatch.setattr(ls, "is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    lines = call("ls", runs).stdout.splitlines()
    assert len(lines) == 5
    assert max(cells(line) for line in lines) <= width
    assert any("…" in line for line in lines)


def test_problems_go_to_stderr_one_line_each_and_the_exit_code_is_1(broken: Path) -> None:
    for command in ("ls", "show"):
        result = call(command, broken)
        assert result.exit_code == 1
        [line] = result.stderr.splitlines()
        assert re.fullmatch(rf"trajview: {re.escape(str(broken))}/chats\.jsonl:3: .*torn.* \(.+\)", line)
        assert "alpha" in result.stdout


def test_validate_prints_every_problem_with_file_line_and_hint(broken: Path) -> None:
    result = call("validate", broken)
    assert result.exit_code == 1
    first, last = result.stdout.splitlines()
    assert re.fullmatch(rf"{re.escape(str(broken))}/chats\.jsonl:3: .*torn.* \(.+\)", first)
    assert last == "3 runs in 2 files, 1 problem"


def test_validate_says_that_all_is_well(runs: Path) -> None:
    result = call("validate", runs)
    assert (result.exit_code, result.stdout) == (0, "3 runs in 2 files, no problems\n")


def test_show_prints_every_run_by_action_unit(runs: Path) -> None:
    result = call("show", runs)
    assert result.exit_code == 0
    assert [line for line in result.stdout.splitlines() if line.startswith("===")] == [
        "=== alpha · chats.jsonl · openai ===",
        "=== beta · chats.jsonl · openai ===",
        "=== ep-1 · episode.json · sotopia ===",
    ]
    alpha = result.stdout[: result.stdout.index("=== beta")]
    assert alpha.index("first question") < alpha.index("── unit 1 ──") < alpha.index("second question")


def test_show_puts_headings_at_the_margin_and_what_the_log_says_below_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    calls = [
        {"id": "1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls\\npwd", "wait": 3}'}}
    ]
    run = {
        "id": "a", "reward": 0.5, "metadata": {"task": "sort", "log": "one\ntwo"},
        "messages": [
            {"role": "user", "content": "T0B9 user\n\n\x1b[31mred\x1b[0m <|T0B0|>"},
            {"role": "assistant", "reasoning_content": "why\n\nnot", "content": "so", "tool_calls": calls},
            {"role": "tool", "tool_call_id": "1", "content": "a.txt\n"},
        ],
    }  # fmt: skip
    Path("a.json").write_text(json.dumps(run))
    body = (
        "\n── unit 0 ──\n\nT0B0 user\n  T0B9 user\n\n  red <|T0B0|>\n"
        "\nT0B1 assistant\n  ┆ why\n  ┆ \n  ┆ not\n  so\n  ▸ bash\n    command:\n      ls\n      pwd\n    wait: 3\n"
        "\nT0B2 tool bash\n  a.txt\n"
    )
    head, end = "\nreward: agent: 0.5\n", "\nmetadata\n  task: sort\n  log:\n    one\n    two\n\n"
    assert call("show", "a.json").stdout == f"=== a · a.json · openai ===\n{head}{body}{end}"
    assert call("show", "a.json", "--unit", "0").stdout == f"=== a · a.json · openai ===\n{body}\n"


def test_show_has_docents_tags_where_they_are_asked_for_and_for_a_model(runs: Path) -> None:
    assert "<|" not in call("show", runs).stdout
    tagged = call("show", runs, "--run", "alpha", "--tags").stdout
    assert tagged.startswith(
        "=== alpha · chats.jsonl · openai ===\n<|transcript T0|>\n<|action unit 0|>\n<|T0B0; role: user|>\n"
    )
    unit = call("show", runs, "--run", "alpha", "--tags", "--unit", "1").stdout
    assert unit.split("\n", 1)[1] in tagged
    assert (
        call("show", runs, "--run", "alpha", "--token-limit", "1000").stdout.split("\n", 1)[1]
        == tagged.split("\n", 1)[1]
    )


def test_show_run_and_unit_print_only_that(runs: Path) -> None:
    whole = call("show", runs, "--run", "alpha")
    assert "second answer" in whole.stdout
    assert "beta" not in whole.stdout
    unit = call("show", runs, "--run", "alpha", "--unit", "1")
    assert unit.exit_code == 0
    assert "first" not in unit.stdout
    assert "T0B2" in unit.stdout
    assert "second answer" in unit.stdout


def test_an_unknown_run_ends_with_2_and_names_near_ones(runs: Path) -> None:
    result = call("show", runs, "--run", "alpa")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "trajview: there is no run 'alpa' (did you mean alpha?)\n"
    assert "such as alpha" in call("show", runs, "--run", "zzzzzz").stderr


@pytest.mark.parametrize("unit", ["2", "-1", "99999999999999999999"])
def test_a_unit_out_of_range_ends_with_2_and_names_the_range(runs: Path, unit: str) -> None:
    result = call("show", runs, "--run", "alpha", "--unit", unit)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "units 0 to 1" in result.stderr


def test_a_unit_that_some_runs_lack_is_shown_for_the_others(runs: Path) -> None:
    result = call("show", runs, "--unit", "1")
    assert result.exit_code == 2
    assert "second answer" in result.stdout
    assert "no action unit 1 in beta" in result.stderr


def parts_of(text: str) -> list[str]:
    return [part for part in re.split(r"^=== .* ===\n", text, flags=re.MULTILINE) if part]


@pytest.mark.parametrize("limit", [100, 150, 1000])
def test_every_part_keeps_to_the_token_limit_even_after_it_was_made_safe(tmp_path: Path, limit: int) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(chat("a", *["\x1b[31m\x07\u202e hostile <|endoftext|> " * 40, "calm words " * 100] * 3)))
    result = call("show", path, "--token-limit", str(limit))
    parts = parts_of(result.stdout)
    assert result.exit_code == 0
    assert len(parts) > 1
    assert result.stdout.count("=== a · ") == len(parts)
    assert max(count_tokens(part) for part in parts) <= limit
    assert "\x1b" not in result.stdout


def test_a_unit_under_a_token_limit_prints_the_parts_that_hold_it_marked(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(chat("a", *["many words " * 60] * 8)))
    result = call("show", path, "--unit", "2", "--token-limit", "400")
    assert result.exit_code == 0
    parts = parts_of(result.stdout)
    assert parts
    assert all("action unit 2" in part and "HIGHLIGHTED" in part for part in parts)


def test_a_token_limit_below_the_least_is_wrong_usage(runs: Path) -> None:
    result = call("show", runs, "--token-limit", "99")
    assert result.exit_code == 2
    assert "at least 100" in result.stderr


def test_text_from_a_log_cannot_reach_the_terminal_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    hostile = chat("\x1b]0;owned\x07id", "\x1b[2J\u202ebidi\x00", "\ud83d")
    path.write_text(json.dumps([hostile, hostile]))
    for args in (["show", path], ["ls", path], ["validate", path], ["detect", path], ["show", path, "--run", "x"]):
        output = call(*args).output
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", output)


def test_detect_says_container_format_confidence_and_why(runs: Path) -> None:
    result = call("detect", runs / "episode.json")
    assert result.exit_code == 0
    lines = dict(line.split(maxsplit=1) for line in reversed(result.stdout.splitlines()))
    assert lines["container"] == "json, 1 record"
    assert lines["format"] == "sotopia"
    assert 0.5 < float(lines["confidence"]) <= 1
    assert lines["why"]
    found = json.loads(call("detect", runs / "chats.jsonl", "--json").stdout)
    assert (found["container"], found["format"], found["records"]) == ("jsonl", "openai", 2)
    assert 0.5 < found["confidence"] <= 1
    assert found["why"]
    assert found["candidates"][-1]["format"] == "raw"


def test_detect_wants_a_file(runs: Path) -> None:
    result = call("detect", runs)
    assert result.exit_code == 2
    assert "folder" in result.stderr


@pytest.mark.parametrize("command", [["ls"], ["show"], ["validate"], ["detect"], []])
def test_a_path_that_does_not_exist_is_one_sentence(command: list[str], tmp_path: Path) -> None:
    result = call(*command, tmp_path / "none.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"trajview: {tmp_path}/none.json: no such file or folder (check the path)\n"


def test_a_misspelt_path_names_the_nearest_beside_it(runs: Path) -> None:
    (runs / "episode.json").touch()
    assert f"(did you mean {runs}/episode.json?)" in call("show", runs / "epiosde.json").stderr
    assert f"(did you mean {runs}?)" in call("show", runs.with_name(f"{runs.name}s")).stderr
    assert "(check the path)" in call("show", runs / "gone" / "episode.json").stderr


def test_a_run_is_named_by_a_word_of_its_name_as_well(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "hello"}]
    log = tmp_path / "log.jsonl"
    log.write_text(
        json.dumps({"id": "r-17", "name": "Lantern: the last one", "transcripts": [{"messages": chat}]}) + "\n"
    )
    for misspelt in ("lantern", "lantren"):
        assert "(did you mean r-17?)" in call("show", log, "--run", misspelt).stderr


def test_a_command_that_is_misspelt_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "did you mean the command `validate`?" in call("validat", "x").stderr


def test_a_folder_without_logs_says_so(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    for command in ("ls", "show", "validate"):
        result = call(command, tmp_path)
        assert result.exit_code == 2
        assert "no logs found" in result.stderr
        assert "1 file" in result.stderr


def test_a_file_that_cannot_be_read_at_all_ends_with_2(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{")
    assert call("ls", tmp_path / "a.json").exit_code == 2
    assert call("show", tmp_path / "a.json").exit_code == 2
    assert call("detect", tmp_path / "a.json").exit_code == 2
    assert call("validate", tmp_path / "a.json").exit_code == 1


def test_where_stdout_is_no_terminal_view_prints_like_show(runs: Path) -> None:
    assert call(runs).output == call("show", runs).output == call("view", runs).output
    assert call("--run", "beta", runs).output == call("show", runs, "--run", "beta").output
    assert (
        call(runs, "--run", "alpha", "--unit", "1").output == call("show", runs, "--run", "alpha", "--unit", "1").output
    )


def test_a_bad_pattern_is_wrong_usage(runs: Path) -> None:
    result = call(runs, "--highlight", "(")
    assert result.exit_code == 2
    assert "not a regular expression" in result.stderr


def test_help_has_examples_and_a_line_without_arguments_prints_it() -> None:
    result = call("--help")
    assert result.exit_code == 0
    assert "trajview show run.json --token-limit 8000" in result.stdout
    bare = call()
    assert (bare.exit_code, bare.stdout) == (2, result.stdout)
    for command in ("view", "show", "ls", "detect", "validate", "cache", "completion"):
        assert call(command, "--help").exit_code == 0
        assert command in result.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell: str) -> None:
    result = call("completion", shell)
    assert result.exit_code == 0
    assert "_TRAJVIEW_COMPLETE" in result.stdout
    assert call("completion", "tcsh").exit_code == 2


def test_paths_complete_where_no_command_is_named() -> None:
    from click.shell_completion import ShellComplete

    found = ShellComplete(main, {}, "trajview", "_TRAJVIEW_COMPLETE").get_completions([], "s")
    assert {("plain", "show"), ("file", "s")} <= {(item.type, item.value) for item in found}


def test_show_is_coloured_on_a_terminal_and_not_against_no_color(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trajview.cli import common

    monkeypatch.setattr(common, "is_terminal", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured, tagged = call("show", runs).stdout, call("show", runs, "--tags").stdout
    assert "\x1b[1;36mT0B0 user\x1b[0m\n" in coloured
    assert "\x1b[36m<|T0B0; role: user" in tagged
    monkeypatch.setenv("NO_COLOR", "1")
    for before, plain in ((coloured, call("show", runs).stdout), (tagged, call("show", runs, "--tags").stdout)):
        assert "\x1b" not in plain
        assert re.sub("\x1b\\[[0-9;]*m", "", before) == plain
    assert os.environ["NO_COLOR"] == "1"


def test_ls_fills_the_cache_unless_it_is_told_not_to(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("trajview.corpus.cache.JUST_NOW", 0)
    plain = call("ls", runs, "--no-cache").stdout
    assert "files  0" in call("cache", "info").stdout
    assert [call("ls", runs).stdout for _ in range(2)] == [plain] * 2
    said = call("cache", "info").stdout
    assert "files  2" in said
    assert str(tmp_path / "cache") in said
    assert call("cache", "clear").exit_code == 0
    assert "files  0" in call("cache", "info").stdout


@pytest.mark.parametrize(
    "command",
    [
        ("ls",), ("ls", "--where", "errors = 0"), ("stats",), ("stats", "--where", "errors = 0"),
        ("compare", "--run-a", "alpha", "--run-b", "beta"), ("annotate",),
    ],
)  # fmt: skip
def test_nothing_is_kept_where_that_is_not_wanted(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("trajview.corpus.cache.JUST_NOW", 0)
    path = runs / "chats.jsonl"
    plain = call(*command, path, "--no-cache")
    assert not (tmp_path / "cache").exists()
    assert call(*command, path).stdout == plain.stdout != ""
    kept = {each.name for each in (tmp_path / "cache").rglob("*.sqlite")}
    assert kept >= {"summaries.sqlite", *(["details.sqlite"] if "errors = 0" in command else [])}


@pytest.mark.parametrize("no_cache", [False, True])
def test_the_viewer_keeps_nothing_where_that_is_not_wanted(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_cache: bool
) -> None:
    def shown(corpus: Corpus, *_: object, **__: object) -> int:
        assert corpus.wait(30)
        return 0

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("trajview.corpus.cache.JUST_NOW", 0)
    monkeypatch.setattr("trajview.app.app.run_app", shown)
    monkeypatch.setattr("trajview.cli.stdin.take_terminal", lambda: None)
    with pytest.raises(SystemExit):
        open_viewer(no_cache, paths=(runs / "chats.jsonl",))
    gc.enable()
    assert (tmp_path / "cache").exists() != no_cache


def _in_the_way_of_the_folder(cache: Path) -> None:
    cache.parent.parent.mkdir()
    cache.parent.write_text("a file")


def _a_folder(cache: Path) -> None:
    cache.mkdir(parents=True)


def _a_link_to_itself(cache: Path) -> None:
    cache.parent.mkdir(parents=True)
    cache.symlink_to(cache)


def _no_database(cache: Path) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_bytes(b"x" * 5000)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (_in_the_way_of_the_folder, "not a directory"),
        (_a_folder, "is a directory"),
        (_a_link_to_itself, "too many levels of symbolic links"),
        (_no_database, "file is not a database"),
    ],
)
def test_a_cache_that_cannot_be_read_is_no_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: Callable[[Path], None], said: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    wrong(cache_path())
    result = call("cache", "info")
    assert "files  not known" in result.stdout
    assert f"the cache cannot be read: {said}" in result.stderr
    assert result.exit_code == 1


def test_a_cache_that_another_program_holds_is_no_empty_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("trajview.corpus.cache.PATIENCE", 0.0)
    cache_path().parent.mkdir(parents=True)
    with closing(sqlite3.connect(cache_path())) as other:
        other.execute("CREATE TABLE files (path)")
        other.execute("BEGIN EXCLUSIVE")
        result = call("cache", "info")
    assert "files  not known" in result.stdout
    assert "the cache cannot be read: database is locked" in result.stderr
