"""A run as ADP trajectories (Agent Data Protocol), JSONL: a line per transcript, actions and observations in order.

What the assistant says and calls in one message becomes an action each; so does what others say in text and images.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator
from typing import Any, Final

from trajview.models.adp_spelling import CALLS, OBSERVATIONS
from trajview.models.messages import AssistantMessage, ChatMessage, ImagePart, TextPart, ToolCall, ToolMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript

from .exported import Exported, Lost, Part, cut, parts_of_run, placed
from .json_text import json_list, json_text, line_of
from .spoken import lost_of_message, lost_of_run, spoken, stand_in

__all__ = ["export_adp"]

_OWN_KEYS: Final = ("available_custom_tools", "available_code_languages")
"""Keys of a trajectory that the newest version has; what others there were stays among the details."""
_VERSION: Final = "1.3.1"
_SOURCES: Final = {"user": "user", "system": "user", "tool": "environment"}

_Item = dict[str, Any]


class _Links:
    """The `tool_call_id`s that may be written. ADP's rule since 1.3: an id is of one action, and answered once, after it."""

    def __init__(self, expected: Container[str | None]) -> None:
        """`expected`: the ids that answers name."""
        self.functions: dict[str, str] = {}
        """The functions called, by the ids that may be written."""
        self._expected = expected
        self._answered: set[str] = set()

    def call(self, link: str, function: str, place: str, lost: Lost) -> str | None:
        if not link:
            return None
        if link not in self._expected:
            lost.of(place, "ids of tool calls without an answer")
            return None
        if link in self.functions:
            lost.of(place, "ids of tool calls that repeat")
            return None
        self.functions[link] = function
        return link

    def new(self) -> str:
        """An id for a call that has none."""
        link = f"call_{len(self.functions)}"
        while link in self.functions or link in self._expected:
            link += "_"
        self.functions[link] = ""
        self._answered.add(link)
        return link

    def answer(self, link: str | None, place: str, lost: Lost) -> str | None:
        if link is None:
            return None
        if link not in self.functions or link in self._answered:
            lost.of(place, "links to tool calls")
            return None
        self._answered.add(link)
        return link


def export_adp(run: AgentRun, part: Part | None = None) -> Exported:
    """Export a run, or a part of it, with a transcript a line; of several, the ids are `<run>/<number>`."""
    lost = Lost()
    model = _model_of(run)
    named = model is not None and model in (run.metadata.get("model_name"), run.metadata.get("model"))
    reward = _reward_of(run)
    lost_of_run(
        run if part is None else cut(run, part), lost, ("metadata", "rewards" if reward is not None else "metadata")
    )
    details = dict(run.metadata)
    own = {key: details.pop(key) for key in _OWN_KEYS if _is_texts(details.get(key))}
    if model is not None and not named and not details.keys() & {"model", "model_name"}:
        details["model_name"], named = model, True
    version = details.get("schema_version")
    if isinstance(version, str):
        del details["schema_version"]
    else:
        version = _VERSION
    held = ("name", "reward", *(("model",) if named else ()))
    several = part is None and len(run.transcripts) > 1

    def line(index: int, transcript: Transcript) -> Iterator[str]:
        head = {"schema_version": version, "id": f"{run.id}/{index}" if several else run.id}
        yield f'{json_text(head, lost)[:-1]}, "content": '
        tools = (message for _, message in placed(transcript, index, part) if message.role == "tool")
        content = _Content({message.tool_call_id for message in tools if isinstance(message, ToolMessage)})
        yield from json_list(content.items(placed(transcript, index, part), held, lost), lost, depth=2)
        said = _with_reward(details, reward, content.last_reward, lost)
        if "available_code_languages" in own:  # ADP wants exactly those that are used
            own["available_code_languages"] = sorted(content.languages)
        yield f", {json_text({**own, 'details': said}, lost)[1:]}"

    def lines() -> Iterator[str]:
        for index, transcript in parts_of_run(run, part):
            yield from line_of(line(index, transcript), lost)
            yield "\n"

    return Exported(lines(), lost)


