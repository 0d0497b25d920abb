"""Highlights in the shapes that a screen asks for, made in one go: of very many in a thread."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from trajview.highlight import Highlight, Source

__all__ = ["HighlightIndex", "index_highlights", "merged", "put_source", "rule_key", "with_scan"]

PLACES = 2_000
"""So many parts of a transcript have a place each in the scroll bar, for each kind of highlight."""

_by_place = attrgetter("message", "source")


def rule_key(name: str) -> str:
    """What a rule is called among the sources of highlights that can be off."""
    return f"rule:{name}"


@dataclass(slots=True)
class HighlightIndex:
    """The highlights that are on, by unit and message, and how many there are of each kind, on or off."""

    by_unit: dict[int, list[Highlight]] = field(default_factory=dict)
    stops: list[int] = field(default_factory=list)
    """Messages with a highlight that is on, ascending."""
    errors: list[int] = field(default_factory=list)
    sources: dict[str, int] = field(default_factory=dict)
    """How many there are of each source; of rules, those that are on."""
    rules: dict[str, int] = field(default_factory=dict)
    """How many there are of each rule."""
    places: list[tuple[int, str, str]] = field(default_factory=list)
    """Message, source and colour of enough of them to draw all in a scroll bar."""
    rules_of: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """The rules that are on and match in a message."""


def index_highlights(every: Sequence[Highlight], off: Collection[str], messages: int) -> HighlightIndex:
    """The index of these highlights, of a transcript with so many messages; `off` are sources and rules that are off."""
    index = HighlightIndex()
    on: list[Highlight] = []
    errors: set[int] = set()
    matching: dict[int, list[str]] = {}
    places: dict[tuple[int, str, str], int] = {}
    rules_off = {name for name in off if name.startswith("rule:")}
    sources, rules = index.sources, index.rules
    for found in every:
        source = found.source
        if source == "rule":
            rules[found.reason] = rules.get(found.reason, 0) + 1
            if rules_off and rule_key(found.reason) in rules_off:
                continue
        elif source == "error":
            errors.add(found.message)
        sources[source] = sources.get(source, 0) + 1
        if source in off:
            continue
        on.append(found)
        if source == "rule":
            matching.setdefault(found.message, []).append(found.reason)
        places.setdefault((found.message * PLACES // max(1, messages), source, found.colour), found.message)
    stops: set[int] = set()
    for found in on:
        stops.add(found.message)
        index.by_unit.setdefault(found.unit, []).append(found)
    # Many small sorts, not a large one: that would keep all other threads waiting.
    for many in index.by_unit.values():
        if len(many) > 1:
            many.sort(key=_by_place)
    index.stops = sorted(stops)
    index.errors = sorted(errors)
    index.places = [(message, source, colour) for (_, source, colour), message in places.items()]
    index.rules_of = {message: tuple(dict.fromkeys(names)) for message, names in matching.items()}
    return index


def put_source(
    index: HighlightIndex,
    source: Source,
    before: Sequence[Highlight],
    now: Sequence[Highlight],
    off: Collection[str],
    messages: int,
) -> None:
    """Put the few highlights of a source (marks, citations) in place of those before, in an index of however many.

    It is then what `index_highlights` would make anew.
    """
    if now:
        index.sources[source] = len(now)
    else:
        index.sources.pop(source, None)
    if source in off:
        return
    _put_in_units(index, source, before, now)
    _put_stops(index, before, now)
    index.places = [place for place in index.places if place[1] != source]
    places = {(one.message * PLACES // max(1, messages), one.colour): one.message for one in reversed(now)}
    index.places += [(message, source, colour) for (_, colour), message in places.items()]


def _put_in_units(index: HighlightIndex, source: Source, before: Sequence[Highlight], now: Sequence[Highlight]) -> None:
    touched: dict[int, list[Highlight]] = {
        found.unit: [one for one in index.by_unit.get(found.unit, ()) if one.source != source]
        for found in (*before, *now)
    }
    for found in now:
        touched[found.unit].append(found)
    for unit, many in touched.items():
        if many:
            index.by_unit[unit] = sorted(many, key=_by_place)
        else:
            index.by_unit.pop(unit, None)


def _put_stops(index: HighlightIndex, before: Sequence[Highlight], now: Sequence[Highlight]) -> None:
    """Add and take away messages with a highlight, where `index.by_unit` has those now."""
    units = {found.unit for found in (*before, *now)}
    stops = {found.message for unit in units for found in index.by_unit.get(unit, ())}
    for message in {found.message for found in (*before, *now)}:
        at = bisect_left(index.stops, message)
        known = at < len(index.stops) and index.stops[at] == message
        if known and message not in stops:
            del index.stops[at]
        elif not known and message in stops:
            index.stops.insert(at, message)


def with_scan(known: Sequence[Highlight], scan: Sequence[Highlight]) -> list[Highlight]:
    """What a scan of everything has found, and what is known of rules that it did not look for."""
    rules = {found.reason for found in scan if found.source == "rule"}
    return [*scan, *(found for found in known if found.source == "rule" and found.reason not in rules)]


def merged(known: Sequence[Highlight], more: Mapping[str, Sequence[Highlight]]) -> list[Highlight]:
    """What is known, without what is known of these rules, and what was found of them now."""
    kept = [found for found in known if found.source != "rule" or found.reason not in more]
    return [*kept, *(found for many in more.values() for found in many)]
