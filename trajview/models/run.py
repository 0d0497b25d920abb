"""Agent runs: the items of a corpus, which are annotated."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from trajview.errors import TrajviewError

from .brief import brief, counted, overall_rewards, quoted
from .reward import Reward, overall_of
from .transcript import Transcript, TranscriptGroup, checked_metadata, new_id, transcript_of

__all__ = ["AgentRun", "Reward", "overall_of"]


class AgentRun(Struct, kw_only=True):
    """A run of one or more agents: at least one transcript, and the facts known about them all.

    `agents` names the agents, `rewards` holds one reward for each of them (a number, or the overall number and one for each
    dimension), `reasoning` is the evaluator's; these and `source_format` are ours, the rest is Docent's. A notebook shows
    its beginning as a web page does. Raises ValueError without a transcript, and where `metadata` is no dict.

    >>> from trajview import AgentRun, Transcript, UserMessage
    >>> AgentRun(id="r", transcripts=[Transcript(messages=[UserMessage(content="Hello")])], rewards=[1.0])
    AgentRun(id='r', 1 transcript, 1 message, rewards=[1.0])
    """

    id: str = field(default_factory=new_id)
    name: str | None = None
    description: str | None = None
    transcripts: list[Transcript]
    transcript_groups: list[TranscriptGroup] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    agents: list[str] | None = None
    rewards: list[Reward] | None = None
    reasoning: str | None = None
    source_format: str | None = None

    def __post_init__(self) -> None:
        self.metadata = checked_metadata(self.metadata)
        if not self.transcripts:
            raise ValueError("an agent run needs at least one transcript")

    @classmethod
    def from_docent(cls, data: Any) -> AgentRun:
        """A run of Docent's JSON, decoded; an old form of Docent's gives `transcripts` as a dict by name.

        Raises pydantic's ValidationError, a ValueError, where Docent would refuse it.

        >>> import json
        >>> from pathlib import Path
        >>> from trajview import AgentRun
        >>> run = AgentRun.from_docent(json.loads(Path("sample_data/docent/coding_run.json").read_text()))
        >>> run.name
        'nightbus: the last bus is never the last'
        >>> AgentRun.from_docent(run.to_docent()) == run
        True
        """
        from .docent import AgentRun as Model

        model = Model.model_validate(data)
        fields = dict(model)
        fields["transcripts"] = [transcript_of(each) for each in model.transcripts]
        fields["transcript_groups"] = [TranscriptGroup(**dict(each)) for each in model.transcript_groups]
        return cls(**fields)

    def to_docent(self) -> dict[str, Any]:
        """The run as Docent writes it in JSON; fields of ours where they are set."""
        found = {name: getattr(self, name) for name in self.__struct_fields__}
        found["transcripts"] = [transcript.to_docent() for transcript in self.transcripts]
        found["transcript_groups"] = [group.plain() for group in self.transcript_groups]
        ours = ("agents", "rewards", "reasoning", "source_format")
        return {name: value for name, value in found.items() if value is not None or name not in ours}

    def export(self, format: str = "md") -> str:
        """The run as text for people (`md`, `html`) or for other programs (`docent`, `openai`, `adp`: JSON Lines).

        It is what `trajview export -f FORMAT` writes, without the annotations that are kept elsewhere; `html` is a page
        that needs nothing else. Raises TrajviewError for another format.

        >>> from trajview import open_corpus
        >>> run = next(open_corpus("sample_data/docent").runs())
        >>> print(run.export("md").splitlines()[0])
        # nightbus: the last bus is never the last
        """
        from trajview.export.choice import FORMATS, exported

        if format not in FORMATS:
            raise TrajviewError(f"there is no format {format!r}", hint=f"one of {', '.join(FORMATS)}")
        return "".join(exported(self, format).pieces)

    def __repr__(self) -> str:
        return brief(
            type(self),
            f"id={quoted(self.id)}",
            f"name={quoted(self.name)}" if self.name else "",
            counted(len(self.transcripts), "transcript"),
            counted(sum(len(transcript.messages) for transcript in self.transcripts), "message"),
            overall_rewards(self.rewards),
        )

    def _repr_html_(self) -> str:
        from trajview.export.notebook import run_in_notebook

        return run_in_notebook(self)

    @property
    def agent_names(self) -> list[str]:
        """One name for each agent; a run that names none has `agent`, or `agent 1`, `agent 2` where it has several rewards."""
        if self.agents:
            return list(self.agents)
        count = max(1, len(self.rewards or ()))
        return ["agent"] if count == 1 else [f"agent {i + 1}" for i in range(count)]
