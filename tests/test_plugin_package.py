"""A plug-in as its author has it: a package that is installed into an environment of its own, and used by all commands.

It is the example of docs/adding-a-format.md.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from trajview.formats.registry import FORMATS

PACKAGE = Path(__file__).parent / "plugin"
ROOT = PACKAGE.parents[1]
GROUP = "trajview.formats"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def wheel_of(package: Path, folder: Path, code: str | None = None) -> Path:
    """The wheel that the build of a package gives, built here: what builds it is not to be fetched for a test.

    `code`: what the package says in the place of its own module.
    """
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, version = project["name"].replace("-", "_"), project["version"]
    files = {
        str(path.relative_to(package / "src")): path.read_text(encoding="utf-8")
        for path in sorted((package / "src").rglob("*.py"))
    }
    if code is not None:
        files = dict.fromkeys(files, code)
    info = f"{name}-{version}.dist-info"
    points = project["entry-points"][GROUP].items()
    files |= {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[{GROUP}]\n" + "".join(f"{key} = {value}\n" for key, value in points),
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with ZipFile(path, "w") as archive, (folder / "RECORD").open("w", newline="") as record:
        rows = csv.writer(record)
        for inside, text in files.items():
            archive.writestr(inside, text)
            digest = urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            rows.writerow((inside, f"sha256={digest}", len(text.encode())))
        rows.writerow((f"{info}/RECORD", "", ""))
        record.flush()
        archive.write(folder / "RECORD", f"{info}/RECORD")
    return path


def environment(folder: Path, wheel: Path, *, pip: bool = False) -> Path:
    """The Python of a new environment with trajview, what it needs, and a wheel, which pip installs if it is to."""
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    python = folder / "bin" / "python"
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    beside = [path for path in sys.path if path.endswith("-packages") and Path(path).is_dir()]
    (site / "beside.pth").write_text("\n".join([str(ROOT), *beside]) + "\n")
    if not pip:
        with ZipFile(wheel) as archive:
            archive.extractall(site)
        return python
    line = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "-q",
        "--no-index",
        "--no-deps",
        str(wheel),
    ]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return python


def runner(python: Path, folder: Path) -> Run:
    """Runs trajview with that Python, in a folder with the samples of the package."""
    shutil.copytree(PACKAGE / "samples", folder, dirs_exist_ok=True)

    def run(*args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(python), "-m", "trajview", *args], capture_output=True, text=True, cwd=folder, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == code, (done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        return done

    return run


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("taubench")
    return environment(folder / "env", wheel_of(PACKAGE, folder / "dist"), pip=True)


@pytest.fixture
def run(python: Path, tmp_path: Path) -> Run:
    return runner(python, tmp_path / "logs")


def test_the_tests_of_the_package_pass_where_it_is_installed(python: Path, tmp_path: Path) -> None:
    for part in ("tests", "samples"):
        shutil.copytree(PACKAGE / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run(
        [str(python), "-m", "pytest", "-q", str(tmp_path)], capture_output=True, text=True, cwd=tmp_path, check=False,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("pyproject", "pyproject.toml"),
        ("module", "src/trajview_taubench/__init__.py"),
        ("tests", "tests/test_taubench.py"),
    ],
)
def test_the_guide_shows_what_is_tested_here(name: str, path: str) -> None:
    guide = (ROOT / "docs" / "adding-a-format.md").read_text(encoding="utf-8")
    shown = guide.partition(f"<!-- {name} -->\n")[2].partition("\n")[2].partition("\n```\n")[0]
    assert shown + "\n" == (PACKAGE / path).read_text(encoding="utf-8")


def test_the_commands_of_the_guide_do_something(run: Run) -> None:
    guide = (ROOT / "docs" / "adding-a-format.md").read_text(encoding="utf-8")
    lines = [
        line
        for block in re.findall(r"^```sh\n(.*?)^```", guide, re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
    ]
    assert len(lines) > 8
    for line in lines:
        words = shlex.split(line, comments=True)
        assert words[0] == "trajview"
        assert run(*words[1:]).stdout or "-o" in words


def test_it_is_at_most_sixty_lines() -> None:
    assert len((PACKAGE / "src" / "trajview_taubench" / "__init__.py").read_text().splitlines()) <= 60


def test_formats_and_detect_say_where_it_comes_from(run: Run) -> None:
    rows = [json.loads(line) for line in run("formats", "--json").stdout.splitlines()]
    assert [row["name"] for row in rows if row["from"] == "trajview"] == [known.name for known in FORMATS]
    (row,) = (row for row in rows if row["from"] != "trajview")
    assert (row["name"], row["label"], row["from"]) == ("tau-bench", "tau-bench trial", "trajview-taubench 1.0")
    assert row["recognises"] in run("formats").stdout
    said = run("detect", "results.json").stdout.splitlines()
    assert "format      tau-bench" in said
    assert "from        trajview-taubench 1.0" in said
    assert json.loads(run("detect", "results.json", "--json").stdout)["from"] == "trajview-taubench 1.0"


def test_runs_are_listed_filtered_shown_and_checked(run: Run) -> None:
    for _ in range(2):  # read, and from the cache
        rows = [json.loads(line) for line in run("ls", ".", "--json").stdout.splitlines()]
        assert [(row["id"], row["format"]) for row in rows] == [
            ("task-3/trial-0", "tau-bench"),
            ("task-4/trial-0", "tau-bench"),
        ]
    (row,) = run("ls", ".", "--json", "--where", "reward < 1 and format == tau-bench").stdout.splitlines()
    assert json.loads(row)["rewards"] == [0.0]
    shown = run("show", "results.json", "--run", "task-4/trial-0").stdout
    assert "The simulator crashed: rate limit of the user model" in shown
    assert "2 runs in 1 file, no problems" in run("validate", ".").stdout


def test_search_finds_what_the_log_says_and_what_the_format_adds(run: Run) -> None:
    assert "54.04 dollars" in run("search", "dollars", ".").stdout
    assert "The simulator crashed" in run("search", "crashed", ".").stdout
    assert "The simulator crashed" in run("search", "-j", "2", "--json", "simulator crashed", ".").stdout
    run("search", "flabbergasted", ".", code=1)


def test_rules_highlight_it_and_runs_are_taken_along(run: Run, tmp_path: Path) -> None:
    (tmp_path / "logs" / ".trajview.toml").write_text("[[rule]]\nname = 'crash'\npattern = 'simulator crashed'\n")
    assert "The simulator crashed" in run("search", "--rule", "crash", ".").stdout
    page = run("export", "results.json", "--run", "task-4/trial-0", "-f", "md").stdout
    assert "tau-bench" in page
    assert "The simulator crashed" in page
    run("export", "results.json", "-f", "docent", "-o", "runs.jsonl")
    rows = [json.loads(line) for line in run("ls", "runs.jsonl", "--json").stdout.splitlines()]
    assert [(row["id"], row["format"], row["messages"]) for row in rows] == [
        ("task-3/trial-0", "docent", 6),
        ("task-4/trial-0", "docent", 5),
    ]


ANNOTATE = """
from pathlib import Path
from trajview import open_corpus
from trajview.annotation.choice import rubric_of
from trajview.annotation.draft import Draft
from trajview.annotation.store import AnnotationStore
from trajview.formats.registry import format_or_default
info = open_corpus(Path("results.json"))[0]
rubric = rubric_of(None, format_or_default(info.format).rubric)
assert rubric.name == "success", rubric
store = AnnotationStore(Path("scores"), "ada")
draft = Draft(info.key, rubric.name, ({rubric.dimensions[0].name: "1"},), "refunded")
store.submit(draft, rubric)
"""


def test_a_run_is_annotated_by_the_rubric_that_the_format_suggests(run: Run, python: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [str(python), "-c", ANNOTATE], capture_output=True, text=True, cwd=tmp_path / "logs", check=False
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in run("annotations", "export", "--store", "scores").stdout.splitlines()]
    assert [row["episode"] for row in rows] == ["task-3/trial-0"]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import nothing_of_that_name", "is not used: it cannot be imported (ModuleNotFoundError"),
        (
            "{own}\nTauBench.look = lambda self, record, origin: record['none']",
            "failed in `summarise`: KeyError: 'none'",
        ),
        ("{own}\nTauBench.read = lambda self, record, origin: record['none']", "failed in `read`: KeyError: 'none'"),
    ],
    ids=["import", "summarise", "read"],
)
def test_a_broken_one_is_said_once_and_its_logs_open_as_the_next_best(tmp_path: Path, code: str, said: str) -> None:
    own = (PACKAGE / "src" / "trajview_taubench" / "__init__.py").read_text(encoding="utf-8")
    wheel = wheel_of(PACKAGE, tmp_path / "dist", code.replace("{own}", own))
    run = runner(environment(tmp_path / "env", wheel), tmp_path / "logs")
    fails_to_list = "`read`" not in said
    for _ in range(2):
        done = run("ls", ".", "--json", code=1 if fails_to_list else 0)
        formats = {json.loads(line)["format"] for line in done.stdout.splitlines()}
        assert formats == {"openai" if fails_to_list else "tau-bench"}
        assert done.stderr.count("the plug-in trajview-taubench 1.0") == done.stderr.count(said) == fails_to_list
    shown = run("show", ".", code=1)
    assert "54.04 dollars" in shown.stdout
    assert shown.stderr.count("the plug-in trajview-taubench 1.0") == shown.stderr.count(said) == 1
    searched = run("search", "dollars", ".")
    assert "54.04 dollars" in searched.stdout
    assert searched.stderr.count("the plug-in trajview-taubench 1.0") == 1
    validated = run("validate", ".", code=1)
    assert (validated.stdout + validated.stderr).count(said) == 1
    listed = run("formats", code=1 if "not used" in said else 0).stdout
    assert ("is not used" in listed) == ("not used" in said)
