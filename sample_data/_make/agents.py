"""agents/: one small session in the shape of each coding agent and service, the same question asked of all of them."""

from __future__ import annotations

import json
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


def codex_exec() -> list[Line]:
    """`codex exec --json`: an item comes when it begins and when it ends."""
    item = {"id": "item_1", "type": "command_execution", "command": "cat drawer.txt", "status": "in_progress"}
    done = {**item, "aggregated_output": LIST, "exit_code": 0, "status": "completed"}
    wrong = {"id": "item_2", "type": "command_execution", "command": "cat cupboard.txt"}
    return [
        {"type": "thread.started", "thread_id": SESSION},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "item_0", "type": "reasoning", "text": THOUGHT}},
        {"type": "item.started", "item": item},
        {"type": "item.completed", "item": done},
        {
            "type": "item.completed",
            "item": {**wrong, "aggregated_output": NOT_FOUND, "exit_code": 1, "status": "failed"},
        },
        {"type": "item.completed", "item": {"id": "item_3", "type": "agent_message", "text": ANSWER}},
        {"type": "turn.completed", "usage": {"input_tokens": 310, "cached_input_tokens": 0, "output_tokens": 24}},
    ]


def copilot() -> list[Line]:
    """Copilot's events, with a sub-agent."""

    def event(number: int, kind: str, **data: Any) -> Line:
        above = f"e{number - 1}" if number else None
        return {"type": kind, "data": data, "id": f"e{number}", "timestamp": _at(number), "parentId": above}

    read = {"toolCallId": "call-1", "name": "bash", "arguments": COMMAND}
    ask = {"toolCallId": "call-2", "name": "task", "arguments": {"prompt": "Is the cupboard empty?"}}
    within: Line = {"parentToolCallId": "call-2"}
    return [
        event(0, "session.start", sessionId=SESSION, copilotVersion="1.0.11", context={"cwd": "/home/ada/kitchen"}),
        event(1, "user.message", content=QUESTION, transformedContent=QUESTION, attachments=[]),
        event(2, "assistant.message", messageId="m1", content="", toolRequests=[read, ask], reasoningText=THOUGHT, model=MODEL, outputTokens=24),
        event(3, "tool.execution_start", toolCallId="call-1", toolName="bash", arguments=COMMAND),
        event(4, "tool.execution_complete", toolCallId="call-1", success=True, result={"content": LIST}),
        event(5, "subagent.started", toolCallId="call-2", agentName="looker"),
        event(6, "assistant.message", messageId="m2", content="I see no list.", toolRequests=[], **within),
        event(7, "tool.execution_complete", toolCallId="call-2", success=False, error={"message": NOT_FOUND}),
        event(8, "assistant.message", messageId="m3", content=ANSWER, toolRequests=[], model=MODEL, outputTokens=20),
    ]  # fmt: skip


def cursor() -> list[Line]:
    """Cursor's lines: the call has no id, the answer has one."""
    text = lambda said: {"type": "text", "text": said}  # noqa: E731
    call = {"type": "tool_use", "name": "Bash", "input": COMMAND}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": [text(LIST)]}
    return [
        {"role": "user", "message": {"content": [text(QUESTION)]}},
        {"role": "assistant", "message": {"content": [{"type": "thinking", "thinking": THOUGHT}, call]}},
        {"role": "user", "message": {"content": [answer]}},
        {"role": "assistant", "message": {"content": [text(ANSWER)]}},
    ]


def goose() -> list[Line]:
    """Goose's lines, with its header."""
    call = {"status": "success", "value": {"name": "developer__shell", "arguments": COMMAND}}
    wrong = {"status": "success", "value": {"name": "developer__shell", "arguments": WRONG}}
    answer = {"status": "success", "value": [{"type": "text", "text": LIST}]}
    return [
        {"working_dir": "/home/ada/kitchen", "description": "Spoons", "message_count": 4, "total_tokens": 334},
        {"role": "user", "created": 1772355600, "content": [{"type": "text", "text": QUESTION}]},
        {
            "role": "assistant",
            "created": 1772355602,
            "content": [
                {"type": "thinking", "thinking": THOUGHT, "signature": ""},
                {"type": "toolRequest", "id": "t1", "toolCall": call},
                {"type": "toolRequest", "id": "t2", "toolCall": wrong},
            ],
        },
        {
            "role": "user",
            "created": 1772355603,
            "content": [
                {"type": "toolResponse", "id": "t1", "toolResult": answer},
                {"type": "toolResponse", "id": "t2", "toolResult": {"status": "error", "error": NOT_FOUND}},
            ],
        },
        {"role": "assistant", "created": 1772355604, "content": [{"type": "text", "text": ANSWER}]},
    ]


