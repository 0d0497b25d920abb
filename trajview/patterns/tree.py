"""What a regular expression is made of: so few parts that two engines agree.

`re` and RE2 both take the leftmost match, and of those the one whose choices come first: of alternatives the first, of
repetitions the most, or the fewest where they are lazy. What is here means the same to both. Where an assertion says
that no letter, digit or `_` is on that side, it is pushed into the character beside it, so that `\\b` says the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .chars import EVERY, WORD, Ranges, inverse, joined, shared

__all__ = [
    "EDGE", "END", "LINE_END", "LINE_START", "MOST", "NO_EDGE", "START",
    "Alt", "CannotSay", "Chars", "Look", "Node", "Repeat", "Seq", "Side", "can_be_empty", "in_row", "spelled",
]  # fmt: skip

MOST: Final = 1000
"""RE2 counts no further."""
_STEPS: Final = 2_000
_FOLDED: Final = (((75, 75), (107, 107)), ((83, 83), (115, 115)))
"""RE2 makes a K in any case of these, beside which `|x` then brings in the Kelvin sign; and of the others the long s."""
_NO_WORD: Final = inverse(WORD)


class CannotSay(Exception):
    """It is not certain that both engines would find the same."""


@dataclass(frozen=True, slots=True)
class Chars:
    """One of some characters."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Look:
    """What is true of a place between characters, as RE2 spells it."""

    source: str


START: Final = Look(r"\A")
END: Final = Look(r"\z")
LINE_START: Final = Look("(?m:^)")
LINE_END: Final = Look("(?m:$)")
EDGE: Final = Look(r"\b")
NO_EDGE: Final = Look(r"\B")


@dataclass(frozen=True, slots=True)
class Side:
    """The character before or after this place is, or is not, an ASCII one of a word. No word goes on at either end."""

    before: bool
    word: bool


@dataclass(frozen=True, slots=True)
class Seq:
    """One after the other."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alt:
    """One of several; the first that fits is preferred."""

    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The same again and again; `most` is None where there is no end to it."""

    item: Node
    least: int
    most: int | None
    lazy: bool


Node = Chars | Look | Side | Seq | Alt | Repeat


def can_be_empty(node: Node) -> bool:
    """Whether it may match where it takes no character."""
    match node:
        case Chars():
            return False
        case Seq(items):
            return all(map(can_be_empty, items))
        case Alt(branches):
            return any(map(can_be_empty, branches))
        case Repeat(item, least):
            return least == 0 or can_be_empty(item)
    return True


def in_row(items: list[Node]) -> Node:
    """One after the other, with what is said of the sides of places pushed into the characters there. Raises CannotSay."""
    flat = _flat(items)
    while any(isinstance(item, Side) and not item.before for item in flat):
        at = next(at for at, item in enumerate(flat) if isinstance(item, Side) and not item.before)
        side = flat[at]
        assert isinstance(side, Side)
        flat = _flat([_followed(_row(flat[:at]), side.word, EVERY), *flat[at + 1 :]])
    while any(isinstance(item, Side) for item in flat):
        at = max(at for at, item in enumerate(flat) if isinstance(item, Side))
        side = flat[at]
        assert isinstance(side, Side)
        flat = _flat([*flat[:at], _Pushing(side.word).led(_row(flat[at + 1 :]))])
    return _row(flat)


def _flat(items: list[Node]) -> list[Node]:
    found: list[Node] = []
    for item in items:
        found += _flat(list(item.items)) if isinstance(item, Seq) else [item]
    return found


def _row(items: list[Node]) -> Node:
    return items[0] if len(items) == 1 else Seq(tuple(items))


def _fewer(item: Node, least: int, most: int | None, lazy: bool) -> Node:
    """The same again and again, once less."""
    return Seq(()) if most == 1 else Repeat(item, max(0, least - 1), None if most is None else most - 1, lazy)


def _beside(ranges: Ranges, word: bool) -> Look | None:
    """What says that on the other side of a place is one of a word, or not, where one of these is on this side."""
    if not shared(ranges, _NO_WORD):
        return NO_EDGE if word else EDGE
    if not shared(ranges, WORD):
        return EDGE if word else NO_EDGE
    return None


