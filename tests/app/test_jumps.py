"""Jumps, places and searches at the desk of the transcript screen: no screen, no event loop."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from trajview.app.transcript.branch_view import BranchView
from trajview.app.transcript.branches import Brancher
from trajview.app.transcript.jumps import Jumps
from trajview.app.transcript.searching import Searcher

from .at_a_desk import AtDesk
from .logs import chat, write_jsonl

# The repair: 12 messages in units [0], [1-3], [4, 5], [6-8], [9], [10, 11]; users 1, 6, 10; errors 5, 8.


class _NoTree:
    def show(self, *_: Any, again: bool) -> None: ...
    def show_transcript(self, index: int) -> None: ...


class Reader(AtDesk):
    """Somebody who reads, and jumps."""

    def __init__(self, log: Path, *, other_runs_match: bool = False) -> None:
        super().__init__(log)
        self.searcher = Searcher(self.desk, found=lambda: None, elsewhere=lambda: self.jumps.match_elsewhere(1))
        self.brancher = Brancher(self.desk, cast(BranchView, _NoTree()))
        self.jumps = Jumps(self.desk, self.searcher, self.brancher, other_runs_match=other_runs_match)
        self.brancher.transcript_shown(self.session)

    def walk(self, command: str, times: int) -> list[int]:
        """The messages that a command comes to, done so many times."""
        found = []
        for _ in range(times):
            self.jumps.commands[command]()
            found.append(self.session.message)
        return found

    def go(self, place: str) -> None:
        self.jumps.ask_where()
        self.prompt.answer(place)

    def search(self, text: str) -> None:
        self.searcher.ask()
        self.prompt.answer(text)


@pytest.fixture
def reader(log: Path) -> Reader:
    return Reader(log)


def test_going_back_stops_first_at_the_start_of_the_unit(reader: Reader) -> None:
    reader.go("m8")
    assert reader.walk("unit.previous", 2) == [6, 4]


def test_users_turns_are_gone_through_and_end(reader: Reader) -> None:
    assert reader.walk("user.next", 4) == [1, 6, 10, 10]
    assert reader.notices.text == "no more user turns"
    assert reader.walk("user.previous", 2) == [6, 1]


def test_errors_are_gone_round_and_counted(reader: Reader) -> None:
    assert reader.walk("error.next", 3) == [5, 8, 5]
    assert reader.notices.text == "error 1 of 2"
    assert reader.walk("error.previous", 2) == [8, 5]


def test_highlights_are_errors_and_marks_alike(reader: Reader) -> None:
    reader.session.highlights.set_marks({4: "here"})
    assert reader.walk("highlight.next", 4) == [5, 8, 9, 5]
    assert reader.walk("highlight.previous", 2) == [9, 8]


def test_marks_are_gone_round(reader: Reader) -> None:
    reader.walk("mark.next", 1)
    assert reader.notices.text == "no marks: m sets one"
    reader.session.highlights.set_marks({1: "", 3: ""})
    assert reader.walk("mark.next", 3) == [1, 6, 1]


def test_where_there_is_nothing_to_jump_to_it_is_said(tmp_path: Path) -> None:
    reader = Reader(write_jsonl(tmp_path / "one.jsonl", [chat("one", "hi", "ho")]))
    for command, said in (
        ("highlight.next", "no highlights"),
        ("error.previous", "no errors"),
        ("user.next", "no more user turns"),
        ("unit.next", "last unit"),
    ):
        reader.jumps.commands[command]()
        assert reader.notices.text == said
    assert not reader.shown.moves
    reader.brancher.step(1)
    assert reader.notices.text == "this run has one transcript"


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("4", 9), ("u4", 9), ("unit 4", 9), (":4", 9), ("m7", 7), ("message 7", 7), ("0", 0), ("m0", 0), ("0%", 0),
        ("$", 11), ("end", 11), ("100%", 11), ("", 3),
    ],
)  # fmt: skip
def test_a_place_that_is_named_is_gone_to(reader: Reader, place: str, message: int) -> None:
    reader.go("m3")
    reader.go(place)
    assert (reader.at, reader.toasts) == ((0, message), [])


def test_half_of_a_long_transcript_is_its_middle(tmp_path: Path) -> None:
    reader = Reader(write_jsonl(tmp_path / "long.jsonl", [chat("long", *(f"turn {n}" for n in range(400)))]))
    reader.go("50%")
    assert 190 <= reader.session.message <= 210
    reader.go("12.5%")
    assert 40 <= reader.session.message <= 60


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("99", "There is no unit 99: the last one is 5."),
        ("m99", "There is no message 99: the last one is 11."),
        *((typed, "Go to a unit (12), a message") for typed in ("kettle", "-1", "[/b]", "9" * 5000)),
    ],
)
def test_a_place_that_does_not_exist_is_said_and_nothing_moves(reader: Reader, place: str, said: str) -> None:
    reader.go("m3")
    reader.go(place)
    assert reader.at == (0, 3)
    assert [toast.startswith(said) for toast in reader.toasts] == [True]


def test_a_jump_into_another_transcript_is_gone_back_from_to_the_same_row(reader: Reader) -> None:
    reader.go("m9")
    cursor = reader.session.cursor
    reader.places.jump(1, lambda session: session.to_message(1))
    assert reader.at == (1, 1)
    assert "goes back" in reader.notices.text
    reader.places.back()
    assert (reader.at, reader.session.cursor) == ((0, 9), cursor)
    reader.places.back()
    assert reader.notices.text == "nothing to go back to"


def test_a_search_counts_its_matches_in_all_transcripts(reader: Reader) -> None:
    reader.search("kettle")
    search = reader.session.highlights.search
    assert search is not None
    assert search.done
    assert reader.searcher.status(reader.session).startswith(f"1/{search.total}")


def test_a_search_that_finds_nothing_here_leads_to_where_it_does_unless_a_key_was_pressed(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "here"}]
    run = {
        "id": "r",
        "transcripts": [
            {"id": "a", "messages": messages},
            {"id": "b", "messages": [{"role": "user", "content": "wren"}]},
        ],
    }
    file = write_jsonl(tmp_path / "two.jsonl", [run])
    reader = Reader(file)
    reader.search("wren")
    assert reader.at == (1, 0)


def test_a_search_is_cleared_in_every_transcript(reader: Reader) -> None:
    reader.search("kettle")
    assert reader.searcher.can_be_left
    reader.searcher.clear()
    assert all(session.highlights.search is None for session in reader.reading.sessions.values())
    assert not reader.searcher.text


def test_what_is_no_query_is_said(reader: Reader) -> None:
    reader.search("role:nobody kettle")
    assert len(reader.toasts) == 1
    assert reader.session.highlights.search is None


def test_behind_the_only_match_the_next_run_that_was_found_is_offered(log: Path) -> None:
    reader = Reader(log, other_runs_match=True)
    reader.search("Is it the fuse")
    reader.jumps.highlight(1)
    assert reader.notices.text == "the only match: L goes to the next run"
