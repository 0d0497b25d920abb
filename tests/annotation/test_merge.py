"""Merging stores: nothing is lost, nothing decided, and merging again changes nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.annotation.draft import Draft
from trajview.annotation.merge import Merged, joined, merge_into
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore


def typed(goal: str, episode: str = "e1") -> Draft:
    return Draft(episode, "sotopia", ({"goal": goal}, {}))


def store(root: Path, annotator: str, **goals: str) -> AnnotationStore:
    made = AnnotationStore(root, annotator)
    for episode, goal in goals.items():
        made.open(episode, SOTOPIA, 2)
        made.submit(typed(goal, episode), SOTOPIA)
    return made


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def said(done: Merged) -> list[str]:
    return [problem.reason for problem in (*done.problems, *done.conflicts)]


def test_two_annotators_become_one_store(tmp_path: Path) -> None:
    store(tmp_path / "a", "ada", e1="7", e2="8")
    store(tmp_path / "b", "bo", e1="3")
    theirs = contents(tmp_path / "b")
    expected = {**contents(tmp_path / "a"), **theirs}
    done = merge_into(tmp_path / "a", tmp_path / "b")
    assert (done.records, done.journals, said(done)) == (1, 1, [])
    assert contents(tmp_path / "a") == expected
    assert contents(tmp_path / "b") == theirs
    assert AnnotationStore(tmp_path / "a", "bo").statuses() == {"e1": "annotated"}


def test_merging_again_changes_nothing(tmp_path: Path) -> None:
    store(tmp_path / "a", "ada", e1="7")
    store(tmp_path / "b", "ada", e1="6", e2="8")
    first = merge_into(tmp_path / "a", tmp_path / "b")
    merged = contents(tmp_path / "a")
    again = merge_into(tmp_path / "a", tmp_path / "b")
    assert (again.records, again.notes, again.journals) == (0, 0, 0)
    assert said(again) == said(first)
    assert contents(tmp_path / "a") == merged


def test_annotations_that_contradict_are_kept_side_by_side_and_listed(tmp_path: Path) -> None:
    ours = store(tmp_path / "a", "ada", e1="7").path_of("e1", SOTOPIA)
    theirs = store(tmp_path / "b", "ada", e1="6").path_of("e1", SOTOPIA)
    before, other = ours.read_bytes(), theirs.read_bytes()
    done = merge_into(tmp_path / "a", tmp_path / "b")
    assert ours.read_bytes() == before
    [aside] = (tmp_path / "a" / "conflicts" / "AnnotationForEpisode").iterdir()
    assert aside.read_bytes() == other
    [conflict] = done.conflicts
    assert conflict.reason == (
        f"There are two annotations of e1 by ada: the other one is conflicts/AnnotationForEpisode/{aside.name}."
    )
    assert conflict.where.path == ours
    shutil.move(aside, ours)  # As the hint says.
    assert said(merge_into(tmp_path / "a", tmp_path / "b")) == []


def test_a_new_store_gets_both_and_what_they_had_left_to_settle(tmp_path: Path) -> None:
    store(tmp_path / "a", "ada", e1="7")
    store(tmp_path / "b", "ada", e1="6")
    store(tmp_path / "c", "bo", e1="5")
    merge_into(tmp_path / "a", tmp_path / "b")
    for name in ("a", "c"):
        done = merge_into(tmp_path / "new", tmp_path / name)
        assert len(done.conflicts) == (name == "a")
    assert set(contents(tmp_path / "new")) == set(contents(tmp_path / "a")) | set(contents(tmp_path / "c"))


def test_the_same_record_written_otherwise_is_the_same(tmp_path: Path) -> None:
    store(tmp_path / "a", "ada", e1="7")
    path = store(tmp_path / "b", "ada", e1="7").path_of("e1", SOTOPIA)
    path.write_text(json.dumps(json.loads(path.read_text())))
    done = merge_into(tmp_path / "a", tmp_path / "b")
    assert (done.records, done.conflicts) == (0, [])


def test_a_file_that_is_no_record_stays_where_it_is(tmp_path: Path) -> None:
    store(tmp_path / "b", "ada", e1="7")
    (tmp_path / "b" / "AnnotationForEpisode" / "torn.json").write_text("{")
    done = merge_into(tmp_path / "a", tmp_path / "b")
    assert done.records == 1
    assert len(done.problems) == 1
    assert not (tmp_path / "a" / "AnnotationForEpisode" / "torn.json").exists()


def test_one_annotators_two_histories_become_one_and_undo_still_fits(tmp_path: Path) -> None:
    store(tmp_path / "a", "ada", e1="7")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    mine = AnnotationStore(tmp_path / "a", "ada")
    mine.skip("e3", SOTOPIA, "short")
    other = AnnotationStore(tmp_path / "b", "ada")
    other.flag("e4", "odd")
    other.journal.write("undo", "e4", of=[next(reversed(other.journal.ledger.entries))])
    other.skip("e5", SOTOPIA, "long")
    other.journal.append("draft", typed("9", "e6"))
    done = merge_into(tmp_path / "a", tmp_path / "b")
    assert (done.journals, said(done)) == (1, [])
    assert AnnotationStore(tmp_path / "a", "ada").statuses() == {
        "e1": "annotated", "e3": "skipped", "e5": "skipped", "e6": "draft",
    }  # fmt: skip
    again = merge_into(tmp_path / "b", tmp_path / "a")
    assert (again.journals, said(again)) == (1, [])
    assert AnnotationStore(tmp_path / "b", "ada").statuses() == AnnotationStore(tmp_path / "a", "ada").statuses()
    lines = [sorted((tmp_path / name / "journal/ada.jsonl").read_bytes().splitlines()) for name in "ab"]
    assert lines[0] == lines[1]


def test_what_was_taken_back_in_one_store_is_taken_back_in_both_joined(tmp_path: Path) -> None:
    store(tmp_path / "a", "ada", e1="7").skip("e2", SOTOPIA, "short")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    AnnotationStore(tmp_path / "a", "ada").flag("e3", "odd")
    AnnotationStore(tmp_path / "b", "ada").undo()
    merge_into(tmp_path / "a", tmp_path / "b")
    assert AnnotationStore(tmp_path / "a", "ada").statuses() == {"e1": "annotated", "e3": "flagged ⚑"}


def test_a_program_that_is_open_goes_on_in_the_merged_journal(tmp_path: Path) -> None:
    mine = store(tmp_path / "a", "ada", e1="7")
    store(tmp_path / "b", "ada", e2="8").skip("e3", SOTOPIA, "long")
    merge_into(tmp_path / "a", tmp_path / "b")
    mine.skip("e4", SOTOPIA, "late")
    assert mine.statuses() == {"e1": "annotated", "e2": "annotated", "e3": "skipped", "e4": "skipped"}
    assert AnnotationStore(tmp_path / "a", "ada").statuses() == mine.statuses()


LINES = st.lists(st.integers(0, 40), max_size=8).map(
    lambda numbers: [
        b'{"time": "2026-01-%02d", "id": %d}' % (number % 5 + 1, number) for number in dict.fromkeys(numbers)
    ]
)


@given(LINES, LINES, LINES)
def test_joined_histories_have_every_line_once_and_keep_their_order(
    common: list[bytes], ours: list[bytes], theirs: list[bytes]
) -> None:
    ours = list(dict.fromkeys([*common, *ours]))
    theirs = list(dict.fromkeys([*common, *theirs]))
    both = joined(ours, theirs)
    assert sorted(both) == sorted({*ours, *theirs})
    assert [line for line in both if line in ours] == ours
    new = [line for line in theirs if line not in ours]
    assert [line for line in both if line in new] == new
    assert joined(both, theirs) == joined(both, ours) == both


def test_two_drafts_of_one_run_are_said(tmp_path: Path) -> None:
    AnnotationStore(tmp_path / "a", "ada").journal.append("draft", typed("1"))
    AnnotationStore(tmp_path / "b", "ada").journal.append("draft", typed("2"))
    done = merge_into(tmp_path / "a", tmp_path / "b")
    assert said(done) == ["There are two drafts of e1 by ada; the newer one will be shown."]
    assert [draft.values for draft in AnnotationStore(tmp_path / "a", "ada").journal.drafts()] == [({"goal": "2"}, {})]


def note(root: Path, units: list[object], marks: list[object] | None = None, name: str = "p.json") -> Path:
    path = root / "units" / "ada" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps({"pk": "p", "episode": "e1", "annotator_id": "ada", "units": units, "marks": marks or []})
    )
    return path


def unit(number: int, note: str) -> dict[str, object]:
    return {"transcript": 0, "unit": number, "scores": {}, "note": note}


def test_notes_on_different_units_are_united(tmp_path: Path) -> None:
    ours = note(tmp_path / "a", [unit(3, "three")], [{"transcript": 0, "unit": 1, "note": ""}])
    note(tmp_path / "b", [unit(1, "one"), unit(3, "three")])
    note(tmp_path / "b", [], name="q.json")
    done = merge_into(tmp_path / "a", tmp_path / "b")
    assert (done.notes, said(done)) == (2, [])
    record = json.loads(ours.read_text())
    assert [item["note"] for item in record["units"]] == ["one", "three"]
    assert record["marks"] == [{"transcript": 0, "unit": 1, "note": ""}]


def test_two_notes_on_one_unit_are_kept_side_by_side(tmp_path: Path) -> None:
    ours = note(tmp_path / "a", [unit(3, "three")])
    theirs = note(tmp_path / "b", [unit(3, "drei"), unit(4, "four")])
    before = ours.read_bytes()
    done = merge_into(tmp_path / "a", tmp_path / "b")
    assert ours.read_bytes() == before
    [aside] = (tmp_path / "a" / "conflicts" / "units" / "ada").iterdir()
    assert aside.read_bytes() == theirs.read_bytes()
    assert len(done.conflicts) == 1


@pytest.mark.parametrize("text", ["", "[]", '{"units": 3}', "\udc80"])
def test_notes_that_are_none_stay_where_they_are(tmp_path: Path, text: str) -> None:
    path = note(tmp_path / "b", [])
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    done = merge_into(tmp_path / "a", tmp_path / "b")
    assert len(done.problems) == 1
    assert not (tmp_path / "a").exists()


def test_two_programs_records_of_the_same_work_are_listed(tmp_path: Path) -> None:
    path = store(tmp_path / "a", "ada", e1="7").path_of("e1", SOTOPIA)
    folder = tmp_path / "b" / "AnnotationForEpisode"
    folder.mkdir(parents=True)
    (folder / "01X.json").write_text(path.read_text().replace(path.stem, "01X"))
    done = merge_into(tmp_path / "a", tmp_path / "b")
    assert done.records == 1
    assert said(done) == [f"There are 2 annotations of e1 by ada: 01X.json and {path.name}."]


def test_records_of_other_runs_stay_out_of_sotopias_own_folder(tmp_path: Path) -> None:
    episodes = tmp_path / "data" / "EpisodeLog"
    episodes.mkdir(parents=True)
    (episodes / "e1.json").write_text("{}")
    store(tmp_path / "b", "ada", e1="7", e2="8").skip("e3", SOTOPIA, "long")
    done = merge_into(tmp_path / "data", tmp_path / "b")
    assert done.records == 1
    assert "e2 is no episode in it" in said(done)[0]
    assert len(list((tmp_path / "data" / "AnnotationForEpisode").iterdir())) == 1
    assert merge_into(tmp_path / "data", tmp_path / "b", force=True).records == 1
