"""A format whose records are one chat each: from the parts of a record to its summary, its run and its problems."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from trajview.errors import Problem
from trajview.models.units import count_units

from .base import Origin, Summary
from .chat import Conversation
from .contract import Format
from .plain import dict_or_value, first_id, kind, number, problems_at, put, rewards_of, text_or_none
from .roles import elements_of, pieces_of, roles_of
from .shape import wrong_in_messages
from .task import task_said
from .unread import Decode, Parted, Unread
from .words import AddedWords

if TYPE_CHECKING:
    from trajview.models.run import AgentRun, Reward
    from trajview.models.transcript import Transcript

__all__ = [
    "Beside", "Chat", "ChatFormat", "beside_messages", "chat_of", "leftovers", "message_item", "messages_under", "summary_models",
]  # fmt: skip


EMPTY_PROBLEM = " is empty"  # worth a word in `validate`; in the list, the count of messages says it


def leftovers(record: dict[Any, Any], used: Iterable[Any]) -> dict[str, Any]:
    """A run's metadata: the record's own, and every key of the record that nothing else holds."""
    taken = {"metadata", *used}
    metadata = dict(dict_or_value(record.get("metadata")))
    for key in record:
        if key not in taken:
            put(metadata, key, record[key])
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
    """A message made from a step of another shape: `fields` say what it is, keys that they shadow go to its metadata."""
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
    """What a record says beside its messages: id, name, rewards; the rest is metadata. `used` keys are left out."""
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


class Beside(NamedTuple):
    """What a summary says of a chat without looking at its messages; `models` may repeat."""

    id: str
    name: str | None
    rewards: tuple[Reward, ...]
    models: tuple[str, ...]
    problems: tuple[str, ...]


def beside_messages(record: dict[str, Any], origin: Origin) -> Beside:
    """What a record says beside `messages`, which it is without: what `Chat.beside` gives of `chat_of`, but sooner."""
    metadata = record.get("metadata")
    problems: tuple[str, ...] = ()
    own: dict[Any, Any] = {}
    if isinstance(metadata, dict):
        own = metadata
    elif metadata is not None:
        problems = (f"metadata must be an object, not {kind(metadata)}",)
    models: tuple[Any, ...] = (own["model"] if "model" in own else record.get("model"),)
    request = own["request"] if "request" in own else record.get("request")
    if isinstance(request, dict):
        models = (*models, request.get("model"))
    rewards = rewards_of(record, metadata)
    return Beside(
        first_id(record, origin)[0], text_or_none(record.get("name")), tuple(rewards) if rewards is not None else (),
        tuple([model for model in models if isinstance(model, str) and model]), problems,
    )  # fmt: skip


class Chat(Struct):
    """What a chat format finds in a record: a run of one transcript, and one for each sub-agent, not yet built."""

    id: str
    items: Sequence[Any]
    name: str | None = None
    metadata: dict[str, Any] = {}
    rewards: list[Reward] | None = None
    problems: list[str] = []
    models: tuple[str, ...] = ()
    """Models that the format finds elsewhere than under `model`."""
    branches: list[Chat] = []
    """What sub-agents said: their items, name and metadata."""

    def beside(self) -> Beside:
        """What the list of a corpus shows, but what it says of the messages."""
        models = [*self.models, *summary_models((), self.metadata, self.metadata.get("request"))]
        problems = tuple([problem for problem in self.problems if not problem.endswith(EMPTY_PROBLEM)])
        return Beside(self.id, self.name, tuple(self.rewards or ()), tuple(models), problems)

    def summary(self) -> Summary:
        """What the list of a corpus shows, from roles alone."""
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
        if any(isinstance(item, dict) and type(item.get("content")) is list for item in self.items):
            roles = [piece.role for item in self.items for piece in pieces_of(item)]
        else:  # then each is one piece
            roles = roles_of(self.items)
        found = self.beside()
        models = tuple(dict.fromkeys([*found.models, *summary_models(self.items)]))
        problems = (*found.problems, *wrong_in_messages(self.items))
        task = task_said(self.items) if found.name is None else None
        return Summary(
            found.id, found.name, len(roles), count_units(roles), 1, (), found.rewards, models, problems, task
        )

    def transcript(self, transcript_id: str, name: str | None = None) -> Transcript:
        """The messages as a transcript, each read when it is looked at."""
        from trajview.models.transcript import Transcript

        from .chat_source import ChatSource

        source = ChatSource(self.items)
        return Transcript(id=transcript_id, name=name, messages=source.messages(source.roles))

    def run(self, format_name: str) -> AgentRun:
        """The run."""
        from trajview.models.run import AgentRun

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
    """What any chat adds. A search asks for the words of all formats together: a subclass only names its own."""

    @abstractmethod
    def look(self, record: Any, origin: Origin) -> Chat:
        """Where the messages, the id, the rewards and the rest of a record are. Raises FormatError."""

    def summarise(self, record: Any, origin: Origin) -> Summary:
        return self.look(record, origin).summary()

    def read(self, record: Any, origin: Origin) -> AgentRun:
        return self.look(record, origin).run(self.name)

    def beside(self, fields: dict[str, Any] | None, items: Sequence[Any], origin: Origin) -> Chat | None:  # noqa: ARG002
        """The same as `look` of a record whose `messages` are these items, and whose other keys are `fields`, or which is
        a list of these items where they are None; None where the format does not look at such records so.

        What is said elsewhere than among the messages is among the items already: see `whole`.
        """
        return None

    def whole(self, parts: Parted) -> Parted | None:
        """The parts of a record with what is said elsewhere than among its messages; None where that needs all of it."""
        return parts

    def open_parted(self, parts: Any, decode: Decode, origin: Origin) -> AgentRun | None:
        """The run of a record that was taken apart, as `open` gives it; None where that needs all of it."""
        whole = self.whole(parts) if isinstance(parts, Parted) else None
        chat = None if whole is None else self.beside(whole.fields, Unread(whole, decode), origin)
        return None if chat is None else chat.run(self.name)

    def check(self, record: Any, origin: Origin) -> list[Problem]:
        """What deviates from a well-formed chat, for `trajview validate`. Raises FormatError where `read` does."""
        chat = self.look(record, origin)
        every = [problem for each in (chat, *chat.branches) for problem in Conversation().extend(each.items).problems]
        return problems_at(origin, [*chat.problems, *every])


def _list_problem(value: Any, key: str) -> list[str]:
    """The problem, if any, that what should be a list of messages is none."""
    if isinstance(value, list):
        return [] if value else [f"`{key}`{EMPTY_PROBLEM}"]
    return [f"`{key}` is a list of messages, and this is {kind(value)}"]


def messages_under(record: dict[Any, Any], key: str) -> tuple[list[Any], list[str]]:
    """The messages under a key, tolerantly, and what is wrong with them."""
    value = record.get(key)
    return elements_of(value), _list_problem(value, key)
