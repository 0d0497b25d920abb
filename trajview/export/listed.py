"""The list of what stands out on a page: errors together, each rule's matches together, with a few words of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trajview.highlight import Highlight
from trajview.textsafe import one_line

from .marks import colour_class
from .page import Page
from .prose import esc

__all__ = ["kind_of", "listed_highlights"]

_GROUPS: Final = {
    "error": "errors",
    "rule": "",
    "mark": "marks",
    "citation": "citations",
    "unit": "units",
    "search": "found",
}
"""What the highlights of a source are called; a rule has a name."""
_OPEN: Final = 10
"""Highlights up to which a group is open at first."""


def kind_of(highlight: Highlight) -> str:
    """The classes of a highlight; `unit` names something else in the style."""
    if highlight.source == "rule":
        return f"rule {colour_class(highlight.colour)}"
    return "unit-hl" if highlight.source in ("unit", "search") else highlight.source


def listed_highlights(page: Page, prefix: str) -> Iterator[str]:
    """What stands out, in groups with their counts; `prefix` begins the names of places on the page."""
    groups: dict[tuple[str, str], list[tuple[int, int, Highlight]]] = {}
    for found in page.highlights:
        why = found[2]
        groups.setdefault((why.source, why.reason if why.source == "rule" else ""), []).append(found)
    if not groups:
        return
    yield "<h2>Highlights</h2>\n"
    for source, name in sorted(groups, key=lambda group: list(_GROUPS).index(group[0])):
        members = groups[source, name]
        kind, called = kind_of(members[0][2]), esc(one_line(name or _GROUPS[source], 80))
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
    """A few words of a highlight as HTML, and the same as an attribute has it."""
    found = page.excerpt(index, message, why)
    if found is None:
        said = esc(one_line(why.reason, 80))
        return said, said
    before, matched, after = (esc(text.replace("\n", " ")) for text in found)
    return f'{before}<mark class="{colour_class(why.colour)}">{matched}</mark>{after}', f"{before}{matched}{after}"
