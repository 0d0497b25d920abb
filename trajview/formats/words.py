"""Words that formats write into messages or metadata although the bytes of a log do not have them: a search must not rely on these bytes for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["ADDED", "AddedWords"]


@dataclass(frozen=True, slots=True)
class AddedWords:
    """What a format says that a log does not. Each text holds words, in any order; a part of a word counts as said, too."""

    always: tuple[str, ...] = ()
    """Texts that messages may say, whatever the log holds."""
    with_bytes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Texts that messages may say where the log holds one of some words; all in small letters."""
    metadata: tuple[str, ...] = ()
    """Texts in what is known beside the messages, such as names of fields."""


ADDED: Final = AddedWords(
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
        # turns of an episode (formats.sotopia_episode)
        "The episode is over No one did anything",
    ),
    with_bytes=(
        ("tool error type message", ("error",)),
        ("left the conversation", ("left",)),
        ("agent rewards that cannot be read no reasoning was written", ("episode",)),
        ("the execution failed the code was refused python attachment verification execution", ("rounds",)),
        ("url code", ("class_",)),
        ("shell command", ("action", "command")),
    ),
    metadata=(
        "id name recipient model timestamp description agents reasoning usage metadata value role_ source format round state",
        "rewards note not shown as rewards record agents error class_ as_logged type text events reply_type user_query",
        "annotation of by agent annotator episode extra attachment_extra sample epoch transcript environment turn kind to",
        "agent_pks backgrounds goals models comments scenario participants onlooker speak leave none other action non-verbal",
    ),
)
"""What the formats that come with trajview add."""
