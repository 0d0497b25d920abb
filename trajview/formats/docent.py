"""Docent's AgentRun, and a bare Transcript of Docent's, which is read as a run of one transcript.

The models refuse what Docent refuses; this reader is tolerant, message by message, and `check` says what was wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeGuard

from msgspec import Raw

from trajview.errors import FormatError, Problem
from trajview.models.messages import ChatMessage, Measured, MessageSource, message_from
from trajview.models.run import AgentRun, Reward
from trajview.models.transcript import Transcript, TranscriptGroup
from trajview.models.units import count_units

from .base import Detection, Origin, Summary
from .chat import PROBLEM, Conversation
from .chat import message_of as chat_message_of
from .chat_format import said_of, summary_models
from .contract import Format
from .logged import Elements, decoded
from .outline import size_in
from .plain import (
    as_json,
    as_text,
    dict_or_value,
    is_list,
    kind,
    not_an_object,
    number,
    place,
    problems_at,
    put,
    rewards_of,
    text_or_none,
)
from .roles import ROLES, Piece, elements_of, role_of
from .shape import wrong_in_items
from .traits import traits_of

__all__ = ["FORMAT", "Docent", "covers", "message_of", "summary"]

_TRANSCRIPT_KEYS: Final = frozenset(Transcript.__struct_fields__)
_GROUP_KEYS: Final = frozenset(TranscriptGroup.__struct_fields__)
_RUN_KEYS: Final = frozenset(AgentRun.__struct_fields__)


def _values(value: Any) -> Sequence[Any]:
    """The elements of a list, or the values of a dict by name (an old form of Docent's)."""
    return list(value.values()) if isinstance(value, dict) else elements_of(value)


def _text(value: Any) -> str | None:
    return None if value is None or isinstance(value, (dict, list)) else as_text(value)


def _agents(record: dict[Any, Any]) -> list[str] | None:
    agents = record.get("agents")
    fits = isinstance(agents, list) and agents and all(isinstance(agent, str) for agent in agents)
    return agents if fits else None


def _reward(value: Any) -> Reward | None:
    if isinstance(value, list) and len(value) == 2 and isinstance(value[1], dict):
        overall, dimensions = number(value[0]), {key: number(score) for key, score in value[1].items()}
        if overall is None or not all(isinstance(k, str) and v is not None for k, v in dimensions.items()):
            return None
        return overall, {key: score for key, score in dimensions.items() if score is not None}
    return None if isinstance(value, bool) else number(value)


def _rewards(record: dict[Any, Any]) -> list[Reward] | None:
    """The run's own rewards where trajview wrote them, otherwise those in `metadata` under scores, reward or score."""
    own = record.get("rewards")
    if isinstance(own, list):
        found = [reward for reward in map(_reward, own) if reward is not None]
        if found and len(found) == len(own):
            return found
    return rewards_of(record.get("metadata"))


def summary(
    run: dict[Any, Any], messages: int, units: int, transcripts: int, models: tuple[str, ...], problems: Iterable[str],
    origin: Origin, task: Callable[[], str | None],
) -> Summary:  # fmt: skip
    """The summary of a run from facts about its transcripts; `task` is called for one without a name."""
    name = text_or_none(run.get("name"))
    return Summary(
        _text(run.get("id")) or origin.default_id, name, messages, units, transcripts,
        tuple(_agents(run) or ()), tuple(_rewards(run) or ()), models, tuple(problems), task() if name is None else None,
    )  # fmt: skip


class Docent(Format):
    """A run of transcripts of messages, which needs no conversion."""

    name = "docent"
    label = "Docent agent run"
    recognises = "`transcripts` that hold `messages`, or one transcript as Docent spells it"

    def detect(self, record: Any) -> Detection | None:
        if not isinstance(record, dict):
            return None
        if "transcripts" in record:
            return self._detect_run(record)
        return self._detect_transcript(record)

    def _detect_run(self, record: dict[Any, Any]) -> Detection | None:
        value = record["transcripts"]
        if not isinstance(value, (list, dict)):
            return None
        first = next(iter(value.values() if isinstance(value, dict) else value), None)
        if isinstance(first, dict) and "messages" in first:
            messages = first["messages"]
            if is_list(messages) and messages and not isinstance(messages[0], dict):
                return Detection(self.name, 0.5, ("`transcripts` have `messages`, but these are no objects",))
            return Detection(self.name, 0.98, ("`transcripts` hold objects with `messages`",))
        if not value and record.keys() >= {"id", "metadata"}:
            return Detection(self.name, 0.6, ("`transcripts` is there, but empty",))
        return None

    def _detect_transcript(self, record: dict[Any, Any]) -> Detection | None:
        messages = record.get("messages")
        if not is_list(messages) or record.keys() - _TRANSCRIPT_KEYS - {"collection_id"}:
            return None
        traits = traits_of(messages)
        if traits.anthropic_blocks or traits.nested_calls or (messages and not traits.messages):
            return None
        why = []
        if "transcript_group_id" in record or {"name", "description", "metadata"} <= record.keys():
            why.append("its keys are those of a Docent transcript")
        if traits.flat_calls or traits.reasoning_parts:
            why.append("calls and parts are spelled as Docent does")
        return Detection(self.name, 0.95, tuple(why)) if why else None

    def _transcripts(self, record: Any, origin: Origin) -> tuple[dict[Any, Any], Sequence[Any]]:
        """A run's record, and its transcripts, at least one."""
        if not isinstance(record, dict):
            raise not_an_object("a Docent agent run", record, origin)
        if "transcripts" not in record:
            if "messages" not in record:
                raise not_an_object("a Docent agent run", record, origin, "an object with `transcripts`")
            return {key: record[key] for key in ("id", "name") if key in record}, [record]
        value = record["transcripts"]
        if not isinstance(value, (list, dict)):
            raise FormatError(
                f"`transcripts` is a list, and this is {kind(value)}",
                hint="an agent run holds a list of transcripts",
                where=place(origin),
            )
        transcripts = _values(value)
        if not transcripts:
            raise FormatError(
                "an agent run needs at least one transcript", hint="the file may be cut short", where=place(origin)
            )
        return record, transcripts

    def summarise(self, record: Any, origin: Origin) -> Summary:
        run, transcripts = self._transcripts(record, origin)
        messages = units = 0
        models: list[str] = []
        problems = wrong_in_items(transcripts, "transcript")
        for index, transcript in enumerate(transcripts):
            said = said_of(_messages_in(transcript), f"transcript {index}, message", each_is_one=True)
            problems += said.problems
            explicit = transcript.get("units") if isinstance(transcript, dict) else None
            messages += len(said.roles)
            units += len(explicit) if covers(explicit, len(said.roles)) else count_units(said.roles)
            models += said.models
        named = tuple(dict.fromkeys([*summary_models((), run.get("metadata")), *models]))
        task = said_of(_messages_in(transcripts[0]), each_is_one=True).task
        return summary(run, messages, units, len(transcripts), named, problems, origin, task)

    def read(self, record: Any, origin: Origin) -> AgentRun:
        return self._build(record, origin)

    def check(self, record: Any, origin: Origin) -> list[Problem]:
        """List what Docent itself would refuse, and what had to be guessed. Raises FormatError where `read` does."""
        problems: list[str] = []
        self._build(record, origin, problems)
        return problems_at(origin, problems)

    def _build(self, record: Any, origin: Origin, wrong: list[str] | None = None) -> AgentRun:
        """Build the run; `wrong` gets its problems, which takes reading every message."""

        problems = [] if wrong is None else wrong
        run, transcripts = self._transcripts(record, origin)
        run_id = _text(run.get("id")) or origin.default_id
        metadata = _metadata(run, _RUN_KEYS, problems, "the run")
        _id(run, run_id, metadata)
        agents, rewards = _agents(run), _rewards(run)
        if agents is None and run.get("agents"):
            put(metadata, "agents", run["agents"])
        if rewards is None and run.get("rewards"):
            put(metadata, "rewards", run["rewards"])
        for key in ("reasoning", "source_format"):
            if run.get(key) is not None and not isinstance(run[key], str):
                put(metadata, key, run[key])
        groups = [
            _group(group, f"{run_id}/group {index}", problems)
            for index, group in enumerate(_values(run.get("transcript_groups")))
        ]
        return AgentRun(
            id=run_id,
            name=_name(run, "name", metadata),
            description=_name(run, "description", metadata),
            transcripts=[
                _transcript(transcript, f"{run_id}/{index}", index, problems, checked=wrong is not None)
                for index, transcript in enumerate(transcripts)
            ],
            transcript_groups=groups,
            metadata=metadata,
            agents=agents,
            rewards=rewards,
            reasoning=run["reasoning"] if isinstance(run.get("reasoning"), str) else None,
            source_format=run["source_format"] if isinstance(run.get("source_format"), str) else self.name,
        )


def _name(record: dict[Any, Any], key: str, metadata: dict[str, Any]) -> str | None:
    """A text of a record; any other value under its key is kept in the metadata."""
    value = record.get(key)
    if value is None or isinstance(value, str):
        return value or None
    put(metadata, key, value)
    return None


def _id(record: dict[Any, Any], default: str, metadata: dict[str, Any]) -> str:
    """The id as text; one that is no text or number is kept in the metadata."""
    found = _text(record.get("id"))
    if found is None and record.get("id") is not None:
        put(metadata, "id", record["id"])
    return found or default


def _metadata(record: dict[Any, Any], known: frozenset[str], problems: list[str], what: str) -> dict[str, Any]:
    value = record.get("metadata")
    if value is not None and not isinstance(value, dict):
        problems.append(f"metadata of {what} must be a dict, not {type(value).__name__}")
    metadata = dict(dict_or_value(value))
    for key in record:
        if key not in known:
            put(metadata, key, decoded(record[key]))
    return metadata


def _messages_in(transcript: Any) -> Sequence[Any]:
    """The messages of a transcript; one that is no object is shown as one message."""
    return elements_of(transcript.get("messages")) if isinstance(transcript, dict) else [transcript]


def covers(units: Any, count: int) -> TypeGuard[list[list[int]]]:
    """Whether units of ours hold every message once and in order, as `Transcript.unit_starts` demands."""
    return (
        isinstance(units, list)
        and all(isinstance(unit, list) and unit for unit in units)
        and [index for unit in units for index in unit] == list(range(count))
        and all(type(index) is int for unit in units for index in unit)
    )


def _group(group: Any, default_id: str, problems: list[str]) -> TranscriptGroup:

    if not isinstance(group, dict):
        problems.append(f"a transcript group is an object, and this is {kind(group)}")
        return TranscriptGroup(id=default_id, metadata={"value": group})
    metadata = _metadata(group, _GROUP_KEYS, problems, "a transcript group")
    fields = {key: _name(group, key, metadata) for key in sorted(_GROUP_KEYS - {"id", "metadata"})}
    return TranscriptGroup(id=_id(group, default_id, metadata), metadata=metadata, **fields)


def _transcript(transcript: Any, default_id: str, index: int, problems: list[str], *, checked: bool) -> Transcript:

    record = transcript if isinstance(transcript, dict) else {}
    if record is not transcript:
        problems.append(f"transcript {index} is no object but {kind(transcript)}")
    value = record.get("messages", [])
    if not is_list(value):
        problems.append(f"`messages` of transcript {index} must be a list, not {kind(value)}")
    items = _messages_in(transcript)
    if checked:
        reasons = (message_of(item)[1] for item in items)
        problems += [f"message {at} of transcript {index}: {reason}" for at, reason in enumerate(reasons) if reason]
    source = DocentSource(items)
    metadata = _metadata(record, _TRANSCRIPT_KEYS, problems, f"transcript {index}")
    units = record.get("units")
    if units is not None and not covers(units, len(source.roles)):
        put(metadata, "units", units)
        units = None
    return Transcript(
        id=_id(record, default_id, metadata),
        name=_name(record, "name", metadata),
        description=_name(record, "description", metadata),
        transcript_group_id=_name(record, "transcript_group_id", metadata),
        created_at=_name(record, "created_at", metadata),
        messages=source.messages(source.roles),
        metadata=metadata,
        units=units,
    )


def message_of(item: Any) -> tuple[ChatMessage, str]:
    """A message by Docent's rules; one that breaks them is read as any chat message is, with a note of that.

    Returns it, and what is wrong with it.
    """

    try:
        return _with_shadowed(message_from(item), item), ""
    except (ValueError, AttributeError):  # Docent's own rules may still accept it, or tell why not
        from pydantic import ValidationError

        from trajview.models.docent import message_adapter, plain_message
    try:
        return _with_shadowed(message_from(plain_message(message_adapter().validate_python(item))), item), ""
    except ValidationError as error:
        reason = _reason(item, error.errors(include_url=False, include_input=False)[0])
        return _salvage(item, reason), reason


def _with_shadowed(message: ChatMessage, item: dict[str, Any]) -> ChatMessage:
    """The message, with the unknown keys that its metadata has too: there the model lets the metadata win."""
    metadata = item.get("metadata")
    if metadata:
        for key in item.keys() & metadata.keys() - message.keys:
            put(message.metadata, key, item[key])
    return message


def _reason(item: Any, error: Any) -> str:
    """The first error of a message and its place, in words; the tags of the unions say nothing to a reader."""
    if not isinstance(item, dict):
        return f"a message is an object, and this is {kind(item)}"
    steps = [str(step) for step in error["loc"]]
    if not steps:
        return (
            "role is missing" if "role" not in item else f"role {as_json(item['role'], None)[:60]} is none of Docent's"
        )
    steps = steps[1:]
    if steps[:1] == ["content"] and not isinstance(item.get("content"), (str, list)):
        return f"content must be text or a list of parts, not {kind(item.get('content'))}"
    reason = error["msg"].removeprefix("Value error, ")
    return reason if reason.startswith(".".join(steps)) else f"{'.'.join(steps)}: {reason}"


def _salvage(item: Any, reason: str) -> ChatMessage:
    built = Conversation().add(Piece(role_of(item), item))
    built["metadata"][PROBLEM] = reason
    return chat_message_of(built)


class DocentSource(MessageSource):
    """The messages that `message_of` makes of logged items. `roles`: the role of each."""

    def __init__(self, items: Sequence[Any]) -> None:
        super().__init__()
        self._items = items if isinstance(items, Elements) else Elements(items)
        heads = enumerate(self._items.heads())
        self.roles = [role_of(items[at]) if head is None else ROLES[head.role] for at, head in heads]

    def read(self, at: int) -> ChatMessage:
        return message_of(self._items[at])[0]

    def logged(self, at: int) -> memoryview | None:
        found = self._items.logged[at]
        return memoryview(found) if isinstance(found, Raw) else None

    def size(self, at: int) -> Measured:
        head = self._items.heads()[at]
        return super().size(at) if head is None else size_in(head)


FORMAT = Docent()
