"""A message as lines: header, reasoning, text, tool calls, tool output; and what folding leaves of it."""

from __future__ import annotations

from typing import Any

from trajview.app.render.ansi import has_ansi
from trajview.app.render.calls import call_in_short, call_lines, failure_lines
from trajview.app.render.evidence import mark_citations
from trajview.app.render.headers import media_in
from trajview.app.render.lines import Line, Said, expand_tabs
from trajview.app.render.markdown import markdown_lines
from trajview.app.render.options import Fold, ViewOptions
from trajview.app.render.syntax import language_of, pretty_json
from trajview.app.render.verbatim import ansi_lines, code_lines, json_lines, json_text, output_lines, size_of
from trajview.highlight import error_of
from trajview.models.messages import (
    AssistantMessage,
    AudioPart,
    ChatMessage,
    ImagePart,
    OtherPart,
    ReasoningPart,
    TextPart,
    ToolMessage,
    VideoPart,
)
from trajview.textsafe import one_line, safe_text

__all__ = ["Fold", "ViewOptions", "message_lines"]

LONGEST_MARKDOWN = 300_000
"""Characters: longer texts are shown as they are, line by line."""


def message_lines(message: ChatMessage, fold: Fold, options: ViewOptions, number: int = 0) -> list[Line]:
    """The lines of a message: its header, then what `fold` and `options` leave of its parts."""
    if options.bare:
        return _bare_lines(message.text, options)
    lines = [_header(message, number)]
    error = error_of(message)
    if isinstance(message, ToolMessage) and error and (fold is Fold.CLOSED or not message.error):
        lines[0].right = ("✗ " + one_line(error, 60), "error")
    if fold is Fold.CLOSED:
        lines.append(_first_words(message))
    elif isinstance(message, ToolMessage):
        lines += _answer_lines(message, fold, options)
    else:
        for part in message.parts:
            lines += _of(_prose(part), "text") if isinstance(part, TextPart) else _part_lines(part, options)
        lines += _lines_of_calls(message)
    if message.role == "assistant" or (message.role == "user" and fold is not Fold.CLOSED):
        mark_citations(lines)
    return lines


def _bare_lines(text: str, options: ViewOptions) -> list[Line]:
    """The lines of one text, whatever it is of."""
    reading = options.language == "metadata"
    language = options.language or language_of(text)
    lines = code_lines(expand_tabs(safe_text(text)).split("\n"), language, fill="", words=reading)
    if reading:  # the evaluator's reasoning is among it
        mark_citations(lines)
    return _of(lines, "output")


def _answer_lines(message: ToolMessage, fold: Fold, options: ViewOptions) -> list[Line]:
    """What a tool answered: why it failed, and its output."""
    lines: list[Line] = []
    if message.error:
        lines += _of(failure_lines(_error_text(message.error), margin=0), "error", message.function)
    elif not message.parts:
        lines += output_lines("", fold, options)
    for part in message.parts:
        if isinstance(part, TextPart):
            lines += _of(output_lines(part.text, fold, options), "output", message.function)
        else:
            lines += _part_lines(part, options)
    return lines


def _lines_of_calls(message: ChatMessage) -> list[Line]:
    calls = message.tool_calls if isinstance(message, AssistantMessage) else None
    return [line for call in calls or () for line in call_lines(call)]


# -- header ------------------------------------------------------------------------------------------------------------


def _header(message: ChatMessage, number: int) -> Line:
    role = f"role.{message.role}"
    if isinstance(message, ToolMessage):
        what = message.function or message.name or ""
        text = f"output of {one_line(what, 60)}" if what else "output"
        line = Line(text, [(0, len(text), role)])
    else:
        name = one_line(message.name, 60) if message.name else ""
        text = name or message.role
        line = Line(text, [(0, len(text), role)])
        if name and name.lower() != message.role:
            line.extend(f"  {message.role}", "dim")
        if message.recipient:
            line.extend(f" → {one_line(message.recipient, 60)}", "dim")
        if isinstance(message, AssistantMessage) and message.model:
            line.extend(f"  {one_line(message.model, 40)}", "dim")
    if message.metadata.get("round") is not None and (mark := _round_mark(message.metadata)):
        line.extend(f"  {mark}", "mark")
    facts = [f"m{number}"]
    if message.timestamp:
        facts.insert(0, one_line(_clock(message.timestamp), 30))
    if message.reward is not None:
        facts.insert(0, f"reward {message.reward:g}")
    line.right = (" · ".join(facts), "dim")
    line.action = "fold"
    line.ours = True
    return line


