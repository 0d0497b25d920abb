"""Threads that compute beside the screen, and whom they let go first; and when garbage is looked for."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator

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


@pytest.fixture
def collector() -> Iterator[None]:
    """The collector as it was, whatever a test does with it."""
    thresholds = gc.get_threshold()
    yield
    gc.enable()
    gc.unfreeze()
    gc.set_threshold(*thresholds)


@pytest.mark.usefixtures("collector")
def test_no_garbage_is_looked_for_while_a_large_record_is_read_by_anybody() -> None:
    with process_wide.without_garbage():
        with process_wide.without_garbage():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="torn"), process_wide.without_garbage():
        raise ValueError("torn")
    assert gc.isenabled()
    with process_wide.without_garbage(process_wide.LARGE - 1):
        assert gc.isenabled()
    gc.disable()  # by who uses this as a library
    with process_wide.without_garbage():
        pass
    assert not gc.isenabled()


@pytest.mark.usefixtures("collector")
def test_the_first_look_for_garbage_waits_for_a_large_record_that_is_being_read() -> None:
    process_wide.put_off_garbage()
    with process_wide.without_garbage():
        process_wide.collect_garbage_again()  # the first screen is there
        assert not gc.isenabled()
    assert gc.isenabled()
