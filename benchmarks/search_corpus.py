"""How long a search through a large log takes, beside ripgrep over the same bytes (a row of PERFORMANCE's limits).

    .venv/bin/python benchmarks/search_corpus.py [--size 1G] [--file LOG.jsonl] [--runs 5]

ripgrep looks at bytes as they are; trajview at messages as they read, and says which. The log is written from a seed
into a temporary folder (or yours is taken). Prints medians of whole programs, started anew each time, which take turns.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kinds import bytes_of, write_log
from logs import records
from rows import plain, tell

COMMON = "parser"
CASES = {
    "a word in one message": ["-c", "Xylophone"],
    "the same, case ignored": ["-c", "-i", "xylophone"],
    "a regular expression, rare": ["-c", r"[Xx]ylophon(e|ist)s? \w+"],
    "a phrase of common words": ["-c", "-F", "file parser with"],
    "a regular expression, common": ["-c", r"return n \+ 7\d\b"],
    "a word in every record": ["-c", "-i", COMMON],
}
_RARE = b'{"id": "rare", "messages": [{"role": "user", "content": "a Xylophone plays"}]}\n'


def share(word: str) -> float:
    """The percentage of messages of the written log that have a word, upper or lower case."""
    said = [
        any(word in str(message[part]).lower() for part in ("content", "tool_calls") if part in message)
        for line in records(300, 40, 1)
        for message in json.loads(line)["messages"]
    ]
    return 100 * sum(said) / len(said)


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="1G")
    parser.add_argument("--file", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    ripgrep = shutil.which("rg")
    with tempfile.TemporaryDirectory() as folder:
        path = given.file or Path(folder) / "log.jsonl"
        if given.file is None:
            write_log(path, bytes_of(given.size))
            with path.open("ab") as file:
                file.write(_RARE)
            CASES[f"a word in every record, {share(COMMON):.0f}% of messages"] = CASES.pop("a word in every record")
        print(f"{path.stat().st_size / 1e6:,.0f} MB")
        for name, arguments in CASES.items():
            ours, theirs = [], []
            for _ in range(given.runs):
                ours.append(seconds([sys.executable, "-m", "trajview", "search", *arguments, str(path)]))
                if ripgrep:
                    theirs.append(seconds([ripgrep, *arguments, str(path)]))
            mine = statistics.median(ours)
            beside = f"ripgrep: {plain(statistics.median(theirs), 's')}" if theirs else "ripgrep is not there"
            tell(0, f"trajview search, {path.stat().st_size / 1e9:.1f} GB: {name}", mine, beside=beside)


if __name__ == "__main__":
    main()
