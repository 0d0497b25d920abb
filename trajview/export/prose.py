"""Text of logs as safe HTML: every sign escaped first; of Markdown what helps reading, fences, headings, bold, code."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from itertools import groupby
from typing import Final

from trajview.annotation.citations import find_citations

from .shown import visible

__all__ = ["Exists", "cited", "esc", "output", "prose"]

Exists = Callable[[int, int], bool]
"""Whether there is a message, by transcript and index, on the page."""

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})[^`\n]*$")
_INLINE: Final = re.compile(r"`([^`\n]{1,400})`|\*\*(?=\S)([^*\n]{1,400}?)(?<=\S)\*\*")
_HEADING: Final = re.compile(r"(#{1,6})[ \t]+(\S.*)$")
_DIFF: Final = re.compile(r"^(?:diff --git |@@ -\d+(?:,\d+)? \+\d+)", re.MULTILINE)


def esc(text: str) -> str:
    """A text for a page: nothing in it is markup any more, and what acts on a terminal is a visible sign."""
    return escape(visible(text), quote=True)


def prose(text: str) -> str:
    """What somebody says. Line breaks stay (the page keeps white space); fences become boxes."""
    found: list[str] = []
    lines: list[str] = []
    fence = ""
    for line in visible(text).split("\n"):
        opening = _FENCE.match(line)
        if fence:
            if opening and opening[1].startswith(fence) and not line.strip().strip(fence[0]):
                found.append(_box(lines))
                fence, lines = "", []
            else:
                lines.append(line)
        elif opening:
            found.append(_said(lines))
            fence, lines = opening[1], []
        else:
            lines.append(line)
    found.append(_box(lines) if fence else _said(lines))
    return "".join(found)


def _box(lines: list[str]) -> str:
    return f"<pre>{_coloured(chr(10).join(lines))}</pre>"


def _said(lines: list[str]) -> str:
    pieces = []
    for quoted, group in groupby(lines, lambda line: line.startswith(">")):
        texts = (_line(line[1:].removeprefix(" ") if quoted else line) for line in group)
        text = "\n".join(texts).strip("\n")
        if text.strip():
            tag = "blockquote" if quoted else "div"
            pieces.append(f"<{tag} class=text>{text}</{tag}>")
    return "".join(pieces)


def _line(line: str) -> str:
    heading = _HEADING.match(line)
    if heading:
        return f"<strong class=h>{_spans(heading[2])}</strong>"
    return _spans(line)


def _spans(line: str) -> str:
    pieces: list[str] = []
    position = 0
    for match in _INLINE.finditer(line):
        pieces.append(escape(line[position : match.start()]))
        pieces.append(f"<code>{escape(match[1])}</code>" if match[1] else f"<strong>{escape(match[2])}</strong>")
        position = match.end()
    pieces.append(escape(line[position:]))
    return "".join(pieces)


def output(text: str, keep: int) -> str:
    """What a tool answers, or code: as it is; of more than about `keep` lines the rest is folded."""
    lines = visible(text).rstrip("\n").split("\n")
    if len(lines) <= keep + keep // 2:
        return _box(lines)
    more = len(lines) - keep
    diff = _DIFF.search(text) is not None
    head, rest = "\n".join(lines[:keep]), "\n".join(lines[keep:])
    return (
        f"<details class=fold><summary><pre>{_coloured(head, diff)}</pre><span class=more>{more:,} more lines</span>"
        f"</summary><pre>{_coloured(rest, diff)}</pre></details>"
    )


def _coloured(text: str, diff: bool | None = None) -> str:
    """Code, escaped; the lines of a diff with their colours."""
    if not (_DIFF.search(text) if diff is None else diff):
        return escape(text)
    return "\n".join(map(_diff_line, text.split("\n")))


def _diff_line(line: str) -> str:
    kind = {"+": "ins", "-": "del", "@": "at"}.get(line[:1])
    if kind is None or line.startswith(("+++", "---")):
        return escape(line)
    return f"<span class={kind}>{escape(line)}</span>"


def cited(text: str, exists: Exists, prefix: str = "") -> str:
    """A reasoning, whose citations (`[T0B12]`) are links to the messages on the page; `prefix` begins their places."""
    text = visible(text)
    pieces: list[str] = []
    position = 0
    for citation in find_citations(text):
        pieces.append(escape(text[position : citation.start]))
        words = escape(text[citation.start : citation.end])
        there = not citation.run and exists(citation.transcript, citation.message)
        place = f"T{citation.transcript}B{citation.message}"
        pieces.append(f'<a class=cite href="#{prefix}{place}">{words}</a>' if there else words)
        position = citation.end
    pieces.append(escape(text[position:]))
    return f"<div class=text>{''.join(pieces).strip()}</div>"
