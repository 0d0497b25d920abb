"""`trajview agreement`: the store, the logs beside it, and the three ways to print what was found."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from trajview.annotation.store import pk_of
from trajview.cli.agreement import progress_line
from trajview.cli.main import main
from trajview.models.run import Reward
from trajview.models.sotopia import AnnotationForEpisode

SCORES = {"ana": (3, 5, 7, 9), "ben": (3, 6, 7, 8), "cho": (2, 5, 9, 9)}


def write(store: Path, episode: str, annotator: str, rewards: Sequence[Reward]) -> None:
    pk = pk_of(episode, annotator, "sotopia")
    folder = store / "AnnotationForEpisode"
    folder.mkdir(parents=True, exist_ok=True)
    record = AnnotationForEpisode(pk=pk, episode=episode, annotator_id=annotator, rewards=list(rewards), reasoning="")
    (folder / f"{pk}.json").write_text(record.to_json())


@pytest.fixture
def store(tmp_path: Path) -> Path:
    for annotator, scores in SCORES.items():
        for at, score in enumerate(scores):
            dimensions = {"goal": float(score), "secret": 0.0}
            write(tmp_path / "store", f"ep-{at}", annotator, [(score / 2, dimensions), 0.0])
    return tmp_path / "store"


@pytest.fixture
def episodes(tmp_path: Path) -> Path:
    folder = tmp_path / "episodes"
    folder.mkdir()
    for at, score in enumerate((4, 6, 8, 10)):
        (folder / f"{at}.json").write_text(
            json.dumps(
                {
                    "pk": f"ep-{at}", "environment": "env", "agents": ["p1", "p2"], "reasoning": "",
                    "rewards": [[score / 2, {"goal": score, "secret": 0}], 0.0],
                    "messages": [[["Environment", "Ann", "goal: win"], ["Environment", "Bo", "goal: win"]]],
                }
            )
        )  # fmt: skip
    return folder


def call(*args: str | Path) -> Result:
    result = CliRunner().invoke(main, ["agreement", *map(str, args)], prog_name="trajview")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_a_table_says_who_rated_how_much_and_how_far_they_agree(store: Path) -> None:
    result = call(store)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "Krippendorff's α 0.86: reliable"
    assert lines[3] == "ana  4 episodes"
    goal = next(line for line in lines if line.startswith("goal"))
    assert goal.split()[1:4] == ["12", ".33", ".83"]
    secret = next(line for line in lines if line.startswith("secret"))
    assert secret.split() == ["secret", "12", "1.00", "1.00", *["undefined"] * 6]
    assert "no variance" in result.stdout
    assert "nan" not in result.stdout.lower()


def test_json_has_null_and_a_reason_for_what_is_undefined(store: Path) -> None:
    found = json.loads(call(store, "--json", "--resamples", "50").stdout)
    assert found["annotators"] == {"ana": 4, "ben": 4, "cho": 4}
    secret, goal, overall = found["between"]
    assert [each["dimension"] for each in (secret, goal, overall)] == ["secret", "goal", "overall"]
    assert secret["measures"]["kappa"] == {
        "value": None, "low": None, "high": None, "reason": "no variance: all scores are the same",
    }  # fmt: skip
    assert goal["rated_by_two"] == 4
    assert goal["measures"]["exact"]["value"] == pytest.approx(4 / 12)
    assert goal["measures"]["exact"]["low"] <= 4 / 12 <= goal["measures"]["exact"]["high"]
    assert found["against_log"] == []


def test_csv_has_a_row_for_each_figure(store: Path, episodes: Path) -> None:
    text = call(store, "--episodes", episodes, "--csv", "--resamples", "0").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 3 * 8 + 3 * 4 * 4
    bias = [row for row in rows if row["dimension"] == "goal" and row["measure"] == "bias"]
    assert [(row["comparison"], row["who"], float(row["value"])) for row in bias] == [
        ("log", "mean", pytest.approx(7 - (24 + 24 + 25) / 12)),
        ("log", "ana", 1.0),
        ("log", "ben", 1.0),
        ("log", "cho", 0.75),
    ]
    undefined = next(row for row in rows if row["dimension"] == "secret" and row["measure"] == "kappa")
    assert (undefined["value"], undefined["reason"]) == ("", "no variance: all scores are the same")


def test_the_reward_in_the_log_is_found_by_the_key_of_the_run(store: Path, episodes: Path) -> None:
    found = json.loads(call(store, "--episodes", episodes, "--json").stdout)
    assert found["episodes_with_reward"] == 4
    mae = next(row for row in found["against_log"] if (row["dimension"], row["who"]) == ("goal", "ana"))
    # The second agent was rated by nobody: a bare 0.0.
    assert mae["pairs"] == 4
    assert mae["measures"]["mae"] == {"value": 1.0, "low": 1.0, "high": 1.0, "reason": ""}


def test_in_blind_mode_nobody_is_compared_with_the_log(
    store: Path, episodes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    config.write_text("blind = true\n")
    monkeypatch.setenv("TRAJVIEW_CONFIG", str(config))
    result = call(store, "--episodes", episodes, "--json")
    assert (result.exit_code, json.loads(result.stdout)["episodes_with_reward"]) == (0, 0)
    assert "blind mode: " in result.stderr
    assert json.loads(call(store, "--episodes", episodes, "--json", "--no-blind").stdout)["episodes_with_reward"] == 4


def test_logs_of_other_episodes_are_a_problem(store: Path, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"id": "other", "messages": [{"role": "user", "content": "hi"}]}')
    result = call(store, "--episodes", tmp_path / "other.json")
    assert result.exit_code == 1
    assert "none of the annotated episodes" in result.stderr


def test_a_bare_zero_in_a_log_that_is_no_episode_is_a_reward(tmp_path: Path) -> None:
    for at, score in enumerate((0.0, 1.0, 1.0)):
        write(tmp_path / "store", f"run-{at}", "ana", [(score, {"reward": score})])
    runs = [
        {"id": f"run-{at}", "transcripts": [{"messages": []}], "rewards": [reward]}
        for at, reward in enumerate((0.0, 0.0, 1.0))
    ]
    (tmp_path / "runs.jsonl").write_text("".join(json.dumps(run) + "\n" for run in runs))
    found = json.loads(call(tmp_path / "store", "--episodes", tmp_path / "runs.jsonl", "--json").stdout)
    assert [(row["dimension"], row["pairs"]) for row in found["against_log"]] == [("reward", 3)]
    assert found["against_log"][0]["measures"]["bias"]["value"] == pytest.approx(-1 / 3)


def test_gold_is_compared_with_the_log_but_not_with_annotators(store: Path, episodes: Path) -> None:
    write(store, "ep-0", "gold", [(4.0, {"goal": 4.0}), 0.0])
    found = json.loads(call(store, "--episodes", episodes, "--json").stdout)
    assert set(found["annotators"]) == {"ana", "ben", "cho"}
    assert found["episodes_with_gold"] == 1
    assert [row["who"] for row in found["against_log"] if row["dimension"] == "goal"] == [
        "mean",
        "ana",
        "ben",
        "cho",
        "gold",
    ]


def test_only_some_annotators_may_be_compared(store: Path) -> None:
    found = json.loads(call(store, "--annotator", "ana", "--annotator", "ben", "--json").stdout)
    assert set(found["annotators"]) == {"ana", "ben"}
    result = call(store, "--annotator", "ana", "--annotator", "bem")
    assert result.exit_code == 1
    assert "no annotations by 'bem'" in result.stderr


def test_a_rubric_chooses_the_dimensions(store: Path, tmp_path: Path) -> None:
    rubric = tmp_path / "mine.toml"
    rubric.write_text('name = "mine"\n[[dimension]]\nname = "goal"\nrange = [0, 10]\n')
    found = json.loads(call(store, "--rubric", rubric, "--json").stdout)
    assert [each["dimension"] for each in found["between"]] == ["goal"]
    assert call(store, "--rubric", "sotopiá").exit_code == 2


def test_a_file_that_is_no_record_is_reported_and_the_rest_counts(store: Path) -> None:
    (store / "AnnotationForEpisode" / "bad.json").write_text('{"pk": "x", "episode": 7}')
    (store / "AnnotationForEpisode" / "torn.json").write_text('{"pk": ')
    (store / "AnnotationForEpisode" / "other.txt").write_text("not looked at")
    result = call(store)
    assert result.exit_code == 1
    assert result.stderr.count("This file is not an annotation") == 2
    assert "goal" in result.stdout


def test_a_store_without_records_and_one_that_is_not_there_are_said(tmp_path: Path) -> None:
    empty = call(tmp_path)
    assert (empty.exit_code, "no annotations found" in empty.stderr) == (2, True)
    missing = call(tmp_path / "nowhere")
    assert (missing.exit_code, "there is no store of annotations" in missing.stderr) == (2, True)
    assert call(tmp_path, "--json", "--csv").exit_code == 2


def test_names_in_records_cannot_act_on_the_terminal(tmp_path: Path) -> None:
    for annotator in ("a\x1b[31mna", "b\nen"):
        for at in range(3):
            write(tmp_path, f"ep-{at}", annotator, [(float(at + 1), {"go\x1b]0;al": float(at + 1)})])
    result = call(tmp_path)
    assert "\x1b" not in result.stdout
    assert "ben" not in result.stdout
    assert "b en  3 episodes" in result.stdout


def test_progress_is_one_line_that_is_gone_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    progress_line(50, 400)
    progress_line(400, 400)
    assert capsys.readouterr().err == "\r\x1b[Kcomputing intervals 12%\r\x1b[K"


def test_progress_is_not_told_where_nobody_looks(store: Path) -> None:
    assert call(store).stderr == ""
