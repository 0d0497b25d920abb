"""Markdown: headings per unit and message, highlights, annotations, and nothing that breaks out of its place."""

from __future__ import annotations

import re

from hypothesis import given, settings
from markdown_it import MarkdownIt

from tests.models.strategies import texts
from trajview.annotation.unit_notes import Mark, UnitNote, UnitNotes
from trajview.export.exported import Part
from trajview.export.markdown import export_markdown, fenced, message_markdown, unit_markdown
from trajview.export.shown import Annotated
from trajview.highlight import compile_rule
from trajview.models.messages import (
    AssistantMessage,
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolCallView,
    ToolMessage,
    UserMessage,
)
from trajview.models.run import AgentRun
from trajview.models.sotopia import AnnotationForEpisode
from trajview.models.transcript import Transcript, TranscriptGroup

from .reading import run_of, taken
from .strategies import runs

PARSER = MarkdownIt("commonmark").enable("table")


def headings(text: str) -> list[str]:
    """The headings of the page itself; those within quotations are a message's."""
    tokens = PARSER.parse(text)
    return [
        f"{token.tag} {tokens[at + 1].content}"
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]


@given(texts)
def test_no_text_ends_its_fence(text: str) -> None:
    text = text.replace("\r", "").replace("\x00", "")
    tokens = PARSER.parse(f"{fenced(text, 'bash')}\nafter\n")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert tokens[0].content.removesuffix("\n") == text.removesuffix("\n")


def test_a_fence_is_longer_than_any_within() -> None:
    assert fenced("a\n`````\nb\n", "python") == "``````python\na\n`````\nb\n``````\n"
    assert fenced("x", "``` <script>").startswith("```\n")


HOSTILE = [
    "```\nnever closed\n# heading",
    "<!-- never closed",
    "<script>alert(1)</script> [x](javascript:alert(1)) ![i](file:///etc/passwd)",
    "- ```\n  ```\n<img src=x>\n",
    "#### T0B7 tool\n\nforged",
    "===\n---\n***",
    "> deeper\n\n    indented",
    "[a]: http://localhost/",
    "~~~\n~~~~\n![x](http://localhost/x.png)",
]


def test_what_a_message_says_makes_no_heading_html_or_image_of_the_page() -> None:
    for text in HOSTILE:
        page = taken(export_markdown(run_of(UserMessage(content=text), AssistantMessage(content="Well.")))).text
        assert headings(page)[-3:] == ["h3 Unit 0", "h4 T0B0 user", "h4 T0B1 assistant"], text
        for token in PARSER.parse(page):
            assert token.type != "html_block", text
            for child in token.children or ():
                assert child.type not in ("html_inline", "image"), text


@settings(deadline=None)
@given(runs)
def test_every_message_of_any_run_has_its_heading_and_no_other_has_one(run: AgentRun) -> None:
    page = taken(export_markdown(run)).text
    page.encode()
    found = [heading for heading in headings(page) if heading.startswith("h4")]
    assert found == [
        f"h4 T{t}B{index} {message.role}"
        for t, transcript in enumerate(run.transcripts)
        for index, message in enumerate(transcript.messages)
    ]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", page)
    for token in PARSER.parse(page):
        assert token.type != "html_block"
        assert not [child for child in token.children or () if child.type in ("html_inline", "image")]


def test_calls_and_output_are_in_fences_and_highlights_are_listed_and_marked() -> None:
    call = ToolCall(id="c", function="bash", arguments={"command": "cat README"})
    run = run_of(
        UserMessage(content="Read it."),
        AssistantMessage(content="I do.", tool_calls=[call]),
        ToolMessage(content="```\nno such file", tool_call_id="c", function="bash", error={"message": "exit 1"}),
    )
    page = taken(export_markdown(run, rules=[compile_rule("read it", "asks")])).text
    assert "**Call** `bash` with `command`:\n\n```bash\ncat README\n```\n" in page
    assert "````\n```\nno such file\n````\n" in page
    assert (
        "- [T0B0](#t0b0-user), unit 0: rule: `asks`: `Read it.`\n- [T0B2](#t0b2-tool), unit 0: error: `exit 1`\n"
        in page
    )
    assert "### Unit 0 (highlighted)\n" in page
    assert "**▲ error:** `exit 1`" in page


