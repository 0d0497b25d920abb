"""Which messages the elements of a list become, and how long each is, while all of them still are bytes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Raw, Struct
from msgspec.json import Decoder

from trajview.models.messages import Measured

from .parts import CALL_BLOCKS, RESULT_BLOCKS
from .roles import ROLES
from .sizes import length_of_calls, measured_in, measured_in_all, size_of_text
from .unread import ABSENT, Outline, Told, Usual, new_outline

__all__ = ["Block", "add_blocks", "add_to", "outline_of", "outline_of_texts"]

_TEXT_OR_NULL: Final = frozenset(b'"n')
_LIST: Final = ord("[")


class Block(Struct, gc=False):
    """What tells what a block of a content is, and how long it is."""

    type: str | None = None
    text: Raw = ABSENT
    content: Raw = ABSENT
    thinking: Raw = ABSENT


_decode_blocks: Final = Decoder(list[Block]).decode


def outline_of(heads: Iterable[Told], usual: list[Usual] | None = None) -> Outline | None:
    """The outline of a list of messages, `usual` where all are; None where one has to be decoded for that."""
    if usual is not None and (found := outline_of_texts(usual)) is not None:
        return found
    outline = new_outline()
    return outline if all(add_to(outline, element, head) for element, head in enumerate(heads)) else None


def outline_of_texts(messages: list[Usual]) -> Outline | None:
    """The same of messages that all say texts, sooner; None where one does not."""
    sizes = measured_in_all(messages)
    return None if sizes is None else Outline([ROLES[message.role] for message in messages], sizes)


def add_to(outline: Outline, element: int, head: Told) -> bool:
    """Add what an element becomes, as `roles.pieces_of` has it; False, and nothing, where it has to be decoded for that."""
    role = head.role
    if type(role) is not str or role not in ROLES:
        return False
    content = memoryview(head.content)
    if not content or content[0] in _TEXT_OR_NULL:
        outline.add(element, ROLES[role], measured_in(head), as_bytes=True)
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
        # A call among them may be one that cannot be parsed, which is an error that its bytes do not show.
        outline.add(element, role, (lines, length, calls + beside), as_bytes=role != "assistant")
        return True
    if role == "assistant" and tool_calls is not ABSENT:
        return False
    place, others = 0, []
    for block in blocks:
        if block.type not in RESULT_BLOCKS:
            others.append(block)
            continue
        if others:
            outline.add(element, role, _size_of(others), place, as_bytes=role != "assistant")
            place, others = place + 1, []
        outline.add(element, "tool", (*size_of_text(memoryview(block.content)), 0), place, as_bytes=True)
        place += 1
    if others:
        outline.add(element, role, _size_of(others), place, as_bytes=role != "assistant")
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
