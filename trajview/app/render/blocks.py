"""A message as lines: header, reasoning, text, tool calls, tool output; and what folding leaves of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

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
from trajview.textsafe import one_line, safe_text

from .ansi import AnsiState, decode_line, has_ansi
from .lines import Line, expand_output_tabs, expand_tabs
from .markdown import markdown_lines
from .syntax import highlight_lines, language_of, pretty_json

__all__ = ["Fold", "ViewOptions", "code_lines", "message_lines", "size_of"]

LONGEST_MARKDOWN = 300_000
"""Characters: longer texts are shown as they are, line by line."""
ROWS_OF_A_PREVIEWED_LINE = 3
SLACK = 4
"""A fold that would hide no more lines than this hides nothing."""


class Fold(Enum):
    """How much of a message is shown: everything, the first lines of tool output, or its header and first words."""

    OPEN = "open"
    PREVIEW = "preview"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """What the reader chose, for the whole transcript. Part of the key under which rendered lines are kept."""

    width: int = 80
    show_reasoning: bool = True
    show_tools: bool = True
    preview_lines: int = 8
    bare: bool = False
    """No header: the lines of the text only (raw JSON, metadata)."""
    language: str = ""
    """The language of a bare text; "metadata" for keys and values, as `app.metadata` writes them."""


def size_of(count: int) -> str:
    """A number of bytes for people: `812 B`, `5.3 KB`, `1.2 MB`."""
    if count < 1000:
        return f"{count} B"
    value = float(count)
    for unit in ("KB", "MB", "GB"):
        value /= 1000
        if value < 999.95 or unit == "GB":
            return f"{value:.1f} {unit}"
    raise AssertionError("unreachable")


def message_lines(message: ChatMessage, fold: Fold, options: ViewOptions, number: int = 0) -> list[Line]:
    """The lines of a message: its header, then what `fold` and `options` leave of its parts."""
    if options.bare:
        text = message.text
        return code_lines(
            expand_tabs(safe_text(text)).split("\n"), options.language or language_of(text), fill="",
            words=options.language == "metadata",
        )  # fmt: skip
    lines = [_header(message, number)]
    if fold is Fold.CLOSED:
        lines.append(_first_words(message))
        return lines
    error = error_of(message)
    if isinstance(message, ToolMessage):
        if message.error:
            lines += _failure(_error_text(message.error), margin=0)
        elif error:
            lines[0].right = ("✗ " + one_line(error, 60), "error")
    if isinstance(message, ToolMessage) and not message.parts and not message.error:
        lines += _output("", fold, options)
    for part in message.parts:
        match part:
            case TextPart() if isinstance(message, ToolMessage):
                lines += _output(part.text, fold, options)
            case TextPart():
                lines += _prose(part)
            case ReasoningPart():
                lines += _reasoning(part, options)
            case ImagePart() | AudioPart() | VideoPart():
                lines += _media(part)
            case OtherPart():
                lines += code_lines(_json_lines(part.model_dump(mode="json")), "json")
    if isinstance(message, AssistantMessage):
        for call in message.tool_calls or ():
            lines += _call(call)
    return lines


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
            _extend(line, f"  {message.role}", "dim")
        if message.recipient:
            _extend(line, f" → {one_line(message.recipient, 60)}", "dim")
        if isinstance(message, AssistantMessage) and message.model:
            _extend(line, f"  {one_line(message.model, 40)}", "dim")
    if message.metadata.get("round") is not None and (mark := _round_mark(message.metadata)):
        _extend(line, f"  {mark}", "mark")
    facts = [f"m{number}"]
    if message.timestamp:
        facts.insert(0, one_line(_clock(message.timestamp), 30))
    if message.reward is not None:
        facts.insert(0, f"reward {message.reward:g}")
    line.right = (" · ".join(facts), "dim")
    line.action = "fold"
    line.ours = True
    return line


def _extend(line: Line, text: str, style: str) -> None:
    line.spans.append((len(line.text), len(line.text) + len(text), style))
    line.text += text


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
    said = one_line(message.text) or one_line(" ".join(message.reasoning))
    if isinstance(message, AssistantMessage) and message.tool_calls:
        calls = ", ".join(_call_in_short(call) for call in message.tool_calls)
        said = f"{said}  ▸ {calls}" if said else f"▸ {calls}"
    return Line(said or "(empty)", style="dim", action="fold")


def _call_in_short(call: ToolCall) -> str:
    first = next((value for value in call.arguments.values() if isinstance(value, str)), "")
    return one_line(f"{call.function}: {first}" if first else call.function, 100)


# -- parts -------------------------------------------------------------------------------------------------------------


def _prose(part: TextPart) -> list[Line]:
    text = part.text.strip("\r\n").rstrip()
    if not text:
        return []
    if (spread := pretty_json(text)) is not None:
        lines = code_lines(expand_tabs(safe_text(spread)).split("\n"), "json")
    elif len(text) > LONGEST_MARKDOWN:
        lines = [Line(line, words=True) for line in expand_tabs(safe_text(text)).split("\n")]
    elif has_ansi(text):
        lines = _ansi_lines(text)
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
    text = part.reasoning.strip()
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
        extra = part.model_extra or {}
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


def _call(call: ToolCall) -> list[Line]:
    name = one_line(call.function, 100) or "call"
    head = Line(name, [(0, len(name), "call.name")], lead=("▸", "call.name"), indent=2, hang=4)
    lines = [head]
    if call.view is not None and call.view.content:
        if call.view.title:
            _extend(head, f"  {one_line(call.view.title, 100)}", "dim")
        body = (
            markdown_lines(call.view.content)
            if call.view.format == "markdown"
            else code_lines(_text_lines(call.view.content), "")
        )
        lines += _indented(body)
    elif call.language is not None and isinstance(call.arguments.get("code"), str):
        lines += _indented(code_lines(_text_lines(call.arguments["code"].strip("\n")), call.language))
        rest = {key: value for key, value in call.arguments.items() if key != "code"}
        lines[1:1] = _arguments(head, rest, call)
    else:
        lines += _arguments(head, call.arguments, call)
    if call.parse_error:
        lines += _failure(call.parse_error, margin=2)
    return lines


def _failure(text: str, *, margin: int) -> list[Line]:
    """What went wrong, a cross before its first line."""
    lines = [Line(line, style="error", words=True) for line in _text_lines(text.strip() or "error")]
    lines[0].lead = (" " * margin + "✗", "error")
    for line in lines:
        line.indent = line.hang = margin + 2
    return lines


_SHORT = 100


def _arguments(head: Line, arguments: dict[str, Any], call: ToolCall) -> list[Line]:
    """Short values go on the call's own line; long or structured ones become blocks below it."""
    blocks: list[Line] = []
    only = len(arguments) == 1
    for key, value in arguments.items():
        label = one_line(key, 60)
        if isinstance(value, str) and ("\n" in value.strip("\n") or len(value) > _SHORT):
            language = language_of(value, key, call.function) or _language_of_file(arguments, key)
            if not only:
                blocks.append(Line(label, style="call.key", indent=4, hang=4))
            blocks += _indented(code_lines(_text_lines(value.strip("\n")), language))
        elif isinstance(value, dict | list) and len(_dumps(value)) > _SHORT:
            blocks.append(Line(label, style="call.key", indent=4, hang=4))
            blocks += _indented(code_lines(_json_lines(value), "json"))
        else:
            text = value.strip("\n") if isinstance(value, str) else _dumps(value)
            _extend(head, "  ", "")
            if not (only and isinstance(value, str)):
                _extend(head, f"{label}=", "call.key")
            _extend(head, one_line(text, 2 * _SHORT), "call.value")
    return blocks


