"""What a run cites: found in the evaluator's reasoning and in what assistants say, made into highlights, looked up."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.undecoded import undecoded
from tests.models.strategies import transcripts
from trajview.annotation.citations import find_citations
from trajview.app.annotate.citing import YOU, Cited, cited_in, highlights_of, why_nowhere
from trajview.app.render.evidence import QUOTED, citations_on_rows
from trajview.app.render.options import Fold
from trajview.app.transcript.jumps import toggle_reasoning
from trajview.app.transcript.session import TranscriptSession
from trajview.formats.chat_source import ChatSource
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
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript

from .switching import switch


def judged(**more: Any) -> AgentRun:
    """Two transcripts; the second one, of a judge, cites the first. T0 is [0], [1-3], [4]."""
    first = Transcript(
        messages=[
            SystemMessage(content="Cite as [T0B0]."),
            UserMessage(content="Heat the water."),
            AssistantMessage(content="I look.", tool_calls=[ToolCall(function="look", arguments={"at": "kettle"})]),
            ToolMessage(content="\n".join(f"line {n}: {'no power' if n == 20 else 'idle'}" for n in range(30))),
            AssistantMessage(content=[ReasoningPart(reasoning="a quiet thought"), TextPart(text="It is **off**.")]),
        ]
    )
    second = Transcript(
        messages=[
            UserMessage(content="Was it done, see [T0B1]?"),
            AssistantMessage(content='No: it saw [T0B3: "no power"], and stopped at T0B4. Compare [T1B0] and [T7B0].'),
        ]
    )
    return AgentRun(transcripts=[first, second], **more)


def test_assistants_and_the_evaluator_cite_and_nobody_else_does() -> None:
    found = [(one.citation.place, one.by) for one in cited_in(judged(reasoning="Good [T0B4]."))]
    assert found == [
        ("T0B4", "by the evaluator"),
        ("T0B3", "in T1B1"),
        ("T0B4", "in T1B1"),
        ("T1B0", "in T1B1"),
        ("T7B0", "in T1B1"),
    ]


def test_reasoning_and_calls_cite_too() -> None:
    message = AssistantMessage(
        content=[ReasoningPart(reasoning="as [T0B0] says")],
        tool_calls=[ToolCall(function="judge", arguments={"why": "see [T0B0-B1]"})],
    )
    run = AgentRun(transcripts=[Transcript(messages=[UserMessage(content="x"), message])])
    assert [(one.citation.place, one.by) for one in cited_in(run)] == [("T0B0", "in m1"), ("T0B0-B1", "in m1")]


def test_citations_of_a_log_are_found_by_its_texts_alone() -> None:
    class Unreadable(ChatSource):
        def read(self, at: int) -> ChatMessage:
            raise AssertionError("a message was read")

    items = [{"role": "assistant", "content": f"see [T0B{n}]" if n % 1000 == 7 else "no"} for n in range(5000)]
    source = Unreadable(undecoded(items))
    run = AgentRun(transcripts=[Transcript(messages=source.messages(source.roles))])
    assert [one.citation.message for one in cited_in(run)] == [7, 1007, 2007, 3007, 4007]


def test_a_log_of_nothing_but_citations_does_not_fill_the_memory() -> None:
    messages = [AssistantMessage(content="T0B0 " * 3_000) for _ in range(70)]
    found = cited_in(AgentRun(transcripts=[Transcript(messages=list(messages))]))
    assert 50_000 < len(found) <= 51_000


def test_looking_for_citations_can_be_cancelled() -> None:
    assert cited_in(judged(reasoning="[T0B1]"), lambda: True) == cited_in(judged(reasoning="[T0B1]"))[:1]


def test_cited_messages_are_highlights_of_their_transcript() -> None:
    run = judged(reasoning="[T0B4]")
    cited = cited_in(run)
    assert [(h.unit, h.message, h.source, h.reason) for h in highlights_of(cited, 0, run.transcripts[0])] == [
        (1, 3, "citation", "cited in T1B1"),
        (2, 4, "citation", "cited by the evaluator"),
        (2, 4, "citation", "cited in T1B1"),
    ]
    assert [h.message for h in highlights_of(cited, 1, run.transcripts[1])] == [0]


def test_several_messages_cited_together_are_one_highlight_in_each_unit() -> None:
    run = judged()
    cited = [Cited(citation, YOU) for citation in find_citations("[T0B2-B999999999] [R3T0B0]")]
    assert [(h.unit, h.message) for h in highlights_of(cited, 0, run.transcripts[0])] == [(1, 2), (2, 4)]


@given(transcripts, st.text(st.sampled_from("[TB0123-R ],"), max_size=40))
def test_highlights_point_into_the_transcript_whatever_is_cited(transcript: Transcript, text: str) -> None:
    cited = [Cited(citation, YOU) for citation in find_citations(text)]
    for found in highlights_of(cited, 0, transcript):
        assert transcript.get_action_unit_for_block(found.message) == found.unit


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[T0B4]", None),
        ("[R0T1B1]", None),
        ("[R2T0B0]", "R2T0B0 is in another run: R2"),
        ("[T2B0]", "T2B0 points nowhere: this run has transcripts T0 to T1"),
        ("[T1B2]", "T1B2 points nowhere: of T1, its last message is B1"),
        ("[T0B3-B9]", None),
    ],
)
def test_a_citation_that_points_nowhere_says_why(text: str, why: str | None) -> None:
    [citation] = find_citations(text)
    assert why_nowhere(citation, judged()) == why


def test_of_a_run_with_one_empty_transcript_nothing_can_be_cited() -> None:
    run = AgentRun(transcripts=[Transcript()])
    assert why_nowhere(find_citations("[T0B0]")[0], run) == "T0B0 points nowhere: of T0, it has no messages"
    assert why_nowhere(find_citations("[T1B0]")[0], run) == "T1B0 points nowhere: this run has one transcript, T0"


# The session


def opened(width: int = 60, height: int = 10) -> TranscriptSession:
    session = TranscriptSession(judged().transcripts[0])
    session.set_view(width, height)
    session.settle()
    return session


def row(session: TranscriptSession) -> str:
    return session.layout(session.cursor[0]).rows_of_text()[session.cursor[1]]


def test_cited_units_are_stops_that_can_be_switched_off_and_replaced() -> None:
    session = opened()
    run = judged()
    found = highlights_of(cited_in(run), 0, run.transcripts[0])
    assert session.highlights.set_cited(found)
    assert not session.highlights.set_cited(list(reversed(found)))
    assert session.highlights.counts == {"citation": 2}
    assert session.highlights.stops == [3, 4]
    session.steps.highlight(1)
    assert session.message == 3
    switch(session, "citation")
    assert session.highlights.stops == []
    assert session.highlights.counts == {"citation": 2}
    switch(session, "citation")
    session.highlights.set_cited([])
    assert session.highlights.counts == {}


def test_what_is_cited_stays_when_the_run_is_read_again() -> None:
    session = opened()
    session.highlights.set_cited(highlights_of([Cited(find_citations("[T0B4]")[0], YOU)], 0, session.transcript))
    again = TranscriptSession(session.transcript)
    again.take_over(session)
    assert again.highlights.stops == [4]


def test_quoted_words_are_gone_to_and_unfolded_where_they_are_hidden() -> None:
    session = opened()
    assert session.to_quote(3, "NO  power")
    assert row(session) == "line 20: no power"
    assert session.fold_of(3) is Fold.OPEN


def test_hidden_reasoning_is_shown_for_a_quotation_of_it() -> None:
    session = opened()
    toggle_reasoning(session)
    assert session.to_quote(4, "quiet thought")
    assert row(session) == "a quiet thought"


def test_words_with_marks_are_found_where_the_marks_are_not_shown() -> None:
    session = opened()
    assert session.to_quote(4, "is **off**")
    assert row(session) == "It is off."


def test_words_that_are_not_there_lead_to_the_message_and_leave_it_folded() -> None:
    session = opened()
    assert not session.to_quote(3, "no gas")
    assert session.cursor == (3, 0)
    assert session.fold_of(3) is Fold.PREVIEW
    assert session.quoted is None


def test_a_quotation_that_wraps_is_marked_on_all_its_rows_and_only_the_last_one_is() -> None:
    session = opened(width=20)
    assert session.to_quote(3, "line 20: no power line 21: idle")
    marked = [line.text for line in session.layout(3).lines if any(name == "quoted" for _, _, name in line.spans)]
    assert marked == ["line 20: no power", "line 21: idle"]
    session.to_quote(4, "off")
    assert not any(name == "quoted" for line in session.layout(3).lines for _, _, name in line.spans)


def test_back_at_a_place_the_cursor_and_the_top_are_where_they_were() -> None:
    session = opened()
    session.to_quote(3, "no power")
    cursor, top = session.cursor, session.top
    session.to_top()
    session.to_place(cursor, top)
    assert (session.cursor, session.top) == (cursor, top)
    session.to_place((99, 99), (99, 99))
    session.settle()
    assert session.message == 4


# On the rows


def shown(text: str, width: int = 40) -> list[tuple[int, int, str]]:
    session = TranscriptSession(Transcript(messages=[AssistantMessage(content=text)]), width=width)
    return [(first, last, citation.place) for first, last, citation in citations_on_rows(session.layout(0))]


def test_citations_know_their_rows() -> None:
    text = f'see [T0B1] here\n{"word " * 20}[T0B2] and [T0B3: "{"quoted " * 12}"]'
    assert shown(text) == [(2, 2, "T0B1"), (5, 5, "T0B2"), (5, 8, "T0B3")]


def test_citations_in_markdown_are_shown_as_they_stand() -> None:
    text = "# Why [T0B1]\n- because *[T0B2]*\n> and [T0B3]\n| a |\n|---|\n| [T0B4] |\n```\n[T0B5]\n```"
    assert [place for _, _, place in shown(text)] == ["T0B1", "T0B2", "T0B3", "T0B4", "T0B5"]


def test_a_quotation_over_several_lines_is_one_citation_on_all_their_rows() -> None:
    assert shown('so [T0B1: "no\npower\nat all"] and\n[T0B2]') == [(2, 4, "T0B1"), (5, 5, "T0B2")]
    assert shown('- so [T0B1: "no\n  power"] and') == [(2, 3, "T0B1")]
    assert shown("[T0B1:<RANGE>no\npower</RANGE>]") == [(2, 3, "T0B1")]


def test_a_quotation_goes_on_within_its_field_only() -> None:
    said = [ReasoningPart(reasoning='so [T0B1: "no'), TextPart(text='power"] and')]
    session = TranscriptSession(Transcript(messages=[AssistantMessage(content=said)]))
    assert [(citation.quote, first, last) for first, last, citation in citations_on_rows(session.layout(0))] == [
        ("", 2, 2)
    ]


def test_words_quoted_over_several_lines_are_followed_to_where_they_stand_on_others() -> None:
    [citation] = find_citations('[T0B1: "The plug\nhas no power\nat all"]')
    cited = UserMessage(content="Yes.\n\nThe plug has\nno power at\nall, I fear.")
    session = TranscriptSession(Transcript(messages=[UserMessage(content="?"), cited]))
    assert session.to_quote(citation.message, citation.quote)
    quoted = [line.text[a:b] for line in session.layout(1).lines for a, b, name in line.spans if name == QUOTED]
    assert quoted == ["The plug has", "no power at", "all"]


def test_tool_output_and_instructions_cite_nothing() -> None:
    for message in (ToolMessage(content="[T0B1]"), SystemMessage(content="[T0B1]")):
        session = TranscriptSession(Transcript(messages=[message]))
        assert citations_on_rows(session.layout(0)) == []


def test_a_megabyte_on_one_line_is_not_looked_through() -> None:
    assert shown("[T0B1] " * 20_000, width=100) == []
