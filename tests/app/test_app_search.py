"""Search and highlights in the whole app."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input, OptionList

from trajview.app.transcript import searching
from trajview.app.transcript.screen import TranscriptScreen
from trajview.app.transcript.search import SearchHits, search_each
from trajview.app.transcript.sources import SourcesScreen
from trajview.models.run import AgentRun

from .driving import Reader, background_of, reading
from .logs import NEEDLE, chat, write_jsonl


async def search(reader: Reader, text: str) -> None:
    """Search for a text, and wait for all that is found in the transcript."""
    await reader.ask("slash", text)
    await reader.until(lambda: (found := reader.session.search) is not None and found.text == text and found.done)


def marked(reader: Reader) -> list[str]:
    """The texts on the screen that are coloured as matches."""
    view = reader.screen.view
    wanted = {background_of(view, name) for name in ("match", "match.current")}
    return [
        s.text for y in range(view.size.height) for s in view.render_line(y) if s.style and s.style.bgcolor in wanted
    ]


async def test_matches_are_counted_coloured_and_gone_round(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await search(reader, "fuse")
        assert "“fuse” 1/3" in reader.status
        assert "fuse" in marked(reader)
        visited = [reader.message]
        for _ in range(3):
            await reader.press("n")
            visited.append(reader.message)
        assert visited == [6, 7, 9, 6]
        await reader.press("N")
        assert (reader.message, "“fuse” 3/3" in reader.status) == (9, True)


async def test_a_search_begins_at_the_cursor(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.ask("colon", "m7")
        await search(reader, "fuse")
        assert reader.message == 7


async def test_a_match_in_folded_output_is_unfolded_and_the_cursor_is_on_its_line(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        assert NEEDLE not in reader.text
        await search(reader, NEEDLE)
        assert reader.message == 3
        (line,) = [line for line in reader.lines if line.startswith("❯")]
        assert NEEDLE in line
        await reader.press("n")
        assert reader.message == 9
        assert NEEDLE in next(line for line in reader.lines if line.startswith("❯"))


async def test_a_match_in_a_message_that_is_folded_by_level_is_shown(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("z")
        await search(reader, "plug: in")
        assert "+plug: in" in reader.text


async def test_matches_of_one_message_are_gone_through_line_by_line(tmp_path: Path) -> None:
    text = "\n".join(f"row {n} {'tea' if n % 10 == 0 else 'water'}" for n in range(100))
    file = write_jsonl(tmp_path / "tea.jsonl", [chat("tea", "Go.", text)])
    async with reading(file) as reader:
        await reader.opened()
        await search(reader, "tea")
        for n in (*range(10), 0):
            assert f"“tea” {n + 1}/10" in reader.status
            assert f"row {n * 10} tea" in next(line for line in reader.lines if line.startswith("❯"))
            await reader.press("n")


async def test_small_letters_match_all_and_capitals_mind_the_case(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await search(reader, "nothing")
        assert "1/1" in reader.status
        await search(reader, "NOTHING")
        assert "not found" in reader.status


async def test_where_only_errors_are_highlighted_the_keys_say_which_highlight_it_is(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("n")
        assert (reader.message, "highlight 1 of 2" in reader.status, "2 errors" in reader.status) == (5, True, True)
        await reader.press("n")
        assert "highlight 2 of 2" in reader.status
        await reader.press("j")
        assert "highlight" not in reader.status


async def test_a_search_that_shows_reasoning_again_does_not_leave_it_said_to_be_hidden(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("r")
        assert "reasoning hidden" in reader.status
        await search(reader, "then I believe")
        assert "then I believe" in reader.text
        assert "reasoning hidden" not in reader.status


async def test_what_is_not_found_is_said_and_nothing_moves(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("]")
        await search(reader, "samovar")
        assert "“samovar” not found" in reader.status
        await reader.press("n")
        assert "no highlights" in reader.status
        assert reader.message == 1


async def test_escape_clears_the_search_then_leaves(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await search(reader, "fuse")
        await reader.press("escape")
        assert isinstance(reader.app.screen, TranscriptScreen)
        assert "fuse" not in reader.status
        assert marked(reader) == []
        await reader.press("slash", "escape")
        assert reader.app.focused is reader.screen.view
        await search(reader, "fuse")
        await reader.ask("slash", "")
        assert reader.session.search is None
        await reader.press("escape")
        await reader.listed()


async def test_a_regular_expression_works_and_what_is_none_is_searched_for_as_it_stands(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "re.jsonl", [chat("re", "call foo(1) and foo[2]", "bar(", "[/bold] a.c abc")])
    async with reading(file) as reader:
        await reader.opened()
        for text, status in [
            ("fo+.\\d", "2/2"), ("foo(", "1/1"), ("bar(", "1/1"), ("[/bold", "1/1"), ("*", "not found"), ("(?", "not found"),
        ]:  # fmt: skip
            await search(reader, text)
            assert f"“{text}” {status}" in reader.status
        await search(reader, "x*")
        assert "not found" in reader.status


async def test_a_search_goes_into_the_other_transcripts_of_the_run_where_the_reader_stays(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await search(reader, "fuse")
        await reader.press("tab")
        await reader.until(lambda: reader.screen.index == 1 and reader.session.search is not None)
        assert "“fuse” 3 elsewhere" in reader.status
        assert reader.message == 0
        await reader.press("tab")
        assert "“fuse” 1/3" in reader.status
        await reader.press("escape", "tab")
        await reader.until(lambda: reader.screen.index == 1)
        assert reader.session.search is None


async def test_a_search_goes_along_into_the_next_run_where_the_cursor_stays(tmp_path: Path) -> None:
    tea = [chat(str(n), "Go.", "tea", "And?", f"more tea {n}", "tea") for n in range(3)]
    async with reading(write_jsonl(tmp_path / "tea.jsonl", tea)) as reader:
        await reader.listed()
        await reader.open("enter")
        await search(reader, "tea")
        assert (reader.message, "“tea” 1/3" in reader.status) == (1, True)
        await reader.press("L")
        await reader.opened("1")
        await reader.until(lambda: "“tea” 0/3" in reader.status)
        assert reader.message == 0
        await reader.press("n")
        assert (reader.message, "“tea” 1/3" in reader.status) == (1, True)
        await reader.press("N")
        assert reader.message == 4
        await reader.press("escape")
        assert "tea" not in reader.status
        await reader.press("L")
        await reader.opened("2")
        assert reader.session.search is None
        assert "tea" not in reader.status


async def test_n_before_a_search_that_comes_along_has_looked_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_look = threading.Event()
    may_look.set()

    def slow(*given: Any, **named: Any) -> Iterator[tuple[int, SearchHits]]:
        assert may_look.wait(10)
        yield from looked(*given, **named)

    looked = searching.search_each
    monkeypatch.setattr(searching, "search_each", slow)
    oops = {"id": "1", "messages": [{"role": "tool", "content": "exit code 1"}, {"role": "user", "content": "tea"}]}
    async with reading(write_jsonl(tmp_path / "tea.jsonl", [chat("0", "tea"), oops])) as reader:
        await reader.listed()
        await reader.open("enter")
        await search(reader, "tea")
        await reader.press("n")
        assert "the only match" in reader.status
        may_look.clear()
        await reader.press("L")
        await reader.opened("1")
        await reader.press("n")
        assert (reader.message, "searching…" in reader.status) == (0, True)
        may_look.set()
        await reader.until(lambda: "“tea” 1/1" in reader.status)
        assert reader.message == 1


async def test_a_search_without_a_match_here_leads_into_the_transcript_that_has_one(tmp_path: Path) -> None:
    async with reading(write_jsonl(tmp_path / "three.jsonl", [three()])) as reader:
        await reader.opened()
        await reader.ask("slash", "wren")
        await reader.until(lambda: reader.screen.index == 1)
        assert reader.message == 1
        assert "second · ' goes back" in reader.status
        await reader.until(lambda: "“wren” 1/2, 1 elsewhere" in reader.status)
        await reader.press("apostrophe")
        await reader.until(lambda: reader.screen.index == 0)
        assert "“wren” 3 elsewhere" in reader.status


async def test_behind_the_last_match_the_keys_go_on_in_the_next_transcript(tmp_path: Path) -> None:
    async with reading(write_jsonl(tmp_path / "three.jsonl", [three()])) as reader:
        await reader.opened()
        await reader.press("tab")
        await reader.until(lambda: reader.screen.index == 1)
        await search(reader, "wren")
        await reader.until(lambda: "“wren” 1/2, 1 elsewhere" in reader.status)
        await reader.press("n")
        assert (reader.screen.index, "“wren” 2/2" in reader.status) == (1, True)
        await reader.press("n")
        await reader.until(lambda: reader.screen.index == 2 and reader.message == 1)
        assert "“wren” 1/1, 2 elsewhere" in reader.status
        await reader.press("n")
        await reader.until(lambda: reader.screen.index == 1 and reader.message == 1)
        assert "“wren” 1/2" in reader.status
        await reader.press("N")
        await reader.until(lambda: reader.screen.index == 2)
        await reader.press("N")
        await reader.until(lambda: reader.screen.index == 1 and "“wren” 2/2" in reader.status)


async def test_runs_are_not_written_out_on_the_event_loop_to_describe_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[AgentRun] = []
    monkeypatch.setattr(AgentRun, "__repr__", lambda run: written.append(run) or "run")
    async with reading(write_jsonl(tmp_path / "three.jsonl", [three()])) as reader:
        await reader.opened()
        await reader.press("tab")
        await reader.until(lambda: reader.screen.index == 1)
        await search(reader, "wren")
        await reader.until(lambda: "1 elsewhere" in reader.status)
        await reader.press("W")
        await reader.until(lambda: isinstance(reader.app.focused, Input))
        await reader.type(str(tmp_path / "out.md"))
        await reader.press("enter")
        await reader.until((tmp_path / "out.md").exists)
        assert not written


async def test_who_goes_on_reading_is_not_led_away_by_a_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pressed = threading.Event()

    def slow(transcripts: Iterator[Any], *given: Any, text: str, **more: Any) -> Iterator[tuple[int, SearchHits]]:
        yield from search_each(islice(transcripts, 1), *given, text=text, **more)
        pressed.wait(10)
        yield 1, SearchHits(text, re.compile("x"), (0,), (1,))

    monkeypatch.setattr(searching, "search_each", slow)
    async with reading(write_jsonl(tmp_path / "three.jsonl", [three()])) as reader:
        await reader.opened()
        await reader.ask("slash", "nothing of this kind")
        await reader.until(lambda: "not found here" in reader.status)
        await reader.press("j")
        pressed.set()
        await reader.until(lambda: "1 elsewhere" in reader.status)
        assert reader.screen.index == 0


def three() -> dict[str, Any]:
    """A run of three transcripts; the second has a wren twice, on two lines of one message, the third once."""
    said = {"first": ["Which birds?", "None."], "second": ["And?", "a wren\nand a wren"], "third": ["So?", "wren"]}
    return {
        "id": "three",
        "transcripts": [
            {
                "name": name,
                "messages": [
                    {"role": role, "content": text} for role, text in zip(("user", "assistant"), texts, strict=True)
                ],
            }
            for name, texts in said.items()
        ],
    }


async def test_a_search_in_a_long_transcript_can_be_replaced_while_it_runs(tmp_path: Path) -> None:
    file = tmp_path / "big.jsonl"
    messages = [{"role": "user", "content": f"needle{n} " + "hay " * 2000} for n in range(500)]
    file.write_text(json.dumps({"id": "big", "messages": messages}))
    async with reading(file) as reader:
        await reader.opened()
        await reader.ask("slash", "hay hay")
        await reader.ask("slash", "needle499")
        await reader.until(lambda: "“needle499” 1/1" in reader.status)
        assert reader.message == 499


async def test_star_highlights_the_word_at_the_cursor(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.ask("colon", "m9")
        await reader.press("j", "asterisk")
        await reader.until(lambda: "“The” in" in reader.status)
        assert reader.session.highlights.counts["rule:The"] > 1


async def test_star_makes_no_rule_of_what_the_log_does_not_say(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.ask("colon", "m9")
        await reader.press("asterisk")
        await reader.until(lambda: "no word of the log is on this row" in reader.status)
        assert not any(key.startswith("rule:") for key in reader.session.highlights.counts)


async def test_sources_can_be_switched_off(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("m")
        await reader.press("ampersand")
        await reader.until(lambda: isinstance(reader.app.screen, SourcesScreen))
        await reader.until(lambda: re.search(r"● errors +2", reader.whole_screen) is not None)
        assert re.search(r"● marks +1", reader.whole_screen)
        options = reader.app.screen.query_one(OptionList)
        assert reader.app.focused is options
        await reader.press("space", "enter")
        await reader.until(lambda: isinstance(reader.app.screen, TranscriptScreen))
        await reader.press("n")
        assert reader.message == 0
        await reader.press("n")
        assert reader.message == 0
        await reader.press("ampersand", "escape")
        assert isinstance(reader.app.screen, TranscriptScreen)


async def test_the_prompt_takes_keys_that_are_commands_elsewhere(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("slash")
        await reader.type("q?n/z[")
        assert reader.screen.prompt.query_one(Input).value == "q?n/z["
        await reader.press("escape")
        assert reader.message == 0


async def test_what_only_re2_can_look_for_in_time_is_drawn_without_waiting_for_re(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "log.jsonl", [chat("one", "a" * 60 + "!", "aab", "a" * 60 + "\x00!")])
    async with reading(path) as reader:
        await reader.opened()
        await search(reader, "(a+)+b")
        assert reader.session.search is not None
        assert reader.session.search.total == 1
        await reader.press("g", "j", "j", "G", "n")  # the screen goes on
        assert reader.session.hits.rows(reader.message)


async def test_a_pattern_that_takes_for_ever_is_given_up_and_the_screen_never_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajview.corpus.careful.PATIENCE", 1.5)
    path = write_jsonl(tmp_path / "log.jsonl", [chat("one", "needle", "a" * 60 + "!", "aab")])
    async with reading(path) as reader:
        await reader.opened()
        await reader.ask("slash", "needle|(a+)+(?<!a)!")
        await reader.press("j", "j", "bracketright")  # the screen goes on
        await reader.until(lambda: any("takes more than 1.5 s" in toast for toast in reader.toasts))
        assert reader.session.search is None
        assert not reader.screen.searcher.text, "it does not go along into the next run"
        await search(reader, "(a+b?)+")
        assert reader.session.search.total == 2  # type: ignore[union-attr]
