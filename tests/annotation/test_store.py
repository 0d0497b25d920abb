"""The store: exact bytes, nothing overwritten unasked, nothing lost when a write fails."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from trajview.annotation.draft import Draft
from trajview.annotation.rubric import SOTOPIA, Dimension, Rubric, reward_rubric
from trajview.annotation.store import AnnotationStore, ChangedOnDisk, pk_of
from trajview.errors import AnnotationError
from trajview.models.sotopia import AnnotationForEpisode

REWARDS = [(8.5, {"believability": 9.0, "goal": 8.0}), (-1.0, {"secret": -1.0})]
GOLDEN = """{
  "pk": "a00f2d8f-a66a-5b25-97d0-e8f8c5ae246e",
  "episode": "01H9FG15",
  "annotator_id": "zo\\u00eb",
  "rewards": [
    [
      8.5,
      {
        "believability": 9.0,
        "goal": 8.0
      }
    ],
    0.0
  ],
  "reasoning": "Agent 1 comments:\\ngoal: \\u201creached\\u201d \\ud83d\\ude00"
}"""


def typed(goal: str, reasoning: str = "", base: str | None = None) -> Draft:
    return Draft("e1", "sotopia", ({"goal": goal}, {}), reasoning, base)


def leftovers(root: Path) -> list[str]:
    return sorted(path.name for path in root.rglob("*") if path.is_file() and "journal" not in path.parts)


def test_a_record_is_written_to_the_byte_as_sotopia_writes_it(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path / "store", "zoë")
    assert list(tmp_path.iterdir()) == []
    path = store.save("01H9FG15", SOTOPIA, [REWARDS[0], 0.0], "Agent 1 comments:\ngoal: “reached” 😀")
    assert path == tmp_path / "store/AnnotationForEpisode/a00f2d8f-a66a-5b25-97d0-e8f8c5ae246e.json"
    assert path.read_bytes() == GOLDEN.encode("ascii")
    assert leftovers(tmp_path) == [path.name]


def test_a_record_loads_as_it_was_saved_and_saving_again_replaces_it(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "alice")
    store.save("e1", SOTOPIA, REWARDS, "why")
    loaded = AnnotationStore(tmp_path, "alice").load("e1", SOTOPIA)
    assert loaded is not None
    assert loaded.rewards == REWARDS
    assert loaded.reasoning == "why"
    assert AnnotationStore(tmp_path, "bob").load("e1", SOTOPIA) is None
    store.save("e1", SOTOPIA, [1.0, 2.0], "again")
    assert len(leftovers(tmp_path)) == 1


def test_pk_depends_on_episode_annotator_and_rubric() -> None:
    pks = {pk_of(*key) for key in (("e", "a", "r"), ("f", "a", "r"), ("e", "b", "r"), ("e", "a", "s"), ("ea", "", "r"))}
    assert len(pks) == 5
    assert pk_of("e", "a", "r") == pk_of("e", "a", "r")


def test_text_that_could_not_be_loaded_again_is_made_loadable(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "a\udc80")
    path = store.save("e\ud800", SOTOPIA, [1.0], "r\udfff\x00")
    record = AnnotationForEpisode.from_json(path.read_bytes())
    assert (record.episode, record.annotator_id, record.reasoning) == ("e\ufffd", "a\ufffd", "r\ufffd\x00")
    assert store.load("e\ud800", SOTOPIA) == record


def test_a_record_that_sotopia_made_is_edited_under_its_own_pk(tmp_path: Path) -> None:
    folder = tmp_path / "AnnotationForEpisode"
    folder.mkdir()
    made = {
        "pk": "01X",
        "episode": "e1",
        "annotator_id": "alice",
        "rewards": [[3.0, {"goal": 3.0}], 0.0],
        "reasoning": "",
    }
    (folder / "01X.json").write_text(json.dumps(made))
    (folder / "01Y.json").write_text(json.dumps({**made, "pk": "01Y", "annotator_id": "bob"}))
    (folder / "01Z.json").write_text(json.dumps({**made, "pk": "01Z", "rewards": [[1.0, {"humour": 1.0}]]}))
    store = AnnotationStore(tmp_path, "alice")
    loaded = store.load("e1", SOTOPIA)
    assert loaded is not None
    assert loaded.pk == "01X"
    assert store.save("e1", SOTOPIA, [(5.0, {"goal": 5.0}), 0.0], "mine") == folder / "01X.json"
    assert json.loads((folder / "01X.json").read_text())["pk"] == "01X"
    assert store.load("e1", reward_rubric()) is None


def test_a_pk_in_a_record_never_decides_where_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "AnnotationForEpisode"
    folder.mkdir()
    made = {"pk": "../../evil", "episode": "e1", "annotator_id": "alice", "rewards": [], "reasoning": ""}
    (folder / "odd.json").write_text(json.dumps(made))
    store = AnnotationStore(tmp_path, "alice")
    store.load("e1", SOTOPIA)
    assert store.save("e1", SOTOPIA, [1.0], "") == folder / "odd.json"


def test_broken_files_are_problems_and_the_rest_loads(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "alice")
    store.save("e1", SOTOPIA, REWARDS, "why")
    for name, text in {"a": "{", "b": "[]", "c": '{"episode": 1}', "d": "\udc80" * 3, "e": "[" * 99_999}.items():
        (store.folder / f"{name}.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    (store.folder / "notes.txt").write_text("{")
    fresh = AnnotationStore(tmp_path, "alice")
    assert fresh.load("e1", SOTOPIA)
    problems = fresh.problems
    assert {problem.where.path.name for problem in problems if problem.where.path} == {f"{n}.json" for n in "abcde"}
    assert all(problem.hint for problem in problems)
    (store.folder / "a.json").unlink()
    fresh.load("e1", SOTOPIA)
    assert len(fresh.problems) == 4


def test_statuses_tell_drafts_from_annotated_and_leave_out_others(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "alice")
    assert store.statuses() == {}
    store.submit(typed("7"), SOTOPIA)
    store.journal.append("draft", Draft("e2", "sotopia", ({"goal": "1"},)))
    AnnotationStore(tmp_path, "bob").save("e3", SOTOPIA, REWARDS, "")
    assert store.statuses() == {"e1": "annotated", "e2": "draft"}
    store.journal.append("draft", typed("8"))
    assert store.statuses() == {"e1": "draft", "e2": "draft"}


# Someone else


def changed(path: Path) -> None:
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "reasoning": "theirs"}))


def broken(path: Path) -> None:
    path.write_text("{")


@pytest.mark.parametrize(("happens", "gone"), [(changed, False), (Path.unlink, True), (broken, False)])
def test_what_someone_else_changed_is_not_overwritten_unasked(
    tmp_path: Path, happens: Callable[[Path], None], gone: bool
) -> None:
    store = AnnotationStore(tmp_path, "alice")
    path = store.save("e1", SOTOPIA, REWARDS, "mine")
    happens(path)
    before = path.read_bytes() if path.exists() else None
    with pytest.raises(ChangedOnDisk) as caught:
        store.save("e1", SOTOPIA, REWARDS, "mine again")
    assert caught.value.gone is gone
    assert caught.value.ours.reasoning == "mine again"
    if happens is changed:
        assert caught.value.theirs is not None
        assert caught.value.theirs.reasoning == "theirs"
    else:
        assert caught.value.theirs is None
    assert (path.read_bytes() if path.exists() else None) == before
    store.save("e1", SOTOPIA, REWARDS, "mine again", overwrite=True)
    store.save("e1", SOTOPIA, REWARDS, "mine once more")
    assert json.loads(path.read_text())["reasoning"] == "mine once more"


def test_a_record_that_appeared_since_an_empty_look_is_not_overwritten(tmp_path: Path) -> None:
    first, second = AnnotationStore(tmp_path, "alice"), AnnotationStore(tmp_path, "alice")
    assert first.load("e1", SOTOPIA) is None
    second.save("e1", SOTOPIA, REWARDS, "second")
    with pytest.raises(ChangedOnDisk):
        first.save("e1", SOTOPIA, REWARDS, "first")
    first.save("e1", SOTOPIA, REWARDS, "second")  # The same text is no conflict.


def test_a_saved_annotation_that_is_broken_raises_and_saving_asks(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "alice")
    path = store.save("e1", SOTOPIA, REWARDS, "mine")
    path.write_text('{"pk": "x", "episode": "e1", "annotator_id": "alice", "rewards": [null], "reasoning": ""}')
    with pytest.raises(AnnotationError, match="null") as caught:
        store.load("e1", SOTOPIA)
    assert caught.value.where.path == path
    with pytest.raises(ChangedOnDisk):
        store.save("e1", SOTOPIA, REWARDS, "mine")


# Drafts and records


def test_open_gives_the_draft_that_is_newer_than_the_record(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "alice")
    assert store.open("e1", SOTOPIA, 2).draft.empty
    saved = store.submit(typed("7", "why"), SOTOPIA)
    opened = AnnotationStore(tmp_path, "alice").open("e1", SOTOPIA, 2)
    assert opened.kept is None
    assert opened.draft.says() == typed("7", "why").says()
    store.journal.append("draft", typed("8", "why", saved.version))
    opened = AnnotationStore(tmp_path, "alice").open("e1", SOTOPIA, 2)
    assert opened.kept is not None
    assert opened.kept.values[0]["goal"] == "8"
    assert not opened.changed


def test_a_stop_between_the_record_and_the_journal_counts_as_saved(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "alice")
    store.journal.append("draft", typed("7", "why"))
    store.save("e1", SOTOPIA, [(7.0, {"goal": 7.0}), 0.0], "why")
    assert AnnotationStore(tmp_path, "alice").open("e1", SOTOPIA, 2).kept is None


def test_a_draft_whose_record_changed_since_says_so_and_saving_it_asks(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "alice")
    saved = store.submit(typed("7"), SOTOPIA)
    store.journal.append("draft", typed("8", base=saved.version))
    changed(saved.path)
    fresh = AnnotationStore(tmp_path, "alice")
    opened = fresh.open("e1", SOTOPIA, 2)
    assert opened.changed
    assert opened.kept is not None
    with pytest.raises(ChangedOnDisk):
        fresh.submit(opened.kept, SOTOPIA, opened.rewards)


def test_a_journal_that_cannot_be_written_does_not_keep_the_record_from_being_saved(tmp_path: Path) -> None:
    (tmp_path / "journal").write_text("a file in the way")
    store = AnnotationStore(tmp_path, "alice")
    assert store.submit(typed("7"), SOTOPIA).path.exists()


# Failing writes


@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace"])
@pytest.mark.parametrize(
    ("code", "says"),
    [(errno.ENOSPC, "disk is full"), (errno.EACCES, "no permission"), (errno.EROFS, "read-only"), (errno.EIO, "error")],
)
def test_a_write_that_fails_leaves_the_old_record_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, code: int, says: str
) -> None:
    store = AnnotationStore(tmp_path, "alice")
    path = store.save("e1", SOTOPIA, REWARDS, "old")
    before = path.read_bytes()

    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, refuse)
        with pytest.raises(AnnotationError, match=says) as caught:
            store.save("e1", SOTOPIA, REWARDS, "new")
    assert not isinstance(caught.value, ChangedOnDisk)
    assert caught.value.hint
    assert isinstance(caught.value.__cause__, OSError)
    assert path.read_bytes() == before
    assert leftovers(tmp_path) == [path.name]
    store.save("e1", SOTOPIA, REWARDS, "new")
    assert json.loads(path.read_text())["reasoning"] == "new"


def test_a_disk_that_fills_up_half_way_leaves_the_old_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = AnnotationStore(tmp_path, "alice")
    path = store.save("e1", SOTOPIA, REWARDS, "old")
    real, left = os.write, [30]

    def little(descriptor: int, data: bytes) -> int:
        if not left[0]:
            raise OSError(errno.ENOSPC, "full")
        taken = real(descriptor, bytes(data)[: left[0]])
        left[0] -= taken
        return taken

    monkeypatch.setattr(os, "write", little)
    with pytest.raises(AnnotationError, match="disk is full"):
        store.save("e1", SOTOPIA, REWARDS, "new")
    assert json.loads(path.read_text())["reasoning"] == "old"
    assert leftovers(tmp_path) == [path.name]


def test_a_folder_that_cannot_be_synced_is_said_and_trying_again_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = AnnotationStore(tmp_path, "alice")
    path = store.save("e1", SOTOPIA, REWARDS, "old")
    real, calls = os.fsync, []

    def second_fails(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(errno.EIO, "bad disk")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", second_fails)
    with pytest.raises(AnnotationError, match="disk reports an error"):
        store.save("e1", SOTOPIA, REWARDS, "new")
    assert json.loads(path.read_text())["reasoning"] == "new"
    store.save("e1", SOTOPIA, REWARDS, "new")


def test_a_file_where_the_store_should_be_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("in the way")
    store = AnnotationStore(tmp_path / "store", "alice")
    assert store.load("e1", SOTOPIA) is None
    with pytest.raises(AnnotationError, match="not saved") as caught:
        store.save("e1", SOTOPIA, REWARDS, "x")
    assert caught.value.hint


_WRITER = """
import sys
from pathlib import Path
from trajview.annotation.draft import Draft
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore
store = AnnotationStore(Path(sys.argv[1]), "alice")
for i in range(100000):
    store.submit(Draft("e1", "sotopia", ({"goal": "7"},), f"{i} " + "x" * 3000), SOTOPIA)
    print(i, flush=True)
