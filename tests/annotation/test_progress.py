"""How far each episode is, replayed from the journal and the folder of records."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.annotation.draft import Draft
from trajview.annotation.events import Entry
from trajview.annotation.journal import Journal
from trajview.annotation.progress import CHANGES, Ledger, Progress
from trajview.annotation.rubric import SOTOPIA, reward_rubric
from trajview.annotation.store import AnnotationStore
from trajview.errors import AnnotationError


def typed(goal: str, episode: str = "e1", rubric: str = "sotopia", base: str | None = None) -> Draft:
    return Draft(episode, rubric, ({"goal": goal}, {}), "", base)


@pytest.fixture
def store(tmp_path: Path) -> AnnotationStore:
    return AnnotationStore(tmp_path, "alice")


def seen_by_all(store: AnnotationStore) -> dict[str, Progress]:
    """The progress, the same for the program that made it and for one that is started now."""
    progress = store.progress()
    assert AnnotationStore(store.root, store.annotator).progress() == progress
    return progress


def test_what_a_draft_says_comes_back_with_its_rationales(store: AnnotationStore) -> None:
    draft = Draft("e1", "sotopia", ({"goal": "7"}, {}), "all in all", "v", rationales=({"goal": "reached: 7"}, {}))
    store.journal.append("draft", draft)
    kept = Journal(store.root, "alice").latest_draft("e1", "sotopia")
    assert kept is not None
    assert kept.says() == draft.says()
    assert kept.rationales == ({"goal": "reached: 7"}, {})


def test_an_episode_goes_from_not_started_over_draft_to_submitted(store: AnnotationStore) -> None:
    assert seen_by_all(store) == {}
    store.journal.append("draft", typed("7"))
    assert seen_by_all(store)["e1"].state == "draft"
    before = datetime.now(UTC) - timedelta(seconds=2)
    store.submit(typed("7"), SOTOPIA)
    progress = seen_by_all(store)["e1"]
    assert progress.state == "submitted"
    assert progress.submitted_at is not None
    assert before < progress.submitted_at < datetime.now(UTC) + timedelta(seconds=2)
    assert progress.changed_at is not None
    store.journal.append("draft", typed("8"))
    assert seen_by_all(store)["e1"].state == "draft"
    store.journal.append("discard", typed("7"))
    assert seen_by_all(store)["e1"].state == "submitted"


def test_a_record_that_someone_deleted_is_not_submitted_any_more(store: AnnotationStore) -> None:
    store.submit(typed("7"), SOTOPIA).path.unlink()
    assert seen_by_all(store)["e1"].state == "not started"
    assert store.statuses() == {}


def test_the_newest_decision_counts_whether_an_episode_is_skipped(store: AnnotationStore) -> None:
    store.skip("e1", SOTOPIA, "the audio is missing")
    assert seen_by_all(store)["e1"] == Progress(
        "skipped", reason="the audio is missing", changed_at=store.progress()["e1"].changed_at
    )
    store.journal.append("draft", typed("7"))
    assert seen_by_all(store)["e1"].state == "draft"
    store.skip("e1", SOTOPIA, "after all")
    assert seen_by_all(store)["e1"].reason == "after all"
    store.unskip("e1", SOTOPIA)
    assert seen_by_all(store)["e1"].state == "draft"
    store.skip("e1", SOTOPIA, "")
    store.submit(typed("7"), SOTOPIA)
    assert seen_by_all(store)["e1"].state == "submitted"
    store.skip("e1", SOTOPIA, "")
    assert seen_by_all(store)["e1"].state == "skipped"


def test_a_flag_is_beside_the_state_and_in_the_status(store: AnnotationStore) -> None:
    store.flag("e1", "odd ending")
    assert seen_by_all(store)["e1"].flagged
    assert seen_by_all(store)["e1"].reason == "odd ending"
    assert store.statuses() == {"e1": "flagged ⚑"}
    store.submit(typed("7"), SOTOPIA)
    assert store.statuses() == {"e1": "annotated ⚑"}
    store.skip("e1", SOTOPIA, "why")
    assert store.statuses() == {"e1": "skipped ⚑"}
    assert store.progress()["e1"].reason == "why"
    store.unflag("e1")
    assert store.statuses() == {"e1": "skipped"}


def test_active_time_adds_up_and_what_was_revealed_is_remembered_once(store: AnnotationStore) -> None:
    store.spent("e1", SOTOPIA, 12.5)
    store.spent("e1", reward_rubric(), 7.5)
    store.spent("e1", SOTOPIA, 0.0)
    store.reveal("e1", SOTOPIA, "rewards")
    store.reveal("e1", SOTOPIA, "models")
    store.reveal("e1", SOTOPIA, "rewards")
    progress = seen_by_all(store)["e1"]
    assert progress.seconds == 20.0
    assert progress.revealed == ("rewards", "models")
    assert progress.state == "not started"
    assert store.statuses() == {}


def test_others_work_is_not_mine(store: AnnotationStore) -> None:
    bob = AnnotationStore(store.root, "bob")
    bob.skip("e1", SOTOPIA, "")
    bob.submit(typed("1", "e2"), SOTOPIA)
    assert seen_by_all(store) == {}


def test_unsaved_work_under_one_rubric_shows_through_a_record_of_another(store: AnnotationStore) -> None:
    store.journal.append("draft", Draft("e1", "reward", ({"reward": "1"},)))
    store.submit(typed("7"), SOTOPIA)
    assert seen_by_all(store)["e1"].state == "draft"


def test_events_of_a_later_version_are_kept_and_passed_over(store: AnnotationStore) -> None:
    store.flag("e1")
    later = (
        b'{"time": "2031-01-01T00:00:00Z", "event": "teleport", "episode": "e9", "rubric": "", "id": "x", "q": [1]}\n'
    )
    with store.journal.path.open("ab") as file:
        file.write(later)
        file.write(b'{"event": "undo", "episode": "e9", "rubric": "", "id": "y", "of": ["x"]}\n')
        file.write(b'{"event": "undo", "episode": "e9", "rubric": "", "id": "z"}\n')
        file.write(b'{"event": "redo", "episode": "e9", "rubric": "", "id": "z2", "of": "x"}\n')
    store.skip("e2", SOTOPIA, "")
    progress = seen_by_all(store)
    assert progress["e1"].flagged
    assert progress["e2"].state == "skipped"
    assert progress["e9"].state == "not started"
    assert store.problems == []
    assert later in store.journal.path.read_bytes()


@pytest.mark.parametrize(
    "more",
    [
        {"event": "time", "seconds": "5"},
        {"event": "time", "seconds": -5},
        {"event": "time", "seconds": 1e300},
        {"event": "time", "seconds": True},
        {"event": "skip", "reason": 5, "time": 7, "id": []},
        {"event": "undo", "of": [1, None]},
        {"event": "draft", "record": "x"},
        {"event": "draft", "record": {"file": "../../x.json", "version": "v"}},
        {"event": "draft", "record": {"file": "\ud800\u0000.json", "version": "v"}},
        {"event": "submit", "of": {}},
        {"event": "reveal", "what": None},
    ],
)
def test_wrong_types_in_an_event_break_nothing(store: AnnotationStore, more: dict[str, object]) -> None:
    store.flag("e1")
    with store.journal.path.open("a") as file:
        file.write(json.dumps({"time": "2026-01-01", "episode": "e1", "rubric": "sotopia", **more}) + "\n")
    progress = seen_by_all(store)["e1"]
    assert progress.flagged
    assert 0 <= progress.seconds <= 1
    store.submit(typed("7"), SOTOPIA)
    assert seen_by_all(store)["e1"].state == "submitted"
    assert store.problems == []


def test_a_clock_that_goes_backwards_changes_no_order(store: AnnotationStore) -> None:
    store.skip("e1", SOTOPIA, "first")
    store.unskip("e1")
    lines = store.journal.path.read_text().splitlines()
    for year, (i, line) in zip((2030, 2020), enumerate(lines), strict=True):
        lines[i] = json.dumps({**json.loads(line), "time": f"{year}-01-01T00:00:00+00:00"})
    store.journal.path.write_text("\n".join(lines) + "\n")
    assert seen_by_all(store)["e1"].state == "not started"


def test_a_journal_that_was_replaced_or_cut_is_read_anew(store: AnnotationStore) -> None:
    store.skip("e1", SOTOPIA, "x" * 50)
    one = store.journal.path.read_bytes()
    store.skip("e2", SOTOPIA, "")
    assert set(store.progress()) == {"e1", "e2"}
    store.journal.path.write_bytes(one)
    assert set(seen_by_all(store)) == {"e1"}
    store.journal.path.write_bytes(one.replace(b'"e1"', b'"e3"'))
    assert set(seen_by_all(store)) == {"e3"}
    longer = one.replace(b'"e1"', b'"e4"') * 3
    store.journal.path.write_bytes(longer)
    assert set(seen_by_all(store)) == {"e4"}
    store.journal.path.unlink()
    assert seen_by_all(store) == {}


def test_a_line_that_is_seen_before_its_end_counts_once_and_not_if_it_is_taken_back(store: AnnotationStore) -> None:
    store.spent("e1", SOTOPIA, 3.0)
    first = store.journal.path.read_bytes()
    store.spent("e1", SOTOPIA, 4.0)
    both = store.journal.path.read_bytes()
    store.journal.path.write_bytes(both[:-1])
    assert seen_by_all(store)["e1"].seconds == 7.0
    with store.journal.path.open("ab") as file:
        file.write(b"\n")
    assert seen_by_all(store)["e1"].seconds == 7.0
    with store.journal.path.open("r+b") as file:
        file.truncate(len(both) - 1)
    assert seen_by_all(store)["e1"].seconds == 7.0
    with store.journal.path.open("r+b") as file:
        file.truncate(len(first))
    assert seen_by_all(store)["e1"].seconds == 3.0


Event = tuple[str, str, str]


def replayed(events: list[tuple[str, Event]], undos: Sequence[tuple[str, ...]] = ()) -> Ledger:
    """A ledger after events with their ids, and after undoing some."""
    ledger = Ledger()
    for number, (id, (kind, episode, rubric)) in enumerate(events, start=1):
        ledger.take(Entry(id, kind, episode, rubric, "", 0, 0, number=number))
    for number, of in enumerate(undos):
        ledger.take(Entry(f"undo {number}", "undo", "", "", "", 0, 0, of=of))
    return ledger


def ids(ledger: Ledger) -> list[dict[Any, str]]:
    kept = (ledger.drafts, ledger.submits, ledger.skips, ledger.flags)
    return [{key: entry.id for key, entry in of.items()} for of in kept]


@given(
    st.lists(st.tuples(st.sampled_from(sorted(CHANGES)), st.sampled_from("ab"), st.sampled_from("xy")), max_size=14),
    st.data(),
)
def test_taking_back_what_is_not_the_newest_is_as_if_it_had_never_been(
    changes: list[Event], data: st.DataObject
) -> None:
    """As happens where two histories were merged, or a file system has no locks."""
    events = [(str(i), change) for i, change in enumerate(changes)]
    order = data.draw(st.permutations([id for id, _ in events]))
    for count in range(len(order) + 1):
        gone = order[:count]
        ledger = replayed(events, [(id,) for id in gone])
        assert ids(ledger) == ids(replayed([event for event in events if event[0] not in gone]))
        assert [entry.id for group in ledger.undone for entry in group] == list(gone)
    again = replayed(events, [(id,) for id in order] + [(id,) for id in order])
    assert ids(again) == [{}, {}, {}, {}]  # What was taken back before is passed over.
    assert len(again.undone) == len(order)


def test_a_submission_that_was_cut_off_before_its_last_line_is_submitted_and_gets_it(
    store: AnnotationStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = store.journal.append

    def only_drafts(event: str, draft: Draft, **more: object) -> str:
        if event == "submit":
            raise AnnotationError("full")
        return real(event, draft, **more)

    with monkeypatch.context() as patch:
        patch.setattr(store.journal, "append", only_drafts)
        store.submit(typed("7"), SOTOPIA)
    assert seen_by_all(store)["e1"].state == "submitted"
    assert len(store.journal.path.read_bytes().splitlines()) == 1
    assert AnnotationStore(store.root, "alice").open("e1", SOTOPIA, 2).kept is None
    events = [json.loads(line) for line in store.journal.path.read_bytes().splitlines()]
    assert [event["event"] for event in events] == ["draft", "submit"]
    assert events[1]["of"] == events[0]["id"]
    assert seen_by_all(store)["e1"].state == "submitted"


def test_a_long_journal_opens_quickly_and_is_read_on_from_where_it_was(store: AnnotationStore) -> None:
    store.journal.append("draft", Draft("e0", "sotopia", ({"goal": "7", "secret": "-1"}, {"goal": "3"}), "why " * 60))
    line = json.loads(store.journal.path.read_text())
    many = 100_000
    with store.journal.path.open("w") as file:
        for i in range(many):
            text = json.dumps(
                {**line, "id": f"{i:x}", "episode": f"e{i // 50}", "event": ("draft", "submit")[i % 50 == 49]}
            )
            file.write(text + "\n")
    fresh = AnnotationStore(store.root, "alice")
    start = time.process_time()
    assert len(fresh.progress()) == many // 50
    first = time.process_time() - start
    fresh.flag("e1")
    start = time.process_time()
    assert fresh.progress()["e1"].flagged
    again = time.process_time() - start
    assert first < 5.0  # Half a second here; a loaded machine may take longer, reading every draft takes far longer.
    assert again < first / 5
