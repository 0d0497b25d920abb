"""The matches of a search of one side of a comparison, and the way to them through what is folded; without Textual."""

from __future__ import annotations

from tests.app.test_comparison import STEPS, comparison
from tests.compare.test_alignment import OIL, OIL_TOO, run
from trajview.app.compare.comparison import Comparison
from trajview.app.compare.search import SideSearch
from trajview.app.transcript.search import search
from trajview.corpus.query import query_from
from trajview.models.messages import ToolMessage
from trajview.models.transcript import Transcript


def searched(found: Comparison, side: int, text: str) -> SideSearch:
    *_, hits = search(found.transcript(side).messages, query_from(text))
    return SideSearch(found, side, hits)


def under_cursor(found: Comparison, side: int) -> str:
    laid_out = found.layout(found.cursor[0])
    row = laid_out.rows[found.cursor[1]]
    layout, at = (laid_out.left, row.left) if side == 0 else (laid_out.right, row.right)
    return "" if at is None else layout.rows_of_text()[at]


def test_steps_go_through_folded_stretches_and_round_the_ends() -> None:
    found = comparison(run(*STEPS, OIL), run(*STEPS, OIL_TOO))
    assert found.items[0].stretch
    hits = searched(found, 0, "wheel [36] turned")
    assert hits.number == 0
    seen = []
    for step in (1, 1, 1, -1):
        hits.step(step)
        seen.append((under_cursor(found, 0), hits.number))
    assert seen == [
        ("wheel 3 turned", 1), ("wheel 6 turned", 2), ("wheel 3 turned", 1), ("wheel 6 turned", 2),
    ]  # fmt: skip
    assert not any(item.stretch for item in found.items)


def test_matches_that_are_folded_away_in_a_message_unfold_it() -> None:
    output = Transcript(messages=[ToolMessage(content="\n".join(f"line {i}" for i in range(60)))])
    found = comparison(output, output)
    hits = searched(found, 1, "line 4\\d")
    hits.step(1)
    assert (under_cursor(found, 1), hits.number) == ("line 40", 1)
    hits.step(-1)
    assert (under_cursor(found, 1), hits.number) == ("line 49", 10)


def test_in_one_column_a_match_in_what_is_the_same_is_found_where_it_is_shown_once() -> None:
    found = comparison(run(*STEPS, OIL), run(*STEPS, OIL_TOO), width=70)
    assert not found.sides
    hits = searched(found, 1, "wheel 4 turned")
    hits.step(1)
    assert under_cursor(found, 0) == "wheel 4 turned"
    assert hits.number == hits.hits.total == 1


def test_without_a_match_the_cursor_stays() -> None:
    found = comparison(run(*STEPS), run(*STEPS))
    before = found.cursor
    hits = searched(found, 0, "teapot")
    hits.step(1)
    assert (found.cursor, hits.number, hits.items(10)) == (before, 0, [])
