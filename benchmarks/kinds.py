"""Generated chats as other kinds of logs: Docent's, Sotopia's, Anthropic's, and one run that is as long as wanted."""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from logs import chat, prose, write_chats

__all__ = [
    "FIRST",
    "LAST",
    "LENGTH",
    "LONG",
    "RECORDS",
    "bytes_of",
    "event",
    "long_run_asked_for",
    "long_run_options",
    "write_log",
    "write_long_run",
    "write_named",
]

LENGTH = 85
"""Messages of a record where 1 GB is to have some 10,000 of them, as the table of targets says."""

FIRST, LAST = "ALPHAFIRST", "OMEGALAST"
"""What a long run's first message begins with, and what its last one says."""

TURNS = 25  # the messages of a long run are made once and said so often, each time with other ids

AGENTS = ("Ada", "Bruno")
DIMENSIONS = {
    "believability": 9.0,
    "relationship": 2.0,
    "knowledge": 3.0,
    "secret": 0.0,
    "social_rules": 0.0,
    "financial_and_material_benefits": 1.0,
    "goal": 7.0,
}


def bytes_of(text: str) -> int:
    """A number of bytes with K, M or G (powers of ten) after it, or without."""
    return int(float(text.rstrip("KMG")) * {"K": 1e3, "M": 1e6, "G": 1e9}.get(text[-1], 1))


def _docent_message(message: dict[str, Any]) -> dict[str, Any]:
    calls = message.get("tool_calls")
    if not calls:
        return message
    said = [
        {
            "id": call["id"],
            "type": "function",
            "function": call["function"]["name"],
            "arguments": json.loads(call["function"]["arguments"]),
        }
        for call in calls
    ]
    return {**message, "tool_calls": said}


def _anthropic_message(message: dict[str, Any]) -> dict[str, Any]:
    if message["role"] == "tool":
        result = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}
        return {"role": "user", "content": [result]}
    if message["role"] != "assistant":
        return {"role": "user", "content": message["content"]}
    used = [
        {
            "type": "tool_use",
            "id": call["id"],
            "name": call["function"]["name"],
            "input": json.loads(call["function"]["arguments"]),
        }
        for call in message.get("tool_calls", ())
    ]
    return {"role": "assistant", "content": [{"type": "text", "text": message["content"]}, *used]}


def event(number: int, message: dict[str, Any]) -> dict[str, Any]:
    """A message as a line of a coding agent's session."""
    role = message["role"] if message["role"] == "assistant" else "user"
    said: dict[str, Any] = {"role": role, "content": message["content"]}
    if role == "assistant":
        calls = [(call["id"], call["function"]) for call in message.get("tool_calls", ())]
        said["content"] = [
            {"type": "text", "text": message["content"]},
            *({"type": "tool_use", "id": id, "name": call["name"], "input": json.loads(call["arguments"])} for id, call in calls),
        ]  # fmt: skip
        said |= {
            "id": f"said-{number}",
            "type": "message",
            "model": "model",
            "stop_reason": None,
            "stop_sequence": None,
        }
        said["usage"] = {"input_tokens": 1, "output_tokens": 1}
    elif message["role"] == "tool":
        said["content"] = [
            {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}
        ]
    return {
        "parentUuid": f"event-{number - 1:07d}" if number else None, "isSidechain": False, "userType": "external",
        "cwd": "/bench", "sessionId": "bench", "version": "1.0.0", "type": role, "message": said,
        "uuid": f"event-{number:07d}", "timestamp": f"2026-01-{number // 86400 + 1:02d}T"
        f"{number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}.000Z",
    }  # fmt: skip


def _round(message: dict[str, Any], number: int) -> dict[str, Any]:
    """A message as a round of TaskWeaver's, with one post."""
    sender, receiver = {"user": ("User", "Planner"), "assistant": ("Planner", "User")}.get(
        message["role"], ("CodeInterpreter", "Planner")
    )
    said = [("plan", call["function"]["arguments"]) for call in message.get("tool_calls", ())]
    if message["role"] == "assistant":
        said.append(("thought", message["content"][:200]))
    attachments = [
        {"id": f"said-{number}-{place}", "type": kind, "content": content, "extra": None}
        for place, (kind, content) in enumerate(said)
    ]
    post = {
        "id": f"post-{number}", "send_from": sender, "send_to": receiver, "message": message["content"],
        "attachment_list": attachments,
    }  # fmt: skip
    return {"id": f"round-{number}", "user_query": "", "state": "finished", "post_list": [post]}


