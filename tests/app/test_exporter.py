"""Writing a run at the desk of the transcript screen: which format, what is there already, what is lost. No screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from trajview.annotation.store import AnnotationStore
from trajview.app.transcript.exporter import Exporter

from .at_a_desk import AtDesk


class Writer(AtDesk):
    """Somebody who writes the run into files."""

    def __init__(self, log: Path) -> None:
        super().__init__(log)
        store = AnnotationStore(log.parent / "store", "ada")
        self.exporter = Exporter(self.desk, lambda: store, list)

    def write(self, name: str) -> None:
        run, info = self.reading.run, self.reading.info
        assert run is not None
        self.exporter.ask(run, info.key, info.id, None)
        assert self.prompt.text == "repair.md"
        self.prompt.answer(name)


@pytest.fixture
def writer(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Writer:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return Writer(log)


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("a.md", "# The cold kettle\n"),
        ("a.html", "<!doctype html>"),
        ("a.json", '{"id": "repair"'),
        ("a.jsonl", '{"id": "repair/0"'),
        ("a.adp.jsonl", '{"schema_version": "1'),
    ],
)
def test_the_name_of_the_file_says_the_format(writer: Writer, name: str, begins: str) -> None:
    writer.write(name)
    assert writer.notices.text == f"written to {name}"
    assert Path(name).read_text().startswith(begins)
    assert not writer.exporter.progress


@pytest.mark.parametrize("answer", ["n", "", "perhaps"])
def test_what_is_there_stays_unless_a_person_says_otherwise(writer: Writer, answer: str) -> None:
    Path("mine.md").write_text("mine")
    writer.write("mine.md")
    assert writer.prompt.asked == "mine.md is there: replace it?"
    writer.prompt.answer(answer)
    assert (writer.notices.text, Path("mine.md").read_text()) == ("not written", "mine")


def test_what_is_there_is_replaced_when_a_person_says_so(writer: Writer) -> None:
    Path("mine.md").write_text("mine")
    writer.write("mine.md")
    writer.prompt.answer("Y")
    assert Path("mine.md").read_text().startswith("# The cold kettle\n")


def test_a_name_without_a_known_ending_is_asked_for_again(writer: Writer) -> None:
    writer.write("mine.pdf")
    assert writer.toasts == [
        "The ending says the format: .md, .html, .json (Docent), .jsonl (OpenAI), .adp.jsonl (ADP)."
    ]
    assert (writer.prompt.is_open, writer.prompt.text) == (True, "mine.pdf")
    writer.prompt.answer("")
    assert writer.notices.text == "not written"


def test_a_folder_that_is_not_there_is_said(writer: Writer) -> None:
    writer.write("no/such/folder.md")
    assert "its folder does not exist" in writer.toasts[0]
    assert (writer.notices.text, list(Path().iterdir())) == ("not written", [])


def test_what_a_format_cannot_hold_is_said(writer: Writer) -> None:
    writer.write("a.jsonl")
    assert "left out" in writer.toasts[0]
    writer.write("a.adp.jsonl")
    assert "transcripts are one run: each is a record of its own" in writer.toasts[1]
    assert max(toast.count("\n") for toast in writer.toasts) == 2