def kimi() -> list[Line]:
    """Kimi's wire log."""
    time = 1772355600000

    def event(kind: str, **more: Any) -> Line:
        return {"type": "context.append_loop_event", "event": {"type": kind, "turnId": "0", **more}, "time": time}

    said = {
        "role": "user",
        "content": [{"type": "text", "text": QUESTION}],
        "toolCalls": [],
        "origin": {"kind": "user"},
    }
    note = {**said, "content": [{"type": "text", "text": "You are in the kitchen."}], "origin": {"kind": "injection"}}
    return [
        {"type": "metadata", "protocol_version": "1.4", "created_at": time},
        {"type": "config.update", "systemPrompt": "You count cutlery.", "time": time},
        {"type": "turn.prompt", "input": said["content"], "origin": {"kind": "user"}, "time": time},
        {"type": "context.append_message", "message": said, "time": time},
        {"type": "context.append_message", "message": note, "time": time},
        {"type": "llm.request", "model": MODEL, "time": time},
        event("step.begin", uuid="s1", step=1),
        event("content.part", stepUuid="s1", part={"type": "think", "think": THOUGHT}),
        event("tool.call", stepUuid="s1", toolCallId="Bash_0", name="Bash", args=COMMAND),
        event("tool.result", toolCallId="Bash_0", result={"output": LIST}),
        event("tool.call", stepUuid="s1", toolCallId="Bash_1", name="Bash", args=WRONG),
        event("tool.result", toolCallId="Bash_1", result={"output": NOT_FOUND, "isError": True}),
        event("step.end", uuid="s1", stepUuid="s1", usage={"output": 24, "inputOther": 310}),
        event("content.part", stepUuid="s2", part={"type": "text", "text": ANSWER}),
        {"type": "context.apply_compaction", "summary": "Seven spoons.", "time": time},
    ]


def pi() -> list[Line]:
    """pi's entries, in a tree: the question was asked twice."""

    def entry(own: str, above: str, **message: Any) -> Line:
        return {"type": "message", "id": own, "parentId": above, "timestamp": _at(1), "message": message}

    text = lambda said: [{"type": "text", "text": said}]  # noqa: E731
    call = {"type": "toolCall", "id": "t1", "name": "bash", "arguments": COMMAND}
    return [
        {"type": "session", "version": 3, "id": SESSION, "timestamp": _at(0), "cwd": "/home/ada/kitchen"},
        {
            "type": "model_change",
            "id": "p0",
            "parentId": None,
            "timestamp": _at(0),
            "provider": "sky",
            "modelId": MODEL,
        },
        entry("p1", "p0", role="user", content=text("How many sporks?")),
        entry("p2", "p1", role="assistant", content=text("None, I hope."), model=MODEL),
        entry("p3", "p0", role="user", content=text(QUESTION)),
        entry("p4", "p3", role="assistant", content=[{"type": "thinking", "thinking": THOUGHT}, call], model=MODEL),
        entry("p5", "p4", role="toolResult", toolCallId="t1", toolName="bash", content=text(LIST), isError=False),
        {"type": "compaction", "id": "p6", "parentId": "p5", "timestamp": _at(2), "summary": "Seven spoons."},
        entry("p7", "p6", role="assistant", content=text(ANSWER), model=MODEL, usage={"input": 310, "output": 24}),
    ]


def droid_store() -> list[Line]:
    """The sessions that droid keeps."""
    text = lambda said: [{"type": "text", "text": said}]  # noqa: E731
    call = {"type": "tool_use", "id": "t1", "name": "Execute", "input": COMMAND}
    said = [
        ("user", text(QUESTION)),
        ("assistant", [call]),
        ("user", [{"type": "tool_result", "tool_use_id": "t1", "content": LIST}]),
        ("assistant", text(ANSWER)),
    ]
    entries = [
        {
            "type": "message",
            "id": f"d{at}",
            "parentId": f"d{at - 1}" if at else SESSION,
            "timestamp": _at(at),
            "message": {"role": role, "content": content},
        }
        for at, (role, content) in enumerate(said)
    ]
    return [{"type": "session_start", "id": SESSION, "title": "Spoons", "cwd": "/home/ada/kitchen", "version": "0.81.0"}, *entries]  # fmt: skip


