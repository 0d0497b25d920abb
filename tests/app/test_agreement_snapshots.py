"""What the screens about several annotators look like; `--snapshot-update` after a change that is wanted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from trajview.app.app import TrajviewApp, make_app
from trajview.config import Settings
from trajview.corpus.corpus import Corpus

from .annotated import write_annotated
from .driving import Reader
from .test_app_agreement import agreement
from .test_app_disagreement import disagreements, settling

Snapshot = Callable[..., bool]


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TrajviewApp:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Input, "cursor_blink", False)
    monkeypatch.setattr(TextArea, "cursor_blink", False)
    monkeypatch.setattr("trajview.app.agreement.screen.RESAMPLES", 40)
    write_annotated(tmp_path)
    corpus = Corpus([Path("episodes")])
    corpus.scan()
    return make_app(corpus, Settings(paths=(Path("episodes"),), store=Path("store"), annotator="ada"))


async def figures(pilot: Pilot[int]) -> None:
    assert isinstance(pilot.app, TrajviewApp)
    await agreement(Reader(pilot.app, pilot))


async def side_by_side(pilot: Pilot[int]) -> None:
    assert isinstance(pilot.app, TrajviewApp)
    reader = Reader(pilot.app, pilot)
    await disagreements(reader)
    await settling(reader)
    await reader.press("asterisk", "down", "5")
    await reader.until(lambda: "draft kept" in reader.whole_screen)


def test_agreement(snap_compare: Snapshot, app: TrajviewApp) -> None:
    assert snap_compare(app, terminal_size=(120, 40), run_before=figures)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=["wide", "narrow"])
def test_disagreements(snap_compare: Snapshot, app: TrajviewApp, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=side_by_side)
