"""Sessions that are spread over files: one run each, in the order of their events, for the list, the viewer and a search."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from trajview import open_corpus
from trajview.corpus.files import stamp_of
from trajview.corpus.gathered import is_gathered

SAMPLES = Path(__file__).parents[2] / "sample_data" / "agents"
EVENTS = SAMPLES / "openhands" / "spoons" / "events"
ANSWER = "Seven. The cupboard has no list, so I can't speak for the ones that moved out."


def said_in(path: Path) -> list[tuple[str, str]]:
    [run] = open_corpus(path).runs()
    return [(message.role, message.text) for message in run.transcripts[0].messages]


def test_a_folder_of_events_is_one_run_in_the_order_of_their_numbers() -> None:
    [info] = open_corpus(EVENTS.parent)
    assert (info.id, info.format, info.source) == ("spoons", "openhands", "events/8.json")
    assert [role for role, _ in said_in(EVENTS)] == ["user", "assistant", "tool", "assistant"]
    assert said_in(EVENTS)[-1] == ("assistant", ANSWER), "event 12 comes after event 8"
    assert said_in(EVENTS / "8.json") == said_in(EVENTS), "the first stands for all"


def test_an_event_more_changes_the_stamp_of_the_first(tmp_path: Path) -> None:
    events = shutil.copytree(EVENTS, tmp_path / "events")
    before = stamp_of(events / "8.json")
    (events / "13.json").write_text(
        json.dumps({"id": 13, "source": "user", "action": "message", "args": {"content": "Thanks."}})
    )
    assert stamp_of(events / "8.json") != before
    assert said_in(events)[-1] == ("user", "Thanks.")


def test_a_session_of_opencode_is_its_messages_and_their_parts() -> None:
    [info] = open_corpus(SAMPLES / "opencode")
    assert (info.id, info.name, info.format, info.messages) == ("ses_1", "Spoons", "opencode", 4)
    [run] = open_corpus(SAMPLES / "opencode").runs()
    first, second, *answers = run.transcripts[0].messages
    assert (first.text, second.reasoning, second.text) == (
        "How many spoons are in the drawer?",
        ["The drawer has a list. I should read it before I count."],
        ANSWER,
    )
    assert [(each.tool_call_id, bool(each.error)) for each in answers] == [("call_1", False), ("call_2", True)]
    assert (second.model, second.usage) == ("meridian-3-small", {"input": 310, "output": 24, "cost": 0.0011})


def test_a_search_finds_what_the_parts_say() -> None:
    corpus = open_corpus(SAMPLES / "opencode")
    assert [hit.id for hit in corpus.search("cupboard.txt: No such")] == ["ses_1"]


def test_only_the_first_file_of_a_session_stands_for_it(tmp_path: Path) -> None:
    assert is_gathered(EVENTS / "8.json")
    assert not is_gathered(EVENTS / "9.json")
    assert not is_gathered(tmp_path / "8.json")
    folder = tmp_path / "events"
    folder.mkdir()
    for name in ("1.json", "2.json", "notes.json"):
        (folder / name).write_text('{"messages": [{"role": "user", "content": "x"}]}')
    assert not is_gathered(folder / "1.json"), "they are something else"
    assert len(open_corpus(folder)) == 3
