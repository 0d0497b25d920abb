"""What a selection quotes: words as they are read, whatever stands before them, and which messages it touches."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.strategies import transcripts
from trajview.annotation.citations import find_quote, quotable
from trajview.app.transcript.desk import Quoted, quoted_by
from trajview.app.transcript.session import TranscriptSession
from trajview.models.messages import AssistantMessage, ReasoningPart, TextPart, ToolMessage, UserMessage
from trajview.models.transcript import Transcript

TEXT = "The kettle is cold, and nobody knows why it is.\n\n- first *look*\n- then believe"


def opened(width: int = 30) -> TranscriptSession:
    """0 is one line, 1 is TEXT after a thought, 2 is output; a unit's header is above 0."""
    session = TranscriptSession(
        Transcript(
            messages=[
                UserMessage(content="Why is it cold?"),
                AssistantMessage(content=[ReasoningPart(reasoning="hm, cold"), TextPart(text=TEXT)]),
                ToolMessage(content="one long line of output that is broken anywhere"),
            ]
        )
    )
    session.set_view(width, 50)
    session.settle()
    return session


def rows(session: TranscriptSession) -> list[str]:
    """Every row as it is on the screen, without gutter: the margin as spaces or signs."""
    from trajview.app.render.layout import margin_of

    found = []
    for message in range(len(session.messages)):
        layout = session.layout(message)
        found += [margin_of(layout, n) + text for n, text in enumerate(layout.rows_of_text())]
    return found


def select(session: TranscriptSession, start: str, end: str) -> Quoted | None:
    """Select from the beginning of one text on the screen to the end of another."""
    lines = rows(session)
    a = next((line.index(start), y) for y, line in enumerate(lines) if start in line)
    b = next((line.index(end) + len(end), y) for y, line in enumerate(lines) if end in line)
    return quoted_by(session, a, b)


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        ("kettle", "cold,", "kettle is cold,"),
        ("kettle", "why", "kettle is cold, and nobody knows why"),
        ("first", "then", "first look then"),
        ("•", "first", "first"),
        ("┆", "The", "hm, cold The"),
        ("cold,", "cold,", "cold,"),
    ],
)
def test_the_words_are_those_that_are_read(start: str, end: str, words: str) -> None:
    assert select(opened(), start, end) == Quoted(1, 1, words)


def test_a_line_that_is_broken_anywhere_is_put_together_again() -> None:
    session = opened(width=20)
    assert quoted_by(session, (0, session.map.start(2)), (99, session.map.total)) == Quoted(
        2, 2, "one long line of output that is broken anywhere"
    )


def test_over_several_messages_there_are_no_words() -> None:
    assert select(opened(), "kettle", "one long") == Quoted(1, 2)
    assert select(opened(), "Why", "one long") == Quoted(0, 2)


def test_headers_and_empty_rows_beside_a_message_do_not_count() -> None:
    session = opened()
    start, end = session.map.start(1), session.map.start(2)
    assert quoted_by(session, (0, start - 1), (3, end)) == Quoted(
        1, 1, "hm, cold The kettle is cold, and nobody knows why it is. first look then believe"
    )


def test_a_header_alone_is_the_message_without_words() -> None:
    assert quoted_by(opened(), (0, 1), (5, 1)) == Quoted(0, 0)


def test_nothing_is_selected_in_an_empty_transcript_or_backwards() -> None:
    assert quoted_by(TranscriptSession(Transcript()), (0, 0), (1, 1)) is None
    assert quoted_by(opened(), (5, 3), (4, 3)) is None


CORNERS = st.tuples(st.integers(-5, 60), st.integers(-2, 40))


@settings(max_examples=150, deadline=None)
@given(transcripts, st.integers(10, 60), CORNERS, CORNERS)
def test_what_is_selected_is_found_again_in_the_message_whatever_it_is(
    transcript: Transcript, width: int, start: tuple[int, int], end: tuple[int, int]
) -> None:
    session = TranscriptSession(transcript, width=width)
    session.settle()
    quoted = quoted_by(session, start, end)
    if quoted is None:
        return
    assert 0 <= quoted.first <= quoted.last < len(session.messages)
    text = "\n".join(line.text for line in session.layout(quoted.first).lines if not line.ours)
    if quotable(quoted.words).replace("…", "").replace(".", "").strip():
        assert find_quote(quotable(quoted.words), text) is not None
