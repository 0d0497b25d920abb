"""Two real programs as the same annotator at once: each sees the other's work or is told, and nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from trajview.annotation.draft import Draft
from trajview.annotation.journal import Journal
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore, ChangedOnDisk
from trajview.errors import AnnotationError

_START = """
import random, sys
from pathlib import Path
from trajview.annotation.draft import Draft
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore, ChangedOnDisk
from trajview.annotation.unit_notes import UnitNote
store, me = AnnotationStore(Path(sys.argv[1]), "alice"), sys.argv[2]
store.journal.PATIENCE = 50.0  # A loaded machine is no program that hangs.
print("ready", flush=True)
sys.stdin.readline()
"""


def programs(root: Path, script: str, count: int = 2) -> None:
    """Run a script as several programs that start at the same moment, and wait for all; none may fail."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _START + script, str(root), str(number)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for number in range(count)
    ]  # fmt: skip
    for program in running:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
    for program in running:
        assert program.stdin is not None
        program.stdin.write("go\n")
        program.stdin.flush()
    for program in running:
        _, errors = program.communicate(timeout=60)
        assert program.returncode == 0, errors


def test_a_number_that_two_programs_count_up_misses_no_step(tmp_path: Path) -> None:
    """Each reads the record, adds one and submits. What the other wrote meanwhile must not be overwritten."""
    programs(
        tmp_path,
        """
done = 0
while done < 40:
    opened = store.open("e1", SOTOPIA, 1)
    now = int(opened.saved.annotation.reasoning.split()[0]) if opened.saved else 0
    text = f"{now + 1} by {me}"  # The same text from both would be no conflict.
    try:
        store.submit(Draft("e1", "sotopia", ({"goal": "7"},), text, opened.draft.base), SOTOPIA)
    except ChangedOnDisk:
        continue
    done += 1
""",
    )
    annotation = AnnotationStore(tmp_path, "alice").load("e1", SOTOPIA)
    assert annotation is not None
    assert annotation.reasoning.split()[0] == "80"
    assert [path.name for path in tmp_path.rglob("*.tmp")] == []


def test_every_event_of_both_is_in_the_journal_once_and_whole(tmp_path: Path) -> None:
    programs(
        tmp_path,
        """
for i in range(150):
    store.journal.append("draft", Draft(f"{me}-{i}", "sotopia", ({"goal": "7"},), "x" * random.randrange(20_000)))
    if i % 10 == 0:
        assert {f"{me}-{j}" for j in range(i + 1)} <= set(store.statuses())
""",
        count=3,
    )
    journal = Journal(tmp_path, "alice")
    seen = Counter(entry.episode for entry in journal.ledger.entries.values())
    assert seen == {f"{me}-{i}": 1 for me in range(3) for i in range(150)}
    assert journal.problems == []


def test_notes_of_both_on_one_episode_are_all_there(tmp_path: Path) -> None:
    programs(
        tmp_path,
        """
for i in range(60):
    store.save_unit_note("e1", SOTOPIA, UnitNote(int(me), i, {}, f"{me}:{i}"))
    store.set_mark("e1", int(me), i, True)
""",
    )
    notes = AnnotationStore(tmp_path, "alice").unit_notes("e1")
    assert [note.note for note in notes.units] == [f"{me}:{i}" for me in range(2) for i in range(60)]
    assert len(notes.marks) == 120


def test_undo_and_redo_of_both_keep_records_and_journal_together(tmp_path: Path) -> None:
    programs(
        tmp_path,
        """
choice = random.Random(int(me))
for i in range(80):
    try:
        act = choice.choice(["submit", "submit", "skip", "undo", "undo", "redo"])
        episode = choice.choice(["e1", "e2"])
        if act == "submit":
            opened = store.open(episode, SOTOPIA, 1)
            store.submit(Draft(episode, "sotopia", ({"goal": "7"},), f"{me}:{i}", opened.draft.base), SOTOPIA)
        elif act == "skip":
            store.skip(episode, SOTOPIA, me)
        else:
            getattr(store, act)()
    except ChangedOnDisk:
        pass
""",
    )
    store = AnnotationStore(tmp_path, "alice")
    assert store.problems == []
    while store.undo():
        pass
    assert store.statuses() == {}
    assert list(store.folder.iterdir()) == []
    while store.redo():
        pass
    for episode in ("e1", "e2"):
        submit = store.journal.ledger.submits.get(episode)
        record = store.load(episode, SOTOPIA)
        assert (record.reasoning if record else None) == (store.journal.draft(submit).reasoning if submit else None)