def _with_reward(details: _Item, reward: float | None, last_reward: float | None, lost: Lost) -> _Item:
    """The details with the run's reward, unless they or the last item that has one say so already."""
    stated = _number(details["reward"]) if "reward" in details else last_reward
    if reward is None or stated == reward:
        return details
    if details.get("reward") is not None:
        lost.say("Another `reward` in the run's metadata gives way to the run's own.")
    return {**details, "reward": reward}


class _Content:
    """The items of a transcript's messages."""

    def __init__(self, answered: Container[str | None]) -> None:
        """`answered`: the ids of the calls that are."""
        self._answered = answered
        self.last_reward: float | None = None
        """The last reward among the items so far."""
        self.languages: set[str] = set()
        """The languages of the code so far."""

    def items(self, numbered: Iterable[tuple[str, ChatMessage]], held: Iterable[str], lost: Lost) -> Iterator[_Item]:
        """The items, one after another; `held` are the fields of messages that are not lost."""
        links = _Links(self._answered)
        acted: list[_Item] = []
        for place, message in numbered:
            lost_of_message(message, place, lost, held)
            for item in _items(message, place, links, lost):
                self.last_reward = item.get("reward", self.last_reward)
                if item["class_"] in CALLS:
                    acted.append(item)
                    if item["class_"] == "code_action":
                        self.languages.add(item["language"])
                    continue
                if acted and item["class_"] in OBSERVATIONS and not _answer(acted, item, links):
                    yield item
                    continue
                yield from acted
                acted = []
                yield item
        yield from acted


def _answer(acted: list[_Item], observation: _Item, links: _Links) -> bool:
    """Link what follows calls to the last of them: ADP takes an observation there for its answer, whatever it is.

    Where it answers another, a call that is answered goes last. False where there is none: then it goes before them.
    """
    if "tool_call_id" in acted[-1]:
        return True
    if "tool_call_id" not in observation:
        acted[-1]["tool_call_id"] = observation["tool_call_id"] = links.new()
        return True
    answered = next((at for at in range(len(acted) - 1, -1, -1) if "tool_call_id" in acted[at]), None)
    if answered is not None:
        acted.append(acted.pop(answered))
    return answered is not None


def _items(message: ChatMessage, place: str, links: _Links, lost: Lost) -> list[_Item]:
    """The items of a message, at least one."""
    if isinstance(message, AssistantMessage):
        items = list(_actions(message, place, links, lost))
    else:
        items = list(_observations(message, place, links, lost))
    if len(items) > 1:
        lost.of(place, "borders", "lost: ADP has an item for each thing said, shown or called")
    if message.reward is not None and math.isfinite(message.reward):
        items[-1]["reward"] = message.reward
    return items


def _actions(message: AssistantMessage, place: str, links: _Links, lost: Lost) -> Iterator[_Item]:
    said = spoken(message, place, lost)
    text = _text(said.parts, place, lost, images=False)
    if message.name is not None:
        lost.of(place, "speakers' names")
    thought: _Item = {"reasoning_content": said.reasoning} if said.reasoning else {}
    if text or not message.tool_calls:
        yield {"class_": "message_action", "content": text, "description": None, **thought}
        thought = {}
    for call in message.tool_calls or ():
        yield _call(call, place, links, lost) | thought
        thought = {}


def _call(call: ToolCall, place: str, links: _Links, lost: Lost) -> _Item:
    code = call.arguments.get("code")
    if call.parse_error:
        lost.of(place, "faults of tool calls")
    if call.language and call.function == call.language and isinstance(code, str) and len(call.arguments) == 1:
        item: _Item = {"class_": "code_action", "language": call.language, "content": code}
    else:
        if call.language is not None:
            lost.of(place, "languages of code in tool calls")
        item = {"class_": "api_action", "function": call.function, "kwargs": call.arguments}
    item["description"] = None
    link = links.call(call.id, call.function, place, lost)
    return item if link is None else {**item, "tool_call_id": link}


