"""Keys and pastes in the order in which they were typed, each held until what it is meant for is there.

One key is delivered at a time: the next one follows when everything that the last one set off is done, and nothing is
waited for. Who starts something that later keys are meant for, such as opening a run, says so with `KeyQueue.wait`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from textual.events import Event, Key

if TYPE_CHECKING:
    from textual.app import App
    from textual.dom import DOMNode

__all__ = ["DEAF", "ENDING", "PATIENCE", "KeyDelivery", "KeyQueue", "Wait"]

ENDING: Final = frozenset({"ctrl+c", "ctrl+q"})
"""Keys that end the program: delivered at once, and never held."""

PATIENCE: Final = 10.0
"""Seconds after which something that keys wait for is no longer expected."""

DEAF: Final = 0.5
"""Seconds after a refusal in which keys are dropped: nobody has read the refusal and gone on by then."""
_PAUSE: Final = 0.4
"""Seconds without a key that end typing which began within that time: people who type blind are quicker."""

_ROUNDS: Final = 3
"""How often the way from the focus to the app is gone before the next key: what a key posts goes up one widget at a time."""
_MOST_ROUNDS: Final = 12
_LOOK: Final = 0.5
"""Seconds after which it is looked whether a widget that is waited for still runs."""


class Wait:
    """Something that later keys are meant for and that is not there yet. Ending it twice does nothing."""

    def __init__(self, queue: KeyQueue, passes: Callable[[str], bool], ignores: frozenset[str], until: float) -> None:
        self._queue = queue
        self.passes = passes
        self.ignores = ignores
        self.until = until
        """The time of the monotonic clock at which it is given up."""

    def done(self) -> None:
        """Deliver the keys that were held: what they are meant for is there."""
        self._queue.end(self)

    def never(self, why: str = "") -> None:
        """Drop the keys that were held, since what they were meant for is not coming; `why` says so in a few words."""
        self._queue.give_up(self, why)


class KeyQueue:
    """What was typed and not delivered yet. It knows no widgets; `KeyDelivery` delivers.

    `command_of` gives the id of the command that a key would do now, "" for none. `say` shows a sentence to the user, and
    `after` calls a function after so many seconds. `wake` is called when nothing is waited for any more; keys are delivered
    once `settled` is called after it.
    """

    def __init__(
        self,
        command_of: Callable[[str], str] = lambda _: "",
        say: Callable[[str], object] = lambda _: None,
        wake: Callable[[], object] = lambda: None,
        after: Callable[[float, Callable[[], None]], object] = lambda _, __: None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._command_of, self._say, self._wake, self._after, self._clock = command_of, say, wake, after, clock
        self._events: deque[Event] = deque()
        self._waits: list[Wait] = []
        self.delivering = False
        """A key was delivered, and not all that it set off is done."""
        self._deaf_until = 0.0
        self._lost = 0
        """Keys that were dropped since the last refusal."""
        self._why_lost = self._answer = ""
        self.lines = 0
        """How many of the next keys were typed while the terminal still sent Enter as the end of a line, at most."""

    @property
    def waiting(self) -> bool:
        """Whether something is on its way that later keys are meant for."""
        return bool(self._waits)

    @property
    def held(self) -> int:
        """The number of keys and pastes that were typed and not delivered yet."""
        return len(self._events)

    @property
    def deaf(self) -> bool:
        """Whether a key that comes now is dropped, since something was refused a moment ago."""
        return self._clock() < self._deaf_until

    # What keys are meant for

    def wait(
        self,
        *,
        passes: Callable[[str], bool] = lambda _: False,
        ignores: frozenset[str] = frozenset(),
        patience: float | None = PATIENCE,
    ) -> Wait:
        """Hold what is typed from now on, until `Wait.done` or `Wait.never` is called.

        Args:
            passes: Tells of the id of a command, "" for none, whether its key is delivered all the same while no key is
                held before it.
            ignores: Keys and ids of commands that are dropped there, such as the key that began the wait, held down.
            patience: Seconds after which the wait is given up; None waits for as long as it takes.
        """
        until = float("inf") if patience is None else self._clock() + patience
        wait = Wait(self, passes, ignores, until)
        self._waits.append(wait)
        if patience is not None:
            self._after(patience + 0.1, self._expire)
        return wait

    def end(self, wait: Wait) -> None:
        """End a wait, and go on with what was typed if nothing else is waited for."""
        if wait in self._waits:
            self._drop_repeats()
            self._waits.remove(wait)
            # What is there now may have begun something itself: a screen waits for its run once it is mounted.
            if not self._waits and not self.delivering:
                self.delivering = True
                self._wake()

    def give_up(self, wait: Wait, why: str = "") -> None:
        """End a wait, and drop what was typed meanwhile."""
        if wait in self._waits:
            dropped = self.drop()
            self.end(wait)
            if dropped:
                self._say(f"What you typed ahead is dropped{': ' if why else ''}{why}.")

    def drop(self) -> int:
        """Drop what was typed and not delivered yet; returns how many keys and pastes that were."""
        count = len(self._events)
        self._events.clear()
        return count

    def refuse(self, why: str = "", answer: str = "") -> None:
        """Drop what was typed, and what is typed from now on until there is a pause: it is meant for what does not come.

        `why` is said as soon as a key is dropped. The key of the command `answer` is delivered if it is the next one:
        it is a reaction to the refusal.
        """
        if why != self._why_lost or not self.deaf:  # else it is the same refusal still, and is said once
            self._lost = 0
        self._why_lost, self._answer = why, answer
        self._deaf_until = self._clock() + DEAF
        self._events = deque(event for event in self._events if not self._is_lost(event))

    # What is typed

    def put(self, event: Event) -> None:
        """Take a key or a paste that was typed; `next` gives what is to be delivered now."""
        self._expire()
        key = event.key if isinstance(event, Key) else ""
        if self.lines:
            self.lines -= 1
            if key == "ctrl+j":
                event, key = Key("enter", "\r"), "enter"
        if self._is_lost(event):
            return
        if key == "escape" and self._events and self._waits:
            self._events.clear()
        else:
            self._events.append(event)

    def _is_lost(self, event: Event) -> bool:
        """Whether a key comes too soon after a refusal to be meant for what is there."""
        typed = event.time  # A busy machine may come to it much later.
        if typed >= self._deaf_until:
            return False
        if self._answer and not self._lost and self._command(event) == self._answer:
            return False
        self._deaf_until = max(self._deaf_until, typed + _PAUSE)
        self._lost += 1
        if self._lost == 1 and self._why_lost:
            self._say(self._why_lost)
        return True

    def next(self) -> Event | None:
        """What is to be delivered now. The next one follows when `settled` was called; None where nothing can be."""
        if self.delivering:
            return None
        self._drop_repeats()
        if not self._events:
            return None
        command = self._command(self._events[0]) if self._waits else ""
        if not all(wait.passes(command) for wait in self._waits):
            return None
        self.delivering = True
        return self._events.popleft()

    def _drop_repeats(self) -> None:
        """Drop the first keys as far as they only repeat the one that began a wait."""
        ignores = frozenset[str]().union(*(wait.ignores for wait in self._waits))
        while ignores and self._events:
            first = self._events[0]
            if not isinstance(first, Key) or ignores.isdisjoint((first.key, self._command(first))):
                return
            self._events.popleft()

    def _command(self, event: Event) -> str:
        """The id of the command that an event would do now, "" for none."""
        return self._command_of(event.key) if isinstance(event, Key) else ""

    def settled(self) -> None:
        """Everything that the last key set off is done."""
        self.delivering = False

    def _expire(self) -> None:
        """Give up the waits that took too long."""
        now = self._clock()
        for wait in [wait for wait in self._waits if now > wait.until]:
            self.give_up(wait, "it did not come")


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
