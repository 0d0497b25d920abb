"""The transcripts of a run as a tree to walk in, without Textual: its lines, the cursor, and what is closed."""

from __future__ import annotations

from trajview.models.branches import Branches, Node, tree_of
from trajview.models.run import AgentRun

__all__ = ["BranchTree"]


class BranchTree:
    """Groups and transcripts, one a line. The cursor is on a line; `errors` says how many each transcript has, once known."""

    def __init__(self, run: AgentRun, branches: Branches | None = None) -> None:
        self.run = run
        self.branches = branches or Branches()
        self.closed: set[str] = set()
        self.errors: dict[int, int] = {}
        self.cursor = 0
        self.nodes: list[Node] = tree_of(run, self.branches)
        self.revision = 0
        """Changes with what is shown."""

    def learn(self, branches: Branches, errors: dict[int, int]) -> None:
        """Take what was found in the messages: the cursor stays on its line."""
        self.branches, self.errors = branches, errors
        self._rebuild()

    def _rebuild(self) -> None:
        key = self.node.key if self.node else ""
        self.nodes = tree_of(self.run, self.branches, self.closed)
        self.cursor = next((line for line, node in enumerate(self.nodes) if node.key == key), 0)
        self.revision += 1

    @property
    def node(self) -> Node | None:
        """What is under the cursor."""
        return self.nodes[self.cursor] if self.nodes else None

    def line_of(self, transcript: int) -> int | None:
        """The line of a transcript; None where something above it is closed."""
        return next((line for line, node in enumerate(self.nodes) if node.transcript == transcript), None)

    def reveal(self, transcript: int) -> None:
        """Put the cursor on a transcript, opening what is above it."""
        if self.line_of(transcript) is None and self.closed:
            every = tree_of(self.run, self.branches)
            line = next(number for number, node in enumerate(every) if node.transcript == transcript)
            depth = every[line].depth
            for node in reversed(every[:line]):
                if node.depth < depth:
                    depth = node.depth
                    self.closed.discard(node.key)
            self._rebuild()
        self.go(self.line_of(transcript) or 0)

    def go(self, line: int) -> None:
        """The cursor, to a line."""
        self.cursor = max(0, min(line, len(self.nodes) - 1))

    def toggle(self) -> None:
        """Close what is under the cursor, or open it."""
        if self.node and self.node.parent:
            self.closed ^= {self.node.key}
            self._rebuild()

    def fold(self) -> None:
        """Close what is under the cursor; where nothing is open there, go to what it is in."""
        node = self.node
        if node is None:
            return
        if node.parent and node.key not in self.closed:
            self.toggle()
            return
        above = (line for line in range(self.cursor - 1, -1, -1) if self.nodes[line].depth < node.depth)
        self.go(next(above, self.cursor))

    def unfold(self) -> None:
        """Open what is closed under the cursor; else go to the first in it."""
        node = self.node
        if node is None or not node.parent:
            return
        if node.key in self.closed:
            self.toggle()
        else:
            self.go(self.cursor + 1)
