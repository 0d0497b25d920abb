"""Characters that terminals give different widths: what stands behind them on a line is in its column."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.logs import chat
from tests.app.test_agreed_widths import FAMILY, FLAG, HEART, KEYCAP, TONE, WALES

from .screen import Terminal

pytestmark = pytest.mark.pty


def test_the_map_beside_a_transcript_is_in_its_column(tmp_path: Path) -> None:
    signs = [FAMILY, HEART, KEYCAP, FLAG, TONE, WALES]
    lines = [sign * count + f" line {count}" for count in (1, 3, 7) for sign in signs]
    (tmp_path / "run.json").write_text(json.dumps(chat("run", "Look.", "\n".join(lines))))
    with Terminal(tmp_path / "home", "run.json", size=(120, 40), cwd=tmp_path) as terminal:
        terminal.until(lambda: "line 7" in terminal.text and "opening run…" not in terminal.text)
        # pyte joins nothing: a flag would take it four cells, a family six.
        shown = {terminal.screen.buffer[y][118].data for y in range(1, 37)}
        assert shown == {"▎"}, terminal.text
