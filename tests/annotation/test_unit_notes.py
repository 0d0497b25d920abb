"""Scores and notes on action units: our own record beside, nothing overwritten unasked, nothing dropped."""

from __future__ import annotations

import errno
import json
import math
import os
from pathlib import Path

import pytest

from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore, pk_of
from trajview.annotation.unit_notes import Mark, NoteChangedOnDisk, UnitNote, UnitNotes
from trajview.errors import AnnotationError


@pytest.fixture
def store(tmp_path: Path) -> AnnotationStore:
    return AnnotationStore(tmp_path / "store", "Zoë A")


def note(text: str, unit: int = 3, transcript: int = 0, **scores: float) -> UnitNote:
    return UnitNote(transcript, unit, scores, text)


def test_reading_makes_nothing(store: AnnotationStore, tmp_path: Path) -> None:
    assert store.unit_notes("e1") == UnitNotes("e1")
    assert list(tmp_path.iterdir()) == []


def test_notes_and_marks_are_in_one_record_per_episode_and_annotator(store: AnnotationStore) -> None:
    store.save_unit_note("e1", SOTOPIA, note("late", 10))
    store.save_unit_note("e1", SOTOPIA, note("“good” \ud800", 3, progress=1.0))
    store.set_mark("e1", 1, 0, True, "look here")
    (path,) = (store.root / "units").rglob("*.json")
    assert path.name == f"{pk_of('e1', 'Zoë A', 'units')}.json"
    assert path.parent.name.startswith("Zo_A")
    assert json.loads(path.read_text("ascii")) == {
        "pk": path.stem,
        "episode": "e1",
        "annotator_id": "Zoë A",
        "units": [
            {"transcript": 0, "unit": 3, "scores": {"progress": 1.0}, "note": "“good” \ufffd"},
            {"transcript": 0, "unit": 10, "scores": {}, "note": "late"},
        ],
        "marks": [{"transcript": 1, "unit": 0, "note": "look here"}],
    }
    notes = AnnotationStore(store.root, "Zoë A").unit_notes("e1")
    assert notes.units == (note("“good” \ufffd", progress=1.0), note("late", 10))
    assert notes.marks == (Mark(1, 0, "look here"),)
    assert notes.note_on(0, 10) == note("late", 10)
    assert notes.note_on(1, 10) is None
    assert notes.mark_on(1, 0) == Mark(1, 0, "look here")
    assert AnnotationStore(store.root, "bob").unit_notes("e1") == UnitNotes("e1")


def test_the_marks_of_all_episodes_are_found_and_a_file_that_is_none_is_said(store: AnnotationStore) -> None:
    assert store.marked() == ([], [])
    store.set_mark("e1", 1, 0, True, "look here")
    store.set_mark("e2", 0, 4, True)
    store.save_unit_note("e3", SOTOPIA, note("no mark"))
    store.set_mark("e4", 0, 4, True)
    store.set_mark("e4", 0, 4, False)
    store.units.path_of("e5").write_text("[]")
    marked, (problem,) = store.marked()
    assert {notes.episode: notes.marks for notes in marked} == {"e1": (Mark(1, 0, "look here"),), "e2": (Mark(0, 4),)}
    assert "could not be read" in str(problem)


def test_an_empty_note_takes_away_what_is_there(store: AnnotationStore) -> None:
    store.save_unit_note("e1", SOTOPIA, note("x", progress=1.0))
    store.save_unit_note("e1", SOTOPIA, note("y", 4))
    store.save_unit_note("e1", SOTOPIA, note(" \n"))
    store.save_unit_note("e1", SOTOPIA, note("", 9))
    store.set_mark("e1", 0, 1, False)
    assert store.unit_notes("e1").units == (note("y", 4),)
    events = [json.loads(line)["event"] for line in store.journal.path.read_text().splitlines()]
    assert events == ["unit", "unit", "unit"]


def test_saving_the_same_again_is_no_change(store: AnnotationStore) -> None:
    store.save_unit_note("e1", SOTOPIA, note("x", progress=1.0))
    store.save_unit_note("e1", SOTOPIA, note("x", progress=1.0))
    store.set_mark("e1", 0, 1, True)
    store.set_mark("e1", 0, 1, True)
    assert len(store.journal.path.read_text().splitlines()) == 2


