"""The sub-agents of a run: which transcripts are theirs, at which call each was started, and a tree of all transcripts.

No format says this in one way. A call and the transcript that it started belong together where, the surest sign first,

1. the transcript names the call: a key of its metadata (`tool_call_id`, `parent_tool_use_id`, …) holds the call's id;
2. the call names the transcript: an argument of it, or the metadata of its answer, holds the transcript's id (or the
   agent's id that the transcript has in its metadata);
3. the transcript, or its group, has the call's id as its id or name;
4. the transcript's first user message is an argument of the call, word for word: the task that it was given. Of equal
   tasks the first call started the first transcript.

A transcript that only names its parent (`parent_transcript_id`) is below it, but no call is known to enter it at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .messages import AssistantMessage, ToolCall, ToolMessage
from .run import AgentRun
from .transcript import Transcript, TranscriptGroup

__all__ = ["Branches", "Entry", "Node", "branches_of", "tree_of"]

_CALL_KEYS = ("parent_tool_call_id", "parent_tool_use_id", "tool_call_id", "tool_use_id", "toolUseId", "parentToolUseId",
              "call_id", "parent_call_id", "spawned_by_call_id")  # fmt: skip
_PARENT_KEYS = ("parent_transcript_id", "parent_id", "parent_agent_id", "parent_session_id", "parentAgentId")
_AGENT_KEYS = ("trajectory_id", "agent_id", "agentId", "subagent_id", "session_id", "sessionId", "transcript_id")

_SHORTEST_TASK = 16
"""Characters below which two equal texts may be equal by chance."""
_LONGEST_ID = 200
_MOST_VALUES = 40
"""Values of arguments or metadata that are looked at, nested ones included."""


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """A place that leads to the transcript `child`: a call (its number in the message), or an answer (then -1)."""

    transcript: int
    message: int
    call: int
    child: int


@dataclass(slots=True)
class Branches:
    """The links between the transcripts of a run. Transcripts and messages are indices."""

    entries: dict[tuple[int, int], list[Entry]] = field(default_factory=dict)
    """The calls that started a sub-agent, and the answers that one gave, by transcript and message."""
    came_from: dict[int, Entry] = field(default_factory=dict)
    """The call that started a transcript first."""
    parents: dict[int, int] = field(default_factory=dict)
    """The transcript above each one, without cycles."""

    def at(self, transcript: int, message: int) -> list[Entry]:
        """The sub-agents that a message leads to, in the order of its calls."""
        return self.entries.get((transcript, message), [])


@dataclass(frozen=True, slots=True)
class Node:
    """A line of the tree: a group (`transcript` None) or a transcript, at a depth; `key` is its own within the run."""

    key: str
    depth: int
    name: str
    transcript: int | None
    parent: bool
    """Whether others are below it."""
    transcripts: int
    """How many transcripts are in it, itself included."""


# -- calls and transcripts ---------------------------------------------------------------------------------------------


def branches_of(run: AgentRun, cancelled: Callable[[], bool] = lambda: False) -> Branches:
    """Find the sub-agents of a run. Looks at every call and answer where there are several transcripts: for a thread."""
    if len(run.transcripts) < 2:
        return Branches()
    links = _Links(run)
    for index, transcript in enumerate(run.transcripts):
        calls: dict[str, Entry] = {}
        for number, message in _calling(transcript):
            if cancelled():
                return Branches()
            if isinstance(message, AssistantMessage):
                links.look_at_calls(message, index, number, calls)
            else:
                links.look_at_answer(message, Entry(index, number, -1, -1), calls)
    found = Branches()
    links.link_named(found)
    links.link_tasks(found)
    links.link_answers(found)
    for child, transcript in enumerate(run.transcripts):
        for parent in _named_in({"above": [transcript.metadata.get(key) for key in _PARENT_KEYS]}, links.named):
            _put_below(found, child, parent)
    return found


class _Links:
    """The links that calls and answers make to transcripts: gathered message by message, then linked, the surest first."""

    def __init__(self, run: AgentRun) -> None:
        self.named = _names(run)
        self._tasks = _tasks(run)
        self._by_call = _named_calls(run)
        self._by_id: list[tuple[int, Entry]] = []
        """The number of the rule, and the call or answer with the transcript that it leads to."""
        self._by_task: list[tuple[str, Entry]] = []
        """An argument that is a task, and the call that has it."""
        self._answers: list[tuple[Entry, Entry]] = []
        """A call and its answer."""

    def look_at_calls(self, message: AssistantMessage, transcript: int, number: int, calls: dict[str, Entry]) -> None:
        """Note where the calls of a message lead, and where they are, by id."""
        for position, call in enumerate(message.tool_calls or ()):
            place = Entry(transcript, number, position, -1)
            if call.id:
                calls[call.id] = place
                for rule, child in self._by_call.get(call.id, ()):
                    self._leads_to(place, child, rule)
            for child in _named_in(call.arguments, self.named):
                self._leads_to(place, child, 2)
            self._by_task += [(task, place) for task in _texts(call) if task in self._tasks]

    def look_at_answer(self, message: ToolMessage, here: Entry, calls: Mapping[str, Entry]) -> None:
        """Note the transcript that an answer's call leads to; without a call, the one that the answer leads to."""
        call = calls.get(message.tool_call_id or "")
        for child in _named_in(message.metadata, self.named):
            self._leads_to(call or here, child, 2)
        if call is not None:
            self._answers.append((call, here))

    def _leads_to(self, place: Entry, child: int, rule: int) -> None:
        if child != place.transcript:
            self._by_id.append((rule, _to(place, child)))

    def link_named(self, found: Branches) -> None:
        """Link what names a transcript, or is named by one, in the order of the rules."""
        for _, entry in sorted(self._by_id, key=lambda each: each[0]):
            _link(found, entry)

    def link_tasks(self, found: Branches) -> None:
        """Link calls that lead nowhere yet to transcripts whose task is an argument of theirs."""
        for task, place in self._by_task:
            left = [child for child in self._tasks[task] if child not in found.came_from and child != place.transcript]
            if left and not any(entry.call == place.call for entry in found.at(place.transcript, place.message)):
                _link(found, _to(place, left[0]))

    def link_answers(self, found: Branches) -> None:
        """Let each answer lead to where its call does."""
        for call, here in self._answers:
            for entry in [each for each in found.at(call.transcript, call.message) if each.call == call.call]:
                _add(found, _to(here, entry.child))


