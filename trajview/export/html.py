"""A run as one web page that needs nothing else: no scripts, no requests, dark or light as the reader's system is.

All text of a log is escaped before it gets a tag, links lead to places on the page alone, and the page's own policy
(CSP) forbids scripts and requests should any of it have failed.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib.resources import files
from typing import Final

from trajview.formats.plain import as_json
from trajview.highlight import Highlight, Rule
from trajview.models.images import ImageError, bytes_of, look_at
from trajview.models.messages import (
    AssistantMessage,
    ChatMessage,
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolMessage,
)
from trajview.models.run import AgentRun
from trajview.models.sotopia import AnnotationForEpisode
from trajview.models.transcript import Transcript
from trajview.textsafe import one_line

from .exported import Exported, Part
from .marks import colour_class, marker
from .page import Page, about, page_of
from .prose import cited, esc, inline, output, prose
from .shown import Annotated, facts_of, number, unshown_of_message
from .spoken import stand_in

__all__ = ["about_run", "contents_of", "document", "export_html", "main_of", "page_text", "style"]

_POLICY: Final = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_MOST_OF_IMAGE: Final = 8 << 20
"""Bytes of an image that is on the page; of a larger one, only what it is."""
_KEEP: Final = 12
"""Lines of output that are shown before the rest is folded."""
_KEEP_OF_ERROR: Final = 40
_SHORT: Final = 60
"""Characters of an argument that stands beside its name, where there are several."""
_LONG: Final = 1_500
"""Characters from which on a system message is folded."""
_GROUPS: Final = {
    "error": "errors",
    "rule": "",
    "mark": "marks",
    "citation": "citations",
    "unit": "units",
    "search": "found",
}
"""The headings of highlights by source; a rule has a name."""
_OPEN: Final = 10
"""Highlights up to which a group is open at first."""


def export_html(
    run: AgentRun,
    part: Part | None = None,
    annotated: Annotated | None = None,
    rules: Sequence[Rule] = (),
) -> Exported:
    """Export a run, or a part of it, as a web page, with its highlights listed, and its annotations."""
    return page_text(page_of(run, part, annotated, rules))


def page_text(page: Page) -> Exported:
    """The text of a run's page."""
    head = (f"<h1>{esc(page.title)}</h1>\n", *about_run(page.run, facts_of(page.run, page.part)))
    return Exported(document(page.title, head, main_of(page), contents_of(page)), page.lost)


def document(
    title: str, head: Iterable[str], main: Iterable[str], contents: Iterable[str] | None = None
) -> Iterator[str]:
    """A whole web page: `head` stands above `main`, `contents` beside it; all of it is HTML but the title."""
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
    yield f"<title>{esc(title)}</title>\n<style>\n{style()}</style>\n</head>\n<body>\n"
    yield f'<div class="{"wrap alone" if contents is None else "wrap"}">\n'
    yield "<div class=head>\n"
    yield from head
    yield "</div>\n"
    if contents is not None:
        yield "<nav>\n"
        yield from contents
        yield "</nav>\n"
    yield "<main>\n"
    yield from main
    yield "</main>\n</div>\n</body>\n</html>\n"


def main_of(page: Page, prefix: str = "") -> Iterator[str]:
    """What was annotated, the evaluator's reasoning and the messages of a run. `prefix` begins the names of places, where
    several runs are on a page."""
    yield from _annotations(page, prefix)
    if page.run.reasoning:
        reasoning = cited(page.run.reasoning, page.exists, prefix)
        yield f"<h2>The evaluator’s reasoning</h2>\n<div class=sheet>{reasoning}</div>\n"
    for index, transcript in page.transcripts:
        yield from _transcript(page, index, transcript, prefix)


def style() -> str:
    """The style sheet of a page."""
    return (files(__package__) / "page.css").read_text(encoding="utf-8")


# Beside the messages


