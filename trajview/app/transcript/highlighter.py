"""Highlight rules in the run that is read: looked for in threads, switched, made from what is selected, saved."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trajview.app.keys import key_of
from trajview.app.transcript.highlight_index import HighlightIndex, rule_key
from trajview.app.transcript.rulebook import RuleBook, rule_from
from trajview.app.transcript.sources import Row
from trajview.corpus.process_wide import giving_way, short_turns
from trajview.highlight import Highlight, Rule, compile_rule
from trajview.patterns.safe import slow_because
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.app.shared.background import Task
    from trajview.app.shared.commands import Commands
    from trajview.app.transcript.desk import Desk
    from trajview.app.transcript.session import TranscriptSession

__all__ = ["Highlighter"]

_SAYS = {
    "search": "search hits", "error": "errors", "mark": "marks", "citation": "citations",
    "unit": "units named on the command line",
}  # fmt: skip


class Highlighter:
    """Finds highlights, and changes the rules for them. The panel of highlights manages it (see `Managed`).

    `scanned` is called when all of a transcript that is shown has been looked through; `selected_text` gives what the
    reader has selected, and `open_panel` shows the panel, and calls back when it is closed.
    """

    def __init__(
        self,
        desk: Desk,
        book: RuleBook,
        *,
        scanned: Callable[[TranscriptSession], None],
        selected_text: Callable[[], str | None],
        open_panel: Callable[[Callable[[], None]], None],
    ) -> None:
        self._reading, self._display, self._notices = desk.reading, desk.display, desk.notices
        self._background, self.book = desk.background, book
        self._scanned, self._selected_text, self._open_panel = scanned, selected_text, open_panel
        self._counts_all = False
        """Whether rules that are off are looked for as well: the panel shows their counts."""
        self._just_made = ""
        """The rule whose count is to be said once it is known."""

    @property
    def commands(self) -> Commands:
        return {"highlight.word": self.highlight_word, "highlight.sources": self.show_panel}

    def highlight_word(self) -> None:
        """Make what is selected, or the first word under the cursor, a rule."""
        session = self._reading.session
        if session is None or not session.messages:
            return
        word = (self._selected_text() or "").strip() or _word_at_cursor(session)
        if not word:
            self._notices.brief("no word of the log is on this row: go to one that has some, or select it")
            return
        pattern = compile_rule(re.escape(word[:1_000])).pattern
        self._begin(self.book.add(Rule(one_line(word, 40), pattern)))

    def _begin(self, rule: Rule) -> None:
        """Look for a rule that was just made."""
        self._drop(rule.name)
        self._just_made = rule.name
        self._notices.brief(f"looking for “{one_line(rule.name, 30)}”…")
        self._rules_changed()

    def _drop(self, name: str) -> None:
        for session in self._reading.sessions.values():
            session.drop_rule(name)

    def show_panel(self) -> None:
        """The panel of all highlights."""
        if self._reading.session is None:
            return
        self._counts_all = True
        self._rules_changed()

        def closed() -> None:
            self._counts_all = False
            self._display.highlights_changed()

        self._open_panel(closed)

    # -- looking -------------------------------------------------------------------------------------------------------

    def _off(self, session: TranscriptSession) -> set[str]:
        """The sources and rules that are off."""
        off = {source for source in session.sources_off if not source.startswith("rule:")}
        names = {*session.rules, *(rule.name for rule in self.book.rules)}
        return off | {rule_key(name) for name in names if name not in self.book.on}

    def _rules_changed(self) -> None:
        """Show the rules that are on and no others; those that were not looked for yet, once they have been."""
        session = self._reading.session
        if session is None:
            return
        missing = [rule for rule in self.book.wanted if rule.name not in session.rules]
        if self._counts_all:
            missing += [rule for rule in self.book.rules if rule.name not in session.rules and rule not in missing]
        if not session.many_highlights:
            off = self._off(session)
            session.take(session.indexed(off), off)
            self._display.highlights_changed()
            if not missing:
                return
        self._background.start("rules", lambda task: self._look_for(session, missing, task))

    def _look_for(self, session: TranscriptSession, rules: Sequence[Rule], task: Task) -> None:
        with short_turns():
            if session.many_highlights:
                self._make_index(session, task)
            for rule in rules:
                found = session.scan_rules([rule], giving_way(task.cancelled))
                if task.cancelled():
                    return
                self._make_index(session, task, rule, found)

    def scan(self, session: TranscriptSession) -> None:
        """Look for the highlights of a long transcript while it can be read already."""
        self._background.start("scan", lambda task: self._scan(session, task))

    def _scan(self, session: TranscriptSession, task: Task) -> None:
        with short_turns():
            found = session.scan(giving_way(task.cancelled))
            if not task.cancelled():
                self._make_index(session, task, None, found)

    def _make_index(
        self,
        session: TranscriptSession,
        task: Task,
        rule: Rule | None = None,
        found: Sequence[Highlight] | None = None,
    ) -> None:
        """Make the index anew, in this thread, until nothing has changed meanwhile; `found` is a rule's, or a whole scan's."""
        taken: bool | None = False
        while taken is False:
            off = self._off(session)
            if rule is not None:
                made = session.indexed(off, {rule.name: found or ()})
            else:
                made = session.indexed(off, scan=found)
            taken = task.ask(self._take, session, made, off, rule, whole=rule is None and found is not None)

    def _take(
        self,
        session: TranscriptSession,
        made: tuple[list[Highlight], HighlightIndex, int],
        off: set[str],
        rule: Rule | None,
        *,
        whole: bool,
    ) -> bool:
        """Show an index; False where something has changed since it was begun. `whole`: all messages were looked through."""
        if rule is not None and self.book.get(rule.name) is None:
            return True  # it was removed meanwhile
        if off != self._off(session) or not session.take(made, off, [rule] if rule is not None else []):
            return False
        session.scanned = session.scanned or whole
        if session is self._reading.session:
            self._display.highlights_changed()
            if whole:
                self._scanned(session)
            if rule is not None and rule.name == self._just_made:
                self._just_made = ""
                self._count(session, rule)
        return True

    def _count(self, session: TranscriptSession, rule: Rule) -> None:
        count = session.index.rules.get(rule.name, 0)
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
        rows = [
            Row(source, _SAYS[source], count, source not in session.sources_off, "red" if source == "error" else "")
            for source, count in session.all_sources.items()
            if source in _SAYS
        ]
        for rule in self.book.rules:
            count = session.index.rules.get(rule.name, 0) if rule.name in session.rules else None
            rows.append(Row(rule_key(rule.name), rule.name, count, rule.name in self.book.on, rule.colour, rule.origin))
        return rows

    def switch(self, key: str) -> None:
        """On or off."""
        session = self._reading.session
        if session is None:
            return
        if key.startswith("rule:"):
            self.book.switch(key.removeprefix("rule:"))
        else:
            session.sources_off ^= {key}
        self._rules_changed()

    def check(self, pattern: str) -> str | None:
        """Why the pattern may take very long, if so. Raises TrajviewError for what is no pattern."""
        return slow_because(rule_from(pattern).pattern.pattern)

    def add(self, pattern: str) -> str:
        """A new rule; returns its key. Raises TrajviewError."""
        rule = self.book.add(rule_from(pattern))
        self._begin(rule)
        return rule_key(rule.name)

    def rename(self, key: str, name: str) -> str | None:
        """Returns the new key, None where that cannot be."""
        name, before = one_line(name, 60).strip(), key.removeprefix("rule:")
        if not name or name == before:
            return key
        rule = self.book.rename(before, name)
        if rule is None:
            return None
        for session in self._reading.sessions.values():
            session.drop_rule(before)
        self._rules_changed()
        return rule_key(name)

    def recolour(self, key: str) -> bool:
        """Give a rule the next colour; False if it is no rule."""
        rule = self.book.recolour(key.removeprefix("rule:")) if key.startswith("rule:") else None
        if rule is None:
            return False
        for session in self._reading.sessions.values():
            session.recolour(rule)
        self._display.highlights_changed()
        return True

    def forget(self, key: str) -> bool:
        """Forget a rule; False if it is not one made here."""
        name = key.removeprefix("rule:")
        if not key.startswith("rule:") or not self.book.remove(name):
            return False
        for session in self._reading.sessions.values():
            session.drop_rule(name)
        self._display.highlights_changed()
        return True

    def places(self) -> dict[str, Path]:
        """Where rules can be saved."""
        return self.book.places()

    def overruling(self, key: str, place: str) -> Path | None:
        """The file whose word on a rule comes before what was saved at that place."""
        return self.book.overruling(key.removeprefix("rule:"), place)

    def keep(self, key: str) -> Path:
        """Save how a rule of a file is now, where it is from. Raises TrajviewError."""
        return self.book.keep(key.removeprefix("rule:"))

    def save(self, key: str, place: str) -> Path:
        """Save a rule. Raises TrajviewError."""
        return self.book.save(key.removeprefix("rule:"), place)


def _word_at_cursor(session: TranscriptSession) -> str:
    """The first word of the log on the row under the cursor, "" where none is."""
    message, number = session.cursor
    layout = session.layout(message)
    number, start, end = layout.rows[min(number, len(layout.rows) - 1)]
    line = layout.lines[number]
    words = re.findall(r"\w{3,}", "" if line.ours else line.text[start:end])
    return words[0] if words else ""