def droid() -> list[Line]:
    """What droid prints."""
    about = {"session_id": SESSION, "timestamp": _at(1)}
    return [
        {"type": "message", **about, "role": "user", "text": QUESTION},
        {"type": "tool_call", **about, "toolCallId": "c1", "toolName": "Shell", "parameters": COMMAND},
        {"type": "tool_result", **about, "toolCallId": "c1", "value": {"stdout": LIST, "exitCode": 0}},
        {"type": "tool_call", **about, "toolCallId": "c2", "toolName": "Shell", "parameters": WRONG},
        {"type": "tool_result", **about, "toolCallId": "c2", "isError": True, "value": NOT_FOUND},
        {"type": "completion", **about, "finalText": ANSWER, "numTurns": 1},
    ]


def grok() -> list[Line]:
    """Grok's chat history."""
    call = {"id": "call-1", "name": "run_terminal_cmd", "arguments": '{"command":"cat drawer.txt"}'}
    return [
        {"type": "system", "content": "You count cutlery."},
        {"type": "user", "content": [{"type": "text", "text": "<user_info>kitchen</user_info>"}], "synthetic_reason": "environment_context"},
        {"type": "user", "content": [{"type": "text", "text": QUESTION}], "prompt_index": 0},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": THOUGHT}], "status": "completed"},
        {"type": "assistant", "content": "", "tool_calls": [call], "model_id": MODEL},
        {"type": "tool_result", "tool_call_id": "call-1", "content": LIST},
        {"type": "backend_tool_call", "kind": {"tool_type": "web_search", "action": {"query": "spork"}, "id": "ws_1"}},
        {"type": "assistant", "content": ANSWER, "model_id": MODEL},
    ]  # fmt: skip


def antigravity() -> list[Line]:
    """Antigravity's steps."""
    steps = [
        ("USER_EXPLICIT", "USER_INPUT", {"content": f"<USER_REQUEST>\n{QUESTION}\n</USER_REQUEST>"}),
        ("SYSTEM", "CONVERSATION_HISTORY", {}),
        ("MODEL", "PLANNER_RESPONSE", {"thinking": THOUGHT, "tool_calls": [{"name": "view_file", "args": {"Path": '"drawer.txt"'}}]}),
        ("MODEL", "VIEW_FILE", {"content": LIST}),
        ("SYSTEM", "CHECKPOINT", {"content": "# Seven spoons"}),
        ("MODEL", "PLANNER_RESPONSE", {"content": ANSWER}),
    ]  # fmt: skip
    return [
        {"step_index": at, "source": source, "type": kind, "status": "DONE", "created_at": _at(at), **more}
        for at, (source, kind, more) in enumerate(steps)
    ]


def chatgpt() -> Line:
    """A conversation of ChatGPT's export: a tree, as the question was asked twice."""

    def node(own: str, above: str | None, *below: str, **message: Any) -> Line:
        said = {
            "id": own,
            "create_time": 1772355600.0,
            "metadata": {"model_slug": MODEL},
            "recipient": "all",
            **message,
        }
        return {"id": own, "parent": above, "children": list(below), "message": said if message else None}

    text = lambda *said: {"content_type": "text", "parts": list(said)}  # noqa: E731
    who = lambda role, **more: {"role": role, **more}  # noqa: E731
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://drawer"}
    code = {"content_type": "code", "language": "python", "text": "print(7)"}
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "Reading", "content": THOUGHT}]}
    return {
        "title": "Spoons",
        "conversation_id": SESSION,
        "current_node": "g7",
        "mapping": {
            "g0": node("g0", None, "g1", "g3"),
            "g1": node("g1", "g0", "g2", author=who("user"), content=text("How many sporks?")),
            "g2": node("g2", "g1", author=who("assistant"), content=text("None, I hope.")),
            "g3": node("g3", "g0", "g4", author=who("user"), content={"content_type": "multimodal_text", "parts": [image, QUESTION]}),
            "g4": node("g4", "g3", "g5", author=who("assistant"), content=thoughts),
            "g5": node("g5", "g4", "g6", author=who("assistant"), content=code, recipient="python"),
            "g6": node("g6", "g5", "g7", author=who("tool", name="python"), content={"content_type": "execution_output", "text": "7\n"}),
            "g7": node("g7", "g6", author=who("assistant"), content=text(ANSWER)),
        },
    }  # fmt: skip


