"""What is typed while the viewer starts lands where it was meant for, in its order, or nowhere, and that is said.

The tests try a few moments. All of them from launch to 3 s, and what became of the keys, with the counts:

    EARLY_KEYS_STEP=0.05 .venv/bin/python -m pytest -n 0 -s tests/pty/test_early_keys.py
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.app.logs import chat, episode, write_jsonl
from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore

from .screen import Terminal

STEP = float(os.environ.get("EARLY_KEYS_STEP", 0))
"""Seconds from one try to the next; 0 for a few tries."""
STARTS = [STEP * i for i in range(int(3 / STEP) + 1)] if STEP else [0.0, 0.1, 0.25, 0.4, 0.6, 0.9, 1.3, 2.0]
"""Seconds from the launch to the first key."""
pytestmark = [pytest.mark.pty, pytest.mark.timeout(1800 if STEP else 120)]
AT_ONCE = 1 if STEP else 4
"""Programs that run at the same time."""
PATIENCE = 40.0
"""Seconds until what was typed counts as lost without a word."""

SCORES = ("7", "2", "6")
NAMES = ("hallway", "nightbus", "rooftop")
DROPPED = b"What you typed ahead is dropped"

Try = Callable[[Path, float, float], str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Episodes, runs with names, and two runs that differ in three units."""
    (tmp_path / "episodes").mkdir()
    for name in ("a", "b", "c"):
        (tmp_path / "episodes" / f"{name}.json").write_text(json.dumps(episode(name)))
    (tmp_path / "runs").mkdir()
    for name in NAMES:
        write_jsonl(tmp_path / "runs" / f"{name}.jsonl", [chat(name, f"Where is the {name}?", "Over there.")])
    for side in ("left", "right"):
        texts = [f"Step {number} of {side}." if number in (5, 9, 13) else f"Step {number}." for number in range(16)]
        (tmp_path / f"{side}.json").write_text(json.dumps(chat("clock", *texts)))
    return tmp_path


def type_at(terminal: Terminal, keys: Sequence[str], start: float, pause: float) -> None:
    """Type keys so many seconds after the launch, with pauses between them."""
    terminal.look(start)
    for key in keys:
        terminal.press(key)
        if pause:
            terminal.look(pause)


def scores_typed(folder: Path, start: float, pause: float) -> str:
    """Type three scores into a queue that is being opened: what became of them."""
    home = folder / f"home-{start:.2f}-{pause}"
    store = home / "store"
    keys = [char for score in SCORES for char in f"{score}\r"]
    with Terminal(home, "annotate", "episodes", "--store", str(store), cwd=folder, size=(120, 36)) as terminal:
        type_at(terminal, keys if pause else ["".join(keys)], start, pause)
        deadline = time.monotonic() + PATIENCE
        while b"draft saved" not in terminal.sent and time.monotonic() < deadline and DROPPED not in terminal.sent:
            terminal.look(0.2)
        terminal.look(1.2)  # the last of it is in the journal within half a second
        terminal.kill()
    found = scores_in(store)
    return f"{found} and said" if found == "lost" and DROPPED in terminal.sent else found


def scores_in(store: Path) -> str:
    """What became of the three scores that were typed for the first episode."""
    for name in ("b", "c"):
        if AnnotationStore(store, "ada").open(name, SOTOPIA, 2).kept is not None:
            return "wrong: in another episode"
    kept = AnnotationStore(store, "ada").open("a", SOTOPIA, 2).kept
    if kept is None:
        return "lost"
    first, second = kept.values
    expected = dict(zip(("believability", "relationship", "knowledge"), SCORES, strict=True))
    return (
        "right" if (first, second, kept.reasoning) == (expected, {}, "") else f"wrong: {kept.values} {kept.reasoning}"
    )


