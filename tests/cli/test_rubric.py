"""`trajview rubric` and `--rubric`: what is printed and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from trajview.annotation.rubric_file import built_in, load_rubric
from trajview.app.app import make_app
from trajview.cli.main import main
from trajview.config import Settings, load_settings
from trajview.corpus.corpus import Corpus


def run(*args: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["rubric", *args])
    assert "Traceback" not in done.output
    return done.exit_code, done.stdout, done.stderr


def test_the_rubrics_are_listed_with_their_dimensions() -> None:
    code, out, _ = run("list")
    assert code == 0
    assert "sotopia  Sotopia, seven dimensions" in out
    assert "  secret  -10..0, whole numbers, key s, 4 bands, rationale" in out
    assert "reward  one reward, 0..1" in out


def test_what_is_shown_is_a_file_to_start_from(tmp_path: Path) -> None:
    for name in ("sotopia", "reward", "success"):
        code, out, _ = run("show", name)
        (tmp_path / "mine.toml").write_text(out)
        assert code == 0
        assert load_rubric(tmp_path / "mine.toml") == built_in(name)
    (tmp_path / "mine.toml").write_text('name = "m"\n[[dimension]]\nname = "d"\nlow = 0\nhigh = 1\n')
    assert run("show", str(tmp_path / "mine.toml"))[1] == 'name = "m"\n\n[[dimension]]\nname = "d"\nrange = [0, 1]\n'


def test_a_name_that_is_close_to_a_rubric_is_suggested() -> None:
    code, _, err = run("show", "succes")
    assert code == 2
    assert err == "trajview: there is no rubric 'succes', and no such file (did you mean `success`?)\n"


def test_a_check_ends_with_what_it_found(tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    path.write_text(
        'name = "r"\n[[dimension]]\nname = "d"\nrange = [0, 4]\ninteger = true\n[dimension.bands]\n"0..4" = "x"\n'
    )
    assert run("check", str(path))[:2] == (0, "r: 1 dimension\n  d  0..4, whole numbers, 1 band\n")
    path.write_text(path.read_text().replace('"0..4"', '"0..3"'))
    code, out, _ = run("check", str(path))
    assert code == 1
    assert out.startswith(f"{path}:7:1: There is no band above 0..3. (the rubric works without")
    path.write_text(path.read_text().replace("range", "rnge"))
    code, out, _ = run("check", str(path))
    assert code == 2
    assert out.splitlines()[-1] == "2 problems: the rubric cannot be used"
    assert run("check", str(tmp_path / "none.toml"))[0] == 2


def test_a_custom_dimension_of_sotopias_is_checked_as_well(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text('{"name": "wit", "description": "Funny?", "range_high": 5, "range_low": 0}')
    assert run("check", str(path))[:2] == (0, "wit: 1 dimension\n  wit  0..5, whole numbers, rationale\n")
    assert 'name = "wit"' in run("show", str(path))[1]
    path.write_text('{"name": "wit", "range_high": 0, "range_low": 0}')
    code, _, err = run("check", str(path))
    assert code == 2
    assert err.startswith(f"trajview: {path}: range_low and range_high must be two numbers")


def test_what_a_rubric_says_cannot_act_on_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    path.write_text('name = "r\\u001b[2J"\n[[dimension]]\nname = "d\\u001b]0;x"\nrange = [0, 4]\n"k\\u001b[1m" = 1\n')
    assert "\x1b" not in run("check", str(path))[1]


def test_the_configuration_names_a_rubric_and_a_file_lies_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    monkeypatch.setenv("TRAJVIEW_CONFIG", str(config))
    config.write_text('rubric = "success"\n')
    assert load_settings().rubric == "success"
    assert load_settings(rubric="sotopia").rubric == "sotopia"
    config.write_text('rubric = "mine.toml"\n')
    assert load_settings().rubric == str(tmp_path / "mine.toml")
    config.write_text(f'rubric = "{tmp_path}/other/mine.toml"\n')
    assert load_settings().rubric == f"{tmp_path}/other/mine.toml"


def test_the_app_rates_by_the_rubric_of_the_settings(tmp_path: Path) -> None:
    app = make_app(Corpus((tmp_path,)), Settings(store=tmp_path / "s", rubric="success"))
    assert app.episodes.rubric == built_in("success")
    assert make_app(Corpus((tmp_path,)), Settings(store=tmp_path / "s")).episodes.rubric is None