def response() -> Line:
    """An answer of OpenAI's Responses, with what was asked."""
    call = {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "read",
        "arguments": '{"path":"drawer.txt"}',
    }
    thought = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": THOUGHT}]}
    said = {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]}
    given = [
        {"role": "user", "content": QUESTION},
        call,
        {"type": "function_call_output", "call_id": "call_1", "output": LIST},
    ]
    return {
        "id": "resp_1", "object": "response", "created_at": 1772355600, "model": MODEL, "instructions": "You count cutlery.",
        "input": given, "output": [thought, said], "usage": {"input_tokens": 310, "output_tokens": 24},
    }  # fmt: skip


def agents_sdk() -> Line:
    """The state of a run of the Agents SDK that waits: the last call has to be approved."""
    call = {"type": "function_call", "call_id": "call_1", "name": "read", "arguments": '{"path":"drawer.txt"}'}
    wait = {**call, "call_id": "call_2", "name": "unlock", "arguments": '{"what":"cupboard"}'}
    items = [
        {"type": "tool_call_item", "raw_item": call},
        {
            "type": "tool_call_output_item",
            "raw_item": {"type": "function_call_output", "call_id": "call_1", "output": LIST},
        },
        {"type": "tool_call_item", "raw_item": wait},
        {"type": "tool_approval_item", "raw_item": wait, "tool_name": "unlock"},
    ]
    agent = {"name": "counter"}
    return {
        "$schemaVersion": "1.13", "current_turn": 2, "current_agent": agent, "original_input": QUESTION, "model_responses": [],
        "generated_items": [{"agent": agent, **item} for item in items],
    }  # fmt: skip


def claude_web() -> Line:
    """The web export of a Claude Code session."""
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": COMMAND}
    said = [
        ("user", QUESTION),
        ("assistant", [call]),
        ("user", [{"type": "tool_result", "tool_use_id": "t1", "content": LIST}]),
        ("assistant", [{"type": "text", "text": ANSWER}]),
    ]
    return {
        "loglines": [
            {"type": role, "timestamp": _at(at), "message": {"role": role, "content": content}}
            for at, (role, content) in enumerate(said)
        ]
    }  # fmt: skip


def opencode() -> dict[str, Line]:
    """opencode's storage: a file for the session, for each message, and for each part of one."""
    model = {"modelID": MODEL, "providerID": "sky"}

    def message(own: str, role: str, time: int, **more: Any) -> Line:
        return {"id": own, "sessionID": "ses_1", "role": role, "time": {"created": time}, **more}

    def part(own: str, of: str, kind: str, **more: Any) -> Line:
        return {"id": own, "sessionID": "ses_1", "messageID": of, "type": kind, **more}

    done = {"status": "completed", "input": COMMAND, "output": LIST, "title": "cat drawer.txt"}
    wrong = {"status": "error", "input": WRONG, "error": NOT_FOUND}
    return {
        "session/kitchen/ses_1.json": {"id": "ses_1", "projectID": "kitchen", "directory": "/home/ada/kitchen", "title": "Spoons"},
        "message/ses_1/msg_1.json": message("msg_1", "user", 1772355600000),
        "message/ses_1/msg_2.json": message("msg_2", "assistant", 1772355602000, tokens={"input": 310, "output": 24}, cost=0.0011, **model),
        "part/msg_1/prt_1.json": part("prt_1", "msg_1", "text", text=QUESTION),
        "part/msg_2/prt_2.json": part("prt_2", "msg_2", "reasoning", text=THOUGHT),
        "part/msg_2/prt_3.json": part("prt_3", "msg_2", "tool", callID="call_1", tool="bash", state=done),
        "part/msg_2/prt_4.json": part("prt_4", "msg_2", "tool", callID="call_2", tool="bash", state=wrong),
        "part/msg_2/prt_5.json": part("prt_5", "msg_2", "text", text=ANSWER),
    }  # fmt: skip


