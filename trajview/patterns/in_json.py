"""The pattern that RE2 has to be given so that it goes from match to match in a text that is still JSON, codes for colours and all.

What JSON writes for a character stands in the pattern in its place, and before each there may be codes. What is before a
match is gone through sign by sign, so that none begins in the middle of one.
"""

from __future__ import annotations

import re
from typing import Final

from .chars import Ranges, joined, shared
from .translate import understood
from .tree import Alt, CannotSay, Chars, Node, Repeat, Seq, spelled

__all__ = ["LONGEST_CODE", "in_json"]

_SIGNS: Final = {8: "b", 9: "t", 10: "n", 12: "f", 13: "r", 34: '"', 47: "/", 92: "\\"}
"""What JSON may write behind a backslash for a character."""
_AS_THEY_ARE: Final[Ranges] = ((0x20, 0x21), (0x23, 0x5B), (0x5D, 0x7F))
_AND_BEYOND: Final[Ranges] = ((0x20, 0x21), (0x23, 0x5B), (0x5D, 0xD7FF), (0xE000, 0x10FFFF))
"""What stands for itself, in ASCII and in any text."""
_CODE: Final = r"\\u001b(?:\[(?:[0-9;:]*m|[0-9;?]{0,20}[KJGH]|\?25[hl])|\(B)"
LONGEST_CODE: Final = 200
"""A code as `textsafe.without_colours` takes them out, if there are no more digits, `;` and `:` in a row than these."""
_MOST: Final = 400
_MOST_WITH_CODES: Final = 48
"""Characters that a pattern may ask for, for which RE2 surely has room; with codes, each of which it counts as twenty repetitions."""


def in_json(pattern: re.Pattern[str], *, beyond: bool = False, coloured: bool = False) -> bytes | None:
    """A pattern that matches, from where the search begins on, to the end of the next match of this one, or else to the end of the text.

    It does so from behind the opening quote in the JSON of an ASCII text (`beyond`: of any, in UTF-8), or from the end of
    a match on, if that JSON spells no character by number. `coloured`: but those with which codes for colours begin, and
    these count for nothing. In other bytes it may match nothing at all.
    None where that is not certain; of what says something about places it never is.
    """
    node = understood(pattern, beyond)
    most = _MOST_WITH_CODES if coloured else _MOST
    if node is None or _size(node) > most:
        return None
    alphabet = _AND_BEYOND if beyond else _AS_THEY_ARE
    try:
        wanted = _Spelling(alphabet, beyond, f"(?:{_CODE})*" if coloured else "").of(node)
    except (CannotSay, RecursionError):
        return None
    signs = spelled(Chars(joined((ord(sign), ord(sign)) for sign in _SIGNS.values())))
    others = [*([_CODE] if coloured else []), rf"\\{signs}", spelled(Chars(alphabet), beyond)]
    return rf'(?:{"|".join(others)})*?(?:{wanted}|"\z)'.encode()


def _size(node: Node) -> int:
    """How many characters it asks for."""
    match node:
        case Seq(items) | Alt(items):
            return sum(map(_size, items))
        case Repeat(item, least, most):
            return _size(item) * (least + 1 if most is None else most)
    return 1


class _Spelling:
    """Spells patterns in RE2's syntax as they are in JSON. `before`: what may be before each character."""

    def __init__(self, alphabet: Ranges, beyond: bool, before: str) -> None:
        self._alphabet, self._beyond, self._before = alphabet, beyond, before

    def of(self, node: Node) -> str:
        """The pattern. Raises CannotSay where it says something about places."""
        match node:
            case Chars(ranges):
                return f"(?:{self._before}{self._char(ranges)})"
            case Seq(items):
                return "".join(map(self.of, items))
            case Alt(branches):
                return f"(?:{'|'.join(map(self.of, branches))})"
            case Repeat(item, least, most, lazy):
                return f"{self._grouped(item)}{{{least},{'' if most is None else most}}}{'?' if lazy else ''}"
        raise CannotSay

    def _grouped(self, node: Node) -> str:
        return self.of(node) if isinstance(node, Chars | Alt) else f"(?:{self.of(node)})"

    def _char(self, ranges: Ranges) -> str:
        signs = joined((ord(sign),) * 2 for number, sign in _SIGNS.items() if shared(ranges, ((number, number),)))
        plain = spelled(Chars(shared(ranges, self._alphabet)), self._beyond)
        return rf"(?:{plain}|\\{spelled(Chars(signs))})" if signs else plain
