"""Sotopia's records: both spellings, the one rule, annotations to the byte, rendering, reasoning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from trajview.models.episodes import agent_names_of, parse_action, parse_context, rewards_of
from trajview.models.sotopia import (
    DIMENSIONS,
    AgentProfile,
    AnnotationForEpisode,
    EpisodeLog,
    load_profiles,
    sentences_of,
    split_reasoning,
)

FIXTURES = Path(__file__).parent.parent / "fixtures" / "sotopia"


def record(name: str) -> dict[str, Any]:
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def test_both_spellings_load_as_the_same_episode_and_dump_to_sotopias_keys() -> None:
    native, published = EpisodeLog.model_validate(record("native.json")), EpisodeLog(**record("published.jsonl"))
    assert native == published
    assert list(published.model_dump()) == [
        "pk", "environment", "agents", "tag", "models", "agent_classes", "messages", "reasoning", "rewards",
        "rewards_prompt",
    ]  # fmt: skip
    dumped = json.loads(published.model_dump_json())
    assert {key: dumped[key] for key in record("native.json")} == record("native.json")


def test_the_number_of_rewards_must_be_that_of_the_agents_and_both_are_named() -> None:
    bad = record("native.json") | {"agents": ["a", "b", "c"]}
    with pytest.raises(ValidationError, match="Number of agents in rewards 2 and agents 3 do not match"):
        EpisodeLog.model_validate(bad)


def test_a_moderators_json_text_of_rewards_loads_in_the_order_of_the_agents() -> None:
    episode = EpisodeLog.model_validate(record("moderated.json"))
    assert episode.agent_names == ["Alice", "Bob"]
    assert episode.rewards == [(2.0, {"goal": 2.0}), (8.0, {"goal": 8.0})]
    assert EpisodeLog.model_validate(record("native.json") | {"rewards": "[1, 2.5]"}).rewards == [1.0, 2.5]
    with pytest.raises(ValidationError, match="rewards"):
        EpisodeLog.model_validate(record("native.json") | {"rewards": "very good"})


def test_custom_dimensions_and_bare_numbers_load() -> None:
    rewards = EpisodeLog.model_validate(record("three_agents.json")).rewards
    assert rewards == [(2.0, {"goal": 1.0, "seamanship": 3.0}), (0.0, {"goal": 0.0, "seamanship": 0.0}), 8.0]


def test_the_seven_dimensions_have_sotopias_ranges() -> None:
    assert {d.name: (d.low, d.high) for d in DIMENSIONS} == {
        "believability": (0, 10), "relationship": (-5, 5), "knowledge": (0, 10), "secret": (-10, 0),
        "social_rules": (-10, 0), "financial_and_material_benefits": (-5, 5), "goal": (0, 10),
    }  # fmt: skip


def test_names_come_from_turn_0_then_from_who_speaks_then_from_the_pks() -> None:
    shown = [[("Environment", "B", ""), ("Environment", "A", "")], [("A", "Environment", "did nothing")]]
    assert agent_names_of(shown, ["pk-b", "pk-a"]) == ["B", "A"]
    assert agent_names_of([[("Environment", "Environment", "")], [("Zoe", "Environment", "")]], ["1", "2"]) == [
        "Zoe",
        "2",
    ]
    assert agent_names_of([], ["same", "same", ""]) == ["same", "same (2)", "Agent 3"]


@pytest.mark.parametrize(
    ("text", "kind", "shown", "private_to"),
    [
        ('said: "Hi."', "speak", "Hi.", ()),
        (' said: "a "quoted"\nword"', "speak", 'a "quoted"\nword', ()),
        ('said: "cut off', "other", 'said: "cut off', ()),
        ("did nothing", "none", "did nothing", ()),
        ("Al did nothing.", "none", "did nothing.", ()),
        ('said: "I did nothing"', "speak", "I did nothing", ()),
        ("[action] did nothing", "action", "[action] did nothing", ()),
        ("[non-verbal communication] nods", "non-verbal communication", "[non-verbal communication] nods", ()),
        ("left the conversation", "leave", "left the conversation", ()),
        ("Al left.", "leave", "left the conversation", ()),
        ('Al action: "waves"', "action", "[action] waves", ()),
        ("[private to ['Bob']]  said: \"psst\"", "speak", "psst", ("Bob",)),
        (" [private to [\"O'Hara\", 'Bob']] [action] winks", "action", "[action] winks", ("O'Hara", "Bob")),
        ("[private to Bob] did nothing", "none", "did nothing", ("Bob",)),
    ],
)
def test_an_action_is_read_from_its_text(text: str, kind: str, shown: str, private_to: tuple[str, ...]) -> None:
    action = parse_action("Al", text)
    assert (action.kind, action.text, action.private_to) == (kind, shown, private_to)


def test_a_context_is_read_and_what_is_unknown_is_left_out() -> None:
    context = parse_context(record("native.json")["messages"][0][0][2])
    assert context is not None
    assert context.scenario == "Two neighbours share one parking space behind the house; both need it tonight."
    assert context.participants == "Ruth Okafor and Tomas Lind"
    assert context.backgrounds["Ruth Okafor"].endswith("Ruth's secrets: Scratched the van in March")
    assert list(context.goals) == ["Ruth Okafor"]
    assert parse_context("Hello") is None


def test_rendering_is_sotopias_and_speech_that_mentions_doing_nothing_stays() -> None:
    profiles, texts = EpisodeLog.model_validate(record("native.json")).render_for_humans()
    assert [profile.name for profile in profiles] == ["Ruth Okafor", "Tomas Lind"]
    assert len(texts) == 6 + 2
    assert texts[0].startswith(
        "Ruth Okafor's perspective (i.e., what Ruth Okafor knows before the episode starts): \nHere is the context"
    )
    assert texts[0].endswith('\nRuth Okafor said: "Tomas, you did nothing wrong, but I need the space tonight."')
    assert texts[1] == "Tomas Lind: [non-verbal communication] shrugs and looks at the van"
    assert texts[2] == texts[5] == ""
    assert texts[4] == "Ruth Okafor: [action] hands over the key\nTomas Lind: left the conversation"
    assert texts[6].startswith("The reasoning is:\nEnvironment comments: terminated")


def test_rendering_gives_the_rewards_of_every_agent() -> None:
    profiles, texts = EpisodeLog.model_validate(record("three_agents.json")).render_for_humans()
    assert len(profiles) == 3
    assert len(texts) == 5 + 2, "what a stream appends is no turn"
    assert texts[-1] == (
        "The rewards are:\nAgent 1: (2.0, {'goal': 1.0, 'seamanship': 3.0})\n"
        "Agent 2: (0.0, {'goal': 0.0, 'seamanship': 0.0})\nAgent 3: 8.0"
    )


def test_rendering_a_moderated_episode_names_no_one_twice() -> None:
    _, texts = EpisodeLog.model_validate(record("moderated.json")).render_for_humans()
    assert texts[:3] == ["A lost dog is found by two people at once.", 'Alice said: "He is mine."', ""]


def test_profiles_come_from_a_mapping_a_file_or_a_folder(tmp_path: Path) -> None:
    episode = EpisodeLog.model_validate(record("native.json"))
    tomas = {"agent_id": "agent-tomas", "first_name": "Tomas", "last_name": "Lind", "age": 29, "secret": None, "new": 1}
    file = tmp_path / "profiles.jsonl"
    file.write_text(json.dumps(tomas) + "\n\n" + json.dumps({"pk": "x"}) + "\n")
    folder = tmp_path / "AgentProfile"
    folder.mkdir()
    (folder / "agent-tomas.json").write_text(json.dumps({"first_name": "Tomas", "last_name": "Lind", "age": 29}))
    (folder / "torn.json").write_text("{")
    for given_profiles in (file, folder, load_profiles(file), load_profiles(folder)):
        ruth, found = episode.render_for_humans(given_profiles)[0]
        assert (found.name, found.age) == ("Tomas Lind", 29)
        assert (ruth.pk, ruth.first_name, ruth.last_name, ruth.age) == ("agent-ruth", "Ruth", "Okafor", 0)
    with pytest.raises(ValueError):  # noqa: PT011 - JSON's own error
        load_profiles(folder / "torn.json")


def test_a_profile_needs_nothing() -> None:
    assert AgentProfile().name == ""
    assert AgentProfile.model_validate({"moral_values": "care", "age": None}).moral_values == ["care"]


def test_an_annotation_is_written_to_the_byte_as_sotopia_does() -> None:
    annotation = AnnotationForEpisode.model_validate(
        {
            "reasoning": "Ruth was “fair”.\nTomas évades.",
            "rewards": [[3.14, {"believability": 10, "goal": -1.5}], [1, {}]],
            "annotator_id": "maria",
            "episode": "01TESTPARKING0000000000001",
            "pk": "5f0c1d7e-0000-5000-8000-000000000001",
            "mood": "ignored, as Sotopia does",
        }
    )
    assert annotation.to_json() == (FIXTURES / "annotation.json").read_text(encoding="ascii")
    assert AnnotationForEpisode.from_json(annotation.to_json()) == annotation


def test_a_null_in_an_annotation_is_refused_by_name() -> None:
    good = record("annotation.json")
    with pytest.raises(ValidationError, match="goal of agent 2 is null; leave out a dimension that is not rated"):
        AnnotationForEpisode.model_validate(good | {"rewards": [[1, {"goal": 1}], [1, {"goal": None}]]})
    with pytest.raises(ValidationError, match="the reward of agent 1 is null"):
        AnnotationForEpisode.model_validate(good | {"rewards": [None]})


def test_reasoning_splits_by_agent_and_dimension() -> None:
    split = EpisodeLog.model_validate(record("native.json")).comments
    assert split["environment"] == "terminated: Too few active agents;"
    assert list(split["agents"]) == [0, 1]
    assert list(split["agents"][0]) == [d.name for d in DIMENSIONS]
    assert split["agents"][0]["goal"] == "Half reached: she gives up the space at midnight."


def test_reasoning_that_is_there_twice_is_split_once_and_the_later_words_count() -> None:
    first = "Environment comments: over\nAgent 1 comments:\ngoal: met\nand more\nAgent 2 comments:\ngoal: missed"
    assert split_reasoning(first + first) == split_reasoning(first)
    assert split_reasoning(first)["agents"] == {0: {"goal": "met\nand more"}, 1: {"goal": "missed"}}
    again = split_reasoning(first + "\nAgent 2 comments:\ngoal: met after all\n")
    assert again["agents"][1] == {"goal": "met after all"}


def test_reasoning_without_headings_is_the_environments() -> None:
    assert split_reasoning("Fine.") == {"environment": "Fine.", "agents": {}}
    assert split_reasoning("") == {"environment": "", "agents": {}}


@given(st.text())
def test_no_reasoning_is_too_odd_to_split(text: str) -> None:
    assert set(split_reasoning(text)) == {"environment", "agents"}


_SCORES = st.dictionaries(st.text(max_size=9), st.floats(-10, 10), max_size=4)


@given(st.lists(st.tuples(st.floats(-10, 10), _SCORES) | st.floats(-10, 10), max_size=4))
def test_rewards_survive_json_as_data_and_as_text(rewards: list[Any]) -> None:
    text = json.dumps(rewards)
    assert rewards_of(json.loads(text)) == rewards_of(text) == rewards


def test_rewards_that_are_none_are_not_made_up() -> None:
    for odd in (None, 3, "soon", [[1, 2, 3]], [{"goal": "high"}], [[1, {"goal": []}]]):
        assert rewards_of(odd) is None
    assert rewards_of([[1, {"goal": None, "secret": -2}]]) == [(1.0, {"secret": -2.0})]
    assert rewards_of([{"goal": 4, "secret": -2}]) == [(1.0, {"goal": 4.0, "secret": -2.0})]


def test_what_a_model_finds_wrong_is_said_with_its_place() -> None:
    with pytest.raises(ValidationError) as caught:
        EpisodeLog.model_validate(record("native.json") | {"messages": [[["a", "b"]]], "agents": None})
    sentences = sentences_of(caught.value)
    assert any(sentence.startswith("messages[0][0][2]: ") for sentence in sentences), sentences
    assert any(sentence.startswith("agents: ") for sentence in sentences), sentences
