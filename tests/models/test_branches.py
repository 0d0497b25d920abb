"""Which call started which transcript, by each of the signs that logs give of it; and the tree of groups."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from trajview.models.branches import Branches, Entry, branches_of, tree_of
from trajview.models.messages import AssistantMessage, ChatMessage, ToolCall, ToolMessage, UserMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript, TranscriptGroup

TASK = "Count the pigeons on the roof."


def lead(*calls: ToolCall, answers: list[ChatMessage] | None = None, **fields: Any) -> Transcript:
    said: list[ChatMessage] = [UserMessage(content="How many pigeons are there?")]
    said.append(AssistantMessage(content="I ask.", tool_calls=list(calls)))
    return Transcript(**{"id": "lead", "messages": said + (answers or []), **fields})


def scout(id: str = "scout", task: str = "look", **fields: Any) -> Transcript:
    return Transcript(id=id, messages=[UserMessage(content=task), AssistantMessage(content="Four.")], **fields)


def run_of(*transcripts: Transcript, groups: list[TranscriptGroup] | None = None) -> AgentRun:
    return AgentRun(id="run", transcripts=list(transcripts), transcript_groups=groups or [])


def call(id: str = "c1", **arguments: Any) -> ToolCall:
    return ToolCall(id=id, function="ask", arguments=arguments)


def test_an_answer_whose_metadata_names_a_transcript_leads_into_it_from_the_call_and_from_the_answer() -> None:
    answer = ToolMessage(content="four", tool_call_id="c2", metadata={"result": {"transcript_id": "scout"}})
    found = branches_of(run_of(lead(call("c1"), call("c2"), answers=[answer]), scout()))
    assert found.came_from == {1: Entry(0, 1, 1, 1)}
    assert found.at(0, 1) == [Entry(0, 1, 1, 1)]
    assert found.at(0, 2) == [Entry(0, 2, -1, 1)]
    assert found.parents == {1: 0}


def test_an_argument_that_is_a_transcripts_id_leads_into_it() -> None:
    assert branches_of(run_of(lead(call(agent="scout")), scout())).came_from == {1: Entry(0, 1, 0, 1)}


def test_an_agents_id_in_the_metadata_of_its_transcript_is_known_to_the_call() -> None:
    answer = ToolMessage(content="", tool_call_id="c1", metadata={"toolUseResult": {"agentId": "a7"}})
    run = run_of(lead(call(), answers=[answer]), scout(metadata={"agentId": "a7"}))
    assert branches_of(run).came_from == {1: Entry(0, 1, 0, 1)}


def test_a_transcript_that_names_its_call_comes_from_it_whatever_else_is_said() -> None:
    run = run_of(lead(call("c1", agent="scout"), call("c2")), scout(metadata={"parent_tool_use_id": "c2"}))
    found = branches_of(run)
    assert found.came_from == {1: Entry(0, 1, 1, 1)}
    assert found.at(0, 1) == [Entry(0, 1, 0, 1), Entry(0, 1, 1, 1)]


def test_a_group_named_after_a_call_holds_what_the_call_started() -> None:
    groups = [TranscriptGroup(id="g", name="c1")]
    found = branches_of(run_of(lead(call()), scout(transcript_group_id="g"), groups=groups))
    assert found.came_from == {1: Entry(0, 1, 0, 1)}


def test_equal_tasks_start_transcripts_in_order() -> None:
    run = run_of(lead(call("c1", prompt=TASK), call("c2", prompt=f" {TASK}\n")), scout("a", TASK), scout("b", TASK))
    assert branches_of(run).came_from == {1: Entry(0, 1, 0, 1), 2: Entry(0, 1, 1, 2)}


def test_a_short_text_is_no_task() -> None:
    assert branches_of(run_of(lead(call(prompt="look")), scout(task="look"))) == Branches()


def test_a_parent_that_is_only_named_is_above_without_a_call() -> None:
    found = branches_of(run_of(lead(), scout(metadata={"parent_transcript_id": "lead"})))
    assert (found.parents, found.came_from) == ({1: 0}, {})


def test_an_id_that_two_transcripts_share_names_neither() -> None:
    assert branches_of(run_of(lead(call(agent="scout")), scout(), scout())) == Branches()


def test_transcripts_that_call_each_other_make_no_circle() -> None:
    other = lead(call("c9", agent="lead"), id="scout")
    found = branches_of(run_of(lead(call("c1", agent="scout")), other))
    assert found.parents == {1: 0}
    assert found.at(1, 1) == [Entry(1, 1, 0, 0)]


def test_what_names_a_parent_is_no_call_into_it() -> None:
    answer = ToolMessage(content="", tool_call_id="c5", metadata={"parent_session_id": "lead"})
    run = run_of(lead(call("c5"), answers=[answer], id="scout"), Transcript(id="lead", messages=[]))
    assert branches_of(run) == Branches()


def test_a_run_of_one_transcript_has_no_branches() -> None:
    assert branches_of(run_of(lead(call(agent="lead")))) == Branches()


# -- the tree ----------------------------------------------------------------------------------------------------------


def shape(run: AgentRun) -> list[str]:
    nodes = tree_of(run, branches_of(run))
    return ["  " * node.depth + (node.name if node.transcript is None else f"t{node.transcript}") for node in nodes]


def test_groups_nest_and_a_transcript_stands_in_its_group() -> None:
    groups = [
        TranscriptGroup(id="a", name="team"),
        TranscriptGroup(id="b", name="scouts", parent_transcript_group_id="a"),
        TranscriptGroup(id="c", name="nobody"),
    ]
    run = run_of(
        lead(call(agent="scout"), transcript_group_id="a"), scout(transcript_group_id="b"), scout("x"), groups=groups
    )
    assert shape(run) == ["team", "  t0", "  scouts", "    t1", "t2"]
    assert [node.transcripts for node in tree_of(run, Branches())] == [2, 1, 1, 1, 1]


def test_without_groups_a_sub_agent_stands_below_who_started_it() -> None:
    run = run_of(scout("other"), lead(call(agent="scout")), scout())
    assert shape(run) == ["t0", "t1", "  t2"]


def test_groups_that_are_in_each_other_are_shown_once() -> None:
    groups = [
        TranscriptGroup(id="a", name="a", parent_transcript_group_id="b"),
        TranscriptGroup(id="b", name="b", parent_transcript_group_id="a"),
    ]
    run = run_of(lead(transcript_group_id="a"), scout(transcript_group_id="b"), groups=groups)
    assert shape(run) == ["b", "  a", "    t0", "  t1"]


ids = st.sampled_from(["a", "b", "c", "d", None, "missing"])


@given(
    parents=st.tuples(ids, ids, ids, ids),
    members=st.lists(ids, min_size=1, max_size=8),
    above=st.lists(st.integers(0, 9), min_size=8, max_size=8),
)
def test_every_transcript_is_in_the_tree_once_however_groups_and_parents_are_tangled(
    parents: tuple[str | None, ...], members: list[str | None], above: list[int]
) -> None:
    groups = [
        TranscriptGroup(id=id, name=id, parent_transcript_group_id=parent)
        for id, parent in zip("abcd", parents, strict=True)
    ]
    transcripts = [
        scout(f"s{index}", transcript_group_id=group, metadata={"parent_id": f"s{above[index]}"})
        for index, group in enumerate(members)
    ]
    run = run_of(*transcripts, groups=groups)
    found = [node.transcript for node in tree_of(run, branches_of(run)) if node.transcript is not None]
    assert sorted(found) == list(range(len(members)))
