"""Threads that compute beside the screen, and whom they let go first."""

from __future__ import annotations

import time

import pytest

from trajview.corpus import turns


def test_a_thread_that_nobody_waits_for_lets_a_key_be_answered_and_then_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(turns, "sleep", slept.append)
    monkeypatch.setattr(turns, "_pressed_at", time.monotonic() - 10)
    turns.give_way()
    assert slept == []
    turns.key_pressed()
    turns.give_way()
    assert 0 < slept[0] <= 0.03
    monkeypatch.setattr(turns, "_pressed_at", time.monotonic() - 0.031)
    turns.give_way()
    assert len(slept) == 1
