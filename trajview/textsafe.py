"""Sanitising at the rendering boundary: text from a log is made harmless before it reaches a terminal.

A log can hold escape sequences that move the cursor, set the title or write the clipboard, control characters, and
bidirectional overrides that make text read as something else, and characters without any width that hide text from whoever
reads it. Each becomes a visible glyph. Newlines and tabs stay.
SGR colours are the caller's business: take them out first (`app.render.ansi`), or let them show as glyphs.
"""

from __future__ import annotations

import re

__all__ = ["one_line", "safe_json", "safe_text", "strip_escapes", "without_colours", "without_controls"]

# C0 and DEL have pictures of their own in Unicode; C1, bidi controls and other invisible ones show their code point.
_GLYPHS: dict[int, str] = {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)}
_GLYPHS[0x7F] = "␡"
_GLYPHS.update({code: f"‹{code:02X}›" for code in range(0x80, 0xA0)})
_GLYPHS.update(
    {
        code: f"‹{code:04X}›"
        for code in (0x061C, 0x180E, 0x200B, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF)
    }
)
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)

_ACTING_IN_JSON = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""DEL, C1 and bidi controls, and the line ends of Unicode: JSON may hold them as they are. C0 is escaped in any JSON."""

# CSI, OSC (and DCS, SOS, PM, APC) and two-character escapes, in their 7-bit and 8-bit forms. No string runs past the
# beginning of another, so that a log full of beginnings is read once.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)


_COLOURS = re.compile(r"\x1b(?:\[[0-9;:]{0,200}m|\[[0-9;?]{0,20}[KJGH]|\(B|\[\?25[hl])")
"""Colours, and what programs write beside them to clear a line; see `app.render.ansi`, which shows none of it as text."""


_C1 = re.compile("[\x80-\x9f]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")

_PLAIN = bytes((0x09, 0x0A, *range(0x20, 0x7F)))
"""Safe ASCII: nearly all of most texts."""
_FEW = 16
"""Distinct unsafe characters up to which replacing one after the other takes less time than one search for all."""


# A joiner that joins no emoji: what measures text takes the character after it for invisible, a terminal does not.
_EMOJI = "\u2190-\u21ff\u2300-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
# The scripts from Arabic to Tibetan, with Burmese, Khmer and Mongolian, in which joiners and non-joiners shape letters.
_SHAPED = "\u0620-\u0fff\u1000-\u109f\u1780-\u18af"
_STRAY_JOINER = re.compile(f"(?<![\ufe0f{_EMOJI}])\u200d|\u200d(?![{_EMOJI}])|(?<![{_SHAPED}])\u200c")
_SHAPING_JOINER = re.compile(f"(?<=[{_SHAPED}])\u200d")
# Tags spell an ASCII text that nobody sees. Three flags are made of them: England's, Scotland's and Wales'.
_TAG = re.compile(
    "\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
    "|\U000e0077\U000e006c\U000e0073)\U000e007f|[\U000e0000-\U000e007f]"
)


def _stray_joiner(match: re.Match[str]) -> str:
    """Remove a joiner behind a letter that it only shapes; show it elsewhere."""
    return "" if _SHAPING_JOINER.match(match.string, match.start()) else _glyph(match.group())


def _tag(match: re.Match[str]) -> str:
    """Show a tag, unless it is a part of a flag."""
    return match.group() if len(match.group()) > 1 else _glyph(match.group())


def _glyph(char: str) -> str:
    code = ord(char)
    return _GLYPHS.get(code) or f"‹{code:X}›"


def safe_text(text: str) -> str:
    """Replace every character that could act on a terminal by a visible glyph.

    CRLF counts as a newline. Lone surrogates, which no terminal can be sent, show their code.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if text.isascii() and text.isprintable():
        return text
    # All that is unsafe is not printable. Taking the plain characters out of bytes is ten times as fast as any search in the text.
    rest = text.encode("utf-8", "surrogatepass").translate(None, _PLAIN).decode("utf-8", "surrogatepass")
    if rest.isprintable():
        return text
    unsafe = set(_UNSAFE.findall(rest))
    if len(unsafe) > _FEW:
        text = _UNSAFE.sub(lambda match: _glyph(match.group()), text)
    else:
        for char in unsafe:
            text = text.replace(char, _glyph(char))
    if "\u200c" in rest or "\u200d" in rest:
        text = _STRAY_JOINER.sub(_stray_joiner, text)
    return _TAG.sub(_tag, text) if _TAG.search(rest) else text


def safe_json(text: str) -> str:
    """Escape what could act on a terminal, or end a line, in JSON. The JSON stands for the same value, on a terminal and in a file."""
    if text.isascii() and "\x7f" not in text:
        return text
    return _ACTING_IN_JSON.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def strip_escapes(text: str) -> str:
    """The text without terminal escape sequences; what remains still wants `safe_text`."""
    if "\x1b" not in text and not _C1.search(text):
        return text
    return _ESCAPES.sub("", text)


def without_colours(text: str) -> str:
    """Remove the codes for colours and for clearing lines from terminal output."""
    return _COLOURS.sub("", text) if "\x1b" in text else text


def without_controls(text: str) -> str:
    """The text as it may be pasted anywhere: no escape sequences, no control characters but newlines and tabs."""
    return _CONTROLS.sub("", strip_escapes(text.replace("\r\n", "\n")))


def one_line(text: str, limit: int = 200) -> str:
    """The start of a text on one safe line of at most `limit` characters, white space folded."""
    head = strip_escapes(text[: limit * 8 + 200])
    line = safe_text(" ".join(head.split()))
    return line if len(line) <= limit else line[: limit - 1] + "…"
