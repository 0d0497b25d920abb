"""What the filter offers while it is typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.runs import problem, run
from trajview.where.complete import METADATA, candidates
from trajview.where.explain import EXAMPLES
from trajview.where.fields import FIELDS, Ref
from trajview.where.parse import parse
from trajview.where.table import Table


@pytest.fixture(scope="module")
def table() -> Table:
    found = Table(lambda item: "torn.jsonl")
    found.extend(
        [
            run("a", format="sotopia", models=("gpt-4o",), rewards=((1.0, {"goal": 2.0, "a b": 1.0}),)),
            run("b", models=("gpt-4o", "Claude 4")),
            run("c", summarised=False, format=""),
            problem(),
        ]
    )
    found.set_statuses({"a": "draft"})
    found.learn(
        0,
        {
            METADATA: (("task",), ("a key",), ("run", ""), ("run", "seed"), ("run", "by", ""), ("run", "by", "a.b")),
            Ref("tools"): ("bash", "edit"),
            Ref("metadata", ("task",)): "sort",
        },
    )
    return found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("rew", ["reward", "rewards"]),
        ("nightbus", []),
        ("x and mode", ["models"]),
        ("(modEl", ["models"]),
        ("meta", ["metadata."]),
        ("format ", ["==", "~", "in (", "!="]),
        ("x units ", ["<", ">", "==", "!="]),
        ("annotated ", []),
        ("format == ", ["docent", "sotopia"]),
        ("format=s", ["sotopia"]),
        ("format in (sotopia, ", ["docent", "sotopia"]),
        ("format not in (sotopia,d", ["docent"]),
        ("model ~ g", ["gpt-4o"]),
        ("model == cl", ['"Claude 4"']),
        ('model == "g', ['"gpt-4o"']),
        ("status == ", ["draft"]),
        ("annotated == ", ["true", "false"]),
        ("reward < ", []),
        ("id == ", []),
        ("reward.", ["goal", '"a b"']),
        ("rewards.g", ["goal"]),
        ("tools.", ["bash", "edit"]),
        ("tool == e", ["edit"]),
        ("metadata.", ["task", '"a key"', "run."]),
        ("metadata.ru", ["run."]),
        ("metadata.run.", ["seed", "by."]),
        ("x and metadata.run.S", ["seed"]),
        ("metadata.run.by.", ['"a.b"']),
        ('metadata."run".b', ["by."]),
        ("metadata.task.", []),
        ("metadata.no.", []),
        ("sort:-metadata.run.s", ["seed"]),
        ("metadata.task == ", ["sort"]),
        ("sort:-rew", ["reward", "rewards"]),
        ("x sort:units,-tok", ["tokens"]),
        ("sort:-metadata.t", ["task"]),
        ('"rew', []),
    ],
)
def test_what_can_follow_is_offered(text: str, found: list[str], table: Table) -> None:
    assert list(candidates(text, table)) == found


@pytest.mark.parametrize(
    "text",
    [
        "rew",
        "format == d",
        "model == cl",
        "reward.",
        "metadata.",
        "metadata.run.",
        "metadata.run.by.",
        "sort:-un",
        "format in (s",
        "tools.b",
    ],
)
def test_what_is_offered_can_be_read(text: str, table: Table) -> None:
    found = candidates(text, table)
    assert found
    for each in found:
        done = text[: found.start] + each
        query = parse(done, forgiving=True)
        assert each.strip('"') in str(query).replace('"', "") or each.endswith(".")


@given(text=st.text(alphabet="rewad.metsorf:-=<>~( )\"',in", max_size=20))
def test_any_text_may_be_asked_about(text: str) -> None:
    found = candidates(text, Table(lambda item: ""))
    assert 0 <= found.start <= len(text)


def test_what_is_said_of_fields_and_examples_fits_beside_them() -> None:
    assert max(len(says) for _, says in EXAMPLES) <= 44
    assert max(len(field.says) for field in FIELDS) <= 37
    for example, _ in EXAMPLES:
        parse(example)
