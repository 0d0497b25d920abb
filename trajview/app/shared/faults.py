"""A fault in work that goes on in a thread: the program stays, and it is said, as a fault in trajview."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.worker import Worker, WorkerState

from trajview.errors import bug
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from textual.message_pump import MessagePump as _Pump
else:
    _Pump = object

__all__ = ["SaysFaults"]


class SaysFaults(_Pump):
    """For screens, widgets and the app, where they have workers with `exit_on_error=False`, whose errors Textual only logs.

    To be named before the Textual class, which it must not stand for in CSS.
    """

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        error = event.worker.error
        if event.state is WorkerState.ERROR and not event.worker.exit_on_error and isinstance(error, Exception):
            said = one_line(str(bug(error)), 400)
            self.app.notify(said, title="Not done", severity="error", timeout=8, markup=False)
