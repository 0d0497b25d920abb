"""TaskWeaver conversations: a post becomes one message, and the results of its code become tool messages after it.

The first message of each round carries the round in its metadata: `round`, `round_state`, `user_query`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from msgspec import Raw, Struct
from msgspec.json import Decoder

from trajview.errors import FormatError, Problem
from trajview.models.messages import (
    AssistantMessage,
    ChatMessage,
    ContentPart,
    ImagePart,
    Measured,
    MessageSource,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from trajview.models.run import AgentRun
from trajview.models.temporal import drop_temporal, split_temporal, strip_temporal_markers
from trajview.models.transcript import Transcript
from trajview.models.units import count_units

from .base import Detection, Origin, Summary
from .contract import Format, Whence
from .logged import ABSENT, Elements, decoded
from .outline import size_of_texts
from .plain import as_text, dict_or_value, id_of, is_list, json_or_value, kind, not_an_object, place, refused_at
from .shape import wrong_in_items
from .task import task_in
from .words import AddedWords

__all__ = ["FORMAT", "TaskWeaverFormat"]

_LOOK_AT: Final = 20
"""Rounds by which a conversation is detected, and messages that are searched for the user's task."""
_ANSWERS: Final = {
    "verification": "verification",
    "code_error": "verification",
    "execution_status": "execution",
    "execution_result": "execution",
}
"""The answering tool by the attachment with its answer: TaskWeaver checks the code, then runs it."""
_AFTER_ANSWER: Final = frozenset({"artifact_paths", "revise_message"})
"""Attachments that go with the answer before them, and with the post itself where there is none."""
_REASONING: Final = frozenset(
    {"thought", "init_plan", "plan", "current_plan_step", "plan_reasoning", "web_exploring_plan", "stop", "review"}
)
_IMAGES: Final = frozenset({"image_url", "web_exploring_screenshot"})
_IMAGE_FILE: Final = re.compile(r"\.(?:png|jpe?g|gif|webp|bmp|svg|tiff?)(?:[?#].*)?\Z|\Adata:image/", re.IGNORECASE)
_NO_CODE_ERROR: Final = frozenset({"", "none", "no code verification is performed.", "no error is found."})
"""The text that TaskWeaver writes into code_error where there is no error."""
_HINT: Final = "a conversation has rounds, a round a post_list, a post send_from, send_to and message"


# -- rounds, posts and attachments -------------------------------------------------------------------------------------


def _rounds(record: Any, origin: Origin) -> Elements:
    """The rounds of a conversation. Raises FormatError where there is no such thing; null counts as none."""
    if not isinstance(record, dict):
        raise not_an_object("a TaskWeaver conversation", record, origin)
    rounds = record.get("rounds")
    if rounds is None and "rounds" in record:
        rounds = []
    if not is_list(rounds):
        what = "there are none" if "rounds" not in record else f"these are {kind(rounds)}"
        raise FormatError(
            f"the rounds of a TaskWeaver conversation are a list, and {what}",
            hint="it is listed as raw JSON",
            where=place(origin),
        )
    return rounds if isinstance(rounds, Elements) else Elements(rounds)


def _posts(round_: Any) -> tuple[Sequence[Any], list[Whence]]:
    """The posts of a round, and the steps from it to each."""
    if not isinstance(round_, dict):
        return ([], []) if round_ is None else ([round_], [()])
    posts = round_.get("post_list")
    if posts is not None and not is_list(posts):
        return [posts], [("post_list",)]
    if posts:
        return posts, [("post_list", at) for at in range(len(posts))]
    if query := round_.get("user_query"):  # a round without posts has it nowhere else
        return [{"send_from": "User", "message": query}], [("user_query",)]
    return [], []


class _Attached(NamedTuple):
    """An attachment of a post: its type, its content as it came, and the steps from the post to it."""

    type: str
    content: Any
    at: Whence


def _attached(post: Any) -> list[_Attached]:
    listed = post.get("attachment_list") if isinstance(post, dict) else None
    if not isinstance(listed, list):
        return [] if listed is None else [_attachment(listed, ("attachment_list",))]
    return [_attachment(one, ("attachment_list", at)) for at, one in enumerate(listed) if one is not None]


def _attachment(logged: Any, at: Whence) -> _Attached:
    if not isinstance(logged, dict):
        return _Attached("attachment", logged, at)
    return _Attached(as_text(logged.get("type")) or "attachment", logged.get("content"), at)


