"""Formats of other packages, imported when a record is looked at first, and kept from doing harm.

What a package does wrong is said once, and its records open as the next best format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import Struct, convert, to_builtins

from trajview.errors import PluginProblem, Problem, TrajviewError, Where

from .base import Detection, Origin, Summary
from .contract import Format, Whence
from .logged import decoded
from .plain import place
from .words import AddedWords

if TYPE_CHECKING:
    from trajview.models.run import AgentRun

    from .installed import Plugin

__all__ = ["PluginFormat"]

_MOST_SAID: Final = 200
"""Characters of another package's error that are shown."""

_NOWHERE: Final = Where()
_Answer = TypeVar("_Answer")
_Record = TypeVar("_Record", bound=Struct)


class _RefusedError(Exception):
    """A plug-in cannot be used; the words go on after its name."""


class PluginFormat(Format):
    """A format of another package, imported when this is made, and asked with care.

    It is given records of which every list is decoded. What it raises, but for TrajviewErrors that a format may raise, and any answer that is none, is reported once; the
    record is left to the next best format.
    """

    def __init__(
        self,
        plugin: Plugin,
        others: Callable[[Any, Format], Iterable[Format]],
        report: Callable[[PluginProblem], None],
        refused: str = "",
    ) -> None:
        """`others` gives the formats that a record may be instead, the best first. `refused`: why it is not to be used."""
        self.plugin = plugin
        self.name = self.label = plugin.name
        self.recognises = ""
        self.problem: PluginProblem | None = None
        """Its first fault."""
        self._others, self._report = others, report
        self._lock = Lock()
        self._made: Format | None = None
        try:
            if refused:
                raise _RefusedError(refused)
            made = _loaded(plugin)
            self._take_facts(made)
            self._made = made
        except _RefusedError as error:
            hint = f"its logs open as the next best format; update it, or `pip uninstall {plugin.package}`"
            self._fail(f"the plug-in {plugin.source} is not used: {error}", hint, _NOWHERE)

    @property
    def works(self) -> bool:
        """Whether it could be imported."""
        return self._made is not None

    def _take_facts(self, made: Format) -> None:
        """Copy the attributes of the plug-in's format. Raises _RefusedError."""
        try:
            name, label, recognises = made.name, made.label, made.recognises
        except AttributeError as error:
            raise _RefusedError(f"its format says not all that a format says ({error})") from error
        if name != self.plugin.name:
            raise _RefusedError(f"its entry point {self.plugin.name!r} names a format that calls itself {name!r:.80}")
        if not all(isinstance(text, str) and text for text in (label, recognises, made.rubric)):
            raise _RefusedError("its `label`, `recognises` and `rubric` are to be texts")
        try:
            words = _record(AddedWords)(made.added_words)
        except (TypeError, ValueError) as error:
            raise _RefusedError("its `added_words` are to be AddedWords of texts") from error
        self.label, self.recognises, self.rubric = label, recognises, made.rubric
        self.retells, self.zero_is_no_reward = bool(made.retells), bool(made.zero_is_no_reward)
        self.repeats, self.added_words = bool(made.repeats), words
        self.lists_only, self.runs_under = bool(made.lists_only), str(made.runs_under)

    def _fail(self, reason: str, hint: str, where: Where) -> None:
        with self._lock:
            if self.problem is not None:
                return
            self.problem = PluginProblem(reason, hint, where, opens=True, format=self.name)
        self._report(self.problem)

    def _asked(
        self,
        what: str,
        ask: Callable[[Format], object],
        fitting: Callable[[object], _Answer],
        where: Where = _NOWHERE,
        may_raise: tuple[type[Exception], ...] = (TrajviewError, MemoryError),
    ) -> _Answer | None:
        """The plug-in's answer; None where it fails or gives no valid one, which is reported.

        `fitting` gives an answer that is one, and raises TypeError or ValueError of any other.
        """
        if self._made is None:
            return None
        try:
            answer = ask(self._made)
        except may_raise:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - nothing that another package does may end the program
            wrong = _text_of_error(error)
        else:
            try:
                return fitting(answer)
            except (TypeError, ValueError):
                wrong = f"its answer, {type(answer).__name__}, is not what a format answers"
        hint = (
            "what it fails on opens as the next best format, and this is said once; please tell who wrote the plug-in"
        )
        self._fail(f"the plug-in {self.plugin.source} failed in `{what}`: {wrong}", hint, where)
        return None

    def detect(self, record: Any) -> Detection | None:
        return self._asked(
            "detect", lambda made: made.detect(decoded(record)), self._detection, may_raise=(MemoryError,)
        )

    def _detection(self, answer: object) -> Detection | None:
        found = None if answer is None else _record(Detection)(answer)
        if found is not None and (found.format != self.name or not 0 <= found.confidence <= 1):
            raise ValueError
        return found

    def summed_up(self, record: Any, origin: Origin) -> tuple[str, Summary]:
        return self._best(
            record, lambda known: known._own_summary(record, origin), lambda known: known.summarise(record, origin)
        )

    def summarise(self, record: Any, origin: Origin) -> Summary:
        return self.summed_up(record, origin)[1]

    def _own_summary(self, record: Any, origin: Origin) -> Summary | None:
        """The plug-in's own summary of a record, None where it fails. Raises FormatError."""
        return self._asked("summarise", lambda made: made.summarise(decoded(record), origin), _summary, place(origin))

    def read(self, record: Any, origin: Origin) -> AgentRun:
        return self._best(
            record, lambda known: known._own_run(record, origin), lambda known: known.read(record, origin)
        )[1]

    def _own_run(self, record: Any, origin: Origin) -> AgentRun | None:
        """The run that the plug-in itself makes of a record, None where it fails. Raises FormatError."""
        run = self._asked("read", lambda made: made.read(decoded(record), origin), _run, place(origin))
        if run is not None and run.source_format is None:
            run.source_format = self.name
        return run

    def _best(
        self, record: Any, by_plugin: Callable[[PluginFormat], _Answer | None], by_ours: Callable[[Format], _Answer]
    ) -> tuple[str, _Answer]:
        """The first answer of a format, and its name: this one, or the next best that does not fail."""
        for known in chain((self,), self._others(record, self)):
            found = by_plugin(known) if isinstance(known, PluginFormat) else by_ours(known)
            if found is not None:
                return known.name, found
        raise AssertionError  # the last resort takes any record

    def begins_session(self, line: Any) -> bool:
        return bool(self._asked("begins_session", lambda made: made.begins_session(line), bool))

    def check(self, record: Any, origin: Origin) -> list[Problem]:
        return self._asked("check", lambda made: made.check(decoded(record), origin), _problems, place(origin)) or []

    def whence(self, record: Any) -> list[Whence]:
        return self._asked("whence", lambda made: made.whence(decoded(record)), _paths) or []


