"""Make the README's pictures: the real app, driven by keys on `sample_data`, saved as SVG.

    .venv/bin/python screenshots/make_screenshots.py

The pictures are the same each time: they hold no clock, no absolute path and no name of this machine or its user.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from trajview.annotation.queue import Plan
from trajview.app.agreement.disagreement import DisagreementScreen
from trajview.app.agreement.screen import AgreementScreen
from trajview.app.annotate import panel as annotation_panel
from trajview.app.app import make_app
from trajview.app.compare.screen import CompareScreen
from trajview.app.transcript.screen import TranscriptScreen
from trajview.config import Settings
from trajview.corpus.corpus import Corpus

HERE = Path(__file__).resolve().parent
SIZE = (120, 36)
SAMPLES = Path("sample_data")
REASONING = """Tomasz stays with what can be checked: a date, an invoice.
Ines changes her story twice, and gives the date away herself at turn 6."""
PATIENCE = 30.0  # seconds


async def until(pilot: Pilot[Any], condition: Callable[[], object]) -> None:
    """Let the app go on until the condition holds, and then until it is at rest."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("the screen that was waited for never came")
        await pilot.pause(0.05)
    await rest(pilot)


async def rest(pilot: Pilot[Any]) -> None:
    """Wait until the screen has stayed the same for a while."""
    before, same = "", 0
    while same < 4:
        await pilot.pause(0.1)
        now = pilot.app.export_screenshot()
        same, before = (same + 1, before) if now == before else (0, now)


def save(pilot: Pilot[Any], name: str) -> None:
    """Write the screen as it is; fonts are the reader's own, nothing is fetched."""
    svg = pilot.app.export_screenshot(title=None)
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"(saved&#160;)\d\d:\d\d:\d\d", r"\g<1>03:45:29", svg)  # the clock
    svg = svg.replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace")
    svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1)  # else some renderers drop spaces at the start
    (HERE / f"{name}.svg").write_text(svg, encoding="utf-8")
    print(f"{name}.svg")


async def drive(steps: Callable[[Pilot[Any]], Any], *paths: Path, plan: Plan | None = None, **given: Any) -> None:
    """Run the app on some samples and do the steps in it; with a plan, on the queue that it gives."""
    settings = Settings(**{"paths": paths, "annotator": "ada", **given})
    corpus = Corpus(settings.paths)
    corpus.start()
    app = make_app(corpus, settings, plan)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: corpus.finished)
        await steps(pilot)


def reading(pilot: Pilot[Any]) -> bool:
    """Whether the transcript screen is there."""
    return isinstance(pilot.app.screen, TranscriptScreen)


async def browser(pilot: Pilot[Any]) -> None:
    await pilot.press("j", "j", "j", "j", "j")
    await rest(pilot)
    save(pilot, "browser")


async def transcript(pilot: Pilot[Any]) -> None:
    await until(pilot, lambda: reading(pilot))
    await pilot.press("e", "e")
    await rest(pilot)
    save(pilot, "transcript")
    await pilot.press("question_mark")
    await rest(pilot)
    save(pilot, "help")


async def annotation(pilot: Pilot[Any]) -> None:
    await until(pilot, lambda: reading(pilot))
    await pilot.press("right_square_bracket", "right_square_bracket", "a")
    await rest(pilot)
    for score in ("8", "-4", "1", "-2", "-1", "-3", "4", "9", "-3", "3", "0", "0", "2", "7"):
        await pilot.press(*("minus" if char == "-" else char for char in score), "enter")
    for key in REASONING:
        await pilot.press({"\n": "enter", " ": "space"}.get(key, key))
    await pilot.press("shift+tab", "tab", "tab", "b")  # Into the table, whose guidance is then shown.
    await rest(pilot)
    save(pilot, "annotation")


async def queue(pilot: Pilot[Any]) -> None:
    await until(pilot, lambda: reading(pilot))
    await pilot.press("escape", "escape", "q")
    await until(pilot, lambda: not reading(pilot))
    await pilot.press("G", "f")
    await rest(pilot)
    pilot.app.clear_notifications()
    await rest(pilot)
    save(pilot, "queue")


async def agreement(pilot: Pilot[Any]) -> None:
    await pilot.press("A")
    await until(pilot, lambda: isinstance(pilot.app.screen, AgreementScreen))
    await until(pilot, lambda: "computing" not in pilot.app.export_screenshot())
    save(pilot, "agreement")
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, DisagreementScreen))
    save(pilot, "disagreement")


async def comparison(pilot: Pilot[Any]) -> None:
    await pilot.press("m", "j", "D")
    await until(pilot, lambda: isinstance(pilot.app.screen, CompareScreen) and pilot.app.screen.comparison is not None)
    pilot.app.clear_notifications()
    await rest(pilot)
    save(pilot, "comparison")


def clock(_time: object, seconds: bool = False) -> str:
    """The time that the annotation panel says in the pictures."""
    return "14:03:22" if seconds else "14:03"


async def main() -> None:
    os.environ.pop("NO_COLOR", None)
    os.environ["COLORTERM"] = "truecolor"
    annotation_panel.clock = clock
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(HERE.parent / SAMPLES, Path(folder, SAMPLES), ignore=shutil.ignore_patterns("_make", "*.py"))
        os.chdir(folder)
        await drive(browser, SAMPLES)
        await drive(transcript, SAMPLES / "docent" / "coding_run.json", highlight=("AssertionError",))
        await drive(comparison, SAMPLES / "docent" / "runs.jsonl")
        await drive(annotation, SAMPLES / "sotopia" / "deposit.json")
        store = Path("scores")
        shutil.copytree(SAMPLES / "annotations", store)
        await drive(queue, SAMPLES / "sotopia", plan=Plan(), store=store, annotator="bo")
        await drive(agreement, SAMPLES / "sotopia", store=store)


if __name__ == "__main__":
    asyncio.run(main())
