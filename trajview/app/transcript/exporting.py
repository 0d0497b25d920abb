"""Taking a run along from the transcript screen: written into a file, in the format that its name asks for."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message
from textual.timer import Timer
from textual.worker import get_current_worker

from trajview.app.annotate.citing import Citing
from trajview.app.keys import key_of
from trajview.app.shared.prompt import Prompt
from trajview.errors import Problem, TrajviewError
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.export.exported import Part
    from trajview.highlight import Rule
    from trajview.models.run import AgentRun

__all__ = ["Exporting"]

_ENDINGS = ".md .html .json .jsonl .adp.jsonl"
_FORMATS = ".md, .html, .json (Docent), .jsonl (OpenAI), .adp.jsonl (ADP)"
_EVERY = 0.2  # seconds from one look at how far the writing is to the next
_SAID_AT_ONCE = 4
"""Sentences on what is lost that a person is shown; `trajview export` lists them all."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is to be written: the run as it is shown, and the part of it that was selected."""

    run: AgentRun
    key: str
    part: Part | None
    path: Path | None = None


@dataclass(slots=True)
class _Writing:
    """What is being written, and the message that this has come to."""

    path: Path
    clock: Timer
    message: int = 0


class Exporting(Citing):
    """The action that writes the run, or the messages that the selection touches. The writing is done in a thread."""

    class _Written(Message):
        """The file was written, or not: then there is a problem, and `there` if it was that such a file is there."""

        def __init__(self, asked: _Asked, lost: list[str], problem: Problem | None, there: bool = False) -> None:
            super().__init__()
            self.asked, self.lost, self.problem, self.there = asked, lost, problem, there

    def __init__(self) -> None:
        super().__init__()
        self._to_export: _Asked | None = None
        self._writing: _Writing | None = None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What opens a field has priority, and is yet nobody's key but the transcript's."""
        if action == "export" and self.focused is not None and self.focused.id != "transcript":
            return False
        return super().check_action(action, parameters)

    def action_export(self) -> None:
        """Ask for the file to write into."""
        from trajview.export.exported import Part
        from trajview.export.new_file import name_for

        session, run = self.session, self.run
        if session is None or run is None:
            return
        quoted = self._selected(session) if session.messages else None
        part = None if quoted is None else Part(self.index, quoted.first, quoted.last)
        self._to_export = _Asked(run, self.info.key, part)
        self.app.clear_notifications()  # they would lie over the question
        self._ask_for_file(f"{name_for(self.info.id)}.md")

    def _ask_for_file(self, name: str) -> None:
        assert self._to_export is not None
        part = self._to_export.part
        what = "the run" if part is None else f"messages {part.first} to {part.last}"
        if part is not None and part.first == part.last:
            what = f"message {part.first}"
        self.prompt.ask("export", f"write {what} into", f"a file: {_ENDINGS}", name, select=len(name))

    @on(Prompt.Submitted)
    def _file_submitted(self, event: Prompt.Submitted) -> None:
        asked = self._to_export
        if event.kind not in ("export", "export over") or asked is None:
            return
        event.stop()
        from trajview.export.choice import format_of

        text = event.text.strip()
        if event.kind == "export over":
            if text.lower() in ("y", "yes") and asked.path is not None:
                self._write_file(asked, replace=True)
            else:
                self._brief("not written")
        elif not text:
            self._brief("not written")
        elif format_of(Path(text)) is None:
            self._toast(f"The ending says the format: {_FORMATS}.", error=True)
            self._ask_for_file(text)
        else:
            path = Path(text)
            with suppress(RuntimeError):  # `~nobody` is a name as any other
                path = path.expanduser()
            self._write_file(_Asked(asked.run, asked.key, asked.part, path), replace=False)

    def _write_file(self, asked: _Asked, *, replace: bool) -> None:
        assert asked.path is not None
        self._to_export = asked
        self._end_writing()
        self._writing = _Writing(asked.path, self.set_interval(_EVERY, self._say_status))
        self._say_status()
        self._export(asked, replace, self.trajview.rulebook.wanted, self._writing)

    def _end_writing(self) -> None:
        """Nothing is being written any more."""
        if self._writing is not None:
            self._writing.clock.stop()
            self._writing = None

    def stop_writing(self) -> bool:
        """Give up what is being written; False if nothing is."""
        if self._writing is None:
            return False
        self.workers.cancel_group(self, "export")
        self._end_writing()
        self._brief("not written: stopped")
        return True

    def _annotation_says(self) -> str:
        if self._writing is None:
            return super()._annotation_says()
        far = f" message {self._writing.message:,}" if self._writing.message else ""
        return f"writing {one_line(str(self._writing.path), 60)}…{far} ({key_of('back')} stops it)"

    @work(thread=True, exclusive=True, group="export", exit_on_error=False, description="export")
    def _export(self, asked: _Asked, replace: bool, rules: list[Rule], writing: _Writing) -> None:
        from trajview.export.annotated import Annotations
        from trajview.export.choice import exported, format_of
        from trajview.export.new_file import AlreadyThere, new_file
        from trajview.export.watched import Stopped, watched

        assert asked.path is not None
        format = format_of(asked.path)
        assert format is not None
        store = self.trajview.store
        problems: list[Problem] = []
        lost: list[str] = []
        worker = get_current_worker()

        def step(message: int) -> None:
            writing.message = message
            if worker.is_cancelled:
                raise Stopped

        try:
            with new_file(asked.path, replace=replace) as file:
                annotated = Annotations(store.root, store.annotator, problems.append).of(asked.key)
                found = exported(watched(asked.run, step), format, asked.part, annotated, rules)
                for piece in found.pieces:
                    file.write(piece.encode())
                step(0)
                lost = [*(str(problem) for problem in problems), *found.lost.sentences()]
        except Stopped:
            return
        except TrajviewError as error:
            self.post_message(self._Written(asked, [], error.problem(), isinstance(error, AlreadyThere)))
        else:
            self.post_message(self._Written(asked, lost, None))

    @on(_Written)
    def _take_written(self, message: _Written) -> None:
        message.stop()
        self._end_writing()
        path = one_line(str(message.asked.path), 200)
        if message.there:
            self._brief("")
            self._to_export = message.asked
            self.prompt.ask("export over", f"{one_line(str(message.asked.path), 40)} is there: replace it?", "y or n")
        elif message.problem is not None:
            self._brief("not written")
            self._toast(str(message.problem), error=True)
        else:
            self._brief(f"written to {path}")
            if message.lost:
                said = message.lost[:_SAID_AT_ONCE]
                more = len(message.lost) - len(said)
                lines = [*said, *([f"And {more} more, which `trajview export` lists."] if more else [])]
                self.notify(
                    "\n".join(one_line(line, 200) for line in lines),
                    title=f"written to {path}",
                    timeout=8,
                    markup=False,
                )
