"""A headless Chromium over its DevTools pipe, and what a viewer that is a page takes to show a log.

Nothing but Chromium is needed. The page is "there" when the text stands in the window; it goes to its end by scrolling
what scrolls farthest, again and again while it still grows, which is kinder than a person with a scroll bar.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from kinds import FIRST, LAST
from peer_programs import Found, core_time, memory

FIND = """(() => {
  const found = document.evaluate("//text()[contains(., '%s')]", document, null, 5, null);
  for (let node; (node = found.iterateNext()); ) {
    const parent = node.parentElement;
    if (!parent || parent.closest('script, style, title')) continue;
    for (const box of parent.getClientRects())
      if (box.height && box.top < innerHeight && box.bottom > 0) return true;
  }
  return false;
})()"""
"""Whether a text is laid out inside the window."""

SCROLL = """new Promise(done => {
  const scrolls = e => e.scrollHeight > e.clientHeight + 40 && e.clientHeight > 200
    && (e === document.scrollingElement || /auto|scroll/.test(getComputedStyle(e).overflowY));
  if (!window.pane?.isConnected)
    window.pane = [document.scrollingElement, ...document.querySelectorAll('div, main, section')].filter(scrolls)
      .sort((a, b) => b.scrollHeight - a.scrollHeight)[0] || document.scrollingElement;
  const begin = performance.now();
  window.pane.scrollTop = %s;
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begin)));
})"""
"""Scroll, and the milliseconds until the frame that shows it has been made: two frames, at 60 a second."""

END, TOP = "window.pane.scrollHeight", "0"
STEPS = {
    "line": ("window.pane.scrollTop + 20",),
    "page": ("window.pane.scrollTop + 800", "window.pane.scrollTop - 800"),
}
FLAGS = ["--headless", "--no-sandbox", "--remote-debugging-pipe", "--window-size=1200,900", "--no-first-run",
         "--disable-gpu", "--disable-extensions", "--disable-background-networking", "--disable-component-update"]  # fmt: skip


class Browser:
    """Chromium without a window, with a profile of its own."""

    def __init__(self, chromium: str, profile: Path) -> None:
        to_read, self.out = os.pipe()
        self.into, from_write = os.pipe()
        # It reads descriptor 3 and writes descriptor 4; a shell moves them there.
        script = f'exec "$@" 3<&{to_read} 4>&{from_write}'
        command = ["/bin/bash", "-c", script, "bash", chromium, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self.process = subprocess.Popen(
            command, pass_fds=(to_read, from_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        os.close(to_read)
        os.close(from_write)
        self.number, self.rest = 0, b""
        self.session: str | None = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")
        self.ask("Inspector.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.out)
        os.close(self.into)

    def ask(self, method: str, patience: float = 60.0, **params: Any) -> dict[str, Any]:
        """Call a method and wait for its answer. Raises TimeoutError, RuntimeError with what went wrong."""
        self.number += 1
        call: dict[str, Any] = {"id": self.number, "method": method, "params": params}
        if self.session:
            call["sessionId"] = self.session
        os.write(self.out, json.dumps(call).encode() + b"\0")
        until = time.perf_counter() + patience
        while True:
            line, end, rest = self.rest.partition(b"\0")
            if end:
                self.rest = rest
                answer = json.loads(line)
                if answer.get("method") in ("Inspector.targetCrashed", "Target.targetCrashed"):
                    raise RuntimeError("the page crashed")
                if answer.get("id") != self.number:
                    continue
                if "error" in answer:
                    raise RuntimeError(answer["error"]["message"])
                return dict(answer["result"])
            ready, _, _ = select.select([self.into], [], [], max(0.0, until - time.perf_counter()))
            if not ready:
                raise TimeoutError(method)
            data = os.read(self.into, 1 << 20)
            if not data:
                raise RuntimeError("the browser ended")
            self.rest += data

    def value(self, script: str, patience: float) -> Any:
        """What a script gives in the page."""
        found = self.ask("Runtime.evaluate", patience, expression=script, awaitPromise=True, returnByValue=True)
        return found["result"].get("value")


class Server:
    """A program that serves a viewer at a port of this machine."""

    def __init__(self, command: Callable[[int], list[str]]) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        begin = time.perf_counter()
        self.process = subprocess.Popen(command(self.port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1.0).close()
                break
            except OSError:
                if self.process.poll() is not None or time.perf_counter() - begin > 60:
                    raise
                time.sleep(0.01)
        self.start = (time.perf_counter() - begin) * 1000

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


def browser_round(
    chromium: str, profile: Path, url: str, others: list[int], presses: int, patience: float, found: Found
) -> None:
    """Open a page in a new browser, go to its end, and scroll; add to what was found (`others`: the server)."""
    with Browser(chromium, profile) as browser:
        pids = [browser.process.pid, *others]
        before = sum(map(core_time, pids))
        begin = time.perf_counter()

        def there(text: str, go: str = "") -> bool:
            """Whether a text comes in time."""
            while (left := begin + patience - time.perf_counter()) > 0:
                if go:
                    browser.value(SCROLL % go, left)
                seen = browser.value(FIND % text, left)
                found.peak = max(found.peak, sum(map(memory, pids)))
                if seen:
                    return True
                time.sleep(0.02)
            return False

        try:
            browser.ask("Page.navigate", patience, url=url)
            if not there(FIRST):
                found.note = f"nothing in {patience:.0f} s"
                return
            found.first += (time.perf_counter() - begin) * 1000
            found.first_core += sum(map(core_time, pids)) - before
            begin_end, used = time.perf_counter(), sum(map(core_time, pids))
            if not there(LAST, END):
                found.note = f"no end in {patience:.0f} s"
                return
            found.end = (time.perf_counter() - begin_end) * 1000
            found.end_core = found.first_core + sum(map(core_time, pids)) - used
            browser.value(SCROLL % TOP, patience)
            for what, steps in STEPS.items():
                used = sum(map(core_time, pids))
                found.keys[what] = [browser.value(SCROLL % steps[n % len(steps)], patience) for n in range(presses)]
                found.keys_core[what] = (sum(map(core_time, pids)) - used) / presses
            found.peak = max(found.peak, sum(map(memory, pids)))
        except (TimeoutError, RuntimeError) as error:
            found.note = str(error) or type(error).__name__
