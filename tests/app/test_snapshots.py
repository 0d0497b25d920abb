"""What the screens look like. `pytest tests/app/test_snapshots.py --snapshot-update` after a change that is wanted."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tests.models.test_images import url
from trajview.app.app import TrajviewApp, make_app
from trajview.app.compare.screen import CompareScreen
from trajview.app.help import HelpScreen
from trajview.config import Settings
from trajview.corpus.corpus import Corpus

from .driving import Reader
from .logs import episode, repair, write_jsonl, write_runs
from .render.test_images import BLUE, CLEAR, RED, png

Snapshot = Callable[..., bool]


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder has `runs/`; nothing on the screen depends on where the test is run, or when."""
    monkeypatch.chdir(tmp_path)
    write_runs(tmp_path / "runs")
    (tmp_path / "runs" / "chair.json").write_text(json.dumps(episode()))
    monkeypatch.setattr(Input, "cursor_blink", False)
    monkeypatch.setattr(TextArea, "cursor_blink", False)
    monkeypatch.setattr("trajview.app.annotate.panel.clock", lambda time, seconds=False: "12:00")
    return Path("runs")


def app_on(*paths: Path, **settings: Any) -> TrajviewApp:
    """The app with all of its runs found."""
    corpus = Corpus(list(paths))
    corpus.scan()
    return make_app(corpus, Settings(paths=paths, store=Path("annotations"), annotator="ada", **settings))


def after(steps: Callable[[Reader], Awaitable[None]] | None = None) -> Callable[[Pilot[int]], Awaitable[None]]:
    """What is done before the picture is taken: a run is opened, its tokens are counted, then the steps."""

    async def run(pilot: Pilot[int]) -> None:
        app = pilot.app
        assert isinstance(app, TrajviewApp)
        reader = Reader(app, pilot)
        await reader.opened()
        await reader.until(lambda: "tokens" in reader.status or pilot.app.size.width < 70)
        await app.workers.wait_for_complete([w for w in app.workers if w.group == "branches"])
        await pilot.pause()
        if steps is not None:
            await steps(reader)
        await pilot.pause()

    return run


async def listed(pilot: Pilot[int]) -> None:
    assert isinstance(pilot.app, TrajviewApp)
    reader = Reader(pilot.app, pilot)
    await reader.listed()
    await reader.press("j")


def test_browser(snap_compare: Snapshot, runs: Path) -> None:
    assert snap_compare(app_on(runs), terminal_size=(120, 20), run_before=listed)


def test_browser_80x24(snap_compare: Snapshot, runs: Path) -> None:
    assert snap_compare(app_on(runs), terminal_size=(80, 24), run_before=listed)


async def searched(pilot: Pilot[int]) -> None:
    assert isinstance(pilot.app, TrajviewApp)
    reader = Reader(pilot.app, pilot)
    await reader.listed()
    await reader.ask("slash", "fuse|the|needle")
    await reader.until(lambda: getattr(pilot.app.screen, "results", None) and pilot.app.screen.results.state == "done")
    await reader.press("j", "j")


def test_results(snap_compare: Snapshot, runs: Path) -> None:
    assert snap_compare(app_on(runs), terminal_size=(120, 32), run_before=searched)


def test_transcript_top(snap_compare: Snapshot, runs: Path) -> None:
    assert snap_compare(app_on(runs / "repair.jsonl"), terminal_size=(120, 40), run_before=after())


def test_transcript_light(snap_compare: Snapshot, runs: Path) -> None:
    app = app_on(runs / "repair.jsonl", theme="trajview-light")
    assert snap_compare(app, terminal_size=(120, 40), run_before=after())


def test_errors_and_diff(snap_compare: Snapshot, runs: Path) -> None:
    async def steps(reader: Reader) -> None:
        await reader.press("e", "e")

    assert snap_compare(app_on(runs / "repair.jsonl"), terminal_size=(100, 30), run_before=after(steps))


def test_search_in_unfolded_output(snap_compare: Snapshot, runs: Path) -> None:
    async def steps(reader: Reader) -> None:
        await reader.ask("slash", "kettle")
        await reader.until(lambda: "/36" in reader.status)
        await reader.press("n", "n", "n")

    assert snap_compare(app_on(runs / "repair.jsonl"), terminal_size=(80, 24), run_before=after(steps))


def test_images(snap_compare: Snapshot, runs: Path) -> None:
    """Images with clear edges, and what is not drawn."""
    pytest.importorskip("PIL")
    window = [CLEAR * 4 + (RED if row // 6 % 2 else BLUE) * 16 + CLEAR * 2 + BLUE * 18 for row in range(24)]
    parts = [url(png(*window)), "https://example.org/kettle.png", "shots/gone.png"]
    images = [{"type": "image_url", "image_url": {"url": target}} for target in parts]
    call = {"id": "c", "type": "function", "function": {"name": "screenshot", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "Which window is it?"}, *images]},
        {"role": "assistant", "content": "Let me see.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": images[:1]},
    ]
    write_jsonl(runs / "windows.jsonl", [{"id": "windows", "messages": messages}])

    async def steps(reader: Reader) -> None:
        await reader.until(lambda: reader.session.undrawn() is None)

    app = app_on(
        runs / "windows.jsonl", preview_lines=12
    )  # no image is scaled, which versions of Pillow do differently
    assert snap_compare(app, terminal_size=(100, 36), run_before=after(steps))


