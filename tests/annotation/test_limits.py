"""Real limits of the system: a file that may not grow, and permissions that are taken away."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_START = """
import os, resource, signal, sys
from pathlib import Path
from trajview.annotation.draft import Draft
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore
from trajview.annotation.unit_notes import UnitNote
from trajview.errors import AnnotationError
import trajview.models.sotopia  # Now, while everything can still be read.

#-as-somebody-#

def typed(text):
    return Draft("e1", "sotopia", ({"goal": "7"},), text)

def refused(act):
    try:
        act()
    except AnnotationError as error:
        return error.sentence
    raise SystemExit("it was not refused")

def shown():
    opened = AnnotationStore(root, "alice").open("e1", SOTOPIA, 1)
    return (opened.kept or opened.draft).reasoning

root = Path("store")
store = AnnotationStore(root, "alice")
store.submit(typed("first"), SOTOPIA)
"""


def run(folder: Path, script: str) -> None:
    """Run a script in a program of its own, in a folder, as somebody who is not root."""
    nobody = 65534
    if os.geteuid() == 0:  # Root may do anything: permissions are tested as somebody else.
        os.chown(folder, nobody, nobody)
        script = script.replace("#-as-somebody-#", f"os.setegid({nobody}); os.seteuid({nobody})")
    program = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert program.returncode == 0, program.stdout + program.stderr


def test_a_file_that_may_not_grow_refuses_the_line_and_takes_it_back(tmp_path: Path) -> None:
    run(
        tmp_path,
        _START
        + """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store.journal.append("draft", typed("second"))
before = store.journal.path.read_bytes()
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
for room in (0, 1, 100, 300):
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + room, most))
    said = refused(lambda: store.journal.append("draft", typed("x" * 400)))
    assert said.startswith("The draft was not kept: "), said
    refused(lambda: store.skip("e1", SOTOPIA, "y" * 400))
    assert store.journal.path.read_bytes() == before
resource.setrlimit(resource.RLIMIT_FSIZE, (50, most))
assert "not saved" in refused(lambda: store.submit(typed("third"), SOTOPIA))
assert refused(store.undo).startswith("It was not undone: files may not grow that large")
assert store.journal.path.read_bytes() == before
assert AnnotationStore(root, "alice").load("e1", SOTOPIA).reasoning == "first"
assert [path for path in root.rglob("*.tmp")] == []
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
assert shown() == "second"
store.submit(typed("third"), SOTOPIA)
assert shown() == "third"
""",
    )


def test_permissions_that_are_taken_away_are_said_and_what_is_typed_goes_where_it_can(tmp_path: Path) -> None:
    run(
        tmp_path,
        _START
        + """
os.chmod(store.folder, 0o555)
said = refused(lambda: store.submit(typed("second"), SOTOPIA))
assert said == "The annotation was not saved: no permission to write there.", said
assert shown() == "second"  # It is in the journal.
assert store.statuses() == {"e1": "draft"}
os.chmod(store.folder, 0o755)
os.chmod(store.journal.path, 0o444)
refused(lambda: store.journal.append("draft", typed("third")))
refused(lambda: store.skip("e1", SOTOPIA, ""))
refused(store.undo)
assert shown() == "second"
store.submit(typed("third"), SOTOPIA)  # The record does not wait for the journal.
assert AnnotationStore(root, "alice").load("e1", SOTOPIA).reasoning == "third"
os.chmod(store.journal.path, 0o000)
assert "could not be read" in refused(store.statuses)
os.chmod(store.journal.path, 0o644)
os.chmod(store.folder, 0o000)
assert "no permission" in refused(lambda: AnnotationStore(root, "alice").open("e1", SOTOPIA, 1))
os.chmod(store.folder, 0o755)
os.chmod(root, 0o555)
said = refused(lambda: store.save_unit_note("e1", SOTOPIA, UnitNote(0, 1, {}, "x")))
assert said == "The note was not saved: no permission to write there.", said
os.chmod(root, 0o755)
store.save_unit_note("e1", SOTOPIA, UnitNote(0, 1, {}, "x"))
store.journal.append("draft", typed("fourth"))
assert shown() == "fourth"
""",
    )
