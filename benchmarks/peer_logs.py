"""One generated run, written as each viewer's own kind of log."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kinds import FIRST, LAST, event
from logs import chat

INSPECT = """
import json, sys
from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
messages = json.load(open(sys.argv[1]))
for message in messages:
    for call in message.get("tool_calls", ()):
        made = call.pop("function")
        call.update(function=made["name"], arguments=json.loads(made["arguments"]))
spec = EvalSpec(created="2026-01-01T00:00:00+00:00", task="bench", dataset=EvalDataset(name="bench", samples=1),
                model="bench/model", config=EvalConfig())
sample = EvalSample(id=1, epoch=1, input="generated", target="none", messages=messages)
write_eval_log(EvalLog(status="success", eval=spec, samples=[sample]), sys.argv[2])
"""
"""Written by Inspect itself. Messages only: a real log's events, which its first tab shows, would make it larger."""


def messages_of(count: int, seed: int = 1) -> list[dict[str, Any]]:
    """A run of about so many messages."""
    messages: list[dict[str, Any]] = chat(random.Random(seed), 0, count)["messages"]
    messages[0]["content"] = f"{FIRST} {messages[0]['content']}"
    return [*messages, {"role": "assistant", "content": LAST}]


def write_json_lines(path: Path, values: Iterable[Any]) -> None:
    with path.open("w", encoding="utf-8", buffering=1 << 20) as file:
        file.writelines(json.dumps(value) + "\n" for value in values)


def write_mini(path: Path, messages: list[dict[str, Any]]) -> None:
    """mini-swe-agent's file."""
    value = {"info": {"exit_status": "Submitted"}, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"}
    path.write_text(json.dumps(value))


def write_inspect(path: Path, messages: list[dict[str, Any]], python: Path) -> None:
    """Inspect's `.eval`. Raises CalledProcessError."""
    bare = path.with_name("messages.json")
    bare.write_text(json.dumps(messages))
    subprocess.run([python, "-c", INSPECT, bare, path], check=True, stdout=subprocess.DEVNULL)
    bare.unlink()


def write_session(path: Path, messages: list[dict[str, Any]]) -> None:
    """The events of a coding agent's session, a line each."""
    write_json_lines(path, (event(number, message) for number, message in enumerate(messages)))
