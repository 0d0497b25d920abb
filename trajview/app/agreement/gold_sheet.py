"""The sheet of the disagreement screen: everybody's scores, with the gold column that is typed in, as it is coloured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from textual import events
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message

from trajview.app.agreement.side_by_side import Cell, Look
from trajview.textsafe import one_line, safe_text

__all__ = ["Sheet", "content_of", "reasons_of"]

_STYLES: Final[dict[Look, str]] = {
    "agent": "bold $text-primary",
    "heading": "$foreground 55%",
    "faint": "$foreground 45%",
    "near": "$text-warning",
    "far": "bold $text-error",
    "gold": "$text-success",
    "cursor": "bold $background on $success",
    "bad": "bold $background on $error",
}
_LONGEST_REASON: Final = 20_000


class Sheet(VerticalScroll, can_focus=True, inherit_bindings=False):
    """Everybody's scores, and the gold column in which numbers are typed while it has the focus. Its keys are the screen's."""

    class Typed(Message):
        """A character that may be a part of a score, or `backspace`."""

        def __init__(self, character: str) -> None:
            super().__init__()
            self.character = character

    def on_key(self, event: events.Key) -> None:
        """Digits, signs and points are typed; anything else is the screen's."""
        typed = event.key if event.key in ("backspace", "delete") else event.character or ""
        if typed in ("backspace", "delete") or (typed in "0123456789.-+" and typed):
            event.stop()
            event.prevent_default()
            self.post_message(self.Typed(typed))


def content_of(lines: Iterable[Sequence[Cell]]) -> Content:
    """The lines in their colours."""
    return Content("\n").join(
        Content.assemble(*((cell.text, _STYLES.get(cell.look, "")) for cell in line)) for line in lines
    )


def reasons_of(reasons: Mapping[str, str], gold: str) -> Content:
    """What each annotator has written, under his name; that of `gold` stands out."""
    parts: list[str | tuple[str, str]] = []
    for who, reason in reasons.items():
        style = "bold $text-success" if who == gold else "bold"
        parts += [(f"{one_line(who, 60)}\n", style), f"{safe_text(reason[:_LONGEST_REASON]).strip()}\n\n"]
    return Content.assemble(*parts).rstrip()
