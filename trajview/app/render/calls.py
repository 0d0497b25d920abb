"""Tool calls as lines: short arguments beside the function, long ones as blocks below it."""

from __future__ import annotations

from typing import Any

from trajview.app.render.lines import Line, Said
from trajview.app.render.markdown import markdown_lines
from trajview.app.render.syntax import language_of
from trajview.app.render.verbatim import code_lines, json_lines, json_text, text_lines
from trajview.models.messages import ToolCall
from trajview.textsafe import one_line

__all__ = ["call_in_short", "call_lines", "failure_lines"]

_SHORT = 100
"""Characters of an argument that stands beside the function."""


def call_lines(call: ToolCall) -> list[Line]:
    """A call: the function with its short arguments, its code or view, and why its arguments were not understood."""
    name = one_line(call.function, 100) or "call"
    head = Line(name, [(0, len(name), "call.name")], lead=("▸", "call.name"), indent=2, hang=4, words=True, wide=True)
    lines = [head]
    if call.view is not None and call.view.content:
        if call.view.title:
            head.extend(f"  {one_line(call.view.title, 100)}", "dim")
        body = (
            markdown_lines(call.view.content)
            if call.view.format == "markdown"
            else code_lines(text_lines(call.view.content), "")
        )
        lines += _indented(body)
    elif call.language is not None and isinstance(call.arguments.get("code"), str):
        lines += _indented(code_lines(text_lines(call.arguments["code"].strip("\n")), call.language))
        rest = {key: value for key, value in call.arguments.items() if key != "code"}
        lines[1:1] = _arguments(head, rest, call)
    else:
        lines += _arguments(head, call.arguments, call)
    called = (Said("arguments", call.function),)
    for line in lines:
        line.said = called
    if call.parse_error:
        failed = failure_lines(call.parse_error, margin=2)
        for line in failed:
            line.said = (Said("error", call.function),)
        lines += failed
    return lines


def call_in_short(call: ToolCall) -> str:
    """A call in a few words: the function and its first text."""
    first = next((value for value in call.arguments.values() if isinstance(value, str)), "")
    return one_line(f"{call.function}: {first}" if first else call.function, 100)


def failure_lines(text: str, *, margin: int) -> list[Line]:
    """What went wrong, a cross before its first line."""
    lines = [Line(line, style="error", words=True) for line in text_lines(text.strip() or "error")]
    lines[0].lead = (" " * margin + "✗", "error")
    for line in lines:
        line.indent = line.hang = margin + 2
    return lines


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
            blocks += _indented(code_lines(text_lines(value.strip("\n")), language))
        elif isinstance(value, dict | list) and len(json_text(value)) > _SHORT:
            blocks.append(Line(label, style="call.key", indent=4, hang=4))
            blocks += _indented(code_lines(json_lines(value), "json"))
        else:
            text = value.strip("\n") if isinstance(value, str) else json_text(value)
            head.extend("  ", "")
            if not (only and isinstance(value, str)):
                head.extend(f"{label}=", "call.key")
            head.extend(one_line(text, 2 * _SHORT), "call.value")
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
