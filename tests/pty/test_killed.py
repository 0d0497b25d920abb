"""kill -9 at random moments while a person types: at most the last second of typing is lost, and nothing that was saved."""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.app.logs import chat, write_jsonl
from trajview.annotation.merge import merge_into
from trajview.annotation.rubric import reward_rubric
from trajview.annotation.store import AnnotationStore

from .screen import Terminal

pytestmark = pytest.mark.pty

TAB, CTRL_S = "\t", "\x13"

SECOND = 1.5
"""How long something may be on the screen without being on the disk: a second, and what a loaded machine adds."""

KILLS = 3
"""How often the program is killed in one test."""


class Typist:
    """Types words into the reasoning of one run, saves now and then, and remembers when the screen showed what."""

    def __init__(self, terminal: Terminal, choice: random.Random, kept: str) -> None:
        self.terminal = terminal
        self.choice = choice
        self.kept = kept
        """What was there before; what is typed goes behind it."""
        self.typed = ""
        self.seen: list[tuple[float, int]] = []
        """When so many characters were on the screen."""
        self.saved = -1
        """So many characters were typed when the panel last said that all is saved; minus one for never."""

    def type_word(self, number: int) -> None:
        self.typed += f"w{number} "
        self.terminal.press(f"w{number} ")
        for _ in range(self.choice.randrange(3)):
            self.terminal.look(self.choice.uniform(0.0, 0.06))
            self.look()

    def look(self) -> None:
        """Remember how much of what was typed is on the screen by now."""
        shown = next((word for word in reversed(self.typed.split()) if self.shows(word)), None)
        if shown is not None:
            self.seen.append((time.monotonic(), self.typed.index(f"{shown} ") + len(shown)))

    def shows(self, word: str) -> bool:
        """Whether a whole word is on the screen."""
        return re.search(rf"\b{word}\b", self.terminal.text) is not None

    def save(self) -> None:
        so_many = len(self.typed)
        word = self.typed.split()[-1]
        self.terminal.until(lambda: self.shows(word) and "submitted ✓" not in self.terminal.text)
        self.terminal.press(CTRL_S)
        # While it is submitted nothing can be typed; then the panel stays, for there is no next run.
        self.terminal.until(lambda: "submitted ✓" in self.terminal.text and "all are" in self.terminal.text)
        self.saved = so_many

    def safe(self, now: float) -> int:
        """So many characters must be on the disk."""
        return max([self.saved, *(count for at, count in self.seen if at < now - SECOND)], default=0)


@pytest.mark.parametrize("seed", [20_260, 20_261, 20_262])
def test_killed_at_random_moments(tmp_path: Path, seed: int) -> None:
    choice = random.Random(seed)
    work, home = tmp_path / "work", tmp_path / "home"
    work.mkdir()
    write_jsonl(work / "one.jsonl", [chat("beta", "Say b.", "b", "And again?", "b again")])
    store = AnnotationStore(work / "marks", "bob")
    rubric = reward_rubric()
    kept, record, number = "", "", 0
    for kill in range(1, KILLS + 1):
        with Terminal(
            home, "one.jsonl", "--run", "beta", "--annotator", "bob", "--store", "marks", cwd=work
        ) as terminal:
            terminal.until("b again")
            terminal.press("a")
            terminal.until(lambda: any(text in terminal.text for text in ("not started", "draft of", "submitted ✓")))
            if kept:  # The first words of what the disk has are in the panel again.
                terminal.until(kept.split()[0])
            terminal.press("0.5\r" if "not started" in terminal.text else TAB)
            terminal.until("What do your scores rest on?")
            typist = Typist(terminal, choice, kept)
            for _ in range(choice.randrange(8, 32)):
                number += 1
                typist.type_word(number)
                if choice.random() < 0.04:
                    typist.save()
                    record = typist.typed
            if choice.random() < 0.4:
                terminal.press(CTRL_S)  # And not waited for.
            terminal.look(choice.choice([0.0, 0.01, 0.03, 0.1, 0.3, 0.7]))
            typist.look()
            terminal.kill()
            at = time.monotonic()
        opened = AnnotationStore(store.root, "bob").open("beta", rubric, 1)
        now = (opened.kept or opened.draft).reasoning
        whole = kept + typist.typed
        lost = len(whole) - len(now)
        assert now == whole[: len(whole) - lost], f"kill {kill}: {now[:80]!r}"
        assert len(typist.typed) - lost >= typist.safe(at), f"kill {kill}: {lost} characters lost of {typist.typed!r}"
        if record:
            assert opened.saved is not None
            assert record in opened.saved.annotation.reasoning
        assert AnnotationStore(store.root, "bob").problems == []
        kept, record = now, ""
    assert len(kept.split()) > number / 2


