"""The page: what is on it, that links lead somewhere, and that no text of a log becomes markup."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.app.strategies import HOSTILE
from tests.models.test_images import PNG, url
from trajview.annotation.unit_notes import Mark, UnitNote, UnitNotes
from trajview.export.exported import Part
from trajview.export.html import export_html
from trajview.export.html_index import PageOfRuns, index_page, listed
from trajview.export.markdown import export_markdown
from trajview.export.page import page_of
from trajview.export.prose import cited, output, prose
from trajview.export.shown import Annotated
from trajview.highlight import Rule, compile_rule
from trajview.models.messages import (
    AssistantMessage,
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

from .reading import run_of, taken
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
        "mark",
    ]
)
ATTRIBUTES = frozenset(["lang", "charset", "http-equiv", "content", "name", "class", "id", "href", "title", "open"])
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
        self.folds += tag == "details" and found.get("class") != "group"
        if tag not in EMPTY:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self.words.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment")


def groups_of(text: str) -> list[tuple[str, str, list[str]]]:
    """The groups of the list of highlights: class, heading and places of each."""
    groups = re.findall(
        r'<details class=group(?: open)?><summary class="(.*?)">(.*?)</summary>\n<ol>(.*?)</ol>', text, re.DOTALL
    )
    return [(kind, re.sub(r"<.*?>", "", head), re.findall(r'href="#(.*?)"', rows)) for kind, head, rows in groups]


def marked(text: str) -> list[tuple[str, str]]:
    """The class and the text of each mark within the messages."""
    return re.findall(r'<mark class="(.*?)">(.*?)</mark>', text[text.index("<main>") :], re.DOTALL)


def without_marks(text: str) -> str:
    """The messages as if nothing in them stood out."""
    return re.sub(r'<mark class=".*?">|</mark>|<p class="why .*?</p>\n', "", text[text.index("<article") :])


def rule(pattern: str, name: str = "timetable", **more: Any) -> Rule:
    return replace(compile_rule(pattern, name), **more)


def test_the_matches_of_a_rule_are_marked_in_its_colour() -> None:
    run = run_of(UserMessage(content="The night bus,\nthe bus."), ToolMessage(content="bus 4", tool_call_id="c"))
    rules = [rule("bus", colour="blue"), rule("night", "late")]
    text = taken(export_html(run, rules=rules)).text
    assert marked(text) == [("c-rule", "night"), ("c-blue", "bus"), ("c-blue", "bus"), ("c-blue", "bus")]
    Page(text)


def test_a_rule_marks_in_its_own_fields_and_tools_alone() -> None:
    calls = [ToolCall(id=tool, function=tool, arguments={"a": "bus 5"}) for tool in ("sh", "py")]
    parts = [ReasoningPart(reasoning="bus 1"), TextPart(text="bus 2")]
    run = run_of(
        AssistantMessage(content=parts, tool_calls=calls),
        ToolMessage(content="bus 3", tool_call_id="sh", function="sh", error={"message": "bus 4"}),
    )

    def found(**where: Any) -> list[str]:
        return [text for _, text in marked(taken(export_html(run, rules=[rule(r"bus \d", **where)])).text)]

    assert found() == ["bus 1", "bus 2", "bus 5", "bus 5", "bus 3", "bus 4"]
    for field, wanted in (("reasoning", "1"), ("text", "2"), ("output", "3"), ("error", "4")):
        assert found(fields=frozenset([field])) == [f"bus {wanted}"]
    assert found(fields=frozenset(["arguments"]), tools=frozenset(["py"])) == ["bus 5"]
    assert found(roles=frozenset(["tool"])) == ["bus 3", "bus 4"]


def test_marks_leave_the_markup_around_them_as_it_was() -> None:
    said = "# Bus times\n> the bus\n\n**the night bus** and `a bus`\n```\nbus\n```\nbus\nbus"
    text = taken(export_html(run_of(UserMessage(content=said)), rules=[rule(r"(?i)bus( times)?(\nbus)?")])).text
    main = text[text.index("<article") :]
    assert '<strong class=h><mark class="c-rule">Bus times</mark></strong>' in main
    assert '<blockquote class=text>the <mark class="c-rule">bus</mark></blockquote>' in main
    assert '<strong>the night <mark class="c-rule">bus</mark></strong>' in main
    assert '<code>a <mark class="c-rule">bus</mark></code>' in main
    assert '<pre><mark class="c-rule">bus</mark></pre>' in main
    assert '<mark class="c-rule">bus</mark>\n<mark class="c-rule">bus</mark></div>' in main
    Page(text)
    plain = without_marks(taken(export_html(run_of(UserMessage(content=said)))).text)
    for pattern in (r"[\s\S]+", r"(?m)^.*$", r"[#>`]+", r"\*\*the", r"s+\n"):
        assert without_marks(taken(export_html(run_of(UserMessage(content=said)), rules=[rule(pattern)])).text) == plain


def test_hostile_text_stays_escaped_within_marks() -> None:
    nasty = '<img src=x onerror="go()"> \x02a&lt;\x03 </mark>'
    text = taken(export_html(run_of(UserMessage(content=nasty)), rules=[rule(r"<img|onerror=.*")])).text
    assert "<img" not in text
    assert marked(text) == [
        ("c-rule", "&lt;img"),
        ("c-rule", "onerror=&quot;go()&quot;&gt; ␂a&amp;lt;␃ &lt;/mark&gt;"),
    ]
    Page(text)


def test_highlights_are_listed_by_rule_with_their_count_and_a_few_words() -> None:
    messages = [UserMessage(content=f"line {n}\nwhen does bus <{n}> go, by the way?") for n in range(12)]
    text = taken(
        export_html(run_of(*messages, ToolMessage(content="Error: no bus", tool_call_id="c")), rules=[rule("bus")])
    ).text
    groups = groups_of(text)
    assert [group[:2] for group in groups] == [("dot error", "errors 1"), ("dot rule c-rule", "timetable 13")]
    assert groups[1][2] == [f"T0B{n}" for n in range(13)]
    contents = text[: text.index("<main>")]
    assert 'when does <mark class="c-rule">bus</mark> &lt;7&gt; go, by the way?' in contents
    assert contents.count("timetable") == 1
    assert contents.count("<details class=group open>") == 1  # the long one is folded
    long = "a long way before the bus, and " + "a long way after it, " * 4
    contents = taken(export_html(run_of(UserMessage(content=f"first\n{long}\nlast")), rules=[rule("bus")])).text
    assert '>… way before the <mark class="c-rule">bus</mark>, and a long way' in contents
    assert "…</span></a>" in contents


def test_a_rule_that_looks_near_its_words_marks_the_same_as_without_them() -> None:
    said = "x" * 3_000 + ("\n" + "no key, " * 400 + "key=abc\nkey=\n") * 3
    near, plain = rule(r"key=\w+", words=("key=",)), rule(r"key=\w+")
    assert list(near.spans(said, 100)) == list(plain.spans(said, 100))
    assert len(list(plain.spans(said, 100))) == 3
    assert len(list(plain.spans(said, 2))) == 2


@given(runs, HOSTILE)
def test_any_run_gives_a_sound_page_whose_links_lead_to_places_on_it(run: AgentRun, nasty: str) -> None:
    record = AnnotationForEpisode(
        pk="p", episode="r", annotator_id=nasty, rewards=[(1.0, {nasty: 1.0})], reasoning=nasty
    )
    notes = UnitNotes("r", (UnitNote(0, 0, {nasty: 1.0}, nasty),), (Mark(0, 0, nasty),))
    text = taken(export_html(run, annotated=Annotated([record], {nasty: notes}), rules=[compile_rule("a|e")])).text
    text.encode()
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert set(page.links) <= set(page.ids)
    places = [f"T{t}B{index}" for t, each in enumerate(run.transcripts) for index in range(len(each.messages))]
    assert [place for place in page.ids if re.fullmatch(r"T\d+B\d+", place)] == places


@settings(max_examples=20)
@given(st.lists(runs, min_size=2, max_size=3), HOSTILE)
def test_several_runs_are_on_a_sound_page_each_with_places_of_its_own(several: list[AgentRun], nasty: str) -> None:
    record = AnnotationForEpisode(pk="p", episode="r", annotator_id=nasty, rewards=[(1.0, {})], reasoning=nasty)
    whole, pages = PageOfRuns(), []
    for run in several:
        run = structs.replace(run, name=nasty)
        pages.append(page_of(run, None, Annotated([record]), [compile_rule("a|e")]))
        whole.add(pages[-1])
    page = Page("".join(whole.pieces()))
    for run, each in zip(several, pages, strict=True):
        alone = export_html(run, annotated=Annotated([record]), rules=[compile_rule("a|e")])
        assert each.lost.sentences() == taken(alone).lost
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
    whole = PageOfRuns()
    whole.add(page_of(run, None, None, []))
    assert "".join(whole.pieces()) == taken(export_html(run)).text


@given(HOSTILE)
def test_an_index_leads_to_files_whatever_they_are_named(nasty: str) -> None:
    run = run_of(UserMessage(content="Hello."), name=nasty)
    text = "".join(index_page([listed(page_of(run, None, None, []), name) for name in ("a.html", "%2e#?.html")]))
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
    text = taken(export_html(run_of(UserMessage(content="Hi")))).text
    head = text[: text.index("</head>")]
    assert "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'" in head
    assert "prefers-color-scheme: dark" in head
    assert "url(" not in head
    assert "@import" not in head


def test_long_output_is_folded_and_a_failure_shows_more_of_it() -> None:
    long = "\n".join(f"line {i}" for i in range(30))
    call = ToolCall(id="c", function="bash", arguments={"command": "seq 30"})
    failed = ToolMessage(content=long, tool_call_id="c", error={"message": "exit 1"})
    text = taken(
        export_html(run_of(AssistantMessage(tool_calls=[call]), ToolMessage(content=long, tool_call_id="c"), failed))
    ).text
    assert Page(text).folds == 1
    assert "18 more lines" in text
    assert '<p class="why error">error: exit 1</p>' in text
    assert groups_of(text) == [("dot error", "errors 1", ["T0B2"])]


def test_reasoning_calls_and_images_are_told_apart() -> None:
    parts = [ReasoningPart(reasoning="Hm."), TextPart(text="I look."), ImagePart(image="a.png")]
    call = ToolCall(function="edit", arguments={"path": "a.py", "text": "x\ny"})
    text = taken(export_html(run_of(AssistantMessage(content=parts, tool_calls=[call], name="Ada", model="m-1")))).text
    assert "<div class=reasoning><div class=text>Hm.</div></div>" in text
    assert "<code>[image: a.png]</code>" in text
    assert "<span class=fn>edit</span> <span class=arg>path</span> <code>a.py</code>" in text
    assert "<pre>x\ny</pre>" in text
    assert "<b>assistant</b> <span>Ada</span> <span>m-1</span>" in text


def test_images_whose_data_are_in_the_log_are_on_the_page_and_nothing_else_is_loaded() -> None:
    svg = url(b"<svg onload='x()'/>", "image/png")
    parts = [
        ImagePart(image=target) for target in (url(PNG, "text/html"), svg, "https://example.org/a.png", "/etc/a.png")
    ]
    exported = taken(export_html(run_of(UserMessage(content=parts))))
    assert re.findall("<img[^>]*>", exported.text) == [
        f'<img alt="image" width=640 height=400 loading=lazy src="{url(PNG)}">'
    ]
    assert "<code>[image: data:image/png;base64]</code> not a PNG, JPEG, GIF or WebP image" in exported.text
    assert "<code>[image: https://example.org/a.png]</code>" in exported.text
    assert exported.lost == ["The images of message T0B0 are named, not shown."]
    assert taken(export_html(run_of(UserMessage(content=parts[:1])))).lost == []


def test_an_image_that_is_too_large_for_a_page_is_named() -> None:
    large = ImagePart(image=url(PNG) + "A" * (12 << 20))
    text = taken(export_html(run_of(UserMessage(content=[large])))).text
    assert "<code>[image: data:image/png;base64]</code> larger than 8 MB" in text


def test_annotations_are_in_the_page_and_what_they_cite_is_linked_and_listed() -> None:
    record = AnnotationForEpisode(
        pk="p", episode="r", annotator_id="ada", rewards=[(4.0, {"goal": 3.0}), (2.0, {"goal": 2.0, "secret": 5.0})],
        reasoning='He says so [T0B1: "Hello"], not in [T0B7].',
    )  # fmt: skip
    notes = UnitNotes("r", (UnitNote(0, 0, {"progress": 1.0}, "a good start"),), (Mark(0, 0, "look"),))
    run = run_of(UserMessage(content="Hi"), AssistantMessage(content="Hello"), agents=["Ann", "Bob"])
    text = taken(export_html(run, annotated=Annotated([record], {"ada": notes}))).text
    assert "<th class=num>Ann</th><th class=num>Bob</th>" in text
    assert "<td>secret</td><td class=num>–</td><td class=num>5</td>" in text
    assert '<a class=cite href="#T0B1">[T0B1: &quot;Hello&quot;]</a>, not in [T0B7].' in text
    assert "<div class=note><b>ada</b> progress 1<div class=text>a good start</div></div>" in text
    assert groups_of(text) == [("dot mark", "marks 1", ["T0B0"]), ("dot citation", "citations 1", ["T0B1"])]


def test_of_a_part_nothing_else_is_on_the_page() -> None:
    run = run_of(
        *(UserMessage(content=f"say {i}") if i % 2 == 0 else AssistantMessage(content=f"say {i}") for i in range(6))
    )
    run.reasoning = "See [T0B0] and [T0B3]."
    text = taken(export_html(run, Part(0, 2, 3), rules=[compile_rule("say")])).text
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
    text = taken(export_html(run)).text
    page = Page(text)
    assert page.links.count("T1") == 3  # beside, at the call, at the answer
    assert "T1" in page.ids
    assert text.index(">ask<") < text.index('↳ <a href="#T1">Transcript 1: scout &lt;1&gt;</a>') < text.index("id=T0B1")
    assert 'Started by a call in <a href="#T0B0">T0B0</a>.' in text
    markdown = taken(export_markdown(run)).text
    assert "↳ Transcript 1: scout \\<1\\>\n" in markdown
    assert "## Transcript 1: scout \\<1\\>\n\nStarted by a call in T0B0.\n" in markdown
    assert "↳" not in taken(export_html(run, Part(0, 0, 1))).text


def test_a_diff_has_its_colours() -> None:
    made = output("diff --git a/x b/x\n@@ -1 +1 @@\n-<old>\n+new\n", 12)
    assert "<span class=del>-&lt;old&gt;</span>\n<span class=ins>+new</span>" in made
    assert "class=del" not in output("- a list\n+ of things\n", 12)


def test_a_unit_without_words_is_listed_by_what_it_calls() -> None:
    call = ToolCall(id="c", function="bash", arguments={"n": 1, "command": "ls <timetable>"})
    text = taken(export_html(run_of(AssistantMessage(content="", tool_calls=[call, call])))).text
    assert "<span class=n>0</span> ▸ bash ls &lt;timetable&gt;</a>" in text
