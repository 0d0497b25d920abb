"""The registry of all formats, which finds the format of a record: scored, best first, with reasons."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from trajview.errors import PluginProblem, TrajviewError

from .base import Detection

if TYPE_CHECKING:
    from .contract import Format
    from .plugins import PluginFormat
    from .words import AddedWords

    FORMATS: tuple[Format, ...]
    """The built-in formats, in the order that decides a tie; raw is last."""

__all__ = [
    "FORMATS",
    "LEAST",
    "Registry",
    "added_words",
    "best",
    "detections",
    "format_named",
    "format_or_default",
    "is_message_line",
    "last_resort",
    "plugins",
    "problems",
    "source_of",
]  # fmt: skip

LEAST: Final = 0.35
"""The confidence below which a guess is not acted on: the record is shown as raw JSON."""
_IN_ORDER: Final = (
    "docent", "sotopia", "sotopia_annotation", "adp", "taskweaver", "openai", "anthropic", "sharegpt", "messages", "inspect",
    "sweagent", "atif", "openhands", "gemini", "gemini_cli", "codex_exec", "copilot", "cursor", "goose", "kimi", "pi",
    "grok", "droid", "antigravity", "chatgpt", "responses", "opencode", "langchain", "spans", "raw",
)  # fmt: skip


class Registry:
    """The formats that come with trajview, and those of packages that are installed beside it (`plugins`).

    Each is imported when it is asked for first: what is listed, or known from the cache, needs none.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._plugins: tuple[PluginFormat, ...] | None = None
        self._problems: list[PluginProblem] = []

    @cached_property
    def _built_in(self) -> dict[str, Format]:
        found: tuple[Format, ...] = tuple(import_module(f".{name}", __package__).FORMAT for name in _IN_ORDER)
        return {each.name: each for each in found}

    def plugins(self) -> tuple[PluginFormat, ...]:
        """The formats of other packages, those that cannot be used among them. The first call imports them."""
        with self._lock:
            if self._plugins is None:
                self._plugins = ()  # for a package that asks for formats while it is imported
                self._plugins = tuple(self._loaded())
            return self._plugins

    def _loaded(self) -> Iterator[PluginFormat]:
        from .installed import installed

        found = installed()
        if not found:
            return
        from .plugins import PluginFormat

        taken: dict[str, str] = {}
        for plugin in found:
            name, refused = plugin.name, ""
            if name in self._built_in:
                refused = f"{name!r} is the name of a format that comes with trajview"
            elif name in taken:
                refused = f"{name!r} is the name of a format of {taken[name]}, too"
            else:
                taken[name] = plugin.source
            yield PluginFormat(plugin, self._others, self._problems.append, refused)

    @cached_property
    def formats(self) -> tuple[Format, ...]:
        """All of them, in the order that decides a tie; raw is last."""
        *first, last = self._built_in.values()
        return *first, *(plugin for plugin in self.plugins() if plugin.name not in self._built_in), last

    @cached_property
    def _of_objects(self) -> tuple[Format, ...]:
        """The formats whose records may be objects, without raw."""
        return tuple(known for known in self.formats[:-1] if not known.lists_only)

    @cached_property
    def _by_name(self) -> dict[str, Format]:
        found: dict[str, Format] = {}
        for each in self.formats:
            found.setdefault(each.name, each)  # of two plug-ins with one name, the second is refused
        return found

    def problems(self) -> list[PluginProblem]:
        """The faults of plug-ins so far, one problem for each; the list only grows."""
        return list(self._problems)

    def format_named(self, name: str) -> Format:
        """The format of that name. Raises TrajviewError, which lists the names, where there is none."""
        try:
            return self._built_in.get(name) or self._by_name[name]
        except KeyError:
            raise TrajviewError(
                f"there is no format called {name!r}", hint=f"one of {', '.join(self._by_name)}", title="Unknown format"
            ) from None

    def format_or_default(self, name: str | None) -> Format:
        """The format that a run names, or the defaults where nobody knows it.

        A run may be made by hand, come from another program's file, or from a plug-in that is not installed any more.
        """
        if not name:
            return self.last_resort()
        return self._built_in.get(name) or self._by_name.get(name) or self.last_resort()

    def last_resort(self) -> Format:
        """The format that takes any record."""
        return next(reversed(self._built_in.values()))

    def source_of(self, name: str) -> str | None:
        """The package and version of a plug-in's format; None for a built-in format."""
        from .plugins import PluginFormat

        known = self.format_or_default(name)
        return known.plugin.source if isinstance(known, PluginFormat) else None

    def detections(self, record: Any) -> list[Detection]:
        """Every format that a decoded record could be, the most confident first; guesses too weak to act on follow raw."""
        asked = self._of_objects if isinstance(record, dict) else self.formats[:-1]
        tried = [known.detect(record) for known in asked]
        found = [detection for detection in tried if detection is not None]
        found.sort(key=lambda detection: -detection.confidence)
        last = self.formats[-1].detect(record)
        if last is None:
            return found
        if not found or found[0].confidence >= LEAST:
            return [*found, last]
        near = found[0]
        close = f"{near.format} comes closest, with {near.confidence:.2f}: {'; '.join(near.why)}"
        return [Detection(last.format, last.confidence, (*last.why, close)), *found]

    def best(self, record: Any) -> tuple[Format, Detection]:
        """The most likely format of a decoded record, and the confidence."""
        detection = self.detections(record)[0]
        return self._by_name[detection.format], detection

    def _others(self, record: Any, failed: Format) -> Iterator[Format]:
        """The other formats that a record may be when one has failed on it, the best first."""
        for each in self.detections(record):
            if each.format != failed.name:
                yield self._by_name[each.format]

    def added_words(self) -> AddedWords:
        """The words that any format adds to the bytes of a log."""
        return self._added_words

    @cached_property
    def _added_words(self) -> AddedWords:
        from .words import COMMON_WORDS, joined

        return joined((COMMON_WORDS, *(each.added_words for each in self.formats)))


_registry: Final = Registry()
added_words = _registry.added_words
best = _registry.best
detections = _registry.detections
format_or_default = _registry.format_or_default
format_named = _registry.format_named
last_resort = _registry.last_resort
plugins = _registry.plugins
problems = _registry.problems
source_of = _registry.source_of


def __getattr__(name: str) -> Any:
    if name == "FORMATS":
        return _registry.formats
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def is_message_line(record: Any) -> bool:
    """Whether a line of JSONL is one message of a conversation, so that the whole file is one run.

    So are `{"role", "content"}` and the events of a coding agent's session; join the lines in a list, which the
    `messages` format reads; and those of OpenHands' event streams, which the `openhands` format does; and what any other
    format says begins a session of its own.
    """
    from .events import is_event
    from .openhands_events import is_stream_event
    from .roles import is_message

    if not isinstance(record, dict) or "messages" in record or "conversations" in record or "transcripts" in record:
        return False
    if is_event(record) or is_message(record) or is_stream_event(record):
        return True
    return any(known.begins_session(record) for known in _registry.formats)
