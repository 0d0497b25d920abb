"""What the reader chose to see: how far messages are folded, and what is hidden everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

__all__ = ["Fold", "ViewOptions"]


class Fold(Enum):
    """How much of a message is shown: everything, the first lines of tool output, or its header and first words."""

    OPEN = "open"
    PREVIEW = "preview"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """What the reader chose, for the whole transcript. Part of the key under which rendered lines are kept."""

    width: int = 80
    show_reasoning: bool = True
    show_tools: bool = True
    show_edits: bool = True
    """Calls that replace text are shown as the differences that they make."""
    fold_level: int = 0
    """How messages are folded that are not by hand: tool output to its first lines (0), all (1), none (2)."""
    preview_lines: int = 8
    picture_rows: int = 0
    """The most rows that an image is drawn in; 0: none is drawn."""
    folder: Path | None = None
    """The folder of the log, below which images lie that are named by their paths; None: they are not looked for."""
    bare: bool = False
    """No header: the lines of the text only (raw JSON, metadata)."""
    language: str = ""
    """The language of a bare text; "metadata" for keys and values, as `transcript.metadata` writes them."""
