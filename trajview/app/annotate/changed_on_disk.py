"""The question that is asked when an annotation's file is no longer the one that was opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from trajview.annotation.store import ChangedOnDisk
from trajview.app.shared.question import Question
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.models.sotopia import AnnotationForEpisode

__all__ = ["ChangedOnDiskScreen", "Choice"]

Choice = Literal["overwrite", "theirs", "cancel"]

_ANSWERS: Final[dict[Choice, str]] = {
    "cancel": "Keep editing, submit nothing",
    "overwrite": "Submit yours all the same",
    "theirs": "Load theirs, drop yours",
}


class ChangedOnDiskScreen(Question[Choice]):
    """Shows both versions in short; its result is what to do: overwrite, load theirs, or neither."""

    def __init__(self, error: ChangedOnDisk) -> None:
        theirs = _in_short(error.theirs) if error.theirs else "deleted" if error.gone else "no annotation any more"
        super().__init__(one_line(error.sentence), f"yours   {_in_short(error.ours)}\ntheirs  {theirs}", _ANSWERS)


def _in_short(annotation: AnnotationForEpisode) -> str:
    """The overall of each agent and the first words of the reasoning, on one line."""
    from trajview.models.run import overall_of  # Pydantic, which no start-up should wait for.

    numbers = ["–" if reward == 0.0 else f"{overall_of(reward):.2f}" for reward in annotation.rewards[:6]]
    overall = " · ".join(numbers)
    return one_line(f"{overall}  {annotation.reasoning}", 80)
