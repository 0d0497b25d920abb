"""The state of the browser, without a terminal."""

from __future__ import annotations

import math
import random
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.app.runs.run_list import RunList, RunRow
from trajview.app.shared.cells import COLUMNS, Column, number, reward_text, size_text
from trajview.corpus.info import RunInfo, Updated
from trajview.errors import Problem, Where
from trajview.places import ListPlace
from trajview.where.fields import Ref, natural

from .runs import problem, run, sorted_by


def ids(runs: RunList) -> list[str]:
    shown = [runs.rows[row] for row in runs.shown]
    return [item.id if isinstance(item, RunInfo) else "⚠" for item in shown]


def listed(*items: RunRow) -> RunList:
    runs = RunList()
    runs.append(items)
    return runs


def test_ids_sort_by_the_numbers_in_them() -> None:
    runs = listed(run("run-10"), run("run-9"), run("Run-2"), run("run-009b"))
    runs.sort_by(Column.ID)
    assert ids(runs) == ["Run-2", "run-9", "run-009b", "run-10"]


@given(st.lists(st.integers(0, 10**30), min_size=2, max_size=8))
def test_natural_keys_order_whole_numbers_by_value(values: list[int]) -> None:
    assert [int(t) for t in sorted(map(str, values), key=natural)] == sorted(values)


def test_an_id_of_many_thousand_digits_sorts_without_an_error() -> None:
    runs = listed(run("9" * 10_000), run("1"))
    runs.sort_by(Column.ID)
    assert ids(runs)[0] == "1"


@pytest.mark.parametrize("reverse", [False, True])
def test_what_has_no_value_stays_last_either_way(reverse: bool) -> None:
    runs = listed(
        problem(), run("a"), run("b", rewards=(0.5,)), run("c", rewards=(math.nan,)), run("d", rewards=(1.0,))
    )
    runs.sort_by(Column.REWARD)
    if reverse:
        runs.turn()
    assert ids(runs) == (["d", "b"] if reverse else ["b", "d"]) + ["⚠", "a", "c"]


def test_a_reward_with_dimensions_sorts_by_the_mean_of_its_agents() -> None:
    runs = listed(run("a", rewards=((5.0, {"goal": 9.0}), (4.0, {}))), run("b", rewards=((1.0, {}), (2.0, {}))))
    runs.sort_by(Column.REWARD)
    assert ids(runs) == ["b", "a"]


def test_the_same_column_again_turns_the_order_round_and_equal_rows_keep_theirs() -> None:
    runs = listed(run("a", messages=2), run("b", messages=1), run("c", messages=2))
    runs.sort_by(Column.MESSAGES)
    assert ids(runs) == ["b", "a", "c"]
    runs.sort_by(Column.MESSAGES)
    assert ids(runs) == ["a", "c", "b"]


def test_stepping_through_the_columns_comes_back_to_the_order_of_the_corpus() -> None:
    runs = listed(run("b", messages=1), run("a", messages=2))
    columns = (Column.ID, Column.MESSAGES)
    seen = []
    for _ in range(3):
        runs.step_sort(1, columns)
        seen.append(sorted_by(runs))
    assert seen == [Column.ID, Column.MESSAGES, None]
    assert ids(runs) == ["b", "a"]
    runs.step_sort(-1, columns)
    assert sorted_by(runs) == Column.MESSAGES


def test_the_filter_looks_at_every_field_and_wants_every_term() -> None:
    runs = listed(
        run("one", format="sotopia", agents=("Ava Thompson",), models=("gpt-4",)),
        run("two", name="Fix the index", source="deep/folder.jsonl"),
        problem(),
    )
    for query, found in {
        "ava GPT": [],
        "ava gpt": ["one"],
        "sotop": ["one"],
        "fix folder": ["two"],
        "Fix": ["two"],
        "torn": ["⚠"],
        "killed": ["⚠"],
        "  ": ["one", "two", "⚠"],
        "onesot": [],
    }.items():
        runs.filter(query)
        assert ids(runs) == found, query