def _loaded(plugin: Plugin) -> Format:
    """The format that an entry point names. Raises _RefusedError."""
    try:
        found = plugin.entry.load()
        made = found() if isinstance(found, type) else found
    except (Exception, SystemExit) as error:
        raise _RefusedError(f"it cannot be imported ({_text_of_error(error)})") from error
    if not isinstance(made, Format):
        raise _RefusedError(f"{plugin.entry.value} is neither a Format nor a class of one")
    return made


def _text_of_error(error: BaseException) -> str:
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return said if len(said) <= _MOST_SAID else f"{said[:_MOST_SAID]}…"


# Answers, if they are what a format answers: types are only promised, and another package may break its promise.


def _record(kind: type[_Record]) -> Callable[[object], _Record]:
    """A maker of typed records that checks the types of their values."""

    def fitting(answer: object) -> _Record:
        if not isinstance(answer, kind):
            raise TypeError
        return convert(to_builtins(answer), kind)

    return fitting


def _summary(answer: object) -> Summary:
    found = _record(Summary)(answer)
    if min(found.messages, found.units, found.transcripts) < 0:
        raise ValueError
    return found


def _run(answer: object) -> AgentRun:
    from trajview.models.run import AgentRun

    if not isinstance(answer, AgentRun) or not isinstance(answer.id, str) or not answer.transcripts:
        raise TypeError
    return answer


def _problems(answer: object) -> list[Problem]:
    if not isinstance(answer, list) or not all(isinstance(each, Problem) for each in answer):
        raise TypeError
    return answer


def _paths(answer: object) -> list[Whence]:
    return convert(answer, list[Whence])