class _Pushing:
    """Pushes what is said of the character before a pattern into the first character of the pattern."""

    def __init__(self, word: bool) -> None:
        self._word = word
        self._steps = 0

    def led(self, node: Node) -> Node:
        """The pattern where one of a word is before it, or not. Raises CannotSay."""
        self._steps += 1
        if self._steps > _STEPS:
            raise CannotSay
        match node:
            case Chars(ranges):
                parts: list[Node] = []
                for part in (shared(ranges, WORD), shared(ranges, _NO_WORD)):
                    if part:
                        look = _beside(part, self._word)
                        assert look is not None
                        parts.append(Seq((look, Chars(part))))
                return parts[0] if len(parts) == 1 else Alt(tuple(parts)) if parts else node
            case Alt(branches):
                return Alt(tuple(map(self.led, branches)))
            case Repeat(item, least, most, lazy) if least:
                return _row(_flat([self.led(item), _fewer(item, least, most, lazy)]))
            case Seq(items):
                return self._led_row(_flat(list(items)))
        raise CannotSay  # there may be no character

    def _led_row(self, items: list[Node]) -> Node:
        at = next((at for at, item in enumerate(items) if not isinstance(item, Look | Side)), None)
        if at is None:
            raise CannotSay
        looks, item, rest = items[:at], items[at], items[at + 1 :]
        if not can_be_empty(item):
            return _row(_flat([*looks, self.led(item), *rest]))
        if isinstance(item, Alt):
            return Alt(tuple(self.led(_row(_flat([*looks, branch, *rest]))) for branch in item.branches))
        assert isinstance(item, Repeat)
        some = Repeat(item.item, 1, item.most, item.lazy)
        ways = [_row(_flat([*looks, self.led(some), *rest])), self.led(_row([*looks, *rest]))]
        return Alt(tuple(reversed(ways) if item.lazy else ways))


def _last(node: Node, before: Ranges) -> Ranges:
    """The characters that may be the last one before its end; `before`: those before it."""
    match node:
        case Chars(ranges):
            return ranges
        case Seq(items):
            for item in items:
                before = _last(item, before)
        case Alt(branches):
            return joined(one for branch in branches for one in _last(branch, before))
        case Repeat(item, least):
            return _last(item, before) if least else joined([*_last(item, before), *before])
    return before


def _followed(node: Node, word: bool, before: Ranges) -> Node:
    """The pattern where one of a word is after it, or not; `before`: what may be before it. Raises CannotSay."""
    look = _beside(_last(node, before), word)
    if look is not None:
        return _row(_flat([node, look]))
    match node:
        case Chars(ranges):
            parts = shared(ranges, WORD), shared(ranges, _NO_WORD)
            return Alt(tuple(_followed(Chars(part), word, before) for part in parts))
        case Alt(branches):
            return Alt(tuple(_followed(branch, word, before) for branch in branches))
        case Seq(items) if items:
            at = max((at for at, item in enumerate(items) if not isinstance(item, Look | Side)), default=0)
            begun = _last(Seq(items[:at]), before)
            return _row(_flat([*items[:at], _followed(items[at], word, begun), *items[at + 1 :]]))
        case Repeat(Chars() as item, least, most, lazy):
            # Of a character there is no choice, so the last one may stand apart. Of anything else that changes the order.
            some = _row(_flat([_fewer(item, least, most, lazy), _followed(item, word, before)]))
            if least:
                return some
            none = _followed(Seq(()), word, before)
            return Alt((none, some) if lazy else (some, none))
    raise CannotSay


def spelled(node: Node, beyond: bool = False) -> str:
    """A pattern in RE2's syntax, for ASCII texts or for those beyond."""
    match node:
        case Chars(ranges):
            return _spelled_chars(ranges, beyond)
        case Look(source):
            return source
        case Seq(items):
            return "".join(
                f"(?:{spelled(item, beyond)})" if isinstance(item, Alt) else spelled(item, beyond) for item in items
            )
        case Alt(branches):
            return "|".join(f"(?:{spelled(branch, beyond)})" for branch in branches)
        case Repeat(item, least, most, lazy):
            inner = spelled(item, beyond) if isinstance(item, Chars) else f"(?:{spelled(item, beyond)})"
            times = "*" if (least, most) == (0, None) else f"{{{least},{'' if most is None else most}}}"
            return f"{inner}{times}{'?' if lazy else ''}"
    raise CannotSay


def _spelled_chars(ranges: Ranges, beyond: bool) -> str:
    if not ranges:
        return r"(?:\b\B)"  # never
    if beyond and ranges in _FOLDED:
        ranges = (*ranges, (0xD800, 0xD800))  # which is in no text
    parts = [_char(first) if first == last else f"{_char(first)}-{_char(last)}" for first, last in ranges]
    return parts[0] if len(ranges) == 1 and "-" not in parts[0] else f"[{''.join(parts)}]"


def _char(number: int) -> str:
    return rf"\x{number:02x}" if number < 128 else rf"\x{{{number:x}}}"
