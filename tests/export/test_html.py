"""The page: what is on it, that links lead somewhere, and that no text of a log becomes markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from io import BytesIO
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.app.strategies import HOSTILE
from trajview.annotation.unit_notes import Mark, UnitNote, UnitNotes
from trajview.export.exported import Part
from trajview.export.html import export_html
from trajview.export.html_index import PageOfRuns, index_page, listed
from trajview.export.markdown import export_markdown
from trajview.export.page import page_of
from trajview.export.prose import cited, output, prose
from trajview.export.shown import Annotated
from trajview.highlight import compile_rule
from trajview.models.messages import (
    AssistantMessage,
    ChatMessage,
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from trajview.models.run import AgentRun
from trajview.models.sotopia import AnnotationForEpisode
from trajview.models.transcript import Transcript

from .strategies import runs

TAGS = frozenset(
    [
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "div",
        "h1",
        "h2",
        "h3",
        "dl",
        "dt",
        "dd",
        "details",
        "summary",
        "pre",
        "nav",
        "ol",
        "li",
        "a",
        "span",
        "main",
        "section",
        "table",
        "tr",
        "th",
        "td",
        "article",
        "header",
        "b",
        "p",
        "code",
        "strong",
        "blockquote",
    ]
)
ATTRIBUTES = frozenset(["lang", "charset", "http-equiv", "content", "name", "class", "id", "href", "title"])
EMPTY = {"meta"}


class Page(HTMLParser):
    """The tags of a page, checked while it is read: known ones alone, and all of them closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: list[str] = []
        self.links: list[str] = []
        self.folds = 0
        self._open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []
        self.text = "".join(self.words)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        found = dict(attrs)
        assert found.keys() <= ATTRIBUTES
        if "id" in found:
            self.ids.append(found["id"] or "")
        if "href" in found:
            assert (found["href"] or "").startswith("#")
            self.links.append((found["href"] or "")[1:])
        self.folds += tag == "details"
        if tag not in EMPTY:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self.words.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment")


def run_of(*messages: ChatMessage, **more: Any) -> AgentRun:
    return AgentRun(id="r", transcripts=[Transcript(messages=list(messages))], **more)


@settings(deadline=None)
@given(runs, HOSTILE)
def test_any_run_gives_a_sound_page_whose_links_lead_to_places_on_it(run: AgentRun, nasty: str) -> None:
    record = AnnotationForEpisode(
        pk="p", episode="r", annotator_id=nasty, rewards=[(1.0, {nasty: 1.0})], reasoning=nasty
    )
    notes = UnitNotes("r", (UnitNote(0, 0, {nasty: 1.0}, nasty),), (Mark(0, 0, nasty),))
    text = export_html(run, annotated=Annotated([record], {nasty: notes}), rules=[compile_rule("a|e")]).text
    text.encode()
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert set(page.links) <= set(page.ids)
    places = [f"T{t}B{index}" for t, each in enumerate(run.transcripts) for index in range(len(each.messages))]
    assert [place for place in page.ids if re.fullmatch(r"T\d+B\d+", place)] == places


@settings(deadline=None, max_examples=50)
@given(st.lists(runs, min_size=2, max_size=3), HOSTILE)
def test_several_runs_are_on_a_sound_page_each_with_places_of_its_own(several: list[AgentRun], nasty: str) -> None:
    record = AnnotationForEpisode(pk="p", episode="r", annotator_id=nasty, rewards=[(1.0, {})], reasoning=nasty)
    whole = PageOfRuns()
    for run in several:
        run = run.model_copy(update={"name": nasty})
        lost = whole.add(page_of(run, None, Annotated([record]), [compile_rule("a|e")])).lost
        assert lost == export_html(run, annotated=Annotated([record]), rules=[compile_rule("a|e")]).lost
    file = BytesIO()
    whole.write_to(file)
    page = Page(file.getvalue().decode())
    assert len(page.ids) == len(set(page.ids))
    assert set(page.links) <= set(page.ids)
    for number, run in enumerate(several):
        assert f"R{number}" in page.links
        places = [
            f"R{number}-T{t}B{index}" for t, each in enumerate(run.transcripts) for index in range(len(each.messages))
        ]
        assert [place for place in page.ids if re.fullmatch(rf"R{number}-T\d+B\d+", place)] == places


def test_one_run_added_alone_is_its_own_page() -> None:
    run = run_of(UserMessage(content="Hello."))
    whole, file = PageOfRuns(), BytesIO()
    whole.add(page_of(run, None, None, []))
    whole.write_to(file)
    assert file.getvalue().decode() == export_html(run).text


@given(HOSTILE)
def test_an_index_leads_to_files_whatever_they_are_named(nasty: str) -> None:
    run = run_of(UserMessage(content="Hello."), name=nasty)
    text = index_page([listed(page_of(run, None, None, []), name) for name in ("a.html", "%2e#?.html")])
    assert 'href="a.html"' in text
    assert 'href="%252e%23%3F.html"' in text
    Page(text.replace('href="', 'href="#'))


MARKUP = [
    "<script>x()</script>", "</pre></div></article><img src=x onerror=x()>", '" onmouseover="x()', "' onclick='x()",
    "</style><script>", "<!--", "]]>", "&lt;script&gt;", "**<b>bold</b>**", "`<i>`", "# <h1>", "> <blockquote>", "```\n</pre>\n```",
    "[T0B0: \"<b>\"]",
]  # fmt: skip


