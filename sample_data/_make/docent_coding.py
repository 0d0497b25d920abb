"""docent/coding_run.json: an agent finds out why the last night bus is always the one before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .docent_builder import Talk, agent_run, bash, str_replace, write_file
from .nightbus import project_files
from .workshop import Workshop

SYSTEM = """You are a software engineer with a shell. You work in /home/ada/nightbus, a git repository.

Rules of the house:
1. Reproduce before you fix. A bug that was not seen failing was not fixed.
2. A fix comes with a test that fails without it.
3. Do not change a test to make it pass. If a test is wrong, say so and ask.
4. Small diffs. The person who reviews this is on her phone.

Tools: `bash` (a fresh shell in the repository), `write_file`, `str_replace` (one exact occurrence; answers with the diff)."""

ISSUE = """Issue #14, from a user, verbatim:

> On Friday at 23:55 I asked for the next bus from Market. Your program said **"No more buses today. Mind the puddles."**
> So I walked. At 00:20 the N7 overtook me. On Willow Lane. *In the puddles.*
>
> The paper timetable at the stop says `24:20`, if that helps.

Please find out what is going on and fix it. I'm around if you have questions."""

NEW_TESTS = """

@pytest.fixture
def friday_night():
    return Timetable(
        [
            Departure("12", "Market", parse_time("04:50"), "Airport"),
            Departure("N7", "Market", parse_time("23:50"), "Harbour"),
            Departure("N7", "Market", parse_time("24:20"), "Harbour"),
            Departure("N12", "Market", parse_time("24:20"), "University"),
        ]
    )


def test_before_midnight_the_bus_after_midnight_is_next(friday_night):
    departure = friday_night.next_departure("Market", "23:55")
    assert departure is not None, "and the user walks home"
    assert format_time(departure.minute) == "00:20"


def test_after_midnight_the_night_is_not_over(friday_night):
    departure = friday_night.next_departure("Market", "00:05")
    assert (departure.line[0], format_time(departure.minute)) == ("N", "00:20")


def test_the_early_bus_comes_after_the_night(friday_night):
    assert friday_night.next_departure("Market", "00:45").line == "12"


def test_buses_after_midnight_are_counted_in_the_small_hours(friday_night):
    assert hourly_counts(friday_night.departures)[0] == 2
"""

ANSWER = """Fixed in `b0`… let me be exact: the last commit on `main`. The user of issue #14 would have caught the N7 with 25 minutes to spare.

## What was wrong

A timetable's day does not end at midnight: `24:20` is *tonight's* bus. `parse_time` threw that away with a `% 24`, so the bus
was filed under 00:20 this **morning**, and by 23:55 it had "already left" for almost a day.

| asked at | stop | before | after |
|---|---|---|---|
| 23:55 | Market | No more buses today | **N7, 00:20** |
| 00:05 | Market | N7, 00:20 *(right, by luck)* | **N7, 00:20** |
| 00:45 | Market | N7, 00:50 | N7, 00:50 |
| 02:45 | Market | 12, 04:50 | 12, 04:50 |

## What changed

1. `parse_time` keeps hours past 24 (the service day's clock).
2. `next_departure` asks twice, as *today* and as *last night, still going*, and takes the shorter wait:

```python
waits = [
    (departure.minute - moment, departure)
    for moment in (minute, minute + DAY)
    for departure in self.departures
    if departure.stop == stop and line in (None, departure.line) and departure.minute >= moment
]
return min(waits, key=lambda wait: wait[0])[1] if waits else None
```

3. `format_time` and `hourly_counts` come back to the wall clock at the edge. The second one would have crashed with an
   `IndexError` on the real data as soon as (1) was in: nobody reported it, `grep` did.

## What I did wrong on the way

My first version compared `(wait, departure)` tuples and fell over when the N7 and the N12 leave in the same minute. Your real
timetable does that four times a night, which is why the test has both lines in it.

## Not done

The clock change in March still has an hour that does not exist. It is in no test, and I left it alone: that is a conversation,
not a bug fix."""


