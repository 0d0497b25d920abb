"""tables/: rows of a training set, as Parquet and as CSV; the question about spoons is asked eight times."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet

from .agents import ANSWER, COMMAND, LIST, QUESTION

GUESS = "Seven, I would guess; most drawers have seven."


def _rows(name: str) -> list[dict[str, Any]]:
    """Four samples at each of two steps: more of them look into the drawer at the second one."""
    return [_row(name, step, sample, looks=sample < step // 50) for step in (50, 150) for sample in range(4)]


def _row(name: str, step: int, sample: int, looks: bool) -> dict[str, Any]:
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": json.dumps(COMMAND)}}
    looking = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": LIST, "tool_call_id": "c1"},
    ]
    answer = {"role": "assistant", "content": ANSWER if looks else GUESS}
    messages = [{"role": "user", "content": QUESTION}, *(looking if looks else ()), answer]
    return {"id": f"{name}/{step}/{sample}", "messages": messages, "reward": float(looks), "step": step}


def write_tables(target: Path) -> None:
    """Write the table in both forms."""
    target.mkdir(parents=True, exist_ok=True)
    table = pyarrow.Table.from_pylist(_rows("spoons"))
    parquet.write_table(table, target / "spoons.parquet", compression="zstd", row_group_size=4)
    with (target / "spoons.csv").open("w", encoding="utf-8", newline="") as file:
        rows, writer = _rows("spoons-csv"), csv.writer(file)
        writer.writerow(rows[0])
        writer.writerows(
            [json.dumps(cell) if isinstance(cell, list) else cell for cell in row.values()] for row in rows
        )
