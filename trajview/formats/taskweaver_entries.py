"""Which messages a TaskWeaver conversation becomes, in order, without building them: cheap, and without pydantic.

`summarise` counts these entries and `read` builds them, so that the two cannot disagree.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from msgspec import Raw, Struct
from msgspec.json import Decoder

from trajview.errors import FormatError
from trajview.models.messages import Measured

from .base import Origin
from .logged import ABSENT, Decode, Elements
from .plain import as_text, dict_or_value, is_list, kind, not_an_object, place
from .shape import wrong_in_items
from .sizes import measured_texts, size_of_texts

__all__ = [
    "Answer", "Attached", "Entries", "Entry", "answers_in", "name_in", "post_entries", "type_of", "wrong_in_rounds",
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
        if is_list(posts):
            found += wrong_in_items(posts, f"round {number}, post")
        elif posts is not None:
            found.append(f"round {number}: post_list is {kind(posts)}, not a list")
    return found


class _AttachmentHead(Struct, gc=False):
    type: str
    content: Raw = ABSENT


class _PostHead(Struct, gc=False):
    """What tells which entries a post becomes, and how long these are."""

    send_from: str
    message: Raw = ABSENT
    attachment_list: list[_AttachmentHead] | None = None


_decode_post: Final = Decoder(_PostHead).decode


class _Post(NamedTuple):
    """A post, decoded or not, and which round it begins, if any: its number, from 1, and the round."""

    logged: Any
    decode: Decode | None
    number: int
    round: Any | None

    def decoded(self) -> Any:
        return self.logged if self.decode is None else self.decode(memoryview(self.logged))


class Entries:
    """The messages to be of a conversation, in order. A post is decoded when one of its own is looked at.

    `roles`: of each entry. `sizes`: how long each is, about. `agents`: who speaks, but for the user, in the order in which
    they first do. `asked`: what the user's first posts say.
    """

    def __init__(self, record: Any, origin: Origin) -> None:
        """Raises FormatError where there are no rounds."""
        self.roles: list[str] = []
        self.sizes: list[Measured] = []
        self.asked: list[Any] = []
        self._posts: list[_Post] = []
        self._starts: list[int] = []
        """The first entry of each post."""
        self._names: dict[str | None, None] = {}
        self._last: tuple[int, list[Entry]] = -1, []
        for number, round_ in enumerate(_rounds(record, origin), start=1):
            posts = _posts(round_)
            decode = posts.decode if isinstance(posts, Elements) else None
            for at, logged in enumerate(posts.logged if isinstance(posts, Elements) else posts):
                self._add(_Post(logged, decode, number, None if at else round_))

    @property
    def agents(self) -> list[str]:
        return [name for name in self._names if name is not None]

    def __len__(self) -> int:
        return len(self.roles)

    def _add(self, post: _Post) -> None:
        self._posts.append(post)
        self._starts.append(len(self.roles))
        if post.decode is not None:
            try:
                self._outline(_decode_post(post.logged), post.decode)
            except ValueError:  # something in it is not usual
                pass
            else:
                return
        first, *answers = post_entries(post.decoded(), "")
        if first.role == "user" and len(self.roles) < FIRST:
            self.asked.append(first.post.get("message"))
        if first.role == "assistant" and isinstance(first.post, dict):
            self._names[name_in(first.post, "send_from")] = None
        for entry in (first, *answers):
            self.roles.append(entry.role)
            self.sizes.append(_measured(entry))

    def _outline(self, post: _PostHead, decode: Decode) -> None:
        """Add what is known of the entries of a post that is not decoded."""
        attached = post.attachment_list or ()
        answers = answers_in([one.type for one in attached])
        taken = {at for _, places in answers for at in places}
        own = [one.content for at, one in enumerate(attached) if at not in taken and one.type != "reply_type"]
        if post.send_from == "User":
            if len(self.roles) < FIRST:
                self.asked.append(None if post.message is ABSENT else decode(memoryview(post.message)))
            self.roles.append("user")
        else:
            self._names[post.send_from or None] = None
            self.roles.append("assistant")
        self.sizes.append((*size_of_texts([post.message, *own]), 0))
        for _, places in answers:
            self.roles.append("tool")
            self.sizes.append((*size_of_texts([attached[at].content for at in places]), 0))

    def __getitem__(self, at: int) -> Entry:
        number = bisect_right(self._starts, at) - 1
        known, entries = self._last
        if known != number:
            post = self._posts[number]
            entries = post_entries(post.decoded(), f"call_{self._starts[number]}")
            if post.round is not None:
                is_object = isinstance(post.round, dict)
                entries[0].round_metadata = (
                    round_metadata(post.round, post.number) if is_object else {"round": post.number}
                )
            self._last = number, entries
        return entries[at - self._starts[number]]


def _measured(entry: Entry) -> Measured:
    attachments = entry.attachments if entry.answer is None else entry.answer.attachments
    texts = [attached.content for attached in attachments if attached.type != "reply_type"]
    if entry.answer is None:
        texts.append(entry.post.get("message") if isinstance(entry.post, dict) else as_text(entry.post))
    return *measured_texts(texts), 0


def _posts(round_: Any) -> Sequence[Any]:
    if not isinstance(round_, dict):
        return [] if round_ is None else [round_]
    posts = round_.get("post_list")
    if not is_list(posts):
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


def name_in(post: Any, key: str) -> str | None:
    """Who a post comes from (`send_from`) or goes to (`send_to`); None where it does not say."""
    return (as_text(post.get(key)) or None) if isinstance(post, dict) else None
