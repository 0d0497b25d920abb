"""Sotopia annotations opened as logs: a person's scores and reasoning, an agent after the other."""

from __future__ import annotations

from typing import Any

from trajview.errors import FormatError, Problem
from trajview.models.episodes import OVERALL, rewards_of, text_of
from trajview.models.messages import ChatMessage, UserMessage
from trajview.models.run import AgentRun, Reward
from trajview.models.transcript import Transcript

from .base import Detection, Origin, Summary
from .contract import Format
from .logged import decoded
from .plain import place
from .words import AddedWords

__all__ = ["FORMAT", "SotopiaAnnotationFormat"]

_KEYS = frozenset({"pk", "episode", "annotator_id", "rewards", "reasoning"})


def _scores(index: int, reward: Reward) -> str:
    overall, scores = reward if isinstance(reward, tuple) else (reward, {})
    lines = [f"Agent {index + 1}: {overall:g}"]
    lines += [f"- {name}: {score:g}" for name, score in scores.items() if name != OVERALL]
    return "\n".join(lines)


class SotopiaAnnotationFormat(Format):
    """Sotopia's AnnotationForEpisode, when the file is opened as a log."""

    name = "sotopia-annotation"
    label = "Sotopia annotation"
    recognises = "`episode`, `annotator_id` and `rewards`"
    added_words = AddedWords(
        with_bytes=(("agent rewards that cannot be read no reasoning was written", ("episode",)),),
        metadata=("annotation of by agent annotator episode",),
    )

    def detect(self, record: Any) -> Detection | None:
        """Detect annotations by their keys, without messages."""
        if not isinstance(record, dict) or not {"episode", "annotator_id", "rewards"} <= record.keys():
            return None
        if "messages" in record or "transcripts" in record:
            return None
        sure = 0.98 if record.keys() == _KEYS else 0.85
        return Detection(self.name, sure, ("has AnnotationForEpisode's keys",))

    def summarise(self, record: Any, origin: Origin) -> Summary:
        """Summarise an annotation as one unit: the scores, and the reasoning."""
        run = self.read(record, origin)
        return Summary(
            id=run.id,
            name=run.name,
            messages=len(run.transcripts[0].messages),
            units=1,
            agents=tuple(run.agents or ()),
            rewards=tuple(run.rewards or ()),
        )

    def read(self, record: Any, origin: Origin) -> AgentRun:
        """Read an annotation as a run of one transcript: a message with each agent's scores, then the reasoning."""
        if not isinstance(record, dict) or "episode" not in record:
            raise FormatError("An annotation names its episode; this record does not.", where=place(origin))
        id = text_of(record.get("pk")) or origin.default_id
        annotator, reasoning = text_of(record.get("annotator_id")), text_of(record.get("reasoning"))
        rewards = rewards_of(record.get("rewards"))
        if rewards is None:
            texts = [f"Rewards that cannot be read: {text_of(record.get('rewards'))}"]
        else:
            texts = [_scores(index, reward) for index, reward in enumerate(rewards)]
        texts.append(reasoning or "No reasoning was written.")
        messages: list[ChatMessage] = [UserMessage(content=text, name=annotator or None) for text in texts]
        return AgentRun(
            id=id,
            name=f"annotation of {text_of(record['episode'])} by {annotator}",
            transcripts=[Transcript(id=f"{id}/annotation", name="annotation", messages=messages)],
            metadata={
                text_of(key): decoded(value)
                for key, value in record.items()
                if key not in ("pk", "rewards", "reasoning")
            },
            # As `AgentRun.agent_names` numbers agents without names.
            agents=[f"agent {index + 1}" for index in range(len(rewards or ()))] or None,
            rewards=rewards or None,
            reasoning=reasoning or None,
            source_format=self.name,
        )

    def check(self, record: Any, origin: Origin) -> list[Problem]:
        """List the reasons why Sotopia cannot load the annotation."""
        from pydantic import ValidationError

        from trajview.models.sotopia import AnnotationForEpisode, sentences_of

        try:
            AnnotationForEpisode.model_validate(record)
        except ValidationError as error:
            return [Problem(sentence, "Sotopia cannot load it", place(origin)) for sentence in sentences_of(error)]
        return []


FORMAT = SotopiaAnnotationFormat()
