"""Another run under the name of one that was scored: nothing of the first is lost, or taken for the second's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from trajview.annotation.draft import Draft
from trajview.annotation.other_run import notes_differ, put_aside, take_for_same
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore
from trajview.annotation.unit_notes import NoteChangedOnDisk, UnitNote
from trajview.errors import AnnotationError

FIRST = "1:3:aaaabbbbcccc"
GROWN = "1:5:aaaabbbbccccdddd"
SECOND = "1:2:aaaaeeee"


def typed(goal: str, beginning: str = FIRST, reasoning: str = "because", base: str | None = None) -> Draft:
    return Draft("log", "sotopia", ({"goal": goal},), reasoning, base, beginning=beginning)


def store_in(folder: Path) -> AnnotationStore:
    return AnnotationStore(folder, "ada")


def goal(draft: Draft | None) -> str | None:
    return draft.values[0].get("goal") if draft is not None else None


def test_a_draft_of_a_run_that_has_grown_is_found_as_before(tmp_path: Path) -> None:
    store_in(tmp_path).journal.append("draft", typed("4"))
    opened = store_in(tmp_path).open("log", SOTOPIA, 1, GROWN)
    assert (goal(opened.kept), opened.another) == ("4", None)


def test_a_draft_and_a_record_of_another_run_are_not_taken_for_this_ones(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.journal.append("draft", typed("4"))
    assert store.open("log", SOTOPIA, 1, SECOND).another == 1
    store.submit(typed("4"), SOTOPIA)
    assert store_in(tmp_path).open("log", SOTOPIA, 1, SECOND).another == 1
    assert store_in(tmp_path).open("log", SOTOPIA, 1, GROWN).another is None


def test_what_says_nothing_of_its_run_is_found_as_before(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.journal.append("draft", replace(typed("4"), beginning=""))
    assert store.open("log", SOTOPIA, 1, SECOND).another is None
    store.journal.append("draft", typed("5"))
    assert store.open("log", SOTOPIA, 1).another is None


def test_a_draft_that_is_put_aside_has_another_name_and_this_run_none(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.journal.append("draft", typed("4"))
    (name,) = put_aside(store, "log", SOTOPIA, SECOND)
    assert name.startswith("log@")
    store = store_in(tmp_path)
    opened = store.open("log", SOTOPIA, 1, SECOND)
    assert (opened.kept, opened.another, opened.draft.empty) == (None, None, True)
    aside = store.open(name, SOTOPIA, 1, FIRST).kept
    assert aside is not None
    assert (goal(aside), aside.reasoning) == ("4", "because")


def test_a_record_that_is_put_aside_is_copied_and_the_next_submission_takes_its_place(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.submit(typed("4"), SOTOPIA)
    (name,) = put_aside(store, "log", SOTOPIA, SECOND)
    assert put_aside(store_in(tmp_path), "log", SOTOPIA, SECOND) == [name]
    store = store_in(tmp_path)
    opened = store.open("log", SOTOPIA, 1, SECOND)
    assert (opened.saved, opened.another, opened.draft.empty) == (None, None, True)
    assert store.load("log", SOTOPIA) is not None
    mine = replace(typed("9", SECOND), base=opened.draft.base)
    store.journal.append("draft", mine)
    again = store_in(tmp_path).open("log", SOTOPIA, 1, SECOND)
    assert (goal(again.kept), again.changed, again.another) == ("9", False, None)
    store = store_in(tmp_path)
    store.open("log", SOTOPIA, 1, SECOND)
    store.submit(mine, SOTOPIA)
    rewards = {each.episode: each.rewards for each in store_in(tmp_path).records()}
    assert rewards == {"log": [(9.0, {"goal": 9.0})], name: [(4.0, {"goal": 4.0})]}
    after = store_in(tmp_path).open("log", SOTOPIA, 1, SECOND)
    assert (after.another, after.saved is not None) == (None, True)
    back = store_in(tmp_path).open("log", SOTOPIA, 1, FIRST)  # the old log is under the name once more
    assert back.another == 1


def test_two_other_records_that_begin_alike_are_both_kept(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.submit(typed("4"), SOTOPIA)
    (name,) = put_aside(store, "log", SOTOPIA, SECOND)
    store.open("log", SOTOPIA, 1, FIRST)
    store.submit(typed("5", reasoning="anew"), SOTOPIA)
    (other,) = put_aside(store, "log", SOTOPIA, SECOND)
    assert other == f"{name}-2"
    assert {each.episode for each in store.records()} == {"log", name, other}


def test_a_draft_over_a_record_of_the_same_other_run_keeps_its_place(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    saved = store.submit(typed("4"), SOTOPIA)
    store.journal.append("draft", typed("6", base=saved.version))
    (name,) = put_aside(store, "log", SOTOPIA, SECOND)
    opened = store_in(tmp_path).open(name, SOTOPIA, 1, FIRST)
    assert (goal(opened.kept), goal(opened.draft), opened.changed) == ("6", "4", False)


def test_what_is_taken_for_the_same_run_is_not_asked_about_again(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.submit(typed("4"), SOTOPIA)
    store.journal.append("draft", typed("6"))
    take_for_same(store, "log", SOTOPIA, SECOND)
    opened = store_in(tmp_path).open("log", SOTOPIA, 1, SECOND)
    assert (goal(opened.kept), goal(opened.draft), opened.another) == ("6", "4", None)
    assert store_in(tmp_path).open("log", SOTOPIA, 1, "1:2:ffffffff").another == 0


def test_undoing_brings_a_draft_back_that_was_put_aside_and_it_is_asked_about(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.journal.append("draft", typed("4"))
    put_aside(store, "log", SOTOPIA, SECOND)
    undone = store.undo()
    assert undone is not None
    opened = store.open("log", SOTOPIA, 1, SECOND)
    assert (goal(opened.kept), opened.another) == ("4", 1)


def test_notes_and_marks_move_with_the_work(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.journal.append("draft", typed("4"))
    store.save_unit_note("log", SOTOPIA, UnitNote(0, 2, {"goal": 1.0}, "here"))
    store.set_mark("log", 0, 3, True, "look")
    (name,) = put_aside(store, "log", SOTOPIA, SECOND)
    store = store_in(tmp_path)
    assert (store.unit_notes("log").units, store.unit_notes("log").marks) == ((), ())
    notes = store.unit_notes(name)
    assert [(note.unit, note.note) for note in notes.units] == [(2, "here")]
    assert [(mark.unit, mark.note) for mark in notes.marks] == [(3, "look")]


def test_a_store_that_refuses_the_other_name_keeps_all_as_it_is(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "ada", lambda episode: "" if episode == "log" else "It is Sotopia's.")
    store.submit(typed("4"), SOTOPIA)
    with pytest.raises(AnnotationError, match=r"not kept apart\. It is Sotopia's"):
        put_aside(store, "log", SOTOPIA, SECOND)
    assert store.open("log", SOTOPIA, 1, SECOND).another == 1
    assert [each.episode for each in store.records()] == ["log"]


def test_the_history_tells_what_became_of_it(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.journal.append("draft", typed("4"))
    (name,) = put_aside(store, "log", SOTOPIA, SECOND)
    take_for_same(store, "log", SOTOPIA, FIRST)
    said = [event.said for event in store.history("log")]
    assert said[-2:] == [
        f"began anew, with another run under this name; the other is {name}",
        "took what was said of another run under this name for this run's",
    ]


def test_a_beginning_of_a_wrong_type_is_not_known(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.journal.append("draft", typed("4"))
    line = json.loads(store.journal.path.read_text())
    store.journal.path.write_text(json.dumps({**line, "beginning": [1]}) + "\n")
    opened = store_in(tmp_path).open("log", SOTOPIA, 1, SECOND)
    assert (goal(opened.kept), opened.another) == ("4", None)


def test_notes_and_marks_alone_are_told_from_this_runs_and_put_aside(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.save_unit_note("log", SOTOPIA, UnitNote(0, 2, {"goal": 1.0}, "here"), beginning=FIRST)
    store.set_mark("log", 0, 3, True, "look", beginning=FIRST)
    store = store_in(tmp_path)
    assert store.open("log", SOTOPIA, 1, GROWN).another is None
    assert store.open("log", SOTOPIA, 1, SECOND).another == 1
    assert notes_differ(store, "log", SECOND) == (1, FIRST)
    (name,) = put_aside(store, "log", SOTOPIA, SECOND)
    assert [mark.unit for mark in store_in(tmp_path).unit_notes(name).marks] == [3]
    assert store_in(tmp_path).open("log", SOTOPIA, 1, SECOND).another is None


def test_notes_that_hold_for_this_run_as_well_or_are_gone_are_not_asked_about(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.set_mark("log", 0, 3, True, beginning=FIRST)
    take_for_same(store, "log", SOTOPIA, SECOND)
    assert store_in(tmp_path).open("log", SOTOPIA, 1, SECOND).another is None
    store.set_mark("other", 0, 3, True, beginning=FIRST)
    store.set_mark("other", 0, 3, False, beginning=FIRST)
    assert store_in(tmp_path).open("other", SOTOPIA, 1, SECOND).another is None


def test_what_was_said_of_this_runs_units_stays_where_the_other_ones_work_is_put_aside(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.submit(typed("4"), SOTOPIA)
    store.save_unit_note("log", SOTOPIA, UnitNote(0, 2, {}, "the first one's"), beginning=FIRST)
    store.set_mark("log", 0, 3, True, beginning=FIRST)
    store.set_mark("log", 0, 5, True, "this one's", beginning=SECOND)
    store.set_mark("log", 0, 3, True, "this one's, too", beginning=SECOND)
    store = store_in(tmp_path)
    assert notes_differ(store, "log", SECOND) == (1, FIRST), "of the note that is left"
    (name,) = put_aside(store, "log", SOTOPIA, SECOND)
    store = store_in(tmp_path)
    here, there = store.unit_notes("log"), store.unit_notes(name)
    assert [(mark.unit, mark.note) for mark in here.marks] == [(3, "this one's, too"), (5, "this one's")]
    assert (here.units, there.marks) == ((), ())
    assert [note.note for note in there.units] == ["the first one's"]
    assert store.open("log", SOTOPIA, 1, SECOND).another is None
    assert notes_differ(store, "log", FIRST) == (1, SECOND), "where the log of before is back"


@pytest.mark.parametrize("saved", [False, True])
def test_what_was_put_aside_before_stays_when_more_of_the_same_run_is_put_aside(tmp_path: Path, saved: bool) -> None:
    """The log is rotated to and fro."""
    store = store_in(tmp_path)
    if saved:
        store.submit(typed("3"), SOTOPIA)
    names = []
    for score in "4", "5", "5":
        store.journal.append("draft", typed(score))
        names.append(put_aside(store, "log", SOTOPIA, SECOND)[-1])
    store = store_in(tmp_path)
    assert names[1] == names[2]
    assert [goal(store.journal.latest_draft(name, "sotopia")) for name in names] == ["4", "5", "5"]
    assert {each.episode for each in store.records()} == ({"log", *names} if saved else set())


def test_a_note_that_was_put_aside_before_stays_when_another_on_the_same_unit_is_put_aside(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    names = []
    for said in "one", "two", "two":
        store.save_unit_note("log", SOTOPIA, UnitNote(0, 3, {}, said), overwrite=True, beginning=FIRST)
        store.set_mark("log", 0, 4, True, beginning=FIRST)
        names.append(put_aside(store, "log", SOTOPIA, SECOND)[-1])
    assert names[0] != names[1] == names[2]
    notes = [store_in(tmp_path).unit_notes(name) for name in names]
    assert [[note.note for note in found.units] for found in notes] == [["one"], ["two"], ["two"]]
    assert [len(found.marks) for found in notes] == [1, 1, 1]


def test_who_is_told_of_another_run_has_not_seen_what_another_program_noted(tmp_path: Path) -> None:
    mine, theirs = store_in(tmp_path), store_in(tmp_path)
    mine.save_unit_note("log", SOTOPIA, UnitNote(0, 3, {}, "one"), beginning=FIRST)
    theirs.unit_notes("log")
    theirs.save_unit_note("log", SOTOPIA, UnitNote(0, 3, {}, "theirs"), beginning=FIRST)
    assert mine.open("log", SOTOPIA, 1, SECOND).another == 1
    with pytest.raises(NoteChangedOnDisk):
        mine.save_unit_note("log", SOTOPIA, UnitNote(0, 3, {}, "mine"), beginning=SECOND)
    assert [note.note for note in theirs.unit_notes("log").units] == ["theirs"]
