"""Syntax colours as spans, by Pygments, with limits so that no block can stall the screen."""

from __future__ import annotations

import json
import re
import time
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate, groupby, pairwise
from typing import TYPE_CHECKING, Any

from trajview.app.render.lines import Line
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


_STYLES = {
    "Token.Comment": "code.comment", "Token.Keyword": "code.keyword", "Token.Name.Function": "code.name",
    "Token.Name.Class": "code.name", "Token.Name.Decorator": "code.name", "Token.Name.Tag": "code.keyword",
    "Token.Name.Attribute": "code.name", "Token.Name.Builtin": "code.builtin", "Token.Literal.String": "code.string",
    "Token.Literal.Number": "code.number", "Token.Generic.Inserted": "diff.added", "Token.Generic.Deleted": "diff.removed",
    "Token.Generic.Subheading": "diff.hunk", "Token.Generic.Heading": "diff.file", "Token.Operator.Word": "code.keyword",
}  # fmt: skip


@lru_cache(maxsize=512)
def _style_name(token: _TokenType) -> str:
    text = str(token)
    return next((name for part, name in _STYLES.items() if text.startswith(part)), "")


def highlight_lines(lines: list[Line], language: str) -> None:
    """Add the spans of a language to lines that stand for consecutive lines of code. Unknown languages stay plain."""
    if language == "diff":
        _colour_diff(lines)
    elif language == "metadata":
        _colour_metadata(lines)
    elif sum(len(line.text) + 1 for line in lines) <= MOST_HIGHLIGHTED and (lexer := _lexer(language)) is not None:
        _colour_code(lines, lexer)


def _colour_code(lines: list[Line], lexer: Lexer) -> None:
    # Many lexers look for the newline at a line's end, and try again at every character where there is none.
    code = "\n".join(line.text for line in lines) + "\n"
    starts = list(accumulate((len(line.text) + 1 for line in lines[:-1]), initial=0))
    until = time.perf_counter() + LONGEST_SECONDS
    for position, token, value in lexer.get_tokens_unprocessed(code):
        if time.perf_counter() > until:
            break
        name = _style_name(token)
        if not name:
            continue
        number = bisect_right(starts, position) - 1
        column = position - starts[number]
        for line, text in zip(lines[number : number + value.count("\n") + 1], value.split("\n"), strict=False):
            if text:
                line.spans.append((column, column + len(text), name))
            column = 0


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


_DIFF_LINES = (
    (("--- ", "+++ ", "diff --git ", "index ", "*** "), "diff.file"), (("@@",), "diff.hunk"), (("+",), "diff.added"),
    (("-",), "diff.removed"),
)  # fmt: skip
"""How lines of a diff begin, the longest first: `---` and `+++` name files, they remove nothing; `***` as Codex writes."""


def _colour_diff(lines: list[Line]) -> None:
    for line in lines:
        name = next((name for starts, name in _DIFF_LINES if line.text.startswith(starts)), "")
        if name:
            line.spans.append((0, len(line.text), name))
    if sum(len(line.text) for line in lines) <= MOST_HIGHLIGHTED:
        stretches = [(sign, [*stretch]) for sign, stretch in groupby(lines, lambda line: line.text[:1])]
        for (sign, before), (other, after) in pairwise(stretches):
            if (sign, other) == ("-", "+"):
                _mark_words(before, after)


def _mark_words(before: list[Line], after: list[Line]) -> None:
    """Mark the words that differ in lines of a diff that take each other's place."""
    from trajview.compare.text import pair_lines  # not before the first diff is shown

    for pair in pair_lines([line.text[1:] for line in before], [line.text[1:] for line in after]):
        if pair.left is not None and pair.right is not None:
            before[pair.left].spans += [(start + 1, end + 1, "diff.gone.word") for start, end in pair.left_spans]
            after[pair.right].spans += [(start + 1, end + 1, "diff.come.word") for start, end in pair.right_spans]


_DIFF = re.compile(r"^(?:diff --git |--- .+\n\+\+\+ .+\n@@ |@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@)", re.MULTILINE)


def looks_like_diff(text: str) -> bool:
    """Whether a text is (or holds, near its top) a unified diff, or a patch as Codex writes it."""
    return "*** Begin Patch\n" in text[:4000] or (
        ("@@ -" in text[:4000] or "diff --git " in text[:4000]) and _DIFF.search(text, 0, 4000) is not None
    )


def language_of(text: str, argument: str | None = None, function: str | None = None) -> str:
    """The language of a block by what it looks like and by the argument and function that hold it; "" for plain."""
    if looks_like_diff(text):
        return "diff"
    head = text[:2000].lstrip()
    if head.startswith(("{", "[")) and len(text) <= MOST_HIGHLIGHTED and _parsed(text) is not None:
        return "json"
    if argument in ("code", "source"):
        return "python" if function in (None, "python", "ipython", "execute_python", "run_python") else ""
    if argument in ("sql", "query"):
        return "sql" if re.match(r"(?i)(select|insert|update|delete|with|create)\s", head) else ""
    return "bash" if argument in ("cmd", "command", "script", "commands", "bash", "shell") else ""


def _parsed(text: str) -> Any:
    """What a text is as JSON; None for null and for a text that is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def pretty_json(text: str) -> str | None:
    """A JSON object or array on one line, spread over lines; None if it is neither or already spread."""
    stripped = text.strip()
    if stripped[:1] not in ("{", "[") or "\n" in stripped or not 40 <= len(stripped) <= MOST_HIGHLIGHTED:
        return None
    value = _parsed(stripped)
    return None if value is None or is_deep(value) else json.dumps(value, indent=2, ensure_ascii=False)
