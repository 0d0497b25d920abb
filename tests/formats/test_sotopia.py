"""Episodes and annotations as runs: goldens, and no record that is accepted can break the reading."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.errors import FormatError
from trajview.formats.base import Origin
from trajview.formats.sotopia import FORMAT
from trajview.formats.sotopia_annotation import FORMAT as ANNOTATION
from trajview.models.run import AgentRun

from .agreeing import agree

FIXTURES = Path(__file__).parent.parent / "fixtures" / "sotopia"
ORIGIN = Origin(path=Path("log.jsonl"), record=4, line=5, alone=False)


def record(name: str) -> dict[str, Any]:
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def as_text(run: AgentRun) -> str:
    """A run as the goldens hold it: a line for each message, by unit."""
    lines = [f"{run.id} | {run.name} | {run.agents}"]
    for transcript in run.transcripts:
        lines.append(f"== {transcript.name}")
        for number, unit in enumerate(transcript.units_of_action):
            lines.append(f"-- unit {number}")
            for message in (transcript.messages[index] for index in unit):
                to = f" > {message.recipient}" if message.recipient else ""
                model = f" ({message.model})" if getattr(message, "model", None) else ""
                lines.append(f"{message.role} {message.name}{to}{model}: {message.text!r}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", ["native", "three_agents", "moderated"])
def test_an_episode_reads_as_its_golden(name: str) -> None:
    data = record(f"{name}.json")
    before = copy.deepcopy(data)
    assert as_text(FORMAT.read(data, ORIGIN)) == (FIXTURES / f"{name}.golden.txt").read_text(encoding="utf-8")
    assert data == before, "reading changes no record"


@pytest.mark.parametrize("name", ["native.json", "published.jsonl", "three_agents.json", "moderated.json"])
def test_an_episode_is_recognised_and_its_summary_agrees(name: str) -> None:
    detection = FORMAT.detect(record(name))
    assert detection is not None
    assert detection.confidence > 0.9
    agree(FORMAT, record(name), ORIGIN)
    assert FORMAT.check(record(name), ORIGIN) == []


def test_both_spellings_read_the_same_but_for_what_only_one_knows() -> None:
    native, published = FORMAT.read(record("native.json"), ORIGIN), FORMAT.read(record("published.jsonl"), ORIGIN)
    assert published.transcripts == native.transcripts
    assert (published.rewards, published.reasoning) == (native.rewards, native.reasoning)
    assert (native.name, published.name) == ("Ruth Okafor, Tomas Lind", "parking")
    only = {"codename", "agents_background", "social_goals", "social_interactions"}
    assert {key: value for key, value in published.metadata.items() if key not in only} == native.metadata


def test_the_onlooker_has_a_unit_for_each_turn_and_all_goals() -> None:
    data = record("native.json")
    onlooker = FORMAT.read(data, ORIGIN).transcripts[0]
    assert len(onlooker.units_of_action) == len(data["messages"])
    context = onlooker.messages[0].text
    for truth in ("Keep the space until six", "Park the van before midnight", "Scratched the van", "a second permit"):
        assert truth in context
    assert "Unknown" not in context


def test_an_observation_that_says_something_new_is_shown_to_the_onlooker() -> None:
    data = record("native.json")
    for said in data["messages"][2]:
        if said[0] == "Environment":
            said[2] = "Turn #1: Tomas Lind [non-verbal communication] shrugs and looks at the van\nIt starts to rain.\n"
    data["messages"][3][0][2] = "Turn #2: A phone buzzes."
    messages = FORMAT.read(data, ORIGIN).transcripts[0].messages
    new = [(m.role, m.recipient, m.text) for m in messages if m.name == "Environment" and "Turn #" in m.text]
    assert new == [
        ("user", None, "Turn #1: Tomas Lind [non-verbal communication] shrugs and looks at the van\nIt starts to rain."),
        ("user", "Ruth Okafor", "Turn #2: A phone buzzes."),
    ]  # fmt: skip
    agree(FORMAT, data, ORIGIN)


def test_an_observation_that_repeats_a_deed_word_for_word_is_left_out_whatever_that_mentions() -> None:
    data = record("native.json")
    data["messages"] = [
        [["Environment", "Ann", "Start"], ["Ann", "Environment", 'said: "Bo did nothing"'], ["Bo", "Environment", "did nothing"]],
        [["Environment", "Ann", 'Turn #0: Ann said: "Bo did nothing"\n'], ["Bo", "Environment", "left"]],
    ]  # fmt: skip
    messages = FORMAT.read(data, ORIGIN).transcripts[0].messages
    assert [message.text for message in messages] == ["Start", "Bo did nothing", "left the conversation"]
    agree(FORMAT, data, ORIGIN)


def test_what_a_stream_appends_is_no_turn_but_counts_where_nothing_else_is_known() -> None:
    data = record("three_agents.json")
    data["rewards"], data["reasoning"] = [], ""
    data["messages"][-2][0][2] = "[(1.5, {'goal': 1.5}), 0.0, 2.0]"
    run = FORMAT.read(data, ORIGIN)
    assert len(run.transcripts[0].units_of_action) == len(data["messages"]) - 2
    assert run.rewards == [(1.5, {"goal": 1.5}), 0.0, 2.0]
    assert run.reasoning == "streamed"
    data["messages"][-2][0][2] = "__import__('os').abort()"
    assert FORMAT.read(data, ORIGIN).rewards is None


def test_rewards_that_do_not_fit_the_agents_are_kept_and_only_validate_complains() -> None:
    data = record("native.json") | {"rewards": [1.0, 2.0, 3.0]}
    run = FORMAT.read(data, ORIGIN)
    assert run.rewards is None
    assert run.metadata["rewards"] == [1.0, 2.0, 3.0]
    assert run.metadata["rewards_note"] == "not shown as rewards: 3 for 2 agents"
    (problem,) = FORMAT.check(data, ORIGIN)
    assert problem.reason == "Number of agents in rewards 3 and agents 2 do not match"
    assert str(problem.where) == "log.jsonl:5"
    odd = FORMAT.read(record("native.json") | {"rewards": "good"}, ORIGIN)
    assert odd.metadata["rewards"] == "good"
    assert "not numbers" in odd.metadata["rewards_note"]


def test_unknown_keys_are_kept_as_metadata() -> None:
    data = record("three_agents.json") | {"goals": "a name we use too"}
    metadata = FORMAT.read(data, ORIGIN).metadata
    assert metadata["harbour"] == {"berth": 7}
    assert metadata["goals (record)"] == "a name we use too"
    assert metadata["agent_pks"] == ["agent-ana", "agent-bob", "agent-chen"]
    assert list(metadata["goals"]) == ["Ana Reis", "Bob O'Hara", "Chen Wu"]


def test_an_episode_without_a_pk_is_named_by_its_place() -> None:
    run = FORMAT.read(record("native.json") | {"pk": None}, ORIGIN)
    assert run.id == "log#4"


def test_no_turns_at_all_is_a_format_error_with_place_and_hint() -> None:
    for call in (FORMAT.read, FORMAT.summarise):
        with pytest.raises(FormatError, match=r"log\.jsonl:5: The messages of an episode are a list of turns, not int"):
            call(record("native.json") | {"messages": 3}, ORIGIN)


@pytest.mark.parametrize(
    "other",
    [
        None, [], "text", {"messages": [{"role": "user", "content": "hi"}]},
        {"environment": {}, "agents": [], "messages": [{"role": "user", "content": "hi"}]},
        {"id": "x", "transcripts": []}, {"raw_messages": 3, "episode_id": ""},
    ],
)  # fmt: skip
def test_other_records_are_not_taken(other: Any) -> None:
    assert FORMAT.detect(other) is None
    assert ANNOTATION.detect(other) is None


_JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_NAMES = st.sampled_from(["Environment", "Evaluation", "A", "B O", "Rewards", ""])
_TEXTS = st.text(max_size=15) | st.sampled_from(
    [
        "did nothing",
        'said: "x"',
        "Turn #0: A did",
        "[private to ['A']] [action] x",
        "Scenario: x\nA's goal: y",
        "[1, 2]",
    ]
)
_SAID = st.tuples(_NAMES, _NAMES, _TEXTS).map(list) | _JUNK
_TURNS = st.lists(st.lists(_SAID, max_size=4) | _JUNK, max_size=4)
_KEYS = [
    "pk", "environment", "agents", "tag", "models", "agent_classes", "reasoning", "rewards", "rewards_prompt",
    "episode_id", "agent_ids", "raw_rewards", "codename", "scenario", "social_goals", "agents_background", "other",
]  # fmt: skip


@st.composite
def junk_episodes(draw: st.DrawFn) -> dict[str, Any]:
    """Records with an episode's keys, and anything at all in them."""
    data = draw(st.dictionaries(st.sampled_from(_KEYS), _JUNK, max_size=8))
    data.setdefault("environment", "e")
    data.setdefault("agents", ["a", "b"])
    data.setdefault("episode_id", "x")
    data[draw(st.sampled_from(["messages", "raw_messages"]))] = draw(_TURNS | _JUNK)
    return data


