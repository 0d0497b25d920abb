"""The entry point without an argument parser: paths to open, as most command lines are; and the end of every command.

Nothing is imported here that the viewer does not need: click alone would take a twentieth of the time to the first screen.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NoReturn

from trajview.debug_log import REPORT, note, note_fault
from trajview.errors import PluginProblem, Problem, TrajviewError
from trajview.terminal_input import EarlyInput, take_early_input
from trajview.textsafe import safe_text

if TYPE_CHECKING:
    from types import TracebackType

    from trajview.annotation.queue import Plan

    from .stdin import Spool

__all__ = [
    "AT_END", "COMMANDS", "EXIT_FINE", "EXIT_INTERRUPTED", "EXIT_PROBLEMS", "EXIT_WRONG", "SAID", "can_view", "ended", "is_terminal", "note_reported", "open_viewer", "run",
    "say_problem", "tidy_up",
]  # fmt: skip

EXIT_FINE: Final = 0
EXIT_PROBLEMS: Final = 1
EXIT_WRONG: Final = 2
EXIT_INTERRUPTED: Final = 130

COMMANDS: Final = (
    "view", "annotate", "show", "export", "convert", "search", "compare", "ls", "stats", "detect", "formats", "validate", "annotations", "agreement", "rubric", "cache",
    "completion",
)  # fmt: skip

_PRINTS_DIFF: Final = frozenset({"--text", "--unified", "--side-by-side"})
"""Options of `compare` that have a diff printed, on a terminal too."""

_A_MOMENT: Final = 0.01  # seconds
AT_END: Final[list[Callable[[], None]]] = []
"""Calls to make when a command ends, or the viewer takes over the terminal."""
EARLY: Final[list[EarlyInput | None]] = []
"""What is known of keys that are typed before the viewer is there."""
SAID: Final[set[str]] = set()
"""The formats of plug-ins whose problems were printed."""
_ARENA_MAX: Final = -8  # M_ARENA_MAX in glibc's malloc.h


def run() -> None:
    """Run the console script."""
    if not sys.warnoptions:
        # Python's warning about a searched pattern such as `[[` is meant for programmers.
        warnings.simplefilter("ignore", FutureWarning)
    _heed_lost_interrupts()
    sys.excepthook = _explain_fault
    given = sys.argv[1:]
    try:
        viewer = sys.stdout is not None and can_view()
        if viewer and _may_open_viewer(given):
            EARLY.append(take_early_input())
        if viewer and _are_paths(given):
            from pathlib import Path

            ended(lambda: open_viewer(paths=tuple(map(Path, given))))
        from .main import main

        main(prog_name="trajview")
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)


def _explain_fault(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print a fault of ours as Python does, and how to report it."""
    sys.__excepthook__(kind, error, trace)
    sys.stderr.write(f"trajview: {REPORT}\n")


def _heed_lost_interrupts() -> None:
    """Let ctrl+c end us also where nothing can be raised: within a call from C, as pydantic makes many, or from the
    collector, Python says that it ignores it, and does. Then it is pressed once more, a moment later."""

    def heard(lost: sys.UnraisableHookArgs) -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(lost)
            return
        from threading import Thread, main_thread

        Thread(target=press_again, args=(main_thread().ident or 0,), daemon=True).start()

    def press_again(main: int) -> None:
        import time
        from signal import SIGINT, pthread_kill

        while True:  # an exception raised in `heard` is lost as well
            time.sleep(_A_MOMENT)
            frame = sys._current_frames().get(main)
            while frame is not None and frame.f_code is not heard.__code__:
                frame = frame.f_back
            if frame is None:
                break
        pthread_kill(main, SIGINT)  # a real one, which ends a wait as well

    sys.unraisablehook = heard


def _may_open_viewer(given: Sequence[str]) -> bool:
    """Whether a line of arguments is one that the viewer opens for, unless something is wrong with it."""
    if given[:1] == ["compare"]:
        return _PRINTS_DIFF.isdisjoint(given)
    return bool(given) and (given[0] not in COMMANDS or given[0] in ("view", "annotate"))


