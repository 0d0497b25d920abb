"""A run whose messages are built when they are looked at, against the one that reading builds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from trajview.formats.built import MessagesOnDemand

from trajview.corpus.corpus import Corpus
from trajview.corpus.info import RunInfo
from trajview.highlight import highlights_in, text_of
from trajview.models.run import AgentRun

_KEPT = set(AgentRun.model_fields) - {"transcripts"}


def assert_same_run(run: AgentRun | None, whole: AgentRun) -> None:
    """Check that nothing differs: what is known of messages before they are built, and these, beginning with the last."""
    assert run is not None
    for lazy, eager in zip(run.transcripts, whole.transcripts, strict=True):
        messages = lazy.messages
        if isinstance(messages, MessagesOnDemand):
            assert messages.roles == [message.role for message in eager.messages]
            assert len(messages.measured()) == len(eager.messages)
            models = [getattr(message, "model", None) for message in eager.messages]
            assert list(messages.models()) == list(dict.fromkeys(filter(None, models)))
            for index, message in enumerate(eager.messages):
                known = messages.searchable(index)
                assert known is None or "\n".join(filter(None, known)) == text_of(message)
        assert [messages[index] for index in reversed(range(len(messages)))] == eager.messages[::-1]
        assert highlights_in(lazy) == highlights_in(eager)
        assert list(lazy.metadata) == list(eager.metadata)
        assert (lazy.id, lazy.name, lazy.metadata) == (eager.id, eager.name, eager.metadata)
        assert (lazy.units, lazy.unit_starts) == (eager.units, eager.unit_starts)
    assert list(run.metadata) == list(whole.metadata)
    assert run.model_dump(include=_KEPT) == whole.model_dump(include=_KEPT)


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
