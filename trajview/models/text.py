"""Transcripts and runs as text, for prompts and for people, whole or in strings of at most so many GPT-4 tokens.

The form is Docent's: a block per message, labelled `T{t}B{b}` (`R{r}T{t}B{b}` with a run index), wrapped by its action
unit; a highlighted unit is wrapped once more; the metadata follows. Every piece that a string is put together from begins with
`<` and ends with `>` and a newline, so that its tokens need be counted once (`packing`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from trajview.textsafe import one_line

from .messages import (
    AssistantMessage,
    AudioPart,
    ChatMessage,
    ImagePart,
    OtherPart,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolMessage,
    VideoPart,
)
from .packing import Packer, cut_between, cut_piece, unit_tags
from .run import AgentRun
from .said import is_deep
from .tokens import count_tokens_up_to
from .transcript import Transcript

__all__ = [
    "MIN_TOKEN_LIMIT", "message_to_str", "run_pieces", "run_to_str", "run_to_str_with_token_limit", "transcript_to_str",
    "transcript_to_str_with_token_limit", "value_text",
]  # fmt: skip

MIN_TOKEN_LIMIT = 100
"""The lowest token limit: room for the tags around one message, the mark of a cut, and a few words."""

_SHORT_CALL = 100  # a call whose arguments are longer, or have a newline, has a line or a block for each argument


def transcript_to_str(
    transcript: Transcript,
    transcript_idx: int = 0,
    agent_run_idx: int | None = None,
    highlight_action_unit: int | None = None,
    *,
    only_unit: int | None = None,
) -> str:
    """The whole transcript as text: its messages by action unit, then its metadata; or one action unit alone.

    Raises IndexError if there is no action unit `highlight_action_unit` or `only_unit`. The text is raw: what a terminal must not see
    is still in it.
    """
    _check_unit(transcript, highlight_action_unit)
    _check_unit(transcript, only_unit)
    label = _label(transcript_idx, agent_run_idx)
    if only_unit is not None:
        return _unit_str(transcript, only_unit, label, highlight_action_unit)
    metadata = _metadata_str(f"transcript metadata {label}M", transcript.metadata)
    return _units_str(transcript, label, highlight_action_unit) + metadata


def transcript_to_str_with_token_limit(
    transcript: Transcript,
    token_limit: int,
    transcript_idx: int = 0,
    agent_run_idx: int | None = None,
    highlight_action_unit: int | None = None,
    *,
    only_unit: int | None = None,
) -> list[str]:
    """The transcript (or one action unit of it, without metadata) as strings of at most `token_limit` GPT-4 tokens.

    The tokens are cl100k_base's, of each string as a whole, and strings are split between messages. A message goes with the metadata where both fit, and a unit is kept together where it fits. A message that is too
    long by itself has its middle cut out, with a mark that says how many characters went; it goes without metadata.
    Metadata that fitted nowhere comes last, by itself, cut likewise if it must be.

    Raises ValueError for a limit below `MIN_TOKEN_LIMIT` (or, with indices of many digits, below what their labels
    need), and IndexError if there is no action unit `highlight_action_unit` or `only_unit`.
    """
    label = _label(transcript_idx, agent_run_idx)
    title = f"transcript metadata {label}M"
    facts = transcript.metadata if only_unit is None else {}
    return _strings(transcript, token_limit, label, highlight_action_unit, title, facts, only_unit)


def run_to_str(run: AgentRun, agent_run_idx: int | None = None) -> str:
    """The whole run as text: every transcript, then the facts about the run (names, rewards, metadata)."""
    return "".join(run_pieces(run, agent_run_idx))


def run_pieces(run: AgentRun, agent_run_idx: int | None = None) -> Iterator[str]:
    """The whole run as text, piece by piece, each of whole lines: a long run need not be in memory as text."""
    for index, transcript in enumerate(run.transcripts):
        label = _label(index, agent_run_idx)
        name = f"; name: {_on_a_line(transcript.name)}" if transcript.name else ""
        yield f"<|transcript {label}{name}|>\n"
        yield from _unit_strs(transcript, label, None)
        yield _metadata_str(f"transcript metadata {label}M", transcript.metadata)
        yield f"</|transcript {label}|>\n"
    yield _metadata_str(_run_title(agent_run_idx), _run_facts(run))


def run_to_str_with_token_limit(run: AgentRun, token_limit: int, agent_run_idx: int | None = None) -> list[str]:
    """The run as strings of at most `token_limit` tokens; no string holds messages of two transcripts unless all fits.

    What is known about the run and about the transcript goes in each string where it fits. Raises as
    `transcript_to_str_with_token_limit` does.
    """
    _check_limit(token_limit)
    whole = run_to_str(run, agent_run_idx)
    if count_tokens_up_to(whole, token_limit) <= token_limit:
        return [whole]
    strings = []
    for index, transcript in enumerate(run.transcripts):
        facts = _run_facts(run)
        known = {"name": transcript.name, "description": transcript.description, "metadata": transcript.metadata}
        facts[f"transcript {index}"] = {key: value for key, value in known.items() if value}
        label = _label(index, agent_run_idx)
        strings += _strings(transcript, token_limit, label, None, _run_title(agent_run_idx), facts)
    return strings


def message_to_str(message: ChatMessage, label: str) -> str:
    """One message as a block: `<|T0B3; role: tool; function: bash|>`, its content, `</|T0B3|>`."""
    content = message.content
    if isinstance(content, str) and not _has_more(message):  # as most are: half of the time is not counting tokens
        return _block(label, message.role, content)
    about = list(_about(message))
    heads = [(key, _on_a_line(value)) for key, value in about]
    # What a header has no room for stands in full above the content.
    full = "".join(f"{key}: {value}\n" for (key, value), (_, head) in zip(about, heads, strict=True) if head != value)
    title = "".join(f"; {key}: {head}" for key, head in heads)
    return _block(label, message.role + title, full + _body(message))


# --- strings under a limit ---------------------------------------------------------------------------------------


def _strings(
    transcript: Transcript,
    limit: int,
    label: str,
    highlight: int | None,
    title: str,
    facts: dict[str, Any],
    only_unit: int | None = None,
) -> list[str]:
    _check_limit(limit)
    _check_unit(transcript, highlight)
    _check_unit(transcript, only_unit)
    metadata = _metadata_str(title, facts)
    messages = transcript.messages
    if not messages:
        whole = _units_str(transcript, label, highlight) + metadata
        return [whole] if count_tokens_up_to(whole, limit) <= limit else [cut_piece(metadata, limit)]

    def cut(index: int, room: int) -> str:
        return _cut_message(messages[index], f"{label}B{index}", room)

    packer = Packer(limit, metadata, highlight, cut)
    units = transcript.units_of_action
    for unit in range(len(units)) if only_unit is None else (only_unit,):
        members = units[unit]
        blocks = [message_to_str(messages[index], f"{label}B{index}") for index in members]
        packer.add_unit(unit, members[0], [(block, count_tokens_up_to(block, limit)) for block in blocks])
    return packer.finish()


def _cut_message(message: ChatMessage, label: str, room: int) -> str:
    """A block of at most `room` tokens. The name and the like move into the body, where a cut is marked."""
    about = "".join(f"{key}: {value}\n" for key, value in _about(message))
    return cut_between(f"<|{label}; role: {message.role}|>\n", about + _body(message), f"\n</|{label}|>\n", room)


def _check_limit(limit: int) -> None:
    if limit < MIN_TOKEN_LIMIT:
        raise ValueError(f"token_limit must be at least {MIN_TOKEN_LIMIT}, not {limit}")


def _check_unit(transcript: Transcript, unit: int | None) -> None:
    count = len(transcript.unit_starts)
    if unit is not None and not 0 <= unit < count:
        units = f"0 to {count - 1}" if count else "none"
        raise IndexError(f"there is no action unit {unit}: the transcript has {units}")


# --- pieces ------------------------------------------------------------------------------------------------------


def _label(transcript_idx: int, agent_run_idx: int | None) -> str:
    return f"T{transcript_idx}" if agent_run_idx is None else f"R{agent_run_idx}T{transcript_idx}"


def _units_str(transcript: Transcript, label: str, highlight: int | None) -> str:
    return "".join(_unit_strs(transcript, label, highlight))


def _unit_strs(transcript: Transcript, label: str, highlight: int | None) -> Iterator[str]:
    if not transcript.messages:
        yield f"<|{label}; no messages|>\n"
    for unit in range(len(transcript.unit_starts)):
        yield _unit_str(transcript, unit, label, highlight)


def _unit_str(transcript: Transcript, unit: int, label: str, highlight: int | None) -> str:
    opening, closing = unit_tags(unit, highlight)
    messages = transcript.messages
    blocks = [message_to_str(messages[index], f"{label}B{index}") for index in transcript.units_of_action[unit]]
    return "".join((opening, *blocks, closing))


def _block(label: str, title: str, body: str) -> str:
    return (
        f"<|{label}; role: {title}|>\n{body}\n</|{label}|>\n" if body else f"<|{label}; role: {title}|>\n</|{label}|>\n"
    )


def _about(message: ChatMessage) -> Iterator[tuple[str, str]]:
    """The speaker, recipient, tool and reward of a message, as far as the source names them."""
    if message.name:
        yield "name", message.name
    if message.recipient:
        yield "to", message.recipient
    if isinstance(message, ToolMessage) and message.function:
        yield "function", message.function
    if message.reward is not None:
        yield "reward", f"{message.reward:g}"


def _has_more(message: ChatMessage) -> bool:
    """Whether there is more to a message than its role and content."""
    return bool(
        message.name
        or message.recipient
        or message.reward is not None
        or (isinstance(message, AssistantMessage) and message.tool_calls)
        or (isinstance(message, ToolMessage) and (message.function or message.error))
    )


def _body(message: ChatMessage) -> str:
    if isinstance(message.content, str):
        pieces = [message.content] if message.content else []
    else:
        pieces = [_part_str(part) for part in message.content]
    if isinstance(message, AssistantMessage):
        pieces += [_call_str(call) for call in message.tool_calls or ()]
    elif isinstance(message, ToolMessage) and message.error:
        pieces.append(f"<error>\n{_fields(message.error)}\n</error>")
    return "\n".join(pieces)


def _part_str(part: TextPart | ReasoningPart | ImagePart | AudioPart | VideoPart | OtherPart) -> str:
    match part:
        case TextPart():
            return part.text
        case ReasoningPart():
            return f"<reasoning>\n{part.reasoning}\n</reasoning>"
        case ImagePart():
            boxes = f"\n{value_text(part.annotations)}" if part.annotations else ""
            return f"<image>\n{_media(part.image)}{boxes}\n</image>"
        case AudioPart():
            return f"<audio>\n{_media(part.audio)}\n</audio>"
        case VideoPart():
            return f"<video>\n{_media(part.video)}\n</video>"
        case _:
            return f"<part>\n{value_text(part.plain())}\n</part>"


def _media(source: str) -> str:
    """A path or a URL; of data in the log itself only its kind, for it is no text."""
    if not source.startswith("data:"):
        return source
    kind, _, data = source[5:].partition(",")
    return f"{kind or 'data'}, {len(data):,} characters"


def _call_str(call: ToolCall) -> str:
    arguments = call.arguments
    lines = []
    short = [f"{key}={value if isinstance(value, str) else value_text(value)}" for key, value in arguments.items()]
    line = ", ".join(short)
    if len(line) <= _SHORT_CALL and "\n" not in line:
        lines.append(f"{call.function}({line})")
    else:
        lines += [call.function, _fields(arguments)]
    if call.parse_error:
        lines.append(f"parse error: {call.parse_error}")
    if call.view is not None and call.view.content:
        lines += [*([call.view.title] if call.view.title else []), call.view.content]
    return "\n".join(("<tool call>", *lines, "</tool call>"))


def _metadata_str(title: str, facts: dict[str, Any]) -> str:
    return f"<|{title}|>\n{_fields(facts)}\n</|{title}|>\n" if facts else ""


def _run_title(agent_run_idx: int | None) -> str:
    return "agent run metadata" if agent_run_idx is None else f"agent run metadata R{agent_run_idx}M"


def _run_facts(run: AgentRun) -> dict[str, Any]:
    facts = {
        "id": run.id,
        "name": run.name,
        "description": run.description,
        "agents": run.agents,
        "rewards": run.rewards,
        "reasoning": run.reasoning,
        "metadata": run.metadata,
    }
    return {key: value for key, value in facts.items() if value not in (None, "", {})}


def _fields(values: dict[str, Any]) -> str:
    """A line `key: value` for each value; a string of several lines is a block of its own, as it is."""
    lines = []
    for key, value in values.items():
        text = value if isinstance(value, str) else value_text(value)
        lines.append(f"<{key}>\n{text}\n</{key}>" if "\n" in text else f"{key}: {text}")
    return "\n".join(lines)


def value_text(value: object) -> str:
    """A value as JSON, on one line where that is short; what JSON cannot hold, as Python writes it."""
    try:
        if is_deep(value):
            return repr(_shallow(value))
        text = json.dumps(value, ensure_ascii=False, default=str)
        return text if len(text) <= _SHORT_CALL else json.dumps(value, ensure_ascii=False, default=str, indent=2)
    except (TypeError, ValueError, RecursionError):
        # Keys that JSON has no form for (YAML's dates), or a value inside itself, or a thousand levels.
        return repr(_shallow(value))


def _shallow(value: object, levels: int = 50) -> object:
    if isinstance(value, dict):
        return {key: _shallow(item, levels - 1) for key, item in value.items()} if levels else {"…": len(value)}
    if isinstance(value, list | tuple):
        return [_shallow(item, levels - 1) for item in value] if levels else ["…", len(value)]
    return value


def _on_a_line(text: str) -> str:
    return one_line(text).replace("|>", "| >")
