"""The whole of a transcript in a few lines, against a plain count row by row; and how long that takes."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from trajview.app.transcript.overview import FEW, Overview, highlighted_units
from trajview.app.transcript.search import SearchHits
from trajview.app.transcript.session import TranscriptSession
from trajview.highlight import compile_pattern
from trajview.models.messages import AssistantMessage, ChatMessage, SystemMessage, ToolMessage, UserMessage
from trajview.models.transcript import Transcript

from .switching import switch

MAKE = {"s": SystemMessage, "u": UserMessage, "a": AssistantMessage, "t": ToolMessage}


def session_of(kinds: str, *, wrong: set[int] | None = None, lines: int = 1) -> TranscriptSession:
    messages: list[ChatMessage] = []
    for index, kind in enumerate(kinds):
        text = "\n".join(f"{index} {line}" for line in range(lines))
        error = {"error": {"message": "no"}} if index in (wrong or set()) and kind == "t" else {}
        messages.append(MAKE[kind](content=text, **error))
    session = TranscriptSession(Transcript(messages=messages))
    session.set_view(60, 10)
    return session


def measured(session: TranscriptSession) -> None:
    while session.measure(1):
        pass


@settings(max_examples=60, deadline=None)
@given(st.text("suat", min_size=1, max_size=40), st.integers(1, 60), st.sets(st.integers(0, 40)))
def test_each_line_says_what_the_rows_it_stands_for_say(kinds: str, height: int, wrong: set[int]) -> None:
    session = session_of(kinds, wrong=wrong)
    measured(session)
    total = session.map.total
    overview = Overview(session)
    starts = {session.map.start(message): message for message in range(len(kinds))}
    signed = set()
    for y in range(height):
        line = overview.line(y, height)
        assert line is not None
        rows = [row for row in range(total) if y * total <= row * height < (y + 1) * total]
        begin = [starts[row] for row in rows if row in starts]
        errors = [message for message in begin if message in session.error_messages]
        assert (line.kind == "error") == bool(errors)
        if errors:
            assert line.message == errors[0]
            signed.update(errors)
        if rows:
            here = {session.at_row(row)[0] for row in rows}
            assert line.role in {session.roles[message] for message in here}
            if 0 < len(begin) <= FEW and any(session.roles[message] == "user" for message in begin):
                assert line.role == "user"
    assert signed == set(session.error_messages)


def test_the_window_is_where_the_reader_is_and_comes_to_both_ends() -> None:
    session = session_of("ua" * 50)
    measured(session)
    overview = Overview(session)
    assert overview.window(20)[0] == 0
    session.to_end()
    assert overview.window(20)[1] == 19
    on_screen = [y for y in range(20) if (line := overview.line(y, 20)) and line.window]
    assert on_screen == list(range(overview.window(20)[0], 20))


def test_what_is_folded_is_told_apart_and_changes_with_the_level_and_by_hand() -> None:
    session = session_of("uat")
    overview = Overview(session)

    def folded() -> list[bool]:
        measured(session)
        total = session.map.total
        found = [overview.line(session.map.start(message) + 1, total) for message in range(3)]
        return [line is not None and line.folded for line in found]

    assert folded() == [False, False, True]
    session.next_fold_level()
    assert folded() == [True, True, True]
    session.next_fold_level()
    assert folded() == [False, False, False]
    session.toggle_fold(1)
    assert folded() == [False, True, False]


def test_highlights_that_come_and_go_are_on_the_lines_at_once() -> None:
    session = session_of("ua" * 10, lines=3)
    overview = Overview(session)

    def kinds() -> set[str]:
        return {line.kind for y in range(30) if (line := overview.line(y, 30)) is not None}

    assert kinds() == {""}
    session.set_marks({4: ""})
    assert kinds() == {"", "mark"}
    session.set_search(SearchHits("7", compile_pattern("7"), (7,), (1,)))
    assert kinds() == {"", "mark", "hit"}
    switch(session, "search")
    switch(session, "mark")
    assert kinds() == {""}


def test_an_empty_transcript_has_no_lines() -> None:
    assert Overview(session_of("")).line(0, 10) is None


def test_the_highlighted_units_are_those_with_a_reason_search_hits_included() -> None:
    session = session_of("uatuatuat", wrong={2})
    assert highlighted_units(session) == [0]
    session.set_search(SearchHits("x", compile_pattern("x"), (4, 5), (1, 1)))
    session.set_marks({2: "why"})
    assert highlighted_units(session) == [0, 1, 2]
    switch(session, "search")
    switch(session, "error")
    assert highlighted_units(session) == [2]


def test_a_screen_of_lines_takes_no_longer_for_a_hundred_thousand_messages() -> None:
    def seconds(count: int) -> float:
        session = session_of("uatt" * (count // 4), wrong=set(range(2, count, 12)))
        overview = Overview(session)
        overview.line(0, 50)
        best = []
        for _ in range(7):
            session.step_unit(1)
            begun = time.process_time()
            for y in range(50):
                overview.line(y, 50)
            best.append(time.process_time() - begun)
        return min(best)

    assert seconds(100_000) < max(0.01, 20 * seconds(100))
