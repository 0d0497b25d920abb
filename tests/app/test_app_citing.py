"""Citations in the whole app: followed, come back from, switched off, and said where they lead nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.geometry import Offset
from textual.selection import Selection
from textual.widgets import OptionList

from trajview.app.transcript.sources import SourcesScreen

from .driving import Reader, reading
from .logs import chat, repair, write_jsonl

JUDGEMENT = 'It saw [T0B3: "never plugged in"], [T0B5] and stopped.\n\nCompare [T1B0], [T7B0].'


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """The repair with a judge's transcript beside it, which cites the first; the evaluator cites message 9 and 11."""
    record: dict[str, Any] = repair()
    record["transcripts"][1]["messages"].append({"role": "assistant", "content": JUDGEMENT})
    record["reasoning"] = 'Good work [T0B9: "fuse is fine"] and [T0B11].'
    return write_jsonl(tmp_path / "judged.jsonl", [record])


async def cited(reader: Reader) -> None:
    """The run is open and its citations are found."""
    await reader.opened()
    await reader.until(lambda: "citation" in reader.session.highlights.counts, "citations are found")


async def in_the_judgement(reader: Reader) -> None:
    await reader.press("tab")
    await reader.until(lambda: reader.screen.index == 1)
    await reader.press("G", "k", "k", "k")


async def test_cited_units_are_highlights_that_n_goes_through(judged: Path) -> None:
    async with reading(judged) as reader:
        await cited(reader)
        assert reader.session.highlights.counts["citation"] == 4
        found = []
        for _ in range(5):
            await reader.press("n")
            found.append(reader.message)
        assert found == [3, 5, 8, 9, 11]
        assert "cited by the evaluator" in reader.text
        assert "◆" in reader.whole_screen


async def test_the_sources_dialog_switches_citations_off(judged: Path) -> None:
    async with reading(judged) as reader:
        await cited(reader)
        await reader.press("&")
        await reader.until(lambda: isinstance(reader.app.screen, SourcesScreen) and "citations" in reader.whole_screen)
        options = reader.app.screen.query_one(OptionList)
        labels = [str(options.get_option_at_index(index).prompt) for index in range(options.option_count)]
        (at,) = [index for index, label in enumerate(labels) if "citations" in label]
        await reader.press("home", *["down"] * at, "space")
        await reader.press("enter")
        await reader.until(lambda: reader.session.highlights.stops == [5, 8])


async def test_a_citation_is_followed_into_another_transcript_to_its_words_and_back(judged: Path) -> None:
    async with reading(judged) as reader:
        await cited(reader)
        await in_the_judgement(reader)
        place = reader.session.cursor
        await reader.press("C")
        await reader.until(lambda: reader.screen.index == 0)
        assert reader.message == 3
        assert "❯" in reader.text
        row = next(line for line in reader.lines if line.startswith("❯"))
        assert "never plugged in" in row
        assert "T0B3" in reader.status
        await reader.press("'")
        await reader.until(lambda: reader.screen.index == 1)
        assert reader.session.cursor == place
        await reader.press("'")
        assert "nothing to go back to" in reader.status


async def test_of_several_citations_on_a_row_each_is_followed_in_turn(judged: Path) -> None:
    async with reading(judged, size=(200, 40)) as reader:
        await cited(reader)
        await in_the_judgement(reader)
        found = []
        for _ in range(3):
            await reader.press("C")
            await reader.until(lambda: reader.screen.index == 0)
            found.append(reader.message)
            await reader.press("'")
            await reader.until(lambda: reader.screen.index == 1)
        assert found == [3, 5, 3]


async def test_from_a_row_without_one_the_next_citation_of_the_message_is_followed(judged: Path) -> None:
    async with reading(judged, size=(200, 40)) as reader:
        await cited(reader)
        await in_the_judgement(reader)
        await reader.press("j")
        await reader.press("C")
        assert (reader.screen.index, reader.message) == (1, 0)


