"""The history of an episode: who changed what, and when, from the journals of all annotators in a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from trajview.atomic import refusal

from .draft import Draft, loadable
from .events import Entry, draft_of
from .progress import CHANGES, DRAFTS
from .rubric import written
from .undo import changed_fields, fields_text, named

if TYPE_CHECKING:
    from .journal import Journal
    from .records import IndexEntry

__all__ = ["Event", "history", "journals_of"]

PAUSE = 300.0
"""Seconds without a key after which more typing is an event of its own."""

_FEW = 4
"""The number of changed scores up to which each is named with its old value; more are counted."""

_MOMENT = 5.0
"""Seconds: less time than that between two events is in the sum alone."""
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to an episode. `said` is a sentence without its subject: "submitted 14 scores".

    Texts are as they were typed: what goes to a terminal passes `trajview.textsafe` first. `data` is the whole line of
    the journal; it is empty for a `record`, an annotation that no journal tells of.
    """

    time: datetime | None
    event: str
    annotator: str
    episode: str
    rubric: str
    said: str
    id: str = ""
    data: Mapping[str, Any] | None = None


def history(episode: str, journals: Iterable[Journal], records: Iterable[IndexEntry]) -> list[Event]:
    """The events of an episode, oldest first; each annotator's own stay in the order of their journal.

    Typing without a longer pause is one event. `records` are the episode's: one without a submission is told as well.
    Raises AnnotationError where a journal cannot be read.
    """
    found: list[tuple[datetime, Event]] = []
    submitted: set[str] = set()
    for journal in journals:
        latest = _LONG_AGO
        for event in _events(episode, journal):
            latest = max(latest, event.time or latest)  # A clock that went backwards changes no order.
            found.append((latest, event))
            if event.event in ("submit", "import"):
                submitted.add(loadable(event.annotator))
    for record in records:
        if record.annotator not in submitted:
            said = "wrote an annotation that no journal here tells of"
            found.append((record.time, Event(record.time, "record", record.annotator, episode, "", said)))
    found.sort(key=lambda each: each[0])  # Stable.
    return [event for _, event in found]


def _events(episode: str, journal: Journal) -> list[Event]:
    ledger = journal.ledger
    entries = [entry for entry in ledger.entries.values() if entry.episode == episode]
    teller = _Teller(journal)
    events: list[Event] = []
    place = 0
    while place < len(entries):
        entry = entries[place]
        place += 1
        while entry.kind == "draft" and place < len(entries) and _goes_on(entry, entries[place]):
            entry = entries[place]
            place += 1
        body = journal.body(entry)
        said = teller.said(entry, body)
        if said is not None:
            who = body.get("annotator")
            name = who if isinstance(who, str) else journal.annotator
            events.append(Event(entry.at, entry.kind, name, episode, entry.rubric, said, entry.id, body))
    return events


