"""The transcript widget, line by line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection
from textual.strip import Strip

from tests.app.driving import background_of, until
from tests.app.strategies import HOSTILE, PRINTABLE
from tests.app.test_session import find, talk, tools, transcript
from trajview.app.shared.strips import restyled
from trajview.app.transcript.search import search
from trajview.app.transcript.session import TranscriptSession
from trajview.app.transcript.view import TranscriptView
from trajview.corpus.query import query_from
from trajview.highlight import compile_rule
from trajview.models.messages import AssistantMessage, ReasoningPart, TextPart, ToolCall, ToolMessage, UserMessage
from trajview.textsafe import safe_text


class ViewApp(App[None]):
    """A transcript and nothing else."""

    def __init__(self, session: TranscriptSession | None) -> None:
        super().__init__()
        self.session = session

    def compose(self) -> ComposeResult:
        yield TranscriptView()

    def on_mount(self) -> None:
        view = self.query_one(TranscriptView)
        view.focus()
        if self.session is not None:
            view.show(self.session)

    @property
    def view(self) -> TranscriptView:
        return self.query_one(TranscriptView)


def shown(view: TranscriptView) -> list[str]:
    return [view.render_line(y).text for y in range(view.size.height)]


def width(view: TranscriptView) -> int:
    return view.scrollable_content_region.width


def styled(view: TranscriptView, y: int, component: str) -> str:
    """The text on a row that has the background of a component class."""
    wanted = background_of(view, component)
    return "".join(text for text, style, _ in view.render_line(y) if style is not None and style.bgcolor == wanted)


async def measured(view: TranscriptView, pilot: Pilot[None]) -> None:
    assert view.session is not None
    view.session.measure(30)
    view.sync()
    await pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (14, 4)])
async def test_every_line_is_as_wide_as_the_view_even_past_the_end(size: tuple[int, int]) -> None:
    source = transcript(
        UserMessage(content="日本語 " * 40),
        UserMessage(content="e\u0301👩\u200d👧 x" * 9),
        ToolMessage(content="\x1b[31mred\n" * 5),
    )
    app = ViewApp(TranscriptSession(source))
    async with app.run_test(size=size) as pilot:
        for move in ("to_top", "to_end"):
            getattr(app.session, move)()
            app.view.sync()
            await pilot.pause()
            for y in range(size[1] + 30):
                strip = app.view.render_line(y)
                assert strip.cell_length == width(app.view)
                assert sum(cell_len(segment.text) for segment in strip) == width(app.view)
        assert app.view.render_line(500).text.strip() == ""


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(HOSTILE)
async def test_hostile_text_and_a_search_in_it_keep_lines_whole(text: str) -> None:
    app = ViewApp(TranscriptSession(transcript(UserMessage(content=text), ToolMessage(content=text))))
    async with app.run_test(size=(30, 12)) as pilot:
        assert app.session is not None
        plain = shown(app.view)[1:]  # below the unit's header, which says what was found
        find(app.session, r"\w|\u200d|👩|\u0301")
        app.view.sync()
        await pilot.pause()
        assert shown(app.view)[1:] == plain
        for y in range(12):
            assert sum(cell_len(segment.text) for segment in app.view.render_line(y)) == width(app.view)


@given(PRINTABLE, st.integers(0, 40), st.integers(0, 40))
def test_a_colour_on_part_of_a_strip_changes_neither_its_text_nor_its_width(text: str, left: int, right: int) -> None:
    text = safe_text(text)
    strip = Strip([Segment(text)])
    coloured = restyled(strip, left, right, Style(bgcolor="red"))
    assert coloured.text == text
    assert sum(cell_len(segment.text) for segment in coloured) == cell_len(text)
    red = "".join(s.text for s in coloured if s.style and s.style.bgcolor is not None)
    assert text[left:right] in red


async def test_no_session_and_no_messages_are_blank() -> None:
    app = ViewApp(None)
    async with app.run_test(size=(30, 5)):
        assert {line.strip() for line in shown(app.view)} == {""}
        app.view.show(TranscriptSession(transcript()))
        assert {line.strip() for line in shown(app.view)} == {""}


async def test_a_resize_keeps_the_message_at_the_top() -> None:
    app = ViewApp(TranscriptSession(transcript(*(UserMessage(content="words " * 60) for _ in range(30)))))
    async with app.run_test(size=(100, 20)) as pilot:
        assert app.session is not None
        app.session.to_message(17)
        app.view.sync()
        await pilot.pause()
        for columns in (40, 140, 60):
            await pilot.resize_terminal(columns, 20)
            await pilot.pause()
            assert app.session.top == (17, 0)
            assert app.view.scroll_offset.y == app.session.y_of((17, 0))
            assert "17" in app.view.render_line(0).text


async def test_the_screen_does_not_move_while_heights_become_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trajview.app.shared.rows_view.MOST_MEASURED", 0)  # the test measures itself
    texts = ["日本語 " * (5 * i % 90) for i in range(200)]
    app = ViewApp(TranscriptSession(transcript(*(UserMessage(content=text) for text in texts))))
    async with app.run_test(size=(50, 16)) as pilot:
        assert app.session is not None
        app.session.to_message(150)
        app.view.sync()
        await pilot.pause()
        before, offset = shown(app.view), app.view.scroll_offset.y
        while app.session.measure(0.0):
            app.view.sync()
            assert shown(app.view) == before
        assert app.view.scroll_offset.y != offset


async def test_heights_that_change_above_by_as_much_as_below_move_nothing() -> None:
    # An estimate one row short above, one row long below: the total stays, the row of the top does not.
    app = ViewApp(TranscriptSession(talk(60)))
    async with app.run_test(size=(50, 8)) as pilot:
        session = app.session
        assert session is not None
        session.to_message(30)
        app.view.sync()
        await pilot.pause()
        before, measured = shown(app.view), []

        def measure(_: float) -> bool:
            measured.append(session.map.total)
            session.map.set(2, session.map.height(2) + 1)
            session.map.set(50, session.map.height(50) - 1)
            measured.append(session.map.total)
            return False

        session.measure = measure  # type: ignore[method-assign]
        await until(pilot, lambda: measured)
        assert measured[0] == measured[1]
        assert shown(app.view) == before


async def test_matches_are_coloured_on_the_right_cells() -> None:
    source = transcript(UserMessage(content="日本 needle 語 needle\n" + "x" * 40 + "needle\nnothing"))
    app = ViewApp(TranscriptSession(source))
    async with app.run_test(size=(48, 12)) as pilot:
        assert app.session is not None
        find(app.session, "needle")
        app.session.hits.go(0)
        app.view.sync()
        await pilot.pause()
        lines = shown(app.view)
        y = next(i for i, line in enumerate(lines) if "日本" in line)
        assert styled(app.view, y, "match.current") == "needleneedle"
        assert styled(app.view, y + 1, "match") + styled(app.view, y + 2, "match") == "needle"  # it wraps
        assert styled(app.view, y + 2, "match") != "needle"
        assert styled(app.view, y + 3, "match") == ""


async def test_what_the_viewer_wrote_is_not_coloured_as_a_match() -> None:
    app = ViewApp(TranscriptSession(transcript(UserMessage(content="the user"))))
    async with app.run_test(size=(40, 8)):
        assert app.session is not None
        find(app.session, "user|m0")
        app.view.sync()
        assert [styled(app.view, y, "match") for y in range(8)].count("user") == 1


async def test_the_cursor_s_row_is_marked_in_the_gutter() -> None:
    app = ViewApp(TranscriptSession(talk(5)))
    async with app.run_test(size=(40, 12)) as pilot:
        assert app.session is not None
        app.session.move(3)
        app.view.sync()
        await pilot.pause()
        assert [y for y, line in enumerate(shown(app.view)) if line.startswith("❯")] == [3]


async def test_selected_text_comes_without_gutter_and_padding() -> None:
    app = ViewApp(TranscriptSession(transcript(UserMessage(content="one 日本 two\nthree\nfour"))))
    async with app.run_test(size=(40, 12)):
        lines = shown(app.view)
        y = next(i for i, line in enumerate(lines) if "one" in line)
        x = lines[y].index("日")
        assert app.view.get_selection(Selection(Offset(x, y), Offset(lines[y + 1].index("ee"), y + 1))) == (
            "日本 two\nthr",
            "\n",
        )
        assert app.view.get_selection(Selection(Offset(x, y), Offset(x + 2, y))) == ("日本", "\n")
        assert app.view.get_selection(Selection(Offset(0, y), Offset(1, y))) == ("", "\n")
        everything = app.view.get_selection(Selection(None, None))
        assert everything is not None
        assert "one 日本 two\nthree\nfour" in everything[0]


async def test_a_selection_is_drawn_on_the_text_and_not_on_the_gutter() -> None:
    app = ViewApp(TranscriptSession(transcript(UserMessage(content="one 日本 two"))))
    async with app.run_test(size=(40, 12)) as pilot:
        lines = shown(app.view)
        y = next(i for i, line in enumerate(lines) if "one" in line)
        app.screen.selections = {app.view: Selection(Offset(0, y), Offset(lines[y].index("本"), y))}
        await pilot.pause()
        wanted = app.screen.get_component_rich_style("screen--selection").bgcolor
        segments: list[Segment] = list(app.view.render_line(y))
        assert "".join(s.text for s in segments if s.style and s.style.bgcolor == wanted) == "one 日"
        assert all(s.style.color != wanted for s in segments if s.style)  # or nobody could read what is selected
        assert shown(app.view) == lines


async def test_a_new_theme_leaves_no_old_colour() -> None:
    app = ViewApp(TranscriptSession(talk(3)))
    async with app.run_test(size=(40, 12)) as pilot:
        before = [list(app.view.render_line(y)) for y in range(12)]
        app.theme = "textual-light" if app.theme != "textual-light" else "textual-dark"
        await pilot.pause()
        after = [list(app.view.render_line(y)) for y in range(12)]
        assert ["".join(s.text for s in row) for row in after] == ["".join(s.text for s in row) for row in before]
        old = {s.style.bgcolor for row in before for s in row if s.style}
        assert not old & {s.style.bgcolor for row in after for s in row if s.style}


async def test_the_wheel_scrolls_and_a_click_puts_the_cursor_there_or_folds() -> None:
    app = ViewApp(TranscriptSession(tools()))
    async with app.run_test(size=(60, 10)) as pilot:
        session = app.session
        assert session is not None
        await measured(app.view, pilot)
        session.to_end()
        app.view.sync()
        await pilot.pause()
        y = next(i for i, line in enumerate(shown(app.view)) if "more lines" in line)
        await pilot.click(TranscriptView, offset=(10, y))
        await pilot.pause()
        assert session.rows_of(2) > 100
        assert session.message == 2
        top = session.top
        app.view.post_message(events.MouseScrollDown(app.view, 0, 0, 0, 0, 0, False, False, False))
        await pilot.pause()
        assert session.y_of(session.top) == session.y_of(top) + 3
        assert app.view.scroll_offset.y == session.y_of(session.top)


async def test_dragging_the_scroll_bar_takes_the_session_along() -> None:
    app = ViewApp(TranscriptSession(talk(100)))
    async with app.run_test(size=(60, 10)) as pilot:
        assert app.session is not None
        await measured(app.view, pilot)
        app.view.scroll_to(y=200, animate=False)
        await pilot.pause()
        assert app.session.y_of(app.session.top) == 200
        assert 200 <= app.session.y_of(app.session.cursor) < 210


CALL = ToolCall(id="1", function="bash", arguments={"cmd": "echo needle", "why": "a needle\nin hay"})
OTHER = ToolCall(id="2", function="grep", arguments={"cmd": "needle"}, parse_error="needle is no JSON")
EVERYWHERE = (
    UserMessage(content="needle, said by the user"),
    AssistantMessage(
        content=[ReasoningPart(reasoning="needle, thought"), TextPart(text="needle, said")], tool_calls=[CALL, OTHER]
    ),
    ToolMessage(content="needle, answered", function="bash"),
    ToolMessage(content="needle in grep's output", function="grep", error={"message": "needle, failed"}),
)
"""The same word in every field of every role."""


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ({}, ["said by the user", "thought", "said", "cmd=echo", "a needle", "grep", "no JSON", "answered", "failed", "in grep's"]),
        ({"fields": {"text"}}, ["said by the user", "said"]),
        ({"fields": {"reasoning"}}, ["thought"]),
        ({"fields": {"arguments"}}, ["cmd=echo", "a needle", "grep"]),
        ({"fields": {"output"}}, ["answered", "in grep's"]),
        ({"fields": {"error"}}, ["no JSON", "failed"]),
        ({"roles": {"tool"}}, ["answered", "failed", "in grep's"]),
        ({"tools": {"grep"}}, ["grep", "no JSON", "failed", "in grep's"]),
        ({"tools": {"bash"}, "fields": {"arguments"}}, ["cmd=echo", "a needle"]),
        ({"roles": {"assistant"}, "fields": {"text"}}, ["said"]),
    ],
)  # fmt: skip
async def test_a_rule_colours_only_the_rows_of_what_it_looks_at(where: dict[str, set[str]], rows: list[str]) -> None:
    rule = replace(compile_rule("needle"), **{name: frozenset(only) for name, only in where.items()})
    app = ViewApp(TranscriptSession(transcript(*EVERYWHERE), rules=[rule]))
    async with app.run_test(size=(100, 60)) as pilot:
        await measured(app.view, pilot)
        coloured = [text for y, text in enumerate(shown(app.view)) if styled(app.view, y, "rule.yellow")]
        assert len(coloured) == len(rows), coloured
        assert all(row in text for row, text in zip(rows, coloured, strict=True)), coloured


async def test_in_a_folded_message_a_rule_colours_the_words_of_its_field() -> None:
    rule = replace(compile_rule("needle"), fields=frozenset({"arguments"}), tools=frozenset({"grep"}))
    app = ViewApp(TranscriptSession(transcript(*EVERYWHERE), rules=[rule]))
    async with app.run_test(size=(100, 60)) as pilot:
        app.session.next_fold_level()
        await measured(app.view, pilot)
        [(y, text)] = [(y, text) for y, text in enumerate(shown(app.view)) if styled(app.view, y, "rule.yellow")]
        assert "needle, said  ▸ bash: echo needle, grep: needle" in text
        cells = [len(before) for before in _texts_before(app.view, y)]
        assert cells == [text.rindex("needle")]


@pytest.mark.parametrize(
    ("typed", "rows"),
    [
        ("in:reasoning needle", ["thought"]),
        ("in:arguments needle", ["cmd=echo", "a needle", "grep", "no JSON"]),
        ("role:tool needle", ["answered", "failed", "in grep's"]),
        ("tool:grep in:text needle", ["failed", "in grep's"]),
    ],
)  # fmt: skip
async def test_a_restricted_search_colours_and_steps_to_what_it_looked_at(typed: str, rows: list[str]) -> None:
    session = TranscriptSession(transcript(*EVERYWHERE))
    app = ViewApp(session)
    async with app.run_test(size=(100, 60)) as pilot:
        *_, hits = search(session.messages, query_from(typed))
        session.highlights.set_search(hits)
        session.hits.go(hits.messages[0])
        await measured(app.view, pilot)
        texts = shown(app.view)
        coloured = [
            text for y, text in enumerate(texts) if styled(app.view, y, "match") or styled(app.view, y, "match.current")
        ]
        assert len(coloured) == len(rows), coloured
        assert all(row in text for row, text in zip(rows, coloured, strict=True)), coloured
        landed = []
        for _ in rows:
            landed.append(session.map.start(session.cursor[0]) + session.cursor[1])
            session.steps.highlight(1)
        assert [texts[row] for row in landed] == coloured


def _texts_before(view: TranscriptView, y: int) -> list[str]:
    """What stands before each piece of a row that has a rule's colour."""
    wanted, before, found = background_of(view, "rule.yellow"), "", []
    for text, style, _ in view.render_line(y):
        if style is not None and style.bgcolor == wanted:
            found.append(before)
        before += text
    return found
