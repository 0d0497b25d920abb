"""Walking in the tree of transcripts: folding, and finding one again."""

from __future__ import annotations

from trajview.app.transcript.branch_tree import BranchTree
from trajview.models.branches import branches_of
from trajview.models.messages import UserMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript, TranscriptGroup


def make_tree() -> BranchTree:
    """team [0, scouts [1, 2]], 3"""
    groups = [
        TranscriptGroup(id="a", name="team"),
        TranscriptGroup(id="b", name="scouts", parent_transcript_group_id="a"),
    ]
    transcripts = [
        Transcript(id=f"s{index}", messages=[UserMessage(content="hello")], transcript_group_id=group)
        for index, group in enumerate(["a", "b", "b", None])
    ]
    run = AgentRun(id="run", transcripts=transcripts, transcript_groups=groups)
    return BranchTree(run, branches_of(run))


def keys(tree: BranchTree) -> list[str]:
    return [node.key for node in tree.nodes]


def test_left_goes_up_and_closes_and_right_opens_and_goes_down() -> None:
    tree = make_tree()
    tree.reveal(2)
    tree.fold()
    assert tree.node is not None
    assert tree.node.key == "gb"
    tree.fold()
    assert keys(tree) == ["ga", "t0", "gb", "t3"]
    tree.fold()
    assert tree.cursor == 0
    tree.go(2)
    tree.unfold()
    tree.unfold()
    assert tree.node.key == "t1"
    assert keys(tree) == ["ga", "t0", "gb", "t1", "t2", "t3"]


def test_a_transcript_in_closed_groups_is_found_by_opening_them() -> None:
    tree = make_tree()
    tree.go(2)
    tree.toggle()
    tree.go(0)
    tree.toggle()
    assert keys(tree) == ["ga", "t3"]
    assert tree.line_of(2) is None
    tree.reveal(2)
    assert tree.node is not None
    assert tree.node.transcript == 2


def test_the_cursor_stays_in_the_tree_and_on_its_line() -> None:
    tree = make_tree()
    tree.go(99)
    assert tree.node is not None
    assert tree.node.transcript == 3
    tree.learn(tree.branches, {1: 2})
    assert tree.node.transcript == 3
    tree.go(-5)
    assert tree.cursor == 0


def test_what_has_nothing_below_neither_closes_nor_opens() -> None:
    tree = make_tree()
    tree.go(5)
    before = keys(tree)
    tree.toggle()
    tree.unfold()
    tree.fold()
    assert (keys(tree), tree.cursor) == (before, 5)
