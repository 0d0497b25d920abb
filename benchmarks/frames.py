"""What a program shows in its terminal, and since when: a terminal that is emulated (pyte) once all was written.

Each chunk that comes is only stamped; afterwards they are replayed. A frame is correct from the moment on from which every
line is, in characters and colours, as it is in the end.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyte
from keys import Program

__all__ = ["Frame", "Screen", "ShownProgram"]

QUIET = 0.4  # s without output after which nothing more comes, what is counted in threads included
PATIENCE = 5.0  # s
_UNKNOWN_TO_PYTE = re.compile(rb"\x1b\[[<>=?][0-9;]*u|\x1bP.*?\x1b\\", re.DOTALL)
"""Questions about the keyboard and the terminal, which it would print."""

Chunk = tuple[float, bytes]
"""When it was read (perf_counter, seconds), and what."""


@dataclass(frozen=True)
class Frame:
    """Milliseconds from a key or a new size to its answer."""

    first: float
    """To the first byte."""
    correct: float
    """To the first correct frame: all that comes later changes nothing that can be seen."""
    last: float
    """To the last byte."""
    count: int
    """Bytes in all."""


class Screen:
    """An emulated terminal."""

    def __init__(self, columns: int, rows: int) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)

    def resize(self, columns: int, rows: int) -> None:
        """Another size, with nothing in it: what terminals keep of their lines then differs, and all is to be drawn anew."""
        self._screen.resize(rows, columns)
        self._screen.erase_in_display(2)

    def feed(self, data: bytes) -> None:
        """Show what was written."""
        self._stream.feed(_UNKNOWN_TO_PYTE.sub(b"", data))

    def line(self, y: int) -> tuple[object, ...]:
        """The characters of a line with their colours."""
        row = self._screen.buffer[y]
        return tuple(row[x] for x in range(self._screen.columns))

    @property
    def text(self) -> str:
        """What can be read."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def replay(self, chunks: Sequence[Chunk], begin: float) -> Frame:
        """Show what was written since `begin`, and say from when on the screen was as it is in the end."""
        now = {y: self.line(y) for y in range(self._screen.lines)}
        since: dict[int, float] = {}
        """When a line that was drawn otherwise, if only for a moment, came to be as it is now."""
        for when, data in chunks:
            self._screen.dirty.clear()
            self.feed(data)
            for y in self._screen.dirty & now.keys():
                line = self.line(y)
                if line != now[y]:
                    now[y], since[y] = line, when
        first, last = chunks[0][0], chunks[-1][0]
        times = [(when - begin) * 1000 for when in (first, max(since.values(), default=first), last)]
        return Frame(*times, sum(len(data) for _, data in chunks))


class ShownProgram(Program):
    """A program in a pseudo-terminal, and what it shows."""

    def __init__(self, command: Sequence[str], columns: int, rows: int) -> None:
        self._unseen: list[Chunk] = []
        super().__init__(command, columns, rows)
        self.screen = Screen(columns, rows)

    def read(self) -> bytes:
        data = super().read()
        self._unseen.append((time.perf_counter(), data))
        return data

    def look(self) -> None:
        """Show all that was written."""
        self.screen.feed(b"".join(data for _, data in self._unseen))
        self._unseen.clear()

    def frame(self, act: Callable[[], object]) -> Frame:
        """Do something, and wait for the last of what it leads to."""
        self.look()
        begin = time.perf_counter()
        act()
        self.settle(QUIET, PATIENCE)
        if not self._unseen:
            raise SystemExit("a key, or a new size, was not answered")
        found = self.screen.replay(self._unseen, begin)
        self._unseen.clear()
        return found

    def key_frame(self, key: str) -> Frame:
        """Press a key."""
        return self.frame(lambda: self.write(key))

    def size_frame(self, columns: int, rows: int) -> Frame:
        """Give the terminal another size."""
        self.look()
        self.screen.resize(columns, rows)
        return self.frame(lambda: self.take_size(columns, rows))