def _are_paths(given: Sequence[str]) -> bool:
    """Whether the arguments are files and folders that exist, and nothing else."""
    if not given or given[0] in COMMANDS or any(one.startswith("-") for one in given):
        return False
    # A shell that asks for completions does not mean the arguments.
    return "_TRAJVIEW_COMPLETE" not in os.environ and all(map(os.path.lexists, given))


def ended(call: Callable[[], Any]) -> Any:
    """Make a call, and turn any error into one line and SystemExit with its exit code, never a traceback."""
    _open_what_was_closed()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # characters that the terminal's encoding lacks become question marks
    try:
        try:
            result = call()
        finally:
            tidy_up()
        sys.stdout.flush()
    except TrajviewError as error:
        note_fault(error)
        say_problem(error.problem())
        sys.exit(EXIT_WRONG)
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        _let_go_of_stdout()
        sys.exit(EXIT_FINE)
    except OSError as error:  # a full disk behind `> file`; what is read says itself what is wrong
        _let_go_of_stdout()
        place = f"{error.filename}: " if error.filename else "the output cannot be written: "
        say_problem(Problem(place + (error.strerror or str(error))))
        sys.exit(EXIT_WRONG)
    except MemoryError:
        _let_go_of_stdout()
        say_problem(Problem("there is not enough memory for this", "choose fewer or shorter runs, or have more memory"))
        sys.exit(EXIT_WRONG)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except Exception as error:
        if not type(error).__module__.startswith(
            "click."
        ):  # which ends commands so, and says itself what is wrong with a line
            note_fault(error)
        raise
    return result


def tidy_up() -> None:
    """Make the calls in AT_END."""
    while AT_END:
        AT_END.pop()()


def open_viewer(
    no_cache: bool = False, follow: bool = False, streams: Sequence[Spool] = (), plan: Plan | None = None, **given: Any
) -> NoReturn:
    """Open the viewer with these settings, on the queue of a plan if there is one, and end the program."""
    from .stdin import take_terminal

    tidy_up()
    take_terminal()
    note("the viewer is opened")

    from trajview.corpus.process_wide import put_off_garbage

    _share_heap()
    put_off_garbage()

    from trajview.config import load_settings

    settings = load_settings(**given)
    from trajview.corpus.bounds import BOUNDS
    from trajview.corpus.cache import SummaryCache
    from trajview.corpus.corpus import Corpus

    BOUNDS.complete(settings.max_unpacked, settings.follow_links)
    corpus = Corpus(settings.paths, None if no_cache else SummaryCache(), follow=follow, streams=list(streams))
    corpus.start(patiently=True)  # the first runs are found while Textual is imported
    from trajview.app.app import run_app

    sys.exit(run_app(corpus, settings, plan, early=EARLY[0] if EARLY else None))


def can_view() -> bool:
    """Whether the terminal can show the viewer; Emacs' shell, for one, can only print."""
    return is_terminal() and os.environ.get("TERM") != "dumb"


def is_terminal() -> bool:
    """Whether stdout is a terminal, so that people see what is printed."""
    return sys.stdout.isatty()


def say_problem(problem: Problem) -> None:
    """Print a problem on one line of stderr: place, reason, hint."""
    note_reported(problem)
    note("problem: %s", type(problem).__name__)
    line = " ".join(safe_text(str(problem)).split())
    sys.stderr.write(f"trajview: {line}\n")


def note_reported(problem: Problem) -> None:
    """Remember that a plug-in's problem was printed: each is printed once."""
    if isinstance(problem, PluginProblem):
        SAID.add(problem.format)


def _open_what_was_closed() -> None:
    """Replace closed stdout or stderr (`>&-`), for which Python has None, by a stream to nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  open as long as we run


def _let_go_of_stdout() -> None:
    """Point stdout elsewhere, so that Python does not complain about a closed pipe when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):  # a stdout that is no file, as in tests
        pass
    finally:
        os.close(nowhere)


def _share_heap() -> None:
    """Let all threads have their memory from one heap. glibc gives each its own, and what is freed there is no other's:
    after fifty runs that is some 15 MB that nobody uses. Elsewhere there is nothing to be said."""
    from ctypes import CDLL

    with suppress(OSError, AttributeError):
        CDLL(None).mallopt(_ARENA_MAX, 1)
