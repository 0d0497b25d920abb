"""Undo and redo: across episodes and restarts, records included, and never over someone else's work."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from trajview.annotation import events
from trajview.annotation.draft import Draft
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore, ChangedOnDisk
from trajview.annotation.undo import fields_text
from trajview.annotation.unit_notes import NoteChangedOnDisk, UnitNote
from trajview.errors import AnnotationError

from .clocks import Clock


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(events, "now", clock)
    return clock


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnnotationStore]:
    store = AnnotationStore(tmp_path, "alice")
    yield store
    assert store.problems == []


def typed(goal: str, reasoning: str = "", episode: str = "e1", base: str | None = None) -> Draft:
    return Draft(episode, "sotopia", ({"goal": goal} if goal else {}, {}), reasoning, base)


def type_in(store: AnnotationStore, clock: Clock, *drafts: Draft, pause: float = 0.5) -> None:
    for draft in drafts:
        clock.pass_by(pause)
        store.journal.append("draft", draft)


def shown(store: AnnotationStore, episode: str = "e1") -> tuple[str, str]:
    """What the fields would show in a program that is started now."""
    opened = AnnotationStore(store.root, store.annotator).open(episode, SOTOPIA, 2)
    draft = opened.kept or opened.draft
    return draft.values[0].get("goal", ""), draft.reasoning


def said(undone: object) -> str:
    return getattr(undone, "said", "nothing")


def test_there_is_nothing_to_take_back_at_first(store: AnnotationStore) -> None:
    assert store.undo() is None
    assert store.redo() is None
    store.spent("e1", SOTOPIA, 3)
    store.reveal("e1", SOTOPIA, "rewards")
    assert store.undo() is None


def test_typing_in_one_field_without_a_pause_is_taken_back_at_once(store: AnnotationStore, clock: Clock) -> None:
    type_in(store, clock, typed("7"))
    type_in(store, clock, *(typed("7", "because it did"[:i]) for i in range(1, 15)))
    type_in(store, clock, typed("7", "because it did not"), pause=5)
    type_in(store, clock, typed("8", "because it did not"))
    steps = []
    while (undone := store.undo()) is not None:
        assert (undone.episode, undone.rubric, undone.kind) == ("e1", "sotopia", "draft")
        steps.append((undone.said, *shown(store)))
    assert steps == [
        ("took back goal of agent 1", "7", "because it did not"),
        ("took back the reasoning", "7", "because it did"),
        ("took back the reasoning", "7", ""),
        ("took back goal of agent 1", "", ""),
    ]
    again = []
    while (undone := AnnotationStore(store.root, "alice").redo()) is not None:
        again.append((undone.said, *shown(store)))
    assert again == [
        ("did again goal of agent 1", "7", ""),
        ("did again the reasoning", "7", "because it did"),
        ("did again the reasoning", "7", "because it did not"),
        ("did again goal of agent 1", "8", "because it did not"),
    ]


def test_long_typing_is_taken_back_in_pieces(store: AnnotationStore, clock: Clock) -> None:
    type_in(store, clock, *(typed("", "x" * i) for i in range(1, 101)))
    left = []
    while store.undo():
        left.append(len(shown(store)[1]))
    assert len(left) == 3
    assert left == sorted(left, reverse=True)


def test_a_clock_that_went_backwards_ends_a_step(store: AnnotationStore, clock: Clock) -> None:
    type_in(store, clock, typed("", "a"), typed("", "ab"))
    type_in(store, clock, typed("", "abc"), pause=-3600)
    store.undo()
    assert shown(store)[1] == "ab"


def test_taking_back_a_first_submission_takes_its_record_away_and_leaves_the_draft(
    store: AnnotationStore, clock: Clock
) -> None:
    type_in(store, clock, typed("7", "why"))
    path = store.submit(typed("7", "why"), SOTOPIA).path
    after = path.read_bytes()
    undone = store.undo()
    assert said(undone) == "took back the submission"
    assert not path.exists()
    assert store.statuses() == {"e1": "draft"}
    assert shown(store) == ("7", "why")
    assert said(store.redo()) == "did again the submission"
    assert path.read_bytes() == after
    assert store.statuses() == {"e1": "annotated"}
    assert store.open("e1", SOTOPIA, 2).kept is None


def test_taking_back_a_second_submission_restores_the_bytes_of_the_first(store: AnnotationStore) -> None:
    store.folder.mkdir()
    path = store.folder / "01X.json"
    made = {
        "pk": "01X",
        "episode": "e1",
        "annotator_id": "alice",
        "rewards": [[3, {"goal": 3.0}], 0.0],
        "reasoning": "é",
    }
    before = json.dumps(made, ensure_ascii=False).encode() + b" \n"
    path.write_bytes(before)
    opened = store.open("e1", SOTOPIA, 2)
    store.submit(typed("7", base=opened.draft.base), SOTOPIA, opened.rewards)
    after = path.read_bytes()
    fresh = AnnotationStore(store.root, "alice")
    fresh.undo()
    assert path.read_bytes() == before
    opened = fresh.open("e1", SOTOPIA, 2)
    assert opened.kept is not None
    assert not opened.changed
    fresh.redo()
    assert path.read_bytes() == after


def test_a_broken_record_that_was_overwritten_comes_back_to_the_byte(store: AnnotationStore) -> None:
    path = store.submit(typed("7"), SOTOPIA).path
    path.write_bytes(b'{"\xff\xed\xa0\x80')
    with pytest.raises(ChangedOnDisk):
        store.submit(typed("8"), SOTOPIA)
    store.submit(typed("8"), SOTOPIA, overwrite=True)
    store.undo()
    assert path.read_bytes() == b'{"\xff\xed\xa0\x80'
    path.unlink()


def test_a_submission_whose_record_someone_changed_since_is_not_taken_back(store: AnnotationStore) -> None:
    path = store.submit(typed("7"), SOTOPIA).path
    ours = path.read_bytes()
    theirs = ours.replace(b"7.0", b"6.0")
    path.write_bytes(theirs)
    journal = store.journal.path.read_bytes()
    with pytest.raises(ChangedOnDisk, match="It was not undone: its file was changed") as caught:
        store.undo()
    assert caught.value.theirs is not None
    assert path.read_bytes() == theirs
    assert store.journal.path.read_bytes() == journal
    path.unlink()
    assert store.undo()  # It is gone, as it was before: nothing to put back.
    path.write_bytes(theirs)
    with pytest.raises(ChangedOnDisk, match="It was not done again"):
        store.redo()
    assert path.read_bytes() == theirs
    path.unlink()
    store.redo()
    assert path.read_bytes() == ours


def test_changes_are_taken_back_across_episodes_newest_first(store: AnnotationStore, clock: Clock) -> None:
    store.submit(typed("7"), SOTOPIA)
    store.skip("e2", SOTOPIA, "no audio")
    store.flag("e3")
    store.spent("e3", SOTOPIA, 10)
    store.unskip("e2", SOTOPIA)
    assert store.statuses() == {"e1": "annotated", "e3": "flagged ⚑"}
    seen = []
    while undone := AnnotationStore(store.root, "alice").undo():
        seen.append((undone.episode, undone.said, store.statuses()))
    assert seen == [
        ("e2", "took back the end of the skip", {"e1": "annotated", "e2": "skipped", "e3": "flagged ⚑"}),
        ("e3", "took back the flag", {"e1": "annotated", "e2": "skipped"}),
        ("e2", "took back the skip", {"e1": "annotated"}),
        ("e1", "took back the submission", {"e1": "draft"}),
        ("e1", "took back goal of agent 1", {}),
    ]
    assert store.progress()["e3"].seconds == 10
    while store.redo():
        pass
    assert store.statuses() == {"e1": "annotated", "e3": "flagged ⚑"}


def test_new_work_ends_what_can_be_done_again_but_facts_do_not(store: AnnotationStore) -> None:
    store.flag("e1")
    store.undo()
    store.spent("e1", SOTOPIA, 10)
    store.reveal("e1", SOTOPIA, "models")
    assert said(store.redo()) == "did again the flag"
    store.undo()
    store.skip("e2", SOTOPIA, "")
    assert store.redo() is None
    assert said(store.undo()) == "took back the skip"


def test_throwing_a_draft_away_is_a_step_of_its_own(store: AnnotationStore, clock: Clock) -> None:
    type_in(store, clock, typed("7", "why"))
    store.journal.append("discard", typed("7", "why"))
    assert shown(store) == ("", "")
    assert said(store.undo()) == "took back giving up what was typed"
    assert shown(store) == ("7", "why")


def test_notes_and_marks_on_units_are_taken_back(store: AnnotationStore) -> None:
    store.save_unit_note("e1", SOTOPIA, UnitNote(0, 3, {"progress": 1.0}, "good"))
    store.save_unit_note("e1", SOTOPIA, UnitNote(0, 3, {"progress": 0.5}, "less so"))
    store.set_mark("e1", 0, 5, True, "look")
    store.set_mark("e1", 0, 5, False)
    states = [store.unit_notes("e1")]
    while store.undo():
        states.append(AnnotationStore(store.root, "alice").unit_notes("e1"))
    assert len(states) == 5
    assert states[-1].units == states[-1].marks == ()
    assert states[1].mark_on(0, 5) is not None
    assert states[3].note_on(0, 3) == UnitNote(0, 3, {"progress": 1.0}, "good")
    again = [store.unit_notes("e1")]
    while store.redo():
        again.append(AnnotationStore(store.root, "alice").unit_notes("e1"))
    assert again == states[::-1]


def test_a_note_that_another_program_changed_is_not_taken_back(store: AnnotationStore) -> None:
    store.save_unit_note("e1", SOTOPIA, UnitNote(0, 3, {}, "mine"))
    path = store.units.path_of("e1")
    path.write_text(path.read_text().replace("mine", "theirs"))
    with pytest.raises(NoteChangedOnDisk, match="It was not undone") as caught:
        store.undo()
    assert caught.value.theirs == UnitNote(0, 3, {}, "theirs")
    assert "theirs" in path.read_text()


def test_what_another_program_did_can_be_taken_back_here(store: AnnotationStore) -> None:
    other = AnnotationStore(store.root, "alice")
    store.flag("e1")
    other.skip("e2", SOTOPIA, "")
    assert said(store.undo()) == "took back the skip"
    assert said(other.undo()) == "took back the flag"
    assert said(store.redo()) == "did again the flag"
    assert other.progress() == store.progress()
    assert AnnotationStore(store.root, "bob").undo() is None


def test_a_program_that_has_the_record_open_is_told_that_it_was_taken_back(store: AnnotationStore) -> None:
    saved = store.submit(typed("7"), SOTOPIA)
    AnnotationStore(store.root, "alice").undo()
    with pytest.raises(ChangedOnDisk) as caught:
        store.submit(typed("8", base=saved.version), SOTOPIA)
    assert caught.value.gone


def test_a_submission_of_an_earlier_version_that_kept_no_copy_says_so(store: AnnotationStore) -> None:
    path = store.submit(typed("7"), SOTOPIA).path
    lines = [json.loads(line) for line in store.journal.path.read_text().splitlines()]
    for line in lines:
        for key in ("id", "of", "record"):
            line.pop(key, None)
    store.journal.path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(AnnotationError, match="no copy"):
        store.undo()
    assert path.exists()


@pytest.mark.parametrize(
    "file", ["../e.json", "e.txt", "", "\ud800.json", "a\0.json", ".json/../x.json", "x" * 5000 + ".json"]
)
def test_a_journal_never_decides_that_another_place_is_written(store: AnnotationStore, file: str) -> None:
    store.submit(typed("7"), SOTOPIA)
    lines = [json.loads(line) for line in store.journal.path.read_text().splitlines()]
    lines[0]["record"]["file"] = file
    store.journal.path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    before = sorted(path for path in store.root.rglob("*") if path.is_file())
    with pytest.raises(AnnotationError):
        AnnotationStore(store.root, "alice").redo() or AnnotationStore(store.root, "alice").undo()
    assert sorted(path for path in store.root.rglob("*") if path.is_file()) == before


def test_the_sentence_names_one_field_and_counts_many() -> None:
    assert fields_text(frozenset({("value", 1, "social_rules")})) == "social rules of agent 2"
    assert fields_text(frozenset({("rationale", 0, "goal")})) == "the rationale for goal of agent 1"
    many = frozenset({("value", 0, "a"), ("value", 1, "b"), ("rationale", 0, "goal"), ("reasoning", 0, "")})
    assert fields_text(many) == "2 scores, the rationale for goal of agent 1 and the reasoning"


def test_undo_on_a_full_disk_changes_nothing_and_works_later(
    store: AnnotationStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store.submit(typed("7"), SOTOPIA).path
    saved = store.submit(typed("8"), SOTOPIA)
    before = path.read_bytes()

    def refuse(*args: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", refuse)
        with pytest.raises(AnnotationError, match="It was not undone: the disk is full"):
            store.undo()
    assert path.read_bytes() == before == saved.annotation.to_json().encode()
    assert shown(store) == ("8", "")
    assert said(store.undo()) == "took back the submission"
    assert b"7.0" in path.read_bytes()
