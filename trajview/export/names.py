"""The export formats by name; light enough to be imported for a help text."""

from __future__ import annotations

from typing import Final

__all__ = ["ENDINGS", "FORMATS", "FOR_PROGRAMS", "OF_MESSAGES"]

FOR_PROGRAMS: Final = ("docent", "openai", "adp")
"""The formats with one or more lines of JSON per run; the first holds all of any run."""
OF_MESSAGES: Final = "openai"
"""The one of these whose lines are lists of messages."""
FORMATS: Final = ("md", "html", *FOR_PROGRAMS)
"""All formats: two for people, then those for programs."""
ENDINGS: Final = {"md": ".md", "html": ".html", "docent": ".json", "openai": ".jsonl", "adp": ".adp.jsonl"}
"""The ending of the files of each."""
