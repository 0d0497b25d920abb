"""The highlight rules of this run of the program: built in, from the files, from the command line, and made while reading."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from trajview.config import Settings, config_path
from trajview.corpus.query import first_of, last_of
from trajview.errors import Problem, TrajviewError
from trajview.patterns.safe import slow_because
from trajview.rules import COLOURS, Rule, append_rule, change_rule, compile_rule, has_rule, project_file
from trajview.rules.built_in import BUILT_IN
from trajview.rules.known import known_rules, rule_named
from trajview.rules.project import PROJECT_FILE
from trajview.rules.rule import FIELDS, ROLES
from trajview.textsafe import one_line

__all__ = ["CONFIG", "RuleBook", "rule_from"]

CONFIG: Final = "config"
"""Where a rule comes from that stands in the configuration."""


def rule_from(typed: str) -> Rule:
    """The rule that a person typed into one line: a pattern, and `role:tool`, `tool:bash`, `in:output` around it.

    The names are those of a rule in a file. Raises TrajviewError.
    """
    chosen: dict[str, set[str]] = {"role": set(), "tool": set(), "in": set()}
    rest = typed.strip()
    while match := first_of(rest) or last_of(rest):
        chosen[match[1]].update(match[2].split(","))
        rest = (rest[: match.start()] + rest[match.end() :]).strip()
    for kind, known in (("role", ROLES), ("in", FIELDS)):
        if unknown := sorted(chosen[kind].difference(known)):
            raise TrajviewError(f"there is no {kind}:{unknown[0]}; one of {', '.join(known)}", title="Bad rule")
    rule = compile_rule(rest)
    return replace(
        rule, name=one_line(typed, 40), fields=frozenset(chosen["in"]), roles=frozenset(chosen["role"]),
        tools=frozenset(chosen["tool"]),
    )  # fmt: skip


class RuleBook:
    """The rules by name, and which of them are on. What is switched here holds until the program ends."""

    def __init__(self, settings: Settings) -> None:
        self._paths = settings.paths
        self.project = project_file(settings.paths)
        """The project file, if there is one."""
        self.problems: list[Problem]
        self._rules, self.problems = known_rules(settings.rules, self.project)
        for pattern in settings.highlight:
            self._rules[pattern] = replace(compile_rule(pattern), origin="--highlight")
        self.on = {rule.name for rule in self._rules.values() if rule.on}
        self.on |= {rule_named(name, self._rules).name for name in settings.rules_on}
        self._switch_slow_ones_off()

    def _switch_slow_ones_off(self) -> None:
        """What can take for ever would keep the screen from its turn as well, and nobody could switch it off any more."""
        for rule in self.wanted:
            why = slow_because(rule.pattern.pattern) if rule.origin in ("config", "--highlight") else None
            if why is not None:
                self.on.discard(rule.name)
                hint = "switch it on with & if it does not, or write it more simply"
                self.problems.append(
                    Problem(f"the rule `{one_line(rule.name, 60)}` is off: it could take for ever ({why})", hint)
                )

    @property
    def rules(self) -> list[Rule]:
        """All rules: those made while reading first, those that come with trajview last."""
        order = {"session": 0, "--highlight": 1, PROJECT_FILE: 2, CONFIG: 3}
        return sorted(self._rules.values(), key=lambda rule: order.get(rule.origin, 4))

    @property
    def wanted(self) -> list[Rule]:
        """The rules that are on."""
        return [rule for rule in self._rules.values() if rule.name in self.on]

    def get(self, name: str) -> Rule | None:
        """The rule of that name."""
        return self._rules.get(name)

    def add(self, rule: Rule) -> Rule:
        """Take a rule in, on, in place of one of the session's of the same name; with a colour that few have."""
        if not rule.colour:
            used = [one.colour for one in self._rules.values() if one.name in self.on and one.name != rule.name]
            rule = replace(rule, colour=min(COLOURS, key=used.count))
        known = self._rules.get(rule.name)
        if known is not None and known.origin != "session" and known.pattern != rule.pattern:
            number = 2
            while f"{rule.name} {number}" in self._rules:
                number += 1
            rule = replace(rule, name=f"{rule.name} {number}")
        self._rules[rule.name] = rule
        self.on.add(rule.name)
        return rule

    def switch(self, name: str) -> bool:
        """Switch a rule on or off; returns whether it is on now."""
        self.on ^= {name}
        return name in self.on

    def recolour(self, name: str) -> Rule | None:
        """Give a rule the next colour; None where there is no such rule."""
        rule = self._rules.get(name)
        if rule is None:
            return None
        at = COLOURS.index(rule.colour or COLOURS[0])
        self._rules[name] = changed = replace(rule, colour=COLOURS[(at + 1) % len(COLOURS)])
        return changed

    def remove(self, name: str) -> bool:
        """Forget a rule that was made while reading; False if it is another."""
        rule = self._rules.get(name)
        if rule is None or rule.origin != "session":
            return False
        del self._rules[name]
        self.on.discard(name)
        return True

    def rename(self, name: str, to: str) -> Rule | None:
        """Give a rule that was made while reading another name; None where that is taken, or it is another's rule.

        Without a name it stays what it is called.
        """
        rule = self._rules.get(name)
        if not to or to == name:
            return rule
        if rule is None or rule.origin != "session" or to in self._rules:
            return None
        self._rules = {to if one == name else one: kept for one, kept in self._rules.items()}
        self._rules[to] = renamed = replace(rule, name=to)
        self.on = {to if one == name else one for one in self.on}
        return renamed

    def places(self) -> dict[str, Path]:
        """Where a rule can be saved: in the project file, there or in the folder of the first path, or the configuration."""
        first = (self._paths[0] if self._paths else Path()).absolute()
        folder = first if first.is_dir() else first.parent
        return {"project": self.project or folder / PROJECT_FILE, "config": config_path()}

    def overruling(self, name: str, place: str) -> Path | None:
        """The configuration, where what it says of a rule comes before what was saved at that place."""
        config = self.places()["config"]
        return config if place == "project" and has_rule(config, name) else None

    def keep(self, name: str) -> Path:
        """Write whether a rule of a file is on, and its colour, where the rule comes from. Raises RuleError."""
        rule = replace(self._rules[name], on=name in self.on)
        path = self.places()["project" if rule.origin == PROJECT_FILE else "config"]
        change_rule(path, rule)
        self._rules[name] = rule
        return path

    def save(self, name: str, place: str) -> Path:
        """Write a rule to the project file or the configuration. Raises RuleError."""
        path, rule = self.places()[place], replace(self._rules[name], on=name in self.on)
        if rule.origin == BUILT_IN and has_rule(path, name):
            change_rule(path, rule)
        else:
            append_rule(path, rule)
        if rule.origin != BUILT_IN:
            self._rules[name] = replace(rule, origin=PROJECT_FILE if place == "project" else CONFIG)
        if place == "project":
            self.project = path
        return path
