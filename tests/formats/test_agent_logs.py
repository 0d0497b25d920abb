"""The logs of agents and services: each sample is its format for sure, reads as its golden says, and never as another."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from trajview.corpus.corpus import open_corpus
from trajview.errors import FormatError
from trajview.formats.base import Origin
from trajview.formats.registry import LEAST, best, detections, is_message_line

from .agreeing import agree, read_in_any_order
from .digest import digest

ROOT = Path(__file__).parents[2]
SAMPLES = sorted(path for path in (ROOT / "sample_data" / "agents").iterdir() if path.is_file())
GOLDENS = ROOT / "tests" / "fixtures" / "agents"
BY_NAME = pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)


def records_of(path: Path) -> list[Any]:
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".jsonl":
        return [json.loads(text)]
    lines = [json.loads(line) for line in text.splitlines()]
    return [lines] if is_message_line(lines[0]) else lines


def format_of(path: Path) -> str:
    """The format that a sample is named after: `gemini-cli-qwen.jsonl` is one of gemini-cli's."""
    names = path.name.split(".", 1)[0].split("-")
    known = {detection.format for record in records_of(path) for detection in detections(record)}
    return next("-".join(names[:n]) for n in range(len(names), 0, -1) if "-".join(names[:n]) in known)


@BY_NAME
def test_a_sample_reads_as_its_golden_says(path: Path) -> None:
    read = []
    for number, record in enumerate(records_of(path)):
        found, _ = best(record)
        origin = Origin(Path(path.name), number)
        run = agree(found, record, origin)
        read_in_any_order(found, record, origin)
        assert found.check(record, origin) == []
        read.append(digest(run))
    golden = GOLDENS / f"{path.name}.golden.txt"
    assert "".join(read) == golden.read_text(encoding="utf-8")


@BY_NAME
def test_a_sample_is_one_format_for_sure(path: Path) -> None:
    for record in records_of(path):
        first, *others = [each for each in detections(record) if each.format != "raw"]
        assert first.confidence > 0.6
        assert all(first.confidence - other.confidence >= 0.2 for other in others)


@BY_NAME
def test_a_file_is_listed_as_the_runs_that_are_read(path: Path) -> None:
    corpus = open_corpus(path)
    listed = [(info.format, info.messages) for info in corpus.infos]
    runs = [best(record)[0].read(record, Origin(path)) for record in records_of(path)]
    assert listed == [(run.source_format, sum(len(each.messages) for each in run.transcripts)) for run in runs]


def mutated(value: Any, random: Random) -> Any:
    """The record with one key dropped, or the type of a value changed, near its top."""
    changed = copy.deepcopy(value)
    place = changed
    for _ in range(random.randrange(4)):
        inner = list(place.values()) if isinstance(place, dict) else place
        inner = [each for each in inner if isinstance(each, dict | list) and each]
        if not inner:
            break
        place = random.choice(inner)
    key = random.choice(list(place)) if isinstance(place, dict) else random.randrange(len(place))
    if random.random() < 0.5:
        del place[key]
    else:
        place[key] = random.choice([None, 3, "x", [], {}, [1], {"a": "b"}, True])
    return changed


@BY_NAME
def test_a_broken_record_is_its_format_or_raw_and_never_another(path: Path) -> None:
    random = Random(17)
    expected = {best(record)[0].name for record in records_of(path)} | {"raw"}
    for record in records_of(path):
        for _ in range(100):
            broken = mutated(record, random)
            found, detection = best(broken)
            assert found.name in expected or detection.confidence < LEAST
            with suppress(FormatError):
                agree(found, broken, Origin(path))
            with suppress(FormatError):
                found.check(broken, Origin(path))
