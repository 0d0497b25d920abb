"""Changes of a rule in a TOML file: whether it is on, and its colour; all else in the file stays to the byte."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajview.atomic import write_atomically
from trajview.errors import Where

from .built_in import built_in_rules
from .rule import Rule
from .tables import RuleError

if TYPE_CHECKING:
    from tomlkit.items import InlineTable, Table

__all__ = ["change_rule", "has_rule"]


def has_rule(path: Path, name: str) -> bool:
    """Whether the file has a rule of that name; False where it cannot be read."""
    import tomllib

    try:
        return name in _rules(tomllib.loads(_text(path.read_bytes())))
    except (OSError, ValueError, RecursionError):  # a TOMLDecodeError and a UnicodeError are ValueErrors
        return False


def change_rule(path: Path, rule: Rule) -> None:
    """Write whether a rule of the file is on, and its colour, into its table, where these are others now.

    Raises RuleError where the file does not hold it as a table of its own, or cannot be written.
    """
    import tomllib

    import tomlkit

    try:
        target = path.resolve()  # replace the target of a link
        before = target.read_bytes()
        text = _text(before)
        values = tomllib.loads(text)
        names = _rules(values)
        if rule.name not in names:
            raise RuleError(f"there is no rule `{rule.name}` in this file any more", where=Where(path))
        number = names.index(rule.name)
        document = tomlkit.parse(text)
        wanted = _changes(values["rule"][number], rule)
        for key, value in wanted.items():
            _set(document["rule"][number], key, value)
        after = tomlkit.dumps(document)
        values["rule"][number].update(wanted)
        if tomllib.loads(after) != values:
            raise ValueError("something else would change as well")
        if after != text:
            bom = before[: len(before) - len(text.encode())]
            write_atomically(target, bom + after.encode(), target.stat().st_mode & 0o777)
    except (ValueError, RecursionError) as error:  # it is no TOML; the errors of both readers are ValueErrors
        hint = "change `on` and `colour` there"
        raise RuleError(f"rule `{rule.name}` cannot be changed in this file", hint=hint, where=Where(path)) from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RuleError(f"the rule cannot be saved: {reason}", where=Where(path)) from error


def _text(data: bytes) -> str:
    return data.decode("utf-8").removeprefix("\ufeff")


def _rules(values: Mapping[str, Any]) -> list[Any]:
    """The names of the rules in the values of a file, in order; None for a value that is no rule."""
    tables = values.get("rule", [])
    if not isinstance(tables, list):
        return []
    return [one.get("name") if isinstance(one, dict) else None for one in tables]


def _changes(table: Mapping[str, Any], rule: Rule) -> dict[str, bool | str]:
    """The keys to write for the table to match the rule."""
    known = next((one for one in built_in_rules() if one.name == rule.name), None)
    changes_known = known is not None and not {"pattern", "text"} & table.keys()
    on, colour = (known.on, known.colour) if known is not None and changes_known else (True, "")
    found: dict[str, bool | str] = {}
    if table.get("on", on) != rule.on:
        found["on"] = rule.on
    if rule.colour and table.get("colour", colour) != rule.colour:
        found["colour"] = rule.colour
    return found


def _set(table: Table | InlineTable, key: str, value: bool | str) -> None:
    """Set a key of a rule: in its place where it is there; a new one below the name, written as that is."""
    from tomlkit import item
    from tomlkit.items import InlineTable, SingleKey

    if key in table or isinstance(table, InlineTable):
        table[key] = value
        return
    # At the end of the table it would stand behind a comment on the next one.
    body, below = table.value.body, item(value)
    at, name = next((at, item) for at, (other, item) in enumerate(body) if other is not None and other.key == "name")
    name.trivia.trail = name.trivia.trail or "\n"
    below.trivia.indent, below.trivia.trail = name.trivia.indent, name.trivia.trail
    body.insert(at + 1, (SingleKey(key), below))
