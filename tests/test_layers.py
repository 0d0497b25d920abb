"""What each way into the program imports: nothing heavy before it is needed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "sample_data"
HEAVY = ("textual", "tiktoken", "pydantic", "msgspec", "yaml", "pygments", "markdown_it", "rich")


def imported_by(code: str, *args: str) -> set[str]:
    """The top-level modules that a new Python has imported after running the code."""
    ending = "import json, sys; sys.stderr.write('\\n' + json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    done = subprocess.run(
        [sys.executable, "-c", f"import atexit\n@atexit.register\ndef _():\n    {ending}\n{code}", *args],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


def imported_by_command(*args: str) -> set[str]:
    """What the command line has imported when it has done that."""
    return imported_by("from trajview.__main__ import main\nmain()", *args)


def test_the_probe_sees_what_is_imported() -> None:
    assert {"textual", "rich"} <= imported_by("import textual.app")


def test_importing_trajview_imports_nothing_heavy() -> None:
    assert imported_by("import trajview").isdisjoint({*HEAVY, "click", "platformdirs"})


def test_the_public_names_are_imported_on_first_use() -> None:
    found = imported_by("import trajview\ntrajview.Transcript")
    assert "msgspec" in found
    assert found.isdisjoint({"pydantic", "textual"})


def test_runs_are_made_read_and_blinded_without_pydantic() -> None:
    found = imported_by(
        "import sys\n"
        "from trajview.corpus.corpus import open_corpus\n"
        "from trajview.models import branches, text\n"
        "from trajview.models.blind import blinded\n"
        "for folder in sys.argv[1:]:\n"
        "    corpus = open_corpus(folder)\n"
        "    for info in corpus:\n"
        "        run = blinded(corpus.load(info))\n"
        "        assert branches.branches_of(run) and text.run_to_str(run)\n"
        "        assert [message.said() for each in run.transcripts for message in each.messages]",
        *(str(SAMPLES / folder) for folder in ("docent", "sotopia", "adp", "chat")),
    )
    assert "msgspec" in found
    assert "pydantic" not in found


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_import_nothing_heavy(option: str) -> None:
    assert imported_by_command(option).isdisjoint(HEAVY)


@pytest.mark.parametrize("args", [("ls",), ("ls", "--json"), ("validate",)], ids=" ".join)
def test_listing_and_checking_import_no_part_of_the_viewer(args: tuple[str, ...]) -> None:
    found = imported_by_command(*args, str(SAMPLES / "docent"), str(SAMPLES / "sotopia"))
    assert found.isdisjoint({"textual", "tiktoken", "pygments", "markdown_it"})


def test_listing_json_imports_no_models_and_no_yaml() -> None:
    found = imported_by_command("ls", str(SAMPLES / "docent"), str(SAMPLES / "sotopia"), str(SAMPLES / "chat"))
    assert found.isdisjoint({"pydantic", "yaml"})


def test_detection_and_summaries_of_every_format_work_without_pydantic() -> None:
    found = imported_by(
        "import json, sys\n"
        "from pathlib import Path\n"
        "from trajview.corpus.corpus import open_corpus\n"
        "corpus = open_corpus(sys.argv[1])\n"
        "assert len({info.format for info in corpus}) >= 8, {info.format for info in corpus}\n"
        "assert all(corpus.detections(info) for info in corpus)",
        str(SAMPLES),
    )
    assert "pydantic" not in found
    assert "textual" not in found


def test_showing_as_text_imports_no_part_of_the_viewer() -> None:
    assert imported_by_command("show", str(SAMPLES / "docent" / "runs.jsonl")).isdisjoint({"textual", "tiktoken"})


def test_counting_tokens_imports_what_counts_them() -> None:
    found = imported_by_command("show", "--token-limit", "2000", str(SAMPLES / "docent" / "runs.jsonl"))
    assert "tiktoken" in found
    assert "textual" not in found