def _to(place: Entry, child: int) -> Entry:
    return Entry(place.transcript, place.message, place.call, child)


def _link(found: Branches, entry: Entry) -> None:
    """Link a call to a transcript. The first call has started it; a link that would close a circle only leads there."""
    _add(found, entry)
    if _put_below(found, entry.child, entry.transcript):
        found.came_from[entry.child] = entry


def _add(found: Branches, entry: Entry) -> None:
    there = found.entries.setdefault((entry.transcript, entry.message), [])
    if entry not in there:
        there.append(entry)
        there.sort()


def _put_below(found: Branches, child: int, parent: int) -> bool:
    if child in found.parents:
        return False
    above: int | None = parent
    while above is not None:
        if above == child:
            return False
        above = found.parents.get(above)
    found.parents[child] = parent
    return True


def _calling(transcript: Transcript) -> Iterator[tuple[int, AssistantMessage | ToolMessage]]:
    """The messages that may hold calls and answers."""
    for number, message in enumerate(transcript.messages):
        if isinstance(message, AssistantMessage | ToolMessage):
            yield number, message


def _names(run: AgentRun) -> dict[str, int]:
    """The ids by which a transcript can be named; an id that several have names none."""
    found: dict[str, int] = {}
    twice: set[str] = set()
    for index, transcript in enumerate(run.transcripts):
        ids = {
            transcript.id,
            *(transcript.metadata.get(key) for key in _AGENT_KEYS if _is_id(transcript.metadata.get(key))),
        }
        for one in filter(None, ids):
            twice |= {one} if found.setdefault(one, index) != index else set()
    return {one: index for one, index in found.items() if one not in twice}


def _named_calls(run: AgentRun) -> dict[str, list[tuple[int, int]]]:
    """The rule by a call's id, and the transcript that names the call (1) or is named after it (3)."""
    groups = {group.id: group for group in run.transcript_groups}
    found: dict[str, list[tuple[int, int]]] = {}
    for index, transcript in enumerate(run.transcripts):
        group = groups.get(transcript.transcript_group_id or "")
        said = [transcript.metadata, *([group.metadata] if group else [])]
        for one in dict.fromkeys(
            metadata.get(key) for metadata in said for key in _CALL_KEYS if _is_id(metadata.get(key))
        ):
            found.setdefault(str(one), []).append((1, index))
        for one in {transcript.id, transcript.name, *([group.id, group.name] if group else [])}:
            if one:
                found.setdefault(one, []).append((3, index))
    return found


