"""`trajview formats`: which logs are recognised, by what, and which of these formats come from other packages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from .common import out, print_json
from .front import EXIT_FINE, EXIT_PROBLEMS

if TYPE_CHECKING:
    from trajview.formats.contract import Format

__all__ = ["command"]

_OURS: Final = "trajview"


@click.command("formats", short_help="List the formats that are recognised.")
@click.option("--json", "in_json", is_flag=True, help="As JSON Lines, one object per format.")
@click.pass_context
def command(ctx: click.Context, in_json: bool) -> None:
    """List all formats: name, label, the package that each comes from, and what tells its records.

    Other packages can add formats (plug-ins, entry-point group `trajview.formats`). One that cannot be used is listed
    with the reason, and the exit code is 1.
    """
    from trajview.formats import registry

    refused = [plugin for plugin in registry.plugins() if plugin not in registry.FORMATS]
    rows = list(map(_row, (*registry.FORMATS, *refused)))
    if in_json:
        for row in rows:
            print_json(row)
    else:
        _print(rows)
    ctx.exit(EXIT_PROBLEMS if any("problem" in row for row in rows) else EXIT_FINE)


def _row(known: Format) -> dict[str, str]:
    from trajview.formats.plugins import PluginFormat

    row = {"name": known.name, "label": known.label, "from": _OURS, "recognises": known.recognises}
    if isinstance(known, PluginFormat):
        row["from"] = known.plugin.source
        if known.problem is not None:
            row["problem"] = known.problem.reason
    return row


def _print(rows: list[dict[str, str]]) -> None:
    wide = {key: max(len(row[key]) for row in rows) for key in ("name", "label", "from")}
    for row in rows:
        said = row.get("problem") or row["recognises"]
        out("  ".join(row[key].ljust(width) for key, width in wide.items()) + f"  {said}\n")
