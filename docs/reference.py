"""Fill the reference pages from the program's own tables while the site is built.

A page names a table in a comment, `<!-- made: keys -->`; mkdocs calls `on_page_markdown`, which puts the table in its
place. So a page cannot be out of date. `python docs/reference.py keys` prints one.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import click

import trajview
from trajview import TrajviewError, config
from trajview.app.keys import KEYS, groups, shown
from trajview.cli.main import main
from trajview.formats.registry import FORMATS
from trajview.where.explain import EXAMPLES
from trajview.where.fields import FIELDS

__all__ = ["TABLES", "on_page_markdown"]

NOTEBOOK = Path(__file__).with_name("python.ipynb")
README = Path(__file__).parents[1] / "README.md"
_FIRST = ("## Install\n", "## The first five minutes\n", "## On the command line\n")
_PLACE = re.compile(r"^<!-- made: (\w+) -->$", re.MULTILINE)
_SCREENS = {
    "browser": "list",
    "results": "results",
    "bookmarks": "marks",
    "transcript": "transcript",
    "tree": "tree of transcripts",
    "raw": "raw record",
    "annotation": "annotation",
    "compare": "comparison",
    "agreement": "agreement",
    "disagreement": "disagreements",
}
"""The screens of the table of keys, as the pages call them."""


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return the text of a page with each named table in its place; mkdocs calls it for every page."""
    return _PLACE.sub(lambda match: TABLES[match[1]](), markdown)


def key_tables() -> str:
    """The keys of the program, a table for each group."""
    parts = []
    for group, keys in groups(KEYS).items():
        rows = []
        for key in keys:
            written = " ".join("`` ` ``" if name == "`" else f"`{name}`" for name in shown(key.keys).split())
            where = ", ".join(_SCREENS.get(screen, screen) for screen in _in_order(key.screens))
            rows.append((written, key.says, where, f"`{key.id}`"))
        parts.append(f"## {group}\n\n{_table(('keys', 'what they do', 'where', 'id'), rows)}")
    return "\n".join(parts)


def _in_order(screens: Iterable[str]) -> list[str]:
    order = list(_SCREENS)
    return sorted(screens, key=lambda screen: (order.index(screen) if screen in order else len(order), screen))


def format_table() -> str:
    """The formats that come with trajview, in the order in which they are asked."""
    rows = [(f"`{known.name}`", known.label, known.recognises, f"`{known.rubric}`") for known in FORMATS]
    return _table(("name", "what it is", "recognised by", "rubric"), rows)


def filter_examples() -> str:
    """Filters, and what each finds."""
    return _table(("filter", "what it says"), [(f"`{example}`", says) for example, says in EXAMPLES])


def filter_fields() -> str:
    """The fields of a filter."""
    rows = []
    for field in FIELDS:
        names = ", ".join(f"`{name}`" for name in (field.name, *field.aliases))
        rows.append((names, field.kind.value, field.says))
    return _table(("field", "holds", "what it is"), rows)


def settings_table() -> str:
    """The settings of the configuration file, each with its default."""
    said = _attribute_docstrings(config.Settings)
    defaults = config.Settings()
    names = {"rule": "rules"}
    rows = []
    for name, wanted in config.WANTED.items():
        field = names.get(name, name)
        default = getattr(defaults, field)
        rows.append((f"`{name}`", wanted, said[field], _written_default(default)))
    return _table(("setting", "value", "what it does", "default"), rows)


def _written_default(value: Any) -> str:
    if value is None or value == () or value == {}:
        return ""
    if isinstance(value, Path):
        value = str(value)
    return f"`{json.dumps(value)}`"


def _attribute_docstrings(kind: type) -> dict[str, str]:
    """The sentence below each attribute of a class, on one line."""
    [definition] = ast.parse(inspect.getsource(kind)).body
    assert isinstance(definition, ast.ClassDef)
    found: dict[str, str] = {}
    name = ""
    for node in definition.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and name:
            found[name] = " ".join(str(node.value.value).split())
            name = ""
    return found


