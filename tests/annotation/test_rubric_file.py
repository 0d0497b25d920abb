"""Rubrics in TOML: what is read, and what is said about each thing that is wrong, with line and hint."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.annotation.choice import find_rubric, rubric_of
from trajview.annotation.rubric import SOTOPIA, Band, Dimension, Rubric, reward_rubric
from trajview.annotation.rubric_check import bad_name
from trajview.annotation.rubric_file import (
    BUILT_IN,
    RubricError,
    as_toml,
    built_in,
    built_in_text,
    check_rubric,
    load_rubric,
)
from trajview.annotation.toml_places import places_in
from trajview.models.episodes import DIMENSIONS

GOOD = """\
name = "tools"   # the name
title = "Tool use"
description = \"\"\"
Long.
[[dimension]]
low = "no key, but text"
\"\"\"

[[dimension]]
name = "choice"
description = "The right tool?"
range = [0, 10]
integer = true
step = 2
hotkey = "c"
rationale = true

[dimension.bands]
"6..10" = "good"
"0..4" = "bad"
"5" = "so so"

[[dimension]]
name = "whole run"
low = -1
high = 0.5
per = "episode"

[[dimension]]
name = "progress"
range = [0, 1]
scope = "unit"
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "rubric.toml"
    path.write_text(text)
    return path


def said(path: Path) -> list[str]:
    return [str(problem).replace(f"{path}:", "") for problem in check_rubric(path)]


def test_everything_that_a_rubric_may_say_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    assert check_rubric(path) == []
    assert load_rubric(path) == Rubric(
        "tools",
        (
            Dimension(
                "choice", 0, 10, True, "The right tool?", 2, "c",
                (Band(0, 4, "bad"), Band(5, 5, "so so"), Band(6, 10, "good")), rationale=True,
            ),
            Dimension("whole run", -1, 0.5, per="episode"),
            Dimension("progress", 0, 1, scope="unit"),
        ),
        "Tool use",
        'Long.\n[[dimension]]\nlow = "no key, but text"\n',
    )  # fmt: skip


