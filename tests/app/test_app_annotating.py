"""Annotating in the whole app: from typing to the file, drafts, other runs, leaving with unsaved work, bad stores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from trajview.annotation.store import AnnotationStore, pk_of
from trajview.app.annotate.fields import ReasoningText
from trajview.app.annotate.panel import AnnotationPanel
from trajview.app.annotate.questions import UnsavedScreen
from trajview.app.annotate.score_table import ScoreTable
from trajview.app.transcript.screen import TranscriptScreen
from trajview.models.sotopia import AnnotationForEpisode

from .driving import Reader, reading, records, screen_text

_EPISODE = (
    "believability",
    "relationship",
    "knowledge",
    "secret",
    "social_rules",
    "financial_and_material_benefits",
    "goal",
)


async def rate(reader: Reader, *scores: str) -> None:
    """Type scores down a column, each followed by enter."""
    for score in scores:
        await reader.type(score)
        await reader.press("enter")


async def draft_kept(reader: Reader) -> None:
    await reader.until(lambda: reader.state.startswith("draft saved"), "the draft is kept")


def fields(reader: Reader) -> dict[tuple[int, str], str]:
    return reader.values


def reasoning(reader: Reader) -> str:
    return reader.panel.query_one(ReasoningText).text


def record(store: Path) -> dict[str, Any]:
    (path,) = records(store)
    return json.loads(path.read_text())  # type: ignore[no-any-return]


async def test_scores_and_reasoning_of_an_episode_become_the_exact_file(episode: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    async with reading(episode, store=store) as reader:
        await reader.opened()
        await reader.annotate()
        assert "saves to …" in reader.status
        assert reader.status.endswith("/store")
        assert not store.exists()
        await rate(reader, "9", "-2", "5", "0", "-1", "0", "8", "5", "1", "5", "-5", "-5", "1", "5")
        assert isinstance(reader.app.focused, ReasoningText)
        await reader.type("one chair")
        await reader.press("enter", "x")
        await reader.until(lambda: "2.71" in reader.whole_screen)
        await reader.save()
        await reader.press("escape", "escape")
        await reader.until(lambda: "saves to" not in reader.status)
        await reader.press("q")
        await reader.listed()
        await reader.until(lambda: "✓ annotated" in reader.whole_screen)
        await reader.until(lambda: "1 of 1 annotated" in reader.whole_screen)
    (path,) = records(store)
    pk = pk_of("chair", "ada", "sotopia")
    assert path.name == f"{pk}.json"
    first = dict(zip(_EPISODE, (9.0, -2.0, 5.0, 0.0, -1.0, 0.0, 8.0), strict=True))
    second = dict(zip(_EPISODE, (5.0, 1.0, 5.0, -5.0, -5.0, 1.0, 5.0), strict=True))
    assert record(store) == {
        "pk": pk,
        "episode": "chair",
        "annotator_id": "ada",
        "rewards": [[19 / 7, first], [1.0, second]],
        "reasoning": "one chair\nx",
    }
    assert list(record(store)) == ["pk", "episode", "annotator_id", "rewards", "reasoning"]
    AnnotationForEpisode.model_validate_json(path.read_text())


async def test_what_was_saved_is_loaded_again_and_saving_again_replaces(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    for before, score in (("", "0.5"), ("0.5", "0.75")):
        async with reading(log, store=store) as reader:
            await reader.opened()
            await reader.annotate()
            assert list(fields(reader).values()) == [before]
            await reader.type(score)
            await reader.save()
        assert record(store)["rewards"] == [[float(score), {"reward": float(score)}]]


async def test_another_annotator_sees_none_of_it(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    for annotator in ("ada", "bob"):
        async with reading(log, store=store, annotator=annotator) as reader:
            await reader.opened()
            await reader.annotate()
            assert list(fields(reader).values()) == [""]
            await rate(reader, "1")
            await reader.save()
    assert sorted(json.loads(path.read_text())["annotator_id"] for path in records(store)) == ["ada", "bob"]


async def test_a_typed_error_is_said_in_place_and_never_saved(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    async with reading(log, store=store) as reader:
        await reader.opened()
        await reader.annotate()
        for typed, said in (
            ("7", "out of range 0..1"),
            ("-", "not a number yet"),
            ("-0.5", "out of range"),
            (".", "not a number yet"),
        ):
            await rate(reader, typed)
            assert isinstance(reader.app.focused, ReasoningText)
            await reader.press("ctrl+s")
            await reader.until(lambda: reader.state.startswith("not submitted"))
            assert isinstance(reader.app.focused, ScoreTable)
            await reader.until(lambda said=said: said in reader.whole_screen)
            await reader.take_breath()
    assert records(store) == []


async def test_the_reward_range_of_the_settings_counts(log: Path, tmp_path: Path) -> None:
    async with reading(log, store=tmp_path / "store", reward_range=(-1.0, 10.0)) as reader:
        await reader.opened()
        await reader.annotate()
        assert "-1..10" in reader.whole_screen
        await rate(reader, "7")
        await reader.save()


async def test_a_draft_follows_its_run_and_survives_the_program(runs: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    async with reading(runs, store=store, run="alpha") as reader:
        await reader.opened("alpha")
        await reader.annotate()
        await rate(reader, "0.1")
        await reader.type("a draft")
        await reader.press("ctrl+n")
        await reader.opened("beta")
        assert (list(fields(reader).values()), reasoning(reader)) == ([""], "")
        await rate(reader, "0.2")
        await reader.press("ctrl+p")
        await reader.opened("alpha")
        await reader.until(lambda: list(fields(reader).values()) == ["0.1"])
        assert reasoning(reader) == "a draft"
        assert "draft" in reader.state
    async with reading(runs, store=store, run="beta") as reader:
        await reader.opened("beta")
        await reader.annotate()
        assert list(fields(reader).values()) == ["0.2"]
        assert "draft" in reader.state
        await reader.press("escape", "escape")
        await reader.press("q", "d")
        await reader.listed()
        await reader.until(lambda: reader.whole_screen.count("○ draft") == 2)
    assert records(store) == []


async def test_the_panel_stays_open_from_run_to_run(runs: Path, tmp_path: Path) -> None:
    async with reading(runs, store=tmp_path / "store", run="alpha") as reader:
        await reader.opened("alpha")
        await reader.annotate()
        await reader.press("escape", "L")
        await reader.opened("beta")
        await reader.until(lambda: reader.panel.key == "beta")
        assert reader.app.focused is reader.screen.view, "who reads goes on reading"
        await reader.press("escape", "H")
        await reader.opened("alpha")
        assert not reader.screen.has_class("-annotating")
        await reader.press("L")
        await reader.opened("beta")
        await reader.annotate()
        await reader.press("ctrl+n")
        await reader.opened("gamma")
        assert reader.panel.key == "gamma"
        await reader.press("escape")
        await reader.until(lambda: reader.app.focused is reader.screen.view)
        await reader.press("]")
        assert reader.unit == 1


async def test_a_opens_the_panel_from_the_list(runs: Path, tmp_path: Path) -> None:
    async with reading(runs, store=tmp_path / "store") as reader:
        await reader.listed()
        await reader.ask("ampersand", "beta")
        await reader.press("a")
        await reader.opened("beta")
        await reader.until(lambda: reader.screen.panel is not None)
        await reader.annotating()
        assert reader.panel.key == "beta"


async def test_leaving_with_unsaved_work_asks_and_each_answer_does_what_it_says(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    async with reading(log, store=store) as reader:
        await reader.opened()
        await reader.annotate()
        await rate(reader, "1")
        await reader.press("escape", "escape")
        for leave in ("q", "ctrl+q"):
            await reader.press(leave)
            await reader.until(lambda: isinstance(reader.app.screen, UnsavedScreen))
            assert "not submitted" in reader.whole_screen
            await reader.press("escape")
            await reader.until(lambda: isinstance(reader.app.screen, TranscriptScreen))
            assert list(fields(reader).values()) == ["1"]
        await reader.press("q")
        await reader.until(lambda: isinstance(reader.app.screen, UnsavedScreen))
        await reader.press("d")
        await reader.listed()
        assert records(store) == []
        await reader.open("enter")
        await reader.annotate()
        assert list(fields(reader).values()) == ["1"]
        await reader.press("escape")
        await reader.press("ctrl+q")
        await reader.until(lambda: isinstance(reader.app.screen, UnsavedScreen))
        await reader.press("s")
        await reader.until(lambda: not reader.app.is_running)
    assert len(records(store)) == 1
    assert reader.app.return_code == 0


async def test_leaving_without_unsaved_work_asks_nothing(log: Path, tmp_path: Path) -> None:
    async with reading(log, store=tmp_path / "store") as reader:
        await reader.opened()
        await reader.annotate()
        await reader.press("escape", "escape", "q")
        await reader.listed()
        await reader.press("q")
        await reader.until(lambda: not reader.app.is_running)
    assert not (tmp_path / "store").exists()


async def test_a_score_that_is_none_cannot_be_saved_on_leaving_and_nothing_is_lost(log: Path, tmp_path: Path) -> None:
    async with reading(log, store=tmp_path / "store") as reader:
        await reader.opened()
        await reader.annotate()
        await rate(reader, "7")
        await reader.press("escape", "escape")
        await reader.press("q")
        await reader.until(lambda: isinstance(reader.app.screen, UnsavedScreen))
        await reader.press("s")
        await reader.until(lambda: isinstance(reader.app.screen, TranscriptScreen))
        await reader.until(lambda: reader.state.startswith("not submitted"))
        assert reader.screen.has_class("-annotating"), "the field that is to be mended is shown"
        assert list(fields(reader).values()) == ["7"]


async def test_a_store_that_cannot_be_written_shouts(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "[store]"
    store.write_text("a file where a folder should be")
    async with reading(log, store=store) as reader:
        await reader.opened()
        await reader.annotate()
        await rate(reader, "1")
        await reader.press("ctrl+s")
        await reader.until(lambda: any("annotation was not saved" in toast for toast in reader.toasts))
        assert reader.panel.query_one(".state").has_class("-error")
        assert list(fields(reader).values()) == ["1"]
        await reader.take_breath()
        await reader.press("escape", "escape")
        await reader.press("q")
        await reader.until(lambda: isinstance(reader.app.screen, UnsavedScreen))
        said = str(reader.app.screen.query_one(".about", Static).render())
        assert "Its draft could not be saved" in said
        assert "[store]" in said
        assert "Discard" in reader.whole_screen
        await reader.press("escape")
    assert store.read_text() == "a file where a folder should be"


async def test_a_store_in_the_opened_folder_is_no_log(runs: Path) -> None:
    store = runs / "annotations"
    async with reading(runs, store=store, run="alpha") as reader:
        await reader.opened("alpha")
        await reader.annotate()
        await rate(reader, "1")
        await reader.save()
    assert len(records(store)) == 1
    async with reading(runs, store=store) as reader:
        await reader.listed()
        assert len(reader.rows) == 5
        await reader.until(lambda: "1 of 4 annotated" in reader.whole_screen)


async def test_the_log_is_never_touched(runs: Path, tmp_path: Path) -> None:
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in runs.iterdir()}
    async with reading(runs, store=tmp_path / "store", run="alpha") as reader:
        await reader.opened("alpha")
        await reader.press("m", "v", "q")
        await reader.annotate()
        await rate(reader, "1")
        await reader.save()
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in runs.iterdir()} == before


async def test_keys_that_are_commands_elsewhere_are_text_in_the_panel(log: Path, tmp_path: Path) -> None:
    async with reading(log, store=tmp_path / "store") as reader:
        await reader.opened()
        await reader.annotate()
        reader.panel.query_one(ReasoningText).focus()
        await reader.type("q?n/z[]:am")
        assert reasoning(reader) == "q?n/z[]:am"
        assert isinstance(reader.app.screen, TranscriptScreen)


@pytest.mark.parametrize("theme", ["ansi-dark", "ansi-light"])
async def test_in_the_terminals_own_colours_a_bar_shows_where_the_reasoning_is(
    theme: str, log: Path, tmp_path: Path
) -> None:
    async with reading(log, store=tmp_path / "store", theme=theme) as reader:
        await reader.opened()
        await reader.annotate()
        field = reader.reasoning
        at = field.region
        rows = screen_text(reader.app).split("\n")[at.y : at.bottom]
        assert rows
        assert {row[at.x] for row in rows} == {"▌"}
        assert field.styles.background.is_transparent or field.styles.background.ansi is not None


async def test_a_fault_of_the_program_itself_loses_nothing_that_was_typed(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AnnotationPanel, "KEEP_AFTER", 600.0)
    store = tmp_path / "store"

    def fault() -> None:
        raise ZeroDivisionError

    async def typing() -> None:
        async with reading(runs, store=store, run="alpha") as reader:
            await reader.opened("alpha")
            await reader.annotate()
            await reader.type("0.4")
            assert not store.exists()
            reader.app.call_later(fault)
            while reader.app.is_running:
                await reader.pilot.pause(0.01)

    with pytest.raises(ZeroDivisionError):
        await typing()
    kept = AnnotationStore(store, "ada").journal.drafts()
    assert [draft.values[0]["reward"] for draft in kept] == ["0.4"]