def test_metadata(snap_compare: Snapshot, runs: Path) -> None:
    async def steps(reader: Reader) -> None:
        await reader.press("e", "i")
        await reader.until(lambda: "role: tool" in reader.whole_screen and "48%" in reader.whole_screen)

    assert snap_compare(app_on(runs / "repair.jsonl"), terminal_size=(120, 30), run_before=after(steps))


def test_annotation(snap_compare: Snapshot, runs: Path) -> None:
    async def steps(reader: Reader) -> None:
        await reader.pilot.press("a")
        await reader.annotating()
        for text in ("7", "-2", "11"):
            await reader.type(text)
            await reader.press("enter")
        await reader.until(lambda: reader.state.startswith("draft saved"))

    assert snap_compare(app_on(runs / "chair.json"), terminal_size=(80, 24), run_before=after(steps))


def test_evidence(snap_compare: Snapshot, runs: Path) -> None:
    """A unit with a score and a note, one that is marked with why, and citations of which one was followed."""
    record = repair()
    record["transcripts"][0]["messages"][11]["content"] = 'It boils. See [T0B5], [T0B9: "fuse is fine"].'
    write_jsonl(runs / "cited.jsonl", [record])

    async def steps(reader: Reader) -> None:
        await reader.until(lambda: "citation" in reader.session.highlights.counts)
        await reader.press("S")
        await reader.type("1 good start")
        await reader.press("enter", "]", "]", "M")
        await reader.type("compare")
        await reader.press("enter", "G", "k", "C", "'", "C")
        await reader.until(lambda: reader.message == 9)

    assert snap_compare(app_on(runs / "cited.jsonl"), terminal_size=(110, 24), run_before=after(steps))


def test_annotation_with_a_reason_light(snap_compare: Snapshot, runs: Path) -> None:
    async def steps(reader: Reader) -> None:
        await reader.pilot.press("a")
        await reader.annotating()
        await reader.press("8", "enter", "minus", "4", "tab", "0", "equals_sign", "quotation_mark")
        await reader.type("still friends, says turn 2")
        await reader.until(lambda: reader.state.startswith("draft saved"))

    app = app_on(runs / "chair.json", theme="trajview-light")
    assert snap_compare(app, terminal_size=(120, 40), run_before=after(steps))


def test_help(snap_compare: Snapshot, runs: Path) -> None:
    async def steps(reader: Reader) -> None:
        await reader.pilot.press("question_mark")
        await reader.until(lambda: isinstance(reader.app.screen, HelpScreen))

    assert snap_compare(app_on(runs / "repair.jsonl"), terminal_size=(120, 50), run_before=after(steps))


def test_narrow_60x20(snap_compare: Snapshot, runs: Path) -> None:
    assert snap_compare(app_on(runs / "repair.jsonl"), terminal_size=(60, 20), run_before=after())


def test_comparison(snap_compare: Snapshot, runs: Path) -> None:
    assert snap_compare(comparison_on(runs), terminal_size=(120, 30), run_before=compared("n"))


def test_comparison_in_one_column(snap_compare: Snapshot, runs: Path) -> None:
    assert snap_compare(comparison_on(runs), terminal_size=(80, 24), run_before=compared("n", "n"))


def test_comparison_in_the_terminals_own_colours(snap_compare: Snapshot, runs: Path) -> None:
    assert snap_compare(comparison_on(runs, theme="ansi-dark"), terminal_size=(100, 24), run_before=compared("n"))


def comparison_on(runs: Path, **settings: Any) -> TrajviewApp:
    """The app, opened on the run `repair` and another way that it went."""
    other = repair()
    other.update(id="other", name="another kettle", rewards=[0.25])
    messages = other["transcripts"][0]["messages"]
    messages[4]["content"] = "Nothing yet. I try it once more, slowly."
    del messages[6:9]
    (runs / "other.json").write_text(json.dumps(other))
    app = app_on(runs, **settings)
    left, right = app.corpus.find(repair()["id"]), app.corpus.find("other")
    assert left is not None
    assert right is not None
    app.compare = left, right
    return app


def compared(*keys: str) -> Callable[[Pilot[int]], Awaitable[None]]:
    """What is done before the picture is taken: both runs are aligned, then the keys."""

    async def run(pilot: Pilot[int]) -> None:
        app = pilot.app
        assert isinstance(app, TrajviewApp)
        reader = Reader(app, pilot)
        await reader.until(lambda: isinstance(app.screen, CompareScreen) and app.screen.comparison is not None)
        await reader.press(*keys)

    return run
