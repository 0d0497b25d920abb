"""A temporary folder in which commands run for real, and the record of what they printed, made repeatable."""

from __future__ import annotations

import difflib
import json
import re
import subprocess
import sys
import sysconfig
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "trajview:sample_data")

_DURATION = re.compile(r"\b(in|took) ((?:\x1b\[\d+m)*)\d+\.\d+s")
_UP_AND_DOWN = re.compile(r"/\w+/\.\./(?=\w)")
_HEX_ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


def stable_id(*names: object) -> str:
    """The same id for the same names, each time the samples are made."""
    return str(uuid.uuid5(NAMESPACE, "/".join(map(str, names))))


@dataclass(frozen=True)
class Result:
    """What a command printed (stdout and stderr together, as a terminal shows them) and its exit code."""

    output: str
    exit_code: int


class Workshop:
    """A home folder at /home/ada, as far as its output tells; commands run in `project` below it."""

    def __init__(self, root: Path, project: str, files: dict[str, str]) -> None:
        self.root = root
        self.home = root / "home" / "ada"
        self.folder = self.home / project
        self.folder.mkdir(parents=True)
        (self.home / ".gitconfig").write_text(
            "[init]\n\tdefaultBranch = main\n[user]\n\tname = Ada Okafor\n\temail = ada@example.org\n"
            "[advice]\n\tdetachedHead = false\n[core]\n\tpager = cat\n",
            encoding="utf-8",
        )
        self.minutes = 0
        for path, text in files.items():
            self.write(path, text)

    def write(self, path: str, text: str) -> None:
        """Write a file below the project folder."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def read(self, path: str) -> str:
        """A file below the project folder."""
        return (self.folder / path).read_text(encoding="utf-8")

    def run(self, command: str) -> Result:
        """Run a bash command in the project folder, with an environment that does not change from day to day."""
        self.minutes += 1
        date = f"2025-11-03T21:{self.minutes % 60:02d}:00+0000"
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env={
                "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
                "HOME": str(self.home),
                "USER": "ada",
                "LANG": "C.UTF-8",
                "LC_ALL": "C.UTF-8",
                "TZ": "UTC",
                "COLUMNS": "96",
                "PYTHONHASHSEED": "0",
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "PYTEST_ADDOPTS": "-p no:cacheprovider",
                "GIT_AUTHOR_DATE": date,
                "GIT_COMMITTER_DATE": date,
                "GIT_CONFIG_NOSYSTEM": "1",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
            check=False,
        )
        return Result(self.normalise(done.stdout.decode("utf-8", "replace")), done.returncode)

    def replace(self, path: str, old: str, new: str) -> str:
        """Replace the one occurrence of `old` in a file; the answer is the change as a unified diff."""
        before = self.read(path)
        if before.count(old) != 1:
            raise ValueError(f"{path} holds {before.count(old)} times, not once: {old!r}")
        after = before.replace(old, new)
        self.write(path, after)
        lines = difflib.unified_diff(before.splitlines(), after.splitlines(), f"a/{path}", f"b/{path}", lineterm="")
        return "\n".join(lines) + "\n"

    def normalise(self, text: str) -> str:
        """Take out of an output what differs from machine to machine: folders, versions, durations, addresses."""
        text = text.replace(str(self.root), "")
        text = _UP_AND_DOWN.sub("/", text)
        for path in {sysconfig.get_path("stdlib"), str(Path(sys.base_prefix, "lib", "python3"))}:
            text = text.replace(path, "/usr/lib/python3.11")
        text = text.replace(sys.prefix, "/home/ada/.venv").replace(sys.base_prefix, "/usr")
        text = _DURATION.sub(r"\1 \g<2>0.04s", text)
        return _HEX_ADDRESS.sub("0x7f3a5c0d1e80", text)


def write_json(path: Path, data: Any, *, indent: int | None = 2) -> None:
    """One JSON document, UTF-8."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, ensure_ascii=False, indent=indent) + "\n", encoding="utf-8")


def write_jsonl(path: Path, records: list[Any]) -> None:
    """One JSON document a line, UTF-8."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records), encoding="utf-8")
