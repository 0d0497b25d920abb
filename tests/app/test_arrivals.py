"""What comes into the list while files are read, without a screen: when it is taken in, and when it is drawn."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import cast

from trajview.app.runs.arrivals import Arrivals
from trajview.app.runs.run_list import RunList
from trajview.app.runs.table import RunTable
from trajview.corpus.info import RunInfo, Updated

from .runs import problem, run


class Table:
    """The table as far as it is told of rows."""

    has_room = False

    def __init__(self) -> None:
        self.told = self.drawn = 0

    def rows_come(self) -> None:
        self.told += 1

    def show_news(self) -> bool:
        self.drawn += 1
        return True


class Screen:
    """A screen whose turns come when the test says so."""

    def __init__(self, *, blind: bool = False) -> None:
        self.runs, self.table = RunList(), Table()
        self.calls: deque[Callable[[], None]] = deque()
        self.taken: list[list[Updated]] = []
        self.arrivals = Arrivals(
            self.runs, cast(RunTable, self.table), self.calls.append, blind=blind,
            taken=lambda changes: self.taken.append(list(changes)), shown=lambda: None,
        )  # fmt: skip

    def turn(self) -> None:
        self.calls.popleft()()


def test_rows_wait_for_the_screens_turn_and_are_taken_in_a_thousand_at_a_time() -> None:
    screen = Screen()
    for first in range(0, 2500, 500):
        screen.arrivals.add([run(str(first + i)) for i in range(500)], first == 2000)
    assert len(screen.calls) == 1, "the screen is called once, however often rows come"
    for rows, finished in ((1000, False), (2000, False), (2500, True)):
        assert not screen.taken
        screen.turn()
        assert (len(screen.runs.rows), screen.arrivals.finished) == (rows, finished)
    assert (screen.taken, len(screen.calls)) == ([[]], 0)


def test_what_comes_is_drawn_at_once_while_there_is_room_and_else_when_that_is_asked_for() -> None:
    screen = Screen()
    screen.table.has_room = True
    screen.arrivals.add([run("a")], False)
    screen.turn()
    assert screen.table.drawn == 1
    screen.table.has_room = False
    screen.arrivals.add([run("b")], False)
    screen.turn()
    assert screen.table.drawn == 1
    screen.arrivals.show()
    assert screen.table.drawn == 2
    screen.arrivals.add([], True)
    screen.turn()
    assert screen.table.drawn == 3, "all of it is there"


def test_rows_that_change_are_told_of_once_all_that_came_is_in_the_list() -> None:
    screen = Screen()
    screen.arrivals.add([run("a"), problem()], False)
    screen.turn()
    change = Updated(1, run("b"))
    screen.arrivals.add([change], False)
    screen.turn()
    assert screen.taken == [[], [change]]
    assert screen.table.told == 2
    assert screen.runs.rows == [run("a"), run("b")]


def test_blind_mode_lets_no_reward_and_no_model_into_the_list() -> None:
    screen = Screen(blind=True)
    told = run("a", rewards=(1.0,), models=("gpt",))
    screen.arrivals.add([told, problem(), Updated(0, told)], False)
    screen.turn()
    [info, _] = screen.runs.rows
    assert isinstance(info, RunInfo)
    assert (info.rewards, info.models) == ((), ())


def test_nobody_is_told_once_the_app_has_gone() -> None:
    def gone(_: Callable[[], None]) -> None:
        raise RuntimeError("the event loop is closed")

    runs = RunList()
    arrivals = Arrivals(runs, cast(RunTable, Table()), gone, blind=False, taken=lambda _: None, shown=lambda: None)
    arrivals.add([run("a")], True)
    assert not runs.rows
