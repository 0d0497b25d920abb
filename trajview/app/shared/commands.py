"""Commands of the key table, done by those that the screen or widget with the binding names for them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, TypeAlias

from trajview.debug_log import note, note_fault

if TYPE_CHECKING:
    from textual.dom import DOMNode
else:
    DOMNode = object

__all__ = ["Command", "Commands", "HasCommands"]

Command: TypeAlias = Callable[[], Awaitable[Any] | Any]
Commands: TypeAlias = Mapping[str, Command]
"""What does each command, by its id in the key table. A screen puts together those of the objects that it is composed of."""


class HasCommands(DOMNode):
    """For screens and widgets with bindings of the key table. To be named before the Textual class."""

    commands: Commands = {}  # noqa: RUF012 - replaced, never changed

    def can_do(self, id: str) -> bool:  # noqa: ARG002 - for those that know more
        """Whether a command can be done now; where not, its key does what else it would, as in a text field."""
        return True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Textual asks this before each action, and of all of them for the footer."""
        if action == "do":
            return self.can_do(str(parameters[0]))
        return super().check_action(action, parameters)

    async def action_do(self, id: str) -> None:
        """Do a command of the key table."""
        note("%s: %s", type(self).__name__, id)
        try:
            done = self.commands[id]()
            if isawaitable(done):
                await done
        except Exception as error:
            note_fault(error)
            raise
