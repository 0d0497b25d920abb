"""Events of a journal: how one is written as a line and read again, whatever program wrote it.

A line is a JSON object in ASCII. All have `time` (ISO 8601, UTC), `event`, `annotator`, `episode`, `rubric` and `id`;
what else they have depends on the event:

- draft, discard: `values` and `rationales` (a list with an object per agent: dimension to text), `reasoning`, `base`
  (the version of the record that the work started from), `program` (a name for one run of the program), `beginning`
  (how the run began, where that is known). A draft that is being submitted also has `record`: the `file`, its text
  `before` (null for none) and `after`, and `version`, the hash of the latter.
- submit: the same; `of` is the draft that is now the record, and has `record`. (Where that draft could not be written,
  `record` is here.)
- skip, flag: `reason`. unskip, unflag: nothing more.
- unit: `transcript`, `unit`, `scores`, `note`, and `before`, the note that it replaced. mark, unmark: `note`, `before`.
  All of these have `beginning`, too.
- reveal: `what`. time: `seconds`.
- same, apart: `beginning` of the run that is under the episode's name by now. What was there is about that one too; or
  is kept `to` another name (a list of names), and nothing of it counts here.
- import: `pk` and `version` of a record that was taken from a file, its `source`, and `by` whom.
- undo, redo: `of`, the ids of the events that are taken back, or in force again.

Events that this program does not know are kept and passed over: a later version may have written them.
"""

from __future__ import annotations

import hashlib
import json
import math
import secrets
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from .draft import Draft

__all__ = ["Entry", "body_of", "draft_fields", "draft_of", "encode", "entry_of", "now", "parse_time"]

DAY = 86_400.0
_LONGEST = 400
"""Characters that a run's beginning has at most."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """The part of an event that replaying a journal needs; the whole line is `length` bytes from `offset`."""

    id: str
    kind: str
    episode: str
    rubric: str
    time: str
    offset: int
    length: int
    of: tuple[str, ...] = ()
    reason: str = ""
    seconds: float = 0.0
    what: str = ""
    file: str = ""
    """The record that a draft was about to become, empty for a plain draft."""
    version: str = ""
    """The version of that record."""
    program: str = ""
    """The run of a program that wrote the draft: the typing of two is not mixed."""
    beginning: str = ""
    """How the run began that the event is about, empty where that is not known."""
    number: int = 0
    """The number of the event among those of the journal that could be read, from 1."""

    @property
    def key(self) -> tuple[str, str]:
        """The key of a draft: episode and rubric."""
        return self.episode, self.rubric

    @property
    def at(self) -> datetime | None:
        """The time of the event by the clock of that moment, None where the line does not say."""
        return parse_time(self.time)


class _Record(msgspec.Struct, gc=False):
    file: str = ""
    version: str = ""


class _Line(msgspec.Struct, gc=False):
    """The few keys that replaying needs; msgspec passes over the others without building them."""

    event: str
    episode: str
    rubric: str = ""
    time: str = ""
    id: str = ""
    of: list[str] | str | None = None
    reason: str = ""
    seconds: float = 0.0
    what: str = ""
    record: _Record | None = None
    program: str = ""
    beginning: str = ""


_DECODER = msgspec.json.Decoder(_Line)


def now() -> datetime:
    """The time for a new event, in UTC."""
    return datetime.now(UTC)


def encode(event: str, annotator: str, episode: str, rubric: str, data: Mapping[str, Any]) -> tuple[str, bytes]:
    """A new event's id and its line, newline included."""
    id = secrets.token_hex(8)
    entry = {
        "time": now().isoformat(timespec="milliseconds"),
        "event": event,
        "annotator": annotator,
        "episode": episode,
        "rubric": rubric,
        **data,
        "id": id,
    }
    # ASCII, so that lone surrogates and odd line separators survive and a line is a line.
    return id, json.dumps(entry, ensure_ascii=True, separators=(", ", ": ")).encode("ascii") + b"\n"


def draft_fields(draft: Draft) -> dict[str, Any]:
    """The keys of a draft for its line; empty fields are left out."""
    return {
        "values": [{name: text for name, text in typed.items() if text} for typed in draft.values],
        "rationales": [{name: text for name, text in typed.items() if text} for typed in draft.rationales],
        "reasoning": draft.reasoning,
        "base": draft.base,
        **({"beginning": draft.beginning} if draft.beginning else {}),
    }


def entry_of(line: bytes, offset: int, number: int) -> Entry | None:
    """Read an event from its line; None where the line is none. A value of a wrong type counts as absent."""
    try:
        head = _DECODER.decode(line)
    except ValueError:  # Lone surrogates, or a wrong type somewhere: slower, and tolerant.
        found = _tolerant(line)
        if found is None:
            return None
        head = found
    record = head.record or _Record()
    return Entry(
        # Lines of the first version have no id; the same line gives the same one each time it is read.
        head.id or hashlib.blake2b(line.strip(), digest_size=8).hexdigest(),
        head.event,
        head.episode,
        head.rubric,
        head.time,
        offset,
        len(line),
        (head.of,) if isinstance(head.of, str) else tuple(head.of or ()),
        head.reason,
        head.seconds if math.isfinite(head.seconds) and 0 < head.seconds <= DAY else 0.0,
        head.what,
        record.file,
        record.version,
        head.program,
        sys.intern(head.beginning[:_LONGEST]),  # nearly all drafts of a run share it
        number,
    )


def _tolerant(line: bytes) -> _Line | None:
    entry = body_of(line)
    if not all(isinstance(entry.get(key), str) for key in ("event", "episode")):
        return None

    def text(key: str) -> str:
        value = entry.get(key)
        return value if isinstance(value, str) else ""

    of, seconds, record = entry.get("of"), entry.get("seconds"), entry.get("record")
    record = record if isinstance(record, dict) else {}
    file, version = record.get("file"), record.get("version")
    return _Line(
        entry["event"],
        entry["episode"],
        text("rubric"),
        text("time"),
        text("id"),
        [id for id in of if isinstance(id, str)] if isinstance(of, list) else of if isinstance(of, str) else None,
        text("reason"),
        float(seconds) if isinstance(seconds, int | float) and abs(seconds) <= DAY else 0.0,
        text("what"),
        _Record(file, version) if isinstance(file, str) and isinstance(version, str) else None,
        text("program"),
        text("beginning"),
    )


def body_of(line: bytes) -> dict[str, Any]:
    """All keys of an event, empty where the line is no object."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def draft_of(body: Mapping[str, Any], episode: str, rubric: str) -> Draft:
    """Read a draft from its event; a value of a wrong type counts as not typed."""
    reasoning, base, beginning = body.get("reasoning"), body.get("base"), body.get("beginning")
    return Draft(
        episode,
        rubric,
        _texts(body.get("values")),
        reasoning if isinstance(reasoning, str) else "",
        base if isinstance(base, str) else None,
        parse_time(body.get("time")),
        _texts(body.get("rationales")),
        beginning if isinstance(beginning, str) else "",
    )


def _texts(values: object) -> tuple[dict[str, str], ...]:
    """A text per dimension, for each agent."""
    return tuple(
        {k: v for k, v in typed.items() if isinstance(v, str)} if isinstance(typed, dict) else {}
        for typed in (values if isinstance(values, list) else ())
    )


def parse_time(text: object) -> datetime | None:
    """The time of an event, None where it is none."""
    try:
        time = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return time if time is None or time.tzinfo else time.replace(tzinfo=UTC)
