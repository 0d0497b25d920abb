"""The reward of a run: Sotopia's type, in a module of its own because the list of runs needs it before any model."""

from __future__ import annotations

__all__ = ["Reward", "overall_of"]

Reward = float | tuple[float, dict[str, float]]
"""Sotopia's: a number, or the overall number with one for each dimension."""


def overall_of(reward: Reward) -> float:
    """The one number of a reward."""
    return reward[0] if isinstance(reward, tuple) else reward