def test_a_wrong_filter_is_as_wrong_when_it_is_given_again() -> None:
    runs = listed(run("a"))
    wrong = runs.filter("xyz ~ 3", typing=True)
    assert wrong is not None
    assert runs.filter("xyz ~ 3", typing=True) is wrong
    assert runs.filter("xyz ~ 3") is wrong
    assert runs.filter("a") is None
    assert runs.filter("a") is None


def test_a_filter_that_takes_for_ever_is_given_up_and_shows_nothing_until_it_is_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("trajview.where.select.PATIENCE", 0.1)
    runs = listed(run("a" * 40 + "b"), run("c"))
    wrong = runs.filter(r'id ~ "(a+)+\1$"')
    assert wrong is not None
    assert runs.given_up == wrong.sentence == "the pattern takes more than 0.1 s in one value; the filter is given up"
    runs.append([run("d")])
    assert ids(runs) == []
    assert runs.filter("id == c") is None
    assert (ids(runs), runs.given_up) == (["c"], "")


def test_a_capital_letter_makes_only_its_own_term_mind_capitals() -> None:
    runs = listed(run("Alpha-Beta"), run("alpha-beta"))
    runs.filter("ALPHA")
    assert ids(runs) == []
    runs.filter("Alpha beta")
    assert ids(runs) == ["Alpha-Beta"]


def test_a_cursor_that_was_moved_stays_on_its_run_through_new_rows() -> None:
    runs = listed(*(run(f"r{i}", messages=100 - i) for i in range(10)))
    runs.sort_by(Column.MESSAGES)
    runs.go(3)
    chosen = runs.current
    runs.append([run("r99", messages=0), problem()])
    assert runs.current == chosen
    assert runs.cursor == 4


def test_a_filter_and_an_order_put_the_cursor_on_the_first_row_and_keep_it_there() -> None:
    runs = listed(*(run(f"r{i}", messages=100 - i) for i in range(10)))
    runs.go(7)
    runs.filter("r")
    assert runs.cursor == 0
    runs.go(4)
    runs.filter("r8", typing=True)
    runs.filter("r", typing=True)
    assert runs.cursor == 0, "what is typed begins at the top again"
    runs.filter("")
    assert runs.current == runs.rows[4]
    runs.sort_by(Column.MESSAGES)
    assert runs.cursor == 0
    runs.append([run("r99", messages=0)])
    assert runs.current == runs.rows[-1], "nobody has moved it since"


def test_the_cursor_comes_back_to_a_run_that_the_filter_had_hidden() -> None:
    runs = listed(*(run(f"r{i}") for i in range(10)))
    runs.go(7)
    runs.filter("r3")
    assert runs.current == runs.rows[3]
    runs.filter("")
    assert runs.current == runs.rows[7]


def test_a_cursor_moved_under_a_filter_stays_where_it_was_put() -> None:
    runs = listed(*(run(f"r{i}") for i in range(20)))
    runs.go(7)
    runs.filter("r1")
    runs.go(2)
    chosen = runs.current
    runs.filter("")
    assert runs.current == chosen


def test_the_cursor_stays_inside_the_list() -> None:
    runs = RunList()
    assert runs.current is None
    assert not runs.go(5)
    runs.append([run("a"), run("b")])
    assert runs.go(99)
    assert runs.cursor == 1
    assert runs.go(-99)
    assert runs.cursor == 0


def test_the_next_run_is_the_next_one_shown_past_problems() -> None:
    runs = listed(run("a"), problem(), run("b"), run("c"))
    assert runs.next_run(run("a").place, 1) == run("b")
    assert runs.cursor == 2
    assert runs.next_run(run("c").place, 1) is None
    assert runs.next_run(run("b").place, -1) == run("a")


