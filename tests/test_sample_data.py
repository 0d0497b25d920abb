"""The sample data is what it says it is: every kind is there, it is valid, and the malformed files are malformed."""

from __future__ import annotations

import importlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from trajview.models.run import AgentRun
from trajview.models.transcript import unit_starts

SAMPLES = Path(__file__).parent.parent / "sample_data"

RANGES = {
    "believability": (0, 10),
    "relationship": (-5, 5),
    "knowledge": (0, 10),
    "secret": (-10, 0),
    "social_rules": (-10, 0),
    "financial_and_material_benefits": (-5, 5),
    "goal": (0, 10),
}

RUNS = ["docent/coding_run.json", *(f"docent/runs.jsonl#{i}" for i in range(6))]
EPISODES = ["deposit.json", "piano.json", "parrot.json", "published.jsonl#0", "published.jsonl#1"]
ADP_CLASSES = {
    "api_action",
    "code_action",
    "message_action",
    "text_observation",
    "image_observation",
    "web_observation",
}


def record_of(name: str) -> Any:
    """A record of a sample, named as `file` or `file.jsonl#index`."""
    path, _, index = name.partition("#")
    text = (SAMPLES / path).read_text(encoding="utf-8")
    return json.loads(text.splitlines()[int(index)]) if index else json.loads(text)


def test_every_source_has_at_least_two_files() -> None:
    for source in ("docent", "sotopia", "adp", "taskweaver", "chat"):
        files = [path for path in (SAMPLES / source).iterdir() if path.suffix in (".json", ".jsonl", ".yaml")]
        assert len(files) >= 2, source


