"""Sub-agents in the whole app: into a sub-agent's transcript at its call, up again, and the tree of all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trajview.app.transcript.branch_view import BranchView

from .driving import Reader, reading
from .logs import write_jsonl


def _call(id: str, **arguments: Any) -> dict[str, Any]:
    return {"id": id, "function": "ask", "type": "function", "arguments": arguments}


def team(**more: Any) -> dict[str, Any]:
    """A lead who asks two scouts at once, one of whom meets an error and asks a third."""

    def transcript(id: str, name: str, group: str, *messages: dict[str, Any]) -> dict[str, Any]:
        return {"id": id, "name": name, "transcript_group_id": group, "messages": list(messages)}

    return {
        "id": "team",
        "transcript_groups": [
            {"id": "g1", "name": "field"},
            {"id": "g2", "name": "scouts", "parent_transcript_group_id": "g1"},
        ],
        "transcripts": [
            transcript(
                "t-lead", "lead", "g1",
                {"role": "user", "content": "How many birds are there?"},
                {"role": "assistant", "content": "I ask.", "tool_calls": [_call("c1", where="roof"), _call("c2", where="barn")]},
                {"role": "tool", "content": "four", "tool_call_id": "c1", "function": "ask", "metadata": {"transcript_id": "t-roof"}},
                {"role": "tool", "content": "none", "tool_call_id": "c2", "function": "ask", "metadata": {"transcript_id": "t-barn"}},
                {"role": "assistant", "content": "Four."},
            ),
            transcript("t-roof", "roof [scout]", "g2", {"role": "user", "content": "the roof"}, {"role": "assistant", "content": "Four."}),
            transcript(
                "t-barn", "barn", "g2",
                {"role": "user", "content": "the barn"},
                {"role": "assistant", "content": "", "tool_calls": [_call("d1", who="t-owl")]},
                {"role": "tool", "content": "no answer", "tool_call_id": "d1", "function": "ask", "error": {"message": "asleep"}},
            ),
            transcript("t-owl", "owl", "g2", {"role": "user", "content": "awake?"}),
        ],
        **more,
    }  # fmt: skip


@pytest.fixture
def field(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "team.jsonl", [team()])


async def found(reader: Reader) -> None:
    """The run is open and its sub-agents are found."""
    await reader.opened()
    await reader.until(lambda: reader.session.entries, "calls are signed")


async def shown(reader: Reader, index: int) -> None:
    await reader.until(lambda: reader.screen.index == index, f"transcript {index}")


def tree_of(reader: Reader) -> list[str]:
    view = reader.screen.query_one(BranchView)
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


async def test_the_tree_shows_groups_counts_and_errors_above_the_outline(field: Path) -> None:
    async with reading(field) as reader:
        await found(reader)
        assert [line.split() for line in tree_of(reader)[:6]] == [
            ["▾", "field"], ["lead", "5"], ["▾", "scouts"], ["roof", "[scout]", "2"], ["▾✗", "barn", "3"], ["owl", "1"],
        ]  # fmt: skip
        assert "↳ ask" in reader.text


async def test_the_call_under_the_cursor_is_entered_and_left_again_at_the_call(field: Path) -> None:
    async with reading(field) as reader:
        await found(reader)
        while "barn" not in next(line for line in reader.lines if line.startswith("❯")):
            await reader.press("j")
        call = reader.session.cursor
        await reader.press(">")
        await shown(reader, 2)
        assert "barn · < goes up" in reader.status
        await reader.press("]", ">")
        await shown(reader, 3)
        await reader.press("<")
        await shown(reader, 2)
        assert reader.message == 1
        await reader.press("<")
        await shown(reader, 0)
        assert reader.session.cursor == call
        await reader.press("apostrophe")
        await shown(reader, 2)


async def test_an_answer_leads_into_its_transcript_too(field: Path) -> None:
    async with reading(field) as reader:
        await found(reader)
        await reader.ask("colon", "m2")
        await reader.press(">")
        await shown(reader, 1)
        await reader.press("apostrophe")
        await shown(reader, 0)
        assert reader.message == 2


async def test_where_nothing_was_started_the_status_says_so(field: Path) -> None:
    async with reading(field) as reader:
        await found(reader)
        await reader.press("<")
        assert "no call is known that started this transcript" in reader.status
        await reader.press("tab")
        await shown(reader, 1)
        await reader.press(">")
        assert "no call here started a sub-agent" in reader.status


async def test_a_transcript_is_opened_from_the_tree_with_keys(field: Path) -> None:
    async with reading(field, size=(80, 24)) as reader:
        await found(reader)
        assert not reader.screen.query_one("#left").display
        await reader.press("T")
        await reader.until(lambda: isinstance(reader.app.focused, BranchView))
        assert reader.screen.query_one("#left").display
        await reader.press("j", "j", "enter")
        await shown(reader, 1)
        await reader.until(lambda: reader.app.focused is reader.screen.view)
        assert not reader.screen.query_one("#left").display


async def test_on_a_small_screen_the_tree_takes_the_place_of_the_panel_until_it_is_left(field: Path) -> None:
    async with reading(field, size=(80, 24)) as reader:
        await found(reader)
        await reader.annotate()
        await reader.press("escape", "T")
        await reader.until(lambda: not reader.panel.display)
        await reader.until(lambda: reader.screen.view.size.width > 30)
        await reader.press("escape")
        await reader.until(lambda: reader.panel.display)
        assert reader.app.focused is reader.screen.view


async def test_groups_close_in_the_tree_and_escape_leaves_it(field: Path) -> None:
    async with reading(field) as reader:
        await found(reader)
        await reader.press("T", "j", "left")
        assert [line.split() for line in tree_of(reader)[:3]] == [["▾", "field"], ["lead", "5"], ["▸", "scouts", "3"]]
        await reader.press("escape")
        await reader.until(lambda: reader.app.focused is reader.screen.view)
        await reader.press(">")
        await shown(reader, 1)
        assert len(tree_of(reader)) == 6


async def test_a_click_opens_a_transcript_and_an_arrow_closes_what_is_below(field: Path) -> None:
    async with reading(field) as reader:
        await found(reader)
        await reader.pilot.click(BranchView, offset=(8, 4))
        await shown(reader, 2)
        await reader.pilot.click(BranchView, offset=(5, 4))
        await reader.until(lambda: len(tree_of(reader)) == 5)
        assert reader.app.focused is reader.screen.view


async def test_a_run_of_one_transcript_has_no_tree(tmp_path: Path) -> None:
    log = write_jsonl(tmp_path / "one.jsonl", [{"messages": [{"role": "user", "content": "hello"}]}])
    async with reading(log) as reader:
        await reader.opened()
        assert not reader.screen.query_one(BranchView).display
        await reader.press("T")
        assert "this run has one transcript" in reader.status
        await reader.press(">")
        assert "this run has one transcript" in reader.status


async def test_names_of_transcripts_reach_the_screen_without_escapes_and_markup(tmp_path: Path) -> None:
    record = team()
    record["transcripts"][1]["name"] = "\x1b[31m[bold]wide 猫\ud800\nand long " + "x" * 5_000
    log = tmp_path / "odd.jsonl"
    log.write_text(json.dumps(record) + "\n", encoding="utf-8")
    async with reading(log) as reader:
        await found(reader)
        assert "\x1b" not in reader.whole_screen
        assert "[bold]wide 猫" in reader.whole_screen


async def test_the_keys_of_errors_go_on_in_the_next_transcript_that_has_some(tmp_path: Path) -> None:
    run = team()
    run["transcripts"][0]["messages"][3]["error"] = {"message": "empty"}
    async with reading(write_jsonl(tmp_path / "team.jsonl", [run])) as reader:
        await reader.opened()
        await found(reader)
        await reader.press("e")
        assert (reader.screen.index, reader.message) == (0, 3)
        await reader.press("e")
        await reader.until(lambda: reader.screen.index == 2 and reader.message == 2)
        assert "barn · ' goes back" in reader.status
        await reader.press("e")
        await reader.until(lambda: reader.screen.index == 0 and reader.message == 3)
        await reader.press("E")
        await reader.until(lambda: reader.screen.index == 2 and reader.message == 2)
        await reader.press("apostrophe")
        await reader.until(lambda: reader.screen.index == 0 and reader.message == 3)


async def test_a_sub_agent_in_a_file_of_its_own_is_entered_at_its_call_and_left_again(tmp_path: Path) -> None:
    def event(role: str, content: Any, **more: Any) -> dict[str, Any]:
        return {
            "type": role,
            "sessionId": "s",
            "isSidechain": False,
            "message": {"role": role, "content": content},
            **more,
        }

    task = {"type": "tool_use", "id": "t1", "name": "Task", "input": {"prompt": "Look at the roof."}}
    result = [{"type": "tool_result", "tool_use_id": "t1", "content": "four"}]
    log = write_jsonl(
        tmp_path / "s.jsonl",
        [
            event("user", "How many birds are there?"),
            event("assistant", [task]),
            event("user", result, toolUseResult={"agentId": "a1"}),
        ],
    )
    (tmp_path / "s" / "subagents").mkdir(parents=True)
    chain = [event("user", "Look at the roof.", isSidechain=True), event("assistant", "I see four.", isSidechain=True)]
    write_jsonl(tmp_path / "s" / "subagents" / "agent-a1.jsonl", chain)
    async with reading(log) as reader:
        await found(reader)
        await reader.ask("colon", "m1")
        await reader.press(">")
        await shown(reader, 1)
        assert "I see four." in reader.text
        assert any("Look at the roof." in line for line in tree_of(reader))
        await reader.press("<")
        await shown(reader, 0)
        assert reader.message == 1
