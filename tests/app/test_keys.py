"""The keys that texts name are those of the configuration."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import trajview.app
from tests.app.driving import reading, screen_text
from tests.app.test_app_branches import field, found, shown  # noqa: F401
from trajview.app.keys import KEYS, key_of, keys_of, remap


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    yield
    remap({})


def test_a_key_is_named_as_people_write_it() -> None:
    assert [key_of(id) for id in ("branch.leave", "tree", "annotation.save", "move.page_down", "move.up")] == [
        "<", "T", "ctrl+s", "space", "k",
    ]  # fmt: skip
    assert key_of("back", "escape") == "escape"
    assert key_of("back", "escape", begins=True) == "Escape"
    assert key_of("compare.open", begins=True) == "Enter"
    assert key_of("show.metadata", begins=True) == "i"


def test_a_remapped_key_is_named_in_place_of_the_usual_one() -> None:
    remap({"branch.leave": "full_stop, f4", "back": "Q", "reveal": "left"})
    assert [key_of("branch.leave"), key_of("back", "escape"), key_of("reveal")] == [".", "Q", "←"]
    assert key_of("agreement.reveal") == "R"
    assert [keys_of(key) for key in KEYS if key.id == "back"] == ["Q"]


async def test_hints_and_help_name_remapped_keys(field: Path) -> None:  # noqa: F811
    keys = {
        "branch.leave": "full_stop",
        "branch.enter": "comma",
        "tree": "f7",
        "outline.highlighted": "X",
        "error.next": "f9",
    }
    async with reading(field, keys=keys) as reader:
        await found(reader)
        await reader.press("X")
        assert "X shows all" in reader.screen.outline.render_line(0).text
        await reader.press("X", "g")
        await reader.press("comma")
        if reader.screen.index == 0:
            assert "f7 shows all transcripts" in reader.status
        while reader.screen.index == 0:
            await reader.press("j", "comma")
        await shown(reader, reader.screen.index)
        assert ". goes up" in reader.status
        await reader.press("question_mark")
        await reader.until(lambda: "f9" in screen_text(reader.app))
        assert "E " in screen_text(reader.app)


NAMED = re.compile(
    r"(?:^|[\s(“`·:;,])(?:[][><}{&/*`'=]|ctrl\+[a-z]|[a-zA-Z]|F\d|enter|escape|tab) "
    r"(?:again|shows?|goes|opens?|reveals?|enters|leaves|saves?|sets|stops|clears|compares?|jumps?|brings|replaces|searches|names)\b",
    re.IGNORECASE,
)
OWN = {"sources.py", "questions.py", "problem.py", "prompt.py", "exporter.py"}
"""Questions, with keys of their own that the configuration does not change."""


def test_no_text_names_a_key_by_heart() -> None:
    by_heart = []
    for path in Path(trajview.app.__file__).parent.rglob("*.py"):
        if path.name in OWN:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        by_heart += [
            f"{path.name}:{node.lineno}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said
            if NAMED.search(node.value) and path.name != "keys.py"
        ]
    assert by_heart == []