def _round_mark(metadata: dict[str, Any]) -> str:
    state = metadata.get("round_state")
    name = str(metadata["round"]).rsplit("-", 1)[-1]  # TaskWeaver's ids end in what tells them apart
    return one_line(f"round {name}" + (f" ({state})" if state else ""), 60)


def _clock(timestamp: str) -> str:
    """The time of day of an ISO timestamp; another text as it is."""
    if len(timestamp) >= 19 and timestamp[10] in "T " and timestamp[13] == ":":
        return timestamp[11:19]
    return timestamp


def _of(lines: list[Line], field: str, tool: str | None = None) -> list[Line]:
    """The lines, which show this field."""
    said = (Said(field, tool or ""),)
    for line in lines:
        line.said = said
    return lines


def _first_words(message: ChatMessage) -> Line:
    text = one_line(message.text)
    words = text or one_line(" ".join(message.reasoning))
    if isinstance(message, ToolMessage):
        said = [Said("output", message.function or "", 0, len(words))]
    else:
        said = [Said("text" if text else "reasoning", "", 0, len(words))]
    if isinstance(message, AssistantMessage):
        for number, call in enumerate(message.tool_calls or ()):
            words += ", " if number else "  ▸ " if words else "▸ "
            start = len(words)
            words += call_in_short(call)
            said.append(Said("arguments", call.function, start, len(words)))
    return Line(
        words or media_in(message) or "(empty)",
        style="dim",
        words=True,
        wide=True,
        action="fold",
        said=tuple(said),
        ours=not words,
    )


# -- parts -------------------------------------------------------------------------------------------------------------


def _part_lines(
    part: ReasoningPart | ImagePart | AudioPart | VideoPart | OtherPart, options: ViewOptions
) -> list[Line]:
    """The lines of a part that is no text."""
    if isinstance(part, ReasoningPart):
        return _of(_reasoning(part, options), "reasoning")
    if isinstance(part, OtherPart):
        return code_lines(json_lines(part.plain()), "json")
    return _media(part)


def _prose(part: TextPart) -> list[Line]:
    text = part.text.strip("\r\n").rstrip()
    if not text:
        return []
    if (spread := pretty_json(text)) is not None:
        lines = code_lines(expand_tabs(safe_text(spread)).split("\n"), "json")
    elif len(text) > LONGEST_MARKDOWN:
        lines = [Line(line, words=True) for line in expand_tabs(safe_text(text)).split("\n")]
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
    if not options.show_reasoning:
        count = text.count("\n") + 1
        return [
            Line(
                f"thinking, {count} line{'s' * (count > 1)} hidden",
                style="reasoning.hidden",
                lead=("┆", "reasoning.bar"),
                indent=2,
                ours=True,
            )
        ]
    lines = [Line(line, style="reasoning", words=True) for line in expand_tabs(safe_text(text)).split("\n")]
    for line in lines:
        line.indent = line.hang = 2
        line.lead = ("┆", "reasoning.bar")
    return lines


def _media(part: ImagePart | AudioPart | VideoPart) -> list[Line]:
    kind = part.type
    target = getattr(part, kind)
    if not target:
        extra = part.extras or {}
        target = next((v for v in extra.values() if isinstance(v, str)), "")
    shown = target
    if target.startswith("data:"):
        head = target[:64].split(",", 1)[0]
        shown = f"{head}, {size_of(len(target) * 3 // 4)}"
    label = f"{kind}  {one_line(shown, 400)}"
    lines = [
        Line(
            label,
            [(len(kind) + 2, len(label), "md.url")],
            style="md.link",
            lead=("▣", "md.link"),
            indent=2,
            hang=2,
        )
    ]
    boxes = part.annotations if isinstance(part, ImagePart) else None
    for box in boxes or ():
        where = box.get("bounding_box") if isinstance(box, dict) else None
        label = (
            one_line(f"{box.get('element_type') or 'box'} “{box.get('text') or ''}”", 100)
            if isinstance(box, dict)
            else one_line(str(box), 100)
        )
        numbers = (
            one_line(" ".join(f"{k}={v}" for k, v in where.items() if isinstance(v, int | float)), 100)
            if isinstance(where, dict)
            else ""
        )
        lines.append(Line(f"{label}  {numbers}".rstrip(), style="dim", indent=4, hang=6, words=True))
    return lines


def _error_text(error: dict[str, Any]) -> str:
    said = error.get("message")
    kind = error.get("type")
    if isinstance(said, str) and said.strip():
        return f"{kind}: {said}" if isinstance(kind, str) and kind else said
    return json_text(error)