def error_table() -> str:
    """The errors that trajview reports, by the title that they are shown with."""
    for module in walk_packages(trajview.__path__, "trajview."):
        if not module.name.startswith(("trajview.app.", "trajview.__main__")):
            import_module(module.name)
    rows = {
        (kind.title, _first_sentence(kind.__doc__ or ""), f"`{kind.__name__}`")
        for kind in _subclasses(TrajviewError)
        if kind.__module__.startswith("trajview.") and not kind.__name__.startswith("_")
    }
    return _table(("title", "when", "in Python"), sorted(rows))


def _subclasses(kind: type[TrajviewError]) -> Iterator[type[TrajviewError]]:
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)


def _first_sentence(text: str) -> str:
    return " ".join(text.split("\n\n")[0].split()).partition(". ")[0].rstrip(".") + "."


def command_sections() -> str:
    """All commands with their arguments and options, as `--help` says them."""
    context = click.Context(main, info_name="trajview")
    own = f"## trajview\n\n{_options(main, context)}"
    names = main.list_commands(context)
    return "\n".join([own, *(_command(name, main.get_command(context, name), context) for name in names)])


def _command(name: str, command: click.Command | None, parent: click.Context, level: int = 2) -> str:
    assert command is not None
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    parts = [f"{'#' * level} {context.command_path}", f"```text\n{usage}\n```", _prose(command.help or "")]
    if command.epilog:
        parts.append(_prose(command.epilog))
    parts.append(_options(command, context))
    if isinstance(command, click.Group):
        below = command.list_commands(context)
        parts += [_command(each, command.get_command(context, each), context, level + 1) for each in below]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _options(command: click.Command, context: click.Context) -> str:
    records = [param.get_help_record(context) for param in command.params if isinstance(param, click.Option)]
    rows = [(f"`{written}`", says) for written, says in filter(None, records)]
    return _table(("option", "what it does"), rows) if rows else ""


def _prose(text: str) -> str:
    """Help of click in Markdown: paragraphs, and what click is not to wrap (after `\\b`) as it stands."""
    parts = []
    for part in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        if part.startswith("\b"):
            parts.append(f"```text\n{part.lstrip(chr(8)).strip(chr(10))}\n```")
        else:
            parts.append(_safe(" ".join(part.split())))
    return "\n\n".join(parts)


def notebook() -> str:
    """The cells of the notebook, without what they print."""
    parts = []
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        parts.append(f"```python\n{text}\n```" if cell["cell_type"] == "code" else text.replace("# ", "## ", 1))
    return "\n\n".join(parts)


def start() -> str:
    """The README's sections for somebody who is new."""
    sections = re.split(r"^(?=## )", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return "\n".join(section for section in sections if section.startswith(_FIRST))


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    lines += [f"| {' | '.join(map(_safe, row))} |" for row in rows]
    return "\n".join(lines) + "\n"


def _safe(text: str) -> str:
    """Text in which nothing but what is in backticks could be taken for HTML, emphasis or the end of a cell."""
    pieces = re.split(r"(``.*?``|`[^`]*`)", " ".join(text.split()))
    return "".join(
        piece if number % 2 else re.sub(r"([*\[\]_])", r"\\\1", piece).replace("<", "&lt;").replace("|", "&#124;")
        for number, piece in enumerate(pieces)
    )


TABLES: dict[str, Callable[[], str]] = {
    "keys": key_tables,
    "formats": format_table,
    "filters": filter_examples,
    "fields": filter_fields,
    "settings": settings_table,
    "errors": error_table,
    "commands": command_sections,
    "notebook": notebook,
    "start": start,
}
"""What a page can name, and the function that makes it."""

if __name__ == "__main__":
    for name in sys.argv[1:] or TABLES:
        sys.stdout.write(TABLES[name]() + "\n")
