"""A run as short lines of text, for golden files: everything that a reader would see, in order."""

from __future__ import annotations

import json
from typing import Any

from trajview.models.messages import AssistantMessage, ImagePart, ReasoningPart, TextPart, ToolMessage, UserMessage
from trajview.models.run import AgentRun


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def digest(run: AgentRun) -> str:
    """One block per message: what it is, its parts, its calls, its metadata."""
    lines = [f"run {run.id} {run.source_format} agents={run.agents} rewards={run.rewards} {_json(run.metadata)}"]
    for transcript in run.transcripts:
        starts = set(transcript.unit_starts)
        for index, message in enumerate(transcript.messages):
            if index in starts:
                lines.append("-- unit")
            head = [message.role]
            if message.name or message.recipient:
                head.append(f"{message.name} -> {message.recipient}")
            if isinstance(message, ToolMessage):
                head.append(f"{message.function} answers {message.tool_call_id}")
                if message.error:
                    head.append(f"ERROR {_json(message.error)}")
            if isinstance(message, UserMessage) and message.tool_call_id:
                head.append(f"answers {message.tool_call_id}")
            if isinstance(message, AssistantMessage) and message.model:
                head.append(f"model={message.model}")
            if message.reward is not None:
                head.append(f"reward={message.reward}")
            if message.id:
                head.append(f"id={message.id}")
            lines.append(" | ".join(head))
            for part in message.parts:
                if isinstance(part, TextPart):
                    lines.append(f"  {'temporal' if part.temporal else 'text'} {_json(part.text)}")
                elif isinstance(part, ReasoningPart):
                    lines.append(f"  reasoning {_json(part.reasoning)}")
                elif isinstance(part, ImagePart):
                    lines.append(f"  image {part.image} {_json(part.annotations)}")
            for call in (message.tool_calls or []) if isinstance(message, AssistantMessage) else []:
                lines.append(f"  call {call.id} {call.function} language={call.language} {_json(call.arguments)}")
            if message.metadata:
                lines.append(f"  metadata {_json(message.metadata)}")
    return "\n".join(lines) + "\n"
