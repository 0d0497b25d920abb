"""The picture in docs/architecture.md is drawn from the code as it is, and the page names files that are there."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"


def test_the_picture_shows_the_imports_that_there_are() -> None:
    drawn = runpy.run_path(str(ROOT / "docs" / "draw_architecture.py"))
    assert (ROOT / "docs" / "architecture.svg").read_text() == drawn["picture"](), "run docs/draw_architecture.py"


def test_every_file_that_the_page_names_is_there() -> None:
    names = re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?)`", PAGE.read_text())
    assert len(names) > 20
    assert [name for name in names if not (ROOT / "trajview" / name).exists() and not (ROOT / name).exists()] == []