def _tasks(run: AgentRun) -> dict[str, list[int]]:
    """The transcripts by the text of their first user message, in order."""
    found: dict[str, list[int]] = {}
    for index, transcript in enumerate(run.transcripts):
        for message in transcript.messages[:5]:
            if message.role == "user":
                task = message.text.strip()
                if len(task) >= _SHORTEST_TASK:
                    found.setdefault(task, []).append(index)
                break
    return found


def _texts(call: ToolCall) -> Iterator[str]:
    for value in list(call.arguments.values())[:_MOST_VALUES]:
        if isinstance(value, str):
            yield value.strip()


def _is_id(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_ID


def _named_in(
    values: dict[str, Any], named: dict[str, int], skipped: frozenset[str] = frozenset(_PARENT_KEYS)
) -> list[int]:
    """The transcripts whose id is a value somewhere in `values`, each once; not under keys that name a parent."""
    found: dict[int, None] = {}
    waiting: list[Any] = [values]
    looked_at = 0
    while waiting and looked_at < _MOST_VALUES:
        looked_at += 1
        value = waiting.pop(0)
        if isinstance(value, dict):
            waiting += [inner for key, inner in list(value.items())[:_MOST_VALUES] if key not in skipped]
        elif isinstance(value, list):
            waiting += value[:_MOST_VALUES]
        elif _is_id(value) and value in named:
            found[named[value]] = None
    return list(found)


# -- the tree ----------------------------------------------------------------------------------------------------------


def tree_of(run: AgentRun, branches: Branches) -> list[Node]:
    """The groups and transcripts of a run from top to bottom.

    A transcript stands in its group; without one, or in the same one, below the transcript that started it. Groups of
    groups nest; a group that is its own parent in the end stands at the top, one without transcripts nowhere.
    """
    groups = {group.id: group for group in run.transcript_groups}
    below = _below(run, branches, groups)
    counts = _counts(below)
    nodes = []
    waiting = [(key, 0) for key in reversed(below[""])]
    while waiting:
        key, depth = waiting.pop()
        index = int(key[1:]) if key[0] == "t" else None
        name = groups[key[1:]].name if index is None else run.transcripts[index].name
        children = below.get(key, [])
        nodes.append(Node(key, depth, name or "", index, bool(children), counts.get(key, 1)))
        waiting += [(child, depth + 1) for child in reversed(children)]
    return nodes


def _below(run: AgentRun, branches: Branches, groups: Mapping[str, TranscriptGroup]) -> dict[str, list[str]]:
    """The keys of the nodes right below a node, by its key, which is empty for the top."""
    below: dict[str, list[str]] = {"": []}
    placed: set[str] = set()
    for index, transcript in enumerate(run.transcripts):
        group = transcript.transcript_group_id if transcript.transcript_group_id in groups else None
        parent = branches.parents.get(index)
        if parent is not None and group in (None, run.transcripts[parent].transcript_group_id):
            below.setdefault(f"t{parent}", []).append(f"t{index}")
            continue
        chain = [f"t{index}", *(f"g{each}" for each in _groups_above(group, groups))]
        for key, above_key in zip(chain, [*chain[1:], ""], strict=True):
            if key in placed:  # its place is known, and in a circle of groups one of them is at the top
                break
            placed.add(key)
            below.setdefault(above_key, []).append(key)
    return below


def _groups_above(group: str | None, groups: Mapping[str, TranscriptGroup]) -> list[str]:
    """A group and those that it is in, from the inside out, each once."""
    found: dict[str, None] = {}
    while group is not None and group not in found:
        found[group] = None
        above = groups[group].parent_transcript_group_id
        group = above if above in groups else None
    return list(found)


def _counts(below: dict[str, list[str]]) -> dict[str, int]:
    order, waiting = [], list(below[""])
    while waiting:
        key = waiting.pop()
        order.append(key)
        waiting += below.get(key, [])
    counts: dict[str, int] = {}
    for key in reversed(order):
        counts[key] = (key[0] == "t") + sum(counts[child] for child in below.get(key, []))
    return counts
