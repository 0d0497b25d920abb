"""Markdown, line by line: what it looks like, what is kept, how long it takes."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.app.strategies import HOSTILE, PIECES
from trajview.app.render.lines import Line
from trajview.app.render.markdown import inline, markdown_lines, prose_line

WORD = re.compile(r"\w")


def shown(text: str) -> list[str]:
    """The lines with what stands in their margin."""
    result = []
    for line in markdown_lines(text):
        lead = line.lead[0] if line.lead else ""
        result.append((lead + " " * (line.indent - cell_len(lead)) + line.text).rstrip())
    return result


def styled(text: str) -> list[tuple[str, object]]:
    plain, spans = inline(text)
    return [(plain[a:b], name) for a, b, name in spans]


MARKED = st.lists(
    st.sampled_from([*PIECES, "\n", "\n\n", "\n- ", "\n1. ", "\n# ", "\n> ", "\n```\n", "\n~~~~\n", "\n| a | b |\n|---|---|\n| c |", "```py x\n",
                     "http://a.b/c_d", "__init__", "**bold**", "*em*", "`co*de`", "***", "x_y_z", "\\*", "![i](j)", "---"]),
    max_size=20,
).map("".join)  # fmt: skip


@settings(max_examples=300)
@given(st.one_of(MARKED, HOSTILE))
def test_no_word_is_lost(text: str) -> None:
    # A fence's language is a mark, and so is the x of a done task.
    source = re.sub(r"(?m)^(\s*)(?:`{3,}|~{3,})[ \t]*[\w+#.-]*[ \t]*$", r"\1", text)
    source = re.sub(r"\[[xX]\]", "", source)
    have = "".join((line.lead[0] if line.lead else "") + line.text for line in markdown_lines(text))
    wanted = [char for char in source if WORD.match(char) and char != "_" and char.isascii()]
    assert not _missing("".join(wanted), have)


def _missing(wanted: str, have: str) -> str:
    """The first characters of `wanted` that are not in `have` in that order."""
    position = 0
    for index, char in enumerate(wanted):
        position = have.find(char, position) + 1
        if not position:
            return wanted[index:]
    return ""


@settings(max_examples=200)
@given(st.one_of(MARKED, HOSTILE))
def test_spans_lie_within_their_text(text: str) -> None:
    for line in markdown_lines(text):
        assert all(0 <= a < b <= len(line.text) for a, b, _ in line.spans)
        assert line.indent >= 0
        assert "\n" not in line.text


@given(st.text(alphabet="ab c,.日\n", max_size=60))
def test_plain_words_stay_as_they_are(text: str) -> None:
    assert "\n".join(" " * line.indent + line.text for line in markdown_lines(text)) == text


@pytest.mark.parametrize(
    ("text", "plain", "spans"),
    [
        ("a **b** c", "a b c", [("b", "md.bold")]),
        ("**一** 二", "一 二", [("一", "md.bold")]),
        ("这是**重要**的", "这是重要的", [("重要", "md.bold")]),
        ("a *b* c", "a b c", [("b", "md.em")]),
        ("~~old~~ new", "old new", [("old", "md.strike")]),
        ("run `a ** b` and `c ** d`", "run a ** b and c ** d", [("a ** b", "md.code"), ("c ** d", "md.code")]),
        ("**with `code` in it**", "with code in it", [("with code in it", "md.bold"), ("code", "md.code")]),
        (
            "[here](http://x.y/a_b_c)",
            "here (http://x.y/a_b_c)",
            [("here", "md.link"), (" (http://x.y/a_b_c)", "md.url")],
        ),
        ("see http://x.y/a_b.", "see http://x.y/a_b.", [("http://x.y/a_b", "md.link")]),
        ("__strong words__", "strong words", [("strong words", "md.bold")]),
        ("***both***", "both", [("both", "md.bold"), ("both", "md.em")]),
    ],
)
def test_inline_marks_become_styles(text: str, plain: str, spans: list[tuple[str, str]]) -> None:
    assert inline(text)[0] == plain
    assert styled(text) == spans


@pytest.mark.parametrize(
    "text",
    [
        "snake_case_name and _private_", "__init__.py", "a.__class__.__name__", "**unbalanced", "unbalanced**", "2 * 3 * 4", "2*3*4",
        "2**3 and 4**5", "def f(*args, **kwargs): return g(*args, **kwargs)", "def f(**kw): return g(**kw)", "*.py and *.md",
        "a ` b", "``", "**", "****", "[x] (y)", "[x]()", "a[0](b)[1", "~~", "~/a ~/b", "<b>x</b>", "\\*not\\*", "char **argv, char **envp",
    ],
)  # fmt: skip
def test_what_is_not_plainly_a_mark_stays(text: str) -> None:
    if text == "a[0](b)[1":  # a link by every rule
        assert inline(text)[0] == "a0 (b)[1"
        return
    assert inline(text) == (text, [])


def test_headings_lists_quotes_and_rules() -> None:
    text = "# One\n### Two ##\n#not\n# About C#\n- a\n  - b\n    * c\n+ d\n1. one\n  12) two\n- [ ] to do\n- [x] done\n> said\n>> deeper\n---\n  in"
    assert shown(text) == [
        "One", "Two", "#not", "About C#", "• a", "  • b", "    • c", "• d", "1. one", "  12) two", "☐ to do", "☑ done", "▏ said",
        "▏ deeper", "─" * 24, "  in",
    ]  # fmt: skip
    styles = [line.style for line in markdown_lines(text)]
    assert styles[:4] == ["md.heading", "md.subheading", "", "md.heading"]
    assert styles[12:15] == ["md.quote", "md.quote", "md.rule"]


def test_a_list_item_wraps_below_its_text() -> None:
    line = markdown_lines("  10. ten")[0]
    assert (line.indent, line.hang, line.lead) == (6, 6, ("  10.", "md.bullet"))


def test_a_table_is_aligned_in_cells() -> None:
    text = "| name | n |\n|:-----|--:|\n| 日本 | 1 |\n| `a` | 100 | more |\n| b |\nafter"
    lines = markdown_lines(text)
    assert [line.text for line in lines] == [
        "name │   n │",
        "─────┼─────┼─────",
        "日本 │   1 │",
        "a    │ 100 │ more",
        "b    │     │",
        "after",
    ]
    assert len({cell_len(line.text[: line.text.index("│")]) for line in lines if "│" in line.text}) == 1


def test_a_row_of_bars_without_a_ruler_is_no_table() -> None:
    assert shown("| a | b |\n| c | d |") == ["| a | b |", "| c | d |"]


def test_a_table_of_absurd_size_is_shown_as_it_stands() -> None:
    text = "|" + "a|" * 5_000 + "\n|" + "-|" * 5_000 + "\n" + "| x |\n" * 1_000
    lines = markdown_lines(text)
    assert sum(len(line.text) for line in lines) < 3 * len(text)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("```py\nx = 1\n```\nafter", ["x = 1", "after"]),
        ("~~~\na\n```\nb\n~~~\nafter", ["a", "```", "b", "after"]),
        ("````md\n```py\nx\n```\n````\nafter", ["```py", "x", "```", "after"]),
        ("```\nnever closed\n**x**", ["never closed", "**x**"]),
        ("```\n```", []),
        ("  ```\n  x\n    y\n  ```\nafter", ["  x", "    y", "after"]),
        ("1. do\n    ```sh\n    ls\n    ```\nafter", ["1. do", "    ls", "after"]),
        ("```py title=one two\nx\n```", ["py title=one two", "x"]),
        ("``` inline ``` text", [" inline  text"]),
    ],
)
def test_fenced_code_is_verbatim(text: str, lines: list[str]) -> None:
    assert shown(text) == lines


def test_fenced_code_gets_its_colours_when_it_is_shown() -> None:
    line: Line = markdown_lines("```py\nx = 1\n```")[0]
    assert line.finish is not None
    assert line.fill == "code.block"
    line.finish()
    assert ("1", "code.number") in [(line.text[a:b], name) for a, b, name in line.spans]


@pytest.mark.parametrize("length", [4_990, 50_000])
@pytest.mark.parametrize(
    "piece", ["*", "**", "**a ", "*a ", "`", "`a", "[", "[a](", "![", "|", "| ", "_", "__", "__a ", "~~a ", "~", "#", " ", "> ", "- ", "https://", "1. ", "a|"],
)  # fmt: skip
def test_no_line_takes_long(piece: str, length: int) -> None:
    run = piece * (length // len(piece))
    for text in (
        run,
        run + "x",
        "# " + run + "x",
        "- " + run + "x",
        "|" + run + "x|\n|-|\n",
        "---" + run + "x",
        "```" + run + "x",
    ):
        before = time.process_time()
        markdown_lines(text)
        assert time.process_time() - before < 0.5, text[:20]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Task\n\n- [ ] do **this**\n> and `that`\n---\n1. [here](http://x.y)", "Task do this and that 1. here"),
        ("a\n```sh\n# *not* a heading\n```\nb", "a # *not* a heading b"),
        ("2**3 and **kwargs of __init__", "2**3 and **kwargs of __init__"),
        ('{"a": "**b**"}', '{"a": "**b**"}'),
        ("a **bold text that is cu…", "a bold text that is cu…"),
        ("**Note:** \x1b[31mred\x07", "Note: red␇"),
        (" \n ", ""),
    ],
)
def test_a_line_of_prose_has_no_marks(text: str, said: str) -> None:
    assert prose_line(text) == said


@given(st.text("ab *_`#[]()~>-\n…", max_size=60), st.integers(5, 40))
def test_a_line_of_prose_is_one_line_within_its_limit(text: str, limit: int) -> None:
    line = prose_line(text, limit)
    assert "\n" not in line
    assert len(line) <= limit
