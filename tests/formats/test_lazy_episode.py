"""An episode whose messages are built when they are looked at is the one that reading builds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from trajview.corpus.corpus import Corpus
from trajview.corpus.decode import decode_json
from trajview.errors import TrajviewError
from trajview.formats import sotopia
from trajview.formats.base import Origin
from trajview.formats.lazy_episode import EpisodeMessages
from trajview.formats.quick import QuickLook
from trajview.formats.quick_episode import parted_episode
from trajview.highlight import text_of
from trajview.models.branches import branches_of
from trajview.models.run import AgentRun

from .hostile import hostile_bytes, in_any_order
from .opened import assert_same_run, opened_without_decoding
from .test_quick_episode import CONTEXT, EPISODE, USUAL

ORIGIN = Origin(Path("logs.json"))
FIXTURES = Path(__file__).parents[1] / "fixtures" / "sotopia"
RELAXED = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture(autouse=True)
def every_episode_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sotopia, "LAZY_FROM", 0)


def assert_same(run: AgentRun, whole: AgentRun) -> None:
    for seen, read in zip(run.transcripts, whole.transcripts, strict=True):
        messages = seen.messages
        assert isinstance(messages, EpisodeMessages)
        for index, (_, length, _) in enumerate(messages.measured()):
            said = read.messages[index]
            assert "\n".join(messages.searchable(index)) == text_of(said)
            assert length + len("the conversation.") >= len(said.text)  # `left.` is shown longer
    assert_same_run(run, whole)


@RELAXED
@given(EPISODE)
def test_an_episode_opened_is_the_episode_read(record: dict[str, Any]) -> None:
    try:
        whole = sotopia.FORMAT.read(record, ORIGIN)
    except TrajviewError as error:
        with pytest.raises(type(error), match=re.escape(str(error))):
            sotopia.FORMAT.open(record, ORIGIN)
        return
    assert_same(sotopia.FORMAT.open(record, ORIGIN), whole)


@RELAXED
@given(hostile_bytes(in_any_order(USUAL | EPISODE), at_least=0))
def test_an_episode_taken_from_its_bytes_is_the_episode_read(data: bytes) -> None:
    parts = parted_episode(data, ORIGIN)
    if parts is None:
        return
    run = sotopia.FORMAT.open_parted(parts, decode_json, ORIGIN)
    assert run is not None
    assert_same(run, sotopia.FORMAT.read(decode_json(data)[0], ORIGIN))


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.json")), ids=lambda path: path.name)
def test_every_fixture_opens_as_it_is_read(path: Path) -> None:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        whole = sotopia.FORMAT.read(record, ORIGIN)
    except (ValueError, TrajviewError):
        return
    assert_same(sotopia.FORMAT.open(record, ORIGIN), whole)


def _long(turns: int) -> dict[str, Any]:
    said = [[["Environment", "Ann", CONTEXT], ["Environment", "Bo", CONTEXT]]]
    for number in range(turns):
        who, other = ("Ann", "Bo") if number % 2 else ("Bo", "Ann")
        act = f'said: "{number} {"é" if number % 7 else ""}{"x" * 1500}"'
        said[-1] += [[who, "Environment", act], [other, "Environment", "did nothing"]]
        said.append([["Environment", name, f"Turn #{number}: {who} {act}\n"] for name in ("Ann", "Bo")])
    return {"pk": "long", "environment": "e", "agents": ["p1", "p2"], "models": ["judge", "m1", "m2"], "messages": said, "reasoning": "", "rewards": [1, 2],
            "rewards_prompt": None}  # fmt: skip


def test_a_large_episode_is_listed_and_opened_without_being_decoded_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = _long(1000)
    path = tmp_path / "long.json"
    path.write_text(json.dumps(record))
    whole = sotopia.FORMAT.read(record, Origin(path))
    for info, run in opened_without_decoding(path, monkeypatch):
        summary = sotopia.FORMAT.summarise(record, Origin(path))
        assert (info.id, info.name, info.messages, info.units, info.agents, info.rewards, info.models) == (
            summary.id, summary.name, summary.messages, summary.units, summary.agents, summary.rewards, summary.models,
        )  # fmt: skip
        assert_same(run, whole)


def test_what_looks_like_a_large_episode_and_is_none_is_looked_at_in_full() -> None:
    for record in ({"messages": [["x" * (1 << 20)]]}, {**_long(1000), "surprise": 1}, {**_long(1000), "environment": float("nan")}):  # fmt: skip
        looker = QuickLook()
        assert looker.look(json.dumps(record).encode(), ORIGIN, apart=True) is None
        assert looker.taken_apart() is None


def test_nobody_looks_for_calls_in_an_episode() -> None:
    run = sotopia.FORMAT.open(_long(50), ORIGIN)
    assert not branches_of(run).entries
    looked_at = [len(each.messages._built) for each in run.transcripts if isinstance(each.messages, EpisodeMessages)]
    assert len(looked_at) == 3
    assert max(looked_at) <= 5  # among the first there may be a task


def test_an_episode_for_which_there_is_no_room_is_not_decoded() -> None:
    data = json.dumps(_long(1000)).encode()
    assert QuickLook(fits=lambda size: size <= len(data)).look(data, ORIGIN, apart=True) is not None
    assert QuickLook(fits=lambda size: size < len(data)).look(data, ORIGIN, apart=True) is None


def test_an_episode_for_which_there_is_no_room_is_told_when_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "long.json"
    path.write_text(json.dumps(_long(1000)))
    corpus = Corpus([path])
    corpus.scan()
    monkeypatch.setattr("trajview.corpus.reader.fits_decoded", lambda _: False)
    with pytest.raises(TrajviewError, match="memory"):
        corpus.load(corpus[0], lazily=True)
