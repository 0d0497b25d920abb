"""Highlight rules in the run that is read: looked for in threads, switched, made from what is selected, saved."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajview.app.keys import key_of
from trajview.app.transcript.highlights import rule_key
from trajview.app.transcript.rulebook import RuleBook, rule_from
from trajview.corpus.process_wide import giving_way, short_turns
from trajview.highlight import Highlight, Rule, compile_rule
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.app.shared.background import Task
    from trajview.app.shared.commands import Commands
    from trajview.app.transcript.desk import Desk
    from trajview.app.transcript.session import TranscriptSession

__all__ = ["Highlighter", "Row"]

_SAYS = {
    "error": "errors", "unit": "units named on the command line", "citation": "citations", "mark": "marks",
    "search": "search hits",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """A source of highlights, or a rule: `count` is None while it is looked for, `origin` empty for a source."""

    key: str
    label: str
    count: int | None
    on: bool
    colour: str = ""
    origin: str = ""


class Highlighter:
    """Finds highlights, and changes the rules for them. The panel of highlights shows and switches them.

    `scanned` is called when all of a transcript that is shown has been looked through.
    """

    def __init__(self, desk: Desk, book: RuleBook, *, scanned: Callable[[TranscriptSession], None]) -> None:
        self._reading, self._display, self._notices = desk.reading, desk.display, desk.notices
        self._background, self.book = desk.background, book
        self._scanned = scanned
        self._counts_all = False
        """Whether rules that are off are looked for as well: the panel shows their counts."""
        self._just_made = ""
        """The rule whose count is to be said once it is known."""

    @property
    def commands(self) -> Commands:
        return {"highlight.word": self.highlight_word}

    def highlight_word(self) -> None:
        """Make what is selected, or the first word under the cursor, a rule."""
        session = self._reading.shown
        word = self._display.selected_text.strip() or _word_at_cursor(session)
        if not word:
            self._notices.brief("no word of the log is on this row")
            return
        pattern = compile_rule(re.escape(word[:1_000])).pattern
        self._begin(self.book.add(Rule(one_line(word, 40), pattern)))

    def _begin(self, rule: Rule) -> None:
        """Look for a rule that was just made."""
        for session in self._reading.sessions.values():
            session.highlights.drop_rule(rule.name)
        self._just_made = rule.name
        self._notices.brief(f"looking for “{one_line(rule.name, 30)}”…")
        self.rules_changed()

    def panel_shown(self, shown: bool) -> None:
        """The panel of highlights is opened, which shows the counts of all rules; or closed."""
        self._counts_all = shown
        self.rules_changed()

    # -- looking -------------------------------------------------------------------------------------------------------

    def _switch(self, session: TranscriptSession) -> None:
        """Show the rules that are on and no others."""
        off = {source for source in session.highlights.off if not source.startswith("rule:")}
        names = {*session.highlights.rules, *(rule.name for rule in self.book.rules)}
        session.highlights.switch_off(off | {rule_key(name) for name in names if name not in self.book.on})

    def rules_changed(self) -> None:
        """Show the rules of the book that are on, those that were not looked for yet once they have been."""
        for each in self._reading.sessions.values():
            each.highlights.follow({rule.name: rule for rule in self.book.rules})
        session = self._reading.session
        if session is None:
            return
        self._switch(session)
        self._display.highlights_changed()
        wanted = [*self.book.wanted, *(self.book.rules if self._counts_all else ())]
        missing = {rule.name: rule for rule in wanted if rule.name not in session.highlights.rules}
        if missing:
            self._background.start("rules", lambda task: self._look_for(session, missing.values(), task))

    def _look_for(self, session: TranscriptSession, rules: Iterable[Rule], task: Task) -> None:
        with short_turns():
            for rule in rules:
                found = session.highlights.scan_rule(rule, giving_way(task.cancelled))
                task.tell(self._take_rule, session, rule, found)

    def _take_rule(self, session: TranscriptSession, rule: Rule, found: Sequence[Highlight]) -> None:
        if self.book.get(rule.name) is None:
            return  # it was removed meanwhile
        session.highlights.put_rule(rule, found)
        self._switch(session)
        if session is self._reading.session:
            self._display.highlights_changed()
            if rule.name == self._just_made:
                self._just_made = ""
                self._count(rule, len(found))

    def scan(self, session: TranscriptSession) -> None:
        """Look for the highlights of a long transcript while it can be read already."""
        self._background.start("scan", lambda task: self._scan(session, task))

    def _scan(self, session: TranscriptSession, task: Task) -> None:
        with short_turns():
            task.tell(self._take_scan, session, session.highlights.scan(giving_way(task.cancelled)))

    def _take_scan(self, session: TranscriptSession, found: Mapping[str, Sequence[Highlight]]) -> None:
        session.highlights.take_scan(found)
        if session is self._reading.session:
            self._display.highlights_changed()
            self._scanned(session)

    def _count(self, rule: Rule, count: int) -> None:
        self._notices.brief(
            f"“{one_line(rule.name, 30)}” in {count} message{'s' * (count != 1)}: "
            f"{key_of('highlight.next')} and {key_of('highlight.previous')} jump, {key_of('highlight.sources')} names it"
        )

    # -- what the panel manages ----------------------------------------------------------------------------------------

    def rows(self) -> Sequence[Row]:
        """Sources that have highlights here, then all rules."""
        session = self._reading.session
        if session is None:
            return []
        highlights, counts = session.highlights, session.highlights.counts
        rows = [
            Row(source, label, counts[source], source not in highlights.off, "red" if source == "error" else "")
            for source, label in _SAYS.items()
            if source in counts
        ]
        for rule in self.book.rules:
            key = rule_key(rule.name)
            count = counts.get(key, 0) if rule.name in highlights.rules else None
            rows.append(Row(key, rule.name, count, rule.name in self.book.on, rule.colour, rule.origin))
        return rows

    def switch(self, key: str) -> None:
        """On or off."""
        session = self._reading.session
        if session is None:
            return
        if key.startswith("rule:"):
            self.book.switch(key.removeprefix("rule:"))
        else:
            session.highlights.switch_off(session.highlights.off ^ {key})
        self.rules_changed()

    def add(self, pattern: str) -> Rule:
        """Make a rule of what was typed, and look for it. Raises TrajviewError."""
        rule = self.book.add(rule_from(pattern))
        self._begin(rule)
        return rule


def _word_at_cursor(session: TranscriptSession) -> str:
    """The first word of the log on the row under the cursor, "" where none is."""
    message, number = session.cursor
    layout = session.layout(message)
    number, start, end = layout.rows[min(number, len(layout.rows) - 1)]
    line = layout.lines[number]
    words = re.findall(r"\w{3,}", "" if line.ours else line.text[start:end])
    return words[0] if words else ""