_SUFFIXES = {"py": "python", "js": "javascript", "ts": "typescript", "rs": "rust", "go": "go", "sh": "bash",
             "json": "json", "yaml": "yaml", "yml": "yaml", "toml": "toml", "c": "c", "cpp": "cpp", "java": "java",
             "md": "markdown", "html": "html", "css": "css", "sql": "sql", "rb": "ruby"}  # fmt: skip


def _language_of_file(arguments: dict[str, Any], key: str) -> str:
    """The language of file contents, by the suffix of the path that another argument holds."""
    for name in ("path", "file", "filename", "file_path", "filepath"):
        path = arguments.get(name)
        if name != key and isinstance(path, str) and "." in path[-12:]:
            return _SUFFIXES.get(path.rsplit(".", 1)[1].lower(), "")
    return ""


def _indented(lines: list[Line]) -> list[Line]:
    for line in lines:
        line.indent += 4
        line.hang += 4
    return lines


# -- verbatim text -----------------------------------------------------------------------------------------------------


def _text_lines(text: str) -> list[str]:
    return expand_tabs(safe_text(text)).split("\n")


def _json_lines(value: object) -> list[str]:
    return _text_lines(_dumps(value, indent=2))


def _dumps(value: object, indent: int | None = None) -> str:
    """JSON, or a word in its place where the value is nested too deeply (or a number too long) to be written."""
    try:
        return json.dumps(value, indent=indent, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        return f"({type(value).__name__}, nested too deeply to show)"


def code_lines(body: Sequence[str], language: str, *, fill: str = "code.block", words: bool = False) -> list[Line]:
    """Lines of code, coloured by language when the first of them is shown. The texts must be safe already.

    `words` breaks them between words, and below their own indent.
    """
    lines = [Line(text, fill=fill) for text in body]
    if words:
        for line in lines:
            margin = len(line.text) - len(line.text.lstrip(" "))
            line.text, line.indent, line.hang, line.words = line.text[margin:], margin, margin + 2, True
    if language and lines:

        def finish() -> None:
            for line in lines:
                line.finish = None
            highlight_lines(lines, language)

        for line in lines:
            line.finish = finish
    return lines


def _ansi_lines(text: str, most: int | None = None) -> list[Line]:
    state = AnsiState()
    lines = []
    for raw in text.replace("\r\n", "\n").split("\n")[:most]:
        shown, spans = decode_line(raw, state)
        lines.append(Line(shown, spans))
    return lines


def _output(text: str, fold: Fold, options: ViewOptions) -> list[Line]:
    """Tool output: verbatim, coloured where it asks for it; folded to its first lines, with what that hides."""
    text = text.replace("\r\n", "\n").strip("\n")
    if not text:
        return [Line("(no output)", style="dim", indent=2, ours=True)]
    total = text.count("\n") + 1
    keep = options.preview_lines if options.show_tools else 0
    folded = fold is not Fold.OPEN or not options.show_tools
    widest = max(20, options.width - 6) * ROWS_OF_A_PREVIEWED_LINE
    head = _first_lines(text, keep)
    if folded and options.show_tools and total <= keep + SLACK:
        # With no more than so many lines, only long ones are worth a fold.
        folded = len(text) > 2 * widest and any(len(line) > widest for line in _first_lines(text, total))
    if not folded:
        if (spread := pretty_json(text)) is not None:
            return _margin(code_lines(_text_lines(spread), "json", fill=""))
        return _margin(_verbatim(text, total))
    lines = _verbatim("\n".join(line[:widest] for line in head), len(head)) if keep else []
    for line, raw in zip(lines, head, strict=False):
        if len(raw) > widest:
            line.text += "…"
    # The bytes that are not there: without the newline between what is shown and what is not.
    bytes_shown = _bytes("\n".join(line[:widest] for line in head)) + (total > len(head)) if keep else 0
    lines.append(_hidden(total - len(head) if keep else total, _bytes(text) - bytes_shown, total, more=bool(keep)))
    return _margin(lines)


def _first_lines(text: str, count: int) -> list[str]:
    """The first lines of a text, without splitting all of it."""
    lines, start = [], 0
    for _ in range(count):
        end = text.find("\n", start)
        if end < 0:
            lines.append(text[start:])
            break
        lines.append(text[start:end])
        start = end + 1
    return lines


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _hidden(lines: int, count: int, total: int, *, more: bool) -> Line:
    """What a fold hides: so many whole lines of `total`, so many bytes in all."""
    size = size_of(count)
    if not more:
        said = f"… {lines:,} line{'s' * (lines != 1)}, {size}"
    elif lines > 0:
        said = f"… {lines:,} more line{'s' * (lines != 1)}, {size}"
    else:
        said = f"… the rest of the line, {size}" if total == 1 else f"… the rest of long lines, {size}"
    return Line(said, style="fold", action="fold", ours=True)


def _verbatim(text: str, total: int) -> list[Line]:
    if has_ansi(text):
        return _ansi_lines(text)
    language = language_of(text) if total < 5_000 else ""
    return code_lines(expand_output_tabs(safe_text(text)).split("\n"), language, fill="")


def _margin(lines: list[Line]) -> list[Line]:
    for line in lines:
        line.indent += 2
        line.hang += 2
        if not line.style:
            line.style = "output"
    return lines


def _error_text(error: dict[str, Any]) -> str:
    said = error.get("message")
    kind = error.get("type")
    if isinstance(said, str) and said.strip():
        return f"{kind}: {said}" if isinstance(kind, str) and kind else said
    return _dumps(error)
