"""The panel of highlights: every source and rule with its count, switched with space; rules are made and saved here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from trajview.app.shared.cells import fit
from trajview.app.shared.modal import Dialog
from trajview.app.shared.row_styles import colour_of
from trajview.app.transcript.highlighter import Highlighter, Row
from trajview.app.transcript.highlights import rule_key
from trajview.app.transcript.rulebook import CONFIG, rule_from
from trajview.errors import TrajviewError
from trajview.patterns.safe import slow_because
from trajview.rules.built_in import BUILT_IN
from trajview.rules.project import PROJECT_FILE
from trajview.textsafe import one_line

__all__ = ["SourcesScreen"]

_HINT = "space on/off · c colour · a add · r rename · S save · d remove · ⏎ done"
_KEPT = (BUILT_IN, PROJECT_FILE, CONFIG)
"""From where rules come of which it can be kept that they are on or off, and their colour."""


class _Rows(OptionList):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "down", show=False),
        Binding("k", "cursor_up", "up", show=False),
    ]


class SourcesScreen(Dialog[None]):
    """Shows what a `Highlighter` has, and changes it: everything takes effect at once. There is nothing to give back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "close", priority=True),
        Binding("enter", "done", "done", priority=True),
        Binding("q,ampersand", "dismiss", "close", show=False),
        Binding("space", "switch", "on/off"),
        Binding("a", "add", "add"),
        Binding("r", "rename", "rename"),
        Binding("S", "save", "save"),
        Binding("d,delete", "remove", "remove"),
        Binding("p", "save_to('project')", "project", show=False),
        Binding("c", "colour", "colour"),
    ]
    DEFAULT_CSS = """
    SourcesScreen {
        align: center middle;
        & > Vertical {
            width: 76; max-width: 96%; height: auto; max-height: 90%; background: $surface; border: round $foreground 20%;
            padding: 0 1;
        }
        & .title { text-style: bold; }
        & OptionList { height: auto; max-height: 18; border: none; background: $surface; padding: 0; }
        & OptionList:focus { border: none; background-tint: $background 0%; }
        & OptionList > .option-list--option-highlighted,
        & OptionList:focus > .option-list--option-highlighted {
            background: $primary 25%; color: $foreground; text-style: bold;
        }
        &:ansi OptionList > .option-list--option-highlighted,
        &:ansi OptionList:focus > .option-list--option-highlighted {
            background: ansi_default; text-style: bold reverse;
        }
        & Input { display: none; border: none; height: 1; padding: 0; background: $panel; margin: 1 0 0 0; }
        & Input:focus, &:ansi Input, &:ansi Input:focus { border: none; }
        & Input.-asking { display: block; }
        & #said { color: $foreground 60%; margin: 1 0 0 0; height: auto; }
        & #said.-wrong { color: $error; }
        & #keys { color: $foreground 50%; height: auto; }
    }
    """

    def __init__(self, highlighter: Highlighter) -> None:
        super().__init__()
        self._highlighter, self._book = highlighter, highlighter.book
        self.shown: list[Row] = []
        """The rows as they are shown."""
        self._asking = ""
        self._saving = ""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("Highlights", classes="title")
            yield _Rows(markup=False)
            yield Input(compact=True)
            yield Static("", id="said", markup=False)
            yield Static(_HINT, id="keys", markup=False)

    def on_mount(self) -> None:
        self.refresh_rows()
        self.set_interval(0.2, self.refresh_rows)

    # -- rows ----------------------------------------------------------------------------------------------------------

    def refresh_rows(self) -> None:
        """Show the rows as they are now, the cursor on the row where it is."""
        rows = list(self._highlighter.rows())
        if rows == self.shown:
            return
        options, here = self.query_one(OptionList), self._key
        same = [row.key for row in rows] == [row.key for row in self.shown]
        self.shown = rows
        prompts = list(map(self._prompt, rows))
        if same:
            for number, prompt in enumerate(prompts):
                options.replace_option_prompt_at_index(number, prompt)
        else:
            options.clear_options().add_options(prompts)
            self.go(here)

    def go(self, key: str) -> None:
        """Put the cursor on a row, the first where there is none of that key."""
        keys = [row.key for row in self.shown]
        if keys:
            self.query_one(OptionList).highlighted = keys.index(key) if key in keys else 0

    @property
    def _row(self) -> Row | None:
        """The row under the cursor."""
        number = self.query_one(OptionList).highlighted
        return self.shown[number] if number is not None and number < len(self.shown) else None

    @property
    def _key(self) -> str:
        return self._row.key if self._row is not None else ""

    def _prompt(self, row: Row) -> Content:
        count = "…" if row.count is None else f"{row.count:,}"
        label = fit(one_line(row.label, 60), 40 if self.app.size.width >= 76 else 24)
        sign = ("● ", colour_of(row.colour)) if row.on else ("○ ", "$foreground 40%")
        return Content.assemble(
            sign, (label, "" if row.on else "$foreground 55%"), (f"{count:>9}", "" if row.count else "$foreground 40%"),
            (f"  {one_line(row.origin, 16)}", "$foreground 45%"),
        )  # fmt: skip

    # -- keys ----------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """`p` and `c` answer one question only."""
        if action == "save_to":
            return bool(self._saving)
        return super().check_action(action, parameters)

    def _say(self, text: str, *, wrong: bool = False) -> None:
        said = self.query_one("#said", Static)
        said.set_class(wrong, "-wrong")
        said.update(text)

    def action_switch(self) -> None:
        """The row under the cursor on or off."""
        if self._key:
            self._highlighter.switch(self._key)
            self.refresh_rows()
            self._say_kept()

    def _say_kept(self) -> None:
        row = self._row
        self._say("S keeps it so for the next time" if row is not None and row.origin in _KEPT else "")

    def action_colour(self) -> None:
        """The next colour for the rule under the cursor; where it is asked where to save, the configuration."""
        if self._saving:
            self.action_save_to("config")
        elif self._row is not None and self._row.origin and self._book.recolour(self._row.label):
            self._rules_changed()
            self._say_kept()
        else:
            self._say("only rules have a colour of their own", wrong=True)

    def _rules_changed(self) -> None:
        self._highlighter.rules_changed()
        self.refresh_rows()

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_switch()

    def action_leave(self) -> None:
        """Leave the line that is typed, the question, or the panel."""
        if self._asking or self._saving:
            self._ask_no_more()
        else:
            self.dismiss()

    def action_done(self) -> None:
        """Take what is typed, or close the panel."""
        if self._asking:
            self._take(self.query_one(Input).value)
        else:
            self.dismiss()

    def action_add(self) -> None:
        """Type the pattern of a new rule."""
        self._ask("add", "a regular expression, such as: role:tool tool:bash in:output not found")

    def action_rename(self) -> None:
        """Type another name for the rule under the cursor."""
        row = self._row
        if row is None or row.origin != "session":
            self._say("only rules that were made here have another name; in a file, change it there", wrong=True)
            return
        self._ask("rename", "another name", row.label)

    def _ask(self, what: str, placeholder: str, value: str = "") -> None:
        self._asking, self._saving = what, ""
        line = self.query_one(Input)
        line.placeholder, line.value = placeholder, value
        line.add_class("-asking")
        line.focus()
        self._say("")

    def _ask_no_more(self, text: str = "") -> None:
        self._asking = self._saving = ""
        self.query_one(Input).remove_class("-asking")
        self.query_one(OptionList).focus()
        self._say(text)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self._asking == "add" and event.value:
            try:
                slow = slow_because(rule_from(event.value).pattern.pattern)
                self._say(f"this may take very long: {slow}" if slow else "enter adds it", wrong=bool(slow))
            except TrajviewError as error:
                self._say(one_line(error.sentence, 200), wrong=True)

    def _take(self, text: str) -> None:
        """Add or rename a rule as it is typed."""
        if not text:
            self._ask_no_more()
            return
        if self._asking == "add":
            try:
                rule = self._highlighter.add(text)
            except TrajviewError as error:
                self._say(one_line(error.sentence, 200), wrong=True)
                return
            said = "S saves it; r gives it a name"
        else:
            renamed = self._book.rename(self._key.removeprefix("rule:"), one_line(text, 60).strip())
            if renamed is None:
                self._say("there is a rule of that name", wrong=True)
                return
            rule, said = renamed, ""
        self._ask_no_more(said)
        self._rules_changed()
        self.go(rule_key(rule.name))

    def action_remove(self) -> None:
        """Forget the rule under the cursor, if it was made here."""
        row = self._row
        if row is not None and row.origin and self._book.remove(row.label):
            self._rules_changed()
            self._say("")
        else:
            self._say("only rules that were made here can be removed; space switches the others off", wrong=True)

    def action_save(self) -> None:
        """Save how the rule under the cursor is: in its file, or ask which file that shall be."""
        row = self._row
        if row is None or not row.origin:
            self._say("this is no rule: only rules are saved", wrong=True)
            return
        if row.origin in (PROJECT_FILE, CONFIG):
            self._save(lambda: self._book.keep(row.label))
            return
        self._saving = row.label
        places = self._book.places()
        self._say(
            f"save to:  p {one_line(str(places['project']), 200)}\n          c {one_line(str(places['config']), 200)}"
        )

    def action_save_to(self, place: str) -> None:
        """Save it."""
        rule, self._saving = self._saving, ""
        if self._save(lambda: self._book.save(rule, place)):
            first = self._book.overruling(rule, place)
            if first is not None:
                self._say(
                    f"saved, but the rule in {one_line(str(first), 200)} comes first: save it there (c)", wrong=True
                )

    def _save(self, save: Callable[[], Path]) -> bool:
        try:
            path = save()
        except TrajviewError as error:
            self._say(one_line(str(error.problem()), 300), wrong=True)
            return False
        self.refresh_rows()
        self._say(f"saved to {one_line(str(path), 200)}")
        return True
