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

__all__ = [
    "MOST_HANG",
    "SLACK",
    "ansi_lines",
    "code_lines",
    "json_lines",
    "json_text",
    "output_lines",
    "size_of",
    "text_lines",
]

ROWS_OF_A_PREVIEWED_LINE = 3
MOST_HANG = 24
SLACK = 4
"""A fold that would hide no more lines than this hides nothing."""


def size_of(count: int) -> str:
    """A number of bytes for people: `812 B`, `5.3 KB`, `1.2 MB`."""
    if count < 1000:
        return f"{count} B"
    value, unit = count / 1000, "KB"
    for larger in ("MB", "GB"):
        if value >= 999.95:
            value, unit = value / 1000, larger
    return f"{value:.1f} {unit}"


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
    lines = []
    for text in body:
        margin = len(text) - len(text.lstrip(" "))
        if words:
            lines.append(Line(text[margin:], fill=fill, words=True, indent=margin, hang=margin + 2))
        else:  # goes on below its own indent, as far as that leaves it room
            lines.append(Line(text, fill=fill, words=True, wide=True, hang=min(margin, MOST_HANG)))

    def finish() -> None:
        for line in lines:
            line.finish = None
        highlight_lines(lines, language)

    if language:
        for line in lines:
            line.finish = finish
    return lines


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
    widest = max(20, options.width - 6) * ROWS_OF_A_PREVIEWED_LINE
    if not options.show_tools:
        return _margin([_hidden(f"{total:,} line{'s' * (total != 1)}", text, "")])
    if fold is not Fold.OPEN and _is_worth_a_fold(text, total, options.preview_lines + SLACK, widest):
        return _margin(_preview(text, total, options.preview_lines, widest))
    if (spread := pretty_json(text)) is not None:
        return _margin(code_lines(text_lines(spread), "json", fill=""))
    return _margin(_verbatim(text, total))


def _is_worth_a_fold(text: str, total: int, few: int, widest: int) -> bool:
    """Whether a fold hides enough: of no more than a few lines, only long ones are worth it."""
    if total > few:
        return True
    return len(text) > 2 * widest and any(cut_line(line, widest) != line for line in text.split("\n"))


def _preview(text: str, total: int, count: int, widest: int) -> list[Line]:
    """The first lines of tool output, long ones cut, and what that hides."""
    head = text.split("\n", count)[:count]
    shown = [cut_line(line, widest) for line in head]
    lines = _verbatim("\n".join(shown), len(head)) if head else []
    for line, start, whole in zip(lines, shown, head, strict=True):
        if start != whole:
            line.text += "…"
    left = total - len(head)
    if left:
        what = f"{left:,} {'more ' * bool(head)}line{'s' * (left != 1)}"
    else:
        what = "the rest of the line" if total == 1 else "the rest of long lines"
    # The newline between what is shown and what is not is not hidden.
    return [*lines, _hidden(what, text, "\n".join(shown) + "\n" * bool(head and left))]


def _hidden(what: str, text: str, shown: str) -> Line:
    """What a fold hides, and how many bytes that is of a text of which so much is shown."""
    size = _bytes(text) - _bytes(shown)
    return Line(f"… {what}, {size_of(size)}", style="fold", action="fold", ours=True)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


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
