"""`trajview export`: which files it writes, what it says of them, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trajview.annotation.rubric import Dimension, Rubric
from trajview.annotation.store import AnnotationStore

from .test_commands import call
from .test_compare import record


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`a.jsonl` with one run, `both.jsonl` with two; the current folder."""
    one, two = record("one", "Mend it.", "Done.", reward=1), record("two/2", "Hello.", "Good day.", "Bye.")
    (tmp_path / "a.jsonl").write_text(one)
    (tmp_path / "both.jsonl").write_text(one + two)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_run_is_printed_as_markdown_by_default(logs: Path) -> None:
    done = call("export", "a.jsonl")
    assert done.exit_code == 0
    assert done.stdout.startswith("# one\n")
    assert "#### T0B1 assistant\n\n> Done.\n" in done.stdout
    assert done.stderr == ""


def test_the_files_name_chooses_the_format_and_what_is_lost_goes_to_stderr(logs: Path) -> None:
    done = call("export", "both.jsonl", "--run", "one", "-o", "x.jsonl")
    assert done.exit_code == 0
    assert done.stdout == ""
    assert json.loads(Path("x.jsonl").read_text())["messages"][1] == {"role": "assistant", "content": "Done."}
    assert done.stderr.splitlines() == [
        "trajview: 1 run written to x.jsonl",
        "trajview: openai: The run's rewards are left out.",
    ]


def test_docent_json_opens_again(logs: Path) -> None:
    assert call("export", "both.jsonl", "-o", "x.json").exit_code == 0
    listed = call("ls", "x.json", "--json", "--no-cache")
    assert [json.loads(line)["id"] for line in listed.stdout.splitlines()] == ["one", "two/2"]


def test_no_file_is_replaced_without_force(logs: Path) -> None:
    Path("x.md").write_text("mine")
    done = call("export", "a.jsonl", "-o", "x.md")
    assert done.exit_code == 2
    assert done.stderr == "trajview: x.md: there is such a file already (take another name, or --force)\n"
    assert Path("x.md").read_text() == "mine"
    assert call("export", "a.jsonl", "-o", "x.md", "--force").exit_code == 0
    assert Path("x.md").read_text().startswith("# one\n")
    assert sorted(path.name for path in logs.iterdir()) == ["a.jsonl", "both.jsonl", "x.md"]


def test_several_runs_are_a_line_each(logs: Path) -> None:
    done = call("export", "both.jsonl", "-f", "adp")
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["one", "two/2"]
    assert done.stderr == ""


def test_of_several_runs_is_said_how_many_lost_something(logs: Path) -> None:
    done = call("export", "both.jsonl", "-f", "openai")
    assert done.stderr == "trajview: openai: The run's rewards are left out. (1 run of 2)\n"


def test_each_run_becomes_a_file_in_a_folder(logs: Path) -> None:
    done = call("export", "both.jsonl", "-o", "pages/")
    assert done.exit_code == 0
    assert sorted(path.name for path in Path("pages").iterdir()) == ["one.md", "two_2.md"]
    assert "trajview: 2 runs written to pages\n" in done.stderr
    again = call("export", "both.jsonl", "-o", "pages")
    assert again.exit_code == 1
    assert "pages/one.md: there is such a file already" in again.stderr


