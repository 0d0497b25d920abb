"""Rows of a message at a width: whole, safe, and exactly as wide as they should be."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from tests.app.strategies import HOSTILE, view_options
from trajview.app.render.blocks import Fold, ViewOptions, message_lines
from trajview.app.render.layout import MEASURE, Layout, lay_out, margin_of, margins, row_segments
from trajview.app.render.lines import Line
from trajview.models.messages import (
    AssistantMessage,
    ChatMessage,
    ImagePart,
    ReasoningPart,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolCallView,
    ToolMessage,
    UserMessage,
    part_from,
)

UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
BASE = Style(bgcolor="black")
RED = Style(color="red")

VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), HOSTILE),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(HOSTILE, inner, max_size=3)),
    max_leaves=5,
)
ARGUMENTS = st.dictionaries(
    st.one_of(st.sampled_from(["command", "code", "path", "query"]), HOSTILE), VALUES, max_size=3
)
PARTS = st.one_of(
    st.builds(TextPart, text=HOSTILE, temporal=st.sampled_from([None, True]), refusal=st.sampled_from([None, True])),
    st.builds(ReasoningPart, reasoning=HOSTILE, redacted=st.sampled_from([None, True])),
    st.builds(
        ImagePart,
        image=st.one_of(HOSTILE, HOSTILE.map(lambda text: "data:" + text)),
        annotations=st.lists(
            st.fixed_dictionaries(
                {
                    "bounding_box": st.one_of(
                        VALUES, st.dictionaries(HOSTILE, st.one_of(st.integers(), st.just(10**400)))
                    ),
                    "text": VALUES,
                }
            ),
            max_size=1,
        ),
    ),
    HOSTILE.map(lambda text: part_from({"type": "x" + text, "blob": text})),
)
CONTENT = st.one_of(HOSTILE, st.lists(PARTS, max_size=3))
CALLS = st.builds(
    ToolCall,
    function=HOSTILE,
    arguments=ARGUMENTS,
    parse_error=st.one_of(st.none(), HOSTILE),
    language=st.sampled_from([None, "python"]),
    view=st.one_of(
        st.none(), st.builds(ToolCallView, title=HOSTILE, content=HOSTILE, format=st.sampled_from(["text", "markdown"]))
    ),
)
METADATA = st.one_of(st.just({}), st.fixed_dictionaries({"round": VALUES, "round_state": VALUES}))
COMMON = {
    "content": CONTENT,
    "metadata": METADATA,
    "timestamp": st.one_of(st.none(), HOSTILE, st.just("2024-01-02T03:04:05Z")),
}
MESSAGES: st.SearchStrategy[ChatMessage] = st.one_of(
    st.builds(SystemMessage, **COMMON),
    st.builds(UserMessage, name=st.one_of(st.none(), HOSTILE), recipient=HOSTILE, **COMMON),
    st.builds(AssistantMessage, model=st.one_of(st.none(), HOSTILE), reward=st.one_of(st.none(), st.floats()),
              tool_calls=st.lists(CALLS, max_size=2), **COMMON),
    st.builds(ToolMessage, function=st.one_of(st.none(), HOSTILE), error=st.one_of(st.none(), VALUES.map(lambda v: {"message": v})), **COMMON),
)  # fmt: skip
OPTIONS = view_options(narrowest=4, fewest=1)


def rows(layout: Layout) -> list[list[Segment]]:
    return [row_segments(layout, number, {}, BASE) for number in range(len(layout.rows))]


def texts(lines: list[Line], width: int) -> list[str]:
    return ["".join(segment.text for segment in row) for row in rows(lay_out(lines, width))]


@settings(max_examples=200, deadline=None)
@given(MESSAGES, st.sampled_from(Fold), OPTIONS)
def test_every_row_is_safe_and_exactly_as_wide_as_the_window(
    message: ChatMessage, fold: Fold, options: ViewOptions
) -> None:
    layout = lay_out(message_lines(message, fold, options, 3), options.width)
    assert layout.rows
    for row in rows(layout):
        assert sum(cell_len(segment.text) for segment in row) == options.width
        for segment in row:
            assert not UNSAFE.search(segment.text)
            assert segment.style is not None
            assert segment.style.bgcolor is not None


@settings(max_examples=200, deadline=None)
@given(MESSAGES, st.sampled_from(Fold), OPTIONS)
def test_rows_stand_for_all_lines_in_order_and_spans_lie_in_their_text(
    message: ChatMessage, fold: Fold, options: ViewOptions
) -> None:
    layout = lay_out(message_lines(message, fold, options), options.width)
    rows(layout)  # colours are filled in now
    assert [index for index, _, _ in layout.rows] == sorted(index for index, _, _ in layout.rows)
    assert {index for index, _, _ in layout.rows} == set(range(len(layout.lines)))
    for line in layout.lines:
        assert all(0 <= a <= b <= len(line.text) for a, b, _ in line.spans)
        assert line.finish is None


def test_the_margin_of_the_first_row_holds_the_lead_and_later_rows_hang() -> None:
    assert texts([Line("one two", indent=2, hang=3, lead=("•", ""), words=True)], 6) == ["• one ", "   two"]


def test_a_bar_goes_on_beside_every_row() -> None:
    assert texts([Line("one two", indent=2, hang=2, lead=("┆", ""), words=True)], 6) == ["┆ one ", "┆ two "]


def test_a_margin_is_never_more_than_half_the_width() -> None:
    assert margins(Line("", indent=40, hang=90), 20) == (10, 10)
    assert texts([Line("abcdef", indent=40, hang=40)], 4) == ["  ab", "  cd", "  ef"]


@pytest.mark.parametrize(("width", "shown"), [(20, "left           right "), (11, "left       "), (12, "left  right ")])
def test_what_stands_at_the_right_is_left_out_where_there_is_no_room(width: int, shown: str) -> None:
    if width == 20:
        shown = "left" + " " * 10 + "right "
    assert texts([Line("left", right=("right", ""))], width) == [shown]


def test_only_the_first_row_has_something_at_the_right() -> None:
    assert texts([Line("aaaaaaaabb", right=("r", ""))], 8) == ["aaaaaaaa", "bb      "]


def test_spans_colour_their_text_on_every_row_and_the_last_one_wins() -> None:
    bold = Style(bold=True)
    line = Line("abcdef", spans=[(1, 5, "one"), (2, 3, RED)], style="all")
    layout = lay_out([line], 4)
    palette = {"one": bold, "all": Style(italic=True)}
    first = row_segments(layout, 0, palette, BASE)
    assert [(s.text, s.style.bold, s.style.color == RED.color, s.style.italic) for s in first if s.style] == [
        ("a", None, False, True), ("b", True, False, True), ("c", True, True, True), ("d", True, False, True),
    ]  # fmt: skip
    second = row_segments(layout, 1, palette, BASE)
    assert [(s.text, s.style.bold) for s in second if s.style] == [("e", True), ("f", None), ("  ", None)]


def test_a_span_that_cuts_a_character_on_the_screen_takes_all_of_it() -> None:
    family = "👩\u200d👩\u200d👧"
    layout = lay_out([Line(family, spans=[(0, 2, RED)])], 4)
    segments = row_segments(layout, 0, {}, BASE)
    assert [segment.text for segment in segments] == [family, "  "]
    assert segments[0].style is not None
    assert segments[0].style.color == RED.color


def test_a_fill_reaches_to_the_edge_but_not_into_the_margin() -> None:
    palette = {"code": Style(bgcolor="blue")}
    segments = row_segments(lay_out([Line("x", indent=2, hang=2, fill="code")], 6), 0, palette, BASE)
    assert [(s.text, s.style.bgcolor == palette["code"].bgcolor) for s in segments if s.style] == [
        ("  ", False), ("x", True), ("   ", True),
    ]  # fmt: skip


def test_a_fill_begins_where_that_of_the_first_row_does_however_far_the_line_hangs() -> None:
    palette = {"code": Style(bgcolor="blue")}
    layout = lay_out([Line("  ab cd", indent=2, hang=4, words=True, wide=True, fill="code")], 8)
    filled = [
        "".join(s.text for s in row_segments(layout, row, palette, BASE) if s.style and s.style.bgcolor != BASE.bgcolor)
        for row in range(len(layout.rows))
    ]
    assert filled == ["  ab  ", "  cd  "]


def test_a_line_of_code_goes_on_below_its_own_indent_and_a_call_between_words() -> None:
    code = "        return born.replace(year=today.year) if today.month else born.replace(year=today.year + 1)"
    layout = lay_out(message_lines(ToolMessage(content=f"def f():\n{code}"), Fold.OPEN, ViewOptions(width=60)), 60)
    assert [margin_of(layout, row) for row in range(2, len(layout.rows))] == [" " * 2, " " * 10]
    called = AssistantMessage(
        tool_calls=[ToolCall(id="1", function="bash", arguments={"command": "cat one/two.py three/four.py"})]
    )
    rows = lay_out(message_lines(called, Fold.OPEN, ViewOptions(width=34)), 34).rows_of_text()
    assert rows[-2:] == ["bash  cat one/two.py", "three/four.py"]


def test_prose_ends_where_it_is_comfortable_to_read_and_code_output_and_headers_where_the_window_does() -> None:
    words = "word " * 60
    shown: list[tuple[ChatMessage, bool]] = [
        (UserMessage(content=words), True),
        (UserMessage(content=f"- {words}"), True),
        (AssistantMessage(content=[ReasoningPart(reasoning=words)]), True),
        (UserMessage(content=f"```\n{words}\n```"), False),
        (ToolMessage(content=words, function="bash"), False),
    ]
    for message, prose in shown:
        layout = lay_out(message_lines(message, Fold.OPEN, ViewOptions(width=180)), 180)
        widest = max(len(row) for row in layout.rows_of_text())
        assert (MEASURE - 5 <= widest <= MEASURE) if prose else 170 <= widest <= 180
        assert all(
            sum(cell_len(segment.text) for segment in row_segments(layout, number, {}, BASE)) == 180
            for number in range(len(layout.rows))
        )
