"""What a person has made of a store's files by hand: links, permissions, keys of their own. Nothing of it is undone."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from trajview.annotation.all_records import read_records
from trajview.annotation.draft import Draft
from trajview.annotation.merge import merge_into
from trajview.annotation.other_run import put_aside
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore, ChangedOnDisk
from trajview.annotation.unit_notes import UnitNote
from trajview.atomic import write_atomically
from trajview.errors import AnnotationError


def typed(goal: str, reasoning: str = "why", beginning: str = "") -> Draft:
    return Draft("e1", "sotopia", ({"goal": goal}, {}), reasoning, beginning=beginning)


def opened(root: Path) -> AnnotationStore:
    store = AnnotationStore(root, "alice")
    store.open("e1", SOTOPIA, 2)
    return store


def submitted(root: Path) -> Path:
    return opened(root).submit(typed("7"), SOTOPIA).path


def with_more(path: Path, **more: object) -> dict[str, object]:
    record = {**json.loads(path.read_text()), **more}
    path.write_text(json.dumps(record))
    return record


def test_keys_that_others_put_into_a_record_stay_in_it_when_it_is_submitted_again(tmp_path: Path) -> None:
    path = submitted(tmp_path)
    more = {"confidence": "high", "when": [1, None, "ü"]}
    before = with_more(path, **more)
    store = opened(tmp_path)
    store.submit(typed("8"), SOTOPIA)
    now = json.loads(path.read_bytes().decode("ascii"))
    assert list(now) == ["pk", "episode", "annotator_id", "rewards", "reasoning", *more]
    assert now == {**before, "rewards": [[8.0, {"goal": 8.0}], 0.0]}
    store.undo()
    assert json.loads(path.read_text()) == before
    store.redo()
    assert json.loads(path.read_text()) == now
    with_more(path, later=1)  # While it is open here.
    with pytest.raises(ChangedOnDisk):
        store.submit(typed("9"), SOTOPIA)
    store.submit(typed("9"), SOTOPIA, overwrite=True)
    assert json.loads(path.read_text())["later"] == 1


def test_keys_of_their_own_go_along_when_a_record_is_put_aside(tmp_path: Path) -> None:
    store = opened(tmp_path)
    path = store.submit(typed("7", beginning="1:3:aaaabbbbcccc"), SOTOPIA).path
    with_more(path, confidence="high")
    store = AnnotationStore(tmp_path, "alice")
    store.open("e1", SOTOPIA, 2, "1:2:aaaaeeee")
    put_aside(store, "e1", SOTOPIA, "1:2:aaaaeeee")
    (copy,) = (each for each in path.parent.glob("*.json") if each != path)
    assert json.loads(copy.read_text())["confidence"] == "high"


def test_a_merge_does_not_take_a_record_with_other_keys_for_the_same(tmp_path: Path) -> None:
    submitted(tmp_path / "a")
    path = submitted(tmp_path / "b")
    assert merge_into(tmp_path / "a", tmp_path / "b").same == 1
    with_more(path, confidence="high")
    done = merge_into(tmp_path / "a", tmp_path / "b")
    assert len(done.conflicts) == 1
    (kept,) = (tmp_path / "a" / "conflicts").rglob("*.json")
    assert json.loads(kept.read_text())["confidence"] == "high"


def test_a_record_that_is_a_link_stays_one_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    path = submitted(tmp_path / "store")
    elsewhere = tmp_path / "elsewhere" / "record.json"
    elsewhere.parent.mkdir()
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    opened(tmp_path / "store").submit(typed("8"), SOTOPIA)
    assert path.is_symlink()
    assert json.loads(elsewhere.read_text())["rewards"] == [[8.0, {"goal": 8.0}], 0.0]
    assert [each.name for each in elsewhere.parent.iterdir()] == ["record.json"]


def test_a_record_whose_link_leads_nowhere_is_said_and_the_link_stays(tmp_path: Path) -> None:
    path = submitted(tmp_path / "store")
    away = tmp_path / "unmounted"
    path.unlink()
    path.symlink_to(away / "record.json")
    store = AnnotationStore(tmp_path / "store", "alice")
    with pytest.raises(AnnotationError, match="a link to one that is not there"):
        store.open("e1", SOTOPIA, 2)
    for overwrite in (False, True):
        with pytest.raises(AnnotationError, match="a link to one that is not there"):
            store.submit(typed("8"), SOTOPIA, overwrite=overwrite)
    assert os.readlink(path) == str(away / "record.json")
    (problem,) = store.problems
    assert "link" in problem.reason
    away.mkdir()
    (away / "record.json").write_text(
        json.dumps({"pk": path.stem, "episode": "e1", "annotator_id": "alice", "rewards": [1.0], "reasoning": "back"})
    )
    assert store.open("e1", SOTOPIA, 2).saved is not None
    assert store.problems == []


def test_a_pipe_among_the_records_holds_nobody_up(tmp_path: Path) -> None:
    path = submitted(tmp_path)
    os.mkfifo(path.parent / "pipe.json")
    store = opened(tmp_path)
    assert [problem.where.path for problem in store.problems if problem.where] == [path.parent / "pipe.json"]


@pytest.mark.parametrize("mode", [0o600, 0o660, 0o640])
def test_files_keep_the_permissions_that_they_were_given(tmp_path: Path, mode: int) -> None:
    path = submitted(tmp_path)
    store = opened(tmp_path)
    store.save_unit_note("e1", SOTOPIA, UnitNote(0, 1, {}, "a"))
    notes = store.units.path_of("e1")
    for each in (path, notes):
        each.chmod(mode)
    store.submit(typed("8"), SOTOPIA)
    store.save_unit_note("e1", SOTOPIA, UnitNote(0, 1, {}, "b"))
    assert [each.stat().st_mode & 0o777 for each in (path, notes)] == [mode, mode]


def test_no_moment_shows_a_private_file_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "record.json"
    path.write_text("private")
    path.chmod(0o600)
    seen: list[int] = []
    real = os.write

    def watched(descriptor: int, data: bytes) -> int:
        seen.append(os.fstat(descriptor).st_mode & 0o777)
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", watched)
    write_atomically(path, b"private still")
    assert seen == [0o600]


def test_what_is_read_only_is_not_replaced_and_the_draft_is_kept(tmp_path: Path) -> None:
    path = submitted(tmp_path)
    store = opened(tmp_path)
    store.save_unit_note("e1", SOTOPIA, UnitNote(0, 1, {}, "a"))
    notes = store.units.path_of("e1")
    before = path.read_bytes(), notes.read_bytes()
    for each in (path, notes):
        each.chmod(0o444)
    for act in (
        lambda: store.submit(typed("8", "second"), SOTOPIA, overwrite=True),
        lambda: store.save_unit_note("e1", SOTOPIA, UnitNote(0, 1, {}, "b"), overwrite=True),
    ):
        with pytest.raises(AnnotationError, match="its file is read-only") as caught:
            act()
        assert "chmod u+w" in caught.value.hint
    assert (path.read_bytes(), notes.read_bytes()) == before
    kept = AnnotationStore(tmp_path, "alice").open("e1", SOTOPIA, 2).kept
    assert kept is not None
    assert kept.reasoning == "second"


def test_taking_back_the_first_submission_leaves_a_read_only_record(tmp_path: Path) -> None:
    store = opened(tmp_path)
    path = store.submit(typed("7"), SOTOPIA).path
    path.chmod(0o444)
    with pytest.raises(AnnotationError, match="its file is read-only"):
        store.undo()
    assert path.exists()
    path.chmod(0o644)
    store.undo()
    assert not path.exists()


def test_notes_that_were_written_by_hand_on_one_unit_are_all_kept(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.save_unit_note("e1", SOTOPIA, UnitNote(0, 3, {"progress": 1.0}, "first"))
    path = store.units.path_of("e1")
    record = json.loads(path.read_text())
    record["units"][0]["colour"] = "red"
    record["units"].append({"transcript": 0, "unit": 3, "scores": {}, "note": "second"})
    path.write_text(json.dumps(record))
    store.unit_notes("e1")
    store.save_unit_note("e1", SOTOPIA, UnitNote(0, 3, {"progress": 0.5}, "mine"))
    assert json.loads(path.read_text())["units"] == [
        {"transcript": 0, "unit": 3, "scores": {"progress": 0.5}, "note": "mine", "colour": "red"},
        {"transcript": 0, "unit": 3, "scores": {}, "note": "second"},
    ]
    store.undo()
    first = json.loads(path.read_text())["units"][0]
    assert (first["note"], first["scores"], first["colour"]) == ("first", {"progress": 1.0}, "red")


def test_a_store_is_listed_beside_a_pipe_and_a_link_that_leads_nowhere(tmp_path: Path) -> None:
    path = submitted(tmp_path)
    os.mkfifo(path.parent / "a.json")
    (path.parent / "b.json").symlink_to(tmp_path / "gone.json")
    found = read_records(tmp_path)
    assert [record.episode for record in found.records] == ["e1"]
    assert [problem.reason for problem in found.problems] == [
        "This file could not be read: it is a pipe, not a file.",
        "This file is a link to one that is not there.",
    ]


def test_a_copy_of_a_record_beside_it_is_said_and_left_alone(tmp_path: Path) -> None:
    path = submitted(tmp_path)
    copy = path.with_name("before lunch.json")
    copy.write_bytes(path.read_bytes())
    store = opened(tmp_path)
    (problem,) = store.misplaced()
    assert f"more than once; {path.name} is edited" in problem.reason
    assert copy.name in problem.hint
    before = copy.read_bytes()
    store.submit(typed("8"), SOTOPIA)
    assert copy.read_bytes() == before
    assert json.loads(path.read_text())["rewards"][0][0] == 8.0
    copy.unlink()
    assert opened(tmp_path).misplaced() == []
