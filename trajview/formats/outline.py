"""The outline of a list of messages: their roles and lengths, while all of them still are bytes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Raw, Struct
from msgspec.json import Decoder

from trajview.models.messages import Measured

from .logged import ABSENT, Decode, Elements, Head
from .parts import CALL_BLOCKS, RESULT_BLOCKS
from .roles import ROLES, Span, spans_in, spans_of

__all__ = ["Outline", "outline_of", "size_in", "size_of_texts"]

_TEXT_OR_PARTS: Final = frozenset(b'"[')
_LIST: Final = ord("[")
_LOOKED_AT: Final = 256
"""Bytes of an undecoded text whose lines are counted; the rest is assumed to have as many."""


class _Block(Struct, gc=False):
    """The fields that tell the kind and the length of a block."""

    type: str | None = None
    text: Raw = ABSENT
    content: Raw = ABSENT
    thinking: Raw = ABSENT


_decode_blocks: Final = Decoder(list[_Block]).decode


class Outline(Struct):
    """The messages that the elements of a list become, known without decoding them."""

    roles: list[str] = []
    """The role of each message."""
    elements: list[int] = []
    """The element of each message."""
    places: dict[int, int] = {}
    """The number of the piece of its element that a message is, where it is not the first."""
    sizes: dict[int, Measured] = {}
    """The approximate lengths of messages of blocks, which are looked at only once."""


def outline_of(items: Elements) -> Outline:
    """The outline of logged messages; it is kept with them."""
    return items.once(lambda: _outline_of(items))


def _outline_of(items: Elements) -> Outline:
    outline = Outline()
    for element, head in enumerate(items.heads()):
        if head is not None and not _has_list(head):
            outline.roles.append(ROLES[head.role])
            outline.elements.append(element)
            continue
        first = len(outline.roles)
        blocks = None if head is None else _blocks_of(head)
        if head is None or blocks is None:
            role, spans = spans_in(items[element])
        else:
            role, spans = ROLES[head.role], _spans_of(head, blocks, items.decode)
            calls = _lines_of_calls(head)
            pieces = [blocks[begin:end] for _, begin, end in spans] if len(spans) > 1 else [blocks]
            outline.sizes.update((at, _size_of(piece, calls)) for at, piece in enumerate(pieces, first))
        roles = [speaker for speaker, _, _ in spans] or [role]
        outline.places.update((first + place, place) for place in range(1, len(roles)))
        outline.roles += roles
        outline.elements += (element,) * len(roles)
    return outline


def _has_list(head: Head) -> bool:
    content = memoryview(head.content)
    return bool(content) and content[0] == _LIST


def _blocks_of(head: Head) -> list[_Block] | None:
    """The blocks of a content; None where they have to be decoded."""
    try:
        return _decode_blocks(head.content)
    except (ValueError, RecursionError):  # one is no object, or says of what type it is in no text
        return None


def _spans_of(head: Head, blocks: list[_Block], decode: Decode) -> list[Span]:
    results = [block.type in RESULT_BLOCKS for block in blocks]
    calls = any(results) and head.tool_calls is not ABSENT and decode(memoryview(head.tool_calls))
    return spans_of(ROLES[head.role], results, bool(calls))


def size_in(head: Head) -> Measured:
    """The approximate length of a message that is all of an element."""
    calls = _lines_of_calls(head)
    if not _has_list(head) or (blocks := _blocks_of(head)) is None:
        return *size_of_texts((head.content,)), calls
    return _size_of(blocks, calls)


def _lines_of_calls(head: Head) -> int:
    """The approximate number of lines of the calls beside a content."""
    return 0 if head.tool_calls is ABSENT else 2 * bytes(head.tool_calls).count(b'"arguments"')


def _size_of(blocks: list[_Block], calls: int) -> Measured:
    texts = []
    for block in blocks:
        calls += 2 * (block.type in CALL_BLOCKS)
        texts += [text for text in (block.text, block.thinking, block.content) if text is not ABSENT]
    return *size_of_texts(texts), calls


def size_of_texts(texts: Iterable[Raw]) -> tuple[int, int]:
    """The approximate lines and characters of texts or parts that are not decoded; an absent one has none."""
    lines = length = 0
    for text in texts:
        data = memoryview(text)
        if (long := len(data) - 2) > 0 and data[0] in _TEXT_OR_PARTS:
            seen = min(long, _LOOKED_AT)
            lines += 1 + bytes(data[:seen]).count(b"\\n") * long // seen
            length += long
    return lines, length
