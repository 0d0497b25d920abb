"""Three annotators who scored the episodes by hand, as `trajview` saves it: they agree on much, and not on all."""

from __future__ import annotations

from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import pk_of
from trajview.models.run import Reward
from trajview.models.sotopia import AnnotationForEpisode

from .workshop import stable_id

Scores = tuple[str, ...]
"""A line per agent: Sotopia's seven dimensions in order; a dash for what was not rated."""

SCORES: dict[str, dict[str, Scores]] = {
    "deposit": {
        "ada": ("8 2 5 -2 -1 -1 6", "8 3 6 -1 0 1 8"),
        "bo": ("9 1 4 -4 -2 -1 7", "9 2 6 -4 0 2 9"),
        "chidi": ("8 2 5 -3 -1 0 7", "7 3 5 -2 0 1 8"),
    },
    "piano": {
        "ada": ("8 0 1 0 -6 4 9", "9 0 2 0 0 -3 3"),
        "bo": ("7 2 2 0 -2 3 9", "9 2 4 0 0 -1 8"),
        "chidi": ("8 1 1 0 -5 4 10", "8 1 2 0 0 -2 4"),
    },
    "parrot": {
        "ada": ("9 3 4 -5 0 0 9", "9 4 5 -6 0 -1 9", "8 3 3 0 -1 0 8"),
        "chidi": ("8 3 4 -4 0 0 10", "9 4 4 -7 0 0 9", "8 4 2 0 -2 0 7"),
    },
    "window_seat": {
        "ada": ("9 2 3 0 0 0 4", "8 2 1 -1 -2 0 10"),
        "bo": ("8 3 4 -1 0 0 7", "7 3 2 -2 -1 0 10"),
        "chidi": ("9 2 3 0 0 0 3", "7 2 1 - -3 0 9"),
    },
    "allotment": {
        "ada": ("8 -4 2 -9 -7 1 1", "9 -4 5 0 0 0 9"),
        "bo": ("9 -3 2 -6 -4 1 4", "9 -3 5 0 -1 0 8"),
        "chidi": ("8 -4 3 -8 -7 0 2", "10 -4 5 0 0 0 9"),
    },
}

WORDS: dict[tuple[str, str], str] = {
    ("deposit", "ada"): "She owns up as soon as she sees that he paid [T0B8], and at once: [T0B11: \"I dropped the iron pan\"].",
    ("deposit", "bo"): "He gets the truth by laying the invoice down [T0B7] and not by asking for it.",
    ("deposit", "chidi"): (
        "Environment comments: Calm for a quarrel.\nAgent 1 comments:\nsecret: It comes out, but by her own choice [T0B11].\n"
        "Agent 2 comments:\ngoal: He never says that he has paid; the invoice does [T0B7]."
    ),
    ("piano", "ada"): "The question was plain [T0B6] and the answer was about something else [T0B7]. That is a lie to me.",
    ("piano", "bo"): "Nobody says anything untrue. A buyer who hears a vacuum cleaner at the low F [T0B4] can ask again.",
    ("parrot", "chidi"): "The vote is a joke that all three take seriously.",
    ("window_seat", "bo"): "Half of the goal: the seat is not his, the dawn will be.",
    ("allotment", "ada"): "Emptying the can on the pumpkin [T0B6] is the whole episode.",
}  # fmt: skip


def annotations() -> list[AnnotationForEpisode]:
    """All of them; the mean of what was rated is the overall."""
    return [
        AnnotationForEpisode(
            pk=pk_of(episode, annotator, SOTOPIA.name),
            episode=episode,
            annotator_id=annotator,
            rewards=[_reward(line) for line in lines],
            reasoning=WORDS.get((codename, annotator), ""),
        )
        for codename, by_annotator in SCORES.items()
        for episode in [stable_id("episode", codename)]
        for annotator, lines in by_annotator.items()
    ]


def _reward(line: str) -> Reward:
    names = [dimension.name for dimension in SOTOPIA.dimensions]
    rated = {name: float(score) for name, score in zip(names, line.split(), strict=True) if score != "-"}
    return sum(rated.values()) / len(rated), rated