async def test_a_citation_that_points_nowhere_is_said_and_not_followed(judged: Path) -> None:
    async with reading(judged, size=(200, 40)) as reader:
        await cited(reader)
        await in_the_judgement(reader)
        await reader.press("j", "j")
        place = reader.session.cursor
        await reader.press("C", "'")
        assert reader.session.cursor == place
        await reader.press("C")
        assert "T7B0 points nowhere: this run has transcripts T0 to T1" in reader.status
        assert reader.session.cursor == place


async def test_without_a_citation_in_the_message_those_of_the_evaluator_are_gone_round(judged: Path) -> None:
    async with reading(judged) as reader:
        await cited(reader)
        found = []
        for _ in range(3):
            await reader.press("C")
            found.append((reader.message, reader.status.split(" · ' goes back")[0].split("evaluator")[-1]))
        assert found == [(9, "’s citation 1/2"), (11, "’s citation 2/2"), (9, "’s citation 1/2")]
        await reader.press("'", "'", "'")
        assert reader.session.cursor == (0, 0)


async def test_words_that_are_not_in_the_message_are_said(tmp_path: Path) -> None:
    record: dict[str, Any] = repair()
    record["reasoning"] = '[T0B9: "no such words"]'
    async with reading(write_jsonl(tmp_path / "a.jsonl", [record])) as reader:
        await cited(reader)
        await reader.press("C")
        assert reader.message == 9
        assert "“no such words” is not in message 9" in reader.status


