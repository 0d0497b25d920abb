"""Annotations as JSON Lines and CSV, and back: what is written reads as the same, what is wrong says where."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.annotation.exchange import Format, read_annotations, to_csv, to_jsonl
from trajview.annotation.incoming import file_stem, take_in
from trajview.errors import Problem, Where
from trajview.models.sotopia import AnnotationForEpisode

ADA = AnnotationForEpisode(
    pk="p1",
    episode="e1",
    annotator_id="ada",
    rewards=[(5.5, {"goal": 8.0, "secret": 3.0}), 0.0],
    reasoning='so, "so"\n=1',
)
BO = AnnotationForEpisode(pk="p2", episode="e1", annotator_id="bo", rewards=[(0.25, {"humour": 0.25})], reasoning="")
PATH = Path("x")


def read(text: str, format: Format) -> tuple[list[AnnotationForEpisode], list[str]]:
    found: list[AnnotationForEpisode] = []
    problems: list[str] = []
    for item in read_annotations(text.encode("utf-8", "surrogatepass"), PATH, format):
        if isinstance(item, Problem):
            problems.append(str(item))
        else:
            found.append(item[0])
    return found, problems


def test_csv_has_a_row_per_agent_and_a_column_per_dimension() -> None:
    rows = list(csv.reader(io.StringIO(to_csv([ADA, BO]), newline="")))
    assert rows == [
        ["pk", "episode", "annotator_id", "agent", "overall", "goal", "secret", "humour", "reasoning"],
        ["p1", "e1", "ada", "0", "5.5", "8", "3", "", 'so, "so"\n=1'],
        ["p1", "e1", "ada", "1", "0", "", "", "", 'so, "so"\n=1'],
        ["p2", "e1", "bo", "0", "0.25", "", "", "0.25", ""],
    ]


def test_a_line_of_json_is_a_record_with_sotopias_keys() -> None:
    lines = to_jsonl([ADA, BO]).splitlines()
    assert [list(json.loads(line)) for line in lines] == [["pk", "episode", "annotator_id", "rewards", "reasoning"]] * 2
    assert AnnotationForEpisode.from_json(lines[0]) == ADA


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(str.strip)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False).map(lambda number: number + 0.0)
NAMES = st.one_of(
    st.sampled_from(["goal", "agent", "overall", "pk", "dimension:x", "overall_score", "Unnamed: 0", ""]), TEXTS
)


@st.composite
def _annotation(draw: st.DrawFn) -> AnnotationForEpisode:
    scores = st.dictionaries(NAMES, NUMBERS, min_size=1, max_size=3)
    return AnnotationForEpisode(
        pk=draw(TEXTS), episode=draw(TEXTS), annotator_id=draw(TEXTS),
        rewards=draw(st.lists(st.one_of(NUMBERS, st.tuples(NUMBERS, scores)), min_size=1, max_size=3)),
        reasoning=draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=20)),
    )  # fmt: skip


@given(st.lists(_annotation(), max_size=3, unique_by=lambda a: (a.pk, a.episode, a.annotator_id)))
def test_what_is_exported_reads_as_the_same(annotations: list[AnnotationForEpisode]) -> None:
    assert read(to_jsonl(annotations), "jsonl") == (annotations, [])
    assert read(to_csv(annotations), "csv") == (annotations, [])


@given(st.text(max_size=200), st.sampled_from(["jsonl", "csv"]))
def test_whatever_a_file_holds_it_is_read_or_said(text: str, format: Format) -> None:
    for item in read_annotations(text.encode("utf-8", "surrogatepass"), PATH, format):
        assert item


HEAD = "episode,annotator_id,agent,goal\n"


@pytest.mark.parametrize(
    ("format", "text", "says"),
    [
        ("jsonl", "{}\n", "x:1: This is no annotation: episode: Field required"),
        ("jsonl", "\n[1]\n", "x:2: This line is no JSON object."),
        ("jsonl", '{"episode": "e", "annotator_id": " ", "rewards": [], "reasoning": ""}', "x:1: This is no annotation: annotator_id is empty"),
        ("jsonl", '{"episode": "e", "annotator_id": "a", "rewards": [NaN], "reasoning": ""}', "x:1: This is no annotation: the reward of agent 1 is not a finite number"),
        ("jsonl", '{"episode": "e", "annotator_id": "a", "rewards": [[1, {"x": null}]], "reasoning": ""}', "x:1: This is no annotation: rewards: x of agent 1 is null"),
        ("jsonl", '{"episode": "\\ud800", "annotator_id": "a", "rewards": [], "reasoning": ""}', "x:1: This is no annotation"),
        ("jsonl", "\ud800", "x:1: The file is not UTF-8."),
        ("csv", "a,b\n1,2\n", "x:1: There is no column episode, annotator_id, agent."),
        ("csv", "episode,annotator_id,agent,goal,goal\n", "x:1: Two columns are goal."),
        ("csv", HEAD + "e,a,0\n", "x:2: This row has 3 cells, the heading 4."),
        ("csv", HEAD + "e,a,x,1\n", "x:2: This is no annotation: agent must be a number, not 'x'"),
        ("csv", HEAD + "e,a,0.5,1\n", "x:2: This is no annotation: agent must be a whole number from 0"),
        ("csv", HEAD + "e,a,0,1\ne,a,0,2\n", "x:3: This is no annotation: agent 0 has two rows"),
        ("csv", HEAD + "e,a,1,1\n", "x:2: This is no annotation: an agent before this one has no row"),
        ("csv", HEAD + "e,a,0,good\n", "x:2: This is no annotation: goal must be a number, not 'good'"),
        ("csv", HEAD + "e,a,0,inf\n", "x:2: This is no annotation: goal must be a number, not 'inf'"),
        ("csv", HEAD + " ,a,0,1\n", "x:2: This is no annotation: episode is empty"),
        ("csv", "reasoning,episode,annotator_id,agent\nr,e,a,0\ns,e,a,1\n", "x:3: This is no annotation: its rows have different reasonings"),
        ("csv", HEAD + 'e,a,0,"1"x\n', "x:2: The rows from here on cannot be read"),
    ],
)  # fmt: skip
def test_what_is_no_annotation_says_where_and_why(format: Format, text: str, says: str) -> None:
    _, problems = read(text, format)
    assert len(problems) == 1
    assert problems[0].startswith(says), problems


def test_csv_of_a_spreadsheet_or_of_pandas_is_read() -> None:
    text = "\ufeff,agent,goal,episode,annotator_id\r\n0,1.0,7.0,e,a\r\n1,0.0,,e,a\r\n"
    assert read(text, "csv") == (
        [AnnotationForEpisode(pk="", episode="e", annotator_id="a", rewards=[0.0, (7.0, {"goal": 7.0})], reasoning="")],
        [],
    )
    assert read("episode;annotator_id;agent;goal;wit\ne;a;0;7;\n", "csv")[0][0].rewards == [(7.0, {"goal": 7.0})]
    assert read("episode\tannotator_id\tagent\tgoal\ne\ta\t0\t7\n", "csv")[0][0].rewards == [(7.0, {"goal": 7.0})]


def test_one_bad_line_does_not_keep_the_rest_out() -> None:
    found, problems = read(to_jsonl([ADA]) + "torn\n" + to_jsonl([BO]), "jsonl")
    assert (found, len(problems)) == ([ADA, BO], 1)


def files(root: Path) -> dict[Path, str]:
    return {path: path.read_text() for path in sorted(root.glob("AnnotationForEpisode/*"))}


def taken(root: Path, *annotations: AnnotationForEpisode) -> tuple[int, int, int]:
    done = take_in(root, [(each, Where(PATH, 1)) for each in annotations], by="lead", source="x.csv")
    return len(done.written), done.same, len(done.conflicts)


def test_what_is_taken_in_again_is_there_already_and_what_differs_is_not_overwritten(tmp_path: Path) -> None:
    assert taken(tmp_path, ADA, BO) == (2, 0, 0)
    before = files(tmp_path)
    other = ADA.model_copy(update={"reasoning": "other"})
    assert taken(tmp_path, ADA, other, BO) == (0, 2, 1)
    assert files(tmp_path) == before
    assert [AnnotationForEpisode.from_json(text) for text in before.values()] == [ADA, BO]


def test_an_import_is_in_the_history_of_its_annotator(tmp_path: Path) -> None:
    taken(tmp_path, ADA)
    [line] = (tmp_path / "journal" / "ada.jsonl").read_text().splitlines()
    event = json.loads(line)
    assert [event[key] for key in ("event", "episode", "pk", "by", "source")] == ["import", "e1", "p1", "lead", "x.csv"]


@pytest.mark.parametrize("pk", ["", "../../evil", "/etc/x", ".hidden", "a" * 300, "a\x00b", "con."])
def test_a_pk_never_decides_where_is_written(tmp_path: Path, pk: str) -> None:
    odd = ADA.model_copy(update={"pk": pk})
    assert taken(tmp_path, odd) == (1, 0, 0)
    [(path, text)] = files(tmp_path).items()
    record = AnnotationForEpisode.from_json(text)
    assert path.parent == tmp_path / "AnnotationForEpisode"
    assert record.pk == path.stem == file_stem(odd)
    assert taken(tmp_path, odd) == (0, 1, 0)
    assert sorted(each.name for each in tmp_path.parent.iterdir() if "evil" in each.name) == []
