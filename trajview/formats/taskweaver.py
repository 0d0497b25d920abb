"""TaskWeaver conversations: a post becomes one message, and what its code led to becomes tool messages after it.

The first message of each round carries the round in its metadata: `round`, `round_state`, `user_query`.
"""

from __future__ import annotations

from typing import Any

from trajview.errors import Problem
from trajview.models.messages import ChatMessage, Measured, MessageSource
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript
from trajview.models.units import count_units

from .base import Detection, Origin, Summary
from .logged import decoded
from .plain import dict_or_value, id_of, place, refused_at
from .task import task_in
from .taskweaver_entries import Entries, wrong_in_rounds

__all__ = ["FORMAT", "TaskWeaverFormat"]


class TaskWeaverSource(MessageSource):
    """The messages that entries become."""

    def __init__(self, entries: Entries) -> None:
        super().__init__()
        self._entries = entries

    def read(self, at: int) -> ChatMessage:
        from .taskweaver_posts import answer_of, post_of

        answer = self._entries[at].answer
        if answer is None:
            return post_of(self._entries[at])[0]
        while self._entries[at].answer is not None:
            at -= 1  # no answer is without a post before it
        return answer_of(answer, post_of(self._entries[at])[1])

    def size(self, at: int) -> Measured:
        return self._entries.sizes[at]


class TaskWeaverFormat:
    """TaskWeaver: Conversation."""

    name = "taskweaver"
    label = "TaskWeaver conversation"

    def detect(self, record: Any) -> Detection | None:
        """By rounds that hold a `post_list`."""
        if not isinstance(record, dict) or "rounds" not in record:
            return None
        rounds = record["rounds"]
        if rounds is None or rounds == []:
            beside = [key for key in ("plugins", "roles", "enabled") if key in record]
            return Detection(self.name, 0.6, (f"no rounds, beside {', '.join(beside)}",)) if beside else None
        if not isinstance(rounds, list):
            return None
        looked_at = rounds[:20]
        count = sum(isinstance(round_, dict) and "post_list" in round_ for round_ in looked_at)
        if not count:
            return None
        why = f"{count} of {len(looked_at)} rounds hold a post_list"
        return Detection(self.name, 0.7 + 0.28 * count / len(looked_at), (why,))

    def summarise(self, record: Any, origin: Origin) -> Summary:
        """A cheap look; agrees with `read`."""
        entries = Entries(record, origin)
        return Summary(
            id=id_of(record, origin),
            messages=len(entries),
            units=count_units(entries.roles),
            agents=tuple(entries.agents),
            problems=tuple(wrong_in_rounds(record)),
            task=next(filter(None, (task_in(text) for text in entries.asked if isinstance(text, str))), None),
        )

    def read(self, record: Any, origin: Origin) -> AgentRun:
        """The conversation as a run with one transcript. Raises FormatError where there are no rounds."""

        entries, run_id = Entries(record, origin), id_of(record, origin)
        used = {"rounds"} if isinstance(record.get("id"), dict | list | float) else {"rounds", "id"}
        return AgentRun(
            id=run_id,
            transcripts=[Transcript(id=run_id, messages=TaskWeaverSource(entries).messages(entries.roles))],
            metadata={key: decoded(value) for key, value in dict_or_value(record).items() if key not in used},
            agents=entries.agents or None,
            source_format=FORMAT.name,
        )

    def check(self, record: Any, origin: Origin) -> list[Problem]:
        """What TaskWeaver would refuse, for `trajview validate`; the record opens nevertheless."""
        from pydantic import ValidationError

        from trajview.models.taskweaver import AttachmentType, Conversation

        try:
            conversation = Conversation.model_validate(record)
        except ValidationError as error:
            return refused_at(origin, error, _HINT)
        where, problems = place(origin), []
        for r, round_ in enumerate(conversation.rounds):
            for p, post in enumerate(round_.post_list):
                for attachment in post.attachment_list:
                    at = f"rounds.{r}.post_list.{p}: the attachment type {attachment.type_name!r}"
                    if attachment.is_deprecated:
                        problems.append(Problem(f"{at} is deprecated", "TaskWeaver refuses the file", where))
                    elif not isinstance(attachment.type, AttachmentType):
                        problems.append(Problem(f"{at} is unknown", "TaskWeaver refuses the file", where))
        return problems


_HINT = "a conversation has rounds, a round a post_list, a post send_from, send_to and message"

FORMAT = TaskWeaverFormat()