def openhands_events() -> list[Line]:
    """OpenHands' events, of which each is a file."""
    call = {"tool_call_metadata": {"tool_call_id": "call_1", "function_name": "execute_bash"}}
    return [
        {"id": 0, "timestamp": _at(0), "source": "user", "message": QUESTION, "action": "message", "args": {"content": QUESTION}},
        {"id": 1, "source": "environment", "message": "", "observation": "agent_state_changed", "content": "", "extras": {"agent_state": "running"}},
        {"id": 2, "timestamp": _at(2), "source": "agent", "action": "run", "args": {**COMMAND, "thought": THOUGHT}, **call},
        {"id": 3, "timestamp": _at(3), "source": "agent", "cause": 2, "observation": "run", "content": LIST, "extras": {}, **call},
        {"id": 4, "timestamp": _at(4), "source": "agent", "message": ANSWER, "action": "message", "args": {"content": ANSWER}},
    ]  # fmt: skip


def _chat_of_trace() -> tuple[list[Line], Line, Line, Line]:
    """What a model is given first, its call, the answer, and its last word, as OpenAI's messages."""
    function = {"name": "read", "arguments": '{"path":"drawer.txt"}'}
    given = [{"role": "system", "content": "You count cutlery."}, {"role": "user", "content": QUESTION}]
    call = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
    }
    answer = {"role": "tool", "tool_call_id": "call_1", "content": LIST}
    return given, call, answer, {"role": "assistant", "content": ANSWER}


def otlp() -> Line:
    """A trace of OpenTelemetry's GenAI conventions, with a sub-agent; the second span of the model repeats the first."""

    def parts(role: str, *held: Line) -> Line:
        return {"role": role, "parts": list(held)}

    def span(own: str, above: str, start: int, name: str, **attributes: Any) -> Line:
        held = [
            {
                "key": key.replace("__", "."),
                "value": {"stringValue": value if isinstance(value, str) else json.dumps(value)},
            }
            for key, value in attributes.items()
        ]
        nanos = 1772355600 + start
        return {
            "traceId": "5b00", "spanId": own, "parentSpanId": above, "name": name, "kind": 3, "attributes": held, "status": {},
            "startTimeUnixNano": f"{nanos}000000000", "endTimeUnixNano": f"{nanos + 1}000000000",
        }  # fmt: skip

    text = lambda said: {"type": "text", "content": said}  # noqa: E731
    asked = parts("user", text(QUESTION))
    called = parts(
        "assistant",
        {"type": "reasoning", "content": THOUGHT},
        {"type": "tool_call", "id": "call_1", "name": "read", "arguments": COMMAND},
    )
    answered = parts("tool", {"type": "tool_call_response", "id": "call_1", "response": LIST})
    said = parts("assistant", text(ANSWER))
    chat = {"gen_ai__operation__name": "chat", "gen_ai__response__model": MODEL, "gen_ai__usage__input_tokens": "310"}
    io = lambda given, out: {**chat, "gen_ai__input__messages": given, "gen_ai__output__messages": out}  # noqa: E731
    spans = [
        span("a1", "", 0, "invoke_agent counter", gen_ai__operation__name="invoke_agent"),
        span("m1", "a1", 1, "chat", **io([asked], [called])),
        span("t1", "a1", 2, "execute_tool read", gen_ai__operation__name="execute_tool", gen_ai__tool__name="read"),
        span("a2", "t1", 2, "invoke_agent looker", gen_ai__operation__name="invoke_agent"),
        span("m2", "a2", 3, "chat", **io([parts("user", text("Read the list."))], [parts("assistant", text("Done."))])),
        span("m3", "a1", 4, "chat", **io([asked, called, answered], [said])),
    ]
    return {
        "resourceSpans": [
            {"resource": {"attributes": []}, "scopeSpans": [{"scope": {"name": "kitchen"}, "spans": spans}]}
        ]
    }


def langfuse() -> Line:
    """A trace of Langfuse's, with scores; the tool's answer is only in its own observation."""
    given, call, _, said = _chat_of_trace()
    about = {"traceId": "trace_1", "parentObservationId": "o1"}
    return {
        "trace": {"id": "trace_1", "name": "spoons", "scores": [{"name": "right", "value": 1}, {"name": "brief", "value": 0.5}]},
        "observations": [
            {"id": "o1", "traceId": "trace_1", "parentObservationId": None, "type": "AGENT", "name": "counter", "startTime": _at(0)},
            {"id": "o4", **about, "type": "GENERATION", "name": "chat", "startTime": _at(3), "model": MODEL, "input": json.dumps([*given, call]), "output": json.dumps(said)},
            {"id": "o2", **about, "type": "GENERATION", "name": "chat", "startTime": _at(1), "model": MODEL, "input": json.dumps(given), "output": json.dumps(call), "usageDetails": {"input": 310}, "costDetails": {"total": 0.0011}},
            {"id": "o3", **about, "type": "TOOL", "name": "read", "startTime": _at(2), "input": '{"path":"drawer.txt"}', "output": LIST},
        ],
    }  # fmt: skip


