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
from .contract import Format, Whence
from .logged import decoded
from .plain import dict_or_value, id_of, place, refused_at
from .task import task_in
from .taskweaver_entries import Entries, answers_in, post_entries, type_of, wrong_in_rounds
from .words import AddedWords

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


class TaskWeaverFormat(Format):
    """TaskWeaver: Conversation."""

    name = "taskweaver"
    label = "TaskWeaver conversation"
    recognises = "`rounds` that hold a `post_list`"
    repeats = True
    added_words = AddedWords(
        with_bytes=(
            ("the execution failed the code was refused python attachment verification execution", ("rounds",)),
        ),
        metadata=("round state reply_type user_query extra attachment_extra",),
    )

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

    def whence(self, record: Any) -> list[Whence]:
        """The user's query is in a round and in its first post, and attachments repeat what a post says."""
        return _whence_of_rounds(record.get("rounds")) if isinstance(record, dict) else []

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


def _whence_of_rounds(rounds: Any) -> list[Whence]:
    found: list[Whence] = []
    for number, round_ in enumerate(rounds if isinstance(rounds, list) else []):
        at: Whence = ("rounds", number)
        posts = round_.get("post_list") if isinstance(round_, dict) else None
        if isinstance(posts, list) and posts:
            for index, post in enumerate(posts):
                found += _whence_of_post(post, (*at, "post_list", index))
        elif isinstance(round_, dict) and posts not in (None, []):
            found += _whence_of_post(posts, (*at, "post_list"))
        elif isinstance(round_, dict):
            found += [(*at, "user_query")] if round_.get("user_query") else []
        elif round_ is not None:
            found.append(at)
    return found


def _whence_of_post(post: Any, at: Whence) -> list[Whence]:
    """The post itself, then the first attachment of each answer to its code."""
    if not isinstance(post, dict):
        return [at]
    found: list[Whence] = [(*at, "message") if isinstance(post.get("message"), str) and post["message"] else at]
    listed = post.get("attachment_list")
    if isinstance(listed, list):
        there = [index for index, one in enumerate(listed) if one is not None]
        answers = answers_in([type_of(listed[index]) for index in there])
        found += [(*at, "attachment_list", there[indices[0]]) for _, indices in answers]
    else:
        found += [(*at, "attachment_list")] * (len(post_entries(post, "")) - 1)
    return found


_HINT = "a conversation has rounds, a round a post_list, a post send_from, send_to and message"

FORMAT = TaskWeaverFormat()