def test_runs_are_sorted_by_their_annotation() -> None:
    runs = listed(run("a"), run("b"), run("c"))
    runs.set_statuses({"a": "annotated", "b": "draft", "somewhere else": "annotated"})
    runs.sort_by(Column.STATUS)
    assert ids(runs) == ["a", "b", "c"]
    runs.set_statuses({"c": "annotated", "b": "draft"})
    assert ids(runs) == ["c", "b", "a"]


def test_a_queue_hides_the_other_runs_and_gives_the_order_where_no_column_does() -> None:
    runs = listed(run("a", units=1), run("b", units=2), run("c", units=3), problem())
    runs.go(1)
    runs.arrange(["c", "b", "elsewhere"])
    assert ids(runs) == ["c", "b"]
    assert runs.current == run("b", units=2), "the cursor stays on its run"
    runs.sort_by(Column.UNITS)
    assert ids(runs) == ["b", "c"]
    runs.step_sort(1, ())
    assert ids(runs) == ["c", "b"]
    runs.turn()
    assert ids(runs) == ["b", "c"]
    runs.turn()
    runs.append([run("d")])
    assert ids(runs) == ["c", "b"], "what comes later is not in the queue until it is made anew"
    runs.arrange(["d", "c", "b"])
    assert ids(runs) == ["d", "c", "b"]
    assert runs.go_to(run("c").place)
    assert not runs.go_to(run("a").place)
    runs.arrange(None)
    assert ids(runs)[:3] == ["a", "b", "c"]
    assert runs.current is not None


def test_the_place_of_a_problem_is_as_short_as_the_opened_folder_allows() -> None:
    runs = RunList([Path("/logs")])
    assert runs.place(Problem("x", where=Where(Path("/logs/a/b.jsonl"), 3))) == "a/b.jsonl:3"
    assert runs.place(Problem("x", where=Where(Path("/else/b.jsonl"), record=2))) == "b.jsonl#2"
    assert runs.place(Problem("x")) == ""


@pytest.mark.parametrize(
    ("rewards", "text"),
    [((), ""), ((1.0,), "1"), ((0.333333,), "0.33"), (((7.2, {"goal": 9.0}), (6.1, {})), "7.2 / 6.1"), ((-0.001,), "0"),
     ((math.nan,), ""), ((math.nan, 2.0), "– / 2"), ((1e12,), "1e+12"), ((math.inf,), "inf")],
)  # fmt: skip
def test_rewards_are_shown_overall_for_each_agent(rewards: tuple[float, ...], text: str) -> None:
    assert reward_text(rewards) == text


def test_numbers_and_sizes_are_short() -> None:
    assert [number(v) for v in (7.0, 7.25, 100.0, 0.1)] == ["7", "7.25", "100", "0.1"]
    sizes = (0, 999, 1000, 4_100, 12_000_000, 999_700, 3 * 10**9, 4 * 10**12)
    assert [size_text(n) for n in sizes] == ["0 B", "999 B", "1.0 KB", "4.1 KB", "12 MB", "1.0 MB", "3.0 GB", "4.0 TB"]


words = st.sampled_from(["ava", "Ava", "ben-2", "ben-10", "ß", "x1", "", "[b]"])
made_runs = st.builds(
    lambda id, name, messages, rewards, format: run(id, name=name, messages=messages, rewards=rewards, format=format),
    words, st.none() | words, st.integers(0, 3), st.sampled_from([(), (1.0,), (math.nan,), ((0.5, {}), (1.0, {}))]),
    st.sampled_from(["docent", "Sotopia"]),
)  # fmt: skip
made_rows = made_runs | st.just(problem())


def naive_key(item: RunRow, column: Ref) -> object:
    if isinstance(item, Problem):
        return natural("torn.jsonl:3") if column == Column.SOURCE else None
    values = [r[0] if isinstance(r, tuple) else r for r in item.rewards]
    values = [v for v in values if not math.isnan(v)]
    return {
        Column.ID: natural(item.name or item.id) or None,
        Column.SOURCE: natural(item.source),
        Column.FORMAT: natural(item.format),
        Column.MESSAGES: item.messages,
        Column.REWARD: sum(values) / len(values) if values else None,
    }[column]


