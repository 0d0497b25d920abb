"""Which messages a TaskWeaver conversation becomes, in order, without building them: cheap, and without pydantic.

`summarise` counts these entries and `read` builds them, so that the two cannot disagree.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from msgspec import Struct

from trajview.errors import FormatError

from .base import Origin
from .plain import as_text, dict_or_value, kind, not_an_object, place
from .shape import wrong_in_items

__all__ = [
    "ANSWERS", "FIRST", "Answer", "Attached", "Entry", "Outlined", "agents_of", "answers_in", "entries_of", "name_in", "outlined",
    "post_entries", "round_metadata", "type_of", "wrong_in_rounds",
]  # fmt: skip

# Which tool answers, by the attachment that holds its answer: TaskWeaver checks the code, then runs it.
_ANSWERS = {
    "verification": "verification",
    "code_error": "verification",
    "execution_status": "execution",
    "execution_result": "execution",
}
ANSWERS = frozenset(_ANSWERS)
"""The types of these attachments."""
# These go with the answer that they follow, and with the post itself where there is none.
_AFTER_ANSWER = frozenset({"artifact_paths", "revise_message"})
FIRST = 20
"""Entries among which the user says what the task is."""


class Attached(NamedTuple):
    """An attachment of a post: its type, and its content as it came."""

    type: str
    content: Any


class Answer(Struct):
    """The attachments that make one tool message; `nth` counts the answers of the same tool in the post, from 0."""

    tool: str
    nth: int = 0
    attachments: list[Attached] = []


class Entry(Struct):
    """A message to be: a post with the attachments that stay with it (`answer` is None), or an answer to its code."""

    role: str
    post: Any = None
    attachments: list[Attached] = []
    round_metadata: dict[str, Any] = {}
    answer: Answer | None = None
    call: str = ""
    """The id of the tool call that the post makes, where it makes one."""


def _rounds(record: Any, origin: Origin) -> list[Any]:
    """The rounds of a conversation. Raises FormatError where there is no such thing; null counts as none."""
    if not isinstance(record, dict):
        raise not_an_object("a TaskWeaver conversation", record, origin)
    rounds = record.get("rounds")
    if rounds is None and "rounds" in record:
        return []
    if not isinstance(rounds, list):
        what = "there are none" if "rounds" not in record else f"these are {kind(rounds)}"
        raise FormatError(
            f"the rounds of a TaskWeaver conversation are a list, and {what}",
            hint="it is listed as raw JSON",
            where=place(origin),
        )
    return rounds


def wrong_in_rounds(record: Any) -> list[str]:
    """One sentence for each round or post that is no object."""
    rounds = (
        [round_ for round_ in record["rounds"] if round_ is not None] if isinstance(record.get("rounds"), list) else []
    )
    found = wrong_in_items(rounds, "round")
    for number, round_ in enumerate(rounds):
        posts = round_.get("post_list") if isinstance(round_, dict) else None
        if isinstance(posts, list):
            found += wrong_in_items(posts, f"round {number}, post")
        elif posts is not None:
            found.append(f"round {number}: post_list is {kind(posts)}, not a list")
    return found


def entries_of(record: Any, origin: Origin) -> list[Entry]:
    """The messages to be, in order: what `summarise` counts and `read` builds."""
    entries: list[Entry] = []
    for number, round_ in enumerate(_rounds(record, origin), start=1):
        first = len(entries)
        for post in _posts(round_):
            entries += post_entries(post, f"call_{len(entries)}")
        if first < len(entries):
            entries[first].round_metadata = (
                round_metadata(round_, number) if isinstance(round_, dict) else {"round": number}
            )
    return entries


class Outlined(NamedTuple):
    """What a list shows of a conversation: the role of each entry, who speaks, and what the user's first posts say."""

    roles: list[str]
    agents: list[str]
    asked: list[Any]


