"""What the command palette offers: every command of the key table that its screen has, with its keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from textual.app import App, SystemCommand
from textual.screen import Screen

from trajview.app.keys import KEYS, keys_of, shown
from trajview.app.shared.screen import TrajviewScreen

__all__ = ["commands_of"]

_NOT_OURS = frozenset({"Keys", "Maximize", "Minimize"})
"""Textual's commands that show other keys than ours, or one widget without those beside it."""
_NOT_LISTED = frozenset({"Move", "Annotation"})
"""Moves, as the palette is gone before one could see them, and the keys of the annotation panel."""
_KNOWN = frozenset({"back", "palette"})


def commands_of(app: App[int], screen: Screen[object], textual: Iterable[SystemCommand]) -> Iterator[SystemCommand]:
    """The commands of a screen, then those of Textual's that make sense here, then drawing anew and suspending.

    `screen` is the one below the palette.
    """
    commands = screen.commands if isinstance(screen, TrajviewScreen) else {}
    for key in KEYS:
        if key.id in commands and key.group not in _NOT_LISTED and key.id not in _KNOWN:
            call = partial(screen.run_action, f"do({key.id!r})")
            yield SystemCommand(key.says[0].upper() + key.says[1:], shown(keys_of(key)), call)
    yield from (command for command in textual if command.title not in _NOT_OURS)
    yield SystemCommand("Redraw", "All of the screen, where another program wrote over it", screen.refresh)
    yield SystemCommand("Suspend", "Back to the shell; `fg` there comes back", app.action_suspend_process)
