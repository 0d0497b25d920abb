"""The page in a real browser: hostile logs run nothing on it, and ask nobody for anything.

Skipped where no Chromium is found.
"""

from __future__ import annotations

import html
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from trajview.annotation.unit_notes import Mark, UnitNote, UnitNotes
from trajview.corpus.corpus import Corpus
from trajview.export.html import export_html
from trajview.export.html_index import PageOfRuns
from trajview.export.page import page_of
from trajview.export.shown import Annotated
from trajview.highlight import compile_rule
from trajview.models.messages import (
    AssistantMessage,
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from trajview.models.run import AgentRun
from trajview.models.sotopia import AnnotationForEpisode
from trajview.models.transcript import Transcript

from .reading import taken

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
HOSTILE = Path(__file__).parents[2] / "sample_data" / "malformed" / "hostile.jsonl"

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")


class Listener:
    """A server on this machine that notes what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        listener = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                listener.asked.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()


@pytest.fixture
def listener() -> Iterator[Listener]:
    found = Listener()
    yield found
    found.server.shutdown()
    found.server.server_close()
    found.thread.join()


def opened(page: str, folder: Path) -> str:
    """The page after a browser has opened it and run what it could, as HTML again."""
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    assert CHROMIUM is not None
    done = subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}", "--no-first-run",
            "--disable-background-networking", "--virtual-time-budget=3000", "--dump-dom", file.as_uri(),
        ],
        capture_output=True, timeout=100, check=True,
    )  # fmt: skip
    return done.stdout.decode()


def payloads(url: str) -> list[str]:
    """What would mark the page as executed or ask the server, were any of it markup."""
    mark = "document.documentElement.dataset.executed=1"
    return [
        f"<script>{mark}</script>",
        f"</title><script>{mark}</script>",
        f"</style><script>{mark}</script><style>@import url({url}/import.css);body{{background:url({url}/css.png)}}",
        f"--><script>{mark}</script><!--",
        f'"><img src="{url}/img.png" onerror="{mark}">',
        f"'><svg onload={mark}><iframe src='{url}/frame'></iframe>",
        f'" onmouseover="{mark}" autofocus onfocus="{mark}" style="background:url({url}/style.png)',
        f"![image]({url}/markdown.png) [link](javascript:{mark}) <javascript:{mark}>",
        f'<link rel=stylesheet href="{url}/link.css"><base href="{url}/"><meta http-equiv=refresh content="0;url={url}/meta">',
        f"```\n</pre><script>{mark}</script>\n```\n`</code><script>{mark}</script>` **</strong><script>{mark}</script>**",
        f'[T0B0: "</a><script>{mark}</script>"] [T0B0"><script>{mark}</script>]',
    ]


def everywhere(text: str) -> AgentRun:
    """A run that holds the text wherever a run can hold a text."""
    call = ToolCall(id=text, function=text, arguments={text: text, "code": text}, parse_error=text, language=text)
    messages = [
        UserMessage(content=text, name=text, timestamp=text),
        AssistantMessage(
            content=[ReasoningPart(reasoning=text), TextPart(text=text), ImagePart(image=text)],
            tool_calls=[call], model=text, recipient=text,
        ),
        ToolMessage(content=text + "\n" * 40 + text, function=text, error={"message": text, text: text}),
    ]  # fmt: skip
    return AgentRun(
        id=text, name=text, description=text, agents=[text], rewards=[(1.0, {text: 1.0})], reasoning=text, source_format=text,
        metadata={text: text}, transcripts=[Transcript(name=text, messages=messages), Transcript(messages=messages)],
    )  # fmt: skip


def test_the_browser_would_run_and_ask_if_it_could(listener: Listener, tmp_path: Path) -> None:
    body = "".join(payloads(listener.url))
    dom = opened(f"<!doctype html><html><head></head><body>{body}</body></html>", tmp_path)
    assert "data-executed" in dom.split("<body", 1)[0]
    assert listener.asked


def test_hostile_text_anywhere_runs_nothing_and_asks_nobody(listener: Listener, tmp_path: Path) -> None:
    text = "\n".join(payloads(listener.url))
    record = AnnotationForEpisode(pk="p", episode="r", annotator_id=text, rewards=[(1.0, {text: 1.0})], reasoning=text)
    notes = UnitNotes("r", (UnitNote(0, 0, {text: 1.0}, text),), (Mark(0, 0, text),))
    page = taken(
        export_html(
            everywhere(text), annotated=Annotated([record], {text: notes}), rules=[compile_rule("script", text)]
        )
    ).text
    whole = PageOfRuns()
    for _ in range(2):
        whole.add(page_of(everywhere(text), None, Annotated([record], {text: notes}), []))
    several = "".join(whole.pieces())
    # Without the policy that stands guard behind it: the escaping alone has to do.
    assert "Content-Security-Policy" in page
    unguarded = page.replace("Content-Security-Policy", "X-Nothing")
    for each in (page, unguarded, several.replace("Content-Security-Policy", "X-Nothing")):
        dom = opened(each, tmp_path)
        assert "data-executed" not in dom.split("<body", 1)[0]
        assert "<script" not in dom
        assert html.escape("<script>", quote=False) in dom
        assert listener.asked == []


def test_the_hostile_samples_run_nothing(tmp_path: Path) -> None:
    corpus = Corpus([HOSTILE])
    corpus.scan()
    pages = {info.id: taken(export_html(corpus.load(info))).text for info in corpus.infos}
    dom = opened(pages["markdown"], tmp_path)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in dom
    for page in pages.values():
        body = page.split("</style>", 1)[1]
        assert not [tag for tag in ("<script", "<img", "<iframe", "<link", "<object", "<svg") if tag in body]
        assert 'href="' not in body.replace('href="#', "")
