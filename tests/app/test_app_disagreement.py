"""The disagreement screen: the order of episodes, what is hidden, and settling one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.widgets import OptionList, Static, TextArea

from trajview.app.agreement.disagreement import DisagreementScreen, Sheet
from trajview.app.agreement.screen import AgreementScreen
from trajview.app.transcript.screen import TranscriptScreen
from trajview.models.run import Reward

from .annotated import write_annotated, write_record
from .driving import Reader, reading, records, screen_text


def screen_of(reader: Reader) -> DisagreementScreen:
    screen = next(screen for screen in reader.app.screen_stack if isinstance(screen, DisagreementScreen))
    assert isinstance(screen, DisagreementScreen)
    return screen


def table(reader: Reader) -> str:
    return str(screen_of(reader).query_one("#table", Static).render())


def status(reader: Reader) -> str:
    return str(screen_of(reader).query_one("#queue-status", Static).render())


def events(store: Path, annotator: str) -> list[tuple[str, str]]:
    path = store / "journal" / f"{annotator}.jsonl"
    if not path.exists():
        return []
    return [(event["event"], event["episode"]) for event in map(json.loads, path.read_text().splitlines())]


async def disagreements(reader: Reader) -> None:
    await reader.listed()
    await reader.press("A")
    await reader.until(lambda: isinstance(reader.app.screen, AgreementScreen))
    await reader.press("enter")
    await reader.until(lambda: isinstance(reader.app.screen, DisagreementScreen) and reader.app.screen.queue)
    await reader.pilot.pause()


async def settling(reader: Reader) -> None:
    await reader.press("a")
    await reader.until(lambda: isinstance(reader.app.focused, Sheet) and screen_of(reader).settling is not None)


async def test_the_furthest_apart_come_first_and_the_cursor_shows_everybody_side_by_side(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    async with reading(episodes, store=store) as reader:
        await disagreements(reader)
        assert [found.episode for found in screen_of(reader).queue] == ["window", "garden", "teapot", "secret"]
        lines = [line.split() for line in table(reader).splitlines()]
        assert lines[2] == ["Ann", "ada", "ben", "cho", "apart"]
        assert lines[3:5] == [["secret", "0", "0", "-3", "3"], ["goal", "2", "9", "4", "7"]]
        assert lines[6][0] == "Bo"
        assert "ben on the window: mostly as agreed." in reader.whole_screen
        assert "furthest apart: goal, Ann" in status(reader)
        await reader.press("j")
        assert "garden" in table(reader).split("\n")[0]


async def test_what_was_not_submitted_is_hidden_until_it_is_revealed(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    async with reading(episodes, store=store) as reader:
        await disagreements(reader)
        await reader.press("G")
        assert "You have not submitted this episode yet" in table(reader)
        assert "on the secret" not in reader.whole_screen
        await reader.press("a")
        await reader.until(lambda: any("cannot be settled" in toast for toast in reader.toasts))
        assert events(store, "ada") == []
        await reader.press("R", "enter")
        assert events(store, "ada") == []
        await reader.press("R", "down", "enter")
        await reader.until(lambda: screen_of(reader).current is not None and not screen_of(reader).current.hidden)
        assert events(store, "ada") == [("reveal", "secret")]
        assert "secret" in table(reader).split("\n")[0]
        assert "ben on the secret" in reader.whole_screen


async def test_what_is_submitted_meanwhile_is_hidden_no_longer(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    async with reading(episodes, store=store) as reader:
        await disagreements(reader)
        await reader.press("G", "enter")
        await reader.opened("secret")
        write_record(store, "secret", "ada", [(1.0, {"goal": 2.0}), 0.0])
        await reader.press("q")
        await reader.until(lambda: isinstance(reader.app.screen, DisagreementScreen))
        await reader.until(lambda: not any(found.hidden for found in screen_of(reader).queue))
        assert "secret" in table(reader).split("\n")[0]


async def test_enter_opens_the_run_and_leaving_it_comes_back(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    async with reading(episodes, store=store) as reader:
        await disagreements(reader)
        await reader.press("j", "enter")
        await reader.opened("garden")
        assert isinstance(reader.app.screen, TranscriptScreen)
        await reader.press("q")
        await reader.until(lambda: isinstance(reader.app.screen, DisagreementScreen))
        assert "garden" in table(reader).split("\n")[0]


async def test_an_episode_whose_log_is_not_open_is_said(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    (episodes / "window.json").unlink()
    async with reading(episodes, store=store) as reader:
        await disagreements(reader)
        await reader.press("enter")
        assert any("not among the logs" in toast for toast in reader.toasts)
        assert "agent 1" in table(reader)


async def test_settling_saves_a_gold_record_of_its_own_and_the_journal_says_who(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    before = {path: path.read_bytes() for path in records(store)}
    async with reading(episodes, store=store) as reader:
        await disagreements(reader)
        await settling(reader)
        await reader.press("minus", "1", "down", "5", "down", "equals_sign", "down", "right", "tab")
        await reader.type("Ben counted twice.")
        await reader.press("ctrl+s")
        await reader.until(lambda: "saved ✓" in status(reader))
        await reader.until(lambda: screen_of(reader).queue[0].settled)
        [path] = [path for path in records(store) if path not in before]
        gold = json.loads(path.read_text())
        assert list(gold) == ["pk", "episode", "annotator_id", "rewards", "reasoning"]
        assert (gold["episode"], gold["annotator_id"], gold["pk"]) == ("window", "gold", path.stem)
        assert gold["rewards"] == [[2.0, {"secret": -1.0, "goal": 5.0}], [1.0, {"secret": -1.0, "goal": 3.0}]]
        assert gold["reasoning"] == "Ben counted twice."
        assert {path: path.read_bytes() for path in before} == before
        assert events(store, "ada") == [("settle", "window")]
        assert events(store, "gold")[-1] == ("submit", "window")
        await reader.press("escape", "escape")
        await reader.until(lambda: isinstance(reader.app.screen, AgreementScreen))
        await reader.until(lambda: "1 episode settled by a gold record" in reader.whole_screen)


async def test_what_is_no_score_is_refused_and_the_cursor_goes_there(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    before = records(store)
    async with reading(episodes, store=store) as reader:
        await disagreements(reader)
        await settling(reader)
        await reader.press("5", "down", "5", "ctrl+s")
        assert any("out of range -10..0" in toast for toast in reader.toasts)
        assert "out of range" in status(reader)
        assert records(store) == before
        assert events(store, "ada") == []


async def test_a_draft_is_kept_without_saving_and_is_there_again(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    async with reading(episodes, store=store) as reader:
        await disagreements(reader)
        await settling(reader)
        await reader.press("minus", "2")
        await reader.until(lambda: ("draft", "window") in events(store, "gold"))
    async with reading(episodes, store=store) as reader:
        await disagreements(reader)
        await settling(reader)
        assert "a draft that was not saved" in status(reader)
        assert table(reader).splitlines()[3].split()[-1] == "-2"
        assert not any('"gold"' in path.read_text() for path in records(store))


@pytest.mark.parametrize("leave", [["ctrl+q"], ["q", "q"]], ids=["the program", "the screen"])
async def test_leaving_at_once_keeps_what_was_typed(tmp_path: Path, leave: list[str]) -> None:
    episodes, store = write_annotated(tmp_path)
    async with reading(episodes, store=store) as reader:
        await disagreements(reader)
        await settling(reader)
        await reader.press("minus", "3", *leave)
    assert events(store, "gold")[-1] == ("draft", "window")


async def test_a_draft_that_the_journal_refuses_is_kept_elsewhere_when_the_screen_is_left(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    async with reading(episodes, store=store) as reader:
        await disagreements(reader)
        await settling(reader)
        (store / "journal" / "gold.jsonl").mkdir(parents=True)
        await reader.press("minus", "3", "q", "q")
        await reader.until(lambda: isinstance(reader.app.screen, AgreementScreen))
        await reader.until(lambda: any("was kept elsewhere" in toast for toast in reader.toasts))
    assert "was kept elsewhere" in reader.app.leaving.unsaid[0]


async def test_a_gold_record_that_somebody_else_changed_is_not_overwritten_unasked(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    path = write_record(store, "window", "gold", [(3.0, {"goal": 3.0}), 0.0], "first")
    async with reading(episodes, store=store) as reader:
        await disagreements(reader)
        await settling(reader)
        assert table(reader).splitlines()[4].split()[-1] == "3"
        write_record(store, "window", "gold", [(4.0, {"goal": 4.0}), 0.0], "second")
        await reader.press("down", "6", "ctrl+s")
        await reader.until(lambda: any("changed by someone else" in toast for toast in reader.toasts))
        assert json.loads(path.read_text())["reasoning"] == "second"
        await reader.press("ctrl+s")
        await reader.until(lambda: "saved ✓" in status(reader))
        assert json.loads(path.read_text())["rewards"][0] == [6.0, {"goal": 6.0}]


async def test_another_name_may_settle(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    async with reading(episodes, store=store, gold="final") as reader:
        await disagreements(reader)
        await settling(reader)
        await reader.press("asterisk", "ctrl+s")
        await reader.until(lambda: "saved ✓" in status(reader))
    assert [json.loads(path.read_text())["annotator_id"] for path in records(store)].count("final") == 1


async def test_hostile_names_and_reasons_do_no_harm(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    hostile = "[/red]\x1b[2Jx" * 50
    for annotator in ("e\x1b[31mve", "[bold]bob"):
        scores = {hostile: float(len(annotator)), "goal": 1.0}
        write_record(store, "wei\x1brd", annotator, [(1.0, scores)], hostile)
    async with reading(episodes, store=store, annotator="[bold]bob", size=(60, 20)) as reader:
        await disagreements(reader)
        assert "weid" in table(reader).split("\n")[0]
        assert "\x1b" not in reader.whole_screen
        await settling(reader)
        await reader.press("asterisk", "ctrl+s")
        await reader.until(lambda: "saved ✓" in status(reader))


async def test_nothing_to_compare_is_a_sentence(tmp_path: Path) -> None:
    episodes, _ = write_annotated(tmp_path)
    async with reading(episodes, store=tmp_path / "new") as reader:
        await reader.listed()
        await reader.press("A")
        await reader.until(lambda: isinstance(reader.app.screen, AgreementScreen))
        await reader.press("enter")
        await reader.until(lambda: isinstance(reader.app.screen, DisagreementScreen) and reader.app.screen.annotations)
        assert table(reader) == "There is no episode yet that two annotators have submitted."
        await reader.press("a", "enter", "ctrl+s", "R", "tab", "q")
        assert not (tmp_path / "new").exists()


async def test_a_narrow_screen_has_the_list_above(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    async with reading(episodes, store=store, size=(80, 24)) as reader:
        await disagreements(reader)
        screen = screen_of(reader)
        assert screen.query_one(OptionList).region.bottom <= screen.query_one(Sheet).region.y
        await settling(reader)
        await reader.press("tab")
        assert isinstance(reader.app.focused, TextArea)
        await reader.pilot.resize_terminal(140, 40)
        await reader.until(lambda: screen.query_one(OptionList).region.right <= screen.query_one(Sheet).region.x)


async def test_citations_of_reasons_stand_out_and_c_follows_one_after_the_other(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    rewards: list[Reward] = [(1.0, {"secret": 0.0, "goal": 2.0}), (1.0, {"secret": -1.0, "goal": 3.0})]
    write_record(
        store, "window", "ada", rewards, 'Ann asks [T0B2: "Shall we\nshare"], Bo agrees [T0B3], and [T9B0] is not.'
    )
    async with reading(episodes, store=store) as reader:
        await disagreements(reader)
        assert screen_of(reader).current.episode == "window"
        for message, quoted in ((2, "Shall we share"), (3, "")):
            await reader.press("C")
            await reader.opened("window")
            await reader.until(lambda message=message: reader.message == message)
            assert (reader.session.quoted or (message, ""))[1] == quoted
            await reader.press("q")
            await reader.until(lambda: isinstance(reader.app.screen, DisagreementScreen))
        await reader.press("C")
        await reader.opened("window")
        await reader.until(lambda: "T9B0 points nowhere" in reader.status)
        await reader.press("q")
        await reader.until(lambda: isinstance(reader.app.screen, DisagreementScreen))
        rows = screen_text(reader.app).split("\n")
        y = next(number for number, row in enumerate(rows) if "[T0B3]" in row)
        await reader.pilot.click(offset=(rows[y].index("[T0B3]") + 2, y))
        await reader.opened("window")
        await reader.until(lambda: reader.message == 3)


async def test_where_nothing_is_cited_c_says_so(tmp_path: Path) -> None:
    episodes, store = write_annotated(tmp_path)
    async with reading(episodes, store=store) as reader:
        await disagreements(reader)
        await reader.press("C")
        assert reader.toasts == ["nothing is cited here"]
