"""`trajview detect`: what a file is taken for, how sure that is, and why."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trajview.errors import UnreadableError, Where, shown

from .common import existing, exit_code, opening_options, out, print_json, say_problem

if TYPE_CHECKING:
    from trajview.formats.base import Detection

__all__ = ["command"]


@click.command("detect", short_help="Say what a file is, and why.")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@opening_options
@click.option("--json", "in_json", is_flag=True, help="As one JSON object.")
@click.pass_context
def command(ctx: click.Context, file: Path, in_json: bool) -> None:
    """Say what FILE is taken for: container, format, confidence from 0 to 1, and why.

    The reasons are those for its first record; other formats that it could be are listed below the one it is.
    """
    from trajview.corpus.corpus import Corpus

    from .progress import watch

    [file] = existing([file], ids=False)
    if file.is_dir():
        raise UnreadableError(
            "this is a folder", hint="`detect` wants a file; `trajview ls` lists a folder", where=Where(file)
        )
    corpus = Corpus([file])
    watch(corpus)
    corpus.scan()
    for problem in corpus.problems:
        say_problem(problem)
    if not corpus.infos:
        ctx.exit(exit_code(corpus))
    first = corpus[0]
    found = corpus.detections(first)
    answer: dict[str, Any] = {
        "file": shown(file),
        "container": first.container,
        "records": len(corpus),
        "format": first.format,
        **_source(first.format),
        "confidence": found[0].confidence,
        "why": list(found[0].why),
        "formats": dict(Counter(info.format for info in corpus).most_common()),
        "candidates": [_as_json(detection) for detection in found],
    }
    if in_json:
        print_json(answer)
    else:
        _print(answer, found)
    ctx.exit(exit_code(corpus))


def _as_json(detection: Detection) -> dict[str, Any]:
    return {
        "format": detection.format,
        **_source(detection.format),
        "confidence": detection.confidence,
        "why": list(detection.why),
    }


def _source(format_name: str) -> dict[str, str]:
    """The package that a plug-in's format comes from; empty for a built-in format."""
    from trajview.formats import registry

    source = registry.source_of(format_name)
    return {} if source is None else {"from": source}


def _print(answer: dict[str, Any], found: list[Detection]) -> None:
    records = f"{answer['records']:,} record{'' if answer['records'] == 1 else 's'}"
    out(f"file        {answer['file']}\n")
    out(f"container   {answer['container']}, {records}\n")
    out(f"format      {answer['format']}\n")
    if "from" in answer:
        out(f"from        {answer['from']}\n")
    out(f"confidence  {answer['confidence']:.2f}\n")
    for reason in answer["why"]:
        out(f"why         {reason}\n")
    if len(answer["formats"]) > 1:
        out(f"all records {', '.join(f'{count:,} {name}' for name, count in answer['formats'].items())}\n")
    for detection in found[1:]:
        out(f"or          {detection.format} {detection.confidence:.2f}: {'; '.join(detection.why)}\n")
