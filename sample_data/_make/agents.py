"""agents/: one small session in the shape of each coding agent and service, the same question asked of all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .workshop import stable_id, write_json, write_jsonl

Line = dict[str, Any]

QUESTION = "How many spoons are in the drawer?"
THOUGHT = "The drawer has a list. I should read it before I count."
COMMAND = {"command": "cat drawer.txt"}
LIST = "forks 6\nspoons 7\nknives 5\n"
WRONG = {"command": "cat cupboard.txt"}
NOT_FOUND = "cat: cupboard.txt: No such file or directory"
ANSWER = "Seven. The cupboard has no list, so I can't speak for the ones that moved out."
MODEL = "meridian-3-small"
SESSION = stable_id("agents", "spoons")


def _at(second: int) -> str:
    return f"2026-03-01T09:00:{second:02}.000Z"


def gemini_lines() -> list[Line]:
    """Gemini CLI's lines: a header, messages, an update, a message that is written again, one that was taken back."""
    call = {"id": "shell-1", "name": "run_shell_command", "args": COMMAND, "status": "executing", "timestamp": _at(3)}
    answer = {"functionResponse": {"id": "shell-1", "name": "run_shell_command", "response": {"output": LIST}}}
    done = {**call, "status": "success", "result": [answer], "resultDisplay": LIST}
    wrong = {**call, "id": "shell-2", "args": WRONG, "status": "error"}
    wrong["result"] = [
        {"functionResponse": {"id": "shell-2", "name": "run_shell_command", "response": {"error": NOT_FOUND}}}
    ]
    said = {
        "id": "m2", "timestamp": _at(2), "type": "gemini", "content": "", "model": MODEL,
        "thoughts": [{"subject": "Reading the list", "description": THOUGHT, "timestamp": _at(2)}],
        "tokens": {"input": 310, "output": 24, "cached": 0, "thoughts": 12, "tool": 0, "total": 346},
    }  # fmt: skip
    return [
        {"sessionId": SESSION, "projectHash": "5ca1ab1e", "startTime": _at(0), "lastUpdated": _at(0), "kind": "main"},
        {"id": "m0", "timestamp": _at(0), "type": "user", "content": [{"text": "How many sporks?"}]},
        {"$rewindTo": "m0"},
        {"id": "m1", "timestamp": _at(1), "type": "user", "content": [{"text": QUESTION}]},
        {**said, "toolCalls": [call]},
        {**said, "toolCalls": [done, wrong]},
        {"$set": {"lastUpdated": _at(4), "summary": "Counts spoons."}},
        {"id": "m3", "timestamp": _at(4), "type": "info", "content": "The quota is renewed at noon."},
        {"id": "m4", "timestamp": _at(5), "type": "gemini", "content": ANSWER, "thoughts": [], "model": MODEL},
    ]


def gemini_session() -> Line:
    """Gemini CLI's older form: one object."""
    header, _, _, question, _, said, _, note, answer = gemini_lines()
    question = {**question, "content": QUESTION}
    return {**header, "messages": [question, said, note, answer]}


def qwen_lines() -> list[Line]:
    """Qwen Code's lines."""
    about = {"sessionId": SESSION, "cwd": "/home/ada/kitchen", "version": "0.9.0", "gitBranch": "main"}

    def line(number: int, kind: str, role: str, *parts: Line, **more: Any) -> Line:
        own = {"uuid": f"q{number}", "parentUuid": f"q{number - 1}" if number else None, "timestamp": _at(number)}
        return {**own, **about, "type": kind, "message": {"role": role, "parts": list(parts)}, **more}

    call = {"id": "shell-1", "name": "run_shell_command", "args": COMMAND}
    answer = {"id": "shell-1", "name": "run_shell_command", "response": {"output": LIST}}
    thought = {"text": THOUGHT, "thought": True}
    return [
        line(0, "user", "user", {"text": QUESTION}),
        line(1, "assistant", "model", thought, {"functionCall": call}, model=MODEL, usageMetadata={"totalTokenCount": 346}),
        {"uuid": "q2", "parentUuid": "q1", "timestamp": _at(2), **about, "type": "system", "systemPayload": {"event": "tool"}},
        line(3, "tool_result", "user", {"functionResponse": answer}, toolCallResult={"callId": "shell-1", "status": "success"}),
        line(4, "assistant", "model", {"text": ANSWER}, model=MODEL),
    ]  # fmt: skip


def gemini_contents() -> Line:
    """A request to Gemini, with its answer; calls have no ids there."""
    return {
        "model": MODEL,
        "systemInstruction": {"parts": [{"text": "You count cutlery."}]},
        "contents": [
            {
                "role": "user",
                "parts": [{"text": QUESTION}, {"inlineData": {"mimeType": "image/png", "data": "c3Bvb24="}}],
            },
            {
                "role": "model",
                "parts": [
                    {"text": THOUGHT, "thought": True},
                    {"functionCall": {"name": "read", "args": {"path": "drawer.txt"}}},
                ],
            },
            {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": LIST}}}]},
            {"role": "model", "parts": [{"executableCode": {"language": "PYTHON", "code": "print(7)"}}]},
            {"role": "model", "parts": [{"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "7\n"}}]},
        ],
        "candidates": [{"content": {"role": "model", "parts": [{"text": ANSWER}]}, "finishReason": "STOP"}],
    }


def write_agents(target: Path) -> None:
    """Write every sample of agents/."""
    write_jsonl(target / "gemini-cli.jsonl", gemini_lines())
    write_json(target / "gemini-cli-object.json", gemini_session())
    write_jsonl(target / "gemini-cli-qwen.jsonl", qwen_lines())
    write_json(target / "gemini.json", gemini_contents())
