"""Common logs of other tools: Inspect, SWE-agent, ATIF, OpenHands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trajview.corpus.corpus import open_corpus
from trajview.formats import atif, inspect, openai, openhands, sweagent
from trajview.formats.base import Origin
from trajview.formats.registry import best
from trajview.models.branches import Entry, branches_of

from .chat_outline import load, origin, outline


def test_an_inspect_log_is_a_run_of_its_samples() -> None:
    record = load("inspect/log.json")
    run = inspect.FORMAT.read(record, origin("inspect/log.json"))
    assert (run.id, run.name, run.rewards) == ("ev1", "sums", None)
    assert [t.name for t in run.transcripts] == ["sample 7", "sample 7 epoch 2"]
    assert outline(run) == [
        "user: 1+1",
        'assistant: <reasoning {"reasoning": "Easy."}> | 2 | submit({"answer": "2"})#s1',
        "tool submit#s1: ok",
    ]
    assert run.metadata["eval"] == record["eval"]
    assert run.transcripts[0].metadata["scores"] == record["samples"][0]["scores"]
    assert inspect.FORMAT.summarise(record, Origin()).models == ("m-3", "m-3-mini")


def test_an_inspect_sample_alone_is_a_run_with_its_grades_as_numbers() -> None:
    run = inspect.FORMAT.read(load("inspect/sample.json"), origin("inspect/sample.json"))
    assert (run.id, run.rewards) == ("s-9", [(0.75, {"match": 0.5, "style": 1.0})])
    assert outline(run) == ["user: q", "assistant: t"]


def test_a_file_of_inspects_log_is_a_run_for_each_sample(tmp_path: Path) -> None:
    log = load("inspect/log.json")
    (tmp_path / "log.json").write_text(json.dumps(log))
    corpus = open_corpus(tmp_path / "log.json")
    assert [(info.id, info.format, tuple(info.rewards)) for info in corpus.infos] == [
        ("7", "inspect", (1.0,)),
        ("7 epoch 2", "inspect", (0.0,)),
    ]


def test_an_inspect_sample_without_messages_shows_its_input_and_the_answer() -> None:
    answer = {"choices": [{"message": {"role": "assistant", "content": "2"}}], "model": "m-3"}
    sample = {"id": 1, "epoch": 1, "input": "1+1", "target": "2", "output": answer, "scores": {"match": {"value": "C"}}}
    assert best(sample)[0].name == "inspect"
    run = inspect.FORMAT.read(sample, Origin())
    assert (outline(run), run.rewards) == (["user: 1+1", "assistant: 2"], [1.0])


def test_the_events_of_an_inspect_sample_stay_in_the_raw_record() -> None:
    """They say what the messages say, many times over; what an attachment holds stands in the message itself."""
    sample = {
        **load("inspect/sample.json"),
        "messages": [{"role": "user", "content": "attachment://ab12"}],
        "events": [{"event": "state", "changes": []}],
        "attachments": {"ab12": "a long text"},
        "store": {"seen": 3},
    }
    run = inspect.FORMAT.read(sample, Origin())
    assert [message.text for message in run.transcripts[0].messages] == ["a long text"]
    assert run.metadata["store"] == {"seen": 3}
    assert not {"events", "attachments"} & run.metadata.keys()


def test_steps_of_swe_agent_are_calls_and_answers() -> None:
    run = sweagent.FORMAT.read(load("sweagent/steps.traj"), origin("sweagent/steps.traj"))
    assert outline(run) == [
        'assistant: Look around. | shell({"command": "ls -F"})#step-0',
        "tool shell#step-0: a.py\n",
        'assistant: Done. | shell({"command": "submit"})#step-1',
        "tool shell#step-1: ",
    ]
    assert run.transcripts[0].messages[0].metadata["state"] == "{}"


def test_the_history_of_swe_agent_is_preferred_for_it_has_the_prompts() -> None:
    run = sweagent.FORMAT.read(load("sweagent/history.traj"), origin("sweagent/history.traj"))
    assert outline(run) == ["system: S", "user: Fix", "assistant: x", "user: a"]
    assert run.metadata["trajectory"][0]["action"] == "ls"


def test_steps_of_atif() -> None:
    record = load("atif/steps.json")
    run = atif.FORMAT.read(record, origin("atif/steps.json"))
    assert outline(run) == [
        "user: Make a file",
        'assistant: <reasoning {"reasoning": "Use the editor."}> | Made. | create({"path": "a"})#t1',
        "tool create#t1: created",
    ]
    assert run.id == "at-1"
    assert run.transcripts[0].messages[1].usage == {"prompt_tokens": 5}
    assert atif.FORMAT.summarise(record, Origin()).models == ("m-4",)


def test_entries_of_openhands() -> None:
    run = openhands.FORMAT.read(load("openhands/entries.json"), origin("openhands/entries.json"))
    assert outline(run) == [
        "user: Help me.",
        'assistant: <reasoning {"reasoning": "Check first."}>',
        'assistant: Checking | shell({"command": "make lint"})#',
    ]


def _atif(trajectory: str, agent: str, *steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "ATIF-v1.7", "session_id": "one", "trajectory_id": trajectory, "agent": {"name": agent},
        "steps": [{"step_id": number, **step} for number, step in enumerate(steps, 1)], **more,
    }  # fmt: skip


def test_trajectories_of_sub_agents_within_an_atif_trajectory_are_entered_at_their_calls() -> None:
    owl = _atif("t-owl", "owl", {"source": "user", "message": "awake?"})
    scout = _atif(
        "t-scout", "scout", {"source": "user", "message": "look"}, {"source": "agent", "message": "four"},
        subagent_trajectories=[owl],
    )  # fmt: skip
    call = {"tool_call_id": "c1", "function_name": "ask", "arguments": {}}
    result = {
        "source_call_id": "c1",
        "content": "four",
        "subagent_trajectory_ref": [{"session_id": "one", "trajectory_id": "t-scout"}],
    }
    lead = _atif(
        "t-lead", "lead", {"source": "user", "message": "count"},
        {"source": "agent", "message": "", "tool_calls": [call], "observation": {"results": [result]}},
        subagent_trajectories=[scout],
    )  # fmt: skip
    run = atif.FORMAT.read(lead, Origin())
    assert [(each.name, len(each.messages)) for each in run.transcripts] == [(None, 3), ("scout", 2), ("owl", 1)]
    assert branches_of(run).came_from == {1: Entry(0, 1, 0, 1)}
    assert "subagent_trajectories" not in run.metadata
    summary = atif.FORMAT.summarise(lead, Origin())
    assert (summary.messages, summary.transcripts) == (6, 3)
    assert atif.FORMAT.check(lead, Origin()) == []


def test_what_is_no_trajectory_among_those_of_sub_agents_stays_in_the_metadata() -> None:
    for odd in ([1], [{"steps": 3}], {"a": []}, "x"):
        run = atif.FORMAT.read(
            _atif("t", "lead", {"source": "user", "message": "hi"}, subagent_trajectories=odd), Origin()
        )
        assert len(run.transcripts) == 1
        assert run.metadata["subagent_trajectories"] == odd


def test_a_trajectory_that_is_its_own_sub_agent_is_read_once() -> None:
    record = _atif("t", "lead", {"source": "user", "message": "hi"})
    record["subagent_trajectories"] = [record]
    assert len(atif.FORMAT.read(record, Origin()).transcripts) == 1


def test_an_observation_of_swe_agent_answers_the_call_that_it_names() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "open", "arguments": "{}"}}
    history = [
        {"role": "user", "content": "Fix"},
        {"role": "assistant", "content": "x", "tool_calls": [call]},
        {"role": "tool", "content": "a", "tool_call_ids": ["c1"]},
    ]
    record = {"trajectory": [{"action": "open", "observation": "a"}], "history": history, "info": {}}
    assert outline(sweagent.FORMAT.read(record, Origin()))[-1] == "tool open#c1: a"


def test_calls_of_verifiers_are_json_in_texts() -> None:
    call = json.dumps({"id": "c1", "type": "function", "function": {"name": "python", "arguments": '{"code": "1"}'}})
    completion = [{"role": "assistant", "content": "", "tool_calls": [call]}, {"role": "tool", "content": "1"}]
    record = {"prompt": [{"role": "user", "content": "1?"}], "completion": completion, "reward": 1.0}
    assert outline(openai.FORMAT.read(record, Origin()))[1:] == [
        'assistant: python({"code": "1"})#c1',
        "tool python#None: 1",
    ]


def test_events_of_openhands_resolver_have_no_sources() -> None:
    history = [
        {"action": "message", "content": "Fix it", "image_urls": None},
        {"action": "run", "command": "ls", "thought": "Look.", "is_confirmed": "confirmed"},
        {"observation": "run", "content": "a.py", "command": "ls", "exit_code": 0},
        {"action": "finish", "outputs": {}, "thought": "Done."},
    ]
    record = {"issue": {"title": "Broken"}, "history": history, "success": True, "git_patch": "diff"}
    assert best(record)[0].name == "openhands"
    run = openhands.FORMAT.read(record, Origin())
    assert (run.name, run.rewards) == ("Broken", [1.0])
    assert outline(run) == [
        "user: Fix it",
        'assistant: Look. | run({"command": "ls", "is_confirmed": "confirmed"})#event 1',
        "tool run#event 1: a.py",
        'assistant: Done. | finish({"outputs": {}})#event 3',
    ]