HEAD = 'name = "r"\n'
DIMENSION = HEAD + '[[dimension]]\nname = "d"\nrange = [0, 10]\ninteger = true\n'
BANDS = DIMENSION + "[dimension.bands]\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name = \n", ["1:8: This is not TOML"]),
        ("", ["The rubric has no name", "The rubric has no dimension"]),
        (HEAD, ["The rubric has no dimension. (write [[dimension]], with two brackets"]),
        (HEAD + '[dimension]\nname = "d"\n', ["2:2: `dimension` must be a list of tables. (write [[dimension]]"]),
        ('name = 3\n[[dimension]]\nname = "d"\nrange = [0, 1]\n', ["1:1: `name` must be a text, not 3. (put it into"]),
        ('name = " "\n[[dimension]]\nname = "d"\nrange = [0, 1]\n', ["1:1: The rubric has no name."]),
        ('name = "a\\nb"\n[[dimension]]\nname = "d"\nrange = [0, 1]\n', ["1:1: The rubric's name must be one line"]),
        ('titel = "t"\n' + DIMENSION, ["1:1: There is no key `titel`. (did you mean `title`?)"]),
        (DIMENSION + "hotkye = 'x'\n", ["6:1: There is no key `hotkye`. (did you mean `hotkey`?)"]),
        (DIMENSION + "guidance = 'x'\n", ["6:1: There is no key `guidance`. (did you mean `bands`?)"]),
        (DIMENSION + "zzz = 1\n", ["6:1: There is no key `zzz`. (there are name, description, range"]),
        (HEAD + "[[dimension]]\nrange = [0, 1]\n", ["2:3: Dimension 1 has no name. (add `name"]),
        (HEAD + '[[dimension]]\nname = "overall_score"\nrange = [0, 1]\n', ["3:1: The name 'overall_score' is reserved"]),
        (HEAD + '[[dimension]]\nname = "a:b"\nrange = [0, 1]\n', ["3:1: The name 'a:b' has a colon"]),
        (HEAD + '[[dimension]]\nname = "a\\nb"\nrange = [0, 1]\n', ["3:1: The name 'a\\nb' has a line break"]),
        (HEAD + '[[dimension]]\nname = " a"\nrange = [0, 1]\n', ["3:1: The name ' a' begins or ends with a space"]),
        (HEAD + '[[dimension]]\nname = "Agent 1 comments"\nrange = [0, 1]\n', ["3:1: The name 'Agent 1 comments' reads"]),
        (DIMENSION + DIMENSION[len(HEAD) :], ["7:1: There are two dimensions `d`: this and number 1."]),
        (HEAD + '[[dimension]]\nname = "d"\n', ["2:3: There is no `range` for `d`. (such as"]),
        (HEAD + '[[dimension]]\nname = "d"\nlow = 0\n', ["4:1: There is no `high` for `d`."]),
        (HEAD + '[[dimension]]\nname = "d"\nrange = [1, 0]\n', ["4:1: The range 1..0 must begin below its end. (such as `range = [0, 1]`)"]),
        (HEAD + '[[dimension]]\nname = "d"\nrange = [1, 1]\n', ["4:1: The range 1..1 must begin below its end."]),
        (HEAD + '[[dimension]]\nname = "d"\nrange = [0, inf]\n', ["4:1: `range` must be a number, not inf."]),
        (HEAD + '[[dimension]]\nname = "d"\nrange = [0, 1e30]\n', ["4:1: `range` is too large."]),
        (HEAD + '[[dimension]]\nname = "d"\nrange = ["0", true]\n', ["`range` must be a number, not '0'", "not True"]),
        (HEAD + '[[dimension]]\nname = "d"\nrange = [0, 1, 2]\n', ["4:1: `range` must be two numbers, not [0, 1, 2]. (such"]),
        (HEAD + '[[dimension]]\nname = "d"\nrange = "0..1"\n', ["4:1: `range` must be two numbers, not '0..1'."]),
        (DIMENSION + "low = 0\n", ["4:1: There is `range`, and `low` or `high` as well. (keep one)"]),
        (HEAD + '[[dimension]]\nname = "d"\nrange = [0, 0.5]\ninteger = true\n', ["4:1: The range of whole numbers begins and ends with one."]),
        (DIMENSION + "step = 0\n", ["6:1: A step of 0 does not fit the range 0..10. (more than 0"]),
        (DIMENSION + "step = 11\n", ["6:1: A step of 11 does not fit"]),
        (DIMENSION + "step = 0.5\n", ["6:1: The step between whole numbers is one."]),
        (DIMENSION + 'hotkey = "D"\n', ["6:1: `hotkey` must be one letter from a to z, not 'D'. (`hotkey = \"d\"`)"]),
        (DIMENSION + 'hotkey = "7"\n', ["6:1: `hotkey` must be one letter"]),
        (DIMENSION + 'hotkey = "x"\n' + DIMENSION[len(HEAD) :].replace('"d"', '"e"') + 'hotkey = "x"\n', ["11:1: The hotkey `x` is `d`'s already."]),
        (DIMENSION + 'rationale = "yes"\n', ["6:1: `rationale` must be true or false, not 'yes'. (without quotes)"]),
        (DIMENSION + 'per = "agents"\n', ['6:1: `per` must be "agent" or "episode", not \'agents\'. (did you mean "agent"?)']),
        (DIMENSION + "scope = 3\n", ['6:1: `scope` must be "episode" or "unit", not 3. ("episode" is the default)']),
        (DIMENSION + 'bands = ["x"]\n', ["6:1: `bands` must be a table. (write [dimension.bands]"]),
        (BANDS + '"all" = "x"\n', ["7:1: 'all' is no band of scores. (such as \"0..3\""]),
        (BANDS + '"0..10" = ""\n', ["7:1: The band 0..10 says nothing."]),
        (BANDS + '"3..0" = "x"\n', ["7:1: The band 3..0 must begin with its lower end."]),
        (BANDS + '"0..11" = "x"\n', ["7:1: The band 0..11 is outside of the range 0..10."]),
        (BANDS + '"0..9.5" = "x"\n', ["7:1: The band 0..9.5 must be of whole numbers."]),
        (BANDS + '"5..10" = "x"\n"0..5" = "y"\n', ["7:1: The bands 0..5 and 5..10 overlap."]),
        (BANDS + '"0..3" = "x"\n"5..10" = "y"\n', ["8:1: There is no band between 0..3 and 5..10. (the rubric works"]),
        (BANDS + '"2..8" = "x"\n', ["7:1: There is no band below 2..8.", "7:1: There is no band above 2..8."]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_line_column_and_hint(tmp_path: Path, text: str, expected: list[str]) -> None:
    path = written(tmp_path, text)
    found = said(path)
    assert len(found) == len(expected), found
    for sentence, start in zip(found, expected, strict=True):
        assert start in sentence
    if all(problem.opens for problem in check_rubric(path)):
        assert load_rubric(path).name == "r"
    else:
        with pytest.raises(RubricError) as caught:
            load_rubric(path)
        assert caught.value.problem().reason == check_rubric(path)[0].reason
        assert ("trajview rubric check" in caught.value.hint) == (len(found) > 1)


def test_decimal_bands_may_touch_and_small_steps_are_no_gap(tmp_path: Path) -> None:
    text = DIMENSION.replace("integer = true\n", "").replace("[0, 10]", "[0, 1]") + "[dimension.bands]\n"
    assert said(written(tmp_path, text + '"0..0.5" = "x"\n"0.5..1" = "y"\n')) == []
    assert said(written(tmp_path, text + '"0..0.49" = "x"\n"0.5..1" = "y"\n')) == []
    assert "overlap" in said(written(tmp_path, text + '"0..0.6" = "x"\n"0.5..1" = "y"\n'))[0]
    assert "no band between" in said(written(tmp_path, text + '"0..0.3" = "x"\n"0.5..1" = "y"\n'))[0]


def test_all_problems_are_listed_in_the_order_of_their_lines(tmp_path: Path) -> None:
    path = written(
        tmp_path, 'name = "r"\n[[dimension]]\nname = "d"\nrange = [3, 1]\nhotkey = 7\n[[dimension]]\nnme = "e"\n'
    )
    lines = [problem.where.line for problem in check_rubric(path)]
    assert lines == sorted(line for line in lines if line)
    assert set(lines) == {4, 5, 6, 7}


def test_files_that_are_no_text_say_so(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    assert "cannot be read" in said(path)[0]
    path.write_bytes(b'name = "r"\n\xff')
    assert said(path) == ["2: The rubric is not UTF-8. (save it as UTF-8)"]
    path.write_bytes(b"#" * (2 << 20))
    assert "too large" in said(path)[0]
    assert "a folder" in check_rubric(tmp_path)[0].reason
    path.write_bytes(b"\xef\xbb\xbf" + DIMENSION.replace("\n", "\r\n").encode())
    assert said(path) == []


def test_a_copy_that_keeps_a_built_in_name_but_not_its_dimensions_is_warned_of(tmp_path: Path) -> None:
    path = written(tmp_path, built_in_text("sotopia"))
    assert said(path) == []
    path.write_text(built_in_text("sotopia").replace('"goal"', '"aim"'))
    [problem] = check_rubric(path)
    assert problem.opens
    assert "`sotopia` is the name of a rubric that comes with trajview" in problem.reason
    assert load_rubric(path).dimensions[-1].name == "aim"


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_built_in_rubrics_are_right(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, built_in_text(name))
    assert check_rubric(path) == []
    assert load_rubric(path) == built_in(name)
    assert load_rubric(written(tmp_path, as_toml(built_in(name)))) == built_in(name)


def test_the_built_in_rubrics_are_those_of_the_code() -> None:
    assert built_in("reward") == reward_rubric()
    assert built_in("sotopia") is SOTOPIA
    assert [(d.name, d.low, d.high) for d in SOTOPIA.dimensions] == [(d.name, d.low, d.high) for d in DIMENSIONS]
    assert len({d.hotkey for d in SOTOPIA.dimensions}) == 7
    assert all(d.bands for d in SOTOPIA.dimensions)
    with pytest.raises(KeyError):
        built_in("../sotopia")


NAMES = st.text(max_size=20).filter(lambda name: not bad_name(name))
PLAIN = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@st.composite
def _dimensions(draw: st.DrawFn) -> Dimension:
    low = draw(st.integers(-100, 100))
    high = low + draw(st.integers(1, 50))
    bands = draw(st.sampled_from([(), ((low, low), (low + 1, high)), ((low, high),)]))
    texts = PLAIN.filter(str.strip)
    return Dimension(
        draw(NAMES), float(low), float(high), draw(st.booleans()), draw(PLAIN),
        draw(st.none() | st.just(float(high - low))), draw(st.sampled_from(["", "a"])),
        tuple(Band(float(a), float(b), draw(texts)) for a, b in bands), draw(st.booleans()),
        draw(st.sampled_from(["agent", "episode"])), draw(st.sampled_from(["episode", "unit"])),
    )  # fmt: skip


@given(_dimensions(), PLAIN, PLAIN)
def test_a_rubric_written_as_toml_loads_as_the_same(
    tmp_path_factory: pytest.TempPathFactory, dimension: Dimension, title: str, description: str
) -> None:
    rubric = Rubric("mine", (dimension, replace(dimension, name=dimension.name + "2", hotkey="")), title, description)
    path = tmp_path_factory.getbasetemp() / "written.toml"
    path.write_bytes(as_toml(rubric).encode())
    assert load_rubric(path) == rubric


@given(st.text(max_size=200) | st.binary(max_size=200))
def test_whatever_a_file_holds_there_is_a_rubric_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, content: str | bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    assert all(problem.reason for problem in check_rubric(path))
    assert check_rubric(path)


def test_places_pass_over_strings_lists_and_comments_of_several_lines() -> None:
    text = "a = '''\nb = 1\n[c]\n'''\nd = [\n  'e = 1',\n  { f = 2 },\n]\n# g = 1\n'h i' = 1\n\"j\\\"k\" = 2\n[[t]]\n x = 1\n[[t]]\nx = \"#\"\n[t.u]\ny = 1\n"
    assert places_in(text) == {
        ("", 0, "a"): (1, 1), ("", 0, "d"): (5, 1), ("", 0, "h i"): (10, 1), ("", 0, 'j"k'): (11, 1),
        ("t", 0, ""): (12, 3), ("t", 0, "x"): (13, 2), ("t", 1, ""): (14, 3), ("t", 1, "x"): (15, 1),
        ("t.u", 1, ""): (16, 2), ("t.u", 1, "y"): (17, 1),
    }  # fmt: skip


def test_a_rubric_is_found_by_name_or_file(tmp_path: Path) -> None:
    assert find_rubric("sotopia") is SOTOPIA
    assert find_rubric("reward", (0.0, 5.0)) == reward_rubric(0.0, 5.0)
    path = written(tmp_path, GOOD)
    assert find_rubric(str(path)).name == "tools"
    with pytest.raises(RubricError, match="no rubric 'sotopa'") as caught:
        find_rubric("sotopa")
    assert caught.value.hint == "did you mean `sotopia`?"
    with pytest.raises(RubricError, match="cannot be read: no such file"):
        find_rubric(str(tmp_path / "none.toml"))
    with pytest.raises(RubricError):
        find_rubric("a\x00b")


def test_a_chosen_rubric_counts_for_every_format() -> None:
    chosen = built_in("success")
    assert rubric_of(chosen, "sotopia") is chosen
    assert rubric_of(None, "sotopia") is SOTOPIA
    assert rubric_of(None, "docent", (0.0, 3.0)) == reward_rubric(0.0, 3.0)
