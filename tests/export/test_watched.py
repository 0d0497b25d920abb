"""Exports that can be watched and stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from trajview import open_corpus
from trajview.export import choice
from trajview.export.watched import Stopped, watched
from trajview.models.messages import UserMessage

from .reading import run_of, taken

SAMPLE = Path(__file__).parents[2] / "sample_data" / "docent" / "coding_run.json"


@pytest.mark.parametrize("format", choice.FORMATS)
def test_a_run_that_is_watched_is_exported_as_it_is_and_keeps_its_units(format: str) -> None:
    run = next(open_corpus(SAMPLE).runs())
    units = run.transcripts[0].units_of_action
    seen: set[int] = set()
    found = taken(choice.exported(watched(run, seen.add), format))
    assert found == taken(choice.exported(run, format))
    assert seen == set(range(len(run.transcripts[0].messages)))
    assert run.transcripts[0].units_of_action is units


@pytest.mark.parametrize(("format", "heading"), [("md", "#### T0B10 "), ("html", " id=T0B10>")])
def test_a_page_is_written_message_by_message(format: str, heading: str) -> None:
    seen: list[int] = []
    run = run_of(*(UserMessage(content=str(number)) for number in range(20)))
    found = choice.exported(watched(run, seen.append), format)
    assert any(heading in piece for piece in found.pieces)
    assert seen[-1] == 10


@pytest.mark.parametrize("format", choice.FORMATS)
def test_a_step_ends_the_export(format: str) -> None:
    def step(message: int) -> None:
        if message == 3:
            raise Stopped

    with pytest.raises(Stopped):
        taken(choice.exported(watched(next(open_corpus(SAMPLE).runs()), step), format))
