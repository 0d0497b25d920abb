"""Cache entries: the runs and problems of a file as bytes, by columns, so that a thousand runs are made in one go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from trajview.errors import Problem, Where

from .info import Item, RunInfo
from .rewards import Rewards
from .walk import SourceFile

if TYPE_CHECKING:
    from trajview.models.run import Reward

__all__ = ["CHUNK", "packed", "unpacked"]

CHUNK: Final = 1000
"""Items that are decoded in one go."""

_Number = int | float
_Rewards = tuple[_Number | tuple[_Number, dict[str, _Number]], ...]
_T = TypeVar("_T")


class _Kind(msgspec.Struct, array_like=True, gc=False, frozen=True):
    """The fields that many runs have in common."""

    format: str
    container: str
    alone: bool
    agents: tuple[str, ...]
    models: tuple[str, ...]


class _Problem(msgspec.Struct, array_like=True, gc=False):
    at: int
    """The number of the chunk's run that it stands before."""
    reason: str
    hint: str
    here: bool
    line: int | None
    record: int | None
    opens: bool


class _Chunk(msgspec.Struct, array_like=True, gc=False):
    """Runs by columns, and the problems between them."""

    kinds: list[_Kind]
    which: list[int]
    ids: list[str]
    records: list[int]
    lines: list[int | None]
    offsets: list[int]
    lengths: list[int]
    names: list[str | None]
    messages: list[int]
    units: list[int]
    transcripts: list[int]
    rewards: list[Any]
    """The rewards; none where `rows` has them."""
    dimensions: list[tuple[str, ...]]
    which_dimensions: list[int]
    rows: list[bytes]
    """The rows of `Rewards`, if all runs have such, or none."""
    members: list[str | None]
    tasks: list[str | None]
    problems: list[_Problem]


class _TypedChunk(_Chunk, array_like=True, gc=False):
    """A chunk whose rewards are all of the right types."""

    rewards: list[_Rewards]


def packed(items: Sequence[Item], path: Path) -> bytes:
    """Items of one file as bytes. Raises ValueError, TypeError and OverflowError: for text that no encoding takes, or
    numbers beyond 64 bits."""
    encoder = msgspec.msgpack.Encoder()
    chunks = [encoder.encode(_chunk(items[at : at + CHUNK], path)) for at in range(0, len(items), CHUNK)]
    return encoder.encode(chunks)


def unpacked(data: bytes, source: SourceFile) -> Iterator[list[Item]]:
    """The items again, many at a time; the key of a run is its id."""
    usual = msgspec.msgpack.Decoder(_TypedChunk).decode
    for each in msgspec.msgpack.decode(data, type=list[bytes]):
        try:
            chunk: _Chunk = usual(each)
        except msgspec.ValidationError:
            chunk = msgspec.msgpack.decode(each, type=_Chunk)
            chunk.rewards = [tuple([_reward(reward) for reward in found]) for found in chunk.rewards]
        items: list[Item] = list(_infos(chunk, source))
        for before, problem in enumerate(chunk.problems):
            where = Where(source.path if problem.here else None, problem.line, problem.record)
            items.insert(problem.at + before, Problem(problem.reason, problem.hint, where, problem.opens))
        yield items


def _chunk(items: Sequence[Item], path: Path) -> _Chunk:
    chunk = _Chunk([], [], [], [], [], [], [], [], [], [], [], [], [], [], [], [], [], [])
    kinds: dict[_Kind, int] = {}
    rewards: list[tuple[Reward, ...] | Rewards] = []
    for item in items:
        if isinstance(item, Problem):
            where = item.where
            told = item.reason, item.hint, where.path == path, where.line, where.record, item.opens
            chunk.problems.append(_Problem(len(chunk.ids), *told))
            continue
        kind = _Kind(item.format, item.container, item.alone, item.agents, item.models)
        chunk.which.append(kinds.setdefault(kind, len(kinds)))
        chunk.ids.append(item.id)
        chunk.records.append(item.record)
        chunk.lines.append(item.line)
        chunk.offsets.append(item.offset)
        chunk.lengths.append(item.length)
        chunk.names.append(item.name)
        chunk.messages.append(item.messages)
        chunk.units.append(item.units)
        chunk.transcripts.append(item.transcripts)
        rewards.append(item.rewards)
        chunk.members.append(item.member)
        chunk.tasks.append(item.task)
    chunk.kinds = list(kinds)
    _add_rewards(chunk, rewards)
    return chunk


def _add_rewards(chunk: _Chunk, found: list[tuple[Reward, ...] | Rewards]) -> None:
    if not all(isinstance(each, Rewards) or not each for each in found):
        chunk.rewards = [tuple(each) for each in found]
        return
    dimensions: dict[tuple[str, ...], int] = {}
    for each in found:
        names, row = (each.names, each.row) if isinstance(each, Rewards) else ((), b"")
        chunk.which_dimensions.append(dimensions.setdefault(names, len(dimensions)))
        chunk.rows.append(row)
    chunk.dimensions = list(dimensions)


def _rewards(chunk: _Chunk) -> Iterable[tuple[Reward, ...] | Rewards]:
    if chunk.rewards:
        return chunk.rewards
    names = _spread(chunk.dimensions, chunk.which_dimensions)
    if b"" in chunk.rows:
        return [Rewards(*each) if each[1] else () for each in zip(names, chunk.rows)]  # noqa: B905 - the names may be endless
    return map(Rewards, names, chunk.rows)


def _infos(chunk: _Chunk, source: SourceFile) -> Iterator[RunInfo]:
    kinds, which, members = chunk.kinds, chunk.which, chunk.members
    shown: Iterable[str] = repeat(source.source)
    if members.count(None) < len(members):
        shown = [source.source if member is None else f"{source.source}/{member}" for member in members]
    return map(
        RunInfo, chunk.ids, chunk.ids, repeat(source.path), shown,
        _spread([kind.format for kind in kinds], which), _spread([kind.container for kind in kinds], which),
        chunk.records, chunk.lines, chunk.offsets, chunk.lengths, _spread([kind.alone for kind in kinds], which),
        chunk.names, chunk.messages, chunk.units, chunk.transcripts, _spread([kind.agents for kind in kinds], which),
        _rewards(chunk), _spread([kind.models for kind in kinds], which), members,
        chunk.tasks,
    )  # fmt: skip


def _spread(values: list[_T], which: list[int]) -> Iterable[_T]:
    """The value of each run, from the values that some have."""
    return repeat(values[0]) if len(values) == 1 else [values[kind] for kind in which]


def _reward(value: Any) -> Any:
    """A reward with its dimensions is a pair, for which the bytes have a list."""
    return (value[0], value[1]) if isinstance(value, list) else value
