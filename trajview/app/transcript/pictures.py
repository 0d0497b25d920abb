"""The images of a transcript: drawn in a thread when they come on the screen, and opened in the desktop's viewer."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from rich.segment import Segment

from trajview.app.render.images import Rows, drawn
from trajview.errors import TrajviewError
from trajview.models.images import bytes_of, look_at

if TYPE_CHECKING:
    from pathlib import Path

    from trajview.app.render.lines import Line, Picture
    from trajview.app.shared.background import Task
    from trajview.app.transcript.desk import Desk
    from trajview.app.transcript.session import TranscriptSession

__all__ = ["Images", "Pictures", "delete_opened", "picture_rows_at", "viewer_command"]

_MOST_CELLS: Final = 200_000
"""Of pictures that are kept: those of ten full screens, or more."""
_HEARD: Final = 3.0
"""Seconds in which a viewer says whether it can show an image, if it says so at all."""
_READ: Final = 12.0
"""Seconds that a path is on the screen, for somebody to copy it."""
_FOLDER: Final[list[str]] = []
"""The folder of the files that are made for the viewer, once there is one."""


def picture_rows_at(height: int, before: int = 0) -> int:
    """The most rows of a picture in a window of some height: two thirds.

    A few rows more or less, as when a prompt opens, leave it as it was before: pictures would be drawn anew.
    """
    fitting = max(1, 2 * height // 3)
    return before if abs(fitting - before) <= before // 4 else fitting


class Pictures:
    """The pictures that were drawn, those seen last: by what they are of, wherever in the run that is."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, int, int], Rows] = OrderedDict()
        self._cells = 0

    def row(self, line: Line) -> Sequence[Segment]:
        """What is drawn on a line; nothing where it is of no picture, or of one that is not drawn yet."""
        if line.picture is None or line.picture_row is None:
            return ()
        key = _key(line.picture)
        rows = self._kept.get(key)
        if rows is None:
            return ()
        self._kept.move_to_end(key)
        return rows[line.picture_row]

    def keep(self, picture: Picture, rows: Rows) -> None:
        """Keep a picture, at the expense of those that nobody has looked at for the longest time."""
        key = _key(picture)
        if key not in self._kept:
            self._cells += picture.columns * picture.rows
        self._kept[key] = rows
        while self._cells > _MOST_CELLS:
            (_, columns, height), _ = self._kept.popitem(last=False)
            self._cells -= columns * height


def _key(picture: Picture) -> tuple[int, int, int]:
    return hash(picture.target), picture.columns, picture.rows  # the target may be of megabytes: it is not kept


class Images:
    """Draws the images that are on the screen, one after the other in a thread, and opens one in the desktop's viewer."""

    def __init__(self, desk: Desk) -> None:
        self._reading, self._view = desk.reading, desk.display.view
        self._notices, self._background = desk.notices, desk.background
        self._drawing = False

    def draw(self) -> None:
        """Draw what has come on the screen."""
        session = self._reading.session
        if not self._drawing and session is not None and session.undrawn() is not None:
            self._drawing = True
            self._background.start("images", self._draw_all, waited_for=False)

    def _draw_all(self, task: Task) -> None:
        while (wanted := task.ask(self._next)) is not None:
            session, picture = wanted
            try:
                rows = drawn(picture, session.options.folder)
            except TrajviewError as error:
                rows = [[Segment(line[: picture.columns])] for line in (error.sentence, *" " * (picture.rows - 1))]
            task.tell(self._take, session, picture, rows)

    def _next(self) -> tuple[TranscriptSession, Picture] | None:
        """What is on the screen now, and not drawn: the first of it."""
        session = self._reading.session
        picture = session.undrawn() if session is not None else None
        self._drawing = picture is not None
        return (session, picture) if session is not None and picture is not None else None

    def _take(self, session: TranscriptSession, picture: Picture, rows: Rows) -> None:
        session.pictures.keep(picture, rows)
        self._view.picture_drawn()

    def open_at_cursor(self) -> bool:
        """Open the image that the cursor is on; False where it is on none."""
        session = self._reading.shown
        picture = session.line_at(session.cursor).picture if session.messages else None
        if picture is not None:
            self.open(picture)
        return picture is not None

    def open(self, picture: Picture) -> None:
        """Open an image in the desktop's viewer, or say where it lies."""
        work = partial(self._open, picture.target, self._reading.shown.options.folder)
        self._background.start("open-image", work, exclusive=False, waited_for=False)

    def _open(self, target: str, folder: Path | None, task: Task) -> None:
        try:
            problem = _open_outside(_copy_of(target, folder))
        except (TrajviewError, OSError) as error:
            problem = f"The image cannot be opened: {error}."
        if problem:
            task.tell(self._notices.toast, problem, seconds=_READ, length=1_000)
        else:
            task.tell(self._notices.brief, "opened in the desktop's viewer")


def _copy_of(target: str, folder: Path | None) -> str:
    """Write an image into a file that nobody else can read, and that is deleted in the end.

    Its name says what it is: a file beside the log may be called something that the desktop would run.
    """
    if not _FOLDER:
        _FOLDER.append(tempfile.mkdtemp(prefix="trajview-"))
        atexit.register(delete_opened)
    kind = look_at(target, folder).header.kind
    handle, name = tempfile.mkstemp(f".{kind.lower()}", "image-", _FOLDER[0])
    with open(handle, "wb") as file:
        file.write(bytes_of(target, folder))
    return name


def delete_opened() -> None:
    """Delete the files that were made for the viewer: at the end, also at one that makes no other calls."""
    while _FOLDER:
        shutil.rmtree(_FOLDER.pop(), ignore_errors=True)


def viewer_command(environ: Mapping[str, str], platform: str) -> str | None:
    """The program that opens a file as a double click does; None where there is no desktop, as over ssh."""
    if platform == "darwin":
        return None if "SSH_CONNECTION" in environ else "open"
    return "xdg-open" if environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY") else None


def _open_outside(path: str) -> str:
    """Open a file in the desktop's viewer. Returns what is to be said where that does not work."""
    command = viewer_command(os.environ, sys.platform)
    lies = f"the image is {path}"
    if command is None:
        return f"There is no desktop here: {lies}"
    if shutil.which(command) is None:
        return f"There is no program {command}: {lies}"
    nowhere = subprocess.DEVNULL
    viewer = subprocess.Popen([command, path], stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)
    try:
        failed = viewer.wait(_HEARD) != 0
    except subprocess.TimeoutExpired:  # it is the viewer itself that was started
        return ""
    return f"{command} cannot show it: {lies}" if failed else ""
