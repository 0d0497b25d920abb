"""trajview beside other viewers of logs, on the same generated run, in turns in the same minutes.

    .venv/bin/python benchmarks/peers.py [--venv DIR [--install]] [--messages 200 20000 100000] [--large 1G] [--rounds 3]

less and lnav, where they are installed, and Toolong get one message a line; mini-swe-agent's inspector, Inspect View and
claude-code-log each their own kind of log; trajview opens the very same file each time. The Python ones are looked for in
DIR, a virtual environment each, which --install makes (it asks the package index; nothing else here needs a network).
Pages are opened in a headless Chromium, driven over its DevTools pipe. Whoever is not there is named as left out.

`first` is exec (for a page: opening it) to the first message on the screen, or the last one where a viewer opens at the
end; `end` is from asking for the other end to having it; keys are to the last byte of the repaint, for pages to the second
frame after, which is 17 to 33 ms by itself. `core` is a core's time, which other programs on the machine change less. Memory
is anonymous memory at its peak, of all processes of the viewer: browser and server too.
A ratio below 1 says that trajview took less. Linux only.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL
from urllib.parse import quote

from kinds import bytes_of, write_named
from peer_browsers import Server, browser_round
from peer_logs import messages_of, write_inspect, write_json_lines, write_mini, write_session
from peer_programs import NEVER, Found, terminal_round

PACKAGES = {
    "toolong": "tl",
    "mini-swe-agent": "mini-extra",
    "inspect-ai": "inspect",
    "claude-code-log": "claude-code-log",
}
"""What --install installs, and the program in it."""

PAGER = {"end": ("G",), "top": ("g",), "line": ("j",), "page": (" ", "b")}
TOOLONG = {"end": ("\x1b[F",), "top": ("\x1b[H",), "line": ("j",), "page": (" ", "b")}
INSPECTOR = {"end": ("$",), "top": ("0",), "line": ("j",), "page": ("l", "h")}  # its pages are steps
Round = Callable[[], Found]


@dataclass
class Setting:
    """What the rounds have in common."""

    folder: Path
    """A temporary one."""
    programs: dict[str, str]
    """Where each peer's program is, for those that are there."""
    rounds: int
    presses: int
    patience: float
    turn: int = 0

    def trajview(self, log: Path) -> Round:
        store = str(self.folder / "store")
        return self.terminal([sys.executable, "-m", "trajview", "--no-cache", "--store", store, str(log)], PAGER)

    def terminal(self, command: Sequence[str], keys: dict[str, tuple[str, ...]]) -> Round:
        return lambda: terminal_round(command, keys, self.presses, self.patience)

    def profile(self) -> Path:
        self.turn += 1
        return self.folder / f"profile-{self.turn}"

    def inspect_view(self, log: Path) -> Round:
        url = f"#/logs/{quote(log.name)}/samples/sample/1/1/messages"

        def one() -> Found:
            program = [self.programs["inspect-ai"], "view", "start", "--log-dir", str(log.parent), "--port"]
            server, found = Server(lambda port: [*program, str(port)]), Found(first=0, first_core=0)
            try:
                page = f"http://127.0.0.1:{server.port}/{url}"
                browser = self.programs["chromium"]
                browser_round(browser, self.profile(), page, [server.process.pid], self.presses, self.patience, found)
                found.note = f"{found.note} the server had started in {server.start:.0f} ms before".strip()
            finally:
                server.close()
            return found

        return one

    def claude_code_log(self, log: Path) -> Round:
        def one() -> Found:
            page = log.with_suffix(".html")
            page.unlink(missing_ok=True)
            before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            command = [self.programs["claude-code-log"], str(log), "-o", str(page), "--no-cache"]
            try:
                subprocess.run(command, check=True, timeout=self.patience, stdout=DEVNULL, stderr=DEVNULL)
            except subprocess.TimeoutExpired:
                return Found(note=f"no page in {self.patience:.0f} s")
            took, after = (time.perf_counter() - begin) * 1000, resource.getrusage(resource.RUSAGE_CHILDREN)
            core = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000
            found = Found(first=took, first_core=core)
            browser_round(
                self.programs["chromium"], self.profile(), page.as_uri(), [], self.presses, self.patience, found
            )
            size = page.stat().st_size / 1e6
            found.note = f"{found.note} {took:.0f} ms of it to write {size:.1f} MB of HTML".strip()
            return found

        return one


