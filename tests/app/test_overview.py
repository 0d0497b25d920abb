"""The whole of a transcript in a few lines, against a plain count row by row; and how long that takes."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from trajview.app.transcript.minimap import FEW, overview, window_of
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
    starts = {session.map.start(message): message for message in range(len(kinds))}
    signed = set()
    for y, line in enumerate(overview(session, height)):
        rows = [row for row in range(total) if y * total <= row * height < (y + 1) * total]
        begin = [starts[row] for row in rows if row in starts]
        errors = [message for message in begin if message in session.highlights.errors]
        assert (line.kind == "error") == bool(errors)
        if errors:
            assert line.message == errors[0]
            assert line.weight == len(errors)
            signed.update(errors)
        if rows:
            here = {session.at_row(row)[0] for row in rows}
            assert line.voice in {session.roles[message] for message in here}
            if 0 < len(begin) <= FEW and any(session.roles[message] == "user" for message in begin):
                assert line.voice == "user"
    assert signed == set(session.highlights.errors)


def test_the_window_is_where_the_reader_is_and_comes_to_both_ends() -> None:
    session = session_of("ua" * 50)
    measured(session)
    assert window_of(session, 20)[0] == 0
    session.to_end()
    assert window_of(session, 20)[1] == 19
    on_screen = [y for y, line in enumerate(overview(session, 20)) if line.window]
    assert on_screen == list(range(window_of(session, 20)[0], 20))


def test_what_is_folded_is_told_apart_and_changes_with_the_level_and_by_hand() -> None:
    session = session_of("uat")

    def folded() -> list[bool]:
        measured(session)
        lines = overview(session, session.map.total)
        return [lines[session.map.start(message) + 1].folded for message in range(3)]

    assert folded() == [False, False, True]
    session.next_fold_level()
    assert folded() == [True, True, True]
    session.next_fold_level()
    assert folded() == [False, False, False]
    session.toggle_fold(1)
    assert folded() == [False, True, False]


def test_highlights_that_come_and_go_are_on_the_lines_at_once() -> None:
    session = session_of("ua" * 10, lines=3)

    def kinds() -> set[str]:
        return {line.kind for line in overview(session, 30)}

    assert kinds() == {""}
    session.highlights.set_marks({4: ""})
    assert kinds() == {"", "mark"}
    session.highlights.set_search(SearchHits("7", compile_pattern("7"), (7,), (1,)))
    assert kinds() == {"", "mark", "hit"}
    switch(session, "search")
    switch(session, "mark")
    assert kinds() == {""}


def test_a_line_says_how_many_errors_are_on_it() -> None:
    session = session_of("t" * 400, wrong={0, *range(300, 400)})
    measured(session)

    counts = [line.weight for line in overview(session, 20)]

    assert counts[:10] == [1, *[0] * 9]
    assert counts[-1] >= 10
    assert sum(counts) == 101


def test_speakers_that_share_a_role_are_told_apart() -> None:
    messages = [AssistantMessage(content="x", name=name) for name in ("Ada", "Ben", "Ada", "Ben")]
    session = TranscriptSession(Transcript(messages=messages))
    measured(session)

    voices = [session.voice(message) for message in range(4)]

    assert voices == ["0", "1", "0", "1"]
    assert {line.voice for line in overview(session, session.map.total)} == {"0", "1"}


def test_an_empty_transcript_has_no_lines() -> None:
    assert overview(session_of(""), 10) == []


def test_the_highlighted_units_are_those_with_a_reason_search_hits_included() -> None:
    session = session_of("uatuatuat", wrong={2})
    assert session.highlights.units == [0]
    session.highlights.set_search(SearchHits("x", compile_pattern("x"), (4, 5), (1, 1)))
    session.highlights.set_marks({2: "why"})
    assert session.highlights.units == [0, 1, 2]
    switch(session, "search")
    switch(session, "error")
    assert session.highlights.units == [2]


def test_a_screen_of_lines_takes_no_longer_for_a_hundred_thousand_messages() -> None:
    def seconds(count: int) -> float:
        session = session_of("uatt" * (count // 4), wrong=set(range(2, count, 12)))
        best = []
        for _ in range(7):
            session.steps.unit(1)
            begun = time.process_time()
            overview(session, 50)
            best.append(time.process_time() - begun)
        return min(best)

    assert seconds(100_000) < max(0.01, 20 * seconds(100))
