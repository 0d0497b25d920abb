"""Syntax colours as spans, by Pygments, with limits so that no block can stall the screen."""

from __future__ import annotations

import json
import re
import time
from functools import lru_cache
from typing import TYPE_CHECKING

from trajview.app.render.lines import Line, Span
from trajview.models.said import is_deep

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

__all__ = ["highlight_lines", "language_of", "looks_like_diff", "pretty_json"]

MOST_HIGHLIGHTED = 60_000
"""Characters: beyond, code stays plain. Pygments does about 1 MB/s, so this is some 60 ms at the worst."""
LONGEST_SECONDS = 0.25
"""Some lexers are quadratic in hostile text, and a log's fence may name any lexer: what is left then stays plain."""

_ALIASES = {
    "py": "python", "python3": "python", "ipython": "python", "jupyter": "python", "sh": "bash", "shell": "bash",
    "console": "bash", "zsh": "bash", "cmd": "bash", "js": "javascript", "ts": "typescript", "yml": "yaml",
    "mswea_bash_command": "bash", "text": "", "txt": "", "plain": "", "plaintext": "", "": "",
}  # fmt: skip


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    name = _ALIASES.get(language.lower(), language.lower())
    if not name or len(name) > 40:
        return None
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@lru_cache(maxsize=512)
def _style_name(token: _TokenType) -> str:
    text = str(token)
    for part, name in (
        ("Token.Comment", "code.comment"), ("Token.Keyword", "code.keyword"), ("Token.Name.Function", "code.name"),
        ("Token.Name.Class", "code.name"), ("Token.Name.Decorator", "code.name"), ("Token.Name.Tag", "code.keyword"),
        ("Token.Name.Attribute", "code.name"), ("Token.Name.Builtin", "code.builtin"),
        ("Token.Literal.String", "code.string"), ("Token.Literal.Number", "code.number"),
        ("Token.Generic.Inserted", "diff.added"), ("Token.Generic.Deleted", "diff.removed"),
        ("Token.Generic.Subheading", "diff.hunk"), ("Token.Generic.Heading", "diff.file"),
        ("Token.Operator.Word", "code.keyword"),
    ):  # fmt: skip
        if text.startswith(part):
            return name
    return ""


def highlight_lines(lines: list[Line], language: str) -> None:
    """Add the spans of a language to lines that stand for consecutive lines of code. Unknown languages stay plain."""
    if language == "diff":
        _colour_diff(lines)
        return
    if language == "metadata":
        _colour_metadata(lines)
        return
    total = sum(len(line.text) + 1 for line in lines)
    lexer = _lexer(language) if total <= MOST_HIGHLIGHTED else None
    if lexer is None:
        return
    # Many lexers look for the newline at a line's end, and try again at every character where there is none.
    code = "\n".join(line.text for line in lines) + "\n"
    number, start = 0, 0  # the line that the position is in, and where it begins
    until = time.perf_counter() + LONGEST_SECONDS
    for position, token, value in lexer.get_tokens_unprocessed(code):
        if time.perf_counter() > until:
            break
        name = _style_name(token)
        end = position + len(value)
        while number < len(lines) and position > start + len(lines[number].text):
            start += len(lines[number].text) + 1
            number += 1
        if not name:
            continue
        at, from_ = number, start
        while at < len(lines) and from_ < end:
            line = lines[at]
            span: Span = (max(0, position - from_), min(len(line.text), end - from_), name)
            if span[1] > span[0]:
                line.spans.append(span)
            from_ += len(line.text) + 1
            at += 1


_KEY = re.compile(r"(?:- )?[^\s:\[][^:\[]{0,60}:(?=\s|$)")  # no `[T0B9: "words"]`


def _colour_metadata(lines: list[Line]) -> None:
    """Keys apart from values, and the title of a section apart from both: the line above a rule."""
    for line, following in zip(lines, [*lines[1:], Line("")], strict=True):
        if following.text.startswith("──"):
            line.spans.append((0, len(line.text), "md.subheading"))
        elif line.text.startswith("──"):
            line.spans.append((0, len(line.text), "md.rule"))
        elif found := _KEY.match(line.text):
            line.spans.append((0, found.end(), "call.key"))


def _colour_diff(lines: list[Line]) -> None:
    """A diff is coloured by the first characters of its lines; `---` and `+++` name files, they remove nothing."""
    for line in lines:
        text = line.text
        if text.startswith(("--- ", "+++ ", "diff --git ", "index ")):
            name = "diff.file"
        elif text.startswith("@@"):
            name = "diff.hunk"
        elif text.startswith("+"):
            name = "diff.added"
        elif text.startswith("-"):
            name = "diff.removed"
        else:
            continue
        line.spans.append((0, len(text), name))


_DIFF = re.compile(r"^(?:diff --git |--- .+\n\+\+\+ .+\n@@ |@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@)", re.MULTILINE)


def looks_like_diff(text: str) -> bool:
    """Whether a text is (or holds, near its top) a unified diff."""
    return ("@@ -" in text[:4000] or "diff --git " in text[:4000]) and _DIFF.search(text, 0, 4000) is not None


def language_of(text: str, argument: str | None = None, function: str | None = None) -> str:
    """The language of a block by what it looks like and by the argument and function that hold it; "" for plain."""
    head = text[:2000].lstrip()
    if looks_like_diff(text):
        return "diff"
    if head[:1] in "{[" and head and len(text) <= MOST_HIGHLIGHTED and _is_json(text):
        return "json"
    if argument in ("code", "source") and function in (None, "python", "ipython", "execute_python", "run_python"):
        return "python"
    if argument in ("cmd", "command", "script", "commands", "bash", "shell"):
        return "bash"
    if argument in ("sql", "query") and re.match(r"(?i)(select|insert|update|delete|with|create)\s", head):
        return "sql"
    return ""


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def pretty_json(text: str) -> str | None:
    """A JSON object or array on one line, spread over lines; None if it is neither or already spread."""
    stripped = text.strip()
    if stripped[:1] not in ("{", "[") or "\n" in stripped or not 40 <= len(stripped) <= MOST_HIGHLIGHTED:
        return None
    try:
        value = json.loads(stripped)
        spreads = isinstance(value, dict | list) and not is_deep(value)
        return json.dumps(value, indent=2, ensure_ascii=False) if spreads else None
    except (ValueError, RecursionError):
        return None
