"""GPT-4's tokens (cl100k_base), counted offline from the vocabulary that ships with the package."""

from __future__ import annotations

import re
import threading
import unicodedata
from binascii import a2b_base64
from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from trajview.errors import UnreadableError

if TYPE_CHECKING:
    from tiktoken import Encoding

__all__ = [
    "LONG_RUN",
    "MAX_TOKEN_BYTES",
    "MOST_REMEMBERED",
    "SHA256",
    "count_tokens",
    "count_tokens_up_to",
    "cut_to_tokens",
    "encoding",
    "last_tokens",
]

MAX_TOKEN_BYTES = 128
"""The most bytes of a token of cl100k_base; so a text of n characters has at least n / 128 tokens."""

_VOCABULARY = "cl100k_base.tiktoken"
SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
"""The checksum of the vocabulary's file."""
# tiktoken's own, from tiktoken_ext.openai_public, without its possessive quantifiers and with one group more. It splits
# every text in the same places. What is in the group needs no backtracking: tiktoken's regular expressions then look for all
# of it in one pass, which makes encoding 1.5 to 2 times as fast.
_PATTERN = (
    r"""(?:'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n])"""
    r"""|\s+(?!\S)|\s"""
)
_SPECIAL_TOKENS = {
    "<|endoftext|>": 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}

# tiktoken's regular expression overflows its stack (and panics) on white space of some 10^6 characters that something
# follows.
LONG_RUN = 100_000
"""Characters of white space in a row from which on they are cut out and encoded by themselves."""
# Unicode's White_Space, which is the pattern's \s (Python's own has four control characters more).
_SPACES = "\t\n\x0b\x0c\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
_NO_SPACE = re.compile(f"[^{_SPACES}]")
_SURROGATE = re.compile("[\ud800-\udfff]")

_REPEATED = range(200, 1 << 20)
"""Characters of a text whose count is remembered: a system prompt stands in every run, and branches share their beginning."""
MOST_REMEMBERED = 10_000
"""Texts whose counts are kept."""

_lock = threading.Lock()
_encoding: Encoding | None = None
_counts: dict[tuple[int, int], int] = {}
"""Tokens by a text's hash and length: Python's hash has a secret key, so that no log can be made to collide."""


def encoding() -> Encoding:
    """tiktoken's cl100k_base, built on first use from the shipped vocabulary (0.2 s), then kept. Thread-safe.

    Raises UnreadableError if the vocabulary is missing or not the one that tiktoken publishes.
    """
    global _encoding
    if _encoding is None:
        with _lock:
            if _encoding is None:
                _encoding = _build()
    return _encoding


def _build() -> Encoding:
    from tiktoken import Encoding

    try:
        sha, ranks = sha256(), {}
        with files("trajview").joinpath("data", _VOCABULARY).open("rb") as file:
            for line in file:  # never hold the whole file beside the table made of it
                sha.update(line)
                token, _, rank = line.partition(b" ")
                ranks[a2b_base64(token)] = int(rank)
    except OSError as error:
        raise UnreadableError(
            f"the GPT-4 vocabulary {_VOCABULARY} cannot be read: {error.strerror or error}",
            hint="install trajview again",
        ) from error
    except ValueError:
        ranks = {}  # damaged beyond base64 and numbers
    if not ranks or sha.hexdigest() != SHA256:
        raise UnreadableError(
            f"the GPT-4 vocabulary {_VOCABULARY} is damaged: its sha256 is not tiktoken's",
            hint="install trajview again",
        )
    found = Encoding("cl100k_base", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens=_SPECIAL_TOKENS)
    # 14 MB that it keeps for pickling alone, which nobody does here; the encoder has its own copy.
    vars(found)["_mergeable_ranks"] = {}
    return found