def contents_of(page: Page, prefix: str = "") -> Iterator[str]:
    """The column on the left: highlights, then the units of each transcript. `prefix` as for `main_of`."""
    yield from _highlights(page, prefix)
    if page.annotated.records:
        yield "<h2>Annotations</h2>\n<ol>\n"
        for number_, record in enumerate(page.annotated.records):
            who = esc(one_line(record.annotator_id, 60))
            yield f'<li><a href="#{prefix}annotation-{number_}">{who}</a></li>\n'
        yield "</ol>\n"
    for index, transcript in page.transcripts:
        if len(page.transcripts) > 1:
            yield f'<h2><a href="#{prefix}T{index}">{esc(one_line(page.name_of(index), 60))}</a></h2>\n<ol>\n'
        else:
            yield "<h2>Units</h2>\n<ol>\n"
        for unit, members, _ in page.units(index, transcript):
            first = esc(_first_words(transcript.messages[member] for member in members[:3]))
            yield f'<li><a href="#{prefix}T{index}U{unit}"><span class=n>{unit}</span> {first}</a></li>\n'
        yield "</ol>\n"


def _kind_of(highlight: Highlight) -> str:
    """The classes of a highlight; `unit` names something else in the style."""
    if highlight.source == "rule":
        return f"rule {colour_class(highlight.colour)}"
    return "unit-hl" if highlight.source in ("unit", "search") else highlight.source


def _highlights(page: Page, prefix: str) -> Iterator[str]:
    """The list of highlights: errors together, each rule's matches together, with counts and a few words of each."""
    groups: dict[tuple[str, str], list[tuple[int, int, Highlight]]] = {}
    for found in page.highlights:
        why = found[2]
        groups.setdefault((why.source, why.reason if why.source == "rule" else ""), []).append(found)
    if not groups:
        return
    yield "<h2>Highlights</h2>\n"
    for source, name in sorted(groups, key=lambda group: list(_GROUPS).index(group[0])):
        members = groups[source, name]
        kind, called = _kind_of(members[0][2]), esc(one_line(name or _GROUPS[source], 80))
        yield f"<details class=group{' open' * (len(members) <= _OPEN)}>"
        yield f'<summary class="dot {kind}"><span class=said>{called}</span> <span class=n>{len(members):,}</span></summary>\n<ol>\n'
        for index, message, why in members:
            said, full = _words(page, index, message, why)
            yield (
                f'<li><a href="#{prefix}T{index}B{message}" title="{full}">'
                f"<span class=n>{why.unit}</span> <span class=said>{said}</span></a></li>\n"
            )
        yield "</ol>\n</details>\n"


def _words(page: Page, index: int, message: int, why: Highlight) -> tuple[str, str]:
    """A few words of a highlight as HTML, and again for an attribute."""
    found = page.excerpt(index, message, why)
    if found is None:
        said = esc(one_line(why.reason, 80))
        return said, said
    before, matched, after = (esc(text.replace("\n", " ")) for text in found)
    return f'{before}<mark class="{colour_class(why.colour)}">{matched}</mark>{after}', f"{before}{matched}{after}"


def _first_words(messages: Iterable[ChatMessage]) -> str:
    """The first words of a unit, as far as its first messages show any."""
    for message in messages:
        text = message.text
        if text and not text.isspace():
            return one_line(text, 60)
        if isinstance(message, AssistantMessage) and message.tool_calls:
            call = message.tool_calls[0]
            given = next((value for value in call.arguments.values() if isinstance(value, str)), "")
            return one_line(f"▸ {call.function} {given}", 60)
    return "–"


