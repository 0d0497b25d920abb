"""The agreement screen: the figures of the command line, and nothing of what is not to be seen yet."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from textual.containers import VerticalScroll
from textual.widgets import Static

from trajview.annotation.rubric import SOTOPIA
from trajview.app.agreement.reveal import RevealScreen
from trajview.app.agreement.screen import AgreementScreen
from trajview.app.annotate.episodes import MODEL
from trajview.cli.main import main

from .annotated import write_annotated, write_record
from .driving import Reader, reading


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trajview.app.agreement.screen.RESAMPLES", 40)


def screen_of(reader: Reader) -> AgreementScreen:
    screen = next(screen for screen in reader.app.screen_stack if isinstance(screen, AgreementScreen))
    assert isinstance(screen, AgreementScreen)
    return screen


def shown(reader: Reader) -> str:
    return str(screen_of(reader).query_one("#figures", Static).render())


async def agreement(reader: Reader) -> None:
    await reader.listed()
    await reader.press("A")
    await reader.until(lambda: isinstance(reader.app.screen, AgreementScreen) and reader.app.screen.complete)


async def test_the_figures_are_those_of_the_command_line(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    result = CliRunner().invoke(main, ["agreement", str(store), "--episodes", str(episodes), "--resamples", "40"])
    async with reading(episodes, store=store, annotator="ben", size=(200, 50)) as reader:
        await agreement(reader)
        assert shown(reader).splitlines() == [line.rstrip() for line in result.stdout.rstrip().splitlines()]
        assert "computing" not in reader.whole_screen
        await reader.press("q")
        await reader.listed()


async def test_what_the_annotator_has_not_submitted_is_left_out_until_asked_for(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    async with reading(episodes, store=store) as reader:
        await agreement(reader)
        assert "1 episode left out" in shown(reader)
        assert "ben  3 episodes" in shown(reader)
        await reader.press("R")
        assert isinstance(reader.app.screen, RevealScreen)
        await reader.press("escape")
        assert not (store / "journal").exists()
        assert "1 episode left out" in shown(reader)
        await reader.press("R", "R")
        await reader.until(lambda: "ben  4 episodes" in shown(reader))
        assert "left out" not in shown(reader)
        [line] = (store / "journal" / "ada.jsonl").read_text().splitlines()
        assert "cho  3 episodes" in shown(reader)
        event = json.loads(line)
        assert (event["event"], event["episode"], event["annotator"]) == ("reveal", "secret", "ada")
    async with reading(episodes, store=store) as reader:
        await agreement(reader)
        assert "left out" not in shown(reader), "what was seen once is not hidden again"


async def test_where_looking_cannot_be_written_down_nothing_is_shown(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    (store / "journal").write_text("a file where the folder has to be")
    async with reading(episodes, store=store) as reader:
        await agreement(reader)
        await reader.press("R", "R")
        await reader.until(lambda: any("a file is where a folder is needed" in toast for toast in reader.toasts))
        await reader.until(lambda: screen_of(reader).complete)
        assert "ben  4 episodes" not in shown(reader)


async def test_blind_mode_tells_nothing_of_the_rewards_in_the_logs_that_were_not_revealed(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    async with reading(episodes, store=store, blind=True) as reader:
        await agreement(reader)
        assert "Blind: " in shown(reader)
        assert "against the reward" not in shown(reader)
        reader.app.store.reveal("window", SOTOPIA, MODEL)
        await reader.press("q")
        await reader.until(lambda: (reader.app.episodes.progress or {})["window"].revealed)
        await agreement(reader)
        assert screen_of(reader).found.modelled == 1


async def test_at_80_columns_what_is_left_out_is_said_whole_and_nothing_else(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    async with reading(episodes, store=store, annotator="nobody", blind=True, size=(80, 24)) as reader:
        await agreement(reader)
        assert " ".join(shown(reader).split()) == (
            "4 episodes left out: not submitted by you yet. R shows them. "
            "Blind: rewards in the logs are compared where you have revealed them, and nowhere else."
        )
        assert max(map(len, shown(reader).split("\n"))) < 80


async def test_nothing_annotated_yet_is_a_sentence(tmp_path: Path) -> None:
    episodes, _ = write_annotated(tmp_path)
    async with reading(episodes, store=tmp_path / "new") as reader:
        await agreement(reader)
        assert shown(reader) == "No annotations yet."
        assert not (tmp_path / "new").exists()


async def test_a_broken_record_is_said_and_names_cannot_act_on_the_terminal(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    (store / "AnnotationForEpisode" / "torn.json").write_text('{"pk": ')
    write_record(store, "teapot", "e\x1b[31mve [bold]", [(1.0, {"go[/]al": 1.0})])
    async with reading(episodes, store=store, size=(80, 24)) as reader:
        await agreement(reader)
        assert "torn.json: This file is not an annotation" in " ".join(shown(reader).split())
        assert "eve [bold]  1 episode" in shown(reader)
        assert "\x1b" not in shown(reader)


async def test_it_scrolls_with_the_keys_of_the_list(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    async with reading(episodes, store=store, size=(80, 24)) as reader:
        await agreement(reader)
        area = screen_of(reader).query_one(VerticalScroll)
        await reader.press("j", "j")
        assert area.scroll_y == 2
        await reader.press("G")
        assert area.scroll_y == area.max_scroll_y > 2
        await reader.press("g")
        assert area.scroll_y == 0