"""


def test_a_kill_while_saving_leaves_a_whole_record_at_least_as_new_as_reported(tmp_path: Path) -> None:
    for turn in range(4):
        root = tmp_path / str(turn)
        program = subprocess.Popen([sys.executable, "-c", _WRITER, str(root)], stdout=subprocess.PIPE, text=True)
        assert program.stdout is not None
        assert program.stdout.readline().strip() == "0"
        time.sleep(0.013 + turn * 0.037)
        program.send_signal(signal.SIGKILL)
        reported = [line for line in program.stdout.read().split("\n")[:-1] if line]
        program.wait()
        program.stdout.close()
        opened = AnnotationStore(root, "alice").open("e1", SOTOPIA, 1)
        assert opened.saved is not None
        (record,) = (root / "AnnotationForEpisode").glob("*.json")
        assert AnnotationForEpisode.from_json(record.read_bytes()) == opened.saved.annotation
        assert int(opened.saved.annotation.reasoning.split()[0]) >= int(reported[-1] if reported else 0)


def test_records_that_a_rubric_of_the_same_name_did_not_make_are_said(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "alice")
    store.save("e1", SOTOPIA, [(1.0, {"humour": 1.0})], "")
    store.save("e2", SOTOPIA, REWARDS, "")
    [problem] = AnnotationStore(tmp_path, "alice").open("e2", SOTOPIA, 2).problems
    assert "1 annotation of a rubric `sotopia` has dimensions that it does not ask for: humour" in problem.reason
    assert problem.where.path == store.path_of("e1", SOTOPIA)
    assert store.open("e2", reward_rubric(), 2).problems == ()


def test_different_scores_for_what_is_rated_once_are_said(tmp_path: Path) -> None:
    rubric = Rubric("whole", (Dimension("whole", 0, 10, per="episode"),))
    store = AnnotationStore(tmp_path, "alice")
    store.save("e1", rubric, [(4.0, {"whole": 4.0}), (7.0, {"whole": 7.0})], "")
    opened = store.open("e1", rubric, 2)
    assert opened.draft.values == ({"whole": "4"}, {"whole": "4"})
    assert "whole is rated once for all agents" in opened.problems[0].reason
    store.submit(opened.draft, rubric, opened.rewards)
    assert store.open("e1", rubric, 2).problems == ()


def test_temporary_files_of_killed_programs_are_gone_with_the_next_save_and_nobody_elses(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "alice")
    store.save("e1", SOTOPIA, REWARDS, "x")
    folder = tmp_path / "AnnotationForEpisode"
    name = next(folder.iterdir()).stem
    left = [folder / f".{name}.0123456789ab{end}" for end in (".tmp", ".trajview.tmp")]
    held = folder / ".e2.ba9876543210.trajview.tmp"
    others = [folder / other for other in (".notes.0123456789ab.tmp", "a.tmp", f".{name}.tmp", "x.trajview.tmp")]
    link = folder / ".e3.0123456789ab.trajview.tmp"
    for path in (*left, held, *others):
        path.write_text("half a rec")
        os.utime(path, (1e9, 1e9))
    link.symlink_to(others[0])
    young = folder / ".e4.0123456789ab.trajview.tmp"
    young.touch()
    with held.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        store.save("e1", SOTOPIA, REWARDS, "y")
    kept = {held, link, young, *others, folder / f"{name}.json"}
    assert set(folder.iterdir()) == kept
    os.utime(young, (1e9, 1e9))
    store.save("e1", SOTOPIA, REWARDS, "z")
    assert set(folder.iterdir()) == kept - {held, young}