def _step(message: dict[str, Any], _: int) -> dict[str, Any]:
    """A message as an item of an ADP trajectory."""
    if message["role"] == "tool":
        return {
            "class_": "text_observation", "content": message["content"], "source": "environment",
            "tool_call_id": message["tool_call_id"],
        }  # fmt: skip
    if message["role"] != "assistant":
        return {"class_": "text_observation", "content": message["content"], "name": "user", "source": "user"}
    for call in message.get("tool_calls", ()):
        return {
            "class_": "api_action", "function": call["function"]["name"],
            "kwargs": json.loads(call["function"]["arguments"]), "description": message["content"],
            "tool_call_id": call["id"],
        }  # fmt: skip
    return {"class_": "message_action", "content": message["content"]}


def _turns(message: dict[str, Any], number: int) -> list[list[list[str]]]:
    """A message as the end of a turn, in which one agent of two says it, and the start of the next, where both are told."""
    if not number:
        told = f"Here is the context of this interaction:\nScenario: {message['content']}\nConversation Starts:\n"
        return [[["Environment", name, told] for name in AGENTS]]
    who = number % 2
    act = f'said: "{message["content"]}"'
    acts = [[AGENTS[who], "Environment", act], [AGENTS[1 - who], "Environment", "did nothing"]]
    if message["content"] == LAST:
        return [acts]
    return [acts, [["Environment", name, f"Turn #0: {AGENTS[who]} {act}\n"] for name in AGENTS]]


def _docent(rng: random.Random, number: int, messages: int) -> dict[str, Any]:
    made = chat(rng, number, messages)
    said = [_docent_message(message) for message in made["messages"]]
    transcripts = [{"id": f"transcript-{number:07d}", "messages": said, "metadata": {}}]
    return {
        "id": made["id"],
        "name": f"task {number}",
        "transcripts": transcripts,
        "metadata": {"scores": {"reward": made["reward"]}},
    }


