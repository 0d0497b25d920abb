"""Tool calls as lines: short arguments beside the function, long ones as blocks below it; where a call leads, its sign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trajview.app.render.edits import edit_lines, take_edits
from trajview.app.render.lines import Line, Said
from trajview.app.render.markdown import markdown_lines
from trajview.app.render.syntax import language_of
from trajview.app.render.verbatim import code_lines, json_lines, json_text, text_lines
from trajview.models.messages import ToolCall, ToolCallView
from trajview.textsafe import one_line

__all__ = [
    "ENTERED",
    "call_at",
    "call_in_short",
    "call_lines",
    "failure_lines",
    "first_argument",
    "line_of_call",
    "of_field",
    "sign_entries",
]

_SHORT = 100
"""Characters of an argument that stands beside the function."""


def call_lines(call: ToolCall, *, show_edits: bool) -> list[Line]:
    """A call: the function with its short arguments, its code or view, and why its arguments were not understood.

    `show_edits`: what replaces a text is shown as the difference that it makes.
    """
    name = one_line(call.function, 100) or "call"
    head = Line(name, [(0, len(name), "call.name")], lead=("▸", "call.name"), indent=2, hang=4, words=True, wide=True)
    if call.view is not None and call.view.content:
        if call.view.title:
            head.extend(f"  {one_line(call.view.title, 100)}", "dim")
        body = _view(call.view)
    else:
        arguments = dict(call.arguments)
        code = arguments.pop("code") if call.language is not None and isinstance(arguments.get("code"), str) else None
        edits = take_edits(arguments) if show_edits else []
        body = _arguments(head, arguments, call, alone=not edits)
        language = _language_of_file(arguments)
        for number, edit in enumerate(edits, 1):
            if len(edits) > 1:
                body.append(Line(f"edit {number}/{len(edits)}", style="call.key", indent=4, hang=4, ours=True))
            body += edit_lines(edit, language)
        if code is not None:
            body += _indented(code_lines(text_lines(code.strip("\n")), call.language or ""))
    lines = of_field([head, *body], "arguments", call.function)
    if call.parse_error:
        lines += of_field(failure_lines(call.parse_error, margin=2), "error", call.function)
    return lines


def _view(view: ToolCallView) -> list[Line]:
    if view.format == "markdown":
        return _indented(markdown_lines(view.content))
    return _indented(code_lines(text_lines(view.content), ""))


def of_field(lines: list[Line], field: str, tool: str | None = None) -> list[Line]:
    """The lines, which show this field of a message."""
    said = (Said(field, tool or ""),)
    for line in lines:
        line.said = said
    return lines


def first_argument(call: ToolCall) -> str:
    """The first text that a call hands over."""
    return next((value for value in call.arguments.values() if isinstance(value, str)), "")


def call_in_short(call: ToolCall) -> str:
    """A call in a few words: the function and its first text."""
    first = first_argument(call)
    return one_line(f"{call.function}: {first}" if first else call.function, 100)


def failure_lines(text: str, *, margin: int) -> list[Line]:
    """What went wrong, a cross before its first line."""
    lines = [Line(line, style="error", words=True) for line in text_lines(text.strip() or "error")]
    lines[0].lead = (" " * margin + "✗", "error")
    for line in lines:
        line.indent = line.hang = margin + 2
    return lines


def _arguments(head: Line, arguments: dict[str, Any], call: ToolCall, *, alone: bool) -> list[Line]:
    """Short values go on the call's own line; long or structured ones become blocks below it.

    A text that is the only argument needs no name, where nothing else is shown: `alone`.
    """
    blocks: list[Line] = []
    only = alone and len(arguments) == 1
    for key, value in arguments.items():
        label = one_line(key, 60)
        block = _block(value, key, arguments, call.function)
        if block:
            if not (only and isinstance(value, str)):
                blocks.append(Line(label, style="call.key", indent=4, hang=4))
            blocks += _indented(block)
            continue
        head.extend("  ", "")
        if not (only and isinstance(value, str)):
            head.extend(f"{label}=", "call.key")
        text = value.strip("\n") if isinstance(value, str) else json_text(value)
        head.extend(one_line(text, 2 * _SHORT), "call.value")
    return blocks


def _block(value: Any, key: str, arguments: dict[str, Any], function: str) -> list[Line]:
    """The lines of an argument that is too long to stand beside the function; none where it is not."""
    if isinstance(value, str):
        text = value.strip("\n")
        if "\n" in text or len(value) > _SHORT:
            return code_lines(text_lines(text), language_of(value, key, function) or _language_of_file(arguments, key))
    elif isinstance(value, dict | list) and len(json_text(value)) > _SHORT:
        return code_lines(json_lines(value), "json")
    return []


_SUFFIXES = {"py": "python", "js": "javascript", "ts": "typescript", "rs": "rust", "go": "go", "sh": "bash",
             "json": "json", "yaml": "yaml", "yml": "yaml", "toml": "toml", "c": "c", "cpp": "cpp", "java": "java",
             "md": "markdown", "html": "html", "css": "css", "sql": "sql", "rb": "ruby"}  # fmt: skip


def _language_of_file(arguments: dict[str, Any], key: str = "") -> str:
    """The language of file contents, by the suffix of the path that an argument other than `key` holds."""
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


# -- calls that started a sub-agent ---------------------------------------------------------------------------------------

ENTERED = "↳"
"""Stands for the arrow of a call that leads into another transcript."""

_LEADS = (("▸", "call.name"), (ENTERED, "call.name"))


def _heads(lines: Sequence[Line]) -> list[int]:
    return [number for number, line in enumerate(lines) if line.lead in _LEADS]


def sign_entries(lines: Sequence[Line], labels: Mapping[int, str]) -> None:
    """Sign the calls that lead somewhere: `labels` says by the call's number where to. A folded message says the first."""
    if not labels:
        return
    heads = _heads(lines)
    for call, label in labels.items():
        if 0 <= call < len(heads):
            head = lines[heads[call]]
            head.lead = (ENTERED, "call.name")
            head.right = (one_line(label, 40), "mark")
    if not heads and len(lines) > 1:
        first = one_line(next(iter(labels.values())), 30)
        lines[1].right = (f"{ENTERED} {first}", "mark")


def line_of_call(lines: Sequence[Line], call: int) -> int | None:
    """The line on which a call begins; None where it is folded away."""
    heads = _heads(lines)
    return heads[call] if 0 <= call < len(heads) else None


def call_at(lines: Sequence[Line], line: int) -> int:
    """The call that a line belongs to, -1 above the first."""
    return sum(1 for head in _heads(lines) if head <= line) - 1
