"""The README and the pages of `docs/` say what is true: commands, examples, formats, options and links are the program's.

Every command and example is run. A block that cannot be run has a comment before it, `<!-- not run: the reason -->`.
"""

from __future__ import annotations

import io
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import trajview
from trajview import AnnotationForEpisode
from trajview.annotation.draft import Draft
from trajview.annotation.exchange import to_csv
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.rubric_check import KEYS as RUBRIC_KEYS
from trajview.annotation.rubric_file import check_rubric
from trajview.annotation.store import AnnotationStore, pk_of
from trajview.app.keys import KEYS, shown
from trajview.cli.main import main
from trajview.config import WANTED, load_settings
from trajview.formats.registry import FORMATS
from trajview.rules.built_in import built_in_rules
from trajview.rules.rule import COLOURS
from trajview.where.explain import EXAMPLES
from trajview.where.fields import FIELDS
from trajview.where.parse import parse

ROOT = Path(__file__).parents[1]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
}
README = PAGES["README.md"]
TEXT = "\n".join(PAGES.values())
_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]*) -->\n)?^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE
)
_COMMAND = re.compile(r"`(?:\.venv/bin/)?trajview ([^`\n]+)`")


def block(name: str) -> str:
    """The code block after `<!-- NAME -->`."""
    match = re.search(rf"<!-- {re.escape(name)} -->\n```\w*\n(.*?)```", TEXT, re.DOTALL)
    assert match, f"no page has a block {name!r}"
    return match[1]


def blocks(language: str) -> Iterator[tuple[str, str]]:
    """The page and the code of every block in a language that is to be run here.

    What the guide to formats shows is run where its plug-in is installed (test_plugin_package.py).
    """
    for page, text in PAGES.items():
        if page == "docs/adding-a-format.md":
            continue
        for found in _BLOCK.finditer(text):
            mark = found["mark"] or ""
            if found["language"] == language and not mark.startswith("not run: ") and not mark.endswith(" command"):
                yield page, found["code"]


def rows_of(page: str) -> list[str]:
    """The first cell of each row of the first table of a page, without its quotes."""
    table = re.search(r"^\|[-|]+\|\n((?:\|[^\n]*\n)+)", PAGES[page], re.MULTILINE)
    assert table, page
    return [row.split("|")[1].strip().strip("`") for row in table[1].splitlines()]


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the sample data in it, which is the current one."""
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data", ignore=shutil.ignore_patterns("_make", "*.py"))
    program = tmp_path / "bin" / "trajview"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m trajview "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_format_is_named_and_no_other() -> None:
    assert rows_of("docs/formats.md") == [found.name for found in FORMATS]


def test_every_command_is_named_and_no_other() -> None:
    named = {row.split()[1] for row in rows_of("docs/reference/command-line.md")}
    assert named == {"PATH...", *main.commands, *main.list_commands(None)} - {"view"}  # type: ignore[arg-type]


def test_the_keys_of_the_readme_are_keys() -> None:
    section = README.partition("\n## Keys\n")[2].partition("\n## ")[0]
    named = [
        name for row in re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE) for name in re.findall(r"`([^`]+)`", row)
    ]
    assert len(named) > 20
    assert set(named) <= {name for key in KEYS for name in shown(key.keys).split()}


def options_of(command: click.Command, *, older: bool = False) -> set[str]:
    """The long options of a command, and of those below it; `older`: also spellings that its help does not have."""
    shown = [param for param in command.params if older or not getattr(param, "hidden", False)]
    found = {each for param in shown for each in (*param.opts, *param.secondary_opts) if each.startswith("--")}
    if not isinstance(command, click.Group):
        return found
    context = click.Context(command)
    below = (command.get_command(context, name) for name in command.list_commands(context))
    return found.union(*(options_of(each, older=older) for each in below if each is not None))


def test_every_option_that_is_named_is_one() -> None:
    commands = options_of(main, older=True)
    scripts = {
        option
        for path in (ROOT / "benchmarks").glob("*.py")
        for option in re.findall(r'add_argument\("(--[a-z-]+)"', path.read_text(encoding="utf-8"))
    }
    texts = TEXT + (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    # What other programs take: pip, uv, pytest and mkdocs.
    texts = re.sub(r"^.*(?:pip install|uv venv|mkdocs build).*$", "", texts, flags=re.MULTILINE)
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", texts))
    assert named - {"--help"} <= commands | scripts
    assert {"--where", "--rule", "--no-cache", "--quick"} <= named


def test_the_rules_that_come_with_it_are_named_and_so_are_their_colours() -> None:
    [paragraph] = re.findall(r"^These rules come with trajview.*?\n\n", TEXT, re.MULTILINE | re.DOTALL)
    for rule in built_in_rules():
        assert f"`{rule.name}`" in paragraph
    assert f"# {', '.join(COLOURS)}\n" in block("config")


def test_every_example_of_a_filter_is_one() -> None:
    for example, _ in EXAMPLES:
        parse(example)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as the code host and the site make them."""
    headings = re.findall(r"^#+ (.*)", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_links_and_pictures_lead_somewhere(page: str) -> None:
    text = re.sub(r"^```.*?^```$", "", PAGES[page], flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)]+)\)", text):
        file, _, anchor = target.partition("#")
        path = (ROOT / page).parent / file if file else ROOT / page
        assert path.is_file(), target
        assert not anchor or anchor in anchors(path), target


def test_every_picture_is_shown() -> None:
    shown = {Path(target).stem for target in re.findall(r"\]\((screenshots/[^)]+)\)", TEXT)}
    assert shown == {path.stem for path in (ROOT / "screenshots").glob("*.svg")}


