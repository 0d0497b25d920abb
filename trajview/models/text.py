"""Transcripts and runs as text, for prompts and for people, whole or in strings of at most so many GPT-4 tokens.

The form is Docent's: a block per message, labelled `T{t}B{b}` (`R{r}T{t}B{b}` with a run index), wrapped by its action
unit; a highlighted unit is wrapped once more; the metadata follows. Every piece that a string is put together from
begins with `<` and ends with `>` and a newline. cl100k_base never has a token across a newline and the character that
is no white space after it, so the tokens of a string are exactly the sum of its pieces': each is counted once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
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
from .run import AgentRun
from .tokens import count_tokens, count_tokens_up_to, cut_to_tokens, last_tokens
from .transcript import Transcript

__all__ = [
    "MIN_TOKEN_LIMIT", "message_to_str", "run_to_str", "run_to_str_with_token_limit", "transcript_to_str",
    "transcript_to_str_with_token_limit",
]  # fmt: skip

MIN_TOKEN_LIMIT = 100
"""The least token limit: room for the tags around one message, the mark of a cut, and a few words."""

_SHORT_CALL = 100  # a call whose arguments are longer, or have a newline, has a line or a block for each argument


def transcript_to_str(
    transcript: Transcript,
    transcript_idx: int = 0,
    agent_run_idx: int | None = None,
    highlight_action_unit: int | None = None,
) -> str:
    """The whole transcript as text: its messages by action unit, then its metadata.

    Raises IndexError if there is no action unit `highlight_action_unit`. The text is raw: what a terminal must not see
    is still in it.
    """
    _check_unit(transcript, highlight_action_unit)
    label = _label(transcript_idx, agent_run_idx)
    metadata = _metadata_str(f"transcript metadata {label}M", transcript.metadata)
    return _units_str(transcript, label, highlight_action_unit) + metadata


def transcript_to_str_with_token_limit(
    transcript: Transcript,
    token_limit: int,
    transcript_idx: int = 0,
    agent_run_idx: int | None = None,
    highlight_action_unit: int | None = None,
) -> list[str]:
    """The transcript as strings of at most `token_limit` GPT-4 tokens (cl100k_base), split between messages.

    A message goes with the metadata where both fit, and a unit is kept together where it fits. A message that is too
    long by itself has its middle cut out, with a mark that says how many characters went; it goes without metadata.
    Metadata that fitted nowhere comes last, by itself, cut likewise if it must be.

    Raises ValueError for a limit below `MIN_TOKEN_LIMIT` (or, with indices of many digits, below what their labels
    need), and IndexError if there is no action unit `highlight_action_unit`.
    """
    label = _label(transcript_idx, agent_run_idx)
    title = f"transcript metadata {label}M"
    return _strings(transcript, token_limit, label, highlight_action_unit, title, transcript.metadata)


def run_to_str(run: AgentRun, agent_run_idx: int | None = None) -> str:
    """The whole run as text: every transcript, then what is known about the run (names, rewards, metadata)."""
    pieces = []
    for index, transcript in enumerate(run.transcripts):
        label = _label(index, agent_run_idx)
        name = f"; name: {_on_a_line(transcript.name)}" if transcript.name else ""
        pieces += [f"<|transcript {label}{name}|>\n", transcript_to_str(transcript, index, agent_run_idx)]
        pieces.append(f"</|transcript {label}|>\n")
    return "".join(pieces) + _metadata_str(_run_title(agent_run_idx), _run_facts(run))


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
    about = list(_about(message))
    heads = [(key, _on_a_line(value)) for key, value in about]
    # What a header has no room for stands in full above the content.
    full = "".join(f"{key}: {value}\n" for (key, value), (_, head) in zip(about, heads, strict=True) if head != value)
    title = "".join(f"; {key}: {head}" for key, head in heads)
    return _block(label, message.role + title, full + _body(message))


# --- strings under a limit ---------------------------------------------------------------------------------------


class _Packer:
    """Puts blocks into strings of at most `limit` tokens, in order, with the metadata where it fits."""

    def __init__(self, limit: int, metadata: str, highlight: int | None, cut: Callable[[int, int], str]) -> None:
        """`cut` gives a message, by its index, as a block of at most so many tokens."""
        self.limit = limit
        self.cut = cut
        self.metadata = metadata
        self.highlight = highlight
        self.metadata_tokens = count_tokens_up_to(metadata, limit) if metadata else 0
        self.strings: list[str] = []
        self.metadata_written = not metadata
        self._frames: dict[tuple[int, bool, bool], int] = {}
        self._pieces: list[str] = []
        self._used = 0
        self._with_metadata = True
        self._unit: int | None = None

    def frame(self, unit: int, *, continued: bool) -> int:
        """The tokens of the tags around a unit; they depend on the number of its digits alone."""
        key = (len(str(unit)), unit == self.highlight, continued)
        if key not in self._frames:
            opening, closing = _unit_tags(unit, self.highlight, continued=continued)
            self._frames[key] = count_tokens(opening) + count_tokens(closing)
        return self._frames[key]

    def add_unit(self, unit: int, first_message: int, blocks: list[tuple[str, int]]) -> None:
        """Add a unit: the index of its first message, and the block of each of its messages with its tokens."""
        first, later = self.frame(unit, continued=False), self.frame(unit, continued=True)
        room = self.limit - self.metadata_tokens
        whole = first + sum(tokens for _, tokens in blocks)
        if whole <= room and self._used + whole > room:
            self._flush()
        for index, (block, tokens) in enumerate(blocks):
            frame = later if index else first
            if frame + tokens > self.limit:
                self._flush()
                self._open(unit, index > 0, frame, with_metadata=False)
                self._pieces.append(self.cut(first_message + index, self.limit - frame))
                self._flush()
                continue
            with_metadata = frame + tokens <= room
            more = tokens if self._unit == unit else frame + tokens
            most = room if with_metadata else self.limit
            if self._pieces and (with_metadata != self._with_metadata or self._used + more > most):
                self._flush()
            if self._unit != unit:
                self._open(unit, index > 0, frame, with_metadata=with_metadata)
            self._pieces.append(block)
            self._used += tokens

    def finish(self) -> list[str]:
        """All strings; the metadata by itself in the last one if it fitted nowhere."""
        self._flush()
        if not self.metadata_written:
            self.strings.append(_cut(self.metadata, self.limit))
        return self.strings

    def _open(self, unit: int, continued: bool, frame: int, *, with_metadata: bool) -> None:
        self._close()
        self._pieces.append(_unit_tags(unit, self.highlight, continued=continued)[0])
        self._used += frame
        self._unit = unit
        self._with_metadata = with_metadata

    def _close(self) -> None:
        if self._unit is not None:
            self._pieces.append(_unit_tags(self._unit, self.highlight)[1])
            self._unit = None

    def _flush(self) -> None:
        self._close()
        if self._pieces:
            if self._with_metadata:
                self._pieces.append(self.metadata)
                self.metadata_written = True
            self.strings.append("".join(self._pieces))
        self._pieces = []
        self._used = 0


def _strings(
    transcript: Transcript, limit: int, label: str, highlight: int | None, title: str, facts: dict[str, Any]
) -> list[str]:
    _check_limit(limit)
    _check_unit(transcript, highlight)
    metadata = _metadata_str(title, facts)
    messages = transcript.messages
    if not messages:
        whole = _units_str(transcript, label, highlight) + metadata
        return [whole] if count_tokens_up_to(whole, limit) <= limit else [_cut(metadata, limit)]

    def cut(index: int, room: int) -> str:
        return _cut_message(messages[index], f"{label}B{index}", room)

    packer = _Packer(limit, metadata, highlight, cut)
    for unit, members in enumerate(transcript.units_of_action):
        blocks = [message_to_str(messages[index], f"{label}B{index}") for index in members]
        packer.add_unit(unit, members[0], [(block, count_tokens_up_to(block, limit)) for block in blocks])
    return packer.finish()


def _cut_message(message: ChatMessage, label: str, room: int) -> str:
    """A block of at most `room` tokens. The name and the like move into the body, where a cut is marked."""
    about = "".join(f"{key}: {value}\n" for key, value in _about(message))
    return _cut_between(f"<|{label}; role: {message.role}|>\n", about + _body(message), f"\n</|{label}|>\n", room)


def _cut(piece: str, room: int) -> str:
    """A tagged piece of at most `room` tokens, with its middle cut out where it is longer; its tags stay."""
    if count_tokens_up_to(piece, room) <= room:
        return piece
    opening, _, rest = piece.partition("\n")
    body, _, closing = rest.removesuffix("\n").rpartition("\n")
    return _cut_between(opening + "\n", body, f"\n{closing}\n", room)


def _cut_between(opening: str, body: str, closing: str, room: int) -> str:
    """Opening, as much of the body's beginning and end as fits into `room` tokens, closing."""
    fixed = count_tokens(opening + _cut_mark(len(body), len(body)) + closing)
    if fixed > room:
        raise ValueError(f"token_limit must be at least {fixed - room} higher for labels as long as {opening.strip()}")
    spare = room - fixed
    while True:
        head = cut_to_tokens(body, spare - spare // 3)
        tail = last_tokens(body[len(head) :], spare // 3)
        gone = len(body) - len(head) - len(tail)
        text = opening + head + (_cut_mark(gone, len(body)) if gone else "") + tail + closing
        tokens = count_tokens(text)
        if tokens <= room:
            return text
        # Ends that were cut out of a text can have more tokens than they had in it.
        spare = max(0, spare - (tokens - room))


def _cut_mark(gone: int, of: int) -> str:
    return f"\n[… {gone:,} of {of:,} characters cut …]\n"


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
    if not transcript.messages:
        return f"<|{label}; no messages|>\n"
    pieces = []
    for unit, members in enumerate(transcript.units_of_action):
        opening, closing = _unit_tags(unit, highlight)
        pieces.append(opening)
        pieces += [message_to_str(transcript.messages[index], f"{label}B{index}") for index in members]
        pieces.append(closing)
    return "".join(pieces)


def _unit_tags(unit: int, highlight: int | None, *, continued: bool = False) -> tuple[str, str]:
    opening = f"<|action unit {unit}{'; continued' if continued else ''}|>\n"
    closing = f"</|action unit {unit}|>\n"
    if unit == highlight:
        return f"<HIGHLIGHTED>\n{opening}", f"{closing}</HIGHLIGHTED>\n"
    return opening, closing


def _block(label: str, title: str, body: str) -> str:
    return (
        f"<|{label}; role: {title}|>\n{body}\n</|{label}|>\n" if body else f"<|{label}; role: {title}|>\n</|{label}|>\n"
    )


def _about(message: ChatMessage) -> Iterator[tuple[str, str]]:
    """Who speaks to whom, which tool, and what it earned, as far as the source says."""
    if message.name:
        yield "name", message.name
    if message.recipient:
        yield "to", message.recipient
    if isinstance(message, ToolMessage) and message.function:
        yield "function", message.function
    if message.reward is not None:
        yield "reward", f"{message.reward:g}"


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
            boxes = f"\n{_json(part.annotations)}" if part.annotations else ""
            return f"<image>\n{_media(part.image)}{boxes}\n</image>"
        case AudioPart():
            return f"<audio>\n{_media(part.audio)}\n</audio>"
        case VideoPart():
            return f"<video>\n{_media(part.video)}\n</video>"
        case _:
            return f"<part>\n{_json(part.model_dump())}\n</part>"


def _media(source: str) -> str:
    """A path or a URL; of data that is in the log itself only what it is, for it is no text."""
    if not source.startswith("data:"):
        return source
    kind, _, data = source[5:].partition(",")
    return f"{kind or 'data'}, {len(data):,} characters"


def _call_str(call: ToolCall) -> str:
    arguments = call.arguments
    lines = []
    short = [f"{key}={value if isinstance(value, str) else _json(value)}" for key, value in arguments.items()]
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
        text = value if isinstance(value, str) else _json(value)
        lines.append(f"<{key}>\n{text}\n</{key}>" if "\n" in text else f"{key}: {text}")
    return "\n".join(lines)


def _json(value: object) -> str:
    try:
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
