"""Walking in the tree of transcripts: folding, and finding one again."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from textual.app import App, ComposeResult

from trajview.app.transcript.branch_view import DEEPEST, BranchView
from trajview.models.branches import Branches, branches_of
from trajview.models.messages import UserMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript, TranscriptGroup

FIELD = ["▾ field", "s0 1", "▾ scouts", "s1 1", "s2 1", "s3 1"]


def make_run() -> AgentRun:
    """field [s0, scouts [s1, s2]], s3"""
    groups = [
        TranscriptGroup(id="a", name="field"),
        TranscriptGroup(id="b", name="scouts", parent_transcript_group_id="a"),
    ]
    transcripts = [
        Transcript(id=f"s{i}", name=f"s{i}", messages=[UserMessage(content="hello")], transcript_group_id=group)
        for i, group in enumerate(["a", "b", "b", None])
    ]
    return AgentRun(id="run", transcripts=transcripts, transcript_groups=groups)


class TreeApp(App[None]):
    def compose(self) -> ComposeResult:
        yield BranchView()


@pytest.fixture
async def view() -> AsyncIterator[BranchView]:
    """The tree of a run, of which the third transcript is read."""
    async with TreeApp().run_test(size=(40, 40)) as pilot:
        view = pilot.app.query_one(BranchView)
        show(view, make_run(), 2)
        await pilot.pause()
        yield view


def show(view: BranchView, run: AgentRun, index: int, *, again: bool = False) -> None:
    view.show(run, branches_of(run), {}, again=again)
    view.show_transcript(index)


def lines(view: BranchView) -> list[str]:
    """The words of each line of the tree."""
    return [" ".join(view.render_line(y).text.split()) for y in range(view.last_line + 1)]


def cursor(view: BranchView) -> str:
    node = view.cursor_node
    assert node is not None
    assert node.data is not None
    return node.data.name


def do(view: BranchView, *commands: str) -> None:
    for command in commands:
        view.commands[f"tree.{command}" if command.endswith("fold") else f"move.{command}"]()


async def test_left_goes_up_and_closes_and_right_opens_and_goes_down(view: BranchView) -> None:
    do(view, "fold")
    assert cursor(view) == "scouts"
    do(view, "fold")
    assert lines(view) == ["▾ field", "s0 1", "▸ scouts 2", "s3 1"]
    do(view, "fold")
    assert cursor(view) == "field"
    do(view, "down", "down", "unfold", "unfold")
    assert cursor(view) == "s1"
    assert lines(view) == FIELD


async def test_a_transcript_in_closed_groups_is_found_by_opening_them(view: BranchView) -> None:
    do(view, "fold", "fold", "fold", "fold")
    assert lines(view) == ["▸ field 3", "s3 1"]
    view.show_transcript(2)
    assert cursor(view) == "s2"
    assert lines(view) == FIELD


async def test_what_is_closed_stays_so_while_the_run_is_the_same(view: BranchView) -> None:
    do(view, "fold", "fold")
    show(view, make_run(), 0, again=True)
    assert lines(view) == ["▾ field", "s0 1", "▸ scouts 2", "s3 1"]
    show(view, make_run(), 0)
    assert lines(view) == FIELD


async def test_the_cursor_stays_in_the_tree_and_what_has_nothing_below_does_not_fold(view: BranchView) -> None:
    do(view, *["down"] * 9)
    assert cursor(view) == "s3"
    do(view, "unfold", "fold")
    assert (cursor(view), lines(view)) == ("s3", FIELD)
    do(view, *["up"] * 9)
    assert cursor(view) == "field"


async def test_a_long_chain_of_sub_agents_stands_at_the_deepest_level(view: BranchView) -> None:
    transcripts = [Transcript(id=f"s{i}", name=f"s{i}", messages=[]) for i in range(2_000)]
    run = AgentRun(id="chain", transcripts=transcripts)
    view.show(run, Branches(parents={i: i - 1 for i in range(1, 2_000)}), {}, again=False)
    view.show_transcript(1_999)
    assert cursor(view) == "s1999"
    last = view.render_line(view.last_line - view.scroll_offset.y).text
    assert last.index("s1999") == 2 * DEEPEST + 3