def coding_run(root: Path) -> dict[str, Any]:
    """The run, with every command run for real below `root`."""
    shop = Workshop(root, "nightbus", project_files())
    shop.run("git init -q && git add -A && git commit -qm 'Import the timetable of the winter season'")
    shop.run("sed -i 's/0.3.1/0.3.2/' pyproject.toml && git commit -qam 'Release 0.3.2'")
    talk = Talk("Fix issue 14: the bus after midnight", "meridian-3-large", shop)
    talk.system(SYSTEM)
    talk.user(ISSUE)
    talk.act(
        "The report has two clues: it happens late in the evening, and the paper says 24:20. Timetables count hours past 24. "
        "I have a suspicion already, which is exactly why I should look first and believe later.",
        bash("git log --oneline && git status --short && ls -R nightbus tests data"),
        say="Let me look around before I have opinions.",
    )
    talk.act(None, bash("cat README.md"), bash("cat nightbus/timetable.py"), bash("cat nightbus/times.py"))
    talk.act(
        "There it is: `% 24` in parse_time. 24:20 becomes 20, i.e. twenty past midnight this *morning*. The list is sorted, "
        "the search goes for minute >= 1435, and finds nothing. But the README says times after midnight belong to the "
        "evening before, so the data surely has them. Check, don't assume.",
        bash("grep -nE ',(24|25|26):' data/timetable.csv | head -8; grep -cE ',(24|25|26):' data/timetable.csv"),
    )
    talk.act(
        "30 departures are filed under the wrong day. Now reproduce exactly what the user did.",
        bash('python -m nightbus Market 23:55; echo "exit code $?"'),
        bash('python -m nightbus Market 00:05; echo "exit code $?"'),
        say="Reproducing issue #14, without the puddles:",
    )
    talk.act(
        "Reproduced. Interesting: at 00:05 it is right, by accident, because the wrap makes 00:20 look like this morning. "
        "So if I only drop the `% 24`, I trade the 23:55 bug for a 00:05 bug. Both go into the tests.",
        bash("cat tests/test_times.py tests/test_timetable.py"),
        bash("python -m pytest -q --color=yes"),
    )
    talk.say(
        "Before I go on, one question. `tests/test_times.py` has this:\n\n```python\ndef test_hours_wrap_at_midnight():\n"
        '    assert parse_time("24:20") == 20\n```\n\nThat test pins the bug: with it, no fix in `parse_time` can pass. Your '
        "rule 3 says that I must not change a test just to make it pass, so I'm asking. I see two ways:\n\n"
        "- **A.** `24:20` means 1460 minutes, tonight. The test is wrong, and is replaced.\n"
        "- **B.** `parse_time` stays, and every caller learns about nights. More code, same bus.\n\nI would do A. May I?",
        "The existing test asserts the wrap. Either it is deliberate or it was written by looking at what the code did. I can't "
        "tell from the code. git log has one import commit, no help. The rule is explicit; ask.",
    )
    talk.user(
        "Ha. I wrote that test at two in the morning, after missing a bus, to prove to myself that it worked. A, please. "
        "And replace it, don't just delete it."
    )
    talk.act(
        None,
        str_replace(
            "tests/test_times.py",
            'def test_hours_wrap_at_midnight():\n    assert parse_time("24:20") == 20\n',
            'def test_hours_past_midnight_belong_to_the_evening_before():\n    assert parse_time("24:20") == 1460\n',
        ),
        str_replace(
            "tests/test_times.py",
            '    assert format_time(1430) == "23:50"\n',
            '    assert format_time(1430) == "23:50"\n\n\n'
            'def test_a_clock_on_the_wall_never_shows_24():\n    assert format_time(1460) == "00:20"\n',
        ),
        say="Thank you. First the tests, then the code.",
    )
    talk.act(
        "Now the timetable tests. I want: 23:55 finds 00:20; 00:05 still finds 00:20; 00:45 finds the early bus; and two lines "
        "that leave in the same minute, since the real data has that.",
        str_replace(
            "tests/test_timetable.py",
            "from nightbus.timetable import Departure, Timetable\n",
            "from nightbus.times import format_time, parse_time\nfrom nightbus.timetable import Departure, Timetable\n",
        ),
        bash("cat >> tests/test_timetable.py <<'EOF'" + NEW_TESTS + "EOF\ntail -n 12 tests/test_timetable.py"),
    )
    talk.act(
        "They must fail now, and for the right reasons.",
        bash("python -m pytest -q --color=yes"),
        say="Seen failing, as rule 1 wants it:",
    )
    talk.act(
        "Three failures, all for the reason I expect: the wrap, the clock on the wall, and nobody home at 23:55. Smallest step first: "
        "let parse_time keep what the timetable says, and let format_time wrap at the edge.",
        str_replace(
            "nightbus/times.py",
            '    """Minutes after midnight for a time such as "23:50"."""\n    hours, minutes = text.strip().split(":")\n'
            "    return (int(hours) % 24) * 60 + int(minutes)\n",
            '    """Minutes after the midnight that the service day began with; "24:20" is 1460, still the same night."""\n'
            '    hours, minutes = text.strip().split(":")\n    return int(hours) * 60 + int(minutes)\n',
        ),
        str_replace(
            "nightbus/times.py",
            '    """A number of minutes as a time of day."""\n    return f"{minutes // 60:02d}:{minutes % 60:02d}"\n',
            '    """A number of minutes as a clock on the wall shows it: never 24."""\n'
            '    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"\n',
        ),
    )
    talk.act(
        None,
        bash("python -m pytest -q --color=yes tests/test_times.py"),
        bash("python -m pytest -q --color=yes -x tests/test_timetable.py"),
    )
    talk.act(
        "As predicted: 00:05 now gets the early bus to the airport, a wait of nearly five hours. At five past midnight, the "
        "service day of *yesterday* is still running: 00:05 is also 24:05. So a moment has two names, and I should look for "
        "both and take the shorter wait.",
        str_replace(
            "nightbus/timetable.py",
            "        minute = parse_time(now)\n        for departure in self.departures:\n"
            "            if departure.stop == stop and line in (None, departure.line) and departure.minute >= minute:\n"
            "                return departure\n        return None\n",
            "        minute = parse_time(now)\n        # 00:05 is also 24:05 of the night before, whose buses still run.\n"
            "        waits = [\n            (departure.minute - moment, departure)\n"
            "            for moment in (minute, minute + DAY)\n            for departure in self.departures\n"
            "            if departure.stop == stop and line in (None, departure.line) and departure.minute >= moment\n"
            "        ]\n        return min(waits)[1] if waits else None\n",
        ),
        str_replace(
            "nightbus/timetable.py",
            "from nightbus.times import parse_time\n",
            "from nightbus.times import parse_time\n\nDAY = 24 * 60\n",
        ),
        say="A moment after midnight has two names: 00:05, and 24:05 of the night before. I'll look under both.",
    )
    talk.act("This should be it.", bash("python -m pytest -q --color=yes"))
    talk.act(
        "Not it. Two things, and I deserve the first: `min` over tuples compares the wait, and on a tie goes on to compare the "
        "departures, which have no order. The N7 and the N12 both leave at 24:20, in the test *and* in real life. A key "
        "function says what I mean. The second one is not mine but I woke it up: hourly_counts indexes a list of 24 with "
        "minute // 60, which can now be 24. Nobody reported that one. Who else divides by 60?",
        bash("grep -rnE '// ?60|% ?24' nightbus/"),
        say="“This should be it”, I said. Two honest tracebacks. Who else assumes that a day has 24 hours?",
    )
    talk.act(
        None,
        str_replace(
            "nightbus/timetable.py",
            "        return min(waits)[1] if waits else None\n",
            "        return min(waits, key=lambda wait: wait[0])[1] if waits else None\n",
        ),
        str_replace(
            "nightbus/reports.py",
            "        counts[departure.minute // 60] += 1\n",
            "        counts[departure.minute // 60 % 24] += 1\n",
        ),
    )
    talk.act(None, bash("python -m pytest -v --color=yes"))
    talk.act(
        "Green. But the tests are mine, and I believed in my last version too. Ask the real timetable, and ask it for the whole "
        "night: for every stop and minute, compare with a brute-force walk through the file on the night's own clock.",
        write_file(
            "tmp_check.py",
            '"""Throw-away: compare next_departure with a brute-force search, for every stop and minute."""\n'
            "import csv\nimport json\n\nfrom nightbus.timetable import Timetable\n\n"
            'rows = list(csv.DictReader(open("data/timetable.csv")))\n'
            'timetable = Timetable.from_csv("data/timetable.csv")\n\n\n'
            "def instants(text):\n"
            '    hours, minutes = map(int, text.split(":"))\n'
            "    yield hours * 60 + minutes\n    yield hours * 60 + minutes - 1440  # last night's run\n\n\n"
            "checked = wrong = nothing = 0\nlongest = (0, None)\n"
            'for stop in sorted({row["stop"] for row in rows}):\n    for minute in range(1440):\n'
            '        now = f"{minute // 60:02d}:{minute % 60:02d}"\n'
            '        waits = [t - minute for row in rows if row["stop"] == stop for t in instants(row["departs"]) if t >= minute]\n'
            "        found = timetable.next_departure(stop, now)\n        checked += 1\n"
            "        if not waits:\n            nothing += 1\n            wrong += found is not None\n            continue\n"
            "        wrong += found is None or (found.minute - minute) % 1440 != min(waits)\n"
            '        longest = max(longest, (min(waits), f"{stop} {now}"))\n'
            'print(json.dumps({"checked": checked, "wrong": wrong, "no bus at all": nothing, "longest wait": longest}, indent=2))\n',
        ),
        bash("PYTHONPATH=. python tmp_check.py; rm tmp_check.py"),
        say="All green, but those are my own tests. A second opinion from the real timetable, every stop and every minute:",
    )
    talk.act(
        "5,760 questions, no wrong answer. No bus at all: zero, since the night line runs past midnight and "
        "so there is always one to come, if you have thirteen hours. Now what the user typed.",
        bash("for t in 23:55 00:05 00:45 02:45; do python -m nightbus Market $t; done"),
        bash("git diff --stat"),
    )
    talk.user(
        "Looks good from here (I'm on the bus, of all places). Is the same-minute thing real, or did you make it up for the test?"
    )
    talk.act(
        "Fair question. Count it.",
        bash("grep -v '^line' data/timetable.csv | awk -F, '{print $2\" \"$3}' | sort | uniq -d | grep '^Market'"),
        say="Real. These are the minutes in which two lines leave Market at once:",
    )
    talk.act(
        None,
        bash("git diff nightbus/"),
        bash(
            "git commit -qam 'Keep the night in one piece: hours past 24 are not this morning' "
            "-m 'A timetable writes 24:20 for the bus after midnight. Wrapping it sorted the bus before the evening. Fixes #14.' "
            "&& git log --stat --oneline -1"
        ),
    )
    commit = shop.run("git log --format=%h -1").output.strip()
    talk.say(ANSWER.replace("Fixed in `b0`… let me be exact: the last commit on `main`.", f"Fixed in `{commit}`."))
    talk.user("Merged. The user of #14 says thank you, and that her shoes are nearly dry.")
    return agent_run(
        "nightbus: the last bus is never the last",
        "A coding agent reproduces a bug report, argues with a wrong test, fails twice and then fixes it.",
        [talk],
        {
            "task_id": "nightbus-14",
            "model": "meridian-3-large",
            "benchmark": "small-repairs",
            "epoch": 1,
            "scores": {"tests_pass": 1.0, "hidden_tests": 1.0, "diff_size": 0.8},
            "_harness": {"sandbox": "bubblewrap", "max_steps": 60},
            "tags": ["python", "off-by-a-day", "asked-a-question"],
        },
    )
