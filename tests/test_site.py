"""The documentation as a site: it builds without a warning, holds the program's tables, and fetches nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from trajview.app.keys import KEYS

ROOT = Path(__file__).parents[1]
_FETCHED = {"src", "srcset", "data", "poster"}
"""Attributes whose address a browser fetches by itself, in any element."""


class Fetched(HTMLParser):
    """The addresses that a browser fetches to show a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in _FETCHED or (tag == "link" and name == "href")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site."""
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


def test_its_pages_fetch_nothing_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 15
    addresses = [address for page in pages for address in Fetched(page.read_text(encoding="utf-8")).found]
    for sheet in site.rglob("*.css"):
        addresses += re.findall(r"(?:url\(|@import )[\"']?([^\"')]*)", sheet.read_text(encoding="utf-8"))
    assert len(addresses) > 100
    assert [address for address in addresses if re.match(r"(?:https?:)?//", address)] == []


def test_its_reference_holds_the_programs_tables(site: Path) -> None:
    keys = (site / "reference" / "keys.html").read_text(encoding="utf-8")
    assert [key.id for key in KEYS if f"<code>{key.id}</code>" not in keys] == []
    commands = (site / "reference" / "command-line.html").read_text(encoding="utf-8")
    assert "<code>-U, --unified N</code>" in commands or "--unified" in commands
    assert "<!-- made" not in "".join(page.read_text(encoding="utf-8") for page in site.rglob("*.html"))
