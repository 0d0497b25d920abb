"""Texts that make trouble on a terminal, and what a reader may choose, for the rendering tests."""

from __future__ import annotations

from hypothesis import strategies as st

from trajview.app.render.options import ViewOptions

PIECES = [
    "word", "a", " ", "  ", "      ", "longerword" * 9, "日本語", "한국어", "e\u0301\u0323", "\u0301", "👩\u200d👩\u200d👧", "❤\ufe0f",
    "\u200d", "\ufe0f", "🇩🇪", "👍🏽", "\u200b", "ﷺ", "\t", "`", "**", "*", "_", "|", "[x](y)", "#", "~~", "- ", "> ",
]  # fmt: skip

PRINTABLE = st.lists(st.sampled_from([piece for piece in PIECES if piece != "\t"]), max_size=25).map("".join)
"""Safe text without tabs, one line: what `wrap` is given."""

HOSTILE = st.one_of(
    st.lists(
        st.sampled_from([
            *PIECES, "\n", "\r", "\r\n", "\x1b[31m", "\x1b[0m", "\x1b]52;c;aGk=\x07", "\x1b[2J", "\x00", "\x85", "\x9b1m",
            "\u202e", "\u2066", "\ud83d", "\ude00", "\ufeff", "\x7f", "\x0b\x0c", "```python\n", "~~~\n", "| a | b |\n|--|:-:|\n",
            '{"a": [1, 2]}', "Traceback (most recent call last):\n  x\nValueError: \x1b[31mno\n", "@@ -1 +1 @@\n-a\n+b\n",
        ]),
        max_size=25,
    ).map("".join),
    st.text(alphabet=st.characters(), max_size=40),
)  # fmt: skip
"""Any text at all, surrogates and escape sequences included."""


def view_options(*, narrowest: int, fewest: int) -> st.SearchStrategy[ViewOptions]:
    """Whatever a reader may choose, from these widths in columns and lines of a preview on."""
    return st.builds(
        ViewOptions,
        width=st.integers(narrowest, 200),
        show_reasoning=st.booleans(),
        show_tools=st.booleans(),
        preview_lines=st.integers(fewest, 12),
        bare=st.booleans(),
    )
