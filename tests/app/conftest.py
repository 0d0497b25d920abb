"""Logs that most tests of the whole app open, and what makes them look alike on any machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from trajview.app.render import syntax

from .logs import write_episode, write_runs


@pytest.fixture(autouse=True)
def _time_enough_for_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code is coloured to its end, however busy the machine is."""
    monkeypatch.setattr(syntax, "LONGEST_SECONDS", 20.0)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with the repair, three chats and a torn line (see `logs`). Stores go beside it."""
    return write_runs(tmp_path / "runs")


@pytest.fixture
def log(runs: Path) -> Path:
    """The file with the repair alone."""
    return runs / "repair.jsonl"


@pytest.fixture
def episode(tmp_path: Path) -> Path:
    """A Sotopia episode of two agents."""
    return write_episode(tmp_path / "episode.json")
