"""All marks in a list: of the runs that are open, with the way to each, its note, and taking it away."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

from trajview.annotation.store import AnnotationStore
from trajview.annotation.unit_notes import Mark, UnitNotes
from trajview.app.bookmarks.bookmarks import Bookmark, Bookmarks, bookmarks_in
from trajview.app.bookmarks.screen import BookmarksScreen
from trajview.corpus.corpus import Corpus

from .driving import Reader, reading
from .logs import chat, write_jsonl
from .runs import run


def test_the_marks_of_runs_that_are_open_stand_in_the_order_of_the_runs() -> None:
    infos = {"a": run("a", record=1), "b": run("b", record=0)}
    corpus = cast(Corpus, SimpleNamespace(find=infos.get))
    marked = [
        UnitNotes("a", marks=(Mark(0, 3), Mark(1, 0, "why"))),
        UnitNotes("elsewhere", marks=(Mark(0, 0), Mark(0, 1))),
        UnitNotes("b", marks=(Mark(0, 7),)),
    ]
    found, elsewhere = bookmarks_in(corpus, marked)
    assert [each.place for each in found] == [("b", 0, 7), ("a", 0, 3), ("a", 1, 0)]
    assert elsewhere == 2


def test_the_cursor_stays_on_its_mark_or_where_that_was() -> None:
    rows = [Bookmark(run("a"), Mark(0, unit)) for unit in range(4)]
    bookmarks = Bookmarks()
    assert (bookmarks.current, bookmarks.go(3)) == (None, False)
    bookmarks.show(rows)
    bookmarks.go(2)
    bookmarks.show(rows[1:])
    assert bookmarks.cursor == 1
    bookmarks.change(rows[2], "a note")
    assert bookmarks.current == Bookmark(rows[2].info, Mark(0, 2, "a note"))
    bookmarks.change(rows[2], None)
    assert bookmarks.current == rows[3]
    bookmarks.change(rows[3], None)
    assert bookmarks.current == rows[1]


def test_the_cursor_begins_at_the_last_mark_up_to_where_the_reader_is() -> None:
    rows = [Bookmark(run(id), Mark(transcript, 5)) for id in ("a", "b") for transcript in (0, 1)]
    for here, begins_at in ((("b", 0, 4), 0), (("b", 0, 5), 2), (("b", 1, 4), 2), (("b", 7, 0), 3), (("c", 0, 0), 0)):
        bookmarks = Bookmarks(here)
        bookmarks.show(rows)
        assert bookmarks.cursor == begins_at, here


async def listed(reader: Reader, count: int) -> Bookmarks:
    """The screen of marks is there, with so many."""
    await reader.until(lambda: isinstance(reader.app.screen, BookmarksScreen))
    screen = cast(BookmarksScreen, reader.app.screen)
    await reader.until(lambda: screen.bookmarks.count == count, f"{count} marks")
    return screen.bookmarks


async def test_marks_are_listed_gone_to_noted_taken_away_and_brought_back(tmp_path: Path) -> None:
    log = write_jsonl(
        tmp_path / "chats.jsonl", [chat(id, *(f"{id} says {n}" for n in range(12))) for id in ("one", "two")]
    )
    store = AnnotationStore(tmp_path / "store", "ada")
    store.set_mark("two", 0, 3, True, "odd")
    store.set_mark("elsewhere", 0, 0, True)
    async with reading(log, store=tmp_path / "store", size=(100, 20)) as reader:
        await reader.listed()
        await reader.open("enter")
        await reader.ask("colon", "2")
        await reader.press("m", "B")
        bookmarks = await listed(reader, 2)
        await reader.until(lambda: len(bookmarks.words) == 2)
        assert "marks  2 in 2 runs · 1 in runs that are not open" in reader.whole_screen
        assert "unit 2      ⚑ one says 4" in reader.whole_screen
        assert "unit 3      ⚑ odd  two says 6" in reader.whole_screen

        await reader.press("enter")
        assert (reader.screen.info.id, reader.unit) == ("one", 2)
        await reader.press("B")
        await listed(reader, 2)
        await reader.press("j", "enter")
        await reader.opened("two")
        assert reader.unit == 3
        assert "back at" not in reader.status

        await reader.press("B")
        await listed(reader, 2)
        await reader.press("M", *"ity", "enter")
        await reader.until(lambda: "⚑ oddity" in reader.whole_screen)
        await reader.press("k", "m")
        await listed(reader, 1)
        assert store.unit_notes("one").marks == ()
        await reader.press("ctrl+z")
        await listed(reader, 2)
        await reader.press("q")
        import asyncio

        await asyncio.sleep(1)
        print(reader.whole_screen)
        print(reader.session.highlights.marks)
        await reader.until(lambda: reader.session.highlights.marks == {3: "oddity"})


async def test_from_the_list_a_mark_leads_into_its_run_and_back(tmp_path: Path) -> None:
    log = write_jsonl(tmp_path / "chats.jsonl", [chat("one", *"abcdefgh"), chat("two", "c")])
    store = AnnotationStore(tmp_path / "store", "ada")
    store.set_mark("one", 0, 2, True)
    store.set_mark("two", 0, 7, True)
    async with reading(log, store=tmp_path / "store") as reader:
        await reader.listed()
        await reader.press("B")
        await listed(reader, 2)
        await reader.until(lambda: "unit 7      ⚑ the log has no such unit now" in reader.whole_screen)
        await reader.press("enter")
        await reader.opened("one")
        assert reader.unit == 2
        await reader.press("q")
        await reader.listed()
