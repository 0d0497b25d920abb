"""What the screen of a search's results says: how many there are, what surrounds a hit, and what stands where there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.content import Content

from trajview.app.keys import key_of
from trajview.app.results.found import Results, Row, Scope
from trajview.app.results.list_view import speaker_of
from trajview.app.shared.cells import size_text
from trajview.textsafe import one_line, safe_text, strip_escapes

if TYPE_CHECKING:
    from trajview.corpus.corpus import Corpus
    from trajview.corpus.search_process import SearchProcess

__all__ = ["context_text", "counts_text", "empty_text", "query_text"]

_HELP: Final = """\
Search what all messages say, think and call.
A regular expression; capitals make it mind the case.

role:tool  role:user          only what they say
tool:bash  tool:str_*         only a tool's calls and answers
in:text  in:reasoning         only there; also in:arguments,
in:metadata                   and what is known of runs and messages"""


def query_text(typed: str, scope: Scope) -> Content:
    """What is searched for, and in which runs where that is not all of them."""
    parts: list[str | tuple[str, str]] = [("search  ", "bold"), one_line(typed, 200)]
    if scope.text:
        parts.append((f"{'  ' if typed else ''}{scope.text}", "$text-accent"))
        if scope.why:
            parts.append((f" · {one_line(scope.why, 200)}", "$foreground 50%"))
    return Content.assemble(*parts)


def empty_text(results: Results, scope: Scope) -> str:
    """The sentences that stand where nothing is found, yet or at all."""
    if results.state == "none":
        return _HELP
    leave = key_of("back", "escape")
    if results.state == "searching":
        return f"Searching…\n{key_of('back', 'escape', begins=True)} stops."
    where = f" {scope.text}" if scope.text else ""
    return f"Nothing found{where}.\n{key_of('search.corpus')} searches for something else, {leave} goes back."


def counts_text(results: Results, search: SearchProcess, corpus: Corpus) -> str:
    """How much was found, and how far the search is."""
    counts = []
    if results.matches:
        runs = len(results.groups)
        counts.append(f"{results.matches:,} match{'es' * (results.matches != 1)} in {runs:,} run{'s' * (runs != 1)}")
    if results.problems:
        counts.append(f"{results.problems:,} not readable")
    if results.arranged:
        counts.append("as in the list")
    if results.state == "searching":
        done = search.bytes_done
        whole = corpus.bytes_done if corpus.finished else 0
        share = f"{min(99, 100 * done // whole)}% of {size_text(whole)}" if whole > done else size_text(done)
        counts.append(f"searching… {share}")
    elif results.state == "stopped":
        counts.append(f"stopped after {size_text(search.bytes_done)}")
    elif not results.matches:
        counts.append("nothing found")
    return " · ".join(counts)


def context_text(row: Row) -> Content:
    """A hit with the lines around it; of another row, where the run is."""
    hit = row.hit
    if hit is None:
        found = row.group.found
        counts = f"{found.matches:,} in {found.messages:,} message{'s' * (found.messages != 1)}"
        return Content(f"{one_line(found.id)} · {one_line(found.where, 1000)} · {found.format} · {counts}")
    where = [hit.label] if hit.unit < 0 else [f"unit {hit.unit}", hit.label]
    parts: list[str | tuple[str, str]] = [(" · ".join([*where, one_line(speaker_of(hit))]) + "\n", "$text-accent")]
    parts += [f"{_line(line)}\n" for line in hit.before]
    at = 0
    for start, end in hit.spans:
        parts += [
            (_line(hit.text[at:start]), "$foreground"),
            (_line(hit.text[start:end]), "$foreground on $warning 45%"),
        ]
        at = end
    parts.append((_line(hit.text[at:]) + "\n", "$foreground"))
    parts += [f"{_line(line)}\n" for line in hit.after]
    return Content.assemble(*parts)


def _line(text: str) -> str:
    return safe_text(strip_escapes(text.rstrip("\r\n"))).replace("\t", "    ").replace("\n", " ")
