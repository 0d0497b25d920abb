"""The journal: what was typed is there again after any end of the program."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from trajview.annotation.draft import Draft
from trajview.annotation.journal import Journal, file_name
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore
from trajview.errors import AnnotationError


def draft(text: str, episode: str = "e1", rubric: str = "sotopia") -> Draft:
    return Draft(episode, rubric, ({"goal": text}, {}), f"because {text}", base="v1")


def test_the_latest_draft_comes_back_in_another_program(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "alice")
    journal.append("draft", draft("1"))
    journal.append("draft", draft("2"))
    journal.append("draft", draft("3", episode="e2"))
    kept = Journal(tmp_path, "alice").latest_draft("e1", "sotopia")
    assert kept is not None
    assert kept.says() == draft("2").says()
    assert kept.base == "v1"
    assert kept.time is not None
    assert kept.time.tzinfo is not None
    assert Journal(tmp_path, "alice").latest_draft("e1", "reward") is None
    assert Journal(tmp_path, "bob").latest_draft("e1", "sotopia") is None


@pytest.mark.parametrize("end", ["submit", "discard"])
def test_work_that_was_submitted_or_discarded_is_no_draft(tmp_path: Path, end: str) -> None:
    journal = Journal(tmp_path, "alice")
    journal.append("draft", draft("1"))
    assert journal.latest_draft("e1", "sotopia")
    journal.append(end, draft("1"))
    assert journal.latest_draft("e1", "sotopia") is None
    journal.append("draft", draft("2"))
    assert [kept.values[0]["goal"] for kept in journal.drafts()] == ["2"]


def test_nothing_is_made_by_reading(tmp_path: Path) -> None:
    assert Journal(tmp_path / "store", "alice").latest_draft("e1", "sotopia") is None
    assert list(tmp_path.iterdir()) == []


def test_each_event_is_one_ascii_line_of_json(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "alice")
    journal.append("draft", Draft("e\ud800", "r", ({"a": "7", "b": ""},), "né\n\u2028\u0000😀"))
    (line,) = journal.path.read_text(encoding="ascii").splitlines()
    entry = json.loads(line)
    keys = [
        "time",
        "event",
        "annotator",
        "episode",
        "rubric",
        "values",
        "rationales",
        "reasoning",
        "base",
        "program",
        "id",
    ]
    assert list(entry) == keys
    assert entry["values"] == [{"a": "7"}]
    kept = Journal(tmp_path, "alice").latest_draft("e\ud800", "r")
    assert kept is not None
    assert kept.reasoning == "né\n\u2028\u0000😀"


def test_a_line_torn_anywhere_is_passed_over_and_the_next_starts_on_its_own(tmp_path: Path) -> None:
    first = Journal(tmp_path, "alice")
    first.append("draft", draft("1"))
    whole = first.path.read_bytes()
    first.append("draft", draft("2"))
    both = first.path.read_bytes()
    for cut in range(len(whole), len(both)):
        first.path.write_bytes(both[:cut])
        torn = Journal(tmp_path, "alice")
        kept = torn.latest_draft("e1", "sotopia")
        assert kept is not None
        assert kept.values[0]["goal"] == ("2" if cut == len(both) - 1 else "1")
        torn.append("draft", draft("3"))
        again = Journal(tmp_path, "alice")
        kept = again.latest_draft("e1", "sotopia")
        assert kept is not None
        assert kept.values[0]["goal"] == "3"
        is_torn = len(whole) < cut < len(both) - 1
        assert [problem.where.line for problem in again.problems] == ([2] if is_torn else [])


@pytest.mark.parametrize(
    "line",
    [b"[]", b"\xff\xfe", b'{"event": 3}', b'{"event":"draft"}', b"[" * 100_000, b'{"event":"draft","episode":1}'],
)
def test_a_line_that_is_no_event_is_a_problem_and_the_rest_is_read(tmp_path: Path, line: bytes) -> None:
    journal = Journal(tmp_path, "alice")
    journal.append("draft", draft("1"))
    with journal.path.open("ab") as file:
        file.write(line + b"\n")
    journal.append("draft", draft("2", episode="e2"))
    again = Journal(tmp_path, "alice")
    assert len(again.drafts()) == 2
    assert [problem.where.line for problem in again.problems] == [2]


def test_wrong_types_in_an_event_count_as_not_typed(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "alice")
    journal.path.parent.mkdir()
    entry = {"time": 3, "event": "draft", "episode": "e", "rubric": "r", "values": [{"a": 1, "b": "2"}, 7], "base": []}
    journal.path.write_text(json.dumps(entry) + "\n")
    kept = journal.latest_draft("e", "r")
    assert kept == Draft("e", "r", ({"b": "2"}, {}), "")


def test_events_of_another_program_are_seen(tmp_path: Path) -> None:
    mine, other = Journal(tmp_path, "alice"), Journal(tmp_path, "alice")
    mine.append("draft", draft("1"))
    assert other.latest_draft("e1", "sotopia")
    mine.append("submit", draft("1"))
    assert other.latest_draft("e1", "sotopia") is None
    mine.path.unlink()
    other.append("draft", draft("9"))
    assert mine.latest_draft("e1", "sotopia")


def test_two_names_never_share_a_file_and_every_name_is_safe() -> None:
    names = [
        "alice",
        "Alice",
        "a/b",
        "a_b",
        "a b",
        "..",
        ".",
        "",
        "é",
        "x" * 300,
        "con\x00",
        "../../etc",
        "\ud800",
        "a.",
    ]
    files = [file_name(name) for name in names]
    assert len({name.lower() for name in files}) == len(names)
    assert file_name("alice") == "alice"
    for name in files:
        assert "/" not in name
        assert not name.startswith(".")
        assert name.isascii()
        assert len(name) < 100


@pytest.mark.parametrize("call", ["open", "write", "fsync"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES])
def test_a_draft_that_cannot_be_written_is_said_and_the_ones_before_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, code: int
) -> None:
    journal = Journal(tmp_path, "alice")
    journal.append("draft", draft("1"))

    def refuse(*args: object, **kwargs: object) -> int:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, refuse)
        with pytest.raises(AnnotationError) as caught:
            journal.append("draft", draft("2"))
    assert caught.value.hint
    assert caught.value.sentence.startswith("The draft was not kept: ")
    assert isinstance(caught.value.__cause__, OSError)
    journal.append("draft", draft("3"))
    kept = Journal(tmp_path, "alice").latest_draft("e1", "sotopia")
    assert kept is not None
    assert kept.values[0]["goal"] == "3"


def test_half_a_line_on_a_full_disk_does_not_spoil_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path, "alice")
    journal.append("draft", draft("1"))
    real, calls = os.write, []

    def some(descriptor: int, data: bytes) -> int:
        calls.append(len(data))
        if len(calls) > 1:
            raise OSError(errno.ENOSPC, "full")
        return real(descriptor, bytes(data)[:20])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", some)
        with pytest.raises(AnnotationError, match="disk is full"):
            journal.append("draft", draft("2"))
    kept = journal.latest_draft("e1", "sotopia")
    assert kept is not None
    assert kept.values[0]["goal"] == "1"
    journal.append("draft", draft("3"))
    kept = journal.latest_draft("e1", "sotopia")
    assert kept is not None
    assert kept.values[0]["goal"] == "3"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_disk_that_is_really_full_refuses_the_draft_and_not_the_record(tmp_path: Path) -> None:
    (tmp_path / "journal").mkdir()
    (tmp_path / "journal" / "alice.jsonl").symlink_to("/dev/full")
    store = AnnotationStore(tmp_path, "alice")
    with pytest.raises(AnnotationError, match="The draft was not kept: the disk is full"):
        store.journal.append("draft", draft("1"))
    with pytest.raises(AnnotationError, match="is not a file"):
        store.statuses()
    assert store.submit(draft("1"), SOTOPIA).path.exists()


_WRITER = """
import sys
from pathlib import Path
from trajview.annotation.draft import Draft
from trajview.annotation.journal import Journal
journal = Journal(Path(sys.argv[1]), "alice")
for i in range(100000):
    journal.append("draft", Draft("e1", "r", ({"goal": str(i)},), "x" * 3000))
    print(i, flush=True)
"""


def test_a_kill_at_any_moment_loses_nothing_that_was_reported_as_kept(tmp_path: Path) -> None:
    seed = random.Random(7)
    for turn in range(4):
        root = tmp_path / str(turn)
        program = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(root)], stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert program.stdout is not None
        assert program.stdout.readline().strip() == "0"
        time.sleep(seed.uniform(0.01, 0.15))
        program.send_signal(signal.SIGKILL)
        reported = [line for line in program.stdout.read().split("\n")[:-1] if line]
        program.wait()
        program.stdout.close()
        kept = Journal(root, "alice").latest_draft("e1", "r")
        assert kept is not None
        assert int(kept.values[0]["goal"]) >= int(reported[-1] if reported else 0)
        assert kept.reasoning == "x" * 3000
