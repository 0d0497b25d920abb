"""Packing of texts into strings of at most so many tokens; pieces that are too long are cut.

A piece begins with `<` and ends with `>` and a newline. cl100k_base never has a token across a newline and the
character that is no white space after it, so the tokens of a string are exactly the sum of its pieces'.
"""

from __future__ import annotations

from collections.abc import Callable

from .tokens import count_tokens, count_tokens_up_to, cut_to_tokens, last_tokens

__all__ = ["Packer", "cut_between", "cut_piece", "unit_tags"]


class Packer:
    """Puts blocks into strings of at most `limit` tokens, in order, with the metadata where it fits."""

    def __init__(self, limit: int, metadata: str, highlight: int | None, cut: Callable[[int, int], str]) -> None:
        """`cut` gives a message, by its index, as a block of at most so many tokens."""
        self.limit = limit
        self.cut = cut
        self.metadata = metadata
        self.highlight = highlight
        self.metadata_tokens = count_tokens_up_to(metadata, limit) if metadata else 0
        self.strings: list[str] = []
        self.metadata_written = not metadata
        self._frames: dict[tuple[int, bool, bool], int] = {}
        self._pieces: list[str] = []
        self._used = 0
        self._with_metadata = True
        self._unit: int | None = None

    def frame(self, unit: int, *, continued: bool) -> int:
        """The tokens of the tags around a unit; they depend on the number of its digits alone."""
        key = (len(str(unit)), unit == self.highlight, continued)
        if key not in self._frames:
            opening, closing = unit_tags(unit, self.highlight, continued=continued)
            self._frames[key] = count_tokens(opening) + count_tokens(closing)
        return self._frames[key]

    def add_unit(self, unit: int, first_message: int, blocks: list[tuple[str, int]]) -> None:
        """Add a unit: the index of its first message, and the block of each of its messages with its tokens."""
        first, later = self.frame(unit, continued=False), self.frame(unit, continued=True)
        room = self.limit - self.metadata_tokens
        whole = first + sum(tokens for _, tokens in blocks)
        if whole <= room and self._used + whole > room:
            self._flush()
        for index, (block, tokens) in enumerate(blocks):
            frame = later if index else first
            if frame + tokens > self.limit:
                self._flush()
                self._open(unit, index > 0, frame, with_metadata=False)
                self._pieces.append(self.cut(first_message + index, self.limit - frame))
                self._flush()
                continue
            with_metadata = frame + tokens <= room
            more = tokens if self._unit == unit else frame + tokens
            most = room if with_metadata else self.limit
            if self._pieces and (with_metadata != self._with_metadata or self._used + more > most):
                self._flush()
            if self._unit != unit:
                self._open(unit, index > 0, frame, with_metadata=with_metadata)
            self._pieces.append(block)
            self._used += tokens

    def finish(self) -> list[str]:
        """All strings; the metadata by itself in the last one if it fitted nowhere."""
        self._flush()
        if not self.metadata_written:
            self.strings.append(cut_piece(self.metadata, self.limit))
        return self.strings

    def _open(self, unit: int, continued: bool, frame: int, *, with_metadata: bool) -> None:
        self._close()
        self._pieces.append(unit_tags(unit, self.highlight, continued=continued)[0])
        self._used += frame
        self._unit = unit
        self._with_metadata = with_metadata

    def _close(self) -> None:
        if self._unit is not None:
            self._pieces.append(unit_tags(self._unit, self.highlight)[1])
            self._unit = None

    def _flush(self) -> None:
        self._close()
        if self._pieces:
            if self._with_metadata:
                self._pieces.append(self.metadata)
                self.metadata_written = True
            self.strings.append("".join(self._pieces))
        self._pieces = []
        self._used = 0


def cut_piece(piece: str, room: int) -> str:
    """A tagged piece of at most `room` tokens, with its middle cut out where it is longer; its tags stay."""
    if count_tokens_up_to(piece, room) <= room:
        return piece
    opening, _, rest = piece.partition("\n")
    body, _, closing = rest.removesuffix("\n").rpartition("\n")
    return cut_between(opening + "\n", body, f"\n{closing}\n", room)


def cut_between(opening: str, body: str, closing: str, room: int) -> str:
    """Opening, as much of the body's beginning and end as fits into `room` tokens, closing."""
    fixed = count_tokens(opening + _cut_mark(len(body), len(body)) + closing)
    if fixed > room:
        raise ValueError(f"token_limit must be at least {fixed - room} higher for labels as long as {opening.strip()}")
    spare = room - fixed
    while True:
        head = cut_to_tokens(body, spare - spare // 3)
        tail = last_tokens(body[len(head) :], spare // 3)
        gone = len(body) - len(head) - len(tail)
        text = opening + head + (_cut_mark(gone, len(body)) if gone else "") + tail + closing
        tokens = count_tokens(text)
        if tokens <= room:
            return text
        # Ends that were cut out of a text can have more tokens than they had in it.
        spare = max(0, spare - (tokens - room))


def _cut_mark(gone: int, of: int) -> str:
    return f"\n[… {gone:,} of {of:,} characters cut …]\n"


def unit_tags(unit: int, highlight: int | None, *, continued: bool = False) -> tuple[str, str]:
    """The tags before and after an action unit; `highlight`: the unit that is marked."""
    opening = f"<|action unit {unit}{'; continued' if continued else ''}|>\n"
    closing = f"</|action unit {unit}|>\n"
    if unit == highlight:
        return f"<HIGHLIGHTED>\n{opening}", f"{closing}</HIGHLIGHTED>\n"
    return opening, closing
