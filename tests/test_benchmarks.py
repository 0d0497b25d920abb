"""The generated logs of benchmarks/ are what they are called, and the table says which targets were met."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from trajview.corpus.corpus import Corpus
from trajview.corpus.info import RunInfo

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch):
    """A module of benchmarks/ by its name; none of them stays imported under a name as common as theirs."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(FOLDER))

    def imported(name: str) -> ModuleType:
        return importlib.import_module(name)

    yield imported
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(FOLDER)):
            del sys.modules[name]


def runs_of(path: Path) -> tuple[Corpus, list[RunInfo]]:
    corpus = Corpus([path])
    corpus.scan()
    return corpus, [info for info in corpus.infos if isinstance(info, RunInfo)]


@pytest.mark.parametrize(("kind", "format"), [("chat", "openai"), ("docent", "docent"), ("sotopia", "sotopia")])
def test_a_written_log_is_of_its_format_and_every_run_has_an_id_of_its_own(module, tmp_path, kind, format):
    path = tmp_path / "log.jsonl"
    module("kinds").write_log(path, 1, kind, messages=8)
    module("kinds").write_log(path, path.stat().st_size + 1, kind, messages=8)
    corpus, runs = runs_of(path)
    assert {run.format for run in runs} == {format}
    assert len({run.id for run in runs}) == len(runs) == 600
    assert all(run.messages and run.messages > 2 and run.rewards for run in runs)
    assert not corpus.problems


def test_every_kind_of_long_run_is_decoded_beside_its_opening(module, tmp_path):
    kinds, opening = module("kinds"), module("open")
    for kind in kinds.LONG:
        assert opening.decoded(kinds.write_long_run(tmp_path, kind, 100, 1), kind) > 0
    path = tmp_path / "array.json"
    kinds.write_named(path, 1000, array=True)
    assert opening.decoded(path, "an array of chats, listed") > 0


def test_a_long_run_has_so_many_messages_between_its_named_ends_in_every_kind(module, tmp_path):
    kinds = module("kinds")
    formats = []
    for kind in kinds.LONG:
        corpus, (run,) = runs_of(kinds.write_long_run(tmp_path, kind, 500, 1))
        messages = corpus.load(run).transcripts[0].messages
        assert len(messages) == 500
        assert kinds.FIRST in messages[0].text[:20]
        assert messages[-1].text == kinds.LAST
        calls = [call.id for message in messages for call in getattr(message, "tool_calls", None) or ()]
        assert len(set(calls)) == len(calls)
        assert len(calls) > 100 or run.format in ("taskweaver", "sotopia")  # where they are plans, or nothing
        formats.append(run.format)
    assert formats == [
        "openai", "openai", "messages", "docent", "anthropic", "taskweaver", "adp", "sotopia", "messages", "messages",
    ]  # fmt: skip


@pytest.mark.parametrize("array", [False, True])
def test_a_log_with_named_ends_has_them_as_its_first_and_last_run(module, tmp_path, array):
    kinds = module("kinds")
    path = tmp_path / ("log.json" if array else "log.jsonl")
    kinds.write_named(path, 1, array=array)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    _, runs = runs_of(path)
    assert (runs[0].id, runs[-1].id, len(runs)) == (kinds.FIRST, kinds.LAST, 302)


def test_the_table_has_what_was_told_in_the_order_of_the_targets_with_verdicts(module, tmp_path, monkeypatch, capsys):
    rows = module("rows")
    kept = tmp_path / "rows.jsonl"
    monkeypatch.setenv(rows.KEPT_IN, str(kept))
    rows.tell(0, "a figure", 0.25)
    rows.tell(8, "all hits", 1.5, 1.0, beside="decoding: 0.5 s")
    rows.tell(3, "summed up", 0.75, 1.0, "GB/s", least=True)
    rows.tell(2, "a | b", 1.2, 1.5, "x")
    assert "1.50 s (at most 1.00 s: missed)   decoding: 0.5 s" in capsys.readouterr().out
    assert module("all").table(rows.kept(kept)).splitlines()[2:] == [
        "| 2 | a \\| b | at most 1.50x | 1.20x | met |  |",
        "| 3 | summed up | at least 1.00 GB/s | 0.75 GB/s | missed |  |",
        "| 8 | all hits | at most 1.00 s | 1.50 s | missed | decoding: 0.5 s |",
        "|  | a figure |  | 0.250 s |  |  |",
    ]


def test_what_runs_everything_names_scripts_that_are_there(module):
    assert all((FOLDER / script).is_file() for script, _, _ in module("all").STEPS)


def test_a_frame_is_correct_once_nothing_that_comes_later_changes_what_is_to_be_seen(module):
    screen = module("frames").Screen(20, 3)
    screen.feed(b"\x1b[1;1Hbefore")
    chunks = [
        (10.1, b"\x1b[1;1H\x1b[31mafter \x1b[2;1Hblank"),
        (10.2, b"\x1b[1;1H\x1b[32maf"),
        (10.3, b"ter \x1b[m\x1b[2;1H\x1b[2K"),
        (10.4, b"\x1b[1;1H\x1b[32mafter \x1b[m"),
    ]
    frame = screen.replay(chunks, 10.0)
    assert [round(each) for each in (frame.first, frame.correct, frame.last)] == [100, 300, 400]
    assert frame.count == sum(len(data) for _, data in chunks)
    assert screen.text.split("\n") == ["after", "", ""]


def test_a_frame_that_changes_nothing_is_correct_when_it_comes_and_a_new_size_is_empty_at_first(module):
    screen = module("frames").Screen(20, 3)
    chunks = [(10.1, b"\x1b[1;1Habc"), (10.2, b"\x1b[1;1Habc")]
    assert round(screen.replay(chunks, 10.0).correct) == 100
    assert round(screen.replay(chunks, 10.0).correct) == 100
    screen.resize(10, 2)
    assert screen.text == "\n"
    assert round(screen.replay([(10.1, b"\x1b[2;1Hxyz"), *chunks[1:]], 10.0).correct) == 200


@pytest.mark.parametrize("count", [2, 200])
def test_a_search_is_measured_in_a_short_run_as_well(module, tmp_path, capsys, count):
    module("search").report_search(module("kinds").write_long_run(tmp_path, "a chat, one JSON document", count, 1), 1)
    said = capsys.readouterr().out
    assert f"{count} messages" in said
    assert ("seven words in a row" in said) == (count == 200)
