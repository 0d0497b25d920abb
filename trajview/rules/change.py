"""Changes of a rule in a TOML file: whether it is on, and its colour; all else in the file stays to the byte."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from trajview.atomic import write_atomically
from trajview.errors import Where

from .built_in import built_in_rules
from .rule import Rule
from .tables import RuleError, heads_in, quoted

__all__ = ["change_rule", "has_rule"]

_ANY_HEAD: Final = re.compile(r"^[ \t]*\[", re.MULTILINE)
_VALUE: Final = r"(?:true|false|\"[^\"\\\n]*\"|'[^'\n]*')"


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

    by_hand = RuleError(
        f"rule `{rule.name}` cannot be changed in this file", hint="change `on` and `colour` there", where=Where(path)
    )
    try:
        target = path.resolve()  # replace the target of a link
        before = target.read_bytes()
        text = _text(before)
        values = tomllib.loads(text)
        names = _rules(values)
        if rule.name not in names:
            raise RuleError(f"there is no rule `{rule.name}` in this file any more", where=Where(path))
        number = names.index(rule.name)
        wanted = _changes(values["rule"][number], rule)
        after = text
        for key, value in wanted.items():
            after = _with(after, number, key, value)
        values["rule"][number].update(wanted)
        if tomllib.loads(after) != values:  # the file is written in an unexpected way
            raise by_hand
        if after != text:
            bom = before[: len(before) - len(text.encode())]
            write_atomically(target, bom + after.encode(), target.stat().st_mode & 0o777)
    except (ValueError, RecursionError) as error:
        raise by_hand from error
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


def _with(text: str, number: int, key: str, value: bool | str) -> str:
    """The text with a key of the nth rule set: in its place where it is there, else below the name. Raises ValueError."""
    heads = heads_in(text)
    if number >= len(heads):
        raise ValueError("it is no table of its own")
    start = heads[number].end()
    following = _ANY_HEAD.search(text, start)
    end = following.start() if following else len(text)
    written = str(value).lower() if isinstance(value, bool) else quoted(value)
    there = re.compile(rf"^([ \t]*[\"']?{key}[\"']?[ \t]*=[ \t]*){_VALUE}", re.MULTILINE).search(text, start, end)
    if there is not None:
        return text[: there.end(1)] + written + text[there.end() :]
    name = re.compile(r"^([ \t]*)[\"']?name[\"']?[ \t]*=[^\r\n]*(\r?\n|\Z)", re.MULTILINE).search(text, start, end)
    if name is None:
        raise ValueError("it has no name on a line of its own")
    newline = name[2] or "\n"
    line = f"{name[1]}{key} = {written}{newline}"
    return text[: name.end()] + ("" if name[2] else newline) + line + text[name.end() :]