def outlined(record: Any, origin: Origin) -> Outlined:
    """What can be said of the entries without making them, in a third of the time."""
    roles: list[str] = []
    agents: dict[str | None, None] = {}
    asked: list[Any] = []
    for round_ in _rounds(record, origin):
        for post in _posts(round_):
            role = _role_of(post)
            if role == "user" and len(roles) < FIRST:
                asked.append(post.get("message"))
            roles.append(role)
            if isinstance(post, dict):
                if role == "assistant":
                    agents[name_in(post, "send_from")] = None
                if post.get("attachment_list"):
                    roles += ["tool"] * len(answers_in(list(map(type_of, _listed(post)))))
    return Outlined(roles, [name for name in agents if name is not None], asked)


def _posts(round_: Any) -> list[Any]:
    if not isinstance(round_, dict):
        return [] if round_ is None else [round_]
    posts = round_.get("post_list")
    if not isinstance(posts, list):
        posts = [] if posts is None else [posts]
    if not posts and round_.get("user_query"):
        # The query of a round that came to nothing is nowhere else.
        return [{"send_from": "User", "message": round_["user_query"]}]
    return posts


def _role_of(post: Any) -> str:
    return "user" if isinstance(post, dict) and post.get("send_from") == "User" else "assistant"


def round_metadata(round_: dict[str, Any], number: int) -> dict[str, Any]:
    known = ("id", "state", "user_query", "post_list")
    rest = {key: value for key, value in dict_or_value(round_).items() if key not in known}
    mark = {
        "round": as_text(round_.get("id")) or number,
        "round_state": as_text(round_.get("state")),
        "user_query": as_text(round_.get("user_query")),
    }
    return {**rest, **{key: value for key, value in mark.items() if value != ""}}


def post_entries(post: Any, call: str) -> list[Entry]:
    """A post, then one entry for each time its code was checked or run."""
    role = _role_of(post)
    if not isinstance(post, dict):
        return [Entry(role, post)]
    attachments = [
        Attached(type_of(one), one.get("content") if isinstance(one, dict) else one) for one in _listed(post)
    ]
    found = answers_in([attached.type for attached in attachments])
    if not found:
        return [Entry(role, post, attachments, call=call)]
    taken = {index for _, indices in found for index in indices}
    own = [attached for index, attached in enumerate(attachments) if index not in taken]
    entries = [Entry(role, post, own, call=call)]
    nth: Counter[str] = Counter()
    for tool, indices in found:
        entries.append(Entry("tool", answer=Answer(tool, nth[tool], [attachments[index] for index in indices])))
        nth[tool] += 1
    return entries


def answers_in(types: list[str]) -> list[tuple[str, list[int]]]:
    """Which of the attachments of these types make an answer each, and of which tool."""
    answers: list[tuple[str, list[int]]] = []
    if ANSWERS.isdisjoint(types):
        return answers
    said: set[str] = set()
    for index, type_ in enumerate(types):
        tool = _ANSWERS.get(type_)
        if tool is not None:
            if not answers or answers[-1][0] != tool or type_ in said:
                answers.append((tool, []))
                said = set()
        elif not answers or type_ not in _AFTER_ANSWER:
            continue
        answers[-1][1].append(index)
        said.add(type_)
    return answers


def _listed(post: dict[str, Any]) -> list[Any]:
    listed = post.get("attachment_list")
    if not isinstance(listed, list):
        return [] if listed is None else [listed]
    return [one for one in listed if one is not None]


def type_of(attachment: Any) -> str:
    if not isinstance(attachment, dict):
        return "attachment"
    found = attachment.get("type")
    return found if type(found) is str and found else as_text(found) or "attachment"


def agents_of(entries: list[Entry]) -> list[str]:
    """The roles that speak, but for the user, in the order in which they first do."""
    names = (name_in(entry.post, "send_from") for entry in entries if entry.role == "assistant")
    return list(dict.fromkeys(name for name in names if name is not None))


def name_in(post: Any, key: str) -> str | None:
    """Who a post comes from (`send_from`) or goes to (`send_to`); None where it does not say."""
    return (as_text(post.get(key)) or None) if isinstance(post, dict) else None
