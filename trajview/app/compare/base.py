"""What all parts of the comparison's screen share: its widgets, what is compared, and what is said of it."""

from __future__ import annotations

from typing import Final

from textual.widgets import Static

from trajview.app.compare.comparison import GUTTER
from trajview.app.compare.head import head_said
from trajview.app.compare.search import SearchedComparison
from trajview.app.compare.view import CompareMap, CompareView
from trajview.app.shared.prompt import Prompt
from trajview.app.shared.selecting import Selecting
from trajview.app.shared.status_line import StatusLine
from trajview.app.transcript.search import SearchHits
from trajview.compare.alignment import Kind
from trajview.compare.facts import Fact
from trajview.corpus.info import RunInfo
from trajview.textsafe import one_line

__all__ = ["CompareBase"]

_FEW: Final = 5
"""Facts that are shown unasked, where the screen is high enough."""
_LOW: Final = 30
"""Rows of a screen that has room for no more than two."""

_NAMES: Final = {
    Kind.SAME: "the same", Kind.CHANGED: "changed", Kind.OTHER: "other", Kind.LEFT: "only left", Kind.RIGHT: "only right",
}  # fmt: skip


class CompareBase(Selecting):
    """State and sentences of the comparison's screen. The screen itself sets the widgets when it is mounted."""

    view: CompareView
    minimap: CompareMap
    head: Static
    prompt: Prompt
    status: StatusLine

    def __init__(self, left: RunInfo, right: RunInfo) -> None:
        super().__init__()
        self.infos = left, right
        self.facts: list[Fact] = []
        self.all_facts = False
        self.comparison: SearchedComparison | None = None
        self._brief = ""
        self._side = 0
        """The chosen side, as the screen shows it."""
        self.index = 0
        """Which transcript of each run is compared."""
        self._count = 1
        """How many transcripts there are to compare."""

    # -- what is said --------------------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        self._show_head()

    def _names(self) -> list[str]:
        return [one_line(info.name or info.id, 200) for info in self.infos]

    def _show_head(self) -> None:
        """The runs' names above their sides, and below them what is known of both and differs."""
        facts, left_out = self._facts_shown()
        sides = self.comparison is None or self.comparison.sides
        chosen = self.comparison.side if self.comparison is not None else 0
        widths = self._side_widths(self.size.width) if sides else (self.size.width - 4,) * 2
        self.head.update(head_said(self._names(), facts, left_out, widths, chosen, sides=sides))

    def _side_widths(self, width: int) -> tuple[int, int]:
        if self.comparison is not None and self.view.size.width:
            return self.comparison.side_widths
        side = max(10, (width - GUTTER - 6) // 2)
        return side, side

    def _facts_shown(self) -> tuple[list[Fact], int]:
        most = _FEW if self.size.height >= _LOW else 2
        if self.all_facts:
            most = max(most, self.size.height // 2)
        if len(self.facts) <= most + 1:
            return self.facts, 0
        return self.facts[:most], len(self.facts) - most

    def _follow(self) -> None:
        """The cursor has moved."""
        self.minimap.follow()
        comparison = self.comparison
        if comparison is None:
            return
        if comparison.side != self._side:
            self._side_changed()
        if comparison.waiting:
            self._pair_later(comparison, comparison.waiting.pop(), comparison.arranged)
        if not comparison.count:
            self.status.say(["neither of the transcripts has messages"])
            return
        found = comparison.found
        row = found.units[comparison.unit_row]
        units = " | ".join("–" if unit is None else str(unit) for unit in row[:2])
        said = [f"unit {units}" if row.left != row.right else f"unit {row.left}"]
        if comparison.search is not None:
            said.append(_search_said(comparison, comparison.search))
        stops = len(comparison.stops)
        if not stops:
            said.append("both say the same")
        else:
            said.append(f"difference {comparison.difference}/{stops}")
            prefix = comparison.prefix
            said.append(
                f"the first {prefix:,} unit{'s' * (prefix != 1)} the same" if prefix else "different from the start"
            )
            said += [
                f"{count:,} {name}"
                for kind, name in _NAMES.items()
                if (count := comparison.counts[kind]) and not (kind is Kind.SAME and count == prefix)
            ]
        if self._count > 1:
            said.insert(0, f"transcript {self.index + 1}/{self._count}")
        self.status.say(said, self._brief, "$accent")

    def _side_changed(self) -> None:
        """Another side is chosen, with a key or the mouse."""
        assert self.comparison is not None
        self._side = self.comparison.side
        self._show_head()

    def _pair_later(self, comparison: SearchedComparison, index: int, arranged: int) -> None:
        """Pair the lines of large messages in a thread."""
        raise NotImplementedError

    def on_key(self) -> None:
        # Before what the key does: that may say something itself.
        self._brief = ""

    def _say(self, text: str) -> None:
        self._brief = text
        self._follow()


def _search_said(comparison: SearchedComparison, hits: SearchHits) -> str:
    side = ("left", "right")[comparison.searched]
    if not hits.total:
        return f"“{one_line(hits.text, 24)}” not found at the {side}"
    count = f"{hits.total:,}" if hits.done else "…"
    return f"“{one_line(hits.text, 24)}” {comparison.hit_number:,}/{count} at the {side}"
