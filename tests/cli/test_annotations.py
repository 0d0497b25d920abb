"""`trajview annotations`: what it prints and writes, what it leaves alone, and how it ends."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from trajview.annotation.rubric import SOTOPIA
from trajview.annotation.store import AnnotationStore
from trajview.cli.main import main


@pytest.fixture(autouse=True)
def no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "config.toml"
    config.write_text('annotator = "lead"\n')
    monkeypatch.setenv("TRAJVIEW_CONFIG", str(config))


def run(*args: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["annotations", *map(str, args)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def store(tmp_path: Path) -> Path:
    root = tmp_path / "store"
    AnnotationStore(root, "ada").save("e1", SOTOPIA, [(7.0, {"goal": 7.0}), 0.0], "why")
    AnnotationStore(root, "bo").save("e1", SOTOPIA, [(3.0, {"goal": 3.0}), (9.0, {"goal": 9.0})], "")
    return root


def records(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(root.glob("AnnotationForEpisode/*"))}


def test_a_store_is_listed(store: Path) -> None:
    code, out, _ = run("list", store)
    assert code == 0
    assert out.splitlines() == ["EPISODE  ANNOTATOR  OVERALL", "e1       ada        7 0", "e1       bo         3 9"]
    assert run("list", "--store", store)[1] == out


def test_a_store_that_holds_only_drafts_says_so(tmp_path: Path) -> None:
    code, out, err = run("list", tmp_path)
    assert (code, out) == (0, "")
    assert "no annotations found (a draft counts when it is submitted)" in err


def test_what_is_exported_imports_as_the_same_store(store: Path, tmp_path: Path) -> None:
    for name in ("scores.csv", "scores.jsonl"):
        code, out, _ = run("export", store, "-o", tmp_path / name)
        assert (code, out) == (0, f"2 annotations written to {tmp_path / name}\n")
        other = tmp_path / f"from {name}"
        code, out, _ = run("import", tmp_path / name, "--store", other)
        assert (code, out) == (0, f"2 annotations imported into {other}\n")
        assert records(other) == records(store)
        code, out, _ = run("import", tmp_path / name, "--store", other)
        assert (code, out) == (0, f"0 annotations imported into {other}, 2 there already\n")


def test_an_export_replaces_no_file_unasked(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("scores that somebody has mended in a spreadsheet\n")
    code, _, err = run("export", store, "-o", file)
    assert (code, file.read_text()) == (2, "scores that somebody has mended in a spreadsheet\n")
    assert "--force" in err
    assert run("export", store, "-o", file, "--force")[0] == 0
    assert file.read_text() == run("export", store, "--format", "csv")[1]


def test_keys_of_somebody_that_an_export_cannot_hold_are_listed(store: Path) -> None:
    for path in store.glob("AnnotationForEpisode/*"):
        path.write_text(json.dumps({**json.loads(path.read_text()), "confidence": "high"}))
    code, out, err = run("export", store)
    assert (code, len(out.splitlines())) == (0, 2)
    assert err == "trajview: jsonl: `confidence` of 2 annotations is left out (the store keeps it)\n"


def test_an_export_goes_to_stdout(store: Path) -> None:
    assert [json.loads(line)["annotator_id"] for line in run("export", store)[1].splitlines()] == ["ada", "bo"]
    assert run("export", "--store", store, "--format", "csv")[1].startswith(
        "pk,episode,annotator_id,agent,overall,goal,"
    )


def test_an_import_lists_what_it_did_not_take_and_overwrites_nothing(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    run("export", store, "-o", file)
    file.write_text(file.read_text().replace('"why"', '"because"') + "{}\n")
    before = records(store)
    code, out, err = run("import", file, "--store", store)
    assert code == 1
    assert out == f"0 annotations imported into {store}, 1 there already\n"
    assert f"trajview: {file}:3: This is no annotation: episode: Field required" in err
    assert f"trajview: {file}:1: The annotation of e1 by ada was not imported: there is another one." in err
    assert records(store) == before


def test_broken_records_are_said_and_the_rest_is_exported(store: Path) -> None:
    (store / "AnnotationForEpisode" / "torn.json").write_text("{")
    code, out, err = run("export", store)
    assert code == 1
    assert len(out.splitlines()) == 2
    assert "torn.json: This file is not an annotation" in err


def test_a_store_or_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    code, _, err = run("export", tmp_path / "none")
    assert code == 2
    assert err == f"trajview: {tmp_path / 'none'}: there is no store of annotations (name its folder)\n"
    assert run("import", tmp_path / "none.csv", "--store", tmp_path / "s")[0] == 2
    assert run("import", tmp_path, "--store", tmp_path / "s")[0] == 2
    assert not (tmp_path / "s").exists()


def test_a_store_that_cannot_be_written_is_said(store: Path, tmp_path: Path) -> None:
    run("export", store, "-o", tmp_path / "x.csv")
    (tmp_path / "file").write_text("")
    code, _, err = run("import", tmp_path / "x.csv", "--store", tmp_path / "file")
    assert code == 2
    assert "The annotation was not imported" in err


def test_stores_are_merged_and_what_contradicts_is_listed(store: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    AnnotationStore(other, "ada").save("e1", SOTOPIA, [(1.0, {"goal": 1.0}), 0.0], "no")
    AnnotationStore(other, "cy").save("e1", SOTOPIA, [(2.0, {"goal": 2.0}), 0.0], "")
    before = records(store), records(other)
    code, out, err = run("merge", store, other, "--into", tmp_path / "both")
    assert code == 1
    assert out.startswith(f"3 annotations new in {tmp_path / 'both'}, ")
    assert out.endswith("1 conflict to settle\n")
    assert "There are two annotations of e1 by ada: the other one is conflicts/AnnotationForEpisode/" in err
    assert (records(store), records(other)) == before
    code, _, err = run("list", tmp_path / "both")
    assert code == 1
    assert "A merge has left this to be settled." in err
    code, out, _ = run("merge", store, other)
    assert out.startswith(f"1 annotation new in {store}, ")
    assert records(other) == before[1]
    assert records(store).items() > before[0].items()


def test_a_store_is_not_merged_into_itself(store: Path) -> None:
    code, _, err = run("merge", store, store / ".." / "store")
    assert code == 2
    assert "a store cannot be merged into itself" in err


def test_annotations_of_other_runs_stay_out_of_sotopias_own_folder_unless_forced(store: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "EpisodeLog").mkdir(parents=True)
    run("export", store, "-o", tmp_path / "x.csv")
    code, out, err = run("import", tmp_path / "x.csv", "--store", data)
    assert (code, out) == (1, f"0 annotations imported into {data}\n")
    assert "e1 is no episode in it: Sotopia's scripts would stop there. (--force-store imports it all the same)" in err
    assert not (data / "AnnotationForEpisode").exists()
    (data / "EpisodeLog" / "e1.json").write_text("{}")
    assert run("import", tmp_path / "x.csv", "--store", data)[0] == 0
    assert run("import", tmp_path / "x.csv", "--store", tmp_path / "data2", "--force-store")[0] == 0


def test_the_log_says_who_did_what_and_when(store: Path) -> None:
    for path in store.glob("AnnotationForEpisode/*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))  # else two events of one millisecond have no order
    ada = AnnotationStore(store, "ada")
    ada.flag("e1", "odd\x1b[2J end")
    opened = ada.open("e1", SOTOPIA, 2)
    ada.submit(replace(opened.draft, values=({"goal": "8"}, {})), SOTOPIA, opened.rewards)
    code, out, err = run("log", "e1", "--store", store, "--annotator", "ada")
    assert (code, err) == (0, "")
    assert [re.sub(r"^\d{4}-\d\d-\d\d \d\d:\d\d  ", "", line) for line in out.splitlines()] == [
        "bo wrote an annotation that no journal here tells of",
        "ada flagged it: odd end",
        "ada typed goal of agent 1: 8; the reasoning",
        "ada submitted goal of agent 1: 8; the reasoning",
    ]
    line = json.loads(run("log", "e1", "--store", store, "--annotator", "ada", "--json")[1].splitlines()[-1])
    assert (line["event"], line["annotator"], line["data"]["values"]) == ("submit", "ada", [{"goal": "8"}, {}])


def test_the_log_hides_what_others_did_until_one_has_submitted(store: Path) -> None:
    AnnotationStore(store, "cy").skip("e1", SOTOPIA, "later")
    code, out, err = run("log", "e1", "--store", store, "--annotator", "cy")
    assert code == 0
    assert len(out.splitlines()) == 1
    assert out.endswith("cy skipped it: later\n")
    assert err == "trajview: 2 events of others are left out (submit your own annotation first, or give --all)\n"
    assert len(run("log", "e1", "--store", store, "--annotator", "cy", "--all")[1].splitlines()) == 3


def test_an_import_is_in_the_log(store: Path, tmp_path: Path) -> None:
    run("export", store, "-o", tmp_path / "x.csv")
    run("import", tmp_path / "x.csv", "--store", tmp_path / "new", "--annotator", "lead")
    out = run("log", "e1", "--store", tmp_path / "new", "--all")[1].splitlines()
    assert [line[18:] for line in out] == [
        "ada has an annotation from x.csv, imported by lead",
        "bo has an annotation from x.csv, imported by lead",
    ]


def test_an_episode_that_nothing_happened_to_gets_a_hint(store: Path) -> None:
    code, _, err = run("log", "e2", "--store", store)
    assert code == 2
    assert err == "trajview: nothing happened to 'e2' here (did you mean e1?)\n"


def test_the_log_says_which_lines_of_a_journal_are_torn(store: Path) -> None:
    ada = AnnotationStore(store, "ada")
    ada.flag("e1")
    with ada.journal.path.open("ab") as file:
        file.write(b'{"time": "2026\n')
    code, out, err = run("log", "e1", "--store", store, "--annotator", "bo", "--all")
    assert "ada flagged it" in out
    assert "ada.jsonl:2: This line of the journal is torn or no event." in err
    assert code == 1
