"""How long a search through a large log takes, beside ripgrep over the same bytes (a row of PERFORMANCE's limits).

    .venv/bin/python benchmarks/search_corpus.py [--size 1G] [--file LOG.jsonl] [--runs 5]

ripgrep looks at bytes as they are; trajview at messages as they read, and says which. The log is written from a seed
into a temporary folder (or yours is taken). Prints medians of whole programs, started anew each time, which take turns.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from corpus import write_log

CASES = {
    "a word in one message": ["-c", "Xylophone"],
    "the same, case ignored": ["-c", "-i", "xylophone"],
    "a regular expression, rare": ["-c", r"[Xx]ylophon(e|ist)s? \w+"],
    "a phrase of common words": ["-c", "-F", "file parser with"],
    "a regular expression, common": ["-c", r"return n \+ 7\d\b"],
    "a word in every record": ["-c", "-i", "parser"],
}
_RARE = b'{"id": "rare", "messages": [{"role": "user", "content": "a Xylophone plays"}]}\n'
_UNITS = {"K": 10**3, "M": 10**6, "G": 10**9}


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
            write_log(path, int(given.size[:-1]) * _UNITS[given.size[-1]])
            with path.open("ab") as file:
                file.write(_RARE)
        print(f"{path.stat().st_size / 1e6:,.0f} MB")
        print(f"{'':32}{'trajview':>10}{'ripgrep':>10}{'ratio':>8}")
        for name, arguments in CASES.items():
            ours, theirs = [], []
            for _ in range(given.runs):
                ours.append(seconds([sys.executable, "-m", "trajview", "search", *arguments, str(path)]))
                if ripgrep:
                    theirs.append(seconds([ripgrep, *arguments, str(path)]))
            mine = statistics.median(ours)
            beside = f"{statistics.median(theirs):>8.2f} s{mine / statistics.median(theirs):>8.1f}" if theirs else ""
            print(f"{name:32}{mine:>8.2f} s{beside}")


if __name__ == "__main__":
    main()
