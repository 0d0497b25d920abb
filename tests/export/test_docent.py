"""Docent's JSON holds all of a run: what is read back is equal."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings

from trajview.corpus.corpus import Corpus
from trajview.export.docent import export_docent
from trajview.export.exported import Part
from trajview.formats.base import Origin
from trajview.formats.docent import FORMAT
from trajview.models.messages import AssistantMessage, UserMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript

from .reading import taken
from .strategies import runs

SAMPLES = Path(__file__).parents[2] / "sample_data"


def read(text: str) -> AgentRun:
    return FORMAT.read(json.loads(text), Origin(Path("run.json")))


@settings(deadline=None)
@given(runs)
def test_what_is_read_back_is_the_same_run(run: AgentRun) -> None:
    found = taken(export_docent(run))
    assert not [sentence for sentence in found.lost if "lone surrogates" not in sentence]
    assert read(found.text) == run
    assert len(found.text.splitlines()) == 1


@pytest.mark.parametrize("folder", ["docent", "sotopia", "adp", "chat", "taskweaver"])
def test_every_sample_opens_again_as_it_was(folder: str, tmp_path: Path) -> None:
    corpus = Corpus([SAMPLES / folder])
    written = tmp_path / "runs.jsonl"
    before = []
    corpus.scan()
    with written.open("w", encoding="utf-8") as file:
        for info in corpus.infos:
            before.append(corpus.load(info))
            file.write(taken(export_docent(before[-1])).text)
    assert before
    again = Corpus([written])
    again.scan()
    assert [again.load(info) for info in again.infos] == before


def test_what_json_has_not_is_replaced_and_named() -> None:
    deep: object = "bottom"
    for _ in range(400):
        deep = [deep]
    metadata = {"when": date(2026, 1, 2), "nan": float("nan"), "deep": deep}
    run = AgentRun(id="r", transcripts=[Transcript(id="t", messages=[UserMessage(content="Hi", metadata=metadata)])])
    found = taken(export_docent(run))
    assert found.lost == [
        "Values that JSON has no type for, such as dates, are written as text.",
        "Numbers that JSON has not (NaN, Infinity) are written as null.",
        "What is nested more than 150 levels deep is written as text.",
    ]
    again = read(found.text).transcripts[0].messages[0].metadata
    assert (again["when"], again["nan"]) == ("2026-01-02", None)
    assert "bottom" in json.dumps(again["deep"])


def test_a_part_has_its_messages_and_its_units() -> None:
    said = [UserMessage(content="0"), AssistantMessage(content="1"), UserMessage(content="2"), UserMessage(content="3")]
    transcript = Transcript(id="t", messages=said, units=[[0], [1, 2], [3]])
    run = AgentRun(id="r", transcripts=[Transcript(id="other"), transcript], source_format="docent")
    again = read(taken(export_docent(run, Part(1, 1, 2))).text)
    assert [each.id for each in again.transcripts] == ["t"]
    assert [message.text for message in again.transcripts[0].messages] == ["1", "2"]
    assert again.transcripts[0].units_of_action == [[0, 1]]
