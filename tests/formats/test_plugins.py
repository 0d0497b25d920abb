"""Formats of other packages: found by entry points, asked with care, refused where they would be in the way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from trajview.errors import FormatError, TrajviewError
from trajview.formats.base import Origin
from trajview.formats.installed import fingerprint, installed
from trajview.formats.registry import Registry

RECORD = {"special": 1, "messages": [{"role": "user", "content": "hello"}]}
GOOD = """
    from trajview.formats.base import Detection
    from trajview.formats.chat_format import ChatFormat, chat_of
    from trajview.formats.words import AddedWords

    class Special(ChatFormat):
        name = "special"
        label = "special chat"
        recognises = "`special`"
        retells = True
        rubric = "success"
        added_words = AddedWords(always=("flabbergasted",))

        def detect(self, record):
            if isinstance(record, dict) and "special" in record:
                return Detection(self.name, 0.99, ("it is special",))

        def look(self, record, origin):
            return chat_of(record, origin, record["messages"], {"messages"})

    FORMAT = Special()
"""

Install = Callable[..., None]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs packages as pip does: a module and its metadata in a folder on the path."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    modules = set(sys.modules)

    def add(
        code: str, *, name: str = "special", package: str = "trajview-special", version: str = "1.0", of: str = "FORMAT"
    ) -> None:
        module = package.replace("-", "_")
        (site / f"{module}.py").write_text(dedent(code))
        folder = site / f"{module}-{version}.dist-info"
        folder.mkdir(exist_ok=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
        (folder / "entry_points.txt").write_text(
            f"[console_scripts]\nx = y:z\n\n[trajview.formats]\n{name} = {module}:{of}\n"
        )

    yield add
    for module in set(sys.modules) - modules:
        if module.startswith("trajview_special"):
            del sys.modules[module]


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


def test_without_plug_ins_nothing_is_searched_for_long() -> None:
    assert Registry().plugins() == ()
    assert fingerprint() == ""


@pytest.mark.parametrize("of", ["FORMAT", "Special"])
def test_a_plug_in_is_a_format_like_ours(install: Install, of: str) -> None:
    install(GOOD, of=of)
    registry = Registry()
    known, detection = registry.best(RECORD)
    assert (known.name, detection.why) == ("special", ("it is special",))
    assert known.read(RECORD, Origin()).source_format == "special"
    assert known.summed_up(RECORD, Origin())[1].messages == 1
    assert known.check(RECORD, Origin()) == []
    assert registry.format_named("special") is known is registry.format_or_default("special")
    assert (known.retells, known.rubric, known.label) == (True, "success", "special chat")
    assert registry.source_of("special") == "trajview-special 1.0"
    assert registry.source_of("docent") is None
    assert "flabbergasted" in registry.added_words().always
    assert [each.name for each in registry.formats][-2:] == ["special", "raw"]
    assert registry.problems() == []


def test_nothing_of_a_plug_in_is_imported_before_a_record_is_detected(install: Install) -> None:
    install("raise SystemExit('imported')")
    registry = Registry()
    assert [(each.name, each.source) for each in installed()] == [("special", "trajview-special 1.0")]
    assert fingerprint()
    assert registry.format_named("docent").name == registry.format_or_default("docent").name
    assert registry.problems() == []
    assert "trajview_special" not in sys.modules
    assert registry.best(RECORD)[0].name == "openai"
    (problem,) = registry.problems()
    assert problem.reason == (
        "the plug-in trajview-special 1.0 is not used: it cannot be imported (SystemExit: imported)"
    )


def test_a_tie_goes_to_ours_and_raw_stays_last(install: Install) -> None:
    install(changed('"special" in record', '"messages" in record').replace("0.99", "0.8"))
    registry = Registry()
    assert [each.format for each in registry.detections(RECORD)][:2] == ["openai", "special"]
    assert registry.detections(RECORD)[-1].format == "raw"


@pytest.mark.parametrize(
    ("code", "name", "why"),
    [
        ("import nothing_of_that_name", "special", "ModuleNotFoundError"),
        ("FORMAT = 3", "special", "neither a Format nor a class of one"),
        ("x = 1", "special", "AttributeError"),
        (changed('name = "special"', 'name = "other"'), "special", "calls itself 'other'"),
        (changed('recognises = "`special`"', ""), "special", "recognises"),
        (changed('label = "special chat"', "label = 3"), "special", "are to be texts"),
        (changed('("flabbergasted",)', '"flabbergasted"'), "special", "AddedWords"),
        (changed("def look", "def lok"), "special", "it cannot be imported"),
        (GOOD, "docent", "'docent' is the name of a format that comes with trajview"),
    ],
)
def test_one_that_cannot_be_used_is_said_once_and_hurts_nothing(
    install: Install, code: str, name: str, why: str
) -> None:
    install(code, name=name)
    registry = Registry()
    for _ in range(3):
        known, _ = registry.best(RECORD)
        assert known.name == "openai"
        assert known.read(RECORD, Origin()).source_format == "openai"
    (problem,) = registry.problems()
    assert problem.reason.startswith("the plug-in trajview-special 1.0 is not used: ")
    assert why in problem.reason
    assert "pip uninstall trajview-special" in problem.hint
    assert len(registry.plugins()) == 1
    assert registry.format_named("docent").label == "Docent agent run"


def test_of_two_with_one_name_the_first_is_used(install: Install) -> None:
    install(GOOD)
    install(changed("special chat", "another chat"), package="trajview-special-too")
    registry = Registry()
    assert registry.format_named("special").label == "special chat"
    (problem,) = registry.problems()
    assert "trajview-special-too 1.0 is not used: 'special' is the name of a format of trajview-special 1.0" in str(
        problem
    )


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (changed('return Detection(self.name, 0.99, ("it is special",))', "record['none']"), "`detect`: KeyError"),
        (changed('return Detection(self.name, 0.99, ("it is special",))', "return 0.99"), "`detect`: its answer, float"),
        (changed("0.99", "99"), "`detect`: its answer, Detection"),
        (changed("0.99", "float('nan')"), "`detect`: its answer, Detection"),
        (changed("Detection(self.name", "Detection('docent'"), "`detect`: its answer, Detection"),
        (changed('("it is special",)', '"it is special"'), "`detect`: its answer, Detection"),
        (changed("return chat_of(", "record['none'] + chat_of("), "`summarise`: KeyError"),
        (changed("return chat_of(", "None and chat_of("), "`summarise`: AttributeError"),
        (changed("def look", "def summarise(self, record, origin):\n            pass\n\n        def look"), "`summarise`: its answer, NoneType"),
        (changed("def look", "def read(self, record, origin):\n            return {}\n\n        def look"), "`read`: its answer, dict"),
        (changed("def look", "def read(self, record, origin):\n            raise SystemExit\n\n        def look"), "`read`: SystemExit"),
        (changed("def look", "def check(self, record, origin):\n            return 'bad'\n\n        def look"), "`check`: its answer, str"),
        (changed("def look", "repeats = True\n\n        def whence(self, record):\n            return 1 / 0\n\n        def look"), "`whence`: ZeroDivisionError"),
    ],
    ids=lambda value: None if "\n" in value else value.replace("`", ""),
)  # fmt: skip
def test_what_fails_on_a_record_is_said_once_and_the_record_opens_as_the_next_best(
    install: Install, code: str, said: str
) -> None:
    install(code)
    registry = Registry()
    for _ in range(3):
        known, _ = registry.best(RECORD)
        name, summary = known.summed_up(RECORD, Origin())
        assert summary.messages == 1
        assert name == ("openai" if said.startswith(("`detect`", "`summarise`")) else "special")
        assert known.summarise(RECORD, Origin()) == summary
        run = known.read(RECORD, Origin())
        reads = said.startswith(("`check`", "`whence`")) or "def summarise" in code
        assert run.source_format == ("special" if reads else "openai")
        assert run.transcripts[0].messages[0].text == "hello"
        assert known.check(RECORD, Origin()) == []
        assert known.whence(RECORD) == []
    (problem,) = registry.problems()
    assert problem.reason.startswith(f"the plug-in trajview-special 1.0 failed in {said}")
    assert problem.opens


def test_two_that_fail_on_the_same_record_leave_it_to_ours(install: Install) -> None:
    install(changed("return chat_of(", "record['none'] + chat_of("))
    install(
        changed("return chat_of(", "record['none'] + chat_of(").replace('"special"\n', '"other"\n'),
        package="trajview-special-too",
        name="other",
    )
    registry = Registry()
    assert registry.best(RECORD)[0].summed_up(RECORD, Origin())[0] == "openai"
    assert registry.best(RECORD)[0].read(RECORD, Origin()).source_format == "openai"
    assert len(registry.problems()) == 2


def test_what_a_format_may_raise_is_no_fault(install: Install) -> None:
    install(changed("return chat_of(", "raise FormatError('not today') or chat_of(").replace(
        "from trajview.formats.base", "from trajview.errors import FormatError\n    from trajview.formats.base"
    ))  # fmt: skip
    registry = Registry()
    with pytest.raises(FormatError, match="not today"):
        registry.best(RECORD)[0].read(RECORD, Origin())
    assert registry.problems() == []


@pytest.mark.parametrize("name", [None, "", "never-installed", 3])
def test_an_unknown_name_behaves_as_the_defaults(name: Any) -> None:
    known = Registry().format_or_default(name)
    assert (known.retells, known.zero_is_no_reward, known.rubric, known.is_sotopia_episode) == (False, False, "reward", False)  # fmt: skip


def test_a_name_that_is_asked_for_must_be_known() -> None:
    with pytest.raises(TrajviewError, match="docent, sotopia"):
        Registry().format_named("never-installed")


def test_the_fingerprint_changes_with_versions_and_while_a_plug_in_is_written(install: Install, tmp_path: Path) -> None:
    install(GOOD)
    first = fingerprint()
    assert fingerprint() == first
    module = tmp_path / "site" / "trajview_special.py"
    module.write_text(module.read_text() + "\n")
    second = fingerprint()
    install(GOOD, package="trajview-special-too", version="2.0")
    assert len({first, second, fingerprint()}) == 3
    assert "trajview_special" not in sys.modules


def test_metadata_that_are_broken_are_passed_over(install: Install, tmp_path: Path) -> None:
    install(GOOD)
    site = tmp_path / "site"
    for number, text in enumerate(
        (b"[trajview.formats]\nno entry\n", b"\xff\xfe[trajview.formats]\n", b"[trajview.formats]\na=\n")
    ):
        folder = site / f"broken{number}-1.0.dist-info"
        folder.mkdir()
        (folder / "entry_points.txt").write_bytes(text)
    (site / "empty-1.0.dist-info").mkdir()
    fingerprint()
    assert Registry().format_named("special").label == "special chat"


def test_what_lies_in_the_current_folder_is_no_plug_in(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(GOOD)
    monkeypatch.chdir(tmp_path / "site")
    monkeypatch.syspath_prepend("")
    assert installed() == []


def test_the_cache_serves_what_this_version_said_and_no_other(install: Install, tmp_path: Path) -> None:
    log, imported = tmp_path / "log.json", tmp_path / "imported"
    log.write_text(json.dumps(RECORD))
    noting = f"\n    open({str(imported)!r}, 'a').write('x')\n"

    def listed() -> tuple[str, int]:
        done = subprocess.run(
            [sys.executable, "-m", "trajview", "ls", "--json", str(log)], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONPATH": f"{tmp_path / 'site'}:{ROOT}"}, cwd=tmp_path,
        )  # fmt: skip
        return json.loads(done.stdout)["name"], len(imported.read_text())

    install(GOOD + noting + "    Special.look = lambda self, record, origin: chat_of({'name': 'one'}, origin, [], ())")
    time.sleep(2.1)  # what was written just now is not kept
    assert listed() == ("one", 1)
    assert listed() == ("one", 1), "it is known from the cache, and the plug-in is not imported"
    shutil.rmtree(tmp_path / "site" / "trajview_special-1.0.dist-info")
    code = GOOD + noting + "    Special.look = lambda self, record, origin: chat_of({'name': 'two'}, origin, [], ())"
    install(code, version="1.1")
    assert listed() == ("two", 2)
