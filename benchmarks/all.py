"""Runs every benchmark of the table of targets in turn, and prints the table: target, figure, verdict.

    .venv/bin/python benchmarks/all.py [--quick] [--only corpus open ...] [--out TABLE.md]

Linux only. With the sizes of the targets it takes some 15 minutes and 11 GB in the temporary folder; --quick takes some 3
minutes with small ones, which shows that everything runs, but decides nothing. What each script prints is shown as it comes.
Other viewers are compared by `peers.py`, which needs them.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from rows import KEPT_IN, Row, kept

HERE = Path(__file__).resolve().parent
STEPS = (
    ("first_screen.py", "--folders", "--folders --files 2000 --runs 3"),
    ("keys.py", "--messages 200 100000", "--messages 200 5000 --presses 6 --runs 2000"),
    ("keys.py", "--messages 100000 --size 200x60 --runs 0", "--messages 5000 --size 200x60 --presses 6 --runs 0"),
    ("repaint.py", "", "--messages 5000 --rounds 1"),
    ("repaint.py", "--longer 4.6", "--messages 5000 --longer 4.6 --rounds 1"),
    ("open.py", "", "--messages 10000 --size 50M --runs 1"),
    ("export.py", "", "--messages 10000 --runs 1"),
    ("search.py", "", "--messages 10000 --runs 1 --presses 10"),
    ("search.py", "--longer 4.6 --runs 1", "--messages 5000 --longer 4.6 --runs 1 --presses 10"),
    (
        "corpus.py",
        "--size 1G --format chat docent sotopia",
        "--size 50M --format chat docent sotopia --files 2000 --runs 1",
    ),
    ("models.py", "", "--messages 100000 --strings 500 --runs 1"),
    ("compare.py", "", "--messages 500 --runs 2"),
    ("agreement.py", "", "--episodes 100 --runs 1"),
    ("filter.py", "", "--runs 10000 --rounds 1"),
    ("stats.py", "", "--size 20M"),
    ("search_corpus.py", "--runs 3", "--size 20M --runs 1"),
    ("tables.py", "", "--shards 5 --rows 500 --runs 1"),
    ("large.py", "--size 10G --runs 3", "--size 200M --runs 1"),
)
"""Each script, with its arguments for the sizes of the targets, and for the quick ones."""


def table(rows: Sequence[Row]) -> str:
    """The rows in Markdown, those of the table of targets first."""
    lines = ["| row | what | target | figure | verdict | beside |", "|---|---|---|---|---|---|"]
    for row in sorted(rows, key=lambda row: row.number or 99):
        cells = (str(row.number or ""), row.what, row.target, row.figure, row.verdict, row.beside)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def machine() -> str:
    """What the figures were measured on."""
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    python = f"Python {platform.python_version()}, Textual {version('textual')}"
    return f"{os.cpu_count()} cores, {python}, {platform.system()}; load at the start {load}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes: whether everything runs")
    parser.add_argument("--only", nargs="+", default=[], help="scripts, without .py")
    parser.add_argument("--out", type=Path, help="where the table is written as well")
    given = parser.parse_args()
    said = [machine(), "quick: small sizes, and few rounds" if given.quick else "the sizes of the targets"]
    failed = []
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="trajview-bench-") as name:
        found = Path(name, "rows.jsonl")
        found.touch()
        for script, full, quick in STEPS:
            if given.only and script.removesuffix(".py") not in given.only:
                continue
            arguments = (quick if given.quick else full).split()
            print(f"\n{script} {' '.join(arguments)}", flush=True)
            start = time.perf_counter()
            command = [sys.executable, str(HERE / script), *arguments]
            if subprocess.run(command, env={**os.environ, KEPT_IN: str(found)}, check=False).returncode:
                failed.append(script)
            print(f"{script} took {time.perf_counter() - start:.0f} s", flush=True)
        said.append(f"{time.perf_counter() - begin:.0f} s in all")
        rows = kept(found)
    missed = sum(row.verdict == "missed" for row in rows)
    said.append(f"{sum(row.verdict == 'met' for row in rows)} targets met, {missed} missed")
    if failed:
        said.append(f"failed: {', '.join(failed)}")
    text = f"{'; '.join(said)}\n\n{table(rows)}\n"
    print(f"\n{text}", end="")
    if given.out:
        given.out.write_text(text, encoding="utf-8")
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
