"""The history of an episode: every annotator's events as sentences, in an order that no clock can spoil."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trajview.annotation import events
from trajview.annotation.draft import Draft
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore
from trajview.annotation.unit_notes import UnitNote

from .clocks import Clock


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(step=1)
    monkeypatch.setattr(events, "now", clock)
    return clock


@pytest.fixture
def store(tmp_path: Path) -> AnnotationStore:
    return AnnotationStore(tmp_path, "alice")


def typed(goal: str, reasoning: str = "", secret: str = "") -> Draft:
    return Draft("e1", "sotopia", ({"goal": goal}, {"secret": secret}), reasoning)


def told(store: AnnotationStore) -> list[tuple[str, str]]:
    return [(event.annotator, event.said) for event in store.history("e1")]


def test_an_episode_without_history_has_none(store: AnnotationStore) -> None:
    store.flag("e2")
    assert store.history("e1") == []


def test_typing_is_one_event_and_a_submission_says_what_changed(store: AnnotationStore, clock: Clock) -> None:
    for text in ("w", "wh", "why"):
        store.journal.append("draft", typed("7", text))
    store.submit(typed("7", "why"), SOTOPIA)
    clock.step = 1000
    store.journal.append("draft", typed("8", "why", secret="-1"))
    store.journal.append("draft", typed("8", "because", secret="-1"))
    store.submit(typed("8", "because", secret="-1"), SOTOPIA)
    store.submit(typed("8", "because", secret="-1"), SOTOPIA)
    assert [said for _, said in told(store)] == [
        "typed goal of agent 1: 7; the reasoning",
        "submitted goal of agent 1: 7; the reasoning",
        "typed goal of agent 1: 7 → 8; secret of agent 2: -1",
        "typed the reasoning",
        "submitted goal of agent 1: 7 → 8; secret of agent 2: -1; the reasoning",
        "submitted the same again",
    ]


def test_all_kinds_of_events_are_told(store: AnnotationStore) -> None:
    store.skip("e1", SOTOPIA, "no audio")
    store.unskip("e1", SOTOPIA)
    store.flag("e1", "odd")
    store.unflag("e1")
    store.reveal("e1", SOTOPIA, "the model's rewards")
    store.spent("e1", SOTOPIA, 200)
    store.spent("e1", SOTOPIA, 4)  # a moment: not told
    store.save_unit_note("e1", SOTOPIA, UnitNote(0, 3, {"progress": 0.5}, "late"))
    store.save_unit_note("e1", SOTOPIA, UnitNote(1, 3, {}, "late"))
    store.save_unit_note("e1", SOTOPIA, UnitNote(0, 3))
    store.set_mark("e1", 0, 5, True, "here")
    store.set_mark("e1", 0, 5, False)
    store.undo()
    store.redo()
    store.journal.append("discard", typed("7"))
    store.journal.write("settle", "e1", "sotopia", gold="final", values=[{"goal": "7"}])
    store.journal.write("teleport", "e1")
    assert [said for _, said in told(store)] == [
        "skipped it: no audio",
        "no longer skipped it",
        "flagged it: odd",
        "took the flag away",
        "revealed the model's rewards",
        "was at it for 3 min",
        "noted on unit 3: progress 0.5; late",
        "noted on unit 3 of transcript 1: late",
        "took the note on unit 3 away",
        "marked unit 5: here",
        "took the mark on unit 5 away",
        "took back taking away the mark on unit 5",
        "did again taking away the mark on unit 5",
        "gave up what was typed",
        "settled it as final",
        "teleport (an event of a later version)",
    ]


def test_what_was_taken_back_is_named_and_what_follows_is_compared_with_what_is_there_then(
    store: AnnotationStore, clock: Clock
) -> None:
    clock.step = 400
    store.submit(typed("7"), SOTOPIA)
    store.submit(typed("8"), SOTOPIA)
    store.undo()
    store.undo()
    store.redo()
    store.submit(typed("9"), SOTOPIA, overwrite=True)
    assert [said for _, said in told(store)] == [
        "typed goal of agent 1: 7",
        "submitted goal of agent 1: 7",
        "typed goal of agent 1: 7 → 8",
        "submitted goal of agent 1: 7 → 8",
        "took back the submission",
        "took back goal of agent 1",
        "did again goal of agent 1",
        "typed goal of agent 1: 8 → 9",
        "submitted goal of agent 1: 7 → 9",
    ]


def test_annotators_are_told_in_turn_and_a_clock_that_is_wrong_keeps_ones_own_order(
    store: AnnotationStore, clock: Clock
) -> None:
    bob = AnnotationStore(store.root, "Bob B")
    store.flag("e1", "1")
    bob.flag("e1", "2")
    clock.step = -3600
    store.skip("e1", SOTOPIA, "3")
    clock.step = 7200
    bob.skip("e1", SOTOPIA, "4")
    assert told(store) == [
        ("alice", "flagged it: 1"),
        ("alice", "skipped it: 3"),
        ("Bob B", "flagged it: 2"),
        ("Bob B", "skipped it: 4"),
    ]
    assert told(store) == told(bob)


def test_an_annotation_that_no_journal_tells_of_is_told(store: AnnotationStore) -> None:
    store.submit(typed("7"), SOTOPIA)
    record = json.loads(next(store.folder.iterdir()).read_text())
    (store.folder / "x.json").write_text(json.dumps({**record, "pk": "x", "annotator_id": "zoë"}))
    assert ("zoë", "wrote an annotation that no journal here tells of") in told(store)
    assert len(told(store)) == 3
    assert sorted(each.annotator_id for each in store.records()) == ["alice", "zoë"]


def test_hostile_lines_are_told_without_a_crash(store: AnnotationStore) -> None:
    store.flag("e1")
    lines: list[dict[str, object]] = [
        {"event": "unit", "unit": "x", "scores": {"a": "b", "c": 1e999}, "note": 5},
        {"event": "unit", "unit": 3, "scores": []},
        {"event": "mark", "transcript": {}},
        {"event": "draft", "values": {"a": 1}, "time": "never"},
        {"event": "submit", "values": [5, {"goal": []}], "of": ["nobody"]},
        {"event": "undo", "of": ["nobody"]},
        {"event": "redo", "of": 5, "annotator": 7},
        {"event": "\x1b[31mred", "rubric": "r"},
        {"event": "reveal"},
        {"event": "time", "seconds": 1e200},
    ]
    with store.journal.path.open("a") as file:
        for line in lines:
            file.write(json.dumps({"time": "2026-01-01", "episode": "e1", "rubric": "", **line}) + "\n")
    assert len(told(store)) >= len(lines) - 1
