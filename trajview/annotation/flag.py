"""The sign of a flagged episode, in a module of its own: a list shows it without importing all of annotation."""

from __future__ import annotations

from typing import Final

__all__ = ["FLAG"]

FLAG: Final = "⚑"
"""The sign behind the status of a flagged episode."""
