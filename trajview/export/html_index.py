"""Several runs as web pages: all on one page below an index, or an index of pages that stand beside it in a folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from tempfile import SpooledTemporaryFile
from typing import IO, Final, NamedTuple
from urllib.parse import quote

from trajview.models.run import AgentRun
from trajview.textsafe import one_line

from .html import about_run, contents_of, document, main_of, page_text
from .page import Page
from .prose import esc
from .shown import facts_of, number

__all__ = ["Listed", "PageOfRuns", "index_page", "listed"]

_IN_MEMORY: Final = 32 * 2**20
"""Bytes of a page up to which nothing is written to disk."""
_BLOCK: Final = 2**20
"""Characters that are read at once."""
_MOST_REWARDS: Final = 4


class Listed(NamedTuple):
    """A run in an index: its place, and the texts of its row."""

    href: str
    name: str
    reward: str
    units: str
    messages: str
    highlights: str
    annotated: str


def listed(page: Page, href: str) -> Listed:
    """The row of a run; `href` is a place on the page, or the name of a file beside it."""
    transcripts = [transcript for _, transcript in page.transcripts]
    highlights = sum(1 for _ in page.highlights)
    return Listed(
        href if href.startswith("#") else quote(href),
        page.title,
        _reward(page.run),
        f"{sum(len(one.unit_starts) for one in transcripts):,}",
        f"{sum(len(one.messages) for one in transcripts):,}",
        f"{highlights:,}" if highlights else "",
        ", ".join(one_line(record.annotator_id, 40) for record in page.annotated.records),
    )


def _reward(run: AgentRun) -> str:
    """The overall reward of each agent."""
    said = [number(reward[0] if isinstance(reward, tuple) else reward) for reward in run.rewards or ()]
    return ", ".join(said[:_MOST_REWARDS]) + (", …" if len(said) > _MOST_REWARDS else "")


_COLUMNS: Final = ("run", "reward", "units", "messages", "highlights", "annotated by")


def _table(rows: Sequence[Listed]) -> Iterator[str]:
    """The index; columns that are empty throughout are left out."""
    shown = [at for at in range(1, len(_COLUMNS)) if any(row[at + 1] for row in rows)]
    kinds = {at: "" if at == len(_COLUMNS) - 1 else " class=num" for at in shown}
    heads = "".join(f"<th{kinds[at]}>{_COLUMNS[at]}</th>" for at in shown)
    yield f"<div class=runs>\n<table>\n<tr><th>run</th>{heads}</tr>\n"
    for row in rows:
        cells = "".join(f"<td{kinds[at]}>{esc(row[at + 1])}</td>" for at in shown)
        yield f'<tr><td><a href="{esc(row.href)}">{esc(row.name)}</a></td>{cells}</tr>\n'
    yield "</table>\n</div>\n"


def index_page(rows: Sequence[Listed]) -> Iterator[str]:
    """A page that leads to the pages of runs beside it."""
    return document(_title(rows), [f"<h1>{_title(rows)}</h1>\n"], _table(rows))


def _title(rows: Sequence[Listed]) -> str:
    return f"{len(rows):,} run{'s' * (len(rows) != 1)}"


class PageOfRuns:
    """A page of any number of runs; of a single one it is that run's own page. Added runs are kept on disk."""

    def __init__(self) -> None:
        self._rows: list[Listed] = []
        self._first: Page | None = None
        self._contents: list[str] = []
        self._main: IO[str] = SpooledTemporaryFile(  # noqa: SIM115 - closed by `pieces`
            _IN_MEMORY, "w+", encoding="utf-8", newline=""
        )

    def add(self, page: Page) -> None:
        """Add a run. Its losses are known when the page was written."""
        if self._first is None and not self._rows:
            self._first = page
        else:
            if self._first is not None:
                first, self._first = self._first, None
                self._take(first)
            self._take(page)

    def _take(self, page: Page) -> None:
        number_ = len(self._rows)
        prefix = f"R{number_}"
        self._rows.append(listed(page, f"#{prefix}"))
        title = esc(page.title)
        self._contents.append(
            f"<details><summary><span class=n>{number_}</span> {title}</summary>\n"
            f'<ol><li><a href="#{prefix}">beginning</a></li></ol>\n{"".join(contents_of(page, f"{prefix}-"))}</details>\n'
        )
        self._main.write(f"<section class=run id={prefix}>\n<h1>{title}</h1>\n")
        self._main.writelines(about_run(page.run, facts_of(page.run, page.part)))
        self._main.writelines(main_of(page, f"{prefix}-"))
        self._main.write("</section>\n")

    def pieces(self) -> Iterator[str]:
        """The text of the page in pieces. Nothing can be added then."""
        with self._main:
            if self._first is not None:
                yield from page_text(self._first).pieces
                return
            title = _title(self._rows)
            head = (f"<h1>{title}</h1>\n", *_table(self._rows))
            yield from document(title, head, self._written(), ("<h2>Runs</h2>\n", *self._contents))

    def _written(self) -> Iterator[str]:
        self._main.seek(0)
        while block := self._main.read(_BLOCK):
            yield block
