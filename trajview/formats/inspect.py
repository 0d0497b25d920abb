"""Inspect's evaluation logs: a log is a run of one transcript for each sample, and a sample alone is a run too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trajview.errors import Problem
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript

from .base import Detection, Origin, Summary
from .chat_format import Chat, chat_of, leftovers, messages_under, summary_models
from .contract import Format
from .inspect_agents import sub_agents
from .plain import as_text, first_id, is_list, kind, not_an_object, problems_at, rewards_of, text_or_none
from .words import AddedWords

__all__ = ["FORMAT", "Inspect"]

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Inspect's own numbers for its letters: correct, partial, incorrect, no answer."""


def _is_sample(record: Any) -> bool:
    return isinstance(record, dict) and is_list(record.get("messages")) and {"input", "target"} <= record.keys()


class Inspect(Format):
    """`{"eval": {…}, "samples": [{"id", "epoch", "input", "target", "messages", "scores"}]}`, or one such sample."""

    name = "inspect"
    label = "Inspect log"
    recognises = "`samples` with `messages`, or one sample with `epoch`, `input` and `target` beside its `messages`"
    added_words = AddedWords(metadata=("sample epoch",))

    def detect(self, record: Any) -> Detection | None:
        if not isinstance(record, dict):
            return None
        samples = record.get("samples")
        if isinstance(samples, list) and samples and isinstance(samples[0], dict) and "messages" in samples[0]:
            return Detection(self.name, 0.97 if "eval" in record else 0.85, ("`samples` have `messages`",))
        if _is_sample(record) and "epoch" in record:
            return Detection(self.name, 0.97, ("`epoch`, `input` and `target` beside `messages`",))
        return None

    def _look(self, record: Any, origin: Origin) -> tuple[Chat, list[Chat]]:
        """The run (whose own messages are none), and the samples in it."""
        if not isinstance(record, dict):
            raise not_an_object("an Inspect log", record, origin)
        samples = record.get("samples")
        if not isinstance(samples, list) or not samples:
            if "messages" not in record:
                raise not_an_object("an Inspect log", record, origin, "an object with `samples` or `messages`")
            chat = _sample(record, origin)
            return chat, [chat]
        about = record.get("eval")
        about = about if isinstance(about, dict) else {}
        found, key = first_id({**about, **record}, origin, ("id", "eval_id", "run_id"))
        chats = [_sample(sample, origin) for sample in samples]
        run = Chat(
            found, [], text_or_none(about.get("task")), leftovers(record, {"samples", key if key == "id" else ""})
        )
        run.models = summary_models((), about)
        run.rewards = chats[0].rewards if len(chats) == 1 else None
        return run, chats

    def summarise(self, record: Any, origin: Origin) -> Summary:
        run, samples = self._look(record, origin)
        parts = [chat.summary() for chat in samples]
        models = dict.fromkeys([*run.models, *(model for part in parts for model in part.models)])
        return Summary(
            run.id, run.name, sum(part.messages for part in parts), sum(part.units for part in parts),
            sum(part.transcripts for part in parts), (),
            tuple(run.rewards or ()), tuple(models), task=parts[0].task if run.name is None and parts else None,
        )  # fmt: skip

    def read(self, record: Any, origin: Origin) -> AgentRun:

        run, samples = self._look(record, origin)
        transcripts = []
        for index, chat in enumerate(samples):
            transcript = chat.transcript(f"{run.id}/{index}")
            if chat is not run:
                transcript.name, transcript.metadata = f"sample {chat.id}", chat.metadata
            transcripts.append(transcript)
        for number, chat in enumerate(samples):
            _add_branches(run.id, chat, transcripts[number].id, transcripts)
        return AgentRun(
            id=run.id, name=run.name, transcripts=transcripts, metadata=run.metadata, rewards=run.rewards,
            source_format=self.name,
        )  # fmt: skip

    def check(self, record: Any, origin: Origin) -> list[Problem]:
        _, samples = self._look(record, origin)
        every = [each for chat in samples for each in (chat, *chat.branches)]
        reasons = [r for chat in every for r in (*chat.problems, *chat.wrong_in_messages())]
        return problems_at(origin, reasons)


def _add_branches(run: str, chat: Chat, above: str, transcripts: list[Transcript]) -> None:
    """Add the transcripts of a sample's sub-agents, below the sample's own or the one of the agent around them."""
    spans: dict[str, str] = {}
    for branch in chat.branches:
        place = f"{run}/{len(transcripts)}"
        transcript = branch.transcript(place)
        about = dict(branch.metadata)
        outer = about.pop("outer", None)
        spans[about["span"]] = place
        about["parent_transcript_id"] = spans.get(outer, above)
        transcript.name, transcript.metadata = branch.name, about
        transcripts.append(transcript)


_SAID_ELSEWHERE = frozenset({"events", "events_data", "attachments"})
"""Of a sample: how it came to its messages, step by step and many times their size, and texts that now stand in them.

They are in the raw record, not in the metadata, as Docent's own loader of Inspect's logs leaves them out. What sub-agents
said in them is a transcript of each.
"""


def _sample(sample: Any, origin: Origin) -> Chat:
    if not isinstance(sample, dict):
        return Chat("?", [sample], problems=[f"a sample is an object, and this is {kind(sample)}"])
    items, problems = messages_under(sample, "messages")
    attachments = sample.get("attachments")
    chat = chat_of(sample, origin, _all_attached(items, attachments), {"messages", *_SAID_ELSEWHERE}, problems)
    scores = sample.get("scores")
    if isinstance(scores, dict):
        chat.rewards = rewards_of({"scores": {key: _graded(score) for key, score in scores.items()}}) or chat.rewards
    for agent in sub_agents(sample):
        said = _all_attached(agent.items, attachments)
        about = {"agent": agent.name, "span": agent.span, "outer": agent.outer, "tool_call_id": agent.call}
        chat.branches.append(Chat(chat.id, said, agent.name, {key: value for key, value in about.items() if value}))
    output = sample.get("output")
    chat.models = summary_models((), output)
    if sample.get("epoch") not in (None, 1) and "id" in sample:
        chat.id = f"{chat.id} epoch {as_text(sample['epoch'])}"
    return chat


def _graded(score: Any) -> Any:
    value = score.get("value") if isinstance(score, dict) else score
    return _GRADES.get(value, value) if isinstance(value, str) else value


def _all_attached(items: Sequence[Any], attachments: Any) -> Sequence[Any]:
    """The items with their attachments, where a sample has any."""
    if not isinstance(attachments, dict) or not attachments:
        return items
    return [_attached(item, attachments) for item in items]


def _attached(value: Any, attachments: dict[Any, Any], depth: int = 0) -> Any:
    """The value with each `attachment://…` text replaced by what it stands for."""
    if isinstance(value, str):
        return (
            attachments.get(value.removeprefix("attachment://"), value) if value.startswith("attachment://") else value
        )
    if depth > 12:
        return value
    if isinstance(value, dict):
        return {key: _attached(item, attachments, depth + 1) for key, item in value.items()}
    return [_attached(item, attachments, depth + 1) for item in value] if isinstance(value, list) else value


FORMAT = Inspect()