def _name(post: Any, key: str) -> str | None:
    """The sender (`send_from`) or receiver (`send_to`) of a post; None where it does not say."""
    return (as_text(post.get(key)) or None) if isinstance(post, dict) else None


class _AttachmentHead(Struct, gc=False):
    type: str
    content: Raw = ABSENT


class _PostHead(Struct, gc=False):
    """The fields that tell which messages a post becomes, and their lengths."""

    send_from: str
    message: Raw = ABSENT
    attachment_list: list[_AttachmentHead] | None = None


class _RoundHead(Struct, gc=False):
    post_list: list[_PostHead]


_decode_round: Final = Decoder(_RoundHead).decode
_AnyAttached = TypeVar("_AnyAttached", _Attached, _AttachmentHead)


def _split(
    attached: Iterable[_AnyAttached],
) -> tuple[list[_AnyAttached], list[tuple[str, list[_AnyAttached]]]]:
    """The attachments that stay with their post, and those of each time its code was checked or run, with the tool."""
    own: list[_AnyAttached] = []
    answers: list[tuple[str, list[_AnyAttached]]] = []
    said: set[str] = set()
    for one in attached:
        tool = _ANSWERS.get(one.type)
        if tool is not None:
            if not answers or answers[-1][0] != tool or one.type in said:
                answers.append((tool, []))
                said = set()
        elif not answers or one.type not in _AFTER_ANSWER:
            own.append(one)
            continue
        answers[-1][1].append(one)
        said.add(one.type)
    return own, answers


# -- which messages there are ------------------------------------------------------------------------------------------


class _Outline:
    """The messages that a conversation becomes, in order, without building them.

    `roles`: of each. `sizes`: how long each is, None where only its text tells. `posts`: the number of each post's round, and its own
    in that. `firsts`: each post's first message. `speakers`: who speaks, but for the user, in the order in which they first do.
    `problems`: a sentence for each round or post that is no object.
    """

    def __init__(self, rounds: Elements) -> None:
        self.roles: list[str] = []
        self.sizes: list[Measured | None] = []
        self.posts: list[tuple[int, int]] = []
        self.firsts: list[int] = []
        self.speakers: dict[str, None] = {}
        wrong_rounds: list[str] = []
        wrong_posts: list[str] = []
        nulls = 0
        for number, found in enumerate(rounds.logged):
            if isinstance(found, Raw) and self._take_undecoded(number, found):
                continue
            round_ = rounds[number]
            posts, _ = _posts(round_)
            for at, post in enumerate(posts):
                _, answers = _split(_attached(post))
                self._take(number, at, _name(post, "send_from"), [None] * (1 + len(answers)))
            if isinstance(round_, dict):
                wrong_posts += _wrong_posts(round_, number - nulls)
            elif round_ is None:
                nulls += 1
            else:
                wrong_rounds.append(f"round {number - nulls} is {kind(round_)}, not an object")
        self.problems = (*wrong_rounds, *wrong_posts)

    def _take_undecoded(self, number: int, logged: Raw) -> bool:
        """Add the messages of a round that stays bytes; False where something in it is not usual."""
        try:
            posts = _decode_round(logged).post_list
        except ValueError:
            return False
        for at, post in enumerate(posts):
            own, answers = _split(post.attachment_list or ())
            said = [post.message, *(one.content for one in own if one.type != "reply_type")]
            texts = [said, *([one.content for one in attached] for _, attached in answers)]
            self._take(number, at, post.send_from or None, [(*size_of_texts(each), 0) for each in texts])
        return bool(posts)

    def _take(self, number: int, at: int, speaker: str | None, sizes: Sequence[Measured | None]) -> None:
        """Add the message of a post's sender, then answers to its code."""
        self.posts.append((number, at))
        self.firsts.append(len(self.roles))
        is_user = speaker == "User"
        if speaker is not None and not is_user:
            self.speakers[speaker] = None
        self.roles += ["user" if is_user else "assistant", *["tool"] * (len(sizes) - 1)]
        self.sizes += sizes


def _wrong_posts(round_: dict[Any, Any], number: int) -> list[str]:
    posts = round_.get("post_list")
    if is_list(posts):
        return wrong_in_items(posts, f"round {number}, post")
    return [] if posts is None else [f"round {number}: post_list is {kind(posts)}, not a list"]


