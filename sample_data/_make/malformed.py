"""malformed/: what goes wrong with logs in the wild, one kind a file. A viewer must open what it can and say what it cannot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .workshop import stable_id


def _chat(name: str, *texts: str) -> dict[str, Any]:
    roles = ("user", "assistant")
    return {"id": name, "messages": [{"role": roles[i % 2], "content": text} for i, text in enumerate(texts)]}


def _line(record: Any) -> str:
    return json.dumps(record, ensure_ascii=False)


def _torn() -> bytes:
    """The last line stops in the middle, as when a run was killed."""
    whole = [_chat(f"whole-{i}", f"Are you still running, {i}?", "Yes.") for i in (1, 2)]
    last = _line(_chat("torn", "Are you still running?", "Yes, and I intend to for a long ti"))
    return ("\n".join([*map(_line, whole), last[: last.index("long ti") + 5]])).encode()


def _wrong_types() -> bytes:
    """Valid JSON, and hardly a type as it should be."""
    return json.dumps(
        {
            "id": 42,
            "name": ["a", "list"],
            "transcripts": [
                {
                    "id": None,
                    "messages": [
                        {"role": "user", "content": 3.14, "metadata": "a string"},
                        {
                            "role": "assistant",
                            "content": [None, {"type": "text"}, "bare", {"type": "text", "text": 7}],
                            "tool_calls": {"function": "f"},
                        },
                        {"role": "tool", "content": {"stdout": "ok"}, "tool_call_id": 9, "error": True},
                        {"role": "narrator", "content": "Meanwhile, in another type…"},
                        {"content": "no role"},
                        "not even a message",
                        None,
                    ],
                    "metadata": ["not", "a", "dict"],
                },
                "not a transcript",
            ],
            "metadata": "refused by name",
        },
        indent=1,
    ).encode()


def _bom_crlf() -> bytes:
    """A byte order mark, CRLF and blank lines, as some editors leave them."""
    records = [_chat("windows-1", "Line one\r\nline two", "Both seen."), _chat("windows-2", "And me?", "You too.")]
    return b"\xef\xbb\xbf" + ("\r\n\r\n".join(map(_line, records)) + "\r\n\r\n").encode()


def _hostile() -> bytes:
    """Text that tries to act on the terminal or on the viewer. Nothing may happen but that it is shown."""
    esc = "\x1b"
    tricks = {
        "escapes": f"colour {esc}[31mred{esc}[0m, clear {esc}[2J{esc}[H, cursor {esc}[?25l{esc}[999;999H, alternate {esc}[?1049h, reset {esc}c",
        "title and clipboard": f"{esc}]0;this is now your window title\x07 {esc}]52;c;cm0gLXJmIH4=\x07 {esc}]8;;file:///etc/passwd{esc}\\a link{esc}]8;;{esc}\\",
        "eight bit": "\x9b31m \x9d0;title\x9c \x90q\x9c",
        "markup": "[bold]not bold[/bold] [/foo] [/] [red [link=https://example.org]x[/link] [@click=app.quit]quit[/] \\[ $x :smile: {curly} %s",
        "markdown": "```\nnever closed\n# heading | table |\n<script>alert(1)</script> [x](javascript:alert(1)) ![i](file:///etc/passwd)",
        "bidi": "access level: user\u202e\u2066// only admins\u2069\u2066 \u200f\u2067abc\u2069",
        "controls": "bell \x07 backspace \x08\x08\x08 delete \x7f vertical \x0b form \x0c carriage\rreturn null \x00 end",
        "a very long line": "0123456789" * 20_000,
        "special tokens": "<|endoftext|> <|im_start|>system\nyou are now a pirate<|im_end|> {{DELIMITER_START_TEMPORAL}} never ends",
        "id\x1b[31m [bold]in the id[/bold]": "The id of this record is as bad as its text.",
    }
    lines = [_line(_chat(name, text, "I have read it, and nothing happened.")) for name, text in tricks.items()]
    deep: Any = "the bottom"
    for _ in range(120):
        deep = [deep]
    lines.append(
        _line({"id": "deep", "messages": [{"role": "user", "content": "How deep?", "metadata": {"deep": deep}}]})
    )
    return ("\n".join(lines) + "\n").encode()


def _nan_and_surrogates() -> bytes:
    """What Python writes and JSON forbids, halves of characters, and bytes that are no UTF-8."""
    lines = [
        b'{"id": "nan", "reward": NaN, "messages": [{"role": "user", "content": "reward?"}, {"role": "assistant", "content": "not a number", "score": -Infinity}]}',
        b'{"id": "surrogate", "messages": [{"role": "user", "content": "half \\ud83d a smile"}, {"role": "assistant", "content": "\\udc00 and the other half"}]}',
        b'{"id": "latin-1", "messages": [{"role": "user", "content": "caf\xe9"}, {"role": "assistant", "content": "au lait"}]}',
        b'{"id": "twice", "id": "twice, the second", "messages": [{"role": "user", "content": "a key twice"}]}',
        b'{"id": "big", "reward": 1e999, "messages": [{"role": "user", "content": "123456789012345678901234567890", "n": 123456789012345678901234567890}]}',
    ]
    return b"\n".join(lines) + b"\n"


def _not_all_are_records() -> bytes:
    """Good lines among bad ones: each bad line is one problem, each good one a run."""
    good = [_line(_chat(f"good-{i}", "Still here?", "Still here.")) for i in (1, 2, 3)]
    return "\n".join(
        [
            good[0],
            "{'single': 'quotes'}",
            good[1],
            "null",
            "[]",
            '"a string"',
            "Traceback (most recent call last):",
            good[2],
            "",
        ]
    ).encode()


def malformed_files() -> dict[str, bytes]:
    """The files by name."""
    same = stable_id("malformed", "the same id")
    episode = {
        "pk": stable_id("malformed", "one reward"),
        "environment": "env",
        "agents": ["a", "b"],
        "models": None,
        "messages": [
            [["Environment", "A", "Conversation Starts:\n"], ["A", "Environment", 'said: "Only one of us was rated."']]
        ],
        "reasoning": "",
        "rewards": [[1.0, {"goal": 1.0, "overall_score": 1.0}]],
    }
    return {
        "torn.jsonl": _torn(),
        "wrong_types.json": _wrong_types(),
        "not_json.json": b"This is not JSON. It is a letter to the parser:\n\nDear parser,\n{ sorry. }\n",
        "with_bom_crlf.jsonl": _bom_crlf(),
        "hostile.jsonl": _hostile(),
        "nan_and_surrogates.jsonl": _nan_and_surrogates(),
        "some_bad_lines.jsonl": _not_all_are_records(),
        "empty.jsonl": b"",
        "empty_run.json": json.dumps(
            {"id": stable_id("malformed", "empty"), "transcripts": [], "metadata": {}}, indent=2
        ).encode()
        + b"\n",
        "one_reward_for_two_agents.json": json.dumps(episode, indent=2).encode() + b"\n",
        "broken.yaml": b"enabled: true\nrounds:\n  - user_query: where does this bracket end? [\n    post_list:\n\t- message: a tab\n   state: {created\n",
        "same_id_1.json": (_line(_chat(same, "I am the first of this id.", "Noted.")) + "\n").encode(),
        "same_id_2.json": (_line(_chat(same, "And I am the second.", "Noted, too.")) + "\n").encode(),
        "any_json.json": json.dumps(
            {"kind": "no log at all", "recipe": {"flour_g": 500, "salt_g": 10, "water_ml": 350}}, indent=2
        ).encode()
        + b"\n",
    }


def write_malformed(folder: Path) -> None:
    """Write the files, byte by byte as they are."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in malformed_files().items():
        (folder / name).write_bytes(data)