@pytest.mark.parametrize(
    "path", [p for p in sorted(SAMPLES.rglob("*.json*")) if p.parent.name != "malformed"], ids=lambda p: p.name
)
def test_every_json_sample_parses(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for part in text.splitlines() if path.suffix == ".jsonl" else [text]:
        json.loads(part)


@pytest.mark.parametrize("name", RUNS)
def test_a_docent_sample_is_an_agent_run_whose_units_and_keys_survive(name: str) -> None:
    record = record_of(name)
    run = AgentRun.from_docent(record)
    written = json.loads(json.dumps(run.to_docent()))
    for before, transcript, after in zip(record["transcripts"], run.transcripts, written["transcripts"], strict=True):
        assert len(transcript.units_of_action) == len(unit_starts(m["role"] for m in before["messages"]))
        for told, kept in zip(before["messages"], after["messages"], strict=True):
            assert told["metadata"] == kept["metadata"], "an unknown key was moved to the metadata"
            assert told.items() <= kept.items() or isinstance(told["content"], list)
    assert written["metadata"] == record["metadata"]


def test_the_coding_run_is_long_fails_in_colour_and_then_passes() -> None:
    [transcript] = AgentRun.from_docent(record_of(RUNS[0])).transcripts
    assert 40 <= len(transcript.messages) <= 60
    assert len(transcript.units_of_action) >= 20
    tests = [m.text for m in transcript.messages if m.role == "tool" and "\x1b[" in m.text]
    assert sum("FAILED" in text for text in tests) >= 2
    assert "12 passed" in tests[-1]
    assert any(m.text.startswith("--- a/") for m in transcript.messages)
    assert any(m.reasoning for m in transcript.messages)
    assert any("```python" in m.text and "|---|" in m.text for m in transcript.messages)


def test_a_run_has_a_sub_agent_in_a_nested_group() -> None:
    runs = [AgentRun.from_docent(record_of(name)) for name in RUNS]
    [run] = [run for run in runs if len(run.transcripts) > 1]
    assert {t.transcript_group_id for t in run.transcripts} == {group.id for group in run.transcript_groups}
    assert run.transcript_groups[1].parent_transcript_group_id == run.transcript_groups[0].id


@pytest.mark.parametrize("name", EPISODES)
def test_the_rewards_of_an_episode_are_in_range_and_their_mean_is_the_overall(name: str) -> None:
    episode = record_of(f"sotopia/{name}")
    agents = episode.get("agents") or episode["agent_ids"]
    assert len(episode["rewards"]) == len(agents)
    for overall, dimensions in episode["rewards"]:
        assert dimensions.pop("overall_score") == overall
        assert dimensions.keys() == RANGES.keys()
        assert overall == pytest.approx(sum(dimensions.values()) / len(dimensions))
        for dimension, value in dimensions.items():
            low, high = RANGES[dimension]
            assert low <= value <= high, dimension
            assert value == int(value)


@pytest.mark.parametrize("name", EPISODES)
def test_an_episode_is_told_turn_by_turn_and_keeps_secrets(name: str) -> None:
    episode = record_of(f"sotopia/{name}")
    turns = episode.get("messages") or episode["raw_messages"]
    names = [receiver for sender, receiver, _ in turns[0] if sender == "Environment"]
    for _, reader, text in turns[0][: len(names)]:
        assert text.endswith("Conversation Starts:\n")
        assert text.count("'s secrets: ") == 1, reader
        assert text.count("goal: Unknown") == len(names) - 1
    for number, turn in enumerate(turns[1:]):
        assert all(text.startswith(f"Turn #{number}: ") for sender, _, text in turn if sender == "Environment")
    blocks = episode["reasoning"].split("Agent ")
    assert len(blocks) == len(names) + 1
    assert all(block.split(":", 1)[0] == f"{i} comments" for i, block in enumerate(blocks[1:], start=1))


def test_a_private_remark_is_seen_only_by_those_it_is_for() -> None:
    seen = [(reader, text) for turn in record_of("sotopia/parrot.json")["messages"] for _, reader, text in turn]
    readers = {reader for reader, text in seen if "visitors' book has him down" in text and reader != "Environment"}
    assert readers == {"Maeve Quinlan", "Nuala Quinlan"}


def test_the_trajectories_use_every_class_and_link_observations_to_actions() -> None:
    trajectories = [
        record_of("adp/web_trajectory.json"),
        *(record_of(f"adp/code_trajectory.jsonl#{i}") for i in range(3)),
        *record_of("adp/screens.json"),
    ]
    entries = [entry for trajectory in trajectories for entry in trajectory["content"]]
    assert {entry["class_"] for entry in entries} == ADP_CLASSES
    for trajectory in trajectories[:-1]:
        linked = [entry["tool_call_id"] for entry in trajectory["content"] if entry.get("tool_call_id")]
        assert linked[::2] == linked[1::2]
    assert record_of("adp/legacy.json")[0]["content"][1].keys() == {"class_", "message", "thoughts"}


def test_the_taskweaver_session_fails_revises_its_code_and_succeeds() -> None:
    session = yaml.safe_load((SAMPLES / "taskweaver" / "raw_exp_bees.yaml").read_text(encoding="utf-8"))
    attachments = [a for post in session["rounds"][0]["post_list"] for a in post["attachment_list"]]
    told = [(a["type"], a["content"]) for a in attachments]
    states = [content for kind, content in told if kind == "execution_status"]
    assert states == ["FAILURE", "SUCCESS"]
    assert any(kind == "execution_result" and "Traceback" in content for kind, content in told)
    assert any(kind == "revise_message" for kind, _ in told)
    example = yaml.safe_load((SAMPLES / "taskweaver" / "example-planner-sheep.yaml").read_text(encoding="utf-8"))
    assert "id" not in example["rounds"][0]["post_list"][0]


def test_the_malformed_files_are_malformed() -> None:
    folder = SAMPLES / "malformed"
    with pytest.raises(json.JSONDecodeError):
        json.loads((folder / "torn.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    with pytest.raises(json.JSONDecodeError):
        json.loads((folder / "not_json.json").read_text(encoding="utf-8"))
    with pytest.raises(yaml.YAMLError):
        yaml.safe_load((folder / "broken.yaml").read_text(encoding="utf-8"))
    with pytest.raises(UnicodeDecodeError):
        (folder / "nan_and_surrogates.jsonl").read_text(encoding="utf-8")
    assert (folder / "with_bom_crlf.jsonl").read_bytes().startswith(b"\xef\xbb\xbf{")
    assert b"\r\n\r\n" in (folder / "with_bom_crlf.jsonl").read_bytes()
    assert (folder / "empty.jsonl").stat().st_size == 0
    assert max(map(len, (folder / "hostile.jsonl").read_bytes().splitlines())) > 200_000
    assert record_of("malformed/same_id_1.json")["id"] == record_of("malformed/same_id_2.json")["id"]


def test_no_sample_tells_where_it_was_made_and_all_of_them_are_small() -> None:
    files = [path for path in SAMPLES.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert sum(path.stat().st_size for path in files) < 760_000
    for path in files:
        text = path.read_bytes()
        assert set(re.findall(rb"/(?:home|Users)/\w+", text)) <= {b"/home/ada"}, path
        assert b"site-packages" not in text, path
        assert b"/tmp" + b"/" not in text, path


def test_the_script_makes_the_same_files_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without Python's and pytest's own words, which may change with their versions: the parts that run no command.
    monkeypatch.syspath_prepend(str(SAMPLES))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    malformed = importlib.import_module("_make.malformed")
    for name, data in malformed.malformed_files().items():
        assert (SAMPLES / "malformed" / name).read_bytes() == data, name
    episodes, sotopia = importlib.import_module("_make.episodes"), importlib.import_module("_make.sotopia")
    assert sotopia.episode_log(episodes.DEPOSIT) == record_of("sotopia/deposit.json")
    adp = importlib.import_module("_make.adp")
    assert adp.web_trajectory() == record_of("adp/web_trajectory.json")


def test_the_annotations_are_of_the_episodes_and_within_their_ranges() -> None:
    records = [json.loads(path.read_text()) for path in (SAMPLES / "annotations" / "AnnotationForEpisode").iterdir()]
    episodes = {
        record.get("pk") or record["episode_id"]: len(record.get("agents") or record["agent_ids"])
        for record in (record_of(f"sotopia/{name}") for name in EPISODES)
    }
    assert {record["annotator_id"] for record in records} == {"ada", "bo", "chidi"}
    assert {record["episode"] for record in records} == set(episodes)
    for record in records:
        assert len(record["rewards"]) == episodes[record["episode"]]
        for overall, scores in record["rewards"]:
            assert overall == pytest.approx(sum(scores.values()) / len(scores))
            assert all(RANGES[name][0] <= score <= RANGES[name][1] for name, score in scores.items())
