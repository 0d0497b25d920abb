"""The outline in the whole app: highlighted units only, what units took; and the minimap that is clicked at a sign."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trajview.app.transcript import text
from trajview.app.transcript.minimap import Minimap
from trajview.app.transcript.outline import Outline
from trajview.app.transcript.unit_facts import UnitFacts
from trajview.app.transcript.view import TranscriptView
from trajview.models.transcript import Transcript

from .driving import Reader, reading
from .logs import chat, write_jsonl


def outline_of(reader: Reader) -> list[str]:
    shown = reader.screen.query_one(Outline)
    lines = [shown.render_line(y).text.rstrip() for y in range(shown.size.height)]
    return [line for line in lines if line]


async def test_the_outline_lists_highlighted_units_only_and_all_again(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        assert len(outline_of(reader)) == 6
        await reader.press("F")
        assert outline_of(reader)[0] == " 2 of 6 units · F shows all"
        assert [line.split()[:2] for line in outline_of(reader)[1:]] == [["2", "✗"], ["3", "✗"]]
        assert "highlighted units only: 2" in reader.status
        await reader.pilot.click(Outline, offset=(8, 2))
        await reader.until(lambda: reader.unit == 3)
        await reader.press("G", "m")
        await reader.until(lambda: len(outline_of(reader)) == 4)
        assert outline_of(reader)[-1].split()[:2] == ["5", "⚑"]
        await reader.press("F")
        assert len(outline_of(reader)) == 6


async def test_a_search_lists_the_units_that_it_hits(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("F")
        await reader.ask("slash", "kettle boils|Thank you")
        await reader.until(lambda: reader.session.search is not None and reader.session.search.done)
        await reader.until(lambda: any(line.split()[0] == "5" for line in outline_of(reader)[1:]))


async def test_where_nothing_is_highlighted_the_outline_says_so(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "calm.jsonl", [chat("calm", "hello", "hello")])
    async with reading(file, size=(80, 24)) as reader:
        await reader.opened()
        await reader.press("F")
        await reader.until(lambda: reader.screen.query_one("#left").display)
        assert outline_of(reader)[0] == " 0 of 1 units · F shows all"


def timed(count: int = 3) -> dict[str, Any]:
    """Units of a user and an assistant with a call, the second five seconds after the first."""
    messages: list[dict[str, Any]] = []
    for unit in range(count):
        call = {"id": f"c{unit}", "function": "look", "type": "function", "arguments": {"where": "roof"}}
        minute = f"2025-11-05T08:{unit % 60:02}"
        messages += [
            {"role": "user", "content": f"question {unit}", "metadata": {"timestamp": f"{minute}:00Z"}},
            {
                "role": "assistant",
                "content": "I look.",
                "tool_calls": [call],
                "metadata": {"timestamp": f"{minute}:05Z"},
            },
            {
                "role": "tool",
                "content": "a roof",
                "tool_call_id": f"c{unit}",
                "metadata": {"timestamp": f"{minute}:06Z"},
            },
        ]
    return {"id": "timed", "transcripts": [{"id": "t", "messages": messages}]}


async def test_calls_time_and_tokens_stand_at_the_right_where_there_is_room(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "timed.jsonl", [timed()])
    async with reading(file, size=(200, 30)) as reader:
        await reader.opened()
        await reader.until(lambda: "1▸" in outline_of(reader)[0], "units are counted")
        words = outline_of(reader)[1].split()
        assert words[:3] == ["1", "question", "1"]
        assert words[3:5] == ["1▸", "6.0s"]
        assert words[5].isdigit()
        assert "1 call · 6.0s" in reader.text
        await reader.pilot.resize_terminal(140, 30)
        await reader.until(lambda: "▸" not in outline_of(reader)[0])
        assert outline_of(reader)[0].endswith("6.0s")
        await reader.pilot.resize_terminal(100, 30)
        await reader.until(lambda: "6.0s" not in outline_of(reader)[0])
        assert "question 0" in outline_of(reader)[0]


@pytest.mark.parametrize(("words", "outline"), [("a long sentence " * 20, 95), ("short", 56)])
async def test_a_wide_screen_gives_the_outline_what_prose_does_not_use(
    tmp_path: Path, words: str, outline: int
) -> None:
    file = write_jsonl(tmp_path / "chat.jsonl", [chat("c", words, "yes")])
    async with reading(file, size=(200, 30)) as reader:
        await reader.opened()
        left = reader.screen.query_one("#left")
        await reader.until(lambda: left.size.width == outline)
        assert reader.screen.view.text_width == 200 - 2 - outline - TranscriptView.EDGES
        await reader.pilot.resize_terminal(140, 30)
        await reader.until(lambda: left.size.width == 39)
        await reader.pilot.resize_terminal(120, 30)
        await reader.until(lambda: left.size.width == 30)


async def test_a_score_by_hand_stays_legible_beside_them(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "timed.jsonl", [timed()])
    async with reading(file, size=(200, 30)) as reader:
        await reader.opened()
        await reader.until(lambda: "1▸" in outline_of(reader)[0], "units are counted")
        await reader.ask("S", "0.5 good")
        await reader.until(lambda: "✎ 0.5" in outline_of(reader)[0])
        assert outline_of(reader)[0].split()[-5:-1] == ["✎", "0.5", "1▸", "6.0s"]


async def test_units_are_counted_once_up_to_what_would_take_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []
    count = text.facts_of

    def counting(transcript: Transcript, unit: int, cancelled: Callable[[], bool]) -> UnitFacts | None:
        counted.append(unit)
        return count(transcript, unit, cancelled)

    monkeypatch.setattr(text, "facts_of", counting)
    monkeypatch.setattr(text, "MOST_COUNTED", 500)
    record = timed(4)
    record["transcripts"][0]["messages"][7]["content"] = "x" * 500
    async with reading(write_jsonl(tmp_path / "long.jsonl", [record]), size=(200, 30)) as reader:
        await reader.opened()
        await reader.until(lambda: "1▸" in outline_of(reader)[1], "the units before the long one are counted")
        assert "1▸" not in outline_of(reader)[2]
        assert "tokens" not in reader.status
    assert counted == [0, 1]


async def test_a_click_on_a_sign_of_the_minimap_goes_to_the_very_message(tmp_path: Path) -> None:
    record = timed(200)
    record["transcripts"][0]["messages"][302]["error"] = {"message": "no roof"}
    file = write_jsonl(tmp_path / "error.jsonl", [record])
    async with reading(file, size=(120, 30)) as reader:
        await reader.opened()
        minimap = reader.screen.query_one(Minimap)
        await reader.until(lambda: reader.session.highlights.errors == [302])

        def signed() -> list[int]:
            return [y for y in range(minimap.size.height) if "▪" in minimap.render_line(y).text]

        assert len(signed()) == 1
        await reader.pilot.click(minimap, offset=(1, signed()[0]))
        await reader.until(lambda: reader.message == 302)


async def test_the_minimap_shows_roles_and_dots_what_is_folded(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "timed.jsonl", [timed(30)])
    async with reading(file, size=(120, 40)) as reader:
        await reader.opened()
        minimap = reader.screen.query_one(Minimap)

        def bars() -> list[str]:
            return [minimap.render_line(y).text[0] for y in range(minimap.size.height)]

        def colours() -> int:
            return len({str(style.color) for y in range(40) if (style := next(iter(minimap.render_line(y))).style)})

        assert minimap.size.width == 2
        assert colours() >= 2
        await reader.press("z")
        await reader.until(lambda: set(bars()) == {"┊"})
        await reader.press("z")
        await reader.until(lambda: set(bars()) == {"▎"})
        await reader.pilot.resize_terminal(80, 24)
        await reader.until(lambda: minimap.size.width == 1)
