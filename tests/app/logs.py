"""Logs for tests of the whole app: one run that has something of everything, and small ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["NEEDLE", "chat", "episode", "repair", "write_episode", "write_jsonl", "write_runs"]

NEEDLE = "the kettle was never plugged in"
"""Stands once in prose and once in tool output, below what a folded output shows."""


def write_jsonl(path: Path, records: list[Any]) -> Path:
    """A file of one record a line."""
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


def chat(id: str, *texts: str, **more: Any) -> dict[str, Any]:
    """A chat in which user and assistant take turns."""
    roles = ("user", "assistant")
    return {"id": id, "messages": [{"role": roles[i % 2], "content": text} for i, text in enumerate(texts)], **more}


def repair() -> dict[str, Any]:
    """A Docent run with two transcripts. The first has 12 messages in 6 units: [0], [1-3], [4, 5], [6-8], [9], [10, 11];

    user turns are 1, 6 and 10, errors 5 and 8; 3 is a long output that folds, and holds the needle, as 9 does.
    """
    output = [f"line {n} of the kettle's log" for n in range(30)]
    output[21] = f"21: {NEEDLE}"
    messages = [
        _said("system", "You repair kettles."),
        _said("user", "The kettle stays cold. Please find out why."),
        {
            "role": "assistant",
            "content": [
                {"type": "reasoning", "reasoning": "First I look, then I believe."},
                {"type": "text", "text": "I look at the log."},
            ],
            "tool_calls": [_call("c1", "bash", command="tail -30 kettle.log")],
        },
        {"role": "tool", "content": "\n".join(output), "tool_call_id": "c1", "function": "bash"},
        {"role": "assistant", "content": "Nothing yet. I try it.", "tool_calls": [_call("c2", "bash", command="kettle on")]},
        {
            "role": "tool",
            "content": "kettle: no power",
            "tool_call_id": "c2",
            "function": "bash",
            "error": {"type": "nonzero_exit", "message": "exit code 7"},
        },
        _said("user", "Is it the fuse?"),
        {"role": "assistant", "content": "I measure it.", "tool_calls": [_call("c3", "measure", what="fuse", volts=230)]},
        {"role": "tool", "content": "Traceback (most recent call last):\n  File \"m.py\", line 1\nOSError: no probe", "tool_call_id": "c3", "function": "measure"},
        _said("assistant", f"The fuse is fine: {NEEDLE}.\n\n```diff\n-plug: out\n+plug: in\n```"),
        _said("user", "Oh. Thank you!"),
        _said("assistant", "It boils **now**. Mind the [steam]."),
    ]  # fmt: skip
    second = [_said("user", "A second conversation."), _said("assistant", "Short.")]
    return {
        "id": "repair",
        "name": "The cold kettle",
        "transcripts": [
            {"id": "t0", "name": "main", "messages": messages, "metadata": {"kitchen": "second floor"}},
            {"id": "t1", "name": "aside", "messages": second, "metadata": {}},
        ],
        "metadata": {"scores": {"reward": 0.5}, "shift": "night"},
    }


def episode(id: str = "chair", agents: tuple[str, ...] = ("Ada Byron", "Bob Moss")) -> dict[str, Any]:
    """A Sotopia episode in which each agent speaks once."""
    everyone = ", ".join(agents)
    context = f"Here is the context of this interaction:\nScenario: A room with one chair.\nParticipants: {everyone}\n"
    turns: list[list[list[str]]] = [[["Environment", name, context] for name in agents]]
    for number, speaker in enumerate(agents):
        said = f'said: "I am {speaker.split()[0]}, and I sit."'
        turns[-1] += [[name, "Environment", said if name == speaker else "did nothing"] for name in agents]
        turns.append([["Environment", name, f"Turn #{number}: {speaker} {said}\n"] for name in agents])
    return {
        "pk": id,
        "environment": "room",
        "agents": [name.lower().replace(" ", "-") for name in agents],
        "tag": "test",
        "models": ["judge", *(["m"] * len(agents))],
        "messages": turns,
        "reasoning": "",
        "rewards": [[3.5, {"goal": 7, "believability": 0}] for _ in agents],
        "rewards_prompt": "",
    }


def write_episode(path: Path) -> Path:
    """An episode as Sotopia's local backend keeps it."""
    path.write_text(json.dumps(episode(), indent=1))
    return path


def _said(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "content": content}


def _call(id: str, function: str, **arguments: Any) -> dict[str, Any]:
    return {"id": id, "function": function, "arguments": arguments, "type": "function"}


def write_runs(folder: Path) -> Path:
    """A folder with the repair, four chats and a torn line."""
    folder.mkdir(parents=True, exist_ok=True)
    write_jsonl(folder / "repair.jsonl", [repair()])
    chats = [
        chat("alpha", "Say a.", "a", reward=0.25),
        chat("beta", "Say b.", "b", "And again?", "b again"),
        chat("gamma", "Say c.", "c", *["more", "c"] * 5, reward=1.0),
    ]
    path = write_jsonl(folder / "chats.jsonl", chats)
    with path.open("a") as file:
        file.write('{"id": "torn", "messages": [{"role": "us')
    return folder
