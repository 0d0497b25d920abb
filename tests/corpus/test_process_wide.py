"""Threads that compute beside the screen, and whom they let go first."""

from __future__ import annotations

import time

import pytest

from trajview.corpus import process_wide


def test_a_thread_that_nobody_waits_for_lets_a_key_be_answered_and_then_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(process_wide, "sleep", slept.append)
    monkeypatch.setattr(process_wide, "_answered_by", time.monotonic() - 10)
    process_wide.give_way()
    assert slept == []
    process_wide.key_pressed()
    process_wide.give_way()
    assert 0 < slept[0] <= 0.03
    monkeypatch.setattr(process_wide, "_answered_by", time.monotonic() - 0.001)
    process_wide.give_way()
    assert len(slept) == 1


def test_a_key_does_not_cut_short_the_wait_for_something_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(process_wide, "sleep", slept.append)
    monkeypatch.setattr(process_wide, "_answered_by", -1.0)
    process_wide.key_pressed(10.0)
    process_wide.key_pressed()
    process_wide.give_way()
    assert slept[0] > 9


def test_a_thread_that_somebody_waits_for_has_half_of_the_time_and_all_of_it_at_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, slept = 100.0, 0.0

    def sleep(seconds: float) -> None:
        nonlocal now, slept
        now, slept = now + seconds, slept + seconds

    monkeypatch.setattr(process_wide, "monotonic", lambda: now)
    monkeypatch.setattr(process_wide, "sleep", sleep)
    monkeypatch.setattr(process_wide, "_answered_by", -1.0)
    ended = False
    cancelled = process_wide.sharing(lambda: ended)
    process_wide.key_pressed()
    assert not cancelled()
    assert slept == 0
    begun, now = now, now + 0.06
    while now < begun + 2:
        process_wide.key_pressed()  # it is held down
        assert not cancelled()
        now += 0.001
    assert 0.8 < slept < 1.01
    ended = True
    assert cancelled()
