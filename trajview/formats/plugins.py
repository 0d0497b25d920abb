"""Formats of other packages, imported when a record is looked at first, and kept from doing harm.

What a package does wrong is said once, and its records open as the next best format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeVar

from trajview.errors import PluginProblem, TrajviewError, Where

from .base import Detection, Origin, Summary
from .contract import Format, Whence
from .logged import decoded
from .plain import place
from .words import AddedWords

if TYPE_CHECKING:
    from trajview.errors import Problem
    from trajview.models.run import AgentRun

    from .installed import Plugin

__all__ = ["PluginFormat"]

_MOST_SAID: Final = 200
"""Characters of another package's error that are shown."""

_NOWHERE: Final = Where()
_Answer = TypeVar("_Answer")


class _RefusedError(Exception):
    """Why a plug-in cannot be used, in words that go on after its name."""


class PluginFormat(Format):
    """A format of another package, imported when this is made, and asked with care.

    It is given records of which every list is decoded. What it raises, but for TrajviewErrors that a format may raise, and any answer that is none, is reported once; the
    record is left to the next best format.
    """

    def __init__(
        self,
        plugin: Plugin,
        others: Callable[[Any, Format], Iterator[Format]],
        report: Callable[[PluginProblem], None],
        refused: str = "",
    ) -> None:
        """`others` gives the formats that a record may be instead, the best first. `refused`: why it is not to be used."""
        self.plugin = plugin
        self.name = self.label = plugin.name
        self.recognises = ""
        self.problem: PluginProblem | None = None
        """What it did wrong first."""
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
        """Have what the plug-in's format says of itself. Raises _RefusedError."""
        try:
            name, label, recognises = made.name, made.label, made.recognises
        except AttributeError as error:
            raise _RefusedError(f"its format says not all that a format says ({error})") from error
        if name != self.plugin.name:
            raise _RefusedError(f"its entry point {self.plugin.name!r} names a format that calls itself {name!r:.80}")
        if not all(isinstance(text, str) and text for text in (label, recognises, made.rubric)):
            raise _RefusedError("its `label`, `recognises` and `rubric` are to be texts")
        if not _are_words(made.added_words):
            raise _RefusedError("its `added_words` are to be AddedWords of texts")
        self.label, self.recognises, self.rubric = label, recognises, made.rubric
        self.retells, self.zero_is_no_reward = bool(made.retells), bool(made.zero_is_no_reward)
        self.repeats, self.added_words = bool(made.repeats), made.added_words

    def _fail(self, reason: str, hint: str, where: Where) -> None:
        with self._lock:
            if self.problem is not None:
                return
            self.problem = PluginProblem(reason, hint, where, opens=True, format=self.name)
        self._report(self.problem)

    def _asked(
        self,
        what: str,
        ask: Callable[[Format], _Answer],
        is_answer: Callable[[object], bool],
        where: Where = _NOWHERE,
        may_raise: tuple[type[Exception], ...] = (TrajviewError, MemoryError),
    ) -> _Answer | None:
        """What the plug-in answers; None where it fails or its answer is none, which is reported."""
        if self._made is None:
            return None
        try:
            answer = ask(self._made)
            if is_answer(answer):
                return answer
            wrong = f"its answer, {type(answer).__name__}, is not what a format answers"
        except may_raise:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - nothing that another package does may end the program
            wrong = _said_of(error)
        hint = (
            "what it fails on opens as the next best format, and this is said once; please tell who wrote the plug-in"
        )
        self._fail(f"the plug-in {self.plugin.source} failed in `{what}`: {wrong}", hint, where)
        return None

    def detect(self, record: Any) -> Detection | None:
        return self._asked(
            "detect", lambda made: made.detect(decoded(record)), self._is_detection, may_raise=(MemoryError,)
        )

    def _is_detection(self, answer: object) -> bool:
        if answer is None:
            return True
        if not isinstance(answer, Detection) or answer.format != self.name:
            return False
        confidence: object = answer.confidence
        return isinstance(confidence, int | float) and 0 <= confidence <= 1 and _are_texts(answer.why)

    def summed_up(self, record: Any, origin: Origin) -> tuple[str, Summary]:
        known: Format = self
        found = self._own_summary(record, origin)
        others = self._others(record, self)
        while found is None:
            known = next(others)
            found = (
                known._own_summary(record, origin)
                if isinstance(known, PluginFormat)
                else known.summarise(record, origin)
            )
        return known.name, found

    def summarise(self, record: Any, origin: Origin) -> Summary:
        return self.summed_up(record, origin)[1]

    def _own_summary(self, record: Any, origin: Origin) -> Summary | None:
        """The plug-in's own summary of a record, None where it fails. Raises FormatError."""
        return self._asked(
            "summarise", lambda made: made.summarise(decoded(record), origin), _is_summary, place(origin)
        )

    def read(self, record: Any, origin: Origin) -> AgentRun:
        found = self._own_run(record, origin)
        others = self._others(record, self)
        while found is None:
            known = next(others)
            found = known._own_run(record, origin) if isinstance(known, PluginFormat) else known.read(record, origin)
        return found

    def _own_run(self, record: Any, origin: Origin) -> AgentRun | None:
        """The run that the plug-in itself makes of a record, None where it fails. Raises FormatError."""
        run = self._asked("read", lambda made: made.read(decoded(record), origin), _is_run, place(origin))
        if run is not None and run.source_format is None:
            run.source_format = self.name
        return run

    def check(self, record: Any, origin: Origin) -> list[Problem]:
        return (
            self._asked("check", lambda made: made.check(decoded(record), origin), _are_problems, place(origin)) or []
        )

    def whence(self, record: Any) -> list[Whence]:
        return self._asked("whence", lambda made: made.whence(decoded(record)), _are_paths) or []