@given(st.lists(st.sampled_from([*MARKUP, "\n", " ", "words"]), max_size=12).map("".join))
def test_markup_in_a_text_is_text(text: str) -> None:
    for made in (prose(text), output(text, 2), cited(text, lambda transcript, message: True)):
        Page(made)
    assert Page(output(text, 1_000)).text.split() == text.split()


def test_the_policy_forbids_all_but_the_pages_own_style() -> None:
    text = export_html(run_of(UserMessage(content="Hi"))).text
    head = text[: text.index("</head>")]
    assert "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'" in head
    assert "prefers-color-scheme: dark" in head
    assert "url(" not in head
    assert "@import" not in head


def test_long_output_is_folded_and_a_failure_shows_more_of_it() -> None:
    long = "\n".join(f"line {i}" for i in range(30))
    call = ToolCall(id="c", function="bash", arguments={"command": "seq 30"})
    failed = ToolMessage(content=long, tool_call_id="c", error={"message": "exit 1"})
    text = export_html(
        run_of(AssistantMessage(tool_calls=[call]), ToolMessage(content=long, tool_call_id="c"), failed)
    ).text
    assert Page(text).folds == 1
    assert "18 more lines" in text
    assert '<p class="why error">error: exit 1</p>' in text
    assert '<li class="dot error"><a href="#T0B2"' in text


def test_reasoning_calls_and_images_are_told_apart() -> None:
    parts = [ReasoningPart(reasoning="Hm."), TextPart(text="I look."), ImagePart(image="a.png")]
    call = ToolCall(function="edit", arguments={"path": "a.py", "text": "x\ny"})
    text = export_html(run_of(AssistantMessage(content=parts, tool_calls=[call], name="Ada", model="m-1"))).text
    assert "<div class=reasoning><div class=text>Hm.</div></div>" in text
    assert "<code>[image: a.png]</code>" in text
    assert "<span class=fn>edit</span> <span class=arg>path</span> <code>a.py</code>" in text
    assert "<pre>x\ny</pre>" in text
    assert "<b>assistant</b> <span>Ada</span> <span>m-1</span>" in text


def test_annotations_are_in_the_page_and_what_they_cite_is_linked_and_listed() -> None:
    record = AnnotationForEpisode(
        pk="p", episode="r", annotator_id="ada", rewards=[(4.0, {"goal": 3.0}), (2.0, {"goal": 2.0, "secret": 5.0})],
        reasoning='He says so [T0B1: "Hello"], not in [T0B7].',
    )  # fmt: skip
    notes = UnitNotes("r", (UnitNote(0, 0, {"progress": 1.0}, "a good start"),), (Mark(0, 0, "look"),))
    run = run_of(UserMessage(content="Hi"), AssistantMessage(content="Hello"), agents=["Ann", "Bob"])
    text = export_html(run, annotated=Annotated([record], {"ada": notes})).text
    assert "<th class=num>Ann</th><th class=num>Bob</th>" in text
    assert "<td>secret</td><td class=num>–</td><td class=num>5</td>" in text
    assert '<a class=cite href="#T0B1">[T0B1: &quot;Hello&quot;]</a>, not in [T0B7].' in text
    assert "<div class=note><b>ada</b> progress 1<div class=text>a good start</div></div>" in text
    assert '<li class="dot citation"><a href="#T0B1"' in text
    assert '<li class="dot mark"><a href="#T0B0"' in text


def test_of_a_part_nothing_else_is_on_the_page() -> None:
    run = run_of(
        *(UserMessage(content=f"say {i}") if i % 2 == 0 else AssistantMessage(content=f"say {i}") for i in range(6))
    )
    run.reasoning = "See [T0B0] and [T0B3]."
    text = export_html(run, Part(0, 2, 3), rules=[compile_rule("say")]).text
    page = Page(text)
    assert [place for place in page.ids if "B" in place] == ["T0B2", "T0B3"]
    assert set(page.links) <= set(page.ids)
    assert "say 0" not in text
    assert '<a class=cite href="#T0B3">' in text


def test_calls_lead_to_what_sub_agents_said_and_back() -> None:
    call = ToolCall(id="c", function="ask", arguments={"where": "roof"})
    lead = Transcript(
        messages=[
            AssistantMessage(content="", tool_calls=[ToolCall(id="b", function="ls", arguments={}), call]),
            ToolMessage(content="four", tool_call_id="c"),
        ]
    )
    scout = Transcript(name="scout <1>", metadata={"tool_call_id": "c"}, messages=[UserMessage(content="the roof")])
    run = AgentRun(id="r", transcripts=[lead, scout])
    text = export_html(run).text
    page = Page(text)
    assert page.links.count("T1") == 3  # beside, at the call, at the answer
    assert "T1" in page.ids
    assert text.index(">ask<") < text.index('↳ <a href="#T1">Transcript 1: scout &lt;1&gt;</a>') < text.index("id=T0B1")
    assert 'Started by a call in <a href="#T0B0">T0B0</a>.' in text
    markdown = export_markdown(run).text
    assert "↳ Transcript 1: scout \\<1\\>\n" in markdown
    assert "## Transcript 1: scout \\<1\\>\n\nStarted by a call in T0B0.\n" in markdown
    assert "↳" not in export_html(run, Part(0, 0, 1)).text


def test_a_diff_has_its_colours() -> None:
    made = output("diff --git a/x b/x\n@@ -1 +1 @@\n-<old>\n+new\n", 12)
    assert "<span class=del>-&lt;old&gt;</span>\n<span class=ins>+new</span>" in made
    assert "class=del" not in output("- a list\n+ of things\n", 12)
