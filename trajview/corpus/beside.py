"""Sub-agents of a coding agent whose messages its session keeps in files of their own.

`SESSION.jsonl` has the sub-agents' files in the folder `SESSION/subagents`, or, of older versions, beside itself:
`agent-ID.jsonl`, whose events are as those of a side chain, and `agent-ID.meta.json`, which says what it was for and the
call that started it. They are runs of their own in the list; a session that is opened has them as transcripts too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Raw, Struct, convert
from msgspec.json import Decoder

from trajview.errors import TrajviewError
from trajview.formats.logged import Elements
from trajview.formats.plain import is_list

from .bounds import BOUNDS
from .decode import decode_json
from .files import Stamp, open_source, stamp_of

if TYPE_CHECKING:
    from trajview.models.run import AgentRun

__all__ = ["Beside", "beside"]

_MOST_FILES: Final = 200
_MOST_BYTES: Final = 256 << 20
_MOST_OF_META: Final = 1 << 16  # bytes
_FILE: Final = re.compile(r"agent-([A-Za-z0-9_-]{1,64})\.jsonl")
_COMPACTED: Final = "acompact"
"""The prefix of names of agents that only shorten the session's own context."""


@dataclass(slots=True)
class Beside:
    """The events of sub-agents in the order in which these began, and the facts known of each by its id."""

    lines: list[Any] = field(default_factory=list)
    known: dict[str, dict[str, Any]] = field(default_factory=dict)
    stamps: dict[Path, Stamp] = field(default_factory=dict)
    """The stamps, from before, of the files that were read and of their folder."""

    def describe(self, run: AgentRun) -> None:
        """Name the sub-agents' transcripts after their tasks, and the calls that started them."""
        for transcript in run.transcripts[1:]:
            known = self.known.get(str(transcript.metadata.get("agentId")))
            if known:
                description = known.get("description")
                if isinstance(description, str) and description.strip():
                    transcript.name = description
                transcript.metadata = {**known, **transcript.metadata}


def beside(path: Path, lines: Any) -> Beside | None:
    """Read the files of sub-agents beside a session's; None where its lines are of no session, or there are none.

    Files that cannot be read, and lines that are no events, are left out: opened themselves, they say so.
    """
    if path.suffix != ".jsonl" or not is_list(lines):
        return None
    files = {agent: file for agent, file in _files_in(_folder(path), path) if not agent.startswith(_COMPACTED)}
    others = dict(_files_in(path.parent, path))
    if not files and not others:
        return None
    said = list(_agent_lines(lines))
    if not any(isinstance(line.sessionId, str) and line.isSidechain is False for line in said):
        return None
    for line in said:
        agent = line.toolUseResult.get("agentId") if isinstance(line.toolUseResult, dict) else None
        if isinstance(agent, str) and agent in others:
            files.setdefault(agent, others[agent])
    there = {line.agentId for line in said if isinstance(line.agentId, str)}
    return _read(path, {agent: file for agent, file in islice(files.items(), _MOST_FILES) if agent not in there})


def _read(path: Path, files: Mapping[str, Path]) -> Beside | None:
    """The content of agents' files; None where nothing is in them."""
    found = Beside()
    chains: list[tuple[str, list[Any]]] = []
    left = _MOST_BYTES
    for agent, file in files.items():
        try:
            stamp = stamp_of(file)
            lines = [] if stamp[0] > left else list(_events(file, agent))
        except (OSError, ValueError, TrajviewError):
            continue
        if lines:
            left -= stamp[0]
            found.stamps[file] = stamp
            chains.append((str(lines[0].get("timestamp", "")), lines))
            meta = file.with_suffix(".meta.json")
            found.known[agent] = {} if meta.is_symlink() and not _is_beside(meta, path) else _meta(meta)
    with suppress(TrajviewError):
        found.stamps[_folder(path)] = stamp_of(_folder(path))
    for _, lines in sorted(chains, key=lambda chain: chain[0]):
        found.lines += lines
    return found if found.lines else None


class _Line(Struct, gc=False):
    """The fields of a line that are about sub-agents."""

    sessionId: Any = None
    isSidechain: Any = None
    agentId: Any = None
    toolUseResult: Any = None


_decode: Final = Decoder(_Line).decode


def _agent_lines(lines: Sequence[Any]) -> Iterator[_Line]:
    """The fields about sub-agents in each line that is an object."""
    for at, line in enumerate(lines.logged if isinstance(lines, Elements) else lines):
        try:
            yield _decode(line) if isinstance(line, Raw) else convert(line, _Line)
        except ValueError:  # half a pair of surrogates, or no object
            if isinstance(value := lines[at], dict):
                yield convert(value, _Line)


def _folder(path: Path) -> Path:
    return path.with_suffix("") / "subagents"


def _files_in(folder: Path, session: Path) -> Iterator[tuple[str, Path]]:
    """The files of sub-agents in a folder, with their ids, in the order of these, without links that are not followed."""
    try:
        names = sorted(each.name for each in folder.iterdir()) if _is_beside(folder, session) else []
    except OSError:
        return
    for name in names:
        file = folder / name
        if (match := _FILE.fullmatch(name)) and (not file.is_symlink() or _is_beside(file, session)):
            yield match[1], file


def _is_beside(path: Path, session: Path) -> bool:
    """Whether a path leads to no other folder than a session's, and those within, or may do so."""
    return bool(BOUNDS.follow_links) or Path(os.path.realpath(path)).is_relative_to(os.path.realpath(session.parent))


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
    """The metadata of a sub-agent beside its events; empty where it cannot be read."""
    try:
        with open_source(file) as source:
            value = decode_json(source.read(_MOST_OF_META))[0]
    except (OSError, ValueError, TrajviewError):
        return {}
    if not isinstance(value, dict):
        return {}
    return {key: value[key] for key in ("agentType", "description", "toolUseId") if isinstance(value.get(key), str)}