def test_annotations_notes_and_marks_are_in_the_page() -> None:
    record = AnnotationForEpisode(
        pk="p", episode="r", annotator_id="ada", rewards=[(4.0, {"goal": 3.0, "secret": 5.0})], reasoning="See [T0B1]."
    )
    notes = UnitNotes("r", (UnitNote(0, 0, {"progress": 1.0}, "a good start"),), (Mark(0, 0, "look"),))
    run = run_of(UserMessage(content="Hi"), AssistantMessage(content="Hello"), agents=["Ann"])
    page = taken(export_markdown(run, annotated=Annotated([record], {"ada": notes}))).text
    assert "## Annotation by ada\n\n**Ann**\n\n| dimension | score |\n|---|--:|\n| goal | 3 |\n" in page
    assert "> See [T0B1].\n" in page
    assert "**Note by ada:** progress 1\n\n> a good start\n" in page
    assert "unit 0: mark: `look`" in page


def test_a_part_keeps_the_numbers_of_its_messages() -> None:
    run = run_of(*(UserMessage(content=str(i)) if i % 2 == 0 else AssistantMessage(content=str(i)) for i in range(6)))
    page = taken(export_markdown(run, Part(0, 2, 3))).text
    assert [heading for heading in headings(page) if heading[1] in "34"] == [
        "h3 Unit 1", "h4 T0B2 user", "h4 T0B3 assistant",
    ]  # fmt: skip
    assert "- shown: `messages 2 to 3 of transcript 0`" in page


def test_what_is_only_named_is_said() -> None:
    lost = taken(
        export_markdown(
            run_of(
                UserMessage(
                    id="m", content=[ImagePart(image="a.png"), TextPart(text="\x1b[31mred\x07")], metadata={"a": 1}
                )
            )
        )
    ).lost
    assert lost == [
        "The metadata of message T0B0 are left out.",
        "The ids of message T0B0 are left out.",
        "The images of message T0B0 are named, not shown.",
        "The control characters and terminal colours of message T0B0 are shown as signs or left out.",
    ]


def test_all_that_a_page_does_not_show_is_named() -> None:
    message = AssistantMessage(
        id="m", metadata={"a": 1}, usage={"n": 1}, citations=["c"], suggested_messages=["s"],
        content=[TextPart(text="a", temporal=True), ReasoningPart(reasoning="long", summary="short", redacted=True)],
        tool_calls=[ToolCall(function="f", view=ToolCallView(content="v"))],
    )  # fmt: skip
    transcript = Transcript(messages=[message], metadata={"a": 1})
    lost = taken(
        export_markdown(AgentRun(id="r", transcripts=[transcript], transcript_groups=[TranscriptGroup(id="g")]))
    ).lost
    assert lost == [
        "The groups of transcripts are left out.",
        "The descriptions, times and metadata of transcripts are left out.",
        "The metadata of message T0B0 are left out.",
        "The ids of message T0B0 are left out.",
        "The token counts of message T0B0 are left out.",
        "The citations by the model of message T0B0 are left out.",
        "The suggested messages of message T0B0 are left out.",
        "The views and other remarks on tool calls of message T0B0 are left out.",
        "The remarks on pieces of text of message T0B0 are left out.",
        "The signatures and other marks of reasoning of message T0B0 are left out.",
    ]


def test_a_message_to_be_pasted_is_its_text_with_calls_in_fences() -> None:
    call = ToolCall(function="edit", arguments={"path": "a.py", "line": 3})
    message = AssistantMessage(content=[ReasoningPart(reasoning="Hm."), TextPart(text="# I edit\n")], tool_calls=[call])
    assert message_markdown(message) == (
        '*Reasoning:*\n\n> Hm.\n\n# I edit\n\n**Call** `edit`:\n\n```json\n{\n  "path": "a.py",\n  "line": 3\n}\n```'
    )
    assert message_markdown(ToolMessage(content="done")) == "```\ndone\n```"


def test_a_unit_to_be_pasted_says_who_speaks() -> None:
    transcript = Transcript(messages=[UserMessage(content="Hi", name="ada"), AssistantMessage(content="Hello")])
    assert unit_markdown(transcript, 0) == "#### user ada\n\nHi\n\n#### assistant\n\nHello"