def langsmith() -> Line:
    """A batch of LangSmith's: one call that opens a run, one that closes it without its id."""
    given, call, answer, said = _chat_of_trace()
    run = {"name": "ChatOpenAI", "run_type": "llm", "trace_id": "run_1", "dotted_order": "20260301T090000run_1"}
    outputs = {
        "model": MODEL,
        "choices": [{"index": 0, "message": said}],
        "usage_metadata": {"input_tokens": 310, "output_tokens": 24},
    }
    opened = {**run, "id": "run_1", "start_time": 1772355600000, "inputs": {"messages": [*given, call, answer]}}
    return {"post": [opened], "patch": [{**run, "end_time": 1772355601000, "outputs": outputs}]}


def openinference() -> Line:
    """The attributes of one span in OpenInference's flat names."""
    read = {
        "tool_call.id": "call_1",
        "tool_call.function.name": "read",
        "tool_call.function.arguments": '{"path":"drawer.txt"}',
    }
    given = "llm.input_messages"
    return {
        "openinference.span.kind": "LLM",
        "llm.model_name": MODEL,
        "llm.token_count.prompt": 310,
        f"{given}.0.message.role": "user",
        f"{given}.0.message.contents.0.message_content.type": "text",
        f"{given}.0.message.contents.0.message_content.text": QUESTION,
        f"{given}.1.message.role": "assistant",
        **{f"{given}.1.message.tool_calls.0.{key}": value for key, value in read.items()},
        f"{given}.2.message.role": "tool",
        f"{given}.2.message.content": LIST,
        f"{given}.2.message.tool_call_id": "call_1",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": ANSWER,
    }


def langchain() -> Line:
    """LangChain's messages, in its three spellings."""
    call = {"name": "read", "args": {"path": "drawer.txt"}, "id": "call_1", "type": "tool_call"}

    def kind(of: str, **kwargs: Any) -> Line:
        return {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", of], "kwargs": kwargs}

    usage = {"input_tokens": 310, "output_tokens": 24}
    return {
        "messages": [
            {"type": "system", "data": {"content": "You count cutlery."}},
            kind("HumanMessage", content=QUESTION),
            kind(
                "AIMessage",
                content="",
                tool_calls=[call],
                response_metadata={"model_name": MODEL},
                usage_metadata=usage,
            ),
            kind("ToolMessage", content=LIST, tool_call_id="call_1", name="read"),
            {"type": "ai", "content": ANSWER},
        ]
    }


def write_agents(target: Path) -> None:
    """Write every sample of agents/."""
    write_jsonl(target / "gemini-cli.jsonl", gemini_lines())
    write_json(target / "gemini-cli-object.json", gemini_session())
    write_jsonl(target / "gemini-cli-qwen.jsonl", qwen_lines())
    write_json(target / "gemini.json", gemini_contents())
    write_jsonl(target / "codex-exec.jsonl", codex_exec())
    write_jsonl(target / "copilot.jsonl", copilot())
    write_jsonl(target / "cursor.jsonl", cursor())
    write_jsonl(target / "goose.jsonl", goose())
    write_jsonl(target / "kimi.jsonl", kimi())
    write_jsonl(target / "pi.jsonl", pi())
    write_jsonl(target / "pi-droid-store.jsonl", droid_store())
    write_jsonl(target / "droid.jsonl", droid())
    write_jsonl(target / "grok.jsonl", grok())
    write_jsonl(target / "antigravity.jsonl", antigravity())
    write_json(target / "chatgpt.json", chatgpt())
    write_json(target / "responses.json", response())
    write_json(target / "responses-agents-sdk.json", agents_sdk())
    write_json(target / "messages-claude-web.json", claude_web())
    for name, part in opencode().items():
        write_json(target / "opencode" / name, part)
    for number, event in enumerate(openhands_events()):
        write_json(target / "openhands" / "spoons" / "events" / f"{number + 8}.json", event)
    write_json(target / "spans-otlp.json", otlp())
    write_json(target / "spans-langfuse.json", langfuse())
    write_json(target / "spans-langsmith.json", langsmith())
    write_json(target / "spans-openinference.json", openinference())
    write_json(target / "langchain.json", langchain())
