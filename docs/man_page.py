"""Writes docs/trajview.1, the man page, from the help of all commands.

`python docs/man_page.py` writes it anew; a test says when that is due. The wheel installs it as `share/man/man1/trajview.1`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from trajview import __version__
from trajview.cli.main import main
from trajview.where.explain import explained

PAGE = Path(__file__).with_name("trajview.1")

_FILES = (
    (
        "config.toml",
        "in the user's folder for trajview's configuration: settings (see the reference of the configuration)",
    ),
    (".trajview.toml", "highlight rules of a project, beside its logs or in a folder above them"),
)
_ENVIRONMENT = (
    ("TRAJVIEW_CONFIG", "another configuration file"),
    ("NO_COLOR", "print without colours"),
    ("TMPDIR", "where standard input and unpacked files are kept while trajview runs"),
)
_SIGNS = {"\\": r"\e", "-": r"\-", "~": r"\(ti", "^": r"\(ha"}
"""How the formatter writes characters that it would else replace; the backslash comes first."""


def page() -> str:
    """The man page in the macros of man(7)."""
    context = click.Context(main, info_name="trajview")
    examples, codes = (inspect.cleandoc(part).replace("\b\n", "") for part in (main.epilog or "").rsplit("\n\n", 1))
    lines = [
        f'.TH TRAJVIEW 1 "" "trajview {__version__}" "User Commands"',
        ".SH NAME",
        r"trajview \- open any AI agent's log in a terminal, read it by action unit, score it by hand",
        ".SH SYNOPSIS",
        r".B trajview",
        r"[view] PATH... | COMMAND ...",
        ".SH DESCRIPTION",
        *_prose(main.help or ""),
        ".SH OPTIONS",
        *_options(main, context),
        ".SH COMMANDS",
    ]
    for name in main.list_commands(context):
        lines += _command(name, main.get_command(context, name), context)
    lines.append(".SH FILTERS")
    for part in explained():
        lines += _verbatim(part)
    lines += [".SH EXAMPLES", *_verbatim(examples.splitlines()[1:])]
    lines += [".SH EXIT STATUS", *_prose(codes.removeprefix("Exit codes: "))]
    lines += [".SH FILES", *_terms(_FILES), ".SH ENVIRONMENT", *_terms(_ENVIRONMENT)]
    return "\n".join(lines) + "\n"


def _command(name: str, command: click.Command | None, parent: click.Context) -> Iterator[str]:
    assert command is not None
    context = click.Context(command, info_name=name, parent=parent)
    if not isinstance(command, click.Group):
        usage = " ".join(filter(None, [context.command_path, *command.collect_usage_pieces(context)]))
        yield f".SS {_escaped(usage)}"
        yield from _prose(command.help or "")
        yield from _options(command, context)
        return
    yield f".SS {_escaped(context.command_path)} COMMAND"
    yield from _prose(command.help or "")
    for each in command.list_commands(context):
        yield from _command(each, command.get_command(context, each), context)


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    records = [param.get_help_record(context) for param in command.params if isinstance(param, click.Option)]
    yield from _terms(filter(None, records))


def _terms(terms: Iterable[tuple[str, str]]) -> Iterator[str]:
    for term, says in terms:
        yield ".TP"
        yield rf"\fB{_escaped(term)}\fR"
        yield _escaped(" ".join(says.split()))


def _prose(text: str) -> Iterator[str]:
    """Help of click: paragraphs, and what click is not to wrap (after `\\b`) as it stands."""
    for part in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        if part.startswith("\b"):
            yield from _verbatim(part.lstrip("\b").strip("\n").splitlines())
        else:
            yield ".PP"
            yield _escaped(" ".join(part.split()))


def _verbatim(lines: Iterable[str]) -> Iterator[str]:
    yield from (".PP", ".nf", *map(_escaped, lines), ".fi")


def _escaped(text: str) -> str:
    """Text with nothing that the formatter would act on; what is in backticks is bold."""
    for sign, written in _SIGNS.items():
        text = text.replace(sign, written)
    text = re.sub(r"`([^`\n]+)`", r"\\fB\1\\fR", text)
    text = re.sub("[^\x00-\x7f]", lambda match: rf"\[u{ord(match.group()):04X}]", text)
    return rf"\&{text}" if text.startswith((".", "'")) else text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
