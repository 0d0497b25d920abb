"""Work in threads for a screen or widget: its findings are taken in where the widgets are, and its faults reported."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from textual.dom import DOMNode
from textual.worker import Worker, WorkerState, get_current_worker

from trajview.debug_log import note
from trajview.errors import bug
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from textual.message_pump import MessagePump as _Pump
else:
    _Pump = object

__all__ = ["Background", "ReportsFaults", "Task", "in_background"]

_P = ParamSpec("_P")
_Result = TypeVar("_Result")

_LOOK: Final = 0.2
"""Seconds from one look at whether an answer is still waited for to the next."""


class Task:
    """One piece of work, in its thread."""

    def __init__(self, node: DOMNode, worker: Worker[None]) -> None:
        self._node, self._worker = node, worker

    def cancelled(self) -> bool:
        """Whether nobody wants the result any more: the program ends, or work of the same group took its place."""
        return self._worker.is_cancelled

    def tell(self, function: Callable[_P, object], *args: _P.args, **kwargs: _P.kwargs) -> None:
        """Call a function in the turn of the screen or widget, unless this work is cancelled by then."""

        def call() -> None:
            if not self._worker.is_cancelled:
                function(*args, **kwargs)

        self._node.call_later(call)

    def ask(self, function: Callable[_P, _Result], *args: _P.args, **kwargs: _P.kwargs) -> _Result | None:
        """Call a function there, and wait for what it returns; None once this work is cancelled."""
        answers: SimpleQueue[_Result] = SimpleQueue()
        self.tell(lambda: answers.put(function(*args, **kwargs)))
        while not self._worker.is_cancelled:
            try:
                return answers.get(timeout=_LOOK)
            except Empty:
                continue
        return None


class Background:
    """Runs work in threads for a screen or widget, as long as that is mounted."""

    def __init__(self, node: DOMNode) -> None:
        self._node = node

    def start(
        self, group: str, work: Callable[[Task], None], *, exclusive: bool = True, waited_for: bool = True
    ) -> Worker[None]:
        """Begin work in a thread of its own.

        Args:
            group: Names this kind of work; where it is `exclusive`, what runs of the same group is cancelled.
            work: Called in the thread. A fault in it is said, and the program stays.
            waited_for: Whether who quits waits for its end. What only reads may be cut off anywhere.
        """

        def run() -> None:
            note("work: %s", group)
            work(Task(self._node, get_current_worker()))

        async def run_abandoned() -> None:
            await in_background(run)

        # Without a description, Textual makes one of all arguments, and one may be a run of 500 MB.
        return self._node.run_worker(
            run if waited_for else run_abandoned,
            thread=waited_for,
            exclusive=exclusive,
            group=group,
            description=group,
            exit_on_error=False,
        )

    def later(self, seconds: float, function: Callable[[], None]) -> None:
        """Call a function in the turn of the screen or widget, after so many seconds."""
        self._node.set_timer(seconds, function)

    def cancel(self, group: str) -> None:
        """Nobody wants what is done in a group any more."""
        self._node.workers.cancel_group(self._node, group)


class ReportsFaults(_Pump):
    """Reports errors of workers with `exit_on_error=False`, which Textual only logs: for screens, widgets and the app.

    To be named before the Textual class, which it must not stand for in CSS.
    """

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        error = event.worker.error
        if event.state is WorkerState.ERROR and not event.worker.exit_on_error and isinstance(error, Exception):
            message = one_line(str(bug(error)), 400)
            self.app.notify(message, title="Not done", severity="error", timeout=8, markup=False)


async def in_background(function: Callable[[], None]) -> None:
    """Call a function in a thread that ends with the program, and wait for it as long as the program goes on.

    Textual's own threads are waited for when the program ends, which takes seconds while one decodes half a gigabyte.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def tell(error: BaseException | None) -> None:
        if done.done():  # nobody waits any more
            return
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)

    def run() -> None:
        error: BaseException | None = None
        try:
            function()
        except StopIteration as caught:  # which no future takes: nobody would ever hear of the end
            error = RuntimeError("there was no next one")
            error.__cause__ = caught
        except BaseException as caught:  # noqa: BLE001 - it is raised where it is waited for
            error = caught
        with suppress(RuntimeError):  # the program has ended
            loop.call_soon_threadsafe(tell, error)

    Thread(target=copy_context().run, args=(run,), name="trajview-reads", daemon=True).start()
    await done
