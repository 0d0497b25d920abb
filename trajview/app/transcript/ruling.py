"""Highlight rules on the transcript screen: looked for in threads, switched, made from what is selected, saved."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, SimpleQueue

from textual import work
from textual.message import Message
from textual.worker import Worker, get_current_worker

from trajview.app.keys import key_of
from trajview.app.transcript.highlight_index import HighlightIndex, rule_key
from trajview.app.transcript.jumping import Jumping
from trajview.app.transcript.rulebook import RuleBook, rule_from
from trajview.app.transcript.session import TranscriptSession
from trajview.app.transcript.sources import Row, SourcesScreen
from trajview.corpus.process_wide import giving_way, short_turns
from trajview.highlight import Highlight, Rule, compile_rule
from trajview.patterns.safe import slow_because
from trajview.textsafe import one_line

__all__ = ["Ruling"]

_SAYS = {
    "search": "search hits", "error": "errors", "mark": "marks", "citation": "citations",
    "unit": "units named on the command line",
}  # fmt: skip


class Ruling(Jumping):
    """Actions on highlight rules. What is `Managed` by the panel of highlights is this screen."""

    class _Indexed(Message):
        """An index of highlights was made, of what was found of a rule, or in a scan; `taken` says whether it is shown."""

        def __init__(
            self,
            session: TranscriptSession,
            made: tuple[list[Highlight], HighlightIndex, int],
            off: set[str],
            rule: Rule | None,
            *,
            scanned: bool,
        ) -> None:
            super().__init__()
            self.session, self.made, self.off, self.rule, self.scanned = session, made, off, rule, scanned
            self.taken: SimpleQueue[bool] = SimpleQueue()

    _counting = False
    """Whether rules that are off are looked for as well: the panel shows their counts."""
    _just_made = ""
    """The rule of which its count is to be said."""

    @property
    def book(self) -> RuleBook:
        """The rules of the program."""
        return self.trajview.rulebook

    def action_highlight_word(self) -> None:
        """Make what is selected, or the first word under the cursor, a rule."""
        session = self.session
        if session is None or not session.messages:
            return
        word = (self.get_selected_text() or "").strip() or self._word_under_cursor()
        if not word:
            self._brief("no word of the log is on this row: go to one that has some, or select it")
            return
        pattern = compile_rule(re.escape(word[:1_000])).pattern
        self._made(self.book.add(Rule(one_line(word, 40), pattern)))

    def _made(self, rule: Rule) -> None:
        for session in self.sessions.values():
            session.drop_rule(rule.name)
        self._just_made = rule.name
        self._brief(f"looking for “{one_line(rule.name, 30)}”…")
        self._rules_changed()

    def action_highlight_sources(self) -> None:
        """The panel of all highlights."""
        if self.session is None:
            return
        self._counting = True
        self._rules_changed()

        def closed(_: None) -> None:
            self._counting = False
            self._highlights_changed()

        self.app.push_screen(SourcesScreen(self), closed)

    # -- looking -------------------------------------------------------------------------------------------------------

    def _off(self, session: TranscriptSession) -> set[str]:
        off = {source for source in session.sources_off if not source.startswith("rule:")}
        names = {*session.rules, *(rule.name for rule in self.book.rules)}
        return off | {rule_key(name) for name in names if name not in self.book.on}

    def _rules_changed(self) -> None:
        """Show the rules that are on and no others; those that were not looked for yet, once they have been."""
        session = self.session
        if session is None:
            return
        missing = [rule for rule in self.book.wanted if rule.name not in session.rules]
        if self._counting:
            missing += [rule for rule in self.book.rules if rule.name not in session.rules and rule not in missing]
        if not session.many_highlights:
            off = self._off(session)
            session.take(session.indexed(off), off)
            self._highlights_changed()
            if not missing:
                return
        self._look_for_rules(session, missing)

    @work(thread=True, exclusive=True, group="rules", exit_on_error=False)
    def _look_for_rules(self, session: TranscriptSession, rules: Sequence[Rule]) -> None:
        worker = get_current_worker()
        with short_turns():
            if session.many_highlights:
                self._make_index(session, worker)
            for rule in rules:
                found = session.scan_rules([rule], giving_way(lambda: worker.is_cancelled))
                if worker.is_cancelled:
                    return
                self._make_index(session, worker, rule, found)

    @work(thread=True, exclusive=True, group="scan", exit_on_error=False)
    def _scan(self, session: TranscriptSession) -> None:
        """Look for the highlights of a long transcript while it can be read already."""
        worker = get_current_worker()
        with short_turns():
            found = session.scan(giving_way(lambda: worker.is_cancelled))
            if not worker.is_cancelled:
                self._make_index(session, worker, None, found)

    def _make_index(
        self,
        session: TranscriptSession,
        worker: Worker[None],
        rule: Rule | None = None,
        found: Sequence[Highlight] | None = None,
    ) -> None:
        """Make the index anew, in this thread, until nothing has changed meanwhile; `found` is a rule's, or a whole scan's."""
        while not worker.is_cancelled:
            off = self._off(session)
            if rule is not None:
                made = session.indexed(off, {rule.name: found or ()})
            else:
                made = session.indexed(off, scan=found)
            message = self._Indexed(session, made, off, rule, scanned=rule is None and found is not None)
            self.post_message(message)
            while not worker.is_cancelled:
                try:
                    taken = message.taken.get(timeout=0.2)
                except Empty:  # nobody may listen any more: then the worker is cancelled
                    continue
                if taken:
                    return
                break

    def on_ruling__indexed(self, message: _Indexed) -> None:
        message.stop()
        message.taken.put(self._take_rules(message))

    def _take_rules(self, message: _Indexed) -> bool:
        session, rule = message.session, message.rule
        if rule is not None and self.book.get(rule.name) is None:
            return True  # it was removed meanwhile
        rules = [rule] if rule is not None else []
        if message.off != self._off(session) or not session.take(message.made, message.off, rules):
            return False
        session.scanned = session.scanned or message.scanned
        if session is self.session:
            self._highlights_changed()
            if message.scanned:
                self._transcript_shown(session)
            if rule is not None and rule.name == self._just_made:
                self._just_made = ""
                count = session.index.rules.get(rule.name, 0)
                self._brief(
                    f"“{one_line(rule.name, 30)}” in {count} message{'s' * (count != 1)}: "
                    f"{key_of('highlight.next')} and {key_of('highlight.previous')} jump, {key_of('highlight.sources')} names it"
                )
        return True

    def _word_under_cursor(self) -> str:
        assert self.session is not None
        message, number = self.session.cursor
        layout = self.session.layout(message)
        number, start, end = layout.rows[min(number, len(layout.rows) - 1)]
        line = layout.lines[number]
        words = re.findall(r"\w{3,}", "" if line.ours else line.text[start:end])
        return words[0] if words else ""

    # -- what the panel manages ----------------------------------------------------------------------------------------

    def rows(self) -> Sequence[Row]:
        """Sources that have highlights here, then all rules."""
        session = self.session
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
        session = self.session
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
        self._made(rule)
        return rule_key(rule.name)

    def rename(self, key: str, name: str) -> str | None:
        """Returns the new key, None where that cannot be."""
        name, before = one_line(name, 60).strip(), key.removeprefix("rule:")
        if not name or name == before:
            return key
        rule = self.book.rename(before, name)
        if rule is None:
            return None
        for session in self.sessions.values():
            session.drop_rule(before)
        self._rules_changed()
        return rule_key(name)

    def recolour(self, key: str) -> bool:
        """Give a rule the next colour; False if it is no rule."""
        rule = self.book.recolour(key.removeprefix("rule:")) if key.startswith("rule:") else None
        if rule is None:
            return False
        for session in self.sessions.values():
            session.recolour(rule)
        self._highlights_changed()
        return True

    def forget(self, key: str) -> bool:
        """Forget a rule; False if it is not one made here."""
        name = key.removeprefix("rule:")
        if not key.startswith("rule:") or not self.book.remove(name):
            return False
        for session in self.sessions.values():
            session.drop_rule(name)
        self._highlights_changed()
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