@given(junk_episodes())
def test_what_is_accepted_reads_whatever_is_in_it_and_the_summary_agrees(data: dict[str, Any]) -> None:
    if FORMAT.detect(data) is None:
        with pytest.raises(FormatError):
            FORMAT.read(data | {"messages": None, "raw_messages": None}, ORIGIN)
        return
    agree(FORMAT, data, ORIGIN)
    run = FORMAT.read(data, ORIGIN)
    assert all(run.transcripts[0].units_of_action)
    for problem in FORMAT.check(data, ORIGIN):
        assert problem.reason


def test_an_annotation_opens_as_a_run() -> None:
    data = record("annotation.json")
    detection = ANNOTATION.detect(data)
    assert detection is not None
    assert detection.confidence > 0.9
    assert FORMAT.detect(data) is None
    run = ANNOTATION.read(data, ORIGIN)
    assert run.id == data["pk"]
    assert run.name == "annotation of 01TESTPARKING0000000000001 by maria"
    assert [m.text for m in run.transcripts[0].messages] == [
        "Agent 1: 3.14\n- believability: 10\n- goal: -1.5",
        "Agent 2: 1",
        data["reasoning"],
    ]
    assert run.rewards == [(3.14, {"believability": 10.0, "goal": -1.5}), (1.0, {})]
    assert run.agents == run.agent_names == ["agent 1", "agent 2"]
    assert ANNOTATION.check(data, ORIGIN) == []
    agree(ANNOTATION, data, ORIGIN)