def test_the_readme_is_short_and_names_every_page() -> None:
    assert len(README.encode()) <= 12_000
    pages = {page for page in PAGES if page.startswith("docs/")} - {"docs/index.md", "docs/notebook.md"}
    assert pages <= set(re.findall(r"\]\((docs/[^)]+)\)", README))


def test_the_two_commands_set_everything_up() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert {"test", "docs", "dev"} == set(pyproject["dependency-groups"])
    assert block("run command").strip() == (
        "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/trajview sample_data"
    )
    assert block("test command").strip() == (
        "python3 -m venv --upgrade-deps .venv && .venv/bin/pip install -q -e . --group dev && .venv/bin/python -m pytest -n auto --dist worksteal"
    )


def commands() -> Iterator[Any]:
    """Every line of a shell that the pages show, with its page."""
    for page, code in blocks("sh"):
        for line in code.splitlines():
            yield pytest.param(line, id=f"{Path(page).stem}: {' '.join(line.split()[:4])}")


@pytest.mark.parametrize("line", commands())
def test_every_command_does_something(line: str, clone: Path) -> None:
    words = shlex.split(line, comments=True)
    files = {path for path in clone.rglob("*") if path.is_file()}
    if set(line) & set("|$"):  # a shell's own work
        done = subprocess.run(
            ["bash", "-c", line], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
        code, stdout, stderr = done.returncode, done.stdout, done.stderr
    else:
        assert words[0].removeprefix(".venv/bin/") == "trajview"
        ended = CliRunner().invoke(main, words[1:], prog_name="trajview")
        code, stdout, stderr = ended.exit_code, ended.stdout, ended.stderr
    # The malformed samples are a problem where they are read, and only there; two runs are different.
    problems = {"sample_data", "sample_data/malformed"} & set(words) and "--run" not in words and words[1] != "search"
    assert code == (1 if problems or words[1] == "compare" else 0), stderr
    assert "Traceback" not in stderr
    assert stdout.strip() or files < {path for path in clone.rglob("*") if path.is_file()}


@pytest.mark.parametrize("line", sorted(set(_COMMAND.findall(TEXT))))
def test_every_command_that_a_sentence_names_has_these_options(line: str) -> None:
    words = shlex.split(line.replace("...", "").replace("…", ""))
    command: click.Command = main
    context = click.Context(main)
    while isinstance(command, click.Group):
        found = command.get_command(context, words[0]) if words else None
        if found is None:
            assert command is main, f"{command.name} has no command {words[:1]}"
            found = main.get_command(context, "view")
        else:
            words = words[1:]
        assert found is not None
        command = found
    options = {option for param in command.params for option in (*param.opts, *param.secondary_opts)} | {"--help"}
    named = {word.partition("=")[0] for word in words if re.fullmatch(r"--?[a-zA-Z][a-z-]*(=.*)?", word)}
    assert named <= options


def test_the_configuration_example_names_every_setting_and_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = block("config")
    assert set(tomllib.loads(example)) == set(WANTED)
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
    assert said | {"low", "high"} == set(RUBRIC_KEYS)


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
    section = PAGES["docs/python.md"]
    messages = {name for name in trajview.__all__ if name.endswith(("Message", "Part")) or name == "ToolCall"}
    assert {*trajview.__all__} - messages - {"__version__"} <= set(re.findall(r"\w+", section))


def run_here(code: str) -> str:
    """What an example prints."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "example", "exec"), {"__name__": "__main__"})
    return printed.getvalue()


@pytest.mark.parametrize("code", [pytest.param(code, id=page) for page, code in blocks("python")])
def test_every_python_example_runs(code: str, clone: Path) -> None:
    (clone / "scores.csv").write_text(to_csv([AnnotationForEpisode.from_json(block("annotation"))]), encoding="utf-8")
    run_here(code)


def test_the_python_example_prints_what_it_says(clone: Path) -> None:
    store = clone / "annotations" / "AnnotationForEpisode"
    store.mkdir(parents=True)
    (store / "one.json").write_text(block("annotation"), encoding="utf-8")
    printed = run_here(block("example"))
    assert printed.startswith("c0e2cd93-28d1-5bda-b854-40a531481d5e docent 58 23 ")
    assert "22 user Merged." in printed
    assert printed.splitlines()[-1].startswith("341445f1-9fa9-5a05-ab8c-981a0576505b ada [(5.5, ")


def test_the_reference_pages_hold_the_programs_tables() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "reference.py"))
    wanted = set(re.findall(r"<!-- made: (\w+) -->", TEXT))
    assert wanted == set(made["TABLES"])
    pages = {page: made["on_page_markdown"](text) for page, text in PAGES.items()}
    assert "<!-- made" not in "".join(pages.values())
    for key in KEYS:
        assert f"| `{key.id}` |" in pages["docs/reference/keys.md"]
    for field in FIELDS:
        assert f"| `{field.name}`" in pages["docs/reference/filter.md"]
    for name in WANTED:
        assert f"| `{name}` |" in pages["docs/reference/configuration.md"]
    for option in options_of(main) - {"--help"}:
        assert option in pages["docs/reference/command-line.md"]
    assert "`UnreadableError`" in pages["docs/reference/errors.md"]


def test_the_man_page_is_made_from_the_help_and_installed_with_the_program() -> None:
    page = (ROOT / "docs" / "trajview.1").read_text(encoding="ascii")
    made = runpy.run_path(str(ROOT / "docs" / "man_page.py"))["page"]()
    assert page == made, "write it anew with `python docs/man_page.py`"
    for option in options_of(main):
        assert option.replace("-", "\\-") in page
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]
    assert wheel["shared-data"] == {"docs/trajview.1": "share/man/man1/trajview.1"}
