"""Taking a run along from the transcript screen: written into a file, in the format that its name asks for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trajview.app.keys import key_of
from trajview.errors import Problem, TrajviewError
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.annotation.store import AnnotationStore
    from trajview.app.shared.background import Task
    from trajview.app.transcript.desk import Desk
    from trajview.export.exported import Part
    from trajview.highlight import Rule
    from trajview.models.run import AgentRun

__all__ = ["Exporter"]

_ENDINGS: Final = ".md .html .json .jsonl .adp.jsonl"
_FORMATS: Final = ".md, .html, .json (Docent), .jsonl (OpenAI), .adp.jsonl (ADP)"
_MOST_LOSSES: Final = 2
"""Sentences on what is lost that a person is shown; `trajview export` lists them all."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is to be written: the run as it is shown, and the part of it that was selected."""

    run: AgentRun
    key: str
    part: Part | None
    path: Path = Path()


class Exporter:
    """Asks for a file, and writes a run into it in a thread; `rules` gives those that are on."""

    def __init__(self, desk: Desk, store: Callable[[], AnnotationStore], rules: Callable[[], list[Rule]]) -> None:
        self._notices, self._prompt, self._background = desk.notices, desk.prompt, desk.background
        self._store, self._rules = store, rules
        self._writing: _Wanted | None = None
        self._message = 0
        """The message that the writing has come to."""

    @property
    def progress(self) -> str:
        """What is being written, and how far it is; "" where nothing is."""
        if self._writing is None:
            return ""
        far = f" message {self._message:,}" if self._message else ""
        return f"writing {one_line(str(self._writing.path), 60)}…{far} ({key_of('back')} stops it)"

    def ask(self, run: AgentRun, key: str, id: str, part: Part | None) -> None:
        """Ask for the file to write a run, or a part of it, into."""
        from trajview.export.new_file import name_for

        self._ask_for_file(_Wanted(run, key, part), f"{name_for(id)}.md")

    def _ask_for_file(self, wanted: _Wanted, name: str) -> None:
        part = wanted.part
        if part is None:
            what = "the run"
        else:
            what = f"messages {part.first} to {part.last}" if part.first != part.last else f"message {part.first}"
        self._prompt.ask(
            f"write {what} into",
            f"a file: {_ENDINGS}",
            name,
            select=len(name),
            then=lambda text: self._choose_file(wanted, text.strip()),
        )

    def _choose_file(self, wanted: _Wanted, name: str) -> None:
        from trajview.export.choice import format_of

        path = Path(name)
        if not name:
            self._notices.brief("not written")
        elif format_of(path) is None:
            self._notices.toast(f"The ending says the format: {_FORMATS}.", error=True)
            self._ask_for_file(wanted, name)
        else:
            with suppress(RuntimeError):  # `~nobody` is a name as any other
                path = path.expanduser()
            self._write(replace(wanted, path=path), over=False)

    def _ask_to_replace(self, wanted: _Wanted) -> None:
        def answered(text: str) -> None:
            if text.strip().lower() in ("y", "yes"):
                self._write(wanted, over=True)
            else:
                self._notices.brief("not written")

        self._notices.brief("")
        self._prompt.ask(f"{one_line(str(wanted.path), 40)} is there: replace it?", "y or n", then=answered)

    def _write(self, wanted: _Wanted, *, over: bool) -> None:
        self._writing, self._message = wanted, 0
        rules = self._rules()
        self._notices.refresh()
        self._background.start("export", lambda task: self._export(wanted, over, rules, task))

    def stop(self) -> bool:
        """Give up what is being written; False if nothing is."""
        if self._writing is None:
            return False
        self._background.cancel("export")
        self._writing = None
        self._notices.brief("not written: stopped")
        return True

    def _export(self, wanted: _Wanted, over: bool, rules: list[Rule], task: Task) -> None:
        from trajview.export.annotated import Annotations
        from trajview.export.choice import exported, format_of
        from trajview.export.new_file import AlreadyThere, new_file
        from trajview.export.watched import Stopped, watched

        format = format_of(wanted.path)
        assert format is not None
        store = self._store()
        problems: list[Problem] = []

        def step(message: int) -> None:
            self._message = message
            if task.cancelled():
                raise Stopped

        try:
            with new_file(wanted.path, replace=over) as file:
                annotated = Annotations(store.root, store.annotator, problems.append).of(wanted.key)
                found = exported(watched(wanted.run, step), format, wanted.part, annotated, rules)
                for piece in found.pieces:
                    file.write(piece.encode())
                step(0)
                losses = [*(str(problem) for problem in problems), *found.lost.sentences()]
        except Stopped:
            return
        except AlreadyThere:
            task.tell(self._finish, lambda: self._ask_to_replace(wanted))
        except TrajviewError as error:
            problem = error.problem()
            task.tell(self._finish, lambda: self._fail(problem))
        else:
            task.tell(self._finish, lambda: self._report(wanted.path, losses))

    def _finish(self, report: Callable[[], None]) -> None:
        self._writing = None
        report()

    def _fail(self, problem: Problem) -> None:
        self._notices.brief("not written")
        self._notices.toast(str(problem), error=True)

    def _report(self, path: Path, losses: list[str]) -> None:
        title = f"written to {one_line(str(path), 200)}"
        self._notices.brief(title)
        if losses:
            more = len(losses) - _MOST_LOSSES
            lines = losses[:_MOST_LOSSES] + [f"And {more} more, which `trajview export` lists."] * (more > 0)
            text = "\n".join(line.replace("\n", " ") for line in lines)
            self._notices.toast(text, title=title, seconds=8, length=200)