def about_run(run: AgentRun, facts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The part of a page above the messages: facts, each a word and a line of text, and the metadata."""
    yield "<dl class=facts>\n"
    for word, said in facts:
        yield f"<dt>{esc(word)}</dt><dd>{esc(said)}</dd>\n"
    yield "</dl>\n"
    if run.metadata:
        yield f"<details class=folded><summary>Metadata</summary><pre>{esc(as_json(run.metadata))}</pre></details>\n"


def _annotations(page: Page, prefix: str) -> Iterator[str]:
    for number_, record in enumerate(page.annotated.records):
        who = esc(one_line(record.annotator_id, 80))
        yield f"<section id={prefix}annotation-{number_}>\n<h2>Annotation by {who}</h2>\n<div class=sheet>\n"
        yield from _scores(page.run, record)
        if record.reasoning:
            yield cited(record.reasoning, page.exists, prefix)
        yield "</div>\n</section>\n"


def _scores(run: AgentRun, record: AnnotationForEpisode) -> Iterator[str]:
    """A table with a row per dimension and a column per agent; the last row is the overall."""
    rewards = [reward if isinstance(reward, tuple) else (reward, {}) for reward in record.rewards]
    names = run.agent_names + [f"agent {n + 1}" for n in range(len(run.agent_names), len(rewards))]
    if not rewards:
        return
    heads = "".join(f"<th class=num>{esc(one_line(name, 40))}</th>" for name in names[: len(rewards)])
    yield f"<table>\n<tr><th></th>{heads}</tr>\n"
    for dimension in dict.fromkeys(key for _, dimensions in rewards for key in dimensions):
        cells = (number(scores[dimension]) if dimension in scores else "–" for _, scores in rewards)
        row = "".join(f"<td class=num>{cell}</td>" for cell in cells)
        yield f"<tr><td>{esc(one_line(dimension, 60))}</td>{row}</tr>\n"
    row = "".join(f"<td class=num>{number(overall)}</td>" for overall, _ in rewards)
    yield f"<tr><td>overall</td>{row}</tr>\n</table>\n"


# Messages


def _transcript(page: Page, index: int, transcript: Transcript, prefix: str) -> Iterator[str]:
    if transcript.name or len(page.run.transcripts) > 1:
        yield f"<h2 id={prefix}T{index}>{esc(page.name_of(index))}</h2>\n"
    start = page.branches.came_from.get(index)
    if start is not None:
        place = f"T{start.transcript}B{start.message}"
        yield f'<p class=part>Started by a call in <a href="#{prefix}{place}">{place}</a>.</p>\n'
    reasons = page.reasons[index]
    for shown in page.units(index, transcript):
        marked = " class=hl" if page.stands_out(index, shown) else ""
        yield f"<section id={prefix}T{index}U{shown.unit}>\n<h3{marked}>Unit {shown.unit}</h3>\n"
        for annotator, note in shown.notes:
            scores = ", ".join(f"{esc(one_line(key, 60))} {number(score)}" for key, score in note.scores.items())
            yield f"<div class=note><b>{esc(one_line(annotator, 60))}</b> {scores}"
            yield f"{prose(note.note)}</div>\n" if note.note else "</div>\n"
        for member in shown.members:
            yield "".join(_message(page, index, member, reasons.get(member, ()), prefix))
        yield "</section>\n"


def _message(page: Page, index: int, number_: int, reasons: Sequence[Highlight], prefix: str) -> Iterator[str]:
    message, place = page.run.transcripts[index].messages[number_], f"T{index}B{number_}"
    unshown_of_message(message, place, page.lost, images=True)
    said = "".join(f" <span>{_ABOUT.get(what, '')}{esc(text)}</span>" for what, text in about(message))
    yield f'<article class="m role-{page.voice(index, message)}" id={prefix}{place}>\n<header><b>{message.role}</b>{said}'
    yield f'<a class=place href="#{prefix}{place}">{place}</a></header>\n'
    for why in reasons:
        yield f'<p class="why {_kind_of(why)}">{why.source}: {esc(one_line(why.reason, 200))}</p>\n'
    failed = any(why.source == "error" for why in reasons)
    rules = page.matching(reasons)
    yield from _pieces(message, _KEEP_OF_ERROR if failed else _KEEP, rules, partial(page.lost.of, place))
    if isinstance(message, AssistantMessage):
        for place_, call in enumerate(message.tool_calls or ()):
            yield from _call(call, rules)
            yield from _started(page, page.started(index, number_, place_), prefix)
    yield from _started(page, page.started(index, number_, -1), prefix)
    yield "</article>\n"


def _started(page: Page, transcripts: Iterable[int], prefix: str) -> Iterator[str]:
    """Links to the transcripts of sub-agents."""
    for index in transcripts:
        yield f'<p class=part>↳ <a href="#{prefix}T{index}">{esc(page.name_of(index))}</a></p>\n'


_ABOUT: Final = {"recipient": "to ", "reward": "reward "}


def _pieces(message: ChatMessage, keep: int, rules: Sequence[Rule], lose: Callable[[str, str], None]) -> Iterator[str]:
    mark = marker(rules, "text")
    if isinstance(message, ToolMessage):
        mark = marker(rules, "output", message.function or "")
    for part in message.parts:
        if isinstance(part, ReasoningPart):
            yield f"<div class=reasoning>{prose(part.readable, marker(rules, 'reasoning')) or 'hidden by the provider'}</div>\n"
        elif isinstance(part, ImagePart):
            try:
                yield _image(part)
            except ImageError as why:
                lose("images", "named, not shown")
                yield f"<p><code>{esc(one_line(stand_in(part), 400))}</code> {esc(why.sentence)}</p>\n"
        elif not isinstance(part, TextPart):
            yield f"<p><code>{esc(one_line(stand_in(part), 400))}</code></p>\n"
        elif message.role == "tool":
            yield f"{output(part.text, keep, mark)}\n"
        elif message.role == "system" and len(part.text) > _LONG:
            first = esc(one_line(part.text, 90))
            yield f"<details class=folded><summary>{first}</summary>{prose(part.text, mark)}</details>\n"
        else:
            yield f"{prose(part.text, mark)}\n"
    if isinstance(message, ToolMessage) and message.error:
        error = inline(as_json(message.error), marker(rules, "error", message.function or ""))
        yield f"<pre class=error>{error}</pre>\n"


def _image(part: ImagePart) -> str:
    """An image whose data are in the log, written anew. Raises ImageError for others, and for what is no picture (an SVG
    may hold scripts)."""
    if not part.image.startswith("data:"):
        raise ImageError("")
    header, size = look_at(part.image, None)
    if size > _MOST_OF_IMAGE:
        raise ImageError(f"larger than {_MOST_OF_IMAGE >> 20} MB")
    data = b64encode(bytes_of(part.image, None)).decode()
    form = f'alt="image" width={header.width} height={header.height} loading=lazy'
    return f'<p><img {form} src="data:image/{header.kind.lower()};base64,{data}"></p>\n'


def _call(call: ToolCall, rules: Sequence[Rule]) -> Iterator[str]:
    mark = marker(rules, "arguments", call.function)
    yield f"<div class=call><span class=fn>{inline(one_line(call.function, 80), mark)}</span>"
    if any(not isinstance(value, str) for value in call.arguments.values()) and len(as_json(call.arguments)) < 100:
        yield f"{output(as_json(call.arguments, None), _KEEP, mark)}"
    else:
        for key, value in call.arguments.items():
            yield f" <span class=arg>{esc(one_line(key, 60))}</span>"
            if len(call.arguments) > 1 and isinstance(value, str) and len(value) < _SHORT and "\n" not in value:
                yield f" <code>{inline(value, mark)}</code>"
                continue
            yield output(value if isinstance(value, str) else as_json(value), _KEEP, mark)
    if call.parse_error:
        said = inline(one_line(call.parse_error, 300), marker(rules, "error", call.function))
        yield f'<p class="why error">cannot be read: {said}</p>'
    yield "</div>\n"
