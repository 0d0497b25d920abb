"""What a store does not take while the program is told to end: it is kept elsewhere, said, and taken in by a merge."""

from __future__ import annotations

from pathlib import Path

import pytest

from trajview.annotation.draft import Draft
from trajview.annotation.merge import merge_into
from trajview.annotation.rescue import rescue, rescued
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The user's folder of state, and that of temporary files."""
    state, temporary = tmp_path / "state", tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    return state / "trajview", temporary


def draft(text: str, episode: str = "e1") -> Draft:
    return Draft(episode, "sotopia", ({"goal": "7"}, {}), text)


def store_in(folder: Path, annotator: str = "alice") -> AnnotationStore:
    return AnnotationStore(folder / "my store", annotator)


def test_what_was_kept_elsewhere_is_said_until_a_merge_has_taken_it_in(
    tmp_path: Path, places: tuple[Path, Path]
) -> None:
    store = store_in(tmp_path)
    store.journal.append("draft", draft("before"))
    problem = rescue(store.journal, [draft("typed last"), draft("elsewhere", "e2")])
    store.spent("e1", SOTOPIA, 5)  # As the program does when it ends, if there is room for that.
    assert problem is not None
    root = problem.where.path
    assert root is not None
    assert root.parent == places[0]
    assert root.stat().st_mode & 0o777 == 0o700
    store = store_in(tmp_path)
    assert rescued(store.journal) == [problem]
    assert rescued(store_in(tmp_path, "bob").journal) == []
    assert rescued(store_in(tmp_path / "other").journal) == []
    assert f"trajview annotations merge '{store.root}' {root}" in problem.hint
    merge_into(store.root, root)
    for episode, text in (("e1", "typed last"), ("e2", "elsewhere")):
        kept = store.open(episode, SOTOPIA, 2).kept
        assert kept is not None
        assert kept.reasoning == text
    assert rescued(store.journal) == []


def test_where_one_place_takes_nothing_the_next_one_does(tmp_path: Path, places: tuple[Path, Path]) -> None:
    places[0].parent.write_text("a file is in its way")
    store = store_in(tmp_path)
    problem = rescue(store.journal, [draft("typed last")])
    assert problem is not None
    assert problem.where.path is not None
    assert problem.where.path.parent == places[1]
    assert rescued(store.journal) == [problem]


def test_where_no_place_takes_it_nothing_is_left_behind(
    tmp_path: Path, places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("trajview.annotation.journal.write_all", full)
        assert rescue(store_in(tmp_path).journal, [draft("typed last")]) is None
    assert [list(place.iterdir()) for place in places] == [[], []]
    assert not store_in(tmp_path).root.exists()
