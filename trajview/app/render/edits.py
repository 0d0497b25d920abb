"""Calls that replace text, as a difference: what goes and what comes, line by line, the words that differ marked."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any, Final, NamedTuple

from trajview.app.render.lines import Line, Span
from trajview.app.render.syntax import highlight_lines
from trajview.app.render.verbatim import MOST_HANG, text_lines

__all__ = ["Edit", "edit_lines", "take_edits"]

_PAIRS: Final = (
    ("old_string", "new_string"), ("old_str", "new_str"), ("oldString", "newString"), ("oldText", "newText"),
    ("old_text", "new_text"), ("old_content", "new_content"), ("search", "replace"), ("find", "replace"), ("old", "new"),
)  # fmt: skip
"""What tools call the text that is replaced, and the one that takes its place."""

_LISTS: Final = ("edits", "replacements", "changes")
"""What tools call several such pairs in one call (Claude Code's MultiEdit, pi's edit)."""

_LONGEST: Final = 200_000
"""Characters of both texts: the lines of longer ones are not paired, all of the old text goes and all of the new one comes."""


_INDENT: Final = 6
"""Cells before the text: as far in as other arguments, and the sign."""


class Edit(NamedTuple):
    """A text that is replaced, and the one that takes its place."""

    old: str
    new: str


def take_edits(arguments: dict[str, Any]) -> list[Edit]:
    """The replacements that a call's arguments ask for, which are taken out of them; none where it asks for none."""
    edit = _take_pair(arguments)
    if edit is not None:
        return [edit]
    for key in _LISTS:
        value = arguments.get(key)
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            pairs = [_take_pair(dict(item)) for item in value]
            edits = [pair for pair in pairs if pair is not None]
            if len(edits) == len(pairs):
                del arguments[key]
                return edits
    for key, value in arguments.items():
        edits = _marked_blocks(value) if isinstance(value, str) else []
        if edits:
            del arguments[key]
            return edits
    return []


def _take_pair(arguments: dict[str, Any]) -> Edit | None:
    for old, new in _PAIRS:
        if isinstance(arguments.get(old), str) and isinstance(arguments.get(new), str):
            return Edit(arguments.pop(old), arguments.pop(new))
    return None


def _marked_blocks(text: str) -> list[Edit]:
    """The blocks between signs as of a merge's conflict (Cline's and Roo's `diff`); none where that is not all of a text."""
    if " SEARCH" not in text:
        return []
    edits: list[Edit] = []
    old: list[str] = []
    new: list[str] = []
    into: list[str] | None = None
    for line in text.split("\n"):
        if line.startswith(("<<<<", "----")) and line.endswith(" SEARCH"):
            old, new = [], []
            into = old
        elif into is old and line.startswith("====") and not line.strip("="):
            into = new
        elif into is new and line.startswith((">>>>", "++++")) and line.endswith(" REPLACE"):
            edits.append(Edit("\n".join(old), "\n".join(new)))
            into = None
        elif into is not None:
            into.append(line)
        elif line.strip():
            return []
    return edits if into is None else []


def edit_lines(edit: Edit, language: str) -> list[Line]:
    """The difference that an edit makes: equal lines once, the others with a sign; syntax in colours when it is shown."""
    from trajview.compare.alignment import Kind  # not before the first edit is shown
    from trajview.compare.text import pair_lines

    both_end = edit.old.endswith("\n") and edit.new.endswith("\n")
    old, new = (text_lines(text[:-1] if both_end else text) if text else [] for text in edit)
    if len(edit.old) + len(edit.new) > _LONGEST:
        before, after = [_line(text, "-") for text in old], [_line(text, "+") for text in new]
        return [*before, *after]
    lines: list[Line] = []
    kept: list[Line] = []
    gone: list[Line] = []
    for same, pairs in groupby(pair_lines(old, new), lambda pair: pair.kind is Kind.SAME):
        removed: list[Line] = []
        added: list[Line] = []
        for pair in pairs:
            if pair.left is not None and not same:
                removed.append(_line(old[pair.left], "-", pair.left_spans))
            if pair.right is not None:
                added.append(_line(new[pair.right], "" if same else "+", pair.right_spans))
        gone += removed
        kept += added
        lines += removed + added
    _colour_when_shown(lines, kept, gone, language)
    return lines


_FILLS: Final[Mapping[str, str]] = {"": "code.block", "-": "diff.gone", "+": "diff.come"}


def _line(text: str, sign: str, differing: tuple[tuple[int, int], ...] = ()) -> Line:
    """A line of a difference, the pieces that differ marked."""
    fill = _FILLS[sign]
    spans: list[Span] = [(start, end, f"{fill}.word") for start, end in differing]
    hang = _INDENT + min(len(text) - len(text.lstrip(" ")), MOST_HANG)
    lead = (sign.rjust(_INDENT - 1), f"{fill}.sign") if sign else None
    return Line(text, spans, fill=fill, lead=lead, words=True, wide=True, indent=_INDENT, hang=hang)


def _colour_when_shown(lines: list[Line], kept: list[Line], gone: list[Line], language: str) -> None:
    def finish() -> None:
        for line in lines:
            line.finish = None
        highlight_lines(kept, language)  # the old text is a text of its own: a quote that it opens ends in it
        highlight_lines(gone, language)

    if language:
        for line in lines:
            line.finish = finish
