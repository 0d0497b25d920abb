"""A fault in work that runs in a thread: the program goes on, and the fault is reported as one of trajview."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.worker import Worker, WorkerState

from trajview.errors import bug
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from textual.message_pump import MessagePump as _Pump
else:
    _Pump = object

__all__ = ["ReportsFaults"]


class ReportsFaults(_Pump):
    """Reports errors of workers with `exit_on_error=False`, which Textual only logs: for screens, widgets and the app.

    To be named before the Textual class, which it must not stand for in CSS.
    """

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        error = event.worker.error
        if event.state is WorkerState.ERROR and not event.worker.exit_on_error and isinstance(error, Exception):
            message = one_line(str(bug(error)), 400)
            self.app.notify(message, title="Not done", severity="error", timeout=8, markup=False)
