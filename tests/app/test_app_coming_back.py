"""Lists and runs open where the reader was, unless he says where he wants to be."""

from __future__ import annotations

from pathlib import Path

from trajview.places import SavedPlaces

from .driving import reading
from .logs import chat, write_jsonl


def long_chats(folder: Path) -> Path:
    """Two runs of twenty short messages."""
    return write_jsonl(folder / "chats.jsonl", [chat(id, *(f"{id} {n}" for n in range(20))) for id in ("one", "two")])


async def test_a_run_and_the_list_open_where_the_reader_was(tmp_path: Path) -> None:
    log, places = long_chats(tmp_path), tmp_path / "state" / "places.json"
    async with reading(log, places=places, size=(100, 20)) as reader:
        await reader.listed()
        await reader.press("j")
        await reader.open("enter")
        assert "back at" not in reader.status
        await reader.ask("colon", "m7")
        await reader.press("enter", "j")
        cursor, folds = reader.session.cursor, reader.session.folds
        await reader.press("q")
        await reader.until(places.exists)
        await reader.listed()
    async with reading(log, places=places, size=(100, 20)) as reader:
        await reader.listed()
        await reader.press("j")
        await reader.open("enter")
        assert (reader.session.cursor, reader.session.folds) == (cursor, folds)
        assert "back at message 7 · g goes to the top" in reader.status
        await reader.press("a", "ctrl+p")
        await reader.opened("one")
        assert "back at" not in reader.status
        await reader.press("ctrl+n")
        await reader.opened("two")
        assert "back at message 7" in reader.status
        assert "goes to the top" not in reader.status
        await reader.press("escape", "q")
        await reader.press("g")
        assert "back at" not in reader.status
        await reader.press("H")
        await reader.opened("one")
        assert reader.session.cursor == (0, 0)
        await reader.ask("colon", "m3")
        await reader.press("L")
        await reader.opened("two")
        assert reader.session.cursor == (0, 0), "it was left at its top"
        await reader.press("H")
        await reader.opened("one")
        assert reader.message == 3
        await reader.press("q")
        await reader.listed()
        await reader.press("s", "minus")
        await reader.ask("ampersand", "two")
        reader.app.end(0)
        reader.app.saved_places.write()
    async with reading(log, places=places) as reader:
        await reader.listed()
        assert [row.split()[0] for row in reader.rows] == ["two"]
        await reader.press("escape", "q")
        assert [row.split()[0] for row in reader.rows] == ["two", "one"]
    async with reading(log, places=places, run="one", unit=9) as reader:
        await reader.opened("one")
        assert reader.unit == 9


async def test_a_filter_of_the_command_line_is_for_this_time_only(tmp_path: Path) -> None:
    log, places = long_chats(tmp_path), tmp_path / "places.json"
    for typed, given, left in (("two", None, "two"), (None, "one", "two"), ("", None, "")):
        async with reading(log, places=places, where=given) as reader:
            await reader.listed()
            if typed:
                await reader.ask("ampersand", typed)
            elif typed is not None:
                await reader.press("q")
            reader.app.end(0)
            reader.app.saved_places.write()
        assert SavedPlaces(places).of_list([log]).query == left


async def test_a_damaged_file_of_places_is_said_once(tmp_path: Path) -> None:
    log, places = long_chats(tmp_path), tmp_path / "places.json"
    places.write_text("{")
    async with reading(log, places=places) as reader:
        await reader.listed()
        await reader.until(lambda: any("Where you were is not known any more" in toast for toast in reader.toasts))
