"""The line in which the list is filtered: it filters while it is typed, Enter keeps it, Escape clears it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.suggester import Suggester
from textual.widgets import Input, Static

from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.where.complete import Candidates
    from trajview.where.syntax import WhereError

__all__ = ["FilterBar"]

_BEFORE: Final = 3
"""Cells left of the text: a margin, and the sign with its space."""

_HINT: Final = "reward < 0.5   model ~ gpt   errors > 0   not annotated   sort:-units"
_MOST: Final = 30
"""Candidates that are listed, if there is room."""


class _Completes(Suggester):
    """Shows the likeliest candidate behind what is typed; `found_for` gives what can follow a text."""

    def __init__(self, found_for: Callable[[str], Candidates]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._found_for = found_for

    async def get_suggestion(self, value: str) -> str | None:
        found = self._found_for(value)
        if found and len(value) > found.start and found[0].lower() != value[found.start :].lower():
            return value[: found.start] + found[0]
        return None


class FilterBar(Vertical):
    """A filter on one line, with what it leaves at the right, and below it what is wrong or what can follow.

    Hidden until `start`. The owner calls `count` and `show_hint`.
    """

    DEFAULT_CSS = """
    FilterBar {
        height: auto;
        display: none;
        background: $surface;
        & > Horizontal { height: 1; padding: 0 1; }
        & #filter-sign { width: 2; color: $text-accent; text-style: bold; }
        & Input { width: 1fr; background: $surface; background-tint: transparent; }
        & Input:focus { background: $surface; background-tint: transparent; }
        & #filter-count { width: auto; max-width: 60%; padding-left: 2; color: $text-muted; }
        & > #filter-hint { height: 1; display: none; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis; }
        &.-typing > #filter-hint { display: block; }
        &.-open { display: block; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "keep", "keep", show=True, priority=True),
        Binding("escape", "clear", "clear", show=True),
        Binding("tab", "complete(1)", "complete", show=True, priority=True),
        Binding("shift+tab", "complete(-1)", show=False, priority=True),
        Binding("up", "step(-1)", show=False, priority=True),
        Binding("down", "step(1)", show=False, priority=True),
    ]

    def __init__(
        self,
        candidates: Callable[[str], Candidates],
        changed: Callable[[], object],
        left: Callable[[], object],
        step: Callable[[int], object],
    ) -> None:
        """
        Args:
            candidates: Gives what can follow a text.
            changed: Called when something else is in the field: `text`.
            left: Called when the person is done with the filter: it is kept, or it was cleared.
            step: Called to move the cursor of the list by some rows, without leaving the filter.
        """
        super().__init__()
        self._candidates, self._changed, self._left, self._step = candidates, changed, left, step
        self._wrong: WhereError | None = None
        self._found: tuple[str, Candidates] | None = None
        self._cycle: tuple[str, Candidates, int] | None = None
        self._box = Input(
            compact=True,
            placeholder="words of a name, file, format, agent or model; or:",
            suggester=_Completes(self.found_for),
            id="filter-input",
        )
        self._counts = Static("", id="filter-count")
        self._hint_line = Static("", id="filter-hint")

    def prepare(self) -> None:
        """Mount what the bar holds: after the first rows, which would wait 40 ms for it, or when it is asked for."""
        if self.is_attached and not self._box.is_attached:
            line = Horizontal()
            self.mount(line, self._hint_line)
            line.mount(Static("&", id="filter-sign"), self._box, self._counts)

    @property
    def text(self) -> str:
        """What is in the field."""
        return self._box.value

    @property
    def is_open(self) -> bool:
        """Whether the bar is on the screen, with the focus in it or not."""
        return self.has_class("-open")

    def start(self) -> None:
        """Show the bar and type in it; what was typed before is there."""
        self.prepare()
        self.add_class("-open")
        # `focus()` would come later, and what is typed meanwhile would be commands
        self.screen.set_focus(self._box)
        self.show_hint(self._wrong)

    def show(self, text: str) -> None:
        """Show the bar with a filter that holds already, and leave the focus where it is."""
        self.prepare()
        box = self._box
        with box.prevent(box.Changed):
            box.value = text
        self.add_class("-open")

    def count(self, text: str) -> None:
        """Say what the filter leaves: `3 of 42`."""
        self._counts.update(Content(text))

    def found_for(self, text: str) -> Candidates:
        """What can follow a text; looked for once."""
        if self._found is None or self._found[0] != text:
            self._found = text, self._candidates(text)
        return self._found[1]

    def learnt(self) -> None:
        """More can follow than before: show that, if somebody types."""
        self._found = None
        if self.has_class("-typing"):
            self.show_hint(self._wrong)

    # The line below

    def show_hint(self, wrong: WhereError | None, *, loudly: bool = False) -> None:
        """Show below the field what is wrong with it, or what can follow. What is only incomplete is shown `loudly` alone."""
        self._wrong = wrong
        text = self._box.value
        if wrong is not None and (loudly or not wrong.incomplete):
            hint = self._pointed(wrong)
        else:
            hint = (
                self._what_follows(text) if text.strip() else Content.styled(" " * _BEFORE + _HINT, "$foreground 50%")
            )
        self._hint_line.update(hint)

    def _pointed(self, wrong: WhereError) -> Content:
        """A caret below the place, and the sentence next to it, on the side that has room."""
        box = self._box
        column = _BEFORE + cell_len(wrong.text[: wrong.start]) - round(box.scroll_x)
        width = self.size.width or 80
        column = max(0, min(column, width - 2))
        sentence = one_line(wrong.said(), 300)
        if column + 3 + cell_len(sentence) > width and column > width // 2:
            short = sentence if cell_len(sentence) < column - 1 else one_line(wrong.sentence, max(8, column - 2))
            return Content.styled(f"{' ' * max(0, column - 1 - cell_len(short))}{short} ^", "$text-warning")
        return Content.styled(f"{' ' * column}^ {sentence}", "$text-warning")

    def _what_follows(self, text: str) -> Content:
        found = self.found_for(text)
        if not found:
            return Content.styled(" " * _BEFORE + one_line(found.about), "$foreground 50%")
        room = max(20, (self.size.width or 80) - _BEFORE - 2)
        parts: list[tuple[str, str]] = [(" " * _BEFORE, "$foreground 50%")]
        shown = _fitting(found, room)
        parts += [
            (f"{one_line(each, 40)}  ", "$text-accent" if i == 0 else "$foreground 50%") for i, each in enumerate(shown)
        ]
        if found.about and sum(cell_len(each) + 2 for each in shown) + cell_len(found.about) + 2 < room:
            parts.append((f" {one_line(found.about)}", "$foreground 50% italic"))
        return Content.assemble(*parts)

    # Keys

    def action_clear(self) -> None:
        """Clear the filter and go away."""
        box = self._box
        with box.prevent(box.Changed):
            box.value = ""
        self.remove_class("-open")
        self._changed()
        self._left()

    def action_keep(self) -> None:
        """Keep the filter and go back to the list; an empty one goes away, one that is wrong has to be mended first."""
        if self._wrong is not None:
            self.show_hint(self._wrong, loudly=True)
        elif self._box.value.strip():
            self._left()
        else:
            self.action_clear()

    def action_complete(self, step: int) -> None:
        """Put in what can stand here; once more, the next candidate."""
        box = self._box
        if self._cycle is not None and box.value == self._cycle[0] and box.cursor_at_end:
            before, found, index = self._cycle
            index = (index + step) % len(found)
        else:
            following, before, index = self.found_for(box.value), box.value, 0
            if not following or not box.cursor_at_end:
                return
            found = following
            if found[0].lower() == before[found.start :].lower() and len(found) > 1:
                index = step % len(found)
        text = before[: found.start] + found[index]
        self._cycle = text, found, index
        box.value = text
        box.cursor_position = len(text)

    def on_descendant_focus(self) -> None:
        self.add_class("-typing")

    def on_descendant_blur(self) -> None:
        self.remove_class("-typing")

    def action_step(self, rows: int) -> None:
        """Move the cursor of the list."""
        self._step(rows)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._changed()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()


def _fitting(found: Sequence[str], room: int) -> list[str]:
    """Fit as many candidates into a line as there is room for."""
    shown: list[str] = []
    for each in found[:_MOST]:
        room -= min(40, cell_len(each)) + 2
        if room < 0 and shown:
            break
        shown.append(each)
    return shown
