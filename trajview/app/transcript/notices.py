"""What the transcript screen says of what a key has done, and of what has happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from trajview.textsafe import one_line

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

__all__ = ["Notices", "Notify"]


class Notify(Protocol):
    """Textual's `notify`, as far as it is used here."""

    def __call__(
        self, message: str, *, title: str, severity: SeverityLevel, timeout: float, markup: bool
    ) -> object: ...


class Notices:
    """Says things: in the status line until the next key, or in a corner.

    `notify` is Textual's; `changed` is called when the status line is to be made anew.
    """

    def __init__(self, notify: Notify, changed: Callable[[], None]) -> None:
        self._notify, self._changed = notify, changed
        self.text = ""
        """What the last key has done, until the next one."""

    def brief(self, text: str) -> None:
        """Say what a key has just done, until the next key."""
        self.text = text
        self._changed()

    def forget(self) -> None:
        """A key was pressed: what the last one has done is no news."""
        self.text = ""

    def toast(self, text: str, *, error: bool = False, title: str = "", seconds: float = 5, length: int = 400) -> None:
        """Say something in a corner for so many seconds; each of its lines in at most `length` characters."""
        said = "\n".join(one_line(line, length) for line in text.split("\n"))
        severity: SeverityLevel = "warning" if error else "information"
        self._notify(said, title=title, severity=severity, timeout=seconds, markup=False)
