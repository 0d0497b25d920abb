"""Highlights in the shapes that screens ask for: marks and citations put among them are as if all was made anew."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.app.test_session import TRACEBACK, find, transcript
from trajview.app.transcript.highlight_index import HighlightIndex, index_highlights, put_source
from trajview.app.transcript.overview import highlighted_units
from trajview.app.transcript.session import TranscriptSession
from trajview.highlight import Highlight
from trajview.models.messages import ToolMessage, UserMessage

MESSAGES = 40


def of(source: str) -> st.SearchStrategy[list[Highlight]]:
    """Highlights of one source; a unit has four messages."""
    return st.lists(
        st.integers(0, MESSAGES - 1).flatmap(
            lambda m: st.builds(Highlight, st.just(m // 4), st.just(m), st.just(source), st.sampled_from("ab"))
        ),
        max_size=8,
    ).map(sorted)


def plain(index: HighlightIndex) -> object:
    return (
        index.by_unit, index.stops, index.errors, index.sources, index.rules, sorted(index.places), index.rules_of
    )  # fmt: skip


@given(
    of("error"),
    of("rule"),
    of("mark"),
    of("mark"),
    of("citation"),
    st.sets(st.sampled_from(["mark", "error", "rule:a"])),
)
def test_a_source_that_is_put_into_an_index_is_as_if_all_were_made_anew(
    errors: list[Highlight],
    rules: list[Highlight],
    before: list[Highlight],
    now: list[Highlight],
    cited: list[Highlight],
    off: set[str],
) -> None:
    index = index_highlights([*errors, *rules, *cited, *before], off, MESSAGES)
    put_source(index, "mark", before, now, off, MESSAGES)
    assert plain(index) == plain(index_highlights([*errors, *rules, *cited, *now], off, MESSAGES))


def test_a_mark_and_a_search_do_not_go_through_all_highlights_again() -> None:
    session = TranscriptSession(transcript(*[UserMessage(content="go"), ToolMessage(content=TRACEBACK)] * 25))
    made, unit = session.index, session.unit_of(7)[0]
    session.set_marks({unit: "why"})
    session.set_scored({})
    find(session, "ValueError")
    session.set_search(None)
    assert session.index is made
    assert [found.source for found in session.by_unit[unit]] == ["mark", "error"]
    session.set_marks({})
    assert [found.source for found in session.by_unit[unit]] == ["error"]


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.lists(st.booleans(), min_size=30, max_size=30))
def test_the_units_of_a_searchs_hits_are_highlighted(users: list[bool], hits: list[bool]) -> None:
    session = TranscriptSession(
        transcript(
            *(
                (UserMessage if user else ToolMessage)(content="x" if hit else "y")
                for user, hit in zip(users, hits, strict=False)
            )
        )
    )
    found = find(session, "x")
    assert highlighted_units(session) == sorted({session.unit_of(message)[0] for message in found.messages})
