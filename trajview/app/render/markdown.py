"""Markdown as lines, one source line at a time: headings, lists, quotes, tables, fences, inline styles.

Not a full parser, on purpose: a log holds text that only resembles Markdown, and it is read line by line. What is not
plainly Markdown stays as it is; no text is ever dropped but the marks themselves.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from rich.cells import cell_len

from trajview.app.render.lines import Line, Span
from trajview.app.render.verbatim import code_lines, text_lines
from trajview.textsafe import one_line

__all__ = ["inline", "markdown_lines", "prose_line"]

# A fence may stand in a list item, so it may be indented. Possessive repeats: a run of marks is tried once.
_FENCE = re.compile(r"^( {0,12})(`{3,}+(?!.*`)|~{3,}+(?!.*~))[ ]*([\w+#.-]*)(.*)$")
_HEADING = re.compile(r"^(#{1,6})\s+(.*)$")
_BULLET = re.compile(r"^(\s*)([-*+])\s+(\[[ xX]\]\s+)?(?=\S)")
_NUMBER = re.compile(r"^(\s*)(\d{1,4}[.)])\s+(?=\S)")
_QUOTE = re.compile(r"^(\s{0,3}(?:>\s?)+)")
_RULE = re.compile(r"^\s{0,3}([-*_])(?:\s*\1){2,}\s*$")
_TABLE_ROW = re.compile(r"^\s*\|.*\|\s*$")
_BAR = re.compile(r"(?<!\\)\|")
_TABLE_RULE = re.compile(r"^\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
# Stricter than CommonMark, for logs are full of `2**3`, `**kwargs` and `__init__`: marks open and close beside what is no
# ASCII word character, and `__` does not make a single identifier bold. Lengths are bounded, or unbalanced marks are
# quadratic.
_OPEN, _SHUT = r"(?<![*\\A-Za-z0-9_])", r"(?<=[^\s\\])"
_INLINE = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`++)(?P<in_code>[^`\n]+)(?P=ticks)(?!`))"
    rf"|(?P<both>{_OPEN}\*\*\*(?=[^\s*])(?P<in_both>[^*\n]{{1,1000}}?){_SHUT}\*\*\*(?![*A-Za-z0-9_]))"
    rf"|(?P<bold>{_OPEN}\*\*(?=[^\s*])(?P<in_bold>.{{1,1000}}?){_SHUT}\*\*(?![*A-Za-z0-9_])"
    rf"|(?<![\w\\])__(?=[^\s_])(?!\w++(?<=__))(?P<in_bold2>.{{1,1000}}?){_SHUT}__(?!\w))"
    rf"|(?P<em>{_OPEN}\*(?=[^\s*])(?P<in_em>[^*\n]{{1,1000}}?){_SHUT}\*(?![*A-Za-z0-9_]))"
    r"|(?P<strike>(?<!~)~~(?=[^\s~])(?P<in_strike>.{1,1000}?)(?<=\S)~~(?!~))"
    r"|(?P<link>!?\[(?P<label>[^\]\n]{1,300}+)\]\((?P<target>[^)\s]{1,2000}+)\))"
    r"|(?P<url>https?://[^\s<>()\[\]\"'`]+[^\s<>()\[\]\"'`.,;:!?])"
)
_LINE_MARK = re.compile(r"^\s*(?:#{1,6}\s+|(?:>\s?)+|[-*+]\s+(?:\[[ xX]\]\s+)?(?=\S))")
_LINK = re.compile(r"!?\[([^\]\n]{1,300}+)\]\([^)\s]{1,2000}+\)")
_STYLES = {
    "code": ["md.code"],
    "both": ["md.bold", "md.em"],
    "bold": ["md.bold"],
    "em": ["md.em"],
    "strike": ["md.strike"],
}
_BEGUN = re.compile(r"(?<!\S)(?:\*{1,3}|`{1,3}|__|~~)(?=[^\s*`~][^*`~]*$)")
"""A mark that opens something in a text that is cut before its end."""
_DATA = ("{", "[{", '["')
"""How a text begins that is JSON, not prose."""
_LONGEST_INLINE = 5_000
MOST_CELLS, LARGEST_TABLE = 20_000, 500_000
"""Cells, and characters with their padding: a larger table is shown as it stands."""


def inline(text: str) -> tuple[str, list[Span]]:
    """A line's text without its inline marks, and the spans that they stood for."""
    if len(text) > _LONGEST_INLINE:
        return text, []
    pieces: list[str] = []
    spans: list[Span] = []
    length = position = 0

    def add(piece: str, inner: Iterable[Span] = ()) -> None:
        nonlocal length
        pieces.append(piece)
        spans.extend((length + start, length + end, name) for start, end, name in inner)
        length += len(piece)

    for match in _INLINE.finditer(text):
        add(text[position : match.start()])
        add(*_unmarked(match))
        position = match.end()
    add(text[position:])
    return "".join(pieces), spans


def _unmarked(match: re.Match[str]) -> tuple[str, list[Span]]:
    """The text within marks, and its spans."""
    kind = str(match.lastgroup)
    if kind == "link":
        label, address = match["label"], f" ({match['target']})" if match["target"] != match["label"] else ""
        return label + address, [(0, len(label), "md.link"), (len(label), len(label + address), "md.url")]
    if kind == "url":
        return match[0], [(0, len(match[0]), "md.link")]
    text, spans = match[f"in_{kind}"] or match["in_bold2"], list[Span]()
    if kind in ("bold", "em", "strike") and any(mark in text for mark in "`*["):
        text, spans = inline(text)
    return text, [*((0, len(text), style) for style in _STYLES[kind]), *spans]


