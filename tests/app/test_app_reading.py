"""Reading in the whole app: from the list to a run, folds, panels beside it, other transcripts and runs, copying."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.command import CommandPalette
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Input, Static

from trajview.app.app import TrajviewApp, run_app
from trajview.app.help import HelpScreen
from trajview.app.keys import KEYS, keys_for, keys_of, shown
from trajview.app.raw.screen import RawScreen
from trajview.app.runs.problem import ProblemScreen
from trajview.app.shared.key_footer import KeyFooter
from trajview.app.transcript.minimap import Minimap
from trajview.app.transcript.outline import Outline
from trajview.app.transcript.screen import TranscriptScreen
from trajview.config import Settings
from trajview.corpus.corpus import Corpus
from trajview.corpus.info import RunInfo
from trajview.errors import UnreadableError

from .driving import Reader, burst, reading
from .logs import chat, write_jsonl

# From the list


async def test_the_list_shows_runs_and_problems_sorts_filters_and_opens(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        assert "4 runs · 1 problem" in reader.whole_screen
        assert sorted(row.split()[0] for row in reader.rows if not row.startswith("⚠")) == [
            "The",
            "alpha",
            "beta",
            "gamma",
        ]
        await reader.ask("ampersand", "gam")
        assert [row.split()[0] for row in reader.rows] == ["gamma"]
        await reader.open("enter")
        assert "gamma" in reader.title
        await reader.press("q")
        await reader.listed()
        await reader.press("escape")
        assert len(reader.rows) == 5


async def test_a_wrong_filter_that_is_typed_and_entered_at_once_is_said_and_not_left(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        burst(reader, ["ampersand", *"xyz", "space", "~", "~", "space", "3", "enter"])
        await reader.until(lambda: "there is no field `xyz`" in reader.whole_screen)
        await reader.pilot.pause(0.1)
        assert isinstance(reader.app.focused, Input)


async def test_what_is_typed_right_behind_a_filter_is_for_the_list_that_it_leaves(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        # Another filter takes this one's place, as what is typed early in the field is typed there.
        burst(reader, ["ampersand", *"alpha", "enter", "ampersand", "ctrl+u", *"gam", "enter", "enter"])
        await reader.opened("gamma")
        await reader.press("q")
        await reader.listed()
        assert [row.split()[0] for row in reader.rows] == ["gamma"]


async def test_a_filter_that_is_wrong_is_typed_on_in_one_burst(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        burst(reader, ["ampersand", *"(gam", "enter", ")", "enter", "enter"])
        await reader.opened("gamma")


async def test_a_file_with_one_run_opens_straight_into_it(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened("repair")
        assert "The cold kettle" in reader.title
        assert "reward 0.5" in reader.title
        await reader.press("q")
        await reader.listed()


async def test_a_file_with_several_runs_shows_the_list(runs: Path) -> None:
    async with reading(runs / "chats.jsonl") as reader:
        await reader.listed()
        assert len(reader.rows) == 4
        assert reader.app.screen is reader.app.browser


async def test_run_and_unit_of_the_settings_open_there_and_highlight_the_unit(runs: Path) -> None:
    async with reading(runs, run="repair", unit=3) as reader:
        await reader.opened("repair")
        await reader.until(lambda: reader.unit == 3)
        assert "highlight" in reader.status
        assert "named on the command line" in reader.text
        await reader.press("g", "n", "n")
        assert reader.unit == 3


async def test_a_run_and_a_unit_that_do_not_exist_are_said(runs: Path) -> None:
    async with reading(runs, run="[/nobody]") as reader:
        await reader.listed()
        await reader.until(lambda: reader.toasts)
        assert reader.toasts == ["There is no run [/nobody] here."]
        assert "There is no run [/nobody] here." in reader.whole_screen
    async with reading(runs, run="beta", unit=9) as reader:
        await reader.opened("beta")
        await reader.until(lambda: reader.toasts)
        assert reader.toasts == ["There is no unit 9: this transcript has units 0 to 1."]


async def test_highlights_of_the_settings_are_counted_shown_and_jumped_to(log: Path) -> None:
    async with reading(log, highlight=("fuse", "kettle stays")) as reader:
        await reader.opened()
        stops = []
        for _ in range(len(reader.session.highlights.stops)):
            await reader.press("n")
            stops.append(reader.message)
        assert stops == reader.session.highlights.stops
        assert {1, 6, 7, 9} <= set(stops)
        assert f"highlight {len(stops)}/{len(stops)}" in reader.status
        assert "●" in reader.whole_screen


# What is shown


async def test_messages_calls_output_errors_and_reasoning_are_on_the_screen(log: Path) -> None:
    async with reading(log, size=(120, 60)) as reader:
        await reader.opened()
        text = reader.text
        assert "… 22 more lines" in text
        assert "▸ bash  tail -30 kettle.log" in text
        assert "┆ First I look, then I believe." in text
        assert "✗ exit code 7" in text
        assert "line 7 of the kettle's log" in text
        assert "line 8 of the kettle's log" not in text
        await reader.press("G")
        assert "-plug: out" in reader.text
        assert "It boils now. Mind the [steam]." in reader.text


async def test_enter_and_a_click_on_the_header_fold_and_unfold(log: Path) -> None:
    async with reading(log, size=(120, 60)) as reader:
        await reader.opened()
        await reader.ask("colon", "m3")
        await reader.press("enter")
        assert "line 29 of the kettle's log" in reader.text
        await reader.press("enter")
        assert "line 8 of the kettle's log" not in reader.text
        view = reader.screen.view
        row = next(y for y, line in enumerate(reader.lines) if "… 22 more lines" in line)
        await reader.pilot.click(view, offset=(6, row))
        await reader.until(lambda: "line 29 of the kettle's log" in reader.text)
        header = next(y for y, line in enumerate(reader.lines) if "output of bash" in line)
        await reader.pilot.click(view, offset=(6, header))
        await reader.until(lambda: "… 22 more lines" in reader.text)


async def test_z_goes_through_the_fold_levels_and_says_which(log: Path) -> None:
    async with reading(log, size=(120, 60)) as reader:
        await reader.opened()
        tools = [line[2:] for line in reader.lines]
        said = []
        for _ in range(3):
            await reader.press("z")
            said.append(reader.status.rsplit("  ", 1)[-1])
        assert [line[2:] for line in reader.lines] == tools
        assert len(set(said)) == 3
        await reader.press("z")
        assert "I look at the log." in reader.text
        assert "line 0 of the kettle's log" in reader.text
        assert "line 20 of the kettle's log" not in reader.text
        await reader.press("z")
        assert "line 29 of the kettle's log" in reader.text


async def test_r_and_t_hide_and_show_reasoning_and_tool_output(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("r")
        assert "First I look" not in reader.text
        assert "reasoning hidden" in reader.status
        await reader.press("t")
        assert "line 0 of the kettle's log" not in reader.text
        await reader.press("r", "t")
        assert "First I look" in reader.text
        assert "line 0 of the kettle's log" in reader.text


async def test_preview_lines_of_the_settings_say_how_much_of_an_output_is_shown(log: Path) -> None:
    async with reading(log, preview_lines=3) as reader:
        await reader.opened()
        assert "… 27 more lines" in reader.text


async def test_metadata_that_is_shown_again_is_there_again(log: Path) -> None:
    async with reading(log, size=(80, 24)) as reader:
        await reader.opened()
        for _ in range(3):
            await reader.press("i")
            await reader.until(lambda: "role: " in reader.whole_screen, "metadata beside the messages")
            await reader.press("i")
            await reader.until(lambda: "role: " not in reader.whole_screen, "messages alone")


async def test_i_shows_metadata_that_follows_the_cursor(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("i")
        await reader.until(lambda: "second floor" in reader.whole_screen)
        assert "role: system" in reader.whole_screen
        await reader.press("]")
        await reader.until(lambda: "role: user" in reader.whole_screen)
        await reader.press("escape")
        await reader.until(lambda: "second floor" not in reader.whole_screen)
        assert isinstance(reader.app.screen, TranscriptScreen)


async def test_v_shows_the_record_as_it_is_and_goes_back_to_the_same_place(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.ask("colon", "m9")
        await reader.press("v")
        await reader.until(lambda: '"role": "assistant"' in reader.whole_screen)
        assert isinstance(reader.app.screen, RawScreen)
        await reader.press("G")
        await reader.until(lambda: '"shift": "night"' in reader.whole_screen)
        await reader.press("y")
        assert json.loads(reader.app.clipboard) == json.loads(log.read_text())
        await reader.press("q")
        await reader.until(lambda: isinstance(reader.app.screen, TranscriptScreen))
        assert reader.message == 9


async def test_tab_goes_round_the_transcripts_of_a_run_and_each_keeps_its_place(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.ask("colon", "3")
        await reader.press("tab")
        assert "A second conversation." in reader.text
        assert "transcript 2/2 · aside" in reader.title
        await reader.press("tab")
        assert (reader.unit, "transcript 1/2 · main" in reader.title) == (3, True)
        await reader.press("shift+tab")
        assert "A second conversation." in reader.text


async def test_an_episode_has_the_onlookers_and_each_agents_transcript(episode: Path) -> None:
    async with reading(episode) as reader:
        await reader.opened()
        titles = []
        for _ in range(3):
            titles.append(reader.title)
            await reader.press("tab")
        assert ["onlooker" in title for title in titles] == [True, False, False]
        assert "Ada Byron" in titles[1]
        assert "Bob Moss" in titles[2]
        assert reader.title == titles[0]


async def test_l_and_h_go_through_the_runs_as_the_list_is_sorted_and_filtered(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        await reader.ask("ampersand", "chats")
        await reader.press("s", "minus")
        order = [row.split()[0] for row in reader.rows if not row.startswith("⚠")]
        await reader.press("g")
        while reader.app.browser.runs.current is None or getattr(reader.app.browser.runs.current, "id", "") != order[0]:
            await reader.press("j")
        await reader.open("enter")
        for id in order[1:]:
            await reader.press("L")
            await reader.opened(id)
        await reader.press("L")
        assert "last run" in reader.status
        await reader.press("H")
        await reader.opened(order[-2])
        await reader.press("q")
        await reader.listed()
        assert getattr(reader.app.browser.runs.current, "id", "") == order[-2]


async def test_a_run_that_cannot_be_summed_up_says_so_where_it_would_be(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(*_: object) -> RunInfo:
        raise UnreadableError("the record is gone")

    async with reading(runs) as reader:
        await reader.listed()
        monkeypatch.setattr(Corpus, "resolve", resolve)
        await reader.open("enter")
        assert "the record is gone" in reader.whole_screen


async def test_a_run_that_cannot_be_read_is_said_in_a_sentence_and_others_open(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        (runs / "repair.jsonl").unlink()
        await reader.ask("ampersand", "kettle")
        await reader.open("enter")
        assert "This run cannot be shown." in reader.whole_screen
        await reader.press(*"]}neyYmz", "tab", "i", "slash")
        assert "This run cannot be shown." in reader.whole_screen
        await reader.press("escape", "q")
        await reader.listed()
        await reader.press("escape")
        await reader.ask("ampersand", "beta")
        await reader.open("enter")
        assert "b again" in reader.text


async def test_a_torn_line_is_one_entry_that_says_why(runs: Path) -> None:
    async with reading(runs) as reader:
        await reader.listed()
        await reader.ask("ampersand", "torn")
        assert len(reader.rows) == 1
        await reader.press("enter")
        await reader.until(lambda: isinstance(reader.app.screen, ProblemScreen))
        assert "chats.jsonl:4" in reader.whole_screen
        await reader.press("escape")
        await reader.listed()


async def test_a_transcript_without_messages_says_so_and_takes_every_key(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "empty.jsonl", [{"id": "e", "transcripts": [{"messages": []}], "metadata": {}}])
    async with reading(file) as reader:
        await reader.opened("e")
        assert "no messages" in reader.status
        for key in keys_for("transcript"):
            if key.id not in (
                "back",
                "edit",
                "annotate",
                "palette",
                "show.raw",
                "help",
                "highlight.sources",
                "goto",
                "search",
                "episode.skip",
                "history",
                "export",
                "bookmarks",
            ):
                await reader.press(*key.keys.split(",")[:1])
        await reader.ask("slash", "x")
        await reader.ask("colon", "50%")
        await reader.ask("colon", "$")
        assert "no messages" in reader.status


# Help, palette, themes


def words_on(reader: Reader) -> str:
    """What the texts of the screen say, however they are broken into lines."""
    return " ".join(" ".join(str(static.render()).split()) for static in reader.app.screen.query(Static))


async def test_help_lists_every_key_of_the_table(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("question_mark")
        await reader.until(lambda: isinstance(reader.app.screen, HelpScreen))
        text = words_on(reader)
        for screen in ("transcript", "annotation"):
            for key in keys_for(screen):
                assert f"{shown(key.keys)} " in text, key.id
                assert key.says in text, key.id
        await reader.press("question_mark")
        await reader.opened()
        await reader.press("q")
        await reader.listed()
        await reader.press("question_mark")
        text = words_on(reader)
        for key in keys_for("browser"):
            assert key.says in text, key.id


async def test_help_begins_with_the_keys_of_the_score_panel_where_the_cursor_is_there(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("a")
        await reader.press("f1")
        await reader.until(lambda: isinstance(reader.app.screen, HelpScreen))
        assert words_on(reader).index("submit, and on to the next run") < words_on(reader).index("line down")


async def test_the_palette_opens_from_list_and_transcript_and_runs_a_command(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("ctrl+p")
        await reader.until(lambda: isinstance(reader.app.screen, CommandPalette))
        await reader.type("raw record")
        await reader.until(lambda: "The raw record, at the message" in reader.whole_screen)
        await reader.press("enter")
        await reader.until(lambda: isinstance(reader.app.screen, RawScreen))
        await reader.press("q", "q")
        await reader.listed()
        await reader.press("ctrl+p")
        await reader.until(lambda: isinstance(reader.app.screen, CommandPalette))


async def test_help_is_searched_by_other_words_than_its_own(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("question_mark", "slash")
        await reader.type("bookmark")
        await reader.until(lambda: "mark the unit" in reader.whole_screen and "line down" not in reader.whole_screen)
        await reader.press("escape")
        await reader.until(lambda: "line down" in reader.whole_screen)
        await reader.press("escape")
        await reader.opened()


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("export", "Write the run, or the selection, into a file"),
        ("save", "Write the run, or the selection, into a file"),
        ("bookmark", "Mark the unit"),
        ("clipboard", "Copy the message as Markdown"),
        ("diff", "Edits as differences, or as old and new text"),
        ("dark", "Theme"),
    ],
)
async def test_the_palette_finds_commands_by_other_words(log: Path, typed: str, found: str) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("ctrl+p")
        await reader.until(lambda: isinstance(reader.app.screen, CommandPalette))
        await reader.type(typed)
        await reader.until(lambda: found in reader.whole_screen)


async def test_the_palette_offers_every_command_of_the_screen_with_its_keys_and_no_others(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        offered = {found.title: found.help for found in reader.app.get_system_commands(reader.screen)}
        for key in keys_for("transcript"):
            if key.group != "Move" and key.id not in ("back", "palette"):
                assert offered[key.says[0].upper() + key.says[1:]] == shown(key.keys)
        assert {"Theme", "Quit", "Redraw", "Suspend"} <= set(offered)
        assert not {"Keys", "Maximize"} & set(offered)


async def test_the_bottom_line_keeps_its_order_where_keys_are_changed(log: Path) -> None:
    said = []
    for keys in ({}, {"unit.next": "w", "fold.toggle": "f"}):
        async with reading(log, keys=keys) as reader:
            await reader.opened()
            footer = reader.screen.query_one(KeyFooter)
            entries = str(footer.render()).strip().split("  ")
            said.append([entry.partition(" ")[2] for entry in entries])
    assert said[0] == said[1]
    assert said[0][:2] == ["unit", "next"]


async def test_the_bottom_line_of_a_prompt_names_what_ends_it_and_nothing_around_it(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        footer = reader.screen.query_one(KeyFooter)
        for key in ("slash", "colon", "W", "M"):
            await reader.press(key)
            await reader.until(lambda: str(footer.render()) == " ⏎ done  esc cancel  f1 help ")
            await reader.press("escape")


async def test_another_theme_recolours_what_is_shown(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.ask("slash", "kettle")
        outline = reader.screen.query_one(Outline)

        def colours() -> list[str]:
            strips = [reader.screen.view.render_line(2), outline.render_line(1)]
            return [str(segment.style) for strip in strips for segment in strip]

        text, dark = reader.text, colours()
        for theme in ("trajview-light", "ansi-dark"):
            reader.app.theme = theme
            await reader.until(lambda before=dark: colours() != before)
            assert reader.text == text
            dark = colours()


async def test_an_unknown_theme_in_the_settings_is_no_reason_to_fail(log: Path) -> None:
    async with reading(log, theme="no-such-theme") as reader:
        await reader.opened()
        assert reader.app.theme == "trajview-dark"
        assert reader.toasts == ["Configuration\nThere is no theme no-such-theme."]


async def test_a_key_for_something_that_there_is_not_is_said(log: Path) -> None:
    async with reading(log, keys={"unit.nxt": "w", "unit.next": "w"}) as reader:
        await reader.until(lambda: reader.toasts)
        assert reader.toasts == ["Configuration\nThere is no key id unit.nxt: did you mean unit.next?"]
        await reader.opened()  # or the app would be left while a screen is being made


async def test_all_that_has_no_effect_in_the_settings_is_one_message_above_the_status_line(log: Path) -> None:
    async with reading(log, theme="no-such-theme", keys={"none": "w", "no": "w"}) as reader:
        await reader.opened()
        [toast] = reader.toasts
        title, *sentences = toast.splitlines()
        assert title == "Configuration"
        assert [sentence.startswith("There is no ") for sentence in sentences] == [True] * 3
        await reader.until(lambda: reader.screen.query("Toast"))
        assert all(shown.region.bottom <= reader.app.size.height - 2 for shown in reader.screen.query("Toast"))


async def test_a_remapped_key_works_and_its_old_one_does_not(log: Path) -> None:
    async with reading(log, keys={"unit.next": "w"}) as reader:
        await reader.opened()
        await reader.press("w", "w")
        assert reader.unit == 2
        await reader.press("]")
        assert reader.unit == 2


async def test_a_sign_stands_for_itself_in_the_keys_of_the_configuration(log: Path) -> None:
    async with reading(log, keys={"unit.next": "w, )", "unit.previous": ","}) as reader:
        await reader.opened()
        await reader.press("w", ")", ",")
        assert reader.unit == 1
        assert [shown(keys_of(key)) for key in KEYS if key.id in ("unit.next", "unit.previous")] == ["w )", "comma"]


# Copying


async def test_y_copies_the_message(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.ask("colon", "m1")
        await reader.press("y")
        said = "The kettle stays cold. Please find out why."
        assert reader.app.clipboard == said
        assert "copied message 1 as Markdown" in reader.status
        await reader.press("Y")
        assert reader.app.clipboard.startswith(f"#### user\n\n{said}\n\n#### assistant\n\n*Reasoning:*\n\n> First ")
        assert "I look at the log." in reader.app.clipboard
        assert "line 29 of the kettle's log" in reader.app.clipboard
        assert "Nothing yet" not in reader.app.clipboard


async def test_what_the_mouse_selects_is_what_y_copies(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        view = reader.screen.view
        row = next(y for y, line in enumerate(reader.lines) if "The kettle stays cold" in line)
        await reader.pilot.mouse_down(view, offset=(2, row))
        await reader.pilot.hover(view, offset=(8, row))
        await reader.pilot.mouse_up(view, offset=(12, row))
        await reader.press("y")
        assert "The kettle".startswith(reader.app.clipboard)
        assert len(reader.app.clipboard) >= 6
        assert "copied the selection" in reader.status


# Sizes


async def test_a_resize_keeps_the_message_at_the_top(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "long.jsonl", [chat("long", *(f"turn {n} " + "word " * 60 for n in range(200)))])
    async with reading(file) as reader:
        await reader.opened()
        await reader.ask("colon", "m101")
        await reader.until(lambda: reader.session.top[0] == 101)
        for size in ((60, 20), (200, 50), (80, 24), (120, 40)):
            await reader.pilot.resize_terminal(*size)
            await reader.until(lambda: reader.session.height == reader.screen.view.size.height)
            assert (reader.session.top[0], reader.message) == (101, 101), size
            assert "turn 101" in reader.text


async def test_a_new_size_is_laid_out_once_and_before_anything_is_drawn_in_it(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reading(log) as reader:
        await reader.opened()
        minimap, laid_out, drawn = reader.screen.minimap, list[int](), list[int]()
        lay_out, draw = reader.session.set_view, minimap.render_lines

        def note_layout(width: int, height: int) -> None:
            laid_out.append(width)
            lay_out(width, height)

        def note_drawing(crop: Region) -> list[Strip]:
            drawn.append(reader.session.options.width)
            return draw(crop)

        monkeypatch.setattr(reader.session, "set_view", note_layout)
        monkeypatch.setattr(minimap, "render_lines", note_drawing)
        for size in ((200, 50), (80, 24), (120, 40)):
            await reader.pilot.pause()  # until what the size before has set off is drawn
            laid_out.clear()
            drawn.clear()
            await reader.pilot.resize_terminal(*size)
            await reader.until(lambda: bool(drawn))
            assert laid_out == [reader.screen.view.text_width], size
            assert set(drawn) == {reader.screen.view.text_width}, size


async def test_a_resize_never_loses_the_cursor(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.ask("colon", "m6")
        for size in ((60, 20), (200, 50), (80, 24), (120, 40)):
            await reader.pilot.resize_terminal(*size)
            await reader.until(lambda: reader.session.height == reader.screen.view.size.height)
            assert any(line.startswith("❯") for line in reader.lines)
            assert reader.message == 6, size


async def test_a_panel_beside_it_leaves_the_transcript_readable_at_every_size(episode: Path) -> None:
    for size in ((80, 24), (100, 30), (120, 40), (200, 50)):
        async with reading(episode, size=size) as reader:
            await reader.opened()
            for key in ("a", "i"):
                await reader.press(key)
                await reader.until(
                    lambda: "A room with one chair." in " ".join(reader.text.split()) and "m0" in reader.text
                )
                width = max(map(len, reader.lines))
                assert 20 < width <= reader.screen.view.size.width
                if key == "a":
                    await reader.annotating()
                    await reader.press("escape")  # to the transcript; the panel stays beside it
                await reader.press("escape")
                await reader.until(lambda width=size[0]: reader.screen.view.size.width > width // 2)
                await reader.until(lambda: "m0" in reader.text)


async def test_the_outline_follows_and_a_click_in_it_or_in_the_minimap_jumps(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "long.jsonl", [chat("long", *(f"turn {n}" for n in range(400)))])
    async with reading(file) as reader:
        await reader.opened()
        outline, minimap = reader.screen.query_one(Outline), reader.screen.query_one(Minimap)

        def bold() -> str:
            texts = []
            for y in range(outline.size.height):
                texts += [s.text for s in outline.render_line(y) if s.style and s.style.bold and "turn" in s.text]
            return " ".join("".join(texts).split())

        assert bold() == "turn 0"
        await reader.press("G")
        await reader.until(lambda: bold() == "turn 398")
        await reader.pilot.click(outline, offset=(6, 3))
        await reader.until(lambda: reader.unit == outline.scroll_offset.y + 3)
        await reader.pilot.click(minimap, offset=(0, 0))
        await reader.until(lambda: reader.message == 0)
        await reader.pilot.click(minimap, offset=(0, minimap.size.height - 1))
        await reader.until(lambda: reader.message == 399)
        await reader.pilot.click(minimap, offset=(0, minimap.size.height // 2))
        await reader.until(lambda: 150 < reader.message < 250)
        await reader.press("O")
        await reader.until(lambda: not reader.screen.query_one("#left").display)
        await reader.press("O")
        await reader.until(lambda: reader.screen.query_one("#left").display)


async def test_a_long_transcript_has_a_window_in_the_minimap_that_moves(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "long.jsonl", [chat("long", *(f"turn {n}" for n in range(400)))])
    async with reading(file) as reader:
        await reader.opened()
        minimap = reader.screen.query_one(Minimap)

        def window() -> list[int]:
            styles = [next(iter(minimap.render_line(y))).style for y in range(minimap.size.height)]
            shades = [str(style.bgcolor) for style in styles if style is not None]
            rest = max(set(shades), key=shades.count)
            return [y for y, shade in enumerate(shades) if shade != rest]

        assert window()[0] == 0
        await reader.press("G")
        await reader.until(lambda: window() and window()[-1] == minimap.size.height - 1)
        assert len(window()) < 5


async def test_what_is_hidden_and_folded_stays_so_in_the_next_run(tmp_path: Path) -> None:
    def run(name: str) -> dict[str, Any]:
        answer = {"role": "tool", "tool_call_id": "c", "content": "what a tool said"}
        call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
        thought = {"role": "assistant", "content": "hm", "reasoning_content": "a thought", "tool_calls": [call]}
        return {"id": name, "messages": [{"role": "user", "content": f"do {name}"}, thought, answer]}

    async with reading(write_jsonl(tmp_path / "runs.jsonl", [run("one"), run("two"), run("three")])) as reader:
        await reader.listed()
        await reader.press("enter")
        await reader.opened("one")
        assert "what a tool said" in reader.whole_screen
        assert "a thought" in reader.whole_screen
        await reader.press("t", "r", "L")
        await reader.opened("two")
        assert "what a tool said" not in reader.whole_screen
        assert "a thought" not in reader.whole_screen
        await reader.press("r", "q", "G", "enter")
        await reader.opened("three")
        assert "a thought" in reader.whole_screen
        assert "what a tool said" not in reader.whole_screen


@pytest.mark.parametrize(
    ("term", "wanted", "theme"),
    [("linux", None, "ansi-dark"), ("linux", "trajview-light", "trajview-light"), ("xterm-256color", None, "trajview-dark")],
)  # fmt: skip
def test_a_terminal_of_16_colours_has_its_own_colours(
    term: str, wanted: str | None, theme: str, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.delenv("COLORTERM", raising=False)
    themes: list[str] = []
    monkeypatch.setattr(TrajviewApp, "run", lambda app: themes.append(app.theme))
    assert run_app(Corpus([log], None), Settings(paths=(log,), theme=wanted)) == 0
    assert themes == [theme]
