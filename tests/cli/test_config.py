"""The configuration file: what it may say, and what is said about what it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from trajview.config import ConfigError, Settings, config_path, load_settings


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config.toml"
    monkeypatch.setenv("TRAJVIEW_CONFIG", str(path))
    return path


def test_without_a_file_there_are_the_defaults_and_the_login_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRAJVIEW_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LOGNAME", "ann")
    assert load_settings() == Settings(annotator="ann")
    assert config_path().name == "config.toml"
    assert tmp_path in config_path().parents


def test_a_user_without_a_name_is_anonymous(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text("")

    def nobody() -> str:
        raise KeyError("uid")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert load_settings().annotator == "anonymous"


def test_every_setting_is_read(config: Path) -> None:
    config.write_text(
        'highlight = ["did nothing", "error"]\nstore = "~/scores"\nannotator = "bo"\ntheme = "nord"\nrubric = "success"\n'
        "reward_range = [0, 10.5]\npreview_lines = 3\n"
        'images = false\nmax_unpacked = "1.5 GB"\nfollow_links = true\nremember = false\n[keys]\n"unit.next" = "w,]"\nunit.previous = "W"\n'
    )
    assert load_settings() == Settings(
        highlight=("did nothing", "error"),
        store=Path("~/scores").expanduser(),
        annotator="bo",
        theme="nord",
        rubric="success",
        reward_range=(0.0, 10.5),
        preview_lines=3,
        images=False,
        max_unpacked=1_500_000_000,
        follow_links=True,
        remember=False,
        keys={"unit.next": "w,]", "unit.previous": "W"},
    )


def test_the_command_line_beats_the_file_and_adds_to_its_highlights(config: Path) -> None:
    config.write_text('highlight = ["a"]\nannotator = "bo"\nstore = "x"\n')
    settings = load_settings(paths=(Path("p"),), highlight=("b", "a"), annotator="ann", store=None, run="7", unit=0)
    assert (settings.annotator, settings.store, settings.highlight) == ("ann", Path("x"), ("a", "b"))
    assert (settings.paths, settings.run, settings.unit) == ((Path("p"),), "7", 0)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('\nthem = "nord"', 2, "did you mean `theme`"),
        ("theme = 1", 1, "`theme` must be the name of a theme"),
        ('a = 1\n[keys\nx = "y"', 2, "not TOML"),
        ('[keys]\n"unit.next" = 3', 1, "`keys` must be"),
        ("preview_lines = 0", 1, "whole number from 1"),
        ("preview_lines = true", 1, "whole number from 1"),
        ('max_unpacked = "much"', 1, 'a size, such as "50G"'),
        ("max_unpacked = 0", 1, "a size"),
        ("follow_links = 1", 1, "true or false"),
        ("remember = 0", 1, "true or false"),
        ('images = "no"', 1, "true or false"),
        ("reward_range = [1, 0]", 1, "two numbers"),
        ("reward_range = [0, nan]", 1, "two numbers"),
        ('highlight = "x"', 1, "a list of regular expressions"),
        ('\n\nhighlight = ["("]', 3, "not a regular expression"),
        ('annotator = " "', 1, "a name"),
    ],
)
def test_a_wrong_file_is_one_sentence_with_its_line(config: Path, text: str, line: int, says: str) -> None:
    config.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert (caught.value.where.path, caught.value.where.line) == (config, line)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_named_but_missing_or_unreadable_is_an_error(config: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        load_settings()
    config.write_bytes(b"theme = '\xff'")
    with pytest.raises(ConfigError, match="UTF-8"):
        load_settings()
    config.unlink()
    config.mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        load_settings()
