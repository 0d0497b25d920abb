"""The sign of a flag: by itself, so that a list can know it without all of annotation being imported."""

from __future__ import annotations

from typing import Final

__all__ = ["FLAG"]

FLAG: Final = "⚑"
"""Behind the status of a flagged episode."""