PATIENT = """
from trajview.app.annotate.panel import AnnotationPanel
from trajview.__main__ import main

AnnotationPanel.KEEP_AFTER = 600.0
main()
"""
"""The program, but that it writes a draft only after ten minutes."""


ARGUMENTS = ("one.jsonl", "--run", "beta", "--annotator", "bob", "--store", "marks")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with a log."""
    work = tmp_path / "work"
    work.mkdir()
    write_jsonl(work / "one.jsonl", [chat("beta", "Say b.", "b", "And again?", "b again")])
    return work


@contextmanager
def typed(work: Path, program: str) -> Iterator[Terminal]:
    """A score and the beginning of a reasoning, which the program has not written down yet."""
    with Terminal(work.parent / "home", *ARGUMENTS, cwd=work, program=("-c", program)) as terminal:
        terminal.until("b again")
        terminal.press("a")
        terminal.until("not started")
        terminal.press(f"0.5{TAB}so far")
        terminal.until("so far")
        yield terminal


def told_to_end(terminal: Terminal, number: signal.Signals) -> None:
    os.kill(terminal.pid, number)
    assert terminal.ended() == (-number if number == signal.SIGHUP else 128 + number)


def assert_kept(work: Path) -> None:
    opened = AnnotationStore(work / "marks", "bob").open("beta", reward_rubric(), 1)
    assert opened.kept is not None
    assert opened.kept.reasoning == "so far"
    assert [dict(values) for values in opened.kept.values] == [{"reward": "0.5"}]


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_what_was_typed_a_moment_ago_is_written_when_the_terminal_is_closed(work: Path, number: signal.Signals) -> None:
    with typed(work, PATIENT) as terminal:
        assert not (work / "marks").exists()
        told_to_end(terminal, number)
    assert_kept(work)
    if number == signal.SIGTERM:
        assert b"\x1b[?1049l" in terminal.sent, "the terminal shows again what it showed before"


def test_a_terminal_that_is_gone_ends_also_what_ignores_the_signal_of_it(work: Path) -> None:
    """It would ask for keys for ever, and keep a core busy."""
    ignoring = f"import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n{PATIENT}"
    with typed(work, ignoring) as terminal:
        assert terminal.hang_up() == -signal.SIGHUP
    assert_kept(work)


FULL = f"""
import os
from trajview.annotation import journal

real = journal.write_all

def write_all(descriptor, data):
    if os.path.samestat(os.fstat(descriptor), os.stat("marks/journal/bob.jsonl")):
        raise OSError(28, "No space left on device")
    real(descriptor, data)

journal.write_all = write_all
{PATIENT}
"""
"""The same, on a store whose disk is full."""


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_what_a_full_disk_does_not_take_at_the_end_is_kept_elsewhere_and_comes_back(
    work: Path, number: signal.Signals
) -> None:
    with typed(work, FULL) as terminal:
        told_to_end(terminal, number)
        if number == signal.SIGTERM:
            _, said = terminal.sent.rsplit(b"\x1b[?1049l", 1)
            assert b"trajview annotations merge" in said
            assert b"Traceback" not in said
    with Terminal(work.parent / "home", *ARGUMENTS, cwd=work, size=(120, 40)) as terminal:
        terminal.until("b again")
        terminal.press("a")
        terminal.until("was kept elsewhere")
    (rescued,) = (work.parent / "home" / ".state" / "trajview").glob("trajview-rescued-*")
    merge_into(work / "marks", rescued)
    assert_kept(work)
