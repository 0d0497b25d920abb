"""The gold column without a screen: what typing, stepping and filling do, and what is saved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.annotation.test_agreement import record
from trajview.annotation.disagreement import compare
from trajview.annotation.draft import Draft
from trajview.annotation.ratings import collect
from trajview.annotation.rubric import SOTOPIA, Dimension, Rubric
from trajview.annotation.store import AnnotationStore
from trajview.app.agreement.settling import GoldRecords, Settling, rubric_of_gold
from trajview.errors import AnnotationError
from trajview.models.sotopia import AnnotationForEpisode

RECORDS = [
    record("e", "ana", {"goal": 1, "secret": -4}, {"goal": 5}),
    record("e", "ben", {"goal": 4, "secret": -1}, {"goal": 6}),
]


def settling(records: Sequence[AnnotationForEpisode] = RECORDS, rubric: Rubric = SOTOPIA, **draft: object) -> Settling:
    comparison = compare(collect(records, rubric=rubric), records, "e")
    return Settling(comparison, rubric, Draft("e", rubric.name, draft.pop("values", ({}, {})), **draft))  # type: ignore[arg-type]


def texts(found: Settling) -> list[str]:
    return [found.text(row) for row in found.rows]


def test_digits_replace_what_is_there_and_then_go_on() -> None:
    found = settling(values=({"secret": "-3", "goal": "7"}, {}))
    for character in "-10":
        found.grid.type(character)
    assert texts(found) == ["-10", "7", ""]
    found.move(1)
    found.grid.type("2")
    found.grid.erase()
    assert texts(found) == ["-10", "", ""]
    found.grid.type("x")
    assert texts(found) == ["-10", "", ""]


def test_a_step_starts_from_the_middle_and_stays_on_the_scale() -> None:
    found = settling()
    found.move(2)
    found.step(1)
    assert texts(found) == ["", "", "5"]
    found.step(-1)
    assert texts(found) == ["", "", "4"]
    for _ in range(20):
        found.step(1)
    assert texts(found) == ["", "", "10"]


def test_the_middle_of_whole_numbers_is_the_one_nearer_to_the_middle_of_the_scale() -> None:
    found = settling()
    assert found.fill() == 3
    assert texts(found) == ["-3", "3", "5"]


def test_filling_leaves_what_is_typed() -> None:
    found = settling(values=({"goal": "9"}, {}))
    assert found.fill() == 2
    assert texts(found) == ["-3", "9", "5"]


def test_what_is_no_score_is_said_and_what_is_saved_is_dirty_no_longer() -> None:
    found = settling()
    assert not found.dirty
    found.grid.type("5")
    assert found.dirty
    assert found.first_bad is not None
    assert "out of range -10..0" in found.first_bad[1]
    found.grid.type("0")
    found.grid.erase()
    found.grid.erase()
    assert found.first_bad is None
    assert not found.dirty
    found.reasoning = "Because."
    assert found.dirty
    draft = found.draft()
    found.saved(draft, "version", ())
    assert not found.dirty
    assert found.base == "version"


def test_the_score_of_the_whole_episode_stands_with_every_agent() -> None:
    rubric = Rubric("whole", (Dimension("fun", 0, 5, True, per="episode"), Dimension("goal", 0, 10, True)))
    records = [record("e", who, {"fun": 3, "goal": 1}, {"fun": 3, "goal": 2}) for who in ("ana", "ben")]
    found = settling(records, rubric)
    assert [(row.agent, row.dimension.name) for row in found.rows] == [(0, "fun"), (0, "goal"), (1, "goal")]
    found.grid.type("4")
    assert [dict(typed) for typed in found.draft().values] == [{"fun": "4"}, {"fun": "4"}]


def test_the_same_episode_read_again_keeps_what_was_typed() -> None:
    found = settling()
    found.move(2)
    found.grid.type("7")
    more = [*RECORDS, record("e", "cho", {"goal": 3})]
    found.refresh(compare(collect(more, rubric=SOTOPIA), more, "e"))
    assert texts(found) == ["", "", "7"]
    assert len(found.rows[1].scores) == 3


@pytest.mark.parametrize(
    ("rated", "name"),
    [({"goal": 1, "secret": 0}, "sotopia"), ({"reward": 0.5}, "reward"), ({"goal": 1, "style": 3}, "settled")],
)
def test_the_rubric_of_gold_is_that_of_what_was_rated(rated: dict[str, float], name: str) -> None:
    ratings = collect([record("e", "ana", rated)])
    rubric = rubric_of_gold(ratings, None)
    assert rubric.name == name
    assert rated.keys() <= rubric.names
    mine = Rubric("mine", (Dimension("style", 0, 5),))
    assert rubric_of_gold(ratings, mine) is mine


def test_nothing_to_settle_is_no_error() -> None:
    found = settling([])
    found.move(1)
    found.grid.type("1")
    found.grid.erase()
    found.step(1)
    found.take_middle()
    assert (found.row, found.fill(), found.dirty) == (None, 0, False)


def test_a_draft_is_written_once_and_one_that_was_taken_back_is_discarded(tmp_path: Path) -> None:
    gold = GoldRecords(AnnotationStore(tmp_path, "ana"), "gold")
    comparison = compare(collect(RECORDS, rubric=SOTOPIA), RECORDS, "e")
    gold.settlings["e"] = typed = gold.open(comparison, SOTOPIA)
    assert gold.unkept() == []
    typed.grid.type("0")
    assert [event for event, _ in gold.unkept()] == ["draft"]
    assert gold.keep_or_rescue() is None
    assert gold.unkept() == []
    assert gold.open(comparison, SOTOPIA).text(typed.rows[0]) == "0"
    typed.grid.erase()
    assert [event for event, _ in gold.unkept()] == ["discard"]
    gold.keep(gold.unkept())
    assert gold.open(comparison, SOTOPIA).text(typed.rows[0]) == ""


def test_a_gold_record_is_saved_after_the_journal_says_who_settles(tmp_path: Path) -> None:
    mine = AnnotationStore(tmp_path, "ana")
    gold = GoldRecords(mine, "gold")
    comparison = compare(collect(RECORDS, rubric=SOTOPIA), RECORDS, "e")
    gold.settlings["e"] = typed = gold.open(comparison, SOTOPIA)
    typed.fill()
    draft = typed.draft()
    mine.journal.path.parent.mkdir()
    mine.journal.path.mkdir()
    with pytest.raises(AnnotationError):
        gold.save(typed, draft)
    assert not gold.open(comparison, SOTOPIA).text(typed.rows[0])
    mine.journal.path.rmdir()
    saved = gold.save(typed, draft)
    typed.saved(draft, saved.version, saved.annotation.rewards)
    assert not typed.dirty
    assert typed.is_kept
    assert gold.open(comparison, SOTOPIA).draft().says() == draft.says()
