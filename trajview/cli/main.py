"""The command `trajview`: which command a line of arguments means, and how every one of them ends.

Only click is imported here, and a command's module when it is called: `trajview --version` is to be as fast as Python.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click

from trajview import debug_log

from .front import COMMANDS, EXIT_WRONG, ended

__all__ = ["main"]

_OWN_OPTIONS: Final = frozenset({"--help", "-h", "--version"})
_CONTEXT: Final = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

_EXAMPLES = """\b
Examples:
  trajview runs/                                   every log in a folder, in the viewer
  trajview episode.json --highlight 'did nothing'  units that match are highlights
  trajview --follow runs/                          what is written while you watch
  trajview runs/ --run 42 --unit 7                 straight to an action unit
  zcat old.jsonl.gz | trajview -                   what comes from another program
  trajview show runs/ --run 42 | less              a run as text
  trajview show run.json --token-limit 8000        in pieces of at most 8,000 GPT-4 tokens
  trajview export runs/ --run 42 -o 42.html        a run as a page for a browser; or .md, .json, .jsonl
  trajview search -C 1 'exit code [1-9]' runs/     what all messages say, think and call
  trajview search --rule failing-tests runs/       what a highlight rule matches
  trajview export runs/ --where 'reward<1' -o bad/ the runs that match, a file each
  trajview compare a.json b.json                   where two runs part ways, and what differs
  trajview ls runs/ --json | jq .rewards           what is there, one JSON object a line
  trajview detect mystery.json                     what a file is taken for, and why
  trajview validate runs/                          everything that is wrong, with file and line
  trajview annotations export -o scores.csv        what was scored, for a spreadsheet or pandas
  trajview rubric check mine.toml                  whether a rubric of your own is right
  eval "$(trajview completion bash)"               complete commands and options with tab

\b
Exit codes: 0 fine, 1 found problems, 2 wrong usage or unreadable input.
"""


class _Group(click.Group):
    """A group whose commands are imported when they are needed; a line that names none of them means `view`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click gives it
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click gives it
        if cmd_name not in COMMANDS:
            return None
        found = import_module(f"trajview.cli.{cmd_name}").command
        assert isinstance(found, click.Command)
        return found

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:
            args = _without_debug(ctx, args)
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit(EXIT_WRONG)
        if args and args[0] not in COMMANDS and args[0] not in _OWN_OPTIONS:
            args = ["view", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        return [*super().shell_complete(ctx, incomplete), CompletionItem(incomplete, type="file")]

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; any error ends in one line and an exit code, never in a traceback."""

        def command() -> Any:
            try:
                return super(_Group, self).invoke(ctx)
            except click.exceptions.Exit:
                sys.stdout.flush()  # the last write may fail, which is reported as well
                raise

        return ended(command)


def _without_debug(ctx: click.Context, args: list[str]) -> list[str]:
    """Take `--debug FILE` out of a line of arguments, wherever it stands, and begin to write that file."""
    options = args[: args.index("--")] if "--" in args else args
    at = next((at for at, arg in enumerate(options) if arg == "--debug" or arg.startswith("--debug=")), None)
    if at is None:
        return args
    _, is_joined, name = args[at].partition("=")
    rest = args[at + (1 if is_joined else 2) :]
    if not is_joined:
        name = args[at + 1] if at + 1 < len(args) else ""
    if not name:
        raise click.UsageError("--debug needs the name of a file to write", ctx)
    try:
        debug_log.begin(Path(name), args)
    except OSError as error:
        raise click.UsageError(f"--debug {name}: {(error.strerror or str(error)).lower()}", ctx) from error
    ctx.call_on_close(debug_log.end)
    return [*args[:at], *rest]


def _print_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from trajview import __version__

        click.echo(f"trajview {__version__}")
        ctx.exit()


@click.group(cls=_Group, context_settings=_CONTEXT, epilog=_EXAMPLES, subcommand_metavar="[view] PATH... | COMMAND ...")
@click.option(
    "--debug",
    metavar="FILE",
    expose_value=False,
    help="Write what the program does into FILE, to be sent with a report.",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
def main() -> None:
    """Open any AI agent's log in the terminal, read it by action unit, score it by hand.

    `trajview PATH...` opens the viewer on files and folders; where stdout is no terminal it prints them as text.

    PATH#ID is one run of a file or folder, and `-` standard input.
    """
