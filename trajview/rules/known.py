"""All known rules by name: those that come with trajview, the project file's, and the configuration's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from trajview.errors import Problem, TrajviewError

from .built_in import built_in_rules
from .project import read_project
from .rule import Rule

__all__ = ["UnknownRule", "known_rules", "rule_named"]


class UnknownRule(TrajviewError):
    """There is no rule of that name."""

    title = "Unknown rule"


def known_rules(configured: Sequence[Rule], project: Path | None) -> tuple[dict[str, Rule], list[Problem]]:
    """All rules by name, and the problems of the project file."""
    rules = {rule.name: rule for rule in (*built_in_rules(), *configured)}
    if project is None:
        return rules, []
    found, problems = read_project(project)
    # A person's configuration counts more than a file beside logs.
    mine = {rule.name for rule in configured}
    rules.update((rule.name, rule) for rule in found if rule.name not in mine)
    return rules, problems


def rule_named(name: str, rules: Mapping[str, Rule]) -> Rule:
    """Find a rule by name; case does not matter, and hyphens stand for spaces. Raises UnknownRule with the nearest."""
    if name in rules:
        return rules[name]
    by_name: dict[str, Rule] = {_plain(known): rule for known, rule in rules.items()}
    found = by_name.get(_plain(name))
    if found is not None:
        return found
    near = get_close_matches(_plain(name), by_name, 1)
    hint = f"did you mean `{by_name[near[0]].name}`?" if near else f"there are {', '.join(rules)}"
    raise UnknownRule(f"there is no rule {name!r}", hint=hint)


def _plain(name: str) -> str:
    return " ".join(name.casefold().replace("-", " ").replace("_", " ").split())