def naive_match(item: RunRow, query: str) -> bool:
    if isinstance(item, Problem):
        fields = ["torn.jsonl:3", item.reason, item.hint]
    else:
        fields = [item.id, item.name or "", item.source, item.format]
    return all(
        any(term in (field.lower() if term == term.lower() else field) for field in fields) for term in query.split()
    )


@given(
    st.lists(st.lists(made_rows, max_size=6), max_size=4),
    st.sampled_from([None, Column.ID, Column.SOURCE, Column.FORMAT, Column.MESSAGES, Column.REWARD]),
    st.booleans(),
    st.lists(st.sampled_from(["", "a", "Ava", "ben", "docent 1", "S", "torn", "[b]", "ß"]), max_size=3),
    st.integers(0, 3),
)
def test_sort_and_filter_agree_with_the_plain_way(
    batches: list[list[RunRow]], column: Ref | None, reverse: bool, queries: list[str], early: int
) -> None:
    runs = RunList()
    for batch in batches[:early]:
        runs.append(batch)
    runs.step_sort(0 if column is None else COLUMNS.index(column) + 1)
    if reverse:
        runs.turn()
    for query in queries:
        runs.filter(query)
    for batch in batches[early:]:
        runs.append(batch)
    rows = [item for batch in batches for item in batch]
    expected = [i for i, item in enumerate(rows) if not queries or naive_match(item, queries[-1])]
    if column is None:
        expected = expected[::-1] if reverse else expected
    else:
        present = [i for i in expected if naive_key(rows[i], column) is not None]
        present.sort(key=lambda i: naive_key(rows[i], column), reverse=reverse)  # type: ignore[arg-type, return-value]
        expected = present + [i for i in expected if naive_key(rows[i], column) is None]
    assert runs.shown == expected
    assert runs.current == (rows[expected[runs.cursor]] if expected else None)


def test_a_hundred_thousand_rows_filter_at_once() -> None:
    chance = random.Random(1)
    runs = RunList()
    items = [run(f"{chance.getrandbits(64):x}", models=("claude-sonnet-4",)) for _ in range(100_000)]
    for i in range(0, len(items), 1000):
        runs.append(items[i : i + 1000])
    took = []
    for query in ("7f", "7f sonnet", "7f a b c", "Nothing"):
        start = time.process_time()
        runs.filter(query)
        took.append(time.process_time() - start)
    assert runs.shown == []
    assert min(took) < 0.1


def provisional(id: str) -> RunInfo:
    return run(id, format="", summarised=False)


@pytest.mark.parametrize("column", [Column.MESSAGES, Column.REWARD, Column.FORMAT, Column.UNITS])
def test_runs_that_are_not_summed_up_yet_sort_last_until_they_are(column: Ref) -> None:
    runs = listed(provisional("a"), provisional("b"), run("c", messages=5, rewards=(0.5,), units=3, format="openai"))
    runs.sort_by(column)
    runs.go(1)
    assert ids(runs) == ["c", "a", "b"]
    assert runs.current == provisional("a")
    runs.update([Updated(1, run("b", messages=1, rewards=(0.1,), units=1, format="docent"))])
    assert ids(runs) == ["b", "c", "a"]
    assert runs.current == provisional("a")
    runs.update([Updated(0, run("a2", messages=9, rewards=(0.9,), units=9, format="sotopia"))])
    assert ids(runs) == ["b", "c", "a2"]
    assert runs.cursor == 2


