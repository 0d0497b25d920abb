"""What the format makes of tau-bench's results: detected for sure, read whole, and nothing raises on what is broken."""

from __future__ import annotations

import json
from pathlib import Path

from trajview_taubench import FORMAT

from trajview.formats.base import Origin

TRIALS = json.loads((Path(__file__).parents[1] / "samples" / "results.json").read_text(encoding="utf-8"))


def test_a_trial_is_detected_and_nothing_else() -> None:
    for trial in TRIALS:
        detection = FORMAT.detect(trial)
        assert detection is not None
        assert detection.confidence > 0.9
    for other in (None, [], {}, {"traj": []}, {"messages": [], "task_id": 1}):
        assert FORMAT.detect(other) is None


def test_the_summary_is_what_is_read() -> None:
    for trial in TRIALS:
        summary, run = FORMAT.summarise(trial, Origin()), FORMAT.read(trial, Origin())
        assert summary.id == run.id
        assert summary.messages == len(run.transcripts[0].messages)
        assert summary.units == len(run.transcripts[0].units_of_action)
        assert list(summary.rewards) == run.rewards


def test_a_crash_is_the_last_message() -> None:
    run = FORMAT.read(TRIALS[1], Origin())
    assert run.transcripts[0].messages[-1].text == "The simulator crashed: rate limit of the user model"


def test_a_broken_trial_opens() -> None:
    run = FORMAT.read({**TRIALS[0], "traj": "nothing", "info": 3}, Origin())
    assert run.transcripts[0].messages[0].text == "nothing"
    assert FORMAT.check({**TRIALS[0], "traj": "nothing"}, Origin())
