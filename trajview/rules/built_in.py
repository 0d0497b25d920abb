"""The rules that come with trajview."""

from __future__ import annotations

import pkgutil
import re
from functools import cache
from typing import Final

from .rule import Rule

__all__ = ["BUILT_IN", "built_in_rules"]

BUILT_IN: Final = "built in"
"""The origin of these rules."""


@cache
def built_in_rules() -> tuple[Rule, ...]:
    """Tracebacks, failing tests, refusals, apologies, signs of reward hacking, secrets: `data/rules.toml`. All are off."""
    import tomllib

    data = pkgutil.get_data("trajview", "data/rules.toml")
    assert data is not None  # a package that is a folder or a zip has a loader that can
    return tuple(
        Rule(
            table["name"],
            re.compile("|".join(table["patterns"]), re.IGNORECASE),
            frozenset(table.get("in", ())),
            frozenset(table.get("role", ())),
            colour=table["colour"],
            on=False,
            words=tuple(table["words"]),
            origin=BUILT_IN,
        )
        for table in tomllib.loads(data.decode("utf-8"))["rule"]
    )
