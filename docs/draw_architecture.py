"""Draws docs/architecture.svg from the code: which part of trajview imports which, in the order of the layers.

`python docs/draw_architecture.py` writes the picture anew; a test says when that is due.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from html import escape
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "trajview"
PICTURE = HERE / "architecture.svg"

PARTS = (
    "cli", "app", "app.runs", "app.transcript", "app.annotate", "app.agreement", "app.compare", "app.results", "app.raw",
    "app.shared", "app.render", "app.keys", "export", "where", "compare", "annotation", "corpus", "highlight", "rules", "formats", "models",
)  # fmt: skip
"""From the fronts down to what everything stands on; small modules that all use (errors, textsafe, …) are left out."""

CELL, LEFT, TOP, NOTE = 24, 132, 108, 14
"""Pixels: the side of a cell, the room for the names, and the space before what a part is for."""

STYLE = """
  svg { background: #fbfbfd } text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #2b2f3a }
  .note { fill: #6b7080; font-size: 12px } .line { stroke: #e4e6ee } .own { fill: #eceef5 }
  .first { fill: #3d6ff0 } .later { fill: none; stroke: #3d6ff0; stroke-width: 1.5 }
"""


def part_of(module: str) -> str | None:
    """The part that a module belongs to, as PARTS names it; None where the picture leaves it out."""
    names = module.split(".")[1:]
    room = ".".join(names[:2])
    return room if room in PARTS else names[0] if names and names[0] in PARTS else None


def imports_of(path: Path) -> Iterator[tuple[str, bool]]:
    """The modules of trajview that a file imports, and whether it does so when it is imported itself."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    module = (PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts)
    at_once = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            base = ".".join(module[: -node.level]) if node.level else ""
            name = ".".join(filter(None, (base, node.module)))
            if name.startswith(PACKAGE.name):
                yield name, id(node) in at_once


def uses() -> dict[tuple[str, str], bool]:
    """Which part imports which, and whether any of its modules does so at once."""
    found: dict[tuple[str, str], bool] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        user = part_of(".".join((PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts)))
        for name, at_once in imports_of(path):
            used = part_of(name)
            if user and used and user != used:
                found[user, used] = found.get((user, used), False) or at_once
    return found


def purpose(part: str) -> str:
    """What a part is for: the first sentence of its docstring."""
    module = PACKAGE / part.replace(".", "/")
    path = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.split("\n\n")[0].replace("\n", " ")


def picture() -> str:
    """The picture as SVG: a row and a column for each part, a dot where the row's imports the column's."""
    side = CELL * len(PARTS)
    width, height = LEFT + side + NOTE + 700, TOP + side + 40
    shapes = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"><style>{STYLE}</style>'
    ]
    for number, part in enumerate(PARTS):
        y = TOP + number * CELL
        middle = y + CELL // 2
        shapes.append(f'<line class="line" x1="{LEFT}" y1="{y}" x2="{LEFT + side}" y2="{y}"/>')
        shapes.append(f'<rect class="own" x="{LEFT + number * CELL}" y="{y}" width="{CELL}" height="{CELL}"/>')
        shapes.append(f'<text x="{LEFT - 8}" y="{middle + 4}" text-anchor="end">{part}</text>')
        shapes.append(f'<text class="note" x="{LEFT + side + NOTE}" y="{middle + 4}">{escape(purpose(part))}</text>')
        column = LEFT + number * CELL + CELL // 2
        shapes.append(f'<text transform="translate({column + 4} {TOP - 8}) rotate(-60)">{part}</text>')
    for (user, used), at_once in sorted(uses().items()):
        x = LEFT + PARTS.index(used) * CELL + CELL // 2
        y = TOP + PARTS.index(user) * CELL + CELL // 2
        shapes.append(f'<circle class="{"first" if at_once else "later"}" cx="{x}" cy="{y}" r="5"/>')
    legend = "A row imports a column: ● when it is imported itself, ○ later, or for its types only. Right of the diagonal is down."
    shapes.append(f'<text class="note" x="{LEFT}" y="{TOP + side + 26}">{legend}</text></svg>')
    return "\n".join(shapes) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