def test_a_score_that_is_no_number_is_left_out(store: AnnotationStore) -> None:
    store.save_unit_note("e1", SOTOPIA, UnitNote(0, 3, {"a": math.nan, "b": math.inf, "c": 2.0}, ""))
    assert store.unit_notes("e1").units == (note("", c=2.0),)


def test_what_another_program_wrote_on_other_units_is_kept(store: AnnotationStore) -> None:
    other = AnnotationStore(store.root, "Zoë A")
    store.unit_notes("e1")
    other.save_unit_note("e1", SOTOPIA, note("theirs", 1))
    other.set_mark("e1", 0, 2, True)
    store.save_unit_note("e1", SOTOPIA, note("mine", 2))
    assert [each.note for each in store.unit_notes("e1").units] == ["theirs", "mine"]
    assert store.unit_notes("e1").marks == (Mark(0, 2),)


def test_a_note_that_another_program_changed_is_not_overwritten_unasked(store: AnnotationStore) -> None:
    other = AnnotationStore(store.root, "Zoë A")
    store.save_unit_note("e1", SOTOPIA, note("mine"))
    other.unit_notes("e1")
    other.save_unit_note("e1", SOTOPIA, note("theirs"))
    with pytest.raises(NoteChangedOnDisk, match="was changed by another program") as caught:
        store.save_unit_note("e1", SOTOPIA, note("mine again"))
    assert caught.value.theirs == note("theirs")
    store.save_unit_note("e1", SOTOPIA, note("theirs"))  # The same is no conflict.
    other.save_unit_note("e1", SOTOPIA, note(""))
    with pytest.raises(NoteChangedOnDisk, match="was taken away"):
        store.save_unit_note("e1", SOTOPIA, note("mine again"))
    store.save_unit_note("e1", SOTOPIA, note("mine again"), overwrite=True)
    store.save_unit_note("e1", SOTOPIA, note("and again"))
    assert store.unit_notes("e1").units == (note("and again"),)


def test_what_is_not_known_in_a_record_is_kept_and_wrong_types_are_passed_over(store: AnnotationStore) -> None:
    path = store.units.path_of("e1")
    path.parent.mkdir(parents=True)
    odd = [7, None, {"transcript": "0", "unit": 1}, {"transcript": True, "unit": 1}, {"transcript": 0, "unit": -1}]
    units = [{"transcript": 0, "unit": 1, "scores": {"a": "x", "b": True, "c": 1, "d": 10**400}, "note": 5, "by": "me"}]
    path.write_text(json.dumps({"later": [1], "units": [*units, *odd]}))
    assert store.unit_notes("e1").units == (UnitNote(0, 1, {"c": 1.0}),)
    store.save_unit_note("e1", SOTOPIA, note("mine", 0))
    record = json.loads(path.read_text())
    assert record["later"] == [1]
    assert record["units"][1:] == [*units, *odd]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"units": 5}', '{"marks": {}}', "[" * 99_999, "\udc80"])
def test_a_broken_record_is_said_and_never_overwritten(store: AnnotationStore, text: str) -> None:
    path = store.units.path_of("e1")
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    before = path.read_bytes()
    with pytest.raises(AnnotationError, match="could not be read") as caught:
        store.unit_notes("e1")
    assert caught.value.where.path == path
    with pytest.raises(AnnotationError):
        store.save_unit_note("e1", SOTOPIA, note("x"), overwrite=True)
    with pytest.raises(AnnotationError):
        store.set_mark("e1", 0, 0, True)
    assert path.read_bytes() == before


@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace"])
def test_a_note_that_cannot_be_saved_is_said_and_the_old_one_stays(
    store: AnnotationStore, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    store.save_unit_note("e1", SOTOPIA, note("old"))

    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, refuse)
        with pytest.raises(AnnotationError, match="The note was not saved: the disk is full"):
            store.save_unit_note("e1", SOTOPIA, note("new"))
    assert AnnotationStore(store.root, "Zoë A").unit_notes("e1").units == (note("old"),)
    store.save_unit_note("e1", SOTOPIA, note("new"))


def test_a_history_that_cannot_be_written_does_not_keep_a_note_from_being_saved(store: AnnotationStore) -> None:
    store.root.mkdir()
    (store.root / "journal").write_text("in the way")
    store.save_unit_note("e1", SOTOPIA, note("x"))
    assert AnnotationStore(store.root, "Zoë A").unit_notes("e1").units == (note("x"),)
    assert len(store.problems) == 1
