"""Which messages the elements of a list become, and how long each is, while all of them still are bytes."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Raw, Struct
from msgspec.json import Decoder

from trajview.models.messages import Measured

from .logged import ABSENT, Elements, Head
from .parts import CALL_BLOCKS, RESULT_BLOCKS
from .roles import ROLES, pieces_of
from .sizes import length_of_calls, measured_in, size_of_text

__all__ = ["WHOLE", "Block", "Outline", "add_blocks", "add_to", "new_outline", "outline_of"]

_TEXT_OR_NULL: Final = frozenset(b'"n')
_LIST: Final = ord("[")


class Block(Struct, gc=False):
    """What tells what a block of a content is, and how long it is."""

    type: str | None = None
    text: Raw = ABSENT
    content: Raw = ABSENT
    thinking: Raw = ABSENT


_decode_blocks: Final = Decoder(list[Block]).decode


WHOLE: Final = -1
"""The place of a message that is all of its element."""


class Outline(Struct):
    """Which messages the elements of a list become, known without decoding them."""

    roles: list[str]
    """The role of each message."""
    sizes: list[Measured | None]
    """How long each is, None where that is not known."""
    elements: list[int]
    """The element that each message is made of."""
    places: dict[int, int] = {}
    """Which piece of its element a message is, of those that are not all of it."""

    def add(self, element: int, role: str, size: Measured | None, place: int = WHOLE) -> None:
        """Add a message."""
        if place != WHOLE:
            self.places[len(self.roles)] = place
        self.roles.append(role)
        self.sizes.append(size)
        self.elements.append(element)

    def extend(self, other: Outline, elements: int) -> None:
        """Add the messages of elements that stand behind so many."""
        before = len(self.roles)
        self.places.update((before + index, place) for index, place in other.places.items())
        self.roles += other.roles
        self.sizes = [*self.sizes, *other.sizes]
        self.elements += (elements + element for element in other.elements)


def new_outline() -> Outline:
    """An outline of nothing yet, to be added to."""
    return Outline([], [], [])


def outline_of(items: Elements) -> Outline:
    """Which messages some logged ones become; it is kept with them."""
    return items.once(lambda: _outline_of(items))


def _outline_of(items: Elements) -> Outline:
    outline = new_outline()
    for element, head in enumerate(items.heads()):
        if head is None or not add_to(outline, element, head):
            for place, piece in enumerate(found := pieces_of(items[element])):
                is_whole = len(found) == 1 and piece.result is None
                outline.add(element, piece.role, None, WHOLE if is_whole else place)
    return outline


def add_to(outline: Outline, element: int, head: Head) -> bool:
    """Add what an element becomes, as `roles.pieces_of` has it; False, and nothing, where it has to be decoded for that."""
    role = head.role
    if role is None:  # as of an item that is no message
        return False
    content = memoryview(head.content)
    if not content or content[0] in _TEXT_OR_NULL:
        outline.roles.append(ROLES[role])
        outline.sizes.append(measured_in(head))
        outline.elements.append(element)
        return True
    if content[0] != _LIST:
        return False
    try:
        blocks = _decode_blocks(content)
    except (ValueError, RecursionError):  # one is no object, or says of what type it is in no text
        return False
    return add_blocks(outline, element, ROLES[role], blocks, head.tool_calls)


def add_blocks(outline: Outline, element: int, role: str, blocks: list[Block], tool_calls: Any) -> bool:
    """The same of an element whose content is blocks: a result of a tool is a message, and so is what stands between two of them."""
    beside = length_of_calls(tool_calls)
    if RESULT_BLOCKS.isdisjoint([block.type for block in blocks]):
        lines, length, calls = _size_of(blocks)
        outline.add(element, role, (lines, length, calls + beside))
        return True
    if role == "assistant" and tool_calls is not ABSENT:
        return False
    place, others = 0, []
    for block in blocks:
        if block.type not in RESULT_BLOCKS:
            others.append(block)
            continue
        if others:
            outline.add(element, role, _size_of(others), place)
            place, others = place + 1, []
        outline.add(element, "tool", (*size_of_text(memoryview(block.content)), 0), place)
        place += 1
    if others:
        outline.add(element, role, _size_of(others), place)
    return True


def _size_of(blocks: list[Block]) -> Measured:
    lines = length = calls = 0
    for block in blocks:
        if block.type in CALL_BLOCKS:
            calls += 2
            continue
        for said in (block.text, block.thinking):
            if said is not ABSENT:
                more, longer = size_of_text(memoryview(said))
                lines += more
                length += longer
    return lines, length, calls