WIDTHS = (9, 9, 9, 9, 10, 7, 7, 10, 7, 7, 10)


def compare(setting: Setting, what: str, log: Path, peers: dict[str, Round]) -> None:
    """Measure trajview and some peers in turns, and print a row for each and the ratios."""
    if not peers:
        return
    print(f"\n{what}, {log.stat().st_size / 1e6:,.1f} MB")
    print(
        f"  {'':18}{'first':>9}{'core':>9}{'end':>9}{'core':>9}"
        f"{'line p50':>10}{'p95':>7}{'core':>7}{'page p50':>10}{'p95':>7}{'core':>7}{'memory':>10}",
        flush=True,
    )
    programs = {"trajview": setting.trajview(log), **peers}
    found: dict[str, list[Found]] = {name: [] for name in programs}
    for _ in range(setting.rounds):
        for name, one in programs.items():
            # Who did not come to the end once is not asked again: it takes all the patience.
            if not found[name] or found[name][0].end == found[name][0].end:
                found[name].append(one())
    ours, each_key = figures(found["trajview"]), 10 / setting.presses
    for name, rounds in found.items():
        theirs = figures(rounds)
        tell(name, theirs, lambda each: f"{each:,.0f}" if each >= 20 else f"{each:.1f}")
        if name != "trajview":
            # The clock of a core's time ticks every 10 ms: what is below a tick has no ratio.
            least = (0.1, 10, 0.1, 10, 0.1, 0.1, each_key, 0.1, 0.1, each_key, 0.1)
            ratios = [mine / its if its >= low else NEVER for mine, its, low in zip(ours, theirs, least, strict=True)]
            tell("  trajview takes", ratios, lambda each: f"{each:.2f}x" if each < 100 else f"{each:.0f}x")
        if note := next((one.note for one in rounds if one.end != one.end), rounds[-1].note):
            print(f"    ({note})", flush=True)


def figures(rounds: list[Found]) -> list[float]:
    """The medians of the rounds, in the order of the columns."""

    def middle(values: Iterable[float]) -> float:
        came = [each for each in values if each == each]
        return statistics.median(came) if came else NEVER

    row = [middle([getattr(one, name) for one in rounds]) for name in ("first", "first_core", "end", "end_core")]
    for key in ("line", "page"):
        waits = sorted(wait for one in rounds for wait in one.keys.get(key, ()))
        row += [middle(waits), waits[min(len(waits) - 1, int(0.95 * len(waits)))]] if waits else [NEVER, NEVER]
        row.append(middle([one.keys_core.get(key, NEVER) for one in rounds]))
    return [*row, max(one.peak for one in rounds)]


def tell(name: str, row: list[float], as_text: Callable[[float], str]) -> None:
    texts = ("–" if each != each else as_text(each) for each in row)
    print(f"  {name:18}" + "".join(f"{text:>{width}}" for text, width in zip(texts, WIDTHS, strict=True)), flush=True)


