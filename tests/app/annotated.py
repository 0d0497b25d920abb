"""A store that several people have annotated, and the episodes that they did."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from trajview.annotation.store import pk_of
from trajview.models.run import Reward
from trajview.models.sotopia import AnnotationForEpisode

__all__ = ["SCORES", "write_annotated", "write_record"]

SCORES: Mapping[str, Mapping[str, Sequence[tuple[int, int]]]] = {
    "teapot": {"ada": [(7, 0), (6, -2)], "ben": [(7, 0), (5, -2)], "cho": [(8, 0), (6, -2)]},
    "window": {"ada": [(2, 0), (3, -1)], "ben": [(9, 0), (3, -1)], "cho": [(4, -3), (3, -1)]},
    "garden": {"ada": [(5, 0), (5, 0)], "ben": [(5, 0), (4, -1)]},
    "secret": {"ben": [(1, -9), (8, 0)], "cho": [(6, -2), (8, 0)]},
}
"""By episode and annotator, (goal, secret) of both agents. `ada` has not done `secret`."""


def write_record(store: Path, episode: str, annotator: str, rewards: Sequence[Reward], reasoning: str = "") -> Path:
    """A record as it is saved."""
    pk = pk_of(episode, annotator, "sotopia")
    folder = store / "AnnotationForEpisode"
    folder.mkdir(parents=True, exist_ok=True)
    record = AnnotationForEpisode(
        pk=pk, episode=episode, annotator_id=annotator, rewards=list(rewards), reasoning=reasoning
    )
    path = folder / f"{pk}.json"
    path.write_text(record.to_json())
    return path


def write_annotated(folder: Path) -> tuple[Path, Path]:
    """The folder of episodes, and the store."""
    episodes, store = folder / "episodes", folder / "store"
    episodes.mkdir()
    for name, by_annotator in SCORES.items():
        (episodes / f"{name}.json").write_text(json.dumps(_episode(name)))
        for annotator, agents in by_annotator.items():
            rewards: list[Reward] = [
                ((goal + secret) / 2, {"secret": float(secret), "goal": float(goal)}) for goal, secret in agents
            ]
            write_record(store, name, annotator, rewards, f"{annotator} on the {name}: mostly as agreed.")
    return episodes, store


def _episode(name: str) -> dict[str, object]:
    return {
        "pk": name, "environment": "kitchen", "agents": ["p1", "p2"], "models": ["judge", "a", "b"],
        "reasoning": "Agent 1 comments:\ngoal: reached", "rewards": [[3.0, {"goal": 6.0, "secret": 0.0}], [2.0, {"goal": 4.0, "secret": 0.0}]],
        "messages": [
            [["Environment", "Ann", f"Ann wants the {name}."], ["Environment", "Bo", f"Bo wants the {name}."]],
            [["Environment", "Ann", "Turn #1"], ["Ann", "Environment", f'said: "Shall we share the {name}?"'], ["Bo", "Environment", 'said: "Gladly."']],
        ],
    }  # fmt: skip
