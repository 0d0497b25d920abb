"""How a filter is written, in a few lines for the help of the program and of its commands."""

from __future__ import annotations

from .fields import FIELDS

__all__ = ["EXAMPLES", "explained"]

EXAMPLES: tuple[tuple[str, str], ...] = (
    ("nightbus gpt", "both words occur in name, id, file, format, agents or models"),
    ('"two words"', "a text with a space; a capital letter minds capitals"),
    ("reward < 0.5", "< <= > >= == != compare; 20k, 10MB and 35% are numbers"),
    ("model ~ gpt-4", "a regular expression, ignoring case unless it has a capital; !~ is not"),
    ("format in (docent, sotopia)", "one of these; not in: none of them"),
    ("reward == none", "there is none"),
    ("errors > 0 and not (draft or skipped)", "and binds closer than or; two terms side by side are and"),
    ('metadata.task.name == "sort it"', "any value in the metadata, level by level"),
    ("tokens > 20k sort:-reward,units", "in this order: highest reward first, then fewest units"),
)


def explained() -> tuple[list[str], list[str]]:
    """Lines with examples, and lines with the fields."""
    wide = max(len(example) for example, _ in EXAMPLES)
    examples = ["A filter:", *(f"  {example:{wide}}  {says}" for example, says in EXAMPLES)]
    wide = max(len(field.name) for field in FIELDS)
    fields = ["Fields:", *(f"  {field.name:{wide}}  {field.says}" for field in FIELDS)]
    return examples, fields
