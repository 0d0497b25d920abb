"""The transcripts of a run above its outline: groups, names, message counts, errors. A click or Enter opens one."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from trajview.app.keys import bindings_for
from trajview.app.shared.commands import HasCommands
from trajview.app.shared.styled import Styled
from trajview.app.transcript.branch_tree import BranchTree
from trajview.textsafe import one_line

__all__ = ["BranchView"]

MOST_LINES = 12
DEEPEST = 8
"""Levels that are indented; what is deeper stands as far to the right."""

_STYLES = ("group", "words", "here", "cursor", "count", "error", "rule")


class BranchView(HasCommands, Styled, ScrollView, can_focus=True, inherit_bindings=False):
    """Shows a `BranchTree`, at most a third of the column high; posts `Picked`, and `Left` when its keys are not wanted."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("tree")]
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"branches--{name}" for name in _STYLES}
    DEFAULT_CSS = """
    BranchView {
        height: auto; background: $surface; overflow-x: hidden; scrollbar-size-vertical: 1; display: none;
        scrollbar-background: $surface; scrollbar-background-hover: $surface; scrollbar-background-active: $surface;
        scrollbar-color: $foreground 15%;
        & > .branches--group { color: $foreground 55%; }
        & > .branches--words { color: $foreground 75%; }
        & > .branches--here { color: $text-primary; text-style: bold; }
        & > .branches--cursor { background: $primary 25%; }
        & > .branches--count { color: $foreground 40%; }
        & > .branches--error { color: $error; }
        & > .branches--rule { color: $foreground 20%; }
        &:ansi > .branches--cursor { background: ansi_default; text-style: reverse; }
    }
    """

    class Picked(Message):
        """A transcript was chosen."""

        def __init__(self, transcript: int) -> None:
            super().__init__()
            self.transcript = transcript

    class Left(Message):
        """The keys go back to the transcript."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.branch_tree: BranchTree | None = None
        self.index = 0
        """The transcript that is read."""

    def show(self, tree: BranchTree, index: int) -> None:
        """Show the transcripts of a run, one of which is read. A run of one transcript needs no tree."""
        self.branch_tree, self.index = tree, index
        tree.reveal(index)
        self.display = len(tree.run.transcripts) > 1
        self.changed()

    def changed(self) -> None:
        """The tree has other lines, or says something else in them."""
        tree = self.branch_tree
        if tree is None:
            return
        lines = len(tree.nodes)
        self.styles.height = min(lines, MOST_LINES) + 1
        self.styles.max_height = "40%"
        self.virtual_size = Size(self.size.width, lines + 1)
        self._into_view()
        self.refresh(layout=True)

    def _into_view(self) -> None:
        tree, height = self.branch_tree, self.size.height
        if tree is not None and height:
            top = self.scroll_offset.y
            if not top <= tree.cursor < top + height - 1:
                self.scroll_to(y=max(0, tree.cursor - height // 2), animate=False)
        self.refresh()

    # -- rendering -----------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        self._find_styles()
        width = self.scrollable_content_region.width
        tree, line = self.branch_tree, self.scroll_offset.y + y
        if tree is None or line > len(tree.nodes):
            return Strip.blank(width, self._base)
        if line == len(tree.nodes):
            return Strip([Segment(" " + "─" * max(0, width - 2) + " ", self._style("rule"))]).adjust_cell_length(width)
        return self._line(tree, line, width)

    def _style(self, name: str) -> Style:
        return self._base + self._styles[f"branches--{name}"]

    def _line(self, tree: BranchTree, line: int, width: int) -> Strip:
        node = tree.nodes[line]
        closed = node.key in tree.closed
        arrow = ("▸" if closed else "▾") if node.parent else " "
        errors, count = 0, ""
        if node.transcript is None:
            name = one_line(node.name or "group", 200)
            count = f"{node.transcripts}" if closed else ""
            style = self._style("group")
        else:
            name = one_line(node.name or f"transcript {node.transcript + 1}", 200)
            errors = tree.errors.get(node.transcript, 0)
            count = f"{len(tree.run.transcripts[node.transcript].messages):,}"
            style = self._style("here" if node.transcript == self.index else "words")
        right = f" {count} " if count and width >= 20 else " "
        lead = " " * (1 + 2 * min(node.depth, DEEPEST))
        sign = "✗" if errors else " "
        words = set_cell_size(name, max(0, width - cell_len(lead) - 4 - cell_len(right)))
        here = self._styles["branches--cursor"] if self.has_focus and line == tree.cursor else Style.null()
        segments = [
            Segment(lead + arrow, self._style("count") + here),
            Segment(f"{sign} ", self._style("error") + here),
            Segment(f"{words} ", style + here),
            Segment(right, self._style("count") + here),
        ]
        return Strip(segments).adjust_cell_length(width, self._base + here)

    # -- keys and mouse ------------------------------------------------------------------------------------------------

    def on_focus(self) -> None:
        if self.branch_tree is not None:
            self.branch_tree.reveal(self.index)
            self.changed()

    def on_blur(self) -> None:
        self.refresh()

    def action_line(self, step: int) -> None:
        """The cursor, a line down or up."""
        if self.branch_tree is not None:
            self.branch_tree.go(self.branch_tree.cursor + step)
            self._into_view()

    def action_tree_fold(self) -> None:
        """Close the group or what a transcript started."""
        if self.branch_tree is not None:
            self.branch_tree.fold()
            self.changed()

    def action_tree_unfold(self) -> None:
        """Open it."""
        if self.branch_tree is not None:
            self.branch_tree.unfold()
            self.changed()

    def action_tree_open(self) -> None:
        """Open the transcript under the cursor, or fold the group."""
        tree = self.branch_tree
        if tree is None or tree.node is None:
            return
        if tree.node.transcript is None:
            tree.toggle()
            self.changed()
        else:
            self.post_message(self.Picked(tree.node.transcript))
            self.post_message(self.Left())

    def action_tree_leave(self) -> None:
        """Back to the transcript."""
        self.post_message(self.Left())

    def on_click(self, event: events.Click) -> None:
        offset, tree = event.get_content_offset(self), self.branch_tree
        if offset is None or tree is None:
            return
        line = self.scroll_offset.y + offset.y
        if line >= len(tree.nodes):
            self.post_message(self.Left())
            return
        tree.go(line)
        node = tree.nodes[line]
        if node.transcript is None or (node.parent and offset.x <= 2 + 2 * min(node.depth, DEEPEST)):
            tree.toggle()
            self.changed()
        else:
            self.post_message(self.Picked(node.transcript))
        self.post_message(self.Left())