def _observations(message: ChatMessage, place: str, links: _Links, lost: Lost) -> Iterator[_Item]:
    said = spoken(message, place, lost)
    if said.reasoning:
        lost.of(place, "pieces of reasoning by others than the agent", "written as text")
        said.parts.insert(0, TextPart(text=said.reasoning))
    source, name = _SOURCES[message.role], _observed_name(message, place, lost)
    linked = _link_of_answer(message, place, links, lost)
    named: _Item = {"name": name} if name else {}
    images = [part for part in said.parts if isinstance(part, ImagePart)]
    text = _text(said.parts, place, lost, images=True)
    if isinstance(message, ToolMessage) and text and not name and len(images) == 1 and said.parts[-1] is images[0]:
        yield {**_page(message, text, images[0], place, lost), **linked}
        return
    if text or not images or message.role == "system":
        yield {"class_": "text_observation", "content": text, "source": source, **named, **linked}
        linked = {}
    elif name:
        lost.of(place, "speakers' names")
    for image in images:
        if image.extras:
            lost.of(place, "remarks on images")
        boxes: _Item = {} if image.annotations is None else {"annotations": image.annotations}
        yield {"class_": "image_observation", "content": image.image, "source": source, **boxes, **linked}
        linked = {}


def _observed_name(message: ChatMessage, place: str, lost: Lost) -> str | None:
    """The name of who is observed: ADP has no system, which is told by its name."""
    if message.role != "system":
        return message.name
    if message.name is not None:
        lost.of(place, "speakers' names")
    lost.of(place, "roles (system)", 'written as the name "system" of an observation from the user')
    return "system"


def _link_of_answer(message: ChatMessage, place: str, links: _Links, lost: Lost) -> _Item:
    """Which call a tool answers; nothing of other messages, and where that is not known."""
    if not isinstance(message, ToolMessage):
        return {}
    link = links.answer(message.tool_call_id, place, lost)
    if message.function is not None and links.functions.get(link or "") != message.function:
        lost.of(place, "functions' names")
    return {} if link is None else {"tool_call_id": link}


def _page(message: ChatMessage, text: str, image: ImagePart, place: str, lost: Lost) -> _Item:
    """A text and an image that a tool showed together, as a web page is: its address, its tree and its screenshot."""
    if image.extras:
        lost.of(place, "remarks on images")
    url, _, rest = text.partition("\n")
    known = message.metadata.get("url") if url.startswith("URL: ") else None
    at = known if isinstance(known, str) and url == f"URL: {known}" else None
    screenshot = {
        "class_": "image_observation", "content": image.image, "annotations": image.annotations, "source": "environment",
    }  # fmt: skip
    return {
        "class_": "web_observation", "html": None, "axtree": text if at is None else rest or None, "url": at,
        "image_observation": screenshot, "viewport_size": None,
    }  # fmt: skip


def _text(parts: list[Any], place: str, lost: Lost, *, images: bool) -> str:
    """The parts as one text; images too, unless they become items of their own (`images`)."""
    texts = []
    for number, part in enumerate(parts):
        if isinstance(part, TextPart):
            if part.refusal:
                lost.of(place, "remarks on pieces of text")
            texts.append(part.text)
        elif isinstance(part, ImagePart) and images:
            if any(not isinstance(later, ImagePart) for later in parts[number + 1 :]):
                lost.of(place, "places of images among text")
            continue
        else:
            what = {"image": "images", "audio": "sounds", "video": "videos"}.get(
                part.type, f"parts of type {part.type!r}"
            )
            lost.of(place, what, "named in text")
            texts.append(stand_in(part))
    if len(texts) > 1:
        lost.of(place, "borders of pieces of text")
    return "\n".join(texts)


def _model_of(run: AgentRun) -> str | None:
    """The one model of all that the assistant says; None where there are several, or some of it names none."""
    models = {
        message.model
        for transcript in run.transcripts
        for message in transcript.messages
        if isinstance(message, AssistantMessage)
    }
    return models.pop() if len(models) == 1 else None


def _reward_of(run: AgentRun) -> float | None:
    """The run's reward where ADP can hold it: one number."""
    reward = run.rewards[0] if run.rewards and len(run.rewards) == 1 else None
    return reward if isinstance(reward, float) and math.isfinite(reward) else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