class TaskWeaverSource(MessageSource):
    """The messages of a conversation."""

    def __init__(self, rounds: Elements) -> None:
        super().__init__()
        self.outline = rounds.once(lambda: _Outline(rounds))
        self._rounds = rounds
        self._last_round: tuple[int, Any, Sequence[Any]] = -1, None, []
        self._last_post: tuple[int, list[ChatMessage]] = -1, []

    def read(self, at: int) -> ChatMessage:
        outline = self.outline
        nth = bisect_right(outline.firsts, at) - 1
        known, messages = self._last_post
        if known != nth:
            number, index = outline.posts[nth]
            round_, post = self._look_up(number, index)
            about = {} if index else _about_round(round_, number + 1)
            messages = _messages_of(post, f"call_{outline.firsts[nth]}", about)
            self._last_post = nth, messages
        return messages[at - outline.firsts[nth]]

    def _look_up(self, number: int, index: int) -> tuple[Any, Any]:
        """A round, and a post in it."""
        known, round_, posts = self._last_round
        if known != number:
            round_ = self._rounds[number]
            posts, _ = _posts(round_)
            self._last_round = number, round_, posts
        return round_, posts[index]

    def size(self, at: int) -> Measured:
        return self.outline.sizes[at] or super().size(at)


# -- a post as messages ------------------------------------------------------------------------------------------------


def _about_round(round_: Any, number: int) -> dict[str, Any]:
    """The metadata of a round on its first message; `number` counts from 1."""
    if not isinstance(round_, dict):
        return {"round": number}
    known = ("id", "state", "user_query", "post_list")
    rest = {key: value for key, value in dict_or_value(round_).items() if key not in known}
    mark = {
        "round": as_text(round_.get("id")) or number,
        "round_state": as_text(round_.get("state")),
        "user_query": as_text(round_.get("user_query")),
    }
    return {**rest, **{key: value for key, value in mark.items() if value != ""}}


def _messages_of(post: Any, call: str, about: dict[str, Any]) -> list[ChatMessage]:
    """The message of a post, then one for each time its code was checked or run. `call`: the id of its first call."""
    if not isinstance(post, dict):
        post = {"message": as_text(post)}
    own, answers = _split(_attached(post))
    said, calls = _message_of(post, own, call, about)
    messages = [said]
    nth: Counter[str] = Counter()
    for tool, attached in answers:
        answered = calls[min(nth[tool], len(calls) - 1)].id if calls else None
        messages.append(_answer(tool, attached, answered))
        nth[tool] += 1
    return messages


def _message_of(
    post: dict[str, Any], attached: list[_Attached], call: str, about: dict[str, Any]
) -> tuple[ChatMessage, list[ToolCall]]:
    """The message of a post itself, and its calls: reasoning, then its text, then its other attachments."""
    name = _name(post, "send_from")
    message = as_text(post.get("message"))
    reply_type = next((as_text(one.content) for one in attached if one.type == "reply_type"), None)
    is_python = (reply_type or "").strip().lower() == "python"
    reasoning: list[ContentPart] = []
    rest: list[ContentPart] = []
    calls: list[ToolCall] = []
    for one in attached:
        if not as_text(one.content) or one.type == "reply_type":
            continue
        if one.type in _REASONING:
            reasoning.append(ReasoningPart(reasoning=strip_temporal_markers(_labelled(one))))
        elif name != "User" and (found := _calls(one, is_python)):
            calls += found
        else:
            rest += _shown(one, is_python, message)
    for number, made in enumerate(calls):
        made.id = f"{call}.{number}" if number else call
    common: dict[str, Any] = {
        "id": as_text(post.get("id")) or None,
        "content": _plain_text([*reasoning, *_text_parts(message), *rest]),
        "name": name,
        "recipient": _name(post, "send_to"),
        "metadata": {**_metadata(post, attached, reply_type), **about},
    }
    if name == "User":
        return UserMessage(**common), calls
    return AssistantMessage(**common, tool_calls=calls or None), calls


def _metadata(post: dict[str, Any], attached: list[_Attached], reply_type: str | None) -> dict[str, Any]:
    known = ("id", "send_from", "send_to", "message", "attachment_list")
    metadata = {key: value for key, value in dict_or_value(post).items() if key not in known}
    if reply_type is not None:
        metadata["reply_type"] = reply_type
    if extra := _extras(post):
        metadata["attachment_extra"] = extra
    if any(one.type == "invalid_response" for one in attached):
        metadata["invalid_response"] = True
    return metadata


