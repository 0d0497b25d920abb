"""`trajview completion`: the script that makes a shell complete commands and options."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command("completion", short_help="Print a shell's completion script.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for SHELL; load it with `eval "$(trajview completion bash)"`."""
    from click.shell_completion import get_completion_class

    from .main import main

    found = get_completion_class(shell)
    assert found is not None  # click has all three
    click.echo(found(main, {}, "trajview", "_TRAJVIEW_COMPLETE").source())
