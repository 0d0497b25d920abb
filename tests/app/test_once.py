"""A question on top of another screen closes once, and takes nothing below it along."""

from __future__ import annotations

import pytest
from textual.app import App
from textual.screen import ModalScreen

from trajview.app.agreement.reveal import RevealScreen
from trajview.app.annotate.questions import ReasonScreen, UnsavedScreen
from trajview.app.help import HelpScreen
from trajview.app.shared.key_queue import KeyQueue
from trajview.app.shared.modal import Dialog


@pytest.mark.parametrize(
    ("make", "first", "second"),
    [
        (lambda: UnsavedScreen("", KeyQueue()), "draft", "save"),
        (lambda: RevealScreen("Show it?", lambda: None, KeyQueue()), "hide", "reveal"),
        (lambda: ReasonScreen("e1"), "cut off", None),
        (lambda: HelpScreen("browser"), None, None),
    ],
)
async def test_the_first_answer_counts_and_the_second_closes_nothing(make, first, second) -> None:  # type: ignore[no-untyped-def]
    app: App[None] = App()
    answers: list[object] = []
    async with app.run_test() as pilot:
        below: ModalScreen[None] = ModalScreen()
        await app.push_screen(below)
        question = make()
        assert isinstance(question, Dialog)
        await app.push_screen(question, answers.append)
        question.dismiss(first)
        question.dismiss(second)
        await pilot.pause()
        assert app.screen is below
        assert answers == [first]
