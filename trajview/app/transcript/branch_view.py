"""The transcripts of a run above its outline: groups, names, message counts, errors. A click or Enter opens one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from rich.cells import set_cell_size
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
from trajview.models.branches import Node
from trajview.textsafe import one_line

__all__ = ["BranchView"]

MOST_LINES = 12
DEEPEST = 8
"""Levels that are indented; what is deeper stands as far to the right."""


class BranchView(HasCommands, Styled, ScrollView, can_focus=True, inherit_bindings=False):
    """Shows a `BranchTree`, at most a third of the column high; posts `Picked`, and `Left` when its keys are not wanted."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("tree")]
    LOOKS: ClassVar[Mapping[str, str]] = {
        "group": "$foreground 55%", "words": "$foreground 75%", "here": "bold $text-primary",
        "cursor": "on $primary 25%", "count": "$foreground 40%", "error": "$error", "rule": "$foreground 20%",
    }  # fmt: skip
    IN_ANSI: ClassVar[Mapping[str, str]] = {
        "cursor": "reverse",
    }  # fmt: skip
    DEFAULT_CSS = """
    BranchView {
        height: auto; background: $surface; overflow-x: hidden; scrollbar-size-vertical: 1; display: none;
        scrollbar-background: $surface; scrollbar-background-hover: $surface; scrollbar-background-active: $surface;
        scrollbar-color: $foreground 15%;
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
        self.commands = {
            "move.down": partial(self._change, lambda tree: tree.go(tree.cursor + 1)),
            "move.up": partial(self._change, lambda tree: tree.go(tree.cursor - 1)),
            "tree.fold": partial(self._change, BranchTree.fold),
            "tree.unfold": partial(self._change, BranchTree.unfold),
            "tree.open": self._open,
            "tree.leave": self._leave,
        }

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
        top, height = self.scroll_offset.y, self.size.height
        if height and not top <= tree.cursor < top + height - 1:
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

    def _line(self, tree: BranchTree, line: int, width: int) -> Strip:
        node = tree.nodes[line]
        sign = "✗" if node.transcript is not None and tree.errors.get(node.transcript) else " "
        style = "group" if node.transcript is None else "here" if node.transcript == self.index else "words"
        count = _count(tree, node)
        right = f" {count} " if count and width >= 20 else " "
        lead = " " * (1 + 2 * min(node.depth, DEEPEST))
        words = set_cell_size(_name(node), max(0, width - len(lead) - 4 - len(right)))
        here = self._styles["cursor"] if self.has_focus and line == tree.cursor else Style.null()
        segments = [
            Segment(lead + _arrow(tree, node), self._style("count") + here),
            Segment(f"{sign} ", self._style("error") + here),
            Segment(f"{words} ", self._style(style) + here),
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

    def _change(self, change: Callable[[BranchTree], None]) -> None:
        if self.branch_tree is not None:
            change(self.branch_tree)
            self.changed()

    def _open(self) -> None:
        """Open the transcript under the cursor, or fold the group."""
        node = self.branch_tree.node if self.branch_tree is not None else None
        if node is not None and node.transcript is None:
            self._change(BranchTree.toggle)
        elif node is not None and node.transcript is not None:
            self.post_message(self.Picked(node.transcript))
            self.post_message(self.Left())

    def _leave(self) -> None:
        """Go back to the transcript."""
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
            self._change(BranchTree.toggle)
        else:
            self.post_message(self.Picked(node.transcript))
        self.post_message(self.Left())


def _arrow(tree: BranchTree, node: Node) -> str:
    if not node.parent:
        return " "
    return "▸" if node.key in tree.closed else "▾"


def _name(node: Node) -> str:
    default = "group" if node.transcript is None else f"transcript {node.transcript + 1}"
    return one_line(node.name or default, 200)


def _count(tree: BranchTree, node: Node) -> str:
    """How many messages a transcript has, and how many transcripts a closed group."""
    if node.transcript is not None:
        return f"{len(tree.run.transcripts[node.transcript].messages):,}"
    return f"{node.transcripts}" if node.key in tree.closed else ""
