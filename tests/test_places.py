"""Where the reader was is there again the next time, for the last runs, whatever other programs write, and however it was left."""

from __future__ import annotations

from pathlib import Path

import pytest

from trajview.places import MOST, ListPlace, RunPlace, SavedPlaces, places_file

FIRST = RunPlace(1, (40, 2, 0), (38, 0, 0), {3: "open", 12: "closed"})
SECOND = RunPlace(0, (7, 0, 0), (7, 0, 0))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "places.json"


def test_what_is_written_is_there_the_next_time(file: Path) -> None:
    now = SavedPlaces(file)
    assert (now.of_run(Path("a.jsonl"), "1"), now.of_list([Path("a")])) == (None, ListPlace())
    left = ListPlace("run-7", "reward < 1", "-reward,run")
    now.keep_run(Path("a.jsonl"), "1", FIRST)
    now.keep_list([Path("a"), Path("b")], left)
    assert now.of_run(Path("a.jsonl"), "1") == FIRST, "also before it is written"
    assert not file.exists()
    now.write()
    later = SavedPlaces(file)
    assert later.of_run(Path("a.jsonl").absolute(), "1") == FIRST
    assert later.of_list([Path("a"), Path("b")]) == left
    assert later.of_run(Path("a.jsonl"), "2") is None
    assert later.of_list([Path("b"), Path("a")]) == ListPlace()
    assert b"a.jsonl" not in file.read_bytes(), "no path, and of what logs say only the id under the cursor"


def test_a_run_that_was_left_at_its_start_is_forgotten(file: Path) -> None:
    for place in (FIRST, None):
        places = SavedPlaces(file)
        places.keep_run(Path("a"), "1", place)
        places.write()
    assert SavedPlaces(file).of_run(Path("a"), "1") is None


def test_two_programs_keep_their_places_beside_each_other(file: Path) -> None:
    one, other = SavedPlaces(file), SavedPlaces(file)
    assert one.of_run(Path("a"), "1") is other.of_run(Path("b"), "1") is None
    one.keep_run(Path("a"), "1", FIRST)
    one.write()
    other.keep_run(Path("b"), "1", SECOND)
    other.write()
    one.write()
    last = SavedPlaces(file)
    assert (last.of_run(Path("a"), "1"), last.of_run(Path("b"), "1")) == (FIRST, SECOND)


def test_the_places_that_were_not_changed_for_longest_are_dropped(file: Path) -> None:
    places = SavedPlaces(file)
    for number in range(MOST):
        places.keep_run(Path("a"), str(number), FIRST)
    places.write()
    for number in (0, MOST):
        places.keep_run(Path("a"), str(number), SECOND)
    places.write()
    last = SavedPlaces(file)
    kept = [number for number in range(MOST + 1) if last.of_run(Path("a"), str(number))]
    assert kept == [0, *range(2, MOST + 1)]


@pytest.mark.parametrize(
    "damaged",
    [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"a": {"type": "run", "transcript": -1, "cursor": [0, 0, 0], "top": [0, 0, 0]}}'],
)  # fmt: skip
def test_a_damaged_file_is_said_and_written_anew(file: Path, damaged: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(damaged)
    places = SavedPlaces(file)
    assert places.of_run(Path("a"), "1") is None
    assert "cannot be read" in places.problem
    places.keep_run(Path("a"), "1", FIRST)
    places.write()
    assert (SavedPlaces(file).of_run(Path("a"), "1"), SavedPlaces(file).problem) == (FIRST, "")


def test_a_file_that_cannot_be_written_keeps_nobody_from_leaving(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder would be")
    places = SavedPlaces(tmp_path / "state" / "places.json")
    places.keep_run(Path("a"), "1", FIRST)
    places.write()
    assert places.of_run(Path("a"), "1") == FIRST


def test_names_that_no_file_in_utf_8_may_hold_are_kept(file: Path) -> None:
    places = SavedPlaces(file)
    places.keep_run(Path("a\udcff"), "\ud83d", FIRST)
    places.keep_list([Path("a\udcff")], ListPlace("\ud83d", "x\ud83d"))
    places.write()
    last = SavedPlaces(file)
    assert last.of_run(Path("a\udcff"), "\ud83d") == FIRST
    assert last.of_list([Path("a\udcff")]) == ListPlace("?", "x?")


def test_without_a_file_nothing_is_remembered() -> None:
    places = SavedPlaces(None)
    places.keep_run(Path("a"), "1", FIRST)
    places.write()
    assert (places.of_run(Path("a"), "1"), places.problem) == (None, "")


def test_the_file_is_among_the_users_files_of_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert (places_file() or Path()).name == "places.json"
