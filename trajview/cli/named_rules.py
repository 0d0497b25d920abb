"""Highlight rules by name on the command line: the option, its completion, and what the names stand for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .common import say_problem
from .completing import paths_in

if TYPE_CHECKING:
    from trajview.config import Settings
    from trajview.rules import Rule

__all__ = ["rule_option", "rules_named", "rules_on"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def rule_option(help: str, *, multiple: bool = True) -> Callable[[_Command], _Command]:
    """Add the option --rule NAME, which a shell completes."""
    return click.option(
        "--rule",
        "rules" if multiple else "rule",
        multiple=multiple,
        metavar="NAME",
        help=help,
        shell_complete=_complete,
    )


def _complete(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a rule, with hyphens for spaces, which shells take apart."""
    from trajview.config import load_settings
    from trajview.errors import TrajviewError
    from trajview.rules import built_in_rules, project_file
    from trajview.rules.known import known_rules

    try:
        rules, _ = known_rules(load_settings().rules, project_file(paths_in(ctx) or [Path()]))
    except TrajviewError:  # a faulty configuration is reported when a command runs
        rules = {rule.name: rule for rule in built_in_rules()}
    names = (name.replace(" ", "-") for name in rules)
    return [name for name in names if name.startswith(incomplete)]


def rules_named(names: Sequence[str], settings: Settings) -> list[Rule]:
    """Find rules by their names. Raises UnknownRule."""
    from trajview.rules.known import rule_named

    rules = _known(settings)
    return [rule_named(name, rules) for name in names]


def rules_on(settings: Settings, names: Sequence[str] = ()) -> list[Rule]:
    """The rules that are on as in the viewer, and those named. Raises UnknownRule."""
    from trajview.rules import compile_rule
    from trajview.rules.known import rule_named

    rules = _known(settings)
    named = {rule_named(name, rules).name for name in names}
    on = [rule for rule in rules.values() if rule.on or rule.name in named]
    return [*on, *map(compile_rule, settings.highlight)]


def _known(settings: Settings) -> dict[str, Rule]:
    from trajview.rules import project_file
    from trajview.rules.known import known_rules

    rules, problems = known_rules(settings.rules, project_file(settings.paths))
    for problem in problems:
        say_problem(problem)
    return rules
