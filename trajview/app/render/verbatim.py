"""Text that is shown as it was written: code, JSON and tool output, folded to its first lines with what that hides."""

from __future__ import annotations

import json
from collections.abc import Sequence

from trajview.app.render.ansi import AnsiState, cut_line, decode_line, has_ansi
from trajview.app.render.lines import Line, expand_output_tabs, expand_tabs
from trajview.app.render.options import Fold, ViewOptions
from trajview.app.render.syntax import highlight_lines, language_of, pretty_json
from trajview.models.said import is_deep
from trajview.textsafe import safe_text

__all__ = ["SLACK", "ansi_lines", "code_lines", "json_lines", "json_text", "output_lines", "size_of", "text_lines"]

ROWS_OF_A_PREVIEWED_LINE = 3
MOST_HANG = 24
SLACK = 4
"""A fold that would hide no more lines than this hides nothing."""


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


def text_lines(text: str) -> list[str]:
    """The lines of a text as they may reach a terminal, tabs as spaces."""
    return expand_tabs(safe_text(text)).split("\n")


def json_lines(value: object) -> list[str]:
    """A value as JSON over several lines."""
    return text_lines(json_text(value, indent=2))


def json_text(value: object, indent: int | None = None) -> str:
    """JSON, or a word in its place where the value is nested too deeply (or a number too long) to be written."""
    try:
        if not is_deep(value):
            return json.dumps(value, indent=indent, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        pass
    return f"({type(value).__name__}, nested too deeply to show)"


def code_lines(body: Sequence[str], language: str, *, fill: str = "code.block", words: bool = False) -> list[Line]:
    """Lines of code, coloured by language when the first of them is shown. The texts must be safe already.

    `words` breaks them as prose, and below their own indent; otherwise words are kept whole as far as that costs no room.
    """
    lines = [Line(text, fill=fill, words=True, wide=not words, hang=_hang(text)) for text in body]
    if words:
        for line in lines:
            margin = len(line.text) - len(line.text.lstrip(" "))
            line.text, line.indent, line.hang = line.text[margin:], margin, margin + 2
    if language and lines:

        def finish() -> None:
            for line in lines:
                line.finish = None
            highlight_lines(lines, language)

        for line in lines:
            line.finish = finish
    return lines


def _hang(text: str) -> int:
    """Where the rows of a line of code go on: below its own indent, as far as that leaves them room."""
    return min(len(text) - len(text.lstrip(" ")), MOST_HANG)


def ansi_lines(text: str) -> list[Line]:
    """Lines of terminal output, in the colours that it asks for."""
    state = AnsiState()
    lines = []
    for raw in text.replace("\r\n", "\n").split("\n"):
        shown, spans = decode_line(raw, state)
        lines.append(Line(shown, spans, words=True, wide=True))
    return lines


def output_lines(text: str, fold: Fold, options: ViewOptions) -> list[Line]:
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
        folded = len(text) > 2 * widest and any(cut_line(line, widest) != line for line in _first_lines(text, total))
    if not folded:
        if (spread := pretty_json(text)) is not None:
            return _margin(code_lines(text_lines(spread), "json", fill=""))
        return _margin(_verbatim(text, total))
    shown = [cut_line(line, widest) for line in head]
    lines = _verbatim("\n".join(shown), len(head)) if keep else []
    for line, start, whole in zip(lines, shown, head, strict=False):
        if start != whole:
            line.text += "…"
    # The bytes that are not there: without the newline between what is shown and what is not.
    bytes_shown = _bytes("\n".join(shown)) + (total > len(head)) if keep else 0
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
        return ansi_lines(text)
    language = language_of(text) if total < 5_000 else ""
    return code_lines(expand_output_tabs(safe_text(text)).split("\n"), language, fill="")


def _margin(lines: list[Line]) -> list[Line]:
    for line in lines:
        line.indent += 2
        line.hang += 2
        if not line.style:
            line.style = "output"
    return lines
