"""A transcript as a document with highlights: by rule, errors, marks, citations; each source and rule on or off."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Unpack

from trajview.app.transcript.document import Document, Looks
from trajview.app.transcript.highlight_index import (
    HighlightIndex,
    index_highlights,
    merged,
    put_source,
    rule_key,
    with_scan,
)
from trajview.app.transcript.search import SearchHits
from trajview.highlight import Highlight, Rule, Source, highlights_in
from trajview.models.transcript import Transcript

__all__ = ["Highlighted"]

MANY = 5_000
"""Highlights up to which their index is made in less time than a key has."""
LONG = 2_000
"""Messages from which on highlights are looked for in a thread."""


class Highlighted(Document):
    """Knows the highlights of its transcript, and gives them as they are switched."""

    def __init__(self, transcript: Transcript, **looks: Unpack[Looks]) -> None:
        super().__init__(transcript, **looks)
        self.search: SearchHits | None = None
        self.sources_off: set[str] = set()
        """Sources, and rules as `rule:NAME`, that are off."""
        self.scanned = self.options.bare or len(self.messages) < LONG
        """Whether highlights were looked for; of a long transcript that is `scan`'s business, in a thread."""
        self.rules: dict[str, Rule] = {}
        """The rules that were looked for here, on or off."""
        self._named: tuple[int, ...] = ()
        self._found: list[Highlight] = []
        self._cited: list[Highlight] = []
        self.index = HighlightIndex()

    def look_for_highlights(self, rules: Iterable[Rule], units: Iterable[int]) -> None:
        """Look for these rules, named units and errors now, unless that is to be done in a thread."""
        self.rules = {rule.name: rule for rule in rules}
        self._named = tuple(units)
        if self.scanned and not self.options.bare:
            self._found = self.scan()
        self._index_highlights()

    def _index_highlights(self) -> None:
        self.take_index(index_highlights(self._every(), self.sources_off, len(self.messages)))

    def _every(self) -> list[Highlight]:
        return [*self._found, *self._cited, *self._marked()]

    def _marked(self) -> list[Highlight]:
        starts = self.unit_starts
        return [
            Highlight(unit, starts[unit], "mark", self.marks[unit] or "marked")
            for unit in sorted(self.marks)
            if unit < len(starts)
        ]

    def set_marks(self, marks: Mapping[int, str]) -> None:
        """The units that are marked, with why, in place of those before. Those that there are not are left out."""
        before = self._marked()
        self.marks = {unit: why for unit, why in marks.items() if 0 <= unit < len(self.unit_starts)}
        self._put("mark", before, self._marked())

    def _put(self, source: Source, before: Sequence[Highlight], now: Sequence[Highlight]) -> None:
        """Show the highlights of a source that has few, in place of those before, at once among however many others."""
        put_source(self.index, source, before, now, self.sources_off, len(self.messages))
        self.take_index(self.index)
        self.refresh_headers()

    def take_index(self, index: HighlightIndex) -> None:
        """Show what is in an index of the highlights."""
        self.highlights_revision += 1
        self.index = index
        self.by_unit, self.error_messages = index.by_unit, index.errors
        self.all_sources, self.stops = index.sources, index.stops
        if self.search is not None:
            self.all_sources = {**index.sources, "search": len(self.search.messages)}
            if "search" not in self.sources_off:
                self.stops = list(self.search.messages)

    @property
    def many_highlights(self) -> bool:
        """Whether there are so many that their index is made in a thread, by `indexed`."""
        return len(self._found) > MANY

    def indexed(
        self,
        off: Iterable[str],
        more: Mapping[str, Sequence[Highlight]] | None = None,
        scan: Sequence[Highlight] | None = None,
    ) -> tuple[list[Highlight], HighlightIndex, int]:
        """What `take` takes: with these sources and rules off, and what was found of more rules, or what `scan` has found.

        Changes nothing itself.
        """
        revision, known = self.highlights_revision, self._found
        found = merged(known, more) if more else known if scan is None else with_scan(known, scan)
        every = [*found, *self._every()[len(known) :]]
        return found, index_highlights(every, frozenset(off), len(self.messages)), revision

    def take(
        self,
        made: tuple[list[Highlight], HighlightIndex, int],
        off: Iterable[str],
        rules: Iterable[Rule] = (),
    ) -> bool:
        """Show what `indexed` has made; False if highlights have changed since, and nothing is taken."""
        found, index, revision = made
        if revision != self.highlights_revision:
            return False
        self._found, self.sources_off = found, set(off)
        self.rules.update((rule.name, rule) for rule in rules)
        self.take_index(index)
        self.refresh_headers()
        return True

    def drop_rule(self, name: str) -> None:
        """Forget a rule and its highlights, if it was looked for here."""
        if name not in self.rules:
            return
        self.rules.pop(name, None)
        self.sources_off.discard(rule_key(name))
        self._found = [found for found in self._found if found.source != "rule" or found.reason != name]
        self._index_highlights()
        self.refresh_headers()

    def recolour(self, rule: Rule) -> None:
        """Take over the colour of a rule that was looked for here."""
        if rule.name not in self.rules:
            return
        self.rules[rule.name] = rule
        self._found = [
            replace(found, colour=rule.colour) if found.source == "rule" and found.reason == rule.name else found
            for found in self._found
        ]
        self._index_highlights()
        self.refresh_headers()

    def rules_on(self, message: int) -> list[Rule]:
        """The rules that are on and match in a message."""
        return [rule for name in self.index.rules_of.get(message, ()) if (rule := self.rules.get(name)) is not None]

    def scan(self, cancelled: Callable[[], bool] = lambda: False) -> list[Highlight]:
        """The highlights of a long transcript, for `add_highlights`: looks at every message. Changes nothing itself."""
        return highlights_in(self.transcript, list(self.rules.values()), self._named, cancelled=cancelled)

    def scan_rules(self, rules: Sequence[Rule], cancelled: Callable[[], bool] = lambda: False) -> list[Highlight]:
        """The highlights of more rules, for `indexed`: looks at every message. Changes nothing itself."""
        return highlights_in(self.transcript, rules, errors=False, cancelled=cancelled)

    def add_highlights(self, found: Iterable[Highlight]) -> None:
        """More highlights, of a rule that was made while reading."""
        self._found = list(dict.fromkeys([*self._found, *found]))
        self._index_highlights()
        self.refresh_headers()

    def set_cited(self, found: Iterable[Highlight]) -> bool:
        """What is cited, in place of what was; returns whether that is something else."""
        cited = sorted(set(found))
        if cited == self._cited:
            return False
        before, self._cited = self._cited, cited
        self._put("citation", before, cited)
        return True