def test_several_runs_in_one_web_page_stand_below_an_index(logs: Path) -> None:
    assert call("export", "a.jsonl", "-o", "a.html", "--highlight", "mend").exit_code == 0
    page = Path("a.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "rule: mend" in page
    assert "<td><a href" not in page
    done = call("export", "both.jsonl", "-o", "both.html")
    assert done.exit_code == 0
    assert "2 runs written to both.html" in done.stderr
    both = Path("both.html").read_text()
    assert both.count("<!doctype html>") == 1
    for number, (name, messages) in enumerate((("one", 2), ("two/2", 3))):
        assert f'<tr><td><a href="#R{number}">{name}</a></td>' in both
        assert f"<section class=run id=R{number}>\n<h1>{name}</h1>" in both
        assert [f"id=R{number}-T0B{at}>" in both for at in range(4)] == [at < messages for at in range(4)]
    printed = call("export", "both.jsonl", "-f", "html")
    assert printed.stdout == both


def test_of_a_page_per_run_in_a_folder_an_index_leads_to_them(logs: Path) -> None:
    with Path("both.jsonl").open("a") as file:
        file.write(record("index", "Hello.", "Good day.") + record("a b&c", "Hello.", "Good day."))
    assert call("export", "both.jsonl", "-f", "html", "-o", "pages/").exit_code == 0
    names = ["a_b_c.html", "index-2.html", "index.html", "one.html", "two_2.html"]
    assert sorted(path.name for path in Path("pages").iterdir()) == names
    index = Path("pages/index.html").read_text()
    assert "<h1>4 runs</h1>" in index
    for name in names:
        assert (f'href="{name}"' in index) == (name != "index.html")
    assert Path("pages/one.html").read_text() == call("export", "both.jsonl", "--run", "one", "-f", "html").stdout
    again = call("export", "both.jsonl", "-f", "html", "-o", "pages/")
    assert again.exit_code == 1
    assert "pages/index.html: there is such a file already" in again.stderr


def test_rules_of_the_configuration_are_highlights(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("config.toml").write_text(
        'highlight = ["mend"]\n[[rule]]\nname = "ready"\npattern = "done"\n'
        '[[rule]]\nname = "off"\npattern = "done"\non = false\n'
    )
    monkeypatch.setenv("TRAJVIEW_CONFIG", "config.toml")
    Path(".trajview.toml").write_text('[[rule]]\nname = "project"\npattern = "done"\non = true\n')
    page = call("export", "a.jsonl").stdout
    assert "**▲ rule:** `mend`" in page
    assert "**▲ rule:** `ready`" in page
    assert "**▲ rule:** `project`" in page
    assert "off" not in page


def test_what_is_written_beside_the_logs_is_not_read(logs: Path) -> None:
    assert call("export", ".", "-f", "docent", "-o", ".", "--run", "two/2").exit_code == 0
    assert json.loads(Path("two_2.json").read_text())["id"] == "two/2"


def test_units_are_chosen_and_wrong_ones_are_refused(logs: Path) -> None:
    log = logs / "long.json"
    roles = ["user", "assistant"] * 4
    log.write_text(json.dumps({"messages": [{"role": role, "content": str(i)} for i, role in enumerate(roles)]}))
    done = call("export", "long.json", "--units", "1-2", "-f", "openai")
    assert [message["content"] for message in json.loads(done.stdout)["messages"]] == ["2", "3", "4", "5"]
    assert "#### T0B6 user" in call("export", "long.json", "--unit", "3").stdout
    wrong = call("export", "long.json", "--units", "2-9")
    assert wrong.exit_code == 2
    assert "none of the action units 2 to 9" in wrong.stderr
    assert "units 0 to 3" in wrong.stderr
    assert call("export", "long.json", "--units", "a-b").exit_code == 2
    assert call("export", "long.json", "--units", "3-1").exit_code == 2


def test_units_of_any_transcript_are_chosen(logs: Path) -> None:
    transcripts = [
        {"messages": [{"role": role, "content": f"{name}{i}"} for i, role in enumerate(["user", "assistant"] * 3)]}
        for name in "ab"
    ]
    Path("two.json").write_text(json.dumps({"id": "two", "transcripts": transcripts}))

    def said(*options: str) -> list[str]:
        done = call("export", "two.json", "-f", "openai", *options)
        assert done.exit_code == 0, done.stderr
        return [message["content"] for message in json.loads(done.stdout)["messages"]]

    assert said("--transcript", "1", "--unit", "1") == ["b2", "b3"]
    assert said("--units", "T1:1-2") == said("--transcript", "1", "--units", "1-2") == ["b2", "b3", "b4", "b5"]
    assert said("--units", "1:0") == ["b0", "b1"]
    assert said("--unit", "0") == ["a0", "a1"]
    assert said("--transcript", "1") == [f"b{i}" for i in range(6)]
    for options, says in (
        (("--transcript", "2"), "there is no transcript 2 in two (it has transcripts 0 to 1)"),
        (("--units", "T1:2-7"), "none of the action units 2 to 7 of transcript 1"),
        (("--transcript", "0", "--units", "T1:0"), "contradict each other"),
    ):
        done = call("export", "two.json", *options)
        assert done.exit_code == 2
        assert says in done.stderr


def test_blind_leaves_out_what_an_annotator_is_not_to_know(logs: Path) -> None:
    assert "reward" in call("export", "a.jsonl").stdout
    assert "reward" not in call("export", "a.jsonl", "--blind").stdout


def test_the_annotators_own_work_is_in_the_page_and_named_where_it_is_not(logs: Path) -> None:
    rubric = Rubric("mine", (Dimension("goal", 0, 10),))
    for annotator, score in (("ada", 7.0), ("bob", 3.0)):
        AnnotationStore(logs / "store", annotator).save("one", rubric, [(score, {"goal": score})], "see [T0B1]")
    done = call("export", "a.jsonl", "--store", "store", "--annotator", "ada")
    assert "## Annotation by ada" in done.stdout
    assert "| goal | 7 |" in done.stdout
    assert "bob" not in done.stdout
    done = call("export", "a.jsonl", "--store", "store", "--annotator", "ada", "-f", "docent")
    assert "annotations, notes and marks are left out" in done.stderr
    assert call("export", "a.jsonl", "--store", "nowhere").exit_code == 2


def test_a_run_that_cannot_be_read_is_said_and_the_rest_is_exported(logs: Path) -> None:
    (logs / "some.jsonl").write_text(record("good", "Hi", "Ho") + '{"id": "torn", "messages": [\n')
    done = call("export", "some.jsonl", "-f", "docent")
    assert done.exit_code == 1
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["good"]
    assert "some.jsonl:2" in done.stderr


def test_a_place_that_cannot_be_written_is_one_sentence(logs: Path) -> None:
    done = call("export", "a.jsonl", "-o", "no/such/x.md")
    assert done.exit_code == 2
    assert done.stderr == "trajview: no/such/x.md: its folder does not exist (make it first)\n"


def test_nothing_found_makes_no_file(logs: Path) -> None:
    (logs / "empty").mkdir()
    assert call("export", "empty", "-o", "x.md").exit_code == 2
    assert not Path("x.md").exists()
