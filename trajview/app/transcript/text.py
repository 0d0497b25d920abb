"""What the transcript screen says of the run that is opened, in its title of the one that is read, and of one that cannot be shown."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from trajview.app.keys import key_of
from trajview.app.shared.cells import called, size_text
from trajview.corpus.info import RunInfo
from trajview.corpus.unpack import share_unpacked
from trajview.errors import Problem
from trajview.models.run import AgentRun, overall_of
from trajview.textsafe import one_line

__all__ = ["failed_said", "opening_said", "title_said"]

_LARGE: Final = 1_000_000  # bytes of a record
_A_WHILE: Final = 1.0  # seconds after which it is said how many they are


def opening_said(info: RunInfo, seconds: float) -> list[str]:
    """Which run is being opened for so long: its size where it is large, and how much of its file is unpacked."""
    said = [f"opening {called(info, 60)}…"]
    if info.length > _LARGE:
        said.append(size_text(info.length))
    unpacked = share_unpacked(info.path)
    if unpacked is not None:
        said.append(f"{unpacked:.0%} of its file unpacked")
    if seconds >= _A_WHILE:
        said.append(f"{seconds:.0f} s")
    return said


def title_said(run: AgentRun, index: int, info: RunInfo, *, blind: bool) -> Content:
    """The name of a run, which of its transcripts is shown, and where it comes from; `blind` where something is hidden."""
    parts: list[str | tuple[str, str]] = [(one_line(run.name, 80) if run.name else called(info, 80), "bold")]
    if len(run.transcripts) > 1:
        name = one_line(run.transcripts[index].name or "", 40)
        which = f"transcript {index + 1}/{len(run.transcripts)}{f' · {name}' if name else ''}"
        parts.append((f"  {which} ({key_of('transcript.next')})", "$accent"))
    facts = [info.format]
    if blind:
        facts.append(f"blind ({key_of('reveal')} reveals)")
    if run.rewards:
        facts.append("reward " + " / ".join(f"{overall_of(reward):.3g}" for reward in run.rewards))
    if run.agents:
        facts.append(one_line(", ".join(run.agents), 60))
    where = one_line(f"{info.source}:{info.line}" if info.line and not info.alone else info.source, 1000)
    # The end of a path says more than its beginning.
    facts.append(where if len(where) <= 40 else f"…{where[-39:]}")
    parts.append(("  " + " · ".join(facts), "$foreground 55%"))
    return Content.assemble(*parts)


def failed_said(problem: Problem) -> Content:
    """Why a run cannot be shown, and what can be done."""
    return Content.assemble(
        ("This run cannot be shown.\n\n", "bold $error"),
        one_line(str(problem), 2000),
        f"\n\n{key_of('show.raw')} shows the record as it is in the file.",
    )
