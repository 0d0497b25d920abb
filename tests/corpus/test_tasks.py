"""Which runs the list describes by their task, and that it stays with them through the cache."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trajview.corpus import infos
from trajview.corpus.corpus import Corpus, open_corpus
from trajview.corpus.infos import says_nothing


@pytest.mark.parametrize(
    "run_id",
    ["0", "1699545382.4288898", "1a4f1efc-f72b-5bfa-b6c8-d371d3488a51", "train_0", "run-000012", "01H9FG15A2NDTNH8K6F2", "all_of_them#3"],
)  # fmt: skip
def test_numbers_and_ids_of_machines_say_nothing(run_id: str) -> None:
    assert says_nothing(run_id, Path("all_of_them.jsonl"))


@pytest.mark.parametrize(
    "run_id", ["django__requests-811_21", "kitchen/who_drinks_the_coffee", "Straße reparieren", "alpha"]
)
def test_words_say_something(run_id: str) -> None:
    assert not says_nothing(run_id, Path("all_of_them.jsonl"))


def chats(path: Path, count: int) -> Path:
    lines = [{"id": f"run-{n}", "messages": [{"role": "user", "content": f"Mend bus {n}."}]} for n in range(count)]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_runs_have_their_task_where_the_id_says_nothing_and_also_from_the_cache(tmp_path: Path) -> None:
    path = chats(tmp_path / "chats.jsonl", 3)
    told = [[info.task for info in open_corpus(path)] for _ in range(2)]
    assert told == [["Mend bus 0.", "Mend bus 1.", "Mend bus 2."]] * 2


def test_only_so_many_runs_have_their_task_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(infos, "MOST_TASKS", 2)
    path = chats(tmp_path / "chats.jsonl", 3)
    assert [info.task for info in open_corpus(path)] == ["Mend bus 0.", "Mend bus 1.", None]


def test_a_run_that_is_read_again_and_again_keeps_its_task_and_takes_no_other_one_its(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(infos, "MOST_TASKS", 3)
    path = chats(tmp_path / "chats.jsonl", 2)
    corpus = Corpus([path], follow=True)
    corpus.scan()
    for count in range(3, 8):
        chats(path, count)
        assert corpus.reload()
        assert [info.task for info in corpus][:4] == ["Mend bus 0.", "Mend bus 1.", "Mend bus 2.", None][:count]