def _loaded(plugin: Plugin) -> Format:
    """The format that an entry point names. Raises _RefusedError."""
    try:
        found = plugin.entry.load()
        made = found() if isinstance(found, type) else found
    except (Exception, SystemExit) as error:
        raise _RefusedError(f"it cannot be imported ({_said_of(error)})") from error
    if not isinstance(made, Format):
        raise _RefusedError(f"{plugin.entry.value} is neither a Format nor a class of one")
    return made


def _said_of(error: BaseException) -> str:
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return said if len(said) <= _MOST_SAID else f"{said[:_MOST_SAID]}…"


# Whether answers are what a format answers: types are only promised, and another package may break its promise.


def _are_texts(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(each, str) for each in value)


def _is_text_or_none(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and value >= 0


def _is_reward(value: object) -> bool:
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], dict):
        return isinstance(value[0], int | float) and all(
            isinstance(name, str) and isinstance(score, int | float) for name, score in value[1].items()
        )
    return isinstance(value, int | float)


def _is_summary(answer: object) -> bool:
    if not isinstance(answer, Summary):
        return False
    rewards: object = answer.rewards
    return (
        isinstance(answer.id, str)
        and _is_text_or_none(answer.name)
        and _is_text_or_none(answer.task)
        and all(map(_is_count, (answer.messages, answer.units, answer.transcripts)))
        and all(map(_are_texts, (answer.agents, answer.models, answer.problems)))
        and isinstance(rewards, tuple)
        and all(map(_is_reward, rewards))
    )


def _is_run(answer: object) -> bool:
    from trajview.models.run import AgentRun

    return isinstance(answer, AgentRun) and isinstance(answer.id, str) and bool(answer.transcripts)


def _are_problems(answer: object) -> bool:
    from trajview.errors import Problem

    return isinstance(answer, list) and all(isinstance(each, Problem) for each in answer)


def _are_paths(answer: object) -> bool:
    return isinstance(answer, list) and all(
        isinstance(path, tuple) and all(isinstance(step, str | int) for step in path) for path in answer
    )


def _are_words(words: object) -> bool:
    if not isinstance(words, AddedWords) or not _are_texts(words.always) or not _are_texts(words.metadata):
        return False
    pairs: object = words.with_bytes
    return isinstance(pairs, tuple) and all(
        isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) and _are_texts(pair[1])
        for pair in pairs
    )