def _extras(post: dict[str, Any]) -> list[dict[str, Any]]:
    """The fields of attachments beside id, type and content."""
    listed = post.get("attachment_list")
    extras = []
    for one in listed if isinstance(listed, list) else []:
        rest = dict_or_value(one) if isinstance(one, dict) else {}
        found = {
            key: value for key, value in rest.items() if key not in ("id", "type", "content") and value is not None
        }
        if found:
            extras.append({"type": rest.get("type"), **found})
    return extras


def _labelled(attached: _Attached) -> str:
    """The content under its type's name, on one line where it is one line."""
    content = as_text(attached.content)
    return f"{attached.type}:\n{content}" if "\n" in content else f"{attached.type}: {content}"


def _text_parts(text: str) -> list[ContentPart]:
    """The text, its temporal pieces apart and without their markers."""
    return [TextPart(text=piece, temporal=True if temporal else None) for piece, temporal in split_temporal(text)]


def _plain_text(parts: list[ContentPart]) -> str | list[ContentPart]:
    """The content as a string where it is nothing but one."""
    if not parts:
        return ""
    only = parts[0]
    return only.text if len(parts) == 1 and isinstance(only, TextPart) and not only.temporal else parts


def _is_code(attached: _Attached, is_python: bool) -> bool:
    return attached.type == "python" or (attached.type == "reply_content" and is_python)


def _calls(attached: _Attached, is_python: bool) -> list[ToolCall]:
    """The calls in an attachment; none where it is no call."""
    if _is_code(attached, is_python):
        return [ToolCall(function="python", arguments={"code": as_text(attached.content)}, language="python")]
    return _function_calls(attached.content) if attached.type == "function" else []


def _function_calls(content: Any) -> list[ToolCall]:
    """The calls in a `function` attachment (JSON: name and arguments, or a list of such); none where there are none."""
    calls = []
    content = json_or_value(content)
    for one in content if isinstance(content, list) else [content]:
        if not isinstance(one, dict) or not isinstance(one.get("name"), str) or one.keys() - {"name", "arguments"}:
            return []
        logged = one.get("arguments")
        arguments = json_or_value(logged)
        error = "arguments is not JSON" if isinstance(logged, str) and arguments is logged else None
        if not isinstance(arguments, dict):
            arguments = {} if arguments is None else {"arguments": arguments}
        calls.append(ToolCall(function=one["name"], arguments=dict_or_value(arguments), parse_error=error))
    return calls


def _shown(attached: _Attached, is_python: bool, message: str) -> list[ContentPart]:
    """An attachment that is neither reasoning nor a call, as parts of the content."""
    content = as_text(attached.content)
    if _is_code(attached, is_python) or attached.type == "sample":
        return _text_parts(f"{attached.type}:\n```python\n{content}\n```")
    if attached.type == "reply_content" and content.strip() == message.strip():
        return []  # TaskWeaver copies a reply that is text into the message
    if attached.type in _IMAGES or attached.type == "artifact_paths":
        return _links(attached)
    return _text_parts(_labelled(attached))


def _links(attached: _Attached) -> list[ContentPart]:
    """Images and text links of an attachment whose content is a path, an address, or a list of them."""
    content = attached.content
    if isinstance(content, str) and content.lstrip().startswith("["):
        content = json_or_value(content)
    links = [as_text(one) for one in (content if isinstance(content, list) else [content])]
    return [
        ImagePart(image=link)
        if attached.type in _IMAGES or _IMAGE_FILE.search(link[:40] if link[:5].lower() == "data:" else link)
        else TextPart(text=f"{attached.type}: {link}")
        for link in links
        if link
    ]


def _answer(tool: str, attached: list[_Attached], call: str | None) -> ToolMessage:
    """The answer of checking or running code to a call, and why it failed, where it did."""
    parts: list[ContentPart] = []
    said: dict[str, str] = {}
    for one in attached:
        text = strip_temporal_markers(as_text(one.content))
        said.setdefault(one.type, text)
        if one.type == "artifact_paths":
            parts += _links(one)
        elif one.type in ("verification", "execution_status"):
            parts.append(TextPart(text=f"{one.type}: {text}"))
        elif one.type == "revise_message":
            parts += _text_parts(_labelled(one)) if text else []
        elif text:
            parts.append(TextPart(text=text))
    failure = _failure_of(tool, said)
    return ToolMessage(
        content=_plain_text(parts),
        function=tool,
        tool_call_id=call,
        error=None if failure is None else {"message": failure},
    )


