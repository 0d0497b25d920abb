"""The quick look at an episode agrees with the full one, and what counts lines agrees with what makes them."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trajview import open_corpus
from trajview.corpus.decode import decode_json
from trajview.errors import TrajviewError
from trajview.formats import registry
from trajview.formats.base import Origin
from trajview.formats.episode_outline import count_unless_evaluated, onlooker_count, onlooker_outline
from trajview.formats.quick import QuickLook
from trajview.formats.quick_episode import look_at_episode
from trajview.formats.roles import role_of, roles_of
from trajview.formats.sotopia_episode import episode_of, onlooker_lines
from trajview.models.episodes import is_context, parse_context, turns_of

from .hostile import ODD, hostile_bytes

ORIGIN = Origin(Path("logs.jsonl"), 3, 4, alone=False)
FIXTURES = sorted((Path(__file__).parents[1] / "fixtures").rglob("*.json*"))
CONTEXT = "Scenario: a shop\nParticipants: Ann and Bo\nAnn's background: 5\nAnn's goal: Buy.\nConversation Starts:\n"
TEXT = st.sampled_from([
    "", " ", "\n", "did nothing", " did nothing.", "Ann did nothing", "did nothing of it", 'said: "did nothing"', 'said: "hi"',
    "Turn #1", "Turn #1:", 'Turn #1: Ann said: "hi"', 'Turn #2: Ann did nothing\nBo said: "hi"', "[action] waits", "left.",
    "[private to Bo] said: \"hi\"", "nothing", CONTEXT, "x\nScenario: y", "Scenario", "é😀", "left the conversation",
])  # fmt: skip
NAME = st.sampled_from(["Environment", "Ann", "Bo", "did", "", "Evaluation"])
TURN = st.lists(st.tuples(NAME, NAME, TEXT).map(list), max_size=5)
SCORES = st.dictionaries(
    st.sampled_from(["goal", "overall_score", "secret"]), st.integers() | st.floats(allow_nan=False) | st.just([".", 2]) | st.none()
)  # fmt: skip
REWARD = st.integers() | st.none() | st.floats(allow_nan=False) | SCORES | TEXT | st.tuples(
    st.floats(0, 5) | st.none() | st.integers(), SCORES | st.none()
).map(list)  # fmt: skip
AGENT = st.sampled_from(
    ["Ann", "Bo", "Bo", "did", "Ann  Lee", "nothing", "", "Bo ", "said:", "lee", "Evaluation", "Environment"]
)
DEED = st.sampled_from([
    'said: "hi"', 'said: "hi\n  you"', 'said: "nothing"', "[action] waits", "[non-verbal communication] nods", "left the conversation",
    "did nothing", "did nothing", "did nothing.", "did  nothing", "Ann waits", "Bo", " waits", "waits\n", "\u3000waits", "", " ", "\n",
    "[private to ['Bo']] said: \"psst\"", "said: said: x", "did it",
])  # fmt: skip
HEADING = st.sampled_from(
    ["Turn #1: ", "Turn #12: ", "Turn #1:", " Turn #1: ", "Turn #100: ", "Turn 1: ", "", "Turn #0"]
)
END = st.sampled_from(["\n", "\n", "", " \n", "; x\n", "\n\n"])


@st.composite
def conversations(draw: st.DrawFn) -> list[Any]:
    """Turns in which each observation retells the turn before, more or less."""
    agents = draw(st.lists(AGENT, min_size=1, max_size=3))
    retold, turns = draw(st.sampled_from([CONTEXT, "x"])), []
    for number in range(draw(st.integers(1, 5))):
        deeds = [(agent, draw(DEED)) for agent in agents]
        told = [["Environment", agent, retold] for agent in agents]
        acts = [[agent, "Environment", deed] for agent, deed in deeds]
        turns.append(draw(st.sampled_from([told + acts, acts + told, told, acts, told + acts + draw(TURN)])))
        shown = [f"{agent} {deed}" for agent, deed in deeds if deed != "did nothing" or draw(st.integers(0, 3)) == 0]
        heading = draw(HEADING | st.just(f"Turn #{number}: "))
        retold = heading + draw(st.sampled_from([";", "\n", " "])).join(shown) + draw(END)
    return turns


@st.composite
def two_in_turns(draw: st.DrawFn) -> list[Any]:
    """Turns in which both of two agents are told what one of them did in the turn before, but for a few odd words."""
    agents, first = draw(st.lists(AGENT, min_size=2, max_size=2)), draw(st.booleans())
    told, turns = draw(st.sampled_from([CONTEXT, "x"])), []
    for number in range(draw(st.integers(1, 6))):
        who, deed = draw(st.integers(0, 1)), draw(DEED)
        acts = [[name, "Environment", deed if at == who else "did nothing"] for at, name in enumerate(agents)]
        seen = [["Environment", name, told] for name in agents]
        turns.append(seen + acts if first else acts + seen)
        told = draw(st.sampled_from([f"Turn #{number}: {agents[who]} {deed}\n"] * 3 + [f"Turn #{number}", "x", ""]))
    for _ in range(draw(st.integers(0, 2))):
        draw(st.sampled_from(draw(st.sampled_from(turns))))[draw(st.integers(0, 2))] = draw(NAME | AGENT | DEED | TEXT)
    return turns


EPISODE = st.fixed_dictionaries(
    {
        "environment": st.just("e") | ODD,
        "agents": st.just(["p1", "p2"]) | st.just(["p1", "p1"]) | st.just(["Ann", "Bo"]) | ODD,
        "messages": conversations() | two_in_turns() | st.lists(TURN, max_size=4) | st.lists(TURN | ODD, max_size=4) | ODD,
        "rewards": st.lists(REWARD, max_size=3) | st.dictionaries(NAME, SCORES, max_size=2) | ODD,
        "reasoning": st.just("Agent 1 comments:\ngoal: fine") | ODD,
    },
    optional={
        "pk": st.just("p") | ODD, "tag": ODD, "models": st.just(["env", "m1", "m2"]) | ODD, "agent_classes": ODD,
        "environment_prompt": ODD, "rewards_prompt": ODD, "codename": ODD, "other": ODD, "episode_id": ODD,
    },
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(EPISODE)
def test_the_quick_look_agrees_with_the_full_one_or_gives_up(record: dict[str, Any]) -> None:
    found = look_at_episode(json.dumps(record).encode(), ORIGIN)
    if found is not None:
        record = json.loads(json.dumps(record))
        known, detection = registry.best(record)
        assert found == (detection.format, known.summarise(record, ORIGIN))


USUAL = st.fixed_dictionaries(
    {
        "environment": st.just("e"), "agents": st.just(["p1", "p2"]), "messages": conversations() | two_in_turns(),
        "rewards": st.lists(st.tuples(st.floats(0, 5), st.dictionaries(st.just("goal"), st.integers(0, 9))).map(list), max_size=2),
        "reasoning": st.just("fine"),
    },
    optional={"pk": st.just("p"), "models": st.just(["env", "m1", "m2"]), "tag": st.just("t")},
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(hostile_bytes(USUAL))
def test_the_quick_look_agrees_with_the_full_one_on_hostile_bytes(data: bytes) -> None:
    found = look_at_episode(data, ORIGIN)
    if found is not None:
        value, replaced = decode_json(data)
        known, detection = registry.best(value)
        assert (found, False) == ((detection.format, known.summarise(value, ORIGIN)), replaced)


WORDS = [
    "Environment", "Ann", "Bo", "did", "", "Evaluation", "Ann  Lee", "Bo did nothing", "lee", " ", "did nothing", "did nothing.",
    "[action] did nothing", 'said: "hi"', 'said: "Bo did nothing"', "left", " waits", "\u3000waits", "Ann waits", "waits", "said: did nothing",
    'said: "Ann did nothing"', "[private to Bo] did nothing",
    "Turn #0", "Turn #1: \n", 'Turn #1: Ann said: "hi"\n', 'Turn #0: Ann said: "x"\n', "x", "Turn #100",
]  # fmt: skip


def talk(agents: tuple[str, str], deeds: list[str], *, acts_first: bool, second_begins: bool) -> list[list[list[str]]]:
    """Two agents who do something in turns, of which both are told, as a log has nearly all of them."""
    told, turns = CONTEXT, []
    for number, deed in enumerate(deeds):
        who = (number + second_begins) % 2
        seen = [["Environment", name, told] for name in agents]
        acts = [[name, "Environment", deed if at == who else "did nothing"] for at, name in enumerate(agents)]
        turns.append(acts + seen if acts_first else seen + acts)
        told = f"Turn #{number}: {agents[who]} {deed}\n"
    return turns


@pytest.mark.parametrize("acts_first", [False, True])
@pytest.mark.parametrize("second_begins", [False, True])
def test_lines_are_counted_whatever_one_word_of_usual_turns_is(acts_first: bool, second_begins: bool) -> None:
    def turns(agents: tuple[str, str] = ("Ann", "Bo"), *, third: str = "left") -> list[list[list[str]]]:
        deeds = ['said: "hi"', "[action] waits", third, 'said: "bye"']
        return talk(agents, deeds, acts_first=acts_first, second_begins=second_begins)

    found = [turns((word, "Bo")) for word in WORDS] + [turns(third=word) for word in WORDS]
    for turn, message, part in product(range(4), range(4), range(3)):
        for word in WORDS:
            found.append(turns())
            found[-1][turn][message][part] = word
    for each in found:
        episode = episode_of({"messages": each, "agents": ["p1", "p2"]}, ORIGIN)
        lines = list(onlooker_lines(episode))
        evaluated = any(said[0] == "Evaluation" for turn in each for said in turn)
        assert count_unless_evaluated(turns_of(each)) == (None if evaluated else len(lines)), each
        assert onlooker_outline(episode).roles == [line.role for line in lines], each


@settings(max_examples=300, deadline=None)
@given(conversations() | two_in_turns() | st.lists(TURN, max_size=5))
@example([[["Environment", "Ann", CONTEXT], ["Environment", "Bo", CONTEXT]], [["did", "", "did nothing"]]])
@example(
    [[], [["Ann", "", 'said: "hi"']], [["Environment", "Ann", 'Turn #1: Ann said: "hi"'], ["Ann", "", "did nothing"]]]
)
def test_lines_are_counted_as_they_are_made(turns: list[Any]) -> None:
    try:
        episode = episode_of({"messages": turns, "agents": ["p1", "p2"]}, ORIGIN)
    except TrajviewError:
        return
    lines = len(list(onlooker_lines(episode)))
    assert onlooker_count(episode) == len(onlooker_outline(episode).roles) == lines
    evaluated = any(said[0] == "Evaluation" for turn in turns for said in turn)
    assert count_unless_evaluated(turns_of(turns)) == (None if evaluated else lines)


@pytest.mark.parametrize(
    ("idle", "doer", "deed", "retold", "lines"),
    [
        ("Bo", "Ann", 'said: "hi"', 'Ann said: "hi"', 3),
        ("Bo", "Ann", 'said: "Bo did nothing"', 'Ann said: "Bo did nothing"', 4),
        ("Bo", "Bo did nothing", "waits", "Bo did nothing waits", 4),
        ("Bo", "Ann", "Ann waits", "Ann Ann waits", 4),
        ("Bo", "Ann", " ", "Ann  ", 4),
        ("Bo", "Ann  Lee", "waits", "Ann  Lee waits", 4),
        ("did", "Ann", "waits", "Ann waits", 4),
        ("Bo", "Ann", "waits", "Ann waits; Bo left", 4),
    ],
)
def test_an_observation_is_left_out_only_where_it_says_nothing_new(
    idle: str, doer: str, deed: str, retold: str, lines: int
) -> None:
    told = [["Environment", name, f"Turn #1: {retold}\n"] for name in (idle, doer)]
    turns = [
        [["Environment", "Ann", CONTEXT]],
        [[idle, "", "did nothing"], [doer, "", deed]],
        [*told, [doer, "", "left"]],
    ]
    episode = episode_of({"messages": turns, "agents": ["p1", "p2"]}, ORIGIN)
    assert (onlooker_count(episode), len(list(onlooker_lines(episode)))) == (lines, lines)


@given(st.lists(TEXT, max_size=3).map("".join))
@example("Conversation Starts:\nScenario: x")
@example("Ann's goal:Scenario: x")
def test_a_context_is_told_without_taking_it_apart(text: str) -> None:
    assert is_context(text) == (parse_context(text) is not None)


@given(
    st.lists(
        st.fixed_dictionaries(
            {}, optional={"role": st.sampled_from(["user", "Tool", "x", None, 3, []]), "from": st.just("gpt")}
        )
        | ODD
    )
)
def test_roles_are_those_of_each_message(items: list[Any]) -> None:
    assert roles_of(items) == [role_of(item) for item in items]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_it_agrees_on_every_fixture(path: Path) -> None:
    corpus = open_corpus(path)
    for info in corpus:
        found = look_at_episode(corpus.raw(info).encode(), ORIGIN)
        if found is not None:
            record = corpus.value(info)
            known, detection = registry.best(record)
            assert found == (detection.format, known.summarise(record, ORIGIN))


def test_episodes_are_quick_from_the_second_on() -> None:
    record = {
        "pk": "p", "environment": "e", "agents": ["p1", "p2"], "models": ["a", "b", "c"], "reasoning": "", "rewards": [1, [2.5, {"goal": 3}]],
        "messages": [[["Environment", "Ann", CONTEXT], ["Environment", "Bo", CONTEXT], ["Ann", "Environment", 'said: "Hi."']]],
    }  # fmt: skip
    looker, data = QuickLook(), json.dumps(record).encode()
    assert looker.look(data, ORIGIN) is None
    looker.learn(record, "sotopia")
    found = looker.look(data, ORIGIN)
    assert found is not None
    assert (found[0], found[1].id, found[1].messages, found[1].agents) == ("sotopia", "p", 2, ("Ann", "Bo"))
    assert found[1].rewards == (1.0, (2.5, {"goal": 3.0}))
    assert looker.look(data.replace(b'"Hi.', b'"\xff'), ORIGIN) is None
