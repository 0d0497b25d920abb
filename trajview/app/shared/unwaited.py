"""Work in threads that who quits does not wait for: what only reads may be cut off anywhere.

Textual's own threads are waited for when the program ends, which takes seconds while one decodes half a gigabyte. What
writes has to go on in those.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import copy_context
from functools import wraps
from threading import Thread
from typing import Concatenate, ParamSpec, TypeVar, cast

from textual import work
from textual.dom import DOMNode
from textual.worker import Worker

__all__ = ["in_background", "unwaited"]

_P = ParamSpec("_P")
_Node = TypeVar("_Node", bound=DOMNode)


async def in_background(function: Callable[[], None]) -> None:
    """Call a function in a thread that ends with the program, and wait for it as long as the program goes on."""
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


def unwaited(
    group: str, *, exit_on_error: bool = False
) -> Callable[[Callable[Concatenate[_Node, _P], None]], Callable[Concatenate[_Node, _P], Worker[None]]]:
    """Make a method one that runs in such a thread, as Textual's `work(thread=True)` does; the last call counts."""

    def decorate(method: Callable[Concatenate[_Node, _P], None]) -> Callable[Concatenate[_Node, _P], Worker[None]]:
        @wraps(method)
        async def run(self: _Node, *args: _P.args, **kwargs: _P.kwargs) -> None:
            await in_background(lambda: method(self, *args, **kwargs))

        # Without a description, Textual makes one of all arguments, on the event loop, and one may be a run of 500 MB.
        worker = work(exclusive=True, group=group, exit_on_error=exit_on_error, description=group)(
            cast(Callable[Concatenate[_Node, _P], Coroutine[None, None, None]], run)
        )
        return cast(Callable[Concatenate[_Node, _P], Worker[None]], worker)

    return decorate
