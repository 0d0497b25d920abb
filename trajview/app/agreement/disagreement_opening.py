"""From the disagreement screen into the runs: an episode's own, at its beginning or at what a reason cites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajview.annotation.draft import loadable
from trajview.app.agreement.settle import Settles

if TYPE_CHECKING:
    from trajview.annotation.citations import Citation
    from trajview.corpus.info import RunInfo

__all__ = ["OpensEpisodes"]


class OpensEpisodes(Settles):
    """The part of the screen that finds the run of an episode, where it is among those that are open."""

    _cited: list[Citation]
    """What the reasons that are shown cite."""
    _followed: tuple[str, int] = "", 0
    """The episode of which a citation was followed last, and which of them."""

    def _info(self, episode: str) -> RunInfo | None:
        """The run of an episode, where it is among those that are open."""
        corpus = self.trajview.corpus
        found = corpus.find(episode)
        return found or next((info for info in corpus.infos if loadable(info.key) == episode), None)

    def action_open(self) -> None:
        """Open the run; in the gold column, go on to the next row."""
        if self.focused is self._sheet and self.settling is not None:
            self.action_line(1)
            return
        found = self.current
        if found is None:
            return
        info = self._info(found.episode)
        if info is None:
            self._say_not_open()
        else:
            self.trajview.open_run(info)

    def action_line(self, rows: int) -> None:
        """Up or down: in the list, or in the gold column."""
        raise NotImplementedError

    def action_follow_citation(self, number: int | None = None) -> None:
        """Open the run at what a reason cites: at the citation that was clicked, else at the next one of the episode."""
        found = self.current
        if found is None or not self._cited or not -1 < (number or 0) < len(self._cited):
            self.notify("nothing is cited here", timeout=3)
            return
        if number is None:
            episode, last = self._followed
            number = (last + 1) % len(self._cited) if episode == found.episode else 0
        self._followed = found.episode, number
        info = self._info(found.episode)
        if info is None:
            self._say_not_open()
        else:
            self.trajview.open_cited(info, self._cited[number])

    def _say_not_open(self) -> None:
        self.notify("This episode is not among the logs that are open.", severity="warning", timeout=4)
