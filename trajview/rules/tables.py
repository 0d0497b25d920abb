"""Rules as `[[rule]]` tables of a TOML file: read with every mistake in its line, and written at the end of one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from trajview.atomic import write_atomically
from trajview.errors import TrajviewError, Where
from trajview.patterns.safe import slow_because

from .built_in import BUILT_IN, built_in_rules
from .rule import COLOURS, FIELDS, ROLES, Rule, compile_pattern

__all__ = ["RuleError", "append_rule", "as_table", "rules_in"]

_KEYS: Final = ("name", "pattern", "text", "in", "role", "tool", "colour", "on")
_MOST = 200
_LONGEST = 2_000


class RuleError(TrajviewError):
    """A rule that cannot be used as it is written."""

    title = "Bad rule"


class _Table:
    """One `[[rule]]`, and where it stands in the file."""

    def __init__(self, values: dict[str, Any], path: Path, text: str, number: int) -> None:
        self.values, self.path, self.text, self.number = values, path, text, number

    def wrong(self, sentence: str, hint: str = "", key: str = "") -> RuleError:
        return RuleError(sentence, hint=hint, where=Where(self.path, _line_of(self.text, self.number, key)))


def rules_in(values: object, path: Path, text: str, *, origin: str, trusted: bool = True) -> list[Rule]:
    """Read the rules in the value of `rule` in a TOML file. Raises RuleError with file, line and hint.

    A rule that has the name of one that comes with trajview changes that one. Of a file that is not `trusted`, patterns that
    can take for ever are refused.
    """
    if not isinstance(values, list) or not all(isinstance(one, dict) for one in values):
        raise RuleError(
            "`rule` must be tables", hint="write [[rule]] above each", where=Where(path, _line_of(text, 0, ""))
        )
    if len(values) > _MOST:
        raise RuleError(f"there are more than {_MOST} rules", where=Where(path, _line_of(text, _MOST, "")))
    rules: dict[str, Rule] = {}
    for number, one in enumerate(values):
        table = _Table(one, path, text, number)
        rule = _rule(table, origin, trusted)
        if rule.name in rules:
            raise table.wrong(f"there are two rules `{rule.name}`", "give each its own name", "name")
        rules[rule.name] = rule
    return list(rules.values())


def _rule(table: _Table, origin: str, trusted: bool) -> Rule:
    values = table.values
    _check_keys(table)
    name = _name(table)
    known = next((rule for rule in built_in_rules() if rule.name == name), None)
    rule = _pattern(table, name, known, trusted)
    if "in" in values:
        rule = replace(rule, fields=_chosen(table, "in", FIELDS))
    if "role" in values:
        rule = replace(rule, roles=_chosen(table, "role", ROLES))
    if "tool" in values:
        rule = replace(rule, tools=_chosen(table, "tool", None))
    return replace(
        rule,
        colour=_colour(table, rule.colour),
        on=_is_on(table, rule.on),
        origin=origin if "pattern" in values or "text" in values else rule.origin,
    )


def _check_keys(table: _Table) -> None:
    for key in table.values:
        if key not in _KEYS:
            close = get_close_matches("colour" if key == "color" else key, _KEYS, 1)
            raise table.wrong(
                f"a rule has no `{key}`", f"did you mean `{close[0]}`?" if close else f"it has {', '.join(_KEYS)}", key
            )


def _name(table: _Table) -> str:
    name = table.values.get("name")
    if not isinstance(name, str) or not name.strip() or len(name) > 60 or not name.isprintable():
        raise table.wrong("a rule needs a `name`", "a few words, as text", "name" if "name" in table.values else "")
    return name


def _colour(table: _Table, usual: str) -> str:
    colour = table.values.get("colour")
    if colour is None:
        return usual
    if colour not in COLOURS:
        raise table.wrong(f"there is no colour {colour!r:.40}", f"one of {', '.join(COLOURS)}", "colour")
    return str(colour)


def _is_on(table: _Table, usual: bool) -> bool:
    on = table.values.get("on")
    if on is None:
        return usual
    if not isinstance(on, bool):
        raise table.wrong("`on` must be true or false", key="on")
    return on


def _pattern(table: _Table, name: str, known: Rule | None, trusted: bool) -> Rule:
    values = table.values
    given = [key for key in ("pattern", "text") if key in values]
    if len(given) == 2:
        raise table.wrong(f"rule `{name}` has a `pattern` and a `text`", "keep one of them", "text")
    if not given:
        if known is not None:
            return known
        raise table.wrong(f"rule `{name}` has no `pattern`", "a regular expression; or `text`, taken as it stands")
    key = given[0]
    value = values[key]
    if not isinstance(value, str) or not value or len(value) > _LONGEST:
        raise table.wrong(f"`{key}` must be a text of 1 to {_LONGEST:,} characters", "say what to look for", key)
    source = re.escape(value) if key == "text" else value
    try:
        pattern = compile_pattern(source, lines=True)
    except (re.error, OverflowError, RecursionError) as error:
        said = error.msg if isinstance(error, re.error) else str(error)
        raise table.wrong(
            f"the pattern of rule `{name}` is not a regular expression: {said}",
            "escape special characters with a backslash, and write it in single quotes",
            key,
        ) from error
    slow = None if trusted else slow_because(source)
    if slow is not None:
        raise table.wrong(f"the pattern of rule `{name}` could take for ever: {slow}", "write it more simply", key)
    return Rule(name, pattern)


def _chosen(table: _Table, key: str, allowed: Sequence[str] | None) -> frozenset[str]:
    value = table.values[key]
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not items or not all(isinstance(item, str) and item for item in items):
        raise table.wrong(f"`{key}` must be a text or a list of texts", key=key)
    for item in items:
        if allowed is not None and item not in allowed:
            close = get_close_matches(item, allowed, 1)
            raise table.wrong(
                f"`{key}` cannot be {item!r:.40}",
                f"did you mean `{close[0]}`?" if close else f"one of {', '.join(allowed)}",
                key,
            )
    return frozenset(items)


def _heads_in(text: str) -> list[re.Match[str]]:
    """The lines `[[rule]]` of a TOML file."""
    return list(re.finditer(r"^[ \t]*\[\[[ \t]*[\"']?rule[\"']?[ \t]*\]\]", text, re.MULTILINE))


def _line_of(text: str, number: int, key: str) -> int | None:
    """The line of a key in the nth `[[rule]]`, else of its head; tomllib does not tell."""
    heads = _heads_in(text)
    if number >= len(heads):
        found = re.search(r"^[ \t]*\[?[ \t]*rule\b", text, re.MULTILINE)
        return text.count("\n", 0, found.start()) + 1 if found else None
    at = heads[number].start()
    end = heads[number + 1].start() if number + 1 < len(heads) else len(text)
    if key:
        inside = re.compile(rf"^[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*=", re.MULTILINE).search(text, at, end)
        at = inside.start() if inside else at
    return text.count("\n", 0, at) + 1


def as_table(rule: Rule) -> str:
    """The rule as a `[[rule]]` of a TOML file; of one that comes with trajview, whether it is on and its colour, if that is another."""
    if rule.origin == BUILT_IN:
        known = next((one for one in built_in_rules() if one.name == rule.name), rule)
        colour = f"colour = {_quoted(rule.colour)}\n" if rule.colour != known.colour else ""
        return f"[[rule]]\nname = {_quoted(rule.name)}\non = {str(rule.on).lower()}\n{colour}"
    lines = ["[[rule]]", f"name = {_quoted(rule.name)}", f"pattern = {_quoted(rule.pattern.pattern)}"]
    for key, chosen in (("in", rule.fields), ("role", rule.roles), ("tool", rule.tools)):
        if chosen:
            lines.append(f"{key} = [{', '.join(map(_quoted, sorted(chosen)))}]")
    if rule.colour:
        lines.append(f"colour = {_quoted(rule.colour)}")
    if not rule.on:
        lines.append("on = false")
    return "\n".join(lines) + "\n"


def append_rule(path: Path, rule: Rule) -> None:
    """Write a rule at the end of a TOML file, which is made if need be; all else in it stays to the byte.

    Raises RuleError if the file holds a rule of that name, would be no TOML then, or cannot be written.
    """
    import tomllib

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        target = path.resolve()  # replace the target of a link
        before = target.read_bytes() if target.exists() else b""
        values = tomllib.loads(before.decode("utf-8").removeprefix("\ufeff"))
        known = values.get("rule", [])
        if any(isinstance(one, dict) and one.get("name") == rule.name for one in known if isinstance(known, list)):
            hint = "change `on` there" if rule.origin == BUILT_IN else "give it another name"
            raise RuleError(f"there is a rule `{rule.name}` already", hint=hint, where=Where(path))
        newline = b"\r\n" if b"\r\n" in before else b"\n"
        gap = b"" if not before else newline if before.endswith(b"\n") else newline * 2
        after = before + gap + as_table(rule).encode().replace(b"\n", newline)
        tomllib.loads(after.decode("utf-8").removeprefix("\ufeff"))
        write_atomically(target, after, target.stat().st_mode & 0o777 if target.exists() else None)
    except (tomllib.TOMLDecodeError, UnicodeError, RecursionError) as error:
        raise RuleError(f"no rule can be added to this file: {error}", hint="see toml.io", where=Where(path)) from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RuleError(f"the rule cannot be saved: {reason}", where=Where(path)) from error


_ESCAPED: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _quoted(text: str) -> str:
    """Write a TOML string: literal where that is possible, as regular expressions are read best."""
    if "\\" in text and text.isprintable() and "'" not in text:
        return f"'{text}'"
    return '"' + re.sub(r'["\\\x00-\x1f\x7f]', lambda m: _ESCAPED.get(m[0]) or f"\\u{ord(m[0]):04X}", text) + '"'
