"""A short explanation of filters for the help of the program and of its commands."""

from __future__ import annotations

from .fields import FIELDS

__all__ = ["EXAMPLES", "explained"]

EXAMPLES: tuple[tuple[str, str], ...] = (
    ("nightbus gpt", "both words are in what the list knows"),
    ('"two words"', "a text; a capital letter minds capitals"),
    ("reward < 0.5", "also <= > >= == !=; 20k, 10MB, 35% work"),
    ("model ~ gpt-4", "a regular expression; !~ does not match"),
    ("format in (docent, sotopia)", "one of these; not in is none of them"),
    ("reward == none", "there is none"),
    ("errors > 0 and not (draft or skipped)", "and goes before or; side by side is and"),
    ('metadata.task.name == "sort it"', "any value in the metadata"),
    ("tokens > 20k sort:-reward,units", "highest reward first, then fewest units"),
)


def explained() -> tuple[list[str], list[str]]:
    """The lines with examples, and the lines with the fields."""
    wide = max(len(example) for example, _ in EXAMPLES)
    examples = ["A filter:", *(f"  {example:{wide}}  {says}" for example, says in EXAMPLES)]
    wide = max(len(field.name) for field in FIELDS)
    fields = ["Fields:", *(f"  {field.name:{wide}}  {field.says}" for field in FIELDS)]
    return examples, fields
