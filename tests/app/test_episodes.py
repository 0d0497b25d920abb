"""The states of episodes without a screen: the queue, skips, flags, undo, and what blind mode hides."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trajview.annotation.queue import Plan
from trajview.annotation.store import AnnotationStore
from trajview.app.annotate.episodes import Episodes
from trajview.app.shared.background import Background, Task
from trajview.config import Settings
from trajview.corpus.corpus import Corpus
from trajview.corpus.info import RunInfo

from .logs import chat, write_jsonl


class Now(Background, Task):
    """Does at once what otherwise a thread does."""

    def __init__(self) -> None:
        """It is of no screen."""

    def start(self, group: str, work: Callable[[Task], None], **_: Any) -> Any:
        work(self)

    def tell(self, function: Callable[..., object], *args: Any, **kwargs: Any) -> None:
        function(*args, **kwargs)


class Annotator:
    """Somebody who works on three episodes."""

    def __init__(self, folder: Path, plan: Plan | None = None, *, blind: bool = False) -> None:
        log = write_jsonl(folder / "chats.jsonl", [chat(name, "hi", "ho") for name in ("alpha", "beta", "gamma")])
        self.corpus = Corpus((log,))
        self.corpus.scan()
        self.store = AnnotationStore(folder / "store", "ada")
        self.toasts: list[str] = []
        self.saved = 0
        self.episodes = Episodes(
            self.corpus, Settings(blind=blind), lambda: self.store, plan, Now(), self._note, self._count
        )

    def _note(self, message: str, **_: Any) -> None:
        self.toasts.append(message)

    def _count(self) -> None:
        self.saved += 1

    def info(self, id: str) -> RunInfo:
        return self.corpus[id]

    def next(self, id: str) -> tuple[str | None, str]:
        found, said = self.episodes.next_to_annotate(self.info(id), lambda: [info.key for info in self.corpus.infos])
        return (found.id if found else None), said


@pytest.fixture
def ada(tmp_path: Path) -> Annotator:
    return Annotator(tmp_path)


def test_a_skipped_episode_is_passed_over_until_it_is_skipped_no_more(ada: Annotator) -> None:
    episodes, beta, called = ada.episodes, ada.info("beta"), []
    episodes.skip(beta, "cut off", lambda: called.append("written"), lambda: called.append("failed"))
    assert (called, ada.saved, ada.toasts) == (["written"], 1, ["beta is skipped: cut off"])
    assert episodes.is_skipped(beta)
    assert episodes.reasons_to_skip() == ["cut off"]
    assert ada.next("alpha") == ("gamma", "")
    assert episodes.read_statuses() == ({"beta": "skipped"}, "0 of 3 annotated · 1 skipped")
    episodes.unskip(beta)
    assert not episodes.is_skipped(beta)
    assert ada.next("alpha") == ("beta", "")
    assert episodes.read_statuses() == ({}, ""), "nothing is said where nothing is annotated"


def test_a_flag_is_set_and_taken_away(ada: Annotator) -> None:
    for said in ("alpha is flagged", "alpha is not flagged any more"):
        ada.episodes.flag(ada.info("alpha"))
        assert ada.toasts.pop() == said
    assert ada.saved == 2


def test_undo_and_redo_tell_which_episode_they_were_about(ada: Annotator) -> None:
    undone: list[RunInfo | None] = []
    ada.episodes.undo(undone.append)
    assert (ada.toasts.pop(), undone, ada.saved) == ("there is nothing to undo", [], 0)
    ada.episodes.flag(ada.info("beta"))
    ada.episodes.undo(undone.append)
    ada.episodes.redo(undone.append)
    assert undone == [ada.info("beta")] * 2
    assert all(toast.endswith("  ·  beta") for toast in ada.toasts[1:])
    ada.episodes.redo(undone.append)
    assert ada.toasts[-1] == "there is nothing to do again"


def test_what_the_store_refuses_is_said_and_nothing_goes_on(ada: Annotator, tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file where the folder should be")
    ada.episodes.flag(ada.info("alpha"))
    [said] = ada.toasts
    assert "store" in said
    assert ada.saved == 0


def test_a_queue_gives_the_order_and_goes_round(tmp_path: Path) -> None:
    ada = Annotator(tmp_path, Plan(ids=("gamma", "nowhere", "alpha")))
    assert ada.episodes.arrange() == ["nowhere"]
    assert ada.episodes.queue == ["gamma", "alpha"]
    assert ada.episodes.left_at() == ada.info("gamma")
    assert ada.next("gamma") == ("alpha", "")
    assert ada.next("alpha") == ("gamma", "")
    assert ada.toasts == ["From the start again: these were left out."]
    ada.episodes.skip(ada.info("gamma"), "no", lambda: None, lambda: None)
    assert ada.next("alpha") == (None, "the others are all done")
    ada.episodes.skip(ada.info("alpha"), "no", lambda: None, lambda: None)
    assert ada.next("alpha") == (None, "all are done")
    assert ada.episodes.left_at() is None
    assert ada.episodes.progress_text() == "0 of 2 annotated · 2 skipped"


def test_blind_mode_hides_a_run_until_its_reveal_is_written(tmp_path: Path) -> None:
    ada = Annotator(tmp_path, blind=True)
    alpha, shown = ada.info("alpha"), []
    assert ada.episodes.load(alpha).id == "alpha"
    assert ada.episodes.hides(alpha)
    ada.episodes.reveal_model(alpha, lambda: shown.append("alpha"))
    assert shown == ["alpha"]
    assert not ada.episodes.hides(alpha)
    assert ada.episodes.hides(ada.info("beta"))