def test_the_second_program_sees_the_first_ones_work_and_is_told_before_it_overwrites(tmp_path: Path) -> None:
    first, second = AnnotationStore(tmp_path, "alice"), AnnotationStore(tmp_path, "alice")
    first.journal.append("draft", Draft("e1", "sotopia", ({"goal": "7"},), "first"))
    opened = second.open("e1", SOTOPIA, 1)
    assert opened.kept is not None
    assert opened.kept.reasoning == "first"
    first.submit(Draft("e1", "sotopia", ({"goal": "7"},), "first, finished"), SOTOPIA)
    with pytest.raises(ChangedOnDisk) as caught:
        second.submit(Draft("e1", "sotopia", ({"goal": "8"},), "second"), SOTOPIA)
    assert caught.value.theirs is not None
    assert caught.value.theirs.reasoning == "first, finished"
    assert second.statuses() == {"e1": "draft"}  # What was typed is kept, beside the record.


def test_work_of_another_program_that_a_draft_replaced_unseen_is_told_once_and_comes_back(tmp_path: Path) -> None:
    def typed(text: str) -> Draft:
        return Draft("e1", "sotopia", ({"goal": "7"},), text)

    first, second = AnnotationStore(tmp_path, "alice"), AnnotationStore(tmp_path, "alice")
    for store in (first, second):
        assert store.open("e1", SOTOPIA, 1).kept is None
    first.journal.append("draft", typed("first"))
    assert first.journal.overtaken("e1", "sotopia") is None
    second.journal.append("draft", typed("second"))
    overtaken = second.journal.overtaken("e1", "sotopia")
    assert overtaken is not None
    assert overtaken.reasoning == "first"
    assert second.journal.overtaken("e1", "sotopia") is None
    second.journal.append("draft", typed("second, on and on"))
    assert second.journal.overtaken("e1", "sotopia") is None
    second.open("e2", SOTOPIA, 1)
    first.open("e1", SOTOPIA, 1)  # Now it is seen.
    first.journal.append("draft", typed("first again"))
    assert first.journal.overtaken("e1", "sotopia") is None
    second.submit(typed("second, submitted"), SOTOPIA)
    replaced = second.journal.overtaken("e1", "sotopia")
    assert replaced is not None
    assert replaced.reasoning == "first again"
    second.undo()
    second.undo()
    opened = second.open("e1", SOTOPIA, 1)
    assert opened.kept is not None
    assert opened.kept.reasoning == "first again"


_HOLDER = """
with store.journal.locked():
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_program_that_hangs_in_the_middle_of_a_write_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Journal, "PATIENCE", 0.2)
    holder = subprocess.Popen(
        [sys.executable, "-c", _START + _HOLDER, str(tmp_path), "0"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert holder.stdin is not None
    assert holder.stdout is not None
    holder.stdout.readline()
    holder.stdin.write("go\n")
    holder.stdin.flush()
    assert holder.stdout.readline() == "held\n"
    store = AnnotationStore(tmp_path, "alice")
    draft = Draft("e1", "sotopia", ({"goal": "7"},))
    began = time.monotonic()
    for act in (lambda: store.submit(draft, SOTOPIA), lambda: store.journal.append("draft", draft), store.undo):
        with pytest.raises(AnnotationError, match="another program is writing as alice") as caught:
            act()
        assert caught.value.hint
    assert time.monotonic() - began < 20
    assert AnnotationStore(tmp_path, "bob").submit(draft, SOTOPIA).path.exists()
    os.kill(holder.pid, signal.SIGKILL)
    holder.communicate()
    monkeypatch.setattr(Journal, "PATIENCE", 20.0)
    assert store.submit(draft, SOTOPIA).path.exists()


def test_a_journal_that_was_moved_away_while_it_was_waited_for_is_made_anew(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "alice")
    store.flag("e1")
    with store.journal.locked():
        os.rename(store.journal.path, tmp_path / "old.jsonl")
    store.flag("e2")
    assert json.loads(store.journal.path.read_text())["episode"] == "e2"
    assert store.statuses() == {"e2": "flagged ⚑"}


def test_a_file_system_without_locks_still_keeps_lines_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno
    import fcntl

    def refuse(*args: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    store = AnnotationStore(tmp_path, "alice")
    store.submit(Draft("e1", "sotopia", ({"goal": "7"},)), SOTOPIA)
    store.undo()
    assert store.statuses() == {"e1": "draft"}
