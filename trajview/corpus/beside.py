"""What a coding agent's sub-agents said, where its session says it in files of their own.

`SESSION.jsonl` has the sub-agents' files in the folder `SESSION/subagents`, or, of older versions, beside itself:
`agent-ID.jsonl`, whose events are as those of a side chain, and `agent-ID.meta.json`, which says what it was for and the
call that started it. They are runs of their own in the list; a session that is opened has them as transcripts too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from trajview.errors import TrajviewError

from .decode import decode_json
from .files import Stamp, open_source, stamp_of

if TYPE_CHECKING:
    from trajview.models.run import AgentRun

__all__ = ["Beside", "beside"]

_MOST_FILES: Final = 200
_MOST_BYTES: Final = 256 << 20
_MOST_OF_META: Final = 1 << 16  # bytes
_AGENT: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FILE: Final = re.compile(r"agent-([A-Za-z0-9_-]{1,64})\.jsonl")
_COMPACTED: Final = "acompact"
"""How the names of agents begin that only shorten the session's own context."""


@dataclass(slots=True)
class Beside:
    """The events of sub-agents, in the order in which these began, and what is known of each by its id."""

    lines: list[Any] = field(default_factory=list)
    known: dict[str, dict[str, Any]] = field(default_factory=dict)
    stamps: dict[Path, Stamp] = field(default_factory=dict)
    """What was read, and the folder that it is in, as they were before."""

    def describe(self, run: AgentRun) -> None:
        """Name the sub-agents' transcripts after what they were for, and the calls that started them."""
        for transcript in run.transcripts[1:]:
            known = self.known.get(str(transcript.metadata.get("agentId")))
            if known:
                description = known.get("description")
                if isinstance(description, str) and description.strip():
                    transcript.name = description
                transcript.metadata = {**known, **transcript.metadata}


def beside(path: Path, value: Any) -> Beside | None:
    """What stands in files beside a session's; None where its value is no session, or nothing does.

    Files that cannot be read, and lines that are no events, are left out: opened themselves, they say so.
    """
    if path.suffix != ".jsonl" or not isinstance(value, list) or not any(map(_is_main, value)):
        return None
    there = {line["agentId"] for line in value if isinstance(line, dict) and isinstance(line.get("agentId"), str)}
    found = Beside()
    chains: list[tuple[str, list[Any]]] = []
    left = _MOST_BYTES
    for agent, file in _files(path, value):
        if agent in there:
            continue
        try:
            stamp = stamp_of(file)
            lines = [] if stamp[0] > left else list(_events(file, agent))
        except (OSError, ValueError, TrajviewError):
            continue
        if lines:
            left -= stamp[0]
            found.stamps[file] = stamp
            chains.append((str(lines[0].get("timestamp", "")), lines))
            found.known[agent] = _meta(file.with_suffix(".meta.json"))
    with suppress(TrajviewError):
        found.stamps[_folder(path)] = stamp_of(_folder(path))
    for _, lines in sorted(chains, key=lambda chain: chain[0]):
        found.lines += lines
    return found if found.lines else None


def _is_main(line: Any) -> bool:
    """Whether this is an event of a session, and of no side chain."""
    return isinstance(line, dict) and isinstance(line.get("sessionId"), str) and line.get("isSidechain") is False


def _folder(path: Path) -> Path:
    return path.with_suffix("") / "subagents"


def _files(path: Path, value: Iterable[Any]) -> Iterator[tuple[str, Path]]:
    """The files of sub-agents, with their ids: of the session's own folder, and those beside it that it names."""
    folder = _folder(path)
    try:
        names = sorted(each.name for each in folder.iterdir())
    except OSError:
        names = []
    seen: dict[str, Path] = {}
    for name in names:
        match = _FILE.fullmatch(name)
        if match and not match[1].startswith(_COMPACTED):
            seen[match[1]] = folder / name
    for line in value:
        result = line.get("toolUseResult") if isinstance(line, dict) else None
        agent = result.get("agentId") if isinstance(result, dict) else None
        # Not any path that a log may name.
        if isinstance(agent, str) and _AGENT.fullmatch(agent):
            seen.setdefault(agent, path.with_name(f"agent-{agent}.jsonl"))
    yield from list(seen.items())[:_MOST_FILES]


def _events(file: Path, agent: str) -> Iterator[dict[str, Any]]:
    """The events of a sub-agent. Raises OSError and TrajviewError."""
    with open_source(file) as source:
        for line in source:
            try:
                event = decode_json(line)[0] if line.strip() else None
            except (ValueError, TrajviewError):
                continue
            if isinstance(event, dict):
                yield {"agentId": agent, **event, "isSidechain": True}


def _meta(file: Path) -> dict[str, Any]:
    """What is written of a sub-agent beside its events; nothing where that cannot be read."""
    try:
        with open_source(file) as source:
            value = decode_json(source.read(_MOST_OF_META))[0]
    except (OSError, ValueError, TrajviewError):
        return {}
    if not isinstance(value, dict):
        return {}
    return {key: value[key] for key in ("agentType", "description", "toolUseId") if isinstance(value.get(key), str)}
