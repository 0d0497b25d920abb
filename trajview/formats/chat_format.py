"""A format whose records are one chat each: from the parts of a record to its summary, its run and its problems."""

from __future__ import annotations

import struct
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Final, NamedTuple

from msgspec import Struct

from trajview.errors import Problem
from trajview.models.run import AgentRun, Reward
from trajview.models.transcript import Transcript
from trajview.models.units import count_units

from .base import Origin, Summary
from .contract import Format
from .logged import ABSENT, Elements, decoded
from .outline import outline_of
from .plain import dict_or_value, first_id, is_list, kind, number, problems_at, put, rewards_of, text_or_none
from .roles import ROLES, elements_of, role_of
from .shape import wrong_in_message
from .task import task_from_heads
from .words import AddedWords

__all__ = [
    "Chat", "ChatFormat", "SaidIn", "chat_of", "leftovers", "message_item", "messages_under", "said_of", "summary_models",
]  # fmt: skip


_CONTENT: Final = attrgetter("content")
_FIRST: Final = struct.Struct("c").unpack_from
EMPTY_PROBLEM = " is empty"  # reported by `validate`; in the list, the count of messages shows it


def leftovers(record: dict[Any, Any], used: Iterable[Any]) -> dict[str, Any]:
    """The metadata of a run: the record's own, and every key of the record that nothing else holds."""
    taken = {"metadata", *used}
    metadata = dict(dict_or_value(record.get("metadata")))
    for key in record:
        if key not in taken:
            put(metadata, key, decoded(record[key]))
    return metadata


def summary_models(items: Iterable[Any], *holders: Any) -> tuple[str, ...]:
    """The models that a record names: its own, then those of its messages, each once."""
    found: dict[str, None] = {}
    models = [holder["model"] for holder in (*holders, *items) if isinstance(holder, dict) and "model" in holder]
    for model in models:
        if isinstance(model, str) and model:
            found[model] = None
    return tuple(found)


def message_item(step: dict[Any, Any], used: Iterable[Any], **fields: Any) -> dict[Any, Any]:
    """A message made from a step of another shape: from `fields`; keys of the step that they shadow go to its metadata."""
    taken = {"metadata", *used}
    item: dict[Any, Any] = {key: step[key] for key in step if key not in taken and key not in fields}
    metadata = dict(dict_or_value(step.get("metadata")))
    for key in fields.keys() & step.keys() - taken:
        put(metadata, key, step[key])
    item.update(fields)
    if metadata:
        item["metadata"] = metadata
    return item


def chat_of(
    record: dict[Any, Any], origin: Origin, items: Sequence[Any], used: Iterable[Any], problems: Iterable[str] = ()
) -> Chat:
    """The parts of a record beside its messages: id, name, rewards; the rest is metadata. `used` keys are left out."""
    found, key = first_id(record, origin)
    taken = {*used, key} if key == "id" else set(used)
    if record.get("metadata") is not None and not isinstance(record["metadata"], dict):
        problems = [*problems, f"metadata must be an object, not {kind(record['metadata'])}"]
    if isinstance(record.get("name"), str):
        taken.add("name")
    rewards = rewards_of(record, record.get("metadata"))
    if number(record.get("reward")) is not None:
        taken.add("reward")
    metadata = leftovers(record, taken)
    return Chat(found, items, text_or_none(record.get("name")), metadata, rewards, list(problems))


class SaidIn(NamedTuple):
    """The facts about logged messages for a summary: the roles of the resulting messages, their models, wrong types."""

    roles: Sequence[str]
    models: tuple[str, ...]
    problems: Sequence[str]
    task: Callable[[], str | None]


def said_of(items: Sequence[Any], start: str = "message", *, each_is_one: bool = False) -> SaidIn:
    """Look at logged messages, decoded or not; `start` is the name of a message in a problem.

    `each_is_one`: each becomes one message, whatever blocks are in it, as Docent's do.
    """
    items = items if isinstance(items, Elements) else Elements(items)
    heads = items.heads()
    odd = {at: items[at] for at, head in enumerate(heads) if head is None}
    if each_is_one or not (odd or _have_blocks(heads)):
        roles = [role_of(odd[at]) if head is None else ROLES[head.role] for at, head in enumerate(heads)]
    else:
        roles = outline_of(items).roles
    models = [_model_of(odd[at]) if head is None else head.model for at, head in enumerate(heads)]
    problems = [wrong for at, item in odd.items() if (wrong := wrong_in_message(item, f"{start} {at}"))]
    return SaidIn(roles, _texts(models), problems, partial(task_from_heads, items, heads))


def _model_of(item: Any) -> Any:
    return item.get("model") if isinstance(item, dict) else None


