"""What only the whole run says, found by reading it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trajview.corpus import cache as module
from trajview.corpus.corpus import Corpus, open_corpus
from trajview.corpus.info import RunInfo
from trajview.models.run import AgentRun
from trajview.models.tokens import count_tokens
from trajview.where.complete import METADATA
from trajview.where.details import details_of, values_of
from trajview.where.fields import Ref
from trajview.where.kept import DetailsCache
from trajview.where.parse import parse
from trajview.where.reading import DetailsReader, Listed
from trajview.where.syntax import refs_in

SAMPLES = Path(__file__).parents[2] / "sample_data"


def asked(text: str) -> list[Ref]:
    return list(refs_in(parse(text)))


def opened(record: Any, folder: Path) -> Corpus:
    path = folder / "a.json"
    path.write_text(json.dumps(record))
    return open_corpus(path)


def found_out(corpus: Listed, info: RunInfo, refs: list[Ref], cache: DetailsCache | None = None) -> dict[Ref, Any]:
    """The values of some fields of a run."""
    reader: DetailsReader[None] = DetailsReader(corpus, cache)
    reader.ask(None, info, {ref.name for ref in refs})
    [(_, details)] = reader.take(0)
    assert not reader.busy
    reader.close()
    return values_of(details, refs)


def of(record: Any, text: str, tmp_path: Path) -> list[Any]:
    corpus = opened(record, tmp_path)
    found = found_out(corpus, corpus[0], asked(text))
    return [found[ref] for ref in asked(text)]


def call(name: str, arguments: str = "{}") -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": name, "arguments": arguments}}


CHAT = {
    "id": "a",
    "metadata": {"task": {"name": "sort", "a.b": 3}, "tags": ["x", "y"], "solved": False},
    "messages": [
        {"role": "user", "content": "hello world"},
        {"role": "assistant", "content": "ok", "tool_calls": [call("bash"), call("edit")]},
        {"role": "tool", "tool_call_id": "bash", "content": "Traceback (most recent call last):\n  x\nValueError: no"},
        {"role": "assistant", "content": "", "tool_calls": [call("bash")]},
    ],
}


def test_errors_calls_and_tools_are_counted(tmp_path: Path) -> None:
    assert of(CHAT, "errors>0 calls>0 tools>0 tools.bash>0 tools.rm>0", tmp_path) == [1, 3, ("bash", "edit"), 2, 0]


def test_the_keys_of_metadata_are_known_level_by_level_and_kept_once_for_all_runs(tmp_path: Path) -> None:
    def keys(record: dict[str, Any]) -> Any:
        corpus = opened(record, tmp_path)
        return found_out(corpus, corpus[0], [METADATA])[METADATA]

    found = keys(CHAT)
    assert found == (("task", ""), ("tags",), ("solved",), ("task", "name"), ("task", "a.b"))
    assert keys({**CHAT, "metadata": {"task": {"name": 1, "a.b": 2}, "tags": 3, "solved": 4}}) is found
    deep = keys({**CHAT, "metadata": {"a": {"b": {"c": {"d": {"e": 1}}}}}})
    assert deep == (("a", ""), ("a", "b", ""), ("a", "b", "c", ""), ("a", "b", "c", "d"))
    assert len(keys({**CHAT, "metadata": {str(n): {"x": n} for n in range(999)}})) == 200


def test_tokens_are_those_of_what_is_said_and_called(tmp_path: Path) -> None:
    [tokens] = of({"messages": CHAT["messages"][:1]}, "tokens > 0", tmp_path)
    assert tokens == count_tokens("hello world") == 2


def test_metadata_is_found_level_by_level_or_under_a_dotted_key(tmp_path: Path) -> None:
    text = "metadata.task.name metadata.task.a.b metadata.tags metadata.tags.1 metadata.solved metadata.no"
    assert of(CHAT, text, tmp_path) == ["sort", 3, ["x", "y"], "y", False, None]


def test_an_episode_counts_what_was_said_once_though_each_agent_saw_it() -> None:
    corpus = open_corpus(SAMPLES / "sotopia" / "deposit.json")
    run = corpus.load(corpus[0])
    assert len(run.transcripts) > 1
    [tokens] = found_out(corpus, corpus[0], asked("tokens > 0")).values()
    run.transcripts = run.transcripts[:1]
    assert details_of(run, {"tokens"}).tokens == tokens


def test_a_run_that_cannot_be_read_any_more_has_no_details(tmp_path: Path) -> None:
    corpus = opened(CHAT, tmp_path)
    (tmp_path / "a.json").unlink()
    tokens, tools, metadata = found_out(corpus, corpus[0], asked("tokens>0 tools>0 metadata.x")).values()
    assert tokens != tokens
    assert (tools, metadata) == ((), None)


def test_reading_stops_when_nobody_wants_to_know(tmp_path: Path) -> None:
    corpus = opened(CHAT, tmp_path)
    asked_already = 0

    def cancelled() -> bool:
        nonlocal asked_already
        asked_already += 1
        return asked_already > 2

    reader: DetailsReader[None] = DetailsReader(corpus)
    reader.ask(None, corpus[0], {"errors"}, cancelled=cancelled)
    assert reader.take(0) == []
    assert asked_already == 3, "it was asked at each message, until it was so"


def test_what_a_run_was_read_for_is_kept_until_the_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "JUST_NOW", 0)
    corpus = opened(CHAT, tmp_path)
    read = 0

    class Counting:
        listed = corpus.listed

        def read(self, info: RunInfo) -> AgentRun:
            nonlocal read
            read += 1
            return corpus.read(info)

    def found(text: str) -> list[Any]:
        cache = DetailsCache(tmp_path / "cache.sqlite")
        return list(found_out(Counting(), corpus[0], asked(text), cache).values())

    assert found("errors > 0") == [1]
    assert found("calls > 0 metadata.task.name") == [3, "sort"]
    assert read == 1
    tokens = found("tokens > 0")
    assert read == 2, "nobody had asked for tokens"
    assert found("tokens > 0 tools.bash > 0") == [*tokens, 2]
    assert read == 2
    corpus = opened({**CHAT, "messages": CHAT["messages"][:1]}, tmp_path)
    assert found("errors > 0") == [0]
    assert read == 3


def test_metadata_that_no_cache_can_hold_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "JUST_NOW", 0)
    for value in ("x" * 100_000, 10**30):
        path = tmp_path / f"{len(str(value))}.json"
        path.write_text(json.dumps({**CHAT, "metadata": {"long": value}}))
        corpus = open_corpus(path)
        for _ in range(2):
            cache = DetailsCache(tmp_path / "cache.sqlite")
            values = found_out(corpus, corpus[0], asked("errors > 0 metadata.long"), cache)
            assert list(values.values()) == [1, value]


def test_a_run_is_found_as_it_is_even_when_the_cache_is_garbage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "JUST_NOW", 0)
    corpus = opened(CHAT, tmp_path)
    (tmp_path / "cache.sqlite").write_bytes(b"no database " * 1000)
    cache = DetailsCache(tmp_path / "cache.sqlite")
    assert list(found_out(corpus, corpus[0], asked("errors > 0"), cache).values()) == [1]
