"""Estimates of the heights of all messages at once are those of each message by itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trajview.app.render.options import Fold, ViewOptions
from trajview.app.transcript.sizes import Size, Sizes, estimates

from .strategies import view_options

PARTS = st.one_of(st.just((0, 0)), st.tuples(st.integers(1, 40), st.integers(0, 4_000)))
SIZES = st.lists(st.tuples(PARTS, PARTS, PARTS, st.integers(0, 3)), max_size=12)
OPTIONS = view_options(narrowest=1, fewest=0)


@given(SIZES, st.sets(st.integers(0, 11)), st.lists(st.tuples(OPTIONS, st.sampled_from(Fold)), min_size=1, max_size=4))
def test_heights_are_those_of_each_message_whatever_was_asked_before(
    sizes: list[Size], starts: set[int], asked: list[tuple[ViewOptions, Fold]]
) -> None:
    starts = {start for start in starts if start < len(sizes)}
    every = Sizes(sizes, starts)
    for options, fold in asked:
        one_by_one = [estimates([size], options, fold)[0] + (at in starts) for at, size in enumerate(sizes)]
        assert every.heights(options, fold) == one_by_one
        assert [every.height(at, options, fold) for at in range(len(sizes))] == one_by_one


def test_an_output_is_shown_to_its_first_lines_and_what_is_beside_it_whole() -> None:
    texts: Size = ((2, 100), (0, 0), (0, 0), 1)
    output: Size = ((0, 0), (0, 0), (50, 3_000), 0)
    both: Size = ((2, 100), (1, 10), (50, 3_000), 2)
    sizes = Sizes([texts, output, both], [0, 2])
    options = ViewOptions(width=104, preview_lines=8)
    assert sizes.heights(options, Fold.PREVIEW) == [2 + 1 + 3 + 1, 2 + 9, 2 + 1 + 3 + 1 + 9 + 2]
    assert sizes.heights(options, Fold.OPEN) == [2 + 1 + 3 + 1, 2 + 50 + 30, 2 + 1 + 3 + 1 + 80 + 2]
    assert sizes.heights(options, Fold.CLOSED) == [4, 3, 4]
