"""Sotopia's own data folder: what is let in, and rubrics of its custom dimensions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trajview.annotation.choice import find_rubric
from trajview.annotation.draft import Draft
from trajview.annotation.rubric import SOTOPIA, Dimension
from trajview.annotation.rubric_file import RubricError
from trajview.annotation.sotopia_folder import custom_rubric, is_sotopias_own, stranger
from trajview.annotation.store import AnnotationStore
from trajview.errors import AnnotationError
from trajview.models.sotopia import AnnotationForEpisode


def test_a_store_is_sotopias_own_where_other_things_of_sotopias_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert not is_sotopias_own(tmp_path)
    assert is_sotopias_own(tmp_path / "home" / ".sotopia" / "data")
    (tmp_path / "AnnotationForEpisode").mkdir()
    assert not is_sotopias_own(tmp_path)
    (tmp_path / "EpisodeLog").mkdir()
    assert is_sotopias_own(tmp_path)


@pytest.mark.parametrize("episode", ["", ".", "..", "a/b", "a\x00b", "x" * 300, "../EpisodeLog/e1", "e2"])
def test_an_episode_that_is_not_there_is_a_stranger(tmp_path: Path, episode: str) -> None:
    (tmp_path / "EpisodeLog").mkdir()
    (tmp_path / "EpisodeLog" / "e1.json").write_text("{}")
    assert stranger(tmp_path, "e1") == ""
    assert "Sotopia's own data folder" in stranger(tmp_path, episode)
    assert stranger(tmp_path / "else", episode) == ""


def opened_by_sotopia(root: Path) -> dict[str, AnnotationForEpisode]:
    """What Sotopia's local backend reads: every *.json of the model's folder, dotfiles too."""
    files = [path for path in (root / "AnnotationForEpisode").iterdir() if path.name.endswith(".json")]
    return {path.stem: AnnotationForEpisode.from_json(path.read_bytes()) for path in files}


def test_what_is_refused_is_a_draft_and_sotopias_folders_stay_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "EpisodeLog").mkdir()
    (tmp_path / "EpisodeLog" / "e1.json").write_text("{}")
    store = AnnotationStore(tmp_path, "ada", refuses=lambda episode: stranger(tmp_path, episode))
    store.submit(Draft("e1", "sotopia", ({"goal": "7"}, {})), SOTOPIA)
    assert store.open("e1", SOTOPIA, 2).problems == ()
    with pytest.raises(AnnotationError) as caught:
        store.submit(Draft("run", "sotopia", ({"goal": "8"},)), SOTOPIA)
    assert caught.value.sentence.startswith(
        "The annotation was not saved. This is Sotopia's own data folder, and run is"
    )
    assert "--force-store" in caught.value.hint
    opened = store.open("run", SOTOPIA, 1)
    assert opened.kept is not None
    assert "run is no episode in it" in opened.problems[0].reason
    [record] = opened_by_sotopia(tmp_path).values()
    assert record.episode == "e1"
    assert {path.name for path in tmp_path.iterdir()} == {"EpisodeLog", "AnnotationForEpisode", "journal"}
    AnnotationStore(tmp_path, "ada").submit(Draft("run", "sotopia", ({"goal": "8"},)), SOTOPIA)
    assert len(opened_by_sotopia(tmp_path)) == 2


def dimension(root: Path, pk: str, **data: object) -> Path:
    folder = root / "CustomEvaluationDimension"
    folder.mkdir(parents=True, exist_ok=True)
    values = {"pk": pk, "name": pk, "description": f"How {pk}?", "range_high": 10, "range_low": 0, **data}
    (folder / f"{pk}.json").write_text(json.dumps(values, indent=2))
    return folder / f"{pk}.json"


def listed(root: Path, pk: str, *pks: object, name: str = "my dims") -> Path:
    folder = root / "CustomEvaluationDimensionList"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{pk}.json").write_text(json.dumps({"pk": pk, "name": name, "dimension_pks": list(pks)}))
    return folder / f"{pk}.json"


def test_custom_dimensions_are_a_rubric(tmp_path: Path) -> None:
    dimension(tmp_path, "wit")
    path = dimension(tmp_path, "calm", range_low=-0.5, range_high=0.5, description=None)
    wit, calm = Dimension("wit", 0, 10, True, "How wit?", rationale=True), Dimension("calm", -0.5, 0.5, rationale=True)
    rubric = find_rubric(str(tmp_path))
    assert (rubric.name, rubric.dimensions) == ("custom", (calm, wit))
    assert find_rubric(str(tmp_path / "CustomEvaluationDimension")) == rubric
    assert find_rubric(str(path)).dimensions == (calm,)
    chosen = find_rubric(str(listed(tmp_path, "01L", "wit", "calm")))
    assert (chosen.name, chosen.dimensions) == ("my dims", (wit, calm))
    assert find_rubric(str(tmp_path)) == find_rubric(str(tmp_path / "CustomEvaluationDimensionList")) == chosen


def test_of_several_lists_one_must_be_named(tmp_path: Path) -> None:
    dimension(tmp_path, "wit")
    listed(tmp_path, "01A", "wit", name="first")
    assert custom_rubric(listed(tmp_path, "01B", "wit", name="\x1b[2J second")).name == "01B"
    with pytest.raises(RubricError, match="several lists") as caught:
        custom_rubric(tmp_path)
    assert "01A.json (first)" in caught.value.hint


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"name": "overall_score"}, "'overall_score' is reserved"),
        ({"name": "a:b"}, "has a colon"),
        ({"name": 7}, "the name 7 is no text"),
        ({"range_low": 10}, "the lower first, not 10 and 10"),
        ({"range_low": None}, "two numbers"),
        ({"range_high": float("nan")}, "two numbers"),
        ({"range_high": True}, "two numbers"),
    ],
)
def test_a_dimension_that_cannot_be_used_says_why(tmp_path: Path, data: dict[str, object], says: str) -> None:
    path = dimension(tmp_path, "d", **data)
    with pytest.raises(RubricError, match=says) as caught:
        custom_rubric(path)
    assert caught.value.where.path == path


def test_lists_and_folders_that_cannot_be_used_say_why(tmp_path: Path) -> None:
    with pytest.raises(RubricError, match="no custom dimensions"):
        custom_rubric(tmp_path)
    dimension(tmp_path, "a", name="same")
    dimension(tmp_path, "b", name="same")
    with pytest.raises(RubricError, match="two of the dimensions are called 'same'"):
        custom_rubric(tmp_path)
    for pks, says in (((), "list of pks"), ((7,), "list of pks"), (("../x",), "no pk"), (("gone",), "cannot be read")):
        with pytest.raises(RubricError, match=says):
            custom_rubric(listed(tmp_path, "01L", *pks))
    (tmp_path / "x.json").write_text("[")
    with pytest.raises(RubricError, match="not valid JSON"):
        find_rubric(str(tmp_path / "x.json"))
    (tmp_path / "x.json").write_text("[]")
    with pytest.raises(RubricError, match="no JSON object"):
        find_rubric(str(tmp_path / "x.json"))
