"""A run that was opened from the bytes of its record, against the one that reading it decoded gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from trajview.corpus.corpus import Corpus
from trajview.corpus.info import RunInfo
from trajview.highlight import highlights_in
from trajview.models.run import AgentRun


def assert_same_run(run: AgentRun | None, whole: AgentRun) -> None:
    """Check that nothing differs: what is known of messages before they are read, and these, beginning with the last."""
    assert run is not None
    for one, other in zip(run.transcripts, whole.transcripts, strict=True):
        messages = one.messages
        assert all(min(message.size) >= 0 for message in messages)
        assert highlights_in(one) == highlights_in(other)
        assert [message.texts() for message in messages] == [message.texts() for message in other.messages]
        assert messages[::-1] == other.messages[::-1]
        assert list(one.metadata) == list(other.metadata)
        assert (one.id, one.name, one.metadata) == (other.id, other.name, other.metadata)
        assert (one.units, one.unit_starts) == (other.units, other.unit_starts)
    assert list(run.metadata) == list(whole.metadata)
    assert replace(run, transcripts=whole.transcripts) == whole


def opened_without_decoding(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[RunInfo, AgentRun]]:
    """The run of a file as it is listed and opened: by who hands over what was listed, and by who takes it apart again.

    From now on, to decode a whole record fails.
    """

    def fails(*_: object) -> None:
        raise AssertionError("it was decoded in full")

    monkeypatch.setattr("trajview.corpus.json_records.decode_json", fails)
    monkeypatch.setattr("trajview.corpus.reader.value_of", fails)
    handed, reopened = Corpus([path]), Corpus([path])
    handed.start()
    handed.wait()
    reopened.scan()
    for corpus in (handed, reopened):
        assert not corpus.problems
        (info,) = corpus
        yield info, corpus.load(info)
