"""A log of what the program does, to be sent with the report of a fault: steps, numbers and times, and nothing that a log says.

It is off, and costs nothing, until `begin` names a file for it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from logging import Logger

__all__ = ["REPORT", "begin", "end", "note", "note_fault"]

REPORT: Final = (
    "This is a fault of trajview. Please report it, with the lines above (look through them: they may quote a log) and with the file "
    "that the same command writes with `--debug FILE`, which quotes none."
)
"""How to report a fault, for whoever has just met one."""

_HEAD: Final = "trajview debug log"
_PACKAGE: Final = str(Path(__file__).parent)
_logger: Logger | None = None


def begin(path: Path, arguments: Sequence[str]) -> None:
    """Write the log into a file from now on, anew. Raises OSError; FileExistsError for a file that is no such log."""
    global _logger
    import logging

    if path.exists():
        with path.open("rb") as file:
            if file.read(len(_HEAD)) != _HEAD.encode():
                raise FileExistsError(17, "there is such a file, which is no debug log", str(path))
    path.write_text(f"{_HEAD}\n", encoding="utf-8")
    handler = logging.FileHandler(path, encoding="utf-8", errors="replace")
    handler.setFormatter(logging.Formatter("%(asctime)s.%(msecs)03d %(threadName)s: %(message)s", "%H:%M:%S"))
    logger = logging.getLogger("trajview")
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    logger.addHandler(handler)
    _logger = logger
    note("arguments: %r", list(arguments))
    for line in _surroundings():
        note("%s", line)


def end() -> None:
    """Close the file; nothing is written any more."""
    global _logger
    logger, _logger = _logger, None
    for handler in list(logger.handlers) if logger is not None else ():
        assert logger is not None
        logger.removeHandler(handler)
        handler.close()


def note(step: str, *values: object) -> None:
    """Write a step down. `values` stand for the `%` signs in it: numbers, and names that the program itself gives."""
    if _logger is not None:
        _logger.debug(step, *values)


def note_fault(error: BaseException) -> None:
    """Write an error down, and the calls that led to it; not its message, which may quote a log."""
    if _logger is None:
        return
    import traceback

    found: BaseException | None = error
    while found is not None:
        _logger.debug("fault: %s", type(found).__name__)
        for frame in traceback.extract_tb(found.__traceback__):
            place = (
                frame.filename.removeprefix(_PACKAGE)
                if frame.filename.startswith(_PACKAGE)
                else Path(frame.filename).name
            )
            _logger.debug("  %s:%s in %s", place, frame.lineno, frame.name)
        found = found.__cause__ or found.__context__


def _surroundings() -> list[str]:
    """What the program runs on."""
    import os
    import platform
    import shutil
    from importlib.metadata import PackageNotFoundError, version

    def version_of(name: str) -> str:
        try:
            return version(name)
        except PackageNotFoundError:
            return "none"

    names = ("trajview", "textual", "rich", "click", "msgspec", "pydantic", "google-re2", "stringzilla")
    terminals = [name for name in ("stdin", "stdout", "stderr") if (stream := getattr(sys, name)) and stream.isatty()]
    size = shutil.get_terminal_size()
    return [
        ", ".join(f"{name} {version_of(name)}" for name in names),
        f"Python {platform.python_version()}, {platform.platform()}, {os.cpu_count()} cores",
        f"TERM {os.environ.get('TERM')}, COLORTERM {os.environ.get('COLORTERM')}, {size.columns}x{size.lines}, "
        f"terminals: {', '.join(terminals) or 'none'}, {sys.stdout.encoding if sys.stdout else 'no output'}",
    ]