def count_tokens(text: str) -> int:
    """Count the GPT-4 tokens (cl100k_base) of a text. What looks like a special token is ordinary text.

    A lone surrogate, which UTF-8 cannot hold, counts as U+FFFD: tiktoken's rule. Raises UnreadableError, a TrajviewError,
    where the vocabulary that comes with trajview is damaged.

    >>> from trajview import count_tokens
    >>> count_tokens("tiktoken is great!")
    6
    """
    if len(text) not in _REPEATED:
        return len(_tokens(text))
    key = hash(text), len(text)
    known = _counts.get(key)
    if known is None:
        if len(_counts) >= MOST_REMEMBERED:
            _counts.clear()
        known = _counts[key] = len(_tokens(text))
    return known


def count_tokens_up_to(text: str, limit: int) -> int:
    """The number of tokens if it is at most `limit`, otherwise some number above `limit`; cheap for huge texts."""
    if len(text) > MAX_TOKEN_BYTES * limit:
        return limit + 1
    return count_tokens(text)


def cut_to_tokens(text: str, limit: int) -> str:
    """The longest beginning of a text, in whole characters, that the first `limit` of its tokens spell.

    By itself it can be a token longer or shorter than it was within the text: measure it where a bound must hold.
    """
    return text[: _characters_in(text, limit, from_end=False)]


def last_tokens(text: str, limit: int) -> str:
    """The longest end of a text, in whole characters, that the last `limit` of its tokens spell; see `cut_to_tokens`."""
    return text[len(text) - _characters_in(text, limit, from_end=True) :]


def _characters_in(text: str, limit: int, *, from_end: bool) -> int:
    """How many characters the outermost `limit` tokens of a text hold; encodes little more than those."""
    if limit <= 0:
        return 0
    size = 8 * limit
    while True:
        part = text[max(0, len(text) - size) :] if from_end else text[:size]
        # One character for one, so that what is counted here is counted in `text` as well.
        tokens = _tokens(_SURROGATE.sub("\ufffd", part))
        if len(tokens) > limit:
            kept = tokens[-limit:] if from_end else tokens[:limit]
            # A character can lie across two tokens; the half of it that is within is dropped.
            return len(encoding().decode_bytes(kept).decode("utf-8", "ignore"))
        if len(part) == len(text):
            return len(text)
        size *= 4


def _tokens(text: str) -> list[int]:
    if len(text) < LONG_RUN:
        return _encode(text)
    tokens: list[int] = []
    start = 0
    for cut in _cuts(text):
        tokens += _encode(text[start:cut])
        start = cut
    return tokens + _encode(text[start:]) if start else _encode(text)


def _encode(text: str) -> list[int]:
    try:
        return encoding().encode_ordinary(text)
    except UnicodeEncodeError:
        return encoding().encode_ordinary(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _cuts(text: str) -> Iterator[int]:
    """The places to cut a text around its long runs of white space, where the vocabulary's pattern splits anyway."""
    for start, end in _long_runs(text):
        if start and unicodedata.category(text[start - 1])[0] not in "LN":
            # Punctuation takes the newlines that follow it.
            while start < end and text[start] in "\r\n":
                start += 1
        yield start
        if end == len(text) or start == end:
            continue
        after_newline = max(text.rfind("\n", start, end), text.rfind("\r", start, end)) + 1
        if after_newline > start:
            yield after_newline
        if after_newline < end:
            # The last character can belong to the word that follows.
            yield end - 1


def _long_runs(text: str) -> Iterator[tuple[int, int]]:
    """The runs of white space of at least `LONG_RUN` characters. Looks at one character in `LONG_RUN`, and around."""
    position = LONG_RUN - 1
    while position < len(text):
        if text[position] in _SPACES:
            # A run that began before this window would have been met at the last stop.
            before = text[position + 1 - LONG_RUN : position]
            start = position - len(before) + len(before.rstrip(_SPACES))
            found = _NO_SPACE.search(text, position)
            end = found.start() if found else len(text)
            if end - start >= LONG_RUN:
                yield start, end
            position = end
        position += LONG_RUN