async def test_a_run_without_citations_says_so(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("C")
        assert "no citation in this message" in reader.status


async def test_another_run_has_its_own_citations_and_no_way_back_to_this_one(judged: Path) -> None:
    write_jsonl(judged.parent / "later.jsonl", [{"id": "later", "messages": [{"role": "user", "content": "x"}]}])
    async with reading(judged.parent) as reader:
        await reader.listed()
        await reader.open("enter")
        await cited(reader)
        await reader.press("C")
        await reader.press("L" if reader.screen.run and reader.screen.run.id == "repair" else "H")
        await reader.opened("later")
        assert "citation" not in reader.session.highlights.counts
        await reader.press("'")
        assert "nothing to go back to" in reader.status


async def test_a_citation_is_followed_with_the_mouse_in_the_metadata_too(judged: Path) -> None:
    async with reading(judged) as reader:
        await cited(reader)
        await in_the_judgement(reader)
        y = next(number for number, line in enumerate(reader.lines) if "[T0B5]" in line)
        x = reader.lines[y].index("[T0B5]")
        await reader.pilot.click("#transcript", offset=(x - 1, y))
        assert (reader.screen.index, reader.message) == (1, 2)
        await reader.pilot.click("#transcript", offset=(x + 2, y))
        await reader.until(lambda: reader.screen.index == 0)
        assert reader.message == 5
        await reader.press("i")
        side = reader.screen.side
        await reader.until(lambda: any("[T0B11]" in side.render_line(y).text for y in range(side.size.height)))
        y = next(y for y in range(side.size.height) if "[T0B11]" in side.render_line(y).text)
        await reader.pilot.click("#side", offset=(side.render_line(y).text.index("[T0B11]") + 1, y))
        await reader.until(lambda: reader.message == 11)


async def test_a_long_transcript_is_looked_through_when_it_can_be_read_already(tmp_path: Path) -> None:
    said = [f"step {n}" + (" as in [T0B7]" if n == 2_401 else "") for n in range(2_500)]
    async with reading(write_jsonl(tmp_path / "long.jsonl", [chat("long", *said)])) as reader:
        await cited(reader)
        await reader.press("n")
        assert reader.message == 7
        assert [found.reason for found in reader.session.highlights.reasons(reader.unit)] == ["cited in m2401"]


# Into the annotation


async def citing(reader: Reader) -> None:
    """The panel is open beside the transcript, which has the cursor."""
    await reader.until(reader.panel_ready)
    assert reader.app.focused is reader.screen.view


async def test_c_cites_the_message_under_the_cursor_and_stays_in_the_transcript(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.annotate()
        await reader.press("escape", "]", "c")
        await citing(reader)
        assert reader.reasoning.text == "[T0B1]"
        await reader.press("]")
        await reader.press("c")
        assert reader.reasoning.text == "[T0B1] [T0B4]"
        assert "cited [T0B4]" in reader.status
        await reader.until(lambda: reader.session.highlights.counts.get("citation") == 2, "they are highlights")
        assert "cited by you" in reader.text


async def test_without_a_panel_a_citation_is_copied_and_nothing_is_begun(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("]", "c")
        assert reader.app.clipboard == "[T0B1]"
        assert "copied [T0B1]" in reader.status
        assert reader.screen.panel is None


async def test_citations_right_behind_the_key_that_opens_the_panel_all_arrive(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.press("a", "escape", "c", "]", "c", "]", "c")
        await reader.until(lambda: reader.panel.opening is False)
        await reader.until(lambda: reader.reasoning.text == "[T0B0] [T0B1] [T0B4]", reader.status)


async def test_what_is_selected_is_quoted_without_gutter_and_header(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.annotate()
        await reader.press("escape")
        await reader.ask("colon", "m9")
        lines = reader.lines
        y = next(number for number, line in enumerate(lines) if "The fuse is fine" in line)
        top = reader.screen.view.scroll_offset.y + y
        x = lines[y].index("fuse is fine")
        reader.screen.selections = {reader.screen.view: Selection(Offset(x, top), Offset(x + 12, top))}
        await reader.press("c")
        await reader.until(lambda: reader.reasoning.text == '[T0B9: "fuse is fine"]')
        assert reader.screen.view.text_selection is None


async def test_rows_are_selected_with_the_keyboard_and_quoted(log: Path) -> None:
    async with reading(log, size=(70, 40)) as reader:
        await reader.opened()
        await reader.annotate()
        await reader.press("escape")
        await reader.ask("colon", "m3")
        await reader.press("j", "j", "J", "J", "shift+down", "K")
        assert reader.screen.get_selected_text() == "  line 1 of the kettle's log\n  line 2 of the kettle's log"
        await reader.press("escape")
        assert reader.screen.view.text_selection is None
        await reader.press("J", "K", "c")
        quote = "line 1 of the kettle's log line 2 of the kettle's log"
        await reader.until(lambda: reader.reasoning.text == f'[T0B3: "{quote}"]')
        assert reader.app.screen is reader.screen


async def test_a_selection_over_several_messages_cites_them_all(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.annotate()
        await reader.press("escape")
        session = reader.session
        start, end = session.map.start(4) + 2, session.map.start(6)
        reader.screen.selections = {reader.screen.view: Selection(Offset(3, start), Offset(5, end))}
        await reader.press("c")
        await reader.until(lambda: reader.reasoning.text == "[T0B4-B5]")


async def test_a_citation_goes_where_was_typed_last_and_ctrl_g_follows_it(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.annotate()
        await reader.press("tab")
        await reader.type("It lies here")
        await reader.press("left", "left", "left", "left", "escape")
        await reader.press("]", "]", "c")
        assert reader.reasoning.text == "It lies [T0B4] here"
        await reader.press("g", "a", "ctrl+g")
        assert reader.message == 4
        assert reader.app.focused is reader.reasoning
        assert "T0B4" in reader.status
        await reader.press("escape", "'")
        assert reader.message == 0


async def test_ctrl_g_without_a_citation_says_so(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.annotate()
        await reader.press("ctrl+g")
        assert "no citation at the cursor" in reader.status


async def test_what_was_written_before_is_highlighted_without_opening_the_panel(log: Path, tmp_path: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.annotate()
        await reader.press("escape", "]", "c")
        await reader.until(lambda: "citation" in reader.session.highlights.counts)
    async with reading(log) as reader:
        await cited(reader)
        assert reader.screen.panel is None
        await reader.press("n")
        assert reader.message == 1
        await reader.press("C")
        assert "own citation 1/1" in reader.status


async def test_a_citation_that_is_taken_out_again_is_no_highlight_any_more(log: Path) -> None:
    async with reading(log) as reader:
        await reader.opened()
        await reader.annotate()
        await reader.press("escape", "c")
        await reader.until(lambda: "citation" in reader.session.highlights.counts)
        await reader.press("a")
        await reader.press("tab", "end", "ctrl+u")
        assert reader.reasoning.text == ""
        await reader.until(lambda: "citation" not in reader.session.highlights.counts)
