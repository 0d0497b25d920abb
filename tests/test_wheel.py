"""The wheel holds the program with its data, its man page, and every notice that has to go with it, and nothing else."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[1]


def test_the_wheel_holds_the_program_its_data_and_the_notices(tmp_path: Path) -> None:
    wheel = pytest.importorskip("hatchling.builders.wheel")
    [path] = wheel.WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with ZipFile(path) as archive:
        names = archive.namelist()
        [info] = {name.partition("/")[0] for name in names if ".dist-info/" in name}
        others = {name for name in names if not name.startswith(("trajview/", info))}
        assert {Path(name).name for name in others} == {"trajview.1"}
        assert {"trajview/data/cl100k_base.tiktoken", "trajview/py.typed", "trajview/app/app.tcss"} <= set(names)
        assert "MIT License" in archive.read(f"{info}/licenses/LICENSE").decode()
        # The vocabulary is tiktoken's: its notice goes wherever it goes.
        assert "OpenAI" in archive.read(f"{info}/licenses/trajview/data/cl100k_base.LICENSE").decode()
        assert "OpenAI" in archive.read("trajview/data/cl100k_base.LICENSE").decode()
