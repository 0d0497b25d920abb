"""`trajview ls` with a filter, an order, columns and other ways to print."""

from __future__ import annotations

import bz2
import csv
import io
import json
from pathlib import Path

import pytest

from trajview.annotation.draft import Draft
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore
from trajview.corpus.bounds import BOUNDS

from .test_commands import call


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Four runs of two formats in one folder."""
    folder = tmp_path / "logs"
    folder.mkdir()
    failed = "Traceback (most recent call last):\n  x\nValueError: no"
    calls = [{"id": "1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}]
    records = [
        {"id": "a", "model": "gpt-4", "reward": 0.25, "messages": [{"role": "user", "content": "hello world"}]},
        {"id": "b", "model": "claude-4", "reward": 1, "metadata": {"task": "sort"}, "messages": [
            {"role": "user", "content": "hi"}, {"role": "assistant", "content": "", "tool_calls": calls},
            {"role": "tool", "tool_call_id": "1", "content": failed}, {"role": "user", "content": "again"},
        ]},
        {"id": "c", "model": "gpt-4", "messages": [{"role": "user", "content": "x " * 50}, {"role": "assistant", "content": "ok"}]},
    ]  # fmt: skip
    (folder / "chats.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (folder / "d.json").write_text(
        json.dumps({"id": "d", "rewards": [0.5], "transcripts": [{"messages": records[0]["messages"]}]})
    )
    return folder


def ids(*args: str | Path) -> list[str]:
    result = call("ls", *args, "--json")
    assert result.exit_code == 0, result.stderr
    return [json.loads(line)["id"] for line in result.stdout.splitlines()]


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("", ["a", "b", "c", "d"]),
        ("reward < 0.6", ["a", "d"]),
        ("model ~ gpt reward == none", ["c"]),
        ("format == docent or units > 1", ["b", "d"]),
        ("errors >= 1", ["b"]),
        ("tokens > 40", ["c"]),
        ("tools == bash", ["b"]),
        ("metadata.task == sort", ["b"]),
        ("not metadata.task", ["a", "c", "d"]),
        ("sort:-reward,id", ["b", "d", "a", "c"]),
        ("chats sort:messages", ["a", "c", "b"]),
    ],
)
def test_where_lets_these_through(logs: Path, where: str, found: list[str]) -> None:
    assert ids(logs, "--where", where) == found


@pytest.mark.parametrize(
    ("sort", "found"),
    [("-messages", ["b", "c", "a", "d"]), ("format,-id", ["d", "c", "b", "a"]), ("-tokens", ["c", "b", "a", "d"]), ("errors,-reward", ["d", "a", "c", "b"])],
)  # fmt: skip
def test_sort_takes_any_fields(logs: Path, sort: str, found: list[str]) -> None:
    assert ids(logs, "--sort", sort) == found


def test_the_option_beats_the_order_in_the_filter(logs: Path) -> None:
    assert ids(logs, "--where", "chats sort:id", "--sort", "-id") == ["c", "b", "a"]


def test_the_table_has_a_column_for_what_the_filter_is_about(logs: Path) -> None:
    lines = call("ls", logs, "--where", "errors >= 0 and model ~ gpt", "--sort", "-tokens").stdout.splitlines()
    assert lines[0].split() == [
        "ID",
        "SOURCE",
        "FORMAT",
        "MESSAGES",
        "UNITS",
        "AGENTS",
        "REWARDS",
        "ERRORS",
        "MODELS",
        "TOKENS",
    ]
    assert lines[1].split() == ["c", "chats.jsonl", "openai", "2", "1", "–", "–", "0", "gpt-4", "52"]


def test_columns_are_printed_in_their_order(logs: Path) -> None:
    lines = call("ls", logs, "--columns", "units,id,metadata.task", "--where", "b").stdout.splitlines()
    assert [line.split() for line in lines] == [["UNITS", "ID", "METADATA.TASK"], ["2", "b", "sort"]]
    [line] = call(
        "ls", logs, "--columns", "reward,tools,metadata.task,agents", "--json", "--where", "b"
    ).stdout.splitlines()
    assert json.loads(line) == {"reward": 1.0, "tools": ["bash"], "metadata.task": "sort", "agents": []}


def test_json_lines_have_what_the_filter_is_about_beside_the_rest(logs: Path) -> None:
    [line] = call("ls", logs, "--where", "errors > 0", "--format", "jsonl").stdout.splitlines()
    found = json.loads(line)
    assert (found["id"], found["errors"], found["units"]) == ("b", 1, 2)


def test_csv_can_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    hostile = 'a,"b"\n\x1b[31m;'
    record = {
        "id": hostile,
        "transcripts": [{"messages": []}],
        "agents": ["Ava", "Ben"],
        "rewards": [1, 0.5],
        "metadata": {"x": {"y": [1]}},
    }
    path.write_text(json.dumps(record))
    result = call("ls", path, "--format", "csv", "--columns", "id,agents,reward,rewards,metadata.x")
    assert list(csv.reader(io.StringIO(result.stdout))) == [
        ["id", "agents", "reward", "rewards", "metadata.x"], [hostile, "Ava; Ben", "0.75", "1; 0.5", '{"y": [1]}']
    ]  # fmt: skip
    usual = call("ls", path, "--format", "csv").stdout.splitlines()[0]
    assert usual == "id,source,format,name,messages,units,transcripts,agents,models,reward"


def test_csv_on_a_terminal_does_nothing_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trajview.cli import ls

    path = tmp_path / "a.json"
    path.write_text(json.dumps({"id": "\x1b[31m\ud800", "messages": [{"role": "user", "content": "x"}]}))
    monkeypatch.setattr(ls, "is_terminal", lambda: True)
    assert "\x1b" not in call("ls", path, "--format", "csv").stdout


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (["--where", "x and rewrd < 1"], ["trajview: --where: there is no field `rewrd` (did you mean `reward`?)", "  x and rewrd < 1", "        ^^^^^"]),
        (["--where", "日本 )"], ["trajview: --where: there is no ( that this ) closes (put it in quotes to look for it as text)", "  日本 )", "       ^"]),
        (["--sort", "units,-xyzzy"], ["trajview: --sort: there is no field `xyzzy` (in metadata? `metadata.xyzzy`; as text? in quotes)", "  units,-xyzzy", "         ^^^^^"]),
        (["--columns", "id,-units"], ["trajview: --columns: a - has no meaning here", "  id,-units", "     ^"]),
        (["--where", "reward <"], ["trajview: --where: a value has to follow < (such as reward > 10)", "  reward <", "          ^"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_pointed_at_and_ends_with_2(logs: Path, args: list[str], error: list[str]) -> None:
    result = call("ls", logs, *args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == error


def test_nothing_found_is_said_and_is_no_error(logs: Path) -> None:
    result = call("ls", logs, "--where", "reward > 100")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "trajview: none of 4 runs matches\n")


def test_a_field_that_is_looked_for_as_text_is_explained_where_nothing_is_found(logs: Path) -> None:
    said = "trajview: none of 4 runs matches (`errors` alone is looked for as text; as a field: such as errors > 10)\n"
    for command in ("ls", "stats"):
        assert call(command, logs, "--where", "reward < 3 and not (nobody or x) errors").stderr == said


def test_annotated_asks_the_store(logs: Path, tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path / "scores", "ada")
    store.submit(Draft("b", SOTOPIA.name, ({"goal": "7"},), "fine"), SOTOPIA)
    given = ["--store", tmp_path / "scores", "--annotator", "ada"]
    assert ids(logs, "--where", "annotated", *given) == ["b"]
    assert ids(logs, "--where", "not annotated", *given) == ["a", "c", "d"]
    assert ids(logs, "--where", "annotated", *given[:2], "--annotator", "ben") == []


def test_the_help_lists_every_field(logs: Path) -> None:
    from trajview.where.fields import FIELDS

    said = call("ls", "--help").stdout
    assert all(f"    {field.name} " in said and field.says in said for field in FIELDS)


def test_more_is_opened_where_an_option_or_the_configuration_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "there.json").write_text('{"id": "there", "messages": []}')
    (tmp_path / "logs" / "link.json").symlink_to("../there.json")
    bomb = json.dumps({"id": "bomb", "messages": [{"role": "user", "content": "x" * 2_000_000}]})
    (tmp_path / "logs" / "bomb.json.bz2").write_bytes(bz2.compress(bomb.encode()))
    monkeypatch.setattr("trajview.corpus.bounds.ALWAYS", 1_000_000)
    for option in ("max_unpacked", "follow_links"):
        monkeypatch.setattr(BOUNDS, option, None)  # so that it is none again afterwards
    config = tmp_path / "config.toml"
    config.write_text("")
    monkeypatch.setenv("TRAJVIEW_CONFIG", str(config))
    logs = tmp_path / "logs"
    refused = call("ls", logs, "--no-cache")
    assert refused.exit_code == 2
    assert "--max-unpacked" in refused.stderr
    assert "--follow-links" in refused.stderr
    assert ids(logs, "--no-cache", "--follow-links", "--max-unpacked", "1G") == ["bomb", "there"]
    config.write_text('follow_links = true\nmax_unpacked = "1G"')
    assert ids(logs, "--no-cache") == ["bomb", "there"]
    assert "left out" in call("ls", logs, "--no-cache", "--no-follow-links").stderr
    assert "is no size" in call("ls", logs, "--max-unpacked", "x").stderr
