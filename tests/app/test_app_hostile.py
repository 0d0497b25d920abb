"""What a log contains can't break the screen: markup, escapes, controls, long lines, in every place that shows it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

from textual.widgets import Static

from trajview.app.raw.screen import RawScreen
from trajview.app.transcript.screen import TranscriptScreen

from .driving import reading
from .logs import chat, episode, write_jsonl

MARKUP = "[/foo] [bold]b[/bold] [@click=app.quit]q[/] \\[ $x [red"
_ACTING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def hostile_run(text: str) -> dict[str, Any]:
    """A run with a text in every place that can hold one."""
    return {
        "id": f"id {text}",
        "name": f"name {text}",
        "description": text,
        "transcripts": [
            {
                "name": text,
                "messages": [
                    {"role": "user", "content": text, "metadata": {text: text}},
                    {
                        "role": "assistant",
                        "model": text,
                        "content": [{"type": "reasoning", "reasoning": text}, {"type": "text", "text": f"# {text}\n```{text}\n{text}\n```"}],
                        "tool_calls": [{"id": "c", "function": text, "arguments": {text: text, "long": f"{text}\n{text}"}, "type": "function"}],
                    },
                    {"role": "tool", "content": text, "tool_call_id": "c", "function": text, "error": {"type": text, "message": text}},
                ],
            },
            {"name": text, "messages": [{"role": "user", "content": text}]},
        ],
        "metadata": {text: text},
    }  # fmt: skip


async def test_markup_is_shown_as_it_stands_everywhere(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "log.jsonl", [hostile_run(MARKUP), chat("plain", "a", "b")])
    async with reading(tmp_path / "log.jsonl", size=(200, 60), store=tmp_path / "[store") as reader:
        await reader.listed()
        assert "name [/foo] [bold]b[/bold]" in reader.whole_screen
        await reader.ask("ampersand", "[/foo]")
        assert len(reader.rows) == 1
        await reader.open("enter")
        assert "name [/foo] [bold]b[/bold] [@click=app.quit]q[/]" in reader.title
        assert reader.text.count(MARKUP) >= 6
        await reader.press("i")
        await reader.until(lambda: "role: user" in reader.whole_screen)
        await reader.press("escape", "tab", "tab", "v")
        await reader.until(lambda: isinstance(reader.app.screen, RawScreen) and "[/foo]" in reader.whole_screen)
        await reader.press("q")
        await reader.ask("slash", MARKUP)
        await reader.until(lambda: "“[/foo]" in reader.status)
        await reader.press("escape")
        await reader.ask("colon", MARKUP)
        await reader.press("asterisk", "ampersand", "escape", "m")
        await reader.press("a")
        await reader.annotating()
        assert "name [/foo]" in str(reader.panel.query_one(".title", Static).render())
        await reader.type("1")
        await reader.save()
        assert isinstance(reader.app.screen, TranscriptScreen)


async def test_no_character_that_acts_on_a_terminal_is_on_any_screen(tmp_path: Path) -> None:
    everything = "".join(
        chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    )
    text = f"a{everything}z \x1b]52;c;AAAA\x07 \x1b[2J"
    write_jsonl(tmp_path / "log.jsonl", [hostile_run(text), chat("plain", "a", "b")])
    async with reading(tmp_path / "log.jsonl", size=(160, 50)) as reader:
        await reader.listed()
        screens = [reader.whole_screen]
        await reader.ask("ampersand", "name")
        await reader.open("enter")
        for keys in (("i",), ("z",), ("z",), ("G",), ("i", "tab"), ("m", "*"), ("slash",), ("escape", "v")):
            await reader.press(*keys)
            screens.append(reader.whole_screen)
        await reader.until(lambda: isinstance(reader.app.screen, RawScreen) and "transcripts" in reader.whole_screen)
        screens.append(reader.whole_screen)
        await reader.press("q")
        await reader.press("a")
        await reader.annotating()
        screens.append(reader.whole_screen)
    assert not [found for screen in screens for found in _ACTING.findall(screen)]


async def test_agents_with_hostile_names_can_be_rated(tmp_path: Path) -> None:
    file = tmp_path / "episode.json"
    file.write_text(json.dumps(episode("e", ("[/Ada] \x1b]0;x\x07", "B\u202eob [red"))))
    async with reading(file, store=tmp_path / "store") as reader:
        await reader.opened()
        await reader.press("a")
        await reader.annotating()
        assert "[/Ada]" in reader.whole_screen
        await reader.type("11")
        await reader.press("enter", "ctrl+s")
        await reader.until(lambda: reader.state.startswith("not submitted"))
        assert not _ACTING.search(reader.whole_screen)


async def test_a_line_of_a_million_characters_opens_searches_and_folds(tmp_path: Path) -> None:
    line = "0123456789" * 100_000
    write_jsonl(tmp_path / "long.jsonl", [chat("long", line, f"{line}needle{line}", line)])
    async with reading(tmp_path / "long.jsonl") as reader:
        await reader.opened("long")
        await reader.ask("slash", "needle")
        await reader.until(lambda: "“needle” 1/1" in reader.status)
        assert "needle" in reader.text
        await reader.press("z", "z", "z", "G", "enter", "g", "i", "i", "y")
        assert len(reader.app.clipboard) == len(line)


async def test_every_malformed_sample_opens_or_says_why(tmp_path: Path) -> None:
    folder = tmp_path / "malformed"
    shutil.copytree(Path(__file__).parents[2] / "sample_data" / "malformed", folder)
    async with reading(folder, size=(100, 30)) as reader:
        await reader.listed()
        infos = reader.app.corpus.infos
        assert len(infos) > 20
        assert reader.app.corpus.problems
        reader.app.open_run(infos[0])
        await reader.opened(infos[0].id)
        for info in infos:
            reader.app.open_run(info)
            await reader.until(lambda info=info: reader.screen.info is info)
            await reader.app.workers.wait_for_complete([w for w in reader.app.workers if w.group == "load"])
            await reader.press("G")
            assert not _ACTING.search(reader.whole_screen), info.id
            assert "this is a bug in trajview" not in reader.whole_screen, info.id


async def test_a_byte_deep_in_a_run_that_is_no_utf8_is_said_when_it_is_opened_and_is_listed_then(
    tmp_path: Path,
) -> None:
    said = ("é" + "word " * 500) * 8
    lines = [json.dumps(chat(f"run {number}", said, "stray"), ensure_ascii=False).encode() for number in range(6)]
    (tmp_path / "log.jsonl").write_bytes(b"\n".join([*lines[:5], lines[5].replace(b"stray", b"str\xffy")]))
    async with reading(tmp_path / "log.jsonl") as reader:
        await reader.listed()
        assert reader.app.corpus.problems == []
        await reader.press("G")
        await reader.open("enter")
        await reader.press("G")
        assert "str\ufffdy" in reader.text
        await reader.until(lambda: reader.app.corpus.problems)
        await reader.until(lambda: reader.toasts)
        assert [str(problem) for problem in reader.app.corpus.problems] == [
            f"{tmp_path / 'log.jsonl'}:6: some bytes are not UTF-8, and show as \ufffd "
            "(convert the file, as with `iconv -f latin1 -t utf-8`)"
        ]
        assert "not UTF-8" in reader.toasts[0]