def name_typed(folder: Path, start: float, pause: float) -> str:
    """Filter the list by a name, keep the filter, and open the run: what became of that."""
    home = folder / f"home-list-{start:.2f}-{pause}"
    keys = [*"&nightbus", "\r", "\r"]
    with Terminal(home, "runs", cwd=folder, size=(120, 36)) as terminal:
        type_at(terminal, keys if pause else ["".join(keys)], start, pause)
        deadline = time.monotonic() + PATIENCE
        while "Over there." not in terminal.text and time.monotonic() < deadline and DROPPED not in terminal.sent:
            terminal.look(0.2)
        shown = terminal.text
        terminal.kill()
    if "Where is the nightbus?" in shown and "Over there." in shown:
        return "right"
    return "lost and said" if DROPPED in terminal.sent else f"wrong: {shown}"


def comparison_typed(folder: Path, start: float, pause: float) -> str:
    """Go to the second difference of two runs, to the unit after it, and open the run there: what became of that."""
    home = folder / f"home-compare-{start:.2f}-{pause}"
    keys = [*"jnn]", "\r"]
    with Terminal(home, "compare", "left.json", "right.json", cwd=folder, size=(120, 36)) as terminal:
        type_at(terminal, keys if pause else ["".join(keys)], start, pause)
        deadline = time.monotonic() + PATIENCE
        while "unit 5/7" not in terminal.text and time.monotonic() < deadline and DROPPED not in terminal.sent:
            terminal.look(0.2)
        shown = terminal.text
        terminal.kill()
    if "unit 5/7" in shown:
        return "right"
    return "lost and said" if DROPPED in terminal.sent else f"wrong: {shown}"


ATTEMPTS = (scores_typed, name_typed, comparison_typed)


def some_of(starts: Sequence[float], attempt: Try) -> Sequence[float]:
    """The moments to try: fewer for what is not scores, as scores are what must not be wrong."""
    return starts if STEP or attempt is scores_typed else starts[::3]


@contextmanager
def busy_processor() -> Iterator[None]:
    """Keep every core busy."""
    loops = [
        subprocess.Popen(["nice", "-n", "5", sys.executable, "-c", "while True: pass"])
        for _ in range(os.cpu_count() or 2)
    ]
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.wait()


def results_of(attempt: Try, folder: Path, tries: Sequence[tuple[float, float]]) -> Counter[str]:
    """Try at several moments, given with the seconds between keys: how often each came out."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(lambda each: attempt(folder, *each), tries))
    print(f"{attempt.__name__}: {len(tries)} tries, {dict(Counter(each.partition(':')[0] for each in found))}")
    return Counter(found)


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_what_is_typed_at_once_while_it_starts_is_where_it_belongs(folder: Path, attempt: Try) -> None:
    starts = some_of(STARTS, attempt)
    found = results_of(attempt, folder, [(start, 0.0) for start in starts])
    assert set(found) <= {"right", "lost and said"}, found
    assert found["right"] >= len(starts) - 1


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_what_is_typed_key_by_key_while_it_starts_is_where_it_belongs(folder: Path, attempt: Try) -> None:
    starts = some_of(STARTS if STEP else STARTS[1::2], attempt)
    found = results_of(attempt, folder, [(start, 0.12) for start in starts])
    assert set(found) <= {"right", "lost and said"}, found
    assert found["right"] >= len(starts) - 1


def test_what_is_typed_while_the_processor_is_busy_is_where_it_belongs(folder: Path) -> None:
    starts = STARTS if STEP else [0.2, 0.8]
    with busy_processor():
        for attempt in ATTEMPTS if STEP else (scores_typed, name_typed):
            found = results_of(attempt, folder, [(start, 0.12) for start in starts])
            assert set(found) <= {"right", "lost and said"}, found


def test_what_is_typed_while_it_is_stopped_is_where_it_belongs(folder: Path) -> None:
    """The terminal collects lines then, and sends Enter as the end of one, which would submit."""
    store = folder / "store"
    arguments = ("annotate", "episodes", "--store", str(store))
    with Terminal(folder / "home", *arguments, cwd=folder, size=(120, 36)) as terminal:
        terminal.until("not started")
        os.kill(terminal.pid, signal.SIGTSTP)
        terminal.until(lambda: os.waitpid(terminal.pid, os.WUNTRACED | os.WNOHANG)[0])
        terminal.press("".join(f"{score}\r" for score in SCORES))
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.until("draft saved")
        terminal.look(1.2)
        terminal.kill()
    assert scores_in(store) == "right"
