"""Anything that is JSON can be shown."""

from __future__ import annotations

import datetime
import json

import pytest

from trajview.formats.base import Origin
from trajview.formats.raw import FORMAT

from .chat_outline import load, origin


@pytest.mark.parametrize("name", ["object", "number", "null", "list", "points"])
def test_a_record_is_its_own_pretty_printed_text(name: str) -> None:
    record = load(f"raw/{name}.json")
    run = FORMAT.read(record, origin(f"raw/{name}.json"))
    (message,) = run.transcripts[0].messages
    assert message.role == "user"
    assert json.loads(message.text) == record
    assert run.id == ("thing" if name == "object" else name)


def test_letters_stay_letters() -> None:
    assert "héllo ⟨x⟩" in FORMAT.read(load("raw/object.json"), Origin()).transcripts[0].messages[0].text


def test_what_yaml_knows_and_json_does_not_is_shown() -> None:
    record = {"day": datetime.date(2025, 1, 2), (1, 2): "pair"}
    text = FORMAT.read(record, Origin()).transcripts[0].messages[0].text
    assert "2025" in text
    assert "pair" in text


def test_nesting_without_end_is_no_traceback() -> None:
    record: list[object] = []
    for _ in range(200_000):
        record = [record]
    text = FORMAT.read(record, Origin()).transcripts[0].messages[0].text
    assert "nested too deeply" in text
    while record:  # take it apart by hand: freeing it at once would overflow the C stack on some builds
        record = record.pop()  # type: ignore[assignment]
