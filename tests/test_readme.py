"""README says what is true: its keys, formats, commands, configuration and example are the program's.

`python -m tests.test_readme` writes the table of keys anew.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import trajview
from trajview import AnnotationForEpisode
from trajview.annotation.draft import Draft
from trajview.annotation.exchange import to_csv
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.rubric_check import _KEYS
from trajview.annotation.rubric_file import check_rubric
from trajview.annotation.store import AnnotationStore, pk_of
from trajview.app.keys import KEYS, groups, shown
from trajview.cli.main import main
from trajview.config import _WANTED, load_settings
from trajview.formats.registry import FORMATS
from trajview.rules.built_in import built_in_rules
from trajview.rules.rule import COLOURS
from trajview.where.explain import EXAMPLES
from trajview.where.fields import FIELDS
from trajview.where.parse import parse

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
_TABLE = re.compile(r"(?<=<!-- keys -->\n).*?(?=<!-- /keys -->)", re.DOTALL)
_WHERE = {
    "browser": "list",
    "results": "results",
    "transcript": "transcript",
    "tree": "tree of transcripts",
    "annotation": "annotation",
    "compare": "comparison",
    "agreement": "agreement",
    "disagreement": "disagreements",
}


def block(name: str) -> str:
    """The code block after `<!-- NAME -->`."""
    match = re.search(rf"<!-- {re.escape(name)} -->\n```\w*\n(.*?)```", TEXT, re.DOTALL)
    assert match, f"README has no block {name!r}"
    return match[1]


def key_table() -> str:
    """The table of keys in Markdown, from the program's own."""
    lines = ["| keys | what they do | where | id |", "|---|---|---|---|"]
    for group, keys in groups(KEYS).items():
        lines.append(f"| **{group}** | | | |")
        for key in keys:
            written = " ".join("`` ` ``" if name == "`" else f"`{name}`" for name in shown(key.keys).split())
            where = ", ".join(name for screen, name in _WHERE.items() if screen in key.screens)
            lines.append(f"| {written} | {key.says} | {where} | `{key.id}` |")
    return "\n".join(lines) + "\n"


