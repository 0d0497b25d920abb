"""The question that is asked when an annotation is about another run than the one that is under its name now."""

from __future__ import annotations

from typing import Final, Literal

from trajview.app.shared.question import Question

__all__ = ["OtherRunChoice", "OtherRunScreen"]

OtherRunChoice = Literal["apart", "same", "later"]

_ANSWERS: Final[dict[OtherRunChoice, str]] = {
    "later": "Decide later, and type nothing until then",
    "apart": "Keep it apart, and score this conversation anew",
    "same": "Go on with it: it holds for this one as well",
}


class OtherRunScreen(Question[OtherRunChoice]):
    """Says what the work is about; its result is what is to become of it."""

    def __init__(self, work: str, differs: int) -> None:
        """`work`: what there is, such as `draft of 22:10`. `differs`: the message from which on it is another run."""
        where = f"they differ from message {differs} on" if differs else "they begin differently"
        about = f"Your {work} is of the one before: {where}. It is safe."
        super().__init__("This log holds another conversation now.", about, _ANSWERS)
        self.work, self.differs = work, differs