class _Teller:
    """Puts events into words one after the other, since a change depends on what was there before."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._typed: dict[tuple[str, str], list[Draft]] = {}
        self._saved: dict[tuple[str, str], list[Draft]] = {}

    def said(self, entry: Entry, body: Mapping[str, Any]) -> str | None:
        """The sentence of an event, None for one without any change to tell."""
        if entry.kind in DRAFTS or entry.kind == "submit":
            return self._edit_sentence(entry, draft_of(body, entry.episode, entry.rubric))
        if entry.kind in ("undo", "redo"):
            back = entry.kind == "undo"
            return ("took back " if back else "did again ") + self._turned(entry.of, back)
        if entry.kind == "time" and entry.seconds < _MOMENT:
            return None
        return _sentence_of(entry, body)

    def _edit_sentence(self, entry: Entry, draft: Draft) -> str | None:
        typed = self._typed.setdefault(entry.key, [Draft(entry.episode, entry.rubric, ())])
        before = typed[-1]
        typed.append(draft)
        if entry.kind == "discard":
            return "gave up what was typed"
        if entry.kind == "draft":  # The draft that a submission begins with is nothing new.
            return f"typed {_difference(before, draft)}" if changed_fields(before, draft) else None
        saved = self._saved.setdefault(entry.key, [Draft(entry.episode, entry.rubric, ())])
        said = f"submitted {_difference(saved[-1], draft)}"
        saved.append(draft)
        return said

    def _turned(self, of: tuple[str, ...], back: bool) -> str:
        found = [self._journal.ledger.entries[id] for id in of if id in self._journal.ledger.entries]
        if not found:
            return "something"
        last = found[-1]
        stacks = self._typed if last.kind in DRAFTS else self._saved if last.kind == "submit" else {}
        stack = stacks.setdefault(last.key, [Draft(last.episode, last.rubric, ())])
        if last.kind not in DRAFTS and last.kind != "submit":
            return named(self._journal, last, frozenset())
        now = stack[-1]
        if back:
            stack.append(self._before(found[0], last.kind))
        else:
            stack.append(self._journal.draft(last))
        return named(self._journal, last, changed_fields(now, stack[-1]))

    def _before(self, first: Entry, kind: str) -> Draft:
        """The draft or submission of a run before an event."""
        kinds = ("submit",) if kind == "submit" else (*DRAFTS, "submit")
        for entry in reversed(self._journal.ledger.entries.values()):
            if entry.number < first.number and entry.key == first.key and entry.kind in kinds:
                return self._journal.draft(entry)
        return Draft(first.episode, first.rubric, ())


def _goes_on(entry: Entry, following: Entry) -> bool:
    """Whether the next event continues the same typing."""
    if following.kind != "draft" or following.key != entry.key:
        return False
    if entry.at is None or following.at is None:
        return True
    return abs((following.at - entry.at).total_seconds()) <= PAUSE


def _difference(before: Draft, after: Draft) -> str:
    """`goal of agent 1: 7 → 8; the reasoning`, `14 scores and the reasoning`."""
    fields = changed_fields(before, after)
    scores = sorted((agent, name) for kind, agent, name in fields if kind == "value")
    if not fields:
        return "the same again"
    if not scores or len(scores) > _FEW:
        return fields_text(fields)

    def value(draft: Draft, agent: int, name: str) -> str:
        return (draft.values[agent].get(name, "") if agent < len(draft.values) else "") or "none"

    parts = []
    for agent, name in scores:
        was, now = value(before, agent, name), value(after, agent, name)
        change = now if was == "none" else f"{was} → {now}"
        parts.append(f"{name.replace('_', ' ')} of agent {agent + 1}: {change}")
    rest = frozenset(field for field in fields if field[0] != "value")
    return "; ".join([*parts, *([fields_text(rest)] if rest else [])])


def _sentence_of(entry: Entry, body: Mapping[str, Any]) -> str:
    """An event as a sentence without its subject."""
    sentence = _SENTENCES.get(entry.kind)
    if sentence is not None:
        return sentence(entry, body)
    if entry.kind in CHANGES:
        return _unit_sentence(entry.kind, body)
    return f"{entry.kind} (an event of a later version)"


def _because(entry: Entry) -> str:
    return f": {entry.reason}" if entry.reason else ""


def _settled(_entry: Entry, body: Mapping[str, Any]) -> str:
    gold = body.get("gold")
    return f"settled it as {gold if isinstance(gold, str) and gold else 'gold'}"


def _imported(_entry: Entry, body: Mapping[str, Any]) -> str:
    source, by = body.get("source"), body.get("by")
    return f"has an annotation from {source or 'elsewhere'}, imported by {by or 'someone'}"


def _began_anew(_entry: Entry, body: Mapping[str, Any]) -> str:
    to = body.get("to")
    names = [name for name in to if isinstance(name, str)] if isinstance(to, list) else []
    return "began anew, with another run under this name" + (f"; the other is {', '.join(names)}" if names else "")


_SENTENCES: Final[Mapping[str, Callable[[Entry, Mapping[str, Any]], str]]] = {
    "skip": lambda entry, _: f"skipped it{_because(entry)}",
    "unskip": lambda _entry, _: "no longer skipped it",
    "flag": lambda entry, _: f"flagged it{_because(entry)}",
    "unflag": lambda _entry, _: "took the flag away",
    "reveal": lambda entry, _: f"revealed {entry.what or 'something'}",
    "settle": _settled,
    "time": lambda entry, _: f"was at it for {_duration(entry.seconds)}",
    "import": _imported,
    "same": lambda _entry, _: "took what was said of another run under this name for this run's",
    "apart": _began_anew,
}
"""The sentence of each kind of event that changes the whole annotation."""


def _unit_sentence(kind: str, body: Mapping[str, Any]) -> str:
    unit, transcript, note = body.get("unit"), body.get("transcript"), body.get("note")
    place = f"unit {unit}" if isinstance(unit, int) else "a unit"
    place += f" of transcript {transcript}" if isinstance(transcript, int) and transcript else ""
    text = f": {note}" if isinstance(note, str) and note else ""
    if kind == "mark":
        return f"marked {place}{text}"
    if kind == "unmark":
        return f"took the mark on {place} away"
    scores = body.get("scores")
    pairs = scores.items() if isinstance(scores, dict) else ()
    said = ", ".join(f"{name} {written(score)}" for name, score in pairs if isinstance(score, int | float))
    if not said and not text:
        return f"took the note on {place} away"
    return f"noted on {place}" + (f": {said}" if said else "") + (f"; {note}" if said and text else text)


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


def journals_of(folder: Path) -> list[Path]:
    """The paths of the journals in a folder. Raises AnnotationError where it cannot be read."""
    try:
        return sorted(path for path in folder.glob("*.jsonl") if path.is_file())
    except OSError as error:
        raise refusal(error, folder, "The history could not be read") from error