def rows_after(heading: str) -> list[str]:
    """The first cell of each row of the first table after a heading, without its quotes."""
    table = re.search(rf"^## {re.escape(heading)}\n.*?\n\|[-|]+\|\n((?:\|[^\n]*\n)+)", TEXT, re.DOTALL | re.MULTILINE)
    assert table, heading
    return [row.split("|")[1].strip().strip("`") for row in table[1].splitlines()]


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the sample data in it, which is the current one."""
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data", ignore=shutil.ignore_patterns("_make", "*.py"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_table_of_keys_is_the_programs() -> None:
    found = _TABLE.search(TEXT)
    assert found
    assert found[0] == key_table(), "write it anew with: python -m tests.test_readme"


def test_every_format_is_named_and_no_other() -> None:
    assert rows_after("What it reads") == [found.name for found in FORMATS]


def test_every_command_is_named_and_no_other() -> None:
    named = {row.split()[1] for row in rows_after("Command line")}
    assert named == {"PATH...", *main.commands, *main.list_commands(None)} - {"view"}  # type: ignore[arg-type]


def options_of(command: click.Command) -> set[str]:
    """The long options of a command, and of those below it."""
    found = {each for param in command.params for each in (*param.opts, *param.secondary_opts) if each.startswith("--")}
    if not isinstance(command, click.Group):
        return found
    context = click.Context(command)
    below = (command.get_command(context, name) for name in command.list_commands(context))
    return found.union(*(options_of(each) for each in below if each is not None))


def test_every_option_that_is_named_is_one() -> None:
    commands = options_of(main)
    scripts = {
        option
        for path in (ROOT / "benchmarks").glob("*.py")
        for option in re.findall(r'add_argument\("(--[a-z-]+)"', path.read_text(encoding="utf-8"))
    }
    texts = TEXT.replace(block("test command"), "") + (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", texts))
    assert named - {"--help"} <= commands | scripts
    assert {"--where", "--rule", "--no-cache", "--quick"} <= named


def test_the_rules_that_come_with_it_are_named_and_so_are_their_colours() -> None:
    [paragraph] = re.findall(r"^These rules come with trajview.*?\n\n", TEXT, re.MULTILINE | re.DOTALL)
    for rule in built_in_rules():
        assert f"`{rule.name}`" in paragraph
    assert f"# {', '.join(COLOURS)}\n" in block("config")


def test_every_example_of_a_filter_is_one_and_every_field_is_named() -> None:
    rows = rows_after("Finding runs")
    assert rows == [example for example, _ in EXAMPLES]
    for row in rows:
        parse(row)
    [fields] = re.findall(r"^Fields: (.*)", TEXT, re.MULTILINE)
    assert re.findall(r"`(\w+)`", fields) == [field.name for field in FIELDS]


def test_pictures_and_links_lead_somewhere() -> None:
    headings = {
        re.sub(r"[^\w -]", "", line[3:]).lower().replace(" ", "-") for line in re.findall(r"^## .*", TEXT, re.M)
    }
    targets = re.findall(r"\]\(([^)]+)\)", TEXT)
    assert {Path(target).stem for target in targets if target.endswith(".svg")} == {
        path.stem for path in (ROOT / "screenshots").glob("*.svg")
    }
    for target in targets:
        assert target[1:] in headings if target.startswith("#") else (ROOT / target).is_file(), target


def test_the_two_commands_set_everything_up() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "dev" in pyproject["project"]["optional-dependencies"]
    assert block("run command").strip() == (
        "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/trajview sample_data"
    )
    assert block("test command").strip() == (
        "python3 -m venv .venv && .venv/bin/pip install -q -e '.[dev]' && .venv/bin/python -m pytest -n auto --dist worksteal"
    )


@pytest.mark.parametrize("line", block("examples").splitlines(), ids=lambda line: " ".join(line.split()[1:4]))
def test_the_example_commands_do_something(line: str, clone: Path) -> None:
    words = shlex.split(line, comments=True)
    assert words[0] == "trajview"
    done = subprocess.run(
        [sys.executable, "-m", "trajview", *words[1:]], capture_output=True, text=True, check=False, encoding="utf-8"
    )
    # The malformed samples are a problem where they are read, and only there.
    whole = "sample_data" in words and "--run" not in words
    different = words[1] == "compare"
    assert done.returncode == (1 if whole or different or "sample_data/malformed" in words else 0), done.stderr
    assert done.stdout.strip()
    assert "Traceback" not in done.stderr


def test_the_configuration_example_names_every_setting_and_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = block("config")
    assert set(tomllib.loads(example)) == set(_WANTED)
    path = tmp_path / "config.toml"
    path.write_text(example, encoding="utf-8")
    monkeypatch.setenv("TRAJVIEW_CONFIG", str(path))
    settings = load_settings()
    assert settings.annotator == "ada"
    assert settings.reward_range == (0, 10)
    assert set(settings.keys) <= {key.id for key in KEYS}


def test_the_rubric_example_has_no_problem_and_says_everything_that_a_rubric_can(tmp_path: Path) -> None:
    path = tmp_path / "rubric.toml"
    path.write_text(block("rubric"), encoding="utf-8")
    assert check_rubric(path) == []
    said = {key for dimension in tomllib.loads(block("rubric"))["dimension"] for key in dimension}
    assert said | {"low", "high"} == set(_KEYS)


def test_the_annotation_shown_is_what_is_written() -> None:
    shown_json = block("annotation").rstrip("\n")
    annotation = AnnotationForEpisode.from_json(shown_json)
    assert annotation.to_json() == shown_json
    assert annotation.pk == pk_of(annotation.episode, annotation.annotator_id, "sotopia")
    episode = json.loads((ROOT / "sample_data/sotopia/deposit.json").read_text(encoding="utf-8"))
    assert annotation.episode == episode["pk"]


def test_the_csv_that_is_exported_is_as_described(tmp_path: Path) -> None:
    folder = tmp_path / "store" / "AnnotationForEpisode"
    folder.mkdir(parents=True)
    record = AnnotationForEpisode.from_json(block("annotation"))
    for who in ("ada", "bo"):
        path = folder / f"{pk_of(record.episode, who, 'sotopia')}.json"
        path.write_text(record.model_copy(update={"pk": path.stem, "annotator_id": who}).to_json())
    done = CliRunner().invoke(main, ["annotations", "export", str(folder.parent), "-o", str(tmp_path / "scores.csv")])
    assert done.exit_code == 0, done.output
    run = subprocess.run(
        [sys.executable, "-c", block("csv")], capture_output=True, check=False, text=True, cwd=tmp_path
    )  # fmt: skip
    assert run.stdout.splitlines() == [f"{record.episode} 0 3.0 2", f"{record.episode} 1 7.0 2"], run.stderr


def test_pandas_reads_what_is_exported_and_the_journal_as_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    store = AnnotationStore(tmp_path / "annotations", "ada")
    store.submit(Draft("007", "sotopia", ({"goal": "7"}, {})), SOTOPIA)
    (tmp_path / "scores.csv").write_text(to_csv(store.records()))
    monkeypatch.chdir(tmp_path)
    [read_csv, read_json] = re.findall(r"`(pandas\.\w+\(.*?\))`", TEXT)
    scores = eval(read_csv, {"pandas": pandas})
    assert list(scores["episode"]) == ["007", "007"]
    assert scores.groupby("annotator_id")["goal"].mean()["ada"] == 7
    assert list(eval(read_json, {"pandas": pandas})["event"]) == ["draft", "submit"]


def test_every_public_name_is_named() -> None:
    section = TEXT.partition("\n## Python\n")[2].partition("\n## ")[0]
    messages = {name for name in trajview.__all__ if name.endswith(("Message", "Part")) or name == "ToolCall"}
    assert {*trajview.__all__} - messages - {"__version__"} <= set(re.findall(r"\w+", section))


def test_the_python_example_runs(clone: Path) -> None:
    store = clone / "annotations" / "AnnotationForEpisode"
    store.mkdir(parents=True)
    (store / "one.json").write_text(block("annotation"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", block("example")],
        capture_output=True,
        check=False,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("c0e2cd93-28d1-5bda-b854-40a531481d5e docent 58 23 ")
    assert "22 user Merged." in done.stdout
    assert lines[-1].startswith("341445f1-9fa9-5a05-ab8c-981a0576505b ada [(5.5, ")


if __name__ == "__main__":
    README.write_text(_TABLE.sub(lambda _: key_table(), TEXT), encoding="utf-8")