def _episode(rng: random.Random, number: int, messages: int) -> dict[str, Any]:
    """Two agents, one of whom acts in each turn; four messages a turn, as Sotopia keeps them."""
    turns: list[list[list[str]]] = []
    seen = [f"Here is the context of this interaction:\n{prose(rng, 1500)}\nConversation Starts:\n"] * 2
    for turn in range(max(2, messages // 4)):
        acts = ["did nothing", "did nothing"]
        acts[turn % 2] = f'said: "{prose(rng, 160)}"'
        told = [["Environment", name, text] for name, text in zip(AGENTS, seen, strict=True)]
        turns.append([*told, *([name, "Environment", act] for name, act in zip(AGENTS, acts, strict=True))])
        seen = [f"Turn #{turn}: {AGENTS[turn % 2]} {acts[turn % 2]}\n"] * 2
    overall = round(rng.random() * 5, 3)
    return {
        "pk": f"run-{number:07d}",
        "environment": f"environment-{number % 90}",
        "agents": ["agent-1", "agent-2"],
        "tag": "bench",
        "models": ["judge", "model-1", "model-2"],
        "messages": turns,
        "reasoning": prose(rng, 600),
        "rewards": [[overall, {**DIMENSIONS, "overall_score": overall}]] * 2,
        "rewards_prompt": prose(rng, 600),
    }


RECORDS: dict[str, Callable[[random.Random, int, int], dict[str, Any]]] = {
    "chat": chat,
    "docent": _docent,
    "sotopia": _episode,
}
"""How a record of each kind is made, from a generator, its number, and about how many messages."""


def write_log(path: Path, size: int, kind: str = "chat", messages: int = 40) -> None:
    """JSON Lines of so many bytes of records of so many messages, the first few MB again and again under other ids."""
    rng = random.Random(1)
    lines = [json.dumps(RECORDS[kind](rng, number, messages)).encode() + b"\n" for number in range(300)]
    written, turn = 0, 0
    with path.open("wb", buffering=1 << 20) as file:
        while written < size:
            for line in lines:
                written += file.write(line.replace(b'"run-0', b'"run%03d-' % turn, 1))
            turn += 1


def write_named(path: Path, size: int, *, array: bool = False) -> None:
    """Chats of so many bytes, one a line or as one array, the first of which is named FIRST and the last LAST."""
    lines = path.with_name("lines.jsonl")
    write_log(lines, size)
    first, last = (
        json.dumps({"id": name, "messages": [{"role": "user", "content": "hello"}]}).encode() for name in (FIRST, LAST)
    )
    before, between, after = (b"[", b",\n", b"]\n") if array else (b"", b"\n", b"\n")
    with path.open("wb", buffering=1 << 20) as file, lines.open("rb", buffering=1 << 20) as source:
        file.write(before + first)
        for line in source:
            file.write(between + line.rstrip(b"\n"))
        file.write(between + last + after)
    lines.unlink()


def _as_it_is(message: dict[str, Any], _: int) -> dict[str, Any]:
    return message


class Long(NamedTuple):
    """A kind of a long run: its file's name, how a message is written, and what stands before, after and between them.

    `cut`: brackets that are left out at either end of what is written; `share`: how much of a message is, as it is said
    several times.
    """

    name: str
    write: Callable[[dict[str, Any], int], Any]
    before: bytes
    after: bytes
    between: bytes = b", "
    cut: int = 0
    share: float = 1


_RUN = b'{"id": "one-long-run", "reward": 0.5, "messages": ['
LONG = {
    "a chat, one line of JSON Lines": Long("run.jsonl", _as_it_is, _RUN, b"]}\n"),
    "a chat, one JSON document": Long("run.json", _as_it_is, _RUN, b"]}\n"),
    "a bare list of messages": Long("list.json", _as_it_is, b"[", b"]\n"),
    "a run of Docent": Long(
        "docent.json",
        lambda message, _: _docent_message(message),
        b'{"id": "one-long-run", "name": "long", "metadata": {"scores": {"reward": 0.5}}, '
        b'"transcripts": [{"id": "t0", "metadata": {}, "messages": [',
        b"]}]}\n",
    ),
    "messages of Anthropic": Long("anthropic.json", lambda message, _: _anthropic_message(message), _RUN, b"]}\n"),
    "a conversation of TaskWeaver": Long(
        "taskweaver.json", _round, b'{"id": "one-long-run", "plugins": [], "enabled": true, "rounds": [', b"]}\n"
    ),
    "a trajectory of ADP": Long(
        "adp.json", _step, b'{"id": "one-long-run", "content": [', b'], "details": {"reward": 0.5}}\n'
    ),
    "an episode of Sotopia": Long(
        "sotopia.json",
        _turns,
        b'{"pk": "one-long-run", "environment": "bench", "agents": ["agent-1", "agent-2"], "messages": [[',
        b']], "reasoning": "", "rewards": [3.0, 4.0]}\n',
        cut=2,
        share=1 / 3,
    ),
    "a session of a coding agent": Long(
        "session.jsonl", lambda message, number: event(number, message), b"", b"\n", b"\n"
    ),
    "messages, one a line": Long("messages.jsonl", _as_it_is, b"", b"\n", b"\n"),
}
"""The kinds of one long run."""


def _messages(kind: str, count: int, longer: float) -> Iterator[bytes]:
    wanted = LONG[kind]

    def written(message: dict[str, Any], number: int) -> bytes:
        text = json.dumps(wanted.write(message, number))
        return text[wanted.cut : len(text) - wanted.cut].encode()

    made = chat(random.Random(1), 0, max(4, count // TURNS), longer * wanted.share)["messages"]
    yield written({**made[0], "content": f"{FIRST} {made[0]['content']}"}, 0)
    said = [written(message, number) for number, message in enumerate(made) if number]
    at = 1
    for turn in range(count):
        for line in said:
            if at >= count - 1:
                yield written({"role": "user", "content": LAST}, count)
                return
            line = line.replace(b"call_0_", b"call_%d_" % turn).replace(b'"event-0', b'"event-%d-' % turn)
            yield line.replace(b'"Turn #0:', b'"Turn #%d:' % (at - 1))
            at += 1


def write_long_run(folder: Path, kind: str, count: int, longer: float) -> Path:
    """One run of so many messages, `longer` times as long as those of other logs here, as one of the kinds in LONG."""
    wanted = LONG[kind]
    path = folder / wanted.name
    with path.open("wb", buffering=1 << 20) as file:
        file.write(wanted.before)
        for number, message in enumerate(_messages(kind, count, longer)):
            file.write(wanted.between + message if number else message)
        file.write(wanted.after)
    return path


def long_run_options(parser: argparse.ArgumentParser) -> None:
    """What long run is to be measured: how many messages, how long, or which file."""
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--longer", type=float, default=1, help="4.6 makes some 500 MB of 100,000 messages")
    parser.add_argument("--file", type=Path, help="a JSONL log of one long run to take instead")


def long_run_asked_for(given: argparse.Namespace, folder: Path) -> Path:
    """The file with that run, written into a folder where it is not there."""
    if given.file is not None:
        return Path(given.file)
    if given.longer != 1:
        return write_long_run(folder, next(iter(LONG)), given.messages, given.longer)
    path = folder / "run.jsonl"
    write_chats(path, 1, given.messages)
    return path