def _have_blocks(heads: Sequence[Any]) -> bool:
    """Whether the content of a message of which all have a head is a list."""
    try:
        return (b"[",) in map(_FIRST, map(_CONTENT, heads))
    except struct.error:  # one has no content
        return any(_FIRST(head.content) == (b"[",) for head in heads if head.content is not ABSENT)


def _texts(values: Iterable[Any]) -> tuple[str, ...]:
    """The distinct texts among some values that are not blank."""
    return tuple(dict.fromkeys([value for value in values if value and isinstance(value, str)]))


class Chat(Struct):
    """The parts of a chat record: a run of one transcript, and one for each sub-agent, not yet built."""

    id: str
    items: Sequence[Any]
    name: str | None = None
    metadata: dict[str, Any] = {}
    rewards: list[Reward] | None = None
    problems: list[str] = []
    models: tuple[str, ...] = ()
    """Models that the format finds elsewhere than under `model`."""
    branches: list[Chat] = []
    """The transcripts of sub-agents: their items, name and metadata."""

    def summary(self) -> Summary:
        """The summary for the list of a corpus, from roles alone."""
        if not self.branches:
            return self._summary()
        parts = [self._summary(), *(branch._summary() for branch in self.branches)]
        own = parts[0]
        return Summary(
            own.id, own.name, sum(part.messages for part in parts), sum(part.units for part in parts), len(parts),
            own.agents, own.rewards, tuple(dict.fromkeys(model for part in parts for model in part.models)),
            tuple(problem for part in parts for problem in part.problems), own.task,
        )  # fmt: skip

    def _summary(self) -> Summary:
        said = said_of(self.items)
        own = [*self.models, *summary_models((), self.metadata, self.metadata.get("request"))]
        problems = tuple([problem for problem in self.problems if not problem.endswith(EMPTY_PROBLEM)])
        task = said.task() if self.name is None else None
        return Summary(
            self.id, self.name, len(said.roles), count_units(said.roles), 1, (), tuple(self.rewards or ()),
            tuple(dict.fromkeys([*own, *said.models])), (*problems, *said.problems), task,
        )  # fmt: skip

    def transcript(self, transcript_id: str, name: str | None = None) -> Transcript:
        """The messages as a transcript, each read when it is looked at."""

        from .chat_source import ChatSource

        source = ChatSource(self.items)
        return Transcript(id=transcript_id, name=name, messages=source.messages(source.roles))

    def wrong_in_messages(self) -> Iterator[str]:
        """The deviations of the messages from a well-formed chat."""
        from .chat_source import ChatSource

        return ChatSource(self.items).problems()

    def run(self, format_name: str) -> AgentRun:
        """The run."""

        transcripts = [self.transcript(f"{self.id}/0")]
        for place, branch in enumerate(self.branches, 1):
            transcript = branch.transcript(f"{self.id}/{place}", branch.name)
            transcript.metadata = branch.metadata
            transcripts.append(transcript)
        return AgentRun(
            id=self.id,
            name=self.name,
            transcripts=transcripts,
            metadata=self.metadata,
            rewards=self.rewards,
            source_format=format_name,
        )


class ChatFormat(Format):
    """A format whose records are one chat each: a module says how to `detect` one and how to `look` into it."""

    added_words = AddedWords(with_bytes=(("tool error type message", ("error",)),))
    """The words that any chat adds. A search asks for the words of all formats together: a subclass only names its own."""

    @abstractmethod
    def look(self, record: Any, origin: Origin) -> Chat:
        """Find the messages, the id, the rewards and the rest of a record. Raises FormatError."""

    def summarise(self, record: Any, origin: Origin) -> Summary:
        return self.look(record, origin).summary()

    def read(self, record: Any, origin: Origin) -> AgentRun:
        return self.look(record, origin).run(self.name)

    def check(self, record: Any, origin: Origin) -> list[Problem]:
        """List the deviations from a well-formed chat, for `trajview validate`. Raises FormatError where `read` does."""
        chat = self.look(record, origin)
        every = [problem for each in (chat, *chat.branches) for problem in each.wrong_in_messages()]
        return problems_at(origin, [*chat.problems, *every])


def _list_problem(value: Any, key: str) -> list[str]:
    """The problem, if any, that what should be a list of messages is none."""
    if is_list(value):
        return [] if value else [f"`{key}`{EMPTY_PROBLEM}"]
    return [f"`{key}` is a list of messages, and this is {kind(value)}"]


def messages_under(record: dict[Any, Any], key: str) -> tuple[Sequence[Any], list[str]]:
    """The messages under a key, read tolerantly, and the problem with the list, if any."""
    value = record.get(key)
    return elements_of(value), _list_problem(value, key)
