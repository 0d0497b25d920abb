"""The command palette: what the screen can do, found by its name and by other words for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

from textual.app import SystemCommand
from textual.command import Hit, Hits
from textual.screen import Screen
from textual.system_commands import SystemCommandsProvider

from trajview.app.keys import KEYS, Key, keys_of, shown
from trajview.app.shared.screen import TrajviewScreen

__all__ = ["CommandsByWords", "commands_of"]

_TEXTUAL_NOT_LISTED: Final = frozenset({"Keys", "Maximize", "Minimize"})
"""Commands of Textual's that show other keys than the table's, or one widget without its neighbours."""
_GROUPS_NOT_LISTED: Final = frozenset({"Move", "Annotation"})
"""Moves, as the palette is gone before one could see them, and the keys of the annotation panel."""
_KEYS_NOT_LISTED: Final = frozenset({"back", "palette"})


def _title(key: Key) -> str:
    return key.says[0].upper() + key.says[1:]


_OTHER_WORDS: Final = {_title(key): key.words for key in KEYS if key.words} | {
    "Theme": "colours colors dark light appearance",
    "Quit": "exit close leave",
    "Screenshot": "picture image svg",
    "Redraw": "refresh repaint garbage",
    "Suspend": "background job shell",
}


def commands_of(screen: Screen[object], textual: Iterable[SystemCommand]) -> Iterator[SystemCommand]:
    """The commands of a screen, those of Textual's that make sense, drawing, suspending."""
    commands = screen.commands if isinstance(screen, TrajviewScreen) else {}
    for key in KEYS:
        if key.id in commands and key.group not in _GROUPS_NOT_LISTED and key.id not in _KEYS_NOT_LISTED:
            yield SystemCommand(_title(key), shown(keys_of(key)), partial(screen.run_action, f"do({key.id!r})"))
    for command in textual:
        if command.title not in _TEXTUAL_NOT_LISTED:
            yield command
    yield SystemCommand("Redraw", "All of the screen, where another program wrote over it", screen.refresh)
    yield SystemCommand("Suspend", "Back to the shell; `fg` there comes back", screen.app.action_suspend_process)


class CommandsByWords(SystemCommandsProvider):
    """Finds commands by their names, and by the other words of the key table; those come after the names."""

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for title, says, call, *_ in self.app.get_system_commands(self.screen):
            by_title = matcher.match(title)
            by_word = max(map(matcher.match, _OTHER_WORDS.get(title, "").split()), default=0.0)
            if by_title or by_word:
                yield Hit(max(by_title, by_word), matcher.highlight(title), call, help=says)
