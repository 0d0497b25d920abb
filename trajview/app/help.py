"""The keys of a screen, made from the key table."""

from __future__ import annotations

from textwrap import wrap
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from trajview.app.keys import Key, groups, keys_for, keys_of, shown
from trajview.app.shared.modal import ScrolledDialog

__all__ = ["HelpScreen"]

_TITLES = {
    "browser": "The list of runs",
    "transcript": "Reading a transcript",
    "annotation": "Annotating",
    "raw": "The raw record",
    "results": "What a search has found",
    "bookmarks": "All marks",
    "compare": "Comparing two runs",
    "agreement": "How far annotators agree",
    "disagreement": "Where annotators disagree",
}
_LEGEND = (
    ("✗", "$error", "error"),
    ("●", "$warning", "search hit or rule"),
    ("◆", "$warning", "named unit"),
    ("⚑", "$accent", "mark"),
    ("┆", "$foreground 50%", "reasoning"),
    ("▸", "$accent", "tool call"),
    ("↳", "$accent", "call of a sub-agent"),
)


_SAYS_AT, _SAYS = 16, 34
"""Where what a key does begins, and how many columns it has, as many as there are in the narrower of two columns."""


class HelpScreen(ScrolledDialog[None]):
    """Keys by group, in columns where there is room; `/` leaves those that a text is about. Any of q, ?, escape closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1", "leave", "close"),
        Binding("slash", "find", "find"),
        Binding("space,pagedown", "scroll(10)", "page down", show=False),
        Binding("b,pageup", "scroll(-10)", "page up", show=False),
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-one"), (116, "-two")]  # noqa: RUF012
    DEFAULT_CSS = """
    HelpScreen {
        align: center middle;
        & > VerticalScroll {
            width: 64; max-width: 96%; height: auto; max-height: 96%; background: $surface;
            border: round $foreground 20%; padding: 0 2; scrollbar-size-vertical: 1;
        }
        &.-two > VerticalScroll { width: 112; }
        & .columns { height: auto; }
        &.-two .columns { layout: grid; grid-size: 2; grid-columns: 1fr 1fr; grid-gutter: 0 4; grid-rows: auto; }
        & .column { height: auto; }
        &.-one .column { margin: 0 0 1 0; }
        & .title { text-style: bold; color: $text-primary; margin: 0 0 1 0; }
        & .title.-more { margin: 1 0 1 0; }
        & .hint { color: $foreground 50%; margin: 1 0 0 0; }
        & Input { display: none; margin: 0 0 1 0; background: $panel; }
        &.-finding Input { display: block; }
        &.-finding .more { display: none; }
    }
    """

    def __init__(self, screen: str) -> None:
        super().__init__()
        self._screen = screen

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            title = _TITLES.get(self._screen, "Keys")
            yield Static(Content.assemble(title, ("   / finds a key", "$foreground 50%")), classes="title")
            yield Input(placeholder="export, bookmark, diff, …", compact=True)
            with Vertical(classes="columns"):
                yield from (Static(found, classes="column keys") for found in self._columns(""))
            if self._screen == "browser":
                yield Static("The filter", classes="title -more more")
                with Vertical(classes="columns more"):
                    yield from (Static(found, classes="column") for found in _filter_text())
            if self._screen == "transcript":
                legend = [part for sign, style, says in _LEGEND for part in ((sign, style), f" {says}   ")]
                yield Static(Content.assemble(*legend), classes="hint more")
            yield Static("Every key can be changed in the configuration. Escape closes this.", classes="hint")

    def _columns(self, text: str) -> tuple[Content, Content]:
        """The keys that a text is about, in two columns; all for an empty text."""
        keys = keys_for(self._screen)
        if self._screen == "transcript":
            keys += [key for key in keys_for("tree") if key.group == "Transcripts"] + keys_for("annotation")
        if self._screen == "annotation":
            keys += keys_for("transcript")
        wanted = text.lower().split()
        keys = [key for key in keys if all(word in _words(key) for word in wanted)]
        blocks = list(groups(keys).items())
        half = _split(blocks)
        return _keys_text(blocks[:half]) if keys else Content("No key does that."), _keys_text(blocks[half:])

    def action_find(self) -> None:
        """Ask what to look for."""
        self.add_class("-finding")
        self.query_one(Input).focus()

    def action_leave(self) -> None:
        """Show all keys again, or close."""
        if not self.has_class("-finding"):
            self.dismiss(None)
            return
        self.remove_class("-finding")
        self.query_one(Input).value = ""
        self.query_one(VerticalScroll).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        for column, found in zip(self.query(".keys").results(Static), self._columns(event.value), strict=True):
            column.update(found)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one(VerticalScroll).focus()


def _words(key: Key) -> str:
    """What a key is found by."""
    return f"{shown(keys_of(key))} {key.says} {key.words} {key.group}".lower()


def _split(blocks: list[tuple[str, list[Key]]]) -> int:
    """Where to begin the second column, so that both are about as long."""
    sizes = [len(keys) + 2 for _, keys in blocks]
    return min(range(1, max(2, len(blocks) + 1)), key=lambda cut: abs(sum(sizes[:cut]) - sum(sizes[cut:])))


def _keys_text(blocks: list[tuple[str, list[Key]]]) -> Content:
    parts: list[str | tuple[str, str]] = []
    for name, keys in blocks:
        parts.append((f"{name}\n", "bold $accent"))
        for key in keys:
            pressed = f"  {shown(keys_of(key))}"
            if len(pressed) >= _SAYS_AT:
                pressed += "\n" + " " * _SAYS_AT
            parts.append((f"{pressed:<{_SAYS_AT}}", "$text-primary"))
            parts.append(("\n" + " " * _SAYS_AT).join(wrap(key.says, _SAYS)) + "\n")
        parts.append("\n")
    return Content.assemble(*parts).rstrip()


def _filter_text() -> tuple[Content, Content]:
    """Examples of a filter, and the fields."""
    from trajview.where.explain import EXAMPLES
    from trajview.where.fields import FIELDS

    examples = [part for text, says in EXAMPLES for part in ((f"  {text}\n", "$text-primary"), f"    {says}\n")]
    fields = [part for field in FIELDS for part in ((f"  {field.name:<12}", "$text-primary"), f" {field.says}\n")]
    return (
        Content.assemble(("Examples\n", "bold $accent"), *examples).rstrip(),
        Content.assemble(("Fields\n", "bold $accent"), *fields).rstrip(),
    )
