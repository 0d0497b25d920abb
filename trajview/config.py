"""What a person can set: on the command line, in the configuration file, or left to the defaults."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one run of the program. Command line beats configuration file beats default."""

    paths: tuple[Path, ...] = ()
    """Files and folders to open."""
    run: str | None = None
    """`--run`: the id or key of the run to open at once."""
    unit: int | None = None
    """`--unit`: the action unit to jump to, which also becomes a highlight."""
    highlight: tuple[str, ...] = ()
    """`--highlight`, repeatable, and `highlight = [...]`: regular expressions whose units are highlights."""
    store: Path = field(default_factory=lambda: Path("annotations"))
    """`--store` or `store = "..."`: the folder that annotations are saved in; made at the first save."""
    annotator: str = "anonymous"
    """`--annotator` or `annotator = "..."`; else the login name."""
    theme: str | None = None
    """`theme = "..."`: a Textual theme; None for trajview's own dark one. `ansi-dark` uses the terminal's colours."""
    reward_range: tuple[float, float] = (0.0, 1.0)
    """`reward_range = [0, 1]`: what a reward may be, for runs that are not Sotopia episodes."""
    preview_lines: int = 8
    """`preview_lines = 8`: how many lines of a folded tool output are shown."""
    keys: dict[str, str] = field(default_factory=dict)
    """`[keys]`: other keys for a binding, by its id in the key table: `unit.next = "w,]"`."""
