"""Settling an episode on the disagreement screen: the gold column, its draft, and the record that is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import OptionList, TextArea

from trajview.annotation.draft import Draft
from trajview.annotation.records import ChangedOnDisk
from trajview.annotation.rescue import rescue
from trajview.annotation.store import AnnotationStore, Opened, Saved
from trajview.app.agreement.comparing_annotators import Annotations
from trajview.app.agreement.settling import Settling, rubric_of_gold
from trajview.app.keys import key_of
from trajview.app.shared.screen import Ours
from trajview.errors import AnnotationError
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.annotation.disagreement import Disagreement
    from trajview.annotation.rubric import Rubric

__all__ = ["Settles"]

_PAUSE = 0.5
"""Seconds after the last key in which what was typed goes into the journal."""


class Settles(Ours, Screen[None]):
    """Actions of the gold column. For a screen that has a list, a sheet and a field for the reasons.

    The record is gold's, and so is its journal; in the annotator's own journal stands that it was this one who settled.
    """

    annotations: Annotations | None
    settlings: dict[str, Settling]
    said: str = ""
    """What just happened to the gold record."""
    _list: OptionList
    _sheet: Widget
    _why: TextArea
    _asked: set[str]
    """Episodes of which it was said that somebody else has changed the gold record."""
    _gold: AnnotationStore | None = None
    _timer: Timer | None = None

    class _Opened(Message):
        """What gold has said so far was read."""

        def __init__(self, episode: str, rubric: Rubric, opened: Opened) -> None:
            super().__init__()
            self.episode, self.rubric, self.opened = episode, rubric, opened

    class _Kept(Message):
        """A draft is in the journal."""

    class _Saved(Message):
        """The gold record is on disk."""

        def __init__(self, draft: Draft, saved: Saved) -> None:
            super().__init__()
            self.draft, self.saved = draft, saved

    class _Refused(Message):
        """It was not read, kept or saved."""

        def __init__(self, title: str, said: str, changed: str = "") -> None:
            super().__init__()
            self.title, self.said, self.changed = title, said, changed

    @property
    def gold(self) -> AnnotationStore:
        """Where gold's records are: the same store, under gold's name."""
        if self._gold is None:
            self._gold = AnnotationStore(self.trajview.settings.store, self.trajview.settings.gold)
        return self._gold

    @property
    def current(self) -> Disagreement | None:
        """The episode under the cursor."""
        raise NotImplementedError

    @property
    def settling(self) -> Settling | None:
        """What is typed for it."""
        raise NotImplementedError

    def show(self) -> None:
        """Bring everything up to date."""
        raise NotImplementedError

    # Opening

    def action_settle(self) -> None:
        """Into the gold column; what gold has said so far is read first."""
        found = self.current
        if found is None or self.annotations is None:
            return
        if found.hidden:
            self.notify(
                f"What is hidden from you cannot be settled. {key_of('agreement.reveal')} reveals it.",
                severity="warning",
                timeout=4,
                markup=False,
            )
        elif found.episode in self.settlings:
            self._sheet.focus()
        else:
            settings = self.trajview.settings
            rubric = rubric_of_gold(self.annotations.ratings, self.trajview.rubric, settings.reward_range)
            agents = max([1, *(row.agent + 1 for row in self.annotations.compare(found.episode).rows)])
            self._open_gold(found.episode, rubric, agents)

    @work(thread=True, exclusive=True, group="gold-open", exit_on_error=False)
    def _open_gold(self, episode: str, rubric: Rubric, agents: int) -> None:
        try:
            self.post_message(self._Opened(episode, rubric, self.gold.open(episode, rubric, agents)))
        except AnnotationError as error:
            self.post_message(self._Refused("The gold record was not read", str(error)))

    @on(_Opened)
    def _gold_opened(self, message: _Opened) -> None:
        message.stop()
        if self.annotations is None:
            return
        opened = message.opened
        comparison = self.annotations.compare(message.episode)
        self.settlings[message.episode] = Settling(
            comparison, message.rubric, opened.kept or opened.draft, opened.rewards, saved=opened.draft
        )
        self.said = "a draft that was not saved" if opened.kept else ""
        self.show()
        if self.current is not None and self.current.episode == message.episode:
            self._sheet.focus()

    def _show_why(self) -> None:
        """The reasons of the episode under the cursor in their field."""
        settling = self.settling
        if settling is not None and self._why.text != settling.reasoning:
            self._why.load_text(settling.reasoning)

    # Typing

    def on_sheet_typed(self, message: Message) -> None:
        """A digit, a sign, or a key that deletes one."""
        message.stop()
        settling = self.settling
        character = str(getattr(message, "character", ""))
        if settling is None:
            return
        if character in ("backspace", "delete"):
            settling.delete()
        else:
            settling.type(character)
        self._changed()

    @on(TextArea.Changed)
    def _why_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        settling = self.settling
        if settling is not None and settling.reasoning != event.text_area.text:
            settling.reasoning = event.text_area.text
            self._changed()

    def _changed(self) -> None:
        self.said = ""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_PAUSE, self._keep)
        self.show()

    def action_step(self, steps: int) -> None:
        """The score under the cursor up or down."""
        if self.settling is not None and self.screen.focused is self._sheet:
            self.settling.step(steps)
            self._changed()

    def action_middle(self) -> None:
        """The middle of what the annotators gave."""
        if self.settling is not None:
            self.settling.take_middle()
            self._changed()

    def action_fill(self) -> None:
        """The middle in every row that is still empty."""
        if self.settling is not None:
            self.settling.fill()
            self._changed()

    def action_part(self) -> None:
        """From the list to the scores, from there to the reasons, and back to the list."""
        focused = self.screen.focused
        if focused is self._list and self.settling is None:
            self.action_settle()
        elif focused is self._list:
            self._sheet.focus()
        elif focused is self._sheet and self.settling is not None:
            self._why.focus()
        else:
            self._list.focus()

    # Keeping and saving

    def keep_now(self) -> None:
        """Put what was typed into the journal before the screen is left."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
            self._keep()

    def on_unmount(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            drafts = self._drafts()
            try:
                for draft in drafts:
                    self.gold.journal.append("draft", draft)
            except AnnotationError as error:
                self.trajview.unsaid += (str(rescue(self.gold.journal, drafts) or error),)

    def _drafts(self) -> list[Draft]:
        return [settling.draft() for settling in self.settlings.values() if settling.dirty]

    def _keep(self) -> None:
        self._timer = None
        if drafts := self._drafts():
            self._keep_drafts(drafts)

    @work(thread=True, group="gold-keep", exit_on_error=False)
    def _keep_drafts(self, drafts: list[Draft]) -> None:
        try:
            for draft in drafts:
                self.gold.journal.append("draft", draft)
            self.post_message(self._Kept())
        except AnnotationError as error:
            self.post_message(self._Refused("The draft was not kept", str(error)))

    @on(_Kept)
    def _draft_kept(self, message: _Kept) -> None:
        message.stop()
        if self.settling is not None and self.settling.dirty:
            self.said = f"draft kept, {key_of('settle.save')} saves"
            self.show()

    def action_save(self) -> None:
        """Save the gold record, unless something in it is no score."""
        settling = self.settling
        if settling is None:
            return
        if settling.first_bad is not None:
            row, said = settling.first_bad
            settling.go(settling.rows.index(row))
            self._sheet.focus()
            self.notify(
                f"{one_line(row.dimension.label, 40)}: {said}", title="Not saved", severity="error", markup=False
            )
            self.show()
        elif settling.draft().empty:
            self.notify("There is nothing to save yet.", timeout=3)
        else:
            overwrite = settling.comparison.episode in self._asked
            self._asked.discard(settling.comparison.episode)
            self.said = "saving…"
            self.show()
            self._save_gold(settling, settling.draft(), overwrite)

    @work(thread=True, exclusive=True, group="gold-save", exit_on_error=False)
    def _save_gold(self, settling: Settling, draft: Draft, overwrite: bool) -> None:
        """First who settles, then the record: there is never one of which that is not known."""
        try:
            values = [{name: text for name, text in typed.items() if text} for typed in draft.values]
            self.trajview.store.journal.write(
                "settle", draft.episode, draft.rubric, gold=self.gold.annotator, values=values
            )
            saved = self.gold.submit(draft, settling.rubric, settling.base_rewards, overwrite=overwrite)
            self.post_message(self._Saved(draft, saved))
        except ChangedOnDisk as error:
            said = f"{error.sentence} {key_of('settle.save')} again replaces it."
            self.post_message(self._Refused("Not saved", said, draft.episode))
        except AnnotationError as error:
            self.post_message(self._Refused("Not saved", str(error)))

    @on(_Saved)
    def _gold_saved(self, message: _Saved) -> None:
        message.stop()
        settling = self.settlings.get(message.draft.episode)
        if settling is not None:
            settling.saved(message.draft, message.saved.version, message.saved.annotation.rewards)
        self.said = "saved ✓"
        self._load()
        self.show()

    @on(_Refused)
    def _was_refused(self, message: _Refused) -> None:
        message.stop()
        if message.changed:
            self._asked.add(message.changed)
        self.said = "not saved"
        self.notify(one_line(message.said, 400), title=message.title, severity="error", markup=False, timeout=8)
        self.show()

    def _load(self) -> object:
        """Read everything again."""
        raise NotImplementedError
