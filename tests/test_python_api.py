"""The Python API: every public name has a signature, type hints that resolve, a docstring, and examples that are true."""

from __future__ import annotations

import doctest
import inspect
import io
import json
import math
import pydoc
import subprocess
import sys
import typing
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import UnionType
from typing import Any

import pytest
from click.testing import CliRunner

import trajview
from trajview import (
    AgentRun,
    AnnotationForEpisode,
    AssistantMessage,
    Corpus,
    Dimension,
    ImagePart,
    Rubric,
    Store,
    TextPart,
    ToolCall,
    ToolMessage,
    TrajviewError,
    Transcript,
    UserMessage,
    open_corpus,
)
from trajview.annotation.store import AnnotationStore, pk_of
from trajview.cli.main import main
from trajview.errors import AnnotationError
from trajview.export.choice import FORMATS

ROOT = Path(__file__).parents[1]
NAMES = [name for name in trajview.__all__ if name != "__version__"]
_UNIONS = {"ChatMessage"}
"""Public names of types that are neither classes nor functions."""


def public_members(kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public methods and properties of a class that trajview wrote, as functions."""
    for name in dir(kind):
        owner = next((each for each in kind.__mro__ if name in vars(each)), None)
        if name.startswith("_") or owner is None or not owner.__module__.startswith("trajview"):
            continue
        member = vars(owner)[name]
        if isinstance(member, property):
            assert member.fget is not None
            yield name, member.fget
        elif isinstance(member, classmethod | staticmethod):
            yield name, member.__func__
        elif inspect.isfunction(member) and member.__module__.startswith("trajview"):
            yield name, member


@pytest.mark.parametrize("name", NAMES)
def test_signatures_and_type_hints_resolve_and_everything_has_a_docstring(name: str) -> None:
    value = getattr(trajview, name)
    if name in _UNIONS:
        assert isinstance(value, UnionType)
        assert all(each is getattr(trajview, each.__name__) for each in typing.get_args(value))
        return
    inspect.signature(value)
    typing.get_type_hints(value)
    assert inspect.getdoc(value)
    assert pydoc.render_doc(value)
    if isinstance(value, type):
        for member, function in public_members(value):
            inspect.signature(function)
            typing.get_type_hints(function)
            assert inspect.getdoc(function), f"{name}.{member} says nothing"


@pytest.mark.parametrize("name", [name for name in NAMES if name not in _UNIONS])
def test_the_examples_of_a_public_name_are_true(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    value = getattr(trajview, name)
    assert ">>>" in inspect.getdoc(value), f"{name} has no example"  # type: ignore[operator]
    said = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL | doctest.NORMALIZE_WHITESPACE)
    for test in doctest.DocTestFinder(exclude_empty=True).find(value, name):
        if test.examples and test.filename and Path(test.filename).is_relative_to(ROOT / "trajview"):
            runner.run(test, out=said.write)
    assert not runner.failures, said.getvalue()


def test_help_shows_every_public_name() -> None:
    done = subprocess.run([sys.executable, "-c", "import trajview; help(trajview)"], capture_output=True, text=True, check=True, cwd=ROOT)  # fmt: skip
    for name in NAMES:
        assert name in done.stdout


# -- one line for each object


def test_every_repr_is_one_short_line_whatever_a_log_holds() -> None:
    corpus = open_corpus(ROOT / "sample_data")
    for info in corpus:
        run = corpus.load(info)
        messages = [message for transcript in run.transcripts for message in transcript.messages]
        parts = [part for message in messages for part in message.parts]
        calls = [call for message in messages if message.role == "assistant" for call in message.tool_calls or ()]
        for each in (corpus, info, run, *run.transcripts, *run.transcript_groups, *messages, *parts, *calls):
            assert len(repr(each)) <= 200
            assert repr(each).isprintable()


def test_a_repr_says_what_there_is_and_cuts_what_is_long() -> None:
    picture = ImagePart(image="data:image/png;base64," + "A" * 10_000)
    message = AssistantMessage(content=[TextPart(text="x\n" * 5_000), picture], tool_calls=[ToolCall(function="see")])
    assert repr(picture) == "ImagePart(image='data:image/png;base64,…')"
    said = repr("x\n" * 30 + "…")
    assert repr(message) == f"AssistantMessage({said}, image, calls see)"
    many = ToolCall(function="write", arguments={f"argument {n}": "y" * 1_000 for n in range(1_000)})
    assert len(repr(many)) == 200
    run = AgentRun(id="r", transcripts=[Transcript(messages=[message] * 31)], rewards=[(0.5, {"goal": 1.0}), 1.0])
    assert repr(run) == "AgentRun(id='r', 1 transcript, 31 messages, rewards=[0.5, 1.0])"


# -- finding runs


def test_a_run_is_found_by_number_slice_id_and_key() -> None:
    corpus = open_corpus(ROOT / "sample_data" / "adp", ROOT / "sample_data" / "malformed")
    assert corpus["legacy/teapot"] is corpus.infos[corpus.infos.index(corpus["legacy/teapot"])]
    assert corpus[:2] == corpus.infos[:2]
    for info in corpus:
        assert corpus[info.key] == info
    with pytest.raises(KeyError, match=r"there is no run 'legacy/kettle' \(did you mean legacy/teapot\?\)"):
        corpus["legacy/kettle"]


def lines_of(*args: str) -> list[dict[str, Any]]:
    """What a command of the CLI prints as JSON Lines."""
    return [json.loads(line) for line in CliRunner().invoke(main, args).stdout.splitlines()]


@pytest.mark.parametrize(
    "where", ["reward < 0.5", "errors > 0 sort:-units", "format == sotopia or model ~ o", "metadata.task"]
)
def test_where_chooses_what_the_command_line_does(where: str) -> None:
    listed = lines_of("ls", str(ROOT / "sample_data"), "--no-cache", "--json", "--where", where)
    found = Corpus([ROOT / "sample_data"]).where(where)
    assert [info.key for info in found] == [each["key"] for each in listed]


def test_where_asks_the_store_that_it_is_given() -> None:
    corpus = open_corpus(ROOT / "sample_data" / "sotopia")
    store = Store(ROOT / "sample_data" / "annotations", "ada", Rubric.named("sotopia"))
    annotated = {record.episode for record in store.records() if record.annotator_id == "ada"}
    assert {info.key for info in corpus.where("annotated", store=store)} == annotated & {info.key for info in corpus}
    with pytest.raises(TrajviewError, match="is about annotations"):
        corpus.where("not annotated")


def test_search_finds_what_the_command_line_does() -> None:
    path = str(ROOT / "sample_data")
    printed = lines_of("search", "error", path, "--json", "--role", "tool", "-C", "1", "-j", "1")
    found = list(Corpus([Path(path)]).search("error", roles="tool", context=1))
    hits = [(run.id, hit.label, hit.text, list(hit.before)) for run in found for hit in run.hits]
    assert hits == [(each["id"], each["label"], each["text"], each["before"]) for each in printed]


def test_search_takes_only_the_runs_it_is_given_and_says_what_cannot_be_searched_for() -> None:
    corpus = open_corpus(ROOT / "sample_data" / "docent")
    chosen = corpus.where("reward < 0.8")
    found = list(corpus.search("the", runs=chosen, hits=1))
    assert [run.place for run in found] == [info.place for info in chosen]
    assert {len(run.hits) for run in found} == {1}
    with pytest.raises(TrajviewError, match="not a regular expression"):
        corpus.search("(")
    with pytest.raises(TrajviewError, match="there is no role 'robot'"):
        corpus.search("x", roles="robot")


def test_what_a_search_cannot_read_is_a_problem_of_the_corpus_and_said_once() -> None:
    corpus = Corpus([ROOT / "sample_data" / "malformed"])
    for _ in range(2):
        list(corpus.search("no such word"))
    corpus.scan()
    assert len(set(map(str, corpus.problems))) == len(corpus.problems) > 0


def test_a_table_has_a_row_per_run() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed: pip install pandas")
    corpus = open_corpus(ROOT / "sample_data")
    table = corpus.to_pandas()
    assert list(table["id"]) == [info.id for info in corpus]
    assert list(table["messages"]) == [info.messages for info in corpus]
    assert list(table.iloc[0]["rewards"]) == list(corpus[0].rewards)
    assert table.groupby("format")["reward"].mean()["docent"] == pytest.approx(
        table[table.format == "docent"].reward.mean()
    )
    assert table.set_index("id").loc["kitchen/who_drinks_the_coffee", "reward"] == 1
    assert math.isnan(table.set_index("id").loc["legacy/teapot", "reward"])
    assert Corpus([ROOT / "sample_data" / "malformed" / "empty.jsonl"]).to_pandas().empty


def test_a_table_without_pandas_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pandas is not installed \(pip install pandas\)") as caught:
        open_corpus(ROOT / "sample_data" / "adp").to_pandas()
    assert isinstance(caught.value, TrajviewError)


# -- a run as text and in a notebook


@pytest.mark.parametrize("format", FORMATS)
def test_a_run_exports_as_the_command_line_does(format: str) -> None:
    path = ROOT / "sample_data" / "docent" / "coding_run.json"
    printed = CliRunner().invoke(main, ["export", str(path), "-f", format]).stdout
    assert next(open_corpus(path).runs()).export(format) == printed


def test_a_format_that_is_none_is_refused_with_those_that_are() -> None:
    run = AgentRun(transcripts=[Transcript()])
    with pytest.raises(TrajviewError, match=r"there is no format 'pdf' \(one of md, html, docent, openai, adp\)"):
        run.export("pdf")


class _Tags(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open += tag == "div"

    def handle_endtag(self, tag: str) -> None:
        self.open -= tag == "div"


def test_a_notebook_shows_every_run_inertly() -> None:
    corpus = open_corpus(ROOT / "sample_data")
    for info in corpus:
        page = _Tags(corpus.load(info)._repr_html_())
        assert page.open == 0
        assert page.tags.isdisjoint(
            {"script", "iframe", "img", "link", "meta", "object", "form", "input", "html", "body"}
        )
        assert page.attributes <= {"class", "id", "href", "open"}


def test_what_a_notebook_shows_of_a_hostile_run_is_text() -> None:
    nasty = "</style></div><script>alert(1)</script><img src=x onerror=alert(1)>"
    call = ToolCall(function=nasty, arguments={nasty: nasty})
    said = AssistantMessage(content=nasty, tool_calls=[call], model=nasty, name=nasty)
    run = AgentRun(
        id=nasty, name=nasty, metadata={nasty: nasty}, reasoning=nasty, agents=[nasty], rewards=[1.0], description=nasty,
        transcripts=[Transcript(name=nasty, messages=[said, ToolMessage(content=nasty, error=nasty)])],
    )  # fmt: skip
    page = _Tags(run._repr_html_())
    assert page.tags.isdisjoint({"script", "img"})
    assert page.open == 0


def test_a_notebook_shows_the_beginning_of_a_long_run_and_says_how_much_more_there_is() -> None:
    long = "long " * 100_000
    said = [UserMessage(content=f"message {number} ") for number in range(5_000)]
    said[1] = UserMessage(content=long)
    run = AgentRun(id="r", transcripts=[Transcript(messages=said), Transcript(messages=said)], metadata={"all": long}, reasoning=long)  # fmt: skip
    shown = run._repr_html_()
    assert len(shown) < 60_000
    assert "10,000 messages" in shown
    assert "message 39 " in shown
    assert "message 40 " not in shown
    assert "9,960 more messages are not shown here" in shown
    assert "498,000 more characters" in shown
    assert "9,960" not in Transcript(messages=said[:3])._repr_html_()


def test_the_notebook_in_the_documentation_runs(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbconvert is not installed")
    preprocessors = pytest.importorskip("nbconvert.preprocessors", reason="nbconvert is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel, which runs a notebook, is not installed")
    notebook = nbformat.read(ROOT / "docs" / "python.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "what is in the repository has no outputs"
    preprocessors.ExecutePreprocessor(timeout=100).preprocess(notebook, {"metadata": {"path": str(ROOT)}})
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert not [output for output in shown if output.output_type == "error"]
    assert any("class=trajview" in output.get("data", {}).get("text/html", "") for output in shown)


# -- annotations


def test_an_annotation_gets_the_pk_that_a_store_gives_it(tmp_path: Path) -> None:
    scores: list[Any] = [(7.0, {"goal": 7.0}), (3.0, {"goal": 3.0})]
    made = AnnotationForEpisode(episode="e", annotator_id="ada", rewards=scores, reasoning="why")
    saved = Store(tmp_path, "ada", Rubric.named("sotopia")).save("e", [{"goal": 7}, {"goal": 3}], "why")
    assert made == saved
    plain = AnnotationForEpisode(episode="e", annotator_id="ada", rewards=[0.5], reasoning="")
    assert plain.pk == pk_of("e", "ada", "reward")
    assert plain.model_copy(update={"pk": "p"}).pk == AnnotationForEpisode(**plain.model_dump() | {"pk": "p"}).pk == "p"


def test_a_pk_of_other_dimensions_needs_the_rubric() -> None:
    said: dict[str, Any] = {"episode": "e", "annotator_id": "ada", "rewards": [(1.0, {"wit": 1.0})], "reasoning": ""}
    assert AnnotationForEpisode(**said).pk == ""
    made = AnnotationForEpisode(**said, rubric="tone")
    assert made.pk == pk_of("e", "ada", "tone")
    assert set(made.model_dump()) == {"pk", *said}


def test_a_record_that_is_read_keeps_the_pk_that_it_has_or_lacks() -> None:
    text = '{"episode": "e", "annotator_id": "ada", "rewards": [0.5], "reasoning": ""}'
    assert AnnotationForEpisode.from_json(text).pk == ""


def test_a_store_replaces_what_it_knows_and_nothing_else(tmp_path: Path) -> None:
    rubric = Rubric.named("reward")
    store = Store(tmp_path, "ada", rubric)
    assert store.load("e") is None
    store.save("e", [{"reward": 0.5}])
    store.save("e", [{"reward": 0.75}], "better than I thought")
    other = Store(tmp_path, "ada", rubric)
    with pytest.raises(AnnotationError, match="changed by someone else"):
        other.save("e", [{"reward": 1}])
    known = other.load("e")
    assert known is not None
    assert known.rewards == [(0.75, {"reward": 0.75})]
    assert other.save("e", [{"reward": 1}]).rewards == [(1.0, {"reward": 1.0})]
    store.save("e", [{"reward": 0}], overwrite=True)
    assert [record.rewards for record in store.records()] == [[(0.0, {"reward": 0.0})]]
    undone = AnnotationStore(tmp_path, "ada").undo()
    assert undone is not None, "the journal has what a program saved"


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        ({"reward": 2}, "reward of agent 1: out of range 0..1"),
        ({"wit": 1}, "reward has no dimension 'wit' .it has reward"),
    ],
)
def test_a_score_that_the_rubric_does_not_take_is_refused(
    tmp_path: Path, scores: dict[str, float], sentence: str
) -> None:
    store = Store(tmp_path / "store", "ada", Rubric.named("reward"))
    with pytest.raises(AnnotationError, match=sentence):
        store.save("e", [scores])
    assert not (tmp_path / "store").exists()


def test_a_rubric_is_named_or_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "tone.toml"
    path.write_text('name = "tone"\n[[dimension]]\nname = "wit"\nrange = [0, 10]\n')
    assert Rubric.from_file(path) == Rubric("tone", (Dimension("wit", 0, 10),))
    with pytest.raises(TrajviewError, match="it is sotopia, reward, success, or a file"):
        Rubric.named("tone")
