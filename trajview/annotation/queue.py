"""The queue of episodes to score: its episodes, their order, its progress, and where to go on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .progress import Progress

__all__ = ["Plan", "Tally", "duration_text", "left_at", "next_in", "tally", "waits"]

_DEALT = "dealt to annotators"
"""The order in which parts are dealt is nobody's own: all annotators get the same deal, whatever they shuffle by."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a queue: which episodes of a corpus are to be scored, and in which order.

    First the part of them that is assigned, then their order, then the limit. The same plan on the same episodes gives
    the same queue on every machine.
    """

    seed: str | None = None
    """The seed of the shuffle; None for the order of the files. New episodes leave the others in their order."""
    ids: tuple[str, ...] | None = None
    """The episodes to take, in this order, by key or id; None for all."""
    part: tuple[int, int] | None = None
    """A part of the episodes: `(2, 3)` is the second of three that differ by one in size at most and share no episode."""
    limit: int | None = None
    """The number of episodes to take at most."""
    where: str | None = None
    """The filter that episodes must match to be in the queue, for those who know corpora; None for all."""

    def order(self, episodes: Iterable[tuple[str, str]]) -> list[str]:
        """The keys of the queue, from the (key, id) of every episode that the filter lets through, in the order of the files."""
        keys = self._named(episodes) if self.ids is not None else [key for key, _ in episodes]
        if self.part is not None:
            which, parts = self.part
            dealt = sorted(keys, key=lambda key: _shuffled(_DEALT, key))
            mine = set(dealt[which - 1 :: parts])
            keys = [key for key in keys if key in mine]
        seed = self.seed
        if seed is not None:
            keys.sort(key=lambda key: _shuffled(seed, key))
        return keys if self.limit is None else keys[: self.limit]

    def missing(self, episodes: Iterable[tuple[str, str]]) -> list[str]:
        """The ids that were asked for and are not among the episodes."""
        there = {name for pair in episodes for name in pair}
        return [] if self.ids is None else [id for id in dict.fromkeys(self.ids) if id not in there]

    def _named(self, episodes: Iterable[tuple[str, str]]) -> list[str]:
        by_name: dict[str, list[str]] = {}
        keys: set[str] = set()
        for key, id in episodes:
            keys.add(key)
            by_name.setdefault(id, []).append(key)
        # An id that several episodes share names them all; a key names one.
        named = [found for id in self.ids or () for found in ([id] if id in keys else by_name.get(id, []))]
        return list(dict.fromkeys(named))


def _shuffled(seed: str, key: str) -> bytes:
    return hashlib.blake2b(f"{seed}\0{key}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def waits(progress: Progress | None) -> bool:
    """Whether an episode is still to be scored: not started, or a draft."""
    return progress is None or progress.state in ("not started", "draft")


def next_in(keys: Sequence[str], progress: Mapping[str, Progress], after: str | None = None) -> str | None:
    """The next episode of a queue that waits, after `after` and then from its start; None if none is left."""
    begin = keys.index(after) + 1 if after in keys else 0
    order = [*keys[begin:], *keys[:begin]]
    return next((key for key in order if key != after and waits(progress.get(key))), None)


def left_at(keys: Sequence[str], progress: Mapping[str, Progress]) -> str | None:
    """The episode to go on with: the newest draft, else the first that was not started."""
    drafts = [key for key in keys if (found := progress.get(key)) is not None and found.state == "draft"]
    if drafts:
        times = {key: at.timestamp() if (at := progress[key].changed_at) else 0.0 for key in drafts}
        return max(drafts, key=times.__getitem__)
    return next_in(keys, progress)


@dataclass(frozen=True, slots=True)
class Tally:
    """The progress of a queue. Seconds are active time, None where nothing was timed yet."""

    total: int
    submitted: int = 0
    skipped: int = 0
    drafts: int = 0
    flagged: int = 0
    seconds_each: float | None = None
    """The mean of the submitted episodes: what the remaining ones add up to depends on the mean, not on the median."""

    @property
    def left(self) -> int:
        """The number of episodes that wait."""
        return self.total - self.submitted - self.skipped

    @property
    def seconds_left(self) -> float | None:
        """The time that the rest takes at this pace, in seconds."""
        return None if self.seconds_each is None else self.left * self.seconds_each

    def said(self) -> str:
        """`12 of 50 annotated · 3 skipped · 2 flagged · 4 min each · 2 h 31 min left`."""
        pieces = [f"{self.submitted:,} of {self.total:,} annotated"]
        pieces += [f"{self.skipped:,} skipped"] if self.skipped else []
        pieces += [f"{self.flagged:,} flagged"] if self.flagged else []
        if self.seconds_each is not None:
            pieces.append(f"{duration_text(self.seconds_each)} each")
            if self.left and self.seconds_left is not None:
                pieces.append(f"{duration_text(self.seconds_left)} left")
        return " · ".join(pieces)


def tally(keys: Iterable[str], progress: Mapping[str, Progress]) -> Tally:
    """Count the progress of the episodes of a queue."""
    found = [progress.get(key, _NOTHING) for key in keys]
    states = [each.state for each in found]
    timed = [each.seconds for each in found if each.state == "submitted" and each.seconds > 0]
    return Tally(
        len(found),
        states.count("submitted"),
        states.count("skipped"),
        states.count("draft"),
        sum(each.flagged for each in found),
        sum(timed) / len(timed) if timed else None,
    )


_NOTHING = Progress()


def duration_text(seconds: float) -> str:
    """Write a time as people say it: `45 s`, `4 min`, `2 h 31 min`."""
    if seconds < 59.5:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min" if minutes else f"{hours:,} h"