def test_what_becomes_known_of_a_run_takes_part_in_the_filter() -> None:
    runs = listed(provisional("x1"), provisional("x2"))
    runs.filter("docent")
    assert ids(runs) == []
    runs.update([Updated(1, run("x2")), Updated(0, problem())])
    assert ids(runs) == ["x2"]
    assert (runs.runs, runs.problems) == (1, 1)
    runs.filter("")
    assert ids(runs) == ["⚠", "x2"]


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=1, max_size=30),
    st.sampled_from([None, *COLUMNS]),
    st.booleans(),
    st.sampled_from(["", "1", "openai"]),
    st.randoms(use_true_random=False),
)
def test_updates_in_any_order_give_the_list_that_the_final_rows_give(
    made: list[tuple[bool, int]], column: Ref | None, reverse: bool, query: str, chance: random.Random
) -> None:
    final: list[RunRow] = [
        run(f"r{i}", messages=n, rewards=(n / 9,), format="openai" if n % 2 else "adp") if good else problem(line=i)
        for i, (good, n) in enumerate(made)
    ]
    runs, expected = listed(*(provisional(f"r{i}") for i in range(len(made)))), listed(*final)
    for one in (runs, expected):
        one.step_sort(0 if column is None else COLUMNS.index(column) + 1)
        if reverse:
            one.turn()
        one.filter(query)
    changes = [Updated(row, item) for row, item in enumerate(final)]
    chance.shuffle(changes)
    while changes:
        runs.update([changes.pop() for _ in range(min(len(changes), chance.randint(1, 4)))])
    assert [runs.rows[row] for row in runs.shown] == [expected.rows[row] for row in expected.shown]
    assert (runs.runs, runs.problems) == (expected.runs, expected.problems)


def test_two_runs_are_marked_to_be_compared_and_a_third_takes_the_place_of_the_first() -> None:
    runs = listed(run("a"), run("b"), problem(), run("c"))
    assert runs.to_compare() == []
    assert runs.mark()
    assert runs.to_compare() == [run("a")]
    runs.go(1)
    assert runs.to_compare() == [run("a"), run("b")], "the one under the cursor is the second"
    assert runs.mark()
    runs.go(2)
    assert not runs.mark(), "a problem is no run"
    assert runs.to_compare() == [run("a"), run("b")]
    runs.go(3)
    assert runs.mark()
    assert runs.to_compare() == [run("b"), run("c")]
    assert not runs.mark(), "its mark is taken away"
    runs.update([Updated(1, run("b", messages=9))])
    assert runs.to_compare() == [run("b", messages=9), run("c")]


def test_a_list_comes_back_to_its_order_and_to_the_run_under_the_cursor_once_that_comes() -> None:
    runs = listed(run("b"), run("a"), run("c"))
    runs.sort_by(Column.ID)
    runs.turn()
    runs.go(1)
    place = runs.saved
    assert place == ListPlace("b", "", "-run")
    later = RunList()
    later.come_back(place)
    later.append([run("a"), run("c")])
    assert (ids(later), later.current.id, later.saved) == (["c", "a"], "c", place)
    later.append([run("b")])
    assert (ids(later), later.current.id) == (["c", "b", "a"], "b")


def test_a_cursor_that_was_moved_meanwhile_stays() -> None:
    runs = RunList()
    runs.come_back(ListPlace("b"))
    runs.append([run("a"), run("c")])
    runs.go(1)
    runs.append([run("b")])
    assert runs.current.id == "c"


def test_what_is_typed_counts_more_than_where_the_reader_was() -> None:
    runs = RunList()
    runs.come_back(ListPlace("ab"))
    runs.append([run("aa")])
    runs.filter("a", typing=True)
    runs.append([run("ab")])
    assert runs.cursor == 0


def test_the_order_of_a_filter_is_not_kept_beside_the_filter() -> None:
    runs = listed(run("b"), run("a"))
    runs.sort_by(Column.FORMAT)
    runs.filter("sort:-run")
    assert runs.saved == ListPlace("b", "sort:-run", "format")
    turned = listed(run("b"), run("a"))
    turned.turn()
    later = RunList()
    later.come_back(turned.saved)
    later.append([run("b"), run("a")])
    assert ids(later) == ["a", "b"]
    later.come_back(ListPlace(order="there is no such field"))
    assert later.keys == ()
