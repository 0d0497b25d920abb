"""The figures as lines: numbers as they are written, and columns that fit."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from trajview.annotation.agreement import BETWEEN, Agreement, Between, Estimate, agreement
from trajview.annotation.agreement_text import figure, lines, plain
from trajview.annotation.ratings import collect, scores_in
from trajview.annotation.rubric import Dimension

from .test_agreement import record, team


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("kappa", 0.724, ".72"), ("kappa", -0.05, "-.05"), ("kappa", 1.0, "1.00"), ("kappa", 0.999, "1.00"),
        ("kappa", -0.001, ".00"), ("kappa", -1.5, "-1.50"), ("mae", 0.5, "0.50"), ("mae", 12.0, "12.00"),
        ("bias", 0.5, "+0.50"), ("bias", -0.5, "-0.50"), ("bias", 0.001, "0.00"), ("bias", -0.001, "0.00"),
    ],
)  # fmt: skip
def test_figures_are_written_as_papers_write_them(name: str, value: float, text: str) -> None:
    assert figure(name, value) == text


@pytest.mark.parametrize("room", [60, 80, 100, 120, 200])
def test_no_row_of_a_table_is_wider_than_there_is_room(room: int) -> None:
    records = [*team(), record("e0", "an annotator with quite a long name", {"financial_and_material_benefits": 3})]
    model = {f"e{at}": [scores_in((1.0, {"goal": float(at)}))] for at in range(20)}
    found = [plain(line) for line in lines(agreement(collect(records, model), resamples=20), room)]
    assert max(cell_len(line) for line in found) <= room
    assert sum("exact" in line for line in found) == 1
    assert sum(line.split()[-1:] == ["bias"] for line in found) == 1


def test_names_of_wide_letters_keep_the_columns_straight() -> None:
    records = [record(str(at), who, {"目标达成": at, "goal": at}) for at in range(4) for who in ("安娜", "ben")]
    rows = [plain(line) for line in lines(agreement(collect(records), resamples=0)) if line and " 1.00 " in plain(line)]
    assert len({cell_len(row) for row in rows}) == 1


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(-0.3, -0.12, "-.30–-.12"), (-1.0, 1.0, "-1–1"), (-1.0, 0.5, "-1.00–.50"), (-12.345, 0.9, "-12–1")],
)
def test_an_interval_is_never_wider_than_its_column(low: float, high: float, text: str) -> None:
    estimate = Estimate(0.0, low, high)
    found = Between(Dimension("goal", 0, 10), {"ana": 3, "ben": 3}, 3, 3, 3, dict.fromkeys(BETWEEN, estimate))
    rows = [plain(line) for line in lines(Agreement({"ana": 3, "ben": 3}, (found,)))]
    assert rows[-1].split() == [text] * len(BETWEEN)
    assert cell_len(rows[-1]) == cell_len(rows[-3])


def test_one_reason_stands_once_for_a_dimension() -> None:
    records = [record(str(at), who, {"goal": 3}) for at in range(4) for who in ("ana", "ben")]
    model = {str(at): [{"goal": 4.0}] for at in range(4)}
    found = [plain(line) for line in lines(agreement(collect(records, model), resamples=20))]
    reason = "undefined, no variance: each of the two always gives the same score"
    assert f"goal: Pearson, Spearman: {reason}" in found


def test_nothing_to_compare_is_said() -> None:
    assert plain(lines(agreement(collect([])))[0]) == "No annotations yet."
    alone = [plain(line) for line in lines(agreement(collect([record("e", "ana", {"goal": 3})])))]
    assert alone[-1].startswith("No two annotators have rated the same")


@pytest.mark.parametrize(
    ("alphas", "said"),
    [
        ((0.85,), "Krippendorff's α 0.85: reliable"),
        ((0.667,), "Krippendorff's α 0.67: enough for tentative conclusions"),
        ((0.9, 0.3), "Krippendorff's α 0.60: too low to draw conclusions from"),
        ((-0.1,), "Krippendorff's α -0.10: no better than chance"),
        ((None,), "ana  3 episodes"),
    ],
)
def test_the_report_begins_with_one_figure_and_a_verdict(alphas: tuple[float | None, ...], said: str) -> None:
    found = [
        Between(Dimension(f"d{at}", 0, 10), {"ana": 3, "ben": 3}, 3, 3, 3, dict.fromkeys(BETWEEN, Estimate(alpha)))
        for at, alpha in enumerate(alphas)
    ]
    rows = [plain(line) for line in lines(Agreement({"ana": 3, "ben": 3}, tuple(found)))]
    assert rows[0] == said
    assert ("mean of 2 dimensions (lowest: d1 0.30)" in rows[1]) == (len(alphas) > 1)
