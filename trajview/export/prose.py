"""Text of logs as safe HTML: every sign escaped first; of Markdown what helps reading, fences, headings, bold, code."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from itertools import groupby
from typing import Final

from trajview.annotation.citations import find_citations

from .marks import Marker, tagged, without_signs
from .shown import visible

__all__ = ["Exists", "cited", "esc", "inline", "output", "prose"]

Exists = Callable[[int, int], bool]
"""Tells whether a message, by transcript and index, is on the page."""

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})[^`\n]*$")
_INLINE: Final = re.compile(r"`([^`\n]{1,400})`|\*\*(?=\S)([^*\n]{1,400}?)(?<=\S)\*\*")
_HEADING: Final = re.compile(r"(\x02[a-z])?#{1,6}(\x03)?[ \t]+(\S.*)$")
_QUOTED: Final = re.compile(r"(\x02[a-z])?>(\x03)? ?")
"""Matches the start of a heading and of a quoted line; a mark may begin before the sign, and end behind it."""
_LINE_BY_LINE: Final = re.compile(r"[\x02#>]")
"""Matches a text with a heading or a quoted line."""
_CHANGED: Final = ("+", "-", "@", "\x02", "\x03")
"""Matches the start of a line of a diff that has a colour, or that is marked."""
_DIFF: Final = re.compile(r"^(?:diff --git |@@ -\d+(?:,\d+)? \+\d+)", re.MULTILINE)


def esc(text: str) -> str:
    """A text for a page: nothing in it is markup any more, and what acts on a terminal is a visible sign."""
    return escape(visible(text), quote=True)


def inline(text: str, mark: Marker | None) -> str:
    """A short text within a line, as `esc` has it; `mark` as for `prose`."""
    return esc(text) if mark is None else tagged(escape(mark(visible(text)), quote=True))


def prose(text: str, mark: Marker | None = None) -> str:
    """A speaker's text as HTML. Line breaks stay (the page keeps white space); fences become boxes. `mark` marks matches."""
    text = visible(text)
    if mark is None:
        return _prose(text)
    return tagged(_prose(mark(text)))


def _prose(text: str) -> str:
    whole = without_signs(text)
    if "```" not in whole and "~~~" not in whole:
        return _text_html(text)
    found: list[str] = []
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        plain = without_signs(line)
        opening = _FENCE.match(plain)
        if fence:
            if opening and opening[1].startswith(fence) and not plain.strip().strip(fence[0]):
                found.append(_box("\n".join(lines)))
                fence, lines = "", []
            else:
                lines.append(line)
        elif opening:
            found.append(_text_html("\n".join(lines)))
            fence, lines = opening[1], []
        else:
            lines.append(line)
    rest = "\n".join(lines)
    found.append(_box(rest) if fence else _text_html(rest))
    return "".join(found)


def _box(text: str) -> str:
    return f"<pre>{_coloured(text)}</pre>"


def _text_html(text: str) -> str:
    if not _LINE_BY_LINE.search(text):
        return _tagged("div", _spans(text))
    pieces = []
    for quoted, group in groupby(text.split("\n"), lambda line: without_signs(line[:3]).startswith(">")):
        texts = (_line(_QUOTED.sub(r"\1\2", line, count=1) if quoted else line) for line in group)
        pieces.append(_tagged("blockquote" if quoted else "div", "\n".join(texts)))
    return "".join(pieces)


def _tagged(tag: str, html: str) -> str:
    html = html.strip("\n")
    return f"<{tag} class=text>{html}</{tag}>" if html and not html.isspace() else ""


def _line(line: str) -> str:
    heading = _HEADING.match(line)
    if heading:
        return f"<strong class=h>{heading[1] or ''}{heading[2] or ''}{_spans(heading[3])}</strong>"
    return _spans(line)


def _spans(text: str) -> str:
    if "`" not in text and "**" not in text:
        return escape(text)
    pieces: list[str] = []
    position = 0
    for match in _INLINE.finditer(text):
        pieces.append(escape(text[position : match.start()]))
        pieces.append(f"<code>{escape(match[1])}</code>" if match[1] else f"<strong>{escape(match[2])}</strong>")
        position = match.end()
    pieces.append(escape(text[position:]))
    return "".join(pieces)


def output(text: str, keep: int, mark: Marker | None = None) -> str:
    """A tool's output, or code, as it is; of more than about `keep` lines the rest is folded. `mark` as for `prose`."""
    shown = visible(text).rstrip("\n")
    if mark is None:
        return _output(shown, keep)
    return tagged(_output(mark(shown), keep))


def _output(text: str, keep: int) -> str:
    count = text.count("\n") + 1
    if count <= keep + keep // 2:
        return _box(text)
    more = count - keep
    diff = _is_diff(text)
    *first, rest = text.split("\n", keep)
    head = "\n".join(first)
    return (
        f"<details class=fold><summary><pre>{_coloured(head, diff)}</pre><span class=more>{more:,} more lines</span>"
        f"</summary><pre>{_coloured(rest, diff)}</pre></details>"
    )


def _coloured(text: str, diff: bool | None = None) -> str:
    """Code, escaped; the lines of a diff with their colours."""
    if not (_is_diff(text) if diff is None else diff):
        return escape(text)
    lines = escape(text).split("\n")
    return "\n".join(_diff_line(line) if line[:1] in _CHANGED else line for line in lines)


def _is_diff(text: str) -> bool:
    plain = without_signs(text)
    return ("diff --git " in plain or "@@ -" in plain) and _DIFF.search(plain) is not None


def _diff_line(line: str) -> str:
    """A line of a diff, escaped, with its colour."""
    plain = without_signs(line)
    kind = {"+": "ins", "-": "del", "@": "at"}.get(plain[:1])
    if kind is None or plain.startswith(("+++", "---")):
        return line
    return f"<span class={kind}>{line}</span>"


def cited(text: str, exists: Exists, prefix: str = "") -> str:
    """A reasoning whose citations (`[T0B12]`) are links to the messages on the page; `prefix` begins their places."""
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
