"""The reasoning's shape: what is composed divides again, what is divided composes again, and Sotopia's readers split it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.annotation.draft import Draft
from trajview.annotation.reasoning import compose, divide, one_line_of
from trajview.annotation.rubric import SOTOPIA, Dimension, Rubric
from trajview.annotation.store import AnnotationStore

MIXED = Rubric(
    "mixed",
    (
        Dimension("tone", 0, 1, rationale=True),
        Dimension("whole", 0, 1, rationale=True, per="episode"),
        Dimension("silent", 0, 1),
        Dimension("step", 0, 1, rationale=True, scope="unit"),
    ),
)

WRITTEN_BY_SOTOPIA = (
    "Environment comments: terminated: one of them has left; \n"
    "Agent 1 comments:\n"
    "believability: She keeps to her part: a baker at 5:30.\nrelationship: They part as friends.\nknowledge: None.\n"
    "secret: Kept.\nsocial_rules: None broken.\nfinancial_and_material_benefits: She saves the oven.\ngoal: Reached.\n"
    "Agent 2 comments:\n"
    "believability: He is too polite.\nrelationship: As above.\nknowledge: He hears of the oven.\n"
    "secret: Told.\nsocial_rules: A small lie.\nfinancial_and_material_benefits: None.\ngoal: Half of it.\n"
)


def read_as_sotopia_does(reasoning: str, agents: int) -> tuple[str, list[dict[str, str]]]:
    """Sotopia's documented rule: split at each agent's heading, the last blocks count, lines at the first colon.

    It strips what it has read so far at every heading, which is where an empty block would get lost.
    """
    mark = "\x00cut\x00"
    for number in range(1, agents + 1):
        reasoning = reasoning.replace(f"Agent {number} comments:\n", mark).strip(" ").strip("\n")
    general, *_ = chunks = reasoning.split(mark)
    comments = []
    for chunk in chunks[-agents:]:
        pairs = [line.split(":", 1) for line in chunk.strip().split("\n") if ":" in line]
        comments.append({name: text.strip() for name, text in pairs})
    return general, comments


WORDS = st.sampled_from(
    [
        "goal: ",
        "Agent 1 comments:",
        "Agent 2 comments:\n",
        "Environment comments: ",
        "\n",
        " ",
        ":",
        "tone: a",
        "x",
        "\r",
        "\u2028",
    ]
)
TEXTS = st.one_of(st.text(max_size=40), st.lists(WORDS, max_size=12).map("".join))
LINES = TEXTS.map(one_line_of)


@st.composite
def _work(draw: st.DrawFn) -> tuple[Rubric, str, tuple[dict[str, str], ...]]:
    rubric = draw(st.sampled_from([SOTOPIA, MIXED]))
    asked = rubric.of_episodes
    common = {d.name: draw(LINES) for d in asked if d.per == "episode"}
    agents = draw(
        st.lists(
            st.fixed_dictionaries({}, optional={d.name: LINES for d in asked if d.per == "agent"}),
            min_size=1,
            max_size=3,
        )
    )
    return (
        rubric,
        draw(TEXTS),
        tuple({name: text for name, text in {**agent, **common}.items() if text} for agent in agents),
    )


@given(_work())
def test_what_is_composed_divides_into_the_same(work: tuple[Rubric, str, tuple[dict[str, str], ...]]) -> None:
    rubric, general, rationales = work
    reasoning = compose(general, rationales, rubric, len(rationales))
    if any(rationales):
        assert divide(reasoning, rubric, len(rationales)) == (general, rationales)
    else:
        assert reasoning == general


@given(st.sampled_from([SOTOPIA, MIXED]), TEXTS, st.integers(1, 3))
def test_no_text_loses_anything_by_being_divided(rubric: Rubric, text: str, agents: int) -> None:
    general, rationales = divide(text, rubric, agents)
    assert compose(general, rationales, rubric, agents) == text
    assert len(rationales) == agents


@given(_work())
def test_sotopias_readers_find_every_rationale(work: tuple[Rubric, str, tuple[dict[str, str], ...]]) -> None:
    rubric, general, rationales = work
    if not any(rationales):
        return
    _, comments = read_as_sotopia_does(compose(general, rationales, rubric, len(rationales)), len(rationales))
    assert [{name: text for name, text in agent.items() if text} for agent in comments] == [
        {name: text.strip() for name, text in agent.items()} for agent in rationales
    ]


def test_the_shape_is_the_evaluators_to_the_character() -> None:
    general, rationales = divide(WRITTEN_BY_SOTOPIA, SOTOPIA, 2)
    assert general == "terminated: one of them has left; "
    assert rationales[0]["believability"] == "She keeps to her part: a baker at 5:30."
    assert [list(agent) for agent in rationales] == [[d.name for d in SOTOPIA.dimensions]] * 2
    assert compose(general, rationales, SOTOPIA, 2) == WRITTEN_BY_SOTOPIA


def test_free_text_stays_as_it_is_where_there_is_no_rationale() -> None:
    assert compose("two\nlines", ({}, {"goal": "  "}), SOTOPIA, 2) == "two\nlines"
    assert divide("two\nlines", SOTOPIA, 2) == ("two\nlines", ({}, {}))


def test_every_agent_has_a_block_with_the_same_dimensions() -> None:
    reasoning = compose("", ({}, {"goal": "late", "secret": "told"}), SOTOPIA, 3)
    assert reasoning == (
        "Environment comments: \n"
        "Agent 1 comments:\nsecret: \ngoal: \n"
        "Agent 2 comments:\nsecret: told\ngoal: late\n"
        "Agent 3 comments:\nsecret: \ngoal: \n"
    )
    assert read_as_sotopia_does(reasoning, 3)[1][1] == {"secret": "told", "goal": "late"}


def test_a_second_evaluation_keeps_the_first_in_the_general_text() -> None:
    twice = WRITTEN_BY_SOTOPIA + WRITTEN_BY_SOTOPIA.replace("Half of it", "None of it")
    general, rationales = divide(twice, SOTOPIA, 2)
    assert "goal: Half of it." in general
    assert rationales[1]["goal"] == "None of it."
    assert compose(general, rationales, SOTOPIA, 2) == twice


def test_a_rationale_for_what_the_rubric_does_not_rate_is_written_and_stays_in_the_text() -> None:
    reasoning = compose("all", ({"step": "why", "unknown": "yes"},), MIXED, 1)
    assert reasoning == "Environment comments: all\nAgent 1 comments:\nstep: why\nunknown: yes\n"
    assert divide(reasoning, MIXED, 1) == (reasoning, ({},))


def test_an_episodes_rationale_stands_in_every_block_and_different_ones_stay_in_the_text() -> None:
    reasoning = compose("", ({}, {"whole": "both"}), MIXED, 2)
    assert reasoning == "Environment comments: \nAgent 1 comments:\nwhole: both\nAgent 2 comments:\nwhole: both\n"
    assert divide(reasoning, MIXED, 2) == ("", ({"whole": "both"}, {"whole": "both"}))
    other = reasoning.replace("both", "one", 1)
    assert divide(other, MIXED, 2) == (other, ({}, {}))


@pytest.mark.parametrize("text", ["a\nb", " a  b ", "a\r\nb", "a\u2028b", "\n", "", "a\n\n \nb"])
def test_a_rationale_becomes_one_line(text: str) -> None:
    line = one_line_of(text)
    assert len(line.splitlines()) <= 1
    assert line == one_line_of(line)
    assert line.split() == text.split()


def test_a_record_is_composed_from_the_draft_and_opens_as_the_draft(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, "ada")
    draft = Draft(
        "e1", "sotopia", ({"goal": "7"}, {}), "in all\nfine", rationales=({"goal": "Nearly: one step short."}, {})
    )
    saved = store.submit(draft, SOTOPIA)
    assert read_as_sotopia_does(saved.annotation.reasoning, 2)[1][0] == {"goal": "Nearly: one step short."}
    opened = AnnotationStore(tmp_path, "ada").open("e1", SOTOPIA, 2)
    assert opened.draft.says() == draft.says()
    assert opened.kept is None
    again = store.submit(replace(opened.draft, values=({"goal": "8"}, {})), SOTOPIA, opened.rewards)
    assert again.annotation.reasoning == saved.annotation.reasoning
