"""Active time: keys that are not far apart count, being away does not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trajview.annotation.clock import ActiveTime


def test_gaps_up_to_a_minute_count_and_what_is_beyond_does_not() -> None:
    clock = ActiveTime()
    assert clock.take(5.0) == 0.0
    for now in (10.0, 20.0, 75.0):
        clock.key(now)
    assert clock.seconds(75.0) == 65.0
    clock.key(75.0 + 600)
    assert clock.seconds(75.0 + 600) == 65.0 + 60.0
    assert clock.take(75.0 + 610) == 135.0
    assert clock.take(75.0 + 615) == 5.0


def test_asking_often_counts_no_second_twice() -> None:
    clock = ActiveTime()
    clock.key(0.0)
    assert sum(clock.take(float(now)) for now in range(1, 500)) == 60.0


def test_nothing_counts_after_a_stop_until_the_next_key() -> None:
    clock = ActiveTime()
    clock.key(0.0)
    assert clock.stop(10.0) == 10.0
    assert clock.take(30.0) == 0.0
    clock.key(40.0)
    assert clock.take(45.0) == 5.0


def test_a_clock_that_goes_backwards_takes_nothing_away() -> None:
    clock = ActiveTime()
    clock.key(100.0)
    clock.key(110.0)
    clock.key(90.0)
    assert clock.take(95.0) == 15.0


@given(st.lists(st.tuples(st.floats(0, 300), st.booleans()), max_size=40))
def test_it_is_the_sum_of_the_gaps_each_cut_at_a_minute(steps: list[tuple[float, bool]]) -> None:
    clock = ActiveTime()
    now, total, expected, since = 0.0, 0.0, 0.0, None
    for gap, is_key in steps:
        now += gap
        if is_key:
            if since is not None:
                expected += min(60.0, now - since)
            since = now
            clock.key(now)
        else:
            total += clock.take(now)
    if since is not None:
        expected += min(60.0, now - since)
    assert abs(total + clock.stop(now) - expected) < 1e-6
