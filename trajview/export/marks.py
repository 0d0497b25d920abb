"""Marks around the matches of rules on a page: control characters at first, turned into `<mark>` at the end."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from trajview.highlight import Rule
from trajview.models.messages import ChatMessage
from trajview.rules.rule import COLOURS
from trajview.textsafe import without_colours

from .shown import visible

__all__ = ["Marker", "colour_class", "excerpt", "marker", "tagged", "without_signs"]

Marker = Callable[[str], str]
"""Puts signs around what matches in a text that is `visible`, in which there can be none before."""

_OPEN, _CLOSE = "\x02", "\x03"
"""Control characters, of which `visible` leaves none. After the first follows a letter for the colour."""
_SIGN: Final = re.compile("\x02[a-z]|\x03")
_TOKEN: Final = re.compile("(<[^>]*>|\x02[a-z]|\x03)")
_CLASSES: Final = {chr(ord("a") + at): colour for at, colour in enumerate(("", *COLOURS))}
_LETTERS: Final = {colour: letter for letter, colour in _CLASSES.items()}
_MOST: Final = 1_000
"""Marks of a rule in one text: a pattern may match every letter."""
_BEFORE, _AFTER = 16, 60
"""Characters of an excerpt before the beginning of a match, and from there on."""


def marker(rules: Sequence[Rule], field: str, tool: str = "") -> Marker | None:
    """A function that marks the matches of the rules for a field (of a tool, if one is called or answers), or None."""
    looking = [rule for rule in rules if rule.looks_at(field, tool)]
    if not looking:
        return None

    def mark(text: str) -> str:
        found = sorted((span, _LETTERS.get(rule.colour, "a")) for rule in looking for span in rule.spans(text, _MOST))
        pieces: list[str] = []
        at = 0
        for (start, end), letter in found:
            start = max(start, at)
            if start >= end:
                continue
            pieces.append(text[at:start])
            # Lines are taken apart later, and some are left out: each has its own signs.
            lines = text[start:end].split("\n")
            pieces.append("\n".join(f"{_OPEN}{letter}{line}{_CLOSE}" if line else "" for line in lines))
            at = end
        return "".join([*pieces, text[at:]])

    return mark


def without_signs(text: str) -> str:
    """A text without its marks."""
    return _SIGN.sub("", text) if _OPEN in text else text


def tagged(html: str) -> str:
    """Turn the signs in HTML into `<mark>`. A mark ends before each tag and begins again behind it."""
    if _OPEN not in html:
        return html
    pieces: list[str] = []
    letter = ""
    for token in _TOKEN.split(html):
        if token.startswith(_OPEN):
            letter = token[1]
        elif token == _CLOSE:
            letter = ""
        elif letter and token and not token.startswith("<"):
            pieces.append(f'<mark class="{colour_class(_CLASSES[letter])}">{token}</mark>')
        else:
            pieces.append(token)
    return "".join(pieces)


def colour_class(colour: str) -> str:
    """The class of a rule's colour, or the common class where it has none."""
    return f"c-{colour}" if colour in COLOURS else "c-rule"


def excerpt(message: ChatMessage, rule: Rule) -> tuple[str, str, str] | None:
    """The first match of a rule in a message that it matches, with a few words of its line before and after."""
    for text in rule.texts(message):
        text = visible(without_colours(text))
        for start, end in rule.spans(text, 1):
            line = text.rfind("\n", 0, start) + 1
            line_end = text.find("\n", start)
            line_end = len(text) if line_end < 0 else line_end
            first, last = max(line, start - _BEFORE), min(line_end, start + _AFTER)
            before = text[first:start].lstrip() if first == line else "…" + text[first:start]
            end = min(end, last)
            return before, text[start:end], text[end:last].rstrip() + "…" * (last < line_end)
    return None
