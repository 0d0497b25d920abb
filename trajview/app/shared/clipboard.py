"""What is copied goes to the terminal, which alone knows whether it takes it: the sentences say no more than that."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

__all__ = ["Clipboard"]

_TMUX_HINT: Final = "tmux hands it on to your terminal only after: tmux set -g set-clipboard on"


class Clipboard:
    """Copies text by `send`, and says through `notify`, once, what tmux needs to hand it on."""

    def __init__(self, send: Callable[[str], None], notify: Callable[..., None]) -> None:
        self._send, self._notify = send, notify
        self._hint = _TMUX_HINT if os.environ.get("TMUX") else ""

    def copy(self, text: str, what: str) -> str:
        """Copy a text, and return what can be said of that; `what` names it."""
        self._send(text)
        if self._hint:
            self._notify(self._hint, title="Copied", timeout=8, markup=False)
            self._hint = ""
        return f"copied {what}: {len(text):,} characters sent to the terminal (OSC 52)"
