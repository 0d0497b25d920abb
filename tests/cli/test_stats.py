"""`trajview stats`: numbers, plots, and what they are made from."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.cli import stats
from trajview.cli.tables import cells
from trajview.where.distribution import distribution

from .test_commands import call
from .test_ls import logs

__all__ = ["logs"]


def test_json_has_the_figures_of_the_runs_that_match(logs: Path) -> None:
    found = json.loads(call("stats", logs, "--json", "--where", "not (tokens > 40)").stdout)
    assert (found["runs"], found["of"]) == (3, 4)
    assert found["reward"]["count"] == 3
    assert found["reward"]["median"] == 0.5
    assert sum(each["count"] for each in found["reward"]["bins"]) == 3
    assert found["errors"]["max"] == 1
    assert found["tools"] == {"bash": 1}
    assert found["models"] == {"gpt-4": 1, "claude-4": 1}
    assert found["formats"] == {"openai": 2, "docent": 1}


def test_quick_reads_no_run(logs: Path) -> None:
    found = json.loads(call("stats", logs, "--json", "--quick").stdout)
    assert {"tokens", "errors", "tools"}.isdisjoint(found)
    assert found["messages"]["max"] == 4


@pytest.mark.parametrize("width", [40, 80, 160])
def test_plots_keep_to_the_width(logs: Path, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    (logs / "z.json").write_text(
        json.dumps({"id": "z", "model": "日本語の長い名前" * 20, "messages": [{"role": "user", "content": "x"}]})
    )
    monkeypatch.setattr(stats, "is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    result = call("stats", logs)
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert max(map(cells, lines)) <= width
    assert lines[0] == "5 runs"
    [bash] = [line for line in lines if line.startswith("  bash")]
    assert bash.split()[-1] == "1"
    assert "█" in bash
    assert "\x1b" not in result.stdout


def test_the_longest_bar_is_that_of_the_most_and_nothing_has_none(logs: Path) -> None:
    lines = call("stats", logs).stdout.splitlines()
    at = lines.index("formats  2")
    assert lines[at + 1].startswith("  openai")
    assert lines[at + 1].count("█") == 3 * lines[at + 2].count("█")
    at = next(index for index, line in enumerate(lines) if line.startswith("reward "))
    counts = [int(line.split()[-1]) for line in lines[at + 1 : lines.index("", at)]]
    assert sum(counts) == 3


def test_dimensions_have_a_line_each(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    records = [
        {
            "id": f"r{i}",
            "transcripts": [{"messages": []}],
            "rewards": [[i, {"goal": i, "secret": -i, "overall_score": i}]],
            "agents": ["a"],
        }
        for i in range(9)
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    lines = call("stats", path, "--quick").stdout.splitlines()
    [goal] = [line.split() for line in lines if line.startswith("goal")]
    assert goal[1:6] == ["9", "4", "4", "0", "8"]
    assert not any("overall_score" in line for line in lines), "that is the reward itself"


def test_nothing_found_is_said(logs: Path, tmp_path: Path) -> None:
    result = call("stats", logs, "--where", "id == nobody")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "none of 4 runs" in result.stderr
    (tmp_path / "empty").mkdir()
    assert call("stats", tmp_path / "empty").exit_code == 2


numbers = (
    st.floats(allow_nan=True, allow_infinity=True)
    | st.integers(-5, 5).map(float)
    | st.sampled_from([0.1, 0.3, 1e-9, 1e9])
)


@given(st.lists(numbers, max_size=40), st.booleans())
def test_every_number_is_in_the_bin_that_says_so(found: list[float], whole: bool) -> None:
    if whole:
        found = [float(round(number)) for number in found if math.isfinite(number) and 0 <= number < 1e6]
    finite = [number for number in found if math.isfinite(number)]
    one = distribution(found, whole=whole)
    if one is None:
        assert not finite
        return
    assert sum(each.count for each in one.bins) == one.count == len(finite)
    assert (one.low, one.high) == (min(finite), max(finite))
    assert len(one.bins) <= 30
    assert all(before.high <= after.low for before, after in zip(one.bins, one.bins[1:], strict=False))
    if all(abs(number) < 1e12 for number in finite):
        slack = 1e-9 * max(1.0, abs(one.high), abs(one.low))
        for each in one.bins:
            inner = [n for n in finite if each.low + slack <= n <= each.high - slack]
            near = [n for n in finite if each.low - slack <= n <= each.high + slack]
            assert len(inner) <= each.count <= len(near)