@given(st.fixed_dictionaries({"episode": _JUNK, "annotator_id": _JUNK, "rewards": _JUNK}, optional={"pk": _JUNK, "reasoning": _JUNK}))  # fmt: skip
def test_an_odd_annotation_reads_too(data: dict[str, Any]) -> None:
    assert ANNOTATION.detect(data) is not None
    agree(ANNOTATION, data, ORIGIN)
    for problem in ANNOTATION.check(data, ORIGIN):
        assert problem.reason


def test_a_null_dimension_is_a_problem_of_the_annotation() -> None:
    (problem,) = ANNOTATION.check(record("annotation.json") | {"rewards": [[1, {"goal": None}]]}, ORIGIN)
    assert problem.reason == "rewards: goal of agent 1 is null; leave out a dimension that is not rated"


def test_the_cheap_look_does_not_import_pydantic() -> None:
    code = (
        "import json, sys\n"
        "from trajview.formats.base import Origin\n"
        "from trajview.formats import sotopia, sotopia_annotation\n"
        "for module, file in ((sotopia, 'native.json'), (sotopia_annotation, 'annotation.json')):\n"
        "    data = json.load(open(sys.argv[1] + '/' + file))\n"
        "    assert module.FORMAT.detect(data) and module.FORMAT.summarise(data, Origin()).messages\n"
        "sys.exit('pydantic' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code, str(FIXTURES)], check=False).returncode == 0
