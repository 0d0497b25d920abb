"""Tables: what gives way on a narrow terminal, and that nothing is lost elsewhere."""

from __future__ import annotations

import pytest

from trajview.cli.tables import cells, table

ID = "c0e2cd93-28d1-5bda-b854-40a531481d5e"
HEADING = ["ID", "SOURCE", "FORMAT", "MESSAGES", "UNITS", "AGENTS", "REWARDS"]
ROWS = [
    HEADING,
    [ID, "runs/of/last/week/coding_run.json", "docent", "58", "23", "Ada Lovelace, Bob", "0.9333"],
    ["short", "ü/日本語の記録/a.json", "openai", "1", "1", "–", "–"],
]


def lines(monkeypatch: pytest.MonkeyPatch, columns: int, rows: list[list[str]] = ROWS) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(columns))
    return table(rows, (3, 4), cut=True, spare=(5,), paths=(1,))


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 120, 200])
def test_no_line_is_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    found = lines(monkeypatch, columns)
    assert max(map(cells, found)) <= columns


def test_at_80_columns_agents_are_left_out_and_ids_can_be_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    heading, first, second = lines(monkeypatch, 80)
    assert heading.split() == [name for name in HEADING if name != "AGENTS"]
    assert first.startswith(ID[:29])
    assert "…ng_run.json  docent" in first
    assert "a.json  openai" in second


def test_where_there_is_some_room_paths_are_cut_from_the_left_and_agents_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    heading, first, _ = lines(monkeypatch, 110)
    assert heading.split() == HEADING
    assert first.startswith(f"{ID}  …")
    assert "coding_run.json  docent" in first


def test_where_all_fits_nothing_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "…" not in "".join(lines(monkeypatch, 200))
    assert lines(monkeypatch, 200)[1].split("  ")[0] == ID


def test_elsewhere_cells_are_whole_and_one_long_id_does_not_pad_the_others() -> None:
    long = "x" * 400
    found = table([*ROWS, [long, *ROWS[1][1:]]], (3, 4), cut=False, spare=(5,), paths=(1,))
    assert found[3].startswith(f"{long}  runs/of/last/week/coding_run.json  docent")
    assert found[0].index("SOURCE") == found[1].index("runs/") == 50
    assert "Ada Lovelace, Bob" in found[1]
