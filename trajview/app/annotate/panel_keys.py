"""The keys of the annotation panel, and what each has its sheet do."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.binding import BindingType

from trajview.app.annotate.fields import RationaleText, ReasoningText
from trajview.app.annotate.panel_messages import PanelMessages
from trajview.app.annotate.score_sheet import ScoreSheet
from trajview.app.keys import bindings_for
from trajview.app.shared.commands import HasCommands

__all__ = ["PanelKeys"]


_OF_TABLE: Final = frozenset(f"annotation.{name}" for name in ("more", "less", "copy", "why", "guidance"))
"""Commands that are about the score at the cursor of the table."""


class PanelKeys(HasCommands, PanelMessages):
    """The part of the annotation panel that keys call.

    All of its keys have priority, and then wait until the field with the cursor has taken the keys before them.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("annotation")]

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._sheet = ScoreSheet()

    def save(self, advance: bool = False, sure: bool = False) -> None:
        """Submit the annotation."""
        raise NotImplementedError

    def _keep(self) -> None:
        raise NotImplementedError

    def _leave(self) -> None:
        raise NotImplementedError

    def can_do(self, id: str) -> bool:
        """Keys that move or change a score are the text's own where text is typed."""
        focused = self.screen.focused if self.is_attached else None
        if isinstance(focused, ReasoningText):
            return id not in _OF_TABLE | {"annotation.down", "annotation.on"}
        return not isinstance(focused, RationaleText) or id not in _OF_TABLE

    async def action_row(self, step: int) -> None:
        await self._sheet.settled()
        if not self._sheet.locked:
            self._sheet.row(step)

    async def action_column(self, step: int) -> None:
        await self._sheet.settled()
        if not self._sheet.locked:
            self._sheet.column(step)

    async def action_on(self) -> None:
        await self._sheet.settled()
        if not self._sheet.locked:
            self._sheet.on_with_it()

    async def action_step(self, direction: int) -> None:
        await self._sheet.settled()
        if not self._sheet.locked:
            self._sheet.grid.step(direction)
            self._sheet.table.changed()

    async def action_copy_column(self) -> None:
        await self._sheet.settled()
        if not self._sheet.locked:
            self._sheet.grid.copy_previous()
            self._sheet.table.changed()

    async def action_explain(self) -> None:
        await self._sheet.settled()
        if not self._sheet.locked:
            self._sheet.explain()

    def action_guidance(self) -> None:
        self._sheet.toggle_large()

    async def action_submit(self) -> None:
        await self._sheet.settled()
        self.save(advance=True)

    async def action_close(self) -> None:
        await self._sheet.settled()
        self._keep()
        self.screen.set_focus(None)  # At once: the keys after this one are the transcript's.
        self.post_message(self.CloseRequested())

    async def action_next_run(self, step: int) -> None:
        await self._sheet.settled()
        self._keep()
        self._leave()
        self.post_message(self.RunRequested(step))
