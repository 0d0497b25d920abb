"""An object that only holds a list of records, and is torn or no proper JSON: what is whole in it opens, as of a bare list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trajview import open_corpus
from trajview.corpus.corpus import Corpus

from .logs import ids
from .test_held import chat

CHATS = [chat(f"r{number}") for number in range(5)]


def opened(tmp_path: Path, text: str) -> Corpus:
    path = tmp_path / "a.json"
    path.write_text(text)
    return open_corpus(path)


def said(corpus: Corpus) -> list[tuple[str, int | None]]:
    return [(problem.reason, problem.where.line) for problem in corpus.problems]


def held(indent: int | None = 1, **more: Any) -> str:
    return json.dumps({"object": "list", "data": CHATS, **more}, indent=indent)


@pytest.mark.parametrize("indent", [None, 1])
def test_wherever_it_is_torn_what_is_whole_opens_and_one_problem_says_so(tmp_path: Path, indent: int | None) -> None:
    whole = held(indent, note="some words")
    begins = [whole.index(f'"r{number}"') for number in range(5)]
    ends = [*(whole.rindex("}", 0, at) + 1 for at in begins[1:]), whole.rindex("}", 0, whole.rindex("]")) + 1]
    for at in range(ends[0], len(whole) - 1, 7):
        corpus = opened(tmp_path, whole[:at])
        assert ids(corpus) == [f"r{number}" for number in range(5) if ends[number] <= at], at
        (problem,) = corpus.problems
        assert "torn: " in problem.reason
        assert problem.where.line == whole[:at].rstrip().count("\n") + 1, at
        assert [json.loads(corpus.raw(info)) for info in corpus] == CHATS[: len(corpus)]


def test_it_says_of_a_tear_what_a_bare_list_says(tmp_path: Path) -> None:
    bare = opened(tmp_path, json.dumps(CHATS)[:-20])
    torn = opened(tmp_path, held(None)[:-22])
    assert ids(torn) == ids(bare) == ["r0", "r1", "r2", "r3"]
    assert said(torn) == said(bare)
    assert {info.container for info in torn} == {info.container for info in bare}


def test_nan_in_a_record_or_beside_them_is_no_reason_to_list_none(tmp_path: Path) -> None:
    within = opened(tmp_path, held(score=1).replace('"ok"', "NaN", 1))
    assert ids(within) == [f"r{number}" for number in range(5)]
    assert "content is number" in within.problems[0].reason
    beside = opened(tmp_path, held(score=float("nan"), more={"a": float("inf")}))
    assert ids(beside) == [f"r{number}" for number in range(5)]
    assert not beside.problems


def test_a_record_that_cannot_be_read_is_one_problem_and_the_others_open(tmp_path: Path) -> None:
    text = held().replace('"r0"', "tru", 1)
    corpus = opened(tmp_path, text)
    assert ids(corpus) == ["r1", "r2", "r3", "r4"]
    assert len(corpus.problems) == 1
    assert "record cannot be read" in corpus.problems[0].reason


def test_a_missing_comma_is_said_with_its_place(tmp_path: Path) -> None:
    corpus = opened(tmp_path, held(None).replace('}, {"id": "r3"', '} {"id": "r3"'))
    assert ids(corpus) == [f"r{number}" for number in range(5)]
    ((reason, line),) = said(corpus)
    assert "something else than a comma between two records" in reason
    assert line == 1


def test_what_is_wrong_behind_the_list_is_said_with_its_line(tmp_path: Path) -> None:
    text = held(model="m").replace('"m"', "mm")
    corpus = opened(tmp_path, text)
    assert ids(corpus) == [f"r{number}" for number in range(5)]
    ((reason, line),) = said(corpus)
    assert reason.startswith("the file cannot be read")
    assert line == text[: text.index("mm")].count("\n") + 1


@pytest.mark.parametrize(
    "text",
    [
        '{"data": [{"what": "no record"}, {"what": "else',
        '{"data": [{"role": "user", "content": "hi"}, {"role": "assi',
        '{"messages": [{"role": "user", "content": NaN}], "data": [{"messages": [{"role": "user", "content": "x"}]}]}',
        '{"data": [{"messages": [{"role": "user", "content": "x"}]}], "runs": [{"messages": []}',
        '{"data": [{"messages": [{"role": "user',
        '{"data": [',
        '{"note": [{"messages": [{"role": "user", "content": "x"}]}, {',
    ],
)
def test_what_may_be_something_else_is_not_listed_by_its_parts(tmp_path: Path, text: str) -> None:
    corpus = opened(tmp_path, text)
    assert len(corpus) <= 1
    assert [corpus.raw(info) for info in corpus] in ([], [text])


def test_several_objects_in_a_row_stay_records(tmp_path: Path) -> None:
    one = held(None)
    corpus = opened(tmp_path, f"{one}\n\n{one}".replace('{"object"', '{\n"object"'))
    assert len(corpus) == 2


def test_a_list_that_is_still_being_written_is_no_problem_and_grows(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    whole = held(None)
    path.write_text(whole[:-60])
    corpus = Corpus([path], follow=True)
    corpus.start()
    try:
        assert corpus.wait(20)
        assert ids(corpus) == ["r0", "r1", "r2", "r3"]
        assert not corpus.problems
        path.write_text(whole)
        assert corpus.reload()
        assert ids(corpus) == ["r0", "r1", "r2", "r3", "r4"]
    finally:
        corpus.cancel()
