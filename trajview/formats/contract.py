"""The contract of a format: everything that the rest of trajview asks about one kind of log.

A format works on plain decoded JSON or YAML (dicts and lists). Whoever needs to know something of a format asks its
`Format` (`registry.format_named`, `registry.format_or_default`), never its name. Formats of other packages derive from the same
class: see docs/adding-a-format.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from .words import AddedWords

if TYPE_CHECKING:
    from trajview.errors import Problem
    from trajview.models.run import AgentRun

    from .base import Detection, Origin, Summary

__all__ = ["Format", "Step", "Whence"]

Step = str | int
"""A key of an object, or the number of an element of a list, from 0."""
Whence = tuple[Step, ...]
"""The steps from a record to a value in it."""


class Format(ABC):
    """One kind of log: how its records are told from others, and how each becomes a run.

    `detect` and `summarise` run on every record of a corpus before it is listed: they must be cheap and import nothing
    heavy, such as pydantic. Methods may be called from several threads.
    """

    name: str
    """The name, short and lower case, as in `trajview ls`: docent, sotopia, adp, openai, …"""
    label: str
    """The name for people: "Docent agent run"."""
    recognises: str
    """How records of this format are told from others, in one sentence that `trajview formats` prints."""

    # Facts about all runs of a format. The defaults hold for a format that nobody knows, too.

    retells: bool = False
    """Whether the transcripts after the first tell the same again, as each agent saw it.

    Then only the first is searched (`corpus.matches`), compared (`trajview compare`, the compare screen) and counted
    for a filter (`where.details`), and the hits in the others are not added up (the transcript screen).
    """
    zero_is_no_reward: bool = False
    """Whether a log writes 0 for a reward that nobody gave, so that agreement with the log leaves zeros out."""
    repeats: bool = False
    """Whether records say the same more than once, so that the raw view asks `whence` where a message comes from."""
    lists_only: bool = False
    """Whether its records are lists only: a session of JSON Lines each. Objects are not shown to `detect` then."""
    runs_under: str = ""
    """The key of a record's list whose elements are runs of their own in a file that holds one such record; mostly none."""
    rubric: str = "reward"
    """The name of the built-in rubric that the runs are rated by, unless the user chooses another."""
    is_sotopia_episode: bool = False
    """Whether the runs are Sotopia's own episodes: only their annotations may go into Sotopia's data folder unasked."""
    is_last_resort: bool = False
    """Whether a record is of this format only because no other one fits. YAML in a folder is left out then, as most of
    it is configuration."""
    added_words: AddedWords = AddedWords()
    """Words that the format writes into runs although the log's bytes don't hold them; a search asks for them."""

    @abstractmethod
    def detect(self, record: Any) -> Detection | None:
        """Tell how well a decoded record fits, None if it cannot be this format. Never raises."""

    @abstractmethod
    def summarise(self, record: Any, origin: Origin) -> Summary:
        """Summarise a record that `detect` accepted, cheaply. Raises FormatError where `read` would."""

    @abstractmethod
    def read(self, record: Any, origin: Origin) -> AgentRun:
        """Read a record as a run. Raises FormatError with the place, one sentence and a hint."""

    def summed_up(self, record: Any, origin: Origin) -> tuple[str, Summary]:
        """`summarise`, and the name of the format that did it: the next best one's where a plug-in failed."""
        return self.name, self.summarise(record, origin)

    def begins_session(self, line: Any) -> bool:  # noqa: ARG002 - most formats are a record for each line
        """Whether the first line of JSON Lines tells that all lines are one record, a list. Looks at keys. Never raises."""
        return False

    def check(self, record: Any, origin: Origin) -> list[Problem]:  # noqa: ARG002 - most formats have nothing to say
        """List the problems of a record that opens, for `trajview validate`. Raises FormatError where `read` does."""
        return []

    def whence(self, record: Any) -> list[Whence]:  # noqa: ARG002 - most records say everything once
        """Find the value of the record that each message of the run comes from, in order, in a format that `repeats`.

        Empty where it is not known: then a message is searched for by what it says, as in all other formats.
        """
        return []
