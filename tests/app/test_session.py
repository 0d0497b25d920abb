"""Reading a transcript without a screen: positions, folds, jumps, searches, heights that become exact."""

from __future__ import annotations

import time
from bisect import bisect_right
from operator import attrgetter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.strategies import transcripts
from trajview.app.render.headers import Scored
from trajview.app.render.options import Fold
from trajview.app.transcript.jumps import toggle_edits, toggle_reasoning, toggle_tools
from trajview.app.transcript.session import SearchHits, TranscriptSession
from trajview.app.transcript.unit_facts import UnitFacts
from trajview.highlight import Highlight, compile_rule, text_of
from trajview.models.messages import (
    AssistantMessage,
    ChatMessage,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from trajview.models.transcript import Transcript

from .switching import switch

TRACEBACK = "Traceback (most recent call last):\n  File x\nValueError: no"


def transcript(*messages: ChatMessage) -> Transcript:
    return Transcript(messages=list(messages))


def talk(count: int, lines: int = 3) -> Transcript:
    """So many messages, user and assistant in turn, each of so many lines: message 3's second line is `m3 line 1`."""
    kinds = (UserMessage, AssistantMessage)
    return transcript(*(kinds[i % 2](content="\n".join(f"m{i} line {n}" for n in range(lines))) for i in range(count)))


def opened(source: Transcript, width: int = 80, height: int = 10, **more: object) -> TranscriptSession:
    session = TranscriptSession(source, **more)  # type: ignore[arg-type]
    session.set_view(width, height)
    session.settle()
    return session


def find(session: TranscriptSession, text: str) -> SearchHits:
    """Search as the screen does."""
    pattern = compile_rule(text).pattern
    found = [
        (i, sum(1 for m in pattern.finditer(text_of(message)) if m.end() > m.start()))
        for i, message in enumerate(session.messages)
    ]
    hits = SearchHits(text, pattern, tuple(i for i, n in found if n), tuple(n for _, n in found if n))
    session.highlights.set_search(hits)
    return hits


def row_text(session: TranscriptSession, position: tuple[int, int]) -> str:
    return session.layout(position[0]).rows_of_text()[position[1]]


def flat(session: TranscriptSession) -> list[tuple[int, int]]:
    """Every position, in order."""
    return [(m, r) for m in range(len(session.messages)) for r in range(len(session.layout(m).rows))]


def check(session: TranscriptSession) -> None:
    """What must hold whenever the screen is drawn."""
    y = session.settle()
    if not session.messages:
        assert (session.top, session.cursor, y) == ((0, 0), (0, 0), 0)
        return
    rows = flat_copy(session)
    top, cursor = rows.index(session.top), rows.index(session.cursor)
    assert top <= max(0, len(rows) - session.height)
    assert top <= cursor < top + session.height
    assert session.y_of(session.top) == y
    for below in range(min(session.height, len(rows) - top)):
        position = rows[top + below]
        assert session.at_row(y + below) == position
        assert session.map.exact[position[0]]


def flat_copy(session: TranscriptSession) -> list[tuple[int, int]]:
    """Every position by a session of its own, so that looking measures nothing here."""
    fresh = TranscriptSession(session.transcript, bare=session.options.bare)
    fresh.options, fresh.folds = session.options, session.folds
    return flat(fresh)


SMALL = st.integers(-60, 60)
MOVES = st.one_of(
    st.tuples(st.sampled_from(["move", "scroll", "scroll_window", "scroll_to_row"]), SMALL),
    st.tuples(st.sampled_from(["to_top", "to_end", "toggle_fold", "next_fold_level"])),
    st.tuples(st.sampled_from([toggle_edits, toggle_reasoning, toggle_tools])),
    st.tuples(st.just("highlights.set_marks"), st.dictionaries(st.integers(-1, 12), st.text(max_size=3))),
    st.tuples(st.sampled_from(["steps.unit", "steps.user", "steps.highlight", "steps.error", "steps.mark"]), st.sampled_from([-1, 1])),
    st.tuples(st.sampled_from(["to_message", "to_unit", "unfold"]), st.integers(0, 11)),
    st.tuples(st.just("to_percentage"), st.floats(-10, 110)),
    st.tuples(st.just("set_view"), st.integers(1, 120), st.integers(1, 40)),
    st.tuples(st.just("measure"), st.just(0.0)),
    st.tuples(st.just("find"), st.sampled_from(["a", "日", "x+", "no such thing"])),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(transcripts, st.booleans(), st.integers(5, 100), st.integers(1, 40), st.lists(MOVES, max_size=12))
def test_the_cursor_is_on_the_screen_and_the_screen_is_exact_whatever_was_done(
    source: Transcript, bare: bool, width: int, height: int, moves: list[tuple[object, ...]]
) -> None:
    session = opened(source, width, height, bare=bare)
    check(session)
    for name, *arguments in moves:
        if name == "find":
            find(session, str(arguments[0]))
        elif callable(name):
            name(session)
        elif name in ("unfold", "toggle_fold") and (
            not session.messages or (arguments and arguments[0] >= len(session.messages))  # type: ignore[operator]
        ):
            continue
        else:
            attrgetter(str(name))(session)(*arguments)
        check(session)


@settings(max_examples=60, deadline=None)
@given(transcripts, st.integers(10, 100))
def test_measured_rows_and_positions_are_the_same_thing(source: Transcript, width: int) -> None:
    session = opened(source, width, 5)
    while session.measure(0.0):
        pass
    for y, position in enumerate(flat(session)):
        assert session.y_of(position) == y
        assert session.at_row(y) == position


@settings(max_examples=60, deadline=None)
@given(transcripts.filter(lambda t: len(t.messages) > 0), st.integers(-30, 80), SMALL)
def test_walking_counts_rows(source: Transcript, start: int, steps: int) -> None:
    session = opened(source)
    rows = flat_copy(session)
    start = max(0, min(start, len(rows) - 1))
    assert session.walk(rows[start], steps) == rows[max(0, min(start + steps, len(rows) - 1))]


# -- heights -----------------------------------------------------------------------------------------------------------


def test_what_is_on_the_screen_stays_there_while_heights_above_become_exact() -> None:
    source = transcript(*(UserMessage(content="日本語 " * (7 * i) + "\n" * (i % 3)) for i in range(300)))
    session = opened(source, 40, 12)
    session.to_message(250)
    session.settle()
    top, cursor, y = session.top, session.cursor, session.y_of(session.top)
    shown = [row_text(session, session.at_row(y + n)) for n in range(12)]
    while session.measure(0.0):
        now = session.settle()
        assert (session.top, session.cursor) == (top, cursor)
        assert [row_text(session, session.at_row(now + n)) for n in range(12)] == shown
    assert session.y_of(session.top) != y  # or this test shows nothing
    assert session.map.total == len(flat(session))


def test_measuring_ends_and_begins_again_at_a_new_width() -> None:
    session = opened(talk(50))
    assert session.measure(10) is False
    assert all(session.map.exact)
    session.set_view(40, 10)
    assert not all(session.map.exact)
    assert session.measure(10) is False
    assert all(session.map.exact)


def test_heights_are_right_after_more_layouts_than_are_kept() -> None:
    session = opened(talk(1_000))
    session.measure(60)
    session.to_message(5)
    assert session.settle() == session.y_of((5, 0))
    assert row_text(session, session.walk(session.cursor, 2)) == "m5 line 1"


def test_at_a_new_width_the_line_at_the_top_stays() -> None:
    text = "\n".join(f"line {n} " + "word " * 60 for n in range(30))
    session = opened(transcript(*(UserMessage(content=text) for _ in range(5))), 100, 10)
    session.scroll_window(100)
    top = session.top
    line, start, _ = session.layout(top[0]).rows[top[1]]
    for width in (31, 57, 100):
        session.set_view(width, 10)
        assert session.top[0] == top[0]
        row = session.layout(session.top[0]).rows[session.top[1]]
        assert row[0] == line
        assert row[1] <= start < max(row[2], row[1] + 1)
        check(session)
    assert session.top == top, "the size that it had shows what it showed"


@pytest.mark.parametrize("size", [(31, 10), (100, 3), (63, 25)])
@pytest.mark.parametrize("end", [True, False])
def test_a_size_that_comes_back_shows_what_it_showed(size: tuple[int, int], end: bool) -> None:
    text = "\n".join(f"line {n} " + "word " * 60 for n in range(30))
    session = opened(transcript(*(UserMessage(content=text) for _ in range(5))), 100, 10)
    session.scroll_window(100)
    session.move(7)
    if end:
        session.to_end()
    before = session.top, session.cursor
    for there in (size, (100, 10), size, (40, 12), (100, 10)):
        session.set_view(*there)
        check(session)
    assert (session.top, session.cursor) == before


def test_a_size_that_comes_back_after_a_move_shows_what_was_moved_to() -> None:
    text = "\n".join(f"line {n} " + "word " * 60 for n in range(30))
    session = opened(transcript(*(UserMessage(content=text) for _ in range(5))), 100, 10)
    session.scroll_window(100)
    session.set_view(31, 10)
    session.scroll_window(50)
    line, start, _ = session.layout(session.top[0]).rows[session.top[1]]
    session.set_view(100, 10)
    row = session.layout(session.top[0]).rows[session.top[1]]
    assert row[0] == line
    assert row[1] <= start < row[2]


def test_a_smaller_window_keeps_the_cursor_on_it() -> None:
    session = opened(talk(20), height=30)
    session.move(25)
    session.set_view(80, 5)
    check(session)


# -- moves -------------------------------------------------------------------------------------------------------------


def test_the_window_follows_the_cursor_with_a_margin() -> None:
    session = opened(talk(20), height=12)
    session.move(5)
    assert session.top == (0, 0)
    session.move(10)
    assert session.y_of(session.cursor) - session.y_of(session.top) == 12 - 1 - 3
    session.move(-10)
    assert session.y_of(session.cursor) - session.y_of(session.top) == 3


def test_a_page_moves_window_and_cursor_and_at_the_end_the_cursor_alone() -> None:
    session = opened(talk(4), height=10)
    rows = flat(session)
    session.scroll(8)
    assert (rows.index(session.top), rows.index(session.cursor)) == (8, 8)
    for _ in range(5):
        session.scroll(8)
    assert session.cursor == rows[-1]
    assert rows.index(session.top) == len(rows) - 10
    session.to_top()
    assert session.cursor == session.top == (0, 0)
    session.to_end()
    assert session.cursor == rows[-1]


def test_the_wheel_moves_the_cursor_only_when_it_would_leave() -> None:
    session = opened(talk(20), height=10)
    session.move(5)
    cursor = session.cursor
    session.scroll_window(3)
    assert session.cursor == cursor
    session.scroll_window(30)
    assert session.cursor == session.top


def test_units_step_and_going_back_stops_at_the_start_of_the_unit_first() -> None:
    source = transcript(
        SystemMessage(content="s"), UserMessage(content="u"), AssistantMessage(content="a"), ToolMessage(content="t"),
        AssistantMessage(content="b"), UserMessage(content="v"),
    )  # fmt: skip
    session = opened(source)
    starts = source.unit_starts
    seen = [session.message]
    while session.steps.unit(1):
        seen.append(session.message)
    assert seen == starts
    last = session.message
    session.to_message(3)
    assert session.steps.unit(-1)
    assert session.message == starts[bisect_right(starts, 3) - 1]
    session.to_message(last)
    while session.steps.unit(-1):
        pass
    assert session.message == 0
    assert not session.to_unit(99)
    assert not session.to_unit(-1)


def test_user_turns_step_without_going_round() -> None:
    session = opened(talk(5))
    assert [session.message for _ in range(3) if session.steps.user(1)] == [2, 4]
    assert not session.steps.user(1)
    assert session.steps.user(-1)
    assert session.message == 2


def test_errors_and_marks_step_round_the_ends() -> None:
    session = opened(
        transcript(UserMessage(content="u"), ToolMessage(content=TRACEBACK), UserMessage(content="v"), ToolMessage(content="ok"), ToolMessage(content="x", error={"message": "bad"}))
    )  # fmt: skip
    assert session.highlights.errors == [1, 4]
    assert [session.message for _ in range(3) if session.steps.error(1)] == [1, 4, 1]
    assert [session.message for _ in range(2) if session.steps.error(-1)] == [4, 1]
    assert not session.steps.mark(1)
    session.highlights.set_marks({1: "", 0: "why", 9: "no such unit"})
    assert [session.message for _ in range(3) if session.steps.mark(1)] == [2, 0, 2]
    assert [h.reason for h in session.highlights.reasons(0) + session.highlights.reasons(1) if h.source == "mark"] == [
        "why",
        "marked",
    ]
    session.highlights.set_marks({1: ""})
    assert session.highlights.counts["mark"] == 1


@pytest.mark.parametrize(("lines", "above"), [(0, 10), (9, 15), (40, 20)])
def test_an_error_is_shown_below_the_call_that_it_answers(lines: int, above: int) -> None:
    """At a third of the window at least, at two thirds where the call is long."""
    code = "\n".join(f"line {n}" for n in range(lines))
    call = ToolCall(id="c", function="python", arguments={"code": code, "path": "a.py"})
    source = transcript(
        *(UserMessage(content="before") for _ in range(9)),
        AssistantMessage(content="", tool_calls=[ToolCall(id="b", function="ls"), call]),
        ToolMessage(content="a b", tool_call_id="b"),
        ToolMessage(content="", error={"message": "no such name"}, tool_call_id="c"),
        *(UserMessage(content="after") for _ in range(30)),
    )
    session = opened(source, 80, 30)

    assert session.steps.error(1)

    shown = [row_text(session, session.walk(session.top, n)) for n in range(30)]
    assert session.message == 11
    assert any("no such name" in row for row in shown)
    assert any("python" in row for row in shown) is (lines < 40)
    assert session.y_of(session.cursor) - session.y_of(session.top) == above
    check(session)


def test_a_unit_is_shown_below_the_end_of_the_one_before() -> None:
    session = opened(talk(60), 80, 12)

    assert session.steps.unit(1)
    assert session.steps.unit(1)
    assert session.steps.unit(1)

    assert session.y_of(session.cursor) - session.y_of(session.top) == 4


def test_scored_units_are_told_in_their_headers_and_stay_when_the_run_is_read_again() -> None:
    session = opened(talk(4))
    session.set_scored({0: Scored("0.5", "in circles"), 1: Scored("", "short"), 7: Scored("1", "")})
    assert session.layout(0).lines[0].text.endswith("0.5  ✎ in circles")
    assert session.layout(2).lines[0].text.endswith("  ✎ short")
    again = opened(talk(2))
    again.take_over(session)
    assert again.scored == {0: Scored("0.5", "in circles")}
    session.set_scored({})
    assert "✎" not in session.layout(0).lines[0].text


def test_highlights_step_round_and_a_source_can_be_switched_off() -> None:
    rules = [compile_rule("line 2", "two")]
    source = talk(4)
    source.messages.append(ToolMessage(content=TRACEBACK))
    session = opened(source, rules=rules, units=[0])
    assert session.highlights.counts == {"rule:two": 4, "error": 1, "unit": 1}
    assert session.highlights.stops == [0, 1, 2, 3, 4]
    assert session.steps.passed(session.highlights.stops) == 1
    assert not switch(session, "rule:two")
    assert session.highlights.stops == [0, 4]
    assert [session.message for _ in range(2) if session.steps.highlight(1)] == [4, 0]
    assert session.highlights.reasons(session.unit_of(4)[0])[0].source == "error"
    assert switch(session, "rule:two")
    session.highlights.put_rule(compile_rule("x", "later"), [Highlight(0, 0, "rule", "later")])
    assert session.highlights.counts["rule:later"] == 1
    assert "later" in {found.reason for found in session.highlights.reasons(0)}


def test_percentages_reach_both_ends() -> None:
    session = opened(talk(200))
    session.to_percentage(100)
    check(session)
    assert session.message == 199
    session.to_percentage(0)
    assert session.cursor == (0, 0)
    session.to_percentage(50)
    assert 90 <= session.message <= 110


# -- folds -------------------------------------------------------------------------------------------------------------


def tools() -> Transcript:
    output = "\n".join(f"out {n}" for n in range(100))
    return transcript(UserMessage(content="go"), AssistantMessage(content=[ReasoningPart(reasoning="hm\nhm"), TextPart(text="a\nb\nc")]), ToolMessage(content=output))  # fmt: skip


def test_tool_output_is_folded_at_first_and_opens_and_folds_again() -> None:
    session = opened(tools(), height=40)
    folded = session.rows_of(2)
    assert folded < 15
    session.toggle_fold(2)
    assert session.fold_of(2) is Fold.OPEN
    assert session.rows_of(2) > 100
    session.toggle_fold(2)
    assert session.rows_of(2) == folded
    session.toggle_fold(1)
    assert session.fold_of(1) is Fold.CLOSED


def test_fold_levels_go_round_and_forget_folds_by_hand() -> None:
    session = opened(tools())
    session.to_message(1)
    session.toggle_fold(0)
    assert session.next_fold_level() == "all folded"
    assert {session.fold_of(i) for i in range(3)} == {Fold.CLOSED}
    assert session.message == 1
    session.toggle_fold(2)
    assert session.fold_of(2) is Fold.OPEN
    assert session.next_fold_level() == "all open"
    assert {session.fold_of(i) for i in range(3)} == {Fold.OPEN}
    assert session.next_fold_level() == "tool output folded"


def test_folding_what_the_cursor_is_deep_in_keeps_the_cursor_on_it() -> None:
    session = opened(tools())
    session.to_message(2, 2)
    session.toggle_fold()
    session.move(80)
    assert session.message == 2
    session.toggle_fold()
    assert session.message == 2
    check(session)


def test_hidden_reasoning_and_tools_come_back() -> None:
    session = opened(tools(), height=40)
    before = flat(session)
    assert not toggle_reasoning(session)
    assert not toggle_tools(session)
    assert len(flat(session)) < len(before)
    assert toggle_reasoning(session)
    assert toggle_tools(session)
    assert flat(session) == before


# -- search ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [80, 14])
@pytest.mark.parametrize("text", ["line 1", "line", "m3", "user", "assistant", r"3\s+line"])
def test_hits_are_numbered_one_by_one_and_all_are_reached(text: str, width: int) -> None:
    source = talk(6, lines=4)
    source.messages[2].content += " user of the assistant said so, at length, and the user agreed"  # type: ignore[operator]
    session = opened(source, width)
    hits = find(session, text)
    session.hits.go(hits.messages[0])
    seen = [session.hits.passed]
    stops = [session.cursor]
    for _ in range(100):
        session.steps.highlight(1)
        if session.cursor == stops[0]:
            break
        seen.append(session.hits.passed)
        stops.append(session.cursor)
        check(session)
    assert stops == sorted(set(stops))
    assert seen == sorted(set(seen))
    assert seen[0] == 1 or len(seen) < hits.total  # several on one row count together
    assert seen[-1] == hits.total
    if len(stops) == hits.total:
        assert seen == list(range(1, hits.total + 1))
    for _ in range(3):
        session.steps.highlight(-1)
    assert session.cursor == stops[-3:][0] if len(stops) >= 3 else True


def test_hits_that_are_folded_away_unfold() -> None:
    session = opened(tools())
    hits = find(session, r"out \d?7\b")
    assert hits.total == 10
    session.hits.go(2)
    seen = [row_text(session, session.cursor)]
    for _ in range(9):
        session.steps.highlight(1)
        seen.append(row_text(session, session.cursor))
    assert seen == [f"out {n}" for n in range(7, 100, 10)]
    assert session.hits.passed == 10


def test_a_step_from_within_folded_output_goes_to_its_hidden_hits() -> None:
    session = opened(tools())
    find(session, r"out \d?7\b")
    session.to_message(2, 9)
    session.steps.highlight(1)
    assert row_text(session, session.cursor) in ("out 7", "out 17")
    session.steps.highlight(1)
    assert row_text(session, session.cursor) in ("out 17", "out 27")


def test_hits_in_hidden_reasoning_are_shown() -> None:
    session = opened(tools())
    toggle_reasoning(session)
    find(session, "hm")
    session.hits.go(1)
    assert row_text(session, session.cursor) == "hm"


def test_hits_in_hidden_tool_output_are_shown() -> None:
    session = opened(tools())
    toggle_tools(session)
    find(session, "out 50")
    session.hits.go(2)
    assert row_text(session, session.cursor) == "out 50"


def test_what_the_viewer_wrote_itself_is_no_hit() -> None:
    session = opened(transcript(UserMessage(content="more\nuser"), ToolMessage(content="\n".join("more" if i > 50 else "x" for i in range(60)))))  # fmt: skip
    find(session, "more")
    assert [row_text(session, (1, row)) for row in session.hits.rows(1)] == []
    find(session, "user")
    assert [row_text(session, (0, row)) for row in session.hits.rows(0)] == ["user"]


def test_a_match_that_begins_at_a_break_counts_on_the_row_before() -> None:
    session = opened(transcript(UserMessage(content="aaaa bbbb cccc")), 10)
    find(session, r"\s+cccc")
    assert len(session.hits.rows(0)) == 1


def test_a_search_without_hits_goes_nowhere() -> None:
    session = opened(talk(3))
    find(session, "nothing like it")
    assert not session.steps.highlight(1)
    assert session.hits.passed == 0
    session.highlights.set_search(None)
    assert session.hits.rows(0) == []
    assert session.hits.passed == 0


# -- none, one, many ---------------------------------------------------------------------------------------------------


def test_an_empty_transcript_bears_every_move() -> None:
    session = opened(transcript())
    for move in ("to_top", "to_end", "next_fold_level", "toggle_fold"):
        getattr(session, move)()
        check(session)
    for step in ("move", "scroll", "scroll_window", "scroll_to_row", "steps.unit", "steps.user", "steps.highlight", "steps.error", "steps.mark", "to_message", "to_percentage"):  # fmt: skip
        attrgetter(step)(session)(1)
        check(session)
    session.set_view(30, 5)
    assert session.measure(1) is False


def test_one_empty_message_is_a_transcript() -> None:
    session = opened(transcript(UserMessage(content="")))
    session.to_end()
    check(session)
    session.toggle_fold()
    check(session)


def test_bare_text_is_shown_without_a_header() -> None:
    session = opened(transcript(UserMessage(content='{\n "a": 1\n}')), bare=True)
    assert session.layout(0).rows_of_text() == ["{", ' "a": 1', "}"]
    find(session, "a")
    assert session.hits.rows(0) == [1]


def test_twenty_thousand_messages_open_at_once() -> None:
    source = transcript(*(
        ToolMessage(content="output of it\n" * 30) if i % 3 == 2 else AssistantMessage(content=f"**m{i}**\n" + "words " * 60, tool_calls=[ToolCall(function="bash", arguments={"command": "ls"})]) if i % 3 else UserMessage(content="ask " * 30)
        for i in range(20_000)
    ))  # fmt: skip
    times = {}

    def timed(name: str, action: object) -> None:
        before = time.process_time()
        action()  # type: ignore[operator]
        times[name] = time.process_time() - before

    session = TranscriptSession(source)
    timed("open", lambda: TranscriptSession(source))
    timed("view", lambda: (session.set_view(100, 50), session.settle()))
    timed("end", lambda: (session.to_end(), session.settle()))
    timed("middle", lambda: (session.to_percentage(50), session.settle()))
    timed("row", lambda: (session.move(1), session.settle()))
    timed("width", lambda: (session.set_view(80, 50), session.settle()))
    timed("fold", lambda: (session.next_fold_level(), session.settle()))
    assert times["open"] < 5
    assert max(seconds for name, seconds in times.items() if name != "open") < 2


def test_output_opened_by_hand_is_shown_while_tool_output_is_hidden() -> None:
    session = TranscriptSession(Transcript(messages=[ToolMessage(content="one\ntwo")]))
    session.set_view(60, 20)
    toggle_tools(session)
    assert "one" not in session.layout(0).rows_of_text()
    session.toggle_fold(0)
    assert {"one", "two"} <= set(session.layout(0).rows_of_text())
    session.toggle_fold(0)
    assert "one" not in session.layout(0).rows_of_text()


def test_what_units_took_is_kept_as_far_as_a_transcript_that_has_grown_is_the_same() -> None:
    def said(*texts: str) -> Transcript:
        turns = ([UserMessage(content=text), AssistantMessage(content="ok")] for text in texts)
        return Transcript(messages=[message for turn in turns for message in turn])

    before = opened(said("one", "two", "three"))
    before.facts, before.counted = {unit: UnitFacts(unit, None, 1) for unit in range(3)}, 3
    for texts, counted, known in (
        (("one", "two", "three"), 2, 3),
        (("one", "two", "three", "four"), 3, 3),
        (("one", "twelve", "three"), 1, 1),
        (("another",), 0, 0),
    ):
        again = opened(said(*texts))
        again.take_over(before)
        assert (again.counted, [*again.facts]) == (counted, [*range(known)])


def test_a_reader_comes_back_to_the_message_and_the_folds_at_another_width() -> None:
    log = transcript(*(UserMessage(content=f"m{i} " + "word " * 60) for i in range(30)))
    before = opened(log)
    before.to_message(20, 4)
    before.toggle_fold(3)
    place = before.place(0)
    after = opened(log)
    after.come_back(place)
    assert (after.cursor, after.top, after.folds) == (before.cursor, before.top, before.folds)
    wider = opened(log, width=120)
    wider.come_back(place)
    assert wider.message == 20
    assert wider.fold_of(3) is Fold.CLOSED


def test_a_place_behind_the_end_of_a_log_that_was_longer_is_its_end() -> None:
    before = opened(talk(30))
    before.to_message(20)
    before.toggle_fold(20)
    after = opened(talk(5))
    after.come_back(before.place(0))
    assert (after.cursor, after.folds) == (after.last, {})
    nothing = opened(transcript())
    nothing.come_back(before.place(0))
    assert nothing.cursor == (0, 0)
