"""Threads that compute beside the screen, and whom they let go first; and when garbage is looked for."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tests.modules import loaded_anew
from trajview.corpus import process_wide


class Turns:
    """The turns of threads in a program of its own, in which time passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now, self.slept = 100.0, 0.0
        self.module = loaded_anew("trajview.corpus.process_wide")
        self.module.monotonic, self.module.sleep = lambda: self.now, self.sleep

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += seconds


def test_a_thread_that_nobody_waits_for_lets_a_key_be_answered_and_then_goes_on() -> None:
    turns = Turns()
    turns.module.give_way()
    assert turns.slept == 0
    turns.module.key_pressed()
    turns.module.give_way()
    assert 0 < turns.slept < 0.031
    turns.module.give_way()
    assert turns.slept < 0.031


def test_a_key_does_not_cut_short_the_wait_for_something_longer() -> None:
    turns = Turns()
    turns.module.key_pressed(10.0)
    turns.module.key_pressed()
    turns.module.give_way()
    assert turns.slept > 9


def test_a_thread_that_somebody_waits_for_has_half_of_the_time_and_all_of_it_at_first() -> None:
    turns = Turns()
    ended = False
    cancelled = turns.module.sharing(lambda: ended)
    turns.module.key_pressed()
    assert not cancelled()
    assert turns.slept == 0
    begun, turns.now = turns.now, turns.now + 0.06
    while turns.now < begun + 2:
        turns.module.key_pressed()  # it is held down
        assert not cancelled()
        turns.now += 0.001
    assert 0.8 < turns.slept < 1.01
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