def _failure_of(tool: str, said: dict[str, str]) -> str | None:
    """Why the code was refused or failed, in one line; None where it did not."""
    if tool == "execution":
        if said.get("execution_status", "").strip().upper() not in ("FAILURE", "FAILED"):
            return None
        lines = [line.strip() for line in said.get("execution_result", "").splitlines() if line.strip()]
        # A traceback ends with the error itself.
        errors = [line for line in lines if re.match(r"[\w.]*(?:Error|Exception|Interrupt|Exit)\b", line)]
        return (errors[-1] if errors else "the execution failed")[:200]
    error = said.get("code_error", "").strip()
    status = said.get("verification", "").strip().upper()
    if status == "INCORRECT" or (not status and error.lower() not in _NO_CODE_ERROR):
        return error.splitlines()[0][:200] if error else "the code was refused"
    return None


# -- the format --------------------------------------------------------------------------------------------------------


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
        """Detect conversations by rounds that hold a `post_list`."""
        if not isinstance(record, dict) or "rounds" not in record:
            return None
        rounds = record["rounds"]
        if rounds is None or rounds == []:
            beside = [key for key in ("plugins", "roles", "enabled") if key in record]
            return Detection(self.name, 0.6, (f"no rounds, beside {', '.join(beside)}",)) if beside else None
        if not is_list(rounds):
            return None
        looked_at = rounds[:_LOOK_AT]
        count = sum(isinstance(round_, dict) and "post_list" in round_ for round_ in looked_at)
        if not count:
            return None
        why = f"{count} of {len(looked_at)} rounds hold a post_list"
        return Detection(self.name, 0.7 + 0.28 * count / len(looked_at), (why,))

    def summarise(self, record: Any, origin: Origin) -> Summary:
        """Summarise a conversation cheaply, in agreement with `read`."""
        rounds = _rounds(record, origin)
        outline = rounds.once(lambda: _Outline(rounds))
        return Summary(
            id=id_of(record, origin),
            messages=len(outline.roles),
            units=count_units(outline.roles),
            agents=tuple(outline.speakers),
            problems=outline.problems,
            task=_task(rounds, outline),
        )

    def read(self, record: Any, origin: Origin) -> AgentRun:
        """Read the conversation as a run with one transcript. Raises FormatError where there are no rounds."""
        source, run_id = TaskWeaverSource(_rounds(record, origin)), id_of(record, origin)
        used = {"rounds"} if isinstance(record.get("id"), dict | list | float) else {"rounds", "id"}
        return AgentRun(
            id=run_id,
            transcripts=[Transcript(id=run_id, messages=source.messages(source.outline.roles))],
            metadata={key: decoded(value) for key, value in dict_or_value(record).items() if key not in used},
            agents=list(source.outline.speakers) or None,
            source_format=FORMAT.name,
        )

    def whence(self, record: Any) -> list[Whence]:
        """Find the source of each message: the first post repeats the round's query, and attachments repeat a post's text."""
        rounds = record.get("rounds") if isinstance(record, dict) else None
        found: list[Whence] = []
        for number, round_ in enumerate(rounds if isinstance(rounds, list) else []):
            for post, steps in zip(*_posts(round_), strict=True):
                at = ("rounds", number, *steps)
                says = steps[-1:] != ("user_query",) and isinstance(post, dict) and isinstance(post.get("message"), str)
                found.append((*at, "message") if says and post["message"] else at)
                found += [(*at, *attached[0].at) for _, attached in _split(_attached(post))[1]]
        return found

    def check(self, record: Any, origin: Origin) -> list[Problem]:
        """List what TaskWeaver would refuse, for `trajview validate`; the record opens nevertheless."""
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


def _task(rounds: Elements, outline: _Outline) -> str | None:
    """The first words of the user's query."""
    for first, (number, index) in zip(outline.firsts, outline.posts, strict=True):
        if first >= _LOOK_AT:
            break
        if outline.roles[first] == "user":
            said = _posts(rounds[number])[0][index].get("message")
            if isinstance(said, str) and (found := task_in(drop_temporal(said))):
                return found
    return None


FORMAT = TaskWeaverFormat()
