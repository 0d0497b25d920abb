"""Two transcripts beside each other: rows that belong together, folds, differences, and moves; without Textual."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.compare.test_alignment import LOOK, OIL, OIL_TOO, PAINT, WIND, run, step, two
from trajview.app.compare.comparison import Comparison, Item
from trajview.app.compare.paired import Paired
from trajview.compare.alignment import Kind, align
from trajview.models.messages import AssistantMessage, ToolMessage, UserMessage
from trajview.models.transcript import Transcript

STEPS = [step(f"Step {i} turns wheel number {i}.", f"turn {i}", f"wheel {i} turned") for i in range(10)]


def comparison(left: Transcript, right: Transcript, width: int = 120, height: int = 30) -> Comparison:
    found = Comparison(align(left, right), width=width)
    found.set_view(width, height)
    return found


def texts(paired: Paired) -> list[tuple[str | None, str | None]]:
    """What stands on each row, left and right."""
    left, right = paired.left.rows_of_text(), paired.right.rows_of_text()
    return [(None if i is None else left[i], None if j is None else right[j]) for i, j, _ in paired.rows]


def all_texts(found: Comparison) -> list[tuple[str | None, str | None]]:
    return [row for item in range(found.count) for row in texts(found.layout(item))]


@settings(max_examples=60)
@given(two(), st.sampled_from([40, 80, 120, 200]), st.booleans())
def test_every_row_of_both_sides_is_shown_once_and_in_order(
    pair: tuple[Transcript, Transcript], width: int, beside: bool
) -> None:
    found = Comparison(align(*pair), width=width)
    found.wanted_sides = beside
    found.fold_level = 1
    found.next_fold_level()
    for item in range(found.count):
        paired = found.layout(item)
        left = [row.left for row in paired.rows if row.left is not None]
        right = [row.right for row in paired.rows if row.right is not None]
        assert left == list(range(len(paired.left.rows)))
        if beside:
            assert right == list(range(len(paired.right.rows)))
        else:  # what is the same on both sides is shown once
            assert right == sorted(set(right))
            shown = {paired.left.rows_of_text()[i] for i in left} | {paired.right.rows_of_text()[i] for i in right}
            unit_header = found.header_row(item)
            assert set(paired.right.rows_of_text()[1 + unit_header :]) <= shown


@settings(max_examples=60)
@given(two(), st.data())
def test_the_cursor_is_always_on_a_row_and_on_the_screen(
    pair: tuple[Transcript, Transcript], data: st.DataObject
) -> None:
    found = comparison(*pair, height=8)
    moves = {
        "down": lambda: found.move(1), "up": lambda: found.move(-1), "page": lambda: found.scroll(6),
        "end": found.to_end, "top": found.to_top, "n": lambda: found.step_difference(1),
        "N": lambda: found.step_difference(-1), "]": lambda: found.step_unit(1), "[": lambda: found.step_unit(-1),
        "o": found.toggle_fold, "z": found.next_fold_level, "tab": found.toggle_sides,
        "narrow": lambda: found.set_view(50, 8), "wide": lambda: found.set_view(150, 12),
    }  # fmt: skip
    for name in data.draw(st.lists(st.sampled_from(sorted(moves)), max_size=12)):
        moves[name]()
        found.settle()
        if found.count:
            item, row = found.cursor
            assert 0 <= row < found.rows_of(item)
            assert 0 <= found.y_of(found.cursor) - found.y_of(found.top) < found.height
            assert found.unit_to_open() is not None


def test_what_both_begin_with_is_folded_and_the_last_of_it_stays() -> None:
    left, right = run(*STEPS, OIL, *STEPS), run(*STEPS, OIL_TOO, *STEPS)
    found = comparison(left, right)
    assert found.items[0] == Item(0, 9)
    assert texts(found.layout(0))[0] == ("⋯ units 0 to 8: the same",) * 2
    assert [found.items[i] for i in range(1, 5)] == [Item(19), Item(20), Item(21), Item(22)]
    assert found.items[-1] == Item(25, 9)


def test_a_folded_stretch_opens_and_the_cursor_is_on_its_first_message() -> None:
    found = comparison(run(*STEPS, OIL), run(*STEPS, WIND))
    found.toggle_fold()
    assert found.items[0] == Item(0)
    assert found.cursor == (0, 1)
    assert found.count == len(found.found.messages)


def test_fold_levels_go_round_and_the_cursor_stays_at_its_message() -> None:
    found = comparison(run(*STEPS, OIL), run(*STEPS, WIND))
    found.step_difference(1)
    assert found.unit_row == 10
    for name in ("long texts folded", "all open", "what is the same folded"):
        assert found.next_fold_level() == name
        assert found.unit_row == 10


def test_lines_that_are_the_same_are_on_one_row_and_the_others_are_padded() -> None:
    said = "One.\nTwo.\nThree."
    more = "One.\nSomething else entirely, put in between.\nTwo.\nThree."
    found = comparison(
        Transcript(messages=[ToolMessage(content=said)]), Transcript(messages=[ToolMessage(content=more)])
    )
    assert texts(found.layout(0))[2:6] == [
        ("One.", "One."), (None, "Something else entirely, put in between."), ("Two.", "Two."), ("Three.", "Three."),
    ]  # fmt: skip


def test_the_words_that_differ_are_marked_on_both_sides() -> None:
    found = comparison(run(LOOK, OIL), run(LOOK, OIL_TOO))
    item = found.stops[0]
    paired = found.layout(item)
    for layout, name, words in ((paired.left, "word.left", ["a drop"]), (paired.right, "word.right", ["two drops"])):
        marked = [line.text[a:b] for line in layout.lines for a, b, style in line.spans if style == name]
        assert marked == words


def test_long_output_that_is_the_same_but_for_a_line_is_folded_around_it() -> None:
    lines = [f"line {i}" for i in range(100)]
    other = [*lines[:50], "line fifty was changed", *lines[51:]]
    messages = [Transcript(messages=[ToolMessage(content="\n".join(text))]) for text in (lines, other)]
    found = comparison(*messages)
    shown = texts(found.layout(0))
    assert ("⋯ 47 lines the same",) * 2 in shown
    assert ("line 50", None) in shown
    assert len(shown) < 15
    found.toggle_fold()
    assert len(texts(found.layout(0))) > 100


def test_what_is_the_same_is_folded_to_its_first_line_and_the_rest_is_counted() -> None:
    output, prose = ("\n".join(f"{what} {i}" for i in range(30)) for what in ("line", "- thought"))
    both = [Transcript(messages=[AssistantMessage(content=prose), ToolMessage(content=output)]) for _ in (0, 1)]
    found = comparison(*both)
    shown = [left for left, _ in all_texts(found)]
    assert "⋯ 29 lines the same" in shown
    assert any(text is not None and text.startswith("… 29 more lines") for text in shown)
    assert len(shown) < 12


@pytest.mark.parametrize("width", range(95, 101))
def test_what_is_the_same_breaks_at_the_same_words_on_both_sides(width: int) -> None:
    said = Transcript(messages=[UserMessage(content="The clock on the shelf stands still since noon. " * 5)])
    assert all(left == right for left, right in all_texts(comparison(said, said, width=width)))


def test_one_below_the_other_what_is_the_same_is_shown_once_and_left_comes_before_right() -> None:
    found = comparison(run(LOOK, OIL), run(LOOK, OIL_TOO), width=70)
    assert not found.sides
    paired = found.layout(found.stops[0])
    kinds = [row.kind for row in paired.rows]
    first = kinds.index(Kind.LEFT)
    assert kinds[first:].index(Kind.RIGHT) > 0
    assert all((row.left is None) != (row.right is None) for row in paired.rows)


def test_units_with_nothing_in_common_are_whole_on_each_side_one_below_the_other() -> None:
    found = comparison(run(LOOK, WIND), run(LOOK, PAINT), width=70)
    shown = texts(found.layout(found.stops[0]))
    left = [i for i, (a, _) in enumerate(shown) if a and "spring" in a]
    right = [i for i, (_, b) in enumerate(shown) if b and "coat" in b]
    assert left[0] < right[0]


def test_a_fold_of_one_message_leaves_all_others_as_they_were_laid_out() -> None:
    lines = "\n".join(f"line {i}" for i in range(60))
    left, right = run(*STEPS, [*OIL, ToolMessage(content=lines)]), run(*STEPS, [*OIL_TOO, ToolMessage(content=lines)])
    found = comparison(left, right, height=100)
    found.settle()
    found.to_end()
    item, exact = found.cursor[0], sum(found.map.exact)
    rows = found.rows_of(item)
    found.toggle_fold()
    assert found.rows_of(item) > rows + 50
    assert sum(found.map.exact) == exact
    found.toggle_fold()
    assert found.rows_of(item) == rows


def test_differences_are_reached_in_both_directions_and_end() -> None:
    found = comparison(run(*STEPS, OIL, *STEPS, WIND), run(*STEPS, OIL_TOO, *STEPS, PAINT))
    assert found.difference == 0
    seen = []
    while found.step_difference(1):
        seen.append((found.unit_row, found.difference))
    assert seen == [(10, 1), (21, 2)]
    assert found.step_difference(-1)
    assert found.unit_row == 10
    assert not found.step_difference(-1)


def test_enter_opens_the_chosen_side_or_the_one_that_has_the_unit() -> None:
    found = comparison(run(LOOK, OIL, WIND), run(LOOK, WIND))
    assert found.unit_to_open() == (0, 0)
    found.side = 1
    found.step_difference(1)
    assert found.unit_to_open() == (0, 1)
    found.to_end()
    assert found.unit_to_open() == (1, 1)


@pytest.mark.parametrize("width", [60, 120])
def test_nothing_to_compare_takes_every_move(width: int) -> None:
    found = comparison(Transcript(), Transcript(), width=width)
    for move in (found.to_end, found.to_top, found.toggle_fold, found.next_fold_level, found.toggle_sides):
        move()
    found.scroll(5)
    found.move(-1)
    assert not found.step_difference(1)
    assert not found.step_unit(1)
    assert found.unit_to_open() is None


def test_only_what_is_on_the_screen_is_laid_out() -> None:
    messages = [UserMessage(content=f"question {i}") for i in range(5_000)]
    others = [AssistantMessage(content=f"reply number {i}") for i in range(5_000)]
    found = comparison(Transcript(messages=messages), Transcript(messages=others))
    found.settle()
    assert sum(found.map.exact) < 100
    found.to_end()
    found.settle()
    assert sum(found.map.exact) < 200


def test_messages_that_are_very_large_wait_to_be_paired_in_a_thread() -> None:
    lines = [f"line {i} of a very long output" for i in range(8_000)]
    other = [*lines[:4_000], "line 4000 was another", *lines[4_001:]]
    both = [Transcript(messages=[ToolMessage(content="\n".join(text))]) for text in (lines, other)]
    found = comparison(*both)
    found.settle()
    assert ("⋯ comparing…",) * 2 in texts(found.layout(0))
    assert found.waiting == [(0, False)]
    large = found.waiting.pop()
    found.take(large, found.pair(*large))
    assert any(right == "line 4000 was another" for _, right in texts(found.layout(0)))
    found.settle()
    assert found.waiting == []
    found.set_view(90, 30)
    assert ("⋯ comparing…",) * 2 not in texts(found.layout(0))
    found.toggle_fold()
    assert found.waiting == [(0, True)]
