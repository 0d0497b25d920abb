"""Opening a file in the person's own editor or pager, at a line where the program can do that."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported

from trajview.errors import TrajviewError

__all__ = ["edit_command", "open_outside"]

_PLUS_LINE = frozenset({
    "vi", "vim", "nvim", "view", "vimx", "nano", "emacs", "emacsclient", "micro", "kak", "joe", "ne", "ed", "mg", "jed",
    "less", "more", "most",
})  # fmt: skip
_COLON_LINE = frozenset({"hx", "helix", "subl", "zed"})


def edit_command(path: Path, line: int | None, environ: Mapping[str, str] = os.environ) -> list[str]:
    """The command that opens a file: $VISUAL, $EDITOR, $PAGER, or `less`. Lines count from 1.

    The variable may hold options. Raises TrajviewError if what it names cannot be run.
    """
    for variable in ("VISUAL", "EDITOR", "PAGER"):
        said = environ.get(variable, "").strip()
        if said:
            break
    else:
        variable, said = "PAGER", "less"
    try:
        command = shlex.split(said)
    except ValueError as error:
        raise TrajviewError(
            f"${variable} is no command: {said}", hint="look at its quotes", title="No editor"
        ) from error
    if not command or shutil.which(command[0], path=environ.get("PATH")) is None:
        raise TrajviewError(f"There is no program {said!r}", hint="set $EDITOR or $PAGER to one", title="No editor")
    name, target = Path(command[0]).name, str(path.absolute())
    if line is None or line < 1:
        return [*command, target]
    if name in _PLUS_LINE:
        # To a pager, +12 is a command: g goes to the line.
        return [*command, f"+{line}g" if name == "less" else f"+{line}", target]
    if name in ("code", "codium", "cursor"):
        return [*command, "--goto", f"{target}:{line}"]
    if name in _COLON_LINE:
        return [*command, f"{target}:{line}"]
    return [*command, target]


def open_outside(app: App[Any], path: Path, line: int | None) -> None:
    """Leave the screen to the editor or pager until it ends. Says in a toast why that did not work."""
    try:
        command = edit_command(path, line)
        if not path.exists():
            raise TrajviewError(f"{path} is not there any more", title="Cannot open")
        with app.suspend():
            subprocess.run(command, check=False)
    except SuspendNotSupported:
        app.notify("This terminal cannot be left to another program.", severity="warning", markup=False)
    except TrajviewError as error:
        app.notify(str(error), title=error.title, severity="error", markup=False)
    except OSError as error:
        app.notify(f"The program did not start: {error.strerror}", severity="error", markup=False)
