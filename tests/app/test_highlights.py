"""What stands out in a transcript: what is asked of its highlights is what a plain list of them says."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.app.test_session import TRACEBACK, find, transcript
from trajview.app.transcript.highlights import Highlights
from trajview.app.transcript.search import SearchHits
from trajview.app.transcript.session import TranscriptSession
from trajview.highlight import Highlight, compile_rule
from trajview.models.messages import ToolMessage, UserMessage

PLACES = st.tuples(st.sampled_from(["a", "b", "error", "citation"]), st.integers(0, 39))
TALK = transcript(*(UserMessage(content=str(number)) for number in range(40)))
RULES = [compile_rule("a", "a"), compile_rule("b", "b")]


def found_at(source: str, message: int) -> Highlight:
    unit = TALK.get_action_unit_for_block(message) or 0
    if source in ("a", "b"):
        return Highlight(unit, message, "rule", source)
    return Highlight(unit, message, "error" if source == "error" else "citation", source)


def key_of(found: Highlight) -> str:
    return f"rule:{found.reason}" if found.source == "rule" else found.source


@given(
    st.sets(PLACES, max_size=12),
    st.sets(st.sampled_from(["rule:a", "rule:b", "error", "citation"])),
    st.integers(0, 39),
    st.integers(0, 39),
)
def test_answers_are_those_of_a_plain_list(places: set[tuple[str, int]], off: set[str], first: int, last: int) -> None:
    every = sorted(found_at(*place) for place in places)
    highlights = Highlights(TALK, RULES)
    highlights.take_scan(
        {key: [found for found in every if key_of(found) == key] for key in ("rule:a", "rule:b", "error")}
    )
    highlights.set_cited(found for found in every if found.source == "citation")
    highlights.switch_off(off)
    on = [found for found in every if key_of(found) not in off]
    assert highlights.stops == sorted({found.message for found in on})
    assert highlights.units == sorted({found.unit for found in on})
    assert highlights.errors == [found.message for found in every if found.source == "error"]
    assert sum(highlights.counts.values()) == len(every)
    for unit in range(len(TALK.unit_starts)):
        assert sorted(highlights.reasons(unit)) == [found for found in on if found.unit == unit]
    for message in range(40):
        matching = {found.reason for found in on if found.source == "rule" and found.message == message}
        assert {rule.name for rule in highlights.rules_on(message)} == matching
    within = [found for found in on if first <= found.message <= last]
    strongest = highlights.strongest(first, last)
    assert (strongest is None) == (not within)
    if strongest is not None:
        one, count = strongest
        order = ["error", "rule", "citation"]
        assert one.source == min((found.source for found in within), key=order.index)
        alike = [found for found in within if key_of(found) == key_of(one)]
        assert (one.message, count) == (min(found.message for found in alike), len(alike))
        assert count == max(Counter(key_of(found) for found in within if found.source == one.source).values())


def test_a_mark_and_a_search_come_among_the_others_and_go() -> None:
    session = TranscriptSession(transcript(*[UserMessage(content="go"), ToolMessage(content=TRACEBACK)] * 25))
    highlights, unit = session.highlights, session.unit_of(7)[0]
    highlights.set_marks({unit: "why", 99: "no such unit"})
    assert highlights.counts == {"error": 25, "mark": 1}
    find(session, "ValueError")
    assert highlights.counts["search"] == 25
    assert [found.source for found in highlights.reasons(unit)] == ["mark", "error", "search"]
    highlights.set_search(None)
    assert [found.source for found in highlights.reasons(unit)] == ["mark", "error"]
    highlights.set_marks({})
    assert [found.source for found in highlights.reasons(unit)] == ["error"]


def test_a_rule_that_was_dropped_while_it_was_looked_for_stays_away() -> None:
    highlights = Highlights(transcript(UserMessage(content="a b")), RULES)
    found = highlights.scan()
    highlights.drop_rule("a")
    highlights.take_scan(found)
    assert highlights.counts == {"rule:b": 1}


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.lists(st.booleans(), min_size=30, max_size=30))
def test_the_units_of_a_searchs_hits_are_highlighted(users: list[bool], hits: list[bool]) -> None:
    said = zip(users, hits, strict=False)
    session = TranscriptSession(
        transcript(*((UserMessage if user else ToolMessage)(content="x" if hit else "y") for user, hit in said))
    )
    found: SearchHits = find(session, "x")
    assert session.highlights.units == sorted({session.unit_of(message)[0] for message in found.messages})