def prose_line(text: str, limit: int = 200) -> str:
    """The start of a text on one safe line of at most `limit` characters, without the marks of Markdown. Code stays as it is."""
    head = text[: 4 * limit]
    if head.lstrip().startswith(_DATA):
        return one_line(head, limit)
    words: list[str] = []
    in_fence = False
    for raw in head.splitlines():
        if _FENCE.match(raw):
            in_fence = not in_fence
        elif in_fence:
            words.append(raw)
        elif not _RULE.match(raw):
            words.append(inline(_LINK.sub(r"\1", _LINE_MARK.sub("", raw)))[0])
    line = " ".join(words)
    if len(head) < len(text) or text.endswith("…"):
        line = _BEGUN.sub("", line)
    return one_line(line, limit) or one_line(text, limit)


def markdown_lines(text: str) -> list[Line]:
    """The lines of a message's text. Fenced code keeps its fence's language; tables are aligned."""
    source = text_lines(text)
    lines: list[Line] = []
    index = 0
    while index < len(source):
        raw = source[index]
        if fence := _FENCE.match(raw):
            index = _fenced(source, index, fence, lines)
        elif _TABLE_ROW.match(raw) and index + 1 < len(source) and _TABLE_RULE.match(source[index + 1]):
            index = _table(source, index, lines)
        else:
            lines.append(_line(raw))
            index += 1
    return lines


def _line(raw: str) -> Line:
    if heading := _HEADING.match(raw):
        return _heading(len(heading[1]), heading[2].rstrip())
    if _RULE.match(raw):
        return Line("─" * 24, style="md.rule")
    start, indent, lead, style = _opening(raw)
    text, spans = inline(raw[start:])
    return Line(
        text, spans, style=style, indent=indent, hang=indent, lead=(lead, "md.bullet") if lead else None, words=True
    )


def _heading(level: int, title: str) -> Line:
    without_marks = title.rstrip("#")
    if not without_marks or without_marks[-1].isspace():  # they come after a space: `# About C#` has none
        title = without_marks.rstrip()
    text, spans = inline(title)
    return Line(text, spans, style="md.heading" if level < 3 else "md.subheading", words=True)


def _opening(raw: str) -> tuple[int, int, str, str]:
    """Where the text of a line begins, its indent, what stands in that, and the line's style."""
    if bullet := _BULLET.match(raw):
        box = bullet[3]
        sign = "•" if box is None else ("☑" if "x" in box.lower() else "☐")
        return bullet.end(), len(bullet[1]) + 2, bullet[1] + sign, ""
    if number := _NUMBER.match(raw):
        return number.end(), len(number[1] + number[2]) + 1, number[1] + number[2], ""
    if quote := _QUOTE.match(raw):
        return quote.end(), 2, "▏", "md.quote"
    indent = len(raw) - len(raw.lstrip(" "))
    return indent, indent, "", ""


def _fenced(source: list[str], index: int, fence: re.Match[str], lines: list[Line]) -> int:
    """Add a fenced block; returns the index after it. A fence that never closes runs to the end."""
    mark = fence[2]
    end = index + 1
    while end < len(source):
        stripped = source[end].strip()
        if stripped.startswith(mark) and not stripped.strip(mark[0]):
            break
        end += 1
    margin = len(fence[1])
    body = [line[margin:] if line[:margin].isspace() else line for line in source[index + 1 : end]]
    code = code_lines(body, fence[3])
    if fence[4].strip():  # more than a language: a file name, a title
        code.insert(0, Line((fence[3] + fence[4]).strip(), style="md.url", fill="code.block"))
    for line in code:
        line.indent, line.hang = line.indent + margin, line.hang + margin
    lines += code
    return end + 1


def _table(source: list[str], index: int, lines: list[Line]) -> int:
    """Add a table, aligned unless it is too large; returns the index after it."""
    end = index
    while end < len(source) and _TABLE_ROW.match(source[end]) and end - index < 2_000:
        end += 1
    rows = [[cell.strip() for cell in _BAR.split(line.strip()[1:-1])] for line in source[index:end]]
    aligned = _aligned_table(rows)
    lines += [Line(line) for line in source[index:end]] if aligned is None else aligned
    return end


def _aligned_table(rows: list[list[str]]) -> list[Line] | None:
    """The lines of a table whose second row rules off its head; None where it is too large."""
    columns = max(map(len, rows))
    ruler = rows.pop(1)
    if columns * len(rows) > MOST_CELLS:
        return None
    cells = [[inline(cell) for cell in [*row, *[""] * (columns - len(row))]] for row in rows]
    widths = [max(cell_len(text) for text, _ in column) for column in zip(*cells, strict=True)]
    if (sum(widths) + 3 * columns) * len(rows) > LARGEST_TABLE:
        return None
    right = {at for at, rule in enumerate(ruler) if rule.endswith(":") and not rule.startswith(":")}
    head, *body = (_table_row(row, widths, right) for row in cells)
    head.style = "md.bold"
    return [head, Line("─┼─".join("─" * width for width in widths), style="md.rule"), *body]


def _table_row(row: list[tuple[str, list[Span]]], widths: list[int], right: Collection[int]) -> Line:
    """A row of a table, with its cells as wide as their columns, some of which are aligned to the `right`."""
    text = ""
    spans: list[Span] = []
    for at, (content, inner) in enumerate(row):
        if at:
            spans.append((len(text) + 1, len(text) + 2, "md.rule"))
            text += " │ "
        pad = " " * (widths[at] - cell_len(content))
        if at in right:
            text += pad
        spans += [(len(text) + start, len(text) + end, style) for start, end, style in inner]
        text += content if at in right else content + pad
    return Line(text.rstrip(), spans)
