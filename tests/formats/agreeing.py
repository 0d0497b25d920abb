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
    return run


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
