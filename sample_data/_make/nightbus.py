"""The small project with a bug in it that the coding agents of the samples work on."""

from __future__ import annotations

import io

TIMES = '''"""Times of day, as timetables write them."""


def parse_time(text: str) -> int:
    """Minutes after midnight for a time such as "23:50"."""
    hours, minutes = text.strip().split(":")
    return (int(hours) % 24) * 60 + int(minutes)


def format_time(minutes: int) -> str:
    """A number of minutes as a time of day."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
'''

TIMETABLE = '''"""Which bus leaves next."""

import csv
from dataclasses import dataclass
from pathlib import Path

from nightbus.times import parse_time


@dataclass(frozen=True)
class Departure:
    line: str
    stop: str
    minute: int
    destination: str


class Timetable:
    def __init__(self, departures):
        self.departures = sorted(departures, key=lambda d: d.minute)

    @classmethod
    def from_csv(cls, path):
        with Path(path).open(newline="") as file:
            return cls(
                Departure(row["line"], row["stop"], parse_time(row["departs"]), row["to"])
                for row in csv.DictReader(file)
            )

    def next_departure(self, stop, now, line=None):
        """The first departure from a stop at `now` or later, None when there is none."""
        minute = parse_time(now)
        for departure in self.departures:
            if departure.stop == stop and line in (None, departure.line) and departure.minute >= minute:
                return departure
        return None
'''

REPORTS = '''"""Numbers for the transport office."""


def hourly_counts(departures):
    """How many buses leave in each hour of the day."""
    counts = [0] * 24
    for departure in departures:
        counts[departure.minute // 60] += 1
    return counts
'''

CLI = '''"""python -m nightbus STOP HH:MM"""

import sys
from pathlib import Path

from nightbus.times import format_time
from nightbus.timetable import Timetable

DATA = Path(__file__).parent.parent / "data" / "timetable.csv"


def main(arguments):
    stop, now = arguments
    departure = Timetable.from_csv(DATA).next_departure(stop, now)
    if departure is None:
        print("No more buses today. Mind the puddles.")
        return 1
    print(f"{departure.line} to {departure.destination} leaves {stop} at {format_time(departure.minute)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
'''

TEST_TIMES = """from nightbus.times import format_time, parse_time


def test_parse_time():
    assert parse_time("00:00") == 0
    assert parse_time("23:50") == 1430


def test_hours_wrap_at_midnight():
    assert parse_time("24:20") == 20


def test_format_time():
    assert format_time(0) == "00:00"
    assert format_time(1430) == "23:50"
"""

TEST_TIMETABLE = """import pytest

from nightbus.reports import hourly_counts
from nightbus.timetable import Departure, Timetable


@pytest.fixture
def timetable():
    return Timetable(
        [
            Departure("N7", "Market", 1430, "Harbour"),
            Departure("N7", "Market", 1400, "Harbour"),
            Departure("12", "Market", 290, "Airport"),
        ]
    )


def test_the_next_bus_is_the_first_that_has_not_left(timetable):
    assert timetable.next_departure("Market", "23:00").minute == 1400


def test_a_bus_that_leaves_now_can_still_be_caught(timetable):
    assert timetable.next_departure("Market", "23:20").minute == 1400


def test_after_the_last_bus_there_is_none(timetable):
    assert timetable.next_departure("Market", "23:51") is None


def test_buses_are_counted_by_hour(timetable):
    counts = hourly_counts(timetable.departures)
    assert counts[23] == 2
    assert sum(counts) == 3
"""

README = """# nightbus

Tells you when the next night bus leaves, so that you can finish your drink in good conscience.

    python -m nightbus Market 23:15

Times after midnight belong to the evening before, as in every timetable: 24:20 on Friday is the bus that most people
would call Saturday's at twenty past twelve.
"""


def timetable_csv() -> str:
    """Two night lines and an early one, four stops each; after midnight the hours go on as 24, 25, 26."""
    out = io.StringIO()
    out.write("line,stop,departs,to\n")
    stops = ["Market", "Theatre", "Old Gasworks", "Harbour Gate"]
    for line, first, last, step, destination in (
        ("12", 290, 410, 60, "Airport"),
        ("N7", 20 * 60 + 20, 26 * 60 + 20, 30, "Harbour"),
        ("N12", 22 * 60 + 20, 25 * 60 + 20, 60, "University"),
    ):
        for start in range(first, last + 1, step):
            for position, stop in enumerate(stops):
                minute = start + 6 * position
                out.write(f"{line},{stop},{minute // 60:02d}:{minute % 60:02d},{destination}\n")
    return out.getvalue()


def project_files() -> dict[str, str]:
    """The project by path."""
    return {
        "README.md": README,
        "data/timetable.csv": timetable_csv(),
        "nightbus/__init__.py": "",
        "nightbus/__main__.py": "import sys\n\nfrom nightbus.cli import main\n\nsys.exit(main(sys.argv[1:]))\n",
        "nightbus/cli.py": CLI,
        "nightbus/reports.py": REPORTS,
        "nightbus/times.py": TIMES,
        "nightbus/timetable.py": TIMETABLE,
        "tests/test_times.py": TEST_TIMES,
        "tests/test_timetable.py": TEST_TIMETABLE,
        "pyproject.toml": '[project]\nname = "nightbus"\nversion = "0.3.1"\n\n'
        '[tool.pytest.ini_options]\npythonpath = ["."]\n',
    }
