"""Progress of a command on a line of stderr, where that is a terminal and nothing else is printed for a moment."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeVar

from trajview.corpus.files import size_of_files
from trajview.corpus.memory import giga

from .front import AT_END

if TYPE_CHECKING:
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.search import CorpusSearch

__all__ = ["counted", "watch", "watch_input", "watch_search"]

_QUIET: Final = 0.2
"""Seconds without output after which the line is shown."""
_EVERY: Final = 0.1

_Item = TypeVar("_Item")

_line: _Line | None = None


def watch(corpus: Corpus) -> None:
    """Show how much of a corpus is read, from now on until the command ends."""
    _show(lambda: _progress_text("reading", corpus.bytes_done, corpus.paths, len(corpus.infos)))


def watch_search(search: CorpusSearch, paths: Sequence[Path]) -> None:
    """Show how much has been searched."""
    _show(lambda: _progress_text("searching", search.bytes_done, paths, None))


def watch_input(size: Callable[[], int]) -> None:
    """Show how many bytes have come from standard input."""
    _show(lambda: f"reading standard input… {giga(size())}")


def counted(what: str) -> Callable[[Sequence[_Item]], Iterator[_Item]]:
    """Make an iteration over some things that shows how many of them are done."""

    def along(items: Sequence[_Item]) -> Iterator[_Item]:
        done = 0
        _show(lambda: f"{what}… {done:,} of {len(items):,}")
        for item in items:
            yield item
            done += 1

    return along


def _end() -> None:
    """Remove the line for good: the next output shows its own progress, or the command ends."""
    global _line
    if _line is not None:
        _line.end()
        _line = None


def _show(say: Callable[[], str]) -> None:
    global _line
    if _line is not None:
        _line.say = say
    elif sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        _line = _Line(say)
        AT_END.append(_end)


def _progress_text(what: str, done: int, paths: Sequence[Path], runs: int | None) -> str:
    total = size_of_files(paths)
    text = f"{what}… {giga(done)}" + (f" of {giga(total)}" if total > done else "")
    return f"{text} · {runs:,} run{'' if runs == 1 else 's'}" if runs else text


class _Line:
    """The line, written by a thread; any output removes it first."""

    def __init__(self, say: Callable[[], str]) -> None:
        self.say = say
        self.lock = Lock()
        self._terminal = sys.stderr
        self._is_shown = False
        self._begun = self._since = monotonic()
        self._over = Event()
        self._before = sys.stdout, sys.stderr
        sys.stderr = _Through(sys.stderr, self)
        if sys.stdout is not None and sys.stdout.isatty():
            sys.stdout = _Through(sys.stdout, self)
        self._thread = Thread(target=self._run, name="trajview-progress", daemon=True)
        self._thread.start()

    def make_way(self) -> None:
        """Clear the line, since something is going to be printed. Called with the lock."""
        if self._is_shown:
            self._put("")
        self._since = monotonic()

    def end(self) -> None:
        """Clear the line, and leave the streams as they were."""
        self._over.set()
        self._thread.join(1)
        with self.lock:
            self.make_way()
        sys.stdout, sys.stderr = self._before

    def _run(self) -> None:
        while not self._over.wait(_EVERY):
            with self.lock:
                if monotonic() - self._since >= _QUIET and not self._over.is_set():
                    self._put(f"{self.say()} · {monotonic() - self._begun:.0f} s")

    def _put(self, text: str) -> None:
        try:
            width = os.get_terminal_size(self._terminal.fileno()).columns
            self._terminal.write("\r\x1b[K" + text[: max(0, width - 1)])
            self._terminal.flush()
        except (OSError, ValueError):  # the terminal is gone
            self._over.set()
        self._is_shown = bool(text)


class _Through:
    """A stream to the terminal that the line is on."""

    def __init__(self, stream: Any, line: _Line) -> None:
        self._stream, self._line = stream, line

    def write(self, text: str) -> int:
        with self._line.lock:
            self._line.make_way()
            size = self._stream.write(text)
            self._stream.flush()  # before the line is shown again
        return int(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
