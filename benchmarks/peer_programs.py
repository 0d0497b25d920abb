"""What a viewer takes, with all processes that it starts: time until a text is there, a core's time, memory (Linux)."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from keys import Program
from kinds import FIRST, LAST

TICKS = os.sysconf("SC_CLK_TCK")
NEVER = float("nan")


@dataclass
class Found:
    """What one round took: milliseconds, milliseconds of a core, MB."""

    first: float = NEVER
    """From exec (or from opening the page) until the first message is there, or the last one."""
    first_core: float = NEVER
    end: float = NEVER
    """From asking for the other end until it is there."""
    end_core: float = NEVER
    peak: float = 0.0
    keys: dict[str, list[float]] = field(default_factory=dict)
    keys_core: dict[str, float] = field(default_factory=dict)
    note: str = ""


def family(pid: int) -> list[int]:
    """A process and all that it started and that still run."""
    found = [pid]
    for each in found:
        for thread in Path(f"/proc/{each}/task").glob("*/children"):
            try:
                found.extend(map(int, thread.read_text().split()))
            except OSError:  # it has ended
                continue
    return found


def core_time(pid: int) -> float:
    """Milliseconds of processor time of a process and all that it started, those that have ended included."""
    total = 0
    for each in family(pid):
        try:
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        total += sum(map(int, fields[11:15]))
    return total / TICKS * 1000


def memory(pid: int) -> float:
    """MB of anonymous memory (file pages apart) of a process and all that it started."""
    total = 0
    for each in family(pid):
        try:
            lines = Path(f"/proc/{each}/status").read_text().splitlines()
        except OSError:  # it has ended
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("RssAnon:"))
    return total / 1024


class Watched(Program):
    """A program in a pseudo-terminal of 120x40 whose memory is looked at while it works."""

    def __init__(self, command: Sequence[str]) -> None:
        self.begin = time.perf_counter()
        super().__init__(command, 120, 40)
        self.peak = self.looked = 0.0

    def until(self, texts: Sequence[str], patience: float) -> str:
        """Read until one of some texts has been written; "" if none came in so many seconds, or the program ended."""
        seen, last = b"", time.perf_counter() + patience
        while time.perf_counter() < last:
            ready, _, _ = select.select([self.terminal], [], [], 0.05)
            if ready:
                try:
                    data = os.read(self.terminal, 1 << 16)
                except OSError:  # it has ended
                    return ""
                seen = seen[-20:] + data
                for text in texts:
                    if text.encode() in seen:
                        return text
            if time.perf_counter() - self.looked > 0.05:
                self.look()
        return ""

    def rest(self, patience: float) -> None:
        """Read until it waits for keys only, or so many seconds have gone."""
        last = time.perf_counter() + patience
        while time.perf_counter() < last:
            before = core_time(self.pid)
            self.settle(0.5, 0.5)
            self.look()
            if core_time(self.pid) - before < 50:
                break

    def look(self) -> None:
        self.peak = max(self.peak, memory(self.pid))
        self.looked = time.perf_counter()


def terminal_round(command: Sequence[str], keys: Mapping[str, Sequence[str]], presses: int, patience: float) -> Found:
    """Open, go to the end and back to the top, press each other key's turn, and close."""
    program, found = Watched(command), Found()
    try:
        seen = program.until((FIRST, LAST), patience)
        if not seen:
            found.note = f"nothing in {patience:.0f} s"
            return found
        found.first = (time.perf_counter() - program.begin) * 1000
        found.first_core = core_time(program.pid)
        key, other = (keys["end"], LAST) if seen == FIRST else (keys["top"], FIRST)
        asked = time.perf_counter()
        while time.perf_counter() - asked < patience:
            os.write(program.terminal, key[0].encode())
            # A program that still reads does not know the end yet: ask again.
            if program.until((other,), 1.0):
                found.end = (time.perf_counter() - asked) * 1000
                break
        else:
            found.note = f"no end in {patience:.0f} s"
        found.end_core = core_time(program.pid)
        if seen == LAST:
            found.note = f"{found.note} opens at its end".strip()
        program.rest(10.0)
        for what, pressed in keys.items():
            if what in ("end", "top"):
                continue
            program.press(keys["top"][0])
            program.press(pressed[0])
            before = core_time(program.pid)
            took = [program.press(pressed[turn % len(pressed)]) for turn in range(1, presses + 1)]
            found.keys_core[what] = (core_time(program.pid) - before) / presses
            found.keys[what] = [last for _, last, count in took if count]
        program.look()
    finally:
        found.peak = program.peak
        program.close()
    return found
