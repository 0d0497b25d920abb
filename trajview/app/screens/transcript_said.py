"""What the transcript screen says in its title of the run that is read, and in its place of one that cannot be shown."""

from __future__ import annotations

from textual.content import Content

from trajview.app.keys import key_of
from trajview.corpus.info import RunInfo
from trajview.errors import Problem
from trajview.models.run import AgentRun, overall_of
from trajview.textsafe import one_line

__all__ = ["failed_said", "title_said"]


def title_said(run: AgentRun, index: int, info: RunInfo, *, blind: bool) -> Content:
    """The name of a run, which of its transcripts is shown, and where it comes from; `blind` where something is hidden."""
    parts: list[str | tuple[str, str]] = [(one_line(run.name or run.id, 80), "bold")]
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
