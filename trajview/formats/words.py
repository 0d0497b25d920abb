"""Words that formats write into runs although the bytes of a log don't hold them, so that a search knows of them.

A search looks into the bytes of a record before it reads it, and passes over a record without the words that a match
needs. A word that a format adds of its own accord has to be known, or it would never be found.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

__all__ = ["COMMON_WORDS", "AddedWords", "joined"]


class AddedWords(Struct, frozen=True):
    """The words that a format adds, in any order and grouping: only single words are compared."""

    always: tuple[str, ...] = ()
    """Words in messages, whatever the log holds."""
    with_bytes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Words in messages, in small letters, that are added only where the log holds one of these texts."""
    metadata: tuple[str, ...] = ()
    """Words in metadata: names that the format gives to values beside the messages."""


def joined(words: Iterable[AddedWords]) -> AddedWords:
    """All words of several formats, each line once."""
    found = list(words)
    return AddedWords(
        tuple(dict.fromkeys(line for each in found for line in each.always)),
        tuple(dict.fromkeys(line for each in found for line in each.with_bytes)),
        tuple(dict.fromkeys(line for each in found for line in each.metadata)),
    )


COMMON_WORDS: Final = AddedWords(
    always=(
        # what is wrong with a call (formats.parts, formats.adp, formats.taskweaver), in our words and Python's
        "arguments are not JSON an object list text number boolean null at character nested too deeply to be shown",
        "a tool call is an object not the call names no function kwargs is no name is not JSON value",
        "Expecting value property name enclosed in double quotes delimiter Extra data Invalid control character escape",
        "Unterminated string starting at line column char Illegal trailing comma before end of",
        "Exceeds the limit digits for integer string conversion value has digits use sys.set_int_max_str_digits to increase",
        "Out of range float values are not JSON compliant _raw that cannot be shown NoneType",
        # numbers that are none, and what a value of YAML or of a key becomes
        "inf nan Infinity NaN None True False",
    ),
    metadata=(
        "id name recipient model timestamp description agents reasoning usage metadata value role_ source format rewards note",
        "record error as_logged type text transcript agent",
    ),
)
"""The words that modules common to all formats may add."""
