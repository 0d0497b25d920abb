"""Sotopia's own data folder: telling that a store is one, and what of ours must not go there.

Sotopia's scripts look up the episode of every annotation that they find, and stop where there is none. Our journal,
notes and conflicts have folders of their own beside Sotopia's, which it never opens.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["is_sotopias_own", "stranger"]

_EPISODES = "EpisodeLog"
_FOLDERS = (
    _EPISODES, "AgentProfile", "EnvironmentProfile", "RelationshipProfile", "EnvAgentComboStorage", "EnvironmentList",
    "CustomEvaluationDimension", "CustomEvaluationDimensionList",
)  # fmt: skip


def is_sotopias_own(root: Path) -> bool:
    """Whether a store is a data folder of Sotopia's: it keeps other things of Sotopia's, or is where Sotopia looks."""
    try:
        if root.resolve() == (Path.home() / ".sotopia" / "data").resolve():
            return True
    except (OSError, RuntimeError):  # no home, or links in a circle
        pass
    return any(_is_folder(root / name) for name in _FOLDERS)


def stranger(root: Path, episode: str) -> str:
    """Why a record of an episode must not go into a store, as a sentence; "" where it may."""
    if not is_sotopias_own(root) or _has(root, episode):
        return ""
    return (
        f"This is Sotopia's own data folder, and {episode:.80} is no episode in it: Sotopia's scripts would stop there."
    )


def _has(root: Path, episode: str) -> bool:
    if not episode or episode in (".", "..") or "/" in episode or "\0" in episode:
        return False
    try:
        return (root / _EPISODES / f"{episode}.json").is_file()
    except OSError:  # a name that is too long
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False
