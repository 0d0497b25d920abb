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
    monkeypatch.setattr(turns, "_answered_by", time.monotonic() - 10)
    turns.give_way()
    assert slept == []
    turns.key_pressed()
    turns.give_way()
    assert 0 < slept[0] <= 0.03
    monkeypatch.setattr(turns, "_answered_by", time.monotonic() - 0.001)
    turns.give_way()
    assert len(slept) == 1


def test_a_key_does_not_cut_short_the_wait_for_something_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(turns, "sleep", slept.append)
    monkeypatch.setattr(turns, "_answered_by", -1.0)
    turns.key_pressed(10.0)
    turns.key_pressed()
    turns.give_way()
    assert slept[0] > 9
