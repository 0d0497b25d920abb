"""`trajview annotate` where there is no terminal: the queue as text; and what `--blind` keeps back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trajview.annotation.rubric import reward_rubric
from trajview.annotation.store import AnnotationStore

from .test_commands import EPISODE, call, chat

SECRET = "gull-70b"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    path = tmp_path / "chats.jsonl"
    path.write_text("".join(json.dumps(chat(name)) + "\n" for name in ("alpha", "beta", "gamma", "delta")))
    return path


@pytest.fixture
def store(tmp_path: Path) -> AnnotationStore:
    return AnnotationStore(tmp_path / "scores", "ada")


def queue(logs: Path, store: AnnotationStore, *options: str | Path) -> list[str]:
    result = call("annotate", logs, "--store", store.root, "--annotator", "ada", *options)
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def test_the_queue_is_printed_with_the_state_of_every_episode(logs: Path, store: AnnotationStore) -> None:
    rubric = reward_rubric()
    store.save("beta", rubric, [(0.5, {"reward": 0.5})], "fine")
    store.spent("beta", rubric, 90)
    store.skip("gamma", rubric, "cut off")
    store.flag("delta")
    assert queue(logs, store) == [
        "not started            –  alpha",
        "submitted          2 min  beta",
        "skipped                –  gamma  cut off",
        "not started ⚑          –  delta",
        "1 of 4 annotated · 1 skipped · 1 flagged · 2 min each · 3 min left",
    ]


def test_a_queue_can_be_shuffled_limited_and_dealt(logs: Path, store: AnnotationStore) -> None:
    def keys(*options: str) -> list[str]:
        return [line.split()[-1] for line in queue(logs, store, *options)[:-1]]

    shuffled = keys("--shuffle", "1")
    assert sorted(shuffled) == ["alpha", "beta", "delta", "gamma"]
    assert keys("--shuffle", "1", "--limit", "2") == shuffled[:2]
    first, second = keys("--assign", "1/2"), keys("--assign", "2/2")
    assert len(first) == len(second) == 2
    assert sorted(first + second) == sorted(shuffled)


def test_a_list_of_ids_is_a_queue_and_ids_that_are_nowhere_are_said(logs: Path, store: AnnotationStore) -> None:
    ids = logs.with_name("ids.txt")
    ids.write_text("# the hard ones\ndelta\n\nalpha\r\nomega\n")
    result = call("annotate", logs, "--store", store.root, "--ids", ids)
    assert [line.split()[-1] for line in result.stdout.splitlines()[:-1]] == ["delta", "alpha"]
    assert "there is no episode 'omega'" in result.stderr
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--assign", "3/2", "there is no part 3 of 2"),
        ("--assign", "half", "'half' is not a part such as 2/3"),
        ("--limit", "0", "0 is not in the range"),
        ("--ids", "nowhere.txt", "the list of ids cannot be read"),
    ],
)
def test_wrong_options_say_what_is_wrong(logs: Path, option: str, value: str, said: str) -> None:
    result = call("annotate", logs, option, value)
    assert result.exit_code == 2
    assert said in result.stderr


def test_an_empty_list_of_ids_is_refused(logs: Path) -> None:
    ids = logs.with_name("ids.txt")
    ids.write_text("\n# nothing\n")
    result = call("annotate", logs, "--ids", ids)
    assert result.exit_code == 2
    assert "the list of ids is empty" in result.stderr


def test_nothing_hidden_is_printed_blind(tmp_path: Path) -> None:
    path = tmp_path / "episode.json"
    path.write_text(json.dumps({**EPISODE, "reasoning": "Ann won.", "models": ["gpt-4", SECRET, SECRET]}))
    for seen, args in ((True, ["show", path]), (False, ["show", path, "--blind"]), (False, [path, "--blind"])):
        result = call(*args)
        assert result.exit_code == 0
        assert "Hi" in result.stdout
        assert (SECRET in result.stdout or "Ann won" in result.stdout or "2.5" in result.stdout) is seen


def test_a_rubric_that_there_is_not_is_said_where_the_queue_is_printed_as_well(logs: Path) -> None:
    result = call("annotate", logs, "--rubric", "sucess")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "there is no rubric 'sucess'" in result.stderr
