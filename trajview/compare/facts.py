"""What is known about two runs beside what was said in them: rewards, counts, models and metadata, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from trajview.models.messages import AssistantMessage
from trajview.models.run import AgentRun, Reward
from trajview.models.transcript import Transcript
from trajview.textsafe import one_line

__all__ = ["Fact", "facts_of"]

_MOST: Final = 300
"""Values of the metadata of one run that are looked at."""
_LONGEST: Final = 300


class Fact(NamedTuple):
    """One thing that is known about both runs, or about one (then the other text is empty). Safe for a terminal."""

    name: str
    left: str
    right: str

    @property
    def differs(self) -> bool:
        """Whether the two are not the same."""
        return self.left != self.right


def facts_of(left: AgentRun, right: AgentRun, index: int = 0) -> list[Fact]:
    """The rewards of both, and what else differs between them; `index` is the transcript of each that is compared."""
    rewards, known = (_rewards(left), _rewards(right)), (_known(left, index), _known(right, index))
    facts = _beside(*rewards) + [fact for fact in _beside(*known) if fact.differs]
    # Of a reward's parts those that differ; of all that is the same only the reward itself is worth a line.
    return [fact for fact in facts if fact.differs or ", " not in fact.name]


def _beside(left: Mapping[str, str], right: Mapping[str, str]) -> list[Fact]:
    return [
        Fact(one_line(name, 60), left.get(name, ""), right.get(name, "")) for name in dict.fromkeys([*left, *right])
    ]


def _rewards(run: AgentRun) -> dict[str, str]:
    found: dict[str, str] = {}
    names = run.agent_names
    for number, reward in enumerate(run.rewards or ()):
        agent = names[number] if number < len(names) else f"agent {number + 1}"
        found |= _reward("reward" if len(run.rewards or ()) == 1 else f"reward of {agent}", reward)
    return found


def _known(run: AgentRun, index: int) -> dict[str, str]:
    transcript = run.transcripts[index] if index < len(run.transcripts) else Transcript(id="none")
    found: dict[str, str] = {}
    found["agents"] = one_line(", ".join(run.agents or ()), _LONGEST)
    models = dict.fromkeys(
        message.model for message in transcript.messages if isinstance(message, AssistantMessage) and message.model
    )
    found["model"] = one_line(", ".join(filter(None, models)), _LONGEST)
    found["units"] = f"{len(transcript.unit_starts):,}"
    found["messages"] = f"{len(transcript.messages):,}"
    if len(run.transcripts) > 1:
        found["transcripts"] = f"{len(run.transcripts):,}"
    if run.reasoning:
        found["reasoning"] = one_line(run.reasoning, _LONGEST)
    for metadata in (transcript.metadata, run.metadata):
        found |= _leaves(metadata)
    found["description"] = one_line(run.description or "", _LONGEST)
    return found


def _reward(name: str, reward: Reward) -> dict[str, str]:
    if not isinstance(reward, tuple):
        return {name: f"{reward:.6g}"}
    return {name: f"{reward[0]:.6g}", **{f"{name}, {part}": f"{value:.6g}" for part, value in reward[1].items()}}


def _leaves(metadata: Mapping[str, Any]) -> dict[str, str]:
    """The values in nested metadata by their path, `scores.tests_pass`; lists count as one value."""
    found: dict[str, str] = {}
    waiting: list[tuple[str, Any]] = [(str(key), value) for key, value in reversed(list(metadata.items()))]
    while waiting and len(found) < _MOST:
        path, value = waiting.pop()
        if isinstance(value, Mapping) and value and path.count(".") < 8:
            waiting += [(f"{path}.{key}", inner) for key, inner in reversed(list(value.items()))]
        else:
            found[path] = one_line(_said(value), _LONGEST)
    return found


def _said(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "null"
    if isinstance(value, int | float):
        return str(value)
    from trajview.models.said import strings_within

    return ", ".join(strings_within(value)[:100])
