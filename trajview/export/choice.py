"""The export formats by name and by ending of a file, and one function for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trajview.errors import TrajviewError

from .exported import Exported, Part
from .names import FORMATS

if TYPE_CHECKING:
    from trajview.highlight import Rule
    from trajview.models.run import AgentRun

    from .shown import Annotated

__all__ = ["FORMATS", "NoSuchUnit", "exported", "format_of", "part_of"]

_BY_ENDING: Final = {
    ".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".json": "docent", ".jsonl": "openai",
}  # fmt: skip
_ADP: Final = ".adp.jsonl"


class NoSuchUnit(TrajviewError):
    """A run does not have so many action units."""

    title = "No such action unit"


def format_of(path: Path) -> str | None:
    """The format of a file's ending, None where there is none."""
    if path.name.lower().endswith(_ADP):
        return "adp"
    return _BY_ENDING.get(path.suffix.lower())


def exported(
    run: AgentRun,
    format: str,
    part: Part | None = None,
    annotated: Annotated | None = None,
    rules: Sequence[Rule] = (),
) -> Exported:
    """Export a run, or a part of it, in one of `FORMATS`. Annotations and rules are for pages; others name them as lost."""
    # Importing them takes a tenth of a second, and a screen may only ask for the format of an ending.
    from .adp import export_adp
    from .docent import export_docent
    from .html import export_html
    from .markdown import export_markdown
    from .openai import export_openai

    page = {"md": export_markdown, "html": export_html}.get(format)
    if page is not None:
        return page(run, part, annotated, rules)
    found = {"docent": export_docent, "openai": export_openai, "adp": export_adp}[format](run, part)
    if annotated:
        found.lost.say_last("The annotations, notes and marks are left out; md and html hold them.")
    return found


def part_of(run: AgentRun, transcript: int | None, units: tuple[int, int] | None) -> Part | None:
    """The part of a run that is asked for: a transcript (by default the first), or action units of it.

    Raises NoSuchUnit where there is none such.
    """
    if transcript is None and units is None:
        return None
    index, count = transcript or 0, len(run.transcripts)
    if index >= count:
        has = f"it has transcripts 0 to {count - 1}" if count > 1 else f"it has {count or 'none'}"
        raise NoSuchUnit(f"there is no transcript {index} in {run.id}", hint=has)
    if units is None:
        return Part(index, 0, len(run.transcripts[index].messages) - 1)
    return _part_of_units(run, *units, index)


def _part_of_units(run: AgentRun, first: int, last: int, transcript: int) -> Part:
    """The part of a run with these action units. Raises TrajviewError where there are no such units."""
    units = run.transcripts[transcript].units_of_action
    if not 0 <= first <= last < len(units):
        has = f"units 0 to {len(units) - 1}" if units else "no action units"
        asked = f"no action unit {first}" if first == last else f"none of the action units {first} to {last}"
        if transcript:
            asked += f" of transcript {transcript}"
        raise NoSuchUnit(f"there is {asked} in {run.id}", hint=f"it has {has}")
    return Part(transcript, units[first][0], units[last][-1])
