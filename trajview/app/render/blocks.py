"""A message as lines: header, reasoning, text, tool calls, tool output; and what folding leaves of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trajview.app.render.ansi import has_ansi
from trajview.app.render.calls import call_in_short, call_lines, failure_lines, of_field
from trajview.app.render.evidence import mark_citations
from trajview.app.render.headers import media_in
from trajview.app.render.images import media_lines
from trajview.app.render.lines import Line, Said
from trajview.app.render.markdown import markdown_lines, prose_line
from trajview.app.render.options import Fold, ViewOptions
from trajview.app.render.syntax import language_of, pretty_json
from trajview.app.render.verbatim import (
    ansi_lines,
    code_lines,
    json_lines,
    json_text,
    output_lines,
    text_lines,
)
from trajview.highlight import error_of
from trajview.models.messages import (
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
from trajview.textsafe import one_line

__all__ = ["Fold", "ViewOptions", "message_lines"]

LONGEST_MARKDOWN = 300_000
"""Characters: longer texts are shown as they are, line by line."""


def message_lines(
    message: ChatMessage, fold: Fold, options: ViewOptions, number: int = 0, voice: str = ""
) -> list[Line]:
    """The lines of a message: its header, then what `fold` and `options` leave of its parts.

    `voice` names the colour of the speaker, by default the role's.
    """
    if options.bare:
        return _bare_lines(message.text, options)
    header = _header(message, number, f"role.{voice or message.role}")
    error = error_of(message)
    if isinstance(message, ToolMessage) and error and (fold is Fold.CLOSED or not message.error):
        number_and_time, _ = header.right or ("", "")
        room = max(12, options.width // 2 - len(number_and_time) - 8)
        header.right = (f"✗ {one_line(error, min(60, room))} · {number_and_time}", "error")
    if fold is Fold.CLOSED:
        lines = [header, _first_words(message)]
    elif isinstance(message, ToolMessage):
        lines = [header, *_answer_lines(message, fold, options)]
    else:
        lines = [header, *_said_lines(message, options)]
    if message.role == "assistant" or (message.role == "user" and fold is not Fold.CLOSED):
        mark_citations(lines)
    return lines


def _bare_lines(text: str, options: ViewOptions) -> list[Line]:
    """The lines of one text, whatever it is of."""
    reading = options.language == "metadata"
    language = options.language or language_of(text)
    lines = code_lines(text_lines(text), language, fill="", words=reading)
    if reading:  # the evaluator's reasoning is among it
        mark_citations(lines)
    return of_field(lines, "output")


def _answer_lines(message: ToolMessage, fold: Fold, options: ViewOptions) -> list[Line]:
    """What a tool answered: why it failed, and its output."""
    lines: list[Line] = []
    if message.error:
        lines += of_field(failure_lines(_error_text(message.error), margin=0), "error", message.function)
    elif not message.parts:
        lines += output_lines("", fold, options)
    rows = options.preview_lines if fold is Fold.PREVIEW else None
    for part in message.parts:
        if isinstance(part, TextPart):
            lines += of_field(output_lines(part.text, fold, options), "output", message.function)
        else:
            lines += _part_lines(part, options, rows if options.show_tools else 0)
    return lines


def _said_lines(message: ChatMessage, options: ViewOptions) -> list[Line]:
    """What a person or a model says, thinks and calls."""
    lines: list[Line] = []
    for part in message.parts:
        lines += of_field(_prose(part), "text") if isinstance(part, TextPart) else _part_lines(part, options)
    for call in _calls(message):
        lines += call_lines(call, show_edits=options.show_edits)
    return lines


def _calls(message: ChatMessage) -> Sequence[ToolCall]:
    return (message.tool_calls if isinstance(message, AssistantMessage) else None) or ()


# -- header ------------------------------------------------------------------------------------------------------------


def _header(message: ChatMessage, number: int, role: str) -> Line:
    line = Line("", action="fold", ours=True)
    if isinstance(message, ToolMessage):
        what = message.function or message.name or ""
        line.extend(f"output of {one_line(what, 60)}" if what else "output", role)
    else:
        _name_speaker(line, message, role)
    if message.metadata.get("round") is not None and (mark := _round_mark(message.metadata)):
        line.extend(f"  {mark}", "mark")
    facts = [
        f"reward {message.reward:g}" if message.reward is not None else "",
        one_line(_clock(message.timestamp), 30) if message.timestamp else "",
        f"m{number}",
    ]
    line.right = (" · ".join(filter(None, facts)), "dim")
    return line


def _name_speaker(line: Line, message: ChatMessage, role: str) -> None:
    name = one_line(message.name, 60) if message.name else ""
    line.extend(name or message.role, role)
    if name and name.lower() != message.role:
        line.extend(f"  {message.role}", "dim")
    if message.recipient:
        line.extend(f" → {one_line(message.recipient, 60)}", "dim")
    if isinstance(message, AssistantMessage) and message.model:
        line.extend(f"  {one_line(message.model, 40)}", "dim")


def _round_mark(metadata: dict[str, Any]) -> str:
    state = metadata.get("round_state")
    name = str(metadata["round"]).rsplit("-", 1)[-1]  # TaskWeaver's ids end in what tells them apart
    return one_line(f"round {name}" + (f" ({state})" if state else ""), 60)


def _clock(timestamp: str) -> str:
    """The time of day of an ISO timestamp; another text as it is."""
    if len(timestamp) >= 19 and timestamp[10] in "T " and timestamp[13] == ":":
        return timestamp[11:19]
    return timestamp


def _first_words(message: ChatMessage) -> Line:
    """What a folded message says, on one line: its text or else its reasoning, its calls, and a picture."""
    text = one_line(message.text) if isinstance(message, ToolMessage) else prose_line(message.text)
    words = text or prose_line(" ".join(message.reasoning))
    if isinstance(message, ToolMessage):
        fields = [Said("output", message.function or "", 0, len(words))]
    else:
        fields = [Said("text" if text else "reasoning", "", 0, len(words))]
    sign = "  ▸ " if words else "▸ "
    for call in _calls(message):
        words += sign
        fields.append(Said("arguments", call.function, len(words), len(words := words + call_in_short(call))))
        sign = ", "
    shown = "  ".join(filter(None, (words, media_in(message)))) or "(empty)"
    return Line(shown, style="dim", words=True, wide=True, action="fold", said=tuple(fields), ours=not words)


# -- parts -------------------------------------------------------------------------------------------------------------


def _part_lines(
    part: ReasoningPart | ImagePart | AudioPart | VideoPart | OtherPart,
    options: ViewOptions,
    rows: int | None = None,
) -> list[Line]:
    """The lines of a part that is no text; a picture in at most `rows` rows."""
    if isinstance(part, ReasoningPart):
        return of_field(_reasoning(part, options), "reasoning")
    if isinstance(part, OtherPart):
        return code_lines(json_lines(part.plain()), "json")
    return media_lines(part, options, rows)


def _prose(part: TextPart) -> list[Line]:
    text = part.text.strip("\r\n").rstrip()
    if not text:
        return []
    if (spread := pretty_json(text)) is not None:
        lines = code_lines(text_lines(spread), "json")
    elif len(text) > LONGEST_MARKDOWN:
        lines = [Line(line, words=True) for line in text_lines(text)]
    elif has_ansi(text):
        lines = ansi_lines(text)
    else:
        lines = markdown_lines(text)
    if part.temporal:
        lines = [_label("shown in this round only", "dim"), *lines]
        for line in lines[1:]:
            line.style = "dim"
    if part.refusal:
        lines.insert(0, _label("refusal", "error"))
    return lines


def _label(text: str, style: str) -> Line:
    return Line(text, style=style, lead=("▾", style), indent=2, ours=True)


def _reasoning(part: ReasoningPart, options: ViewOptions) -> list[Line]:
    text = part.readable.strip()
    if part.redacted and not text:
        text = "(redacted)"
    if not text:
        return []
    bar = ("┆", "reasoning.bar")
    if not options.show_reasoning:
        count = text.count("\n") + 1
        hidden = f"thinking, {count} line{'s' * (count > 1)} hidden"
        return [Line(hidden, style="reasoning.hidden", lead=bar, indent=2, ours=True)]
    return [Line(line, style="reasoning", lead=bar, indent=2, hang=2, words=True) for line in text_lines(text)]


def _error_text(error: dict[str, Any]) -> str:
    said, kind = error.get("message"), error.get("type")
    if not isinstance(said, str) or not said.strip():
        return json_text(error)
    return f"{kind}: {said}" if isinstance(kind, str) and kind else said
