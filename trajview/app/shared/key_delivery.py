"""Delivery of keys to the app one at a time, each when all that the last one set off is done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

from textual.events import Event, Key

from trajview.app.shared.key_queue import ENDING, KeyQueue

if TYPE_CHECKING:
    from textual.app import App
    from textual.dom import DOMNode

__all__ = ["KeyDelivery"]

_ROUNDS: Final = 3
"""How often the way from the focus to the app is gone before the next key: what a key posts goes up one widget at a time."""
_MOST_ROUNDS: Final = 12
_LOOK: Final = 0.5
"""Seconds after which it is looked whether a widget that is waited for still runs."""


class KeyDelivery:
    """Gives an app the keys of its queue.

    `deliver` does a key or a paste as if it were typed now. The app gives each one that comes from the terminal to `take`.
    """

    def __init__(self, app: App[Any], deliver: Callable[[Event], Awaitable[None]]) -> None:
        self._app = app
        self._deliver = deliver
        self.queue = KeyQueue(self._command_of, self._say, self._start_settling, app.set_timer)
        self._settling: asyncio.Task[None] | None = None

    async def take(self, event: Event) -> None:
        """Deliver a key or a paste now, or when its turn comes."""
        if isinstance(event, Key) and event.key in ENDING:
            await self._deliver(event)
            return
        self.queue.put(event)
        await self._deliver_next()

    async def _deliver_next(self) -> None:
        event = self.queue.next()
        if event is not None:
            try:
                await self._deliver(event)
            finally:
                self._start_settling()

    def _start_settling(self) -> None:
        self._settling = asyncio.get_running_loop().create_task(self._settle())

    async def _settle(self) -> None:
        """Wait until the messages that a key has set off are handled, then deliver the next."""
        for number in range(1, _MOST_ROUNDS + 1):
            before = self._target()
            for node in before.ancestors_with_self:
                await _passed(node)
            if number >= _ROUNDS and before is self._target():
                break
        self.queue.settled()
        if self.queue.held:
            self._app.call_later(self._deliver_next)

    def _target(self) -> DOMNode:
        """The widget, or the screen, that the next key would go to."""
        app = self._app
        if not app.screen_stack:
            return app
        return app.focused or app.screen

    def _command_of(self, key: str) -> str:
        if not self._app.screen_stack:
            return ""
        bound = self._app.screen.active_bindings.get(key)
        return (bound.binding.id or "") if bound is not None else ""

    def _say(self, sentence: str) -> None:
        self._app.notify(sentence, severity="warning", timeout=5, markup=False)


async def _passed(node: DOMNode) -> None:
    """Wait until a widget has handled all messages that it has been sent so far, or runs no more."""
    done = asyncio.Event()
    if not node.call_later(done.set):
        return
    while not done.is_set() and node.is_running:
        try:
            async with asyncio.timeout(_LOOK):
                await done.wait()
        except TimeoutError:
            continue
