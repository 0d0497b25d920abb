"""Common logs of other tools: Inspect, SWE-agent, ATIF, OpenHands."""

from __future__ import annotations

from trajview.formats import atif, inspect, openhands, sweagent
from trajview.formats.base import Origin

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
