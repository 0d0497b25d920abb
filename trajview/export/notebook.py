"""The beginning of a run as HTML for a notebook: inert as `html`'s pages are, with its own style, and never long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final

from msgspec.structs import replace

from trajview.formats.plain import as_json
from trajview.models.brief import counted
from trajview.models.messages import (
    AssistantMessage,
    ChatMessage,
    ContentPart,
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolMessage,
)
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript

from .exported import Part, cut
from .html import about_run, main_of, style
from .page import page_of
from .prose import esc
from .shown import facts_of, length_of

__all__ = ["run_in_notebook", "transcript_in_notebook"]

_MESSAGES: Final = 40
_CHARACTERS: Final = 20_000
"""Characters of all messages that are shown; messages behind them are counted."""
_TEXT: Final = 2_000
"""Characters of one text."""
_ITEMS: Final = 20
"""Parts and calls of a message, and arguments of a call."""
_FACT: Final = 500


def run_in_notebook(run: AgentRun) -> str:
    """The run's facts and first messages, with the number of those that are left out."""
    return "".join(_box(run, "run"))


def transcript_in_notebook(transcript: Transcript) -> str:
    """A transcript's facts and first messages, with the number of those that are left out."""
    return "".join(_box(AgentRun(id=transcript.id, name=transcript.name, transcripts=[transcript]), "transcript"))


def _box(run: AgentRun, what: str) -> Iterator[str]:
    shown = _beginning(run)
    page = page_of(shown, None, None, ())
    # Names of places are the notebook's, which may show several runs.
    prefix = f"tv{blake2b(run.id.encode('utf-8', 'replace'), digest_size=4).hexdigest()}-"
    yield f"<div class=trajview>\n<style>\n{_scoped_style()}</style>\n<h1>{esc(page.title)}</h1>\n"
    yield from about_run(shown, _facts(run, shown, what))
    yield from main_of(page, prefix)
    left = _messages_in(run) - _messages_in(shown)
    if left:
        more = "message is" if left == 1 else "messages are"
        yield f"<p class=part>{left:,} more {more} not shown here; <code>export('html')</code> has them all.</p>\n"
    yield "</div>\n"


def _scoped_style() -> str:
    """The page's style for the box alone: nested in its class, which stands for root and body."""
    nested = style().replace(":root {", "& {").replace("\nbody {", "\n& {")
    box = "& { max-height: 40rem; overflow: auto; padding: 1rem 1.2rem; border: 1px solid var(--line); border-radius: 8px }"
    return f".trajview {{\n{nested}{box}\n}}\n"


def _facts(run: AgentRun, shown: AgentRun, what: str) -> Iterator[tuple[str, str]]:
    for word, said in facts_of(shown):
        if word == "run":
            yield what, said
        elif word == "length":
            yield word, length_of(run)
        else:
            yield word, said[:_FACT]
    if run.metadata and not shown.metadata:
        yield "metadata", f"{counted(len(run.metadata), 'key')}, too much to be shown here"


def _messages_in(run: AgentRun) -> int:
    return sum(len(transcript.messages) for transcript in run.transcripts)


def _beginning(run: AgentRun) -> AgentRun:
    """The first messages of a run, each with the beginnings of its texts."""
    transcripts: list[Transcript] = []
    messages, characters = _MESSAGES, _CHARACTERS
    for index, transcript in enumerate(run.transcripts):
        kept: list[ChatMessage] = []
        for message in transcript.messages:
            if messages <= 0 or characters <= 0:
                break
            short = _shortened(message)
            kept.append(short)
            messages -= 1
            characters -= sum(map(len, short.texts()))
        [beginning] = cut(run, Part(index, 0, len(kept) - 1)).transcripts
        transcripts.append(replace(beginning, messages=kept, metadata={}))
        if messages <= 0 or characters <= 0:
            break
    metadata = run.metadata if len(as_json(run.metadata)) <= _TEXT else {}
    reasoning = None if run.reasoning is None else _short(run.reasoning)
    return replace(run, transcripts=transcripts, metadata=metadata, reasoning=reasoning)


def _short(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[:_TEXT]}\n… {len(text) - _TEXT:,} more characters"


def _shortened(message: ChatMessage) -> ChatMessage:
    content = message.content
    changes: dict[str, Any] = {
        "content": _short(content) if isinstance(content, str) else list(map(_short_part, content[:_ITEMS]))
    }
    if isinstance(message, AssistantMessage) and message.tool_calls:
        changes["tool_calls"] = list(map(_short_call, message.tool_calls[:_ITEMS]))
    elif isinstance(message, ToolMessage) and message.error:
        changes["error"] = _short_values(message.error)
    return message.replaced(**changes)


def _short_part(part: ContentPart) -> ContentPart:
    if isinstance(part, TextPart):
        return replace(part, text=_short(part.text))
    if isinstance(part, ReasoningPart):
        return replace(part, reasoning=_short(part.reasoning), summary=part.summary and _short(part.summary))
    if isinstance(part, ImagePart) and part.image.startswith("data:"):
        return replace(part, image=part.image[len("data:") : _FACT].split(";", 1)[0])  # its data may be of megabytes
    return part


def _short_call(call: ToolCall) -> ToolCall:
    return replace(call, arguments=_short_values(call.arguments))


def _short_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """The first values of an object; one that is long as a text of its beginning."""
    found: dict[str, Any] = {}
    for key, value in list(values.items())[:_ITEMS]:
        text = value if isinstance(value, str) else as_json(value)
        found[key] = value if len(text) <= _TEXT else _short(text)
    return found
