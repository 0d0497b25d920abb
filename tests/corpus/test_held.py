"""An object that only holds a list of records is listed by these, and only where that is certain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trajview import open_corpus
from trajview.corpus import background
from trajview.corpus.corpus import Corpus
from trajview.corpus.held import held_records, may_hold_records
from trajview.corpus.query import Query
from trajview.corpus.search import CorpusSearch, RunMatches


def chat(run_id: str, **more: Any) -> dict[str, Any]:
    said = [{"role": "user", "content": f"where is {run_id}?"}, {"role": "assistant", "content": "ok"}]
    return {"id": run_id, "messages": said, **more}


CHATS = [chat(f"r{number}") for number in range(60)]


def spans(record: Any, **options: Any) -> list[tuple[int, int]] | None:
    found = held_records(json.dumps(record, **options).encode())
    return None if found is None else found.spans


@pytest.mark.parametrize("key", ["data", "runs", "results", "trajectories"])
@pytest.mark.parametrize("indent", [None, 2])
def test_an_object_that_holds_records_is_listed_by_them(tmp_path: Path, key: str, indent: int | None) -> None:
    held = {'"note\\"': [1, 2], "model": {"data": [{}]}, key: CHATS, "errors": [], "score": 0.5}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(held, indent=indent, ensure_ascii=False))
    corpus = open_corpus(path)
    assert [info.id for info in corpus] == [record["id"] for record in CHATS]
    assert not corpus.problems
    for info, record in zip(corpus, CHATS, strict=True):
        assert json.loads(corpus.raw(info)) == record
        assert corpus.load(info).transcripts[0].messages[0].text == record["messages"][0]["content"]
    last = path.read_text().splitlines()[corpus[59].line - 1 :]
    assert '"r59"' in "".join(last[:2])
    assert '"r58"' not in "".join(last) or indent is None


def test_every_format_may_be_held_and_records_without_an_id_are_numbered(tmp_path: Path) -> None:
    records = [
        {"messages": CHATS[0]["messages"]},
        {"id": "d", "transcripts": [{"id": "t", "messages": CHATS[0]["messages"]}]},
        CHATS[0]["messages"],
    ]
    (tmp_path / "a.json").write_text(json.dumps({"runs": records}))
    corpus = open_corpus(tmp_path / "a.json")
    assert [(info.id, info.format) for info in corpus] == [("a#0", "openai"), ("d", "docent"), ("a#2", "messages")]
    (tmp_path / "b.json").write_text(json.dumps({"runs": records[:1]}))
    assert [info.id for info in open_corpus(tmp_path / "b.json")] == ["b"]


@pytest.mark.parametrize(
    "record",
    [
        {"data": []},
        {"data": [1, 2]},
        {"data": [chat("a"), {"what": "no record"}]},
        {"data": [*CHATS, {"what": "no record"}]},
        {"data": [chat("a"), 3]},
        {"data": CHATS[0]["messages"]},
        {"data": [chat("a")], "runs": [chat("b")]},
        {"data": {"runs": [chat("a")]}},
        {"anything": [chat("a")]},
        chat("a", data=[chat("b")]),
        chat("a", runs=CHATS),
        {"eval": {}, "samples": [chat("a", input="x", target="y")], "results": [chat("b")]},
        {"id": "d", "transcripts": [chat("t")], "data": [chat("b")]},
    ],
)
def test_an_object_that_may_be_a_record_itself_stays_one(tmp_path: Path, record: Any) -> None:
    assert spans(record) is None
    (tmp_path / "a.json").write_text(json.dumps(record))
    corpus = open_corpus(tmp_path / "a.json")
    assert [json.loads(corpus.raw(info)) for info in corpus] == [record]


@pytest.mark.parametrize(
    "text", ['{"data": [{"messages": []}], "data": [{"messages": []}]}', '{"data": [', '{"a": NaN, "data": []}']
)
def test_what_is_not_plain_json_is_no_holder(text: str) -> None:
    assert held_records(text.encode()) is None


def test_records_that_are_large_are_told_without_being_built(monkeypatch: pytest.MonkeyPatch) -> None:
    large = chat("a", note="x" * 100_000)
    large["messages"] = large["messages"] * 3000
    built: list[int] = []
    from trajview.corpus import held

    real = held.decode_json
    monkeypatch.setattr(held, "decode_json", lambda data: built.append(len(data)) or real(data))
    found = spans({"data": [large, large, chat("b")], "note": "y" * 100_000, "more": [[1] * 50_000]})
    assert found is not None
    assert len(found) == 3
    assert 0 < sum(built) < 20_000


def test_what_is_listed_first_of_a_holder_is_gone_once_its_records_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "AT_ONCE", 0)
    for name, held in (("early", {"data": CHATS}), ("late", {"note": "x" * 5000, "data": CHATS})):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(held))
        assert may_hold_records(path.read_bytes()[:4096]) == (name == "early")
        corpus = Corpus([path])
        corpus.start()
        assert corpus.wait(20)
        assert [info.id for info in corpus] == [record["id"] for record in CHATS]
        assert not corpus.problems


def test_the_records_of_a_holder_are_searched_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"model": "r7?", "data": CHATS}))
    found = CorpusSearch((tmp_path / "a.json",), Query("r7?", regex=False)).found()
    assert [hit.id for hit in found if isinstance(hit, RunMatches)] == ["r7"]