def version(name: str, program: str) -> str:
    """What a peer says that it is."""
    python = Path(program).with_name("python")
    if name in PACKAGES:
        command = [str(python), "-c", f"import importlib.metadata as m; print({name!r}, m.version({name!r}))"]
    else:
        command = [program, "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return said.splitlines()[0] if said.strip() else name


def look_for(venv: Path | None, install: bool, only: Sequence[str]) -> dict[str, str]:
    """The peers that are there, and their programs; installs what is missing where that is wanted."""
    wanted = [name for name in ("less", "lnav", *PACKAGES) if name in only or not only]
    found = {name: path for name in (*wanted, "chromium") if name not in PACKAGES and (path := shutil.which(name))}
    for name in wanted:
        if name not in PACKAGES:
            continue
        program = PACKAGES[name]
        path = shutil.which(program) if venv is None else shutil.which(program, path=venv / name / "bin")
        if path is None and venv is not None and install:
            subprocess.run([sys.executable, "-m", "venv", venv / name], check=True)
            subprocess.run([venv / name / "bin" / "pip", "install", "-q", name], check=False)
            path = shutil.which(program, path=venv / name / "bin")
        if path:
            found[name] = path
    for name in (*wanted, "chromium"):
        print(version(name, found[name]) if name in found else f"{name}: left out, it is not there")
    if "chromium" not in found:
        print("no pages without chromium: inspect-ai and claude-code-log are left out")
    return found


def report(setting: Setting, sizes: Sequence[int], large: int) -> None:
    """All sizes, and then the large file for those that read lines."""
    there = setting.programs

    def pagers(log: Path) -> dict[str, Round]:
        keys = {"less": PAGER, "lnav": PAGER, "toolong": TOOLONG}
        return {name: setting.terminal([there[name], str(log)], keys[name]) for name in keys if name in there}

    for count in sizes:
        folder = setting.folder / f"logs-{count}"
        folder.mkdir()
        messages = messages_of(count)
        log = folder / "messages.jsonl"
        write_json_lines(log, messages)
        compare(setting, f"{count:,} messages, one a line", log, pagers(log))
        if "mini-swe-agent" in there:
            log = folder / "run.traj.json"
            write_mini(log, messages)
            inspector = setting.terminal([there["mini-swe-agent"], "inspector", str(log)], INSPECTOR)
            compare(setting, f"{count:,} messages, mini-swe-agent's file", log, {"mini inspector": inspector})
        if "inspect-ai" in there and "chromium" in there:
            log = folder / "2026-01-01T00-00-00+00-00_bench_1.eval"
            write_inspect(log, messages, Path(there["inspect-ai"]).with_name("python"))
            compare(
                setting,
                f"{count:,} messages, Inspect's log (compressed)",
                log,
                {"inspect view": setting.inspect_view(log)},
            )
        if "claude-code-log" in there and "chromium" in there:
            log = folder / "session.jsonl"
            write_session(log, messages)
            compare(
                setting,
                f"{count:,} messages, a session's events",
                log,
                {"claude-code-log": setting.claude_code_log(log)},
            )
        shutil.rmtree(folder)
    if large:
        log = setting.folder / "large.jsonl"
        write_named(log, large)
        compare(setting, "chats of some 40 messages, one a line", log, pagers(log))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv", type=Path, help="where the Python peers are; without it, those on the PATH")
    parser.add_argument("--install", action="store_true", help="install into DIR what is not there")
    parser.add_argument("--messages", type=int, nargs="*", default=[200, 20_000, 100_000])
    parser.add_argument("--large", default="1G", help="bytes of the large file, with K, M or G; 0 leaves it out")
    parser.add_argument(
        "--only", nargs="+", default=[], help="less, lnav, toolong, mini-swe-agent, inspect-ai, claude-code-log"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--presses", type=int, default=20)
    parser.add_argument(
        "--patience", type=float, default=120.0, help="seconds after which a screen does not come any more"
    )
    given = parser.parse_args()
    programs = look_for(given.venv and given.venv.resolve(), given.install, given.only)
    with tempfile.TemporaryDirectory(prefix="trajview-peers-") as name:
        # Their settings and histories, and trajview's, stay out of your home folder.
        os.environ.update(HOME=name, XDG_CONFIG_HOME=f"{name}/config", XDG_CACHE_HOME=f"{name}/cache")
        os.environ.update(LESSHISTFILE="-", MSWEA_SILENT_STARTUP="1")
        report(
            Setting(Path(name), programs, given.rounds, given.presses, given.patience),
            given.messages,
            bytes_of(given.large),
        )


if __name__ == "__main__":
    main()
