"""Facts about two runs, side by side: rewards, counts, models and metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from trajview.models.episodes import OVERALL
from trajview.models.messages import AssistantMessage
from trajview.models.run import AgentRun, overall_of
from trajview.models.transcript import Transcript
from trajview.textsafe import one_line

__all__ = ["Fact", "facts_of", "models_of"]

_MOST: Final = 300
"""Values of one run's metadata that are compared at most."""
_LONGEST: Final = 300


class Fact(NamedTuple):
    """A fact about both runs, or about one (then the other text is empty). Safe for a terminal."""

    name: str
    left: str
    right: str

    @property
    def differs(self) -> bool:
        """Whether the two texts differ."""
        return self.left != self.right


def facts_of(left: AgentRun, right: AgentRun, index: int = 0) -> list[Fact]:
    """The rewards of both runs, and the other facts that differ; `index` is the transcript of each that is compared."""
    (overall, parts), (other, other_parts) = _rewards(left), _rewards(right)
    known = _known(left, index), _known(right, index)
    rest = _paired(parts, other_parts) + _paired(*_unrepeated(known, (_repeated_reward(left), _repeated_reward(right))))
    return _paired(overall, other) + [fact for fact in rest if fact.differs]


def _paired(left: Mapping[str, str], right: Mapping[str, str]) -> list[Fact]:
    return [
        Fact(one_line(name, 60), left.get(name, ""), right.get(name, "")) for name in dict.fromkeys([*left, *right])
    ]


def _repeated_reward(run: AgentRun) -> dict[str, str]:
    """The parts of a single reward that Docent's metadata repeats, by their path there."""
    if run.rewards is None or len(run.rewards) != 1 or not isinstance(run.rewards[0], tuple):
        return {}
    return {f"scores.{part}": f"{value:.6g}" for part, value in run.rewards[0][1].items() if part != OVERALL}


def _unrepeated(
    known: tuple[dict[str, str], dict[str, str]], again: tuple[dict[str, str], dict[str, str]]
) -> tuple[dict[str, str], dict[str, str]]:
    """The facts about both runs without those that repeat the reward in each run that has them."""
    repeated = {
        name
        for name in again[0].keys() | again[1].keys()
        if all(name not in facts or _is(facts[name], said.get(name)) for facts, said in zip(known, again, strict=True))
    }
    left, right = ({name: said for name, said in facts.items() if name not in repeated} for facts in known)
    return left, right


def _is(said: str, number: str | None) -> bool:
    try:
        return number is not None and f"{float(said):.6g}" == number
    except ValueError:  # `true`
        return number == {"true": "1", "false": "0"}.get(said)


def _rewards(run: AgentRun) -> tuple[dict[str, str], dict[str, str]]:
    """The reward of each agent, and the parts of each."""
    overall: dict[str, str] = {}
    parts: dict[str, str] = {}
    names, rewards = run.agent_names, run.rewards or []
    for number, reward in enumerate(rewards):
        agent = names[number] if number < len(names) else f"agent {number + 1}"
        name = "reward" if len(rewards) == 1 else f"reward of {agent}"
        overall[name] = f"{overall_of(reward):.6g}"
        if isinstance(reward, tuple):
            parts |= {
                f"reward, {part}" if len(rewards) == 1 else f"{part} of {agent}": f"{value:.6g}"
                for part, value in reward[1].items()
                if part != OVERALL
            }
    return overall, parts


def _known(run: AgentRun, index: int) -> dict[str, str]:
    transcript = run.transcripts[index] if index < len(run.transcripts) else Transcript(id="none")
    found: dict[str, str] = {}
    found["agents"] = one_line(", ".join(run.agents or ()), _LONGEST)
    found["model"] = one_line(", ".join(models_of(transcript)), _LONGEST)
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


def models_of(transcript: Transcript) -> dict[str, None]:
    """The names of the models that speak, in order."""
    messages = transcript.messages
    return {message.model: None for message in messages if isinstance(message, AssistantMessage) and message.model}


def _leaves(metadata: Mapping[str, Any]) -> dict[str, str]:
    """The values in nested metadata by their path, `scores.tests_pass`; lists count as one value."""
    found: dict[str, str] = {}
    waiting: list[tuple[str, Any]] = [(str(key), value) for key, value in reversed(list(metadata.items()))]
    while waiting and len(found) < _MOST:
        path, value = waiting.pop()
        if isinstance(value, Mapping) and value and path.count(".") < 8:
            waiting += [(f"{path}.{key}", inner) for key, inner in reversed(list(value.items()))]
        else:
            found[path] = one_line(_value_text(value), _LONGEST)
    return found


def _value_text(value: Any) -> str:
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
