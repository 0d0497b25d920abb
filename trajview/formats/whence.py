"""Where in a record each message comes from, of the formats whose records say the same more than once.

SWE-agent's steps are in its history as well, and each step may hold all that was said before it; TaskWeaver repeats the
user's query, and what a post says, in attachments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from . import sweagent, taskweaver
from .sweagent import history_of, messages_of_step
from .taskweaver_entries import answers_in, post_entries, type_of

__all__ = ["Step", "Whence", "knows_whence", "whence_of"]

Step = str | int
"""A key of an object, or the number of an element of a list, from 0."""
Whence = tuple[Step, ...]
"""The steps from a record to a value in it."""


def knows_whence(format: str) -> bool:
    """Whether `whence_of` knows anything of a format."""
    return format in _FORMATS


def whence_of(format: str, record: Any) -> list[Whence]:
    """For each message of the run that a record of this format becomes, in order, what it comes from; or an empty list."""
    return _FORMATS[format](record) if isinstance(record, dict) else []


def _of_sweagent(record: dict[str, Any]) -> list[Whence]:
    history = history_of(record)
    if history is not None:
        return [("history", index) for index in range(len(history))]
    steps = record.get("trajectory")
    return [
        path for index, step in enumerate(steps if isinstance(steps, list) else []) for path in _of_step(step, index)
    ]


def _of_step(step: Any, index: int) -> list[Whence]:
    step_at: Whence = ("trajectory", index)
    found = len(messages_of_step(step, index))
    if not isinstance(step, dict):
        return [step_at] * found
    said = next((key for key in ("thought", "response", "action") if step.get(key)), None)
    first: Whence = step_at if said is None else (*step_at, said)
    return [first, (*step_at, "observation")][:found]


def _of_taskweaver(record: dict[str, Any]) -> list[Whence]:
    found: list[Whence] = []
    rounds = record.get("rounds")
    for number, round_ in enumerate(rounds if isinstance(rounds, list) else []):
        at: Whence = ("rounds", number)
        posts = round_.get("post_list") if isinstance(round_, dict) else None
        if isinstance(posts, list) and posts:
            for index, post in enumerate(posts):
                found += _of_post(post, (*at, "post_list", index))
        elif isinstance(round_, dict) and posts not in (None, []):
            found += _of_post(posts, (*at, "post_list"))
        elif isinstance(round_, dict):
            found += [(*at, "user_query")] if round_.get("user_query") else []
        elif round_ is not None:
            found.append(at)
    return found


def _of_post(post: Any, at: Whence) -> list[Whence]:
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


_FORMATS: Final[dict[str, Callable[[dict[str, Any]], list[Whence]]]] = {
    sweagent.FORMAT.name: _of_sweagent,
    taskweaver.FORMAT.name: _of_taskweaver,
}
