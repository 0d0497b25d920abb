"""A record's cheap summary, which the list shows, against the run that reading it gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trajview.errors import FormatError
from trajview.formats.base import Origin
from trajview.formats.contract import Format
from trajview.models.run import AgentRun


def agree(known: Format, record: Any, origin: Origin) -> AgentRun:
    """Read a record, and check that the summary says the same of it."""
    run, summary = known.read(record, origin), known.summarise(record, origin)
    counted = run.transcripts[:1] if known.name == "sotopia" else run.transcripts
    assert (summary.id, summary.name) == (run.id, run.name)
    assert summary.messages == sum(len(transcript.messages) for transcript in counted)
    assert summary.units == sum(len(transcript.units_of_action) for transcript in counted)
    assert summary.transcripts == len(run.transcripts)
    assert summary.agents == tuple(run.agents or ())
    assert repr(summary.rewards) == repr(tuple(run.rewards or ())), "by repr, since NaN is no equal of itself"
    look_at_all(run)
    return run


def look_at_all(run: AgentRun) -> None:
    """Check that each message that is not read yet says what it says when it is read."""
    for transcript in run.transcripts:
        for message in transcript.messages:
            size, said, texts = message.size, message.said(), message.texts()
            assert message.plain()["role"] == message.role
            assert said == message.said()
            assert texts == message.texts() == [text for _, text, _ in said]
            assert min(size) >= 0


def read_in_any_order(known: Format, record: Any, origin: Origin) -> None:
    """Check that the messages of a record are the same, whichever is looked at first."""
    forwards, backwards = known.read(record, origin), known.read(record, origin)
    for one, other in zip(forwards.transcripts, backwards.transcripts, strict=True):
        there = [message.plain() for message in reversed(other.messages)]
        assert repr([message.plain() for message in one.messages]) == repr(there[::-1]), "by repr, for NaN's sake"


def read_if_detected(known: Format, record: Any, read: Callable[[Any, Origin], object]) -> None:
    """Check that a record can be read where it is detected, and be checked in any case."""
    known.check(record, Origin())
    try:
        read(record, Origin())
    except FormatError:
        assert known.detect(record) is None


def models_in(run: AgentRun) -> tuple[str, ...]:
    """The models that its messages name, in their order."""
    messages = (message for transcript in run.transcripts for message in transcript.messages)
    return tuple(dict.fromkeys(model for message in messages if (model := getattr(message, "model", None))))
