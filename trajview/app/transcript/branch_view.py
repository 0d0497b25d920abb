"""The transcripts of a run above its outline: groups, names, message counts, errors. A click or Enter opens one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from rich.cells import set_cell_size
from rich.style import Style
from rich.text import Text
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from trajview.app.keys import bindings_for
from trajview.app.shared.commands import HasCommands
from trajview.app.shared.styled import Styled
from trajview.models.branches import Branches, Node, tree_of
from trajview.models.run import AgentRun
from trajview.textsafe import one_line

__all__ = ["BranchView"]

DEEPEST = 8
"""Levels that are indented; what is deeper stands as far to the right."""


class BranchView(HasCommands, Styled, Tree[Node], inherit_bindings=False):
    """Shows the tree of a run's transcripts; posts `Picked`, and `Left` when its keys are not wanted."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("tree")]
    LOOKS: ClassVar[Mapping[str, str]] = {
        "group": "$foreground 55%", "words": "$foreground 75%", "here": "bold $text-primary",
        "cursor": "on $primary 25%", "count": "$foreground 40%", "error": "$error",
    }  # fmt: skip
    IN_ANSI: ClassVar[Mapping[str, str]] = {
        "cursor": "reverse",
    }  # fmt: skip
    DEFAULT_CSS = """
    BranchView {
        height: auto; max-height: 40%; padding-left: 1; border-bottom: solid $foreground 20%; display: none;
        background: $surface; overflow-x: hidden; scrollbar-size-vertical: 1;
        scrollbar-background: $surface; scrollbar-background-hover: $surface; scrollbar-background-active: $surface;
        scrollbar-color: $foreground 15%;
        &:focus { background-tint: transparent; }
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
        super().__init__("", id=id)
        self.show_root = self.show_guides = self.auto_expand = False
        self.guide_depth = 2
        self.index = 0
        """The transcript that is read."""
        self._run: AgentRun | None = None
        self._errors: Mapping[int, int] = {}
        self._by_key: dict[str, TreeNode[Node]] = {}
        self.commands = {
            "move.down": self.action_cursor_down,
            "move.up": self.action_cursor_up,
            "tree.fold": self._fold,
            "tree.unfold": self._unfold,
            "tree.open": self.action_select_cursor,
            "tree.leave": partial(self.post_message, self.Left()),
        }

    def show(self, run: AgentRun, branches: Branches, errors: Mapping[int, int], *, again: bool) -> None:
        """Show the transcripts of a run. A run of one transcript needs no tree.

        Args:
            errors: How many each transcript has, by its index.
            again: Whether this run was shown before: what is closed stays so.
        """
        closed = {key for key, node in self._by_key.items() if again and node.is_collapsed}
        self._run, self._errors, self._by_key = run, errors, {}
        self.display = len(run.transcripts) > 1
        self.clear()
        above = [self.root]
        for node in tree_of(run, branches):
            level = min(node.depth, DEEPEST)
            folds = node.parent and node.depth < DEEPEST
            added = above[level].add("", node, expand=node.key not in closed, allow_expand=folds)
            above[level + 1 :] = [added]
            self._by_key[node.key] = added

    def show_transcript(self, index: int) -> None:
        """Show which transcript is read, and put the cursor on it, opening what is above it."""
        before, self.index = self.index, index
        for changed in (before, index):
            if f"t{changed}" in self._by_key:
                self._by_key[f"t{changed}"].refresh()
        node = above = self._by_key[f"t{index}"]
        while above.parent is not None:
            above = above.parent
            if above.is_collapsed:
                above.expand()
        self.get_node_at_line(0)  # Textual numbers the lines when they are asked for.
        self.move_cursor(node)

    def render_label(self, node: TreeNode[Node], base_style: Style, style: Style) -> Text:  # noqa: ARG002 - Textual's
        """A line of the tree, as wide as there is room."""
        data = node.data
        if data is None:  # the root, which is not shown
            return Text()
        self._find_styles()
        styles = self._styles
        arrow = " " if not node.allow_expand else "▾" if node.is_expanded else "▸"
        sign = "✗" if data.transcript is not None and self._errors.get(data.transcript) else " "
        look = "group" if data.transcript is None else "here" if data.transcript == self.index else "words"
        width = self.scrollable_content_region.width - 2 * min(data.depth, DEEPEST)
        count = self._count(node, data)
        right = f" {count} " if count and width >= 20 else " "
        name = one_line(data.name or ("group" if data.transcript is None else f"transcript {data.transcript + 1}"), 200)
        words = set_cell_size(name, max(0, width - 4 - len(right)))
        toggles = Style(meta={"toggle": node.allow_expand})
        text = Text.assemble(
            (arrow, styles["count"] + toggles), (f"{sign} ", styles["error"] + toggles),
            (f"{words} ", styles[look]), (right, styles["count"]),
        )  # fmt: skip
        if self.has_focus and node is self.cursor_node:
            text.stylize(styles["cursor"])
        return text

    def get_label_width(self, node: TreeNode[Node]) -> int:  # noqa: ARG002 - Textual's
        """No line is wider than the tree; Textual would draw all of them to know."""
        return 0

    def _count(self, node: TreeNode[Node], data: Node) -> str:
        """How many messages a transcript has, and how many transcripts a closed group."""
        if data.transcript is not None and self._run is not None:
            return f"{len(self._run.transcripts[data.transcript].messages):,}"
        return f"{data.transcripts}" if node.is_collapsed else ""

    # -- keys and mouse ------------------------------------------------------------------------------------------------

    def _fold(self) -> None:
        """Close what is under the cursor; where nothing is open there, go to what it is in."""
        node = self.cursor_node
        if node is not None and node.allow_expand and node.is_expanded:
            node.collapse()
        elif node is not None and node.parent is not None and not node.parent.is_root:
            self.move_cursor(node.parent)

    def _unfold(self) -> None:
        """Open what is closed under the cursor; else go to the first in it."""
        node = self.cursor_node
        if node is not None and node.allow_expand:
            if node.is_expanded:
                self.action_cursor_down()
            else:
                node.expand()

    def on_tree_node_selected(self, event: Tree.NodeSelected[Node]) -> None:
        """Open the transcript under the cursor, or fold the group."""
        event.stop()
        data = event.node.data
        if data is not None and data.transcript is not None:
            self.post_message(self.Picked(data.transcript))
            self.post_message(self.Left())
        else:
            event.node.toggle()

    def on_click(self) -> None:
        self.post_message(self.Left())
