"""What stands out in a transcript, without Textual: each source of highlights, and each rule, on or off."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from trajview.app.render.headers import GRAVEST_FIRST
from trajview.app.transcript.search import SearchHits
from trajview.app.transcript.unit_facts import messages_of
from trajview.highlight import Highlight, Rule, highlights_in
from trajview.models.transcript import Transcript

__all__ = ["Highlights", "rule_key"]

_message, _unit = attrgetter("message"), attrgetter("unit")


def rule_key(name: str) -> str:
    """What a rule is called among the sources of highlights."""
    return f"rule:{name}"


def _key(found: Highlight) -> str:
    return rule_key(found.reason) if found.source == "rule" else found.source


class Highlights:
    """The highlights of a transcript by source: `error`, `unit`, `citation`, `mark`, and `rule:NAME` for each rule.

    The hits of a search are one more source, `search`, of which there may be very many: they are kept as the search
    found them.
    """

    def __init__(self, transcript: Transcript, rules: Iterable[Rule] = (), units: Iterable[int] = ()) -> None:
        self._transcript = transcript
        self._starts = transcript.unit_starts
        self._units = tuple(units)
        self._found: dict[str, Sequence[Highlight]] = {}
        """The highlights of each source, by message."""
        self._stops: list[int] | None = None
        self.rules: dict[str, Rule] = {rule.name: rule for rule in rules}
        """The rules that were looked for here, or are being looked for, on or off."""
        self.off: set[str] = set()
        """The sources that are off."""
        self.scanned = False
        """Whether errors, named units and rules were looked for."""
        self.marks: dict[int, str] = {}
        """The marked units, and why they are marked, where that was said."""
        self.errors: list[int] = []
        """The messages with an error, ascending, whether errors are on or off."""
        self.search: SearchHits | None = None
        self.revision = 0
        """Changes whenever highlights, marks, or what is off have changed."""

    # -- what is there -------------------------------------------------------------------------------------------------

    @property
    def counts(self) -> dict[str, int]:
        """How many highlights each source has, on or off, without those that have none."""
        counts = {key: len(found) for key, found in self._found.items() if found}
        return counts if self.search is None else {**counts, "search": len(self.search.messages)}

    @property
    def shown_search(self) -> SearchHits | None:
        """The search, unless its hits are switched off."""
        return None if "search" in self.off else self.search

    @property
    def stops(self) -> Sequence[int]:
        """The messages with a highlight that is on, ascending; while a search is on, those with a hit."""
        if self.shown_search is not None:
            return self.shown_search.messages
        if self._stops is None:
            self._stops = sorted({found.message for many in self._on() for found in many})
        return self._stops

    @property
    def units(self) -> list[int]:
        """The units with a highlight that is on, ascending, those with hits included."""
        units = {found.unit for many in self._on() for found in many if found.unit < len(self._starts)}
        if self.shown_search is not None:
            units.update(max(0, bisect_right(self._starts, hit) - 1) for hit in self.shown_search.messages)
        return sorted(units)

    def reasons(self, unit: int) -> list[Highlight]:
        """Why a unit is highlighted: one highlight for all hits of a search in it, of which there may be very many."""
        reasons = [
            found
            for many in self._on()
            for found in many[bisect_left(many, unit, key=_unit) : bisect_right(many, unit, key=_unit)]
        ]
        messages = messages_of(self._transcript, unit)
        hit = self._hit_within(messages[0], messages[-1])
        return sorted(reasons if hit is None else [*reasons, hit], key=lambda found: (found.message, found.source))

    def strongest(self, first: int, last: int) -> tuple[Highlight, int] | None:
        """The first highlight of the gravest source in some messages, and how many these have of it; None without any.

        Of several rules it is that with most.
        """
        within = []
        for many in self._on():
            begin, end = bisect_left(many, first, key=_message), bisect_right(many, last, key=_message)
            if begin < end:
                within.append((many[begin], end - begin))
        if self.shown_search is not None and (hit := self._hit_within(first, last)) is not None:
            messages = self.shown_search.messages
            within.append((hit, bisect_right(messages, last) - bisect_left(messages, first)))
        gravest = min((GRAVEST_FIRST.index(found.source) for found, _ in within), default=None)
        alike = [one for one in within if GRAVEST_FIRST.index(one[0].source) == gravest]
        return max(alike, key=lambda one: (one[1], -one[0].message), default=None)

    def rules_on(self, message: int) -> list[Rule]:
        """The rules that are on and match in a message."""
        matching = []
        for name, rule in self.rules.items():
            found = None if rule_key(name) in self.off else _first_from(self._found.get(rule_key(name), ()), message)
            if found is not None and found.message == message:
                matching.append(rule)
        return matching

    def _on(self) -> list[Sequence[Highlight]]:
        return [found for key, found in self._found.items() if key not in self.off]

    def _hit_within(self, first: int, last: int) -> Highlight | None:
        search = self.shown_search
        at = bisect_left(search.messages, first) if search is not None else 0
        if search is None or at == len(search.messages) or search.messages[at] > last:
            return None
        message = search.messages[at]
        return Highlight(max(0, bisect_right(self._starts, message) - 1), message, "search", search.text)

    # -- looking for highlights ----------------------------------------------------------------------------------------

    def scan(self, cancelled: Callable[[], bool] = lambda: False) -> dict[str, list[Highlight]]:
        """The errors, named units and rules of all messages, for `take_scan`. Changes nothing: it may run in a thread."""
        rules = list(self.rules.values())
        found: dict[str, list[Highlight]] = {rule_key(rule.name): [] for rule in rules}
        for one in highlights_in(self._transcript, rules, self._units, cancelled=cancelled):
            found.setdefault(_key(one), []).append(one)
        return found

    def take_scan(self, found: Mapping[str, Sequence[Highlight]]) -> None:
        """Show what a scan has found, without the rules that were dropped since."""
        known = {rule_key(name) for name in self.rules}
        self._found |= {key: many for key, many in found.items() if key in known or not key.startswith("rule:")}
        self.errors = [one.message for one in found.get("error", ())]
        self.scanned = True
        self._changed()

    def scan_rule(self, rule: Rule, cancelled: Callable[[], bool] = lambda: False) -> list[Highlight]:
        """The highlights of one rule, for `put_rule`. Changes nothing: it may run in a thread."""
        return highlights_in(self._transcript, [rule], errors=False, cancelled=cancelled)

    # -- changes -------------------------------------------------------------------------------------------------------

    def put_rule(self, rule: Rule, found: Sequence[Highlight]) -> None:
        """Show what was found of a rule, in place of what was known of it."""
        self.rules[rule.name] = rule
        self._put(rule_key(rule.name), found)

    def drop_rule(self, name: str) -> None:
        """Forget a rule and its highlights, if it was looked for here."""
        self.rules.pop(name, None)
        self.off.discard(rule_key(name))
        self._put(rule_key(name), ())

    def follow(self, book: Mapping[str, Rule]) -> None:
        """Drop the rules that are not in a book any more, by their names, and take over the colours of the others."""
        for name, known in list(self.rules.items()):
            rule = book.get(name)
            if rule is None:
                self.drop_rule(name)
            elif rule.colour != known.colour:
                found = self._found.get(rule_key(name), ())
                self.put_rule(rule, [replace(one, colour=rule.colour) for one in found])

    def switch_off(self, off: Collection[str]) -> None:
        """Show all sources but these."""
        self.off = set(off)
        self._changed()

    def set_marks(self, marks: Mapping[int, str]) -> None:
        """The units that are marked, with why, in place of those before. Those that there are not are left out."""
        self.marks = {unit: marks[unit] for unit in sorted(marks) if 0 <= unit < len(self._starts)}
        marked = [Highlight(unit, self._starts[unit], "mark", why or "marked") for unit, why in self.marks.items()]
        self._put("mark", marked)

    def set_cited(self, found: Iterable[Highlight]) -> bool:
        """What is cited, in place of what was; returns whether that is something else."""
        cited = sorted(set(found), key=lambda one: (one.message, one))
        if cited == list(self._found.get("citation", ())):
            return False
        self._put("citation", cited)
        return True

    def set_search(self, hits: SearchHits | None) -> None:
        """Show a search's hits, or none."""
        self.search = hits
        self._changed()

    def take_over(self, before: Highlights) -> None:
        """Have what a reader switched, marked, cited and sought in an earlier state of this transcript."""
        count = len(self._transcript.messages)
        self.off = {off for off in before.off if off.removeprefix("rule:") in self.rules or ":" not in off}
        self.set_marks(before.marks)
        self.set_cited(found for found in before._found.get("citation", ()) if found.message < count)
        if before.search is not None and (not before.search.messages or before.search.messages[-1] < count):
            self.set_search(replace(before.search, done=False))  # there may be more now

    def _put(self, key: str, found: Sequence[Highlight]) -> None:
        self._found[key] = found
        self._changed()

    def _changed(self) -> None:
        self._stops = None
        self.revision += 1


def _first_from(found: Sequence[Highlight], message: int) -> Highlight | None:
    """The first highlight in a message, or after it."""
    at = bisect_left(found, message, key=_message)
    return found[at] if at < len(found) else None
