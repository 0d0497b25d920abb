"""The pattern that RE2 has to be given so that it goes from match to match in a text that is still JSON, codes for colours and all.

What JSON writes for a character stands in the pattern in its place, and before each there may be codes. What is before a
match is gone through sign by sign, so that none begins in the middle of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from .chars import Ranges, joined, shared
from .translate import understood
from .tree import Alt, CannotSay, Chars, Node, Repeat, Seq, spelled

__all__ = ["LONGEST_CODE", "InKinds", "in_json", "in_kinds"]

_SIGNS: Final = {8: "b", 9: "t", 10: "n", 12: "f", 13: "r", 34: '"', 47: "/", 92: "\\"}
"""What JSON may write behind a backslash for a character."""
_AS_THEY_ARE: Final[Ranges] = ((0x20, 0x21), (0x23, 0x5B), (0x5D, 0x7F))
_AND_BEYOND: Final[Ranges] = ((0x20, 0x21), (0x23, 0x5B), (0x5D, 0xD7FF), (0xE000, 0x10FFFF))
"""What stands for itself, in ASCII and in any text."""
_OWN: Final = frozenset(map(ord, _SIGNS.values()))
"""What may be the second half of an escape: each is a kind of its own."""
_LONGEST_HEAD: Final = 8
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


@dataclass(frozen=True, slots=True)
class InKinds:
    """A pattern for the JSON of ASCII texts without characters by number, in which each byte is exchanged for one that stands for its kind.

    `kinds`: what stands for each byte, 0 for those that are not in such JSON. `source`: what matches there, with its opening quote or without, where the pattern does in the text.
    """

    kinds: bytes
    source: bytes


def in_kinds(pattern: re.Pattern[str]) -> InKinds | None:
    """A pattern that begins with bytes, for which RE2 looks in half the time, where this one begins with characters of some kinds.

    None where it begins otherwise, or what it matches is not certain.
    """
    node = understood(pattern)
    if node is None or _size(node) > _MOST:
        return None
    sets = list(dict.fromkeys(_sets(node)))
    kinds, known = bytearray(256), dict[object, int]()
    for first, last in _AS_THEY_ARE:
        for byte in range(first, last + 1):
            kind = byte if byte in _OWN else tuple(bool(shared(ranges, ((byte, byte),))) for ranges in sets)
            kinds[byte] = known.setdefault(kind, byte)
    for byte in _OWN:
        kinds[byte] = byte
    alphabet = joined((byte, byte) for byte in known.values())
    head, rest = _headed(node, alphabet)
    if not head:
        return None
    try:
        source = spelled(Seq(tuple(head))) + _Spelling(alphabet, False, "").of(rest)
    except (CannotSay, RecursionError):
        return None
    return InKinds(bytes(kinds), source.encode())


def _sets(node: Node) -> Iterator[Ranges]:
    """All sets of characters in a pattern."""
    match node:
        case Chars(ranges):
            yield ranges
        case Seq(items) | Alt(items):
            for item in items:
                yield from _sets(item)
        case Repeat(item):
            yield from _sets(item)


def _headed(node: Node, alphabet: Ranges) -> tuple[list[Chars], Node]:
    """The characters with which every match begins, if each is of a single kind and never half of an escape; and what follows them."""
    waiting: list[Node] = list(node.items) if isinstance(node, Seq) else [node]
    head: list[Chars] = []
    while waiting and len(head) < _LONGEST_HEAD:
        match waiting[0]:
            case Chars(ranges):
                rest: list[Node] = []
            case Repeat(Chars(ranges) as item, least, most, lazy) if least:
                most = None if most is None else most - 1
                rest = [] if most == 0 else [Repeat(item, least - 1, most, lazy)]
            case _:
                break
        found = shared(ranges, alphabet)
        single = len(found) == 1 and found[0][0] == found[0][1] and found[0][0] not in _OWN
        if not single or any(shared(ranges, ((number, number),)) for number in _SIGNS):
            break
        head.append(Chars(found))
        waiting[:1] = rest
    return head, Seq(tuple(waiting))


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
