"""A run, a unit or a message as Markdown that no text of a log can break out of.

What tools are called with and answer stands in fences longer than any within. Other text is quoted, line by line; where
it holds what a renderer would act on (HTML, images, fences that are not closed) it stands in a fence, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from trajview.formats.plain import as_json
from trajview.highlight import Rule
from trajview.models.messages import (
    AssistantMessage,
    ChatMessage,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolMessage,
)
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript
from trajview.textsafe import one_line

from .exported import Exported, Part
from .page import Page, about, page_of
from .shown import Annotated, facts_of, number, unshown_of_message, visible
from .spoken import stand_in

__all__ = ["export_markdown", "fenced", "message_markdown", "unit_markdown"]

_ACTS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        "<[A-Za-z/!?]",
        r"!\[",
        r"&[#\w]+;",
        ":(?:(?<=javascript:)|(?<=vbscript:)|(?<=data:)|(?<=file:))",
    )
)
"""Matches text that a renderer acts on. Each begins with a sign, which is found in a tenth of the time."""
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})([^`\n]*)$")
_WORD: Final = re.compile(r"[\w+#.-]{1,30}")
_RUNS: Final = re.compile(r"`+")


def fenced(text: str, language: str | None = None) -> str:
    """Put a text in a fence that is longer than any row of backticks in it, so that none of it can end the fence."""
    ticks = "`" * max(3, 1 + max(map(len, _RUNS.findall(text)), default=0)) if "```" in text else "```"
    word = language if language and _WORD.fullmatch(language) else ""
    return f"{ticks}{word}\n{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{ticks}\n"


def _code(text: str, limit: int = 200) -> str:
    """A short text on one line, as a code span."""
    line = one_line(text, limit) or " "
    if "`" not in line:
        return f"`{line}`"
    ticks = "`" * (1 + max(map(len, _RUNS.findall(line))))
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{space}{line}{space}{ticks}"


def _plain(text: str, limit: int = 200) -> str:
    """A short text on one line, signs that Markdown acts on within a line escaped."""
    return re.sub(r"([\\`*_\[\]!|<>~&$])", r"\\\1", one_line(text, limit))


def _tame(text: str) -> bool:
    """Whether a text can be left to a renderer: all its fences are closed, and outside of them nothing acts."""
    acts = _acts(text)
    if "```" not in text and "~~~" not in text:
        return not acts
    fence = ""
    for line in text.split("\n"):
        holds_fence = "```" in line or "~~~" in line
        found = _FENCE.match(line) if holds_fence else None
        if fence:
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
        elif found:
            fence = found[1]
        elif holds_fence or (acts and _acts(line)):
            return False
    return not fence


def _acts(text: str) -> bool:
    return any(pattern.search(text) for pattern in _ACTS)


def _quoted(text: str) -> str:
    """A text as a block quotation, which ends whatever the text opens."""
    if not _tame(text):
        return fenced(text, "text")
    return "".join(f"> {line}\n" if line.strip() else ">\n" for line in text.rstrip("\n").split("\n"))


# Messages


def message_markdown(message: ChatMessage) -> str:
    """One message, to be pasted somewhere, with no newline at its end: its text as it is, its reasoning quoted, calls and output in fences."""
    return "\n".join(_pieces(message, quoting=False)).rstrip("\n")


def unit_markdown(transcript: Transcript, unit: int) -> str:
    """An action unit, to be pasted somewhere: a heading and the text of each message."""
    texts = []
    for index in transcript.units_of_action[unit]:
        message = transcript.messages[index]
        texts.append("\n".join([f"#### {_who(message)}\n", *_pieces(message, quoting=False)]).rstrip("\n"))
    return "\n\n".join(texts)


def _who(message: ChatMessage) -> str:
    name = f" {_plain(message.name, 60)}" if message.name else ""
    if isinstance(message, ToolMessage) and message.function:
        return f"{message.role}{name} {_code(message.function, 60)}"
    return f"{message.role}{name}"


def _pieces(message: ChatMessage, *, quoting: bool) -> Iterator[str]:
    """The parts of a message: its texts, reasoning, calls and answers; each piece ends with a newline."""
    shown = visible if quoting else str
    for part in message.parts:
        if isinstance(part, ReasoningPart):
            thought = shown(part.readable) or "(hidden by the provider)"
            yield "*Reasoning:*\n"
            yield _quoted(thought)
        elif not isinstance(part, TextPart):
            yield f"{_code(stand_in(part))}\n"
        elif isinstance(message, ToolMessage):
            yield fenced(shown(part.text))
        elif part.text:
            said = shown(part.text)
            yield _quoted(said) if quoting else said.rstrip("\n") + "\n"
    if isinstance(message, AssistantMessage):
        for call in message.tool_calls or ():
            yield from _call(call, quoting)
    if isinstance(message, ToolMessage) and message.error:
        yield "**Error:**\n"
        yield fenced(shown(as_json(message.error)), "json")


def _call(call: ToolCall, quoting: bool) -> Iterator[str]:
    shown = visible if quoting else str
    arguments = call.arguments
    alone = next(iter(arguments.values())) if len(arguments) == 1 else None
    if isinstance(alone, str):
        key = next(iter(arguments))
        yield f"**Call** {_code(call.function, 80)} with {_code(key, 60)}:\n"
        yield fenced(shown(alone), call.language or {"command": "bash", "cmd": "bash"}.get(key))
    else:
        yield f"**Call** {_code(call.function, 80)}{':' if arguments else ''}\n"
        if arguments:
            yield fenced(shown(as_json(arguments)), "json")
    if call.parse_error:
        yield f"**Cannot be read:** {_code(call.parse_error, 300)}\n"


# The run


def export_markdown(
    run: AgentRun,
    part: Part | None = None,
    annotated: Annotated | None = None,
    rules: Sequence[Rule] = (),
) -> Exported:
    """Export a run, or a part of it, as Markdown, with a heading for each unit and message, highlights named and listed."""
    page = page_of(run, part, annotated, rules)
    return Exported(_with_blank_lines(_blocks(page)), page.lost)


def _with_blank_lines(blocks: Iterable[str]) -> Iterator[str]:
    """Blocks that end with a newline, joined with an empty line between them."""
    for number_, block in enumerate(blocks):
        if number_:
            yield "\n"
        yield block


def _blocks(page: Page) -> Iterator[str]:
    run = page.run
    yield f"# {_plain(run.name or run.id)}\n"
    yield "".join(f"- {word}: {_code(said, 600)}\n" for word, said in facts_of(run, page.part))
    if run.metadata:
        yield "## Metadata\n"
        yield fenced(visible(as_json(run.metadata)), "json")
    yield from _listed(page)
    for index, transcript in page.transcripts:
        name = f": {_plain(transcript.name)}" if transcript.name else ""
        yield f"## Transcript {index}{name}\n"
        start = page.branches.came_from.get(index)
        if start is not None:
            yield f"Started by a call in T{start.transcript}B{start.message}.\n"
        yield from _transcript(page, index, transcript)
    if run.reasoning:
        yield "## The evaluator's reasoning\n"
        yield _quoted(visible(run.reasoning))
    yield from _annotations(page)


def _listed(page: Page) -> list[str]:
    """The highlights, with links to their messages."""
    transcripts = dict(page.transcripts)
    lines = []
    for index, message, why in page.highlights:
        place, role = f"T{index}B{message}", transcripts[index].messages[message].role
        link = f"[{place}](#{place.lower()}-{role})"
        words = page.excerpt(index, message, why)
        said = f": {_code(''.join(words), 100)}" if words else ""
        lines.append(f"- {link}, unit {why.unit}: {why.source}: {_code(why.reason)}{said}\n")
    return ["## Highlights\n", "".join(lines)] if lines else []


def _transcript(page: Page, index: int, transcript: Transcript) -> Iterator[str]:
    for shown in page.units(index, transcript):
        marked = " (highlighted)" if page.stands_out(index, shown) else ""
        yield f"### Unit {shown.unit}{marked}\n"
        for annotator, note in shown.notes:
            scores = ", ".join(f"{_plain(key, 60)} {number(score)}" for key, score in note.scores.items())
            yield f"**Note by {_plain(annotator, 60)}:** {scores}\n"
            if note.note:
                yield _quoted(visible(note.note))
        for member in shown.members:
            yield from _message(page, index, member, transcript.messages[member])


def _message(page: Page, index: int, number_: int, message: ChatMessage) -> Iterator[str]:
    place = f"T{index}B{number_}"
    unshown_of_message(message, place, page.lost)
    yield f"#### {place} {message.role}\n"
    said = _about(message)
    if said:
        yield f"{said}\n"
    for why in page.reasons[index].get(number_, ()):
        yield f"**▲ {why.source}:** {_code(why.reason)}\n"
    yield from _pieces(message, quoting=True)
    for entry in page.branches.at(index, number_):
        yield f"↳ {_plain(page.name_of(entry.child))}\n"


_ABOUT: Final = {
    "name": "from {}", "recipient": "to {}", "function": "answer of {}", "model": "model {}", "time": "at {}",
    "reward": "reward {}",
}  # fmt: skip


def _about(message: ChatMessage) -> str:
    """The speaker, recipient, time and model of a message, in one line."""
    return ", ".join(
        _ABOUT[what].format(_code(text, 80) if what == "function" else _plain(text, 80))
        for what, text in about(message)
    )


def _annotations(page: Page) -> Iterator[str]:
    for record in page.annotated.records:
        yield f"## Annotation by {_plain(record.annotator_id, 80)}\n"
        names = page.run.agent_names
        for number_, reward in enumerate(record.rewards):
            name = names[number_] if number_ < len(names) else f"agent {number_ + 1}"
            overall, dimensions = reward if isinstance(reward, tuple) else (reward, {})
            yield f"**{_plain(name, 60)}**\n"
            rows = [f"| {_plain(key, 60)} | {number(score)} |\n" for key, score in dimensions.items()]
            yield "".join(["| dimension | score |\n|---|--:|\n", *rows, f"| **overall** | {number(overall)} |\n"])
        if record.reasoning:
            yield _quoted(visible(record.reasoning))
