"""Checks of comparisons in a filter; an error names the part that is wrong, and what would be right."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .fields import Kind, Ref
from .syntax import Literal, Operator, WhereError

__all__ = ["Place", "check", "example", "short"]

_ORDERED = frozenset({"<", "<=", ">", ">="})


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a comparison in a text: the columns of its operator and of its value, and the value's end."""

    text: str
    operator: int
    start: int
    end: int
    forgiving: bool = False

    @property
    def is_last(self) -> bool:
        """Whether nothing follows, so that more may still be typed."""
        return self.end >= len(self.text)

    def error(self, sentence: str, start: int, end: int | None = None, *, hint: str = "") -> WhereError:
        """An error for a part of the comparison."""
        return WhereError(sentence, self.text, start, end, hint=hint)


def check(ref: Ref, operator: Operator, value: Literal, place: Place) -> None:
    """Raise WhereError where a field cannot be compared like that."""
    kind = ref.kind
    sign = place.operator, place.operator + len(operator)
    if operator in ("~", "!~"):
        if kind in (Kind.NUMBER, Kind.NUMBERS, Kind.FLAG):
            raise place.error(f"`{ref}` is {kind.value}; {operator} looks in texts", *sign)
        _check_pattern(value, place)
        return
    ordered = operator in _ORDERED
    if value.is_none:
        if ordered:
            raise place.error(f"nothing is {operator} none", *sign, hint="== and != can be asked of it")
        return
    if kind in (Kind.NUMBER, Kind.NUMBERS) or (kind is Kind.TEXTS and ordered):
        if value.number is None:
            said = f"`{ref}` is {kind.value}" if kind is not Kind.TEXTS else f"how many `{ref}` is a number"
            raise place.error(f"{said}, `{short(str(value))}` is none", place.start, place.end, hint=example(ref))
    elif kind is Kind.FLAG:
        if ordered:
            raise place.error(f"`{ref}` is yes or no", *sign, hint=example(ref))
        if value.flag is None:
            raise place.error(f"`{ref}` is yes or no", place.start, place.end, hint=example(ref))


def _check_pattern(value: Literal, place: Place) -> None:
    from trajview.highlight import compile_pattern

    if not value.text:
        if place.forgiving and place.is_last:
            return
        raise place.error("an empty pattern matches everything", place.start, place.end)
    try:
        compile_pattern(value.text)
    except (re.error, RecursionError, OverflowError) as error:
        position, said = (error.pos or 0, error.msg) if isinstance(error, re.error) else (0, str(error))
        column = min(place.start + value.quoted + position, max(place.start, place.end - 1))
        sentence = f"no regular expression: {said}"
        # The pattern may still be incomplete while it is typed.
        raise WhereError(
            sentence, place.text, column, hint="a \\ takes a sign as it is", incomplete=place.is_last
        ) from error


def short(text: str) -> str:
    """A word, shortened for a sentence."""
    return text if len(text) <= 40 else text[:39] + "…"


def example(ref: Ref) -> str:
    """An example of comparing the field."""
    return {
        Kind.NUMBER: f"such as {ref} > 10",
        Kind.NUMBERS: f"such as {ref} < 3",
        Kind.TEXT: f"such as {ref} ~ word",
        Kind.TEXTS: f"such as {ref} ~ word, or {ref} > 1",
        Kind.FLAG: f"write `{ref}` or `not {ref}`",
        Kind.ANY: f"such as {ref} == 3",
    }[ref.kind]
